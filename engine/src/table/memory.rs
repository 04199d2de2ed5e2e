//! The memory of the table, and the only unsafe code of the crate: a mapping seen as clusters, and a prefetch.

use std::ops::Deref;

#[cfg(not(any(miri, loom)))]
use memmap2::MmapMut;

use super::cluster::Cluster;

/// A slice of clusters, all zero at first, on huge pages where the kernel gives them.
pub struct Clusters {
    #[cfg(not(any(miri, loom)))]
    mapping: MmapMut,
    #[cfg(not(any(miri, loom)))]
    offset: usize,
    #[cfg(not(any(miri, loom)))]
    count: usize,
    #[cfg(any(miri, loom))]
    clusters: Box<[Cluster]>,
}

#[cfg(not(any(miri, loom)))]
impl Clusters {
    /// Huge pages begin at multiples of this.
    const HUGE_PAGE: usize = 2 << 20;

    /// Reserves memory; the system hands it out when it is first touched.
    pub fn zeroed(count: usize) -> Result<Self, &'static str> {
        let bytes = count
            .checked_mul(size_of::<Cluster>())
            .ok_or("the number is too large")?;
        if available_bytes().is_some_and(|available| bytes > available) {
            return Err("the machine has less memory free");
        }
        let mapping =
            MmapMut::map_anon(bytes + Self::HUGE_PAGE).map_err(|_| "the system refuses")?;
        #[cfg(target_os = "linux")]
        {
            // A wish: without huge pages all works as well, just slower.
            let _ = mapping.advise(memmap2::Advice::HugePage);
        }
        let offset = mapping.as_ptr().align_offset(Self::HUGE_PAGE);
        Ok(Self {
            mapping,
            offset,
            count,
        })
    }
}

/// What Linux says can be used without swapping. Elsewhere the mapping itself must fail.
#[cfg(not(any(miri, loom)))]
fn available_bytes() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find(|line| line.starts_with("MemAvailable:"))?;
    line.split_whitespace()
        .nth(1)?
        .parse::<usize>()
        .ok()?
        .checked_mul(1024)
}

#[cfg(not(any(miri, loom)))]
impl Deref for Clusters {
    type Target = [Cluster];

    fn deref(&self) -> &[Cluster] {
        let start = self
            .mapping
            .as_ptr()
            .wrapping_add(self.offset)
            .cast::<Cluster>();
        // SAFETY: `zeroed` mapped `count` clusters and a huge page more, and `offset` is less than a huge page, so all of
        // them lie in the mapping, which lives as long as `self`. They are aligned to a huge page. The mapping
        // is writable, was zero at first, and every bit pattern is four atomic words. Nobody has any other
        // reference into it.
        unsafe { std::slice::from_raw_parts(start, self.count) }
    }
}

#[cfg(any(miri, loom))]
impl Clusters {
    /// A plain box: the checkers know no mappings.
    pub fn zeroed(count: usize) -> Result<Self, &'static str> {
        Ok(Self {
            clusters: (0..count).map(|_| Cluster::new()).collect(),
        })
    }
}

#[cfg(any(miri, loom))]
impl Deref for Clusters {
    type Target = [Cluster];

    fn deref(&self) -> &[Cluster] {
        &self.clusters
    }
}

/// Asks the processor to fetch a cluster.
#[cfg(all(target_arch = "x86_64", not(miri)))]
pub fn prefetch(cluster: &Cluster) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    let address = std::ptr::from_ref(cluster).cast::<i8>();
    // SAFETY: a prefetch reads nothing and faults on no address; SSE is part of x86-64.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address) }
}

/// Other processors find it when they need it.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
pub fn prefetch(_: &Cluster) {}
