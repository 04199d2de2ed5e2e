//! The Universal Chess Interface: lines in, lines out. Bad input is answered with one line and changes nothing.

mod command;
mod options;
mod print;

use std::io::{self, BufRead, Read};
use std::num::NonZero;
use std::sync::Arc;
use std::time::Instant;

use thiserror::Error;

use crate::bench;
use crate::board::{FenError, Game, MoveError, Position, divide};
use crate::clock::Limits;
use crate::engine::{Engine, EngineError};
use crate::eval::Evaluation;
use crate::eval::nnue::Network;
use crate::types::{Colour, Move};
use command::{Command, CommandError};
use options::{OptionError, Style, Target};
use print::{Printer, complain, say};

/// The name and version that the engine gives itself.
pub const NAME: &str = concat!("Nullarbor ", env!("CARGO_PKG_VERSION"));

/// Longer lines than any game needs are not read to their end.
const MAX_LINE: u64 = 1 << 20;

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
    #[error("a search is under way; say stop first")]
    Busy,
    #[error("a line of over {MAX_LINE} bytes was not read")]
    TooLong,
}

/// Speaks UCI until told to quit or until the input ends.
pub fn run(engine: Engine) {
    let mut session = Session { engine, style: Style::default(), owes_none: false };
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

/// The next line; `None` at the end of the input, also where it cannot be read.
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

/// The answer where there is no legal move.
const NO_MOVE: &str = "bestmove (none)";

struct Session {
    engine: Engine,
    style: Style,
    /// A search of a finished game that is to be answered when told to stop, like any other.
    owes_none: bool,
}

impl Session {
    /// Does what a line says; `false` when it says goodbye.
    fn answer(&mut self, line: &str) -> Result<bool, Refusal> {
        // The clock runs from the moment the line is here.
        let start = Instant::now();
        match Command::parse(line)? {
            Command::Nothing => {}
            Command::Uci => introduce(),
            Command::IsReady => say("readyok"),
            Command::Stop => self.stop(),
            Command::PonderHit => {
                self.engine.ponder_hit();
                self.pay_none();
            }
            Command::Quit => return Ok(false),
            Command::Display => say(self.engine.position().to_ascii()),
            Command::Eval => say(evaluation(self.engine.position(), self.engine.network())),
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
        self.pay_none();
    }

    fn pay_none(&mut self) {
        if std::mem::take(&mut self.owes_none) {
            say(NO_MOVE);
        }
    }

    /// Waits for a search that was told to stop; refuses to disturb one that was not.
    fn settle(&mut self) -> Result<(), Refusal> {
        if self.engine.is_searching() || self.owes_none {
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
        let (position, history) = game.into_parts();
        self.engine.set_position(position, history);
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
        let answer = Box::new(move |finding: &_| say(closing.best_move(finding)));
        if !self.engine.go(limits, moves, start, printer, answer) {
            say(format_args!("info depth 0 score {}", if in_check { "mate 0" } else { "cp 0" }));
            self.owes_none = true;
            if !limits.waits_for_stop() {
                self.pay_none();
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

/// The static evaluation by a network, for people: from White's side.
pub fn evaluation(position: &Position, network: &Arc<Network>) -> String {
    if position.in_check() {
        return "Evaluation: none (in check)".to_owned();
    }
    let score = Evaluation::new(network).evaluate(position, 0).0;
    let for_white = if position.side_to_move() == Colour::White { score } else { -score };
    format!("Evaluation: {:+.2} (White's side)", f64::from(for_white) / 100.0)
}
