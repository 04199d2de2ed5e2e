use super::atomic::{AtomicU64, Ordering};
use super::entry::{Age, Packed};

/// Entries in a cluster.
pub(super) const SLOTS: usize = 3;
const WORDS: usize = SLOTS + 1;

/// The entries that share an index: half a cache line, one word for each entry and one for their keys
/// and the checksum.
///
/// # Memory ordering
///
/// Every access is `Relaxed`. Each word is one atomic, so there is no data race, and a load gives a
/// value that some thread stored there, whole. What nothing promises is that four loads see the
/// four stores of *one* writer. The checksum makes up for it: it lies in the same word as the keys,
/// so those two always belong together, and the other words are believed only if they add up to it.
/// Acquire and release would not help, as two writers could still interleave, and they are not
/// needed, as nothing outside the cluster is published through it.
#[repr(C, align(32))]
#[derive(Debug, Default)]
pub(super) struct Cluster {
    words: [AtomicU64; WORDS],
}

impl Cluster {
    /// The entry with this key, unless it is not there or the cluster is torn.
    #[inline]
    pub fn probe(&self, key: u16) -> Option<Packed> {
        let contents = self.load();
        let slot = contents.find(key)?;
        contents.is_whole().then(|| contents.slots[slot])
    }

    /// Puts an entry where it does least harm.
    #[inline]
    pub fn store(&self, key: u16, new: Packed) {
        // A torn cluster counts as empty: to keep a part of it would be to vouch for it.
        let mut contents = self.read().unwrap_or_default();
        let (slot, kept) = match contents.find(key) {
            Some(slot) => (slot, contents.slots[slot].renewed(new)),
            None => (contents.least_worth(new.age()), new),
        };
        contents.put(slot, key, kept);
        self.write(&contents);
    }

    /// Forgets everything.
    #[inline]
    pub fn clear(&self) {
        self.write(&Contents::default());
    }

    /// How many entries are of this age.
    pub fn count(&self, age: Age) -> usize {
        let contents = self.read().unwrap_or_default();
        contents.slots.iter().filter(|slot| !slot.is_empty() && slot.age() == age).count()
    }

    /// The contents, unless they are torn.
    #[inline]
    pub(super) fn read(&self) -> Option<Contents> {
        Some(self.load()).filter(Contents::is_whole)
    }

    #[inline]
    pub(super) fn load(&self) -> Contents {
        let [a, b, c, keys] = &self.words;
        let [a, b, c, keys] = [a, b, c, keys].map(|word| word.load(Ordering::Relaxed));
        Contents { slots: [Packed(a), Packed(b), Packed(c)], keys }
    }

    #[inline]
    pub(super) fn write(&self, contents: &Contents) {
        let [a, b, c] = contents.slots;
        let sealed = contents.sealed_keys();
        for (word, value) in self.words.iter().zip([a.0, b.0, c.0, sealed]) {
            word.store(value, Ordering::Relaxed);
        }
    }
}

/// A copy of a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Contents {
    pub(super) slots: [Packed; SLOTS],
    /// From the lowest bit: one key of 16 bits for each slot, then the checksum.
    pub(super) keys: u64,
}

impl Contents {
    const KEY_BITS: usize = 16;
    const CHECKSUM_SHIFT: u32 = 48;

    /// Puts an entry into a slot.
    #[inline]
    pub(super) fn put(&mut self, slot: usize, key: u16, packed: Packed) {
        let shift = slot * Self::KEY_BITS;
        self.keys = self.keys & !(0xffff << shift) | u64::from(key) << shift;
        self.slots[slot] = packed;
    }

    /// Whether the entries are those that the checksum was made of.
    #[inline]
    pub(super) fn is_whole(&self) -> bool {
        self.checksum() == self.keys >> Self::CHECKSUM_SHIFT
    }

    #[inline]
    pub(super) fn find(&self, key: u16) -> Option<usize> {
        (0..SLOTS).find(|&slot| self.key(slot) == key && !self.slots[slot].is_empty())
    }

    #[inline]
    const fn key(&self, slot: usize) -> u16 {
        (self.keys >> (slot * Self::KEY_BITS)) as u16
    }

    #[inline]
    fn least_worth(&self, now: Age) -> usize {
        let worth = |slot: usize| self.slots[slot].worth(now);
        let first = if worth(1) < worth(0) { 1 } else { 0 };
        if worth(2) < worth(first) { 2 } else { first }
    }

    #[inline]
    pub(super) fn sealed_keys(&self) -> u64 {
        let keys = self.keys & !(u64::MAX << Self::CHECKSUM_SHIFT);
        keys | self.checksum() << Self::CHECKSUM_SHIFT
    }

    /// The rotations keep equal changes of two entries, or of score and evaluation, from cancelling
    /// out; the factor (2^64 over the golden ratio) carries every bit up to the sixteen that stay.
    /// An empty cluster has a checksum of zero, so zeroed memory is whole.
    #[inline]
    pub(super) const fn checksum(&self) -> u64 {
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        let [Packed(a), Packed(b), Packed(c)] = self.slots;
        (a ^ b.rotate_left(21) ^ c.rotate_left(42)).wrapping_mul(FACTOR) >> Self::CHECKSUM_SHIFT
    }
}
