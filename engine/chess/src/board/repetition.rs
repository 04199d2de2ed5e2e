//! Repetitions: the keys of earlier positions, and repetitions that one move can bring about.

use super::Position;
use crate::attacks;
use crate::types::Square;

include!(concat!(env!("OUT_DIR"), "/cuckoo.rs"));

/// The keys of all earlier positions of the game and of the line being searched, oldest first.
///
/// ```
/// use nullarbor_chess::board::{KeyHistory, Position};
///
/// let mut history = KeyHistory::new();
/// let mut position = Position::start();
/// for text in ["Nf3", "Nf6", "Ng1"] {
///     history.push(position.key());
///     position = position.make(position.parse_san(text).expect(text));
/// }
/// assert_eq!(history.count(&position), 0);
/// history.push(position.key());
/// position = position.make(position.parse_san("Ng8").expect("a legal move"));
/// assert_eq!(history.count(&position), 1);
/// // In a search this is a draw if the first of the two lies below the root, here one ply.
/// assert!(history.is_repetition(&position, 5) && !history.is_repetition(&position, 4));
/// ```
#[derive(Clone, Debug, Default)]
pub struct KeyHistory {
    keys: Vec<u64>,
}

impl KeyHistory {
    /// Returns an empty history.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the key of a position before a move is made in it.
    #[inline]
    pub fn push(&mut self, key: u64) {
        self.keys.push(key);
    }

    /// Removes the latest key.
    #[inline]
    pub fn pop(&mut self) {
        self.keys.pop();
    }

    /// Returns whether there is no earlier position.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Copies another history and keeps the allocation.
    pub fn copy_from(&mut self, other: &Self) {
        self.keys.clone_from(&other.keys);
    }

    /// Returns the keys since the last capture, pawn move or null move.
    fn reversible(&self, position: &Position) -> &[u64] {
        let reach = usize::from(position.halfmove_clock.min(position.plies_since_null));
        &self.keys[self.keys.len().saturating_sub(reach)..]
    }

    /// Returns whether the position, `ply` plies from the root, is a draw by repetition for the
    /// search: it occurred once since the root, or twice before.
    #[inline]
    pub fn is_repetition(&self, position: &Position, ply: usize) -> bool {
        // The same side is to move every two plies, and two plies cannot repeat a position.
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

    /// Returns how often the position has occurred before.
    pub fn count(&self, position: &Position) -> usize {
        self.reversible(position).iter().filter(|&&key| key == position.key).count()
    }

    /// Returns whether any position has occurred twice since the last capture or pawn move.
    pub fn has_repetition(&self, position: &Position) -> bool {
        let keys = self.reversible(position);
        let repeats = |index: usize| keys[index + 1..].contains(&keys[index]);
        keys.contains(&position.key) || (0..keys.len()).any(repeats)
    }

    /// Returns whether one reversible move, of either side, connects the position with an earlier
    /// one of the tree (M. van Kervinck, 2002: the keys of such positions differ by a known key).
    ///
    /// ```
    /// use nullarbor_chess::board::{KeyHistory, Position};
    ///
    /// let mut history = KeyHistory::new();
    /// let mut position = Position::start();
    /// for text in ["Nf3", "Nf6", "Ng1"] {
    ///     history.push(position.key());
    ///     position = position.make(position.parse_san(text).expect(text));
    /// }
    /// // Black can go back to g8.
    /// assert!(history.can_repeat(&position, 4));
    /// assert!(!history.can_repeat(&position, 3), "the root itself does not count");
    /// ```
    #[inline]
    pub fn can_repeat(&self, position: &Position, ply: usize) -> bool {
        // A move changes the side to move, so the distance is odd.
        const FIRST: usize = 3;
        let keys = self.reversible(position);
        let mut distance = FIRST;
        // A position before the root is a draw only if it occurs twice.
        while distance <= keys.len() && distance < ply {
            if is_one_move_apart(position, keys[keys.len() - distance]) {
                return true;
            }
            distance += 2;
        }
        false
    }
}

/// Returns whether a reversible move that nothing blocks turns one key into the other.
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
