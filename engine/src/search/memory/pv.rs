//! Principal variations (triangular PV table).

use crate::types::{MAX_PLY, Move, Ply};

/// For each ply the best line from there on.
pub struct PvTable {
    lines: Box<[Line]>,
}

#[derive(Clone)]
struct Line {
    moves: [Move; MAX_PLY],
    len: usize,
}

impl PvTable {
    /// Allocates empty lines.
    pub fn new() -> Self {
        let empty = Line { moves: [Move::NONE; MAX_PLY], len: 0 };
        Self { lines: vec![empty; MAX_PLY + 1].into_boxed_slice() }
    }

    /// Empties the line from `ply` on.
    pub fn clear(&mut self, ply: Ply) {
        self.lines[ply].len = 0;
    }

    /// Makes the line from `ply` on `mv` and the line one ply deeper.
    pub fn update(&mut self, ply: Ply, mv: Move) {
        let (head, tail) = self.lines.split_at_mut(ply + 1);
        let (line, next) = (&mut head[ply], &tail[0]);
        line.len = (next.len + 1).min(MAX_PLY);
        line.moves[0] = mv;
        line.moves[1..line.len].copy_from_slice(&next.moves[..line.len - 1]);
    }

    /// Returns the line from `ply` on.
    pub fn line(&self, ply: Ply) -> &[Move] {
        &self.lines[ply].moves[..self.lines[ply].len]
    }
}
