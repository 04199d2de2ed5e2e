//! Measures the queue: pairs of games that take no time, by workers that are processes.
//!
//! `cargo run --release --example throughput -- nats://127.0.0.1 20000 2` asks for 20,000 pairs and starts 2 workers, each as a
//! machine with 64 cores has it. It prints pairs a second, and the processor time of coordinator and workers for each pair.

use std::error::Error;
use std::ops::ControlFlow;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use clap::Parser;
use nullarbor_cluster::{AllowedPrograms, Build, Cluster, ClusterArgs, Connection, Worker};
use nullarbor_runs::{
    Interrupted, JobKind, NotPortable, Portable, RemoteError, RunSpec, SpecError, Stop, Workers,
};
use serde::{Deserialize, Serialize};

#[derive(Parser)]
struct Args {
    url: String,
    pairs: u64,
    workers: u64,
    /// Threads of a worker.
    #[arg(long, default_value_t = 64)]
    threads: usize,
    /// Be a worker.
    #[arg(long)]
    serve: Option<u32>,
}

/// A pair as a tuning run of 20 parameters asks for it.
#[derive(Serialize, Deserialize)]
struct Task {
    number: u64,
    settings: [Vec<i32>; 2],
    fen: String,
}

struct Simulated;

#[derive(Debug, thiserror::Error)]
enum Failed {
    #[error("interrupted")]
    Interrupted(#[from] Interrupted),
    #[error(transparent)]
    Remote(#[from] RemoteError),
}

impl Portable for Simulated {
    const KIND: &'static str = "simulated";
    type Task = Task;
    type Output = (u64, [String; 2]);
    type Error = Failed;
    type Worker<'a> = ();

    fn to_spec(&self) -> Result<RunSpec, NotPortable> {
        Ok(RunSpec::default())
    }

    fn from_spec(_: &RunSpec, _: &Arc<Stop>) -> Result<Self, SpecError> {
        Ok(Self)
    }

    fn worker(&self) -> Result<(), Failed> {
        Ok(())
    }

    fn number(task: &Task) -> u64 {
        task.number
    }

    fn work(&self, (): &mut (), task: Task) -> Result<Self::Output, Failed> {
        Ok((task.number, ["Win", "Draw"].map(str::to_owned)))
    }

    fn check(&self, task: &Task, done: &Self::Output) -> Result<(), String> {
        (done.0 == task.number).then_some(()).ok_or_else(|| "another job".to_owned())
    }

    fn agree(one: &Self::Output, other: &Self::Output) -> bool {
        one == other
    }
}

/// Processor time of this process and of its children that have ended, in seconds.
fn processor_time() -> [f64; 2] {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<f64> =
        stat.split_whitespace().map(|field| field.parse().unwrap_or(0.0)).collect();
    // In hundredths of a second: utime, stime, cutime, cstime.
    [fields[13] + fields[14], fields[15] + fields[16]].map(|ticks| ticks / 100.0)
}

fn main() -> Result<(), Box<dyn Error>> {
    let Args { url, pairs, workers, threads, serve } = Args::parse();
    let (args, build) = (ClusterArgs::of(&url), Build::this("none".to_owned()));
    if let Some(parent) = serve {
        let connection = Connection::open(&url, &args)?;
        let (kinds, folder) = ([JobKind::of::<Simulated>()], std::env::temp_dir());
        let worker = Worker {
            connection,
            build,
            kinds: &kinds,
            threads,
            folder: &folder,
            programs: AllowedPrograms::default(),
            quiet: true,
        };
        let stop = Arc::new(Stop::new());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                // Ends with the coordinator's word, which is a file.
                while !std::env::temp_dir().join(format!("throughput-{parent}")).exists() {
                    std::thread::sleep(std::time::Duration::from_millis(50));
                }
                stop.request_stop();
            });
            worker.run(&stop)
        })?;
        return Ok(());
    }
    let program = std::env::current_exe()?;
    let numbers = [pairs.to_string(), workers.to_string(), format!("--threads={threads}")];
    let id = std::process::id().to_string();
    let start = || Command::new(&program).arg(&url).args(&numbers).args(["--serve", &id]).spawn();
    let mut processes = (0..workers).map(|_| start()).collect::<Result<Vec<_>, _>>()?;
    let cluster = Cluster::open(&args, build)?.ok_or("no cluster")?;
    let machines = Workers::Machines(Arc::new(cluster));
    let task = |number| Task {
        number,
        settings: [vec![1234; 20], vec![-1234; 20]],
        fen: "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 0 1".to_owned(),
    };
    let (begun, mut taken) = (Instant::now(), 0_u64);
    machines.run_unordered(
        &Simulated,
        None,
        &Stop::new(),
        (0..pairs).map(task),
        |_| {},
        |_, _| {
            taken += 1;
            Ok(ControlFlow::Continue(()))
        },
    )?;
    let seconds = begun.elapsed().as_secs_f64();
    let word = std::env::temp_dir().join(format!("throughput-{}", std::process::id()));
    std::fs::write(&word, "")?;
    for process in &mut processes {
        process.wait()?;
    }
    std::fs::remove_file(&word)?;
    let [own, children] = processor_time().map(|time| 1e3 * time / pairs as f64);
    println!("{taken} pairs in {seconds:.2} s: {:.0} a second", taken as f64 / seconds);
    println!("processor time for a pair: coordinator {own:.3} ms, workers {children:.3} ms");
    Ok(())
}
