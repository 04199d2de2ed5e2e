//! The progress of self-play, on standard error.

use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use nullarbor_report::terminal;

use crate::data::game_record::GameRecord;
use crate::data::shard::Counts;

/// Interval at which a line is printed if there is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(60);

/// A progress bar with the speed and the results so far; without a terminal, a line each minute.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    /// Games of earlier runs.
    existing: u64,
    /// Games of this run.
    played: Counts,
    begun: Instant,
    last_line: Option<Instant>,
}

impl Progress {
    /// Begins the progress of a run of `games` games, some of which exist already.
    pub fn new(games: u64, existing: u64, quiet: bool) -> Self {
        let bar = terminal::bar(games, "games{msg}", quiet);
        bar.set_position(existing);
        bar.reset_eta();
        let begun = Instant::now();
        let last_line = (bar.is_hidden() && !quiet).then_some(begun);
        Self { bar, existing, played: Counts::default(), begun, last_line }
    }

    /// Counts a game.
    pub fn add(&mut self, game: &GameRecord) {
        self.played.add(game);
        let games = self.existing + self.played.games;
        self.bar.set_position(games);
        let [speed, _, kept] = self.per_second();
        // Short enough for a terminal of 80 columns.
        self.bar.set_message(format!(", {speed:.0} games/s, {kept:.0} kept/s"));
        if self.last_line.is_some_and(|last| last.elapsed() >= LINE_INTERVAL) {
            terminal::message(format_args!("{games} games, {}", self.line()));
            self.last_line = Some(Instant::now());
        }
    }

    /// Removes the bar. Returns the speed of this run, or `None` if no game was played.
    pub fn finish(&self) -> Option<String> {
        self.bar.finish_and_clear();
        (self.played.games > 0).then(|| self.speed())
    }

    fn speed(&self) -> String {
        let [games, positions, kept] = self.per_second();
        format!("{games:.1} games/s, {positions:.0} positions/s, {kept:.0} kept positions/s")
    }

    fn per_second(&self) -> [f64; 3] {
        let seconds = self.begun.elapsed().as_secs_f64().max(0.001);
        let Counts { games, positions, kept, .. } = self.played;
        [games, positions, kept].map(|count| count as f64 / seconds)
    }

    /// Describes the speed and the results for White.
    fn line(&self) -> String {
        let Counts { games, white_wins, draws, black_wins, .. } = self.played;
        let [won, drawn, lost] =
            [white_wins, draws, black_wins].map(|count| 100 * count / games.max(1));
        format!("{}, won {won} %, drawn {drawn} %, lost {lost} %", self.speed())
    }
}
