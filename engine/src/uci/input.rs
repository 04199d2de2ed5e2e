//! Lines of the protocol. A thread of their own reads them, so that work that takes long hears `stop` and
//! `quit`, however many lines wait before them, and `isready` is answered meanwhile. That thread carries
//! out the commands of a game itself: on a busy machine waking another one can take longer than the search.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use parking_lot::{Condvar, Mutex};

use super::command::Command;
use crate::search::Control;

/// Longest line in bytes, far more than any game needs. Of longer ones only the first word is read.
pub const MAX_LINE: u64 = 1 << 20;

/// Bytes of lines that may wait. The reading of more pauses, `stop` and `quit` among them.
const MAX_WAITING: usize = 256 << 20;

/// A line.
pub struct Line {
    /// Number of the line, from 1.
    pub number: u64,
    /// Time at which it was read: the clock of a search runs from there.
    pub at: Instant,
    /// Text of the line; of an overlong line the first word.
    pub text: String,
    /// True if it has more than [`MAX_LINE`] bytes.
    pub is_too_long: bool,
}

/// The effect of a line on the work under way when it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// `stop`, `quit`: ends whatever runs.
    Stop(Stop),
    /// `ponderhit`: from now on the search is on the clock.
    PonderHit,
    /// `isready`: is answered at once.
    IsReady,
    /// `position`, `go`: ends a search that would wait for `stop`, and waits for the end of any other.
    Replace,
    /// Any other line waits.
    Ordinary,
}

/// The scope of a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// More lines.
    Search,
    /// Nothing.
    Session,
}

impl Line {
    /// Makes a line of text that arrives now.
    pub fn new(number: u64, text: String) -> Self {
        Self { number, at: Instant::now(), text, is_too_long: false }
    }

    /// Returns the first word, or an empty string.
    pub fn first_word(&self) -> &str {
        self.text.split_ascii_whitespace().next().unwrap_or_default()
    }

    /// Returns what the line has to do with the work under way.
    pub fn role(&self) -> Role {
        match Command::parse(&self.text) {
            _ if self.is_too_long => Role::Ordinary,
            Ok(Command::Stop) => Role::Stop(Stop::Search),
            Ok(Command::Quit) => Role::Stop(Stop::Session),
            Ok(Command::PonderHit) => Role::PonderHit,
            Ok(Command::IsReady) => Role::IsReady,
            Ok(Command::Position { .. } | Command::Go(_)) => Role::Replace,
            _ => Role::Ordinary,
        }
    }

    fn bytes(&self) -> usize {
        size_of::<Waiting>() + self.text.capacity()
    }
}

struct Waiting {
    line: Line,
    role: Role,
}

/// A search that is under way.
struct Running {
    control: Arc<Control>,
    infinite: bool,
}

impl Running {
    fn waits_for_stop(&self) -> bool {
        self.infinite || self.control.is_pondering()
    }
}

/// The lines that wait for their turn, and what they do meanwhile to the line before them.
#[derive(Default)]
pub struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    /// The number of the latest `stop` or `quit`.
    stopped: AtomicU64,
    /// A `quit` was read.
    has_quit: AtomicBool,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Waiting>,
    /// Bytes of the waiting lines.
    bytes: usize,
    /// The input has ended.
    closed: bool,
    /// Lines that were put in and are not done yet.
    unfinished: usize,
    /// Long work is under way that nobody has stopped.
    is_working: bool,
    /// The number of the latest line that ends a search that waits for `stop`.
    replaced: u64,
    /// The last search.
    search: Option<Running>,
}

impl State {
    fn stop_search(&self, whether: impl Fn(&Running) -> bool) {
        if let Some(search) = self.search.as_ref().filter(|search| whether(search)) {
            search.control.stop();
        }
    }

    fn stop_waiting_search(&mut self, number: u64) {
        self.replaced = number;
        self.stop_search(Running::waits_for_stop);
    }
}

impl Queue {
    /// Returns whether a `stop` or `quit` has come after the line with this number.
    pub fn is_stopped_after(&self, number: u64) -> bool {
        // Relaxed: a number alone, which nothing else depends on.
        self.stopped.load(Ordering::Relaxed) > number
    }

    /// Returns whether a `quit` has come.
    pub fn has_quit(&self) -> bool {
        self.has_quit.load(Ordering::Relaxed)
    }

    /// Lets a line act on what is under way.
    pub fn note(&self, number: u64, role: Role) {
        let mut state = self.state.lock();
        match role {
            Role::Stop(scope) => {
                self.has_quit.fetch_or(scope == Stop::Session, Ordering::Relaxed);
                self.stopped.store(number, Ordering::Relaxed);
                state.replaced = number;
                state.is_working = false;
                state.stop_search(|_| true);
            }
            Role::Replace => state.stop_waiting_search(number),
            Role::PonderHit => state.search.iter().for_each(|search| search.control.ponder_hit()),
            Role::IsReady | Role::Ordinary => {}
        }
    }

    /// Notes the end of the input: nobody will send `stop`. What ends by itself goes on.
    pub fn close(&self) {
        let mut state = self.state.lock();
        state.closed = true;
        state.stop_waiting_search(u64::MAX);
        self.changed.notify_all();
    }

    /// Returns whether every line that was put in is done.
    fn is_idle(&self) -> bool {
        self.state.lock().unfinished == 0
    }

    /// Adds a line, or gives back an `isready` that need not wait.
    fn put(&self, line: Line, role: Role) -> Option<Line> {
        let mut state = self.state.lock();
        while state.bytes > MAX_WAITING {
            self.changed.wait(&mut state);
        }
        if role == Role::IsReady && state.is_working {
            return Some(line);
        }
        state.bytes += line.bytes();
        state.unfinished += 1;
        state.waiting.push_back(Waiting { line, role });
        self.changed.notify_all();
        None
    }

    /// Sleeps until there is a line; `None` after the last one.
    pub fn next(&self) -> Option<Line> {
        let mut state = self.state.lock();
        while state.waiting.is_empty() && !state.closed {
            self.changed.wait(&mut state);
        }
        let line = state.waiting.pop_front()?.line;
        state.bytes -= line.bytes();
        self.changed.notify_all();
        Some(line)
    }

    /// Notes that the line that [`next`](Self::next) gave is done.
    pub fn finish_one(&self) {
        self.state.lock().unfinished -= 1;
    }

    /// Begins work of the line with this number that takes long; returns the waiting `isready`. Those that
    /// come during the work do not wait.
    pub fn begin_work(&self, number: u64) -> Vec<Line> {
        let mut state = self.state.lock();
        if self.is_stopped_after(number) {
            return Vec::new();
        }
        state.is_working = true;
        let waiting = std::mem::take(&mut state.waiting);
        let (ready, waiting): (Vec<_>, Vec<_>) =
            waiting.into_iter().partition(|it| it.role == Role::IsReady);
        state.waiting = waiting.into();
        state.unfinished -= ready.len();
        let ready: Vec<Line> = ready.into_iter().map(|it| it.line).collect();
        state.bytes -= ready.iter().map(Line::bytes).sum::<usize>();
        ready
    }

    /// Notes the end of work that took long.
    pub fn end_work(&self) {
        self.state.lock().is_working = false;
    }

    /// Lets the lines after the one with this number act on its search.
    pub fn watch(&self, number: u64, control: Arc<Control>, infinite: bool) {
        let mut state = self.state.lock();
        state.search = Some(Running { control, infinite });
        let (stopped, replaced) = (self.is_stopped_after(number), state.replaced > number);
        state.stop_search(|search| stopped || replaced && search.waits_for_stop());
    }
}

/// An executor of lines on the thread that reads.
pub trait AtOnce: Send {
    /// Carries out a line of a game, unless it has to wait for the end of a search.
    fn try_carry_out(&mut self, line: &Line, role: Role) -> bool;
    /// Answers `isready` while other lines wait.
    fn answer_ready(&mut self, line: &Line);
}

/// Starts to read standard input.
///
/// # Errors
/// If the system gives no thread.
pub fn read_stdin(queue: Arc<Queue>, at_once: impl AtOnce + 'static) -> io::Result<()> {
    let mut reader = Reader { queue, at_once };
    let read = move || reader.read_all(&mut io::stdin().lock());
    thread::Builder::new().name("input".to_owned()).spawn(read)?;
    Ok(())
}

struct Reader<A> {
    queue: Arc<Queue>,
    at_once: A,
}

impl<A: AtOnce> Reader<A> {
    fn read_all(&mut self, input: &mut impl BufRead) {
        let mut number = 0;
        // What cannot be read has ended.
        while let Ok(Some((text, is_too_long))) = read_line(input) {
            number += 1;
            self.take(Line { is_too_long, ..Line::new(number, text) });
        }
        self.queue.close();
    }

    fn take(&mut self, line: Line) {
        let role = line.role();
        self.queue.note(line.number, role);
        let is_quick = !matches!(role, Role::Ordinary | Role::Stop(Stop::Session));
        if is_quick && self.queue.is_idle() && self.at_once.try_carry_out(&line, role) {
            return;
        }
        if let Some(line) = self.queue.put(line, role) {
            self.at_once.answer_ready(&line);
        }
    }
}

/// Reads a line, and says whether it was too long; `None` at the end of the input.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<(String, bool)>> {
    let mut bytes = Vec::new();
    if input.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    let is_too_long = bytes.len() as u64 == MAX_LINE && bytes.last() != Some(&b'\n');
    let text = String::from_utf8_lossy(&bytes).into_owned();
    if !is_too_long {
        return Ok(Some((text, false)));
    }
    skip_line(input)?;
    let first = text.split_ascii_whitespace().next().unwrap_or_default();
    Ok(Some((first.chars().take(40).collect(), true)))
}

fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    let mut rest = Vec::new();
    while input.by_ref().take(MAX_LINE).read_until(b'\n', &mut rest)? > 0 {
        if rest.last() == Some(&b'\n') {
            break;
        }
        rest.clear();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Carries out at once whatever may be, as if nothing were searched.
    #[derive(Default)]
    struct Recorder {
        done: Vec<String>,
    }

    impl AtOnce for Recorder {
        fn try_carry_out(&mut self, line: &Line, _: Role) -> bool {
            self.done.push(line.text.trim().to_owned());
            true
        }

        fn answer_ready(&mut self, line: &Line) {
            self.done.push(format!("ready {}", line.number));
        }
    }

    fn reader() -> Reader<Recorder> {
        Reader { queue: Arc::default(), at_once: Recorder::default() }
    }

    fn numbers(queue: &Queue) -> Vec<u64> {
        queue.state.lock().waiting.iter().map(|it| it.line.number).collect()
    }

    #[test]
    fn only_stop_and_quit_stop_what_ends_by_itself() {
        let mut reader = reader();
        reader.read_all(&mut &b"perft 5\nd\nisready\nposition startpos\ngo depth 5\nstop\nd\n"[..]);
        assert_eq!(numbers(&reader.queue), [1, 2, 3, 4, 5, 6, 7]);
        assert!(reader.queue.is_stopped_after(5) && !reader.queue.is_stopped_after(6));
    }

    #[test]
    fn a_search_that_waits_for_stop_is_ended_by_what_takes_its_place() {
        let search = |ponder, infinite, line: &str| {
            let mut reader = reader();
            let control = Arc::new(Control::new(1, ponder));
            reader.queue.watch(1, Arc::clone(&control), infinite);
            reader.take(Line::new(2, line.to_owned()));
            if line.is_empty() {
                reader.queue.close();
            }
            control.is_stopped()
        };
        for line in ["position startpos", "go", "stop", "quit", ""] {
            assert!(search(false, true, line) && search(true, false, line), "{line}");
        }
        for line in ["position nowhere", "d", "isready", "setoption name Hash value 3", "stop it"] {
            assert!(!search(false, true, line), "{line}");
        }
        for line in ["position startpos", "go", ""] {
            assert!(!search(false, false, line), "{line}");
        }
        assert!(search(false, false, "stop"));
    }

    #[test]
    fn a_search_is_stopped_by_what_was_read_before_it_began() {
        let mut reader = reader();
        reader.read_all(&mut &b"perft 3\ngo depth 9\ngo infinite\nposition startpos\n"[..]);
        let begin = |number, infinite| {
            let control = Arc::new(Control::new(1, false));
            reader.queue.watch(number, Arc::clone(&control), infinite);
            control.is_stopped()
        };
        assert!(!begin(2, false) && begin(3, true));
    }

    #[test]
    fn moves_of_a_game_are_not_handed_over_unless_something_is_unfinished() {
        let mut game = reader();
        game.read_all(&mut &b"position startpos\ngo nodes 5\nstop\n"[..]);
        assert_eq!(game.at_once.done, ["position startpos", "go nodes 5", "stop"]);
        let mut other = reader();
        other.read_all(&mut &b"isready\ngo perft 2\nposition startpos\nisready\n"[..]);
        assert_eq!((numbers(&other.queue).len(), other.at_once.done.len()), (3, 1));
    }

    #[test]
    fn isready_does_not_wait_for_work_that_takes_long() {
        let mut reader = reader();
        for (number, text) in [(1, "perft 9"), (2, "d"), (3, "isready")] {
            reader.take(Line::new(number, text.to_owned()));
        }
        assert_eq!(reader.queue.next().map(|line| line.number), Some(1));
        let answered: Vec<u64> =
            reader.queue.begin_work(1).iter().map(|line| line.number).collect();
        assert_eq!((answered, numbers(&reader.queue)), (vec![3], vec![2]));
        reader.take(Line::new(4, "isready".to_owned()));
        assert_eq!(reader.at_once.done, ["ready 4"]);
        // What is stopped ends now, and the next answer has its place behind what waits.
        for (number, text) in [(5, "stop"), (6, "isready")] {
            reader.take(Line::new(number, text.to_owned()));
        }
        assert_eq!(numbers(&reader.queue), [2, 5, 6]);
    }

    #[test]
    fn of_an_overlong_line_the_first_word_is_read() {
        let mut bytes = b"go ".repeat(MAX_LINE as usize);
        bytes.extend(b"\nd\n");
        let mut reader = reader();
        reader.read_all(&mut &bytes[..]);
        let (first, second) = (reader.queue.next(), reader.queue.next());
        assert!(first.is_some_and(|line| line.is_too_long && line.first_word() == "go"));
        assert!(second.is_some_and(|line| !line.is_too_long && line.first_word() == "d"));
        assert!(reader.queue.next().is_none());
    }
}
