//! Counts positions that occur more than once, on a sample of their keys.

use std::collections::HashMap;

/// The largest number of distinct keys in a sample: about 150 MiB.
const MAX_KEYS: usize = 4_000_000;

/// Counts of the keys whose lowest `bits` bits are 0. Every occurrence of such a key is counted, so duplicates are exact within the
/// sample. `bits` grows when there are too many keys; it depends on the set of keys, not on their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySample {
    max: usize,
    /// The number of low bits that are 0 in each key of the sample: it has one key in 2^bits.
    pub bits: u32,
    counts: HashMap<u64, u64>,
}

impl Default for KeySample {
    fn default() -> Self {
        Self::new(MAX_KEYS, 0)
    }
}

impl KeySample {
    /// Creates an empty sample of at most `max` distinct keys whose lowest `bits` bits are 0.
    fn new(max: usize, bits: u32) -> Self {
        Self { max, bits, counts: HashMap::new() }
    }

    /// Creates an empty sample that will be merged into one with this number of bits.
    pub fn with_bits(bits: u32) -> Self {
        Self::new(MAX_KEYS, bits)
    }

    /// Counts a key.
    pub fn add(&mut self, key: u64) {
        self.count(key, 1);
    }

    /// Adds another sample.
    pub fn merge(&mut self, other: &Self) {
        self.grow(other.bits);
        other.counts.iter().for_each(|(&key, &count)| self.count(key, count));
    }

    fn count(&mut self, key: u64, count: u64) {
        if !samples(self.bits, key) {
            return;
        }
        *self.counts.entry(key).or_insert(0) += count;
        while self.counts.len() > self.max {
            self.grow(self.bits + 1);
        }
    }

    fn grow(&mut self, bits: u32) {
        if bits > self.bits {
            self.bits = bits;
            self.counts.retain(|&key, _| samples(bits, key));
        }
    }

    /// Returns the number of positions in the sample.
    pub fn positions(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Returns the number of positions in the sample that have occurred before.
    pub fn duplicates(&self) -> u64 {
        self.positions() - self.counts.len() as u64
    }
}

/// Returns whether the lowest `bits` bits of a key are 0.
fn samples(bits: u32, key: u64) -> bool {
    key.trailing_zeros() >= bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    /// Each key occurs once, and every fourth twice more.
    fn keys() -> Vec<u64> {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let keys: Vec<u64> = (0..8000).map(|_| rng.random()).collect();
        let again: Vec<u64> = keys.iter().copied().step_by(4).collect();
        [keys, again.clone(), again].concat()
    }

    fn sample(most: usize, keys: &[u64]) -> KeySample {
        let mut sample = KeySample::new(most, 0);
        keys.iter().for_each(|&key| sample.add(key));
        sample
    }

    #[test]
    fn few_keys_are_all_counted() {
        let sample = sample(8000, &keys());
        assert_eq!((sample.bits, sample.positions(), sample.duplicates()), (0, 12_000, 4000));
    }

    #[test]
    fn many_keys_are_sampled_and_the_sample_is_exact() {
        let keys = keys();
        let sample = sample(500, &keys);
        assert!(sample.counts.len() <= 500 && sample.bits >= 4, "{}", sample.bits);
        let within: Vec<u64> =
            keys.iter().copied().filter(|&key| samples(sample.bits, key)).collect();
        assert_eq!(sample.positions(), within.len() as u64);
        let share = sample.duplicates() as f64 / sample.positions() as f64;
        assert!((share - 1.0 / 3.0).abs() < 0.06, "{share}");
    }

    #[test]
    fn the_sample_does_not_depend_on_the_order() {
        let keys = keys();
        let whole = sample(500, &keys);
        let mut reversed = keys.clone();
        reversed.reverse();
        assert_eq!(sample(500, &reversed), whole);
        let mut merged = KeySample::new(500, 0);
        for part in keys.chunks(700).rev() {
            let mut early = KeySample::new(500, merged.bits);
            part.iter().for_each(|&key| early.add(key));
            merged.merge(&early);
        }
        assert_eq!(merged, whole);
    }
}
