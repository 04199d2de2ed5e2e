//! The first layer of one perspective, summed up.

use super::architecture::{HIDDEN, activation};
use super::features::{Man, View};
use super::weights::{Network, Row};

impl Row {
    /// `base` with some men more and some less.
    pub(super) fn change(
        &mut self,
        base: &Self,
        network: &Network,
        view: View,
        more: &[Man],
        less: &[Man],
    ) {
        let row = |man: &Man| &network.inputs[view.input(*man)].0;
        match (more, less) {
            ([], []) => self.0 = base.0,
            ([a], [b]) => fused(&mut self.0, &base.0, [row(a)], [row(b)]),
            ([a], [b, c]) => fused(&mut self.0, &base.0, [row(a)], [row(b), row(c)]),
            ([a, b], [c, d]) => fused(&mut self.0, &base.0, [row(a), row(b)], [row(c), row(d)]),
            _ => {
                self.0 = base.0;
                self.change_many(network, view, more, less);
            }
        }
    }

    /// Takes some men in and some out, a few at a time.
    pub(super) fn change_many(
        &mut self,
        network: &Network,
        view: View,
        more: &[Man],
        less: &[Man],
    ) {
        let row = |man: &Man| &network.inputs[view.input(*man)].0;
        let pairs = more.len().min(less.len());
        for (a, b) in more.iter().zip(less) {
            let base = self.0;
            fused(&mut self.0, &base, [row(a)], [row(b)]);
        }
        for chunk in more[pairs..].chunks(2) {
            let base = self.0;
            match chunk {
                [a, b] => fused(&mut self.0, &base, [row(a), row(b)], []),
                [a] => fused(&mut self.0, &base, [row(a)], []),
                _ => {}
            }
        }
        for b in &less[pairs..] {
            let base = self.0;
            fused(&mut self.0, &base, [], [row(b)]);
        }
    }

    /// What the neurons add to the output, of which each has a weight: squared clipped linear units.
    pub(super) fn output(&self, weights: &Self) -> i32 {
        let mut sum = 0;
        for (&neuron, &weight) in self.0.iter().zip(&weights.0) {
            sum += i32::from(activation(neuron)) * i32::from(weight);
        }
        sum
    }
}

#[inline(always)]
fn fused<const M: usize, const L: usize>(
    out: &mut [i16; HIDDEN],
    base: &[i16; HIDDEN],
    more: [&[i16; HIDDEN]; M],
    less: [&[i16; HIDDEN]; L],
) {
    for neuron in 0..HIDDEN {
        let mut sum = base[neuron];
        for row in more {
            sum = sum.wrapping_add(row[neuron]);
        }
        for row in less {
            sum = sum.wrapping_sub(row[neuron]);
        }
        out[neuron] = sum;
    }
}
