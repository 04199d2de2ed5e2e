//! How null moves fared.

use std::ops::AddAssign;

use crate::types::Depth;

/// Depths that are told apart; deeper ones count as the last.
const DEPTHS: usize = 32;

/// How null moves fared at one depth, or at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Null searches made.
    pub attempts: u64,
    /// Nodes that they cut off.
    pub cutoffs: u64,
    /// Cut-offs that were verified first.
    pub verifications: u64,
    /// Verifications that found the cut-off wrong.
    pub overturned: u64,
    /// Nodes searched again because nothing failed high after a null search did.
    pub zugzwangs: u64,
    /// Null searches that saw the opponent mate.
    pub threats: u64,
}

/// How null moves fared in a search, by the depth left at the node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stats(Box<[Counts; DEPTHS]>);

impl Default for Stats {
    fn default() -> Self {
        Self(Box::new([Counts::default(); DEPTHS]))
    }
}

impl Stats {
    /// The counts of nodes at this depth, to add to them.
    pub fn at(&mut self, depth: Depth) -> &mut Counts {
        &mut self.0[depth.0.clamp(0, DEPTHS as i32 - 1) as usize]
    }

    /// By depth, from 0.
    pub fn by_depth(&self) -> &[Counts] {
        &self.0[..]
    }

    /// Of all depths.
    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        self.0.iter().for_each(|counts| total += *counts);
        total
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.attempts += other.attempts;
        self.cutoffs += other.cutoffs;
        self.verifications += other.verifications;
        self.overturned += other.overturned;
        self.zugzwangs += other.zugzwangs;
        self.threats += other.threats;
    }
}

impl AddAssign<&Stats> for Stats {
    fn add_assign(&mut self, other: &Self) {
        for (own, other) in self.0.iter_mut().zip(other.0.iter()) {
            *own += *other;
        }
    }
}
