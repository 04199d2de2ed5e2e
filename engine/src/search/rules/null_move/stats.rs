//! Statistics of null moves.

use std::ops::AddAssign;

use crate::types::Depth;

/// Depths that are counted separately; deeper ones count as the last.
const DEPTHS: usize = 32;

/// Counts of null moves at one depth or in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Null searches made.
    pub attempts: u64,
    /// Nodes that they cut, at once or after a verification; those that were only searched less deep
    /// are none of them.
    pub cutoffs: u64,
    /// Fail-highs that were verified first, by another search or by searching the node less deep.
    pub verifications: u64,
    /// Verifications that failed: the node was not cut.
    pub overturned: u64,
    /// Nodes searched again because no move failed high after a null search had.
    pub zugzwangs: u64,
    /// Null searches that found a mate by the opponent.
    pub threats: u64,
    /// Null searches that reached beta, whatever came of it.
    pub fail_highs: u64,
}

/// Counts of null moves in a search, by the depth left at the node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stats(Box<[Counts; DEPTHS]>);

impl Default for Stats {
    fn default() -> Self {
        Self(Box::new([Counts::default(); DEPTHS]))
    }
}

impl Stats {
    /// Returns the counts of nodes at this depth, to add to them.
    pub fn at(&mut self, depth: Depth) -> &mut Counts {
        &mut self.0[depth.0.clamp(0, DEPTHS as i32 - 1) as usize]
    }

    /// Returns the counts by depth, from 0.
    pub fn by_depth(&self) -> &[Counts] {
        &self.0[..]
    }

    /// Returns the sums over all depths.
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
        self.fail_highs += other.fail_highs;
    }
}

impl AddAssign<&Stats> for Stats {
    fn add_assign(&mut self, other: &Self) {
        for (own, other) in self.0.iter_mut().zip(other.0.iter()) {
            *own += *other;
        }
    }
}
