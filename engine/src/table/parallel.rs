//! Work on all clusters by many threads: one alone takes seconds for a large table.

use std::thread::{self, Builder};

use super::cluster::Cluster;

/// The least that is worth a thread: 4 MiB.
const SMALLEST_PART: usize = (4 << 20) / size_of::<Cluster>();
const CLUSTERS_PER_PAGE: usize = 4096 / size_of::<Cluster>();

/// Makes all clusters empty.
pub(super) fn clear(clusters: &[Cluster], threads: usize) {
    in_parts(clusters, threads, |part| part.iter().for_each(Cluster::clear));
}

/// Makes the system provide the memory of clusters that are new, and so empty.
pub(super) fn touch(clusters: &[Cluster], threads: usize) {
    in_parts(clusters, threads, |part| {
        part.iter().step_by(CLUSTERS_PER_PAGE).for_each(Cluster::clear)
    });
}

/// The threads end before this returns, and ending happens before what follows: whoever comes later
/// sees their relaxed stores.
fn in_parts(clusters: &[Cluster], threads: usize, work: impl Fn(&[Cluster]) + Copy + Send) {
    let part_len = clusters.len().div_ceil(threads.max(1)).max(SMALLEST_PART);
    let mut parts = clusters.chunks(part_len);
    let own = parts.next();
    thread::scope(|scope| {
        for part in parts {
            // What no thread can be had for is done here.
            if Builder::new().spawn_scoped(scope, move || work(part)).is_err() {
                work(part);
            }
        }
        own.into_iter().for_each(work);
    });
}
