//! One game of self-play.

use std::sync::Arc;

use nullarbor::board::{Game, Position};
use nullarbor::clock::Limits;
use nullarbor::engine::{Engine, EngineError};
use nullarbor::eval::nnue::Network;
use nullarbor::search::Silent;
use nullarbor::types::{Colour, Move, Score};
use nullarbor_openings::Opening;
use nullarbor_openings::generate::{OpeningConfig, RandomMoves, StartPosition};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::settings::SelfPlaySettings;
use crate::data::filter::Filter;
use crate::data::game_record::{GameRecord, Outcome};
use nullarbor_games::adjudication::{Adjudication, Adjudicator, DrawRule, ResignRule};
use nullarbor_games::end::End;

/// One game in this many is played to its end, so that the network also sees won endings.
const PLAYED_OUT: u64 = 10;
/// The other games end when no more than this many pieces are left, kings included.
const FEW_PIECES: usize = 5;
/// A game that ends so is won by the side whose score is at least this, in centipawns.
const WINNING_SCORE: i32 = 250;
/// One ply in this many is a random move.
const RANDOM_MOVES: u64 = 20;
/// No random move is played from this ply after the opening on.
const LAST_RANDOM_PLY: usize = 80;
/// The node limit of a search is divided by this if the filter will drop the position.
const NOISY_DIVISOR: u64 = 5;
/// The transposition table in MiB: searches are short, and it is cleared before each game.
const HASH: usize = 2;
/// Candidates for the opening of a game; if none is within the window, the game has no opening.
const CANDIDATES: u64 = 1000;

/// Returns when a game is adjudicated. A game that is played out ends at the score beyond which the filter drops all positions.
fn adjudication(played_out: bool) -> Adjudication {
    let score = if played_out { Filter::default().max_score } else { 700 };
    Adjudication {
        draw: Some(DrawRule { move_number: 30, move_count: 6, score: 5 }),
        resign: Some(ResignRule { move_count: 3, score, two_sided: true }),
        longest: Some(250),
    }
}

/// Plays games of self-play. A game depends on its number alone, not on the games before it.
pub struct SelfPlayer<'a> {
    settings: &'a SelfPlaySettings,
    book: &'a [Opening],
    engine: Engine,
}

impl<'a> SelfPlayer<'a> {
    /// Creates a player with its own engine, which searches on the thread that calls [`SelfPlayer::play`].
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(
        settings: &'a SelfPlaySettings,
        book: &'a [Opening],
        network: &Arc<Network>,
    ) -> Result<Self, EngineError> {
        let mut engine = Engine::on_this_thread(HASH)?;
        engine.set_fifty_move_damping(false);
        engine.set_network(Arc::clone(network));
        Ok(Self { settings, book, engine })
    }

    /// Plays the game with this number; `None` if it has no opening.
    pub fn play(&mut self, number: u64) -> Option<GameRecord> {
        let mut game = Game::new(self.opening(number)?);
        let mut rng = ChaCha8Rng::seed_from_u64(!self.settings.seed);
        rng.set_stream(number);
        let played_out = rng.random_range(0..PLAYED_OUT) == 0;
        let (start, mut moves) = (game.position().clone(), Vec::new());
        let mut adjudicator = Adjudicator::new(adjudication(played_out));
        let outcome = loop {
            let mover = game.position().side_to_move();
            if let Some(ending) = game.ending() {
                break Outcome::of(End::by_rule(ending, mover).winner);
            }
            let (best, score) = self.search(&game)?;
            let is_random = moves.len() < LAST_RANDOM_PLY && rng.random_range(0..RANDOM_MOVES) == 0;
            let random =
                if is_random { random_move(game.position(), best, &mut rng) } else { None };
            let mv = random.unwrap_or(best);
            moves.push((mv, score));
            game.play(mv);
            if let Some(end) = adjudicator.note(mover, Some(score), game.position()) {
                break Outcome::of(end.winner);
            }
            if !played_out && game.position().occupied().count() <= FEW_PIECES {
                break by_score(mover, score);
            }
        };
        Some(GameRecord { start, moves, outcome })
    }

    /// Returns the opening of a game. It clears the engine's memory, so that the game depends on its opening alone.
    fn opening(&mut self, number: u64) -> Option<Position> {
        if !self.book.is_empty() {
            self.engine.new_game();
            let opening = &self.book[(number % self.book.len() as u64) as usize];
            return Some(opening.game().position().clone());
        }
        let plies = self.settings.plies;
        let double = number % 100 < self.settings.chess960;
        let config = OpeningConfig {
            seed: self.settings.seed,
            start: if double { StartPosition::DoubleChess960 } else { StartPosition::Standard },
            plies: plies..=plies + 1,
            moves: RandomMoves::ByPiece,
            playout: None,
            window: 0..=self.settings.window,
            nodes: self.settings.nodes,
        };
        let first = number * CANDIDATES;
        let mut candidates = first..first + CANDIDATES;
        let found = candidates.find_map(|number| config.candidate(number, &mut self.engine))?;
        Some(found.position)
    }

    /// Returns the best move, and the score of the last completed iteration, which is never a bound.
    fn search(&mut self, game: &Game) -> Option<(Move, Score)> {
        let nodes = self.settings.nodes;
        let limits = Limits {
            soft_nodes: Some(nodes),
            noisy_soft_nodes: Some(nodes / NOISY_DIVISOR),
            nodes: Some(SelfPlaySettings::HARD_LIMIT * nodes),
            ..Limits::default()
        };
        self.engine.set_game(game.clone());
        let outcome = self.engine.search(&limits, Arc::new(Silent)).ok()?.outcome;
        Some((outcome.best_move(), outcome.completed_score))
    }
}

/// Adjudicates a game by the score of the side that moved last.
fn by_score(mover: Colour, score: Score) -> Outcome {
    let winner = if score.0 < 0 { !mover } else { mover };
    Outcome::of((score.0.abs() >= WINNING_SCORE).then_some(winner.into()))
}

/// Returns a random quiet move that loses no material by static exchange, in a position that is quiet itself: the filter must
/// keep or drop a position by its best move, not by a random one.
fn random_move(position: &Position, best: Move, rng: &mut ChaCha8Rng) -> Option<Move> {
    let is_quiet = |mv: Move| mv.is_quiet() && !mv.is_promotion();
    if position.in_check() || !is_quiet(best) {
        return None;
    }
    let safe = |mv: &&Move| is_quiet(**mv) && position.see_at_least(**mv, 0);
    let legal = position.legal_moves();
    let moves: Vec<Move> = legal.iter().filter(safe).copied().collect();
    if moves.is_empty() { None } else { Some(moves[rng.random_range(0..moves.len())]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> SelfPlaySettings {
        SelfPlaySettings {
            seed: 11,
            games: 40,
            nodes: 60,
            chess960: 10,
            ..SelfPlaySettings::default()
        }
    }

    fn games(count: u64) -> Vec<GameRecord> {
        let settings = settings();
        let mut player =
            SelfPlayer::new(&settings, &[], Network::embedded()).expect("a small engine");
        (0..count).map(|number| player.play(number).expect("an opening")).collect()
    }

    #[test]
    fn most_games_end_with_few_pieces_or_a_decisive_score() {
        let games = games(40);
        let longer = |game: &&GameRecord| {
            let few = game.positions().filter(|(it, _, _)| it.occupied().count() <= FEW_PIECES);
            few.count() > 0
        };
        let played_out = games.iter().filter(longer).count();
        assert!(played_out < 10, "{played_out} of 40 games are played on with few pieces");
        for game in &games {
            let run = |limit: i32| {
                let far: Vec<bool> = game.moves.iter().map(|it| it.1.0.abs() >= limit).collect();
                far.chunk_by(|a, b| a == b).filter(|it| it[0]).map(<[bool]>::len).max()
            };
            assert!(run(3000).unwrap_or(0) <= 7, "a won game is played on");
        }
    }

    #[test]
    fn a_game_depends_on_its_number_alone() {
        let settings = settings();
        let mut player =
            SelfPlayer::new(&settings, &[], Network::embedded()).expect("a small engine");
        let third = player.play(3).expect("an opening");
        assert_eq!(games(4)[3], third);
    }

    #[test]
    fn random_moves_are_quiet_and_safe_in_quiet_positions() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let position = Position::from_fen("8/1pp4k/3p4/2p1Q3/3p4/8/6P1/4K3 w - - 0 1");
        let position = position.expect("legal");
        assert_eq!(
            random_move(&position, position.parse_uci("e5d6").expect("legal"), &mut rng),
            None
        );
        let quiet = position.parse_uci("g2g3").expect("legal");
        for _ in 0..100 {
            let mv = random_move(&position, quiet, &mut rng).expect("there are many");
            assert!(mv.is_quiet() && position.see_at_least(mv, 0), "{mv:?}");
        }
        let check = Position::from_fen("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1").expect("legal");
        let evades = check.parse_uci("e1d1").expect("legal");
        assert_eq!(random_move(&check, evades, &mut rng), None);
    }

    #[test]
    fn games_that_end_with_few_pieces_are_adjudicated_by_score() {
        assert_eq!(by_score(Colour::Black, Score(WINNING_SCORE)), Outcome::Loss);
        assert_eq!(by_score(Colour::White, Score(-WINNING_SCORE)), Outcome::Loss);
        assert_eq!(by_score(Colour::White, Score(WINNING_SCORE)), Outcome::Win);
        assert_eq!(by_score(Colour::White, Score(0)), Outcome::Draw);
    }
}
