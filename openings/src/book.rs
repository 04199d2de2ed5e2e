//! A book: openings with a name, in an order.

use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

use crate::opening::{Opening, needs_chess960};
use crate::read::{self, BookError};

/// Openings with a name.
#[derive(Clone, Debug)]
pub struct Book {
    /// The name of a built-in book, or the path of a file.
    pub name: String,
    /// The openings; at least one.
    pub openings: Vec<Opening>,
}

impl Book {
    /// The built-in book of this name, or the file at this path. `plies` cuts the games of a PGN file short.
    ///
    /// # Errors
    /// Where there is no such book, or it cannot be read.
    pub fn open(name: &str, plies: Option<usize>) -> Result<Self, BookError> {
        let (text, format) = read::text(name)?;
        read::book(name, &text, format, plies)
    }

    /// Whether a game from this book needs the rules of Chess960.
    pub fn needs_chess960(&self) -> bool {
        self.openings.iter().any(|opening| needs_chess960(&opening.start))
    }

    /// Puts the openings in an order that the seed decides.
    pub fn shuffle(&mut self, seed: u64) {
        self.openings.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    }

    /// A number that tells the openings and their order from others.
    pub fn digest(&self) -> u64 {
        let keys = self.openings.iter().map(|opening| opening.end().0.key());
        keys.fold(0, |digest: u64, key| {
            digest.rotate_left(5).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ key
        })
    }

    /// A seed for those who name none.
    pub fn any_seed() -> u64 {
        // Taken from the clock: enough to differ from run to run, and shown to the user to be named again.
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let nanos = since.map_or(0, |since| since.as_nanos() as u64);
        ChaCha8Rng::seed_from_u64(nanos).random_range(1..1_000_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_decides_the_order() {
        let shuffled = |seed| {
            let mut book = Book::open("balanced", None).expect("a built-in book");
            book.shuffle(seed);
            book
        };
        let (one, other, again) = (shuffled(1), shuffled(2), shuffled(1));
        assert_ne!(one.digest(), other.digest());
        assert_eq!(one.digest(), again.digest());
        assert_eq!(one.openings, again.openings);
    }
}
