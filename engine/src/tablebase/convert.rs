//! Between the types of this engine and those of the crate that reads the tables.

use nullarbor_chess::board::Position;
use shakmaty::{
    Bitboard as Squares, Board, ByColor, ByRole, CastlingMode, Chess, Color, Setup,
    Square as ItsSquare,
};

use super::Wdl;
use crate::types::{Colour, PieceType};

/// Converts a position without castling rights. Its counters do not matter to the tables.
pub fn convert(position: &Position) -> Option<Chess> {
    let squares = |kind| Squares(position.pieces_of_type(kind).0);
    let by_role = ByRole {
        pawn: squares(PieceType::Pawn),
        knight: squares(PieceType::Knight),
        bishop: squares(PieceType::Bishop),
        rook: squares(PieceType::Rook),
        queen: squares(PieceType::Queen),
        king: squares(PieceType::King),
    };
    let by_color = ByColor {
        white: Squares(position.occupied_by(Colour::White).0),
        black: Squares(position.occupied_by(Colour::Black).0),
    };
    let setup = Setup {
        board: Board::try_from_bitboards(by_role, by_color).ok()?,
        turn: match position.side_to_move() {
            Colour::White => Color::White,
            Colour::Black => Color::Black,
        },
        ep_square: position.en_passant().map(|square| ItsSquare::new(square.index() as u32)),
        ..Setup::empty()
    };
    setup.position(CastlingMode::Chess960).ok()
}

/// Converts an outcome.
pub fn wdl(wdl: shakmaty_syzygy::Wdl) -> Wdl {
    match wdl {
        shakmaty_syzygy::Wdl::Loss => Wdl::Loss,
        shakmaty_syzygy::Wdl::BlessedLoss => Wdl::BlessedLoss,
        shakmaty_syzygy::Wdl::Draw => Wdl::Draw,
        shakmaty_syzygy::Wdl::CursedWin => Wdl::CursedWin,
        shakmaty_syzygy::Wdl::Win => Wdl::Win,
    }
}

/// Returns a number that stands for the pieces on the board, whatever their squares.
pub fn material(position: &Position) -> u64 {
    let counts = |colour| position.piece_counts(colour).into_iter();
    let both = counts(Colour::White).chain(counts(Colour::Black));
    both.fold(0, |material, count| material << 4 | count as u64)
}
