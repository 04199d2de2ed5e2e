//! The UCI side of a conversation with one engine process.

use std::time::{Duration, Instant};

use crate::info::Info;
use crate::process::{Exit, Line, Process};

/// Longest wait for an answer before a test gives up: far more than it should need, since a loaded machine is no
/// defect.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Beginning of a refusal.
const ERROR: &str = "info string error:";

/// A finished search.
#[derive(Debug)]
pub struct Search {
    /// Lines with a variation, in order.
    pub infos: Vec<Info>,
    /// The move to play.
    pub best_move: String,
    /// The reply to think about meanwhile.
    pub ponder: Option<String>,
    /// From `go` (or `stop`, `ponderhit`) to `bestmove`, at the pipe.
    pub elapsed: Duration,
    /// All lines as they came.
    pub lines: Vec<String>,
}

impl Search {
    /// The last line with a variation.
    ///
    /// # Panics
    /// If there is none.
    pub fn last(&self) -> &Info {
        self.infos.last().unwrap_or_else(|| panic!("no variation in {:#?}", self.lines))
    }

    /// Depth, nodes, score and variation of each line: all that must not depend on the clock.
    pub fn trace(&self) -> Vec<String> {
        let trace = |info: &Info| {
            format!("{} {} {:?} {}", info.depth, info.nodes, info.score, info.variation.join(" "))
        };
        self.infos.iter().map(trace).collect()
    }
}

/// The answer to `d`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// Position.
    pub fen: String,
    /// Hash key in hexadecimal.
    pub key: String,
    /// Squares from which check is given.
    pub checkers: Vec<String>,
}

/// The counts of `go perft`.
#[derive(Debug)]
pub struct Perft {
    /// Leaves under each legal move.
    pub moves: Vec<(String, u64)>,
    /// Leaves in all.
    pub nodes: u64,
}

/// A UCI session.
pub struct Dialogue {
    /// The process, for what the protocol has no word for.
    pub process: Process,
}

impl Dialogue {
    /// Starts the engine and waits for `uciok`.
    pub fn start() -> Self {
        Self::with(Process::start::<&str>(&[]))
    }

    /// Starts the engine as a GUI does for Chess960.
    pub fn chess960() -> Self {
        let mut dialogue = Self::start();
        dialogue.set("UCI_Chess960", "true");
        dialogue
    }

    /// Greets a process that is already running.
    pub fn with(mut process: Process) -> Self {
        process.send("uci");
        process.read_until("uciok", PATIENCE, |line| line == "uciok");
        Self { process }
    }

    /// Sends a command that is no search and returns what came before the answer to a following `isready`.
    pub fn command(&mut self, line: &str) -> Vec<String> {
        self.process.send(line);
        self.ready()
    }

    /// Sends `isready` and returns what comes before `readyok`.
    pub fn ready(&mut self) -> Vec<String> {
        self.process.send("isready");
        let mut lines =
            texts(self.process.read_until("readyok", PATIENCE, |line| line == "readyok"));
        lines.pop();
        lines
    }

    /// Sends a command that must be accepted.
    pub fn accept(&mut self, line: &str) {
        let errors: Vec<String> =
            self.command(line).into_iter().filter(|line| is_error(line)).collect();
        assert!(errors.is_empty(), "{line}: {errors:?}");
    }

    /// Sends a command that must be refused, and returns the reason. One line says it, and nothing else is said.
    pub fn refuse(&mut self, line: &str) -> String {
        let mut lines = self.command(line);
        let shown: String = line.chars().take(120).collect();
        assert!(
            lines.len() == 1 && is_error(&lines[0]),
            "`{shown}` got {lines:#?}, not one line `{ERROR} ...`"
        );
        let reason = lines.remove(0)[ERROR.len()..].trim().to_owned();
        assert!(!reason.is_empty(), "`{shown}` is refused without a reason");
        reason
    }

    /// Sets an option.
    pub fn set(&mut self, name: &str, value: &str) {
        self.accept(&format!("setoption name {name} value {value}"));
    }

    /// Starts a new game.
    pub fn new_game(&mut self) {
        self.accept("ucinewgame");
    }

    /// Sets a position: what follows the word `position`.
    pub fn position(&mut self, position: &str) {
        self.accept(&format!("position {position}"));
    }

    /// Sets a position by FEN.
    pub fn fen(&mut self, fen: &str) {
        self.position(&format!("fen {fen}"));
    }

    /// Starts a search and returns when.
    pub fn begin(&mut self, limits: &str) -> Instant {
        self.process.send(format!("go {limits}").trim_end())
    }

    /// Reads a search to its end; `since` is when its clock began.
    pub fn finish_search(&mut self, since: Instant) -> Search {
        let lines =
            self.process.read_until("bestmove", PATIENCE, |line| line.starts_with("bestmove"));
        let elapsed =
            lines.last().map_or(Duration::ZERO, |line| line.at.saturating_duration_since(since));
        let lines = texts(lines);
        let words: Vec<&str> = lines[lines.len() - 1].split_whitespace().collect();
        let (best_move, ponder) = match words[..] {
            ["bestmove", best] => (best.to_owned(), None),
            ["bestmove", best, "ponder", reply] => (best.to_owned(), Some(reply.to_owned())),
            _ => panic!("malformed: {words:?}"),
        };
        let parse = |line: &String| Info::parse(line).unwrap_or_else(|error| panic!("{error}"));
        let infos =
            lines.iter().filter(|line| line.starts_with("info")).filter_map(parse).collect();
        Search { infos, best_move, ponder, elapsed, lines }
    }

    /// Searches until the engine ends by itself.
    pub fn go(&mut self, limits: &str) -> Search {
        let since = self.begin(limits);
        self.finish_search(since)
    }

    /// Stops the search; the time counts from `stop`.
    pub fn stop(&mut self) -> Search {
        let since = self.process.send("stop");
        self.finish_search(since)
    }

    /// The position as `d` shows it.
    pub fn board(&mut self) -> Board {
        let lines = self.command("d");
        let field = |name: &str| {
            let line = lines.iter().find_map(|line| line.strip_prefix(name));
            line.unwrap_or_else(|| panic!("no {name} in {lines:#?}")).trim().to_owned()
        };
        let checkers = field("Checkers:").split_whitespace().map(str::to_owned).collect();
        Board { fen: field("Fen:"), key: field("Key:"), checkers }
    }

    /// Counts the leaves of the legal tree.
    pub fn perft(&mut self, depth: u32) -> Perft {
        self.process.send(&format!("go perft {depth}"));
        let last = |line: &str| line.starts_with("Nodes searched:");
        let mut lines = texts(self.process.read_until("Nodes searched", PATIENCE, last));
        let nodes =
            lines.pop().and_then(|line| line.rsplit(' ').next().and_then(|word| word.parse().ok()));
        Perft { moves: divide(&lines), nodes: nodes.expect("a number after `Nodes searched:`") }
    }

    /// The legal moves.
    pub fn legal_moves(&mut self) -> Vec<String> {
        self.perft(1).moves.into_iter().map(|(name, _)| name).collect()
    }

    /// Says `quit` and asserts an orderly end.
    pub fn quit(mut self) {
        self.process.send("quit");
        self.process.finish(PATIENCE).assert_clean();
    }

    /// Ends the input and waits for the process.
    pub fn hang_up(mut self, limit: Duration) -> Exit {
        self.process.close_input();
        self.process.finish(limit)
    }
}

/// Returns whether a line is a refusal.
pub fn is_error(line: &str) -> bool {
    line.starts_with(ERROR)
}

/// The lines `e2e4: 20` among others.
pub fn divide(lines: &[String]) -> Vec<(String, u64)> {
    let entry = |line: &String| {
        let (name, count) = line.split_once(": ")?;
        let is_move = (4..=5).contains(&name.len()) && name.is_ascii() && !name.contains(' ');
        is_move.then_some(())?;
        Some((name.to_owned(), count.trim().parse().ok()?))
    };
    lines.iter().filter_map(entry).collect()
}

fn texts(lines: Vec<Line>) -> Vec<String> {
    lines.into_iter().map(|line| line.text).collect()
}
