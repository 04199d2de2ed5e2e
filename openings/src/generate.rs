//! New openings: random legal moves from a seed, kept where the engine's own evaluation lies in a window.
//!
//! Each candidate is a function of the recipe and its number alone. So candidates can be tried on any number of
//! threads; whoever collects them in the order of their numbers gets the same book.

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::sync::Arc;

use nullarbor::board::{KeyHistory, Position};
use nullarbor::clock::Limits;
use nullarbor::engine::Engine;
use nullarbor::search::Silent;
use nullarbor::types::{Move, PieceType, Score};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// How openings are made.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// Decides everything.
    pub seed: u64,
    /// Where a game starts.
    pub array: Array,
    /// How many random plies to play.
    pub plies: RangeInclusive<usize>,
    /// How these are chosen.
    pub moves: RandomMoves,
    /// After those, let the engine play both sides until few men are left.
    pub playout: Option<Playout>,
    /// How far one side must be ahead, in centipawns.
    pub window: RangeInclusive<i32>,
    /// Nodes of the search that says how far.
    pub nodes: u64,
}

/// The array that a game starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Array {
    /// The usual one.
    Standard,
    /// One of the 960, the same for both sides.
    Chess960,
    /// Any two of the 960, one for each side.
    DoubleChess960,
}

impl Array {
    fn start(self, rng: &mut ChaCha8Rng) -> Position {
        let mut any = || rng.random_range(0..960);
        match self {
            Self::Standard => Position::start(),
            Self::Chess960 => {
                let number = any();
                chess960_start(number, number)
            }
            Self::DoubleChess960 => chess960_start(any(), any()),
        }
    }
}

/// How random moves are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RandomMoves {
    /// Any legal move, each as likely as the others.
    Uniform,
    /// First the type of piece, by weight, then one of its moves; moves that lose material by static exchange are left
    /// out. Gives positions like those of games: fewer shuffled knights and no hanging pieces.
    ByPiece,
}

/// Weights of the piece types in [`RandomMoves::ByPiece`], pawn to king.
const PIECE_WEIGHTS: [u32; 6] = [35, 15, 15, 5, 15, 15];

impl RandomMoves {
    /// One of the legal moves; `None` where there is none.
    fn choose(self, position: &Position, rng: &mut ChaCha8Rng) -> Option<Move> {
        let legal = position.legal_moves();
        match self {
            Self::Uniform => any_of(&legal, rng),
            Self::ByPiece => {
                let safe = |mv: &&Move| position.see_at_least(**mv, 0);
                let moves: Vec<Move> = legal.iter().filter(safe).copied().collect();
                by_piece(position, &moves, rng).or_else(|| any_of(&legal, rng))
            }
        }
    }
}

/// One of some moves: first the type of piece, by [`PIECE_WEIGHTS`], then one of its moves. `None` where there are none.
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

fn any_of(moves: &[Move], rng: &mut ChaCha8Rng) -> Option<Move> {
    if moves.is_empty() { None } else { Some(moves[rng.random_range(0..moves.len())]) }
}

/// A game of the engine with itself towards an ending.
#[derive(Clone, Copy, Debug)]
pub struct Playout {
    /// Nodes for each move.
    pub nodes: u64,
    /// It ends as soon as no more men than this are on the board.
    pub men: usize,
}

/// A game that goes on for longer is given up.
const LONGEST_PLAYOUT: usize = 300;

/// An opening that was found.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The position.
    pub position: Position,
    /// Its value for the side to move.
    pub score: Score,
}

impl Candidate {
    /// The line of a book: EPD with the evaluation in centipawns (`ce`).
    pub fn line(&self, chess960: bool) -> String {
        let fen = if chess960 { format!("{:#}", self.position) } else { self.position.to_string() };
        let fields: Vec<&str> = fen.split(' ').take(4).collect();
        format!("{} ce {};", fields.join(" "), self.score.0)
    }
}

impl Recipe {
    /// Tries the candidate with this number; `None` where nothing comes of it.
    pub fn candidate(&self, number: u64, engine: &mut Engine) -> Option<Candidate> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(number);
        let start = self.array.start(&mut rng);
        let plies = rng.random_range(self.plies.clone());
        let (mut position, mut history) = random_moves(start, plies, self.moves, &mut rng)?;
        engine.new_game();
        if let Some(playout) = self.playout {
            position = playout.run(position, &mut history, engine)?;
        }
        if position.in_check() || position.ending(&history).is_some() {
            return None;
        }
        // The book keeps the position alone, so it is judged without its past.
        let position = forget_past(&position);
        engine.set_position(position.clone(), KeyHistory::new());
        let score = search(engine, self.nodes)?.1;
        let kept = !score.is_decisive() && self.window.contains(&score.0.abs());
        kept.then_some(Candidate { position, score })
    }
}

impl Playout {
    fn run(
        self,
        mut position: Position,
        history: &mut KeyHistory,
        engine: &mut Engine,
    ) -> Option<Position> {
        for _ in 0..LONGEST_PLAYOUT {
            if position.occupied().count() <= self.men {
                return Some(position);
            }
            if position.ending(history).is_some() {
                return None;
            }
            engine.set_position(position.clone(), history.clone());
            let (mv, _) = search(engine, self.nodes)?;
            history.push(position.key());
            position = position.make(mv);
        }
        None
    }
}

fn search(engine: &mut Engine, nodes: u64) -> Option<(Move, Score)> {
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let finding = engine.search(&limits, Arc::new(Silent))?;
    Some((finding.outcome.best_move(), finding.outcome.best.score))
}

fn random_moves(
    mut position: Position,
    plies: usize,
    moves: RandomMoves,
    rng: &mut ChaCha8Rng,
) -> Option<(Position, KeyHistory)> {
    let mut history = KeyHistory::new();
    for _ in 0..plies {
        let mv = moves.choose(&position, rng)?;
        history.push(position.key());
        position = position.make(mv);
    }
    Some((position, history))
}

/// The position as a book tells it, with counters at their start.
fn forget_past(position: &Position) -> Position {
    let fen = format!("{position:#}");
    let fields: Vec<&str> = fen.split(' ').take(4).collect();
    Position::from_fen(&fields.join(" ")).unwrap_or_else(|_| position.clone())
}

/// The starting position with these numbers for White and Black, 0 to 959, in the usual order (R. Scharnagl).
fn chess960_start(white: usize, black: usize) -> Position {
    let (white, black) = (chess960_rank(white).to_ascii_uppercase(), chess960_rank(black));
    let fen = format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w KQkq - 0 1");
    Position::from_fen(&fen).unwrap_or_else(|error| unreachable!("{fen}: {error}"))
}

/// The first rank of an array, in small letters.
fn chess960_rank(number: usize) -> String {
    let (light, rest) = (number % 4, number / 4);
    let (dark, rest) = (rest % 4, rest / 4);
    let (queen, knights) = (rest % 6, rest / 6);
    let mut rank = [None; 8];
    rank[light * 2 + 1] = Some('b');
    rank[dark * 2] = Some('b');
    let mut put = |man: char, nth: usize| {
        let free = (0..8).filter(|&file| rank[file].is_none()).nth(nth);
        if let Some(file) = free {
            rank[file] = Some(man);
        }
    };
    put('q', queen);
    const KNIGHTS: [(usize, usize); 10] =
        [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];
    let (first, second) = KNIGHTS[knights];
    // The higher one first: it does not move the place of the lower.
    put('n', second);
    put('n', first);
    for man in ['r', 'k', 'r'] {
        put(man, 0);
    }
    rank.iter().flatten().collect()
}

/// Keeps candidates that were not there before.
#[derive(Debug, Default)]
pub struct Collector {
    seen: HashSet<u64>,
    /// What was kept, in order.
    pub kept: Vec<Candidate>,
    /// How many were duplicates, or the same position by other moves.
    pub duplicates: usize,
}

impl Collector {
    /// Takes a candidate, in the order of their numbers.
    pub fn offer(&mut self, candidate: Candidate) {
        if self.seen.insert(candidate.position.key()) {
            self.kept.push(candidate);
        } else {
            self.duplicates += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipe() -> Recipe {
        Recipe {
            seed: 7,
            array: Array::Standard,
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
    fn a_candidate_depends_on_its_number_alone() {
        let (recipe, mut engine) = (recipe(), engine());
        let line = |number, engine: &mut Engine| {
            recipe.candidate(number, engine).map(|candidate| candidate.line(false))
        };
        let forward: Vec<_> = (0..20).map(|number| line(number, &mut engine)).collect();
        let backward: Vec<_> = (0..20).rev().map(|number| line(number, &mut engine)).collect();
        assert!(forward.iter().eq(backward.iter().rev()));
        let kept: Vec<_> = forward.iter().flatten().collect();
        assert!(kept.len() > 1 && kept.len() < 20, "{kept:?}");
        assert_ne!(kept[0], kept[1]);
    }

    #[test]
    fn kept_positions_lie_in_the_window() {
        let recipe = Recipe { window: 60..=120, ..recipe() };
        let mut engine = engine();
        let kept = (0..60).filter_map(|number| recipe.candidate(number, &mut engine));
        let scores: Vec<i32> = kept.map(|candidate| candidate.score.0.abs()).collect();
        assert!(!scores.is_empty() && scores.iter().all(|score| (60..=120).contains(score)));
    }

    #[test]
    fn playouts_end_with_few_men() {
        let playout = Some(Playout { nodes: 200, men: 12 });
        let recipe = Recipe { playout, window: 0..=1000, ..recipe() };
        let mut engine = engine();
        let found = (0..20).find_map(|number| recipe.candidate(number, &mut engine));
        assert!(found.expect("an ending").position.occupied().count() <= 12);
    }

    #[test]
    fn all_arrays_of_chess960_are_different_and_518_is_the_standard_one() {
        let all: HashSet<String> =
            (0..960).map(|number| format!("{:#}", chess960_start(number, number))).collect();
        assert_eq!(all.len(), 960);
        assert_eq!(chess960_start(518, 518), Position::start());
    }

    #[test]
    fn moves_by_piece_lose_nothing_and_keep_to_the_weights() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut counts = [0; 6];
        const MOVES: u32 = 4000;
        for _ in 0..MOVES {
            let start = Array::DoubleChess960.start(&mut rng);
            let mv = RandomMoves::ByPiece.choose(&start, &mut rng).expect("a move");
            counts[start.moved(mv).kind.index()] += 1;
        }
        // At the start pawns and knights can always move; other pieces only in some arrays, or by castling.
        let pawns = f64::from(counts[0]) / f64::from(MOVES);
        assert!((0.55..0.72).contains(&pawns), "{counts:?}");
        // The queen attacks a defended pawn and is attacked by another: it may retreat, but not take.
        let fen = "8/1pp4k/3p4/2p1Q3/3p4/8/8/4K3 w - - 0 1";
        let position = Position::from_fen(fen).expect("legal");
        for _ in 0..200 {
            let mv = RandomMoves::ByPiece.choose(&position, &mut rng).expect("a move");
            assert!(position.see_at_least(mv, 0), "{mv:?}");
        }
    }

    #[test]
    fn double_chess960_gives_each_side_an_array_of_its_own() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let fen = format!("{:#}", Array::DoubleChess960.start(&mut rng));
        let ranks: Vec<&str> = fen.split([' ', '/']).collect();
        assert_ne!(ranks[0].to_ascii_uppercase(), ranks[7], "{fen}");
    }

    #[test]
    fn duplicates_are_dropped() {
        let candidate = Candidate { position: Position::start(), score: Score(3) };
        let mut collector = Collector::default();
        collector.offer(candidate.clone());
        collector.offer(candidate);
        assert_eq!((collector.kept.len(), collector.duplicates), (1, 1));
    }
}
