//! The plan of a match. Every pair of games has a number, and everything about it follows from that.

use std::path::PathBuf;
use std::{env, fmt};

use nullarbor_openings::{Book, Opening};
use serde::{Deserialize, Serialize};

use super::fingerprint::Fingerprint;
use crate::engine_config::{EngineConfig, Kind};
use crate::game::Rules;
use crate::pair::Pairing;
use crate::stats::Sprt;

/// Who plays whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// The first engine against each of the others.
    Gauntlet,
    /// Each against each.
    RoundRobin,
}

/// All that decides the games of a match.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Who takes part; at least two.
    pub engines: Vec<EngineConfig>,
    /// Who plays whom.
    pub format: Format,
    /// Pairs of games for each pairing.
    pub rounds: u64,
    /// The openings, in their order.
    pub book: Book,
    /// What decided the order.
    pub seed: u64,
    /// What holds for all games.
    pub rules: Rules,
    /// The test that may end the match; just for two engines.
    pub sprt: Option<Sprt>,
    /// Where the games are to be written, if anywhere.
    pub pgn: Option<PathBuf>,
}

impl Plan {
    /// Who plays whom, the first one's score being counted.
    pub fn pairings(&self) -> Vec<Pairing> {
        let count = self.engines.len();
        let firsts = match self.format {
            Format::Gauntlet => 0..1,
            Format::RoundRobin => 0..count,
        };
        let pairings = firsts
            .flat_map(|first| (first + 1..count).map(move |second| Pairing { first, second }));
        pairings.collect()
    }

    /// How many pairs of games there are in all.
    pub fn pairs(&self) -> u64 {
        self.rounds * self.pairings().len() as u64
    }

    /// The opening of a pair. All pairings of a round play the same one.
    pub fn opening(&self, pair: u64) -> &Opening {
        let round = pair / self.pairings().len() as u64;
        let openings = &self.book.openings;
        &openings[(round % openings.len() as u64) as usize]
    }

    /// Whether no clock runs. Then a game that is played again from the same opening may be the same game again, and
    /// counts for nothing.
    pub fn repeats_games(&self) -> bool {
        self.engines.iter().all(|engine| !engine.limit.is_timed())
    }

    /// What must be the same where a match is taken up again. It reads the programs that play, to know them again.
    pub fn settings(&self) -> Settings {
        Settings {
            engines: self.engines.iter().map(describe).collect(),
            format: format!("{:?}", self.format),
            book: format!("{} ({} openings)", self.book.name, self.book.openings.len()),
            seed: self.seed,
            order: Fingerprint(self.book.fingerprint()).to_string(),
            rules: format!("{:?}", self.rules),
            sprt: self.sprt,
            pgn: self.pgn.as_ref().map(|path| path.display().to_string()),
        }
    }
}

fn describe(engine: &EngineConfig) -> String {
    let (kind, program) = match &engine.kind {
        Kind::InProcess(setting) => {
            let network = setting.network.as_deref().and_then(Fingerprint::of_file);
            let network = network.map_or(String::new(), |digest| format!(", network {digest}"));
            (format!("{setting:?}{network}"), env::current_exe().ok())
        }
        Kind::External(command) => (format!("{command:?}"), Some(command.program.clone())),
    };
    // Two builds of an engine are two engines.
    let build = program.and_then(|program| Fingerprint::of_file(&program));
    let build = build.map_or("unknown".to_owned(), |digest| digest.to_string());
    format!("{} at {}: {kind}, build {build}", engine.name, engine.limit)
}

/// What makes two runs parts of the same match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Settings {
    pub engines: Vec<String>,
    pub format: String,
    pub book: String,
    pub seed: u64,
    pub order: String,
    pub rules: String,
    pub sprt: Option<Sprt>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pgn: Option<String>,
}

/// Two settings of the same thing that are not the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    what: &'static str,
    then: String,
    now: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: then {}, now {}", self.what, self.then, self.now)
    }
}

impl Settings {
    /// The first thing that is different now.
    pub fn difference(&self, now: &Self) -> Option<Difference> {
        let sprt = |settings: &Self| format!("{:?}", settings.sprt);
        let pairs = [
            ("engines", format!("{:?}", self.engines), format!("{:?}", now.engines)),
            ("format", self.format.clone(), now.format.clone()),
            ("book", self.book.clone(), now.book.clone()),
            ("seed", self.seed.to_string(), now.seed.to_string()),
            ("openings and their order", self.order.clone(), now.order.clone()),
            ("rules", self.rules.clone(), now.rules.clone()),
            ("SPRT", sprt(self), sprt(now)),
            ("PGN file", format!("{:?}", self.pgn), format!("{:?}", now.pgn)),
        ];
        let different = pairs.into_iter().find(|(_, then, now)| then != now);
        different.map(|(what, then, now)| Difference { what, then, now })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::in_process::Setting;
    use crate::limit::Limit;

    fn plan(engines: usize, format: Format) -> Plan {
        let engine = |number| EngineConfig {
            name: format!("e{number}"),
            kind: Kind::InProcess(Setting::default()),
            limit: Limit::Nodes { hard: Some(100), soft: None },
        };
        let opening = Opening::at(nullarbor::board::Position::start());
        Plan {
            engines: (0..engines).map(engine).collect(),
            format,
            rounds: 5,
            book: Book { name: "b".to_owned(), openings: vec![opening; 3] },
            seed: 1,
            rules: Rules::default(),
            sprt: None,
            pgn: None,
        }
    }

    #[test]
    fn formats_pair_as_they_should() {
        let pairs = |count, format| -> Vec<(usize, usize)> {
            let pairings = plan(count, format).pairings();
            pairings.into_iter().map(|pairing| (pairing.first, pairing.second)).collect()
        };
        assert_eq!(pairs(2, Format::RoundRobin), [(0, 1)]);
        assert_eq!(pairs(3, Format::RoundRobin), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(pairs(4, Format::Gauntlet), [(0, 1), (0, 2), (0, 3)]);
        assert_eq!(plan(4, Format::RoundRobin).pairs(), 30);
    }

    #[test]
    fn a_difference_is_named() {
        let then = plan(2, Format::Gauntlet);
        let mut now = then.clone();
        assert_eq!(then.settings().difference(&now.settings()), None);
        now.engines[1].limit = Limit::Nodes { hard: Some(200), soft: None };
        let difference = then.settings().difference(&now.settings()).expect("it is different");
        let text = difference.to_string();
        assert!(
            text.contains("engines") && text.contains("100 nodes") && text.contains("200 nodes")
        );
    }
}
