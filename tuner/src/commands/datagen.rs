//! `datagen`: games of the engine against itself, to train an evaluation.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use indicatif::ProgressBar;
use nullarbor::eval::nnue::{Network, NetworkError};
use thiserror::Error;

use super::dataset_stats::StatsArgs;
use nullarbor_games::work::{Stop, crew};
use nullarbor_report::table::{Table, grouped};
use nullarbor_report::terminal;
use nullarbor_train::data::convert;
use nullarbor_train::data::folder::{self, Folder, FolderError, Source};
use nullarbor_train::data::generate::{self, GenerateError, Watch};
use nullarbor_train::data::record::Record;
use nullarbor_train::data::settings::Settings;
use nullarbor_train::data::shard::{Counts, ShardError};

/// Play games of the engine against itself and keep them, to train an evaluation.
///
/// Each game begins with random moves, and every move gets as many nodes as the iteration under way needs after --nodes. The seed
/// and the number of a game decide it: any number of threads gives the same files. A file is complete or it is not there; the
/// same words go on with a folder that was left in the middle.
#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_long_help = "Examples:
  nullarbor-tuner datagen --out data/gen0 --games 100000 --seed 1
  nullarbor-tuner datagen info data/gen0
  nullarbor-tuner datagen info data/gen0 data/gen1 --stats --page gen01.html
  nullarbor-tuner datagen merge data/gen0 data/gen1 --out data/both
  nullarbor-tuner datagen export data/gen0 --out data/viriformat"
)]
pub struct DatagenArgs {
    #[command(subcommand)]
    command: Option<DatagenCommand>,
    #[command(flatten)]
    generate: Option<GenerateArgs>,
}

/// What can be done with folders of games.
#[derive(Subcommand)]
enum DatagenCommand {
    /// Say what folders hold
    Info {
        /// Folders of games
        #[arg(required = true)]
        folders: Vec<PathBuf>,
        #[command(flatten)]
        statistics: StatsArgs,
    },
    /// Put the games of some folders into one
    Merge {
        /// Folders of games
        #[arg(required = true)]
        folders: Vec<PathBuf>,
        /// The folder that gets them
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
        /// Show no progress
        #[arg(long)]
        quiet: bool,
    },
    /// Write the games of a folder as viriformat, for other programs
    Export {
        /// The folder of games
        folder: PathBuf,
        /// The folder that gets them
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
        /// Show no progress
        #[arg(long)]
        quiet: bool,
    },
    /// Make a folder of the games in files of viriformat
    Import {
        /// Files of games
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// The folder that gets them
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
        /// Show no progress
        #[arg(long)]
        quiet: bool,
    },
    /// Read everything: checksums, games, the legality of each move
    Check {
        /// Folders of games
        #[arg(required = true)]
        folders: Vec<PathBuf>,
        /// Show no progress
        #[arg(long)]
        quiet: bool,
    },
}

#[derive(Args)]
struct GenerateArgs {
    /// The folder for the games
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Decides the openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Nodes after which no new iteration begins
    #[arg(long, default_value_t = Settings::default().nodes, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,
    /// Games
    #[arg(long, default_value_t = Settings::default().games, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    games: u64,
    /// Threads [default: the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,
    /// Random plies at the start: so many, or one more
    #[arg(long, default_value_t = Settings::default().plies as u64, value_parser = clap::value_parser!(u64).range(0..=60), conflicts_with = "book")]
    plies: u64,
    /// How far a side may be ahead after them, in centipawns
    #[arg(long, default_value_t = Settings::default().window, value_parser = clap::value_parser!(i32).range(1..=10_000), conflicts_with = "book")]
    window: i32,
    /// Begin from the positions of a book, each once
    #[arg(long)]
    book: Option<String>,
    /// How many of a hundred games are double Chess960: each side begins from one of the 960 arrays
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=100), conflicts_with = "book")]
    chess960: u64,
    /// Evaluate by this network instead of the built-in one
    #[arg(long, value_name = "FILE")]
    evalfile: Option<PathBuf>,
    /// Show nothing but the result
    #[arg(long)]
    quiet: bool,
}

/// Why there are no games, or no good ones.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum DatagenError {
    #[error(transparent)]
    Generate(#[from] GenerateError),
    #[error(transparent)]
    Network(#[from] NetworkError),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("{path}: {source}", path = path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{bad} of {all} files are bad")]
    Bad { bad: usize, all: usize },
    #[error("interrupted; the same words go on with {out}", out = out.display())]
    Interrupted { out: PathBuf },
    #[error("interrupted")]
    Stopped,
}

impl DatagenError {
    /// Whether somebody wanted it.
    pub fn is_interruption(&self) -> bool {
        matches!(
            self,
            Self::Interrupted { .. } | Self::Stopped | Self::Folder(FolderError::Stopped)
        )
    }
}

impl DatagenArgs {
    /// Does it.
    ///
    /// # Errors
    /// Where there are no good games at the end.
    pub fn run(&self, stop: &Arc<Stop>) -> Result<(), DatagenError> {
        match (&self.command, &self.generate) {
            (Some(DatagenCommand::Info { folders, statistics }), _) => {
                let folders = read(folders)?;
                if statistics.stats {
                    return statistics.run(&folders, stop);
                }
                show(&folders);
                Ok(())
            }
            (Some(DatagenCommand::Merge { folders, out, quiet }), _) => {
                merge(folders, out, *quiet, stop)
            }
            (Some(DatagenCommand::Export { folder, out, quiet }), _) => {
                export(folder, out, *quiet, stop)
            }
            (Some(DatagenCommand::Import { files, out, quiet }), _) => {
                import(files, out, *quiet, stop)
            }
            (Some(DatagenCommand::Check { folders, quiet }), _) => check(folders, *quiet, stop),
            (None, Some(args)) => args.run(stop),
            // Without a command `--out` is required.
            (None, None) => Ok(()),
        }
    }
}

impl GenerateArgs {
    fn settings(&self, network: &Network) -> Settings {
        Settings {
            seed: self.seed,
            games: self.games,
            nodes: self.nodes,
            plies: self.plies as usize,
            window: self.window,
            book: self.book.clone(),
            chess960: self.chess960,
            evaluation: format!("network {}", network.fingerprint()),
            rules: Settings::RULES,
        }
    }

    fn run(&self, stop: &Arc<Stop>) -> Result<(), DatagenError> {
        let network = Network::from_file_or_embedded(self.evalfile.as_deref())?;
        let settings = self.settings(&network);
        let known = generate::known(&self.out)?;
        let mut view = View::new(&settings, known, self.quiet);
        let workers = crew::workers(self.threads);
        let done = generate::generate(&settings, &network, &self.out, workers, stop, &mut view);
        view.bar.finish_and_clear();
        if !done? {
            return Err(DatagenError::Interrupted { out: self.out.clone() });
        }
        let speed = view.speed();
        show(&[Folder::read(&self.out)?]);
        if view.played.games > 0 {
            terminal::line(&format!("{speed} by {workers} threads"));
        }
        Ok(())
    }
}

/// What is shown while games are played.
struct View {
    bar: ProgressBar,
    known: u64,
    played: Counts,
    begun: Instant,
    last_line: Option<Instant>,
}

/// How often a line is printed where there is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(60);

impl View {
    fn new(settings: &Settings, known: Counts, quiet: bool) -> Self {
        let bar = terminal::bar(settings.games, "games{msg}", quiet);
        bar.set_position(known.games);
        bar.reset_eta();
        let begun = Instant::now();
        let last_line = (bar.is_hidden() && !quiet).then_some(begun);
        Self { bar, known: known.games, played: Counts::default(), begun, last_line }
    }

    fn speed(&self) -> String {
        let seconds = self.begun.elapsed().as_secs_f64().max(0.001);
        let Counts { games, positions, kept, .. } = self.played;
        let each = |count: u64| count as f64 / seconds;
        format!(
            "{:.1} games, {:.0} positions, {:.0} kept positions a second",
            each(games),
            each(positions),
            each(kept)
        )
    }
}

impl Watch for View {
    fn played(&mut self, game: &Record) {
        self.played.add(game);
        let Counts { games, white, drawn, black, .. } = self.played;
        let share = |count: u64| 100 * count / games;
        let (white, drawn, black) = (share(white), share(drawn), share(black));
        let results = format!("won {white} %, drawn {drawn} %, lost {black} %");
        self.bar.set_position(self.known + games);
        self.bar.set_message(format!(", {}, {results}", self.speed()));
        if self.last_line.is_some_and(|last| last.elapsed() >= LINE_INTERVAL) {
            eprintln!("{} games, {}, {results}", self.known + games, self.speed());
            self.last_line = Some(Instant::now());
        }
    }
}

fn read(folders: &[PathBuf]) -> Result<Vec<Folder>, FolderError> {
    folders.iter().map(|path| Folder::read(path)).collect()
}

/// Prints what the manifests say.
pub(super) fn show(folders: &[Folder]) {
    let mut all = Counts::default();
    folders.iter().for_each(|folder| all.merge(&folder.counts()));
    let bytes = |folder: &Folder| folder.bytes();
    let row = |name: String, counts: &Counts, bytes: u64, files: usize| {
        let share =
            |count: u64| format!("{:.1}", 100.0 * count as f64 / counts.games.max(1) as f64);
        vec![
            name,
            grouped(files as u64),
            grouped(counts.games),
            grouped(counts.positions),
            grouped(counts.kept),
            share(counts.white),
            share(counts.drawn),
            share(counts.black),
            grouped(bytes),
            format!("{:.2}", bytes as f64 / counts.positions.max(1) as f64),
        ]
    };
    let mut rows: Vec<Vec<String>> = folders
        .iter()
        .map(|it| row(it.path.display().to_string(), &it.counts(), bytes(it), it.shards.len()))
        .collect();
    if folders.len() > 1 {
        let files = folders.iter().map(|folder| folder.shards.len()).sum();
        rows.push(row("all".to_owned(), &all, folders.iter().map(bytes).sum(), files));
    }
    let head = [
        "folder",
        "files",
        "games",
        "positions",
        "kept",
        "won %",
        "drawn %",
        "lost %",
        "bytes",
        "each",
    ];
    terminal::table(&Table {
        title: "Results are White's; kept are quiet positions, from the ninth ply on".to_owned(),
        head: head.map(str::to_owned).to_vec(),
        rows,
    });
    for folder in folders {
        let so_far = match &folder.source {
            Source::Played(settings) if folder.counts().games < settings.games => {
                format!("; {} of them so far", grouped(folder.counts().games))
            }
            _ => String::new(),
        };
        terminal::line(&format!("{}: {}{so_far}", folder.path.display(), origin(&folder.source)));
    }
}

/// Where games come from, in words.
pub(super) fn origin(source: &Source) -> String {
    match source {
        Source::Played(settings) => {
            let Settings { seed, games, nodes, plies, window, book, chess960, evaluation, rules } =
                settings;
            let start = match book {
                Some(book) => format!("book {book}"),
                None => format!(
                    "{plies} or {} random plies, within {window} centipawns, {chess960} % double Chess960",
                    plies + 1
                ),
            };
            format!(
                "seed {seed}, {games} games at {nodes} nodes, {start}; {evaluation}; rules {rules}"
            )
        }
        Source::Merged(sources) => {
            let sources: Vec<String> = sources.iter().map(origin).collect();
            format!("merged: {}", sources.join(" | "))
        }
        Source::Imported(files) => {
            let files: Vec<String> =
                files.iter().map(|import| import.file.display().to_string()).collect();
            format!("imported: {}", files.join(" | "))
        }
    }
}

fn merge(folders: &[PathBuf], out: &Path, quiet: bool, stop: &Stop) -> Result<(), DatagenError> {
    let folders = read(folders)?;
    let files: usize = folders.iter().map(|folder| folder.shards.len()).sum();
    let bar = terminal::bar(files as u64, "files", quiet);
    let merged = folder::merge(out, &folders, stop, || bar.inc(1));
    bar.finish_and_clear();
    merged?;
    show(&[Folder::read(out)?]);
    Ok(())
}

fn export(folder: &Path, out: &Path, quiet: bool, stop: &Stop) -> Result<(), DatagenError> {
    let folder = Folder::read(folder)?;
    let bar = terminal::bar(folder.shards.len() as u64, "files", quiet);
    let exported = convert::export(&folder, out, stop, || bar.inc(1));
    bar.finish_and_clear();
    exported?;
    show(&[Folder::read(out)?]);
    Ok(())
}

fn import(files: &[PathBuf], out: &Path, quiet: bool, stop: &Stop) -> Result<(), DatagenError> {
    let length = |file: &PathBuf| std::fs::metadata(file).map_or(0, |file| file.len());
    // They are read twice: nothing is written before all of it is known to be good.
    let bar = terminal::bar(2 * files.iter().map(length).sum::<u64>(), "bytes", quiet);
    let imported = convert::inspect(files, stop, |bytes| bar.inc(bytes))
        .and_then(|found| convert::import(found, out, stop, |bytes| bar.inc(bytes)));
    bar.finish_and_clear();
    imported?;
    show(&[Folder::read(out)?]);
    Ok(())
}

fn check(folders: &[PathBuf], quiet: bool, stop: &Stop) -> Result<(), DatagenError> {
    let folders = read(folders)?;
    let all: usize = folders.iter().map(|folder| folder.shards.len()).sum();
    let bar = terminal::bar(all as u64, "files", quiet);
    let mut bad: Vec<ShardError> = Vec::new();
    for folder in &folders {
        for shard in &folder.shards {
            if stop.is_finishing() {
                return Err(DatagenError::Stopped);
            }
            bad.extend(shard.check(&folder.path).err());
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    bad.iter().for_each(|error| terminal::line(&error.to_string()));
    if !bad.is_empty() {
        return Err(DatagenError::Bad { bad: bad.len(), all });
    }
    show(&folders);
    terminal::line("All files are whole, and all games legal.");
    Ok(())
}
