//! Incremental updates of an accumulator: the first layer as one perspective sees it.

use super::architecture::{HIDDEN, screlu};
use super::features::{Feature, Perspective};
use super::network::{Accumulator, Network};

impl Accumulator {
    /// Sets the accumulator to `base` with some features added and some removed.
    pub(super) fn update_from(
        &mut self,
        base: &Self,
        network: &Network,
        perspective: Perspective,
        added: &[Feature],
        removed: &[Feature],
    ) {
        let row = |feature: &Feature| &network.feature_weights[perspective.index_of(*feature)].0;
        match (added, removed) {
            ([], []) => self.0 = base.0,
            ([a], [b]) => add_sub(&mut self.0, &base.0, [row(a)], [row(b)]),
            ([a], [b, c]) => add_sub(&mut self.0, &base.0, [row(a)], [row(b), row(c)]),
            ([a, b], [c, d]) => add_sub(&mut self.0, &base.0, [row(a), row(b)], [row(c), row(d)]),
            _ => {
                self.0 = base.0;
                self.update(network, perspective, added, removed);
            }
        }
    }

    /// Adds and removes any number of features in place.
    pub(super) fn update(
        &mut self,
        network: &Network,
        perspective: Perspective,
        added: &[Feature],
        removed: &[Feature],
    ) {
        let row = |feature: &Feature| &network.feature_weights[perspective.index_of(*feature)].0;
        let pairs = added.len().min(removed.len());
        for (a, b) in added.iter().zip(removed) {
            let base = self.0;
            add_sub(&mut self.0, &base, [row(a)], [row(b)]);
        }
        for chunk in added[pairs..].chunks(2) {
            let base = self.0;
            match chunk {
                [a, b] => add_sub(&mut self.0, &base, [row(a), row(b)], []),
                [a] => add_sub(&mut self.0, &base, [row(a)], []),
                _ => {}
            }
        }
        for b in &removed[pairs..] {
            let base = self.0;
            add_sub(&mut self.0, &base, [], [row(b)]);
        }
    }

    /// Returns the dot product of the activated accumulator and one row of output weights.
    pub(super) fn output(&self, weights: &Self) -> i32 {
        let mut sum = 0;
        for (&neuron, &weight) in self.0.iter().zip(&weights.0) {
            sum += i32::from(screlu(neuron)) * i32::from(weight);
        }
        sum
    }
}

/// Adds and subtracts rows of weights in one pass, so that memory is read and written once.
#[inline(always)]
fn add_sub<const ADDED: usize, const REMOVED: usize>(
    out: &mut [i16; HIDDEN],
    base: &[i16; HIDDEN],
    added: [&[i16; HIDDEN]; ADDED],
    removed: [&[i16; HIDDEN]; REMOVED],
) {
    for neuron in 0..HIDDEN {
        let mut sum = base[neuron];
        for row in added {
            sum = sum.wrapping_add(row[neuron]);
        }
        for row in removed {
            sum = sum.wrapping_sub(row[neuron]);
        }
        out[neuron] = sum;
    }
}
