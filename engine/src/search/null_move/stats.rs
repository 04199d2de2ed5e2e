use std::ops::AddAssign;

/// How null moves fared in a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Null searches made.
    pub attempts: u64,
    /// Nodes that they cut off.
    pub cutoffs: u64,
    /// Cut-offs that were verified first.
    pub verifications: u64,
    /// Verifications that found the cut-off wrong.
    pub overturned: u64,
}

impl AddAssign for Stats {
    fn add_assign(&mut self, other: Self) {
        self.attempts += other.attempts;
        self.cutoffs += other.cutoffs;
        self.verifications += other.verifications;
        self.overturned += other.overturned;
    }
}
