//! Connections: no more than this process may have open, and none that keeps its place without asking for anything.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// Time in which a browser must have sent the head of its request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(5);
/// Pause after a connection could not be taken, as when too many files are open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A connection that is served.
struct Served {
    /// Set once its request has been read.
    asked: Arc<AtomicBool>,
    task: JoinHandle<()>,
}

/// Returns how many connections are served at the same time: half of the files that this process may open.
pub fn most() -> usize {
    const MOST: usize = 4096;
    #[cfg(unix)]
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    #[cfg(not(unix))]
    let files: Option<u64> = None;
    files.map_or(MOST, |files| usize::try_from(files / 2).unwrap_or(MOST)).clamp(16, MOST)
}

/// Serves connections for ever, at most `most` at a time. A new one takes the place of the oldest that has not asked yet; if
/// all have, it is closed.
pub async fn serve(listener: TcpListener, app: Router, most: usize) {
    let mut open: VecDeque<Served> = VecDeque::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        if open.len() >= most {
            open.retain(|it| !it.task.is_finished());
        }
        if open.len() >= most {
            let silent = open.iter().position(|it| !it.asked.load(Ordering::Relaxed));
            let Some(silent) = silent.and_then(|at| open.remove(at)) else { continue };
            silent.task.abort();
        }
        let asked = Arc::new(AtomicBool::new(false));
        let task = tokio::spawn(serve_one(stream, app.clone(), Arc::clone(&asked)));
        open.push_back(Served { asked, task });
    }
}

/// Answers one request.
async fn serve_one(stream: TcpStream, app: Router, asked: Arc<AtomicBool>) {
    let service = TowerToHyperService::new(app);
    let service = service_fn(move |request: Request<hyper::body::Incoming>| {
        asked.store(true, Ordering::Relaxed);
        service.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service);
    // Who goes away early needs no answer.
    let _ = connection.await;
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::time::Instant;

    use axum::routing::get;

    use super::*;

    fn ask(address: std::net::SocketAddr) -> std::io::Result<String> {
        let mut stream = std::net::TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_secs(20)))?;
        stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    }

    #[test]
    fn half_requests_keep_nobody_out_and_are_closed() {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port");
        let address = listener.local_addr().expect("an address");
        let app = Router::new().route("/", get(|| async { "here" }));
        runtime.spawn(serve(listener, app, 8));
        let mut half: Vec<_> = (0..40)
            .map(|_| {
                let mut stream = std::net::TcpStream::connect(address).expect("a connection");
                stream.write_all(b"GET / HTTP/1.1\r\nHost: loc").expect("half a request");
                stream
            })
            .collect();
        assert!(ask(address).expect("an answer").ends_with("here"));
        let begun = Instant::now();
        for stream in &mut half {
            stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
            let mut rest = Vec::new();
            // Closed, or reset.
            let _ = stream.read_to_end(&mut rest);
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    }
}
