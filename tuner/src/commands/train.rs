//! `train`: trains a network on datasets.

use std::path::PathBuf;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use nullarbor::eval::nnue::{HIDDEN, KING_BUCKETS, OUTPUT_BUCKETS};

use super::CommandResult;
use nullarbor_games::work::{Stop, worker_count};
use nullarbor_report::terminal;
use nullarbor_train::data::{Dataset, Filter};
use nullarbor_train::trainer::{self, DatasetId, Shape, TrainError, TrainJob, TrainSettings};

/// Train a network on games that `datagen` played.
///
/// The network learns to predict the score of the search and, with --lambda, the result of the game, on all cores. Each epoch writes a
/// checkpoint beside the network (FILE.checkpoint), a page with the losses (FILE.html) and the network. Re-run the same command to resume
/// from the checkpoint.
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
    /// Start from this network, which must have the same shape, instead of random parameters (fine-tuning)
    #[arg(long, value_name = "NET")]
    from: Option<PathBuf>,
    /// Neurons of each perspective, a multiple of 32
    #[arg(long, default_value_t = HIDDEN)]
    hidden: usize,
    /// King buckets: sets of input weights by the square of the own king, 1 or 4
    #[arg(long, default_value_t = KING_BUCKETS)]
    king_buckets: usize,
    /// Output buckets: sets of output weights by the number of pieces, 1 to 8
    #[arg(long, default_value_t = OUTPUT_BUCKETS)]
    output_buckets: usize,
    /// Passes over the data
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    epochs: u64,
    /// The share of the positions in each epoch, drawn anew each time: below 1, common piece counts are reduced, which
    /// flattens their histogram
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = positive)]
    accept: f32,
    /// Batch size [default: the power of two from 512 to 16384 that gives about 0.8 million steps]
    #[arg(long, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1 << 16))]
    batch: Option<usize>,
    /// The highest learning rate
    #[arg(long, alias = "rate", value_name = "RATE", default_value_t = 0.002, value_parser = positive)]
    lr: f32,
    /// The final learning rate as a share of --lr: cosine decay
    #[arg(long, alias = "end", value_name = "SHARE", default_value_t = 0.01, value_parser = share)]
    lr_final: f32,
    /// The weight decay of AdamW
    #[arg(long, alias = "decay", default_value_t = 0.01, value_parser = share)]
    weight_decay: f32,
    /// The weight of the game's result in the target; the rest is the score of the search. With few games it leads to overfitting
    #[arg(long, default_value_t = 0.0, value_parser = share)]
    lambda: f32,
    /// Centipawns per unit of output; 0 fits them to the results of the games
    #[arg(long, value_name = "CENTIPAWNS", default_value_t = 400, value_parser = scale)]
    scale: u32,
    /// Skip positions of this many plies after the opening
    #[arg(long, alias = "early", value_name = "PLIES", default_value_t = Filter::default().skip_plies)]
    skip_plies: usize,
    /// Skip positions with a larger absolute score
    #[arg(long, alias = "most", value_name = "CENTIPAWNS", default_value_t = Filter::default().max_score)]
    max_score: i32,
    /// Seed of the initial parameters and of the order of positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads [default: the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,
    /// Show only the result
    #[arg(long)]
    quiet: bool,
}

fn positive(text: &str) -> Result<f32, String> {
    let number = share(text).ok().filter(|&number| number > 0.0);
    number.ok_or_else(|| format!("`{text}` is not a number above 0 and up to 1"))
}

fn scale(text: &str) -> Result<u32, String> {
    let scale = text.parse().ok().filter(|scale| matches!(scale, 0 | 10..=5000));
    scale.ok_or_else(|| format!("`{text}` is neither 0 nor a number from 10 to 5000"))
}

fn share(text: &str) -> Result<f32, String> {
    let share = text.parse().ok().filter(|share: &f32| (0.0..=1.0).contains(share));
    share.ok_or_else(|| format!("`{text}` is not a number from 0 to 1"))
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
        let job = self.job()?;
        let lines = job.run(stop)?.lines();
        let out = job.out.display();
        terminal::line(&format!("{out}: {}\n{}", lines.join("\n"), job.page().display()));
        if job.settings.shape == SHAPE {
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

    fn job(&self) -> Result<TrainJob, TrainError> {
        let datasets = Dataset::open_all(&self.data)?;
        let Self { hidden, king_buckets, output_buckets, .. } = *self;
        let shape = Shape { hidden, king_buckets, output_buckets };
        shape.check().map_err(TrainError::Shape)?;
        let (from, network) = self.from.as_deref().map(trainer::read_network).transpose()?.unzip();
        let settings = TrainSettings {
            datasets: datasets.iter().map(DatasetId::of).collect(),
            shape,
            from,
            epochs: self.epochs,
            accept: self.accept,
            batch: self.batch,
            learning_rate: self.lr,
            final_share: self.lr_final,
            weight_decay: self.weight_decay,
            lambda: self.lambda,
            scale: (self.scale > 0).then_some(self.scale),
            filter: Filter { skip_plies: self.skip_plies, max_score: self.max_score },
            seed: self.seed,
        };
        // It is required where a network is trained.
        let out = self.out.clone().unwrap_or_default();
        let threads = worker_count(self.threads);
        Ok(TrainJob { settings, datasets, from: network, out, threads, quiet: self.quiet })
    }
}

/// The shape of the networks that this build can load.
const SHAPE: Shape =
    Shape { hidden: HIDDEN, king_buckets: KING_BUCKETS, output_buckets: OUTPUT_BUCKETS };
