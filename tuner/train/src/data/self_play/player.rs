//! One game of self-play.

use std::sync::Arc;

use nullarbor::board::{Game, Position};
use nullarbor::clock::Limits;
use nullarbor::engine::{Engine, EngineError};
use nullarbor::openings::{OpeningConfig, RandomMoves, StartPosition};
use nullarbor::search::Silent;
use nullarbor::types::{Move, Score};
use nullarbor_openings::Opening;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::evaluation::Evaluation;
use crate::data::game_record::{GameRecord, Outcome};
use crate::data::settings::SelfPlaySettings;
use nullarbor_games::adjudication::{Adjudication, Adjudicator, DrawRule, ResignRule};
use nullarbor_games::end::End;
use nullarbor_games::tablebases::TableRule;

/// Adjudication, late in a game. How often playing on would change the result: engine/NETWORK.md, "Resignation".
const ADJUDICATION: Adjudication = Adjudication {
    draw: Some(DrawRule { move_number: 50, move_count: 10, score: 3 }),
    resign: Some(ResignRule { move_count: 3, score: 1500, two_sided: true }),
    longest: Some(250),
};
/// The node limit of a search is divided by this if the filter will drop the position.
const NOISY_DIVISOR: u64 = 5;
/// Candidates for the opening of a game; if none is within the window, the game has no opening.
const CANDIDATES: u64 = 1000;
/// Plies of a natural opening.
const NATURAL_PLIES: std::ops::RangeInclusive<usize> = 6..=14;

/// Plays games of self-play. A game depends on its number alone, not on the games before it.
pub struct SelfPlayer<'a> {
    settings: &'a SelfPlaySettings,
    book: &'a [Opening],
    tables: Option<&'a TableRule>,
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
        tables: Option<&'a TableRule>,
        evaluation: &Evaluation,
    ) -> Result<Self, EngineError> {
        Ok(Self { settings, book, tables, engine: evaluation.engine()? })
    }

    /// Plays the game with this number; `None` if it has no opening.
    pub fn play(&mut self, number: u64) -> Option<GameRecord> {
        let mut rng = ChaCha8Rng::seed_from_u64(!self.settings.seed);
        rng.set_stream(number);
        let is_natural = rng.random_range(0..100) < self.settings.natural;
        let mut game = Game::new(self.opening(number, is_natural)?);
        let (start, mut moves) = (game.position().clone(), Vec::new());
        let mut adjudicator = Adjudicator::new(ADJUDICATION);
        let outcome = loop {
            let mover = game.position().side_to_move();
            let by_rule = game.ending().map(|ending| End::by_rule(ending, mover));
            let by_tables = || self.tables.and_then(|tables| tables.end(game.position()));
            if let Some(end) = by_rule.or_else(by_tables) {
                break Outcome::of(end.winner);
            }
            let is_quick = rng.random_range(0..100) < self.settings.quick;
            let nodes = if is_quick { self.settings.quick_nodes() } else { self.settings.nodes };
            let (best, score) = search(&mut self.engine, &game, nodes)?;
            moves.push((best, if is_quick { Score::NONE } else { score }));
            game.play(best);
            if let Some(end) = adjudicator.note(mover, Some(score), game.position()) {
                break Outcome::of(end.winner);
            }
        };
        Some(GameRecord { start, moves, outcome })
    }

    /// Returns the opening of a game. It clears the engine's memory, so that the game depends on its opening alone.
    fn opening(&mut self, number: u64, is_natural: bool) -> Option<Position> {
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
            plies: if is_natural { NATURAL_PLIES } else { plies..=plies + 1 },
            moves: if is_natural { RandomMoves::Natural } else { RandomMoves::ByPiece },
            playout: None,
            window: 0..=self.settings.window,
            nodes: self.settings.nodes,
        };
        let first = number * CANDIDATES;
        let mut candidates = first..first + CANDIDATES;
        let found = candidates.find_map(|number| config.candidate(number, &mut self.engine))?;
        Some(found.position)
    }
}

/// Returns the best move, and the score of the last completed iteration, which is never a bound.
pub fn search(engine: &mut Engine, game: &Game, nodes: u64) -> Option<(Move, Score)> {
    let limits = Limits {
        soft_nodes: Some(nodes),
        noisy_soft_nodes: Some(nodes / NOISY_DIVISOR),
        nodes: Some(SelfPlaySettings::HARD_LIMIT * nodes),
        ..Limits::default()
    };
    engine.set_game(game.clone());
    let outcome = engine.search(&limits, Arc::new(Silent)).ok()?.outcome;
    Some((outcome.best_move(), outcome.completed_score))
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

    fn built_in() -> Evaluation {
        Evaluation::open(None).expect("built in")
    }

    fn games(settings: &SelfPlaySettings, count: u64) -> Vec<GameRecord> {
        let mut player = SelfPlayer::new(settings, &[], None, &built_in()).expect("small");
        (0..count).map(|number| player.play(number).expect("an opening")).collect()
    }

    #[test]
    fn games_end_by_the_rules_or_when_they_are_over() {
        for game in games(&settings(), 20) {
            let (last, _) = game
                .positions()
                .last()
                .map(|(it, mv, score)| (it.make(mv), score))
                .expect("a move");
            let tail: Vec<i32> = game.moves.iter().rev().take(20).map(|it| it.1.0.abs()).collect();
            let is_resigned = tail.iter().take(6).all(|&it| it >= 1500);
            let is_even = tail.iter().all(|&it| it <= 3);
            let by_rule = last.legal_moves().is_empty() || last.halfmove_clock() >= 100;
            let bare = last.occupied().count() <= 4;
            let repeated =
                game.positions().filter(|(it, _, _)| it.key() == last.key()).count() >= 2;
            assert!(is_resigned || is_even || by_rule || bare || repeated, "{tail:?} {last}");
        }
    }

    #[test]
    fn a_game_depends_on_its_number_alone() {
        let settings = settings();
        let mut player = SelfPlayer::new(&settings, &[], None, &built_in()).expect("small");
        let third = player.play(3).expect("an opening");
        assert_eq!(games(&settings, 4)[3], third);
    }

    #[test]
    fn quick_searches_give_no_scores() {
        let settings = SelfPlaySettings { quick: 75, quick_nodes: Some(20), ..settings() };
        let games = games(&settings, 8);
        let moves: Vec<Score> = games.iter().flat_map(|it| &it.moves).map(|it| it.1).collect();
        let scored = moves.iter().filter(|it| it.is_some()).count() as f64 / moves.len() as f64;
        assert!((0.2..0.3).contains(&scored), "{scored}");
    }

    #[test]
    fn with_as_many_nodes_quick_searches_play_the_same_moves() {
        let moves = |quick, quick_nodes| {
            let settings = SelfPlaySettings { quick, quick_nodes, ..settings() };
            let played = games(&settings, 4);
            played.iter().flat_map(|it| &it.moves).map(|it| it.0).collect::<Vec<Move>>()
        };
        let plain = moves(0, None);
        assert_eq!(moves(75, Some(settings().nodes)), plain);
        assert_ne!(moves(75, None), plain);
    }

    #[test]
    fn openings_are_natural_or_random() {
        let starts = |natural| {
            let settings = SelfPlaySettings { natural, chess960: 0, ..settings() };
            games(&settings, 12).iter().map(|it| it.start.occupied().count()).sum::<usize>()
        };
        assert_ne!(starts(0), starts(100));
    }
}
