//! A NATS server on this machine, and workers of it.

use std::env;
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::process::Process;

/// Environment variable: if it is `1`, a test fails without `nats-server` instead of being skipped.
const DEMAND: &str = "NULLARBOR_NATS";
/// Longest time in which the server starts.
const PATIENCE: Duration = Duration::from_secs(20);

/// A server with JetStream, its files in a folder of its own. It is killed when dropped.
pub struct Server {
    port: u16,
    /// The rest of its configuration.
    config: String,
    folder: tempfile::TempDir,
    process: Option<Process>,
}

impl Server {
    /// Starts a server; `None`, with a message, where there is no `nats-server`.
    ///
    /// # Panics
    /// If there is none and the environment demands one.
    pub fn start() -> Option<Self> {
        Self::configured("", |_| ())
    }

    /// Starts a server with more configuration, after its folder is prepared. Files are named relative to the folder.
    ///
    /// # Panics
    /// As [`Server::start`].
    pub fn configured(config: &str, prepare: impl FnOnce(&Path)) -> Option<Self> {
        let found = Command::new("nats-server").arg("--version").stdout(Stdio::null()).status();
        if found.is_err_and(|error| error.kind() == ErrorKind::NotFound) {
            let demanded = env::var(DEMAND).is_ok_and(|value| value == "1");
            assert!(!demanded, "{DEMAND}=1, and there is no nats-server");
            eprintln!("skipped: there is no nats-server (Debian: apt-get install nats-server)");
            return None;
        }
        let free = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = free.local_addr().expect("its address").port();
        let folder = tempfile::tempdir().expect("a temporary folder");
        prepare(folder.path());
        // Last: until the server has it, it may be given to others.
        drop(free);
        let mut server = Self { port, config: config.to_owned(), folder, process: None };
        server.restart();
        Some(server)
    }

    /// Kills the server, as `kill -9` does.
    pub fn kill(&mut self) {
        self.process = None;
    }

    /// Starts it again, with the files that it left.
    pub fn restart(&mut self) {
        self.kill();
        let text = format!(
            "listen: \"127.0.0.1:{}\"\njetstream {{ store_dir: \"queue\" }}\n{}\n",
            self.port, self.config
        );
        fs::write(self.folder.path().join("nats.conf"), text).expect("room");
        let mut command = Command::new("nats-server");
        command.args(["-c", "nats.conf"]).current_dir(self.folder.path());
        let mut process = Process::spawn(&mut command);
        process.close_input();
        self.process = Some(process);
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(begun.elapsed() < PATIENCE, "the server does not start");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Returns its host and port.
    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Returns its URL.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Starts a worker with one thread, in a folder where it finds no file of a run.
    pub fn worker(&self) -> Process {
        self.worker_of(&crate::tuner())
    }

    /// Starts a worker of some program.
    pub fn worker_of(&self, program: &Path) -> Process {
        self.worker_with(program, &[&self.url()])
    }

    /// Starts a worker of some program that reaches the server with these words behind `--cluster`, in the folder of the server.
    pub fn worker_with(&self, program: &Path, words: &[&str]) -> Process {
        start_worker(&mut self.worker_command(program, words))
    }

    /// Starts a worker as soon as a counter is not 0: as soon as a worker whose faults count has had a job, for an honest one that
    /// starts beside it may leave none.
    pub fn worker_after(&self, counter: Arc<AtomicU64>) -> LateWorker {
        let is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&is_over);
        let mut command = self.worker_command(&crate::tuner(), &[&self.url()]);
        let thread = thread::spawn(move || {
            while counter.load(Ordering::Relaxed) == 0 && !over.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(5));
            }
            start_worker(&mut command)
        });
        LateWorker { is_over, thread: Some(thread) }
    }

    fn worker_command(&self, program: &Path, words: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(["worker", "--threads", "1", "--cluster"]).args(words);
        command.current_dir(self.folder.path());
        command
    }

    /// Starts a proxy of the server and returns its URL and how often it has flipped a bit. In what clients send it flips the
    /// lowest of the last digit of each number behind these words, as bad memory would.
    pub fn flipping_proxy(&self, words: &'static str) -> (String, Arc<AtomicU64>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("nats://{}", listener.local_addr().expect("its address"));
        let host = self.host();
        let flips = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&flips);
        thread::spawn(move || -> io::Result<()> {
            loop {
                let (client, _) = listener.accept()?;
                let server = TcpStream::connect(&host)?;
                let ends = (client.try_clone()?, server.try_clone()?);
                let counter = Arc::clone(&counter);
                thread::spawn(move || {
                    forward(client, server, |bytes| {
                        counter.fetch_add(flip(bytes, words.as_bytes()), Ordering::Relaxed);
                        false
                    });
                });
                thread::spawn(move || forward(ends.1, ends.0, |_| false));
            }
        });
        (url, flips)
    }

    /// Starts a proxy of the server and returns its URL. It cuts the connection once, when a client first sends these words,
    /// which the server never sees; the client may connect again at once.
    pub fn cutting_proxy(&self, words: &'static str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("nats://{}", listener.local_addr().expect("its address"));
        let host = self.host();
        let was_cut = Arc::new(AtomicBool::new(false));
        thread::spawn(move || -> io::Result<()> {
            loop {
                let (client, _) = listener.accept()?;
                let server = TcpStream::connect(&host)?;
                let ends = (client.try_clone()?, server.try_clone()?);
                let cut = Arc::clone(&was_cut);
                thread::spawn(move || {
                    forward(client, server, |bytes| {
                        let has_words = bytes.windows(words.len()).any(|it| it == words.as_bytes());
                        has_words && !cut.swap(true, Ordering::Relaxed)
                    });
                });
                thread::spawn(move || forward(ends.1, ends.0, |_| false));
            }
        });
        url
    }
}

/// Hands bytes on until one side is gone, or bytes come at which the connection is cut.
fn forward(mut from: TcpStream, mut to: TcpStream, is_cut: impl Fn(&mut [u8]) -> bool) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(count) = from.read(&mut buffer)
        && count > 0
        && !is_cut(&mut buffer[..count])
        && to.write_all(&buffer[..count]).is_ok()
    {}
    // A side that is gone is shut down already.
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}

/// Flips bits, and returns how many.
fn flip(bytes: &mut [u8], words: &[u8]) -> u64 {
    let mut flips = 0;
    for at in 0..bytes.len().saturating_sub(words.len()) {
        let behind = at + words.len();
        if bytes[at..behind] == *words {
            let digits = bytes[behind..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            if digits > 0 {
                bytes[behind + digits - 1] ^= 1;
                flips += 1;
            }
        }
    }
    flips
}

fn start_worker(command: &mut Command) -> Process {
    let mut process = Process::spawn(command);
    process.close_input();
    process
}

/// A worker that starts late. It is killed when dropped.
pub struct LateWorker {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<Process>>,
}

impl Drop for LateWorker {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic in it has been told.
            let _ = thread.join();
        }
    }
}
