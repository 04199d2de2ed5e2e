//! The server.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::middleware::{self, Next};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use futures_util::Stream;
use futures_util::stream;
use nullarbor_cluster::Connection;
use nullarbor_runs::Stop;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::cards::{Card, workers};
use crate::connections;
use crate::page;
use crate::source::Source;
use crate::state::{Pace, Stamp};
use crate::token::Token;

/// Interval at which the runs are looked at.
const INTERVAL: Duration = Duration::from_secs(2);
/// Interval at which a wait checks whether the server is being stopped.
const POLL: Duration = Duration::from_millis(100);

/// The runs that are served, the address, and who may read.
#[derive(Debug)]
pub struct Options {
    /// Folders of runs, or files.
    pub places: Vec<PathBuf>,
    /// Address at which browsers connect.
    pub listen: SocketAddr,
    /// Token that browsers must know; without it only those of this machine may connect.
    pub token: Option<Token>,
    /// The cluster whose workers are shown.
    pub cluster: Option<Connection>,
}

/// Why the page is not served.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum ServeError {
    #[error(
        "--listen {0}: other machines can connect there, so a token is needed: --token-file FILE"
    )]
    NoToken(SocketAddr),
    #[error("--listen {address}: {source}")]
    Listen { address: SocketAddr, source: std::io::Error },
    #[error("the server cannot run: {0}")]
    Run(std::io::Error),
}

/// The cards as they were read last.
type Cards = Arc<Vec<Card>>;

#[derive(Clone)]
struct Shared {
    token: Option<Arc<Token>>,
    policy: Option<HeaderValue>,
    cards: watch::Receiver<Cards>,
    places: Arc<Vec<PathBuf>>,
}

/// Serves the page until it is stopped. `ready` is told the address.
///
/// # Errors
/// If the address cannot be used, or is one of a network and there is no token.
pub fn serve(
    options: Options,
    stop: &Arc<Stop>,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    let Options { places, listen, token, cluster } = options;
    if !listen.ip().is_loopback() && token.is_none() {
        return Err(ServeError::NoToken(listen));
    }
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(1).enable_all().build().map_err(ServeError::Run)?;
    let (sender, cards) = watch::channel(Cards::default());
    let places = Arc::new(places);
    let (seen, halt) = (Arc::clone(&places), Arc::clone(stop));
    // Not waited for: a file system that does not answer must not keep the process.
    std::thread::Builder::new()
        .name("runs".to_owned())
        .spawn(move || read(&seen, cluster.as_ref(), &sender, &halt))
        .map_err(ServeError::Run)?;
    let served = runtime.block_on(async {
        let failed = |source| ServeError::Listen { address: listen, source };
        let listener = TcpListener::bind(listen).await.map_err(failed)?;
        ready(listener.local_addr().map_err(failed)?);
        let policy = HeaderValue::from_str(&page::policy()).ok();
        let app = router(Shared { token: token.map(Arc::new), policy, cards, places });
        tokio::select! {
            () = connections::serve(listener, app, connections::most()) => Ok(()),
            () = stopped(stop) => Ok(()),
        }
    });
    runtime.shutdown_background();
    served
}

async fn stopped(stop: &Stop) {
    while !stop.is_finishing() {
        tokio::time::sleep(POLL).await;
    }
}

/// Reads the runs again and again, those that have changed.
fn read(places: &[PathBuf], cluster: Option<&Connection>, to: &watch::Sender<Cards>, stop: &Stop) {
    let mut known: BTreeMap<PathBuf, (Stamp, Card)> = BTreeMap::new();
    let mut paces: BTreeMap<PathBuf, Pace> = BTreeMap::new();
    while !stop.is_finishing() && !to.is_closed() {
        let mut cards = Vec::new();
        if let Some(cluster) = cluster {
            let found = cluster.worker_statuses().map_err(|error| error.to_string());
            cards.push(workers(&cluster.url, found));
        }
        let sources = Source::find(places);
        known.retain(|path, _| sources.iter().any(|source| source.path == *path));
        paces.retain(|path, _| known.contains_key(path));
        for source in sources {
            let stamp = source.stamp();
            let unchanged = known.get(&source.path).filter(|(then, _)| *then == stamp);
            let pace = paces.entry(source.path.clone()).or_default();
            let card = unchanged
                .map_or_else(|| Card::of(&source, stamp.is_locked, pace), |(_, card)| card.clone());
            known.insert(source.path, (stamp, card.clone()));
            cards.push(card);
        }
        // Stable: within a state the one that changed last comes first.
        cards.sort_by_key(|card| card.state);
        // Receivers may come and go.
        to.send_replace(Arc::new(cards));
        let mut waited = Duration::ZERO;
        while waited < INTERVAL && !stop.is_finishing() {
            std::thread::sleep(POLL);
            waited += POLL;
        }
    }
}

fn router(shared: Shared) -> Router {
    Router::new()
        .route("/", get(whole))
        .route("/events", get(events))
        .route("/cards.json", get(cards))
        .route("/worker.js", get(worker))
        .layer(middleware::from_fn_with_state(shared.clone(), admit))
        .layer(middleware::map_response_with_state(shared.clone(), protect))
        .with_state(shared)
}

/// Returns the token of an address; `None` if there is not exactly one.
fn token_of(uri: &Uri) -> Option<&str> {
    let mut found = uri.query()?.split('&').filter_map(|part| part.strip_prefix("token="));
    found.next().filter(|_| found.next().is_none())
}

/// Lets those in who know the token. Without one, requests must be for this machine by name: a page of another site could
/// otherwise read this one through a name that it lets point here.
async fn admit(
    State(shared): State<Shared>,
    headers: HeaderMap,
    request: Request,
    next: Next,
) -> Response {
    let text = |name| headers.get(name).and_then(|it: &HeaderValue| it.to_str().ok());
    let is_admitted = match &shared.token {
        Some(token) => {
            let bearer = text(header::AUTHORIZATION).and_then(|it| it.strip_prefix("Bearer "));
            bearer.or_else(|| token_of(request.uri())).is_some_and(|it| token.is(it))
        }
        None => text(header::HOST).is_some_and(is_this_machine),
    };
    if is_admitted {
        return next.run(request).await;
    }
    let how = if shared.token.is_some() {
        "401: this page needs the token of the dashboard: add ?token=TOKEN to the address.\n"
    } else {
        "401: without a token, the dashboard answers only to localhost.\n"
    };
    (StatusCode::UNAUTHORIZED, how).into_response()
}

/// Tells the browser, in every answer to a request that can be read, what others may not do with it.
async fn protect(State(shared): State<Shared>, mut response: Response) -> Response {
    let headers = response.headers_mut();
    if let Some(policy) = shared.policy {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    let text = HeaderName::from_static;
    for (name, value) in [
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::CACHE_CONTROL, "no-store"),
        (text("cross-origin-opener-policy"), "same-origin"),
        (text("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

fn is_this_machine(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(host, |(name, port)| {
        if port.bytes().all(|it| it.is_ascii_digit()) { name } else { host }
    });
    matches!(name, "localhost" | "[::1]")
        || name.starts_with("127.") && name.bytes().all(|it| it.is_ascii_digit() || it == b'.')
}

async fn whole(State(shared): State<Shared>) -> Html<String> {
    let cards = Arc::clone(&shared.cards.borrow());
    Html(page::page(&cards, &shared.places))
}

/// The script that the tabs of a browser share: browsers allow six connections to a server, and a stream takes one.
async fn worker() -> Response {
    ([(header::CONTENT_TYPE, "text/javascript")], page::WORKER).into_response()
}

async fn cards(State(shared): State<Shared>) -> Response {
    let cards = Arc::clone(&shared.cards.borrow());
    // Plain data always has a JSON value.
    let text = serde_json::to_string(&*cards).unwrap_or_default();
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}

/// The cards that a browser has: their versions by name.
type Seen = BTreeMap<String, u64>;

async fn events(
    State(shared): State<Shared>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let start = (shared.cards, Seen::new(), Vec::<Event>::new());
    let stream = stream::unfold(start, |(mut cards, mut seen, mut waiting)| async move {
        loop {
            if let Some(event) = waiting.pop() {
                return Some((Ok(event), (cards, seen, waiting)));
            }
            let now = Arc::clone(&cards.borrow_and_update());
            waiting = news(&now, &mut seen);
            // The last is sent first.
            waiting.reverse();
            if waiting.is_empty() && cards.changed().await.is_err() {
                return None;
            }
        }
    });
    Sse::new(stream).keep_alive(KeepAlive::default())
}

/// Returns what has changed since `seen`, in the order of the cards.
fn news(cards: &[Card], seen: &mut Seen) -> Vec<Event> {
    let is_gone = |id: &&String| !cards.iter().any(|card| card.id == **id);
    let gone: Vec<String> = seen.keys().filter(is_gone).cloned().collect();
    let mut events = Vec::new();
    for id in gone {
        seen.remove(&id);
        events.push(Event::default().event("gone").data(id));
    }
    for card in cards {
        if seen.insert(card.id.clone(), card.version()) != Some(card.version()) {
            let text = serde_json::to_string(card).unwrap_or_default();
            events.push(Event::default().event("card").data(text));
        }
    }
    events
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::State;

    #[test]
    fn a_token_is_given_once() {
        let token = |text: &str| {
            let uri: Uri = text.parse().expect("an address");
            token_of(&uri).map(str::to_owned)
        };
        assert_eq!(token("/?token=a").as_deref(), Some("a"));
        assert_eq!(token("/?x=1&token=a&y").as_deref(), Some("a"));
        for text in ["/", "/?", "/?token", "/?token=a&token=a", "/?xtoken=a"] {
            assert_eq!(token(text), None, "{text}");
        }
    }

    #[test]
    fn names_of_this_machine_are_known() {
        for host in ["localhost", "localhost:8090", "127.0.0.1:8090", "[::1]:8090", "[::1]"] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in ["", "example.org", "127.example.org", "localhost.example.org:80", "10.0.0.1"] {
            assert!(!is_this_machine(host), "{host}");
        }
    }

    #[test]
    fn only_news_are_sent() {
        let card = |title: &str| Card {
            id: "a".to_owned(),
            kind: "match",
            title: title.to_owned(),
            state: State::Done,
            changed: 1,
            html: String::new(),
        };
        let mut seen = Seen::new();
        assert_eq!(news(&[card("x")], &mut seen).len(), 1);
        assert_eq!(news(&[card("x")], &mut seen).len(), 0);
        assert_eq!(news(&[card("y")], &mut seen).len(), 1);
        assert_eq!(news(&[], &mut seen).len(), 1);
        assert!(seen.is_empty());
    }
}
