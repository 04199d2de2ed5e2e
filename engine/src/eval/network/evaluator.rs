//! Sums of the first layer along the line that is being searched.
//!
//! Each slot knows the men that it was summed up for. A new sum begins with any other one and adds what is different: so it
//! need not be known by which moves one came from there to here, and nothing is summed up that is not asked for.

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::architecture::{KING_BUCKETS, OUTPUT_BUCKETS, centipawns};
use super::features::{View, output_bucket};
use super::weights::{Network, Row};
use crate::board::Position;
use crate::types::{Bitboard, ByColour, Colour, MAX_PLY, PieceType, Ply, Square};

/// All men, by colour and kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Men([[Bitboard; 6]; 2]);

impl Men {
    const NONE: Self = Self([[Bitboard::EMPTY; 6]; 2]);

    fn of(position: &Position) -> Self {
        Self(Colour::ALL.map(|colour| PieceType::ALL.map(|kind| position.pieces(colour, kind))))
    }
}

/// A man on a square.
#[derive(Clone, Copy, Debug)]
struct Man {
    colour: Colour,
    kind: PieceType,
    square: Square,
}

/// Men that a position has and another has not.
type List = ArrayVec<Man, 32>;

/// What must be added to have the men of a position, and what taken away.
struct Changes {
    more: List,
    less: List,
}

/// The sums of both perspectives and what they were summed up for.
#[derive(Clone, Debug)]
struct Sums {
    men: Men,
    views: ByColour<View>,
    rows: ByColour<Row>,
}

/// The last sum of a perspective and a view.
#[derive(Clone, Debug)]
struct Kept {
    men: Men,
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

/// Beyond so many changes the cache is no worse a place to begin from.
const NEAR: usize = 8;

impl Evaluator {
    /// For this network.
    pub fn new(network: Arc<Network>) -> Self {
        let row = &network.biases;
        let rows = ByColour([row.clone(), row.clone()]);
        let sums = Sums { men: Men::NONE, views: ByColour::default(), rows };
        let cache = || vec![Kept { men: Men::NONE, row: row.clone() }; 2 * KING_BUCKETS].into();
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
        let men = Men::of(position);
        if self.line[ply].men != men {
            self.sum_up(position, men, ply);
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
    fn sum_up(&mut self, position: &Position, men: Men, ply: Ply) {
        let (before, rest) = self.line.split_at_mut(ply);
        let sums = &mut rest[0];
        let near = before.last().and_then(|parent| {
            let changes = Changes::between(&parent.men, &men);
            (changes.more.len() + changes.less.len() <= NEAR).then_some((parent, changes))
        });
        for colour in Colour::ALL {
            let view = View::of(colour, position.king(colour), KING_BUCKETS);
            let row = &mut sums.rows[colour];
            match &near {
                Some((parent, changes)) if parent.views[colour] == view => {
                    let (more, less) = changes.inputs(view, colour);
                    row.change(&parent.rows[colour], &self.network, &more, &less);
                }
                _ => {
                    let kept = &mut self.cache[colour.index()][view.index()];
                    let (more, less) = Changes::between(&kept.men, &men).inputs(view, colour);
                    kept.row.change_many(&self.network, &more, &less);
                    kept.men = men;
                    row.clone_from(&kept.row);
                }
            }
            sums.views[colour] = view;
        }
        sums.men = men;
    }
}

impl Changes {
    fn between(old: &Men, new: &Men) -> Self {
        let (mut more, mut less) = (List::new(), List::new());
        for colour in Colour::ALL {
            for kind in PieceType::ALL {
                let bits = |men: &Men| men.0[colour.index()][kind.index()];
                let (old, new) = (bits(old), bits(new));
                if old != new {
                    let man = |square| Man { colour, kind, square };
                    more.extend(new.without(old).map(man));
                    less.extend(old.without(new).map(man));
                }
            }
        }
        Self { more, less }
    }

    /// The inputs that they are for one perspective.
    fn inputs(&self, view: View, us: Colour) -> (Inputs, Inputs) {
        let input = |man: &Man| view.feature(man.colour == us, man.kind, man.square);
        (self.more.iter().map(input).collect(), self.less.iter().map(input).collect())
    }
}

/// Inputs of one perspective.
type Inputs = ArrayVec<usize, 32>;
