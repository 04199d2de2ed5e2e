//! The rules of chess and Chess960 on bitboards.
//!
//! A [`Position`] is a value (copy-make): making a move returns the next position and leaves this
//! one unchanged. Checkers and pins are computed once per position. A [`Game`] adds the earlier
//! positions.

mod ascii;
mod bitboards;
mod epd;
mod fen;
mod game;
mod generate;
mod legality;
mod make;
mod notation;
mod perft;
mod placement;
mod repetition;
mod san;
mod see;
mod status;
#[cfg(test)]
mod tests;
mod zobrist;

pub use bitboards::Bitboards;
pub use epd::fen_of_epd;
pub use fen::FenError;
pub use game::Game;
pub use generate::GenType;
pub use legality::{Checks, Threats};
pub use notation::MoveError;
pub use perft::{divide, perft};
pub use repetition::KeyHistory;
pub use see::see_value;
pub use status::Ending;

use crate::attacks;
use crate::types::{Bitboard, Castling, Colour, Piece, PieceType, Square};
use placement::Placement;

/// A position: pieces, side to move, castling rights, en-passant square and counters.
///
/// ```
/// use nullarbor_chess::board::Position;
/// use nullarbor_chess::types::Colour;
///
/// let start = Position::start();
/// assert_eq!(start.legal_moves().len(), 20);
/// let next = start.make(start.parse_san("e4").expect("a legal move"));
/// assert_eq!(next.to_string(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
/// assert_eq!(next.side_to_move(), Colour::Black);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    placement: Placement,
    key: u64,
    checkers: Bitboard,
    pinned: Bitboard,
    castling: Castling,
    side_to_move: Colour,
    en_passant: Option<Square>,
    halfmove_clock: u16,
    plies_since_null: u16,
    fullmove: u16,
}

impl Position {
    /// The starting position of standard chess, as FEN.
    pub const START_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    /// Returns the starting position of standard chess.
    pub fn start() -> Self {
        Self::from_fen(Self::START_FEN).unwrap_or_else(|error| unreachable!("{error}"))
    }

    /// Returns the side to move.
    #[inline]
    pub fn side_to_move(&self) -> Colour {
        self.side_to_move
    }

    /// Returns the Zobrist key of the pieces, side to move, castling rights and en-passant square.
    #[inline]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Returns the Zobrist key of the pawns.
    #[inline]
    pub fn pawn_key(&self) -> u64 {
        self.placement.keys().pawns
    }

    /// Returns the Zobrist key of all pieces of one side except its pawns.
    #[inline]
    pub fn non_pawn_key(&self, colour: Colour) -> u64 {
        self.placement.keys().non_pawns[colour]
    }

    /// Returns the pieces that give check.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Returns whether the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        self.checkers.is_any()
    }

    /// Returns the pinned pieces of the side to move.
    #[inline]
    pub fn pinned(&self) -> Bitboard {
        self.pinned
    }

    /// Returns the en-passant square; `None` unless an en-passant capture is legal.
    pub fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    /// Returns the castling rights and their rooks.
    #[inline]
    pub fn castling(&self) -> &Castling {
        &self.castling
    }

    /// Returns the number of plies since the last capture or pawn move.
    #[inline]
    pub fn halfmove_clock(&self) -> usize {
        usize::from(self.halfmove_clock)
    }

    /// Returns the move number, which starts at 1 and rises after each move of Black.
    pub fn fullmove(&self) -> usize {
        usize::from(self.fullmove)
    }

    /// Returns the pieces on the board.
    #[inline]
    pub fn bitboards(&self) -> &Bitboards {
        self.placement.bitboards()
    }

    /// Returns all occupied squares.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.bitboards().occupied()
    }

    /// Returns the pieces of one side.
    #[inline]
    pub fn occupied_by(&self, colour: Colour) -> Bitboard {
        self.bitboards().occupied_by(colour)
    }

    /// Returns the pieces of one type, of both sides.
    #[inline]
    pub fn pieces_of_type(&self, kind: PieceType) -> Bitboard {
        self.bitboards().pieces_of_type(kind)
    }

    /// Returns the pieces of one side and type.
    #[inline]
    pub fn pieces(&self, colour: Colour, kind: PieceType) -> Bitboard {
        self.pieces_of_type(kind) & self.occupied_by(colour)
    }

    /// Returns the square of the king of one side.
    #[inline]
    pub fn king(&self, colour: Colour) -> Square {
        self.pieces(colour, PieceType::King).first()
    }

    /// Returns the type of the piece on a square.
    #[inline]
    pub fn piece_type_on(&self, square: Square) -> Option<PieceType> {
        self.bitboards().piece_type_on(square)
    }

    /// Returns the piece on a square.
    #[inline]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        self.bitboards().piece_on(square)
    }

    /// Returns the knights, bishops, rooks and queens of one side.
    #[inline]
    pub fn non_pawns(&self, colour: Colour) -> Bitboard {
        self.occupied_by(colour)
            .without(self.pieces_of_type(PieceType::Pawn) | self.pieces_of_type(PieceType::King))
    }

    fn diagonal_sliders(&self) -> Bitboard {
        self.pieces_of_type(PieceType::Bishop) | self.pieces_of_type(PieceType::Queen)
    }

    fn straight_sliders(&self) -> Bitboard {
        self.pieces_of_type(PieceType::Rook) | self.pieces_of_type(PieceType::Queen)
    }

    /// Returns the pieces of both sides that attack `square`, where `occupied` squares block
    /// sliders.
    #[inline]
    pub fn attackers_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let pawns = attacks::pawn(Colour::White, square) & self.occupied_by(Colour::Black)
            | attacks::pawn(Colour::Black, square) & self.occupied_by(Colour::White);
        pawns & self.pieces_of_type(PieceType::Pawn)
            | attacks::knight(square) & self.pieces_of_type(PieceType::Knight)
            | attacks::bishop(square, occupied) & self.diagonal_sliders()
            | attacks::rook(square, occupied) & self.straight_sliders()
            | attacks::king(square) & self.pieces_of_type(PieceType::King)
    }

    /// Returns the numbers of pawns, knights, bishops, rooks and queens of one side.
    #[inline]
    pub fn piece_counts(&self, colour: Colour) -> [usize; 5] {
        let own = self.occupied_by(colour);
        [0, 1, 2, 3, 4].map(|kind| (self.pieces_of_type(PieceType::ALL[kind]) & own).count())
    }

    /// Computes the checkers and the pinned pieces.
    fn find_checks_and_pins(&mut self) {
        let (us, them) = (self.side_to_move, !self.side_to_move);
        let king = self.king(us);
        let enemies = self.occupied_by(them);
        self.checkers = enemies
            & (attacks::pawn(us, king) & self.pieces_of_type(PieceType::Pawn)
                | attacks::knight(king) & self.pieces_of_type(PieceType::Knight));
        let (sliders, pinned) = self.slider_checks_and_pins(us);
        self.checkers |= sliders;
        self.pinned = pinned;
    }

    /// Returns the sliders that attack the king of one side, and the pieces of that side that are
    /// pinned to it.
    fn slider_checks_and_pins(&self, us: Colour) -> (Bitboard, Bitboard) {
        let (king, own, enemies) = (self.king(us), self.occupied_by(us), self.occupied_by(!us));
        let snipers = enemies
            & (attacks::bishop(king, enemies) & self.diagonal_sliders()
                | attacks::rook(king, enemies) & self.straight_sliders());
        let (mut checkers, mut pinned) = (Bitboard::EMPTY, Bitboard::EMPTY);
        for sniper in snipers {
            let blockers = attacks::between(king, sniper) & own;
            if blockers.is_empty() {
                checkers |= Bitboard::of(sniper);
            } else if !blockers.more_than_one() {
                pinned |= blockers;
            }
        }
        (checkers, pinned)
    }

    /// Recomputes the key from the parts.
    fn refresh_key(&mut self) {
        self.key = self.placement.keys().all
            ^ zobrist::castling(self.castling.rights)
            ^ zobrist::side(self.side_to_move)
            ^ self.en_passant.map_or(0, |square| zobrist::en_passant(square.file()));
    }
}
