//! A child process whose lines are read with a deadline.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Lines of the dialogue that a failing test shows.
const TRANSCRIPT: usize = 60;

/// Longest piece of a line that a failing test shows.
const SHOWN: usize = 200;

/// One line of output, stamped when the pipe gave it, not when the test came to look.
#[derive(Clone, Debug)]
pub struct Line {
    /// The line without its end.
    pub text: String,
    /// Time at which it was read.
    pub at: Instant,
}

/// The status and output that an ended process leaves.
#[derive(Debug)]
pub struct Exit {
    /// Exit status.
    pub status: ExitStatus,
    /// Lines of output that no test had read before.
    pub lines: Vec<String>,
    /// All of its error output.
    pub errors: String,
}

impl Exit {
    /// Asserts that the process ended by its own will and with success, and that no thread of it panicked.
    pub fn assert_clean(&self) {
        assert!(
            self.status.success(),
            "ended with {}; error output:\n{}",
            self.status,
            self.errors
        );
        self.assert_no_panic();
    }

    /// Asserts that no thread of the process panicked.
    pub fn assert_no_panic(&self) {
        assert!(!self.errors.contains("panicked"), "a thread panicked:\n{}", self.errors);
    }

    /// The last line that is not empty.
    ///
    /// # Panics
    /// If there was none.
    pub fn last_line(&self) -> &str {
        let last = self.lines.iter().rev().find(|line| !line.trim().is_empty());
        last.unwrap_or_else(|| panic!("no output; error output:\n{}", self.errors))
    }
}

/// A running process; it is killed when dropped.
pub struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<Line>,
    errors: Option<JoinHandle<String>>,
    transcript: VecDeque<String>,
}

impl Process {
    /// Starts the engine with arguments.
    pub fn start<S: AsRef<OsStr>>(arguments: &[S]) -> Self {
        Self::spawn(Command::new(crate::engine()).args(arguments))
    }

    /// Starts any command with its three streams piped.
    pub fn spawn(command: &mut Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // It would colour even what goes into a pipe.
        command.env_remove("CLICOLOR_FORCE");
        let mut child = spawn(command).unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let stdout = child.stdout.take().expect("a piped output");
        let mut stderr = child.stderr.take().expect("a piped error output");
        let (sender, output) = channel();
        thread::spawn(move || {
            let mut reader = BufReader::new(stdout);
            let mut bytes = Vec::new();
            while reader.read_until(b'\n', &mut bytes).is_ok_and(|count| count > 0) {
                let at = Instant::now();
                let text =
                    String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']).to_owned();
                bytes.clear();
                if sender.send(Line { text, at }).is_err() {
                    break;
                }
            }
        });
        let errors = thread::spawn(move || {
            let mut bytes = Vec::new();
            // What was read before a failure is still worth showing.
            let _ = stderr.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        });
        Self {
            input: child.stdin.take(),
            child,
            output,
            errors: Some(errors),
            transcript: VecDeque::new(),
        }
    }

    /// Sends a line and returns the moment just before it was written.
    pub fn send(&mut self, line: &str) -> Instant {
        self.note("> ", line);
        let at = Instant::now();
        self.write(format!("{line}\n").as_bytes());
        at
    }

    /// Sends bytes as they are, without an end of line.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        self.note("> ", &String::from_utf8_lossy(bytes));
        self.write(bytes);
    }

    fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("an open input");
        if let Err(error) = input.write_all(bytes).and_then(|()| input.flush()) {
            self.fail(&format!("the process reads no more: {error}"));
        }
    }

    /// Reads up to and with the first line that `stop` accepts. Fails, naming `what`, after `limit` or at the end of output.
    pub fn read_until(
        &mut self,
        what: &str,
        limit: Duration,
        stop: impl Fn(&str) -> bool,
    ) -> Vec<Line> {
        let deadline = Instant::now() + limit;
        let mut lines = Vec::new();
        loop {
            match self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    self.note("< ", &line.text);
                    let last = stop(&line.text);
                    lines.push(line);
                    if last {
                        return lines;
                    }
                }
                Err(RecvTimeoutError::Timeout) => self.fail(&format!("no {what} within {limit:?}")),
                Err(RecvTimeoutError::Disconnected) => {
                    self.fail(&format!("output ended before {what}"))
                }
            }
        }
    }

    /// Reads whatever comes within `time`.
    pub fn read_for(&mut self, time: Duration) -> Vec<Line> {
        let deadline = Instant::now() + time;
        let mut lines = Vec::new();
        while let Ok(line) =
            self.output.recv_timeout(deadline.saturating_duration_since(Instant::now()))
        {
            self.note("< ", &line.text);
            lines.push(line);
        }
        lines
    }

    /// Ends the input of the process.
    pub fn close_input(&mut self) {
        self.note("> ", "(end of input)");
        self.input = None;
    }

    /// Process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the most bytes that the process ever held.
    #[cfg(target_os = "linux")]
    pub fn peak_memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id()));
        let status = status.expect("a process");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
        let kibibytes: u64 = line.trim().trim_end_matches(" kB").trim().parse().expect("a number");
        kibibytes << 10
    }

    /// Waits for the end of the process, at most `limit`.
    pub fn finish(mut self, limit: Duration) -> Exit {
        let deadline = Instant::now() + limit;
        let mut lines = Vec::new();
        loop {
            match self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    self.note("< ", &line.text);
                    lines.push(line.text);
                }
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    self.fail(&format!("still running after {limit:?}"))
                }
            }
        }
        let status = loop {
            match self.child.try_wait().expect("the status of a child") {
                Some(status) => break status,
                None if Instant::now() > deadline => {
                    self.fail(&format!("still running after {limit:?}"))
                }
                None => thread::sleep(Duration::from_millis(1)),
            }
        };
        Exit { status, lines, errors: self.error_output() }
    }

    /// Returns what the process left, if it has ended.
    pub fn try_finish(&mut self) -> Option<Exit> {
        let status = self.child.try_wait().expect("the status of a child")?;
        let lines = self.output.iter().map(|line| line.text).collect();
        Some(Exit { status, lines, errors: self.error_output() })
    }

    /// Fails the test, with the dialogue so far and the error output.
    pub fn fail(&mut self, why: &str) -> ! {
        let _ = self.child.kill();
        let transcript = Vec::from(std::mem::take(&mut self.transcript)).join("\n");
        panic!("{why}\n--- dialogue\n{transcript}\n--- error output\n{}", self.error_output());
    }

    fn error_output(&mut self) -> String {
        self.errors.take().and_then(|reader| reader.join().ok()).unwrap_or_default()
    }

    fn note(&mut self, mark: &str, line: &str) {
        if self.transcript.len() == TRANSCRIPT {
            self.transcript.pop_front();
        }
        let shown: String = line.chars().take(SHOWN).collect();
        let more = if shown.len() < line.len() { " ..." } else { "" };
        self.transcript.push_back(format!("{mark}{shown}{more}"));
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a command. A program that was just written may still be open in what another test is starting.
fn spawn(command: &mut Command) -> io::Result<Child> {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        match command.spawn() {
            Err(error)
                if error.kind() == ErrorKind::ExecutableFileBusy && Instant::now() < deadline =>
            {
                thread::sleep(Duration::from_millis(1));
            }
            started => return started,
        }
    }
}

/// Interrupts a process as Ctrl-C does. Where the tests ignore that, as in the background of a script, so do the processes
/// that they start, which are then ended by SIGTERM.
pub fn interrupt(process: &Process) {
    let shell = Command::new("sh").args(["-c", "kill -INT $$"]).status();
    let signal = if shell.is_ok_and(|status| status.success()) { "-TERM" } else { "-INT" };
    let sent = Command::new("kill").args([signal, &process.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()), "no signal was sent");
}

/// Runs the engine with arguments and no input until it ends by itself.
pub fn run<S: AsRef<OsStr>>(arguments: &[S], limit: Duration) -> Exit {
    let mut process = Process::start(arguments);
    process.close_input();
    process.finish(limit)
}
