//! The root: iterative deepening with aspiration windows.

use std::ops::Range;
use std::time::Duration;

use super::Root;
use crate::clock::Stability;
use crate::params::scaled;
use crate::search::control::Stopped;
use crate::search::report::Report;
use crate::search::root_move::{Line, Outcome, RootMove};
use crate::search::window::Window;
use crate::search::worker::Search;
use crate::types::{Bound, Depth, Move, Score};

/// After this time a search reports its current move and failed windows.
const LONG: Duration = Duration::from_secs(3);
/// Nodes before which the clock is not read for that: it would slow the short searches of
/// self-play.
const LONG_NODES: u64 = 10_000;
/// Minimum depth for an aspiration window; below it a window costs more than it saves.
const ASPIRATION_DEPTH: i32 = 4;
/// A window with a half-width above this, in centipawns, is opened completely.
const WIDEST: i32 = 1000;
/// Number of different first windows among the threads.
const THREAD_WINDOWS: usize = 8;
/// Iterations in a row with a noisy best move that make a position noisy.
const NOISY_ITERATIONS: u32 = 2;

impl Search<'_> {
    /// Runs iterative deepening until a limit is reached or the search is stopped.
    pub fn run(mut self) -> Outcome {
        let mut completed = self.root_moves[0].clone();
        let mut completed_depth = Depth::ZERO;
        let mut alternatives = Vec::new();
        let mut best_move_age = 0;
        let mut noisy_iterations = 0;
        let mut reported_nodes = 0;
        while self.root_depth < self.shared.budget.depth {
            self.root_depth += 1;
            let interrupted = self.search_iteration().is_err();
            if interrupted {
                // Even where no node has come since, time has passed.
                reported_nodes = 0;
                break;
            }
            best_move_age =
                if self.root_moves[0].mv == completed.mv { best_move_age + 1 } else { 0 };
            noisy_iterations =
                if self.root_moves[0].mv.is_noisy() { noisy_iterations + 1 } else { 0 };
            let fall = self.score_fall(&completed);
            completed = self.root_moves[0].clone();
            completed_depth = self.root_depth;
            alternatives = self.alternatives();
            if self.is_main() {
                reported_nodes = self.report_lines();
            }
            if self.is_main() && self.should_stop(best_move_age, fall, noisy_iterations) {
                self.shared.control.note_soft_limit();
                if !self.shared.control.is_pondering() {
                    break;
                }
            }
        }
        self.shared.control.publish_nodes(self.thread, self.nodes);
        let cut_short = completed_depth < self.root_depth;
        let best = trusted(&completed, &self.root_moves[0], cut_short).clone();
        let reported = self.is_main() && completed_depth > Depth::ZERO && best.pv == completed.pv;
        let is_searched = best.score > -Score::INFINITE;
        let (score, bound) = if is_searched { best.shown() } else { (best.score, best.bound) };
        Outcome {
            unreported: !reported && is_searched,
            best: Line { score, moves: best.pv, selective_depth: best.selective_depth },
            alternatives,
            completed: Line::from(&completed),
            bound,
            depth: completed_depth,
            completed_score: completed.score,
            selective_depth: best.selective_depth,
            nodes: self.nodes,
            reported_nodes,
            null_moves: self.null_stats,
        }
    }

    /// Returns the best lines of an iteration; none if there is but one.
    fn alternatives(&self) -> Vec<Line> {
        let lines = self.shared.lines().min(self.root_moves.len());
        if lines < 2 {
            return Vec::new();
        }
        self.root_moves[..lines].iter().map(Line::from).collect()
    }

    /// Returns by how many centipawns the score has fallen below the mean of earlier iterations.
    fn score_fall(&self, completed: &RootMove) -> i32 {
        match completed.average_score {
            Some(before) if !self.root_moves[0].score.is_decisive() => {
                before - self.root_moves[0].score
            }
            _ => 0,
        }
    }

    /// Returns whether no further iteration should be started.
    fn should_stop(&self, best_move_age: u32, score_fall: i32, noisy_iterations: u32) -> bool {
        let budget = &self.shared.budget;
        let best = &self.root_moves[0];
        let stability = Stability {
            best_move_effort: best.nodes as f64 / self.nodes.max(1) as f64,
            best_move_age,
            score_fall,
            forced: self.root_moves.len() == 1,
        };
        let mate_found = budget.mate.is_some_and(|moves| {
            best.score.mate_moves().is_some_and(|found| found.unsigned_abs() <= moves)
        });
        let is_noisy =
            noisy_iterations >= NOISY_ITERATIONS || self.shared.game.position().in_check();
        let noisy_nodes = budget.noisy_soft_nodes.filter(|_| is_noisy);
        let enough_nodes =
            noisy_nodes.or(budget.soft_nodes).is_some_and(|limit| self.nodes >= limit);
        let nodes = self.shared.control.nodes();
        let enough_time = budget.soft_limit_reached(stability, nodes, &self.shared.tuned);
        mate_found || enough_nodes || enough_time
    }

    /// Searches all lines at the depth of the iteration and reports them.
    fn search_iteration(&mut self) -> Result<(), Stopped> {
        for root_move in &mut self.root_moves {
            root_move.previous_score = root_move.score;
            root_move.score = -Score::INFINITE;
        }
        let lines = self.shared.lines().clamp(1, self.root_moves.len());
        for line in 0..lines {
            self.pv_index = line;
            self.previous_pv.clone_from(&self.root_moves[line].pv);
            self.selective_depth = 0;
            let searched = self.aspiration_search();
            // A move that is not a line yet may have a bound above the score of one that is.
            self.sort_root_moves(0..line + 1);
            searched?;
        }
        Ok(())
    }

    /// Sorts some of the root moves, best first. The sort is stable: moves that were not searched keep
    /// their order.
    fn sort_root_moves(&mut self, range: Range<usize>) {
        self.root_moves[range].sort_by_key(|root_move| {
            std::cmp::Reverse((root_move.rank, root_move.score, root_move.previous_score))
        });
    }

    /// Searches a line with a narrow window around the expected score and widens it on failure
    /// (aspiration windows).
    fn aspiration_search(&mut self) -> Result<(), Stopped> {
        let expected = self.root_moves[self.pv_index].average_score;
        let mut delta = self.initial_delta(expected.unwrap_or(Score::DRAW));
        let mut window = match expected {
            Some(score) if self.root_depth.0 >= ASPIRATION_DEPTH => {
                Window { alpha: bounded(score.0 - delta), beta: bounded(score.0 + delta) }
            }
            _ => Window::OPEN,
        };
        let mut reduced = 0;
        let most = self.shared.tuned.aspiration_max_reduction;
        loop {
            let depth = (self.root_depth - reduced).max(Depth::ONE);
            let position = self.shared.game.position().clone();
            let searched = self.node::<Root>(&position, 0, window, depth, false);
            // Also where it was cut short: a move that has beaten the first one by then is better.
            self.sort_root_moves(self.pv_index..self.root_moves.len());
            let score = searched?;
            if score <= window.alpha {
                window.beta = Score((window.alpha.0 + window.beta.0) / 2);
                window.alpha = bounded(score.0 - delta);
                reduced = 0;
            } else if score >= window.beta {
                window.alpha = (window.beta - delta).max(window.alpha);
                window.beta = bounded(score.0 + delta);
                reduced += i32::from(!score.is_decisive() && reduced < most);
            } else {
                return Ok(());
            }
            self.report_failure();
            delta += scaled(delta, self.shared.tuned.aspiration_growth).max(1);
            if delta > WIDEST || score.is_decisive() {
                window = Window::OPEN;
            }
        }
    }

    /// Returns half the width of the first window, in centipawns: wider for unbalanced positions,
    /// and a little different for each thread.
    fn initial_delta(&self, expected: Score) -> i32 {
        let params = &self.shared.tuned;
        let score = expected.0.clamp(-WIDEST, WIDEST);
        params.aspiration_delta
            + score * score / params.aspiration_score_divisor
            + (self.thread % THREAD_WINDOWS) as i32
    }

    /// Returns whether the search is long enough to report its steps.
    fn is_long(&self) -> bool {
        self.is_main() && self.nodes > LONG_NODES && self.shared.budget.elapsed(self.nodes) > LONG
    }

    fn report_failure(&self) {
        if self.is_long() {
            self.report(self.pv_index, self.shared.control.nodes());
        }
    }

    /// Reports the lines of an iteration, all with the same nodes, though other threads count on; returns
    /// these.
    fn report_lines(&self) -> u64 {
        self.shared.control.publish_nodes(self.thread, self.nodes);
        let lines = self.shared.multi_pv.clamp(1, self.root_moves.len());
        let nodes = self.shared.control.nodes();
        (0..lines).for_each(|line| self.report(line, nodes));
        nodes
    }

    /// Reports a line.
    fn report(&self, line: usize, nodes: u64) {
        let root_move = &self.root_moves[line];
        let (score, bound) = root_move.shown();
        self.shared.sink.report(&Report {
            depth: self.root_depth,
            selective_depth: root_move.selective_depth,
            multi_pv: line + 1,
            score,
            bound,
            nodes,
            tb_hits: self.shared.control.tb_hits(),
            elapsed: self.shared.budget.elapsed(nodes),
            table: &self.shared.table,
            pv: &root_move.pv,
            is_brief: self.shared.is_brief(),
        });
    }

    /// Reports the root move that a long search has come to.
    pub(super) fn report_current_move(&self, mv: Move, number: usize) {
        if self.is_long() {
            self.shared.sink.current_move(self.root_depth, mv, number + self.pv_index);
        }
    }

    /// Returns the root move to begin with: the best of the last iteration, whatever another thread
    /// has stored in the table.
    pub(super) fn expected_root_move(&self, tt_move: Move) -> Move {
        if self.root_depth > Depth::ONE { self.root_moves[self.pv_index].mv } else { tt_move }
    }

    /// Returns whether a root move may be searched: it must not be the best of an earlier line
    /// (`MultiPV`), nor worse by the tablebases than others.
    pub(super) fn is_root_candidate(&self, mv: Move) -> bool {
        let candidates = &self.root_moves[self.pv_index..];
        candidates.iter().any(|it| it.mv == mv && it.rank == candidates[0].rank)
    }

    /// Updates a root move with its result. The score of the first one always counts, that of later
    /// ones if it is better.
    pub(super) fn update_root_move(
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
        // The mean of a mate and centipawns would be neither.
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

/// Returns the root move to believe, of the last iteration that was finished or of the one after it.
fn trusted<'a>(completed: &'a RootMove, latest: &'a RootMove, cut_short: bool) -> &'a RootMove {
    // An iteration cut short may have seen only the refutation of its first move,
    let refuted = latest.score.is_loss() || latest.score == -Score::INFINITE;
    // or have lost sight of a win.
    let forgotten = completed.score.is_win() && latest.score < completed.score;
    if cut_short && (refuted || forgotten) { completed } else { latest }
}

/// Clamps the end of a window to the range of scores.
fn bounded(centipawns: i32) -> Score {
    Score(centipawns.clamp(-Score::INFINITE.0, Score::INFINITE.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::SharedSearch;
    use crate::search::memory::{SharedHistories, ThreadData};
    use nullarbor_chess::board::{Game, Position};

    /// The root moves after an iteration that ended after so many nodes of the search; none if all ended.
    fn cut_short(start: &Game, nodes: u64) -> Option<Vec<RootMove>> {
        let mut shared = SharedSearch::without_limits(start.clone(), 1);
        shared.budget.nodes = Some(nodes);
        let mut memory = ThreadData::new(SharedHistories::new(1));
        let mut search = Search::new(&shared, &mut memory, 0);
        while search.root_depth.0 < 8 {
            search.root_depth += 1;
            if search.search_iteration().is_err() {
                return Some(search.root_moves);
            }
        }
        None
    }

    #[test]
    fn an_iteration_cut_short_has_the_best_move_found_so_far_first() {
        // Several positions, so that some iteration changes its mind with any network.
        let fens = [
            "8/p1p5/5p2/1Pp1k3/P7/5p1P/5P2/4K3 w - - 0 37",
            "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8",
            "2r2rk1/1b2bppp/pq2pn2/1p6/3BP3/1BN2Q2/PPP3PP/2KR3R w - - 0 16",
            "8/2p2k2/1p1p2p1/p2P1p1p/P1P1pP1P/1P2K1P1/8/8 b - - 0 40",
        ];
        let starts = fens.map(|fen| Game::new(Position::from_fen(fen).expect(fen)));
        let mut others = 0;
        let nodes = (200..6000).step_by(200);
        let cuts = starts.iter().flat_map(|start| nodes.clone().map(move |nodes| (start, nodes)));
        for root_moves in cuts.filter_map(|(start, nodes)| cut_short(start, nodes)) {
            let best = root_moves.iter().map(|it| it.score).max();
            assert_eq!(Some(root_moves[0].score), best, "{root_moves:?}");
            // The first move of the iteration was the best one of that before.
            let before = root_moves.iter().map(|it| it.previous_score).max();
            others += usize::from(Some(root_moves[0].previous_score) < before);
        }
        assert!(others > 0, "no iteration had found another move");
    }

    fn scored(score: Score) -> RootMove {
        RootMove { score, bound: Bound::Exact, ..RootMove::new(Move::NONE) }
    }

    #[test]
    fn an_iteration_cut_short_neither_loses_nor_forgets_a_win() {
        let (even, mate, mated) =
            (scored(Score(10)), scored(Score::mate_in(5)), scored(Score::mated_in(6)));
        let unsearched = scored(-Score::INFINITE);
        let trusts = |completed, latest, cut_short| trusted(completed, latest, cut_short).score;
        for doubtful in [&mated, &unsearched] {
            assert_eq!(trusts(&even, doubtful, true), even.score);
        }
        assert_eq!(trusts(&mate, &even, true), mate.score);
        assert_eq!(trusts(&mate, &even, false), even.score, "a finished iteration knows better");
        assert_eq!(trusts(&even, &mate, true), mate.score);
        let shorter = scored(Score::mate_in(3));
        assert_eq!(trusts(&mate, &shorter, true), shorter.score);
    }
}
