//! A game as it is kept: viriformat (C. Bryan 2023), whole games of 4 bytes a move, by the crate of that name.

use std::io::{self, BufRead, Write};

use nullarbor::board::{FenError, Position};
use nullarbor::types::{Bitboard, CastlingSide, Colour, Move, MoveFlag, PieceType, Score, Square};
use thiserror::Error;
use viriformat::chess::board::{Board, DrawType, GameOutcome, WinType};
use viriformat::chess::chessmove::{Move as PackedMove, MoveFlags};
use viriformat::chess::piece::{
    Colour as PackedColour, Piece as PackedPiece, PieceType as PackedKind,
};
use viriformat::chess::types::Square as PackedSquare;
use viriformat::dataformat::Game;

use nullarbor_games::end::Side;

/// How a game ended, for White.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// White lost.
    Loss,
    /// Nobody won.
    Draw,
    /// White won.
    Win,
}

impl Outcome {
    /// By the winner.
    pub fn of(winner: Option<Side>) -> Self {
        match winner {
            None => Self::Draw,
            Some(Side::White) => Self::Win,
            Some(Side::Black) => Self::Loss,
        }
    }

    /// The same for somebody else: 0, a half or 1.
    pub fn points(self, colour: Colour) -> f32 {
        let white = match self {
            Self::Loss => 0.0,
            Self::Draw => 0.5,
            Self::Win => 1.0,
        };
        if colour == Colour::White { white } else { 1.0 - white }
    }
}

/// A game: where it began, what was played and how the mover saw it.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The first position.
    pub start: Position,
    /// Each move, and the value of the position before it, for the side to move.
    pub moves: Vec<(Move, Score)>,
    /// How it ended.
    pub outcome: Outcome,
}

/// Why bytes are no game.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum RecordError {
    #[error(transparent)]
    Read(io::Error),
    #[error("it is cut short")]
    Cut,
    #[error("the first position is none: {0}")]
    Start(#[from] FenError),
    #[error("the first position is damaged, or this is no viriformat")]
    Header,
    #[error("move {ply} is not legal")]
    Illegal { ply: usize },
}

impl From<io::Error> for RecordError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::Cut,
            _ => Self::Read(error),
        }
    }
}

/// Values beyond this do not fit.
const GREATEST: i32 = 32_000;

impl Record {
    /// Writes it.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn write(&self, writer: &mut impl Write) -> io::Result<()> {
        let mut game = Game::new(&packed_board(&self.start));
        let mut white = self.start.side_to_move() == Colour::White;
        for &(mv, score) in &self.moves {
            let score = score.0.clamp(-GREATEST, GREATEST) as i16;
            game.add_move(packed(mv), if white { score } else { -score });
            white = !white;
        }
        game.set_outcome(match self.outcome {
            Outcome::Win => GameOutcome::WhiteWin(WinType::Adjudication),
            Outcome::Loss => GameOutcome::BlackWin(WinType::Adjudication),
            Outcome::Draw => GameOutcome::Draw(DrawType::Adjudication),
        });
        game.serialise_into(writer)
    }

    /// Reads the next game; `None` at the end.
    ///
    /// # Errors
    /// Where it is none, or a move is not legal.
    pub fn read(reader: &mut impl BufRead) -> Result<Option<Self>, RecordError> {
        if reader.fill_buf()?.is_empty() {
            return Ok(None);
        }
        let mut header = [0; HEADER];
        reader.read_exact(&mut header)?;
        let (fen, outcome) = fen(&header).zip(outcome(&header)).ok_or(RecordError::Header)?;
        let start = Position::from_fen(&fen)?;
        let (mut position, mut moves) = (start.clone(), Vec::new());
        loop {
            let mut played = [0; 4];
            reader.read_exact(&mut played)?;
            if played == END {
                return Ok(Some(Self { start, moves, outcome }));
            }
            let [mv, score] = [[played[0], played[1]], [played[2], played[3]]];
            let mv = unpacked(u16::from_le_bytes(mv), &position);
            let mv = mv.ok_or(RecordError::Illegal { ply: moves.len() + 1 })?;
            let score = i32::from(i16::from_le_bytes(score));
            let white = position.side_to_move() == Colour::White;
            moves.push((mv, Score(if white { score } else { -score })));
            position = position.make(mv);
        }
    }

    /// Each position with the move that was made there and its value.
    pub fn positions(&self) -> impl Iterator<Item = (Position, Move, Score)> + '_ {
        let mut position = self.start.clone();
        self.moves.iter().map(move |&(mv, score)| {
            let before = position.clone();
            position = position.make(mv);
            (before, mv, score)
        })
    }
}

/// Bytes of a first position in viriformat.
const HEADER: usize = 32;
/// What follows the last move.
const END: [u8; 4] = [0; 4];

/// The first position of a game; `None` where it has pieces that there are not. The crate trusts what it reads, so it only writes.
fn fen(header: &[u8; HEADER]) -> Option<String> {
    /// The last one is a rook that may castle.
    const LETTERS: [char; 7] = ['p', 'n', 'b', 'r', 'q', 'k', 'r'];
    let (occupied, rest) = header.split_first_chunk()?;
    let mut codes = rest[..16].iter().flat_map(|byte| [byte & 15, byte >> 4]);
    let (mut board, mut castling) = (['1'; 64], String::new());
    for square in Bitboard(u64::from_le_bytes(*occupied)) {
        let code = codes.next()?;
        let cased = |letter: char| if code & 8 == 0 { letter.to_ascii_uppercase() } else { letter };
        board[square.index()] = cased(*LETTERS.get(usize::from(code & 7))?);
        if code & 7 == 6 {
            castling.push(cased(square.file().letter()));
        }
    }
    let ranks: Vec<String> = board.chunks(8).rev().map(|rank| rank.iter().collect()).collect();
    let side = if rest[16] & 0x80 == 0 { 'w' } else { 'b' };
    let castling = if castling.is_empty() { "-" } else { &castling };
    let en_passant = Square::all().nth((rest[16] & 0x7f).into());
    let en_passant = en_passant.map_or_else(|| "-".to_owned(), |square| square.to_string());
    let (clock, number) = (rest[17], u16::from_le_bytes([rest[18], rest[19]]));
    Some(format!("{} {side} {castling} {en_passant} {clock} {number}", ranks.join("/")))
}

fn outcome(header: &[u8; HEADER]) -> Option<Outcome> {
    [Outcome::Loss, Outcome::Draw, Outcome::Win].get(usize::from(header[30])).copied()
}

fn packed_board(position: &Position) -> Board {
    let mut board = Board::new();
    let colour = |colour: Colour| PackedColour::new(colour == Colour::Black);
    for square in position.occupied() {
        if let Some(piece) = position.piece_on(square) {
            let piece = PackedPiece::new(colour(piece.colour), packed_kind(piece.kind));
            board.add_piece(packed_square(square), piece);
        }
    }
    let rights = board.castling_rights_mut();
    for side in Colour::ALL {
        let rook = |wing| position.castling().rook(side, wing).map(packed_square);
        *rights.kingside_mut(colour(side)) = rook(CastlingSide::King);
        *rights.queenside_mut(colour(side)) = rook(CastlingSide::Queen);
    }
    *board.ep_sq_mut() = position.en_passant().map(packed_square);
    *board.turn_mut() = colour(position.side_to_move());
    *board.halfmove_clock_mut() = position.halfmove_clock().min(u8::MAX.into()) as u8;
    board.set_fullmove_clock(position.fullmove().min(u16::MAX.into()) as u16);
    board
}

fn packed_square(square: Square) -> PackedSquare {
    // Both count from a1, rank by rank.
    PackedSquare::new_clamped(square.index() as u8)
}

fn packed_kind(kind: PieceType) -> PackedKind {
    match kind {
        PieceType::Pawn => PackedKind::Pawn,
        PieceType::Knight => PackedKind::Knight,
        PieceType::Bishop => PackedKind::Bishop,
        PieceType::Rook => PackedKind::Rook,
        PieceType::Queen => PackedKind::Queen,
        PieceType::King => PackedKind::King,
    }
}

fn packed(mv: Move) -> PackedMove {
    let (from, to) = (packed_square(mv.from()), packed_square(mv.to()));
    match mv.promotion() {
        Some(kind) => PackedMove::new_with_promo(from, to, packed_kind(kind)),
        None if mv.is(MoveFlag::Castle) => PackedMove::new_with_flags(from, to, MoveFlags::Castle),
        None if mv.is(MoveFlag::EnPassant) => {
            PackedMove::new_with_flags(from, to, MoveFlags::EnPassant)
        }
        None => PackedMove::new(from, to),
    }
}

/// The legal move that this stands for: six bits each for from and to, two for the promotion, and two that say that it is one.
fn unpacked(mv: u16, position: &Position) -> Option<Move> {
    const PROMOTED: [PieceType; 4] =
        [PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen];
    let promotion = (mv >> 14 == 3).then(|| PROMOTED[usize::from(mv >> 12 & 3)]);
    let from_to = usize::from(mv & 0xfff);
    let same = |legal: &&Move| legal.from_to() == from_to && legal.promotion() == promotion;
    position.legal_moves().iter().find(same).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    const STARTS: [&str; 4] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        // Chess960, with a rook outside the one that may castle.
        "1rk1r3/8/8/8/8/8/8/RRK1R2R w EBeb - 0 1",
        "8/P1P3k1/8/1pP5/8/8/4K3/8 w - b6 0 20",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 3 9",
    ];

    /// A game of moves by chance.
    fn by_chance(start: &str, seed: u64) -> Record {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let start = Position::from_fen(start).expect(start);
        let (mut position, mut moves) = (start.clone(), Vec::new());
        for _ in 0..80 {
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            let mv = legal[rng.random_range(0..legal.len())];
            moves.push((mv, Score(rng.random_range(-1000..1000))));
            position = position.make(mv);
        }
        let outcome = [Outcome::Loss, Outcome::Draw, Outcome::Win][(seed % 3) as usize];
        Record { start, moves, outcome }
    }

    #[test]
    fn games_are_read_as_they_were_written() {
        let games: Vec<Record> =
            (0..40).map(|seed| by_chance(STARTS[seed as usize % 4], seed)).collect();
        let mut bytes = Vec::new();
        games.iter().for_each(|game| game.write(&mut bytes).expect("memory takes it"));
        let moves: usize = games.iter().map(|game| game.moves.len()).sum();
        assert_eq!(bytes.len(), 36 * games.len() + 4 * moves);
        let mut reader = &bytes[..];
        for game in &games {
            assert_eq!(Record::read(&mut reader).expect("a game").as_ref(), Some(game));
        }
        assert_eq!(Record::read(&mut reader).expect("the end"), None);
    }

    #[test]
    fn what_ends_in_the_middle_is_no_game() {
        let mut bytes = Vec::new();
        by_chance(STARTS[0], 1).write(&mut bytes).expect("memory takes it");
        for length in [1, 31, 33, bytes.len() - 1] {
            assert!(Record::read(&mut &bytes[..length]).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn points_are_seen_from_both_sides() {
        assert_eq!(Outcome::Win.points(Colour::White) + Outcome::Win.points(Colour::Black), 1.0);
        assert_eq!(Outcome::Draw.points(Colour::Black), 0.5);
        assert_eq!(Outcome::of(Some(Side::Black)), Outcome::Loss);
    }
}
