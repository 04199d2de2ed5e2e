//! Work on all clusters with many threads: one thread takes seconds for a large table.

use std::thread::{self, Builder};

use super::cluster::Cluster;

/// The smallest part that is worth a thread: 4 MiB.
const SMALLEST_PART: usize = (4 << 20) / size_of::<Cluster>();
const CLUSTERS_PER_PAGE: usize = 4096 / size_of::<Cluster>();

/// Empties all clusters.
pub(super) fn clear(clusters: &[Cluster], threads: usize) {
    in_parts(clusters, threads, |part| part.iter().for_each(Cluster::clear));
}

/// Writes to each page of new, and so empty, clusters, so that the system provides the memory now.
pub(super) fn touch(clusters: &[Cluster], threads: usize) {
    in_parts(clusters, threads, |part| {
        part.iter().step_by(CLUSTERS_PER_PAGE).for_each(Cluster::clear)
    });
}

/// Runs `work` on parts of the clusters. Joining the threads makes their relaxed stores visible to
/// whatever follows.
fn in_parts(clusters: &[Cluster], threads: usize, work: impl Fn(&[Cluster]) + Copy + Send) {
    let part_len = clusters.len().div_ceil(threads.max(1)).max(SMALLEST_PART);
    let mut parts = clusters.chunks(part_len);
    let own = parts.next();
    thread::scope(|scope| {
        for part in parts {
            // Without a thread the work is done here.
            if Builder::new().spawn_scoped(scope, move || work(part)).is_err() {
                work(part);
            }
        }
        own.into_iter().for_each(work);
    });
}
