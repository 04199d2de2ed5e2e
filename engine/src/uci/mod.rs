//! The Universal Chess Interface (UCI): lines in, lines out. Bad input is answered by one line and
//! changes nothing.

mod command;
mod options;
mod print;

use std::io::{self, BufRead, Read};
use std::num::NonZero;
use std::sync::Arc;
use std::time::Instant;

use thiserror::Error;

use crate::board::{FenError, Game, MoveError, Position, divide};
use crate::clock::Limits;
use crate::engine::{Engine, EngineError, NoLegalMoves};
use crate::types::Move;
use crate::{bench, commands};
pub use command::{Command, CommandError};
use options::{OptionError, Style, Target};
use print::{Printer, complain, say};

/// Name and version of the engine, as `id name` gives them.
pub const NAME: &str = concat!("Nullarbor ", env!("CARGO_PKG_VERSION"));

/// Longest line in bytes, far more than any game needs. Longer ones are skipped.
const MAX_LINE: u64 = 1 << 20;

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
    #[error("a line of more than {MAX_LINE} bytes was skipped")]
    TooLong,
}

/// Answers the commands on standard input until `quit` or the end of the input.
pub fn run(engine: Engine) {
    let mut session = Session { engine, style: Style::default(), pending_none: false };
    let mut input = io::stdin().lock();
    loop {
        match read_line(&mut input) {
            Ok(Some(line)) => match session.answer(&line) {
                Ok(true) => {}
                Ok(false) => break,
                Err(refusal) => complain(refusal),
            },
            Ok(None) => break,
            Err(refusal) => complain(refusal),
        }
    }
    session.engine.stop();
    session.engine.wait();
}

/// Reads a line; returns `None` at the end of the input, or if it cannot be read.
fn read_line(input: &mut impl BufRead) -> Result<Option<String>, Refusal> {
    let mut bytes = Vec::new();
    let read = input.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes);
    match read {
        Ok(0) | Err(_) => Ok(None),
        Ok(_) if bytes.len() as u64 == MAX_LINE && bytes.last() != Some(&b'\n') => {
            skip_line(input);
            Err(Refusal::TooLong)
        }
        Ok(_) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
    }
}

fn skip_line(input: &mut impl BufRead) {
    let mut rest = Vec::new();
    while matches!(input.by_ref().take(MAX_LINE).read_until(b'\n', &mut rest), Ok(n) if n > 0) {
        if rest.last() == Some(&b'\n') {
            return;
        }
        rest.clear();
    }
}

/// The answer to `go` if there is no legal move.
const NO_MOVE: &str = "bestmove (none)";

struct Session {
    engine: Engine,
    style: Style,
    /// A `go` without legal moves that is to be answered on `stop`, like any other.
    pending_none: bool,
}

impl Session {
    /// Carries out a line; returns `false` for `quit`.
    fn answer(&mut self, line: &str) -> Result<bool, Refusal> {
        // The clock runs from the arrival of the line.
        let start = Instant::now();
        match Command::parse(line)? {
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
            Command::Go { limits, moves } => {
                self.settle()?;
                self.go(&limits, &moves, start)?;
            }
            Command::Perft(depth) => {
                self.settle()?;
                self.perft(depth);
            }
            Command::SetOption { name, value } => {
                self.settle()?;
                let mut target = Target { engine: &mut self.engine, style: &mut self.style };
                options::set(&mut target, &name, &value)?;
            }
            Command::Bench(depth) => {
                self.settle()?;
                let setup =
                    bench::Setup { depth: depth.unwrap_or(bench::DEPTH), ..Default::default() };
                bench::run(&setup, &mut |line| say(line))?;
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

    /// Waits for a search that was told to stop; refuses if one is running that was not.
    fn settle(&mut self) -> Result<(), Refusal> {
        if self.engine.is_searching() || self.pending_none {
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
        Ok(())
    }

    fn go(&mut self, limits: &Limits, moves: &[String], start: Instant) -> Result<(), Refusal> {
        let position = self.engine.position().clone();
        let moves = moves
            .iter()
            .map(|text| position.parse_uci(text))
            .collect::<Result<Vec<Move>, _>>()
            .map_err(|source| Refusal::Move { command: "go searchmoves", source })?;
        let moves = without_repeats(moves);
        let in_check = position.in_check();
        let printer = Arc::new(Printer { position, style: self.style });
        let closing = Arc::clone(&printer);
        let answer = Box::new(move |result: &_| say(closing.best_move(result)));
        if let Err(NoLegalMoves) = self.engine.go(limits, moves, start, printer, answer) {
            say(format_args!("info depth 0 score {}", if in_check { "mate 0" } else { "cp 0" }));
            self.pending_none = true;
            if !limits.waits_for_stop() {
                self.answer_pending();
            }
        }
        Ok(())
    }

    fn perft(&self, depth: usize) {
        let position = self.engine.position();
        let mut total = 0;
        for (mv, nodes) in divide(position, depth, NonZero::<usize>::MIN) {
            say(format_args!("{}: {nodes}", position.uci(mv, self.style.chess960)));
            total += nodes;
        }
        say(format_args!("\nNodes searched: {total}"));
    }
}

fn introduce() {
    say(format_args!("id name {NAME}\nid author {}", env!("CARGO_PKG_AUTHORS")));
    say(options::announcement().trim_end());
    say("uciok");
}

fn without_repeats(moves: Vec<Move>) -> Vec<Move> {
    let mut kept: Vec<Move> = Vec::with_capacity(moves.len());
    for mv in moves {
        if !kept.contains(&mv) {
            kept.push(mv);
        }
    }
    kept
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
