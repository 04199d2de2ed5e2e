//! Encodes first positions: their differences from the standard starting position, castling rights and move counters.

use std::fmt::Write;

use nullarbor::board::Position;
use nullarbor::types::{
    CastlingRights, CastlingSide, Colour, File, Piece, PieceType, Rank, Square,
};

use super::streams::{StreamReader, StreamWriter};

/// Indices of the streams of first positions.
mod stream {
    /// Black to move in bit 0, and castling rights above it.
    pub const STATE: usize = 0;
    /// The file of the rook of each right.
    pub const ROOKS: usize = 1;
    /// 0, or the file of the en passant square counted from 1.
    pub const EN_PASSANT: usize = 2;
    pub const CLOCK: usize = 3;
    pub const NUMBER: usize = 4;
    pub const NUMBER_HIGH: usize = 5;
    /// One stream for each rank: the files on which it differs from the starting position.
    pub const FILES: usize = 6;
    /// One stream for each rank: the pieces on those files.
    pub const PIECES: usize = FILES + 8;
    pub const END: usize = PIECES + 8;
}

/// The number of streams of first positions.
pub const STREAMS: usize = stream::END;

/// The code of an empty square; those of pieces follow.
const EMPTY: u8 = 0;

/// Returns the code of a square.
fn code_on(position: &Position, square: Square) -> u8 {
    position.piece_on(square).map_or(EMPTY, code)
}

fn code(piece: Piece) -> u8 {
    (1 + 2 * piece.kind.index() + piece.colour.index()) as u8
}

fn letter(code: u8) -> Option<char> {
    let code = usize::from(code.checked_sub(1)?);
    let kind = PieceType::ALL.get(code / 2)?;
    Some(Piece::new(Colour::ALL[code % 2], *kind).letter())
}

/// Both sides of both sides, in the order in which rooks are written.
fn rights() -> impl Iterator<Item = (Colour, CastlingSide)> {
    Colour::ALL.into_iter().flat_map(|colour| CastlingSide::ALL.map(|side| (colour, side)))
}

/// Encodes a first position; `None` if a move counter is out of range.
pub fn encode(position: &Position, writer: &mut StreamWriter) -> Option<()> {
    let [low, high] = u16::try_from(position.fullmove()).ok()?.to_le_bytes();
    writer.push(stream::CLOCK, u8::try_from(position.halfmove_clock()).ok()?);
    writer.push(stream::NUMBER, low);
    writer.push(stream::NUMBER_HIGH, high);
    let castling = position.castling();
    writer.push(stream::STATE, castling.rights.bits() << 1 | position.side_to_move().index() as u8);
    for rook in rights().filter_map(|(colour, side)| castling.rook(colour, side)) {
        writer.push(stream::ROOKS, rook.file().index() as u8);
    }
    let en_passant = position.en_passant().map_or(0, |square| square.file().index() + 1);
    writer.push(stream::EN_PASSANT, en_passant as u8);
    let initial = Position::start();
    for rank in Rank::all() {
        let mut files = 0;
        for file in File::all() {
            let square = Square::at(file, rank);
            let code = code_on(position, square);
            if code != code_on(&initial, square) {
                files |= 1 << file.index();
                writer.push(stream::PIECES + rank.index(), code);
            }
        }
        writer.push(stream::FILES + rank.index(), files);
    }
    Some(())
}

/// Decodes the next first position; `None` if it is invalid.
pub fn decode(reader: &mut StreamReader) -> Option<Position> {
    let fen = fen(reader)?;
    Position::from_fen(&fen).ok()
}

fn fen(reader: &mut StreamReader) -> Option<String> {
    let initial = Position::start();
    let ranks = Rank::all().map(|rank| decode_rank(&initial, rank, reader));
    let mut ranks = ranks.collect::<Option<Vec<_>>>()?;
    ranks.reverse();
    let mut fen = ranks.join("/");
    let state = reader.next(stream::STATE)?;
    let black = state & 1 != 0;
    fen.push_str(if black { " b " } else { " w " });
    fen.push_str(&decode_castling(CastlingRights::from_bits(state >> 1)?, reader)?);
    match reader.next(stream::EN_PASSANT)? {
        0 => fen.push_str(" -"),
        // With Black to move the en passant square is on the third rank.
        file => {
            let file = File::all().nth(usize::from(file) - 1)?;
            write!(fen, " {}{}", file.letter(), if black { 3 } else { 6 }).ok()?;
        }
    }
    let clock = reader.next(stream::CLOCK)?;
    let number = [reader.next(stream::NUMBER)?, reader.next(stream::NUMBER_HIGH)?];
    write!(fen, " {clock} {}", u16::from_le_bytes(number)).ok()?;
    Some(fen)
}

fn decode_rank(initial: &Position, rank: Rank, reader: &mut StreamReader) -> Option<String> {
    let files = reader.next(stream::FILES + rank.index())?;
    let mut text = String::new();
    for file in File::all() {
        let code = if files >> file.index() & 1 != 0 {
            reader.next(stream::PIECES + rank.index())?
        } else {
            code_on(initial, Square::at(file, rank))
        };
        // The FEN parser accepts consecutive digits.
        text.push(if code == EMPTY { '1' } else { letter(code)? });
    }
    Some(text)
}

fn decode_castling(granted: CastlingRights, reader: &mut StreamReader) -> Option<String> {
    let mut text = String::new();
    for (colour, side) in rights() {
        if granted.contains(CastlingRights::of(colour, side)) {
            let letter = File::all().nth(reader.next(stream::ROOKS)?.into())?.letter();
            text.push(if colour == Colour::White { letter.to_ascii_uppercase() } else { letter });
        }
    }
    Some(if text.is_empty() { "-".to_owned() } else { text })
}
