//! Mutations of samples.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// Longest input, in bytes.
const LONGEST: usize = 1 << 16;
/// Replacements of numbers and words of a text.
const WORDS: [&str; 24] = [
    "0",
    "-1",
    "1",
    "65536",
    "2147483648",
    "-2147483649",
    "9223372036854775808",
    "18446744073709551616",
    "99999999999999999999999999",
    "1e308",
    "1e-308",
    "nan",
    "inf",
    "-0",
    "0x7f",
    "null",
    "true",
    "\"",
    "[[",
    "{",
    "\n",
    "\r\n",
    "\u{feff}",
    "\u{0}",
];
const BYTES: [u8; 8] = [0, 1, 0x7f, 0x80, 0xff, b'\n', b'"', b' '];

/// Makes inputs from samples.
pub struct Mutator<'a> {
    samples: &'a [Vec<u8>],
}

impl<'a> Mutator<'a> {
    /// Takes the samples, at least one.
    ///
    /// # Panics
    /// If there is none.
    pub fn new(samples: &'a [Vec<u8>]) -> Self {
        assert!(!samples.is_empty(), "no samples");
        Self { samples }
    }

    /// Returns the input with a number: a sample after one to eight mutations.
    pub fn input(&self, number: u64) -> Vec<u8> {
        let rng = &mut ChaCha8Rng::seed_from_u64(number);
        let mut input = self.sample(rng).to_vec();
        for _ in 0..rng.random_range(1..=8) {
            self.mutate(&mut input, rng);
        }
        input.truncate(LONGEST.max(self.samples.iter().map(Vec::len).max().unwrap_or(0)));
        input
    }

    fn sample(&self, rng: &mut ChaCha8Rng) -> &'a [u8] {
        &self.samples[rng.random_range(0..self.samples.len())]
    }

    fn mutate(&self, input: &mut Vec<u8>, rng: &mut ChaCha8Rng) {
        let length = input.len();
        let at = rng.random_range(0..=length);
        let end = (at + rng.random_range(0..=1 + length / 4)).min(length);
        match rng.random_range(0..9) {
            0 if at < length => input[at] ^= 1 << rng.random_range(0..8),
            1 if at < length => input[at] = BYTES[rng.random_range(0..BYTES.len())],
            2 if at < length => input[at] = rng.random_range(0..=255),
            3 => drop(input.drain(at..end)),
            4 => input.truncate(at),
            5 => {
                let part = input[at..end].to_vec();
                let times = rng.random_range(1..=4);
                input.splice(at..at, part.repeat(times));
            }
            6 => {
                let other = self.sample(rng);
                let from = rng.random_range(0..=other.len());
                let to = (from + rng.random_range(0..=1 + other.len() / 4)).min(other.len());
                input.splice(at..end.min(at + (to - from)), other[from..to].iter().copied());
            }
            7 => {
                let word = WORDS[rng.random_range(0..WORDS.len())];
                let number = number_near(input, at);
                input.splice(number, word.bytes());
            }
            _ => {
                let word = WORDS[rng.random_range(0..WORDS.len())];
                input.splice(at..at, word.bytes());
            }
        }
    }
}

/// Returns the place of the first number from here on, or an empty place here.
fn number_near(input: &[u8], at: usize) -> std::ops::Range<usize> {
    let Some(start) = input[at..].iter().position(u8::is_ascii_digit) else { return at..at };
    let start = at + start;
    let length = input[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    start..start + length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_a_function_of_its_number() {
        let samples = [b"iterations = 10".to_vec(), b"x".to_vec()];
        let inputs = |from: u64| -> Vec<Vec<u8>> {
            (from..from + 200).map(|number| Mutator::new(&samples).input(number)).collect()
        };
        assert_eq!(inputs(0), inputs(0));
        assert_ne!(inputs(0), inputs(200));
    }
}
