//! `--engine`: who takes part.

use std::path::PathBuf;
use std::str::FromStr;

use nullarbor::params::{ParamError, Params, SPECS};
use nullarbor::types::Depth;
use thiserror::Error;

use nullarbor_games::engine_config::{EngineConfig, Kind};
use nullarbor_games::in_process::Setting;
use nullarbor_games::limit::{self, Limit, TimeControlError};
use nullarbor_games::scheme::{EngineKind, NamedScheme, SchemeError};
use nullarbor_games::uci::Command;

/// Why a text names no engine.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum SpecError {
    #[error("`{0}` is neither `self` nor of the form key=value")]
    NoValue(String),
    #[error("it names no program: say `self` for this engine, or cmd=PATH for another")]
    NoProgram,
    #[error(
        "`{0}` is unknown; an engine takes cmd, arg, dir, name, tc, st, nodes, soft-nodes, depth and option.NAME"
    )]
    UnknownKey(String),
    #[error(
        "`{0}` is neither a parameter of the search (`nullarbor params` lists them) nor name, Hash, NullMove, EvalFile, engine, tc, st, nodes, soft-nodes or depth"
    )]
    UnknownParameter(String),
    #[error(transparent)]
    Param(#[from] ParamError),
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    #[error("{key}: `{value}` is {expected}")]
    Value { key: String, value: String, expected: String },
    #[error(transparent)]
    TimeControl(#[from] TimeControlError),
    #[error("more than one limit: tc, st, nodes and depth exclude each other")]
    Limits,
    #[error("a soft limit of nodes is known to `self` alone")]
    SoftNodes,
}

/// What one `--engine` says.
#[derive(Clone, Debug)]
pub struct EngineSpec {
    name: Option<String>,
    kind: Kind,
    limit: Option<Limit>,
}

impl EngineSpec {
    /// The engine; `limit` is for those that have none of their own.
    ///
    /// # Errors
    /// Where the limit is none that it can keep.
    pub fn engine(&self, limit: &Limit) -> Result<EngineConfig, SpecError> {
        let limit = self.limit.clone().unwrap_or_else(|| limit.clone());
        let soft = matches!(limit, Limit::Nodes { soft: Some(_), .. });
        if soft && matches!(self.kind, Kind::External(_)) {
            return Err(SpecError::SoftNodes);
        }
        let name = self.name.clone().unwrap_or_else(|| match &self.kind {
            Kind::InProcess(_) => "self".to_owned(),
            Kind::External(command) => command
                .program
                .file_stem()
                .map_or_else(|| "engine".to_owned(), |name| name.to_string_lossy().into_owned()),
        });
        Ok(EngineConfig { name, kind: self.kind.clone(), limit })
    }
}

/// Gives a number to each name that came before.
pub fn make_names_unique(engines: &mut [EngineConfig]) {
    for index in 1..engines.len() {
        let (before, rest) = engines.split_at_mut(index);
        let wanted = rest[0].name.clone();
        let mut number = 1;
        while before.iter().any(|other| other.name == rest[0].name) {
            number += 1;
            rest[0].name = format!("{wanted}-{number}");
        }
    }
}

impl FromStr for EngineSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut parts = text.split(',').map(str::trim).filter(|part| !part.is_empty()).peekable();
        let in_process = parts.next_if_eq(&"self").is_some();
        let mut fields = Fields::default();
        for part in parts {
            let (key, value) =
                part.split_once('=').ok_or_else(|| SpecError::NoValue(part.to_owned()))?;
            if !fields.take_common(key, value)? {
                let known = if in_process {
                    fields.take_own(key, value)?
                } else {
                    fields.take_external(key, value)
                };
                if !known {
                    let key = key.to_owned();
                    return Err(if in_process {
                        SpecError::UnknownParameter(key)
                    } else {
                        SpecError::UnknownKey(key)
                    });
                }
            }
        }
        fields.finish(in_process)
    }
}

#[derive(Default)]
struct Fields {
    name: Option<String>,
    limits: Vec<Limit>,
    hard_nodes: Option<u64>,
    soft_nodes: Option<u64>,
    setting: Setting,
    command: Command,
}

impl Fields {
    fn take_common(&mut self, key: &str, value: &str) -> Result<bool, SpecError> {
        match key {
            "name" => self.name = Some(value.to_owned()),
            "tc" => self.limits.push(Limit::Clock(value.parse()?)),
            "st" => self.limits.push(Limit::MoveTime(move_time(key, value)?)),
            "nodes" => self.hard_nodes = Some(positive(key, value)?),
            "soft-nodes" => self.soft_nodes = Some(positive(key, value)?),
            "depth" => self.limits.push(Limit::Depth(depth(key, value)?)),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn take_own(&mut self, key: &str, value: &str) -> Result<bool, SpecError> {
        match key {
            "Hash" | "option.Hash" => self.setting.hash = positive(key, value)? as usize,
            "NullMove" | "option.NullMove" => {
                self.setting.scheme = NamedScheme::read(value)?.scheme
            }
            "EvalFile" | "option.EvalFile" => self.setting.network = Some(PathBuf::from(value)),
            "engine" => self.setting.engine = engine_kind(key, value)?,
            _ => {
                if !SPECS.iter().any(|spec| spec.name == key) {
                    return Ok(false);
                }
                let number = value.parse().map_err(|_| not_a(key, value, "no whole number"))?;
                // Tried here, so that the error comes before the match.
                Params::default().set(key, number)?;
                self.setting.params.push((key.to_owned(), number));
            }
        }
        Ok(true)
    }

    fn take_external(&mut self, key: &str, value: &str) -> bool {
        match key {
            "cmd" => self.command.program = program(value),
            "arg" => self.command.args.push(value.to_owned()),
            "dir" => self.command.folder = Some(PathBuf::from(value)),
            _ => match key.strip_prefix("option.") {
                Some(option) => {
                    self.command.options.push((option.to_owned(), value.to_owned()));
                }
                None => return false,
            },
        }
        true
    }

    fn finish(mut self, in_process: bool) -> Result<EngineSpec, SpecError> {
        if self.hard_nodes.is_some() || self.soft_nodes.is_some() {
            self.limits.push(Limit::Nodes { hard: self.hard_nodes, soft: self.soft_nodes });
        }
        if self.limits.len() > 1 {
            return Err(SpecError::Limits);
        }
        let kind = if in_process {
            Kind::InProcess(self.setting)
        } else if self.command.program.as_os_str().is_empty() {
            return Err(SpecError::NoProgram);
        } else {
            Kind::External(self.command)
        };
        Ok(EngineSpec { name: self.name, kind, limit: self.limits.pop() })
    }
}

/// A path with a folder in it is one; a bare name is looked for here before the system looks for it.
fn program(text: &str) -> PathBuf {
    let path = PathBuf::from(text);
    // The engine may run in another folder, so the path must not depend on ours.
    if path.is_file() { std::path::absolute(&path).unwrap_or(path) } else { path }
}

fn not_a(key: &str, value: &str, expected: &str) -> SpecError {
    let expected = expected.to_owned();
    SpecError::Value { key: key.to_owned(), value: value.to_owned(), expected }
}

fn positive(key: &str, value: &str) -> Result<u64, SpecError> {
    let number = value.parse().ok().filter(|&number: &u64| number > 0);
    number.ok_or_else(|| not_a(key, value, "no whole number above 0"))
}

fn engine_kind(key: &str, value: &str) -> Result<EngineKind, SpecError> {
    clap::ValueEnum::from_str(value, false).map_err(|_| not_a(key, value, "neither full nor plain"))
}

fn depth(key: &str, value: &str) -> Result<Depth, SpecError> {
    let number = value.parse().ok().filter(|number| (1..=Depth::MAX.0).contains(number));
    number.map(Depth).ok_or_else(|| not_a(key, value, "no depth that the engine can search"))
}

fn move_time(key: &str, value: &str) -> Result<std::time::Duration, SpecError> {
    let time = limit::seconds(value).filter(|time| !time.is_zero());
    time.ok_or_else(|| not_a(key, value, "no number of seconds above 0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Limit = Limit::Nodes { hard: Some(1), soft: None };

    fn engine(text: &str) -> EngineConfig {
        let spec: EngineSpec = text.parse().expect(text);
        spec.engine(&LIMIT).expect(text)
    }

    #[test]
    fn this_engine_takes_parameters() {
        let spec = &SPECS[0];
        let found = engine(&format!(
            "self,Hash=4,NullMove=off,EvalFile=x.nnue,engine=plain,{}={}",
            spec.name, spec.max
        ));
        let setting = Setting {
            hash: 4,
            network: Some(PathBuf::from("x.nnue")),
            engine: EngineKind::Plain,
            scheme: NamedScheme::read("off").expect("a scheme").scheme,
            params: vec![(spec.name.to_owned(), spec.max)],
        };
        assert_eq!((found.name.as_str(), found.limit), ("self", LIMIT));
        assert_eq!(found.kind, Kind::InProcess(setting));
    }

    #[test]
    fn others_take_a_program_and_options() {
        let found = engine("cmd=./no/such,name=old,option.Hash=16,arg=-x,arg=y,dir=/,st=0.5");
        let command = Command {
            program: "./no/such".into(),
            args: vec!["-x".to_owned(), "y".to_owned()],
            folder: Some("/".into()),
            options: vec![("Hash".to_owned(), "16".to_owned())],
        };
        assert_eq!(found.kind, Kind::External(command));
        assert_eq!(found.limit, Limit::MoveTime(std::time::Duration::from_millis(500)));
        assert_eq!(engine("cmd=a/b.exe").name, "b");
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("", "names no program"),
            ("other", "`other`"),
            ("self,null_mvoe=3", "`null_mvoe`"),
            ("self,Hash=0", "`0`"),
            ("self,engine=steam", "steam"),
            ("self,NullMove=maybe", "maybe"),
            ("cmd=x,Hash=3", "`Hash`"),
            ("cmd=x,tc=1,nodes=3", "more than one"),
            ("cmd=x,tc=abc", "abc"),
            ("self,depth=0", "`0`"),
        ] {
            let error = text.parse::<EngineSpec>().expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        let soft: EngineSpec = "cmd=x,soft-nodes=5".parse().expect("a spec");
        assert!(soft.engine(&LIMIT).is_err());
    }

    #[test]
    fn names_are_unique() {
        let mut all = vec![engine("self"), engine("self"), engine("self,name=self-2")];
        make_names_unique(&mut all);
        let names: Vec<&str> = all.iter().map(|engine| engine.name.as_str()).collect();
        assert_eq!(names, ["self", "self-2", "self-2-2"]);
    }
}
