//! One game of the engine against itself.

use std::sync::Arc;

use nullarbor::board::{KeyHistory, Position};
use nullarbor::clock::Limits;
use nullarbor::engine::{Engine, EngineError};
use nullarbor::eval::network::Network;
use nullarbor::search::Silent;
use nullarbor::types::{Move, Score};
use nullarbor_openings::Opening;
use nullarbor_openings::generate::Recipe;

use super::record::{Outcome, Record};
use super::settings::Settings;
use crate::arena::adjudication::{Adjudication, DrawRule, ResignRule, Watch};
use crate::arena::end::End;

/// Games that teach are played on until both sides agree that they are decided.
const ADJUDICATION: Adjudication = Adjudication {
    draw: Some(DrawRule { move_number: 30, move_count: 6, score: 5 }),
    resign: Some(ResignRule { move_count: 3, score: 1000, two_sided: true }),
    longest: Some(250),
};
/// Openings are judged by a search of so many times the nodes of a move.
const JUDGED: u64 = 2;
/// The table, in MiB: searches are short, and it is emptied for each game.
const HASH: usize = 2;
/// Each game has so many candidates for its opening; a window that lets none of them pass is none.
const CANDIDATES: u64 = 1000;

/// Plays games, each by its number alone.
pub struct SelfPlayer<'a> {
    settings: &'a Settings,
    book: &'a [Opening],
    engine: Engine,
}

impl<'a> SelfPlayer<'a> {
    /// An engine of its own for each.
    ///
    /// # Errors
    /// Where memory is short.
    pub fn new(
        settings: &'a Settings,
        book: &'a [Opening],
        network: &Arc<Network>,
    ) -> Result<Self, EngineError> {
        let mut engine = Engine::new(HASH, 1)?;
        engine.set_network(Arc::clone(network));
        Ok(Self { settings, book, engine })
    }

    /// Plays the game with this number; `None` where no opening was found for it.
    pub fn play(&mut self, number: u64) -> Option<Record> {
        let start = self.opening(number)?.end().0;
        let (mut position, mut history) = (start.clone(), KeyHistory::new());
        let (mut moves, mut watch) = (Vec::new(), Watch::new(ADJUDICATION));
        let end = loop {
            let mover = position.side_to_move();
            if let Some(ending) = position.ending(&history) {
                break End::by_rule(ending, mover);
            }
            let (mv, score) = self.search(&position, &history)?;
            moves.push((mv, score));
            history.push(position.key());
            position = position.make(mv);
            if let Some(end) = watch.note(mover, Some(score), &position) {
                break end;
            }
        };
        Some(Record { start, moves, outcome: Outcome::of(end.winner) })
    }

    /// What the engine remembers after this depends on the opening alone.
    fn opening(&mut self, number: u64) -> Option<Opening> {
        if !self.book.is_empty() {
            self.engine.new_game();
            return Some(self.book[(number % self.book.len() as u64) as usize].clone());
        }
        let plies = self.settings.plies;
        let recipe = Recipe {
            seed: self.settings.seed,
            chess960: number % 100 < self.settings.chess960,
            plies: plies..=plies + 1,
            playout: None,
            window: 0..=self.settings.window,
            nodes: JUDGED * self.settings.nodes,
        };
        let first = number * CANDIDATES;
        let mut candidates = first..first + CANDIDATES;
        let found = candidates.find_map(|number| recipe.candidate(number, &mut self.engine))?;
        Some(Opening::at(found.position))
    }

    fn search(&mut self, position: &Position, history: &KeyHistory) -> Option<(Move, Score)> {
        let limits = Limits {
            soft_nodes: Some(self.settings.nodes),
            nodes: Some(Settings::HARD * self.settings.nodes),
            ..Limits::default()
        };
        self.engine.set_position(position.clone(), history.clone());
        let finding = self.engine.search(&limits, Arc::new(Silent))?;
        Some((finding.outcome.best_move(), finding.outcome.best.score))
    }
}
