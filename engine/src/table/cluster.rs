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
        match contents.find(key) {
            Some(slot) => {
                let old = contents.slots[slot];
                let kept = old.renewed(new);
                // To write the same again would take the cache line from other processors.
                if kept == old {
                    return;
                }
                contents.put(slot, key, kept);
            }
            None => contents.put(contents.least_worth(new.age()), key, new),
        }
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

#[cfg(all(test, not(loom)))]
mod tests {
    use rand::rngs::ChaCha8Rng;
    use rand::{Rng, SeedableRng};

    use super::super::testing::sample_entry;
    use super::*;
    use crate::types::Depth;

    const NOW: Age = Age::new(9);

    fn packed(depth: i32, age: Age) -> Packed {
        Packed::new(super::super::Entry { depth: Depth(depth), ..sample_entry(depth as u16) }, age)
    }

    /// A cluster with an entry of each depth and age; the keys are 1, 2 and 3.
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
    fn an_empty_cluster_is_whole_and_knows_nothing() {
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
    fn the_shallowest_goes_wherever_it_is() {
        for (depths, left) in
            [([3, 5, 5], [2, 3, 4]), ([5, 3, 5], [1, 3, 4]), ([5, 5, 3], [1, 2, 4])]
        {
            let cluster = filled(depths.map(|depth| (depth, NOW)));
            cluster.store(4, packed(-10, NOW));
            assert_eq!(found(&cluster), left);
        }
    }

    #[test]
    fn four_plies_outweigh_a_search() {
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
        Contents { keys: contents.sealed_keys(), ..contents }
    }

    /// One word, or two, from another write: sixteen bits let 1 in 65536 pass, here 4 of 262144 or so.
    #[test]
    fn torn_words_are_noticed() {
        const ROUNDS: usize = if cfg!(miri) { 64 } else { 1 << 18 };
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut passed = [0; SLOTS * 2];
        for _ in 0..ROUNDS {
            let (whole, other) = (random_contents(&mut random), random_contents(&mut random));
            assert!(whole.is_whole() && other.is_whole());
            for slot in 0..SLOTS {
                let mut one = whole;
                one.slots[slot] = other.slots[slot];
                let mut two = other;
                two.slots[slot] = whole.slots[slot];
                passed[slot] += usize::from(one.is_whole());
                passed[SLOTS + slot] +=
                    usize::from(Contents { keys: whole.keys, ..two }.is_whole());
            }
        }
        assert!(passed.iter().all(|&count| count <= 16), "{passed:?} of {ROUNDS}");
    }

    /// Real writes differ in few bits, and in fields that move together.
    #[test]
    fn small_changes_are_noticed() {
        let whole = random_contents(&mut ChaCha8Rng::seed_from_u64(2));
        for (slot, bit) in (0..SLOTS).flat_map(|slot| (0..64).map(move |bit| (slot, bit))) {
            for change in [1_u64 << bit, 0x0000_0001_0001_0000 << (bit % 15)] {
                let mut torn = whole;
                torn.slots[slot].0 ^= change;
                assert!(!torn.is_whole(), "{change:x} in slot {slot}");
            }
        }
    }
}
