//! One game of self-play.

use std::sync::Arc;

use nullarbor::board::{KeyHistory, Position};
use nullarbor::clock::Limits;
use nullarbor::engine::{Engine, EngineError};
use nullarbor::eval::nnue::Network;
use nullarbor::search::Silent;
use nullarbor::types::{Colour, Move, Score};
use nullarbor_openings::Opening;
use nullarbor_openings::generate::{OpeningConfig, RandomMoves, StartPosition};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::filter::Filter;
use super::record::{Outcome, Record};
use super::settings::Settings;
use nullarbor_games::adjudication::{Adjudication, DrawRule, ResignRule, Watch};
use nullarbor_games::end::End;

/// One game out of this many is played to its end, so that won endings are seen, too.
const PLAYED_OUT: u64 = 10;
/// The others stop when no more pieces than these are left, kings included.
const FEW_PIECES: usize = 5;
/// A game that stops there is won by the side that is this far ahead, in centipawns.
const WON: i32 = 250;
/// One ply out of this many is a random move.
const RANDOM_MOVES: u64 = 20;
/// Random moves are played up to this ply after the opening.
const LAST_RANDOM_PLY: usize = 80;
/// A search whose position the filter will drop gets the nodes of a move divided by this.
const NOISY_DIVISOR: u64 = 5;
/// The transposition table, in MiB: searches are short, and it is cleared for each game.
const HASH: usize = 2;
/// Each game has this many candidates for its opening; a window that lets none of them pass is none.
const CANDIDATES: u64 = 1000;

/// When a game is adjudicated. Beyond the score at which one that is played out ends nothing is kept anyway.
fn adjudication(played_out: bool) -> Adjudication {
    let score = if played_out { Filter::default().most } else { 700 };
    Adjudication {
        draw: Some(DrawRule { move_number: 30, move_count: 6, score: 5 }),
        resign: Some(ResignRule { move_count: 3, score, two_sided: true }),
        longest: Some(250),
    }
}

/// Plays games, each by its number alone.
pub struct SelfPlayer<'a> {
    settings: &'a Settings,
    book: &'a [Opening],
    engine: Engine,
}

/// What a search says of a position.
#[derive(Clone, Copy)]
struct Searched {
    best: Move,
    /// Of the last completed iteration: never a bound.
    score: Score,
}

impl<'a> SelfPlayer<'a> {
    /// Makes a player with an engine of its own, which searches on the thread that calls [`SelfPlayer::play`].
    ///
    /// # Errors
    /// Where memory is short.
    pub fn new(
        settings: &'a Settings,
        book: &'a [Opening],
        network: &Arc<Network>,
    ) -> Result<Self, EngineError> {
        let mut engine = Engine::on_this_thread(HASH)?;
        engine.set_fifty_move_damping(false);
        engine.set_network(Arc::clone(network));
        Ok(Self { settings, book, engine })
    }

    /// Plays the game with this number; `None` where no opening was found for it.
    pub fn play(&mut self, number: u64) -> Option<Record> {
        let start = self.opening(number)?.game().into_parts().0;
        let mut rng = ChaCha8Rng::seed_from_u64(!self.settings.seed);
        rng.set_stream(number);
        let played_out = rng.random_range(0..PLAYED_OUT) == 0;
        let (mut position, mut history) = (start.clone(), KeyHistory::new());
        let (mut moves, mut watch) = (Vec::new(), Watch::new(adjudication(played_out)));
        let outcome = loop {
            let mover = position.side_to_move();
            if let Some(ending) = position.ending(&history) {
                break Outcome::of(End::by_rule(ending, mover).winner);
            }
            let Searched { best, score } = self.search(&position, &history)?;
            let is_random = moves.len() < LAST_RANDOM_PLY && rng.random_range(0..RANDOM_MOVES) == 0;
            let random = if is_random { random_move(&position, best, &mut rng) } else { None };
            let mv = random.unwrap_or(best);
            moves.push((mv, score));
            history.push(position.key());
            position = position.make(mv);
            if let Some(end) = watch.note(mover, Some(score), &position) {
                break Outcome::of(end.winner);
            }
            if !played_out && position.occupied().count() <= FEW_PIECES {
                break by_score(mover, score);
            }
        };
        Some(Record { start, moves, outcome })
    }

    /// What the engine remembers after this depends on the opening alone.
    fn opening(&mut self, number: u64) -> Option<Opening> {
        if !self.book.is_empty() {
            self.engine.new_game();
            return Some(self.book[(number % self.book.len() as u64) as usize].clone());
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
        Some(Opening::at(found.position))
    }

    fn search(&mut self, position: &Position, history: &KeyHistory) -> Option<Searched> {
        let nodes = self.settings.nodes;
        let limits = Limits {
            soft_nodes: Some(nodes),
            noisy_soft_nodes: Some(nodes / NOISY_DIVISOR),
            nodes: Some(Settings::HARD * nodes),
            ..Limits::default()
        };
        self.engine.set_position(position.clone(), history.clone());
        let outcome = self.engine.search(&limits, Arc::new(Silent)).ok()?.outcome;
        Some(Searched { best: outcome.best_move(), score: outcome.completed_score })
    }
}

/// How a game would end, going by the score of the side to move.
fn by_score(mover: Colour, score: Score) -> Outcome {
    let winner = if score.0 < 0 { !mover } else { mover };
    Outcome::of((score.0.abs() >= WON).then_some(winner.into()))
}

/// A quiet move that loses nothing by static exchange, in a position that is quiet itself: one that the filter keeps for its
/// best move must not become one that it keeps for a random one.
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

    fn settings() -> Settings {
        Settings { seed: 11, games: 40, nodes: 60, chess960: 10, ..Settings::default() }
    }

    fn games(count: u64) -> Vec<Record> {
        let settings = settings();
        let mut player =
            SelfPlayer::new(&settings, &[], Network::embedded()).expect("a small engine");
        (0..count).map(|number| player.play(number).expect("an opening")).collect()
    }

    #[test]
    fn most_games_stop_when_few_pieces_are_left_or_both_sides_see_a_winner() {
        let games = games(40);
        let longer = |game: &&Record| {
            let few = game.positions().filter(|(it, _, _)| it.occupied().count() <= FEW_PIECES);
            few.count() > 0
        };
        let played_out = games.iter().filter(longer).count();
        assert!(played_out < 10, "{played_out} of 40 games go on with few pieces");
        for game in &games {
            let run = |limit: i32| {
                let far: Vec<bool> = game.moves.iter().map(|it| it.1.0.abs() >= limit).collect();
                far.chunk_by(|a, b| a == b).filter(|it| it[0]).map(<[bool]>::len).max()
            };
            assert!(run(3000).unwrap_or(0) <= 7, "a game goes on that is won");
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
    fn games_that_stop_with_few_pieces_are_decided_by_score() {
        assert_eq!(by_score(Colour::Black, Score(WON)), Outcome::Loss);
        assert_eq!(by_score(Colour::White, Score(-WON)), Outcome::Loss);
        assert_eq!(by_score(Colour::White, Score(WON)), Outcome::Win);
        assert_eq!(by_score(Colour::White, Score(0)), Outcome::Draw);
    }
}
