//! Options that name the server of a cluster and its user.

use std::fs;
use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use async_nats::{ConnectOptions, ServerAddr};
use clap::Args;
use percent_encoding::percent_decode_str;

use crate::error::ClusterError;

/// Seconds after which a job is given to another worker.
pub(crate) const ACK_WAIT: RangeInclusive<u64> = 1..=3600;

/// How a cluster is reached.
#[derive(Args, Clone, Debug)]
pub struct ClusterArgs {
    /// URL of the NATS server whose workers play the games, e.g. nats://HOST:4222
    #[arg(long, value_name = "URL")]
    pub cluster: Option<String>,
    #[command(flatten)]
    pub(crate) access: Access,
    /// Maximum number of unfinished jobs in the queue
    #[arg(long, value_name = "JOBS", default_value_t = 4096, requires = "cluster",
        value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) in_flight: u64,
    /// Seconds after which the jobs of a worker that gives no sign of life are given to another one
    #[arg(long, value_name = "SECONDS", default_value_t = 30, requires = "cluster",
        value_parser = clap::value_parser!(u64).range(ACK_WAIT))]
    pub(crate) ack_wait: u64,
    /// Random share of results that the coordinator recomputes; a worker's results count once a later one of them has been
    /// confirmed; 0 trusts all workers
    #[arg(long, value_name = "PERCENT", default_value = "2%", requires = "cluster")]
    pub(crate) verify: Share,
}

/// A share, written as a percentage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share(pub f64);

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let percent: Option<f64> = text.strip_suffix('%').unwrap_or(text).parse().ok();
        let percent = percent.filter(|percent| (0.0..=100.0).contains(percent));
        percent.map(|it| Self(it / 100.0)).ok_or_else(|| "write a percentage: 2%".to_owned())
    }
}

/// Credentials, as NATS has them.
#[derive(Args, Clone, Debug, Default)]
pub struct Access {
    /// Password of the user in the URL; visible in `ps`: prefer the environment variable
    #[arg(long, env = ClusterArgs::PASSWORD, hide_env_values = true)]
    pub(crate) password: Option<String>,
    /// The credentials file of the NATS server's user
    #[arg(long, value_name = "FILE", requires = "cluster")]
    pub(crate) creds: Option<PathBuf>,
    /// CA certificate that signed the server's certificate; turns TLS on
    #[arg(long, value_name = "FILE", requires = "cluster")]
    pub(crate) tlsca: Option<PathBuf>,
    /// The certificate of this machine, if the server asks for one
    #[arg(long, value_name = "FILE", requires_all = ["cluster", "tlskey"])]
    pub(crate) tlscert: Option<PathBuf>,
    /// The key of this certificate
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
        let (access, verify) = (Access::default(), Share(0.02));
        Self { cluster, access, in_flight: 4096, ack_wait: 30, verify }
    }
}

impl ClusterArgs {
    /// The variable that may hold the password.
    pub const PASSWORD: &str = "NULLARBOR_PASSWORD";

    /// Returns a URL without the password in it. What stands alone before the host is a user if there is a password elsewhere,
    /// and else a token, which goes, too.
    pub fn without_secret(url: &str, has_password: bool) -> String {
        let Some((before, host)) = url.rsplit_once('@') else { return url.to_owned() };
        let at = before.find("://").map_or(0, |at| at + 3);
        let (scheme, who) = before.split_at(at);
        match who.split_once(':') {
            Some((user, _)) => format!("{scheme}{user}@{host}"),
            None if has_password => url.to_owned(),
            None => format!("{scheme}{host}"),
        }
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
        let wrong = |problem: String| ClusterError::Url { problem };
        let address: ServerAddr =
            text.parse().map_err(|error: std::io::Error| wrong(problem(&error)))?;
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

/// Returns what is wrong with a URL, without its text.
fn problem(error: &std::io::Error) -> String {
    let text = error.to_string();
    let is_syntax = text.starts_with("NATS server URL is invalid: ");
    if is_syntax { text } else { "its scheme is none of nats, tls, ws and wss".to_owned() }
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_error_tells_a_password() {
        for url in [
            "nats://me:s3cret@",
            "nats://me:s3cret@:4222",
            "nats://me:s3cret@host:port",
            "http://me:s3cret@host",
            "nats://me:s3cret",
            "me:s3cret@ho st",
            "s3cret://me@host",
            "nats://me:s3cret@host:99999",
            "nats://me:s3/cret@host",
        ] {
            if let Err(error) = Access::default().server(url) {
                let text = format!("{error} {error:?}");
                assert!(!text.contains("s3cret") && !text.contains("s3/cret"), "{url}: {text}");
            }
        }
        assert!(Access::default().server("nats://me:s3cret@ho st").is_err());
    }

    #[test]
    fn what_is_written_down_holds_no_secret() {
        for (url, has_password, shown) in [
            ("nats://me:s3cret@host:4222", false, "nats://me@host:4222"),
            ("me:s3:cr@et@host", true, "me@host"),
            ("tls://me@host", true, "tls://me@host"),
            ("tls://t0ken@host", false, "tls://host"),
            ("nats://host", false, "nats://host"),
        ] {
            assert_eq!(ClusterArgs::without_secret(url, has_password), shown);
        }
    }

    #[test]
    fn shares_are_percentages() {
        for (text, share) in [("2%", 0.02), ("0", 0.0), ("12.5", 0.125), ("100%", 1.0)] {
            assert_eq!(text.parse(), Ok(Share(share)));
        }
        for text in ["", "%", "-1", "101%", "nan", "inf", "2 %"] {
            assert!(text.parse::<Share>().is_err(), "{text}");
        }
    }

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
