//! `--engine`: the description of an engine as a list of `key=value` items.

use std::convert::Infallible;
use std::path::{Path, PathBuf, absolute};
use std::str::FromStr;

use clap::ValueEnum;
use nullarbor::params::{ParamError, Params, Spec};
use thiserror::Error;

use super::engine_config::{EngineConfig, Program};
use super::in_process::EngineOptions;
use super::limit::{Limit, LimitError, LimitItems};
use super::scheme::{EngineKind, NamedScheme, SchemeError};
use super::uci::Command;
use nullarbor_runs::key_value::{Item, KeyValueError, items};

/// Why a text describes no engine.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum SpecError {
    #[error("engine=plain evaluates without a network: leave out EvalFile")]
    PlainNetwork,
    #[error("no program: write `self` for this engine, or cmd=PATH for another")]
    NoProgram,
    #[error("`{word}` is neither `self` nor of the form key=value{}", hint(.word))]
    Word { word: String },
    #[error("`self` does not ponder: write cmd=PATH for a program that does")]
    SelfPonders,
    #[error(transparent)]
    Item(#[from] KeyValueError),
    #[error(transparent)]
    Param(#[from] ParamError),
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    #[error(transparent)]
    Limit(#[from] LimitError),
}

/// Why descriptions make no list of engines.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum EnginesError {
    #[error("engine {0}: no limit: give --tc, --st, --nodes or --depth, or a limit of its own")]
    NoLimit(usize),
    #[error("engine {0}: only `self` takes a soft limit of nodes, or a clock of nodes")]
    SelfOnly(usize),
    #[error("engine {0}: ponder=true needs a clock: tc= or st=")]
    PonderWithoutClock(usize),
}

/// A path without `cmd=` is the commonest mistake.
fn hint(word: &str) -> String {
    let is_path = word.contains(std::path::is_separator) || PathBuf::from(word).is_file();
    if is_path { format!("; did you mean cmd={word}?") } else { String::new() }
}

/// The description of an engine.
///
/// ```
/// use nullarbor_games::engine_spec::{EngineSpec, engines};
///
/// let specs = ["self,null_move_base=4096,nodes=5000", "self,nodes=5000"];
/// let specs: Vec<EngineSpec> = specs.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
/// let engines = engines(&specs, None)?;
/// assert_eq!(engines[0].name, "null_move_base=4096");
/// assert_eq!(engines[1].name, "defaults");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct EngineSpec {
    /// Text of the description, with absolute paths.
    text: String,
    name: Option<String>,
    program: Program,
    limit: Option<Limit>,
    /// The items as given, without program and name: what unnamed engines differ by.
    items: Vec<String>,
}

/// Returns the engines of a match. `limit` is for those without one of their own; those without a name are named after
/// what they differ by.
///
/// # Errors
/// If an engine has no limit, or one that it does not take.
pub fn engines(
    specs: &[EngineSpec],
    limit: Option<&Limit>,
) -> Result<Vec<EngineConfig>, EnginesError> {
    let mut engines: Vec<EngineConfig> = Vec::new();
    for (spec, number) in specs.iter().zip(1..) {
        let limit = spec.limit.as_ref().or(limit).ok_or(EnginesError::NoLimit(number))?;
        let is_soft = matches!(limit, Limit::Nodes { soft: Some(_), .. });
        let is_for_self = is_soft || limit.counts_nodes_as_time();
        if is_for_self && matches!(spec.program, Program::External(_)) {
            return Err(EnginesError::SelfOnly(number));
        }
        let ponders = matches!(&spec.program, Program::External(command) if command.ponder);
        if ponders && !limit.has_clock() {
            return Err(EnginesError::PonderWithoutClock(number));
        }
        let wanted = spec.name.clone().unwrap_or_else(|| spec.default_name(specs));
        let numbered = (2..).map(|number| format!("{wanted}-{number}"));
        let name = std::iter::once(wanted.clone())
            .chain(numbered)
            .find(|name| engines.iter().all(|other| other.name != *name))
            .unwrap_or_default();
        engines.push(EngineConfig { name, program: spec.program.clone(), limit: limit.clone() });
    }
    Ok(engines)
}

impl EngineSpec {
    /// Returns the description with items that all engines have in common, where it does not say otherwise itself: an
    /// item of the same key, or any limit for a limit.
    ///
    /// # Errors
    /// If an item is none of such an engine, or names one.
    pub fn with_each(&self, each: &str) -> Result<Self, SpecError> {
        let own: Vec<&str> = items(&self.text, &[',']).map(|item| plain(item.key)).collect();
        let has_limit = own.iter().any(|key| LimitItems::is_key(key));
        let mut common = Vec::new();
        for item in items(&with_absolute_paths(each), &[',']) {
            let value = item.value().map_err(|_| SpecError::Word { word: item.key.to_owned() })?;
            if matches!(item.key, "cmd" | "name" | "arg" | "revision") {
                return Err(item.unknown("what engines can have in common").into());
            }
            let is_own =
                own.contains(&plain(item.key)) || (has_limit && LimitItems::is_key(item.key));
            if !is_own {
                common.push(format!("{}={value}", item.key));
            }
        }
        // Behind what tells which program it is.
        [&[self.text.clone()][..], &common].concat().join(",").parse()
    }

    /// Returns the program of an engine that has neither a name nor a limit of its own and does not ponder; `None` if it is
    /// this engine.
    pub fn external(&self) -> Option<&Command> {
        match &self.program {
            Program::External(command)
                if self.name.is_none() && self.limit.is_none() && !command.ponder =>
            {
                Some(command)
            }
            _ => None,
        }
    }

    /// The name of the program.
    fn stem(&self) -> String {
        match &self.program {
            Program::InProcess(_) => "self".to_owned(),
            Program::External(command) => {
                let stem = command.program.file_stem();
                stem.map_or_else(|| "engine".to_owned(), |stem| stem.to_string_lossy().into_owned())
            }
        }
    }

    /// Names an engine after what other unnamed engines of the same program do not share with it.
    fn default_name(&self, all: &[Self]) -> String {
        let stem = self.stem();
        let same = |spec: &&Self| spec.name.is_none() && spec.stem() == stem;
        let is_shared =
            |item: &String| all.iter().filter(same).all(|spec| spec.items.contains(item));
        let own = |spec: &Self| -> Vec<String> {
            spec.items.iter().filter(|item| !is_shared(item)).cloned().collect()
        };
        let different = own(self).join(",");
        match &self.program {
            _ if all.iter().filter(same).all(|spec| own(spec).is_empty()) => stem,
            Program::InProcess(_) if different.is_empty() => "defaults".to_owned(),
            Program::InProcess(_) => different,
            Program::External(_) if different.is_empty() => stem,
            Program::External(_) => format!("{stem} {different}"),
        }
    }
}

impl FromStr for EngineSpec {
    type Err = SpecError;

    /// Once parsed, a path means the same in any folder.
    fn from_str(text: &str) -> Result<Self, SpecError> {
        let text = with_absolute_paths(text);
        let first = items(&text, &[',']).next().map(|item| (item.key, item.value));
        let in_process = first == Some(("self", None));
        let items = items(&text, &[',']).skip(usize::from(in_process));
        let mut fields = Fields::default();
        for item in items {
            let value = item.value().map_err(|_| SpecError::Word { word: item.key.to_owned() })?;
            if item.key == "name" {
                fields.name = Some(value.to_owned());
                continue;
            }
            if item.key != "cmd" {
                fields.items.push(short(item.key, value));
            }
            if fields.limit.take(&item)? {
            } else if in_process {
                fields.take_own(&item, value)?;
            } else {
                fields.take_external(&item, value)?;
            }
        }
        let Fields { name, items, limit, options, command } = fields;
        if options.engine.is_plain() && options.network.is_some() {
            return Err(SpecError::PlainNetwork);
        }
        let program = if in_process {
            Program::InProcess(options)
        } else if command.program.as_os_str().is_empty() {
            return Err(SpecError::NoProgram);
        } else {
            Program::External(command)
        };
        Ok(Self { text, name, program, limit: limit.finish()?, items })
    }
}

/// The key of an item without what marks an option.
fn plain(key: &str) -> &str {
    key.strip_prefix("option.").unwrap_or(key)
}

/// An item as a name shows it: files without their folder, options without `option.`
fn short(key: &str, value: &str) -> String {
    let value = value.rsplit(std::path::is_separator).next().unwrap_or(value);
    format!("{}={value}", plain(key))
}

const TRUE_OR_FALSE: &str = "true or false";

#[derive(Default)]
struct Fields {
    name: Option<String>,
    items: Vec<String>,
    limit: LimitItems,
    options: EngineOptions,
    command: Command,
}

impl Fields {
    fn take_own(&mut self, item: &Item<'_>, value: &str) -> Result<(), SpecError> {
        let options = &mut self.options;
        match plain(item.key) {
            "Hash" => {
                let positive = |value: &str| value.parse().ok().filter(|&hash| hash > 0);
                options.hash = item.parse_with("a number of MiB above 0", positive)?;
            }
            "NullMove" => {
                options.null_move = NamedScheme::read(value)?;
                options.scheme_file = NamedScheme::file(value).map(PathBuf::from);
            }
            "EvalFile" => options.network = Some(value.into()),
            "engine" => {
                let kind = |value: &str| EngineKind::from_str(value, false).ok();
                options.engine = item.parse_with(&EngineKind::names(), kind)?;
            }
            "ponder" if item.parse(TRUE_OR_FALSE)? => return Err(SpecError::SelfPonders),
            "ponder" => {}
            key if Spec::find(key).is_some() => {
                let number = item.parse("a whole number")?;
                // Tried here: the error comes before the match.
                Params::default().set(key, number)?;
                options.params.push((key.to_owned(), number));
            }
            _ => {
                let own = "name, Hash, NullMove, EvalFile, engine";
                let known = format!(
                    "{own}, {}, and the parameters of `nullarbor params`",
                    LimitItems::KEYS
                );
                return Err(item.unknown(&known).into());
            }
        }
        Ok(())
    }

    fn take_external(&mut self, item: &Item<'_>, value: &str) -> Result<(), SpecError> {
        let command = &mut self.command;
        match (item.key, item.key.strip_prefix("option.")) {
            ("cmd", _) => command.program = value.into(),
            ("arg", _) => command.args.push(value.to_owned()),
            ("dir", _) => command.folder = Some(value.into()),
            ("ponder", _) => command.ponder = item.parse(TRUE_OR_FALSE)?,
            ("revision", _) => {
                command.revision = Some(item.parse("a commit in full: git rev-parse HEAD")?);
            }
            (_, Some(option)) => command.options.push((option.to_owned(), value.to_owned())),
            _ => {
                let known = format!(
                    "cmd, arg, dir, name, ponder, revision, option.NAME, {}",
                    LimitItems::KEYS
                );
                return Err(item.unknown(&known).into());
            }
        }
        Ok(())
    }
}

/// Returns the description of this engine with these options, without name and limit; `path` writes those of files.
pub fn write(options: &EngineOptions, mut path: impl FnMut(&Path) -> PathBuf) -> String {
    let EngineOptions { hash, engine, null_move, scheme_file, params, network } = options;
    let scheme = scheme_file.as_deref().map_or_else(
        || null_move.name.clone(),
        |file| {
            // Changes stand behind the name, which is that of the file.
            let changes = null_move.name.find('+').map_or("", |at| &null_move.name[at..]);
            format!("{}{changes}", path(file).display())
        },
    );
    let mut text = format!("self,Hash={hash},engine={},NullMove={scheme}", engine.name());
    if let Some(network) = network {
        text += &format!(",EvalFile={}", path(network).display());
    }
    params.iter().for_each(|(name, value)| text += &format!(",{name}={value}"));
    text
}

/// Returns the description of an engine with other paths: `path` is given those in it, and the keys of their items.
///
/// # Errors
/// Those of `path`.
pub fn with_paths<E>(
    text: &str,
    mut path: impl FnMut(&str, &str) -> Result<String, E>,
) -> Result<String, E> {
    let item = |item: Item<'_>| {
        let Some(value) = item.value else { return Ok(item.key.to_owned()) };
        let value = match (item.key, plain(item.key)) {
            ("cmd" | "dir", _) | (_, "EvalFile") => path(item.key, value)?,
            (_, "NullMove") => match NamedScheme::file(value) {
                Some(file) => path(item.key, file)? + &value[file.len()..],
                None => value.to_owned(),
            },
            _ => value.to_owned(),
        };
        Ok(format!("{}={value}", item.key))
    };
    Ok(items(text, &[',']).map(item).collect::<Result<Vec<_>, _>>()?.join(","))
}

/// Returns the description of an engine, or items of one, with absolute paths, which mean the same in any folder. What is
/// parsed and what is kept in a journal both have them from here.
pub fn with_absolute_paths(text: &str) -> String {
    let has_folder = items(text, &[',']).any(|item| item.key == "dir");
    let absolute = |key: &str, path: &str| {
        let is_option = key.starts_with("option.");
        // What is no file here is left to the system to find, or to the program, which looks in its own folder.
        let is_left = (is_option && has_folder)
            || ((is_option || key == "cmd") && !Path::new(path).is_file());
        let found = if is_left { None } else { absolute(path).ok() };
        let found = found.map(|path| path.display().to_string());
        // A list has no way to write a comma within an item.
        let found = found.filter(|path| !path.contains(','));
        Ok::<_, Infallible>(found.unwrap_or_else(|| path.to_owned()))
    };
    let Ok(text) = with_paths(text, absolute);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use nullarbor::params::{SPECS, SearchRule};

    const LIMIT: Limit = Limit::Nodes { hard: Some(1), soft: None };

    fn all(texts: &[&str]) -> Vec<EngineConfig> {
        let specs: Vec<EngineSpec> = texts.iter().map(|text| text.parse().expect(text)).collect();
        engines(&specs, Some(&LIMIT)).expect("all have a limit")
    }

    fn engine(text: &str) -> EngineConfig {
        all(&[text]).remove(0)
    }

    #[test]
    fn this_engine_takes_parameters() {
        let spec = &SPECS[0];
        let found = engine(&format!(
            "self,Hash=4,NullMove=off,EvalFile=x.nnue,engine=no-reverse-futility,{}={}",
            spec.name, spec.max
        ));
        let options = EngineOptions {
            hash: 4,
            network: absolute("x.nnue").ok(),
            engine: EngineKind::Without(SearchRule::ReverseFutility),
            null_move: NamedScheme::read("off").expect("a scheme"),
            scheme_file: None,
            params: vec![(spec.name.to_owned(), spec.max)],
        };
        assert_eq!((found.name.as_str(), found.limit), ("self", LIMIT));
        assert_eq!(found.program, Program::InProcess(options));
    }

    #[test]
    fn others_take_a_program_and_options() {
        let found =
            engine("cmd=./no/such,name=old,option.Hash=16,arg=-x,arg=y,dir=/,st=0.5,ponder=true");
        let command = Command {
            program: "./no/such".into(),
            args: vec!["-x".to_owned(), "y".to_owned()],
            folder: Some("/".into()),
            options: vec![("Hash".to_owned(), "16".to_owned())],
            ponder: true,
            revision: None,
        };
        assert_eq!(found.program, Program::External(command));
        assert_eq!(found.limit, Limit::MoveTime(std::time::Duration::from_millis(500)));
        assert_eq!(engine("cmd=a/b.exe").name, "b");
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("", "no program"),
            ("other", "`other`"),
            ("./nullarbor", "did you mean cmd=./nullarbor?"),
            ("self,null_mvoe=3", "`null_mvoe`"),
            ("self,Hash=0", "`0`"),
            ("self,engine=steam", "steam"),
            ("self,EvalFile=net.nnue,engine=plain", "without a network"),
            ("self,NullMove=maybe", "maybe"),
            ("cmd=x,Hash=3", "`Hash`"),
            ("cmd=x,ponder=on", "true or false"),
            ("self,ponder=true", "`self` does not ponder"),
            ("cmd=x,tc=1,nodes=3", "more than one"),
            ("cmd=x,tc=abc", "abc"),
            ("self,depth=0", "`0`"),
        ] {
            let error = text.parse::<EngineSpec>().expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        for text in ["cmd=x,soft-nodes=5", "cmd=x,tc=1+0.01@150"] {
            let spec: EngineSpec = text.parse().expect("a spec");
            assert!(matches!(engines(&[spec], Some(&LIMIT)), Err(EnginesError::SelfOnly(1))));
        }
        let spec: EngineSpec = "cmd=x,ponder=true".parse().expect("a spec");
        let error = engines(std::slice::from_ref(&spec), Some(&LIMIT));
        assert!(matches!(error, Err(EnginesError::PonderWithoutClock(1))));
        assert!(engines(&[spec], "st=1".parse().ok().as_ref()).is_ok());
        let none: EngineSpec = "self".parse().expect("a spec");
        assert!(matches!(engines(&[none], None), Err(EnginesError::NoLimit(1))));
    }

    /// Tests run in the folder of the crate, which has this file.
    #[test]
    fn what_a_journal_keeps_is_what_was_parsed() {
        const FILE: &str = "Cargo.toml";
        let here = absolute(FILE).expect("a folder").display().to_string();
        for (text, option) in [
            (format!("cmd=x,option.EvalFile={FILE}"), Some(here)),
            ("cmd=x,option.EvalFile=none".to_owned(), Some("none".to_owned())),
            (format!("cmd={FILE},dir=src,option.EvalFile={FILE}"), Some(FILE.to_owned())),
            ("self,EvalFile=none".to_owned(), None),
        ] {
            let kept = with_absolute_paths(&text);
            let found = engine(&text);
            assert_eq!((with_absolute_paths(&kept), engine(&kept)), (kept, found.clone()));
            if let Program::External(command) = found.program {
                assert_eq!(command.options.first().map(|(_, value)| value), option.as_ref());
            }
        }
    }

    #[test]
    fn what_engines_have_in_common_yields_to_their_own() {
        let with = |text: &str, each: &str| text.parse::<EngineSpec>().expect(text).with_each(each);
        let spec = with("self,Hash=4", "option.Hash=64,nodes=500").expect("a description");
        let limit = Limit::Nodes { hard: Some(500), soft: None };
        assert_eq!(spec.limit, Some(limit));
        assert!(matches!(&spec.program, Program::InProcess(options) if options.hash == 4));
        let spec = with("cmd=x,tc=1+0,option.Threads=2", "nodes=5,option.Hash=64").expect("both");
        assert!(spec.limit.as_ref().is_some_and(Limit::is_timed));
        let Program::External(command) = &spec.program else { panic!("a program") };
        let option = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(command.options, [option("Threads", "2"), option("Hash", "64")]);
        for each in ["cmd=y", "name=z", "dog", "razor_base=x"] {
            assert!(with("self", each).is_err(), "{each}");
        }
    }

    #[test]
    fn engines_are_named_after_what_differs() {
        let cases: [(&[&str], &[&str]); 8] = [
            (&["self"], &["self"]),
            (&["self,Hash=1", "self,Hash=1", "self,name=self-2"], &["self", "self-2", "self-2-2"]),
            (&["self,null_move_base=4096", "self"], &["null_move_base=4096", "defaults"]),
            (&["self,Hash=1,NullMove=off", "self,Hash=1"], &["NullMove=off", "defaults"]),
            (
                &["self,nodes=9,EvalFile=a/b.nnue", "self,nodes=5"],
                &["nodes=9,EvalFile=b.nnue", "nodes=5"],
            ),
            (&["self,Hash=2,name=x", "self,Hash=1"], &["x", "self"]),
            (&["cmd=a/x", "cmd=b/x"], &["x", "x-2"]),
            (&["cmd=a/x,option.Hash=2", "cmd=a/x", "cmd=y"], &["x Hash=2", "x", "y"]),
        ];
        for (texts, names) in cases {
            let found: Vec<String> = all(texts).into_iter().map(|engine| engine.name).collect();
            assert_eq!(found, names, "{texts:?}");
        }
    }
}
