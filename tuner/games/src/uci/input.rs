//! The pipe to a child process. A child that does not read must not hold up the match.

use std::io;
use std::process::ChildStdin;
use std::time::Duration;

/// Why no line was sent or received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecvError {
    /// The process has closed its output.
    Closed,
    /// The deadline passed, or it does not read what it is sent.
    TimedOut,
    /// The game was aborted.
    Aborted,
}

/// The pipe to a child.
#[derive(Debug)]
pub struct Input(Pipe);

#[cfg(unix)]
type Pipe = non_blocking::Pipe;
/// The pipe on systems where it cannot be made non-blocking: a thread of its own may wait at it.
#[cfg(not(unix))]
type Pipe = writer::Pipe;

impl Input {
    /// Takes the pipe.
    pub fn new(pipe: ChildStdin) -> io::Result<Self> {
        Pipe::new(pipe).map(Self)
    }

    /// Writes a line, and waits that long for a child that does not read. After an error nothing can be written: what came
    /// next would stand behind half a line.
    pub fn send(&mut self, line: &str, wait: Duration) -> Result<(), RecvError> {
        // One write wakes the child once.
        self.0.send(format!("{line}\n").into_bytes(), wait)
    }
}

#[cfg(unix)]
mod non_blocking {
    use std::io::Write;
    use std::thread;
    use std::time::Instant;

    use super::{ChildStdin, Duration, RecvError, io};

    /// Interval at which a full pipe is tried again.
    const INTERVAL: Duration = Duration::from_millis(1);

    #[derive(Debug)]
    pub struct Pipe(ChildStdin);

    impl Pipe {
        pub fn new(pipe: ChildStdin) -> io::Result<Self> {
            rustix::io::ioctl_fionbio(&pipe, true)?;
            Ok(Self(pipe))
        }

        pub fn send(&mut self, bytes: Vec<u8>, wait: Duration) -> Result<(), RecvError> {
            let (mut rest, begun) = (bytes.as_slice(), Instant::now());
            while !rest.is_empty() {
                match self.0.write(rest) {
                    Ok(count) => rest = &rest[count..],
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        if begun.elapsed() >= wait {
                            return Err(RecvError::TimedOut);
                        }
                        thread::sleep(INTERVAL);
                    }
                    Err(_) => return Err(RecvError::Closed),
                }
            }
            Ok(())
        }
    }
}

#[cfg(any(not(unix), test))]
mod writer {
    use std::io::Write;
    use std::thread;

    use crossbeam::channel::{self, SendTimeoutError, Sender};

    use super::{ChildStdin, Duration, RecvError, io};

    /// Lines that wait for the writer. What comes after them waits in `send`.
    const QUEUE: usize = 4;

    /// The thread ends when this is dropped; one that waits at the pipe, when the child ends.
    #[derive(Debug)]
    pub struct Pipe(Sender<Vec<u8>>);

    impl Pipe {
        pub fn new(mut pipe: ChildStdin) -> io::Result<Self> {
            let (sender, lines) = channel::bounded::<Vec<u8>>(QUEUE);
            let write = move || {
                while let Ok(line) = lines.recv()
                    && pipe.write_all(&line).is_ok()
                {}
            };
            thread::Builder::new().spawn(write)?;
            Ok(Self(sender))
        }

        pub fn send(&mut self, bytes: Vec<u8>, wait: Duration) -> Result<(), RecvError> {
            self.0.send_timeout(bytes, wait).map_err(|error| match error {
                SendTimeoutError::Timeout(_) => RecvError::TimedOut,
                SendTimeoutError::Disconnected(_) => RecvError::Closed,
            })
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::Read;
    use std::process::{Child, Command, Stdio};
    use std::time::Instant;

    use super::*;

    fn shell(script: &str) -> (Child, ChildStdin) {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("a shell");
        let pipe = child.stdin.take().expect("a pipe");
        (child, pipe)
    }

    /// The way of other systems, which works on this one, too.
    #[test]
    fn the_writer_waits_for_no_child_that_does_not_read() {
        let (mut child, pipe) = shell("exec sleep 60");
        let mut pipe = writer::Pipe::new(pipe).expect("a thread");
        let begun = Instant::now();
        let wait = Duration::from_millis(50);
        let mut send = || pipe.send(vec![b'x'; 1 << 20], wait);
        let error = (0..20).find_map(|_| send().err());
        assert_eq!(error, Some(RecvError::TimedOut));
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
        child.kill().expect("ours");
        child.wait().expect("ours");
        // The write fails now, and the thread ends.
        let closed = (0..500).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            pipe.send(Vec::new(), Duration::ZERO) == Err(RecvError::Closed)
        });
        assert!(closed);
    }

    #[test]
    fn the_writer_writes_all_lines_in_order() {
        let (mut child, pipe) = shell("exec cat");
        let mut pipe = writer::Pipe::new(pipe).expect("a thread");
        let lines: Vec<String> = (0..100).map(|number| format!("{number}\n")).collect();
        for line in &lines {
            pipe.send(line.clone().into_bytes(), Duration::from_secs(10)).expect("it reads");
        }
        drop(pipe);
        let mut text = String::new();
        child.stdout.take().expect("a pipe").read_to_string(&mut text).expect("text");
        assert_eq!(text, lines.concat());
        child.wait().expect("ours");
    }
}
