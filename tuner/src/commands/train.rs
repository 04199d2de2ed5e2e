//! `train`: trains a network on datasets.

use std::path::PathBuf;

use clap::Args;

use super::CommandResult;
use nullarbor_report::terminal;
use nullarbor_runs::paths::{Named, check_outputs};
use nullarbor_runs::{Stop, worker_count};
use nullarbor_train::data::Dataset;
use nullarbor_train::trainer::judge::JudgeSet;
use nullarbor_train::trainer::{self, DatasetId, Shape, TrainJob, TrainSettings};

/// Train a network on games that `datagen` played.
///
/// The network learns to predict the score of the search and, with --lambda, the result of the game, on all cores. Each
/// epoch writes the network and a page with the losses (FILE.html). Every twenty seconds, and on Ctrl-C, a checkpoint
/// is written (FILE.checkpoint). Re-run the same command to resume from it.
#[derive(Args)]
#[command(after_long_help = "Examples:
  nullarbor-tuner train --data data/gen0 --out net.nnue
  nullarbor-tuner train --data data/gen0 --data data/gen1 --hidden 512 --epochs 12 --lambda 0.1 --out net.nnue
  make EVALFILE=net.nnue    # an engine with this network")]
pub struct TrainArgs {
    /// Datasets
    #[arg(long, value_name = "DIR", required_unless_present = "evaluate")]
    data: Vec<PathBuf>,
    /// The network file to write
    #[arg(long, value_name = "FILE", required_unless_present = "evaluate")]
    out: Option<PathBuf>,
    /// Train nothing; report the held-out loss of a network of any shape
    #[arg(long, value_name = "NET", conflicts_with_all = ["data", "out"])]
    evaluate: Option<PathBuf>,
    /// Start from this network instead of random parameters (fine-tuning). A smaller one grows first, keeping its evaluations:
    /// more neurons, 4 king buckets instead of 1, a multiple of its output buckets
    #[arg(long, value_name = "NET")]
    from: Option<PathBuf>,
    /// The network that --keep mixes with, of the same or a smaller shape [default: --from]. An older one brings back what
    /// later ones have forgotten
    #[arg(long, value_name = "NET", requires_all = ["from", "keep"])]
    keep_of: Option<PathBuf>,
    /// Judge the network after each epoch on the set in this folder, as `judge` does
    #[arg(long, value_name = "DIR", conflicts_with = "evaluate")]
    judge: Option<PathBuf>,
    #[command(flatten)]
    settings: TrainSettings,
    /// Threads [default: the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,
    /// Print only the result, no progress
    #[arg(long)]
    quiet: bool,
}

impl TrainArgs {
    /// Trains and prints the result, or evaluates a network.
    ///
    /// # Errors
    /// As [`TrainJob::run`].
    pub fn run(&self, stop: &Stop) -> CommandResult {
        if let Some(path) = &self.evaluate {
            let (_, network) = trainer::read_network(path)?;
            let evaluation = trainer::evaluate(&network, &trainer::held_out());
            terminal::line(&format!("{}: {}", path.display(), evaluation.line()));
            terminal::table(&evaluation.table());
            return Ok(());
        }
        let written = Named::optional("--out", self.out.as_deref());
        let read = [("--from", &self.from), ("--keep-of", &self.keep_of), ("--judge", &self.judge)];
        let read = read.map(|(name, path)| Named::optional(name, path.as_deref()));
        check_outputs(written.as_slice(), &read.into_iter().flatten().collect::<Vec<_>>())?;
        let job = self.job()?;
        let lines = job.run(stop)?.lines();
        let out = job.out.display();
        terminal::line(&format!("{out}: {}\n{}", lines.join("\n"), job.page().display()));
        if job.settings.shape == Shape::BUILT {
            terminal::line(&format!(
                "next: nullarbor-tuner match --engine self,EvalFile={out},name=net --engine self --nodes 5000 --sprt 0,10"
            ));
        } else {
            terminal::line(&format!(
                "next: make EVALFILE={out} EXE=nullarbor-net    # only an engine built with a network of this shape can use it"
            ));
        }
        Ok(())
    }

    fn job(&self) -> Result<TrainJob, Box<dyn std::error::Error>> {
        let judge = self.judge.as_deref().map(JudgeSet::open).transpose()?;
        let datasets = Dataset::open_all(&self.data)?;
        self.settings.shape.check()?;
        let (from, network) = self.from.as_deref().map(trainer::read_network).transpose()?.unzip();
        let (keep_of, kept) =
            self.keep_of.as_deref().map(trainer::read_network).transpose()?.unzip();
        let settings = TrainSettings {
            datasets: datasets.iter().map(DatasetId::of).collect(),
            from,
            keep_of,
            scale: self.settings.scale.filter(|&scale| scale > 0),
            ..self.settings.clone()
        };
        // It is required where a network is trained.
        let out = self.out.clone().unwrap_or_default();
        let threads = worker_count(self.threads);
        let (from, keep_of, quiet) = (network, kept, self.quiet);
        Ok(TrainJob { settings, datasets, from, keep_of, judge, out, threads, quiet })
    }
}
