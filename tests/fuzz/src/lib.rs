//! Mutated input for everything that reads files or lines: no panic, and no allocation beyond what the input justifies.
//!
//! Input number N of a target is a function of N and the target's samples, so whatever is found can be repeated.

pub mod allocation;
pub mod mutate;

use std::env;
use std::panic::{self, AssertUnwindSafe};

use allocation::Counting;
use mutate::Mutator;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Inputs of each target in a short run.
const SHORT: u64 = 500;
/// Bytes that any reader may allocate.
const ALLOWANCE: usize = 4 << 20;
/// Bytes that a reader may allocate for each byte of its input.
const PER_BYTE: usize = 512;

/// Feeds a reader with mutations of samples: `FUZZ` of them, from number `FUZZ_FROM`.
///
/// # Panics
/// If the reader panics or allocates too much; the message has the number of the input and the input.
pub fn fuzz(target: &str, samples: &[Vec<u8>], mut read: impl FnMut(&[u8])) {
    let mutator = Mutator::new(samples);
    // The samples themselves come first.
    samples.iter().for_each(|sample| check(target, "a sample", sample, &mut read));
    let first = variable("FUZZ_FROM").unwrap_or(0);
    for number in first..first.saturating_add(variable("FUZZ").unwrap_or(SHORT)) {
        check(target, &format!("input {number}"), &mutator.input(number), &mut read);
    }
}

/// Returns the number in a variable of the environment.
fn variable(name: &str) -> Option<u64> {
    env::var(name)
        .ok()
        .map(|value| value.parse().unwrap_or_else(|_| panic!("{name}={value}: no number")))
}

fn check(target: &str, name: &str, input: &[u8], read: &mut impl FnMut(&[u8])) {
    let (outcome, peak) =
        allocation::peak_of(|| panic::catch_unwind(AssertUnwindSafe(|| read(input))));
    let shown = || input[..input.len().min(2000)].escape_ascii().to_string();
    assert!(outcome.is_ok(), "{target}, {name}: it panics at {}", shown());
    let allowed = ALLOWANCE + PER_BYTE * input.len();
    assert!(peak <= allowed, "{target}, {name}: {peak} bytes of {} at {}", input.len(), shown());
}
