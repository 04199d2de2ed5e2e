//! Memory under loom, whose atomics are no plain integers: zeroed pages would not do.

use std::io;
use std::ops::Deref;

use super::cluster::Cluster;

/// Clusters, all zero at first.
pub(super) struct Memory(Box<[Cluster]>);

impl Memory {
    /// Makes clusters.
    pub fn reserve(clusters: usize) -> io::Result<Self> {
        Ok(Self((0..clusters).map(|_| Cluster::default()).collect()))
    }

    /// Does nothing.
    pub fn prefetch(&self, _index: usize) {}
}

impl Deref for Memory {
    type Target = [Cluster];

    fn deref(&self) -> &[Cluster] {
        &self.0
    }
}
