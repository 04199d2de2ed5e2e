//! Entries, and how they are packed into one word.

use crate::types::{Bound, Depth, Move, Score};

/// The facts that the table stores about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The best move, or [`Move::NONE`].
    pub mv: Move,
    /// The score, with mates counted from this position, or [`Score::NONE`].
    pub score: Score,
    /// The uncorrected static evaluation, or [`Score::NONE`].
    pub eval: Score,
    /// The depth of the search, -10 to 240.
    pub depth: Depth,
    /// The bound of the score.
    pub bound: Bound,
    /// True if the position was on a principal variation.
    pub was_pv: bool,
}

/// The number of a search, modulo 32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Age(u8);

impl Age {
    const MASK: u8 = 31;

    /// Returns the age after a number of searches.
    pub const fn new(searches: u8) -> Self {
        Self(searches & Self::MASK)
    }

    /// Returns the number of searches started since `earlier`.
    const fn since(self, earlier: Self) -> i32 {
        (self.0.wrapping_sub(earlier.0) & Self::MASK) as i32
    }
}

/// An entry and its age in one word, without the key.
///
/// Bits from the lowest: move 16, score 16, evaluation 16, depth 8, bound 2, was-pv 1, age 5.
/// Zero is an empty slot, so fresh memory is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Packed(pub u64);

impl Packed {
    const MOVE_MASK: u64 = 0xffff;
    const SCORE_SHIFT: u32 = 16;
    const EVAL_SHIFT: u32 = 32;
    const DEPTH_SHIFT: u32 = 48;
    const FLAGS_SHIFT: u32 = 56;
    const PV_FLAG: u8 = 4;
    const AGE_SHIFT: u32 = 3;
    /// Added to the depth, so that the depth bits of an entry are never 0.
    const DEPTH_OFFSET: i32 = 11;

    /// Packs an entry.
    #[inline]
    pub fn new(entry: Entry, age: Age) -> Self {
        Self(
            u64::from(entry.mv.bits())
                | score_bits(entry.score) << Self::SCORE_SHIFT
                | score_bits(entry.eval) << Self::EVAL_SHIFT
                | u64::from(depth_byte(entry.depth)) << Self::DEPTH_SHIFT
                | u64::from(flags(entry.bound, entry.was_pv, age)) << Self::FLAGS_SHIFT,
        )
    }

    /// Unpacks the entry.
    #[inline]
    pub fn entry(self) -> Entry {
        Entry {
            mv: self.mv(),
            score: Score(i32::from((self.0 >> Self::SCORE_SHIFT) as i16)),
            eval: Score(i32::from((self.0 >> Self::EVAL_SHIFT) as i16)),
            depth: self.depth(),
            bound: Bound::from_bits(self.flags()),
            was_pv: self.was_pv(),
        }
    }

    /// Returns whether the slot is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        (self.0 >> Self::DEPTH_SHIFT) as u8 == 0
    }

    /// Returns the age of the search that stored the entry.
    #[inline]
    pub const fn age(self) -> Age {
        Age(self.flags() >> Self::AGE_SHIFT)
    }

    /// Returns the replacement value: depth minus four plies per age. The entry of least value is
    /// replaced first, an empty slot before all others.
    #[inline]
    pub fn replacement_value(self, now: Age) -> i32 {
        const PLIES_PER_AGE: i32 = 4;
        if self.is_empty() {
            i32::MIN
        } else {
            self.depth().0 - PLIES_PER_AGE * now.since(self.age())
        }
    }

    /// Merges this entry with a newer one for the same position.
    #[inline]
    pub fn merged(self, new: Self) -> Self {
        let mv = if new.mv().is_some() { new.mv() } else { self.mv() };
        let merged = if self.is_replaced_by(new) { new } else { self };
        merged.with_move(mv)
    }

    /// Returns whether a newer result replaces this one. It may be somewhat shallower, since it was
    /// found with a fuller table.
    #[inline]
    fn is_replaced_by(self, new: Self) -> bool {
        const SLACK: i32 = 4;
        let allowed = SLACK + 2 * i32::from(new.was_pv());
        new.bound_bits() == Bound::Exact as u8
            || new.depth() + allowed > self.depth()
            || new.age() != self.age()
    }

    #[inline]
    const fn mv(self) -> Move {
        Move::from_bits(self.0 as u16)
    }

    #[inline]
    const fn with_move(self, mv: Move) -> Self {
        Self(self.0 & !Self::MOVE_MASK | mv.bits() as u64)
    }

    #[inline]
    const fn depth(self) -> Depth {
        Depth((self.0 >> Self::DEPTH_SHIFT) as u8 as i32 - Self::DEPTH_OFFSET)
    }

    #[inline]
    const fn flags(self) -> u8 {
        (self.0 >> Self::FLAGS_SHIFT) as u8
    }

    #[inline]
    const fn bound_bits(self) -> u8 {
        self.flags() & 3
    }

    #[inline]
    const fn was_pv(self) -> bool {
        self.flags() & Self::PV_FLAG != 0
    }
}

#[inline]
fn score_bits(score: Score) -> u64 {
    debug_assert!(i16::try_from(score.0).is_ok(), "{score:?} does not fit");
    u64::from(score.0 as u16)
}

/// Clamps the depth, so that it neither looks empty nor spills into the flags.
#[inline]
fn depth_byte(depth: Depth) -> u8 {
    (depth.0 + Packed::DEPTH_OFFSET).clamp(1, 255) as u8
}

#[inline]
fn flags(bound: Bound, was_pv: bool, age: Age) -> u8 {
    bound as u8 | (u8::from(was_pv) * Packed::PV_FLAG) | (age.0 << Packed::AGE_SHIFT)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::strategies::{config, entries};
    use super::*;

    const OLD: Entry = Entry {
        mv: Move::from_bits(0x1234),
        score: Score(50),
        eval: Score(-20),
        depth: Depth(10),
        bound: Bound::Lower,
        was_pv: false,
    };
    const NOW: Age = Age::new(3);

    fn merged(new: Entry, age: Age) -> Entry {
        Packed::new(OLD, NOW).merged(Packed::new(new, age)).entry()
    }

    fn newer(depth: i32) -> Entry {
        Entry { mv: Move::from_bits(0x0777), score: Score(7), depth: Depth(depth), ..OLD }
    }

    proptest! {
        #![proptest_config(config())]

        #[test]
        fn an_entry_survives_packing(entry in entries(), searches in 0..=u8::MAX) {
            let age = Age::new(searches);
            let packed = Packed::new(entry, age);
            prop_assert_eq!(packed.entry(), entry);
            prop_assert_eq!(packed.age(), age);
            prop_assert!(!packed.is_empty());
        }

        #[test]
        fn a_move_is_never_erased(old in entries(), new in entries(), ages in any::<(u8, u8)>()) {
            let kept = Packed::new(old, Age::new(ages.0))
                .merged(Packed::new(Entry { mv: Move::NONE, ..new }, Age::new(ages.1)));
            prop_assert_eq!(kept.mv(), old.mv);
        }
    }

    #[test]
    fn the_ends_of_every_range_survive_packing() {
        for (score, eval) in [(Score::NONE, -Score::INFINITE), (-Score::MATE, Score::NONE)] {
            for depth in [Depth(-10), Depth::ZERO, Depth(240)] {
                let entry = Entry { score, eval, depth, mv: Move::from_bits(u16::MAX), ..OLD };
                assert_eq!(Packed::new(entry, Age::new(31)).entry(), entry);
            }
        }
    }

    #[test]
    fn depths_out_of_range_are_clamped() {
        for (depth, kept) in [(-500, -10), (500, 244)] {
            let packed = Packed::new(Entry { depth: Depth(depth), ..OLD }, NOW);
            assert_eq!(packed.entry(), Entry { depth: Depth(kept), ..OLD });
            assert!(!packed.is_empty());
        }
    }

    #[test]
    fn ages_wrap() {
        assert_eq!(Age::new(1).since(Age::new(30)), 3);
        assert_eq!(Age::new(32), Age::new(0));
    }

    #[test]
    fn the_replacement_value_falls_by_four_plies_per_search() {
        let packed = Packed::new(OLD, NOW);
        assert_eq!(packed.replacement_value(NOW), 10);
        assert_eq!(packed.replacement_value(Age::new(5)), 2);
        assert!(
            Packed::default().replacement_value(NOW)
                < Packed::new(Entry { depth: Depth(-10), ..OLD }, NOW)
                    .replacement_value(Age::new(2))
        );
    }

    #[test]
    fn a_much_shallower_result_refreshes_the_move_only() {
        assert_eq!(merged(newer(6), NOW), Entry { mv: newer(6).mv, ..OLD });
        assert_eq!(merged(Entry { mv: Move::NONE, ..newer(6) }, NOW), OLD);
    }

    #[test]
    fn a_slightly_shallower_result_replaces() {
        assert_eq!(merged(newer(7), NOW), newer(7));
        assert_eq!(
            merged(Entry { mv: Move::NONE, ..newer(7) }, NOW),
            Entry { mv: OLD.mv, ..newer(7) }
        );
    }

    #[test]
    fn a_principal_variation_replaces_two_plies_more() {
        let pv = |depth| Entry { was_pv: true, ..newer(depth) };
        assert_eq!(merged(pv(5), NOW), pv(5));
        assert_eq!(merged(pv(4), NOW), Entry { mv: pv(4).mv, ..OLD });
    }

    #[test]
    fn an_exact_score_or_a_new_search_always_replaces() {
        let exact = Entry { bound: Bound::Exact, ..newer(-10) };
        assert_eq!(merged(exact, NOW), exact);
        assert_eq!(merged(newer(-10), Age::new(4)), newer(-10));
    }
}
