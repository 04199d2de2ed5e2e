//! The plan of a match. Every pair of games has a number, and everything about it follows from that.

use std::path::PathBuf;

use nullarbor_openings::{Book, Opening};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::engine_config::{EngineConfig, Program};
use crate::game::Rules;
use crate::pair::{GameOfPair, Pairing};
use nullarbor_stats::Sprt;

/// Pairings of the engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
pub enum Format {
    /// The first engine against each of the others.
    Gauntlet,
    /// Each engine against each.
    RoundRobin,
}

impl Format {
    /// Returns the pairings of a number of engines, in the order of their pairs of games.
    pub fn pairings(self, engines: usize) -> Vec<Pairing> {
        let firsts = match self {
            Self::Gauntlet => 0..1,
            Self::RoundRobin => 0..engines,
        };
        firsts
            .flat_map(|first| (first + 1..engines).map(move |second| Pairing { first, second }))
            .collect()
    }
}

/// All that decides the games of a match. [`Plan::checked`] completes it.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The engines, at least two.
    pub engines: Vec<EngineConfig>,
    /// Pairings of the engines.
    pub format: Format,
    /// Games of each pairing, an even number.
    pub games: u64,
    /// The openings, in the order of the match.
    pub book: Book,
    /// The seed of that order.
    pub seed: u64,
    /// Rules that hold for all games.
    pub rules: Rules,
    /// The test that may end the match.
    pub sprt: Option<Sprt>,
    /// The file to write the games to.
    pub pgn: Option<PgnOutput>,
}

/// A file of games, and what its games are headed with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnOutput {
    /// The file.
    pub path: PathBuf,
    /// The value of the tag `Event`.
    pub event: String,
    /// The value of the tag `Site`.
    pub site: String,
    /// Notation and comments of the moves.
    pub style: PgnStyle,
    /// True if the games may stand behind those that the file has.
    pub appends: bool,
}

/// How the moves of a game are written.
#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args, Serialize, Deserialize)]
pub struct PgnStyle {
    /// Notation of the moves. Books and most programs read only SAN and LAN
    #[arg(long = "pgn-notation", requires = "pgn", value_enum, default_value_t)]
    pub notation: Notation,
    /// Fields of each move in the PGN beyond score, depth, time, seldepth and nodes, as far as they are known; a list
    #[arg(
        long = "pgn-fields",
        requires = "pgn",
        value_enum,
        value_delimiter = ',',
        value_name = "FIELDS"
    )]
    pub fields: Vec<PgnField>,
}

/// A notation of moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Notation {
    /// Nf3, exd5, e8=Q+
    #[default]
    San,
    /// Ng1-f3, e4xd5, e7-e8=Q+
    Lan,
    /// g1f3, e4d5, e7e8q
    Uci,
}

/// A field in the comment of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PgnField {
    /// Nodes per second
    Nps,
    /// Thousandths of the hash table in use
    Hashfull,
    /// Positions found in tablebases
    Tbhits,
    /// Time on the clock after the move
    Timeleft,
    /// Time measured less the time that the engine reports
    Latency,
    /// Principal variation
    Pv,
}

impl PgnOutput {
    /// The event, where nothing else is said.
    pub const EVENT: &str = "Nullarbor match";
    /// The site, where nothing else is said: unknown.
    pub const SITE: &str = "?";
}

/// Why a plan makes no match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum PlanError {
    #[error("a match needs two engines: give --engine twice")]
    OneEngine,
    #[error(
        "{0} games: the number must be even and above 0, as each opening is played with both colours"
    )]
    Games(u64),
    #[error("SPRT compares two engines, and there are {0}")]
    SprtOfMany(usize),
}

impl Plan {
    /// Games of each pairing of an SPRT, more than any test takes.
    pub const GAMES_OF_SPRT: u64 = 1_000_000;

    /// Drops openings that end in the position of an earlier one where no clock runs: they would give its games again, and count
    /// them as new evidence. Returns what to tell of it.
    pub fn drop_duplicates(&mut self) -> Option<String> {
        let count = self.book.openings.len();
        let dropped = if self.repeats_games() { self.book.drop_duplicates() } else { 0 };
        let notice = || {
            format!(
                "{dropped} of {count} openings end in the position of another one and are left out: without a clock they would give the same games."
            )
        };
        (dropped > 0).then(notice)
    }

    /// Checks the plan. Where no clock runs it limits the games of each pairing to two for each opening: a game that is
    /// played again would be the same game and count for nothing.
    ///
    /// # Errors
    /// If the engines, the games or the test make no match.
    pub fn checked(mut self) -> Result<Self, PlanError> {
        match self.engines.len() {
            0 | 1 => return Err(PlanError::OneEngine),
            count @ 3.. if self.sprt.is_some() => return Err(PlanError::SprtOfMany(count)),
            _ => {}
        }
        if self.games == 0 || !self.games.is_multiple_of(2) {
            return Err(PlanError::Games(self.games));
        }
        if self.repeats_games() {
            self.games = self.games.min(2 * self.book.openings.len() as u64);
        }
        Ok(self)
    }

    /// Returns the names of the engines.
    pub fn names(&self) -> Vec<&str> {
        self.engines.iter().map(|engine| engine.name.as_str()).collect()
    }

    /// Returns the pairings.
    pub fn pairings(&self) -> Vec<Pairing> {
        self.format.pairings(self.engines.len())
    }

    /// Returns the number of pairs of games in all.
    pub fn pairs(&self) -> u64 {
        self.games / 2 * self.pairings().len() as u64
    }

    /// Returns who plays a pair.
    pub fn pairing(&self, pair: u64) -> Pairing {
        let pairings = self.pairings();
        pairings[(pair % pairings.len() as u64) as usize]
    }

    /// Returns the opening of a pair. All pairings of a round play the same one.
    pub fn opening(&self, pair: u64) -> &Opening {
        let round = pair / self.pairings().len() as u64;
        let openings = &self.book.openings;
        &openings[(round % openings.len() as u64) as usize]
    }

    /// Returns the engines of a game, White first.
    pub fn players(&self, pair: u64, game: GameOfPair) -> [&EngineConfig; 2] {
        self.pairing(pair).seats(game).0.map(|number| &self.engines[number])
    }

    /// Returns whether no clock runs, so that an opening gives the same game whenever it is played.
    pub fn repeats_games(&self) -> bool {
        self.engines.iter().all(|engine| !engine.limit.is_timed())
    }

    /// Returns whether any machine with this build plays the same games.
    pub fn is_portable(&self) -> bool {
        let is_self = |engine: &EngineConfig| matches!(engine.program, Program::InProcess(_));
        self.repeats_games() && self.engines.iter().all(is_self)
    }

    /// Returns whether each pairing plays all openings of the book, and cannot play more games.
    pub fn exhausts_book(&self) -> bool {
        self.repeats_games() && self.games == 2 * self.book.openings.len() as u64
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::engine_config::Program;
    use crate::in_process::EngineOptions;
    use crate::limit::Limit;
    use nullarbor_stats::Model;

    pub fn plan(engines: usize, format: Format) -> Plan {
        let engine = |number| EngineConfig {
            name: format!("e{number}"),
            program: Program::InProcess(EngineOptions::default()),
            limit: Limit::Nodes { hard: Some(100), soft: None },
        };
        let opening = Opening::at(nullarbor::board::Position::start());
        Plan {
            engines: (0..engines).map(engine).collect(),
            format,
            games: 10,
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
    fn plans_are_checked() {
        let error = |plan: Plan| plan.checked().map(|_| ()).expect_err("no match");
        assert_eq!(error(plan(1, Format::Gauntlet)), PlanError::OneEngine);
        assert_eq!(error(Plan { games: 3, ..plan(2, Format::Gauntlet) }), PlanError::Games(3));
        let sprt = Sprt::new(0.0, 5.0, 0.05, 0.05, Model::Normalized).ok();
        assert_eq!(error(Plan { sprt, ..plan(3, Format::Gauntlet) }), PlanError::SprtOfMany(3));
        let limited = plan(2, Format::Gauntlet).checked().expect("a match");
        assert_eq!((limited.games, limited.exhausts_book()), (6, true));
        let mut timed = plan(2, Format::Gauntlet);
        timed.engines[1].limit = "st=1".parse().expect("a limit");
        assert_eq!(timed.checked().map(|plan| (plan.games, plan.exhausts_book())), Ok((10, false)));
    }
}
