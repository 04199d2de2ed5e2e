//! Incremental updates of an accumulator: the first layer as one perspective sees it.

use super::architecture::{HIDDEN, screlu};
use super::features::{Feature, Perspective};
use super::network::{Accumulator, Network};

/// Neurons that are updated at a time, so few that the sums stay in registers.
const TILE: usize = if HIDDEN.is_multiple_of(128) { 128 } else { 32 };

impl Accumulator {
    /// Sets the accumulator to `base` with some features added and some removed; without a base, the
    /// accumulator is updated in place.
    pub(super) fn update(
        &mut self,
        base: Option<&Self>,
        network: &Network,
        perspective: Perspective,
        added: &[Feature],
        removed: &[Feature],
    ) {
        let row = |feature: &Feature| &network.feature_weights[perspective.index_of(*feature)].0;
        for start in (0..HIDDEN).step_by(TILE) {
            let tile = start..start + TILE;
            let mut sums = [0; TILE];
            sums.copy_from_slice(&base.unwrap_or(self).0[tile.clone()]);
            for feature in added {
                for (sum, weight) in sums.iter_mut().zip(&row(feature)[tile.clone()]) {
                    *sum = sum.wrapping_add(*weight);
                }
            }
            for feature in removed {
                for (sum, weight) in sums.iter_mut().zip(&row(feature)[tile.clone()]) {
                    *sum = sum.wrapping_sub(*weight);
                }
            }
            self.0[tile].copy_from_slice(&sums);
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
