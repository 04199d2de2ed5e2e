//! `train`: a network from games.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use indicatif::ProgressBar;
use nullarbor::eval::nnue::{
    self as shipped,
    format::{FormatError, NetworkFile, checksum},
};
use nullarbor_openings::{Opening, builtin};
use thiserror::Error;

use nullarbor_games::files::{beside, replace};
use nullarbor_games::work::{Stop, crew};
use nullarbor_report::html::Head;
use nullarbor_report::table::grouped;
use nullarbor_report::terminal;
use nullarbor_train::data::filter::Filter;
use nullarbor_train::data::folder::{Folder, FolderError};
use nullarbor_train::data::shard::ShardError;
use nullarbor_train::network::checkpoint::{Checkpoint, CheckpointError, Mark};
use nullarbor_train::network::evaluate::{COLUMNS, Evaluation, evaluate, held_out};
use nullarbor_train::network::example::Example;
use nullarbor_train::network::examples::Examples;
use nullarbor_train::network::export::{self, Whole};
use nullarbor_train::network::gradient::Target;
use nullarbor_train::network::model::{Model, Shape};
use nullarbor_train::network::page::page;
use nullarbor_train::network::settings::{Games, Settings};
use nullarbor_train::network::training::{Training, Watch};

/// Train a network on games that `datagen` has played.
///
/// It learns, on all cores, to say what the search said and, with --lambda, what came of it. After each epoch there is a checkpoint beside the
/// network (FILE.checkpoint) from which the same words go on, a page with the loss so far (FILE.html), and the network itself.
#[derive(Args)]
#[command(after_long_help = "Examples:
  nullarbor-tuner train --data data/gen0 --out net.nnue
  nullarbor-tuner train --data data/gen0 --data data/gen1 --hidden 512 --epochs 12 --lambda 0.1 --out net.nnue
  make EVALFILE=net.nnue    # an engine with this network")]
pub struct TrainArgs {
    /// Folders of games
    #[arg(long, value_name = "DIR", required_unless_present = "evaluate")]
    data: Vec<PathBuf>,
    /// The network to be written
    #[arg(long, value_name = "FILE", required_unless_present = "evaluate")]
    out: Option<PathBuf>,
    /// Train nothing, but hold a network of any shape against the held-out positions
    #[arg(long, value_name = "NET", conflicts_with_all = ["data", "out"])]
    evaluate: Option<PathBuf>,
    /// Begin with the parameters of this network, which must have the same shape, instead of random ones (fine-tuning)
    #[arg(long, value_name = "NET")]
    from: Option<PathBuf>,
    /// Neurons of each perspective, a multiple of 32
    #[arg(long, default_value_t = shipped::HIDDEN)]
    hidden: usize,
    /// Sets of input weights, by the square of the own king: 1 or 4
    #[arg(long, default_value_t = shipped::KING_BUCKETS)]
    king_buckets: usize,
    /// Sets of output weights, by the number of men: 1 to 8
    #[arg(long, default_value_t = shipped::OUTPUT_BUCKETS)]
    output_buckets: usize,
    /// How often each position is seen
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    epochs: u64,
    /// The share of the positions that an epoch takes, drawn anew each time: below 1 piece counts that are common give way, so
    /// that the histogram of piece counts becomes flatter
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = positive)]
    accept: f32,
    /// Positions of a batch [default: the power of two from 512 to 16384 with which there are about 0.8 million steps]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1 << 16))]
    batch: Option<u64>,
    /// The highest rate of learning
    #[arg(long, default_value_t = 0.002, value_parser = positive)]
    rate: f32,
    /// What is left of it at the end, as a share
    #[arg(long, default_value_t = 0.01, value_parser = share)]
    end: f32,
    /// Weight decay
    #[arg(long, default_value_t = 0.01, value_parser = share)]
    decay: f32,
    /// The share of the game's result in what is learnt; the rest is the search's. With few games it is learnt by heart
    #[arg(long, default_value_t = 0.0, value_parser = share)]
    lambda: f32,
    /// Centipawns of the search that make an output of one; 0: as many as the results of the games say
    #[arg(long, value_name = "CENTIPAWNS", default_value_t = 400, value_parser = scale)]
    scale: u32,
    /// Plies after the opening that are left out
    #[arg(long, default_value_t = Filter::default().early)]
    early: usize,
    /// Positions beyond so many centipawns are left out
    #[arg(long, default_value_t = Filter::default().most)]
    most: i32,
    /// Decides the first weights and the order of the positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads [default: the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,
    /// Show nothing but the result
    #[arg(long)]
    quiet: bool,
}

/// Why there is no network.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum TrainError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Shard(#[from] ShardError),
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    #[error("{0}")]
    Shape(String),
    #[error(
        "{games} games give no position to learn from and to be held against: more games are needed"
    )]
    Few { games: u64 },
    #[error("{path}: {source}", path = path.display())]
    File { path: PathBuf, source: io::Error },
    #[error(
        "what was learnt cannot be written as a network: {0}; a lower --rate or a higher --decay keeps weights small"
    )]
    Content(#[from] FormatError),
    #[error("{path}: {source}", path = path.display())]
    Network { path: PathBuf, source: FormatError },
    #[error("cannot start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    #[error("interrupted; the same words go on from the last checkpoint")]
    Interrupted,
}

impl TrainError {
    /// Whether somebody wanted it.
    pub fn is_interruption(&self) -> bool {
        matches!(self, Self::Interrupted)
    }
}

fn positive(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|number: &f32| *number > 0.0 && *number <= 1.0);
    number.ok_or_else(|| format!("`{text}` is no number above 0 and up to 1"))
}

fn scale(text: &str) -> Result<u32, String> {
    let scale = text.parse().ok().filter(|scale| matches!(scale, 0 | 10..=5000));
    scale.ok_or_else(|| format!("`{text}` is not 0 and no number from 10 to 5000"))
}

fn share(text: &str) -> Result<f32, String> {
    let share = text.parse().ok().filter(|share: &f32| (0.0..=1.0).contains(share));
    share.ok_or_else(|| format!("`{text}` is no share from 0 to 1"))
}

impl TrainArgs {
    /// Trains.
    ///
    /// # Errors
    /// Where the games or the file cannot be had. What was learnt up to the last epoch is in the checkpoint.
    pub fn run(&self, stop: &Arc<Stop>) -> Result<(), TrainError> {
        if let Some(network) = &self.evaluate {
            return show(network);
        }
        let folders: Vec<Folder> =
            self.data.iter().map(|path| Folder::read(path)).collect::<Result<_, _>>()?;
        let mut settings = self.settings(&folders)?;
        let from = self.from.as_deref().map(network).transpose()?;
        settings.from = from.as_ref().map(|(crc32, _)| *crc32);
        let threads = crew::workers(self.threads);
        let with = |ending: &str| PathBuf::from(format!("{}.{ending}", self.out().display()));
        let checkpoint = with("checkpoint");
        let state = Checkpoint::read(&checkpoint, &settings)?;
        // Better now than after an epoch.
        beside(self.out()).map_err(|it| failed(self.out(), it))?;
        let examples = self.read(&folders, &settings, threads, stop)?;
        let scale = settings.scale.map_or_else(|| examples.scale(), |scale| scale as f32);
        let target = Target { lambda: settings.lambda, scale };
        let state = match state {
            Some(state) => state,
            None => Checkpoint::begin(first_model(&settings, from.map(|it| it.1), scale)?),
        };
        let mut training = Training::new(&settings, &examples, target, threads, state)?;
        let positions = training.positions();
        let mut view = View::new(settings.schedule(positions).batches, self.quiet);
        view.say(&format!(
            "{} positions to learn from, {} of them in each epoch, {} to be held against; batches of {}; {} centipawns make an output of one",
            grouped(examples.training.len() as u64),
            grouped(positions as u64),
            grouped(examples.validation.len() as u64),
            grouped(settings.batch(positions) as u64),
            target.scale
        ));
        let known = training.state.epochs;
        if known > 0 {
            view.say(&format!("{known} epochs are known from the checkpoint."));
        }
        view.begin(known * settings.batches(positions));
        let yardstick = YARDSTICK.into_iter().flat_map(builtin::scored).collect();
        let fixed = Fixed { yardstick, held_out: held_out() };
        while !training.is_done() {
            if !training.epoch(stop, &mut view) {
                view.bar.finish_and_clear();
                return Err(TrainError::Interrupted);
            }
            training.state.write(&checkpoint, &settings)?;
            view.epoch(&training.state, settings.epochs);
            self.write(&training, &settings, &examples, &fixed, &with("html"))?;
        }
        view.bar.finish_and_clear();
        let evaluation = self.write(&training, &settings, &examples, &fixed, &with("html"))?;
        tell(&training.state.marks, self.out());
        terminal::line(&evaluation.line());
        let whole = Whole::of(
            &training.state.model,
            export::scale(&training.state.model, &fixed.yardstick),
        );
        let sample: Vec<Example> = examples.validation.iter().copied().take(10_000).collect();
        let [mean, most] = whole.error(&training.state.model, &sample);
        terminal::line(&format!(
            "whole numbers differ from fractions by {mean:.2} centipawns in the mean of {} positions, {most:.1} at most",
            grouped(sample.len() as u64)
        ));
        if view.seen > 0 {
            terminal::line(&format!("{:.0} positions a second by {threads} threads", view.speed()));
        }
        terminal::line(&format!("{}", with("html").display()));
        Ok(())
    }

    /// Where the network is written; it is asked for where one is trained.
    fn out(&self) -> &Path {
        self.out.as_deref().unwrap_or(Path::new(""))
    }

    fn settings(&self, folders: &[Folder]) -> Result<Settings, TrainError> {
        let shape = Shape {
            hidden: self.hidden,
            king_buckets: self.king_buckets,
            output_buckets: self.output_buckets,
        };
        shape.check().map_err(TrainError::Shape)?;
        Ok(Settings {
            games: folders.iter().map(Games::of).collect(),
            shape,
            from: None,
            epochs: self.epochs,
            accept: self.accept,
            batch: self.batch.map(|batch| batch as usize),
            rate: self.rate,
            end: self.end,
            decay: self.decay,
            lambda: self.lambda,
            scale: (self.scale > 0).then_some(self.scale),
            filter: Filter { early: self.early, most: self.most },
            seed: self.seed,
        })
    }

    fn read(
        &self,
        folders: &[Folder],
        settings: &Settings,
        threads: usize,
        stop: &Stop,
    ) -> Result<Examples, TrainError> {
        let files = folders.iter().map(|folder| folder.shards.len() as u64).sum();
        let bar = terminal::bar(files, "files of games", self.quiet);
        let examples = Examples::read(folders, &settings.filter, threads, stop, || bar.inc(1));
        bar.finish_and_clear();
        let examples = examples?.ok_or(TrainError::Interrupted)?;
        if examples.training.is_empty() || examples.validation.is_empty() {
            let games = folders.iter().map(|folder| folder.counts().games).sum();
            return Err(TrainError::Few { games });
        }
        Ok(examples)
    }

    /// Writes the network as it is now, and the page; how it does on the held-out positions.
    fn write(
        &self,
        training: &Training<'_>,
        settings: &Settings,
        examples: &Examples,
        fixed: &Fixed,
        report: &Path,
    ) -> Result<Evaluation, TrainError> {
        let state = &training.state;
        let whole = Whole::of(&state.model, export::scale(&state.model, &fixed.yardstick));
        let evaluation = evaluate(&whole, &fixed.held_out);
        let mut facts = facts(settings, training, examples.training.len());
        facts.push(evaluation.line());
        let bytes = whole.bytes(&facts.join("\n"))?;
        replace(self.out(), |file| file.write_all(&bytes)).map_err(|it| failed(self.out(), it))?;
        let title = format!("Training of {}", self.out().display());
        let head = Head { title, facts, refresh: None };
        fs::write(report, page(&head, settings, training.positions(), &state.marks, &evaluation))
            .map_err(|source| failed(report, source))?;
        Ok(evaluation)
    }
}

/// What networks are compared by.
struct Fixed {
    /// Positions, and what they are worth in centipawns.
    yardstick: Vec<(Opening, i32)>,
    held_out: Vec<Example>,
}

/// Reads a network of any shape; its checksum, by which networks are known, comes first.
fn network(path: &Path) -> Result<(u32, Whole), TrainError> {
    let bytes = fs::read(path).map_err(|source| failed(path, source))?;
    let network = NetworkFile::parse(&bytes)
        .map_err(|source| TrainError::Network { path: path.to_owned(), source })?;
    Ok((checksum(&bytes), Whole::from(&network)))
}

/// What a training begins with; an output of one stands for `scale` centipawns.
fn first_model(settings: &Settings, from: Option<Whole>, scale: f32) -> Result<Model, TrainError> {
    match from {
        None => Ok(Model::random(settings.shape, settings.seed)),
        Some(network) if network.shape() == settings.shape => Ok(network.model(scale)),
        Some(network) => {
            let Shape { hidden, king_buckets, output_buckets } = network.shape();
            Err(TrainError::Shape(format!(
                "the network of --from has another shape: --hidden {hidden} --king-buckets {king_buckets} --output-buckets {output_buckets}"
            )))
        }
    }
}

/// Says how a network does on the held-out positions.
fn show(path: &Path) -> Result<(), TrainError> {
    let evaluation = evaluate(&network(path)?.1, &held_out());
    terminal::line(&format!("{}: {}", path.display(), evaluation.line()));
    for [pieces, positions, loss] in
        [COLUMNS.map(str::to_owned)].into_iter().chain(evaluation.rows())
    {
        terminal::line(&format!("{pieces:>6} {positions:>9} {loss:>8}"));
    }
    Ok(())
}

fn failed(path: &Path, source: io::Error) -> TrainError {
    TrainError::File { path: path.to_owned(), source }
}

/// Says what came of it, and whether it has learnt games by heart.
fn tell(marks: &[Mark], out: &Path) {
    const WORSE: f64 = 1.003;
    let Some(Mark { training, validation, .. }) = marks.last() else { return };
    let out = out.display();
    terminal::line(&format!("{out}: loss {validation:.6} (validation), {training:.6} (training)"));
    let epochs = marks.iter().zip(1..);
    let least = epochs.min_by(|(one, _), (other, _)| one.validation.total_cmp(&other.validation));
    if let Some((mark, epoch)) = least
        && mark.validation * WORSE < *validation
    {
        terminal::line(&format!(
            "The loss in validation was least after epoch {epoch} ({:.6}): fewer epochs, or more games, will do better",
            mark.validation
        ));
    }
}

/// Books whose positions say how many centipawns an output is.
const YARDSTICK: [&str; 2] = ["unbalanced", "endgames"];

/// What a network says of itself.
fn facts(settings: &Settings, training: &Training<'_>, positions: usize) -> Vec<String> {
    let state = &training.state;
    let Shape { hidden, king_buckets, output_buckets } = settings.shape;
    let Settings { accept, from, rate, end, decay, lambda, seed, epochs, scale, .. } = settings;
    let scale = scale.map_or("as the results say".to_owned(), |scale| scale.to_string());
    let from =
        from.map_or("random weights".to_owned(), |checksum| format!("network {checksum:08x}"));
    let batch = settings.batch(training.positions());
    let validation = state.marks.last().map_or(f64::NAN, |mark| mark.validation);
    let mut facts = vec![
        format!(
            "(768 x {king_buckets} -> {hidden}) x 2 -> 1 x {output_buckets}, squared clipped linear units, mirrored"
        ),
        format!(
            "{positions} positions, accept {accept}, {} of {epochs} epochs, batches of {batch}, rate {rate} to {end} of it, decay {decay}, lambda {lambda}, scale {scale}, seed {seed}, from {from}",
            state.epochs
        ),
        format!("validation loss {validation:.6}"),
    ];
    let games = |games| serde_json::to_string(games).unwrap_or_default();
    facts.extend(settings.games.iter().map(games));
    facts
}

/// What is shown while a network is trained.
struct View {
    bar: ProgressBar,
    quiet: bool,
    seen: u64,
    loss: f64,
    validation: Option<f64>,
    begun: Instant,
}

/// The share of the newest batch in the loss that is shown.
const NEWEST: f64 = 0.02;

impl View {
    fn new(batches: u64, quiet: bool) -> Self {
        let bar = terminal::bar(batches, "batches{msg}", quiet);
        Self { bar, quiet, seen: 0, loss: f64::NAN, validation: None, begun: Instant::now() }
    }

    fn say(&self, line: &str) {
        if self.quiet {
        } else if self.bar.is_hidden() {
            eprintln!("{line}");
        } else {
            self.bar.println(line);
        }
    }

    fn begin(&mut self, known: u64) {
        self.bar.set_position(known);
        self.bar.reset_eta();
        self.begun = Instant::now();
    }

    fn speed(&self) -> f64 {
        self.seen as f64 / self.begun.elapsed().as_secs_f64().max(0.001)
    }

    fn message(&self) -> String {
        let validation =
            self.validation.map_or(String::new(), |it| format!(", validation {it:.6}"));
        format!(", loss {:.6}{validation}, {:.0} positions/s", self.loss, self.speed())
    }

    fn epoch(&mut self, state: &Checkpoint, epochs: u64) {
        let Some(&Mark { training, validation, .. }) = state.marks.last() else { return };
        self.validation = Some(validation);
        self.say(&format!(
            "epoch {} of {epochs}: loss {validation:.6} (validation), {training:.6} (training)",
            state.epochs
        ));
    }
}

impl Watch for View {
    fn learnt(&mut self, examples: usize, loss: f64) {
        self.seen += examples as u64;
        let old = if self.loss.is_nan() { loss } else { self.loss };
        self.loss = old + NEWEST * (loss - old);
        self.bar.inc(1);
        self.bar.set_message(self.message());
    }
}
