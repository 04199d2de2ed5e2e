//! The root: iterative deepening with aspiration windows.

use super::kind::Root;
use crate::clock::Stability;
use crate::search::control::Stopped;
use crate::search::report::Report;
use crate::search::root_move::{Line, Outcome, RootMove};
use crate::search::window::Window;
use crate::search::worker::Search;
use crate::types::{Bound, Depth, Move, Score};
use std::time::Duration;

/// A search this long tells what it is at.
const LONG: Duration = Duration::from_secs(3);
/// The clock is not asked before so many nodes of the main worker: in searches as short as those of self-play that would be felt.
const LONG_NODES: u64 = 10_000;
/// Below this depth a window costs more than it saves.
const ASPIRATION_DEPTH: i32 = 4;
/// A window wider than this is opened wholly.
const WIDEST: i32 = 1000;

impl Search<'_> {
    /// Deepens until the budget is spent or somebody says stop.
    pub fn run(mut self) -> Outcome {
        let mut completed = self.root_moves[0].clone();
        let mut completed_depth = Depth::ZERO;
        let mut best_move_age = 0;
        let mut noisy_iterations = 0;
        while self.root_depth < self.job.budget.depth {
            self.root_depth += 1;
            let interrupted = self.iterate().is_err();
            if interrupted {
                break;
            }
            best_move_age =
                if self.root_moves[0].mv == completed.mv { best_move_age + 1 } else { 0 };
            noisy_iterations =
                if self.root_moves[0].mv.is_noisy() { noisy_iterations + 1 } else { 0 };
            let fall = self.score_fall(&completed);
            completed = self.root_moves[0].clone();
            completed_depth = self.root_depth;
            if self.is_main() && self.is_done(best_move_age, fall, noisy_iterations) {
                self.job.control.note_enough();
                if !self.job.control.is_pondering() {
                    break;
                }
            }
        }
        self.job.control.publish_nodes(self.worker, self.nodes);
        // An iteration cut short may have seen just the refutation of its first move.
        let best = &self.root_moves[0];
        let cut_short = completed_depth < self.root_depth;
        let unproven = cut_short && (best.score.is_loss() || best.score == -Score::INFINITE);
        let best = if unproven { completed.clone() } else { best.clone() };
        let reported = self.is_main() && completed_depth > Depth::ZERO && best.pv == completed.pv;
        Outcome {
            is_news: !reported && best.score > -Score::INFINITE,
            best: Line { score: best.score, moves: best.pv },
            bound: best.bound,
            depth: completed_depth,
            completed_score: completed.score,
            selective_depth: best.selective_depth,
            nodes: self.nodes,
            null_moves: self.null_stats,
        }
    }

    fn score_fall(&self, completed: &RootMove) -> i32 {
        match completed.average_score {
            Some(before) if !self.root_moves[0].score.is_decisive() => {
                before - self.root_moves[0].score
            }
            _ => 0,
        }
    }

    fn is_done(&self, best_move_age: u32, score_fall: i32, noisy_iterations: u32) -> bool {
        let budget = &self.job.budget;
        let best = &self.root_moves[0];
        let stability = Stability {
            best_move_effort: best.nodes as f64 / self.nodes.max(1) as f64,
            best_move_age,
            score_fall,
            forced: self.root_moves.len() == 1,
        };
        let mate_found = budget.mate.is_some_and(|moves| {
            best.score.mate_moves().is_some_and(|found| found.unsigned_abs() <= moves && found > 0)
        });
        let is_noisy = noisy_iterations >= 2 || self.job.position.in_check();
        let noisy_nodes = budget.noisy_soft_nodes.filter(|_| is_noisy);
        let enough_nodes =
            noisy_nodes.or(budget.soft_nodes).is_some_and(|limit| self.nodes >= limit);
        mate_found || enough_nodes || budget.is_enough(stability)
    }

    fn iterate(&mut self) -> Result<(), Stopped> {
        for root_move in &mut self.root_moves {
            root_move.previous_score = root_move.score;
        }
        let lines = self.job.multi_pv.clamp(1, self.root_moves.len());
        for line in 0..lines {
            self.line = line;
            self.previous_pv.clone_from(&self.root_moves[line].pv);
            self.selective_depth = 0;
            let searched = self.aspire();
            self.sort_root_moves(0);
            searched?;
        }
        if self.is_main() {
            self.report_lines(lines);
        }
        Ok(())
    }

    /// Best first; the sort is stable, so moves that nobody has looked at keep their order.
    fn sort_root_moves(&mut self, from: usize) {
        self.root_moves[from..].sort_by_key(|root_move| {
            std::cmp::Reverse((root_move.score, root_move.previous_score))
        });
    }

    /// Searches a line with a narrow window around what is expected, and widens it where that fails.
    fn aspire(&mut self) -> Result<(), Stopped> {
        let expected = self.root_moves[self.line].average_score;
        let mut delta = self.first_delta(expected.unwrap_or(Score::DRAW));
        let mut window = match expected {
            Some(score) if self.root_depth.0 >= ASPIRATION_DEPTH => {
                Window { alpha: bounded(score - delta), beta: bounded(score + delta) }
            }
            _ => Window::OPEN,
        };
        let mut reduced = 0;
        loop {
            let depth = (self.root_depth - reduced).max(Depth::ONE);
            let position = self.job.position.clone();
            let score = self.node::<Root>(&position, 0, window, depth, false)?;
            self.sort_root_moves(self.line);
            if score <= window.alpha {
                window.beta = Score((window.alpha.0 + window.beta.0) / 2);
                window.alpha = bounded(score - delta);
                reduced = 0;
            } else if score >= window.beta {
                window.alpha = (window.beta - delta).max(window.alpha);
                window.beta = bounded(score + delta);
                reduced += i32::from(!score.is_decisive() && reduced < 3);
            } else {
                return Ok(());
            }
            self.report_failure();
            delta += (delta * self.job.tuned.aspiration_growth / 1024).max(1);
            if delta > WIDEST || score.is_decisive() {
                window = Window::OPEN;
            }
        }
    }

    /// Wider for unbalanced positions, and a little different for each worker.
    fn first_delta(&self, expected: Score) -> i32 {
        let params = &self.job.tuned;
        let score = expected.0.clamp(-WIDEST, WIDEST);
        params.aspiration_delta
            + score * score / params.aspiration_score_divisor
            + (self.worker % 8) as i32
    }

    /// Whether people wait for a word of it.
    fn is_long(&self) -> bool {
        self.is_main() && self.nodes > LONG_NODES && self.job.budget.elapsed() > LONG
    }

    fn report_failure(&self) {
        if self.is_long() {
            self.report(self.line);
        }
    }

    fn report_lines(&self, lines: usize) {
        self.job.control.publish_nodes(self.worker, self.nodes);
        for line in 0..lines {
            self.report(line);
        }
    }

    fn report(&self, line: usize) {
        let root_move = &self.root_moves[line];
        self.job.sink.report(&Report {
            depth: self.root_depth,
            selective_depth: root_move.selective_depth,
            multi_pv: line + 1,
            score: root_move.score,
            bound: root_move.bound,
            nodes: self.job.control.nodes(),
            elapsed: self.job.budget.elapsed(),
            table: &self.job.table,
            pv: &root_move.pv,
        });
    }

    /// Says which move a long search has come to.
    pub(super) fn report_current_move(&self, mv: Move, number: usize) {
        if self.is_long() {
            self.job.sink.current_move(self.root_depth, mv, number + self.line);
        }
    }

    /// The move to begin with: the best of the last iteration, whatever another worker has put into the table.
    pub(super) fn expected_root_move(&self, table_move: Move) -> Move {
        if self.root_depth > Depth::ONE { self.root_moves[self.line].mv } else { table_move }
    }

    /// Whether a root move belongs to the line that is being searched.
    pub(super) fn is_root_candidate(&self, mv: Move) -> bool {
        self.root_moves[self.line..].iter().any(|root_move| root_move.mv == mv)
    }

    /// Notes the result of a root move. The first one counts in any case, later ones if they are better.
    pub(super) fn note_root_move(
        &mut self,
        mv: Move,
        score: Score,
        window: Window,
        number: usize,
        nodes: u64,
    ) {
        let selective_depth = self.selective_depth;
        let Some(root_move) = self.root_moves.iter_mut().find(|root_move| root_move.mv == mv)
        else {
            return;
        };
        root_move.nodes += nodes;
        if number > 1 && score <= window.alpha {
            root_move.score = -Score::INFINITE;
            return;
        }
        root_move.score = score;
        // A mean with a mate in it would be neither.
        let before =
            root_move.average_score.filter(|before| !before.is_decisive() && !score.is_decisive());
        root_move.average_score =
            Some(before.map_or(score, |before| Score((before.0 + score.0) / 2)));
        root_move.bound = if score <= window.alpha {
            Bound::Upper
        } else if score >= window.beta {
            Bound::Lower
        } else {
            Bound::Exact
        };
        root_move.selective_depth = selective_depth;
        root_move.pv.clear();
        root_move.pv.push(mv);
        root_move.pv.extend_from_slice(self.memory.pv.line(1));
    }
}

fn bounded(score: Score) -> Score {
    score.clamp(-Score::INFINITE, Score::INFINITE)
}
