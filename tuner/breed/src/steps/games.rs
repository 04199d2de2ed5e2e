//! The games of a cycle, and the datasets of its window.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use nullarbor_report::table::grouped;
use nullarbor_report::terminal;
use nullarbor_train::data::statistics::figures::{Figures, warnings};
use nullarbor_train::data::{Dataset, Filter, GameRecord, self_play, statistics};

use super::Work;
use crate::error::Error;
use crate::event::{Begun, Games};

/// Interval at which a line is printed if there is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(60);
/// Piece counts of a bucket.
const WIDTH: usize = 4;

/// The playing time of a cycle.
struct PlayingTime {
    begun: Instant,
    /// Kept positions of games that were played before this process began.
    before: u64,
    /// Kept positions of games since then.
    new: u64,
}

impl PlayingTime {
    /// Returns the hours of all games, as if the earlier ones had been played at the speed of these.
    fn hours(&self) -> f64 {
        let share = (self.before + self.new) as f64 / self.new.max(1) as f64;
        self.begun.elapsed().as_secs_f64() / 3600.0 * share
    }
}

impl Work<'_> {
    /// Plays the games of a cycle, or those that are missing, and looks at what they consist of.
    pub fn games(&self, begun: &Begun) -> Result<Games, Error> {
        let Begun { cycle, generation, positions, config, .. } = begun;
        let path = self.folder.generation(*generation);
        super::read_named(&path, self.state.accepted())?;
        let network = self_play::Evaluation::open(Some(&path))?;
        let evaluation = network.name();
        let settings = config.self_play(*cycle, *positions, evaluation);
        let directory = self.folder.games(*cycle);
        let existing = self_play::existing(&directory)?;
        if !self.quiet && existing.games > 0 {
            eprintln!("{} games are there already.", grouped(existing.games));
        }
        let bar = terminal::bar(*positions, "kept positions", self.quiet);
        bar.set_position(existing.kept.min(*positions));
        bar.reset_eta();
        let mut last_line = Instant::now();
        let mut time = PlayingTime { begun: Instant::now(), before: existing.kept, new: 0 };
        let limit = begun.hours();
        let played = |game: &GameRecord| {
            let kept = game.kept_by(&Filter::default()).count() as u64;
            bar.inc(kept);
            time.new += kept;
            // Where there is no terminal there is no bar.
            if bar.is_hidden() && !self.quiet && last_line.elapsed() >= LINE_INTERVAL {
                let [kept, wanted] = [bar.position(), *positions].map(grouped);
                eprintln!("{kept} of {wanted} kept positions");
                last_line = Instant::now();
            }
            if limit.is_some_and(|limit| time.hours() >= limit) {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        let result =
            self_play::run(&settings, &network, None, &directory, self.workers, self.stop, played);
        bar.finish_and_clear();
        result.map_err(|source| match source {
            self_play::SelfPlayError::Interrupted(it) => it.into(),
            source => Error::Games { cycle: *cycle, source },
        })?;
        self.describe(*cycle, Dataset::open(&directory)?)
    }

    fn describe(&self, cycle: u64, dataset: Dataset) -> Result<Games, Error> {
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
        Ok(Games { cycle, counts, figures, pieces, warnings })
    }

    /// Returns the datasets of a cycle's window.
    pub fn window(&self, begun: &Begun) -> Result<Vec<Dataset>, Error> {
        let start = begun.with_start.then_some(&begun.config.games.start).into_iter().flatten();
        let cycles = begun.window.iter().map(|&cycle| self.folder.games(cycle));
        let paths: Vec<_> = start.cloned().chain(cycles).collect();
        Ok(Dataset::open_all(&paths)?)
    }
}
