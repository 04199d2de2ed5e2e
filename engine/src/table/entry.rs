use crate::types::{Bound, Depth, Move, Score};

/// What the table remembers of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The best move; `Move::NONE` if there is none.
    pub mv: Move,
    /// The score, mates counted from the position itself; `Score::NONE` if there is none.
    pub score: Score,
    /// The raw static evaluation; `Score::NONE` if there is none.
    pub eval: Score,
    /// How deep the search was, from -10 to 240.
    pub depth: Depth,
    /// What the score says of the true value.
    pub bound: Bound,
    /// Whether a principal variation has passed here.
    pub was_pv: bool,
}

/// The number of a search, modulo 32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Age(u8);

impl Age {
    const MASK: u8 = 31;

    /// The age after so many searches.
    pub const fn new(searches: u8) -> Self {
        Self(searches & Self::MASK)
    }

    /// How many searches began since `earlier`.
    const fn since(self, earlier: Self) -> i32 {
        (self.0.wrapping_sub(earlier.0) & Self::MASK) as i32
    }
}

/// An entry and its age in one word; the position's key is kept apart from it.
///
/// From the lowest bit: move 16, score 16, evaluation 16, depth 8, bound 2, was-pv 1, age 5.
/// Zero, which fresh memory is made of, is an empty slot.
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
    /// Added to a depth, so that no entry has a depth of zero.
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

    /// Whether there is no entry.
    #[inline]
    pub const fn is_empty(self) -> bool {
        (self.0 >> Self::DEPTH_SHIFT) as u8 == 0
    }

    /// The search that stored it.
    #[inline]
    pub const fn age(self) -> Age {
        Age(self.flags() >> Self::AGE_SHIFT)
    }

    /// The entry with the least worth is replaced first. An empty slot is worth less than any.
    #[inline]
    pub fn worth(self, now: Age) -> i32 {
        const PLIES_PER_AGE: i32 = 4;
        if self.is_empty() {
            i32::MIN
        } else {
            self.depth().0 - PLIES_PER_AGE * now.since(self.age())
        }
    }

    /// What to keep of this entry and a newer one for the same position.
    #[inline]
    pub fn renewed(self, new: Self) -> Self {
        let mv = if new.mv().is_some() { new.mv() } else { self.mv() };
        let kept = if self.yields_to(new) { new } else { self };
        kept.with_move(mv)
    }

    /// A somewhat shallower result is still better: it knows the results around it.
    #[inline]
    fn yields_to(self, new: Self) -> bool {
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

/// A depth out of range must neither look empty nor spill into the flags.
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

    use super::super::testing::{entries, few_cases};
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

    fn renewed(new: Entry, age: Age) -> Entry {
        Packed::new(OLD, NOW).renewed(Packed::new(new, age)).entry()
    }

    fn newer(depth: i32) -> Entry {
        Entry { mv: Move::from_bits(0x0777), score: Score(7), depth: Depth(depth), ..OLD }
    }

    proptest! {
        #![proptest_config(few_cases())]

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
                .renewed(Packed::new(Entry { mv: Move::NONE, ..new }, Age::new(ages.1)));
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
    fn worth_falls_by_four_plies_with_each_search() {
        let packed = Packed::new(OLD, NOW);
        assert_eq!(packed.worth(NOW), 10);
        assert_eq!(packed.worth(Age::new(5)), 2);
        assert!(
            Packed::default().worth(NOW)
                < Packed::new(Entry { depth: Depth(-10), ..OLD }, NOW).worth(Age::new(2))
        );
    }

    #[test]
    fn a_much_shallower_result_refreshes_the_move_only() {
        assert_eq!(renewed(newer(6), NOW), Entry { mv: newer(6).mv, ..OLD });
        assert_eq!(renewed(Entry { mv: Move::NONE, ..newer(6) }, NOW), OLD);
    }

    #[test]
    fn a_slightly_shallower_result_replaces() {
        assert_eq!(renewed(newer(7), NOW), newer(7));
        assert_eq!(
            renewed(Entry { mv: Move::NONE, ..newer(7) }, NOW),
            Entry { mv: OLD.mv, ..newer(7) }
        );
    }

    #[test]
    fn a_principal_variation_replaces_two_plies_more() {
        let pv = |depth| Entry { was_pv: true, ..newer(depth) };
        assert_eq!(renewed(pv(5), NOW), pv(5));
        assert_eq!(renewed(pv(4), NOW), Entry { mv: pv(4).mv, ..OLD });
    }

    #[test]
    fn an_exact_score_or_a_new_search_always_replaces() {
        let exact = Entry { bound: Bound::Exact, ..newer(-10) };
        assert_eq!(renewed(exact, NOW), exact);
        assert_eq!(renewed(newer(-10), Age::new(4)), newer(-10));
    }
}
