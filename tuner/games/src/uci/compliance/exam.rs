//! The conversation with an engine that is checked.

use std::sync::Arc;
use std::time::{Duration, Instant};

use nullarbor::board::{Game, Position};
use nullarbor::types::Move;
use nullarbor_openings::{Opening, Origin};

use super::super::input::RecvError;
use super::super::log::TrafficLog;
use super::super::process::{Line, Process, is_best_move};
use super::super::{Command, UCI_TIMEOUT, shown};
use crate::player::GameLine;
use nullarbor_runs::Stop;

/// Why a check did not pass.
#[derive(Debug, PartialEq, Eq)]
pub enum Trouble {
    Failed(String),
    Warned(String),
    Skipped(String),
    Interrupted,
}

/// Returns a failure with this text.
pub fn failed(text: impl Into<String>) -> Trouble {
    Trouble::Failed(text.into())
}

/// A search that was answered.
pub struct Searched {
    /// The game.
    pub line: GameLine,
    /// The last `info` lines with a score or a variation.
    pub infos: Vec<String>,
    /// The line with `bestmove`.
    pub answer: String,
    /// The move, which is legal.
    pub best: Move,
    /// Time that the answer took.
    pub elapsed: Duration,
}

/// An engine that is checked. One that has ended is started again for the next check.
pub struct Exam<'a> {
    command: &'a Command,
    /// Time for an answer where no clock runs.
    pub timeout: Duration,
    stop: &'a Arc<Stop>,
    log: Option<&'a Arc<TrafficLog>>,
    process: Option<Process>,
    could_not_start: bool,
    /// The answer to `uci`, line by line.
    pub declared: Vec<String>,
    /// The searches so far.
    pub searches: Vec<Searched>,
}

impl<'a> Exam<'a> {
    pub fn new(
        command: &'a Command,
        timeout: Duration,
        stop: &'a Arc<Stop>,
        log: Option<&'a Arc<TrafficLog>>,
    ) -> Self {
        let (declared, searches) = (Vec::new(), Vec::new());
        let (process, could_not_start) = (None, false);
        Self { command, timeout, stop, log, process, could_not_start, declared, searches }
    }

    /// Returns the name that the engine gives itself.
    pub fn name(&self) -> String {
        let name = self.declared.iter().find_map(|line| line.trim().strip_prefix("id name "));
        name.map_or_else(String::new, |name| shown(name.trim()))
    }

    /// Returns whether the engine has never answered `uci`.
    pub fn cannot_start(&self) -> bool {
        self.could_not_start
    }

    /// Returns whether the engine declares an option.
    pub fn has_option(&self, name: &str) -> bool {
        let start = format!("option name {name} type ").to_ascii_lowercase();
        self.declared.iter().any(|line| line.trim().to_ascii_lowercase().starts_with(&start))
    }

    /// Starts the engine.
    pub fn start(&mut self) -> Result<(), Trouble> {
        let log = self.log.map(|log| log.of_process("engine"));
        let process = Process::spawn(self.command, log).map_err(|error| {
            self.could_not_start = true;
            failed(format!("{} cannot be started: {error}", self.command.program.display()))
        })?;
        self.process = Some(process);
        let answer = self.ask_within("uci", "uciok", UCI_TIMEOUT);
        self.could_not_start = answer.is_err() && self.declared.is_empty();
        self.declared = answer?;
        Ok(())
    }

    /// Starts the engine if it does not run.
    pub fn ensure(&mut self) -> Result<(), Trouble> {
        if self.process.is_some() { Ok(()) } else { self.start() }
    }

    /// Sends a line.
    pub fn send(&mut self, line: &str) -> Result<(), Trouble> {
        self.ensure()?;
        let sent = self.process.as_mut().map_or(Err(RecvError::Closed), |it| it.send(line));
        sent.map_err(|error| self.trouble(error, line, Duration::from_secs(1)))
    }

    /// Sends a line and returns the lines before its answer.
    pub fn ask(&mut self, line: &str, answer: &str) -> Result<Vec<String>, Trouble> {
        self.ask_within(line, answer, self.timeout)
    }

    fn ask_within(
        &mut self,
        line: &str,
        answer: &str,
        wait: Duration,
    ) -> Result<Vec<String>, Trouble> {
        self.send(line)?;
        let deadline = Instant::now() + wait;
        let mut before = Vec::new();
        loop {
            let received = self.receive(deadline);
            let received = received.map_err(|error| self.trouble(error, line, wait))?;
            if received.text.trim() == answer {
                return Ok(before);
            }
            if received.at >= deadline {
                return Err(self.trouble(RecvError::TimedOut, line, wait));
            }
            before.push(received.text);
        }
    }

    /// Asks `isready` and returns the lines before its answer.
    pub fn ready(&mut self) -> Result<Vec<String>, Trouble> {
        self.ask("isready", "readyok")
    }

    fn receive(&self, deadline: Instant) -> Result<Line, RecvError> {
        let process = self.process.as_ref().ok_or(RecvError::Closed)?;
        process.receive(deadline, self.stop)
    }

    /// Waits for `bestmove`.
    pub fn best_move(&mut self, go: &str, wait: Duration) -> Result<Line, Trouble> {
        let deadline = Instant::now() + wait;
        loop {
            let line = self.receive(deadline).map_err(|error| self.trouble(error, go, wait))?;
            if is_best_move(&line.text) {
                return Ok(line);
            }
            if line.at >= deadline {
                return Err(self.trouble(RecvError::TimedOut, go, wait));
            }
        }
    }

    /// Fails if the engine sends `bestmove` meanwhile.
    pub fn wait_without_move(&mut self, go: &str, wait: Duration) -> Result<(), Trouble> {
        let deadline = Instant::now() + wait;
        loop {
            match self.receive(deadline) {
                Ok(line) if is_best_move(&line.text) => {
                    return Err(failed(format!("it sent `{}` during `{go}`", shown(&line.text))));
                }
                Ok(line) if line.at < deadline => {}
                Ok(_) | Err(RecvError::TimedOut) => return Ok(()),
                Err(error) => return Err(self.trouble(error, go, wait)),
            }
        }
    }

    /// Sets up a position: a FEN, or the start position, and moves of UCI.
    pub fn position(&mut self, fen: Option<&str>, moves: &[&str]) -> Result<GameLine, Trouble> {
        let line = game(fen, moves);
        let command = match fen {
            Some(_) => line.command.clone(),
            None if moves.is_empty() => "position startpos".to_owned(),
            None => format!("position startpos moves {}", moves.join(" ")),
        };
        self.send(&command)?;
        Ok(line)
    }

    /// Lets the engine search, and returns its answer, a legal move.
    pub fn search(
        &mut self,
        fen: Option<&str>,
        moves: &[&str],
        go: &str,
    ) -> Result<&Searched, Trouble> {
        let line = self.position(fen, moves)?;
        let sent = Instant::now();
        self.send(go)?;
        let answer = self.best_move(go, self.timeout)?;
        let elapsed = answer.at.saturating_duration_since(sent);
        self.note(line, answer, elapsed)
    }

    /// Keeps a search for the check of `info` lines.
    pub fn note(
        &mut self,
        line: GameLine,
        answer: Line,
        elapsed: Duration,
    ) -> Result<&Searched, Trouble> {
        let text = answer.text.split_whitespace().nth(1).unwrap_or("");
        let legal = line.game.position().parse_uci(text);
        let best = legal.map_err(|_| {
            failed(format!("`{}` is no legal move after `{}`", shown(&answer.text), line.command))
        })?;
        let infos = answer.infos.into_iter().map(|(_, info)| info).collect();
        self.searches.push(Searched { line, infos, answer: answer.text, best, elapsed });
        self.searches.last().ok_or_else(|| failed("no search"))
    }

    /// Ends the input if `closes`, and waits for the end of the process.
    pub fn wait_for_end(&mut self, after: &str, closes: bool) -> Result<(), Trouble> {
        let Some(mut process) = self.process.take() else { return Ok(()) };
        if closes {
            process.close_input();
        }
        let status = process.exit_within(self.timeout);
        let seconds = self.timeout.as_secs();
        let status = status.ok_or_else(|| {
            failed(format!("it still runs {seconds} s after {after}, and was killed"))
        })?;
        if status.success() {
            Ok(())
        } else {
            Err(Trouble::Warned(format!("it ended with {status} after {after}")))
        }
    }

    /// Explains why a line was not answered. The engine is started again for the next check.
    fn trouble(&mut self, error: RecvError, line: &str, wait: Duration) -> Trouble {
        let Some(mut process) = self.process.take() else {
            return failed(format!("it does not run, so `{line}` was not answered"));
        };
        match error {
            RecvError::Aborted => Trouble::Interrupted,
            RecvError::TimedOut => {
                failed(format!("no answer to `{line}` within {} s", wait.as_secs_f64()))
            }
            RecvError::Closed => {
                let status = process.exit_status();
                let status = status.map_or_else(String::new, |status| format!(" ({status})"));
                let last = process.final_error();
                let last = match shown(&last) {
                    text if text.is_empty() => text,
                    text => format!("; its last line on stderr: {text}"),
                };
                failed(format!("it ended at `{line}`{status}{last}"))
            }
        }
    }
}

/// Returns a game; the positions and moves are those of this module.
fn game(fen: Option<&str>, moves: &[&str]) -> GameLine {
    let start = fen.and_then(|fen| Position::from_fen(fen).ok()).unwrap_or_else(Position::start);
    let mut game = Game::new(start.clone());
    let mut made = Vec::new();
    for text in moves {
        if let Ok(mv) = game.position().parse_uci(text) {
            game.play(mv);
            made.push(mv);
        }
    }
    GameLine::new(&Opening { start, moves: made, origin: Origin::default() }, false)
}
