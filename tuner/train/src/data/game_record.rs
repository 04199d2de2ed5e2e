//! A game with the score of each move, and its encoding as viriformat.
//!
//! Viriformat (C. Bryan 2023, of the engine Viridithas; bullet and other trainers read it) stores whole games: 32 bytes of first
//! position and 4 bytes for each move. Writing uses the crate `viriformat`; reading is done here and checks every move.

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

use super::filter::Filter;
use nullarbor_games::end::Side;

/// The result of a game from White's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// White lost.
    Loss,
    /// A draw.
    Draw,
    /// White won.
    Win,
}

impl Outcome {
    /// Returns the outcome of a game with this winner.
    pub fn of(winner: Option<Side>) -> Self {
        match winner {
            None => Self::Draw,
            Some(Side::White) => Self::Win,
            Some(Side::Black) => Self::Loss,
        }
    }

    /// Returns the outcome that files write as this number.
    pub fn from_code(code: u8) -> Option<Self> {
        [Self::Loss, Self::Draw, Self::Win].get(usize::from(code)).copied()
    }

    /// Returns the result as `colour` sees it: 0, 0.5 or 1.
    pub fn points(self, colour: Colour) -> f32 {
        let white = match self {
            Self::Loss => 0.0,
            Self::Draw => 0.5,
            Self::Win => 1.0,
        };
        if colour == Colour::White { white } else { 1.0 - white }
    }
}

/// A game: its first position, its moves with their scores, and its outcome.
///
/// ```
/// use nullarbor::board::Position;
/// use nullarbor::types::Score;
/// use nullarbor_train::data::game_record::{GameRecord, Outcome};
///
/// let start = Position::start();
/// let moves = vec![(start.parse_uci("e2e4")?, Score(31))];
/// let game = GameRecord { start, moves, outcome: Outcome::Draw };
/// let mut bytes = Vec::new();
/// game.write(&mut bytes)?;
/// assert_eq!(bytes.len(), 32 + 4 + 4);
/// assert_eq!(GameRecord::read(&mut &bytes[..])?, Some(game));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GameRecord {
    /// The position after the opening.
    pub start: Position,
    /// Each move, and the score of the position before it for the side to move; [`Score::NONE`] if it is not to be trained on.
    pub moves: Vec<(Move, Score)>,
    /// The result.
    pub outcome: Outcome,
}

/// Why bytes cannot be decoded as a game of viriformat.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum ViriformatError {
    #[error(transparent)]
    Read(io::Error),
    #[error("the file ends within a game")]
    Truncated,
    #[error("invalid first position: {0}")]
    Start(#[from] FenError),
    #[error("the first position is damaged, or the file is not viriformat")]
    Header,
    #[error("move {ply} is illegal")]
    Illegal { ply: usize },
}

impl From<io::Error> for ViriformatError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::Truncated,
            _ => Self::Read(error),
        }
    }
}

/// Larger scores are clamped to this: the format has 16 bits for a score.
const MAX_SCORE: i32 = 32_000;
/// In place of a score: the position has none. Readers that do not know it take it for a mate, which is not trained on.
const UNSCORED: i16 = i16::MAX;

impl GameRecord {
    /// Writes the game as viriformat.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn write(&self, writer: &mut impl Write) -> io::Result<()> {
        let mut game = Game::new(&packed_board(&self.start));
        let mut white = self.start.side_to_move() == Colour::White;
        for &(mv, score) in &self.moves {
            let clamped = score.0.clamp(-MAX_SCORE, MAX_SCORE) as i16;
            let stored = match score {
                Score::NONE => UNSCORED,
                _ if white => clamped,
                _ => -clamped,
            };
            game.add_move(packed(mv), stored);
            white = !white;
        }
        game.set_outcome(match self.outcome {
            Outcome::Win => GameOutcome::WhiteWin(WinType::Adjudication),
            Outcome::Loss => GameOutcome::BlackWin(WinType::Adjudication),
            Outcome::Draw => GameOutcome::Draw(DrawType::Adjudication),
        });
        game.serialise_into(writer)
    }

    /// Reads the next game of viriformat; `None` at the end of the input.
    ///
    /// # Errors
    /// If the bytes are not a game, or a move is illegal.
    pub fn read(reader: &mut impl BufRead) -> Result<Option<Self>, ViriformatError> {
        if reader.fill_buf()?.is_empty() {
            return Ok(None);
        }
        let mut header = [0; HEADER];
        reader.read_exact(&mut header)?;
        let (fen, outcome) =
            fen(&header).zip(Outcome::from_code(header[30])).ok_or(ViriformatError::Header)?;
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
            let mv = mv.ok_or(ViriformatError::Illegal { ply: moves.len() + 1 })?;
            let white = position.side_to_move() == Colour::White;
            let score = match i16::from_le_bytes(score) {
                UNSCORED => Score::NONE,
                score if white => Score(score.into()),
                score => -Score(score.into()),
            };
            moves.push((mv, score));
            position = position.make(mv);
        }
    }

    /// Returns each position with the move that was played there and the score.
    pub fn positions(&self) -> impl Iterator<Item = (Position, Move, Score)> + '_ {
        let mut position = self.start.clone();
        self.moves.iter().map(move |&(mv, score)| {
            let before = position.clone();
            position = position.make(mv);
            (before, mv, score)
        })
    }

    /// Returns the positions that a filter keeps, each with its score.
    pub fn kept_by(&self, filter: &Filter) -> impl Iterator<Item = (Position, Score)> {
        let numbered = self.positions().enumerate();
        numbered.filter_map(|(ply, (position, mv, score))| {
            filter.keeps(ply, &position, mv, score).then_some((position, score))
        })
    }
}

/// Bytes of a first position.
const HEADER: usize = 32;
/// The bytes that follow the last move.
const END: [u8; 4] = [0; 4];

/// Returns the first position of a game as FEN; `None` if it has an unknown piece. The crate `viriformat` does not validate what
/// it reads, so only its writer is used.
fn fen(header: &[u8; HEADER]) -> Option<String> {
    /// The last code is a rook with a castling right.
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
    // Both number squares from a1, rank by rank.
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

/// Decodes a move: six bits each for its origin and target, two for the promoted piece and two flags. `None` if no legal move is
/// encoded so.
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

    /// A game of random moves.
    fn random_game(start: &str, seed: u64) -> GameRecord {
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
        GameRecord { start, moves, outcome }
    }

    #[test]
    fn games_are_read_as_they_were_written() {
        let games: Vec<GameRecord> =
            (0..40).map(|seed| random_game(STARTS[seed as usize % 4], seed)).collect();
        let mut bytes = Vec::new();
        games.iter().for_each(|game| game.write(&mut bytes).expect("written to memory"));
        let moves: usize = games.iter().map(|game| game.moves.len()).sum();
        assert_eq!(bytes.len(), 36 * games.len() + 4 * moves);
        let mut reader = &bytes[..];
        for game in &games {
            assert_eq!(GameRecord::read(&mut reader).expect("a game").as_ref(), Some(game));
        }
        assert_eq!(GameRecord::read(&mut reader).expect("the end"), None);
    }

    #[test]
    fn truncated_games_are_refused() {
        let mut bytes = Vec::new();
        random_game(STARTS[0], 1).write(&mut bytes).expect("written to memory");
        for length in [1, 31, 33, bytes.len() - 1] {
            assert!(GameRecord::read(&mut &bytes[..length]).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn results_are_seen_from_both_sides() {
        assert_eq!(Outcome::Win.points(Colour::White) + Outcome::Win.points(Colour::Black), 1.0);
        assert_eq!(Outcome::Draw.points(Colour::Black), 0.5);
        assert_eq!(Outcome::of(Some(Side::Black)), Outcome::Loss);
    }
}
