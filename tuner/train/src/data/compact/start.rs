//! First positions of games: what differs from the initial array of standard chess, castling rights, and the counters.

use std::fmt::Write;

use nullarbor::board::Position;
use nullarbor::types::{
    CastlingRights, CastlingSide, Colour, File, Piece, PieceType, Rank, Square,
};

use super::streams::{Sinks, Sources};

/// The streams of first positions, from number 0 on.
mod stream {
    /// Black to move in bit 0, and castling rights above it.
    pub const STATE: usize = 0;
    /// The file of the rook of each right.
    pub const ROOKS: usize = 1;
    /// 0, or the file of an en-passant capture counted from 1.
    pub const EN_PASSANT: usize = 2;
    pub const CLOCK: usize = 3;
    pub const NUMBER: usize = 4;
    pub const NUMBER_HIGH: usize = 5;
    /// One for each rank: the files on which it differs from the initial array.
    pub const FILES: usize = 6;
    /// One for each rank: what stands there instead.
    pub const PIECES: usize = FILES + 8;
    pub const END: usize = PIECES + 8;
}

/// How many streams first positions take.
pub const STREAMS: usize = stream::END;

const BACK_RANK: [PieceType; 8] = [
    PieceType::Rook,
    PieceType::Knight,
    PieceType::Bishop,
    PieceType::Queen,
    PieceType::King,
    PieceType::Bishop,
    PieceType::Knight,
    PieceType::Rook,
];
/// Stands for an empty square; pieces follow.
const EMPTY: u8 = 0;

/// What stands on a square of the initial array.
fn initial(square: Square) -> u8 {
    let piece = |colour, kind| code(Piece::new(colour, kind));
    match square.rank().index() {
        0 => piece(Colour::White, BACK_RANK[square.file().index()]),
        1 => piece(Colour::White, PieceType::Pawn),
        6 => piece(Colour::Black, PieceType::Pawn),
        7 => piece(Colour::Black, BACK_RANK[square.file().index()]),
        _ => EMPTY,
    }
}

fn code(piece: Piece) -> u8 {
    (1 + 2 * piece.kind.index() + piece.colour.index()) as u8
}

fn letter(code: u8) -> Option<char> {
    let code = usize::from(code.checked_sub(1)?);
    let kind = PieceType::ALL.get(code / 2)?;
    Some(Piece::new(Colour::ALL[code % 2], *kind).letter())
}

/// Both wings of both sides, in the order in which rooks are written.
fn rights() -> impl Iterator<Item = (Colour, CastlingSide)> {
    Colour::ALL.into_iter().flat_map(|colour| CastlingSide::ALL.map(|wing| (colour, wing)))
}

/// Adds a first position; `None` where its counters are larger than any that can be read.
pub fn write(position: &Position, sinks: &mut Sinks) -> Option<()> {
    let [low, high] = u16::try_from(position.fullmove()).ok()?.to_le_bytes();
    sinks.push(stream::CLOCK, u8::try_from(position.halfmove_clock()).ok()?);
    sinks.push(stream::NUMBER, low);
    sinks.push(stream::NUMBER_HIGH, high);
    let castling = position.castling();
    sinks.push(stream::STATE, castling.rights.bits() << 1 | position.side_to_move().index() as u8);
    for rook in rights().filter_map(|(colour, wing)| castling.rook(colour, wing)) {
        sinks.push(stream::ROOKS, rook.file().index() as u8);
    }
    let en_passant = position.en_passant().map_or(0, |square| square.file().index() + 1);
    sinks.push(stream::EN_PASSANT, en_passant as u8);
    for rank in Rank::all() {
        let mut files = 0;
        for file in File::all() {
            let square = Square::at(file, rank);
            let code = position.piece_on(square).map_or(EMPTY, code);
            if code != initial(square) {
                files |= 1 << file.index();
                sinks.push(stream::PIECES + rank.index(), code);
            }
        }
        sinks.push(stream::FILES + rank.index(), files);
    }
    Some(())
}

/// Reads the next first position; `None` where it is none.
pub fn read(sources: &mut Sources) -> Option<Position> {
    let fen = fen(sources)?;
    Position::from_fen(&fen).ok()
}

fn fen(sources: &mut Sources) -> Option<String> {
    let mut ranks = Vec::new();
    for rank in Rank::all() {
        ranks.push(read_rank(rank, sources)?);
    }
    ranks.reverse();
    let mut fen = ranks.join("/");
    let state = sources.next(stream::STATE)?;
    let black = state & 1 != 0;
    fen.push_str(if black { " b " } else { " w " });
    fen.push_str(&read_castling(CastlingRights::from_bits(state >> 1)?, sources)?);
    match sources.next(stream::EN_PASSANT)? {
        0 => fen.push_str(" -"),
        // What Black takes stands before White's third rank.
        file => {
            let file = File::all().nth(usize::from(file) - 1)?;
            write!(fen, " {}{}", file.letter(), if black { 3 } else { 6 }).ok()?;
        }
    }
    let clock = sources.next(stream::CLOCK)?;
    let number = [sources.next(stream::NUMBER)?, sources.next(stream::NUMBER_HIGH)?];
    write!(fen, " {clock} {}", u16::from_le_bytes(number)).ok()?;
    Some(fen)
}

fn read_rank(rank: Rank, sources: &mut Sources) -> Option<String> {
    let files = sources.next(stream::FILES + rank.index())?;
    let mut text = String::new();
    for file in File::all() {
        let code = if files >> file.index() & 1 != 0 {
            sources.next(stream::PIECES + rank.index())?
        } else {
            initial(Square::at(file, rank))
        };
        // Several gaps in a row are one to whoever reads it.
        text.push(if code == EMPTY { '1' } else { letter(code)? });
    }
    Some(text)
}

fn read_castling(granted: CastlingRights, sources: &mut Sources) -> Option<String> {
    let mut text = String::new();
    for (colour, wing) in rights() {
        if granted.contains(CastlingRights::of(colour, wing)) {
            let letter = File::all().nth(sources.next(stream::ROOKS)?.into())?.letter();
            text.push(if colour == Colour::White { letter.to_ascii_uppercase() } else { letter });
        }
    }
    Some(if text.is_empty() { "-".to_owned() } else { text })
}
