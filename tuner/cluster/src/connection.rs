//! The connection to the server, and what the server keeps for the cluster.

use std::fmt;
use std::io::ErrorKind;
use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::kv::Store;
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};
use async_nats::jetstream::{self, Context};
use async_nats::rustls;
use async_nats::{ConnectError, ConnectErrorKind};
use tokio::runtime::{Builder, Runtime};

use crate::access::ClusterArgs;
use crate::error::ClusterError;
use crate::names;

/// Age at which the server drops what nobody takes.
const AGE: Duration = Duration::from_secs(7 * 24 * 3600);
/// Bytes of each of the streams on the server, at most. Who writes more waits.
const STREAM: i64 = 512 << 20;
/// Bytes of each bucket of values, at most.
const BUCKET: i64 = 64 << 20;
/// Bytes of a message with its headers, at most.
const MESSAGE: i32 = names::LONGEST_MESSAGE as i32 + 4096;
/// Unacknowledged messages of a consumer, at most.
const PENDING: i64 = 1_000_000;

/// A connection to the server. It comes back by itself where it is lost.
#[derive(Debug)]
pub struct Connection {
    /// The server, without password.
    pub url: String,
    pub(crate) context: Context,
    pub(crate) runtime: Runtime,
}

impl fmt::Display for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the cluster {}", self.url)
    }
}

impl Connection {
    /// Connects to a server.
    ///
    /// # Errors
    /// If the server is not to be trusted or cannot be reached, or has no JetStream.
    pub fn open(url: &str, args: &ClusterArgs) -> Result<Self, ClusterError> {
        let server = args.access.server(url)?;
        let mut runtime = Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).enable_all().thread_name("cluster").build();
        let runtime = runtime.map_err(ClusterError::Runtime)?;
        let (url, address) = (server.url, server.address);
        let failed = |problem: String| ClusterError::Server { url: url.clone(), problem };
        let client = runtime
            .block_on(server.options.connect(address))
            .map_err(|error| failed(format!("{error}; {}", advice(&error))))?;
        let context = {
            // It starts a task.
            let _runtime = runtime.enter();
            jetstream::new(client)
        };
        let connection = Self { context, runtime, url: url.clone() };
        connection.runtime.block_on(connection.prepare()).map_err(|error| {
            failed(format!("{error}; JetStream is needed: nats-server --jetstream"))
        })?;
        Ok(connection)
    }

    /// Creates what the server keeps for the cluster, where it is missing.
    pub(crate) async fn prepare(&self) -> Result<(), async_nats::Error> {
        for (name, subjects) in
            [(names::JOBS, names::jobs(None)), (names::RESULTS, names::results(None))]
        {
            let config = Config {
                name: name.to_owned(),
                subjects: vec![subjects],
                retention: RetentionPolicy::WorkQueue,
                storage: StorageType::File,
                max_age: AGE,
                max_bytes: STREAM,
                // As one that is full must not drop the oldest.
                discard: DiscardPolicy::New,
                max_message_size: MESSAGE,
                ..Config::default()
            };
            self.stream(config).await?;
        }
        for name in [names::RUNS, names::WORKERS] {
            self.stream(bucket(name)).await?;
        }
        Ok(())
    }

    /// Creates a stream, or limits one of an earlier version that has no limits.
    async fn stream(&self, config: Config) -> Result<(), async_nats::Error> {
        if let Ok(stream) = self.context.get_stream(&config.name).await {
            let known = &stream.cached_info().config;
            if known.max_bytes <= 0 || known.max_message_size <= 0 {
                let Config { max_bytes, max_message_size, discard, .. } = config;
                let limited = Config { max_bytes, max_message_size, discard, ..known.clone() };
                // A server with less room has limits of its own.
                let _ = self.context.update_stream(limited).await;
            }
            return Ok(());
        }
        if self.context.create_stream(config.clone()).await.is_err() {
            let config = Config { max_bytes: -1, ..config };
            self.context.get_or_create_stream(config).await?;
        }
        Ok(())
    }

    async fn bucket(&self, name: &str) -> Result<Store, async_nats::Error> {
        if let Ok(store) = self.context.get_key_value(name).await {
            return Ok(store);
        }
        self.stream(bucket(name)).await?;
        Ok(self.context.get_key_value(name).await?)
    }

    pub(crate) async fn runs(&self) -> Result<Store, async_nats::Error> {
        self.bucket(names::RUNS).await
    }

    pub(crate) async fn workers(&self) -> Result<Store, async_nats::Error> {
        self.bucket(names::WORKERS).await
    }

    /// Returns the consumer of a run's jobs or results.
    pub(crate) async fn consumer(
        &self,
        stream: &str,
        run: &str,
        ack_wait: Duration,
    ) -> Result<PullConsumer, async_nats::Error> {
        let subjects =
            if stream == names::JOBS { names::jobs(Some(run)) } else { names::results(Some(run)) };
        let config = pull::Config {
            durable_name: Some(run.to_owned()),
            filter_subject: subjects,
            ack_policy: AckPolicy::Explicit,
            ack_wait,
            max_ack_pending: PENDING,
            ..Default::default()
        };
        let stream = self.context.get_stream(stream).await?;
        Ok(stream.get_or_create_consumer(run, config).await?)
    }
}

/// Returns a bucket of values as the client creates it, which asks servers before 2.10 for what they do not tell.
fn bucket(name: &str) -> Config {
    Config {
        name: format!("KV_{name}"),
        subjects: vec![format!("$KV.{name}.>")],
        max_messages_per_subject: 1,
        max_age: AGE,
        max_bytes: BUCKET,
        max_message_size: MESSAGE,
        allow_rollup: true,
        deny_delete: true,
        allow_direct: true,
        discard: DiscardPolicy::New,
        ..Config::default()
    }
}

/// Returns what may help where the server cannot be reached.
fn advice(error: &ConnectError) -> &'static str {
    use rustls::Error::{AlertReceived, InvalidCertificate};
    let input = std::error::Error::source(error).and_then(|it| it.downcast_ref::<std::io::Error>());
    let tls = input.and_then(|it| it.get_ref()).and_then(|it| it.downcast_ref::<rustls::Error>());
    match (error.kind(), tls) {
        (_, Some(InvalidCertificate(_))) => {
            "--tlsca FILE names the authority that signed the server's certificate"
        }
        (_, Some(AlertReceived(_))) => {
            "the server wants another certificate of this machine: --tlscert FILE --tlskey FILE"
        }
        (_, Some(_)) => "does the server speak TLS?",
        (ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication, _) => {
            "the server knows no such user: --creds FILE, or nats://USER@HOST and NULLARBOR_PASSWORD"
        }
        (ConnectErrorKind::Tls, _) => "see --tlsca, --tlscert and --tlskey",
        _ if input.is_some_and(|it| it.kind() != ErrorKind::ConnectionRefused) => {
            "does the server want TLS and a certificate of this machine (--tlscert FILE --tlskey FILE)?"
        }
        _ => "is nats-server running there?",
    }
}
