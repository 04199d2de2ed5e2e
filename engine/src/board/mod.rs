//! The rules of chess and Chess960 on bitboards.
//!
//! A [`Position`] is a value: making a move gives the next one and leaves this one as it is. Checks and
//! pins are computed once, when a position comes into being.

mod ascii;
mod bitboards;
mod fen;
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
pub use fen::FenError;
pub use generate::GenType;
pub use legality::{Checks, Threats};
pub use notation::MoveError;
pub use perft::{divide, perft};
pub use repetition::KeyHistory;
pub use see::see_value;
pub use status::Ending;

use crate::attacks;
use crate::types::{Bitboard, ByColour, Castling, Colour, Piece, PieceType, Square};
use placement::Placement;

/// All that decides how a game may go on, but for the positions before.
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
    /// The position that every game of standard chess starts from.
    pub const START_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    /// The starting position of standard chess.
    ///
    /// # Panics
    /// Never: a test reads the text.
    pub fn start() -> Self {
        Self::from_fen(Self::START_FEN).unwrap_or_else(|error| unreachable!("{error}"))
    }

    /// Who is to move.
    pub fn side_to_move(&self) -> Colour {
        self.side_to_move
    }

    /// The Zobrist key of everything that matters for what may follow.
    pub fn key(&self) -> u64 {
        self.key
    }

    /// A key of the pawns alone.
    pub fn pawn_key(&self) -> u64 {
        self.placement.keys().pawns
    }

    /// A key of the pieces and king of one side.
    pub fn non_pawn_key(&self, colour: Colour) -> u64 {
        self.placement.keys().non_pawns[colour]
    }

    /// The men that give check.
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Whether the side to move is in check.
    pub fn in_check(&self) -> bool {
        self.checkers.is_any()
    }

    /// Bitboards of the side to move that shield their king from a slider.
    pub fn pinned(&self) -> Bitboard {
        self.pinned
    }

    /// Where an en-passant capture is legal.
    pub fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    /// What castling is still allowed, with which rooks.
    pub fn castling(&self) -> &Castling {
        &self.castling
    }

    /// Plies since the last capture or pawn move.
    pub fn halfmove_clock(&self) -> usize {
        usize::from(self.halfmove_clock)
    }

    /// The number of the move that FEN gives.
    pub fn fullmove(&self) -> usize {
        usize::from(self.fullmove)
    }

    /// Which men stand where.
    pub fn bitboards(&self) -> &Bitboards {
        self.placement.bitboards()
    }

    /// All occupied squares.
    pub fn occupied(&self) -> Bitboard {
        self.occupied_by(Colour::White) | self.occupied_by(Colour::Black)
    }

    /// All men of one side.
    pub fn occupied_by(&self, colour: Colour) -> Bitboard {
        self.bitboards().occupied_by(colour)
    }

    /// All men of one kind.
    pub fn pieces_of_type(&self, kind: PieceType) -> Bitboard {
        self.bitboards().pieces_of_type(kind)
    }

    /// The men of one kind and side.
    pub fn pieces(&self, colour: Colour, kind: PieceType) -> Bitboard {
        self.pieces_of_type(kind) & self.occupied_by(colour)
    }

    /// Where the king of a side stands.
    pub fn king(&self, colour: Colour) -> Square {
        self.pieces(colour, PieceType::King).first()
    }

    /// The kind of man on a square.
    pub fn piece_type_on(&self, square: Square) -> Option<PieceType> {
        self.bitboards().piece_type_on(square)
    }

    /// The man on a square.
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        self.bitboards().piece_on(square)
    }

    /// Knights, bishops, rooks and queens of a side.
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

    /// All men of both sides that attack `square`, if just `occupied` squares block.
    pub fn attackers_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let pawns = attacks::pawn(Colour::White, square) & self.occupied_by(Colour::Black)
            | attacks::pawn(Colour::Black, square) & self.occupied_by(Colour::White);
        pawns & self.pieces_of_type(PieceType::Pawn)
            | attacks::knight(square) & self.pieces_of_type(PieceType::Knight)
            | attacks::bishop(square, occupied) & self.diagonal_sliders()
            | attacks::rook(square, occupied) & self.straight_sliders()
            | attacks::king(square) & self.pieces_of_type(PieceType::King)
    }

    /// The numbers of knights, bishops, rooks and queens of both sides, and of pawns.
    pub fn piece_counts(&self, colour: Colour) -> [usize; 5] {
        let own = self.occupied_by(colour);
        [0, 1, 2, 3, 4].map(|kind| (self.pieces_of_type(PieceType::ALL[kind]) & own).count())
    }

    /// The worth in pawns of all pieces of each side; kings and pawns count nothing.
    pub fn piece_material(&self) -> ByColour<i32> {
        const WORTH: [usize; 5] = [0, 3, 3, 5, 9];
        ByColour(Colour::ALL.map(|colour| {
            let counts = self.piece_counts(colour);
            counts.iter().zip(WORTH).map(|(count, worth)| (count * worth) as i32).sum()
        }))
    }

    /// Works out who gives check and who is pinned.
    fn find_checks_and_pins(&mut self) {
        let (us, them) = (self.side_to_move, !self.side_to_move);
        let king = self.king(us);
        let enemies = self.occupied_by(them);
        self.checkers = enemies
            & (attacks::pawn(us, king) & self.pieces_of_type(PieceType::Pawn)
                | attacks::knight(king) & self.pieces_of_type(PieceType::Knight));
        self.pinned = Bitboard::EMPTY;
        let snipers = enemies
            & (attacks::bishop(king, enemies) & self.diagonal_sliders()
                | attacks::rook(king, enemies) & self.straight_sliders());
        let own = self.occupied_by(us);
        for sniper in snipers {
            let shield = attacks::between(king, sniper) & own;
            if shield.is_empty() {
                self.checkers |= Bitboard::of(sniper);
            } else if !shield.more_than_one() {
                self.pinned |= shield;
            }
        }
    }

    /// Puts the key together again after anything has changed.
    fn refresh_key(&mut self) {
        self.key = self.placement.keys().all
            ^ zobrist::castling(self.castling.rights)
            ^ zobrist::side(self.side_to_move)
            ^ self.en_passant.map_or(0, |square| zobrist::en_passant(square.file()));
    }
}
