//! `engine/generations.jsonl`: the generations of the network, a line of JSON each. NETWORK.md shows them as tables.

use std::io::Write;
use std::path::Path;

use nullarbor_runs::files::{FileError, read_text, replace};
use nullarbor_train::trainer::model::Shape;
use serde::{Deserialize, Serialize};

use crate::config::Training;
use crate::event::MatchResult;

/// The limits of the columns of Elo, as matches write them.
const NODES: &str = "5000 nodes";
const BULLET: &str = "1+0.01";

/// Heads of the two tables of NETWORK.md.
const TABLES: [&str; 2] = ["| Generation | Games", "| Generation | 5,000"];

/// A generation, in the words of the tables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generation {
    /// Number of the generation, from 0.
    pub generation: u64,
    /// The players of the new games.
    pub played_by: String,
    /// New kept positions.
    pub positions: String,
    /// Hours that they took to play on the machine of the run.
    pub hours: String,
    /// All positions, and where training began.
    pub trained_on: String,
    /// Neurons of a perspective, and buckets where there is more than one.
    pub neurons: String,
    /// The weight of the result.
    pub lambda: String,
    /// The validation loss after the last epoch.
    pub validation_loss: String,
    /// Elo over the generation before at 5,000 nodes.
    pub elo_at_nodes: String,
    /// The same at 1+0.01.
    pub elo_at_bullet: String,
    /// The same at 5+0.05.
    pub elo_at_blitz: String,
}

impl Generation {
    /// Returns its rows in the two tables.
    fn rows(&self) -> [String; 2] {
        let row = |cells: &[&str]| {
            let cell =
                |text: &&str| if text.is_empty() { " |".to_owned() } else { format!(" {text} |") };
            format!("| {} |", self.generation) + &cells.iter().map(cell).collect::<String>()
        };
        let Self { played_by, positions, hours, trained_on, neurons, .. } = self;
        let Self { lambda, validation_loss, .. } = self;
        [
            row(&[played_by, positions, hours, trained_on, neurons, lambda, validation_loss]),
            row(&[&self.elo_at_nodes, &self.elo_at_bullet, &self.elo_at_blitz]),
        ]
    }
}

/// The facts about a generation that a run knows.
#[derive(Clone, Debug)]
pub struct Facts {
    /// New kept positions.
    pub new: u64,
    /// The time that they took to play, in seconds; 0 where it is not known.
    pub seconds: u64,
    /// All kept positions of its window, those with larger scores than it was trained on included.
    pub positions: u64,
    /// Examples of an epoch.
    pub examples: u64,
    /// True if training began with the network of the generation before, instead of random parameters.
    pub fine_tuned: bool,
    /// The shape of the network.
    pub shape: Shape,
    /// The settings of training.
    pub training: Training,
    /// The validation loss after the last epoch.
    pub validation_loss: f64,
    /// The fresh match.
    pub nodes: MatchResult,
    /// The match on a clock, if there was one.
    pub clock: Option<MatchResult>,
    /// The lines for the network file.
    pub metadata: String,
}

impl Facts {
    fn numbered(&self, generation: u64) -> Generation {
        let before = generation.saturating_sub(1);
        let Training { td, scale, lambda, .. } = self.training;
        let labels = if td > 0.0 { "TD labels" } else { "scores" };
        Generation {
            generation,
            played_by: format!("generation {before}"),
            positions: million(self.new),
            hours: hours(self.seconds),
            trained_on: self.trained_on(before),
            neurons: neurons(self.shape),
            lambda: lambda.to_string(),
            validation_loss: format!("{:.5} ({labels}, scale {scale})", self.validation_loss),
            elo_at_nodes: elo_at(&self.nodes, NODES),
            elo_at_bullet: self.clock.as_ref().map_or_else(String::new, |it| elo_at(it, BULLET)),
            elo_at_blitz: String::new(),
        }
    }
}

impl Facts {
    /// Describes the examples, their labels and where training began.
    fn trained_on(&self, before: u64) -> String {
        let Training { td, td_endgame, siblings, .. } = self.training;
        let Training { preference, factoriser, max_score, .. } = self.training;
        let (examples, window) = (million(self.examples), million(self.positions));
        let mut text =
            format!("{examples} examples of a window of {window}, to {max_score} centipawns");
        if td > 0.0 {
            text += &format!(", labels by TD({td}), in endgames TD({td_endgame})");
        }
        if self.fine_tuned {
            let [preference, factoriser] = [preference, factoriser].map(Option::unwrap_or_default);
            text += &format!(
                ", siblings {siblings}, preference {preference}, factoriser {factoriser}, from generation {before}"
            );
        }
        text
    }
}

/// Returns a number in millions.
fn million(count: u64) -> String {
    format!("{:.1} million", count as f64 / 1e6)
}

/// Returns a time in hours, if it is known.
fn hours(seconds: u64) -> String {
    if seconds == 0 { String::new() } else { format!("{:.1}", seconds as f64 / 3600.0) }
}

/// Returns the neurons of a shape, and its buckets where there is more than one.
fn neurons(shape: Shape) -> String {
    let buckets = [(shape.king_buckets, "king"), (shape.output_buckets, "output")];
    let several = buckets.into_iter().filter(|&(count, _)| count > 1);
    let several = several.map(|(count, name)| format!(", {count} {name} buckets"));
    [shape.hidden.to_string()].into_iter().chain(several).collect()
}

/// Returns the Elo, and the limit where it is not that of the column.
fn elo_at(result: &MatchResult, column: &str) -> String {
    let (elo, limit) = (result.elo().replace(" Elo", ""), &result.limit);
    if limit == column { elo } else { format!("{elo} at {limit}") }
}

/// Reads the file.
///
/// # Errors
/// If it cannot be read, has no line, or one that is none of its lines.
pub fn read(path: &Path) -> Result<Vec<Generation>, FileError> {
    let text = read_text(path)?;
    let read = |(index, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| format!("line {}: {error}", index + 1))
    };
    let lines: Result<Vec<Generation>, String> = text.lines().enumerate().map(read).collect();
    let generations = lines.map_err(FileError::at(path))?;
    if generations.is_empty() {
        return Err(FileError::at(path)("no generation is recorded in it"));
    }
    Ok(generations)
}

/// Adds a generation and returns it. A last line that tells the same is kept: a run that was killed between two files may be
/// repeated.
///
/// # Errors
/// As [`read`], or if the file cannot be written.
pub fn append(path: &Path, facts: &Facts) -> Result<Generation, FileError> {
    let generations = read(path)?;
    let last = generations.last().map_or(0, |it| it.generation);
    let repeated = facts.numbered(last);
    if generations.last() == Some(&repeated) {
        return Ok(repeated);
    }
    let next = facts.numbered(last + 1);
    let all = generations.iter().chain([&next]).map(serde_json::to_string);
    let lines: Vec<String> = all.collect::<Result<_, _>>().map_err(FileError::at(path))?;
    replace(path, |file| file.write_all((lines.join("\n") + "\n").as_bytes()))?;
    Ok(next)
}

/// Adds the rows of a generation to the tables of NETWORK.md, unless they are there.
///
/// # Errors
/// If the file cannot be read or written, or lacks a table.
pub fn tabulate(path: &Path, generation: &Generation) -> Result<(), FileError> {
    let text = read_text(path)?;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for (head, row) in TABLES.into_iter().zip(generation.rows()) {
        let missing = || FileError::at(path)(format!("it has no table that begins `{head}`"));
        let first = lines.iter().position(|line| line.starts_with(head)).ok_or_else(missing)?;
        let end = first + lines[first..].iter().take_while(|line| line.starts_with('|')).count();
        if !lines[first..end].contains(&row) {
            lines.insert(end, row);
        }
    }
    replace(path, |file| file.write_all((lines.join("\n") + "\n").as_bytes()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use nullarbor_stats::PairCounts;

    use super::*;
    use crate::state::testing::played;

    fn match_at(limit: &str, pairs: PairCounts) -> MatchResult {
        MatchResult { limit: limit.to_owned(), pairs, ..played(0, true) }
    }

    fn facts() -> Facts {
        let pairs = PairCounts { dd: 100, wd: 40, ld: 20, ..PairCounts::default() };
        let even = PairCounts { dd: 10, ..PairCounts::default() };
        Facts {
            new: 20_000_000,
            seconds: 5400,
            positions: 65_300_000,
            examples: 71_800_000,
            fine_tuned: true,
            shape: Shape { hidden: 256, king_buckets: 1, output_buckets: 8 },
            training: Training::default(),
            validation_loss: 0.002_612,
            nodes: match_at("5000 nodes", pairs),
            clock: Some(match_at("8+0.08", even)),
            metadata: String::new(),
        }
    }

    #[test]
    fn a_generation_is_added_once_and_nothing_else_changes() {
        let recorded = include_str!("../../../engine/generations.jsonl");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("generations.jsonl");
        fs::write(&path, recorded).expect("room");
        let facts = facts();
        let before = read(&path).expect("that of this tree").len() as u64;
        let first = append(&path, &facts).expect("room");
        assert_eq!(first.generation, before, "they are counted from 0");
        let cells = [&first.played_by, &first.trained_on, &first.neurons, &first.validation_loss];
        let descent = format!("generation {}", before - 1);
        let scores = "71.8 million examples of a window of 65.3 million, to 600 centipawns";
        let labels = "labels by TD(0.9), in endgames TD(0.985)";
        let trained_on =
            format!("{scores}, {labels}, siblings 1, preference 0, factoriser 0.9, from {descent}");
        let loss = "0.00261 (TD labels, scale 135)";
        assert_eq!(cells, [&descent, &trained_on, "256, 8 output buckets", loss]);
        assert_eq!(first.hours, "1.5");
        assert_eq!(first.elo_at_nodes, "+21.7 [+5.6, +38.0] (320 games)");
        assert_eq!(first.elo_at_bullet, "+0.0 ± 0.0 (20 games) at 8+0.08");
        let text = fs::read_to_string(&path).expect("written");
        assert!(text.starts_with(recorded) && text.lines().count() as u64 == before + 1);
        assert_eq!(append(&path, &facts).expect("repeated"), first);
        assert_eq!(fs::read_to_string(&path).expect("kept"), text);
        let training = Training { td: 0.0, ..Training::default() };
        let other = Facts { seconds: 0, fine_tuned: false, training, ..facts };
        let second = append(&path, &other).expect("room");
        assert_eq!(second.hours, "", "it is not known");
        assert_eq!((second.generation, &*second.trained_on), (before + 1, scores));
        assert_eq!(second.validation_loss, "0.00261 (scores, scale 135)");
    }

    #[test]
    fn a_generation_is_a_row_of_both_tables() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("NETWORK.md");
        let document = include_str!("../../../engine/NETWORK.md");
        fs::write(&path, document).expect("room");
        let recorded = include_str!("../../../engine/generations.jsonl").lines().last();
        let last: Generation = serde_json::from_str(recorded.expect("a line")).expect("its JSON");
        tabulate(&path, &last).expect("room");
        assert_eq!(fs::read_to_string(&path).expect("kept"), document, "it is there already");
        let next = facts().numbered(last.generation + 1);
        (0..2).for_each(|_| tabulate(&path, &next).expect("room"));
        let text = fs::read_to_string(&path).expect("written");
        let mut without = text.clone();
        for (row, before) in next.rows().iter().zip(last.rows()) {
            assert!(text.contains(&format!("\n{before}\n{row}\n\n")), "{row}");
            without = without.replacen(&format!("{row}\n"), "", 1);
        }
        assert_eq!(without, document);
        fs::write(&path, "# Notes\n").expect("room");
        assert!(tabulate(&path, &next).is_err());
    }

    #[test]
    fn a_file_of_something_else_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("generations.jsonl");
        for text in ["", "{}\n", "# Notes\n"] {
            fs::write(&path, text).expect("room");
            assert!(append(&path, &facts()).is_err(), "{text:?}");
        }
    }
}
