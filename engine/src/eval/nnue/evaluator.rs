//! Evaluates positions, with the accumulators of the line that is being searched.
//!
//! Each entry of the accumulator stack stores the pieces it was computed for. An update starts from
//! the nearest of the entries of this ply and of the last two, and applies the difference of the
//! pieces: so it needs no record of moves, and nothing is computed for positions that are never
//! evaluated. When the perspective changes (the king crosses the centre or enters another bucket), or
//! when too many squares differ, the update starts from a refresh table instead, which has an
//! accumulator for each perspective ("Finny tables", first described by Luecx, the author of Koivisto).

use std::sync::Arc;

use arrayvec::ArrayVec;
use nullarbor_chess::board::{Bitboards, Position};

use super::architecture::{KING_BUCKETS, OUTPUT_BUCKETS, centipawns};
use super::features::{Feature, Perspective, output_bucket};
use super::network::{Accumulator, Network};
use crate::types::{Bitboard, ByColour, Colour, MAX_PLY, Ply};

/// The features that differ between two positions.
struct FeatureChanges {
    added: ArrayVec<Feature, 32>,
    removed: ArrayVec<Feature, 32>,
}

/// The accumulators of both sides and the pieces they were computed for.
#[derive(Clone, Debug)]
struct AccumulatorPair {
    pieces: Bitboards,
    perspectives: ByColour<Perspective>,
    accumulators: ByColour<Accumulator>,
}

/// The last accumulator that was computed for a perspective.
#[derive(Clone, Debug)]
struct RefreshEntry {
    pieces: Bitboards,
    accumulator: Accumulator,
}

/// Evaluates positions with a network.
pub struct Evaluator {
    network: Arc<Network>,
    /// The accumulator stack, indexed by ply.
    stack: Box<[AccumulatorPair]>,
    /// Refresh entries, by colour and [`Perspective::table_index`].
    refresh_table: [Box<[RefreshEntry]>; 2],
}

/// Entries of the stack before its own that an update may start from.
const PLIES_BACK: usize = 2;

/// If more squares differ, the refresh table is at least as good a base.
const MAX_DIFFERENCES: usize = 8;

impl Evaluator {
    /// Creates an evaluator with empty accumulators.
    pub fn new(network: Arc<Network>) -> Self {
        let biases = &network.feature_biases;
        let pair = AccumulatorPair {
            pieces: Bitboards::EMPTY,
            perspectives: ByColour::default(),
            accumulators: ByColour([biases.clone(), biases.clone()]),
        };
        let entry = RefreshEntry { pieces: Bitboards::EMPTY, accumulator: biases.clone() };
        let table = || vec![entry.clone(); Perspective::COUNT].into();
        Self { stack: vec![pair; MAX_PLY + 1].into(), refresh_table: [table(), table()], network }
    }

    /// Returns the network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Empties all accumulators, so that the next position is computed from scratch.
    #[cfg(test)]
    pub(super) fn reset(&mut self) {
        *self = Self::new(Arc::clone(&self.network));
    }

    /// Returns the value of a position for the side to move, in centipawns.
    ///
    /// The result does not depend on what was evaluated before. It is fastest if the position at
    /// the previous ply is the parent.
    pub fn evaluate(&mut self, position: &Position, ply: Ply) -> i32 {
        if self.stack[ply].pieces.differences(position.bitboards()).is_any() {
            self.update(position, ply);
        }
        let us = position.side_to_move();
        let pair = &self.stack[ply];
        let bucket = output_bucket(position.occupied().count(), OUTPUT_BUCKETS);
        let [ours, theirs] = &self.network.output_weights[bucket];
        let sum = i64::from(pair.accumulators[us].output(ours))
            + i64::from(pair.accumulators[!us].output(theirs));
        centipawns(sum + i64::from(self.network.output_biases[bucket]), self.network.scale)
    }

    /// Updates the accumulators at `ply` to a position.
    fn update(&mut self, position: &Position, ply: Ply) {
        let pieces = position.bitboards();
        let differences = |entry: &AccumulatorPair| entry.pieces.differences(pieces);
        let (before, rest) = self.stack.split_at_mut(ply);
        let pair = &mut rest[0];
        // What a sibling has left here is often nearer than the entry before, which is the parent's only
        // if the parent was evaluated.
        let mut nearest = (None, differences(pair));
        for entry in before.iter().rev().take(PLIES_BACK) {
            let squares = differences(entry);
            if squares.count() < nearest.1.count() {
                nearest = (Some(entry), squares);
            }
        }
        let (base, squares) = nearest;
        let near = (squares.count() <= MAX_DIFFERENCES)
            .then(|| FeatureChanges::on(squares, &base.unwrap_or(pair).pieces, pieces));
        for colour in Colour::ALL {
            let perspective = Perspective::new(colour, position.king(colour), KING_BUCKETS);
            let is_same = base.unwrap_or(pair).perspectives[colour] == perspective;
            let accumulator = &mut pair.accumulators[colour];
            match &near {
                Some(FeatureChanges { added, removed }) if is_same => {
                    let base = base.map(|base| &base.accumulators[colour]);
                    accumulator.update(base, &self.network, perspective, added, removed);
                }
                _ => {
                    let entry = &mut self.refresh_table[colour.index()][perspective.table_index()];
                    let squares = entry.pieces.differences(pieces);
                    let changes = FeatureChanges::on(squares, &entry.pieces, pieces);
                    let FeatureChanges { added, removed } = changes;
                    entry.accumulator.update(None, &self.network, perspective, &added, &removed);
                    entry.pieces.clone_from(pieces);
                    accumulator.clone_from(&entry.accumulator);
                }
            }
            pair.perspectives[colour] = perspective;
        }
        pair.pieces.clone_from(pieces);
    }
}

impl FeatureChanges {
    /// Collects the changes on some squares.
    #[inline]
    fn on(squares: Bitboard, old: &Bitboards, new: &Bitboards) -> Self {
        let mut changes = Self { added: ArrayVec::new(), removed: ArrayVec::new() };
        // Two loops: whether there is a piece would be a branch that nothing predicts.
        for square in squares & new.occupied() {
            if let Some(piece) = new.piece_on(square) {
                changes.added.push(Feature::new(piece, square));
            }
        }
        for square in squares & old.occupied() {
            if let Some(piece) = old.piece_on(square) {
                changes.removed.push(Feature::new(piece, square));
            }
        }
        changes
    }
}
