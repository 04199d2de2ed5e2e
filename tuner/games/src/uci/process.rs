//! A child process that exchanges lines. A line is time-stamped when it leaves the pipe, not when it is received; `info`
//! lines wake no thread.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, ChildStdout, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam::channel::{self, Receiver, RecvTimeoutError, Sender};
use parking_lot::Mutex;

use super::Command;
use super::info;
use super::input::{Input, RecvError};
use super::log::{Direction, ProcessLog};
use nullarbor_runs::Stop;

/// Maximum length of a line in bytes; a longer one is cut.
const LONGEST_LINE: u64 = 1 << 16;
/// Lines kept for the receiver; more are held up in the pipe.
const LINES_KEPT: usize = 256;
/// Time for the child to end after `quit`.
const QUIT_TIMEOUT: Duration = Duration::from_millis(500);
/// Time to wait for the end of its error output.
const STDERR_TIMEOUT: Duration = Duration::from_millis(200);
/// Time for the child to read what it is sent, once the pipe is full.
const SEND_TIMEOUT: Duration = Duration::from_secs(1);
/// Time to wait for the exit status of a child that has closed its output.
const EXIT_TIMEOUT: Duration = Duration::from_millis(200);
/// `info` lines of a search that are kept: the last.
const INFOS_KEPT: usize = 512;
/// Interval at which a wait checks whether the game is aborted.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A line of output that is not `info`.
#[derive(Debug)]
pub struct Line {
    pub text: String,
    pub at: Instant,
    /// Before a `bestmove`, the last `info` lines with a score or a variation, and their times.
    pub infos: VecDeque<(Instant, String)>,
}

/// A child process. When dropped it gets `quit`, and is killed if it does not end.
pub struct Process {
    child: Child,
    input: Option<Input>,
    lines: Receiver<Line>,
    errors: Option<JoinHandle<()>>,
    last_error: Arc<Mutex<String>>,
    log: Option<ProcessLog>,
}

impl Process {
    /// Starts it, in a process group of its own: Ctrl-C in the terminal is for the match, not for its engines.
    pub fn spawn(command: &Command, log: Option<ProcessLog>) -> io::Result<Self> {
        let mut builder = std::process::Command::new(&command.program);
        builder.args(&command.args);
        builder.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(folder) = &command.folder {
            builder.current_dir(folder);
        }
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut builder, 0);
        let mut child = builder.spawn()?;
        let input = child.stdin.take().map(Input::new).transpose()?;
        let (sender, lines) = channel::bounded(LINES_KEPT);
        let last_error = Arc::default();
        let mut error_reader = None;
        if let (Some(output), Some(errors)) = (child.stdout.take(), child.stderr.take()) {
            let last_error = Arc::clone(&last_error);
            let (output_log, error_log) = (log.clone(), log.clone());
            let read = move || read_output(output, &sender, output_log.as_ref());
            thread::Builder::new().spawn(read)?;
            let read = move || read_errors(errors, &last_error, error_log.as_ref());
            error_reader = Some(thread::Builder::new().spawn(read)?);
        }
        Ok(Self { child, input, lines, errors: error_reader, last_error, log })
    }

    /// Sends a line.
    pub fn send(&mut self, text: &str) -> Result<(), RecvError> {
        self.send_within(text, SEND_TIMEOUT)
    }

    fn send_within(&mut self, text: &str, wait: Duration) -> Result<(), RecvError> {
        let input = self.input.as_mut().ok_or(RecvError::Closed)?;
        self.log.iter().for_each(|log| log.note(Direction::ToEngine, text));
        let sent = input.send(text, wait);
        if sent == Err(RecvError::TimedOut) {
            self.input = None;
        }
        sent
    }

    /// Waits for a line.
    pub fn receive(&self, deadline: Instant, stop: &Stop) -> Result<Line, RecvError> {
        loop {
            if stop.is_aborting() {
                return Err(RecvError::Aborted);
            }
            match self.lines.recv_deadline(deadline.min(Instant::now() + POLL_INTERVAL)) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(RecvError::Closed),
                Err(RecvTimeoutError::Timeout) if Instant::now() >= deadline => {
                    return Err(RecvError::TimedOut);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Kills it, and on Unix all processes of its group.
    fn kill(&mut self) {
        #[cfg(unix)]
        if let Some(group) = rustix::process::Pid::from_raw(self.child.id() as i32) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
    }

    /// Ends its input.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Returns how it ended, after a short wait for one that is just ending; `None` if it still runs.
    pub fn exit_status(&mut self) -> Option<ExitStatus> {
        self.exit_within(EXIT_TIMEOUT)
    }

    /// Waits for its end and returns how it ended; `None` if it still runs.
    pub fn exit_within(&mut self, wait: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + wait;
        loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < deadline => {
                    // One that still writes must not block on a full pipe.
                    self.lines.try_iter().take(LINES_KEPT).for_each(drop);
                    thread::sleep(Duration::from_millis(1));
                }
                status => return status.ok().flatten(),
            }
        }
    }

    /// Returns the last line of its error output so far.
    pub fn last_error(&self) -> String {
        self.last_error.lock().clone()
    }

    /// Returns the last line of its error output, after a short wait for one that is just being written.
    pub fn final_error(&self) -> String {
        let deadline = Instant::now() + STDERR_TIMEOUT;
        while self.errors.as_ref().is_some_and(|reader| !reader.is_finished())
            && Instant::now() < deadline
        {
            thread::sleep(Duration::from_millis(1));
        }
        self.last_error()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // If it cannot be sent, the process is killed below.
        let _ = self.send_within("quit", Duration::ZERO);
        self.input = None;
        if self.exit_within(QUIT_TIMEOUT).is_some() {
            return;
        }
        self.kill();
        let _ = self.child.wait();
    }
}

fn read_output(output: ChildStdout, sender: &Sender<Line>, log: Option<&ProcessLog>) {
    let mut infos = VecDeque::new();
    each_line(output, |text| {
        let at = Instant::now();
        log.iter().for_each(|log| log.note(Direction::FromEngine, &text));
        if text.starts_with("info") {
            if info::tells_of_search(&text) {
                if infos.len() == INFOS_KEPT {
                    infos.pop_front();
                }
                infos.push_back((at, text));
            }
            return true;
        }
        let infos = if is_best_move(&text) { std::mem::take(&mut infos) } else { VecDeque::new() };
        sender.send(Line { text, at, infos }).is_ok()
    });
}

/// Returns whether a line ends a search.
pub fn is_best_move(line: &str) -> bool {
    line.split_ascii_whitespace().next() == Some("bestmove")
}

fn read_errors(errors: ChildStderr, last: &Mutex<String>, log: Option<&ProcessLog>) {
    each_line(errors, |text| {
        log.iter().for_each(|log| log.note(Direction::Errors, &text));
        if !text.trim().is_empty() {
            *last.lock() = text;
        }
        true
    });
}

/// Calls `take` with each line until the end, or until it returns false.
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_child_that_does_not_read_holds_nobody_up() {
        let args = ["-c", "sleep 60"].map(str::to_owned).to_vec();
        let command = Command { program: "sh".into(), args, ..Command::default() };
        let mut process = Process::spawn(&command, None).expect("a shell");
        let begun = Instant::now();
        // More than a pipe holds.
        assert_eq!(process.send(&"x".repeat(1 << 20)), Err(RecvError::TimedOut));
        assert_eq!(process.send("x"), Err(RecvError::Closed));
        drop(process);
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    }
}
