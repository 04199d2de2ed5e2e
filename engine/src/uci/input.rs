//! Lines of the protocol, read by a thread of their own, so that commands that take long hear
//! `stop`, `quit` and the end of the input. That thread carries out the commands of a game itself: on
//! a busy machine waking another one can take longer than the search.

use std::io::{self, BufRead, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use crossbeam::channel::{Receiver, Sender, bounded};

/// Longest line in bytes, far more than any game needs. Of longer ones only the first word is read.
pub const MAX_LINE: u64 = 1 << 20;

/// Lines that are read ahead while a command is carried out.
const READ_AHEAD: usize = 1024;

/// A line.
pub struct Line {
    /// Its number, from 1.
    pub number: u64,
    /// When it was read: the clock of a search runs from there.
    pub at: Instant,
    /// Its text; of an overlong line the first word.
    pub text: String,
    /// Whether it has more than [`MAX_LINE`] bytes.
    pub is_too_long: bool,
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

    /// Returns whether the line is one of a game that takes no time, a search going on elsewhere.
    fn is_quick(&self) -> bool {
        let mut words = self.text.split_ascii_whitespace();
        match words.next() {
            _ if self.is_too_long => false,
            Some("position" | "stop" | "ponderhit" | "isready") => true,
            Some("go") => words.next() != Some("perft"),
            _ => false,
        }
    }
}

/// The number of the latest line that ends what takes long: `stop`, `quit`, or the end of the input.
#[derive(Clone, Debug, Default)]
pub struct Interrupts(Arc<AtomicU64>);

impl Interrupts {
    /// Returns whether such a line has come after the line with this number.
    pub fn came_after(&self, number: u64) -> bool {
        // Relaxed: a number alone, which nothing else depends on.
        self.0.load(Ordering::Relaxed) > number
    }

    fn note(&self, number: u64) {
        self.0.store(number, Ordering::Relaxed);
    }
}

/// The lines that were handed over and are not done yet.
#[derive(Clone, Debug, Default)]
pub struct Unfinished(Arc<AtomicUsize>);

impl Unfinished {
    fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that a line is done.
    pub fn finish_one(&self) {
        // Release: whoever sees that nothing is left sees what was done.
        self.0.fetch_sub(1, Ordering::Release);
    }

    fn is_none(&self) -> bool {
        self.0.load(Ordering::Acquire) == 0
    }
}

/// Starts to read standard input. Lines that are quick go to `carry_out` on the thread that reads,
/// unless others are unfinished; the rest goes to the channel, which ends with the input.
///
/// # Errors
/// If the system gives no thread.
pub fn read_stdin(
    interrupts: Interrupts,
    unfinished: Unfinished,
    carry_out: impl FnMut(&Line) + Send + 'static,
) -> io::Result<Receiver<Line>> {
    let (sender, lines) = bounded(READ_AHEAD);
    let mut reader = Reader { lines: sender, interrupts, unfinished, carry_out };
    let read = move || reader.read_all(&mut io::stdin().lock());
    thread::Builder::new().name("input".to_owned()).spawn(read)?;
    Ok(lines)
}

struct Reader<F> {
    lines: Sender<Line>,
    interrupts: Interrupts,
    unfinished: Unfinished,
    carry_out: F,
}

impl<F: FnMut(&Line)> Reader<F> {
    fn read_all(&mut self, input: &mut impl BufRead) {
        let mut number = 0;
        // What cannot be read has ended.
        while let Ok(Some((text, is_too_long))) = read_line(input) {
            number += 1;
            let line = Line { is_too_long, ..Line::new(number, text) };
            if matches!(line.text.trim(), "stop" | "quit" | "exit") {
                self.interrupts.note(number);
            }
            if line.is_quick() && self.unfinished.is_none() {
                (self.carry_out)(&line);
                continue;
            }
            self.unfinished.add();
            if self.lines.send(line).is_err() {
                return;
            }
        }
        self.interrupts.note(u64::MAX);
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

    fn read(bytes: &[u8]) -> (Vec<Line>, Interrupts) {
        let (handed, _, interrupts) = read_quick(bytes);
        (handed, interrupts)
    }

    /// The lines handed over, the texts of those carried out at once, and the interrupts.
    fn read_quick(bytes: &[u8]) -> (Vec<Line>, Vec<String>, Interrupts) {
        let (lines, handed) = bounded(READ_AHEAD);
        let (interrupts, unfinished) = (Interrupts::default(), Unfinished::default());
        let mut done = Vec::new();
        let carry_out = |line: &Line| done.push(line.text.trim().to_owned());
        Reader { lines, interrupts: interrupts.clone(), unfinished, carry_out }
            .read_all(&mut &bytes[..]);
        (handed.into_iter().collect(), done, interrupts)
    }

    #[test]
    fn lines_are_numbered_and_interrupts_noted() {
        let (lines, interrupts) = read(b"perft 5\nstop\nd\n");
        let texts: Vec<&str> = lines.iter().map(|line| line.text.trim()).collect();
        assert_eq!(texts, ["perft 5", "stop", "d"]);
        assert_eq!(lines[2].number, 3);
        // The end of the input interrupts whatever runs.
        assert!(interrupts.came_after(3));
        let noted = Interrupts::default();
        noted.note(2);
        assert!(noted.came_after(1) && !noted.came_after(2));
    }

    #[test]
    fn moves_of_a_game_are_not_handed_over_unless_something_is_unfinished() {
        let (handed, done, _) = read_quick(b"position startpos\ngo nodes 5\nstop\n");
        assert_eq!(
            (handed.len(), done),
            (0, vec!["position startpos".into(), "go nodes 5".into(), "stop".into()])
        );
        let (handed, done, _) = read_quick(b"isready\ngo perft 2\nposition startpos\nisready\n");
        assert_eq!((handed.len(), done), (3, vec!["isready".to_owned()]));
    }

    #[test]
    fn of_an_overlong_line_the_first_word_is_read() {
        let mut bytes = b"go ".repeat(MAX_LINE as usize);
        bytes.extend(b"\nisready\n");
        let (lines, _) = read(&bytes);
        assert_eq!(lines.len(), 2);
        assert!(lines[0].is_too_long && lines[0].first_word() == "go");
        assert!(!lines[1].is_too_long && lines[1].first_word() == "isready");
    }
}
