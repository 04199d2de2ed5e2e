//! Reports and results of a search as lines of the protocol.

use nullarbor_chess::board::Position;
use parking_lot::Mutex;

use super::options::Style;
use super::output::Output;
use crate::eval::wdl::{to_cp, wdl};
use crate::pool::SearchResult;
use crate::search::{Report, Sink, nodes_per_second};
use crate::types::{Bound, Depth, Move, Score};

/// Prints the reports of one search as `info` lines.
pub struct Printer {
    /// The position that is searched.
    position: Position,
    /// Style of moves and scores.
    style: Style,
    /// Output to write to.
    output: Output,
    /// Reports that wait for the answer.
    held: Mutex<String>,
}

impl Sink for Printer {
    fn report(&self, report: &Report<'_>) {
        let line = self.info(report);
        if report.is_brief {
            let mut held = self.held.lock();
            *held += &line;
            held.push('\n');
        } else {
            self.output.say(line);
        }
    }

    fn repeat(&self, report: &Report<'_>) {
        self.report(report);
    }

    fn report_fault(&self, fault: &str) {
        self.output.report_fault(fault);
    }

    fn current_move(&self, depth: Depth, mv: Move, number: usize) {
        let mv = self.position.uci(mv, self.style.chess960);
        self.output
            .say(format_args!("info depth {} currmove {mv} currmovenumber {number}", depth.0));
    }
}

impl Printer {
    /// Makes a printer for a search of a position.
    pub fn new(position: Position, style: Style, output: Output) -> Self {
        Self { position, style, output, held: Mutex::default() }
    }

    fn info(&self, report: &Report<'_>) -> String {
        let bound = match report.bound {
            Bound::Lower => " lowerbound",
            Bound::Upper => " upperbound",
            _ => "",
        };
        let wdl = if self.style.show_wdl { self.wdl(report.score) } else { String::new() };
        format!(
            "info depth {} seldepth {} multipv {} score {}{bound}{wdl} nodes {} nps {} hashfull {} tbhits {} time {} pv{}",
            report.depth.0,
            report.selective_depth,
            report.multi_pv,
            to_cp(report.score),
            report.nodes,
            nodes_per_second(report.nodes, report.elapsed),
            report.hashfull(),
            report.tb_hits,
            report.elapsed.as_millis(),
            line(&self.position, report.pv, self.style.chess960),
        )
    }

    fn wdl(&self, score: Score) -> String {
        let root = &self.position;
        let is_drawn = root.is_insufficient_material() || root.is_fifty_moves_draw();
        let [win, draw, loss] =
            if is_drawn { [0, 1000, 0] } else { wdl(score, root.fullmove() as u32) };
        format!(" wdl {win} {draw} {loss}")
    }

    /// Prints the reports that have waited, and the `bestmove` line.
    pub fn answer(&self, result: &SearchResult) {
        let held = std::mem::take(&mut *self.held.lock());
        self.output.say(held + &self.best_move(result));
    }

    fn best_move(&self, result: &SearchResult) -> String {
        let chess960 = self.style.chess960;
        let best = result.outcome.best_move();
        let text = self.position.uci(best, chess960);
        match result.outcome.ponder_move() {
            Some(reply) => {
                format!("bestmove {text} ponder {}", self.position.make(best).uci(reply, chess960))
            }
            None => format!("bestmove {text}"),
        }
    }
}

/// Returns moves as text, each with a space before it.
fn line(position: &Position, moves: &[Move], chess960: bool) -> String {
    let mut position = position.clone();
    let mut text = String::new();
    for &mv in moves {
        text.push(' ');
        text += &position.uci(mv, chess960);
        position = position.make(mv);
    }
    text
}
