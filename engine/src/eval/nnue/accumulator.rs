//! Incremental updates of an accumulator: the first layer as one perspective sees it.

use super::architecture::{HIDDEN, screlu};
use super::features::{Feature, Perspective};
use super::format::TILE;
use super::network::{Accumulator, Network};

/// A row of feature weights.
type Row = [i16; HIDDEN];

impl Accumulator {
    /// Sets the accumulator to `base` with some features added and some removed; without a base, the
    /// accumulator is updated in place.
    ///
    /// A pass adds and removes up to two features: a quiet move or a capture is one pass. It is a loop
    /// over the neurons with nothing else in it, because only that is vectorised well in a
    /// profile-guided build, too.
    pub(super) fn update(
        &mut self,
        mut base: Option<&Self>,
        network: &Network,
        perspective: Perspective,
        added: &[Feature],
        removed: &[Feature],
    ) {
        let row = |feature: Feature| &network.feature_weights[perspective.index_of(feature)].0;
        let (mut added, mut removed) = (added, removed);
        loop {
            let base = base.take();
            match (added, removed) {
                (&[one, two, ref more @ ..], &[three, four, ref rest @ ..]) => {
                    self.pass(base, [row(one), row(two)], [row(three), row(four)]);
                    (added, removed) = (more, rest);
                }
                (&[one, ref more @ ..], &[two, three, ref rest @ ..]) => {
                    self.pass(base, [row(one)], [row(two), row(three)]);
                    (added, removed) = (more, rest);
                }
                (&[one, ref more @ ..], &[two, ref rest @ ..]) => {
                    self.pass(base, [row(one)], [row(two)]);
                    (added, removed) = (more, rest);
                }
                (&[one, ref more @ ..], &[]) => {
                    self.pass(base, [row(one)], []);
                    added = more;
                }
                (&[], &[one, ref rest @ ..]) => {
                    self.pass(base, [], [row(one)]);
                    removed = rest;
                }
                (&[], &[]) => {
                    if let Some(base) = base {
                        self.clone_from(base);
                    }
                    return;
                }
            }
        }
    }

    /// Sets each neuron to that of `base`, or to its own, plus some rows of weights minus others.
    fn pass<const ADDED: usize, const REMOVED: usize>(
        &mut self,
        base: Option<&Self>,
        added: [&Row; ADDED],
        removed: [&Row; REMOVED],
    ) {
        let change = |neuron: usize| {
            let plus = added.iter().fold(0_i16, |sum, row| sum.wrapping_add(row[neuron]));
            removed.iter().fold(plus, |sum, row| sum.wrapping_sub(row[neuron]))
        };
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
    ///
    /// [`TILE`] sums side by side are the shape in which the compiler multiplies pairs of neurons in
    /// whole vectors, at every instruction-set level.
    pub(super) fn output(&self, weights: &Self) -> i32 {
        let (neurons, weights) = (self.0.as_chunks::<TILE>().0, weights.0.as_chunks::<TILE>().0);
        let mut sums = [0; TILE];
        for (neurons, weights) in neurons.iter().zip(weights) {
            let activated = neurons.map(screlu);
            for (sum, (&neuron, &weight)) in sums.iter_mut().zip(activated.iter().zip(weights)) {
                *sum += i32::from(neuron) * i32::from(weight);
            }
        }
        sums.iter().sum()
    }
}
