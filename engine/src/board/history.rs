//! The keys of the positions before: repetitions, and repetitions that one move could bring about.

use super::Position;
use crate::attacks;
use crate::types::{Ply, Square};

include!(concat!(env!("OUT_DIR"), "/cuckoo.rs"));

/// The keys of all positions from the start of the game to the one before the current one.
#[derive(Clone, Debug, Default)]
pub struct KeyHistory {
    keys: Vec<u64>,
}

impl KeyHistory {
    /// No position so far.
    pub fn new() -> Self {
        Self::default()
    }

    /// Remembers a position that is about to be left.
    pub fn push(&mut self, key: u64) {
        self.keys.push(key);
    }

    /// Forgets the position that was left last.
    pub fn pop(&mut self) {
        self.keys.pop();
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.keys.clear();
    }

    /// Takes over the keys of another history without giving memory back.
    pub fn copy_from(&mut self, other: &Self) {
        self.keys.clone_from(&other.keys);
    }

    /// Keys of the positions that can still recur, the latest first.
    fn reversible(&self, position: &Position) -> impl Iterator<Item = u64> {
        let reach = position.halfmove_clock.min(position.plies_since_null);
        self.keys.iter().rev().take(usize::from(reach)).copied()
    }

    /// Whether the position counts as a repetition `ply` plies from the root: it stood once before
    /// inside the tree, or twice before in the game.
    pub fn is_repetition(&self, position: &Position, ply: Ply) -> bool {
        let mut seen_before_root = false;
        // Two plies back somebody else has moved, so the first candidate is four plies back.
        for (distance, key) in self.reversible(position).enumerate().skip(3).step_by(2) {
            if key == position.key {
                if distance + 1 < ply || seen_before_root {
                    return true;
                }
                seen_before_root = true;
            }
        }
        false
    }

    /// How often the position stood on the board before.
    pub fn count(&self, position: &Position) -> usize {
        self.reversible(position).filter(|&key| key == position.key).count()
    }

    /// Whether the side to move has a move that repeats an earlier position of the tree
    /// (M. van Kervinck 2002: two keys one reversible move apart differ by a known key).
    pub fn can_repeat(&self, position: &Position, ply: Ply) -> bool {
        for (distance, key) in self.reversible(position).enumerate().skip(2).step_by(2) {
            // Positions before the root would need to have stood twice to be a draw.
            if distance + 1 >= ply {
                return false;
            }
            if is_one_move_apart(position, key) {
                return true;
            }
        }
        false
    }
}

fn is_one_move_apart(position: &Position, key: u64) -> bool {
    let difference = position.key ^ key;
    let slots =
        [difference as usize & (KEYS.len() - 1), (difference >> 16) as usize & (KEYS.len() - 1)];
    let Some(slot) = slots.into_iter().find(|&slot| KEYS[slot] == difference) else {
        return false;
    };
    let from = Square::new(usize::from(MOVES[slot]));
    let to = Square::new(usize::from(MOVES[slot] >> 6));
    (attacks::between(from, to) & position.occupied()).is_empty()
}
