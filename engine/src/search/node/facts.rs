//! What the steps of a node hand to each other.

use super::table::TableFacts;
use super::update::Tried;
use crate::search::rules::prune::Assessment;
use crate::search::window::Window;
use crate::types::{Depth, Move, Ply, Score};

/// What a node knows before its moves are tried.
#[derive(Clone, Copy)]
pub struct Node {
    pub ply: Ply,
    pub depth: Depth,
    pub window: Window,
    pub cut_node: bool,
    pub table: TableFacts,
    pub assessment: Assessment,
    pub raw_eval: Score,
    pub excluded: Move,
}

/// What has come of the moves so far.
pub struct Progress {
    pub alpha: Score,
    pub best: Score,
    pub best_move: Move,
    pub moves: usize,
    pub tried: Tried,
}

/// A move that is about to be searched.
pub struct Candidacy {
    pub mv: Move,
    pub quiet: bool,
    pub gives_check: bool,
    pub history: i32,
    pub extension: i32,
}
