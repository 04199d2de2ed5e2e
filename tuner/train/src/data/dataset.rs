//! A dataset: a folder of shards with a manifest of those that are complete.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::mem::discriminant;
use std::path::{Path, PathBuf};

use indicatif::HumanCount;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use super::game_record::{GameRecord, ViriformatError};
use super::settings::RelabelSettings;
use super::settings::SelfPlaySettings;
use super::shard::{Counts, GameId, Shard, ShardError};
use nullarbor_games::matches::identity::first_difference;
use nullarbor_report::section::Section;
use nullarbor_report::table::{Table, grouped};
use nullarbor_report::terminal;
use nullarbor_runs::files::FileError;
use nullarbor_runs::journal::{Journal, JournalError, Kind};
use nullarbor_runs::{Interrupted, Pool, Stop};

const GAMES: Kind = Kind { key: "nullarbor_games", name: "set of games", reads_unsealed: true };
const MANIFEST: &str = "manifest.jsonl";
/// Shards per thread that may be read ahead of an unfinished one, which bounds the memory.
const AHEAD: usize = 2;

/// The origin of the games of a dataset.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// Self-play.
    Played(SelfPlaySettings),
    /// The games of another dataset, whose positions were searched again.
    Relabelled {
        /// Settings of the searches.
        settings: RelabelSettings,
        /// Origin of the games.
        of: Box<Provenance>,
    },
    /// Other datasets.
    Merged(Vec<Provenance>),
    /// Files of other programs.
    Imported(Vec<ImportedFile>),
}

/// A file that games were imported from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedFile {
    /// Path of the file, as it was given.
    pub file: PathBuf,
    /// CRC-32 of the file.
    pub crc32: u32,
    /// The number of its games.
    pub games: u64,
}

impl Provenance {
    /// Describes the provenance in one line.
    pub fn describe(&self) -> String {
        match self {
            Self::Played(settings) => {
                let SelfPlaySettings { seed, nodes, quick, tables, evaluation, rules, .. } =
                    settings;
                let amount = settings.amount();
                let start = settings.openings();
                let quick = match quick {
                    0 => String::new(),
                    share => format!(", {share} % of the searches at {}", settings.quick_nodes()),
                };
                let tables = tables.map_or_else(String::new, |pieces| {
                    format!("; tablebases of up to {pieces} pieces")
                });
                format!(
                    "seed {seed}, {amount} at {nodes} nodes{quick}, {start}; {evaluation}{tables}; rules {rules}"
                )
            }
            Self::Relabelled { settings: RelabelSettings { nodes, share, evaluation }, of } => {
                format!(
                    "{share} % searched again at {nodes} nodes, {evaluation}; {}",
                    of.describe()
                )
            }
            Self::Merged(parts) => {
                let parts: Vec<String> = parts.iter().map(Self::describe).collect();
                format!("merged: {}", parts.join(" | "))
            }
            Self::Imported(files) => {
                let files: Vec<String> =
                    files.iter().map(|import| import.file.display().to_string()).collect();
                format!("imported: {}", files.join(" | "))
            }
        }
    }
}

impl Provenance {
    /// Returns what is different in another provenance, with both values.
    fn difference(&self, now: &Self) -> String {
        if discriminant(self) != discriminant(now) {
            return format!("{} then, {} now", self.describe(), now.describe());
        }
        let [then, after] = [self, now].map(Self::fields);
        let keys: BTreeSet<&String> = then.keys().chain(after.keys()).collect();
        let differs = |key: &String| {
            let [then, now] = [&then, &after].map(|map| map.get(key).unwrap_or(&Value::Null));
            first_difference(key, then, now)
        };
        let mut differences: Vec<String> = keys.into_iter().filter_map(differs).collect();
        if let (Self::Played(then), Self::Played(now)) = (self, now)
            && then.evaluation != now.evaluation
        {
            differences
                .push("`datagen relabel` searches games of another network again".to_owned());
        }
        differences.join(", ")
    }

    /// Returns the values that it consists of, as the manifest names them.
    fn fields(&self) -> Map<String, Value> {
        let Ok(Value::Object(kind)) = serde_json::to_value(self) else { return Map::new() };
        match kind.into_iter().next() {
            Some((_, Value::Object(fields))) => fields,
            other => other.into_iter().collect(),
        }
    }
}

/// Why a dataset cannot be used.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum DatasetError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Shard(#[from] ShardError),
    #[error("{path} has no games: `datagen --out {path}` plays some", path = path.display())]
    Empty { path: PathBuf },
    #[error("{path} has games of other settings: {what}; use another folder", path = path.display())]
    OtherSettings { path: PathBuf, what: String },
    #[error("{path} has games of another engine or book: this one plays game {game} differently; use another folder, or search the games there again (`datagen relabel`)", path = path.display())]
    OtherEngine { path: PathBuf, game: u64 },
    #[error("{path} has scores of another engine, or of other games: game {game} differs now; use another folder", path = path.display())]
    OtherScores { path: PathBuf, game: u64 },
    #[error("{path}, game {game}: {source}; nothing was imported", path = path.display())]
    Import { path: PathBuf, game: u64, source: ViriformatError },
    #[error("interrupted; re-run the same command to resume")]
    Interrupted(#[from] Interrupted),
}

/// A dataset that is read.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// Folder of the dataset.
    pub path: PathBuf,
    /// Origin of the games.
    pub provenance: Provenance,
    /// Shards, by number.
    pub shards: Vec<Shard>,
}

impl Dataset {
    /// Reads the manifest.
    ///
    /// # Errors
    /// If there is none or it is damaged.
    pub fn open(path: &Path) -> Result<Self, DatasetError> {
        let manifest = path.join(MANIFEST);
        let empty = || DatasetError::Empty { path: path.to_owned() };
        if !manifest.is_file() {
            return Err(empty());
        }
        let (provenance, shards) = Journal::read(GAMES, &manifest)?;
        let shards = by_number(shards).into_values().collect();
        Ok(Self { path: path.to_owned(), provenance: provenance.ok_or_else(empty)?, shards })
    }

    /// Reads the manifests of some datasets.
    ///
    /// # Errors
    /// If one is missing or damaged.
    pub fn open_all(paths: &[PathBuf]) -> Result<Vec<Self>, DatasetError> {
        paths.iter().map(|path| Self::open(path)).collect()
    }

    /// Returns the identity of the first game in a shard, if known.
    pub fn first_game(&self, shard: &Shard) -> Option<GameId> {
        shard.first_game.or_else(|| match &self.provenance {
            Provenance::Played(settings) => Some(settings.first_game(shard.number)),
            _ => None,
        })
    }

    /// Returns the identity of the first game in a shard; if it is not known, one that no other shard has.
    pub fn identity(&self, shard: &Shard) -> GameId {
        // Merged datasets of older versions do not record the identity of their games.
        let unknown = GameId { seed: shard.crc32.into(), number: 0 };
        self.first_game(shard).unwrap_or(unknown)
    }

    /// Returns the counts of all shards.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        self.shards.iter().for_each(|shard| counts.merge(&shard.counts));
        counts
    }

    /// Describes where its games come from, and how many there are while some are missing.
    pub fn describe(&self) -> String {
        let so_far = match &self.provenance {
            Provenance::Played(settings) if !settings.is_complete(&self.counts()) => {
                let Counts { games, kept, .. } = self.counts();
                let so_far = if settings.positions.is_some() { kept } else { games };
                format!("; {} of them so far", HumanCount(so_far))
            }
            _ => String::new(),
        };
        format!("{}: {}{so_far}", self.path.display(), self.provenance.describe())
    }
}

/// Returns the shards of some datasets, in order, each with its dataset.
pub fn shards(datasets: &[Dataset]) -> Vec<(&Dataset, &Shard)> {
    let shards = datasets
        .iter()
        .flat_map(|dataset| dataset.shards.iter().map(move |shard| (dataset, shard)));
    shards.collect()
}

/// Returns what a page or a card shows first.
pub fn overview(datasets: &[Dataset]) -> Section {
    let mut counts = Counts::default();
    datasets.iter().for_each(|dataset| counts.merge(&dataset.counts()));
    let files = shards(datasets).len() as u64;
    let figures = [("Games", counts.games), ("Kept positions", counts.kept), ("Files", files)];
    let section = Section::default().figures(figures.map(|(name, count)| (name, grouped(count))));
    datasets.iter().map(Dataset::describe).fold(section, Section::text).tables([table(datasets)])
}

/// Returns what the manifests of some datasets say: a row each, and one for all of them.
pub fn table(datasets: &[Dataset]) -> Table {
    let head = [
        "dataset",
        "files",
        "games",
        "positions",
        "kept",
        "won %",
        "drawn %",
        "lost %",
        "bytes",
        "B/pos",
    ];
    let row = |dataset: &Dataset| {
        let counts = dataset.counts();
        let bytes: u64 = dataset.shards.iter().map(|shard| shard.bytes).sum();
        let share =
            |count: u64| format!("{:.1}", 100.0 * count as f64 / counts.games.max(1) as f64);
        let count = |count: u64| HumanCount(count).to_string();
        [
            dataset.path.display().to_string(),
            count(dataset.shards.len() as u64),
            count(counts.games),
            count(counts.positions),
            count(counts.kept),
            share(counts.white_wins),
            share(counts.draws),
            share(counts.black_wins),
            count(bytes),
            format!("{:.2}", bytes as f64 / counts.positions.max(1) as f64),
        ]
    };
    let all = Dataset {
        path: "all".into(),
        provenance: Provenance::Merged(Vec::new()),
        shards: shards(datasets).into_iter().map(|(_, shard)| shard.clone()).collect(),
    };
    let rows = datasets.iter().chain((datasets.len() > 1).then_some(&all)).map(row);
    let title = "Results from White's point of view; kept: quiet positions from the ninth ply on";
    Table::new(title, head, rows)
}

/// A shard that was lost and played again has two entries: the last one counts.
fn by_number(shards: Vec<Shard>) -> BTreeMap<u64, Shard> {
    shards.into_iter().map(|shard| (shard.number, shard)).collect()
}

/// A dataset that shards are added to.
#[derive(Debug)]
pub struct DatasetWriter {
    /// The folder.
    pub path: PathBuf,
    journal: Journal,
    /// The shards that exist, by number.
    pub shards: BTreeMap<u64, Shard>,
}

impl DatasetWriter {
    /// Opens or creates a dataset for games of this provenance.
    ///
    /// # Errors
    /// If the folder cannot be used, or has games of another provenance.
    pub fn open(path: &Path, provenance: &Provenance) -> Result<Self, DatasetError> {
        fs::create_dir_all(path).map_err(FileError::at(path))?;
        let opened = Journal::open::<Provenance, Shard>(GAMES, &path.join(MANIFEST))?;
        if let Some(recorded) = opened.subject.filter(|recorded| recorded != provenance) {
            let what = recorded.difference(provenance);
            return Err(DatasetError::OtherSettings { path: path.to_owned(), what });
        }
        let mut shards = by_number(opened.pieces);
        shards.retain(|_, shard| shard.exists(path));
        let mut journal = opened.journal;
        journal.begin(provenance)?;
        Ok(Self { path: path.to_owned(), journal, shards })
    }

    /// Enters a complete shard into the manifest.
    ///
    /// # Errors
    /// If the manifest cannot be written.
    pub fn add(&mut self, shard: Shard) -> Result<(), DatasetError> {
        self.journal.add(&shard)?;
        self.journal.sync()?;
        self.shards.insert(shard.number, shard);
        Ok(())
    }
}

/// Returns the error about a folder that was made of another file than this one.
pub(super) fn other_input(out: &Path, input: &Path) -> DatasetError {
    let what = format!("{} has changed since", input.display());
    DatasetError::OtherSettings { path: out.to_owned(), what }
}

/// Merges datasets into one; shards that it already has are not copied again.
///
/// # Errors
/// If a dataset cannot be used, or one of the inputs has changed since a merge that is resumed.
pub fn merge(
    out: &Path,
    datasets: &[Dataset],
    quiet: bool,
    stop: &Stop,
) -> Result<(), DatasetError> {
    let parts = datasets.iter().map(|dataset| dataset.provenance.clone()).collect();
    let mut writer = DatasetWriter::open(out, &Provenance::Merged(parts))?;
    for_each_shard(datasets, quiet, stop, |number, dataset, shard| {
        match writer.shards.get(&number) {
            Some(copy) if copy.crc32 == shard.crc32 && copy.bytes == shard.bytes => Ok(()),
            Some(_) => Err(other_input(out, &shard.path(&dataset.path))),
            None => {
                let copy = shard.copy(&dataset.path, out, number)?;
                writer.add(Shard { first_game: dataset.first_game(shard), ..copy })
            }
        }
    })
}

/// Reads all games of some datasets and returns the errors of damaged shards.
///
/// # Errors
/// If the user interrupts it.
pub fn check(
    datasets: &[Dataset],
    quiet: bool,
    stop: &Stop,
) -> Result<Vec<ShardError>, DatasetError> {
    let mut damaged = Vec::new();
    for_each_shard(datasets, quiet, stop, |_, dataset, shard| {
        damaged.extend(shard.check(&dataset.path).err());
        Ok(())
    })?;
    Ok(damaged)
}

/// Reads the games of some datasets on this number of threads, with a progress bar. `map` converts those of a shard on its
/// thread, and `take` gets the results in the order of the shards.
///
/// # Errors
/// If a shard is damaged (the first one is reported), or the user interrupts it.
pub fn read_games<R: Send>(
    datasets: &[Dataset],
    threads: usize,
    quiet: bool,
    stop: &Stop,
    map: impl Fn(&Dataset, &Shard, Vec<GameRecord>) -> R + Sync,
    mut take: impl FnMut(R),
) -> Result<(), DatasetError> {
    let shards = shards(datasets);
    let read = |_: &mut (), (dataset, shard): (&Dataset, &Shard)| {
        Ok(map(dataset, shard, shard.read(&dataset.path)?))
    };
    let mut pool = Pool::new(vec![(); threads.max(1)]).ahead(AHEAD * threads);
    terminal::with_bar(shards.len() as u64, "files", quiet, |bar| {
        pool.run(stop, shards, read, |_, result| {
            take(result);
            bar.inc(1);
            Ok(())
        })
    })
}

/// Calls `work` with each shard and its number, with a progress bar, until it fails or the user interrupts it.
pub(super) fn for_each_shard(
    datasets: &[Dataset],
    quiet: bool,
    stop: &Stop,
    mut work: impl FnMut(u64, &Dataset, &Shard) -> Result<(), DatasetError>,
) -> Result<(), DatasetError> {
    let shards = shards(datasets);
    terminal::with_bar(shards.len() as u64, "files", quiet, |bar| {
        (0..).zip(shards).try_for_each(|(number, (dataset, shard))| {
            stop.check()?;
            work(number, dataset, shard)?;
            bar.inc(1);
            Ok(())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(settings: SelfPlaySettings) -> Provenance {
        Provenance::Played(settings)
    }

    #[test]
    fn tablebases_are_told() {
        let of = |tables| played(SelfPlaySettings { tables, ..SelfPlaySettings::default() });
        assert!(of(Some(5)).describe().contains("; tablebases of up to 5 pieces; "));
        assert!(!of(None).describe().contains("tablebases"));
    }

    #[test]
    fn what_differs_is_named_with_both_values() {
        let network = |name: &str| SelfPlaySettings {
            evaluation: name.to_owned(),
            ..SelfPlaySettings::default()
        };
        let then = played(network("network 1"));
        let now = SelfPlaySettings { seed: 7, window: 200, ..network("network 1") };
        let difference = then.difference(&played(now));
        assert_eq!(difference, "seed: 1 then, 7 now, window: 600 then, 200 now");
        let other = then.difference(&played(network("network 2")));
        assert!(other.contains(r#"evaluation: "network 1" then, "network 2" now"#), "{other}");
        assert!(other.contains("`datagen relabel`"), "{other}");
        let relabelled = |nodes, of: &Provenance| Provenance::Relabelled {
            settings: RelabelSettings { nodes, share: 100, evaluation: String::new() },
            of: Box::new(of.clone()),
        };
        let then_again = relabelled(40, &then);
        let again = then_again.difference(&relabelled(90, &played(network("network 2"))));
        assert!(again.contains("of.played.evaluation: "), "{again}");
        assert!(again.contains("settings.nodes: 40 then, 90 now"), "{again}");
        let folder = tempfile::tempdir().expect("a folder");
        DatasetWriter::open(folder.path(), &then_again).expect("empty");
        let error = DatasetWriter::open(folder.path(), &then).expect_err("other").to_string();
        assert!(error.contains("other settings: 100 % searched again at 40 nodes"), "{error}");
    }
}
