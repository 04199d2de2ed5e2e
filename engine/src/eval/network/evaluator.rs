//! Sums of the first layer along the line that is being searched.
//!
//! Each slot knows the men that it was summed up for. A new sum begins with any other one and adds what is different: so it
//! need not be known by which moves one came from there to here, and nothing is summed up that is not asked for.

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::architecture::{KING_BUCKETS, OUTPUT_BUCKETS, centipawns};
use super::features::{Man, View, output_bucket};
use super::weights::{Network, Row};
use crate::board::{Bitboards, Position};
use crate::types::{Bitboard, ByColour, Colour, MAX_PLY, Ply};

/// What must be added to have the men of a position, and what taken away.
struct Changes {
    more: ArrayVec<Man, 32>,
    less: ArrayVec<Man, 32>,
}

/// The sums of both perspectives and what they were summed up for.
#[derive(Clone, Debug)]
struct Sums {
    men: Bitboards,
    views: ByColour<View>,
    rows: ByColour<Row>,
}

/// The last sum of a perspective and a view.
#[derive(Clone, Debug)]
struct Kept {
    men: Bitboards,
    row: Row,
}

/// Evaluates positions with a network.
pub struct Evaluator {
    network: Arc<Network>,
    /// By ply.
    line: Box<[Sums]>,
    /// For each perspective and view.
    cache: [Box<[Kept]>; 2],
}

/// Where more squares differ the cache is no worse a place to begin from.
const NEAR: usize = 8;

impl Evaluator {
    /// For this network.
    pub fn new(network: Arc<Network>) -> Self {
        let row = &network.biases;
        let rows = ByColour([row.clone(), row.clone()]);
        let sums = Sums { men: Bitboards::EMPTY, views: ByColour::default(), rows };
        let cache =
            || vec![Kept { men: Bitboards::EMPTY, row: row.clone() }; 2 * KING_BUCKETS].into();
        Self { line: vec![sums; MAX_PLY + 1].into(), cache: [cache(), cache()], network }
    }

    /// The network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Forgets all sums: the next position is summed up from nothing.
    #[cfg(test)]
    pub(super) fn forget(&mut self) {
        *self = Self::new(Arc::clone(&self.network));
    }

    /// The value of a position for the side to move, in centipawns. It is fastest where the position one ply before was
    /// evaluated last, and right wherever it comes from.
    pub fn evaluate(&mut self, position: &Position, ply: Ply) -> i32 {
        if self.line[ply].men.differences(position.bitboards()).is_any() {
            self.sum_up(position, ply);
        }
        let us = position.side_to_move();
        let sums = &self.line[ply];
        let bucket = output_bucket(position.occupied().count(), OUTPUT_BUCKETS);
        let [own, other] = &self.network.outputs[bucket];
        let squares =
            i64::from(sums.rows[us].output(own)) + i64::from(sums.rows[!us].output(other));
        centipawns(squares + i64::from(self.network.output_biases[bucket]), self.network.scale)
    }

    /// Brings the sums at `ply` up to date.
    fn sum_up(&mut self, position: &Position, ply: Ply) {
        let (before, rest) = self.line.split_at_mut(ply);
        let (sums, men) = (&mut rest[0], position.bitboards());
        let near = before.last().and_then(|parent| {
            let squares = parent.men.differences(men);
            (squares.count() <= NEAR).then(|| (parent, Changes::on(squares, &parent.men, men)))
        });
        for colour in Colour::ALL {
            let view = View::of(colour, position.king(colour), KING_BUCKETS);
            let row = &mut sums.rows[colour];
            match &near {
                Some((parent, changes)) if parent.views[colour] == view => {
                    let Changes { more, less } = changes;
                    row.change(&parent.rows[colour], &self.network, view, more, less);
                }
                _ => {
                    let kept = &mut self.cache[colour.index()][view.index()];
                    let squares = kept.men.differences(men);
                    let Changes { more, less } = Changes::on(squares, &kept.men, men);
                    kept.row.change_many(&self.network, view, &more, &less);
                    kept.men.clone_from(men);
                    row.clone_from(&kept.row);
                }
            }
            sums.views[colour] = view;
        }
        sums.men.clone_from(men);
    }
}

impl Changes {
    /// Those on some squares.
    #[inline]
    fn on(squares: Bitboard, old: &Bitboards, new: &Bitboards) -> Self {
        let mut changes = Self { more: ArrayVec::new(), less: ArrayVec::new() };
        for square in squares {
            if let Some(piece) = new.piece_on(square) {
                changes.more.push(Man::new(piece, square));
            }
            if let Some(piece) = old.piece_on(square) {
                changes.less.push(Man::new(piece, square));
            }
        }
        changes
    }
}
