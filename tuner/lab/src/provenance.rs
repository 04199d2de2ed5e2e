//! Provenance of results: node counts and solutions can be repeated with the same search, network and suite only.

use std::fmt;
use std::process::Command;

use nullarbor::bench::PLAIN_SIGNATURE;
use nullarbor::eval::nnue::Network;
use nullarbor_games::scheme::EngineKind;
use nullarbor_report::html::SIGNATURE;
use serde::Serialize;

/// The engine of an experiment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Provenance {
    /// Version of the engine.
    pub version: &'static str,
    /// The signature: of the plain engine, or the recorded one of the revision.
    pub bench: String,
    /// Fingerprint of the built-in network; none in the plain engine.
    pub network: Option<String>,
    /// The search: `full`, `plain` ...
    pub search: &'static str,
}

impl Provenance {
    /// Returns the provenance of searches in this process.
    pub fn of(engine: EngineKind) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION"),
            bench: match engine {
                EngineKind::Plain => PLAIN_SIGNATURE.to_string(),
                _ => SIGNATURE.to_owned(),
            },
            network: match engine {
                EngineKind::Plain => None,
                _ => Some(Network::embedded().fingerprint()),
            },
            search: engine.name(),
        }
    }

    /// Names what decides each search: a new version that searches as the last one did has the same.
    pub fn search_identity(&self) -> String {
        let Self { bench, network, search, .. } = self;
        let network = network.as_ref().map_or(String::new(), |it| format!("network {it}, "));
        format!("bench {bench}, {network}{search} search")
    }
}

impl fmt::Display for Provenance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Nullarbor {}, {}", self.version, self.search_identity())
    }
}

/// Returns the commit of the sources, and whether they were changed since, as far as git knows.
pub fn revision() -> String {
    let git = |words: &[&str]| {
        let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let output = Command::new("git").args(["-C", sources]).args(words).output();
        let text = output.ok().filter(|it| it.status.success()).map(|it| it.stdout);
        text.and_then(|text| String::from_utf8(text).ok())
    };
    let Some(commit) = git(&["rev-parse", "--short=10", "HEAD"]) else {
        return "unknown".to_owned();
    };
    let changed = git(&["status", "--porcelain", "--", "*.rs", "*.toml", "*.nnue"]);
    let mark = if changed.is_none_or(|files| !files.is_empty()) { ", changed" } else { "" };
    format!("{}{mark}", commit.trim())
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
