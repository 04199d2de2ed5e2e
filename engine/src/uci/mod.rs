//! The Universal Chess Interface (UCI): lines in, lines out. Bad input is answered by one line and
//! changes nothing. Every `go` is answered by one `bestmove`, whatever is wrong with it. Work that ends by
//! itself is completed before the next line is carried out; only `stop` and `quit` interrupt it.

mod command;
mod genfens;
mod go;
mod input;
mod options;
mod output;
mod print;
mod tokens;

use std::fmt::Display;
use std::io;
use std::num::NonZero;
use std::sync::Arc;
use std::time::Instant;

use nullarbor_chess::board::{FenError, Game, MoveError, Position, divide};
use parking_lot::Mutex;
use thiserror::Error;

use crate::bench::{self, Completion};
use crate::clock::Limits;
use crate::commands;
use crate::engine::{Engine, EngineError, NoLegalMoves};
use crate::search::Control;
use crate::types::Move;
use crate::version::NAME;
pub use command::Command;
pub use genfens::GenFens;
use genfens::GenFensError;
pub use go::{Go, GoFault};
use input::{AtOnce, Line, MAX_LINE, Queue, Role};
use options::{OptionError, Style, Target};
use output::Output;
use print::Printer;
pub use tokens::CommandError;
use tokens::excerpt;

/// The help text: the commands beyond the protocol, and a reminder of the protocol's.
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
Commands can also be arguments: nullarbor go depth 9
or several: nullarbor \"position startpos\" \"go depth 9\" quit";

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
    let queue = Arc::<Queue>::default();
    let session = Session::new(engine, Arc::clone(&queue));
    let output = session.output.clone();
    let session = Arc::new(Mutex::new(session));
    input::read_stdin(Arc::clone(&queue), Quick { session: Arc::clone(&session), output })?;
    while let Some(line) = queue.next() {
        let next = session.lock().carry_out(&line);
        queue.finish_one();
        if next == Next::End {
            break;
        }
    }
    session.lock().end();
    Ok(())
}

/// A session as the thread that reads uses it. The session is locked by whoever carries out a line.
struct Quick {
    session: Arc<Mutex<Session>>,
    output: Output,
}

impl AtOnce for Quick {
    fn try_carry_out(&mut self, line: &Line, role: Role) -> bool {
        let mut session = self.session.lock();
        let is_free = role != Role::Replace || !session.is_searching() || session.waits_for_stop();
        if is_free {
            // Of these lines none ends the session.
            session.carry_out(line);
        }
        is_free
    }

    fn answer_ready(&mut self, line: &Line) {
        self.output.answer_ready(line.at, &line.text);
    }
}

/// Returns whether a text is a line of the protocol, though perhaps a wrong one.
pub fn is_command(line: &str) -> bool {
    !matches!(Command::parse(line), Ok(Command::Nothing) | Err(CommandError::Unknown(_)))
}

/// Returns whether a word is a line of the protocol that needs no other word.
pub fn is_whole_command(word: &str) -> bool {
    Command::parse(word).is_ok_and(|command| !matches!(command, Command::Nothing))
}

/// Carries out lines that were given as arguments, each after the end of the search before it;
/// returns whether none of them was wrong.
pub fn run_lines(engine: Engine, lines: Vec<String>) -> bool {
    let queue = Arc::<Queue>::default();
    let mut session = Session::new(engine, Arc::clone(&queue));
    for (number, text) in (1..).zip(lines) {
        let line = Line::new(number, text);
        // No other line will end a search that waits for one.
        let role = if line.role() == Role::Ordinary { Role::Replace } else { line.role() };
        queue.note(number, role);
        if session.carry_out(&line) == Next::End {
            break;
        }
        session.let_finish();
    }
    queue.close();
    session.end();
    session.refused == 0
}

/// The session after a line: it goes on, or it ends.
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
    pending: Option<Arc<Control>>,
    /// The last `position` was refused: the engine still has an older one, which nobody asks for.
    position_refused: bool,
    /// The last search does not end by itself, not even after `ponderhit`.
    is_infinite: bool,
    /// The line of the last search.
    search_line: u64,
    /// End of the last work that lines may have waited for: their clocks run from then.
    free_since: Instant,
    queue: Arc<Queue>,
    output: Output,
    /// Lines that were refused, or of which a part was.
    refused: u64,
}

impl Session {
    fn new(engine: Engine, queue: Arc<Queue>) -> Self {
        Self {
            engine,
            style: Style::default(),
            pending: None,
            position_refused: false,
            is_infinite: false,
            search_line: 0,
            free_since: Instant::now(),
            queue,
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

    /// Ends the session. A search that ends by itself is completed.
    fn end(&mut self) {
        self.let_finish();
        self.stop();
        self.engine.wait();
    }

    /// Reports a line that was refused, and notes what follows from that.
    fn refuse(&mut self, line: &Line, refusal: &Refusal) {
        self.output.report_fault(refusal);
        match line.first_word() {
            "position" => self.position_refused = true,
            // Too long to be read, but an answer is expected.
            "go" if line.is_too_long => self.output.say(NO_MOVE),
            _ => {}
        }
    }

    /// Carries out a line.
    fn answer(&mut self, line: &Line) -> Result<Next, Refusal> {
        let command = Command::parse(&line.text);
        let steers = |it: &_| {
            matches!(it, Command::IsReady | Command::Stop | Command::PonderHit | Command::Quit)
        };
        if !command.as_ref().is_ok_and(steers) {
            self.let_finish();
        }
        if line.is_too_long {
            return Err(Refusal::TooLong);
        }
        match command? {
            Command::Nothing => {}
            Command::Uci => self.introduce(),
            Command::IsReady => self.output.say("readyok"),
            Command::Stop => self.stop(),
            Command::PonderHit => self.ponder_hit(),
            Command::Quit => return Ok(Next::End),
            Command::Display => self.display(),
            Command::Eval => {
                let engine = &self.engine;
                let text =
                    commands::evaluation(engine.position(), engine.network(), engine.params());
                self.output.say(text);
            }
            Command::Help => self.output.say(HELP),
            Command::NewGame => {
                self.settle();
                self.engine.new_game();
            }
            Command::Position { fen, moves } => {
                self.end_search();
                self.set_position(fen.as_deref(), &moves)?;
            }
            Command::Go(go) => self.go(go, line),
            Command::Perft(depth) => {
                self.settle();
                self.interruptible("perft", line, |it| it.perft(depth, line.number))?;
            }
            Command::SetOption { name, value } => {
                self.settle();
                let (engine, style, output) = (&mut self.engine, &mut self.style, &self.output);
                let mut target = Target { engine, style, output };
                options::set(&mut target, &name, &value)?;
            }
            Command::Bench(depth) => {
                self.settle();
                let depth = depth.unwrap_or(bench::DEPTH);
                self.interruptible("bench", line, |it| it.bench(depth, line.number))?;
            }
            Command::GenFens(genfens) => {
                self.settle();
                self.interruptible("genfens", line, |it| it.gen_fens(&genfens, line.number))?;
            }
        }
        Ok(Next::Lines)
    }

    /// Shows the position, and what the tablebases say about it.
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

    fn ponder_hit(&mut self) {
        self.engine.ponder_hit();
        if !self.is_infinite {
            self.answer_pending();
        }
    }

    fn answer_pending(&mut self) {
        if self.pending.take().is_some() {
            self.output.say(NO_MOVE);
        }
    }

    /// Returns whether a `go` still has to be answered that was not told to stop.
    fn is_searching(&self) -> bool {
        self.engine.is_searching() || self.pending.is_some()
    }

    /// Returns whether the search that is under way would not end without `stop` or `ponderhit`.
    fn waits_for_stop(&self) -> bool {
        let control = self.pending.as_ref().or(self.engine.control());
        self.is_infinite || control.is_some_and(|control| control.is_pondering())
    }

    /// Waits for the end of a search that ends by itself or was told to stop.
    fn let_finish(&mut self) {
        if !self.is_searching() {
            self.engine.wait();
        } else if !self.waits_for_stop() {
            self.settle();
        }
    }

    /// Waits for the end of the search, if one is running.
    fn settle(&mut self) {
        if !self.is_searching() {
            return self.engine.wait();
        }
        let is_infinite = self.is_infinite;
        self.work(self.search_line, |it| match &it.pending {
            Some(control) => control.wait_until(|it| !is_infinite && !it.is_pondering()),
            None => it.engine.wait(),
        });
        self.answer_pending();
    }

    /// Ends a search that would wait for `stop`.
    fn end_search(&mut self) {
        self.stop();
        self.engine.wait();
    }

    /// Does what takes long for the line with this number. Who asks meanwhile is told that the engine is
    /// ready.
    fn work<T>(&mut self, number: u64, work: impl FnOnce(&mut Self) -> T) -> T {
        for line in self.queue.begin_work(number) {
            self.output.answer_ready(line.at, &line.text);
        }
        let result = work(self);
        self.queue.end_work();
        self.free_since = Instant::now();
        result
    }

    /// Does the work of a command that `stop` and `quit` interrupt, unless a `quit` waits already.
    fn interruptible(
        &mut self,
        name: &'static str,
        line: &Line,
        work: impl FnOnce(&Self) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        if self.queue.has_quit() {
            return Err(Refusal::Interrupted(name));
        }
        self.work(line.number, |it| work(it))
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
        self.report_capitals("position", moves);
        self.engine.set_game(game);
        self.position_refused = false;
        Ok(())
    }

    /// Searches. Whatever is wrong, there is one answer.
    fn go(&mut self, go: Go, line: &Line) {
        self.end_search();
        self.is_infinite = go.limits.infinite || !go.limits.ends_by_itself();
        self.search_line = line.number;
        let Go { mut limits, moves, faults } = go;
        self.refused += u64::from(!faults.is_empty());
        self.report(&faults);
        if limits.borrow_clock(self.engine.position().side_to_move()) {
            self.output
                .report_fault("go: the side to move has no clock; that of the opponent is used");
        }
        match self.root_moves(&moves) {
            Ok(moves) => self.search(&limits, moves, line.at.max(self.free_since)),
            Err(reason) => {
                self.output.report_fault(reason);
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
        self.report_capitals("go searchmoves", texts);
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
        let begun = self.engine.go(limits, moves, start, printer, answer);
        if let Some(control) = self.engine.control().filter(|_| begun.is_ok()) {
            self.queue.watch(self.search_line, Arc::clone(control), self.is_infinite);
        }
        if let Err(NoLegalMoves) = begun {
            self.output.report_fault(NothingToSearch::GameOver);
            self.output.say(format_args!(
                "info depth 0 score {}",
                if in_check { "mate 0" } else { "cp 0" }
            ));
            self.have_no_move(limits);
        }
    }

    /// Answers a `go` without a move to play, at once or when it is told to stop.
    fn have_no_move(&mut self, limits: &Limits) {
        let control = Arc::new(Control::new(1, limits.ponder));
        self.queue.watch(self.search_line, Arc::clone(&control), self.is_infinite);
        let is_told_to_stop = control.is_stopped();
        self.pending = Some(control);
        if is_told_to_stop || !self.waits_for_stop() {
            self.answer_pending();
        }
    }

    fn perft(&self, depth: usize, line: u64) -> Result<(), Refusal> {
        let position = self.engine.position();
        let interrupted = || self.queue.is_stopped_after(line);
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

    /// Reports moves with capital letters, which are read as if they were small.
    fn report_capitals(&self, command: &str, moves: &[String]) {
        let has_capitals = |text: &&String| text.bytes().any(|byte| byte.is_ascii_uppercase());
        let fault =
            |text: &String| format!("{command}: `{}` should have small letters", excerpt(text));
        self.report(&moves.iter().filter(has_capitals).map(fault).collect::<Vec<_>>());
    }

    /// Reports the first of some faults.
    fn report(&self, faults: &[impl Display]) {
        faults.iter().take(REPORTED).for_each(|fault| self.output.report_fault(fault));
        if faults.len() > REPORTED {
            let more = faults.len() - REPORTED;
            self.output.report_fault(format_args!("{more} more of this line are not shown"));
        }
    }

    fn gen_fens(&self, genfens: &GenFens, line: u64) -> Result<(), Refusal> {
        let interrupted = || self.queue.is_stopped_after(line);
        Ok(genfens.run(&interrupted, &mut |line| self.output.say(line))?)
    }

    fn bench(&self, depth: i32, line: u64) -> Result<(), Refusal> {
        let setup = bench::Setup { depth, ..Default::default() };
        let interrupted = || self.queue.is_stopped_after(line);
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
