//! Generates openings: random legal moves, accepted if the score of a search lies in a window.
//!
//! Each candidate is a function of the configuration and its number. So candidates can be tried on
//! any number of threads, and collecting them in the order of their numbers gives the same book.

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::sync::Arc;

use nullarbor_chess::board::{Game, Position};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::clock::Limits;
use crate::engine::Engine;
use crate::search::Silent;
use crate::types::{Move, PieceType, Score};

/// The settings by which openings are generated.
#[derive(Clone, Debug)]
pub struct OpeningConfig {
    /// The seed of all random choices.
    pub seed: u64,
    /// The position that a game starts from.
    pub start: StartPosition,
    /// The number of random plies, drawn from this range.
    pub plies: RangeInclusive<usize>,
    /// Choice of the random moves.
    pub moves: RandomMoves,
    /// Self-play after the random moves, until few pieces are left.
    pub playout: Option<Playout>,
    /// The accepted absolute score, in centipawns.
    pub window: RangeInclusive<i32>,
    /// Nodes of the search that gives the score.
    pub nodes: u64,
}

/// The position that a game starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartPosition {
    /// The starting position of standard chess.
    Standard,
    /// One of the 960 positions of Chess960.
    Chess960,
    /// Double Chess960: a back rank of its own for each side, 960 x 960 positions.
    DoubleChess960,
}

impl StartPosition {
    fn position(self, rng: &mut ChaCha8Rng) -> Position {
        let mut number = || rng.random_range(0..960);
        match self {
            Self::Standard => Position::start(),
            Self::Chess960 => {
                let number = number();
                chess960_start(number, number)
            }
            Self::DoubleChess960 => chess960_start(number(), number()),
        }
    }
}

/// The choice of random moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RandomMoves {
    /// Every legal move with the same probability.
    Uniform,
    /// First a piece type, by weight, then one of its moves; moves that lose material by SEE are
    /// left out. The positions resemble those of games: fewer shuffled knights and no hanging
    /// pieces.
    ByPiece,
    /// Moves that short searches find good, the better the likelier: positions as openings of games reach them.
    Natural,
}

/// Nodes of the search of each move in [`RandomMoves::Natural`].
const NATURAL_NODES: u64 = 40;
/// A natural move is worse than the best by at most this, in centipawns; its weight falls as a square to 0 beyond.
const NATURAL_WINDOW: i32 = 60;

/// The weights of the piece types in [`RandomMoves::ByPiece`], pawn to king.
const PIECE_WEIGHTS: [u32; 6] = [35, 15, 15, 5, 15, 15];

impl RandomMoves {
    /// Chooses a legal move; `None` if there is none.
    fn choose(self, game: &Game, engine: &mut Engine, rng: &mut ChaCha8Rng) -> Option<Move> {
        let position = game.position();
        let legal = position.legal_moves();
        match self {
            Self::Uniform => any_of(&legal, rng),
            Self::Natural => natural(game, engine, rng),
            Self::ByPiece => {
                let safe = |mv: &&Move| position.see_at_least(**mv, 0);
                let moves: Vec<Move> = legal.iter().filter(safe).copied().collect();
                by_piece(position, &moves, rng).or_else(|| any_of(&legal, rng))
            }
        }
    }
}

/// Chooses one of `moves`: first the piece type, by [`PIECE_WEIGHTS`], then one of its moves.
fn by_piece(position: &Position, moves: &[Move], rng: &mut ChaCha8Rng) -> Option<Move> {
    let of_type = |kind: PieceType| {
        let same = |mv: &&Move| position.moved(**mv).kind == kind;
        moves.iter().filter(same).copied().collect::<Vec<_>>()
    };
    let groups = PieceType::ALL.map(of_type);
    let weighted = || PIECE_WEIGHTS.iter().zip(&groups).filter(|(_, group)| !group.is_empty());
    let total: u32 = weighted().map(|(weight, _)| weight).sum();
    if total == 0 {
        return None;
    }
    let mut drawn = rng.random_range(0..total);
    for (&weight, group) in weighted() {
        if drawn < weight {
            return any_of(group, rng);
        }
        drawn -= weight;
    }
    None
}

/// Chooses a move by the scores of short searches after each.
fn natural(game: &Game, engine: &mut Engine, rng: &mut ChaCha8Rng) -> Option<Move> {
    let mut scored = Vec::new();
    for &mv in game.position().legal_moves().iter() {
        let mut after = game.clone();
        after.play(mv);
        // A move that ends the game is no opening.
        if after.ending().is_none() {
            engine.set_game(after);
            scored.push((mv, -search(engine, NATURAL_NODES)?.1));
        }
    }
    let best = scored.iter().map(|&(_, score)| score).max()?;
    let weight = |score: Score| (NATURAL_WINDOW + 1 - (best.0 - score.0)).max(0).pow(2);
    let mut drawn = rng.random_range(0..scored.iter().map(|&(_, score)| weight(score)).sum());
    let chosen = scored.iter().find(|&&(_, score)| {
        drawn -= weight(score);
        drawn < 0
    });
    chosen.map(|&(mv, _)| mv)
}

fn any_of(moves: &[Move], rng: &mut ChaCha8Rng) -> Option<Move> {
    if moves.is_empty() { None } else { Some(moves[rng.random_range(0..moves.len())]) }
}

/// Self-play from an opening to a position with few pieces.
#[derive(Clone, Copy, Debug)]
pub struct Playout {
    /// Nodes per move.
    pub nodes: u64,
    /// The playout ends when at most this many pieces are left.
    pub pieces: usize,
}

/// The maximum length of a playout in plies.
const MAX_PLAYOUT: usize = 300;

/// An accepted opening.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The position.
    pub position: Position,
    /// Score for the side to move.
    pub score: Score,
}

impl Candidate {
    /// Returns the line of a book: EPD with the score in centipawns (`ce`).
    pub fn line(&self, chess960: bool) -> String {
        let fen = if chess960 { format!("{:#}", self.position) } else { self.position.to_string() };
        let fields: Vec<&str> = fen.split(' ').take(4).collect();
        format!("{} ce {};", fields.join(" "), self.score.0)
    }
}

impl OpeningConfig {
    /// Generates the candidate with this number; `None` if it is rejected.
    pub fn candidate(&self, number: u64, engine: &mut Engine) -> Option<Candidate> {
        self.candidate_from(|rng| self.start.position(rng), number, engine)
    }

    /// Generates the candidate with this number from a random position of a book instead of the
    /// start position. Without a position there is no candidate.
    pub fn candidate_of_book(
        &self,
        book: &[Position],
        number: u64,
        engine: &mut Engine,
    ) -> Option<Candidate> {
        let last = book.len().checked_sub(1)?;
        self.candidate_from(|rng| book[rng.random_range(0..=last)].clone(), number, engine)
    }

    fn candidate_from(
        &self,
        start: impl FnOnce(&mut ChaCha8Rng) -> Position,
        number: u64,
        engine: &mut Engine,
    ) -> Option<Candidate> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(number);
        let start = start(&mut rng);
        let plies = rng.random_range(self.plies.clone());
        if self.moves == RandomMoves::Natural {
            // Its searches depend on the candidate alone.
            engine.new_game();
        }
        let mut game = random_game(start, plies, self.moves, engine, &mut rng)?;
        engine.new_game();
        if let Some(playout) = self.playout {
            playout.run(&mut game, engine)?;
        }
        if game.position().in_check() || game.ending().is_some() {
            return None;
        }
        // The book stores the position only, so it is searched without its history.
        let position = without_counters(game.position());
        engine.set_game(Game::new(position.clone()));
        let score = search(engine, self.nodes)?.1;
        let accepted = !score.is_decisive() && self.window.contains(&score.0.abs());
        accepted.then_some(Candidate { position, score })
    }
}

impl Playout {
    /// Plays the game on; `None` if it ends or takes too long.
    fn run(self, game: &mut Game, engine: &mut Engine) -> Option<()> {
        for _ in 0..MAX_PLAYOUT {
            if game.position().occupied().count() <= self.pieces {
                return Some(());
            }
            if game.ending().is_some() {
                return None;
            }
            engine.set_game(game.clone());
            let (mv, _) = search(engine, self.nodes)?;
            game.play(mv);
        }
        None
    }
}

fn search(engine: &mut Engine, nodes: u64) -> Option<(Move, Score)> {
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let finding = engine.search(&limits, Arc::new(Silent)).ok()?;
    Some((finding.outcome.best_move(), finding.outcome.best.score))
}

/// Plays random moves; `None` if there is no legal move.
fn random_game(
    start: Position,
    plies: usize,
    moves: RandomMoves,
    engine: &mut Engine,
    rng: &mut ChaCha8Rng,
) -> Option<Game> {
    let mut game = Game::new(start);
    for _ in 0..plies {
        let mv = moves.choose(&game, engine, rng)?;
        game.play(mv);
    }
    Some(game)
}

/// Returns the position as a book stores it, with its counters reset.
fn without_counters(position: &Position) -> Position {
    let fen = format!("{position:#}");
    let fields: Vec<&str> = fen.split(' ').take(4).collect();
    Position::from_fen(&fields.join(" ")).unwrap_or_else(|_| position.clone())
}

/// Returns the start position with these numbers for White and Black, 0 to 959 (R. Scharnagl's
/// numbering).
fn chess960_start(white: usize, black: usize) -> Position {
    let (white, black) = (chess960_rank(white).to_ascii_uppercase(), chess960_rank(black));
    let fen = format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w KQkq - 0 1");
    Position::from_fen(&fen).unwrap_or_else(|error| unreachable!("{fen}: {error}"))
}

/// Returns a back rank in lower-case letters.
fn chess960_rank(number: usize) -> String {
    let (light, rest) = (number % 4, number / 4);
    let (dark, rest) = (rest % 4, rest / 4);
    let (queen, knights) = (rest % 6, rest / 6);
    let mut rank = [None; 8];
    rank[light * 2 + 1] = Some('b');
    rank[dark * 2] = Some('b');
    let mut put = |piece: char, nth: usize| {
        let free = (0..8).filter(|&file| rank[file].is_none()).nth(nth);
        if let Some(file) = free {
            rank[file] = Some(piece);
        }
    };
    put('q', queen);
    const KNIGHTS: [(usize, usize); 10] =
        [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];
    let (first, second) = KNIGHTS[knights];
    // The higher one first, so that the index of the lower one stays valid.
    put('n', second);
    put('n', first);
    for piece in ['r', 'k', 'r'] {
        put(piece, 0);
    }
    rank.iter().flatten().collect()
}

/// Collects candidates without duplicates.
#[derive(Debug, Default)]
pub struct Collector {
    seen: HashSet<u64>,
    /// The collected candidates, in order.
    pub openings: Vec<Candidate>,
    /// The number of duplicates, including the same position by other moves.
    pub duplicates: usize,
}

impl Collector {
    /// Adds a candidate unless it is a duplicate, and returns whether it did; call it in the order of the numbers.
    pub fn offer(&mut self, candidate: Candidate) -> bool {
        let is_new = self.seen.insert(candidate.position.key());
        if is_new {
            self.openings.push(candidate);
        } else {
            self.duplicates += 1;
        }
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> OpeningConfig {
        OpeningConfig {
            seed: 7,
            start: StartPosition::Standard,
            plies: 8..=9,
            moves: RandomMoves::Uniform,
            playout: None,
            window: 0..=100,
            nodes: 500,
        }
    }

    fn engine() -> Engine {
        Engine::new(1, 1).expect("a small engine")
    }

    #[test]
    fn a_candidate_is_a_function_of_its_number() {
        let (config, mut engine) = (config(), engine());
        let line = |number, engine: &mut Engine| {
            config.candidate(number, engine).map(|candidate| candidate.line(false))
        };
        let forward: Vec<_> = (0..20).map(|number| line(number, &mut engine)).collect();
        let backward: Vec<_> = (0..20).rev().map(|number| line(number, &mut engine)).collect();
        assert!(forward.iter().eq(backward.iter().rev()));
        let kept: Vec<_> = forward.iter().flatten().collect();
        assert!(kept.len() > 1 && kept.len() < 20, "{kept:?}");
        assert_ne!(kept[0], kept[1]);
    }

    #[test]
    fn accepted_scores_lie_in_the_window() {
        let config = OpeningConfig { window: 60..=120, ..config() };
        let mut engine = engine();
        let kept = (0..60).filter_map(|number| config.candidate(number, &mut engine));
        let scores: Vec<i32> = kept.map(|candidate| candidate.score.0.abs()).collect();
        assert!(!scores.is_empty() && scores.iter().all(|score| (60..=120).contains(score)));
    }

    #[test]
    fn playouts_end_with_few_pieces() {
        let playout = Some(Playout { nodes: 200, pieces: 12 });
        let config = OpeningConfig { playout, window: 0..=1000, ..config() };
        let mut engine = engine();
        let found = (0..20).find_map(|number| config.candidate(number, &mut engine));
        assert!(found.expect("an ending").position.occupied().count() <= 12);
    }

    #[test]
    fn chess960_positions_differ_and_518_is_the_standard_one() {
        let all: HashSet<String> =
            (0..960).map(|number| format!("{:#}", chess960_start(number, number))).collect();
        assert_eq!(all.len(), 960);
        assert_eq!(chess960_start(518, 518), Position::start());
    }

    #[test]
    fn moves_by_piece_lose_no_material_and_follow_the_weights() {
        let (mut rng, mut engine) = (ChaCha8Rng::seed_from_u64(3), engine());
        let mut counts = [0; 6];
        const MOVES: u32 = 4000;
        for _ in 0..MOVES {
            let start = StartPosition::DoubleChess960.position(&mut rng);
            let game = Game::new(start.clone());
            let mv = RandomMoves::ByPiece.choose(&game, &mut engine, &mut rng).expect("a move");
            counts[start.moved(mv).kind.index()] += 1;
        }
        // At the start pawns and knights can always move, other pieces only in some positions.
        let pawns = f64::from(counts[0]) / f64::from(MOVES);
        assert!((0.55..0.72).contains(&pawns), "{counts:?}");
        // The queen attacks a defended pawn and is attacked by another: it may retreat, but not
        // take.
        let fen = "8/1pp4k/3p4/2p1Q3/3p4/8/8/4K3 w - - 0 1";
        let position = Position::from_fen(fen).expect("legal");
        let game = Game::new(position.clone());
        for _ in 0..200 {
            let mv = RandomMoves::ByPiece.choose(&game, &mut engine, &mut rng).expect("a move");
            assert!(position.see_at_least(mv, 0), "{mv:?}");
        }
    }

    #[test]
    fn natural_moves_are_good_and_differ() {
        let (mut rng, mut engine) = (ChaCha8Rng::seed_from_u64(3), engine());
        // The queen hangs: only moves that save it are near the best.
        let fen = "rnb1kbnr/ppp1pppp/8/3q4/8/2N5/PPPP1PPP/R1BQKBNR b KQkq - 1 3";
        let game = Game::new(Position::from_fen(fen).expect("legal"));
        let mut draw = || RandomMoves::Natural.choose(&game, &mut engine, &mut rng);
        let drawn: Vec<Move> = (0..30).map(|_| draw().expect("a move")).collect();
        assert!(drawn.iter().all(|mv| game.position().moved(*mv).kind == PieceType::Queen));
        assert!(drawn.iter().any(|mv| *mv != drawn[0]));
    }

    #[test]
    fn double_chess960_gives_each_side_its_own_back_rank() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let fen = format!("{:#}", StartPosition::DoubleChess960.position(&mut rng));
        let ranks: Vec<&str> = fen.split([' ', '/']).collect();
        assert_ne!(ranks[0].to_ascii_uppercase(), ranks[7], "{fen}");
    }

    #[test]
    fn a_book_gives_the_start() {
        let config = OpeningConfig { plies: 0..=0, window: 0..=30_000, ..config() };
        let fen = "4k3/pp6/8/8/8/8/PPP5/4K3 w - - 0 1";
        let book = [Position::from_fen(fen).expect("legal")];
        let mut engine = engine();
        let found = config.candidate_of_book(&book, 5, &mut engine).expect("it is accepted");
        assert_eq!(found.position.to_string(), fen);
        assert!(config.candidate_of_book(&[], 5, &mut engine).is_none());
    }

    #[test]
    fn duplicates_are_dropped() {
        let candidate = Candidate { position: Position::start(), score: Score(3) };
        let mut collector = Collector::default();
        collector.offer(candidate.clone());
        collector.offer(candidate);
        assert_eq!((collector.openings.len(), collector.duplicates), (1, 1));
    }
}
