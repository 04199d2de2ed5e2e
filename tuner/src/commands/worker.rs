//! `worker`: plays for other machines.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use nullarbor::eval::nnue::Network;
use nullarbor_cluster::{AllowedPrograms, Build, Cluster, ClusterArgs, Connection, Worker};
use nullarbor_games::matches;
use nullarbor_report::terminal;
use nullarbor_runs::{JobKind, Stop, Workers, worker_count};
use nullarbor_train::data::self_play;

use super::CommandResult;

/// Kinds of work that a worker can do.
const KINDS: &[JobKind] =
    &[matches::KIND, nullarbor_spsa::KIND, self_play::KIND, nullarbor_lab::KIND];

/// Play games for runs on other machines, received from a NATS server.
///
/// Runs of another build are refused. A worker only does the jobs that it gets: it reads only files that came with a run
/// and have the right checksum, and starts no program but those that --engine and --builder allow. It can be started,
/// stopped and killed at any time.
#[derive(Args)]
#[command(after_long_help = "Examples:
  nats-server --jetstream --addr 127.0.0.1 --store_dir queue    # for this machine alone; others need a password
  nullarbor-tuner worker --cluster nats://127.0.0.1             # on each machine, here the same one
  nullarbor-tuner match --cluster nats://127.0.0.1 --engine self,NullMove=off --engine self --nodes 5000")]
pub struct WorkerArgs {
    #[command(flatten)]
    cluster: ClusterArgs,
    /// Jobs at the same time [default: the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,
    /// Folder for files that come with runs, such as networks [default: a temporary one]
    #[arg(long, value_name = "DIR")]
    files: Option<PathBuf>,
    /// An engine that runs may use (`match --engine cmd=PATH`): the same file as theirs, byte for byte. May be repeated
    #[arg(long, value_name = "FILE")]
    engine: Vec<PathBuf>,
    /// A program that builds engines of commits, for runs that name one (`match --engine cmd=PATH,revision=COMMIT`). It
    /// gets the commit, 40 hexadecimal digits, as its argument, and prints the path of the engine as its last line
    #[arg(long, value_name = "FILE")]
    builder: Option<PathBuf>,
    /// Print the fingerprint of this build; it must equal that of the runs
    #[arg(long)]
    build: bool,
    /// Print only errors
    #[arg(long)]
    quiet: bool,
}

/// Describes the arguments of a worker, which takes jobs and gives none.
pub fn described(command: clap::Command) -> clap::Command {
    command
        .mut_arg("cluster", |it| {
            it.required_unless_present("build")
                .help("URL of the NATS server whose runs are played, e.g. nats://HOST:4222")
        })
        .mut_arg("in_flight", |it| it.hide(true))
        .mut_arg("ack_wait", |it| it.hide(true))
        .mut_arg("verify", |it| it.hide(true))
}

impl WorkerArgs {
    /// Does jobs until it is stopped.
    ///
    /// # Errors
    /// If the server cannot be reached at the start.
    pub fn run(&self, stop: &Arc<Stop>) -> CommandResult {
        if self.build {
            terminal::line(&build().to_string());
            return Ok(());
        }
        let url = self.cluster.cluster.as_ref().ok_or("--cluster URL is missing")?;
        let programs = self.programs()?;
        let connection = Connection::open(url, &self.cluster)?;
        let temporary = tempfile::tempdir()?;
        let folder = self.files.as_deref().unwrap_or(temporary.path());
        std::fs::create_dir_all(folder)?;
        let threads = worker_count(self.threads);
        let build = build();
        let quiet = self.quiet;
        let worker = Worker { connection, build, kinds: KINDS, threads, folder, programs, quiet };
        Ok(worker.run(stop)?)
    }

    fn programs(&self) -> Result<AllowedPrograms, String> {
        let engines = self.engine.iter().map(|path| program("--engine", path));
        let builder = self.builder.as_deref().map(|path| program("--builder", path));
        Ok(AllowedPrograms {
            engines: engines.collect::<Result<_, _>>()?,
            builder: builder.transpose()?,
        })
    }
}

/// Returns the path of a program in full, for a bare name would be looked up elsewhere.
fn program(option: &str, path: &Path) -> Result<PathBuf, String> {
    let missing = || format!("{option} {}: there is no such file", path.display());
    if path.is_file() { std::path::absolute(path).map_err(|_| missing()) } else { Err(missing()) }
}

/// Returns the build of this program.
pub fn build() -> Build {
    Build::this(Network::embedded().fingerprint())
}

/// Returns the workers of the cluster that the command line names, or else threads.
///
/// # Errors
/// If the cluster cannot be reached.
pub fn workers(args: &ClusterArgs, threads: usize) -> Result<Workers, Box<dyn std::error::Error>> {
    let cluster = Cluster::open(args, build())?;
    Ok(cluster.map_or(Workers::Threads(threads), |cluster| Workers::Machines(Arc::new(cluster))))
}
