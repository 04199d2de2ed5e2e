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

    /// Whether no position was left so far.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Takes over the keys of another history without giving memory back.
    pub fn copy_from(&mut self, other: &Self) {
        self.keys.clone_from(&other.keys);
    }

    /// Keys of the positions that can still recur, the latest last.
    fn reversible(&self, position: &Position) -> &[u64] {
        let reach = usize::from(position.halfmove_clock.min(position.plies_since_null));
        &self.keys[self.keys.len().saturating_sub(reach)..]
    }

    /// Whether the position counts as a repetition `ply` plies from the root: it stood once before
    /// inside the tree, or twice before in the game.
    pub fn is_repetition(&self, position: &Position, ply: Ply) -> bool {
        // The same side moves every two plies, and nothing can recur within two.
        const FIRST: usize = 4;
        let keys = self.reversible(position);
        let mut seen_before_root = false;
        let mut distance = FIRST;
        while distance <= keys.len() {
            if keys[keys.len() - distance] == position.key {
                if distance < ply || seen_before_root {
                    return true;
                }
                seen_before_root = true;
            }
            distance += 2;
        }
        false
    }

    /// How often the position stood on the board before.
    pub fn count(&self, position: &Position) -> usize {
        self.reversible(position).iter().filter(|&&key| key == position.key).count()
    }

    /// Whether one move, of either side, leads between this position and an earlier one of the tree
    /// (M. van Kervinck 2002: two keys one reversible move apart differ by a known key).
    pub fn can_repeat(&self, position: &Position, ply: Ply) -> bool {
        // A move changes the side, so only odd distances can be undone by one.
        const FIRST: usize = 3;
        let keys = self.reversible(position);
        let mut distance = FIRST;
        // Positions before the root would need to have stood twice to be a draw.
        while distance <= keys.len() && distance < ply {
            if is_one_move_apart(position, keys[keys.len() - distance]) {
                return true;
            }
            distance += 2;
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
