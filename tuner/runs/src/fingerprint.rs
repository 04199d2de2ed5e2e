//! Fingerprints: 64-bit hashes of numbers and files. Journals and summaries record them, so their definition must stay.

use std::io::Read;
use std::path::Path;

use crate::files;

/// FNV-1a (G. Fowler, L. Noll, K. Vo 1991) over 64-bit words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(pub u64);

/// No program and no network is longer, in bytes.
const LONGEST_FILE: u64 = 1 << 30;
/// Bytes that are read at once: whole words.
const PIECE: usize = 1 << 16;

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    /// Adds a number.
    pub fn add(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x0000_0100_0000_01b3);
        // Carries the upper half, which depends on all bits, into the lower one.
        self.0 ^= self.0 >> 32;
    }

    /// Returns the fingerprint of some numbers.
    pub fn of(values: impl IntoIterator<Item = u64>) -> Self {
        let mut fingerprint = Self::default();
        values.into_iter().for_each(|value| fingerprint.add(value));
        fingerprint
    }

    /// Returns the fingerprint of a file's content, if it can be read.
    pub fn of_file(path: &Path) -> Option<Self> {
        let mut file = files::open(path).ok()?;
        let (mut fingerprint, mut length) = (Self::default(), 0);
        let mut piece = Vec::with_capacity(PIECE);
        while length <= LONGEST_FILE {
            piece.clear();
            let count = file.by_ref().take(PIECE as u64).read_to_end(&mut piece).ok()?;
            if count == 0 {
                fingerprint.add(length);
                return Some(fingerprint);
            }
            length += count as u64;
            // Only the last piece can end within a word.
            piece.resize(count.next_multiple_of(size_of::<u64>()), 0);
            for word in piece.as_chunks().0 {
                fingerprint.add(u64::from_le_bytes(*word));
            }
        }
        None
    }
}

impl std::fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn order_and_values_matter() {
        let all = [[1, 2], [2, 1], [1, 3], [0, 2]].map(|values| Fingerprint::of(values).0);
        assert!((0..4).all(|i| (0..i).all(|j| all[i] != all[j])), "{all:?}");
        assert_ne!(Fingerprint::of([1 << 63]), Fingerprint::of([1 << 62]));
    }

    #[test]
    fn a_changed_file_has_another_fingerprint() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x");
        let fingerprint = |content: &str| {
            fs::write(&path, content).expect("room");
            Fingerprint::of_file(&path)
        };
        assert_ne!(fingerprint("123456789"), fingerprint("123456780"));
        assert_ne!(fingerprint("12"), fingerprint("12\0"));
        assert_eq!(Fingerprint::of_file(&folder.path().join("none")), None);
        let words = [u64::from_le_bytes(*b"12345678"), u64::from(b'9'), 9];
        assert_eq!(fingerprint("123456789"), Some(Fingerprint::of(words)));
        let words = vec![u64::from_le_bytes(*b"12345678"); PIECE / 4];
        let whole = words.iter().copied().chain([8 * words.len() as u64]);
        assert_eq!(fingerprint(&"12345678".repeat(words.len())), Some(Fingerprint::of(whole)));
    }
}
