//! The Universal Chess Interface (UCI): lines in, lines out. Bad input is answered by one line and
//! changes nothing. Every `go` is answered by one `bestmove`, whatever is wrong with it.

mod command;
mod go;
mod input;
mod options;
mod print;

use std::io;
use std::num::NonZero;
use std::sync::Arc;
use std::time::Instant;

use thiserror::Error;

use crate::bench::{self, Completion};
use crate::board::{FenError, Game, MoveError, Position, divide};
use crate::clock::Limits;
use crate::commands;
use crate::engine::{Engine, EngineError, NoLegalMoves};
use crate::types::Move;
pub use command::{Command, CommandError};
pub use go::{Go, GoFault};
use input::{Interrupts, Line, MAX_LINE};
use options::{OptionError, Style, Target};
use print::{Printer, complain, say};

/// Name and version of the engine, as `id name` gives them.
pub const NAME: &str = concat!("Nullarbor ", env!("CARGO_PKG_VERSION"));

/// What the commands beyond the protocol do, and a reminder of the protocol's.
const HELP: &str = "\
Nullarbor speaks UCI (Universal Chess Interface). Commands of the protocol:
  uci, isready, ucinewgame, setoption name NAME [value VALUE], quit
  position startpos|fen FEN [moves MOVE...]
  go [depth N] [nodes N] [movetime MS] [wtime MS] [btime MS] [winc MS] [binc MS]
     [movestogo N] [mate N] [infinite] [ponder] [searchmoves MOVE...]
  stop, ponderhit
Commands of this engine:
  d             show the position
  eval          show the static evaluation
  perft DEPTH   count the leaves of the tree of legal moves
  bench [DEPTH] search a fixed set of positions
  help          show this text";

/// Why a line was refused.
#[derive(Debug, Error)]
enum Refusal {
    #[error(transparent)]
    Command(#[from] CommandError),
    #[error("position: {0}")]
    Fen(#[from] FenError),
    #[error("{command}: {source}")]
    Move { command: &'static str, source: MoveError },
    #[error("setoption: {0}")]
    Option(#[from] OptionError),
    #[error("bench: {0}")]
    Bench(#[from] EngineError),
    #[error("a search is running; send `stop` first")]
    Busy,
    #[error("{0}: stopped before its end")]
    Interrupted(&'static str),
    #[error("a line of more than {MAX_LINE} bytes was skipped")]
    TooLong,
}

/// Why a `go` has no move to play.
#[derive(Debug, Error)]
enum NothingToSearch {
    #[error("go: the last `position` was refused, so there is nothing to search")]
    PositionRefused,
    #[error("go searchmoves: none of the moves is legal")]
    OnlyIllegalMoves,
    #[error("go: there is no legal move")]
    GameOver,
}

/// Answers the commands on standard input until `quit` or the end of the input.
///
/// # Errors
/// If the system gives no thread that reads them.
pub fn run(engine: Engine) -> io::Result<()> {
    let interrupts = Interrupts::default();
    let lines = input::read_stdin(interrupts.clone())?;
    let mut session = Session::new(engine, interrupts);
    session.run(lines.into_iter());
    Ok(())
}

/// The answer to `go` if there is no move to play.
const NO_MOVE: &str = "bestmove 0000";

/// Faults of one line that are reported; a line of a mebibyte may have half a million.
const REPORTED: usize = 8;

struct Session {
    engine: Engine,
    style: Style,
    /// A `go` without a move to play that is to be answered on `stop`, like any other.
    pending_none: bool,
    /// The last `position` was refused: the engine still has an older one, which nobody asks for.
    position_refused: bool,
    interrupts: Interrupts,
}

impl Session {
    fn new(engine: Engine, interrupts: Interrupts) -> Self {
        let style = Style::default();
        Self { engine, style, pending_none: false, position_refused: false, interrupts }
    }

    /// Carries out lines until `quit`.
    fn run(&mut self, lines: impl Iterator<Item = Line>) {
        for line in lines {
            match self.answer(&line) {
                Ok(true) => {}
                Ok(false) => break,
                Err(refusal) => self.refuse(&line, &refusal),
            }
        }
        self.stop();
        self.engine.wait();
    }

    /// Reports a line that was refused, and notes what follows from that.
    fn refuse(&mut self, line: &Line, refusal: &Refusal) {
        complain(refusal);
        match line.first_word() {
            "position" => self.position_refused = true,
            // Too long to be read, but an answer is expected.
            "go" if line.is_too_long => say(NO_MOVE),
            _ => {}
        }
    }

    /// Carries out a line; returns `false` for `quit`.
    fn answer(&mut self, line: &Line) -> Result<bool, Refusal> {
        if line.is_too_long {
            return Err(Refusal::TooLong);
        }
        match Command::parse(&line.text)? {
            Command::Nothing => {}
            Command::Uci => introduce(),
            Command::IsReady => say("readyok"),
            Command::Stop => self.stop(),
            Command::PonderHit => {
                self.engine.ponder_hit();
                self.answer_pending();
            }
            Command::Quit => return Ok(false),
            Command::Display => say(self.engine.position().to_ascii()),
            Command::Eval => {
                say(commands::evaluation(self.engine.position(), self.engine.network()));
            }
            Command::Help => say(HELP),
            Command::NewGame => {
                self.settle()?;
                self.engine.new_game();
            }
            Command::Position { fen, moves } => {
                self.settle()?;
                self.set_position(fen.as_deref(), &moves)?;
            }
            Command::Go(go) => self.go(go, line.at),
            Command::Perft(depth) => {
                self.settle()?;
                self.perft(depth, line.number)?;
            }
            Command::SetOption { name, value } => {
                self.settle()?;
                let mut target = Target { engine: &mut self.engine, style: &mut self.style };
                options::set(&mut target, &name, &value)?;
            }
            Command::Bench(depth) => {
                self.settle()?;
                self.bench(depth.unwrap_or(bench::DEPTH), line.number)?;
            }
        }
        Ok(true)
    }

    fn stop(&mut self) {
        self.engine.stop();
        self.answer_pending();
    }

    fn answer_pending(&mut self) {
        if std::mem::take(&mut self.pending_none) {
            say(NO_MOVE);
        }
    }

    /// Returns whether a `go` still has to be answered that was not told to stop.
    fn is_searching(&self) -> bool {
        self.engine.is_searching() || self.pending_none
    }

    /// Waits for a search that was told to stop; refuses if one is running that was not.
    fn settle(&mut self) -> Result<(), Refusal> {
        if self.is_searching() {
            return Err(Refusal::Busy);
        }
        self.engine.wait();
        Ok(())
    }

    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) -> Result<(), Refusal> {
        let mut game = Game::new(Position::from_fen(fen.unwrap_or(Position::START_FEN))?);
        for text in moves {
            let mv = game
                .position()
                .parse_uci(text)
                .map_err(|source| Refusal::Move { command: "position", source })?;
            game.play(mv);
        }
        self.engine.set_game(game);
        self.position_refused = false;
        Ok(())
    }

    /// Searches. Whatever is wrong, there is one answer.
    fn go(&mut self, go: Go, start: Instant) {
        if self.is_searching() {
            complain("go: a search was running, which ends with this");
            self.stop();
        }
        self.engine.wait();
        let Go { mut limits, moves, faults } = go;
        report(&faults);
        if limits.borrow_clock(self.engine.position().side_to_move()) {
            complain("go: the side to move has no clock; that of the opponent is used");
        }
        match self.root_moves(&moves) {
            Ok(moves) => self.search(&limits, moves, start),
            Err(reason) => {
                complain(reason);
                self.have_no_move(&limits);
            }
        }
    }

    /// Returns the legal moves among those of `searchmoves`, each once; none if none was given.
    fn root_moves(&self, texts: &[String]) -> Result<Vec<Move>, NothingToSearch> {
        if self.position_refused {
            return Err(NothingToSearch::PositionRefused);
        }
        let position = self.engine.position();
        let (mut moves, mut illegal) = (Vec::new(), Vec::new());
        for text in texts {
            match position.parse_uci(text) {
                Ok(mv) if moves.contains(&mv) => {}
                Ok(mv) => moves.push(mv),
                Err(source) => illegal.push(Refusal::Move { command: "go searchmoves", source }),
            }
        }
        report(&illegal);
        if moves.is_empty() && !texts.is_empty() {
            return Err(NothingToSearch::OnlyIllegalMoves);
        }
        Ok(moves)
    }

    fn search(&mut self, limits: &Limits, moves: Vec<Move>, start: Instant) {
        let position = self.engine.position().clone();
        let in_check = position.in_check();
        let printer = Arc::new(Printer { position, style: self.style });
        let closing = Arc::clone(&printer);
        let answer = Box::new(move |result: &_| say(closing.best_move(result)));
        if let Err(NoLegalMoves) = self.engine.go(limits, moves, start, printer, answer) {
            complain(NothingToSearch::GameOver);
            say(format_args!("info depth 0 score {}", if in_check { "mate 0" } else { "cp 0" }));
            self.have_no_move(limits);
        }
    }

    /// Answers a `go` without a move to play, at once or when it is told to stop.
    fn have_no_move(&mut self, limits: &Limits) {
        self.pending_none = true;
        if !limits.waits_for_stop() {
            self.answer_pending();
        }
    }

    fn perft(&self, depth: usize, line: u64) -> Result<(), Refusal> {
        let position = self.engine.position();
        let interrupted = || self.interrupts.came_after(line);
        let counts = divide(position, depth, NonZero::<usize>::MIN, &interrupted)
            .ok_or(Refusal::Interrupted("perft"))?;
        for (mv, nodes) in &counts {
            say(format_args!("{}: {nodes}", position.uci(*mv, self.style.chess960)));
        }
        let total: u64 = counts.iter().map(|(_, nodes)| nodes).sum();
        say(format_args!("\nNodes searched: {total}"));
        Ok(())
    }

    fn bench(&self, depth: i32, line: u64) -> Result<(), Refusal> {
        let setup = bench::Setup { depth, ..Default::default() };
        let interrupted = || self.interrupts.came_after(line);
        match bench::run(&setup, &interrupted, &mut |line| say(line))? {
            Completion::Complete => Ok(()),
            Completion::Interrupted => Err(Refusal::Interrupted("bench")),
        }
    }
}

/// Reports the first of some faults.
fn report(faults: &[impl std::fmt::Display]) {
    faults.iter().take(REPORTED).for_each(complain);
    if faults.len() > REPORTED {
        complain(format_args!("{} more of this line are not shown", faults.len() - REPORTED));
    }
}

fn introduce() {
    say(format_args!("id name {NAME}\nid author {}", env!("CARGO_PKG_AUTHORS")));
    say(options::announcement().trim_end());
    say("uciok");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_names_every_command() {
        for name in ["uci", "isready", "ucinewgame", "setoption", "quit", "position", "go", "stop"]
            .into_iter()
            .chain(["ponderhit", "d", "eval", "perft", "bench", "help"])
        {
            assert!(!matches!(Command::parse(name), Err(CommandError::Unknown(_))), "{name}");
            assert!(HELP.split([' ', ',', '\n']).any(|word| word == name), "no {name} in the help");
        }
    }
}
