//! What is shown while a run goes on: a bar, and a line for each parameter in a terminal; a line now and then elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use nullarbor_spsa::run::{Iteration, Watch};
use nullarbor_spsa::run_file::RunFile;
use nullarbor_spsa::theta::Path;

/// How often a line is printed where there is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(60);
/// How often the parameters are shown afresh.
const GLANCE: Duration = Duration::from_millis(200);

/// Shows how far a run has come.
pub struct Live {
    all: MultiProgress,
    bar: ProgressBar,
    lines: Vec<ProgressBar>,
    games_each: u64,
    terminal: bool,
    quiet: bool,
    known: u64,
    begun: Instant,
    shown: Instant,
}

impl Live {
    /// For this run; `quiet` shows nothing.
    pub fn new(run: &RunFile, quiet: bool) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let all = MultiProgress::new();
        if quiet || !terminal {
            all.set_draw_target(ProgressDrawTarget::hidden());
        }
        let bar = all.add(ProgressBar::new(run.iterations));
        const TEMPLATE: &str =
            "{elapsed_precise} [{bar:24}] iteration {pos}/{len} {msg}, {eta} left";
        let style = ProgressStyle::with_template(TEMPLATE);
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> ");
        bar.set_style(style);
        let now = Instant::now();
        let games_each = 2 * run.pairs_per_iteration;
        Self {
            all,
            bar,
            lines: Vec::new(),
            games_each,
            terminal,
            quiet,
            known: 0,
            begun: now,
            shown: now,
        }
    }

    /// From here on time counts.
    pub fn begin(&mut self, path: &Path) {
        self.known = path.applied();
        self.bar.set_position(self.known);
        self.bar.reset_eta();
        let plain = ProgressStyle::with_template("  {msg}");
        let plain = plain.unwrap_or_else(|_| ProgressStyle::default_spinner());
        self.lines = path
            .axes()
            .iter()
            .map(|_| self.all.add(ProgressBar::new_spinner()).with_style(plain.clone()))
            .collect();
        self.begun = Instant::now();
        self.show(path);
    }

    /// Prints a line.
    pub fn say(&self, line: &str) {
        if self.quiet {
        } else if self.terminal {
            let _ = self.all.println(line);
        } else {
            eprintln!("{line}");
        }
    }

    /// Takes everything away.
    pub fn end(&self) {
        self.lines.iter().for_each(ProgressBar::finish_and_clear);
        self.bar.finish_and_clear();
    }

    fn speed(&self, path: &Path) -> String {
        let games = (path.applied() - self.known) * self.games_each;
        let hours = self.begun.elapsed().as_secs_f64().max(0.001) / 3600.0;
        format!("{} games, {:.0} games/h", path.applied() * self.games_each, games as f64 / hours)
    }

    fn show(&mut self, path: &Path) {
        self.shown = Instant::now();
        self.bar.set_message(self.speed(path));
        let gains = path.gains(path.applied() + 1);
        for (((line, axis), value), gain) in
            self.lines.iter().zip(path.axes()).zip(path.point()).zip(gains)
        {
            let moved = value - axis.start;
            let trend = match moved.abs() / axis.c_end {
                few if few < 0.25 => "",
                _ if moved > 0.0 => "up",
                _ => "down",
            };
            line.set_message(format!(
                "{:<32} {value:>12.4}  ±{:<8.2} {moved:>+10.2} {trend}",
                axis.name, gain.c
            ));
        }
    }
}

impl Watch for Live {
    fn applied(&mut self, _: &Iteration, path: &Path) {
        self.bar.set_position(path.applied());
        if self.terminal && self.shown.elapsed() >= GLANCE {
            self.show(path);
        } else if !self.terminal && !self.quiet && self.shown.elapsed() >= LINE_INTERVAL {
            let all = self.bar.length().unwrap_or(0);
            eprintln!("iteration {} of {all}, {}", path.applied(), self.speed(path));
            self.shown = Instant::now();
        }
    }
}
