//! The record of a run, as its folder keeps it.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use nullarbor::params::Spec;
use nullarbor_report::table::align;
use nullarbor_runs::files::{FileError, open};
use nullarbor_runs::journal::{Journal, JournalError, Kind};
use nullarbor_stats::PairCounts;
use serde::{Deserialize, Serialize};

use super::error::ConfigError;
use super::error::{Error, write};
use super::gains::{Extension, Length, Schedule};
use super::perturbation::Perturbation;
use super::pipeline::Pipeline;
use super::run_file::RunFile;
use super::start::Start;
use super::theta::Theta;

pub(super) const RUN: Kind =
    Kind { key: "nullarbor_spsa", name: "tuning run", reads_unsealed: false };
/// The journal in the folder of a run.
pub const JOURNAL: &str = "journal.jsonl";
/// The players that `spsa verify` compares the result with.
pub const OPPONENTS: [&str; 2] = ["start", "defaults"];

/// A finished iteration, as the journal keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Iteration {
    /// Number of the iteration, from 1.
    pub number: u64,
    /// Results of its first setting against the second.
    pub pairs: PairCounts,
}

impl Iteration {
    /// Returns wins minus losses of the first setting.
    pub fn net_wins(&self) -> i64 {
        self.pairs.wins() as i64 - self.pairs.losses() as i64
    }
}

/// The end of a run by its rule, before all of its iterations were played.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stopped {
    /// The iterations that were finished.
    pub stopped_after: u64,
    /// Elo that the run was expected to gain still.
    pub remaining: f64,
    /// Standard deviation of `remaining`.
    pub deviation: f64,
}

impl Stopped {
    /// Returns why the run was ended.
    pub(super) fn text(&self) -> String {
        let Self { remaining, deviation, .. } = self;
        format!("{remaining:.1} Elo remain to be gained, standard deviation {deviation:.1}")
    }
}

/// A line of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Entry {
    Iteration(Iteration),
    Extension(Extension),
    Stopped(Stopped),
}

/// A run and its finished iterations.
#[derive(Debug)]
pub struct Record {
    /// The run, with the number of iterations that it has now.
    pub run: RunFile,
    /// Length of the run, with all extensions.
    pub length: Length,
    /// Finished iterations.
    pub iterations: Vec<Iteration>,
    /// End of the run, if its rule has ended it.
    pub stopped: Option<Stopped>,
}

impl Record {
    /// Reads the journal in the folder of a run, which may be under way.
    ///
    /// # Errors
    /// If there is none, or it is damaged.
    pub fn read(dir: &Path) -> Result<Self, Error> {
        let path = dir.join(JOURNAL);
        if !path.is_file() {
            return Err(Error::NoRun { dir: dir.to_owned() });
        }
        Self::parse(&path, open(&path)?)
    }

    /// Reads the content of a journal; `path` is for messages.
    ///
    /// # Errors
    /// If it is damaged.
    pub fn parse(path: &Path, content: impl Read) -> Result<Self, Error> {
        let (start, entries) = Journal::parse(RUN, path, content)?;
        let start: Start =
            start.ok_or_else(|| FileError::at(path)("no first line yet; nothing was played"))?;
        start.run.check()?;
        Ok(Self::of(path, start.run, entries)?)
    }

    /// # Errors
    /// If an iteration is missing, or has another number of pairs than the run says, or an extension is none.
    pub(super) fn of(path: &Path, run: RunFile, entries: Vec<Entry>) -> Result<Self, JournalError> {
        let (length, iterations) = (run.iterations.into(), Vec::new());
        let mut record = Self { run, length, iterations, stopped: None };
        for (entry, line) in entries.into_iter().zip(2..) {
            record.add(entry).map_err(|problem| JournalError::damaged(path, line, problem))?;
        }
        Ok(record)
    }

    fn add(&mut self, entry: Entry) -> Result<(), String> {
        let done = self.iterations.len() as u64;
        match entry {
            Entry::Iteration(iteration) => {
                let (found, number, all) = (iteration.number, done + 1, self.run.iterations);
                let pairs = self.run.pairs_per_iteration;
                if found != number {
                    return Err(format!("iteration {found} in the place of {number}"));
                }
                if number > all {
                    return Err(format!("iteration {number} of a run of {all}"));
                }
                if iteration.pairs.checked_pairs() != Some(pairs) {
                    return Err(format!("iteration {number} does not have {pairs} pairs of games"));
                }
                self.iterations.push(iteration);
                self.stopped = None;
            }
            Entry::Extension(extension) => {
                let Extension { after, iterations } = extension;
                let extended = RunFile { iterations, ..self.run.clone() };
                if after != done || iterations <= self.run.iterations || extended.check().is_err() {
                    return Err(format!(
                        "it extends the run to {iterations} iterations after {after}"
                    ));
                }
                self.length.extend(extension);
                (self.run, self.stopped) = (extended, None);
            }
            Entry::Stopped(stopped) => {
                if stopped.stopped_after != done {
                    return Err(format!(
                        "it ends the run after {} iterations",
                        stopped.stopped_after
                    ));
                }
                self.stopped = Some(stopped);
            }
        }
        Ok(())
    }

    /// Returns the pipeline before the first iteration.
    ///
    /// # Errors
    /// If the run file tunes nothing or something unknown.
    pub fn pipeline(&self) -> Result<Pipeline, ConfigError> {
        pipeline_of_length(&self.run, self.length.clone())
    }

    /// Returns whether there is nothing left to play.
    pub fn is_done(&self) -> bool {
        self.stopped.is_some() || self.iterations.len() as u64 == self.run.iterations
    }
}

/// Returns the pipeline of a run before its first iteration.
///
/// # Errors
/// If the run file tunes nothing or something unknown.
pub fn pipeline(run: &RunFile) -> Result<Pipeline, ConfigError> {
    pipeline_of_length(run, run.iterations.into())
}

fn pipeline_of_length(run: &RunFile, length: Length) -> Result<Pipeline, ConfigError> {
    let schedule = Schedule { length, ..run.schedule() };
    let theta = Theta::new(schedule, run.averaged(), run.tuned_parameters()?);
    Ok(Pipeline::new(theta, run.seed, run.staleness))
}

/// Applies finished iterations; `see` gets each with its settings and the iterate after it.
pub fn replay(
    pipeline: &mut Pipeline,
    iterations: &[Iteration],
    mut see: impl FnMut(&Iteration, &Perturbation, &Theta),
) {
    for iteration in iterations {
        while pipeline.begin().is_some() {}
        if let Some(settings) = pipeline.apply(iteration.net_wins()) {
            see(iteration, &settings, pipeline.theta());
        }
    }
}

/// The state of a run, from its journal.
pub struct Snapshot {
    /// The run and its finished iterations.
    pub record: Record,
    /// The iterate.
    pub theta: Theta,
    /// Results of the first setting over all iterations.
    pub games: PairCounts,
}

impl Snapshot {
    /// Reads the folder of a run, which may be under way.
    ///
    /// # Errors
    /// If there is no run, or its journal is damaged.
    pub fn read(dir: &Path) -> Result<Self, Error> {
        let record = Record::read(dir)?;
        let mut pipeline = record.pipeline()?;
        let mut games = PairCounts::default();
        replay(&mut pipeline, &record.iterations, |iteration, _, _| games.merge(&iteration.pairs));
        Ok(Self { theta: pipeline.theta().clone(), record, games })
    }

    /// Returns names and values of the estimate, rounded to integers.
    pub fn result(&self) -> Vec<(String, i32)> {
        let names = self.theta.parameters().iter().map(|parameter| parameter.name.clone());
        names.zip(self.theta.estimate().into_iter().map(|value| value.round() as i32)).collect()
    }

    /// Returns names and values before the first iteration, or those that the engine declares: of another engine none, since it
    /// has them anyway.
    pub fn baseline(&self, defaults: bool) -> Vec<(String, i32)> {
        if defaults && self.record.run.engine.is_some() {
            return Vec::new();
        }
        let parameters = self.theta.parameters().iter();
        parameters
            .map(|parameter| {
                let declared = Spec::find(&parameter.name).filter(|_| defaults);
                let start = parameter.start.round() as i32;
                (parameter.name.clone(), declared.map_or(start, |spec| spec.default))
            })
            .collect()
    }

    /// Returns a line for each parameter (name, value, start), and a last one that counts iterations and games.
    pub fn status(&self) -> String {
        let parameters = self.theta.parameters().iter().zip(self.theta.estimate());
        let rows: Vec<Vec<String>> = parameters
            .map(|(parameter, value)| {
                let start = format!("from {}", parameter.start);
                vec![parameter.name.clone(), format!("{value:.2}"), start]
            })
            .collect();
        format!("{}{}\n", align(&rows), self.counts())
    }

    fn counts(&self) -> String {
        let (done, all) = (self.theta.iteration(), self.record.run.iterations);
        let counts = format!("{done} of {all} iterations, {} games", self.games.games());
        let stopped = self.record.stopped.map(|it| format!("; stopped: {}", it.text()));
        counts + &stopped.unwrap_or_default()
    }
}

fn verification_path(dir: &Path, opponent: &str) -> PathBuf {
    dir.join(format!("verify-{opponent}.txt"))
}

/// Keeps the results of the match of the estimate against one of the [`OPPONENTS`] in the folder of the run, behind a line with
/// the values that played it.
///
/// # Errors
/// If the file cannot be written.
pub fn write_verification(
    dir: &Path,
    opponent: &str,
    run: &Snapshot,
    text: &str,
) -> Result<(), Error> {
    write(&verification_path(dir, opponent), &format!("{}\n{text}", verified(run)))
}

const VERIFIED: &str = "Values after ";

/// Returns the line with the values of a verification.
fn verified(run: &Snapshot) -> String {
    let values: Vec<String> =
        run.result().iter().map(|(name, value)| format!("{name} {value}")).collect();
    format!("{VERIFIED}{} iterations: {}", run.theta.iteration(), values.join(", "))
}

/// Returns the matches that verified the result of a run, as `spsa verify` wrote them: title and text. One that other values
/// played than those of now is called an earlier result; files of earlier versions do not tell.
pub(super) fn verifications(dir: &Path, run: &Snapshot) -> Vec<(String, String)> {
    let now = verified(run);
    let values = |line: &str| line.split_once(": ").map(|(_, values)| values.to_owned());
    let read = |opponent| {
        let text = fs::read_to_string(verification_path(dir, opponent)).ok()?;
        let line = text.lines().next().and_then(|line| line.strip_prefix(VERIFIED));
        let title = match line.filter(|line| values(line) != values(&now)) {
            Some(line) => {
                let iterations = line.split(':').next().unwrap_or_default();
                format!("An earlier result, after {iterations}, against the {opponent}")
            }
            None => format!("The result against the {opponent}"),
        };
        Some((title, text))
    };
    OPPONENTS.into_iter().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nullarbor::params::SPECS;

    fn run() -> RunFile {
        let specs: Vec<&Spec> = SPECS.iter().filter(|spec| spec.group == "razoring").collect();
        let mut run = RunFile { iterations: 4, pairs_per_iteration: 4, ..RunFile::of(&specs) };
        // A win moves each value by half of its perturbation.
        run.parameters.values_mut().for_each(|tuning| tuning.r_end = Some(0.5));
        run
    }

    fn iteration(number: u64) -> Iteration {
        Iteration { number, pairs: PairCounts { ww: 1, dd: 2, ll: 1, ..PairCounts::default() } }
    }

    fn write_journal(dir: &Path, iterations: &[Iteration]) -> PathBuf {
        let path = dir.join(JOURNAL);
        let _ = fs::remove_file(&path);
        let opened = Journal::open::<RunFile, Iteration>(RUN, &path).expect("a new journal");
        let mut journal = opened.journal;
        journal.begin(&run()).expect("room");
        iterations.iter().for_each(|it| journal.add(it).expect("room"));
        path
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = write_journal(folder.path(), &[1, 2].map(iteration));
        let whole = fs::read(&path).expect("a journal");
        assert_eq!(Record::read(folder.path()).expect("whole").iterations.len(), 2);
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(Record::parse(&path, &bytes[..]).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn iterations_that_contradict_the_run_are_noticed() {
        let folder = tempfile::tempdir().expect("a folder");
        let few = Iteration { pairs: PairCounts { ww: 3, ..PairCounts::default() }, number: 2 };
        let huge = Iteration { pairs: PairCounts { ww: u64::MAX, dd: 5, ..few.pairs }, number: 2 };
        for (second, part) in [
            (iteration(3), "line 3: iteration 3 in the place of 2"),
            (iteration(1), "line 3: iteration 1 in the place of 2"),
            (few, "line 3: iteration 2 does not have 4 pairs"),
            (huge, "line 3: iteration 2 does not have 4 pairs"),
        ] {
            write_journal(folder.path(), &[iteration(1), second]);
            let error = Record::read(folder.path()).expect_err("damaged").to_string();
            assert!(error.contains(part), "{error}");
        }
        write_journal(folder.path(), &[1, 2, 3, 4, 5].map(iteration));
        let error = Record::read(folder.path()).expect_err("too many").to_string();
        assert!(error.contains("iteration 5 of a run of 4"), "{error}");
    }

    #[test]
    fn a_verification_of_other_values_is_an_earlier_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let titles = |iterations: &[Iteration]| {
            write_journal(folder.path(), iterations);
            let run = Snapshot::read(folder.path()).expect("a run");
            let found = verifications(folder.path(), &run);
            (run, found.into_iter().map(|(title, _)| title).collect::<Vec<_>>())
        };
        let drawn = [1, 2].map(iteration);
        let (run, none) = titles(&drawn);
        assert!(none.is_empty());
        write_verification(folder.path(), "start", &run, "Elo: 5\n").expect("room");
        fs::write(folder.path().join("verify-defaults.txt"), "Elo: 7\n").expect("room");
        let now = ["The result against the start", "The result against the defaults"];
        assert_eq!(titles(&drawn).1, now);
        assert_eq!(titles(&[1, 2, 3].map(iteration)).1, now, "the values are the same");
        let won = Iteration { number: 3, pairs: PairCounts { ww: 4, ..PairCounts::default() } };
        let earlier = "An earlier result, after 2 iterations, against the start";
        assert_eq!(titles(&[iteration(1), iteration(2), won]).1, [earlier, now[1]]);
    }

    #[test]
    fn a_run_is_extended_and_stopped_where_the_journal_says_so() {
        let of = |entries: Vec<Entry>| Record::of(Path::new("journal"), run(), entries);
        let played = |numbers: std::ops::RangeInclusive<u64>| {
            numbers.map(|number| Entry::Iteration(iteration(number)))
        };
        let extension = |after, iterations| Entry::Extension(Extension { after, iterations });
        let stopped = Entry::Stopped(Stopped { stopped_after: 5, remaining: 1.0, deviation: 0.5 });
        let entries = played(1..=3).chain([extension(3, 9)]).chain(played(4..=5));
        let record = of(entries.clone().collect()).expect("sound");
        assert_eq!((record.run.iterations, record.length.at(3), record.is_done()), (9, 4, false));
        let record = of(entries.chain([stopped.clone()]).collect()).expect("sound");
        assert!(record.is_done());
        for wrong in [extension(2, 9), extension(3, 4), extension(3, u64::MAX), stopped] {
            let error = of(played(1..=3).chain([wrong]).collect()).expect_err("damaged");
            assert!(error.to_string().contains("line 5"), "{error}");
        }
        // As a journal has them.
        for (text, expected) in [
            ("{\"after\":3,\"iterations\":9}", extension(3, 9)),
            (
                "{\"number\":1,\"pairs\":{\"ll\":1,\"ld\":0,\"dd\":2,\"wl\":0,\"wd\":0,\"ww\":1}}",
                Entry::Iteration(iteration(1)),
            ),
        ] {
            assert_eq!(serde_json::from_str::<Entry>(text).expect(text), expected);
        }
    }
}
