//! Whether a move of a parameter does anything at all: seen without games, from searches that end differently.

use std::sync::Arc;

use nullarbor::engine::EngineError;
use nullarbor::types::{ByColour, Colour};
use nullarbor_openings::Opening;

use super::probe::{Sender, book, start, taken_from};
use crate::pair::params;
use crate::run::RunError;
use crate::run_file::RunFile;
use crate::theta::Axis;
use nullarbor_games::clock::{self, Clock};
use nullarbor_games::in_process::{InProcess, Setting};
use nullarbor_games::limit::Limit;
use nullarbor_games::player::{GameLine, Player, Thought};
use nullarbor_games::work::{Stop, crew};

/// Positions that are searched.
pub const POSITIONS: u64 = 64;
/// They are taken from games at the start's own hand, after none to so many times [`APART`] moves.
const STAGES: usize = 4;
const APART: usize = 15;
/// Where a clock runs, two searches differ by chance: so these are given so many nodes.
const NODES_FOR_A_CLOCK: u64 = 10_000;

/// In what share of the positions a search ends with another move or value when one parameter is `c` higher instead of `c`
/// lower: for each of some lists of `c`, parameter by parameter. `None` where it was stopped.
///
/// # Errors
/// Where the book cannot be read, or memory is short.
pub fn felt(
    run: &RunFile,
    axes: &[Axis],
    lists: &[&[f64]],
    workers: usize,
    stop: &Arc<Stop>,
    mut done: impl FnMut(),
) -> Result<Option<Vec<Vec<f64>>>, RunError> {
    let (book, limit) = (book(run)?, run.limit()?);
    let limit = if limit.is_timed() {
        Limit::Nodes { hard: Some(NODES_FOR_A_CLOCK), soft: None }
    } else {
        limit
    };
    let chess960 = book.needs_chess960();
    let engine = || InProcess::new(&Setting { hash: run.hash, ..Setting::default() }, stop);
    let engines = (0..workers).map(|_| engine()).collect::<Result<Vec<_>, EngineError>>()?;
    let work = |engine: &mut Option<InProcess>, place: u64, sender: &Sender<_>| {
        let opening = &book.openings[place as usize % book.openings.len()];
        let prober = engine.as_mut().map(|engine| Prober { engine, axes, limit: &limit });
        let changes = prober.and_then(|mut prober| {
            let line = prober.position(opening, place as usize % STAGES * APART, chess960)?;
            prober.changes(&line, lists)
        });
        // The receiver lives as long as the crew.
        let _ = changes.map(|changes| sender.send(changes));
    };
    let mut changed = vec![vec![0; axes.len()]; lists.len()];
    let mut searched = 0;
    crew::run(workers, 0..POSITIONS, stop, taken_from(engines), work, |changes: Vec<Vec<bool>>| {
        for (count, differs) in changed.iter_mut().flatten().zip(changes.into_iter().flatten()) {
            *count += u64::from(differs);
        }
        searched += 1;
        done();
    });
    let share = |count: u64| count as f64 / POSITIONS as f64;
    let shares = changed.into_iter().map(|list| list.into_iter().map(share).collect());
    Ok((searched == POSITIONS).then(|| shares.collect()))
}

struct Prober<'a> {
    engine: &'a mut InProcess,
    axes: &'a [Axis],
    limit: &'a Limit,
}

impl Prober<'_> {
    /// An opening played on by so many moves, or to the end of the game.
    fn position(&mut self, opening: &Opening, moves: usize, chess960: bool) -> Option<GameLine> {
        self.engine.set_params(params(self.axes, &start(self.axes)));
        let mut line = GameLine::new(opening, chess960);
        for _ in 0..moves {
            let mut next = line.clone();
            next.play(self.thought(&line)?.mv);
            if next.position.ending(&next.history).is_some() {
                break;
            }
            line = next;
        }
        Some(line)
    }

    fn changes(&mut self, line: &GameLine, lists: &[&[f64]]) -> Option<Vec<Vec<bool>>> {
        let list = |list: &&[f64]| {
            list.iter().enumerate().map(|(index, &by)| self.differs(line, index, by)).collect()
        };
        lists.iter().map(list).collect()
    }

    fn differs(&mut self, line: &GameLine, index: usize, by: f64) -> Option<bool> {
        let mut search = |by: f64| {
            let mut values = start(self.axes);
            let Axis { start, range, .. } = &self.axes[index];
            values[index] = ((start + by).round() as i32).clamp(range.min, range.max);
            self.engine.set_params(params(self.axes, &values));
            self.thought(line).map(|thought| (thought.mv, thought.score))
        };
        Some(search(by)? != search(-by)?)
    }

    fn thought(&mut self, line: &GameLine) -> Option<Thought> {
        let clocks = ByColour([Clock::new(self.limit), Clock::new(self.limit)]);
        self.engine.new_game().ok()?;
        self.engine.think(line, &clock::limits(&clocks, Colour::White), None).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nullarbor::params::Spec;

    #[test]
    fn what_the_search_needs_is_felt_and_what_it_never_meets_is_not() {
        let names = ["rfp_depth_scale", "null_move_verify_depth"];
        let specs: Vec<&Spec> = names.iter().filter_map(|name| Spec::find(name)).collect();
        let run = RunFile { nodes: Some(300), hash: 1, ..RunFile::of(&specs) };
        let axes = run.axes().expect("parameters");
        let index = |name| axes.iter().position(|axis| axis.name == name).expect("tuned");
        let moves = vec![30.0, 30.0];
        let shares = |workers| {
            let mut seen = 0;
            let lists: [&[f64]; 2] = [&moves, &[0.0, 0.0]];
            let felt = felt(&run, &axes, &lists, workers, &Arc::new(Stop::new()), || seen += 1);
            (felt.expect("a book").expect("nobody stopped it"), seen)
        };
        let (felt, seen) = shares(1);
        assert_eq!(seen, POSITIONS);
        assert!(felt[0][index(names[0])] > 0.1, "{felt:?}");
        assert_eq!(felt[0][index(names[1])], 0.0, "300 nodes never reach depth 6");
        assert_eq!(felt[1], [0.0, 0.0], "no move, no change");
        assert_eq!(shares(3).0, felt);
    }
}
