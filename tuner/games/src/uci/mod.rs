//! Any UCI engine as a player, over pipes.

mod info;
mod options;
mod process;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use nullarbor::clock::Limits;
use nullarbor::types::Colour;
use std::fmt::Write;
use std::sync::Arc;
use thiserror::Error;

use super::player::{Fault, GameLine, NoThought, Player, Thought};
use crate::work::Stop;
use info::Info;
use options::Options;
use process::{Line, Process, Silence, is_best_move};

/// How to start an engine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// The program: a path, or a name to be looked for where the system looks.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// The folder in which it runs; this process's own if left out.
    pub folder: Option<PathBuf>,
    /// Options by name.
    pub options: Vec<(String, String)>,
}

/// Why an engine cannot play. It is never the fault of one game, so the match must end.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum StartError {
    #[error("{program} cannot be started: {source}", program = program.display())]
    Spawn { program: PathBuf, source: std::io::Error },
    #[error("{program} did not answer `{asked}` within {seconds} s{errors}", program = program.display())]
    Silent { program: PathBuf, asked: &'static str, seconds: u64, errors: String },
    #[error("{program} ended before it answered `{asked}`{errors}", program = program.display())]
    Ended { program: PathBuf, asked: &'static str, errors: String },
    #[error("{program}: {source}", program = program.display())]
    Option { program: PathBuf, source: OptionError },
    #[error("interrupted")]
    Aborted,
}

pub use options::OptionError;

/// How long an engine may take to say `uciok`.
const START: Duration = Duration::from_secs(10);
/// How long it may take to say `readyok`: clearing a table of many gigabytes takes a while.
const READY: Duration = Duration::from_secs(60);
/// How long after the end of its time an engine is waited for.
const GRACE: Duration = Duration::from_millis(100);
/// How long it may then take to answer `stop`.
const AFTER_STOP: Duration = Duration::from_secs(1);

/// An engine that runs.
pub struct UciPlayer {
    process: Process,
    stop: Arc<Stop>,
    /// The longest wait for a move where no clock runs.
    patience: Duration,
    go: String,
}

impl UciPlayer {
    /// Starts an engine, sets its options, and waits until it is ready.
    ///
    /// # Errors
    /// Where one of these fails.
    pub fn start(
        command: &Command,
        chess960: bool,
        patience: Duration,
        stop: &Arc<Stop>,
    ) -> Result<Self, StartError> {
        let program = &command.program;
        let process = Process::spawn(command)
            .map_err(|source| StartError::Spawn { program: program.clone(), source })?;
        let mut player = Self { process, stop: Arc::clone(stop), patience, go: String::new() };
        let asked = "uci";
        let mut options = Options::default();
        let answer = player.ask(asked, "uciok", START, |line| options.note(line));
        answer.map_err(|silence| player.start_error(command, asked, START, silence))?;
        let settings = options
            .settings(&command.options, chess960)
            .map_err(|source| StartError::Option { program: program.clone(), source })?;
        for setting in settings {
            // If it is gone, the next question will tell.
            let _ = player.process.send(&setting);
        }
        let asked = "isready";
        let answer = player.ask(asked, "readyok", READY, |_| {});
        answer.map_err(|silence| player.start_error(command, asked, READY, silence))?;
        Ok(player)
    }

    fn start_error(
        &self,
        command: &Command,
        asked: &'static str,
        wait: Duration,
        silence: Silence,
    ) -> StartError {
        let program = command.program.clone();
        let errors = match self.process.last_error() {
            last if last.is_empty() => String::new(),
            last => format!("; its last words were: {last}"),
        };
        match silence {
            Silence::Closed => StartError::Ended { program, asked, errors },
            Silence::TimedOut => {
                StartError::Silent { program, asked, seconds: wait.as_secs(), errors }
            }
            Silence::Aborted => StartError::Aborted,
        }
    }

    /// Sends a question and waits for the answer; what comes before it is shown to `note`.
    fn ask(
        &mut self,
        question: &str,
        answer: &str,
        wait: Duration,
        mut note: impl FnMut(&str),
    ) -> Result<(), Silence> {
        let deadline = Instant::now() + wait;
        self.process.send(question).map_err(|_| Silence::Closed)?;
        loop {
            let line = self.process.receive(deadline, &self.stop)?;
            if line.text.trim() == answer {
                return Ok(());
            }
            if line.at >= deadline {
                return Err(Silence::TimedOut);
            }
            note(&line.text);
        }
    }

    /// Waits for the end of a search that began at `since`; an earlier one's is none of ours.
    fn best_move(&mut self, since: Instant, deadline: Instant) -> Result<Line, Silence> {
        loop {
            let line = self.process.receive(deadline, &self.stop)?;
            if is_best_move(&line.text) && line.at >= since {
                return Ok(line);
            }
            // An engine that talks and talks keeps nobody waiting for longer.
            if line.at >= deadline {
                return Err(Silence::TimedOut);
            }
        }
    }

    /// An engine whose time is over gets one more chance: a late answer is a loss, but one that it survives.
    fn last_chance(&mut self, since: Instant) -> NoThought {
        let asked = self.process.send("stop").map_err(|_| Silence::Closed);
        match asked.and_then(|()| self.best_move(since, Instant::now() + AFTER_STOP)) {
            Ok(_) => Fault::Late.into(),
            Err(silence) => silence.into(),
        }
    }
}

impl Player for UciPlayer {
    fn new_game(&mut self) -> Result<(), NoThought> {
        self.process.send("ucinewgame").map_err(|_| Fault::Crash)?;
        Ok(self.ask("isready", "readyok", READY, |_| {})?)
    }

    fn think(
        &mut self,
        line: &GameLine,
        limits: &Limits,
        allowance: Option<Duration>,
    ) -> Result<Thought, NoThought> {
        self.go.clear();
        self.go.push_str(&line.command);
        self.go.push('\n');
        write_go(&mut self.go, limits);
        let sent = Instant::now();
        self.process.send(&self.go).map_err(|_| Fault::Crash)?;
        let deadline = sent + allowance.map_or(self.patience, |allowance| allowance + GRACE);
        let answer = match self.best_move(sent, deadline) {
            Ok(answer) => answer,
            Err(Silence::TimedOut) if allowance.is_some() => return Err(self.last_chance(sent)),
            Err(silence) => return Err(silence.into()),
        };
        let text = answer.text.split_whitespace().nth(1).unwrap_or("");
        let mv = line.position.parse_uci(text).map_err(|_| {
            Fault::IllegalMove(text.chars().filter(|c| !c.is_control()).take(16).collect())
        })?;
        let info = answer.info.filter(|(at, _)| *at >= sent);
        let info = info.map_or_else(Info::default, |(_, line)| Info::read(&line));
        Ok(Thought {
            mv,
            elapsed: answer.at.saturating_duration_since(sent),
            score: info.score,
            depth: info.depth,
            selective_depth: info.selective_depth,
            nodes: info.nodes,
        })
    }
}

impl From<Silence> for NoThought {
    fn from(silence: Silence) -> Self {
        match silence {
            Silence::Closed => Fault::Crash.into(),
            Silence::TimedOut => Fault::Stall.into(),
            Silence::Aborted => Self::Aborted,
        }
    }
}

/// The command `go`. Clocks are told in whole milliseconds, rounded down but never to nothing.
fn write_go(go: &mut String, limits: &Limits) {
    go.push_str("go");
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

#[cfg(test)]
mod tests {
    use super::*;
    use nullarbor::types::{ByColour, Depth};

    #[test]
    fn limits_become_the_words_of_the_protocol() {
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
            let mut go = String::new();
            write_go(&mut go, &limits);
            assert_eq!(go, expected);
        }
    }
}
