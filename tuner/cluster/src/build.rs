//! The build of this program: a worker gives the results of the coordinator only if both have the same one.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A build of this program: its sources, with the parameters of the search, and its built-in network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// The fingerprint of the sources.
    pub code: String,
    /// The fingerprint of the built-in network.
    pub network: String,
}

impl Build {
    /// Returns this build; `network` is the fingerprint of its built-in network.
    pub fn this(network: String) -> Self {
        Self { code: env!("NULLARBOR_CODE").to_owned(), network }
    }
}

impl fmt::Display for Build {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "code {} network {}", self.code, self.network)
    }
}
