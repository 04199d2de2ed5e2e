//! `datagen`: plays training games and manages datasets.

use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use nullarbor_cluster::ClusterArgs;

use super::CommandResult;
use super::dataset_stats::{InfoArgs, print};
use super::worker::workers;
use nullarbor_games::tablebases::TablesArgs;
use nullarbor_report::terminal;
use nullarbor_runs::files::{check_writable, replace};
use nullarbor_runs::{Stop, worker_count};
use nullarbor_train::data::relabel;
use nullarbor_train::data::{
    Dataset, RelabelSettings, SelfPlaySettings, convert, dataset, self_play,
};
use nullarbor_train::probe::{self, ProbeSettings};

/// Play training games of the engine against itself.
///
/// A game begins with natural or random moves. Each search stops at the end of the iteration that passes --nodes. A
/// game depends only on the seed and its number, so any number of threads writes the same files. Re-run the same
/// command to resume.
#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_long_help = "Examples:
  nullarbor-tuner datagen --out data/gen0 --games 100000 --seed 1
  nullarbor-tuner datagen info data/gen0
  nullarbor-tuner datagen info data/gen0 data/gen1 --stats --page gen01.html
  nullarbor-tuner datagen relabel data/gen0 --nodes 5000 --out data/relabelled
  nullarbor-tuner datagen merge data/gen0 data/gen1 --out data/both
  nullarbor-tuner datagen export data/gen0 --out data/viriformat"
)]
pub struct DatagenArgs {
    #[command(subcommand)]
    command: Option<DatagenCommand>,
    #[command(flatten)]
    play: PlayArgs,
}

#[derive(Subcommand)]
enum DatagenCommand {
    /// Show what datasets contain
    #[command(after_long_help = "Examples:
  nullarbor-tuner datagen info data/gen0
  nullarbor-tuner datagen info data/gen0 data/gen1 --stats --page gen01.html")]
    Info(InfoArgs),
    /// Merge datasets into one
    #[command(after_long_help = "Example:
  nullarbor-tuner datagen merge data/gen0 data/gen1 --out data/both")]
    Merge {
        /// Datasets
        #[arg(required = true)]
        datasets: Vec<PathBuf>,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Write a dataset as viriformat, for other programs
    #[command(after_long_help = "Example:
  nullarbor-tuner datagen export data/gen0 --out data/viriformat")]
    Export {
        /// The dataset
        dataset: PathBuf,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Search the positions of a dataset again for new scores
    #[command(after_long_help = "Example:
  nullarbor-tuner datagen relabel data/gen0 --nodes 5000 --out data/relabelled")]
    Relabel {
        /// The dataset
        dataset: PathBuf,
        #[command(flatten)]
        settings: RelabelSettings,
        #[command(flatten)]
        output: OutputArgs,
        /// Evaluate with this network instead of the built-in one
        #[arg(long, value_name = "FILE")]
        evalfile: Option<PathBuf>,
        /// Threads [default: the number of cores]
        #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
        threads: Option<u64>,
    },
    /// Measure how many nodes per label pay best on the positions of datasets
    #[command(after_long_help = "Example:
  nullarbor-tuner datagen probe data/gen0 --nodes 250,500,1000,2000 --json probe.json")]
    Probe(ProbeArgs),
    /// Import games from viriformat files into a dataset
    #[command(after_long_help = "Example:
  nullarbor-tuner datagen import games.vf --out data/imported")]
    Import {
        /// Viriformat files
        #[arg(required = true)]
        files: Vec<PathBuf>,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Verify datasets: checksums, games, and that each move is legal
    #[command(after_long_help = "Example:
  nullarbor-tuner datagen check data/gen0 data/gen1")]
    Check {
        /// Datasets
        #[arg(required = true)]
        datasets: Vec<PathBuf>,
        /// Print only the result, no progress
        #[arg(long)]
        quiet: bool,
    },
}

#[derive(Args)]
struct ProbeArgs {
    /// Datasets
    #[arg(required = true)]
    datasets: Vec<PathBuf>,
    #[command(flatten)]
    settings: ProbeSettings,
    /// Evaluate with this network instead of the built-in one
    #[arg(long, value_name = "FILE")]
    evalfile: Option<PathBuf>,
    /// Write the figures as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Threads [default: the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,
    /// Print only the result, no progress
    #[arg(long)]
    quiet: bool,
}

impl ProbeArgs {
    fn run(&self, stop: &Stop) -> CommandResult {
        let Self { settings, quiet, .. } = self;
        self.json.as_deref().map_or(Ok(()), check_writable)?;
        let datasets = Dataset::open_all(&self.datasets)?;
        let network = self_play::Evaluation::open(self.evalfile.as_deref())?;
        let threads = worker_count(self.threads);
        let worth = probe::probe(&datasets, settings, &network, threads, *quiet, stop)?;
        if let Some(path) = &self.json {
            replace(path, |file| Ok(serde_json::to_writer_pretty(file, &worth)?))?;
        }
        terminal::table(&probe::table(settings.deep, &worth));
        Ok(())
    }
}

#[derive(Args)]
struct OutputArgs {
    /// The folder to write
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Print only the result, no progress
    #[arg(long)]
    quiet: bool,
}

#[derive(Args)]
struct PlayArgs {
    /// The folder of the dataset
    #[arg(long, value_name = "DIR", required = true)]
    out: Option<PathBuf>,
    #[command(flatten)]
    settings: SelfPlaySettings,
    /// Threads [default: the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,
    #[command(flatten)]
    cluster: ClusterArgs,
    #[command(flatten)]
    tables: TablesArgs,
    /// Evaluate with this network instead of the built-in one
    #[arg(long, value_name = "FILE")]
    evalfile: Option<PathBuf>,
    /// Print only the result, no progress
    #[arg(long)]
    quiet: bool,
}

impl DatagenArgs {
    /// Plays games, or does what the subcommand says with datasets.
    ///
    /// # Errors
    /// If a dataset cannot be used or is damaged, or the user interrupts it.
    pub fn run(&self, stop: &Stop) -> CommandResult {
        self.command.as_ref().map_or_else(|| self.play.run(stop), |command| command.run(stop))
    }
}

impl DatagenCommand {
    fn run(&self, stop: &Stop) -> CommandResult {
        let out = match self {
            Self::Info(args) => return args.run(stop),
            Self::Probe(args) => return args.run(stop),
            Self::Check { datasets, quiet } => return check(datasets, *quiet, stop),
            Self::Merge { datasets, output: OutputArgs { out, quiet } } => {
                dataset::merge(out, &Dataset::open_all(datasets)?, *quiet, stop)?;
                out
            }
            Self::Export { dataset, output: OutputArgs { out, quiet } } => {
                convert::export(&Dataset::open(dataset)?, out, *quiet, stop)?;
                out
            }
            Self::Relabel { dataset, settings, output, evalfile, threads } => {
                let network = self_play::Evaluation::open(evalfile.as_deref())?;
                let settings = RelabelSettings { evaluation: network.name(), ..settings.clone() };
                let dataset = Dataset::open(dataset)?;
                let OutputArgs { out, quiet } = output;
                let threads = worker_count(*threads);
                relabel::run(&dataset, &settings, &network, out, threads, *quiet, stop)?;
                out
            }
            Self::Import { files, output: OutputArgs { out, quiet } } => {
                convert::import(files, out, *quiet, stop)?;
                out
            }
        };
        print(&[Dataset::open(out)?]);
        Ok(())
    }
}

impl PlayArgs {
    fn run(&self, stop: &Stop) -> CommandResult {
        // Without a subcommand it is required.
        let Some(out) = &self.out else { return Ok(()) };
        let network = self_play::Evaluation::open(self.evalfile.as_deref())?;
        let evaluation = network.name();
        let tables = self.tables.open()?;
        let pieces = tables.as_ref().map(|tables| tables.pieces);
        let settings = SelfPlaySettings { evaluation, tables: pieces, ..self.settings.clone() };
        let existing = self_play::existing(out)?.games;
        let mut progress = self_play::progress::Progress::new(settings.games, existing, self.quiet);
        let workers = workers(&self.cluster, worker_count(self.threads))?;
        let played = self_play::run(&settings, &network, tables, out, &workers, stop, |game| {
            progress.add(game);
            ControlFlow::Continue(())
        });
        let speed = progress.finish();
        played?;
        print(&[Dataset::open(out)?]);
        speed.iter().for_each(|speed| terminal::line(speed));
        terminal::line(&format!(
            "next: nullarbor-tuner train --data {} --out net.nnue",
            out.display()
        ));
        Ok(())
    }
}

fn check(paths: &[PathBuf], quiet: bool, stop: &Stop) -> CommandResult {
    let datasets = Dataset::open_all(paths)?;
    let damaged = dataset::check(&datasets, quiet, stop)?;
    damaged.iter().for_each(|error| terminal::line(&error.to_string()));
    if !damaged.is_empty() {
        let all = dataset::shards(&datasets).len();
        return Err(format!("{} of {all} files are damaged", damaged.len()).into());
    }
    print(&datasets);
    terminal::line("All files are undamaged, and all games are legal.");
    Ok(())
}
