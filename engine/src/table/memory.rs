//! The memory of the clusters. Apart from the prefetch, the `unsafe` code of the table is here.

use std::ops::Deref;
use std::{io, slice};

use memmap2::{MmapMut, MmapRaw};

use super::cluster::Cluster;
use super::prefetch::prefetch;

const HUGE_PAGE: usize = 2 << 20;

/// A zeroed block of clusters, aligned to a huge page if it is large.
pub(super) struct Memory {
    map: MmapRaw,
    /// Bytes before the first cluster.
    offset: usize,
    clusters: usize,
}

impl Memory {
    /// Reserves memory for clusters. The kernel provides zeroed pages when they are first touched.
    pub fn reserve(clusters: usize) -> io::Result<Self> {
        let bytes = clusters.checked_mul(size_of::<Cluster>()).ok_or(io::ErrorKind::OutOfMemory)?;
        let spare = if bytes >= HUGE_PAGE { HUGE_PAGE } else { 0 };
        let map = MmapMut::map_anon(bytes.checked_add(spare).ok_or(io::ErrorKind::OutOfMemory)?)?;
        advise_huge_pages(&map);
        let map = MmapRaw::from(map);
        let offset = if spare == 0 { 0 } else { map.as_ptr().addr().wrapping_neg() % HUGE_PAGE };
        let memory = Self { map, offset, clusters };
        assert!(memory.start().is_aligned(), "a page is aligned more strictly than a cluster");
        assert!(offset + bytes <= memory.map.len(), "the clusters lie within the mapping");
        Ok(memory)
    }

    /// Prefetches a cluster.
    #[inline]
    pub fn prefetch(&self, index: usize) {
        prefetch(self.start().wrapping_add(index));
    }

    #[inline]
    fn start(&self) -> *const Cluster {
        self.map.as_ptr().wrapping_add(self.offset).cast()
    }
}

impl Deref for Memory {
    type Target = [Cluster];

    #[inline]
    fn deref(&self) -> &[Cluster] {
        // SAFETY: `reserve` has checked that this many clusters lie, aligned, within the mapping,
        // which lives as long as `self`. Zeroed memory is a valid `Cluster`, which consists of
        // integers. The mapping is private to this process and `map` is never borrowed as a slice,
        // so the clusters are accessed through their atomics only.
        unsafe { slice::from_raw_parts(self.start(), self.clusters) }
    }
}

/// Asks for huge pages. A refusal costs speed only, so the result is ignored.
fn advise_huge_pages(map: &MmapMut) {
    #[cfg(all(target_os = "linux", not(miri)))]
    let _ = map.advise(memmap2::Advice::HugePage);
    #[cfg(not(all(target_os = "linux", not(miri))))]
    let _ = map;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_are_aligned_and_empty() {
        for clusters in [1, 1 << 15, if cfg!(miri) { 1 << 16 } else { 5 << 15 }] {
            let memory = Memory::reserve(clusters).expect("little memory");
            assert_eq!(memory.len(), clusters);
            assert_eq!(memory.start().addr() % size_of::<Cluster>(), 0);
            for cluster in [&memory[0], &memory[clusters / 2], &memory[clusters - 1]] {
                assert_eq!(cluster.read(), Some(Default::default()));
            }
            memory.prefetch(clusters - 1);
        }
    }

    #[test]
    fn large_memory_starts_at_a_huge_page() {
        let memory = Memory::reserve(HUGE_PAGE / size_of::<Cluster>()).expect("little memory");
        assert_eq!(memory.start().addr() % HUGE_PAGE, 0);
    }

    #[test]
    fn sizes_beyond_the_address_space_are_refused() {
        assert!(Memory::reserve(usize::MAX).is_err());
        assert!(Memory::reserve(usize::MAX / size_of::<Cluster>()).is_err());
    }
}
