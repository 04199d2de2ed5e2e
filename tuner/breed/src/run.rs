//! The loop: one step after the other, each in the journal when it is finished.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use nullarbor::eval::nnue::Network;
use nullarbor::eval::nnue::format::MAX_FILE;
use nullarbor_report::table::grouped;
use nullarbor_report::terminal;
use nullarbor_runs::files::{FileError, read as read_file, replace};
use nullarbor_runs::journal::{Journal, JournalError, Opened};
use nullarbor_runs::{Stop, Workers, worker_count};
use nullarbor_train::data::Dataset;

use crate::books::Part;
use crate::check::Check;
use crate::config::{Config, DEFAULT, Run};
use crate::error::Error;
use crate::event::{BREED, Entry, Event, MatchResult, Origin};
use crate::folder::{Folder, create_parent};
use crate::page;
use crate::state::{State, Step};
use crate::steps::{Work, read};
use crate::supervisor::Supervisor;

/// The settings of a run beside its configuration.
#[derive(Debug)]
pub struct Options {
    /// Requests of the user.
    pub user: Arc<Stop>,
    /// Longest time, instead of that of the configuration.
    pub time: Option<Duration>,
    /// Go on after three rejections in a row.
    pub retry: bool,
    /// Threads, instead of what the configuration says.
    pub threads: Option<u64>,
    /// Nice value, instead of what the configuration says.
    pub nice: Option<u8>,
    /// Other machines that play the games, if any.
    pub machines: Option<Workers>,
    /// The source tree that accepted networks are shipped to, instead of that of the configuration.
    pub ship: Option<PathBuf>,
    /// Show no progress.
    pub quiet: bool,
}

/// The reason why a run ended for now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The time of the run was over.
    Time,
    /// The run has as many cycles as were asked for.
    Cycles(u64),
    /// Three networks in a row were rejected: why.
    GaveUp(Vec<String>),
    /// The tuner must be built with the accepted network.
    Rebuild,
}

/// A run.
#[derive(Debug)]
pub struct BreedRun {
    folder: Folder,
    config: Config,
    journal: Journal,
    state: State,
    supervisor: Supervisor,
    workers: Workers,
    retry: bool,
    quiet: bool,
    /// The last generation that was offered for shipping by this process.
    offered: u64,
}

/// Writes the configuration and the first network of a run into a new folder. Without a network it is that of this build.
///
/// # Errors
/// If there is a run already, the network has another shape than this build, or a file cannot be written.
pub fn init(folder: &Folder, network: Option<&Path>) -> Result<(), Error> {
    let (config, first) = (folder.config(), folder.generation(0));
    if let Some(path) = [folder.journal(), config.clone()].into_iter().find(|path| path.exists()) {
        return Err(Error::Exists { path });
    }
    let bytes = match network {
        None => Network::embedded_file().to_vec(),
        Some(path) => {
            // What cannot play is told now.
            Network::read(path)?;
            read_file(path, MAX_FILE)?
        }
    };
    create_parent(&first)?;
    replace(&first, |file| file.write_all(&bytes))?;
    replace(&folder.accepted(), |file| file.write_all(&bytes))?;
    Ok(replace(&config, |file| file.write_all(DEFAULT.as_bytes()))?)
}

/// Reads the state of a run, which may be under way.
///
/// # Errors
/// If there is none, or its journal is damaged.
pub fn read_state(folder: &Folder) -> Result<State, Error> {
    let path = folder.journal();
    if !folder.config().is_file() {
        return Err(Error::NoRun { dir: folder.0.clone() });
    }
    let (origin, entries): (Option<Origin>, Vec<Entry>) =
        if path.is_file() { Journal::read(BREED, &path)? } else { Default::default() };
    let origin = origin.map_or_else(|| first_network(folder), Ok)?;
    fold(origin, &entries, &path)
}

/// Returns the first line of a new journal.
fn first_network(folder: &Folder) -> Result<Origin, Error> {
    let (network, _) = read(&folder.generation(0))?;
    Ok(Origin { network })
}

/// Returns whether a process works on a run.
pub fn is_under_way(folder: &Folder) -> bool {
    let path = folder.journal();
    // To open a journal creates it.
    path.is_file()
        && matches!(Journal::open::<Origin, Entry>(BREED, &path), Err(JournalError::Busy { .. }))
}

/// Returns the state after all events of a journal.
fn fold(origin: Origin, entries: &[Entry], path: &Path) -> Result<State, Error> {
    let mut state = State::new(origin);
    for (entry, number) in entries.iter().zip(1..) {
        state.apply(&entry.event).map_err(|problem| Error::Event {
            path: path.to_owned(),
            number,
            problem,
        })?;
        state.note_time(&entry.event, entry.at);
    }
    Ok(state)
}

impl BreedRun {
    /// Opens a run, and locks it against other processes.
    ///
    /// # Errors
    /// If there is none, its configuration is wrong, or its journal is damaged or in use.
    pub fn open(folder: &Folder, options: Options) -> Result<Self, Error> {
        let no_run = || Error::NoRun { dir: folder.0.clone() };
        if !folder.config().is_file() {
            return Err(no_run());
        }
        // The journals of matches name files, wherever the command is given.
        let path = fs::canonicalize(&folder.0).map_err(FileError::at(&folder.0))?;
        let folder = Folder(path);
        let mut config = Config::read(&folder.config())?.absolute();
        config.run.threads = options.threads.or(config.run.threads);
        config.run.nice = options.nice.unwrap_or(config.run.nice);
        config.run.ship = options.ship.or(config.run.ship);
        let path = folder.journal();
        let opened: Opened<Origin, Entry> = Journal::open(BREED, &path)?;
        let is_new = opened.subject.is_none();
        let origin = opened.subject.map_or_else(|| first_network(&folder), Ok)?;
        let state = fold(origin.clone(), &opened.pieces, &path)?;
        // A cycle under way has paths of its own, wherever the command is given.
        if state.open().is_none() {
            config.check_books().map_err(FileError::at(&folder.config()))?;
        }
        let mut journal = opened.journal;
        journal.begin(&origin)?;
        // More hours than a duration can hold are no deadline.
        let duration = |hours: f64| Duration::try_from_secs_f64(3600.0 * hours).ok();
        let hours = config.run.hours.and_then(duration);
        let time = options.time.or(hours);
        let supervisor = Supervisor {
            user: options.user,
            deadline: time.and_then(|time| Instant::now().checked_add(time)),
            pause: folder.pause(),
            quiet: options.quiet,
        };
        let (retry, quiet) = (options.retry, options.quiet);
        let threads = || Workers::Threads(worker_count(config.run.threads));
        let workers = options.machines.unwrap_or_else(threads);
        let run =
            Self { folder, config, journal, state, supervisor, workers, retry, quiet, offered: 0 };
        if !is_new {
            run.say(&run.summary());
            run.tell_changes();
        }
        Ok(run)
    }

    /// Returns the nice value that the process is to have.
    pub fn nice(&self) -> u8 {
        self.config.run.nice
    }

    /// Says so if the cycle under way has other settings than the configuration.
    fn tell_changes(&self) {
        let Some(cycle) = self.state.open() else { return };
        let now = Config { run: cycle.begun.config.run.clone(), ..self.config.clone() };
        if cycle.begun.config.clone().absolute() != now {
            self.say(&format!(
                "breed.toml has changed: cycle {} keeps the settings that it began with.",
                cycle.begun.cycle
            ));
        }
    }

    /// Describes how far the run is.
    fn summary(&self) -> String {
        let State { cycles, rejections, .. } = &self.state;
        let under_way = self.state.open().map_or_else(String::new, |cycle| {
            format!(", cycle {}: {}", cycle.begun.cycle, self.step().title())
        });
        format!(
            "Generation {}, {} cycles, {rejections} rejections in a row{under_way}.",
            self.state.generation(),
            cycles.iter().filter(|cycle| cycle.verdict.is_some()).count(),
        )
    }

    /// Does step after step. Calls `ship` after a network was accepted, if it is to be shipped.
    ///
    /// # Errors
    /// If a step fails or the user interrupts it. Finished steps are in the journal.
    pub fn run(&mut self, ship: fn(&mut Self, &Path)) -> Result<End, Error> {
        let ended = self.steps(ship);
        // Whatever happened, the page shows what is finished.
        let written = self.write_page(false);
        let end = match ended {
            Err(Error::Interrupted(_)) if self.supervisor.ended_by_time() => End::Time,
            ended => ended?,
        };
        written.map(|()| end)
    }

    fn steps(&mut self, ship: fn(&mut Self, &Path)) -> Result<End, Error> {
        self.retry()?;
        loop {
            self.write_page(true)?;
            self.supervisor.check()?;
            self.read_config_again();
            if let Some(tree) = self.offer() {
                ship(self, &tree);
                self.supervisor.check()?;
            }
            match self.step() {
                Step::GiveUp => return Ok(End::GaveUp(self.state.explanation())),
                Step::Rebuild => return Ok(End::Rebuild),
                Step::Begin => {
                    let cycles = self.state.cycles.len() as u64;
                    if self.config.run.cycles.is_some_and(|most| cycles >= most) {
                        return Ok(End::Cycles(cycles));
                    }
                    self.begin()?;
                }
                Step::Anchors | Step::Cycle(..) => self.do_step()?,
            }
        }
    }

    /// Takes over what has changed in the configuration, but for what the process began with. A
    /// file that is wrong, perhaps because it is being edited, changes nothing: it should not end
    /// the work of a night.
    fn read_config_again(&mut self) {
        let path = self.folder.config();
        let config = Config::read(&path).map(Config::absolute);
        let checked = config
            .and_then(|config| config.check_books().map_err(FileError::at(&path)).map(|()| config));
        match checked {
            Ok(mut config) => {
                let Run { hours, nice, threads, ship, .. } = self.config.run.clone();
                config.run = Run { hours, nice, threads, ship, ..config.run };
                if config != self.config {
                    self.config = config;
                    self.tell_changes();
                }
            }
            Err(error) => self.say(&format!("warning: {error}; what was read before holds")),
        }
    }

    /// Returns the tree that the accepted network is to be shipped to, once; `None` if it has been shipped, or has lost its match.
    fn offer(&mut self) -> Option<PathBuf> {
        let generation = self.state.generation();
        let is_known = self.state.shipped.iter().any(|(shipped, _)| *shipped == generation);
        if self.state.open().is_some() || generation <= self.offered || is_known {
            return None;
        }
        self.offered = generation;
        self.config.run.ship.clone()
    }

    fn step(&self) -> Step<'_> {
        self.state.next(self.config.anchors.every)
    }

    fn retry(&mut self) -> Result<(), Error> {
        if self.retry && self.step() == Step::GiveUp {
            return self.record(Event::Retried { cycle: self.state.cycles.len() as u64 });
        }
        Ok(())
    }

    fn begin(&mut self) -> Result<(), Error> {
        self.supervise(&|| (), |work| work.check(&self.config))?;
        self.tell_short_books()?;
        let start = Dataset::open_all(&self.config.games.start)?;
        let start = start.iter().map(|dataset| dataset.counts().kept).sum();
        let begun = self.state.next_cycle(&self.config, start);
        self.say(&format!(
            "\nCycle {}: {} new positions by generation {}, {} before, of {} cycles{}.",
            begun.cycle,
            grouped(begun.positions),
            begun.generation,
            grouped(begun.pile),
            begun.window.len() - 1,
            if self.state.doublings > 0 { " (doubled after two rejections)" } else { "" },
        ));
        self.record(Event::Begun(Box::new(begun)))
    }

    /// Says so if a gate has more games than openings.
    fn tell_short_books(&self) -> Result<(), Error> {
        let most = 2 * self.config.books(Part::Gates, 0)?.openings.len() as u64;
        if most < self.config.gates.nodes.games {
            self.say(&format!(
                "warning: the shortest book has openings for {most} games, where matches end: [gates.nodes] games = {}",
                self.config.gates.nodes.games
            ));
        }
        Ok(())
    }

    fn do_step(&mut self) -> Result<(), Error> {
        let step = self.step();
        self.say(&format!("{}:", step.title()));
        let event = self.work(&step)?;
        self.tell(&event);
        self.record(event)
    }

    /// Does the work of a step; the page shows how far it is.
    fn work(&self, step: &Step<'_>) -> Result<Event, Error> {
        // What the page cannot show now, it can show later.
        let tick = || _ = self.write_page(true);
        self.supervise(&tick, |work| match step {
            Step::Cycle(cycle, stage) => work.step(cycle, stage),
            _ => Ok(Event::Anchors(work.anchors(&self.config)?)),
        })
    }

    /// Does work under supervision.
    fn supervise<T>(
        &self,
        tick: &(dyn Fn() + Sync),
        work: impl FnOnce(&Work<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Self { folder, state, config, workers, quiet, .. } = self;
        self.supervisor.watch(tick, |stop| {
            work(&Work { folder, state, run: &config.run, workers, quiet: *quiet, stop })
        })
    }

    fn record(&mut self, event: Event) -> Result<(), Error> {
        let path = self.folder.journal();
        let number = self.state.cycles.len();
        self.state.apply(&event).map_err(|problem| Error::Event { path, number, problem })?;
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let at = since.map_or(0, |since| since.as_secs());
        self.state.note_time(&event, at);
        self.journal.add(&Entry { at, event })?;
        Ok(self.journal.sync()?)
    }

    fn write_page(&self, live: bool) -> Result<(), Error> {
        page::write(&self.folder, &self.state, &self.config, live)
    }

    /// Prints what a step found.
    fn tell(&self, event: &Event) {
        match event {
            Event::Games(games) => {
                let counts = games.counts;
                self.say(&format!(
                    "  {} games, {} kept positions",
                    grouped(counts.games),
                    grouped(counts.kept)
                ));
                games
                    .warnings
                    .iter()
                    .for_each(|warning| self.say(&format!("  warning: {warning}")));
            }
            Event::Trained(trained) => self.say(&format!("  {}", trained.evaluation.line())),
            Event::Sanity(checked) | Event::Loss(checked) => self.tell_checks(&checked.checks),
            Event::Judged(judged) => self.tell_checks(&judged.checks),
            Event::Nodes(result) | Event::Clock(result) | Event::Shipped { result, .. } => {
                self.say(&format!(
                    "  {}: {}",
                    if result.passed { "passed" } else { "FAILED" },
                    result.text()
                ));
                for book in &result.books {
                    self.say(&format!("  {}: {}", book.name(), crate::event::elo(&book.pairs)));
                }
            }
            Event::Adopted { generation, .. } => {
                self.say(&format!("  adopted as generation {generation}"))
            }
            Event::Rejected { gates, .. } => {
                self.say(&format!("  rejected by: {}", gates.join(", ")))
            }
            Event::Anchors(anchors) => self.tell_anchors(anchors),
            Event::Begun(_) | Event::Retried { .. } => {}
        }
    }

    fn tell_checks(&self, checks: &[Check]) {
        for check in checks {
            let verdict = if check.passed() { "passed" } else { "FAILED" };
            let (value, limits) = (check.text(), check.limits());
            self.say(&format!("  {verdict}: {} {value} ({limits})", check.name));
        }
    }

    fn tell_anchors(&self, anchors: &crate::event::Anchors) {
        for result in &anchors.results {
            self.say(&format!("  {}: {}", result.opponent, crate::event::elo(&result.pairs)));
        }
        if anchors.outside == 0 {
            self.say(&format!("  {}", page::NO_OPPONENTS));
        }
    }

    pub(crate) fn say(&self, line: &str) {
        if !self.quiet {
            terminal::message(line);
        }
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Returns the state.
    pub fn state(&self) -> &State {
        &self.state
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// Plays a match under supervision, and prints its result.
    pub(crate) fn play_match(
        &self,
        play: impl FnOnce(&Work<'_>) -> Result<MatchResult, Error>,
    ) -> Result<MatchResult, Error> {
        let result = self.supervise(&|| (), play)?;
        self.tell(&Event::Nodes(result.clone()));
        Ok(result)
    }

    /// Records the match before shipping, once.
    pub(crate) fn record_shipped(
        &mut self,
        generation: u64,
        result: MatchResult,
    ) -> Result<(), Error> {
        if !self.state.shipped.contains(&(generation, result.clone())) {
            self.record(Event::Shipped { generation, result })?;
        }
        self.write_page(false)
    }
}
