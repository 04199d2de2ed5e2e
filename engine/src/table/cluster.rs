//! Clusters: three entries that share an index, with a checksum instead of a lock.

use super::atomic::{AtomicU64, Ordering};
use super::entry::{Age, Packed};

/// Entries per cluster.
pub(super) const SLOTS: usize = 3;
const WORDS: usize = SLOTS + 1;

/// The entries that share an index, in half a cache line: a word per entry, and one with their keys
/// and a checksum.
///
/// # Memory ordering
///
/// Every access is `Relaxed`. Each word is one atomic, so there is no data race, and a load returns
/// a value that some thread stored there. Nothing guarantees that four loads see the four stores of
/// *one* writer; the cluster may be *torn*. The checksum detects that: it is in the same word as
/// the keys, so those two always belong together, and the other words are used only if they match
/// it. Acquire and release would not help, since two writers could still interleave, and they are
/// not needed, since nothing outside the cluster is published through it.
#[repr(C, align(32))]
#[derive(Debug, Default)]
#[cfg_attr(not(loom), derive(zerocopy::FromZeros))]
pub(super) struct Cluster {
    words: [AtomicU64; WORDS],
}

impl Cluster {
    /// Returns the entry with this key; `None` if it is absent or the cluster is torn.
    #[inline]
    pub fn probe(&self, key: u16) -> Option<Packed> {
        let contents = self.load();
        let slot = contents.find(key)?;
        contents.is_intact().then(|| contents.slots[slot])
    }

    /// Stores an entry in the slot of its key, or else in the slot of least value.
    #[inline]
    pub fn store(&self, key: u16, new: Packed) {
        // A torn cluster counts as empty: none of its parts can be trusted.
        let mut contents = self.read().unwrap_or_default();
        match contents.find(key) {
            Some(slot) => {
                let old = contents.slots[slot];
                let merged = old.merged(new);
                // An unnecessary write would take the cache line from other processors.
                if merged == old {
                    return;
                }
                contents.put(slot, key, merged);
            }
            None => contents.put(contents.replaced_slot(new.age()), key, new),
        }
        self.write(&contents);
    }

    /// Removes all entries.
    #[inline]
    pub fn clear(&self) {
        self.write(&Contents::default());
    }

    /// Returns the number of entries of an age.
    pub fn count(&self, age: Age) -> usize {
        let contents = self.read().unwrap_or_default();
        contents.slots.iter().filter(|slot| !slot.is_empty() && slot.age() == age).count()
    }

    /// Returns a copy of the contents; `None` if they are torn.
    #[inline]
    pub(super) fn read(&self) -> Option<Contents> {
        Some(self.load()).filter(Contents::is_intact)
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
        let keys = contents.keys_with_checksum();
        for (word, value) in self.words.iter().zip([a.0, b.0, c.0, keys]) {
            word.store(value, Ordering::Relaxed);
        }
    }
}

/// A copy of the words of a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Contents {
    pub(super) slots: [Packed; SLOTS],
    /// From the lowest bit: a key of 16 bits per slot, then the checksum.
    pub(super) keys: u64,
}

impl Contents {
    const KEY_BITS: usize = 16;
    const CHECKSUM_SHIFT: u32 = 48;

    /// Puts an entry and its key into a slot.
    #[inline]
    pub(super) fn put(&mut self, slot: usize, key: u16, packed: Packed) {
        let shift = slot * Self::KEY_BITS;
        self.keys = self.keys & !(0xffff << shift) | u64::from(key) << shift;
        self.slots[slot] = packed;
    }

    /// Returns whether the checksum matches the entries.
    #[inline]
    pub(super) fn is_intact(&self) -> bool {
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
    fn replaced_slot(&self, now: Age) -> usize {
        let value = |slot: usize| self.slots[slot].replacement_value(now);
        let first = if value(1) < value(0) { 1 } else { 0 };
        if value(2) < value(first) { 2 } else { first }
    }

    #[inline]
    pub(super) fn keys_with_checksum(&self) -> u64 {
        let keys = self.keys & !(u64::MAX << Self::CHECKSUM_SHIFT);
        keys | self.checksum() << Self::CHECKSUM_SHIFT
    }

    /// Returns the checksum in 16 bits. The rotations keep equal changes of two entries, or of
    /// score and evaluation, from cancelling out; the factor (2^64 divided by the golden ratio)
    /// carries every bit up to the upper 16. An empty cluster has checksum 0, so zeroed memory is
    /// intact.
    #[inline]
    pub(super) const fn checksum(&self) -> u64 {
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        let [Packed(a), Packed(b), Packed(c)] = self.slots;
        (a ^ b.rotate_left(21) ^ c.rotate_left(42)).wrapping_mul(FACTOR) >> Self::CHECKSUM_SHIFT
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use rand::rngs::ChaCha8Rng;
    use rand::{Rng, SeedableRng};

    use super::super::tests::strategies::sample_entry;
    use super::*;
    use crate::types::Depth;

    const NOW: Age = Age::new(9);

    fn packed(depth: i32, age: Age) -> Packed {
        Packed::new(super::super::Entry { depth: Depth(depth), ..sample_entry(depth as u16) }, age)
    }

    /// Returns a cluster with entries of these depths and ages under the keys 1, 2 and 3.
    fn filled(entries: [(i32, Age); SLOTS]) -> Cluster {
        let cluster = Cluster::default();
        for (key, (depth, age)) in (1..).zip(entries) {
            cluster.store(key, packed(depth, age));
        }
        cluster
    }

    fn found(cluster: &Cluster) -> Vec<u16> {
        (1..=4).filter(|&key| cluster.probe(key).is_some()).collect()
    }

    #[test]
    fn a_cluster_is_half_a_cache_line() {
        assert_eq!((size_of::<Cluster>(), align_of::<Cluster>()), (32, 32));
    }

    #[test]
    fn an_empty_cluster_is_intact_and_has_no_entry() {
        let cluster = Cluster::default();
        assert_eq!(cluster.read(), Some(Contents::default()));
        assert_eq!(cluster.probe(0), None, "an empty slot has this key");
    }

    #[test]
    fn empty_slots_are_filled_first() {
        let cluster = filled([(0, NOW), (-10, Age::new(0)), (0, NOW)]);
        assert_eq!(found(&cluster), [1, 2, 3]);
        assert_eq!(cluster.probe(2), Some(packed(-10, Age::new(0))));
    }

    #[test]
    fn the_shallowest_entry_is_replaced() {
        for (depths, left) in
            [([3, 5, 5], [2, 3, 4]), ([5, 3, 5], [1, 3, 4]), ([5, 5, 3], [1, 2, 4])]
        {
            let cluster = filled(depths.map(|depth| (depth, NOW)));
            cluster.store(4, packed(-10, NOW));
            assert_eq!(found(&cluster), left);
        }
    }

    #[test]
    fn an_age_counts_four_plies() {
        let last = Age::new(8);
        for (old_depth, left) in [(9, [2, 3, 4]), (11, [1, 3, 4])] {
            let cluster = filled([(old_depth, last), (6, NOW), (20, NOW)]);
            cluster.store(4, packed(0, NOW));
            assert_eq!(found(&cluster), left);
        }
    }

    #[test]
    fn the_same_position_keeps_its_slot() {
        let cluster = filled([(10, NOW), (1, NOW), (10, NOW)]);
        cluster.store(3, packed(12, NOW));
        assert_eq!(found(&cluster), [1, 2, 3]);
        assert_eq!(cluster.probe(3), Some(packed(12, NOW)));
    }

    #[test]
    fn a_torn_cluster_misses_until_it_is_stored_to() {
        let cluster = filled([(1, NOW), (2, NOW), (3, NOW)]);
        cluster.words[1].store(packed(7, NOW).0, Ordering::Relaxed);
        assert_eq!((cluster.read(), found(&cluster)), (None, vec![]));
        assert_eq!(cluster.count(NOW), 0);
        cluster.store(4, packed(7, NOW));
        assert_eq!(found(&cluster), [4]);
    }

    #[test]
    fn counts_entries_of_an_age() {
        let cluster = filled([(1, NOW), (2, Age::new(8)), (3, NOW)]);
        assert_eq!([8, 9, 10].map(|age| cluster.count(Age::new(age))), [1, 2, 0]);
    }

    fn random_contents(random: &mut ChaCha8Rng) -> Contents {
        let mut contents = Contents::default();
        for slot in 0..SLOTS {
            contents.put(slot, random.next_u32() as u16, Packed(random.next_u64()));
        }
        Contents { keys: contents.keys_with_checksum(), ..contents }
    }

    /// One or two words from another write: one in 65536 passes the checksum, here about 4 of
    /// 262144.
    #[test]
    fn torn_clusters_are_detected() {
        const ROUNDS: usize = if cfg!(miri) { 64 } else { 1 << 18 };
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut passed = [0; SLOTS * 2];
        for _ in 0..ROUNDS {
            let (whole, other) = (random_contents(&mut random), random_contents(&mut random));
            assert!(whole.is_intact() && other.is_intact());
            for slot in 0..SLOTS {
                let mut one = whole;
                one.slots[slot] = other.slots[slot];
                let mut two = other;
                two.slots[slot] = whole.slots[slot];
                passed[slot] += usize::from(one.is_intact());
                passed[SLOTS + slot] +=
                    usize::from(Contents { keys: whole.keys, ..two }.is_intact());
            }
        }
        assert!(passed.iter().all(|&count| count <= 16), "{passed:?} of {ROUNDS}");
    }

    /// Real writes differ in few bits, and in fields that change together.
    #[test]
    fn small_changes_are_detected() {
        let whole = random_contents(&mut ChaCha8Rng::seed_from_u64(2));
        for (slot, bit) in (0..SLOTS).flat_map(|slot| (0..64).map(move |bit| (slot, bit))) {
            for change in [1_u64 << bit, 0x0000_0001_0001_0000 << (bit % 15)] {
                let mut torn = whole;
                torn.slots[slot].0 ^= change;
                assert!(!torn.is_intact(), "{change:x} in slot {slot}");
            }
        }
    }
}
