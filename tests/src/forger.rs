//! A machine that speaks with a NATS server as a worker does, and answers jobs with whatever a test wants.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};

use crate::cluster::Server;

/// A client of a NATS server that reads and writes the protocol's lines.
pub struct Client {
    stream: TcpStream,
    reader: BufReader<TcpStream>,
}

/// A message from the server.
#[derive(Debug)]
pub struct Message {
    /// Subject of the message.
    pub subject: String,
    /// Subject of an answer.
    pub reply: Option<String>,
    /// Content of the message.
    pub payload: Vec<u8>,
}

const INBOX: &str = "_INBOX.forger";

impl Client {
    /// Connects to a server without credentials.
    ///
    /// # Errors
    /// If the server is gone, as all others.
    pub fn connect(server: &Server) -> io::Result<Self> {
        let stream = TcpStream::connect(server.host())?;
        stream.set_read_timeout(Some(Duration::from_secs(2)))?;
        let mut client = Self { reader: BufReader::new(stream.try_clone()?), stream };
        client.line()?;
        client.send(b"CONNECT {\"verbose\":false,\"headers\":true}\r\n")?;
        client.send(format!("SUB {INBOX} 1\r\n").as_bytes())?;
        Ok(client)
    }

    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        if self.reader.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(line)
    }

    /// Publishes a message, in the name of a worker.
    ///
    /// # Errors
    /// See [`Client::connect`].
    pub fn publish(&mut self, subject: &str, worker: &str, payload: &[u8]) -> io::Result<()> {
        let headers = format!("NATS/1.0\r\nNullarbor-Worker: {worker}\r\n\r\n");
        let (length, all) = (headers.len(), headers.len() + payload.len());
        self.send(format!("HPUB {subject} {length} {all}\r\n{headers}").as_bytes())?;
        self.send(&[payload, b"\r\n"].concat())
    }

    /// Asks the server, and returns its answer; `None` if it has nothing.
    ///
    /// # Errors
    /// See [`Client::connect`].
    pub fn request(&mut self, subject: &str, payload: &str) -> io::Result<Option<Message>> {
        let length = payload.len();
        self.send(format!("PUB {subject} {INBOX} {length}\r\n{payload}\r\n").as_bytes())?;
        let line = loop {
            let line = self.line()?;
            match line.split_ascii_whitespace().next() {
                Some("PING") => self.send(b"PONG\r\n")?,
                Some("MSG" | "HMSG") => break line,
                _ => {}
            }
        };
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let has_headers = words[0] == "HMSG";
        // What the server says itself about an empty queue.
        let is_status = has_headers && words[1] == INBOX;
        let number = |back: usize| -> io::Result<usize> {
            words[words.len() - back].parse().map_err(io::Error::other)
        };
        let length = number(1)?;
        let behind = if has_headers { number(2)? } else { 0 };
        let with_reply = if has_headers { 6 } else { 5 };
        let reply = (words.len() == with_reply).then(|| words[3].to_owned());
        let mut payload = vec![0; length + 2];
        self.reader.read_exact(&mut payload)?;
        payload.truncate(length);
        payload.drain(..behind);
        let message = Message { subject: words[1].to_owned(), reply, payload };
        Ok((!is_status).then_some(message))
    }

    /// Returns the names of the runs that have jobs.
    ///
    /// # Errors
    /// See [`Client::connect`].
    pub fn runs(&mut self) -> io::Result<Vec<String>> {
        let answer = self.request("$JS.API.CONSUMER.NAMES.NULLARBOR_JOBS", "{}")?;
        let answer = answer
            .map_or(Value::Null, |it| serde_json::from_slice(&it.payload).unwrap_or_default());
        let names = answer["consumers"].as_array().cloned().unwrap_or_default();
        Ok(names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect())
    }

    /// Takes a job of a run from the queue.
    ///
    /// # Errors
    /// See [`Client::connect`].
    pub fn job(&mut self, run: &str) -> io::Result<Option<Message>> {
        let wish = json!({ "batch": 1, "expires": 200_000_000 }).to_string();
        let next = format!("$JS.API.CONSUMER.MSG.NEXT.NULLARBOR_JOBS.{run}");
        let message = self.request(&next, &wish)?;
        Ok(message.filter(|it| it.subject.starts_with("nullarbor.jobs.")))
    }
}

/// A forged result.
#[derive(Debug)]
pub struct Forged {
    /// The number of the job that it says to answer.
    pub number: u64,
    /// `done` or `failed`.
    pub kind: &'static str,
    /// The result.
    pub payload: Vec<u8>,
}

impl Forged {
    /// A result as JSON.
    pub fn done(number: u64, result: &Value) -> Self {
        Self { number, kind: "done", payload: result.to_string().into_bytes() }
    }
}

/// A worker that takes jobs and answers as it likes, until it is dropped.
pub struct Forger {
    is_over: Arc<AtomicBool>,
    answered: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl Forger {
    /// Starts it under a name. `answer` is given the number of a job and its task.
    pub fn start(
        server: &Server,
        name: &'static str,
        answer: impl Fn(u64, &Value) -> Vec<Forged> + Send + 'static,
    ) -> Self {
        let mut client = Client::connect(server).expect("a server");
        let (is_over, answered) = (Arc::new(AtomicBool::new(false)), Arc::default());
        let (over, count) = (Arc::clone(&is_over), Arc::clone(&answered));
        let thread = thread::spawn(move || {
            while !over.load(Ordering::Relaxed) {
                // A server that is gone ends the test, which is told by others.
                if forge(&mut client, name, &answer, &count).is_err() {
                    return;
                }
            }
        });
        Self { is_over, answered, thread: Some(thread) }
    }

    /// Returns the counter of the jobs that it has answered.
    pub fn answers(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.answered)
    }
}

fn forge(
    client: &mut Client,
    name: &str,
    answer: &impl Fn(u64, &Value) -> Vec<Forged>,
    count: &AtomicU64,
) -> io::Result<()> {
    let runs = client.runs()?;
    if runs.is_empty() {
        thread::sleep(Duration::from_millis(20));
    }
    for run in runs {
        let Some(job) = client.job(&run)? else { continue };
        let number = job.subject.rsplit('.').next().and_then(|it| it.parse().ok());
        let task = serde_json::from_slice(&job.payload).unwrap_or_default();
        for Forged { number, kind, payload } in answer(number.unwrap_or(0), &task) {
            let subject = format!("nullarbor.results.{run}.{number}.{kind}");
            client.publish(&subject, name, &payload)?;
        }
        count.fetch_add(1, Ordering::Relaxed);
        if let Some(reply) = &job.reply {
            client.publish(reply, name, b"+ACK")?;
        }
    }
    Ok(())
}

impl Drop for Forger {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
