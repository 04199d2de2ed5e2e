//! The progress of a run: in a terminal a bar and a line for each parameter, elsewhere a line per minute.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget};
use nullarbor_report::terminal::{self, style};

use super::run_file::RunFile;
use super::theta::Theta;

/// Interval of lines where there is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(60);
/// Interval of updates in a terminal.
const REFRESH: Duration = Duration::from_millis(200);
/// A parameter that moved by less than this share of its perturbation has no trend.
const TREND: f64 = 0.25;

/// Shows the progress of a run on standard error.
pub struct Progress {
    bar: ProgressBar,
    /// One for each parameter.
    lines: Vec<ProgressBar>,
    games_per_iteration: u64,
    is_terminal: bool,
    is_quiet: bool,
    /// Iterations before this session; they do not count for the speed.
    known: u64,
    begun: Instant,
    shown: Instant,
}

impl Progress {
    /// Shows the progress of a run from its current iterate on; nothing if `quiet`.
    pub fn new(run: &RunFile, theta: &Theta, quiet: bool) -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        let bars = MultiProgress::new();
        if quiet || !is_terminal {
            bars.set_draw_target(ProgressDrawTarget::hidden());
        }
        let bar = bars.add(ProgressBar::new(run.iterations).with_style(style(
            "{elapsed_precise} [{bar:24}] iteration {pos}/{len} {msg}, {eta} left",
        )));
        bar.set_position(theta.iteration());
        bar.reset_eta();
        let line = |_| bars.add(ProgressBar::new_spinner()).with_style(style("  {msg}"));
        let lines = theta.parameters().iter().map(line).collect();
        let now = Instant::now();
        let mut progress = Self {
            bar,
            lines,
            games_per_iteration: 2 * run.pairs_per_iteration,
            is_terminal,
            is_quiet: quiet,
            known: theta.iteration(),
            begun: now,
            shown: now,
        };
        progress.draw(theta);
        progress
    }

    /// Prints a line.
    pub fn say(&self, line: &str) {
        terminal::say(&self.bar, self.is_quiet, line);
    }

    /// Shows the iterate after an iteration, if it is time to.
    pub fn update(&mut self, theta: &Theta) {
        self.bar.set_position(theta.iteration());
        if self.is_terminal && self.shown.elapsed() >= REFRESH {
            self.draw(theta);
        } else if !self.is_terminal && self.shown.elapsed() >= LINE_INTERVAL {
            let all = self.bar.length().unwrap_or(0);
            self.say(&format!("iteration {} of {all}, {}", theta.iteration(), self.speed(theta)));
            self.shown = Instant::now();
        }
    }

    /// Removes the bar and the lines.
    pub fn end(&self) {
        self.lines.iter().for_each(ProgressBar::finish_and_clear);
        self.bar.finish_and_clear();
    }

    fn speed(&self, theta: &Theta) -> String {
        let games = (theta.iteration() - self.known) * self.games_per_iteration;
        let hours = self.begun.elapsed().as_secs_f64().max(0.001) / 3600.0;
        let all = theta.iteration() * self.games_per_iteration;
        format!("{all} games, {:.0} games/h", games as f64 / hours)
    }

    fn draw(&mut self, theta: &Theta) {
        self.shown = Instant::now();
        self.bar.set_message(self.speed(theta));
        let gains = theta.gains(theta.iteration() + 1);
        let parameters = theta.parameters().iter().zip(theta.values()).zip(gains);
        for (line, ((parameter, value), gain)) in self.lines.iter().zip(parameters) {
            let change = value - parameter.start;
            let trend = match change / parameter.c_end {
                units if units.abs() < TREND => "",
                units if units > 0.0 => "up",
                _ => "down",
            };
            line.set_message(format!(
                "{:<32} {value:>10.2}  ±{:<8.2} {change:>+10.2} {trend}",
                parameter.name, gain.c
            ));
        }
    }
}
