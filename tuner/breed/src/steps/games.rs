//! The games of a cycle, and the datasets of its window.

use std::fs;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nullarbor_games::tablebases::{TableRule, TablesError};
use nullarbor_report::table::grouped;
use nullarbor_report::terminal;
use nullarbor_runs::Stop;
use nullarbor_runs::files::{FileError, replace};
use nullarbor_train::data::statistics::figures::{Figures, warnings};
use nullarbor_train::data::{Dataset, Filter, GameRecord, SelfPlaySettings, self_play, statistics};

use super::Work;
use crate::config::Config;
use crate::error::Error;
use crate::event::{Begun, Games};

/// Interval at which a line is printed if there is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(60);
/// Piece counts of a bucket.
const WIDTH: usize = 4;

/// Interval at which the playing time is written to its file.
const SAVE_INTERVAL: Duration = Duration::from_secs(10);
/// The file with the playing time, beside the games.
const PLAYING_TIME: &str = "seconds-played.txt";

/// The playing time of a cycle without its pauses. Its file is for a process that resumes the cycle.
struct PlayingTime<'a> {
    path: PathBuf,
    stop: &'a Stop,
    begun: Instant,
    saved: Instant,
    /// Time of the processes before this one.
    before: Duration,
    /// Length of the pauses before this one began.
    paused: Duration,
}

impl<'a> PlayingTime<'a> {
    /// Goes on with the time of a dataset. Games whose time was not kept have taken none.
    fn of(directory: &Path, stop: &'a Stop) -> Self {
        let path = directory.join(PLAYING_TIME);
        let text = fs::read_to_string(&path).unwrap_or_default();
        let before = Duration::from_secs(text.trim().parse().unwrap_or(0));
        let now = Instant::now();
        Self { path, stop, begun: now, saved: now, before, paused: stop.time_paused(now) }
    }

    fn total(&self) -> Duration {
        // One instant for both: the total would fall by what lies between two.
        let now = Instant::now();
        let paused = self.stop.time_paused(now).saturating_sub(self.paused);
        self.before.saturating_add(now.duration_since(self.begun).saturating_sub(paused))
    }

    fn hours(&self) -> f64 {
        self.total().as_secs_f64() / 3600.0
    }

    fn save(&mut self) -> Result<(), FileError> {
        self.saved = Instant::now();
        replace(&self.path, |file| writeln!(file, "{}", self.total().as_secs()))
    }

    fn save_now_and_then(&mut self) {
        if self.saved.elapsed() >= SAVE_INTERVAL {
            // What cannot be written now may be later.
            let _ = self.save();
        }
    }
}

/// Finds the tablebases that decide games, if there are any.
pub(super) fn tables(config: &Config) -> Result<Option<TableRule>, TablesError> {
    config.games.tb.as_ref().map(|folders| TableRule::open(folders, None)).transpose()
}

impl Work<'_> {
    /// Plays the games of a cycle, or those that are missing, and looks at what they consist of.
    pub fn games(&self, begun: &Begun) -> Result<Games, Error> {
        let Begun { cycle, generation, positions, config, .. } = begun;
        let path = self.folder.generation(*generation);
        super::read_named(&path, self.state.accepted())?;
        let network = self_play::Evaluation::open(Some(&path))?;
        let evaluation = network.name();
        let tables = tables(config)?;
        let settings = SelfPlaySettings {
            tables: tables.as_ref().map(|tables| tables.pieces),
            ..config.self_play(*cycle, *positions, evaluation)
        };
        let directory = self.folder.games(*cycle);
        let existing = self_play::existing(&directory)?;
        if !self.quiet && existing.games > 0 {
            terminal::message(format_args!("{} games are there already.", grouped(existing.games)));
        }
        let bar = terminal::bar(*positions, "kept positions", self.quiet);
        bar.set_position(existing.kept.min(*positions));
        bar.reset_eta();
        let mut last_line = Instant::now();
        let mut time = PlayingTime::of(&directory, self.stop);
        let limit = begun.hours();
        let played = |game: &GameRecord| {
            let kept = game.kept_by(&Filter::default()).count() as u64;
            bar.inc(kept);
            time.save_now_and_then();
            // Where there is no terminal there is no bar.
            if bar.is_hidden() && !self.quiet && last_line.elapsed() >= LINE_INTERVAL {
                let [kept, wanted] = [bar.position(), *positions].map(grouped);
                terminal::message(format_args!("{kept} of {wanted} kept positions"));
                last_line = Instant::now();
            }
            if limit.is_some_and(|limit| time.hours() >= limit) {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        let result = self_play::run(
            &settings,
            &network,
            tables,
            &directory,
            self.workers,
            self.stop,
            played,
        );
        bar.finish_and_clear();
        let saved = time.save();
        result.map_err(|source| match source {
            self_play::SelfPlayError::Interrupted(it) => it.into(),
            source => Error::Games { cycle: *cycle, source },
        })?;
        saved?;
        self.describe(*cycle, time.total().as_secs(), Dataset::open(&directory)?)
    }

    fn describe(&self, cycle: u64, seconds: u64, dataset: Dataset) -> Result<Games, Error> {
        let counts = dataset.counts();
        let threads = self.threads();
        let found = statistics::read(&[dataset], Filter::default(), threads, self.quiet, self.stop);
        let statistics = found.map_err(super::training::dataset_error)?;
        let figures = Figures::of(&statistics);
        let warnings = warnings(&figures).into_iter().map(|warning| warning.text).collect();
        let mut pieces = [0; 8];
        for (count, positions) in (2..).zip(statistics.pieces.kept.binned()) {
            pieces[(count - 1) / WIDTH] += positions;
        }
        Ok(Games { cycle, counts, seconds, figures, pieces, warnings })
    }

    /// Returns the datasets of a cycle's window.
    pub fn window(&self, begun: &Begun) -> Result<Vec<Dataset>, Error> {
        let start = begun.with_start.then_some(&begun.config.games.start).into_iter().flatten();
        let cycles = begun.window.iter().map(|&cycle| self.folder.games(cycle));
        let paths: Vec<_> = start.cloned().chain(cycles).collect();
        Ok(Dataset::open_all(&paths)?)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn the_playing_time_of_a_cycle_goes_on_without_its_pauses() {
        let (folder, stop) = (tempfile::tempdir().expect("a folder"), Stop::new());
        // Pauses before the games are none of theirs.
        stop.set_paused(true);
        thread::sleep(Duration::from_millis(50));
        stop.set_paused(false);
        let mut first = PlayingTime::of(folder.path(), &stop);
        assert_eq!(first.before, Duration::ZERO);
        thread::sleep(Duration::from_millis(20));
        let played = first.total();
        assert!(played >= Duration::from_millis(20), "{played:?}");
        first.before = Duration::from_secs(7200);
        first.save().expect("room");
        let resumed = PlayingTime::of(folder.path(), &stop);
        stop.set_paused(true);
        let before = resumed.total();
        thread::sleep(Duration::from_millis(200));
        assert_eq!(resumed.total(), before, "the pause counts");
        assert!((2.0..2.001).contains(&resumed.hours()), "{}", resumed.hours());
        fs::write(folder.path().join(PLAYING_TIME), "rubbish").expect("room");
        assert_eq!(PlayingTime::of(folder.path(), &stop).before, Duration::ZERO);
    }
}
