//! Sensitivity of the search to perturbations: whether they change the result of searches at all. No games are played.

use std::sync::Arc;

use nullarbor::types::{ByColour, Colour};
use nullarbor_games::clock::{self, Clock};
use nullarbor_games::limit::Limit;
use nullarbor_games::player::{GameLine, MoveInfo, NoMove};
use nullarbor_openings::Opening;
use nullarbor_runs::{Interrupted, Pool, Stop};

use super::probe::rounded_start;
use crate::engine::{Engine, TunedPlayer};
use crate::error::Error;
use crate::pair::Conditions;
use crate::parameter::Parameter;
use crate::run_file::RunFile;

/// Number of positions searched.
pub const POSITIONS: u64 = 64;
/// Positions come from self-play after 0 to `STAGES - 1` times `MOVES_PER_STAGE` moves.
const STAGES: usize = 4;
const MOVES_PER_STAGE: usize = 15;
/// Nodes per search where the run has a clock: on a clock two searches differ by chance.
const NODES_FOR_A_CLOCK: u64 = 10_000;

/// Returns the share of positions in which a search ends with another move or score when one parameter is `c` above its
/// start instead of `c` below: for both lists of `c`, parameter by parameter. `done` is called after each position.
///
/// # Errors
/// If the book cannot be read, memory is short or the work is interrupted.
pub fn sensitivity(
    run: &RunFile,
    parameters: &[Parameter],
    lists: [&[f64]; 2],
    workers: usize,
    stop: &Arc<Stop>,
    mut done: impl FnMut(),
) -> Result<[Vec<f64>; 2], Error> {
    let mut conditions = Conditions::of(run)?;
    if conditions.limit.has_clock() {
        conditions.limit = Limit::Nodes { hard: Some(NODES_FOR_A_CLOCK), soft: None };
    }
    let engine = Engine::of(run, stop)?;
    let mut pool = Pool::build(workers, || engine.start(conditions.rules.chess960, stop))?;
    let work = |engine: &mut TunedPlayer, number: u64| {
        let mut prober = Prober { engine, parameters, conditions: &conditions };
        let moves = number as usize % STAGES * MOVES_PER_STAGE;
        let line = prober.position(conditions.opening(number), moves)?;
        prober.changes(&line, &lists)
    };
    let mut counts = lists.map(|list| vec![0; list.len()]);
    pool.run(stop, 0..POSITIONS, work, |_, changes| {
        for (count, differs) in counts.iter_mut().flatten().zip(changes) {
            *count += u64::from(differs);
        }
        done();
        Ok(())
    })?;
    let share = |count: u64| count as f64 / POSITIONS as f64;
    Ok(counts.map(|list| list.into_iter().map(share).collect()))
}

struct Prober<'a> {
    engine: &'a mut TunedPlayer,
    parameters: &'a [Parameter],
    conditions: &'a Conditions,
}

impl Prober<'_> {
    /// Returns the position after an opening and this many moves of the engine, or the last one before the game ends.
    fn position(&mut self, opening: &Opening, moves: usize) -> Result<GameLine, Error> {
        self.engine.set(self.parameters, &rounded_start(self.parameters));
        let mut line = GameLine::new(opening, self.conditions.rules.chess960);
        for _ in 0..moves {
            let mut next = line.clone();
            next.play(self.search(&line)?.mv);
            if next.game.ending().is_some() {
                break;
            }
            line = next;
        }
        Ok(line)
    }

    /// Returns whether the searches differ, list by list and parameter by parameter.
    fn changes(&mut self, line: &GameLine, lists: &[&[f64]]) -> Result<Vec<bool>, Error> {
        let pairs = lists.iter().flat_map(|list| list.iter().enumerate());
        pairs.map(|(index, &c)| self.differs(line, index, c)).collect()
    }

    fn differs(&mut self, line: &GameLine, index: usize, c: f64) -> Result<bool, Error> {
        let mut search = |c: f64| {
            let mut values = rounded_start(self.parameters);
            let Parameter { start, range, .. } = &self.parameters[index];
            values[index] = ((start + c).round() as i32).clamp(range.min, range.max);
            self.engine.set(self.parameters, &values);
            self.search(line).map(|info| (info.mv, info.score))
        };
        Ok(search(c)? != search(-c)?)
    }

    fn search(&mut self, line: &GameLine) -> Result<MoveInfo, Error> {
        let clocks = ByColour([(); 2].map(|()| Clock::new(&self.conditions.limit)));
        let limits = clock::limits(&clocks, Colour::White);
        let player = self.engine.player();
        let found = player.new_game().and_then(|()| player.think(line, &limits, None));
        found.map_err(|reason| match reason {
            NoMove::Aborted => Interrupted.into(),
            NoMove::Fault(fault, _) => Error::Fault { fault, position: line.command.clone() },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nullarbor::params::Spec;

    #[test]
    fn the_search_is_sensitive_to_what_it_uses_alone() {
        let names = ["rfp_depth_scale", "null_move_verify_depth"];
        let specs: Vec<&Spec> = names.iter().filter_map(|name| Spec::find(name)).collect();
        let run = RunFile { nodes: Some(200), hash: 1, ..RunFile::of(&specs) };
        let parameters = run.tuned_parameters().expect("parameters");
        let index =
            |name| parameters.iter().position(|parameter| parameter.name == name).expect("tuned");
        let perturbation = vec![30.0, 30.0];
        let shares = |workers| {
            let mut seen = 0;
            let lists: [&[f64]; 2] = [&perturbation, &[0.0, 0.0]];
            let shares =
                sensitivity(&run, &parameters, lists, workers, &Arc::new(Stop::new()), || {
                    seen += 1
                });
            (shares.expect("a book"), seen)
        };
        let (found, seen) = shares(1);
        assert_eq!(seen, POSITIONS);
        assert!(found[0][index(names[0])] > 0.1, "{found:?}");
        assert_eq!(found[0][index(names[1])], 0.0, "200 nodes never reach depth 6");
        assert_eq!(found[1], [0.0, 0.0], "no perturbation, no change");
        assert_eq!(shares(3).0, found);
    }
}
