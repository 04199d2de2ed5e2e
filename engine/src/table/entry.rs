//! An entry in ten bytes.

use crate::types::{Bound, Depth, Move, Score};

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The best move, or [`Move::NONE`].
    pub mv: Move,
    /// The value with mates counted from this position, or [`Score::NONE`].
    pub score: Score,
    /// The evaluation before any correction, or [`Score::NONE`].
    pub eval: Score,
    /// How deep the search was.
    pub depth: Depth,
    /// What the score means.
    pub bound: Bound,
    /// A principal variation has passed here.
    pub was_pv: bool,
}

/// Searches are counted in five bits.
pub const AGE_MASK: u8 = 31;

const AGE_SHIFT: u32 = 3;
const PV_BIT: u8 = 4;
/// Depths are stored plus this, so that 0 stands for an empty slot.
const DEPTH_OFFSET: i32 = 11;
/// An entry loses this much worth with each search.
const PLIES_PER_AGE: i32 = 4;

/// An entry as it lies in a cluster: 16 bits of key, move, score and evaluation in one word, from below; depth and,
/// above it, bound, flag and age in another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packed {
    /// Key, move, score, evaluation.
    pub word: u64,
    /// Depth, then two bits of bound, one of the flag, five of age.
    pub rest: u16,
}

impl Packed {
    /// Packs an entry for the position with this key.
    pub fn pack(key: u64, entry: &Entry, age: u8) -> Self {
        let short = |score: Score| u64::from(score.0 as i16 as u16);
        let depth = (entry.depth.0 + DEPTH_OFFSET).clamp(1, 255) as u8;
        let flag = if entry.was_pv { PV_BIT } else { 0 };
        let info = entry.bound as u8 | flag | (age & AGE_MASK) << AGE_SHIFT;
        Self {
            word: key & 0xffff
                | u64::from(entry.mv.bits()) << 16
                | short(entry.score) << 32
                | short(entry.eval) << 48,
            rest: u16::from(depth) | u16::from(info) << 8,
        }
    }

    /// The entry.
    pub fn unpack(&self) -> Entry {
        let score = |shift: u32| Score(i32::from((self.word >> shift) as u16 as i16));
        Entry {
            mv: self.mv(),
            score: score(32),
            eval: score(48),
            depth: self.depth(),
            bound: Bound::from_bits(self.info()),
            was_pv: self.info() & PV_BIT != 0,
        }
    }

    fn info(self) -> u8 {
        (self.rest >> 8) as u8
    }

    /// Whether nothing was ever stored here.
    pub fn is_empty(self) -> bool {
        self.rest as u8 == 0
    }

    /// Whether it is about the position with this key, as far as 16 bits tell.
    pub fn is_for(self, key: u64) -> bool {
        (self.word ^ key) & 0xffff == 0 && !self.is_empty()
    }

    /// The move.
    pub fn mv(self) -> Move {
        Move::from_bits((self.word >> 16) as u16)
    }

    /// Changes the move alone.
    pub fn set_move(&mut self, mv: Move) {
        self.word = self.word & !(0xffff << 16) | u64::from(mv.bits()) << 16;
    }

    /// The depth.
    pub fn depth(self) -> Depth {
        Depth(i32::from(self.rest as u8) - DEPTH_OFFSET)
    }

    /// The search it is from.
    pub fn age(self) -> u8 {
        self.info() >> AGE_SHIFT
    }

    /// What is lost by overwriting it: deep and young entries are worth most.
    pub fn worth(self, age: u8) -> i32 {
        let searches_ago = age.wrapping_sub(self.age()) & AGE_MASK;
        i32::from(self.rest as u8) - PLIES_PER_AGE * i32::from(searches_ago)
    }
}
