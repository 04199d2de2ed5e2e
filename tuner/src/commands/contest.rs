//! Games between settings of the engine, inside this process.

use std::sync::Arc;

use nullarbor_openings::Book;

use super::engine_spec::{EngineSpec, SpecError};
use super::match_args::PlanError;
use super::match_command::{self, MatchError};
use nullarbor_games::adjudication::Adjudication;
use nullarbor_games::engine_config::{EngineConfig, Kind};
use nullarbor_games::game::Rules;
use nullarbor_games::in_process::Setting;
use nullarbor_games::limit::Limit;
use nullarbor_games::matches::report::ranking;
use nullarbor_games::matches::{Format, Outcome, Plan};
use nullarbor_games::scheme::{EngineKind, NamedScheme};
use nullarbor_games::stats::{Sprt, Strength};
use nullarbor_games::work::Stop;
use nullarbor_report::table::Table;

/// Each setting against each other.
pub struct Contest {
    /// Who plays.
    pub players: Vec<(String, Setting)>,
    /// How long they think.
    pub limit: Limit,
    /// Games of each pairing.
    pub games: u64,
    /// Decides the openings.
    pub seed: u64,
    /// The test that may end it, of two schemes.
    pub sprt: Option<Sprt>,
    /// Games at the same time.
    pub workers: usize,
    /// Show no progress.
    pub quiet: bool,
}

/// Schemes of the null move as players.
pub fn players(schemes: &[NamedScheme], engine: EngineKind, hash: usize) -> Vec<(String, Setting)> {
    let player = |scheme: &NamedScheme| {
        let setting = Setting { hash, engine, scheme: scheme.scheme, ..Setting::default() };
        (scheme.name.clone(), setting)
    };
    schemes.iter().map(player).collect()
}

impl Contest {
    fn plan(&self) -> Result<Plan, PlanError> {
        let engine = |(name, setting): &(String, Setting)| EngineConfig {
            name: name.clone(),
            kind: Kind::InProcess(setting.clone()),
            limit: self.limit.clone(),
        };
        let mut book = Book::open("unbalanced", None)?;
        book.shuffle(self.seed);
        let adjudication = Adjudication::OF_TESTS;
        let rules = Rules { adjudication, margin: std::time::Duration::ZERO, chess960: false };
        let mut plan = Plan {
            engines: self.players.iter().map(engine).collect(),
            format: Format::RoundRobin,
            rounds: self.games.div_ceil(2),
            book,
            seed: self.seed,
            rules,
            sprt: self.sprt,
            pgn: None,
        };
        if plan.repeats_games() {
            plan.rounds = plan.rounds.min(plan.book.openings.len() as u64);
        }
        Ok(plan)
    }

    /// Plays.
    ///
    /// # Errors
    /// Where a player cannot be had, or somebody stopped it.
    pub fn play(&self, stop: &Arc<Stop>) -> Result<(Plan, Outcome), MatchError> {
        let plan = self.plan()?;
        let outcome = match_command::play(&plan, self.workers, stop, self.quiet)?;
        Ok((plan, outcome))
    }

    /// Everybody's result against all, and each pairing's.
    pub fn tables(&self, plan: &Plan, outcome: &Outcome) -> Vec<Table> {
        let (head, rows) = ranking::ranking(plan, &outcome.standings);
        // Players inside this process have no faults to show.
        const COLUMNS: usize = 9;
        let cut = |row: Vec<String>| row.into_iter().take(COLUMNS).collect();
        let title = format!("games: {}", self.limit);
        let ranking = Table {
            title: title.clone(),
            head: cut(head),
            rows: rows.into_iter().map(cut).collect(),
        };
        let name = |number: usize| plan.engines[number].name.clone();
        let pairings = outcome.standings.pairings.iter().zip(&outcome.standings.counts);
        let row = |(pairing, counts): (
            &nullarbor_games::pair::Pairing,
            &nullarbor_games::stats::PairCounts,
        )| {
            let elo = Strength::of(counts).elo;
            vec![
                name(pairing.first),
                name(pairing.second),
                counts.games().to_string(),
                format!("{:.1}", counts.points()),
                format!("{:.1}", 100.0 * counts.score()),
                format!("{:+.1}", elo.value),
                format!("{:.1}", elo.error),
                format!("{:?}", counts.pentanomial()),
            ]
        };
        let head = ["first", "second", "games", "points", "%", "Elo", "+/-", "pairs worth 0 to 2"];
        let pairings = Table {
            title: format!("{title}, by pairing"),
            head: head.map(str::to_owned).to_vec(),
            rows: pairings.map(row).collect(),
        };
        vec![ranking, pairings]
    }
}

/// A limit as engines are given one: `nodes=5000`, `tc=1+0.01`, `st=0.1`, `depth=8`.
///
/// # Errors
/// Where it is none of these.
pub fn limit(text: &str) -> Result<Limit, String> {
    let none = Limit::Nodes { hard: None, soft: None };
    let spec: Result<EngineSpec, SpecError> = format!("self,{text}").parse();
    let engine = spec.and_then(|spec| spec.engine(&none)).map_err(|error| error.to_string())?;
    if engine.limit == none || engine.kind != Kind::InProcess(Setting::default()) {
        return Err(format!("`{text}` is no limit: say nodes=5000, tc=1+0.01, st=0.1 or depth=8"));
    }
    Ok(engine.limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read() {
        assert_eq!(limit("nodes=5000"), Ok(Limit::Nodes { hard: Some(5000), soft: None }));
        assert!(limit("tc=1+0.01").is_ok() && limit("st=0.1").is_ok());
        for text in ["", "Hash=3", "nodes=x", "dog", "nodes=5,Hash=3"] {
            assert!(limit(text).is_err(), "{text}");
        }
    }
}
