//! The memory of the clusters under loom, whose atomics are not plain integers in zeroed pages.

use std::io;
use std::ops::Deref;

use super::cluster::Cluster;

/// A block of empty clusters.
pub(super) struct Memory(Box<[Cluster]>);

impl Memory {
    /// Allocates clusters.
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
