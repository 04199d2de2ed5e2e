//! Zeroed memory in huge pages: what is read all over the place then misses the processor's cache of
//! page addresses (TLB) less often.

use std::alloc::{Layout, handle_alloc_error};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::{fmt, io, slice};

use memmap2::{MmapMut, MmapRaw};
use zerocopy::FromZeros;

const HUGE_PAGE: usize = 2 << 20;

/// A slice that has huge pages of its own, where the system grants them.
pub struct HugePages<T> {
    map: MmapRaw,
    /// Bytes before the first element.
    offset: usize,
    len: usize,
    elements: PhantomData<T>,
}

impl<T: FromZeros> HugePages<T> {
    /// Reserves memory for zeroed elements. The kernel provides the pages when they are first
    /// touched.
    ///
    /// # Errors
    /// If the system has no memory left.
    pub fn reserve(len: usize) -> io::Result<Self> {
        const { assert!(!std::mem::needs_drop::<T>(), "elements are never dropped") };
        let bytes = len.checked_mul(size_of::<T>());
        // Up to a page is lost before the first element that starts one.
        let mapped = bytes
            .and_then(|bytes| bytes.checked_next_multiple_of(HUGE_PAGE)?.checked_add(HUGE_PAGE))
            .ok_or(io::ErrorKind::OutOfMemory)?;
        let map = MmapMut::map_anon(mapped)?;
        advise_huge_pages(&map);
        let map = MmapRaw::from(map);
        let offset = map.as_ptr().addr().wrapping_neg() % HUGE_PAGE;
        let memory = Self { map, offset, len, elements: PhantomData };
        assert!(memory.start().is_aligned(), "a page is aligned more strictly than an element");
        assert!(
            bytes.is_some_and(|bytes| offset + bytes <= mapped),
            "elements outside the mapping"
        );
        Ok(memory)
    }

    /// Allocates zeroed elements; without memory the program ends, as it does where a vector has none.
    pub fn zeroed(len: usize) -> Self {
        Self::reserve(len).unwrap_or_else(|_| {
            handle_alloc_error(Layout::array::<T>(len).unwrap_or(Layout::new::<T>()))
        })
    }

    /// Zeroes all elements.
    pub fn clear(&mut self) {
        self.iter_mut().for_each(FromZeros::zero);
    }
}

impl<T> HugePages<T> {
    #[inline]
    fn start(&self) -> *mut T {
        self.map.as_mut_ptr().wrapping_add(self.offset).cast()
    }
}

impl<T> Deref for HugePages<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: `reserve` has checked that this many elements lie, aligned, within the mapping,
        // which lives as long as `self`, and that zeroes are valid elements (`FromZeros`). The
        // mapping is private to this process and `map` is never borrowed as a slice, so the elements
        // are accessed through this type only.
        unsafe { slice::from_raw_parts(self.start(), self.len) }
    }
}

impl<T> DerefMut for HugePages<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`; nobody else has the elements while `self` is borrowed.
        unsafe { slice::from_raw_parts_mut(self.start(), self.len) }
    }
}

impl<T: FromZeros + Clone> From<&[T]> for HugePages<T> {
    fn from(elements: &[T]) -> Self {
        let mut memory = Self::zeroed(elements.len());
        memory.clone_from_slice(elements);
        memory
    }
}

impl<T: FromZeros + Clone> Clone for HugePages<T> {
    fn clone(&self) -> Self {
        Self::from(&**self)
    }
}

impl<T: PartialEq> PartialEq for HugePages<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for HugePages<T> {}

impl<T: fmt::Debug> fmt::Debug for HugePages<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
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
    fn elements_are_zeroed_and_start_at_a_huge_page() {
        for len in [1, 1 << 15, if cfg!(miri) { 1 << 16 } else { 5 << 15 }] {
            let memory = HugePages::<[u64; 4]>::reserve(len).expect("little memory");
            assert_eq!(memory.len(), len);
            assert_eq!(memory.start().addr() % HUGE_PAGE, 0);
            for element in [&memory[0], &memory[len / 2], &memory[len - 1]] {
                assert_eq!(element, &[0; 4]);
            }
        }
    }

    #[test]
    fn sizes_beyond_the_address_space_are_refused() {
        assert!(HugePages::<u64>::reserve(usize::MAX).is_err());
        assert!(HugePages::<u64>::reserve(usize::MAX / size_of::<u64>()).is_err());
    }

    #[test]
    fn a_copy_has_the_elements_and_can_be_cleared() {
        let one = HugePages::from([3_i16, -7].as_slice());
        let mut other = one.clone();
        assert_eq!(&*other, [3, -7]);
        other.clear();
        assert_eq!((&*one, &*other), ([3, -7].as_slice(), [0, 0].as_slice()));
    }
}
