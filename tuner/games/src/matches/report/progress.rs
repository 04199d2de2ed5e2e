//! The progress of a match on standard error: a bar on a terminal, a line now and then elsewhere.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use nullarbor::types::Colour;
use nullarbor_report::terminal::{self, printable};
use parking_lot::Mutex;

use super::results;
use crate::matches::notices::Notices;
use crate::matches::run::Watch;
use crate::matches::{Format, GameRecord, Plan, Session, Standings};
use crate::pair::GameOfPair;
use nullarbor_runs::Workers;
use nullarbor_stats::{PairCounts, Sprt, Strength, decimals};

/// Between two lines where there is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(60);

/// Shows how far a match has come.
pub struct Progress<'a> {
    plan: &'a Plan,
    bar: ProgressBar,
    /// Games that were known before the run: they do not count for its speed.
    known: u64,
    begun: Instant,
    /// Time at which the last line was printed, where there is no terminal.
    last_line: Option<Mutex<Instant>>,
    session: &'a Session<'a>,
    /// The notices of each engine.
    notices: Mutex<Vec<Notices>>,
    lines: Mutex<Lines>,
    /// Number of intervals whose results were printed.
    intervals: Mutex<u64>,
}

/// The lines of `--verbose`: a game that begins is told after the one that made room for it, which ends on another thread.
#[derive(Default)]
struct Lines {
    under_way: usize,
    /// Lines of games that have begun, not printed yet.
    held: VecDeque<String>,
}

impl<'a> Progress<'a> {
    /// Shows a match of which some games are known.
    pub fn new(plan: &'a Plan, known: &[GameRecord], session: &'a Session<'a>) -> Self {
        // The bar takes what the rest of the line leaves.
        const TEMPLATE: &str = "{elapsed_precise} [{wide_bar}] {pos}/{len} {msg}";
        let bar = terminal::bar_of(2 * plan.pairs(), TEMPLATE, session.quiet);
        let known = known.iter().filter(|record| record.pair < plan.pairs()).count() as u64;
        bar.set_position(known);
        let begun = Instant::now();
        let last_line = (!session.quiet && bar.is_hidden()).then(|| Mutex::new(begun));
        let notices = Mutex::new(vec![Notices::default(); plan.engines.len()]);
        let lines = Mutex::default();
        // What was known before was printed before.
        let intervals = Mutex::new(session.rating_interval.map_or(0, |interval| known / interval));
        Self { plan, bar, known, begun, last_line, session, notices, lines, intervals }
    }

    /// Prints what is played.
    pub fn announce(&self, known: usize, was_torn: bool) {
        let workers = self.session.workers;
        let Plan { book, seed, sprt, .. } = self.plan;
        let most = if sprt.is_some() { "up to " } else { "" };
        self.say(&format!(
            "{}: {most}{} games, book {} ({} openings), seed {seed}, {workers}",
            self.plan.names().join(" - "),
            2 * self.plan.pairs(),
            book.name,
            book.openings.len(),
        ));
        if was_torn {
            self.say("The last line of the journal was cut short, and is dropped.");
        }
        if known > 0 {
            self.say(&format!("{known} games are known from the journal."));
        }
        if self.plan.exhausts_book() {
            self.say(
                "Without a clock each pairing plays an opening once, so the book limits the match.",
            );
        }
    }

    /// Prints a line above the bar.
    fn say(&self, line: &str) {
        terminal::say(&self.bar, self.session.quiet, line);
    }

    /// Prints what a game tells of faults that is new.
    fn warn(&self, record: &GameRecord) {
        if self.session.quiet {
            return;
        }
        let seats = self.plan.pairing(record.pair).seats(record.game);
        for colour in Colour::ALL {
            let new = self.notices.lock()[seats[colour]].add(record, colour);
            let text = new.text(&self.plan.engines[seats[colour]].name);
            if !text.is_empty() {
                self.say(&printable(&format!("warning: {}", text.trim_end())));
            }
        }
    }

    /// Tells the games that begin, as far as there is room for them among those under way.
    fn tell_what_begins(&self) {
        let mut lines = self.lines.lock();
        let room = match self.session.workers {
            Workers::Threads(count) => *count,
            Workers::Machines(_) => usize::MAX,
        };
        while lines.under_way < room
            && let Some(line) = lines.held.pop_front()
        {
            lines.under_way += 1;
            self.bar.suspend(|| terminal::print_interim(&line));
        }
    }

    /// Prints the results if an interval is over.
    fn print_interval(&self, standings: &Standings) {
        let Some(interval) = self.session.rating_interval else { return };
        let over = standings.games() / interval;
        let mut printed = self.intervals.lock();
        if over > *printed {
            *printed = over;
            let text = results::standings(self.plan, standings);
            self.bar.suspend(|| terminal::print_interim(&text));
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn show(&self, standings: &Standings) {
        let games = self.bar.position();
        let hours = self.begun.elapsed().as_secs_f64().max(0.001) / 3600.0;
        let per_hour = games.saturating_sub(self.known) as f64 / hours;
        // Of a round robin no engine is of more interest than another.
        let shown = standings.counts.len() == 1 || self.plan.format == Format::Gauntlet;
        let state = if shown { state(&standings.of(0), self.plan.sprt) } else { String::new() };
        let message = format!("{}/h{state}", thousands(per_hour));
        if let Some(last) = &self.last_line
            && last.lock().elapsed() >= LINE_INTERVAL
        {
            terminal::message(format_args!(
                "{games} of {} games, {message}",
                2 * self.plan.pairs()
            ));
            *last.lock() = Instant::now();
        }
        self.bar.set_message(message);
    }
}

impl Watch for Progress<'_> {
    fn game_begins(&self, pair: u64, game: GameOfPair) {
        if self.session.verbose {
            let [white, black] = self.plan.players(pair, game).map(|engine| &engine.name);
            let (number, all) = (GameRecord::number_of(pair, game), 2 * self.plan.pairs());
            let line = format!("Started game {number} of {all} ({white} vs {black})\n");
            self.lines.lock().held.push_back(line);
            self.tell_what_begins();
        }
    }

    fn game_ended(&self, record: &GameRecord) {
        self.bar.inc(1);
        if self.session.verbose {
            let [white, black] =
                self.plan.players(record.pair, record.game).map(|engine| &engine.name);
            let (number, result, end) = (record.number(), record.end.result(), &record.end);
            let line = format!("Finished game {number} ({white} vs {black}): {result} {{{end}}}\n");
            self.bar.suspend(|| terminal::print_interim(&line));
            let mut lines = self.lines.lock();
            lines.under_way = lines.under_way.saturating_sub(1);
            drop(lines);
            self.tell_what_begins();
        }
        self.warn(record);
    }

    fn goes_on_after(&self, record: &GameRecord) -> bool {
        !(self.session.stop_on_crash && record.end.is_crash())
    }

    fn counted(&self, standings: &Standings) {
        self.show(standings);
        self.print_interval(standings);
    }
}

/// Returns the first engine's Elo, and the state of the test.
fn state(counts: &PairCounts, sprt: Option<Sprt>) -> String {
    let elo = Strength::of(counts).elo;
    let sign = if elo.value > 0.0 { "+" } else { "" };
    let elo = format!(", Elo {sign}{}±{}", decimals(elo.value, 1), decimals(elo.error, 1));
    let Some(sprt) = sprt else { return elo };
    let llr = sprt.llr(counts);
    let to_go = sprt.games_to_go(counts);
    let to_go = to_go.map_or(String::new(), |games| format!(", ~{} left", thousands(games)));
    format!("{elo}, LLR {llr:.2} ({:.0}%){to_go}", sprt.progress(llr))
}

/// Returns a number with at most four digits.
fn thousands(number: f64) -> String {
    match number {
        ..9999.5 => format!("{number:.0}"),
        9999.5..99_950.0 => format!("{:.1}k", number / 1e3),
        _ => format!("{:.0}k", number / 1e3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nullarbor_stats::Model;

    #[test]
    fn the_line_fits_into_80_columns() {
        let sprt = Sprt::new(0.0, 2.0, 0.05, 0.05, Model::Normalized).ok();
        for counts in [
            PairCounts { ll: 0, ld: 1200, dd: 4000, wl: 13, wd: 1180, ww: 7 },
            PairCounts { ll: 5, ld: 2, dd: 9, wl: 0, wd: 5, ww: 13 },
            PairCounts { ww: 30, ..PairCounts::default() },
            PairCounts::default(),
        ] {
            let message = format!("{}/h{}", thousands(127_345.0), state(&counts, sprt));
            // Before it: 00:00:00 [] 12345/16000
            assert!(message.chars().count() <= 80 - 24, "{message}");
            assert!(!message.contains("inf") && !message.contains("NaN"), "{message}");
        }
        assert_eq!(
            [0.4, 9999.0, 12_345.0, 99_999.0].map(thousands),
            ["0", "9999", "12.3k", "100k"]
        );
    }
}
