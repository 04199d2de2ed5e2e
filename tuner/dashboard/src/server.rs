//! The server.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use futures_util::Stream;
use futures_util::stream;
use nullarbor_cluster::Connection;
use nullarbor_games::work::Stop;
use serde::Deserialize;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::cards::{Card, workers};
use crate::page;
use crate::source::Source;
use crate::token::Token;

/// How often the runs are looked at.
const INTERVAL: Duration = Duration::from_secs(2);
/// How often a wait looks whether the server is being stopped.
const POLL: Duration = Duration::from_millis(100);

/// What is served, and to whom.
#[derive(Debug)]
pub struct Options {
    /// Folders of runs, or files.
    pub places: Vec<PathBuf>,
    /// Where browsers connect.
    pub listen: SocketAddr,
    /// What browsers must know; without it only those of this machine may connect.
    pub token: Option<Token>,
    /// The cluster whose workers are shown.
    pub cluster: Option<Connection>,
}

/// Why the page is not served.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum ServeError {
    #[error(
        "--listen {0}: other machines may connect there, so they must know a token: --token-file FILE"
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
}

/// Serves the page until it is stopped. `ready` is told the address.
///
/// # Errors
/// If the address cannot be used, or is one of a network and there is no token.
pub fn serve(
    options: Options,
    stop: &Stop,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    let Options { places, listen, token, cluster } = options;
    if !listen.ip().is_loopback() && token.is_none() {
        return Err(ServeError::NoToken(listen));
    }
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(1).enable_all().build().map_err(ServeError::Run)?;
    let (sender, cards) = watch::channel(Cards::default());
    std::thread::scope(|scope| {
        scope.spawn(|| read(&places, cluster.as_ref(), &sender, stop));
        runtime.block_on(async {
            let failed = |source| ServeError::Listen { address: listen, source };
            let listener = TcpListener::bind(listen).await.map_err(failed)?;
            ready(listener.local_addr().map_err(failed)?);
            let policy = HeaderValue::from_str(&page::policy()).ok();
            let app = router(Shared { token: token.map(Arc::new), policy, cards });
            tokio::select! {
                served = async { axum::serve(listener, app).await } => served.map_err(ServeError::Run),
                () = stopped(stop) => Ok(()),
            }
        })
        .inspect_err(|_| stop.abort())
    })
}

async fn stopped(stop: &Stop) {
    while !stop.is_finishing() {
        tokio::time::sleep(POLL).await;
    }
}

/// Reads the runs again and again, those that have changed.
fn read(places: &[PathBuf], cluster: Option<&Connection>, to: &watch::Sender<Cards>, stop: &Stop) {
    let mut known: BTreeMap<PathBuf, (Vec<(u64, u64)>, Card)> = BTreeMap::new();
    while !stop.is_finishing() {
        let mut cards = Vec::new();
        if let Some(cluster) = cluster {
            let found = cluster.worker_statuses().map_err(|error| error.to_string());
            cards.push(workers(&cluster.url, found));
        }
        let sources = Source::find(places);
        known.retain(|path, _| sources.iter().any(|source| source.path == *path));
        for source in sources {
            let stamp = source.stamp();
            let unchanged = known.get(&source.path).filter(|(then, _)| *then == stamp);
            let card = unchanged.map_or_else(|| Card::of(&source), |(_, card)| card.clone());
            known.insert(source.path, (stamp, card.clone()));
            cards.push(card);
        }
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
        .layer(middleware::from_fn_with_state(shared.clone(), admit))
        .with_state(shared)
}

#[derive(Deserialize)]
struct Asked {
    token: Option<String>,
}

/// Lets those in who know the token. Without one, requests must be for this machine by name: a page of another site could
/// otherwise read this one through a name that it lets point here.
async fn admit(
    State(shared): State<Shared>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
    request: Request,
    next: Next,
) -> Response {
    let text = |name| headers.get(name).and_then(|it: &HeaderValue| it.to_str().ok());
    let is_admitted = match &shared.token {
        Some(token) => {
            let bearer = text(header::AUTHORIZATION).and_then(|it| it.strip_prefix("Bearer "));
            bearer.or(asked.token.as_deref()).is_some_and(|it| token.is(it))
        }
        None => text(header::HOST).is_some_and(is_this_machine),
    };
    let mut response = if is_admitted {
        next.run(request).await
    } else {
        let how = if shared.token.is_some() {
            "401: this page needs the token of the dashboard: add ?token=TOKEN to the address.\n"
        } else {
            "401: without a token, the dashboard answers only to localhost.\n"
        };
        (StatusCode::UNAUTHORIZED, how).into_response()
    };
    if let Some(policy) = shared.policy {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    for (name, value) in [
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
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
    Html(page::page(&cards))
}

async fn cards(State(shared): State<Shared>) -> Response {
    let cards = Arc::clone(&shared.cards.borrow());
    // Plain data always has a JSON value.
    let text = serde_json::to_string(&*cards).unwrap_or_default();
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}

/// What a browser has of the cards: their versions by name.
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
