//! Work that a thread here or another machine can do, and the workers that do it: no command knows which.

use std::fmt;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;

use super::pool::Pool;
use super::program::LocalProgram;
use super::stop::{Interrupted, Stop};

/// The settings that all jobs of a run have in common. Jobs depend on nothing else: a job and a [`RunSpec`] decide the
/// result, on any machine with the same build.
pub trait Portable: Sync + Sized {
    /// Name of the work among machines.
    const KIND: &'static str;
    /// Request of a job.
    type Task: Serialize + DeserializeOwned;
    /// Result of a job.
    type Output: Serialize + DeserializeOwned + Send;
    /// Why a run fails.
    type Error: std::error::Error + From<Interrupted> + From<RemoteError> + Send;
    /// A worker: what is kept from job to job, such as engines and buffers.
    type Worker<'a>: Send
    where
        Self: 'a;

    /// Returns the settings and files for other machines.
    ///
    /// # Errors
    /// If it cannot be done elsewhere.
    fn to_spec(&self) -> Result<RunSpec, NotPortable>;

    /// Reads what another machine has sent; `stop` aborts its jobs.
    ///
    /// # Errors
    /// If it is malformed, or a file cannot be read.
    fn from_spec(spec: &RunSpec, stop: &Arc<Stop>) -> Result<Self, SpecError>;

    /// Creates a worker.
    ///
    /// # Errors
    /// If memory is short.
    fn worker(&self) -> Result<Self::Worker<'_>, Self::Error>;

    /// Returns the number of a job, which no other job of the run has, whenever the run is resumed.
    fn number(task: &Self::Task) -> u64;

    /// Does a job.
    ///
    /// # Errors
    /// If the run cannot go on, or the job was aborted.
    fn work(
        &self,
        worker: &mut Self::Worker<'_>,
        task: Self::Task,
    ) -> Result<Self::Output, Self::Error>;

    /// Checks what another machine has sent: a result counts only for the job that it answers, within what a job can give.
    ///
    /// # Errors
    /// The reason why the result is refused.
    fn check(&self, task: &Self::Task, done: &Self::Output) -> Result<(), String>;

    /// Returns whether a job that is done again gives the same result.
    fn is_repeatable(&self) -> bool {
        true
    }

    /// Returns whether two results of a job agree in all that does not depend on the machine, such as times.
    fn agree(one: &Self::Output, other: &Self::Output) -> bool;
}

/// The settings and files that travel to other machines once for all jobs of a run, and the programs that do not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunSpec {
    /// The settings; they name files and programs by their index.
    pub settings: Value,
    /// The files, such as networks.
    pub files: Vec<PathBuf>,
    /// The programs, such as UCI engines. They do not travel: each machine has its own.
    pub programs: Vec<LocalProgram>,
}

impl RunSpec {
    /// Describes a run without files.
    pub fn of(settings: &impl Serialize) -> Self {
        Self::default().with(settings)
    }

    /// Returns the same files and programs with these settings, which name them.
    #[must_use]
    pub fn with(self, settings: &impl Serialize) -> Self {
        // Settings are plain data, which always have a JSON value.
        Self { settings: serde_json::to_value(settings).unwrap_or_default(), ..self }
    }

    /// Reads the settings.
    ///
    /// # Errors
    /// If they are malformed.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, SpecError> {
        Ok(T::deserialize(&self.settings)?)
    }

    /// Returns a file by its index.
    ///
    /// # Errors
    /// If there is none.
    pub fn file(&self, index: usize) -> Result<&Path, SpecError> {
        self.files.get(index).map(PathBuf::as_path).ok_or(SpecError::NoFile(index))
    }

    /// Returns a program by its index.
    ///
    /// # Errors
    /// If there is none.
    pub fn program(&self, index: usize) -> Result<&Path, SpecError> {
        let program = self.programs.get(index).ok_or(SpecError::NoProgram(index))?;
        Ok(&program.path)
    }
}

/// Why work can be done here alone.
#[derive(Debug, Error)]
#[error("{0} cannot be done by other machines")]
pub struct NotPortable(pub String);

/// Why the description of a run cannot be read.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum SpecError {
    #[error("malformed settings: {0}")]
    Settings(#[from] serde_json::Error),
    #[error("malformed settings: there is no file {0}")]
    NoFile(usize),
    #[error("malformed settings: there is no program {0}")]
    NoProgram(usize),
    #[error("{0}")]
    Other(String),
}

/// Why a run on other machines ended early.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum RemoteError {
    #[error("interrupted")]
    Interrupted(#[from] Interrupted),
    #[error(transparent)]
    NotPortable(#[from] NotPortable),
    #[error("job {number} failed, here as on other machines: {problem}")]
    Job { number: u64, problem: String },
    #[error(
        "job {number}, done twice on this machine, gave two results: its memory or processor cannot be trusted"
    )]
    Unsteady { number: u64 },
    #[error("job {number}: a result that cannot be read: {problem}")]
    Result { number: u64, problem: String },
    #[error("cluster {url}: {problem}")]
    Cluster { url: String, problem: String },
}

/// A run as other machines are asked for it.
#[derive(Clone, Copy, Debug)]
pub struct RunRequest<'a> {
    /// The name of the work.
    pub kind: &'static str,
    /// Settings and files that its jobs have in common.
    pub spec: &'a RunSpec,
    /// The file or folder in which results are kept, if any: a run that is resumed from it is the same run.
    pub journal: Option<&'a Path>,
}

/// The number of a job, and its task as JSON.
pub type RemoteTask = (u64, Vec<u8>);

/// Judges what other machines send. Tasks and results are JSON.
pub trait Referee: Sync {
    /// Checks a result without doing its job.
    ///
    /// # Errors
    /// The reason why the result is refused.
    fn check(&self, task: &[u8], done: &[u8]) -> Result<(), String>;

    /// Returns whether a job that is done again gives the same result.
    fn is_repeatable(&self) -> bool;

    /// Returns whether two results of a job agree.
    fn agree(&self, one: &[u8], other: &[u8]) -> bool;

    /// Does jobs on this machine until there are no more.
    ///
    /// # Errors
    /// If it cannot begin.
    fn serve(&self, stop: &Stop, jobs: &mut dyn Jobs) -> Result<(), String>;
}

impl<W: Portable> Referee for W {
    fn check(&self, task: &[u8], done: &[u8]) -> Result<(), String> {
        let task = serde_json::from_slice(task).map_err(|error| error.to_string())?;
        let done = serde_json::from_slice(done).map_err(|error| error.to_string())?;
        Portable::check(self, &task, &done)
    }

    fn is_repeatable(&self) -> bool {
        Portable::is_repeatable(self)
    }

    fn agree(&self, one: &[u8], other: &[u8]) -> bool {
        let read = |text| serde_json::from_slice::<W::Output>(text).ok();
        read(one).zip(read(other)).is_some_and(|(one, other)| W::agree(&one, &other))
    }

    fn serve(&self, stop: &Stop, jobs: &mut dyn Jobs) -> Result<(), String> {
        serve(self, stop, jobs)
    }
}

/// Machines that do jobs.
pub trait Remote: fmt::Debug + fmt::Display + Send + Sync {
    /// Does all jobs, and hands each result as JSON to `take`, with the place of its task in `tasks`, once the `referee` has
    /// nothing against it. `take` may break off the run; that is no error.
    ///
    /// # Errors
    /// If a job fails on this machine, too, the machines cannot be reached, or the run is stopped before its end.
    fn run(
        &self,
        request: &RunRequest<'_>,
        referee: &dyn Referee,
        stop: &Stop,
        tasks: &mut (dyn Iterator<Item = RemoteTask> + Send),
        take: &mut dyn FnMut(u64, &[u8]) -> ControlFlow<()>,
    ) -> Result<(), RemoteError>;
}

/// The threads or machines that do the jobs of a run.
#[derive(Clone, Debug)]
pub enum Workers {
    /// Threads of this process.
    Threads(usize),
    /// Other machines.
    Machines(Arc<dyn Remote>),
}

impl fmt::Display for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Threads(count) => write!(f, "{count} at a time"),
            Self::Machines(machines) => write!(f, "on {machines}"),
        }
    }
}

impl Workers {
    /// Does all jobs and hands the results, with the places of their tasks, to `take` on the calling thread as they come.
    /// `journal` is the file or folder that keeps the results, if there is one. `begun` is told of each task as it is
    /// given to a worker. `take` may break off the run when it has enough.
    ///
    /// # Errors
    /// As [`Pool::run_unordered`], and if other machines fail.
    pub fn run_unordered<W: Portable>(
        &self,
        work: &W,
        journal: Option<&Path>,
        stop: &Stop,
        tasks: impl IntoIterator<Item = W::Task, IntoIter: Send>,
        begun: impl Fn(&W::Task) + Sync,
        mut take: impl FnMut(u64, W::Output) -> Result<ControlFlow<()>, W::Error>,
    ) -> Result<(), W::Error> {
        let machines = match self {
            Self::Machines(machines) => machines,
            Self::Threads(count) => {
                let job = |worker: &mut W::Worker<'_>, task| {
                    begun(&task);
                    work.work(worker, task)
                };
                let mut pool = Pool::build(*count, || work.worker())?;
                return pool.run_unordered(stop, tasks, job, take);
            }
        };
        let spec = work.to_spec().map_err(RemoteError::from)?;
        let request = RunRequest { kind: W::KIND, spec: &spec, journal };
        let mut tasks = tasks.into_iter().map(|task| {
            begun(&task);
            // Tasks are plain data, which can always be written.
            (W::number(&task), serde_json::to_vec(&task).unwrap_or_default())
        });
        let mut refused = None;
        let ended = machines.run(&request, work, stop, &mut tasks, &mut |number, done| {
            let done = serde_json::from_slice(done)
                .map_err(|error| RemoteError::Result { number, problem: error.to_string() }.into());
            match done.and_then(|done| take(number, done)) {
                Ok(flow) => flow,
                Err(error) => {
                    // The tasks may wait for what will never come.
                    stop.abort();
                    refused = Some(error);
                    ControlFlow::Break(())
                }
            }
        });
        match (refused, ended) {
            (Some(error), _) => Err(error),
            (None, Err(RemoteError::Interrupted(error))) => Err(error.into()),
            (None, ended) => Ok(ended?),
        }
    }
}

/// Gives jobs to a worker of another machine's run, and takes what they give.
pub trait Jobs {
    /// Returns the next task as JSON; `None` if there is none for this run.
    fn next(&mut self) -> Option<Vec<u8>>;
    /// Takes the result of the task as JSON, or why the run cannot go on.
    fn done(&mut self, result: Result<Vec<u8>, String>);
}

/// Does jobs of a run until there are no more.
type Serve = fn(&RunSpec, &Arc<Stop>, &mut dyn Jobs) -> Result<(), ServeError>;

/// Why no job of a run can be begun.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The description is wrong, and stays so.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A worker that cannot be made now, as where memory is short.
    #[error("{0}")]
    Worker(String),
}

/// A kind of work that machines can be asked for.
#[derive(Clone, Copy, Debug)]
pub struct JobKind {
    /// Name of the work.
    pub name: &'static str,
    /// Does it.
    pub serve: Serve,
}

impl JobKind {
    /// Returns the kind of this work.
    pub const fn of<W: Portable>() -> Self {
        Self { name: W::KIND, serve: serve_spec::<W> }
    }
}

fn serve_spec<W: Portable>(
    spec: &RunSpec,
    stop: &Arc<Stop>,
    jobs: &mut dyn Jobs,
) -> Result<(), ServeError> {
    let work = W::from_spec(spec, stop)?;
    serve(&work, stop, jobs).map_err(ServeError::Worker)
}

fn serve<W: Portable>(work: &W, stop: &Stop, jobs: &mut dyn Jobs) -> Result<(), String> {
    let mut worker = work.worker().map_err(|error| error.to_string())?;
    while let Some(task) = jobs.next() {
        let result = match serde_json::from_slice(&task) {
            Err(error) => Err(format!("a task that cannot be read: {error}")),
            Ok(task) => work
                .work(&mut worker, task)
                .map_err(|error| error.to_string())
                .and_then(|done| serde_json::to_vec(&done).map_err(|error| error.to_string())),
        };
        if stop.is_aborting() {
            return Ok(());
        }
        jobs.done(result);
    }
    Ok(())
}
