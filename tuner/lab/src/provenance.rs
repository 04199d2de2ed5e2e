//! What produced the results: node counts and solutions can be repeated with the same search, network and suite only.

use std::fmt;

use nullarbor::eval::nnue::Network;
use nullarbor_games::scheme::EngineKind;
use nullarbor_report::html::SIGNATURE;
use serde::Serialize;

/// The engine of an experiment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Provenance {
    /// Version of the engine.
    pub version: &'static str,
    /// Recorded bench signature of the revision.
    pub bench: &'static str,
    /// Fingerprint of the built-in network.
    pub network: String,
    /// The search: `full` or `plain`.
    pub search: &'static str,
}

impl Provenance {
    /// Returns the provenance of searches in this process.
    pub fn of(engine: EngineKind) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION"),
            bench: SIGNATURE,
            network: Network::embedded().fingerprint(),
            search: engine.name(),
        }
    }
}

impl fmt::Display for Provenance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { version, bench, network, search } = self;
        write!(f, "Nullarbor {version}, bench {bench}, network {network}, {search} search")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_a_node_count() {
        let provenance = Provenance::of(EngineKind::Plain);
        assert!(provenance.bench.parse::<u64>().expect("a number") > 0);
        assert!(provenance.to_string().ends_with("plain search"));
    }
}
