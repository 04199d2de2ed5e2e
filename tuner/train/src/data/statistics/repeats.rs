//! How many positions have occurred before, counted on a sample of their keys.

use std::collections::HashMap;

/// Keys that are held at most: some 150 MiB.
const MOST_KEYS: usize = 4_000_000;

/// Counts of the keys whose lowest `bits` bits are 0. Such a key is counted every time it occurs, so repeats are exact within the
/// sample; `bits` grows as far as the keys need to be few enough, and depends on which keys there are, not on their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySample {
    most: usize,
    bits: u32,
    counts: HashMap<u64, u64>,
}

impl Default for KeySample {
    fn default() -> Self {
        Self::new(MOST_KEYS, 0)
    }
}

impl KeySample {
    /// No keys; `most` are held at most, and `bits` of those held are known to be 0.
    fn new(most: usize, bits: u32) -> Self {
        Self { most, bits, counts: HashMap::new() }
    }

    /// No keys, to be merged into a sample that has grown to `bits`: others would be dropped there.
    pub fn after(bits: u32) -> Self {
        Self::new(MOST_KEYS, bits)
    }

    /// Counts a key.
    pub fn add(&mut self, key: u64) {
        self.count(key, 1);
    }

    /// Counts the keys of another sample, too.
    pub fn merge(&mut self, other: &Self) {
        self.grow(other.bits);
        other.counts.iter().for_each(|(&key, &count)| self.count(key, count));
    }

    fn count(&mut self, key: u64, count: u64) {
        if !samples(self.bits, key) {
            return;
        }
        *self.counts.entry(key).or_insert(0) += count;
        while self.counts.len() > self.most {
            self.grow(self.bits + 1);
        }
    }

    fn grow(&mut self, bits: u32) {
        if bits > self.bits {
            self.bits = bits;
            self.counts.retain(|&key, _| samples(bits, key));
        }
    }

    /// How many of the lowest bits are 0 in each key of the sample: one key of 2^bits is in it.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The positions whose keys are in the sample.
    pub fn positions(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Those of them that have occurred before.
    pub fn repeats(&self) -> u64 {
        self.positions() - self.counts.len() as u64
    }
}

/// Whether the lowest `bits` bits of a key are 0.
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
        assert_eq!((sample.bits(), sample.positions(), sample.repeats()), (0, 12_000, 4000));
    }

    #[test]
    fn many_keys_are_sampled_and_the_sample_is_exact() {
        let keys = keys();
        let sample = sample(500, &keys);
        assert!(sample.counts.len() <= 500 && sample.bits() >= 4, "{}", sample.bits());
        let within: Vec<u64> =
            keys.iter().copied().filter(|&key| samples(sample.bits(), key)).collect();
        assert_eq!(sample.positions(), within.len() as u64);
        let share = sample.repeats() as f64 / sample.positions() as f64;
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
            let mut early = KeySample::new(500, merged.bits());
            part.iter().for_each(|&key| early.add(key));
            merged.merge(&early);
        }
        assert_eq!(merged, whole);
    }
}
