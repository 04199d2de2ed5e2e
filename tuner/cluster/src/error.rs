//! The errors of the crate.

use std::path::PathBuf;

use thiserror::Error;

/// Why a cluster cannot be used.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum ClusterError {
    /// The text is not told: it may hold a password.
    #[error("--cluster: {problem}; write nats://HOST:4222, or tls://HOST:4222")]
    Url { problem: String },
    #[error(
        "--cluster {url}: without credentials (--creds FILE, --tlscert FILE, or a user in the URL) only a server on this machine is accepted; --insecure takes the risk that anybody in the network can read and alter the work"
    )]
    Open { url: String },
    #[error("{path}: {problem}", path = path.display())]
    File { path: PathBuf, problem: String },
    #[error("{path}: its checksum is not {expected}: it was damaged on the way", path = path.display())]
    Damaged { path: PathBuf, expected: String },
    #[error("cluster {url}: {problem}")]
    Server { url: String, problem: String },
    #[error("the cluster's threads cannot be started: {0}")]
    Runtime(std::io::Error),
}
