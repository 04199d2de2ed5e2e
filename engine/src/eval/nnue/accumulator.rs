//! Incremental updates of an accumulator: the first layer as one perspective sees it.

use super::architecture::screlu;
use super::features::{Feature, Perspective};
use super::network::{Accumulator, Network};

impl Accumulator {
    /// Sets the accumulator to `base` with some features added and some removed; without a base, the
    /// accumulator is updated in place.
    ///
    /// Each pass adds a feature and removes one. It is a loop over the neurons with nothing else in
    /// it, because only that is vectorised well in a profile-guided build, too.
    pub(super) fn update(
        &mut self,
        mut base: Option<&Self>,
        network: &Network,
        perspective: Perspective,
        added: &[Feature],
        removed: &[Feature],
    ) {
        let row = |feature: &Feature| &network.feature_weights[perspective.index_of(*feature)].0;
        let (mut added, mut removed) = (added.iter().map(row), removed.iter().map(row));
        loop {
            match (added.next(), removed.next()) {
                (Some(plus), Some(minus)) => {
                    self.add(base.take(), |neuron| plus[neuron].wrapping_sub(minus[neuron]));
                }
                (Some(plus), None) => self.add(base.take(), |neuron| plus[neuron]),
                (None, Some(minus)) => self.add(base.take(), |neuron| minus[neuron].wrapping_neg()),
                (None, None) => break,
            }
        }
        if let Some(base) = base {
            self.clone_from(base);
        }
    }

    /// Sets each neuron to that of `base`, or to its own, plus a change.
    fn add(&mut self, base: Option<&Self>, change: impl Fn(usize) -> i16) {
        match base {
            Some(base) => {
                for (neuron, (sum, before)) in self.0.iter_mut().zip(&base.0).enumerate() {
                    *sum = before.wrapping_add(change(neuron));
                }
            }
            None => {
                for (neuron, sum) in self.0.iter_mut().enumerate() {
                    *sum = sum.wrapping_add(change(neuron));
                }
            }
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
