//! A child process that is spoken with in lines. Lines are stamped when the pipe gives them, not when somebody comes
//! to look; nobody is woken for lines that say nothing new.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam::channel::{self, Receiver, RecvTimeoutError, Sender};

use super::Command;
use super::info;
use crate::work::stop::Stop;

/// A line that is longer is cut: no engine says so much.
const LONGEST_LINE: u64 = 1 << 16;
/// An engine that talks without being listened to is held up at the pipe.
const LINES_KEPT: usize = 256;
/// How long a child that was told to go may take.
const FAREWELL: Duration = Duration::from_millis(500);
/// How long to wait for its last words.
const LAST_WORDS: Duration = Duration::from_millis(200);
/// How often a wait looks whether it is still wanted.
const GLANCE: Duration = Duration::from_millis(50);

/// A line of output that is not `info`.
#[derive(Debug)]
pub struct Line {
    pub text: String,
    pub at: Instant,
    /// The last line before it that told the value of a search, and when it came.
    pub info: Option<(Instant, String)>,
}

/// Why no line came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// The process has closed its output.
    Closed,
    /// The deadline is over.
    TimedOut,
    /// Nobody wants it any more.
    Aborted,
}

/// A child process; it is told to quit, and then killed, when dropped.
pub struct Process {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Line>,
    errors: Option<JoinHandle<()>>,
    last_error: Arc<Mutex<String>>,
}

impl Process {
    /// Starts it, in a group of its own: a Ctrl-C in the terminal is meant for the match, not for its engines.
    pub fn spawn(command: &Command) -> io::Result<Self> {
        let mut builder = std::process::Command::new(&command.program);
        builder.args(&command.args);
        builder.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(folder) = &command.folder {
            builder.current_dir(folder);
        }
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut builder, 0);
        let mut child = builder.spawn()?;
        let input = child.stdin.take();
        let (sender, lines) = channel::bounded(LINES_KEPT);
        let last_error = Arc::default();
        let mut error_reader = None;
        if let (Some(output), Some(errors)) = (child.stdout.take(), child.stderr.take()) {
            let last_error = Arc::clone(&last_error);
            thread::Builder::new().spawn(move || read_output(output, &sender))?;
            let read = move || read_errors(errors, &last_error);
            error_reader = Some(thread::Builder::new().spawn(read)?);
        }
        Ok(Self { child, input, lines, errors: error_reader, last_error })
    }

    /// Sends text and the end of its line.
    pub fn send(&mut self, text: &str) -> io::Result<()> {
        let Some(input) = &mut self.input else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        // One write: the child is woken once.
        input.write_all(format!("{text}\n").as_bytes())
    }

    /// Waits for a line.
    pub fn receive(&self, deadline: Instant, stop: &Stop) -> Result<Line, Silence> {
        loop {
            if stop.is_aborting() {
                return Err(Silence::Aborted);
            }
            match self.lines.recv_deadline(deadline.min(Instant::now() + GLANCE)) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(Silence::Closed),
                Err(RecvTimeoutError::Timeout) if Instant::now() >= deadline => {
                    return Err(Silence::TimedOut);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Kills it, and on systems that know groups of processes all that it has started.
    fn kill(&mut self) {
        #[cfg(unix)]
        if let Some(group) = rustix::process::Pid::from_raw(self.child.id() as i32) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
    }

    /// The last line of its error output. A process that has ended may have said it just now.
    pub fn last_error(&self) -> String {
        let deadline = Instant::now() + LAST_WORDS;
        while self.errors.as_ref().is_some_and(|reader| !reader.is_finished())
            && Instant::now() < deadline
        {
            thread::sleep(Duration::from_millis(1));
        }
        self.last_error.lock().map_or(String::new(), |line| line.clone())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Whether it hears or not, it is gone after this.
        let _ = self.send("quit");
        self.input = None;
        let deadline = Instant::now() + FAREWELL;
        while Instant::now() < deadline {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            // An engine that still talks must not hang at a full pipe.
            self.lines.try_iter().take(LINES_KEPT).for_each(drop);
            thread::sleep(Duration::from_millis(1));
        }
        self.kill();
        let _ = self.child.wait();
    }
}

fn read_output(output: ChildStdout, sender: &Sender<Line>) {
    let mut last_info = None;
    each_line(output, |text| {
        let at = Instant::now();
        if info::is_telling(&text) {
            last_info = Some((at, text));
            return true;
        }
        let info = if is_best_move(&text) { last_info.take() } else { None };
        text.starts_with("info") || sender.send(Line { text, at, info }).is_ok()
    });
}

/// Whether a line ends a search.
pub fn is_best_move(line: &str) -> bool {
    line.split_ascii_whitespace().next() == Some("bestmove")
}

fn read_errors(errors: ChildStderr, last: &Mutex<String>) {
    each_line(errors, |text| {
        if let Ok(mut last) = last.lock()
            && !text.trim().is_empty()
        {
            *last = text;
        }
        true
    });
}

/// Hands lines on until there are none or nobody wants them.
fn each_line(source: impl Read, mut take: impl FnMut(String) -> bool) {
    let mut reader = BufReader::new(source);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes) {
            Ok(count) if count > 0 => {}
            _ => return,
        }
        let text = String::from_utf8_lossy(&bytes).trim_end().to_owned();
        if !take(text) {
            return;
        }
    }
}
