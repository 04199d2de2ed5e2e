//! An engine that labels positions: it is started when it is needed, and anew after a fault.

use nullarbor::board::Position;
use nullarbor::types::{ByColour, Colour, Move, Score};
use nullarbor_games::clock::{Clock, limits};
use nullarbor_games::engine_config::{EngineConfig, StartContext};
use nullarbor_games::player::{GameLine, NoMove, Player};
use nullarbor_openings::Opening;
use nullarbor_runs::Interrupted;

use super::error::{Failure, LabelError};

/// A mate in `n` moves is this less `n`.
const MATE: i32 = 10_000;
/// The largest label that is no mate.
const LARGEST: i32 = 9_000;
/// A position is searched as often before it is given up.
const ATTEMPTS: usize = 2;

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The best move.
    pub best: Move,
    /// The score in centipawns for White; mates are ±10,000 less their distance in moves.
    pub label: i32,
}

/// An engine of a worker.
pub struct Labeller<'a> {
    engine: &'a EngineConfig,
    context: &'a StartContext,
    player: Option<Box<dyn Player>>,
}

impl<'a> Labeller<'a> {
    /// Returns an engine that is not started yet.
    pub fn new(engine: &'a EngineConfig, context: &'a StartContext) -> Self {
        Self { engine, context, player: None }
    }

    /// Searches a position that has a legal move, as the first one of a game. After a fault the engine is started anew and the
    /// position searched again; the inner result is the fault of the last attempt.
    ///
    /// # Errors
    /// If the engine cannot be started, or the search was aborted.
    pub fn search(&mut self, position: &Position) -> Result<Result<Finding, Failure>, LabelError> {
        let mut attempt = self.attempt(position)?;
        for _ in 1..ATTEMPTS {
            if attempt.is_ok() {
                break;
            }
            attempt = self.attempt(position)?;
        }
        Ok(attempt)
    }

    fn attempt(&mut self, position: &Position) -> Result<Result<Finding, Failure>, LabelError> {
        // Taken out, to be put back if it can go on.
        let mut player = match self.player.take() {
            Some(player) => player,
            // A machine under load may fail to start an engine in time, once.
            None => self.engine.start(self.context).or_else(|_| self.engine.start(self.context))?,
        };
        let line = GameLine::new(&Opening::at(position.clone()), self.context.chess960);
        let mover = position.side_to_move();
        let clocks = ByColour([Clock::new(&self.engine.limit), Clock::new(&self.engine.limit)]);
        let answer = player
            .new_game()
            .and_then(|()| player.think(&line, &limits(&clocks, mover), clocks[mover].allowance()));
        let info = match answer {
            Ok(info) => info,
            Err(NoMove::Aborted) => return Err(Interrupted.into()),
            Err(NoMove::Fault(fault, _)) => return Ok(Err(fault.into())),
        };
        let Some(score) = info.score else { return Ok(Err(Failure::NoScore)) };
        self.player = Some(player);
        let label = centipawns(score);
        let label = if mover == Colour::White { label } else { -label };
        Ok(Ok(Finding { best: info.mv, label }))
    }
}

/// Returns the label of a score for the side to move.
fn centipawns(score: Score) -> i32 {
    match score.mate_moves() {
        Some(moves) if moves > 0 => MATE - moves,
        Some(moves) => -MATE - moves,
        None => score.0.clamp(-LARGEST, LARGEST),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use nullarbor_games::engine_config::Program;
    use nullarbor_games::in_process::EngineOptions;
    use nullarbor_games::limit::Limit;
    use nullarbor_runs::Stop;

    use super::*;

    #[test]
    fn mates_are_counted_in_moves_and_other_scores_are_below() {
        for (score, label) in [
            (Score(31), 31),
            (Score(-31), -31),
            (Score::mate_in(1), 9_999),
            (Score::mate_in(5), 9_997),
            (Score::mated_in(2), -9_999),
            (Score::mated_in(8), -9_996),
            (Score::tb_win(1), LARGEST),
            (-Score::tb_win(1), -LARGEST),
        ] {
            assert_eq!(centipawns(score), label, "{score:?}");
        }
    }

    #[test]
    fn labels_are_for_white_whatever_was_searched_before() {
        let options = EngineOptions { hash: 1, ..EngineOptions::default() };
        let limit = Limit::Nodes { hard: Some(2000), soft: None };
        let program = Program::InProcess(options);
        let engine = EngineConfig { name: "self".to_owned(), program, limit };
        let stop = Arc::new(Stop::new());
        let timeout = Duration::from_secs(60);
        let context =
            StartContext { chess960: false, timeout, stop, log: None, processors: Vec::new() };
        let mut labeller = Labeller::new(&engine, &context);
        let mut label = |fen: &str| {
            let found = labeller.search(&Position::from_fen(fen).expect(fen)).expect("an engine");
            found.expect("no fault").label
        };
        let ahead = label("4k3/8/8/8/8/8/4P3/3QK3 w - - 0 1");
        assert!(ahead > 300, "{ahead}");
        assert!(label("3qk3/4p3/8/8/8/8/8/4K3 b - - 0 1") < -300);
        assert_eq!(label("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"), 9_999);
        assert_eq!(label("4k3/8/8/8/8/8/4P3/3QK3 w - - 0 1"), ahead);
    }
}
