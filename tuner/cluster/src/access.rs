//! Where the server is, and who asks.

use std::fs;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use async_nats::{ConnectOptions, ServerAddr};
use clap::Args;
use percent_encoding::percent_decode_str;

use crate::error::ClusterError;

/// How a cluster is reached.
#[derive(Args, Clone, Debug)]
pub struct ClusterArgs {
    /// URL of the NATS server whose workers play the games, e.g. nats://HOST:4222
    #[arg(long, value_name = "URL")]
    pub cluster: Option<String>,
    #[command(flatten)]
    pub(crate) access: Access,
    /// Jobs that are given to the cluster and not yet done, at most
    #[arg(long, value_name = "JOBS", default_value_t = 4096, requires = "cluster",
        value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) in_flight: u64,
    /// Seconds after which the jobs of a worker that gives no sign of life are given to another one
    #[arg(long, value_name = "SECONDS", default_value_t = 30, requires = "cluster",
        value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) ack_wait: u64,
}

/// Credentials, as NATS has them.
#[derive(Args, Clone, Debug, Default)]
pub struct Access {
    /// Password of the user in the URL; visible in `ps`: prefer the environment variable
    #[arg(long, env = "NULLARBOR_PASSWORD", hide_env_values = true)]
    pub(crate) password: Option<String>,
    /// The credentials file of the NATS server's user
    #[arg(long, value_name = "FILE", requires = "cluster")]
    pub(crate) creds: Option<PathBuf>,
    /// The authority of the server's certificate, if it is not one of the system's
    #[arg(long, value_name = "FILE", requires = "cluster")]
    pub(crate) tlsca: Option<PathBuf>,
    /// The certificate of this machine
    #[arg(long, value_name = "FILE", requires_all = ["cluster", "tlskey"])]
    pub(crate) tlscert: Option<PathBuf>,
    /// The key of this machine
    #[arg(long, value_name = "FILE", requires_all = ["cluster", "tlscert"])]
    pub(crate) tlskey: Option<PathBuf>,
    /// Use a server on another machine without credentials
    #[arg(long, requires = "cluster")]
    pub(crate) insecure: bool,
}

/// A server and how to speak with it.
pub(crate) struct Server {
    pub address: ServerAddr,
    /// The URL without password.
    pub url: String,
    pub options: ConnectOptions,
}

impl ClusterArgs {
    /// Returns the arguments for a server without credentials.
    pub fn of(url: &str) -> Self {
        let cluster = Some(url.to_owned());
        Self { cluster, access: Access::default(), in_flight: 4096, ack_wait: 30 }
    }
}

/// Time to reach the server at the start.
const TIMEOUT: Duration = Duration::from_secs(10);

impl Access {
    /// Returns the server at a URL.
    ///
    /// # Errors
    /// If the URL is malformed, a file cannot be read, or the server is elsewhere and asks for no credentials.
    pub(crate) fn server(&self, text: &str) -> Result<Server, ClusterError> {
        let wrong = |problem: String| ClusterError::Url { url: text.to_owned(), problem };
        let address: ServerAddr =
            text.parse().map_err(|error: std::io::Error| wrong(error.to_string()))?;
        let url = format!("{}://{}:{}", address.scheme(), address.host(), address.port());
        let is_known = address.has_user_pass() || self.creds.is_some() || self.tlscert.is_some();
        if !(is_known || self.insecure || is_loopback(address.host())) {
            return Err(ClusterError::Open { url });
        }
        let file = |path: &PathBuf| {
            fs::read_to_string(path).map_err(|error| ClusterError::File {
                path: path.clone(),
                problem: error.to_string(),
            })
        };
        let mut options = ConnectOptions::new()
            .name("nullarbor-tuner")
            .connection_timeout(TIMEOUT)
            .request_timeout(Some(TIMEOUT));
        // The client takes them from nowhere else.
        let plain = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let password = address.password().map(plain).or_else(|| self.password.clone());
        options = match (address.username(), password) {
            (Some(user), Some(password)) => options.user_and_password(plain(user), password),
            (Some(token), None) => options.token(plain(token)),
            (None, _) => options,
        };
        if let Some(path) = &self.creds {
            options = options.credentials(&file(path)?).map_err(|error| ClusterError::File {
                path: path.clone(),
                problem: error.to_string(),
            })?;
        }
        for path in [&self.tlsca, &self.tlscert, &self.tlskey].into_iter().flatten() {
            // What is missing is told here, by its name.
            file(path)?;
        }
        if let Some(path) = &self.tlsca {
            options = options.add_root_certificates(path.clone()).require_tls(true);
        }
        if let (Some(cert), Some(key)) = (&self.tlscert, &self.tlskey) {
            options = options.add_client_certificate(cert.clone(), key.clone()).require_tls(true);
        }
        Ok(Server { address, url, options })
    }
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_credentials_only_this_machine_is_trusted() {
        let access = Access::default();
        for url in ["nats://localhost", "nats://127.0.0.1:4333", "nats://[::1]:4222", "127.0.0.1"] {
            assert!(access.server(url).is_ok(), "{url}");
        }
        for url in ["nats://192.168.1.2", "tls://example.org:4222", "nats://localhost.example.org"]
        {
            assert!(matches!(access.server(url), Err(ClusterError::Open { .. })), "{url}");
            let insecure = Access { insecure: true, ..Access::default() };
            assert!(insecure.server(url).is_ok(), "{url}");
        }
        let known = access.server("nats://me:secret@192.168.1.2").expect("a user");
        assert_eq!(known.url, "nats://192.168.1.2:4222");
        assert!(matches!(access.server("http://x"), Err(ClusterError::Url { .. })));
        let missing = Access { creds: Some("no/such".into()), ..Access::default() };
        assert!(matches!(missing.server("nats://x"), Err(ClusterError::File { .. })));
    }
}
