//! A whole run: labels all positions on all cores, with a journal from which it is resumed, and writes the file at the end.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufWriter, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use nullarbor::board::Position;
use nullarbor_games::engine_config::{EngineConfig, StartContext};
use nullarbor_games::matches::identity;
use nullarbor_openings::needs_chess960;
use nullarbor_report::terminal;
use nullarbor_runs::files::{check_writable, replace};
use nullarbor_runs::journal::{Journal, Kind};
use nullarbor_runs::{Pool, Stop};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::{Failure, LabelError};
use super::labeller::Labeller;
use super::source::{Positions, is_noisy, quiet_siblings};

const LABELS: Kind = Kind { key: "nullarbor_labels", name: "set of labels", reads_unsealed: false };
/// A position is undecided, and its siblings are worth telling apart, up to this score in centipawns.
const UNDECIDED: i32 = 600;
/// An engine that gives up as many positions one after the other will not do better on the next.
const HOPELESS: usize = 10;

/// Positions to label, and the settings of their searches.
pub struct LabelJob {
    /// The engine, with the limit of its searches.
    pub engine: EngineConfig,
    /// The positions.
    pub positions: Positions,
    /// True if positions are dropped whose best move captures or promotes.
    pub quiet_only: bool,
    /// Positions after this many quiet moves of each position are labelled in its place.
    pub siblings: Option<usize>,
    /// The seed that decides which moves these are.
    pub seed: u64,
    /// The file. Its journal is written beside it.
    pub out: PathBuf,
    /// The number of engines at the same time.
    pub threads: usize,
    /// Time after which an engine counts as hung.
    pub timeout: Duration,
    /// True if no progress is shown.
    pub quiet: bool,
}

/// The settings of a run: two runs with equal ones are parts of the same.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Subject {
    engine: Value,
    positions: String,
    quiet_only: bool,
    siblings: Option<usize>,
    seed: u64,
}

/// A position that was searched.
#[derive(Debug, Serialize, Deserialize)]
struct Piece {
    number: u64,
    found: Found,
}

/// The result for a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Found {
    /// The label.
    Label(i32),
    /// Siblings with their labels.
    Siblings(Vec<(String, i32)>),
    /// The best move captures or promotes.
    Noisy,
    /// The position is decided, so that its siblings are not worth telling apart.
    Decided,
    /// Too few moves are quiet.
    FewMoves,
    /// The engine failed it. It is tried again, after all others, when the run is resumed.
    Failed(Failure),
}

/// The result of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Lines of the file.
    pub lines: usize,
    /// Positions that are labelled, or whose siblings are.
    pub labelled: usize,
    /// Positions dropped since the best move captures or promotes.
    pub noisy: usize,
    /// Positions dropped since they are decided.
    pub decided: usize,
    /// Positions dropped since too few moves are quiet.
    pub few_moves: usize,
    /// Positions that the engine failed, by the last failure.
    pub skipped: BTreeMap<Failure, usize>,
}

impl Summary {
    /// Describes it in one line.
    pub fn line(&self) -> String {
        let Self { lines, labelled, noisy, decided, few_moves, .. } = self;
        let dropped = [
            (*noisy, "with a best move that captures or promotes"),
            (*decided, "decided"),
            (*few_moves, "with too few quiet moves"),
        ];
        let dropped = dropped.into_iter().filter(|(count, _)| *count > 0);
        let dropped: Vec<String> = dropped.map(|(count, why)| format!("{count} {why}")).collect();
        let mut text = format!("{lines} lines of {labelled} positions");
        if !dropped.is_empty() {
            text += &format!("; dropped: {}", dropped.join(", "));
        }
        text
    }

    /// Describes the positions that the engine failed, if there are any.
    pub fn failures(&self) -> Option<String> {
        let count: usize = self.skipped.values().sum();
        let parts = self.skipped.iter().map(|(failure, count)| format!("{count} as {failure}"));
        (count > 0).then(|| {
            let parts = parts.collect::<Vec<_>>().join(", ");
            format!("{count} positions were skipped, which the engine failed twice: {parts}; re-run the same command to try them again")
        })
    }

    fn add(&mut self, found: &Found) {
        match found {
            Found::Label(_) => (self.lines, self.labelled) = (self.lines + 1, self.labelled + 1),
            Found::Siblings(siblings) => {
                (self.lines, self.labelled) = (self.lines + siblings.len(), self.labelled + 1);
            }
            Found::Noisy => self.noisy += 1,
            Found::Decided => self.decided += 1,
            Found::FewMoves => self.few_moves += 1,
            Found::Failed(failure) => *self.skipped.entry(*failure).or_insert(0) += 1,
        }
    }
}

impl LabelJob {
    /// Labels what is not labelled yet and writes the file.
    ///
    /// # Errors
    /// If a file cannot be used, the engine cannot be started or fails again and again, or the user interrupts it. What was
    /// labelled stays in the journal.
    pub fn run(&self, stop: &Arc<Stop>) -> Result<Summary, LabelError> {
        let path = self.journal();
        if self.out.exists() && !path.exists() {
            return Err(LabelError::Exists { path: self.out.clone() });
        }
        check_writable(&self.out)?;
        let opened = Journal::open::<Subject, Piece>(LABELS, &path)?;
        let (mut journal, subject) = (opened.journal, self.subject());
        if let Some(what) = opened.subject.and_then(|then| then.difference(&subject)) {
            return Err(LabelError::OtherRun { path, what });
        }
        journal.begin(&subject)?;
        let known = opened.pieces.into_iter().map(|piece| (piece.number, piece.found));
        let mut found: BTreeMap<u64, Found> = known.collect();
        self.label(&mut journal, &mut found, stop)?;
        journal.sync()?;
        let mut summary = Summary::default();
        found.values().for_each(|found| summary.add(found));
        if summary.lines == 0 {
            let why = [Some(summary.line()), summary.failures()].into_iter().flatten();
            return Err(LabelError::NothingLeft(why.collect::<Vec<_>>().join("; ")));
        }
        self.write(&found)?;
        Ok(summary)
    }

    /// Returns the path of the journal.
    pub fn journal(&self) -> PathBuf {
        PathBuf::from(format!("{}.journal", self.out.display()))
    }

    fn subject(&self) -> Subject {
        let Self { engine, positions, quiet_only, siblings, seed, .. } = self;
        Subject {
            engine: identity::engine(engine),
            positions: format!("{}, {}", positions.all.len(), positions.fingerprint()),
            quiet_only: *quiet_only,
            siblings: *siblings,
            seed: *seed,
        }
    }

    /// Labels the positions that are not in `found`, then those that the engine failed in an earlier run.
    fn label(
        &self,
        journal: &mut Journal,
        found: &mut BTreeMap<u64, Found>,
        stop: &Arc<Stop>,
    ) -> Result<(), LabelError> {
        let all = &self.positions.all;
        let context = StartContext {
            chess960: all.iter().any(|(position, _)| needs_chess960(position)),
            timeout: self.timeout,
            stop: Arc::clone(stop),
            log: None,
            processors: Vec::new(),
        };
        let missing = (0..all.len() as u64).filter(|number| !found.contains_key(number));
        let failed = found.iter().filter(|(_, found)| matches!(found, Found::Failed(_)));
        let failed: BTreeSet<u64> = failed.map(|(&number, _)| number).collect();
        let missing: Vec<u64> = missing.chain(failed.iter().copied()).collect();
        let workers = self.threads.clamp(1, missing.len().max(1));
        let labeller = || Labeller::new(&self.engine, &context);
        let mut pool = Pool::new((0..workers).map(|_| labeller()).collect());
        let work = |labeller: &mut Labeller<'_>, number: u64| -> Result<_, LabelError> {
            Ok((number, self.search(labeller, &all[number as usize].0)?))
        };
        let bar = terminal::bar(all.len() as u64, "positions", self.quiet);
        bar.set_position((found.len() - failed.len()) as u64);
        bar.reset_eta();
        let mut in_a_row = 0;
        let take = |_, (number, result): (u64, Found)| -> Result<ControlFlow<()>, LabelError> {
            bar.inc(1);
            if found.get(&number) != Some(&result) {
                journal.add(&Piece { number, found: result.clone() })?;
            }
            if let Found::Failed(failure) = result {
                let position = &all[number as usize].0;
                terminal::say(&bar, self.quiet, &format!("skipped, as {failure}: {position}"));
                // One that it failed before tells nothing new about the others.
                in_a_row += usize::from(!failed.contains(&number));
                if in_a_row == HOPELESS {
                    let (count, journal) = (HOPELESS, self.journal());
                    return Err(LabelError::Hopeless { count, failure, journal });
                }
            } else {
                in_a_row = 0;
            }
            found.insert(number, result);
            Ok(ControlFlow::Continue(()))
        };
        let done = pool.run_unordered(stop, missing, work, take);
        bar.finish_and_clear();
        done
    }

    /// Searches a position, and its siblings if they are asked for.
    fn search(
        &self,
        labeller: &mut Labeller<'_>,
        position: &Position,
    ) -> Result<Found, LabelError> {
        let siblings =
            self.siblings.map(|count| (count, quiet_siblings(position, count, self.seed)));
        if siblings.as_ref().is_some_and(|(count, siblings)| siblings.len() < *count) {
            return Ok(Found::FewMoves);
        }
        let finding = match labeller.search(position)? {
            Ok(finding) => finding,
            Err(failure) => return Ok(Found::Failed(failure)),
        };
        if self.quiet_only && is_noisy(finding.best) {
            return Ok(Found::Noisy);
        }
        let Some((_, siblings)) = siblings else { return Ok(Found::Label(finding.label)) };
        if finding.label.abs() > UNDECIDED {
            return Ok(Found::Decided);
        }
        let mut labelled = Vec::new();
        for sibling in siblings {
            match labeller.search(&sibling)? {
                Ok(finding) => labelled.push((sibling.to_string(), finding.label)),
                Err(failure) => return Ok(Found::Failed(failure)),
            }
        }
        Ok(Found::Siblings(labelled))
    }

    fn write(&self, found: &BTreeMap<u64, Found>) -> Result<(), LabelError> {
        let Positions { names, all } = &self.positions;
        let written = replace(&self.out, |file| {
            let mut file = BufWriter::new(file);
            let mut group = 0;
            for (&number, found) in found {
                match found {
                    Found::Label(label) => {
                        let (position, name) = &all[number as usize];
                        writeln!(file, "{position}\t{label}\t{}", names[*name])?;
                    }
                    Found::Siblings(siblings) => {
                        for (fen, label) in siblings {
                            writeln!(file, "{group}\t{fen}\t{label}")?;
                        }
                        group += 1;
                    }
                    Found::Noisy | Found::Decided | Found::FewMoves | Found::Failed(_) => {}
                }
            }
            file.flush()
        });
        Ok(written?)
    }
}

impl Subject {
    /// Returns what is different in another run.
    fn difference(&self, now: &Self) -> Option<String> {
        let differences = [
            (
                identity::first_difference("engine", &self.engine, &now.engine).is_some(),
                "engine or limit",
            ),
            (self.positions != now.positions, "positions"),
            (self.quiet_only != now.quiet_only, "--quiet-only"),
            (self.siblings != now.siblings, "--siblings"),
            (self.seed != now.seed, "--seed"),
        ];
        let found = differences.into_iter().find(|(differs, _)| *differs);
        found.map(|(_, what)| what.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_tells_what_was_dropped_and_skipped() {
        let mut summary = Summary::default();
        for found in [
            Found::Label(3),
            Found::Siblings(vec![(String::new(), 1), (String::new(), 2)]),
            Found::Noisy,
            Found::Decided,
            Found::Decided,
        ] {
            summary.add(&found);
        }
        assert_eq!(summary.failures(), None);
        (0..3).for_each(|_| summary.add(&Found::Failed(Failure::Hung)));
        assert!(summary.line().starts_with("3 lines of 2 positions; dropped: 1 with"));
        assert!(summary.line().ends_with(", 2 decided"), "{}", summary.line());
        assert!(summary.failures().is_some_and(|text| text.contains("3 as it hung")));
    }

    #[test]
    fn another_run_is_named() {
        let subject = |siblings, seed| Subject {
            engine: Value::Null,
            positions: String::new(),
            quiet_only: false,
            siblings,
            seed,
        };
        let then = subject(None, 1);
        assert_eq!(then.difference(&subject(None, 1)), None);
        assert_eq!(then.difference(&subject(Some(8), 2)).as_deref(), Some("--siblings"));
    }
}
