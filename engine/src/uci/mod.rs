//! The Universal Chess Interface (UCI): lines in, lines out. Bad input is answered by one line and
//! changes nothing. Every `go` is answered by one `bestmove`, whatever is wrong with it.

mod command;
mod genfens;
mod go;
mod input;
mod options;
mod output;
mod print;

use std::fmt::Display;
use std::io;
use std::num::NonZero;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use thiserror::Error;

use crate::bench::{self, Completion};
use crate::board::{FenError, Game, MoveError, Position, divide};
use crate::clock::Limits;
use crate::commands;
use crate::engine::{Engine, EngineError, NoLegalMoves};
use crate::types::Move;
use crate::version::NAME;
pub use command::{Command, CommandError};
pub use genfens::GenFens;
use genfens::GenFensError;
pub use go::{Go, GoFault};
use input::{Interrupts, Line, MAX_LINE, Unfinished};
use options::{OptionError, Style, Target};
use output::Output;
use print::Printer;

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
  genfens N seed S book FILE|None [dfrc]
                print openings for data generation
  help          show this text
Commands can also be arguments: nullarbor \"position startpos\" \"go depth 9\" quit";

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
    #[error("genfens: {0}")]
    GenFens(#[from] GenFensError),
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
    let (interrupts, unfinished) = (Interrupts::default(), Unfinished::default());
    let session = Arc::new(Mutex::new(Session::new(engine, interrupts.clone())));
    let quick = {
        let session = Arc::clone(&session);
        // Of these lines none ends the session.
        move |line: &Line| {
            session.lock().carry_out(line);
        }
    };
    for line in input::read_stdin(interrupts, unfinished.clone(), quick)? {
        let next = session.lock().carry_out(&line);
        unfinished.finish_one();
        if next == Next::End {
            break;
        }
    }
    session.lock().end();
    Ok(())
}

/// Whether a text is a line of the protocol, though perhaps a wrong one.
pub fn is_command(line: &str) -> bool {
    !matches!(Command::parse(line), Ok(Command::Nothing) | Err(CommandError::Unknown(_)))
}

/// Carries out lines that were given as arguments, each after the end of the search before it;
/// returns whether none of them was wrong.
pub fn run_lines(engine: Engine, lines: Vec<String>) -> bool {
    let mut session = Session::new(engine, Interrupts::default());
    for (number, text) in (1..).zip(lines) {
        if session.carry_out(&Line::new(number, text)) == Next::End {
            break;
        }
        if !session.waits_for_stop {
            session.engine.wait();
        }
    }
    session.end();
    session.refused == 0
}

/// What follows a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// More lines.
    Lines,
    /// Nothing: it was `quit`.
    End,
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
    /// The last search is answered only on `stop`.
    waits_for_stop: bool,
    interrupts: Interrupts,
    output: Output,
    /// Lines that were refused.
    refused: u64,
}

impl Session {
    fn new(engine: Engine, interrupts: Interrupts) -> Self {
        Self {
            engine,
            style: Style::default(),
            pending_none: false,
            position_refused: false,
            waits_for_stop: false,
            interrupts,
            output: Output::default(),
            refused: 0,
        }
    }

    /// Carries out a line, or refuses it.
    fn carry_out(&mut self, line: &Line) -> Next {
        self.output.heard(line.at, &line.text);
        self.answer(line).unwrap_or_else(|refusal| {
            self.refused += 1;
            self.refuse(line, &refusal);
            Next::Lines
        })
    }

    /// Ends the search that may be running.
    fn end(&mut self) {
        self.stop();
        self.engine.wait();
    }

    /// Reports a line that was refused, and notes what follows from that.
    fn refuse(&mut self, line: &Line, refusal: &Refusal) {
        self.output.complain(refusal);
        match line.first_word() {
            "position" => self.position_refused = true,
            // Too long to be read, but an answer is expected.
            "go" if line.is_too_long => self.output.say(NO_MOVE),
            _ => {}
        }
    }

    /// Carries out a line.
    fn answer(&mut self, line: &Line) -> Result<Next, Refusal> {
        if line.is_too_long {
            return Err(Refusal::TooLong);
        }
        match Command::parse(&line.text)? {
            Command::Nothing => {}
            Command::Uci => self.introduce(),
            Command::IsReady => self.output.say("readyok"),
            Command::Stop => self.stop(),
            Command::PonderHit => {
                self.engine.ponder_hit();
                self.answer_pending();
            }
            Command::Quit => return Ok(Next::End),
            Command::Display => self.display(),
            Command::Eval => {
                self.output
                    .say(commands::evaluation(self.engine.position(), self.engine.network()));
            }
            Command::Help => self.output.say(HELP),
            Command::NewGame => {
                self.settle()?;
                self.engine.new_game();
            }
            Command::Position { fen, moves } => {
                self.supersede_search("position");
                self.set_position(fen.as_deref(), &moves)?;
            }
            Command::Go(go) => self.go(go, line.at),
            Command::Perft(depth) => {
                self.settle()?;
                self.perft(depth, line.number)?;
            }
            Command::SetOption { name, value } => {
                self.settle()?;
                let (engine, style, output) = (&mut self.engine, &mut self.style, &self.output);
                let mut target = Target { engine, style, output };
                options::set(&mut target, &name, &value)?;
            }
            Command::Bench(depth) => {
                self.settle()?;
                self.bench(depth.unwrap_or(bench::DEPTH), line.number)?;
            }
            Command::GenFens(genfens) => {
                self.settle()?;
                let interrupted = || self.interrupts.came_after(line.number);
                genfens.run(&interrupted, &mut |line| self.output.say(line))?;
            }
        }
        Ok(Next::Lines)
    }

    /// Shows the position, and what the endgame tables say about it.
    fn display(&self) {
        let position = self.engine.position();
        let mut text = position.to_ascii();
        if let Some(tables) = self.engine.tablebases() {
            if let Some(wdl) = tables.probe_wdl(position) {
                text += &format!("\nTablebase WDL: {wdl:?} ({})", wdl as i32);
            }
            if let Some(dtz) = tables.probe_dtz(position) {
                text += &format!("\nTablebase DTZ: {dtz}");
            }
        }
        self.output.say(text);
    }

    fn stop(&mut self) {
        self.engine.stop();
        self.answer_pending();
    }

    fn answer_pending(&mut self) {
        if std::mem::take(&mut self.pending_none) {
            self.output.say(NO_MOVE);
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

    /// Ends a search that was not told to stop: to refuse the command would cost a GUI the game.
    fn supersede_search(&mut self, command: &str) {
        if self.is_searching() {
            self.output.complain(format!("{command}: a search was running, which ends with this"));
            self.stop();
        }
        self.engine.wait();
    }

    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) -> Result<(), Refusal> {
        let fen = fen.unwrap_or(Position::START_FEN);
        let (position, impossible) = Position::from_doubtful_fen(fen)?;
        let left_out = |fault| format!("position: {fault}; this is left out");
        self.report(&impossible.into_iter().map(left_out).collect::<Vec<_>>());
        let mut game = Game::new(position);
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
        self.supersede_search("go");
        let Go { mut limits, moves, faults } = go;
        self.report(&faults);
        if limits.borrow_clock(self.engine.position().side_to_move()) {
            self.output.complain("go: the side to move has no clock; that of the opponent is used");
        }
        match self.root_moves(&moves) {
            Ok(moves) => self.search(&limits, moves, start),
            Err(reason) => {
                self.output.complain(reason);
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
        self.report(&illegal);
        if moves.is_empty() && !texts.is_empty() {
            return Err(NothingToSearch::OnlyIllegalMoves);
        }
        Ok(moves)
    }

    fn search(&mut self, limits: &Limits, moves: Vec<Move>, start: Instant) {
        let position = self.engine.position().clone();
        let in_check = position.in_check();
        let (style, output) = (self.style, self.output.clone());
        let printer = Arc::new(Printer::new(position, style, output));
        let closing = Arc::clone(&printer);
        let answer = Box::new(move |result: &_| closing.answer(result));
        self.waits_for_stop = limits.waits_for_stop();
        if let Err(NoLegalMoves) = self.engine.go(limits, moves, start, printer, answer) {
            self.output.complain(NothingToSearch::GameOver);
            self.output.say(format_args!(
                "info depth 0 score {}",
                if in_check { "mate 0" } else { "cp 0" }
            ));
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
            self.output.say(format_args!("{}: {nodes}", position.uci(*mv, self.style.chess960)));
        }
        let total: u64 = counts.iter().map(|(_, nodes)| nodes).sum();
        self.output.say(format_args!("\nNodes searched: {total}"));
        Ok(())
    }

    fn introduce(&self) {
        self.output.say(format_args!("id name {NAME}\nid author {}", env!("CARGO_PKG_AUTHORS")));
        self.output.say(options::announcement().trim_end());
        self.output.say("uciok");
    }

    /// Reports the first of some faults.
    fn report(&self, faults: &[impl Display]) {
        faults.iter().take(REPORTED).for_each(|fault| self.output.complain(fault));
        if faults.len() > REPORTED {
            let more = faults.len() - REPORTED;
            self.output.complain(format_args!("{more} more of this line are not shown"));
        }
    }

    fn bench(&self, depth: i32, line: u64) -> Result<(), Refusal> {
        let setup = bench::Setup { depth, ..Default::default() };
        let interrupted = || self.interrupts.came_after(line);
        match bench::run(&setup, &interrupted, &mut |line| self.output.say(line))? {
            Completion::Complete => Ok(()),
            Completion::Interrupted => Err(Refusal::Interrupted("bench")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_names_every_command() {
        for name in ["uci", "isready", "ucinewgame", "setoption", "quit", "position", "go", "stop"]
            .into_iter()
            .chain(["ponderhit", "d", "eval", "perft", "bench", "genfens", "help"])
        {
            assert!(!matches!(Command::parse(name), Err(CommandError::Unknown(_))), "{name}");
            assert!(HELP.split([' ', ',', '\n']).any(|word| word == name), "no {name} in the help");
        }
    }
}
