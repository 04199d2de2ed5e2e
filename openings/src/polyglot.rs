//! Books in the format of Polyglot (F. Letouzey 2004; described by M. Heirich and H. G. Muller): moves by position, in
//! entries of 16 bytes, sorted by the key of the position. The keys are those of the crate `shakmaty`.

use std::collections::HashSet;

use nullarbor_chess::board::Position;
use nullarbor_chess::types::Move;
use shakmaty::fen::Fen;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _};
use thiserror::Error;

use crate::opening::Opening;

/// A fault of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum PolyglotError {
    #[error("{bytes} bytes are not a whole number of entries of {ENTRY} bytes")]
    Length { bytes: usize },
    #[error("entry {entry} is out of order: the file is damaged or not a Polyglot book")]
    Order { entry: usize },
}

/// Bytes of an entry: key, move, weight, and four bytes for programs that learn; the highest byte of each first.
const ENTRY: usize = 16;

/// Plies: whatever goes on behind it is no opening.
const LONGEST_OPENING: usize = 100;

/// The entries of a book.
#[derive(Clone, Copy, Debug)]
pub struct PolyglotBook<'a> {
    entries: &'a [[u8; ENTRY]],
}

impl<'a> PolyglotBook<'a> {
    /// Checks the entries of a book.
    ///
    /// # Errors
    /// If they are incomplete or not sorted.
    pub fn new(bytes: &'a [u8]) -> Result<Self, PolyglotError> {
        let (entries, rest) = bytes.as_chunks();
        if !rest.is_empty() {
            return Err(PolyglotError::Length { bytes: bytes.len() });
        }
        match entries.windows(2).position(|pair| key_of(&pair[0]) > key_of(&pair[1])) {
            Some(before) => Err(PolyglotError::Order { entry: before + 2 }),
            None => Ok(Self { entries }),
        }
    }

    /// Returns the number of positions that the book knows.
    pub fn positions(&self) -> usize {
        self.entries.chunk_by(|one, other| key_of(one) == key_of(other)).count()
    }

    /// Returns the moves of a position that the book would play, the heaviest first. Moves that are not legal, as when two
    /// positions have one key, are left out.
    pub fn moves(&self, position: &Position) -> Vec<Move> {
        let Some(key) = key(position) else { return Vec::new() };
        let first = self.entries.partition_point(|entry| key_of(entry) < key);
        let entries = self.entries[first..].iter().take_while(|entry| key_of(entry) == key);
        let mut weighted: Vec<(u16, u16)> = entries
            .map(|entry| [[entry[8], entry[9]], [entry[10], entry[11]]].map(u16::from_be_bytes))
            .map(|[mv, weight]| (mv, weight))
            .filter(|(_, weight)| *weight > 0)
            .collect();
        weighted.sort_by_key(|(_, weight)| std::cmp::Reverse(*weight));
        let legal = position.legal_moves();
        let find = |text: &str| legal.iter().copied().find(|mv| position.uci(*mv, true) == *text);
        weighted.iter().filter_map(|(mv, _)| find(&text(*mv)?)).collect()
    }

    /// Returns the lines from the start position to where the book ends, or of at most this number of plies. Each position is
    /// passed once, so there are no more lines than entries.
    pub fn openings(&self, plies: Option<usize>) -> Vec<Opening> {
        let plies = plies.unwrap_or(LONGEST_OPENING).min(LONGEST_OPENING);
        let mut found = Vec::new();
        let mut passed = HashSet::from([Position::start().key()]);
        let mut waiting = vec![(Position::start(), Vec::new())];
        // The last that was put there is taken first, so the first line goes on to its end.
        while let Some((position, moves)) = waiting.pop() {
            let is_full = moves.len() >= plies;
            let further = if is_full { Vec::new() } else { self.moves(&position) };
            if further.is_empty() && !moves.is_empty() {
                found.push(Opening { moves, ..Opening::at(Position::start()) });
                continue;
            }
            for mv in further.into_iter().rev() {
                let next = position.make(mv);
                if passed.insert(next.key()) {
                    waiting.push((next, [&moves[..], &[mv]].concat()));
                }
            }
        }
        found
    }
}

fn key_of(entry: &[u8; ENTRY]) -> u64 {
    entry.first_chunk().map_or(0, |key| u64::from_be_bytes(*key))
}

/// Returns the key of a position. The file of an en passant capture counts if a pawn stands beside, pinned or not.
fn key(position: &Position) -> Option<u64> {
    let setup: Fen = position.to_string().parse().ok()?;
    let position: Chess = setup.into_position(CastlingMode::Chess960).ok()?;
    Some(position.zobrist_hash::<Zobrist64>(EnPassantMode::PseudoLegal).0)
}

/// Returns a move as king takes rook where it castles: to, from and promotion in groups of three bits, files first.
fn text(mv: u16) -> Option<String> {
    const PROMOTIONS: [&str; 5] = ["", "n", "b", "r", "q"];
    let group = |shift: u16| u8::try_from((mv >> shift) & 7).unwrap_or_default();
    let promotion = PROMOTIONS.get(usize::from(group(12)))?;
    let square =
        |file: u8, rank: u8| format!("{}{}", char::from(b'a' + file), char::from(b'1' + rank));
    Some(format!("{}{}{promotion}", square(group(6), group(9)), square(group(0), group(3))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(fen: &str) -> Position {
        Position::from_fen(fen).expect(fen)
    }

    #[test]
    fn keys_are_those_of_the_format() {
        // The published test values (http://hgm.nubati.net/book_format.html).
        for (fen, expected) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0x463b_9618_1691_fc9c),
            ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", 0x823c_9b50_fd11_4196),
            (
                "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 2",
                0x0756_b944_61c5_0fb0,
            ),
            ("rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2", 0x662f_afb9_65db_29d4),
            (
                "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
                0x22a4_8b5a_8e47_ff78,
            ),
            ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR b kq - 0 3", 0x652a_607c_a3f2_42c1),
            ("rnbq1bnr/ppp1pkpp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR w - - 0 4", 0x00fd_d303_c946_bdd9),
            (
                "rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3",
                0x3c81_23ea_7b06_7637,
            ),
            ("rnbqkbnr/p1pppppp/8/8/P6P/R1p5/1P1PPPP1/1NBQKBNR b Kkq - 0 4", 0x5c3f_9b82_9b27_9560),
        ] {
            assert_eq!(key(&position(fen)), Some(expected), "{fen}");
        }
    }

    fn entry(position: &Position, mv: u16, weight: u16) -> [u8; ENTRY] {
        let mut entry = [0; ENTRY];
        entry[..8].copy_from_slice(&key(position).expect("a key").to_be_bytes());
        entry[8..10].copy_from_slice(&mv.to_be_bytes());
        entry[10..12].copy_from_slice(&weight.to_be_bytes());
        entry
    }

    fn coded(text: &str) -> u16 {
        let value = |at: usize, base: u8| u16::from(text.as_bytes()[at] - base);
        value(2, b'a') | value(3, b'1') << 3 | value(0, b'a') << 6 | value(1, b'1') << 9
    }

    fn book(mut entries: Vec<[u8; ENTRY]>) -> Vec<u8> {
        entries.sort_by_key(key_of);
        entries.concat()
    }

    #[test]
    fn lines_end_where_the_book_ends() {
        let start = Position::start();
        let after = start.make(start.parse_uci("e2e4").expect("legal"));
        let bytes = book(vec![
            entry(&start, coded("d2d4"), 1),
            entry(&start, coded("e2e4"), 9),
            entry(&start, coded("a2a3"), 0),
            entry(&start, coded("a2a5"), 5),
            entry(&after, coded("e7e5"), 3),
            entry(&after, coded("c7c5"), 4),
        ]);
        let book = PolyglotBook::new(&bytes).expect("a book");
        let lines = |plies| -> Vec<String> {
            let line = |opening: Opening| {
                let moves = opening.moves.iter().map(|mv| opening.start.uci(*mv, false));
                moves.collect::<Vec<_>>().join(" ")
            };
            book.openings(plies).into_iter().map(line).collect()
        };
        assert_eq!(lines(None), ["e2e4 c7c5", "e2e4 e7e5", "d2d4"]);
        assert_eq!(lines(Some(1)), ["e2e4", "d2d4"]);
    }

    #[test]
    fn castling_and_promotion_are_known() {
        let castles = position("4k3/8/8/8/8/8/8/4K2R w K - 0 1");
        let bytes = book(vec![entry(&castles, coded("e1h1"), 1)]);
        let moves = PolyglotBook::new(&bytes).expect("a book").moves(&castles);
        assert_eq!(moves.iter().map(|mv| castles.san(*mv)).collect::<Vec<_>>(), ["O-O"]);
        let promotes = position("8/P6k/8/8/8/8/8/K7 w - - 0 1");
        let bytes = book(vec![entry(&promotes, coded("a7a8") | 1 << 12, 1)]);
        let moves = PolyglotBook::new(&bytes).expect("a book").moves(&promotes);
        assert_eq!(moves.iter().map(|mv| promotes.san(*mv)).collect::<Vec<_>>(), ["a8=N"]);
    }

    #[test]
    fn damage_is_found() {
        let start = Position::start();
        let other = start.make(start.parse_uci("e2e4").expect("legal"));
        let mut bytes = book(vec![entry(&start, 0, 1), entry(&other, 0, 1)]);
        assert_eq!(PolyglotBook::new(&bytes[1..]).err(), Some(PolyglotError::Length { bytes: 31 }));
        bytes.rotate_left(ENTRY);
        assert_eq!(PolyglotBook::new(&bytes).err(), Some(PolyglotError::Order { entry: 2 }));
        assert!(PolyglotBook::new(&[]).expect("empty").openings(None).is_empty());
    }
}
