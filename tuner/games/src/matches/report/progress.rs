//! What is shown while a match runs: a bar in a terminal, a line now and then elsewhere. It goes to standard error, so
//! that standard output holds just the results.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::stats::{PairCounts, Sprt, Strength};
use nullarbor_report::terminal;

/// How often a line is printed where there is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(60);

/// Shows how far a match has come.
pub struct Progress {
    bar: ProgressBar,
    sprt: Option<Sprt>,
    /// Games that were known before the run, and do not count for its speed.
    known: u64,
    begun: Instant,
    last_line: Option<Instant>,
}

impl Progress {
    /// For a match of so many games, of which some are known already. `quiet` shows nothing.
    pub fn new(games: u64, known: u64, sprt: Option<Sprt>, quiet: bool) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let bar = if quiet || !terminal {
            ProgressBar::with_draw_target(Some(games), ProgressDrawTarget::hidden())
        } else {
            ProgressBar::new(games)
        };
        bar.set_style(style());
        bar.enable_steady_tick(Duration::from_millis(500));
        let begun = Instant::now();
        let last_line = (!quiet && !terminal).then_some(begun);
        Self { bar, sprt, known, begun, last_line }
    }

    /// Shows what stands after so many games; `counts` where there is just one pairing.
    pub fn show(&mut self, games: u64, counts: Option<&PairCounts>) {
        let elapsed = self.begun.elapsed();
        let per_hour =
            games.saturating_sub(self.known) as f64 * 3600.0 / elapsed.as_secs_f64().max(0.001);
        let state = counts.map_or(String::new(), |counts| self.state(counts));
        let message = format!("{per_hour:.0} games/h{state}");
        self.bar.set_position(games);
        if self.last_line.is_some_and(|last| last.elapsed() >= LINE_INTERVAL) {
            let total = self.bar.length().unwrap_or(games);
            eprintln!("{games} of {total} games, {message}");
            self.last_line = Some(Instant::now());
        }
        self.bar.set_message(message);
    }

    fn state(&self, counts: &PairCounts) -> String {
        let elo = Strength::of(counts).elo;
        let elo = format!(", Elo {:+.1} ± {:.1}", elo.value, elo.error);
        let Some(sprt) = self.sprt else { return elo };
        let (lower, upper) = sprt.limits();
        let to_go = sprt.games_to_go(counts);
        let to_go = to_go.map_or(String::new(), |games| format!(", ~{games:.0} games to go"));
        format!("{elo}, LLR {:.2} ({lower:.2}, {upper:.2}){to_go}", sprt.llr(counts))
    }

    /// Prints a line above the bar.
    pub fn say(&self, line: &str) {
        if self.bar.is_hidden() {
            eprintln!("{line}");
        } else {
            self.bar.println(line);
        }
    }

    /// Prints a line to standard output, past the bar.
    pub fn print(&self, line: &str) {
        self.bar.suspend(|| terminal::line(line));
    }

    /// Takes the bar away.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }
}

fn style() -> ProgressStyle {
    const TEMPLATE: &str = "{elapsed_precise} [{bar:24}] {pos}/{len} {wide_msg}";
    ProgressStyle::with_template(TEMPLATE)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ")
}
