//! Forsyth-Edwards notation (FEN), with both notations of Chess960 castling rights: X-FEN (`KQkq`
//! for the outermost rooks) and Shredder-FEN (the letters of the rooks' files).

use std::fmt;

use thiserror::Error;

use super::epd::{self, FULLMOVE, HALFMOVE_CLOCK};
use super::{Bitboards, Position, placement::Placement};
use crate::attacks;
use crate::types::{
    Bitboard, Castling, CastlingRights, CastlingSide, Colour, File, Piece, PieceType, Rank, Square,
};

/// Why a text is not the FEN of a legal position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum FenError {
    #[error("FEN is too long: {0} bytes, at most {max} are read", max = MAX_LENGTH)]
    TooLong(usize),
    #[error("FEN has a character that is not ASCII at byte {0}")]
    NotAscii(usize),
    #[error("FEN ends before the {0}")]
    Missing(&'static str),
    #[error("FEN has `{0}` after its fields")]
    TooManyFields(String),
    #[error("FEN placement: the number of ranks is {0} instead of 8")]
    RankCount(usize),
    #[error("FEN placement: the number of files of rank {rank} (`{text}`) is {files} instead of 8")]
    FileCount { rank: usize, text: String, files: usize },
    #[error("FEN placement: rank {rank} has `{letter}`, which is not a piece")]
    UnknownPiece { rank: usize, letter: char },
    #[error("FEN placement: {colour:?} has {count} kings instead of 1")]
    KingCount { colour: Colour, count: usize },
    #[error("FEN placement: {colour:?} has {count} pawns, more than 8")]
    TooManyPawns { colour: Colour, count: usize },
    #[error("FEN placement: {colour:?} has {count} pieces, more than 16")]
    TooManyPieces { colour: Colour, count: usize },
    #[error("FEN placement: a pawn is on {0}")]
    PawnOnEdge(Square),
    #[error("FEN side to move is `{0}` instead of `w` or `b`")]
    UnknownSide(String),
    #[error("FEN placement: {0:?} is in check but not to move")]
    OpponentInCheck(Colour),
    #[error("FEN placement: {0} pieces give check, more than any move can cause")]
    TooManyCheckers(usize),
    #[error("FEN castling has `{0}`, which is neither K, Q, k, q nor a file")]
    UnknownCastling(char),
    #[error("FEN castling `{0}`: no king on the back rank with a rook on that side of it")]
    ImpossibleCastling(char),
    #[error("FEN castling `{0}` is given twice")]
    DoubleCastling(char),
    #[error("FEN en-passant square `{0}` is not a square")]
    UnknownEnPassant(String),
    #[error("FEN en-passant square {0}: no pawn can have just passed it")]
    ImpossibleEnPassant(Square),
    #[error("FEN {field} is `{text}` instead of a number up to {max}")]
    BadNumber { field: &'static str, text: String, max: u16 },
}

/// Longest text in bytes: a position takes a hundred, the operations of EPD the rest.
const MAX_LENGTH: usize = 1024;
/// Both counters saturate there, so whatever [`Position`] prints can be read.
const MAX_COUNTER: u16 = u16::MAX;

impl Position {
    /// Parses a position in X-FEN or Shredder-FEN. All fields after the side to move may be
    /// missing. The counters may also be the operations `hmvc` and `fmvn` of EPD.
    ///
    /// # Errors
    /// If the text is malformed or the position is impossible; the error says where.
    ///
    /// ```
    /// use nullarbor_chess::board::{FenError, Position};
    /// use nullarbor_chess::types::Colour;
    ///
    /// let position = Position::from_fen("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1")?;
    /// assert_eq!(position.king(Colour::White).to_string(), "a5");
    /// let error = Position::from_fen("8/8/8/8/8/8/8/K7 w - - 0 1").expect_err("no black king");
    /// assert_eq!(error, FenError::KingCount { colour: Colour::Black, count: 0 });
    /// # Ok::<(), FenError>(())
    /// ```
    pub fn from_fen(text: &str) -> Result<Self, FenError> {
        let (position, mut impossible) = Self::from_doubtful_fen(text)?;
        if impossible.is_empty() { Ok(position) } else { Err(impossible.swap_remove(0)) }
    }

    /// Parses a position like [`from_fen`](Self::from_fen), but without castling rights and an en-passant
    /// square that are malformed or that its pieces rule out, without counters that are no numbers or out of
    /// range, and without other operations of EPD, and returns these faults. Boards that people set up by hand
    /// have them, and lines of test suites.
    ///
    /// # Errors
    /// If anything else is wrong.
    pub fn from_doubtful_fen(text: &str) -> Result<(Self, Vec<FenError>), FenError> {
        let mut impossible = Vec::new();
        let mut rest = text;
        let [placement, side, castling] = [(); 3].map(|()| next_field(&mut rest));
        let en_passant = take_en_passant(&mut rest, &mut impossible);
        check_text(text, text.len() - rest.len())?;
        let placement = parse_placement(placement.ok_or(FenError::Missing("placement"))?)?;
        let side_to_move = parse_side(side.ok_or(FenError::Missing("side to move"))?)?;
        let castling =
            parse_castling(castling.unwrap_or("-"), placement.bitboards(), &mut impossible);
        let [halfmove_clock, fullmove] = parse_counters(rest, &mut impossible);
        let mut position = Self {
            placement,
            key: 0,
            checkers: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            castling,
            side_to_move,
            en_passant: None,
            halfmove_clock,
            plies_since_null: halfmove_clock,
            fullmove: fullmove.max(1),
        };
        position.check_kings_and_checks()?;
        if let Some(square) = en_passant {
            position.accept_en_passant(square).unwrap_or_else(|fault| impossible.push(fault));
        }
        position.refresh_key();
        Ok((position, impossible))
    }

    fn check_kings_and_checks(&mut self) -> Result<(), FenError> {
        let them = !self.side_to_move;
        let attackers = self.attackers_to(self.king(them), self.occupied());
        if (attackers & self.occupied_by(self.side_to_move)).is_any() {
            return Err(FenError::OpponentInCheck(them));
        }
        self.find_checks_and_pins();
        match self.checkers.count() {
            0..=2 => Ok(()),
            count => Err(FenError::TooManyCheckers(count)),
        }
    }

    /// Sets the en-passant square if a double push can have led to it.
    fn accept_en_passant(&mut self, square: Square) -> Result<(), FenError> {
        let them = !self.side_to_move;
        let (origin, target) = (square.forward(self.side_to_move), square.forward(them));
        let possible = square.rank().relative_to(self.side_to_move) == Rank::new(5)
            && self.pieces(them, PieceType::Pawn).has(target)
            && !self.occupied().has(square)
            && !self.occupied().has(origin)
            && self.checks_come_from_double_push(origin, target);
        if !possible {
            return Err(FenError::ImpossibleEnPassant(square));
        }
        self.allow_en_passant(target);
        Ok(())
    }

    /// Before the double push no piece may have given check: a checker is the pawn itself, or a
    /// slider whose line it opened.
    fn checks_come_from_double_push(&self, origin: Square, target: Square) -> bool {
        let king = self.king(self.side_to_move);
        self.checkers
            .into_iter()
            .all(|checker| checker == target || attacks::between(king, checker).has(origin))
    }
}

/// Returns the next field of a text, without which `rest` remains.
fn next_field<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let text = rest.trim_ascii_start();
    let end = text.find(|letter: char| letter.is_ascii_whitespace()).unwrap_or(text.len());
    let (field, after) = text.split_at(end);
    *rest = after;
    (!field.is_empty()).then_some(field)
}

/// Checks the length of a text, and that the bytes before `end` are ASCII.
fn check_text(text: &str, end: usize) -> Result<(), FenError> {
    if text.len() > MAX_LENGTH {
        return Err(FenError::TooLong(text.len()));
    }
    let wrong = text.bytes().take(end).position(|byte| !byte.is_ascii());
    wrong.map_or(Ok(()), |at| Err(FenError::NotAscii(at)))
}

/// Returns the beginning of a text, for an error message.
fn excerpt(text: &str) -> String {
    text.chars().take(40).collect()
}

fn parse_placement(text: &str) -> Result<Placement, FenError> {
    let mut placement = Placement::EMPTY;
    let ranks: Vec<&str> = text.split('/').collect();
    if ranks.len() != 8 {
        return Err(FenError::RankCount(ranks.len()));
    }
    for (rank, text) in Rank::all().rev().zip(ranks) {
        parse_rank(&mut placement, rank, text)?;
    }
    check_material(placement.bitboards())?;
    Ok(placement)
}

fn parse_rank(placement: &mut Placement, rank: Rank, text: &str) -> Result<(), FenError> {
    let number = rank.index() + 1;
    let mut files = 0;
    for letter in text.chars() {
        if let Some(gap) = letter.to_digit(10).filter(|gap| (1..=8).contains(gap)) {
            files += gap as usize;
            continue;
        }
        let piece =
            Piece::from_letter(letter).ok_or(FenError::UnknownPiece { rank: number, letter })?;
        if files < 8 {
            placement.put(piece, Square::at(File::new(files), rank));
        }
        files += 1;
    }
    if files == 8 {
        Ok(())
    } else {
        Err(FenError::FileCount { rank: number, text: excerpt(text), files })
    }
}

fn check_material(bitboards: &Bitboards) -> Result<(), FenError> {
    let pawns = bitboards.pieces_of_type(PieceType::Pawn);
    for colour in Colour::ALL {
        let own = bitboards.occupied_by(colour);
        let kings = (own & bitboards.pieces_of_type(PieceType::King)).count();
        if kings != 1 {
            return Err(FenError::KingCount { colour, count: kings });
        }
        if (own & pawns).count() > 8 {
            return Err(FenError::TooManyPawns { colour, count: (own & pawns).count() });
        }
        if own.count() > 16 {
            return Err(FenError::TooManyPieces { colour, count: own.count() });
        }
    }
    let edges = Bitboard::rank(Rank::new(0)) | Bitboard::rank(Rank::new(7));
    let mut misplaced = pawns & edges;
    misplaced.next().map_or(Ok(()), |square| Err(FenError::PawnOnEdge(square)))
}

fn parse_side(text: &str) -> Result<Colour, FenError> {
    match text {
        "w" => Ok(Colour::White),
        "b" => Ok(Colour::Black),
        _ => Err(FenError::UnknownSide(excerpt(text))),
    }
}

/// Parses castling rights, of which the malformed and impossible ones are left out.
fn parse_castling(text: &str, bitboards: &Bitboards, faults: &mut Vec<FenError>) -> Castling {
    let mut castling = Castling::NONE;
    if text == "-" {
        return castling;
    }
    for letter in text.chars() {
        match parse_right(letter, bitboards) {
            Ok((colour, side, _)) if castling.rights.contains(CastlingRights::of(colour, side)) => {
                faults.push(FenError::DoubleCastling(letter));
            }
            Ok((colour, side, rook)) => castling.grant(colour, side, rook),
            Err(fault) => faults.push(fault),
        }
    }
    castling
}

/// Parses the letter of a castling right.
fn parse_right(
    letter: char,
    bitboards: &Bitboards,
) -> Result<(Colour, CastlingSide, Square), FenError> {
    let colour = if letter.is_ascii_uppercase() { Colour::White } else { Colour::Black };
    let impossible = FenError::ImpossibleCastling(letter);
    let back_rank = Rank::new(0).relative_to(colour);
    let own = bitboards.occupied_by(colour) & Bitboard::rank(back_rank);
    let mut kings = own & bitboards.pieces_of_type(PieceType::King);
    let rooks = own & bitboards.pieces_of_type(PieceType::Rook);
    let king = kings.next().ok_or(impossible.clone())?;
    let rook = match letter.to_ascii_lowercase() {
        'k' => outermost(rooks, CastlingSide::King),
        'q' => outermost(rooks, CastlingSide::Queen),
        other => {
            let file = File::from_letter(other).ok_or(FenError::UnknownCastling(letter))?;
            Some(Square::at(file, back_rank)).filter(|&square| rooks.has(square))
        }
    };
    let rook = rook.ok_or(impossible.clone())?;
    let castling_side = CastlingSide::of(king, rook);
    let requested = match letter.to_ascii_lowercase() {
        'k' => CastlingSide::King,
        'q' => CastlingSide::Queen,
        _ => castling_side,
    };
    if castling_side == requested { Ok((colour, castling_side, rook)) } else { Err(impossible) }
}

/// Returns the rook nearest to the corner.
fn outermost(rooks: Bitboard, castling_side: CastlingSide) -> Option<Square> {
    match castling_side {
        CastlingSide::King => rooks.into_iter().last(),
        CastlingSide::Queen => rooks.into_iter().next(),
    }
}

/// Takes the en-passant square from a text. Lines of EPD may lack it: a word that is no square begins the operations if a
/// semicolon comes after it, and is otherwise left out.
fn take_en_passant(rest: &mut &str, faults: &mut Vec<FenError>) -> Option<Square> {
    let mut after = *rest;
    let field = next_field(&mut after)?;
    let square = Square::parse(field);
    if square.is_none() && field != "-" {
        if starts_with_operation(field) && rest.contains(';') {
            return None;
        }
        faults.push(FenError::UnknownEnPassant(excerpt(field)));
    }
    *rest = after;
    square
}

/// A counter: its name, its operation in EPD, and its value where none is given.
struct Counter {
    field: &'static str,
    operation: &'static str,
    default: u16,
}

const COUNTERS: [Counter; 2] = [
    Counter { field: "halfmove clock", operation: HALFMOVE_CLOCK, default: 0 },
    Counter { field: "move number", operation: FULLMOVE, default: 1 },
];

impl Counter {
    fn parse(&self, text: &str, faults: &mut Vec<FenError>) -> u16 {
        text.parse().unwrap_or_else(|_| {
            let (field, text) = (self.field, excerpt(text));
            faults.push(FenError::BadNumber { field, text, max: MAX_COUNTER });
            self.default
        })
    }
}

/// Returns whether a text starts with an operation of EPD, whose names have two letters or more.
fn starts_with_operation(text: &str) -> bool {
    let mut letters = text.trim_ascii_start().chars();
    letters.next().is_some_and(|it| it.is_ascii_alphabetic())
        && letters.next().is_some_and(|it| it.is_ascii_alphanumeric())
}

/// Parses what follows the en-passant square: two numbers, or operations of EPD, each with a semicolon
/// after it. What is wrong with them is left out.
fn parse_counters(text: &str, faults: &mut Vec<FenError>) -> [u16; 2] {
    let mut values = COUNTERS.map(|counter| counter.default);
    let mut rest = text;
    for (counter, value) in COUNTERS.iter().zip(&mut values) {
        if starts_with_operation(rest) {
            break;
        }
        if let Some(number) = next_field(&mut rest) {
            *value = counter.parse(number.trim_end_matches(';'), faults);
        }
    }
    let mut others = Vec::new();
    for operation in epd::operations(rest) {
        let (code, operand) = epd::split(operation);
        match COUNTERS.iter().position(|counter| counter.operation == code) {
            Some(index) => values[index] = COUNTERS[index].parse(operand, faults),
            None => others.push(operation),
        }
    }
    if !others.is_empty() {
        faults.push(FenError::TooManyFields(excerpt(&others.join("; "))));
    }
    values
}

impl fmt::Display for Position {
    /// Formats the position as X-FEN, or as Shredder-FEN with `{:#}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in Rank::all().rev() {
            self.write_rank(rank, f)?;
            f.write_str(if rank == Rank::new(0) { " " } else { "/" })?;
        }
        f.write_str(if self.side_to_move == Colour::White { "w " } else { "b " })?;
        self.write_castling(f)?;
        match self.en_passant {
            Some(square) => write!(f, " {square} ")?,
            None => f.write_str(" - ")?,
        }
        write!(f, "{} {}", self.halfmove_clock, self.fullmove)
    }
}

impl Position {
    fn write_rank(&self, rank: Rank, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut gap = 0;
        for file in File::all() {
            match self.piece_on(Square::at(file, rank)) {
                Some(piece) => {
                    if gap > 0 {
                        write!(f, "{gap}")?;
                    }
                    write!(f, "{}", piece.letter())?;
                    gap = 0;
                }
                None => gap += 1,
            }
        }
        if gap > 0 { write!(f, "{gap}") } else { Ok(()) }
    }

    fn write_castling(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.castling.rights.is_empty() {
            return f.write_str("-");
        }
        for colour in Colour::ALL {
            for castling_side in CastlingSide::ALL {
                let Some(rook) = self.castling.rook(colour, castling_side) else {
                    continue;
                };
                let letter = self.castling_letter(colour, castling_side, rook, f.alternate());
                let letter =
                    if colour == Colour::White { letter.to_ascii_uppercase() } else { letter };
                write!(f, "{letter}")?;
            }
        }
        Ok(())
    }

    /// Returns `k` or `q` if the rook is the outermost one, and otherwise the letter of its file.
    fn castling_letter(
        &self,
        colour: Colour,
        castling_side: CastlingSide,
        rook: Square,
        by_file: bool,
    ) -> char {
        let back_rank = Bitboard::rank(Rank::new(0).relative_to(colour));
        let rooks = self.pieces(colour, PieceType::Rook) & back_rank;
        if by_file || outermost(rooks, castling_side) != Some(rook) {
            return rook.file().letter();
        }
        match castling_side {
            CastlingSide::King => 'k',
            CastlingSide::Queen => 'q',
        }
    }
}
