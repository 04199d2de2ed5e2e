//! Sums of the first layer along the line that is being searched.
//!
//! Each slot knows the men that it was summed up for. A new sum begins with any other one and adds what is different: so it
//! need not be known by which moves one came from there to here, and nothing is summed up that is not asked for.

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::architecture::{KING_BUCKETS, OUTPUT_BUCKETS, QA, QB};
use super::features::{View, output_bucket};
use super::weights::{Network, Row};
use crate::board::Position;
use crate::types::{Bitboard, ByColour, Colour, MAX_PLY, PieceType, Ply};

/// All men, by colour and kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Men([[Bitboard; 6]; 2]);

impl Men {
    const NONE: Self = Self([[Bitboard::EMPTY; 6]; 2]);

    fn of(position: &Position) -> Self {
        Self(Colour::ALL.map(|colour| PieceType::ALL.map(|kind| position.pieces(colour, kind))))
    }
}

/// A sum and what it was summed up for.
#[derive(Clone, Debug)]
struct Sum {
    men: Men,
    view: View,
    row: Row,
}

/// Evaluates positions with a network.
pub struct Evaluator {
    network: Arc<Network>,
    /// By ply; two perspectives each.
    line: Box<[ByColour<Sum>]>,
    /// The last sum for each perspective and view.
    cache: [Box<[Sum]>; 2],
}

/// Inputs by which a position differs from another, as one perspective sees them.
type Inputs = ArrayVec<usize, 32>;

/// Beyond so many changes the cache is no worse a place to begin from.
const NEAR: usize = 8;

impl Evaluator {
    /// For this network.
    pub fn new(network: Arc<Network>) -> Self {
        let sum = Sum { men: Men::NONE, view: View::default(), row: network.biases.clone() };
        let pair = ByColour([sum.clone(), sum.clone()]);
        let cache = || vec![sum.clone(); 2 * KING_BUCKETS].into();
        Self { line: vec![pair; MAX_PLY + 1].into(), cache: [cache(), cache()], network }
    }

    /// The network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Forgets all sums: the next position is summed up from nothing.
    #[cfg(test)]
    pub(super) fn forget(&mut self) {
        let sum = Sum { men: Men::NONE, view: View::default(), row: self.network.biases.clone() };
        self.cache.iter_mut().for_each(|cache| cache.fill(sum.clone()));
        self.line[0] = ByColour([sum.clone(), sum]);
    }

    /// The value of a position for the side to move, in centipawns. It is fastest where the position one ply before was
    /// evaluated last, and right wherever it comes from.
    pub fn evaluate(&mut self, position: &Position, ply: Ply) -> i32 {
        let men = Men::of(position);
        for colour in Colour::ALL {
            self.sum_up(position, &men, colour, ply);
        }
        let us = position.side_to_move();
        let sums = &self.line[ply];
        let bucket = output_bucket(position.occupied().count(), OUTPUT_BUCKETS);
        let [own, other] = &self.network.outputs[bucket];
        let squares = i64::from(sums[us].row.output(own)) + i64::from(sums[!us].row.output(other));
        let output = squares / i64::from(QA) + i64::from(self.network.output_biases[bucket]);
        (output * i64::from(self.network.scale) / i64::from(QA * QB)) as i32
    }

    /// Brings the sum of a perspective at `ply` up to date.
    fn sum_up(&mut self, position: &Position, men: &Men, colour: Colour, ply: Ply) {
        let view = View::of(colour, position.king(colour), KING_BUCKETS);
        let (before, rest) = self.line.split_at_mut(ply);
        let sum = &mut rest[0][colour];
        if sum.view == view && sum.men == *men {
            return;
        }
        let parent = before.last().map(|sums| &sums[colour]).filter(|sum| sum.view == view);
        let changes = parent.map(|parent| (parent, differences(&parent.men, men, view, colour)));
        match changes {
            Some((parent, (more, less))) if more.len() + less.len() <= NEAR => {
                sum.row.change(&parent.row, &self.network, &more, &less);
            }
            _ => {
                let kept = &mut self.cache[colour.index()][view.index()];
                let (more, less) = differences(&kept.men, men, view, colour);
                kept.row.change_many(&self.network, &more, &less);
                kept.men = *men;
                sum.row = kept.row.clone();
            }
        }
        sum.men = *men;
        sum.view = view;
    }
}

/// What must be added to the inputs of `old` to have those of `new`, and what taken away.
fn differences(old: &Men, new: &Men, view: View, us: Colour) -> (Inputs, Inputs) {
    let (mut more, mut less) = (Inputs::new(), Inputs::new());
    for colour in Colour::ALL {
        let own = colour == us;
        for kind in PieceType::ALL {
            let (old, new) =
                (old.0[colour.index()][kind.index()], new.0[colour.index()][kind.index()]);
            if old == new {
                continue;
            }
            more.extend((new.without(old)).map(|square| view.feature(own, kind, square)));
            less.extend((old.without(new)).map(|square| view.feature(own, kind, square)));
        }
    }
    (more, less)
}
