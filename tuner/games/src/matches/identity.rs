//! The identity of a match: what must be the same when it is resumed. Journals and summaries hold it as JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::{Path, absolute};
use std::sync::OnceLock;

use nullarbor::params::Spec;
use nullarbor_openings::Book;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::plan::{Format, PgnStyle, Plan};
use crate::engine_config::{EngineConfig, Program};
use crate::game::Rules;
use crate::in_process::EngineOptions;
use crate::scheme::EngineKind;
use crate::uci::Command;
use nullarbor_runs::fingerprint::Fingerprint;
use nullarbor_stats::Sprt;

/// The identity of a match: two runs with equal ones are parts of the same match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Identity {
    /// The engines, as objects.
    engines: Vec<Value>,
    /// Pairings of the engines.
    pub format: Format,
    /// The book.
    pub book: String,
    /// The seed of the order of the openings.
    pub seed: u64,
    /// The fingerprint of the openings and their order.
    order: String,
    /// Rules that hold for all games, as an object.
    rules: Value,
    /// The test that may end it.
    pub sprt: Option<Sprt>,
    /// The file that the games are written to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pgn: Option<String>,
    /// Notation and fields of their moves; absent in journals of versions that did not record them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pgn_style: Option<PgnStyle>,
}

impl Identity {
    /// Returns the identity of a match. Reads the programs and files that its engines use.
    pub fn of(plan: &Plan) -> Self {
        // More games may be asked for when it is resumed.
        let Plan { engines, format, games: _, book, seed, rules, sprt, pgn } = plan;
        Self {
            engines: engines.iter().map(engine).collect(),
            format: *format,
            // Wherever it lies: the fingerprint tells its content.
            book: format!("{} ({} openings)", file_name(&book.name), book.openings.len()),
            seed: *seed,
            order: order(book),
            rules: self::rules(rules),
            sprt: *sprt,
            pgn: pgn.as_ref().map(|pgn| pgn.path.display().to_string()),
            pgn_style: pgn.as_ref().map(|pgn| pgn.style.clone()),
        }
    }

    /// Returns the names of the engines.
    pub fn names(&self) -> Vec<String> {
        let name = |engine: &Value| engine["name"].as_str().or(engine.as_str()).map(str::to_owned);
        self.engines.iter().map(|engine| name(engine).unwrap_or_default()).collect()
    }

    /// Returns the limits of the engines, as far as they are known.
    pub fn limits(&self) -> Vec<Option<&str>> {
        self.engines.iter().map(|engine| engine["limit"].as_str()).collect()
    }

    /// Returns whether a book has the openings of this match in their order.
    pub fn has_openings_of(&self, book: &Book) -> bool {
        self.order == order(book)
    }

    /// Returns the first difference from the match of another identity, as text.
    pub fn difference(&self, now: &Self) -> Option<String> {
        // The order in which differences are told: what follows from another one comes later.
        const KEYS: [&str; 9] =
            ["engines", "format", "book", "seed", "order", "rules", "sprt", "pgn", "pgn_style"];
        // Identities are plain data, which always have a JSON value.
        let value = |identity: &Self| serde_json::to_value(identity).unwrap_or_default();
        let (then, mut now) = (value(self), value(now));
        if self.pgn_style.is_none() {
            // It may have been any.
            now["pgn_style"].take();
        }
        KEYS.into_iter().find_map(|key| first_difference(key, &then[key], &now[key]))
    }
}

/// The fingerprint of the openings of a book and of their order.
fn order(book: &Book) -> String {
    Fingerprint(book.fingerprint()).to_string()
}

fn file_name(path: &str) -> &str {
    path.rsplit(std::path::is_separator).next().unwrap_or(path)
}

/// Returns the identity of an engine. Reads its program and files.
pub fn engine(EngineConfig { name, program, limit }: &EngineConfig) -> Value {
    let mut value = match program {
        Program::InProcess(options) => {
            let EngineOptions { hash, engine, null_move, scheme_file, params, network } = options;
            // Other searches have other defaults.
            let differs = |name: &str, value| {
                *engine != EngineKind::Full
                    || Spec::find(name).is_none_or(|spec| spec.default != value)
            };
            let changed = params.iter().filter(|(name, value)| differs(name, *value));
            let parameters: BTreeMap<&String, i32> =
                changed.map(|(name, value)| (name, *value)).collect();
            let files = [network, scheme_file].into_iter().flatten();
            let files: BTreeMap<String, _> =
                files.map(|path| (path.display().to_string(), fingerprint(path))).collect();
            json!({
                "kind": "self",
                "hash": hash,
                "search": engine.name(),
                "null_move": null_move.name,
                "parameters": parameters,
                "files": files,
            })
        }
        Program::External(command) => {
            let Command { program, args, folder, options, ponder, revision: _ } = command;
            let mut value = json!({
                "kind": "uci",
                "command": program.display().to_string(),
                "args": args,
                "dir": folder.as_ref().map(|path| path.display().to_string()),
                "options": options,
            });
            if *ponder {
                // Absent otherwise, as in journals of versions that did not know it.
                value["ponder"] = json!(true);
            }
            value
        }
    };
    value["name"] = json!(name);
    value["limit"] = json!(limit.to_string());
    value["build"] = json!(build(program));
    value
}

/// Returns the fingerprint of a program, if it can be read: two builds of an engine are two engines.
pub fn build(program: &Program) -> Option<String> {
    match program {
        Program::InProcess(_) => own_build(),
        Program::External(command) => fingerprint(&command.program),
    }
}

/// Returns the fingerprint of this program, which is read once.
fn own_build() -> Option<String> {
    static BUILD: OnceLock<Option<String>> = OnceLock::new();
    BUILD.get_or_init(|| fingerprint(&env::current_exe().ok()?)).clone()
}

fn fingerprint(path: &Path) -> Option<String> {
    Fingerprint::of_file(path).map(|fingerprint| fingerprint.to_string())
}

/// By the names of the command line.
fn rules(Rules { adjudication, margin, chess960, tables }: &Rules) -> Value {
    json!({
        "draw": adjudication.draw,
        "resign": adjudication.resign,
        "maxmoves": adjudication.longest,
        "timemargin": margin.as_millis() as u64,
        "chess960": chess960,
        "tablebases": tables.as_ref().map(|tables| format!("{tables:?}")),
    })
}

/// Returns the path of the first value that differs, and both values.
pub fn first_difference(path: &str, then: &Value, now: &Value) -> Option<String> {
    let inside = |key: &str| format!("{path}.{key}");
    match (then, now) {
        (Value::Object(then), Value::Object(now)) => {
            let keys: BTreeSet<&String> = then.keys().chain(now.keys()).collect();
            let differs = |key: &String| {
                let [then, now] = [then, now].map(|map| map.get(key).unwrap_or(&Value::Null));
                first_difference(&inside(key), then, now)
            };
            keys.into_iter().find_map(differs)
        }
        (Value::Array(then), Value::Array(now)) if then.len() == now.len() => {
            let numbered = then.iter().zip(now).zip(1..);
            numbered
                .map(|((then, now), number)| (inside(&number.to_string()), then, now))
                .find_map(|(path, then, now)| first_difference(&path, then, now))
        }
        _ if then == now || is_same_path(then, now) => None,
        _ => Some(format!("{path}: {then} then, {now} now")),
    }
}

/// Earlier versions wrote paths among the options of other programs as they were typed.
fn is_same_path(then: &Value, now: &Value) -> bool {
    let then = then.as_str().and_then(|path| absolute(path).ok());
    then.is_some() && then.as_deref() == now.as_str().map(Path::new)
}

#[cfg(test)]
mod tests {
    use nullarbor::params::SearchRule;

    use super::super::plan::tests::plan;
    use super::super::plan::{Notation, PgnOutput};
    use super::*;
    use crate::limit::Limit;

    fn recorded(json: &str) -> Identity {
        serde_json::from_str(json).expect("a settings line")
    }

    #[test]
    fn a_difference_is_named() {
        let then = plan(2, Format::Gauntlet);
        let json = serde_json::to_string(&Identity::of(&then)).expect("JSON");
        let difference =
            |now: &Plan| recorded(&json).difference(&Identity::of(now)).unwrap_or_default();
        assert_eq!(difference(&then), "");
        let mut now = then.clone();
        now.engines[1].limit = Limit::Nodes { hard: Some(200), soft: None };
        assert_eq!(difference(&now), "engines.2.limit: \"100 nodes\" then, \"200 nodes\" now");
        let mut now = then.clone();
        now.rules.adjudication = crate::adjudication::Adjudication::OF_TESTS;
        assert!(difference(&now).starts_with("rules.draw: null then"));
        let styled = |notation| {
            let style = PgnStyle { notation, ..PgnStyle::default() };
            let (event, site) = (String::new(), String::new());
            let pgn = PgnOutput { path: "x".into(), event, site, style, appends: false };
            Identity::of(&Plan { pgn: Some(pgn), ..then.clone() })
        };
        let (san, uci) = (styled(Notation::San), styled(Notation::Uci));
        let found = san.difference(&uci);
        assert_eq!(found.as_deref(), Some("pgn_style.notation: \"san\" then, \"uci\" now"));
        let earlier = Identity { pgn_style: None, ..san };
        assert_eq!(earlier.difference(&uci), None);
        let mut now = then.clone();
        if let Program::InProcess(options) = &mut now.engines[0].program {
            options.params.push(("null_move_base".to_owned(), 4096));
        }
        assert_eq!(difference(&now), "engines.1.parameters.null_move_base: null then, 4096 now");
        let without = |params: Vec<(String, i32)>| {
            let (engine, mut now) =
                (EngineKind::Without(SearchRule::ReverseFutility), then.clone());
            now.engines[0].program =
                Program::InProcess(EngineOptions { engine, params, ..EngineOptions::default() });
            now
        };
        let spec = Spec::find("rfp_max_depth").expect("a parameter");
        let again = without(vec![(spec.name.to_owned(), spec.default)]);
        let switched_on = Identity::of(&without(Vec::new())).difference(&Identity::of(&again));
        assert!(switched_on.is_some(), "the default of this search is another");
    }

    #[test]
    fn a_path_of_this_folder_is_the_same_as_typed() {
        let differs = |then: &str, now: &str| first_difference("x", &then.into(), &now.into());
        let here = |name: &str| absolute(name).expect("a folder").display().to_string();
        assert_eq!(differs("./a.nnue", &here("a.nnue")), None);
        for (then, now) in [("a", here("b")), ("", here("a")), (&here("a"), "a".to_owned())] {
            assert!(differs(then, &now).is_some(), "{then} {now}");
        }
    }
}
