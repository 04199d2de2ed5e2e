//! UCI engines as players, over pipes.

pub mod compliance;
mod info;
mod input;
pub mod log;
mod options;
mod process;
mod pv;
mod tunable;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use nullarbor::clock::{Limits, time_of};
use nullarbor::types::{Colour, Move};
use std::fmt::Write;
use std::sync::Arc;
use thiserror::Error;

use super::clock::Overstepped;
use super::diagnostics::FaultReport;
use super::player::{Fault, GameLine, MoveInfo, NoMove, Player};
use info::Info;
use input::RecvError;
use log::ProcessLog;
use nullarbor_runs::{Interrupted, Revision, Stop};
use options::Options;
use process::{Line, Process, is_best_move};

/// The command that starts an engine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// The program: a path, or a name that the system looks up.
    pub program: PathBuf,
    /// Arguments of the program.
    pub args: Vec<String>,
    /// Working directory; `None` is that of this process.
    pub folder: Option<PathBuf>,
    /// Options by name.
    pub options: Vec<(String, String)>,
    /// Whether it thinks on its opponent's time.
    pub ponder: bool,
    /// The commit that the program was built from, by which other machines build theirs.
    pub revision: Option<Revision>,
}

/// Why an engine cannot be started. It has nothing to do with a game, so it ends the match.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum StartError {
    #[error("{program} cannot be started: {source}", program = program.display())]
    Spawn { program: PathBuf, source: std::io::Error },
    #[error("{program} did not answer `{asked}` within {seconds} s{errors}", program = program.display())]
    Silent { program: PathBuf, asked: &'static str, seconds: u64, errors: String },
    #[error("{program} ended{status} before it answered `{asked}`{errors}", program = program.display())]
    Ended { program: PathBuf, status: String, asked: &'static str, errors: String },
    #[error("{program}: {source}", program = program.display())]
    Option { program: PathBuf, source: OptionError },
    #[error("interrupted")]
    Interrupted(#[from] Interrupted),
}

pub use options::OptionError;
pub use tunable::{Declared, Tunable};

/// Time for an engine to answer `uciok`.
const UCI_TIMEOUT: Duration = Duration::from_secs(10);
/// Time after its allowance that an engine is waited for.
const GRACE: Duration = Duration::from_millis(100);
/// Time to answer `stop` after that.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// A running UCI engine.
pub struct UciPlayer {
    process: Process,
    stop: Arc<Stop>,
    /// Time for a move where no clock runs, and to answer `readyok`: clearing a table of many gigabytes takes a while.
    timeout: Duration,
    /// The last `position` and `go`, line by line; empty before the first search of a game.
    go: String,
    ponders: bool,
    /// The move that it expects, until it ponders on it.
    expected: Option<Move>,
    pondering: Option<Pondering>,
}

/// A search on the opponent's time, until `ponderhit`, or the `bestmove` after `stop`.
struct Pondering {
    /// The `position` command after the expected move.
    position: String,
    since: Instant,
}

impl UciPlayer {
    /// Starts an engine, sets its options, and waits until it is ready.
    ///
    /// # Errors
    /// If any of these fails.
    pub fn start(
        command: &Command,
        chess960: bool,
        timeout: Duration,
        stop: &Arc<Stop>,
        log: Option<ProcessLog>,
    ) -> Result<Self, StartError> {
        let program = &command.program;
        let process = Process::spawn(command, log)
            .map_err(|source| StartError::Spawn { program: program.clone(), source })?;
        let mut player = Self::of(process, Arc::clone(stop), timeout);
        player.ponders = command.ponder;
        let asked = "uci";
        let mut options = Options::default();
        let answer = player.ask(asked, "uciok", UCI_TIMEOUT, |line| options.note(line));
        answer.map_err(|error| player.start_error(command, asked, UCI_TIMEOUT, error))?;
        let settings = options
            .settings(&command.options, command.ponder, chess960)
            .map_err(|source| StartError::Option { program: program.clone(), source })?;
        for setting in settings {
            // If the engine has ended, the next command fails.
            let _ = player.process.send(&setting);
        }
        let asked = "isready";
        let answer = player.ask(asked, "readyok", timeout, |_| {});
        answer.map_err(|error| player.start_error(command, asked, timeout, error))?;
        Ok(player)
    }

    /// Makes a player of a process that was not asked anything yet.
    fn of(process: Process, stop: Arc<Stop>, timeout: Duration) -> Self {
        let go = String::new();
        Self { process, stop, timeout, go, ponders: false, expected: None, pondering: None }
    }

    fn start_error(
        &mut self,
        command: &Command,
        asked: &'static str,
        wait: Duration,
        error: RecvError,
    ) -> StartError {
        let program = command.program.clone();
        let errors = match self.process.final_error() {
            last if last.is_empty() => String::new(),
            last => format!("; its last line on stderr: {last}"),
        };
        match error {
            RecvError::Closed => {
                let status = self.process.exit_status();
                let status = status.map_or_else(String::new, |status| format!(" ({status})"));
                StartError::Ended { program, status, asked, errors }
            }
            RecvError::TimedOut => {
                StartError::Silent { program, asked, seconds: wait.as_secs(), errors }
            }
            RecvError::Aborted => Interrupted.into(),
        }
    }

    /// Sends a command and waits for its answer; `note` gets the lines before it.
    fn ask(
        &mut self,
        question: &str,
        answer: &str,
        wait: Duration,
        mut note: impl FnMut(&str),
    ) -> Result<(), RecvError> {
        let deadline = Instant::now() + wait;
        self.process.send(question)?;
        loop {
            let line = self.process.receive(deadline, &self.stop)?;
            if line.text.trim() == answer {
                return Ok(());
            }
            if line.at >= deadline {
                return Err(RecvError::TimedOut);
            }
            note(&line.text);
        }
    }

    /// Waits for the `bestmove` of a search that began at `since`; an earlier search's is skipped.
    fn best_move(&mut self, since: Instant, deadline: Instant) -> Result<Line, RecvError> {
        loop {
            let line = self.process.receive(deadline, &self.stop)?;
            if is_best_move(&line.text) && line.at >= since {
                return Ok(line);
            }
            // An engine that never stops sending lines must time out, too.
            if line.at >= deadline {
                return Err(RecvError::TimedOut);
            }
        }
    }

    /// Stops an engine that exceeded its time. If it answers, it loses the game but need not be restarted.
    fn stop_late_search(&mut self, since: Instant, begun: Instant, allowed: Duration) -> NoMove {
        let asked = self.process.send("stop");
        match asked.and_then(|()| self.best_move(since, Instant::now() + STOP_TIMEOUT)) {
            Ok(answer) => {
                let used = answer.at.saturating_duration_since(begun);
                NoMove::late(Overstepped { used, allowed }, self.report())
            }
            Err(error) => self.failure(error),
        }
    }

    /// Stops pondering, and waits for the `bestmove` of it, which is no move of the game.
    fn stop_pondering(&mut self) -> Result<(), RecvError> {
        if let Some(Pondering { since, .. }) = self.pondering {
            self.process.send("stop")?;
            self.best_move(since, Instant::now() + STOP_TIMEOUT)?;
            self.pondering = None;
        }
        Ok(())
    }

    /// Begins the search of a move whose time runs since `begun`, or goes on with that on the opponent's time if this is the
    /// position that it expected. Returns when the search began.
    fn begin_search(
        &mut self,
        line: &GameLine,
        limits: &Limits,
        begun: Instant,
    ) -> Result<Instant, RecvError> {
        let hit = self.pondering.take_if(|pondering| pondering.position == line.command);
        if let Some(Pondering { since, .. }) = hit {
            self.process.send("ponderhit")?;
            // A program may even have answered: the rule is one `bestmove` for one `go`.
            return Ok(since);
        }
        let mut limits = limits.clone();
        if self.pondering.is_some() {
            self.stop_pondering()?;
            // Its clock has been running.
            let waited = begun.elapsed();
            let mover = line.game.position().side_to_move();
            for time in [&mut limits.time[mover], &mut limits.move_time].into_iter().flatten() {
                *time = time.saturating_sub(waited);
            }
        }
        let since = Instant::now();
        self.go(line, "go", &limits)?;
        Ok(since)
    }

    /// Sends `position` and `go`.
    fn go(&mut self, line: &GameLine, go: &str, limits: &Limits) -> Result<(), RecvError> {
        self.go.clear();
        self.go.push_str(&line.command);
        self.go.push('\n');
        self.go.push_str(go);
        write_limits(&mut self.go, limits);
        self.process.send(&self.go)
    }

    /// Returns the fault that an answer which does not come means.
    fn failure(&mut self, error: RecvError) -> NoMove {
        match error {
            RecvError::Aborted => NoMove::Aborted,
            RecvError::TimedOut => NoMove::Fault(Fault::Stall, Some(Box::new(self.report()))),
            RecvError::Closed => {
                // A status that is not known tells nothing: the process may have closed its output and run on.
                let status = self.process.exit_status().map(|status| status.to_string());
                // What it said last may still be in the pipe.
                self.process.final_error();
                let report = FaultReport { status, ..self.report() };
                NoMove::Fault(Fault::Crash, Some(Box::new(report)))
            }
        }
    }
}

/// Returns what an engine said, without what would command a terminal, and not at any length.
fn shown(text: &str) -> String {
    const LONGEST: usize = 500;
    text.chars().filter(|letter| !letter.is_control()).take(LONGEST).collect()
}

impl Player for UciPlayer {
    fn new_game(&mut self) -> Result<(), NoMove> {
        self.expected = None;
        let stopped = self.stop_pondering();
        self.go.clear();
        let sent = stopped.and_then(|()| self.process.send("ucinewgame"));
        let ready = sent.and_then(|()| self.ask("isready", "readyok", self.timeout, |_| {}));
        ready.map_err(|error| self.failure(error))
    }

    fn think(
        &mut self,
        line: &GameLine,
        limits: &Limits,
        allowance: Option<Duration>,
    ) -> Result<MoveInfo, NoMove> {
        let begun = Instant::now();
        let since = self.begin_search(line, limits, begun).map_err(|error| self.failure(error))?;
        // A clock of nodes says nothing about real time.
        let allowance = allowance.filter(|_| limits.nodestime.is_none());
        let deadline = begun + allowance.map_or(self.timeout, |allowance| allowance + GRACE);
        let answer = match (self.best_move(since, deadline), allowance) {
            (Ok(answer), _) => answer,
            (Err(RecvError::TimedOut), Some(allowed)) => {
                return Err(self.stop_late_search(since, begun, allowed));
            }
            (Err(error), _) => return Err(self.failure(error)),
        };
        let text = answer.text.split_whitespace().nth(1).unwrap_or("");
        let mv = line.game.position().parse_uci(text).map_err(|_| {
            let text = text.chars().filter(|c| !c.is_control()).take(16).collect();
            NoMove::Fault(Fault::IllegalMove(text), Some(Box::new(self.report())))
        })?;
        if self.ponders {
            self.expected = pv::ponder_move(&line.game.position().make(mv), &answer.text);
        }
        let infos = answer.infos.iter().skip_while(|(at, _)| *at < since).map(|(_, line)| &**line);
        let info = infos.clone().filter(|line| info::has_score(line)).last();
        let info = info.map_or_else(Info::default, Info::read);
        Ok(MoveInfo {
            mv,
            elapsed: match limits.nodestime {
                Some(rate) => time_of(info.nodes, rate),
                None => answer.at.saturating_duration_since(begun),
            },
            score: info.score,
            depth: info.depth,
            selective_depth: info.selective_depth,
            nodes: info.nodes,
            details: info.details,
            pv_warnings: pv::check(line, infos, &answer.text, mv),
        })
    }

    fn report(&self) -> FaultReport {
        let text = |text: &str| (!text.is_empty()).then(|| shown(text));
        let mut sent = self.go.lines();
        FaultReport {
            stderr: text(&self.process.last_error()),
            position: sent.next().map(str::to_owned),
            go: sent.next().map(str::to_owned),
            ..FaultReport::default()
        }
    }

    fn ponder(&mut self, line: &GameLine, limits: &Limits) {
        let Some(expected) = self.expected.take() else { return };
        let mut line = line.clone();
        line.play(expected);
        if line.game.ending().is_some() {
            return;
        }
        let since = Instant::now();
        // If it has ended, its next move fails.
        let _ = self.go(&line, "go ponder", limits);
        self.pondering = Some(Pondering { position: line.command, since });
    }

    fn end_game(&mut self) {
        // One that does not stop fails in the next game.
        let _ = self.stop_pondering();
    }
}

/// Writes what a `go` command limits. Times are in whole milliseconds, rounded down but never to 0.
fn write_limits(go: &mut String, limits: &Limits) {
    let mut add = |name: &str, value: u128| {
        let _ = write!(go, " {name} {value}");
    };
    for (colour, time, increment) in
        [(Colour::White, "wtime", "winc"), (Colour::Black, "btime", "binc")]
    {
        if let Some(left) = limits.time[colour] {
            add(time, left.as_millis().max(1));
            if !limits.increment[colour].is_zero() {
                add(increment, limits.increment[colour].as_millis());
            }
        }
    }
    limits.moves_to_go.iter().for_each(|&moves| add("movestogo", moves.into()));
    limits.move_time.iter().for_each(|time| add("movetime", time.as_millis().max(1)));
    limits.nodes.iter().for_each(|&nodes| add("nodes", nodes.into()));
    limits.depth.iter().for_each(|depth| add("depth", depth.0.unsigned_abs().into()));
}

#[cfg(all(test, unix))]
mod pondering_tests;

#[cfg(test)]
mod tests {
    use super::*;
    use nullarbor::types::{ByColour, Depth};

    #[test]
    fn limits_become_go_commands() {
        let clocks = Limits {
            time: ByColour([Some(Duration::from_micros(900)), Some(Duration::from_secs(3))]),
            increment: ByColour([Duration::ZERO, Duration::from_millis(30)]),
            moves_to_go: Some(7),
            ..Limits::default()
        };
        let nodes = Limits { nodes: Some(5000), ..Limits::default() };
        let depth = Limits { depth: Some(Depth(9)), ..Limits::default() };
        let time = Limits { move_time: Some(Duration::from_millis(250)), ..Limits::default() };
        for (limits, expected) in [
            (clocks, "go wtime 1 btime 3000 binc 30 movestogo 7"),
            (nodes, "go nodes 5000"),
            (depth, "go depth 9"),
            (time, "go movetime 250"),
        ] {
            let mut go = "go".to_owned();
            write_limits(&mut go, &limits);
            assert_eq!(go, expected);
        }
    }
}
