//! The run file: what is tuned, how games are played and how many, in TOML.

use std::collections::BTreeMap;
use std::path::Path;

use nullarbor::params::{SPECS, Spec};
use nullarbor::types::Depth;
use nullarbor_games::engine_spec::EngineSpec;
use nullarbor_games::in_process::EngineOptions;
use nullarbor_games::limit::{Limit, TimeControl};
use nullarbor_games::scheme::NamedScheme;
use nullarbor_games::uci::{Command, Declared, Tunable};
use nullarbor_runs::files::{FileError, read_text};
use nullarbor_runs::worker_count;
use serde::{Deserialize, Serialize};

use super::error::{ConfigError, EngineError};
use super::gains::{Length, MIN_PERTURBATION, Mode, Schedule, raised};
use super::parameter::Parameter;
use super::parameter::Range;

/// The content of a run file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunFile {
    /// The engine, as `match --engine` takes it: `cmd=PATH,option.Hash=16`. Without it, this engine is tuned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// Name that the engine must give itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine_id: Option<String>,
    /// Options of the engine that are switches: 0 is false, 1 is true.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub switches: Vec<String>,
    /// The null-move scheme of this engine, as `NullMove` of `match --engine` takes it, but no file. Without it, the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub null_move: Option<String>,
    /// Number of iterations.
    pub iterations: u64,
    /// Pairs of games in each iteration.
    pub pairs_per_iteration: u64,
    /// Nodes per move; or else `depth`, or `tc`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Nodes per move in the last iteration, if they grow from `nodes`, by the same factor in each iteration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes_end: Option<u64>,
    /// Plies per move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<i32>,
    /// Time control of a game, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tc: Option<String>,
    /// Seed of the perturbations and of the order of the openings.
    pub seed: u64,
    /// Opening book.
    pub book: String,
    /// True if one opening of eight is not played, but left to `spsa verify`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keep_openings_back: bool,
    /// Size of the transposition table of each engine in MiB.
    #[serde(default = "defaults::hash")]
    pub hash: usize,
    /// Course of the gains: constant, or decaying.
    #[serde(default = "defaults::mode")]
    pub mode: Mode,
    /// Exponent of the step size.
    #[serde(default = "defaults::alpha")]
    pub alpha: f64,
    /// Exponent of the perturbation size.
    #[serde(default = "defaults::gamma")]
    pub gamma: f64,
    /// The stability constant `A` as a share of the iterations.
    #[serde(default = "defaults::a_ratio")]
    pub a_ratio: f64,
    /// The share of the iterates, the last ones, whose average is the result; 0 is the last iterate. Without it, half with
    /// constant gains, else 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub average: Option<f64>,
    /// Stops the run when it is expected to gain less than so many Elo in what remains to be found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_below: Option<f64>,
    /// An iteration is played around the iterate this many iterations before, so that no worker waits for the longest game.
    /// The result depends on it, but not on the number of workers.
    #[serde(default = "defaults::staleness", alias = "lag")]
    pub staleness: u64,
    /// Games at the same time, unless the command line says otherwise. The result does not depend on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<usize>,
    /// Groups of which all parameters are tuned, as they are declared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// Parameters by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, Tuning>,
}

/// The tuning of one parameter. A field that is left out is as the parameter declares it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tuning {
    /// Value before the first iteration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Minimum value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<i32>,
    /// Maximum value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<i32>,
    /// Size of the perturbation in the last iteration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c_end: Option<f64>,
    /// Step size in the last iteration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r_end: Option<f64>,
}

impl Tuning {
    /// Returns how a parameter is tuned, with nothing left out.
    pub fn of(parameter: &Parameter) -> Self {
        Self {
            value: Some(parameter.start),
            min: Some(parameter.range.min),
            max: Some(parameter.range.max),
            c_end: Some(parameter.c_end),
            r_end: Some(parameter.r_end),
        }
    }
}

mod defaults {
    use super::Mode;

    pub fn hash() -> usize {
        8
    }

    pub fn mode() -> Mode {
        Mode::Classic
    }

    pub fn alpha() -> f64 {
        0.602
    }

    pub fn gamma() -> f64 {
        0.101
    }

    pub fn a_ratio() -> f64 {
        0.1
    }

    pub fn staleness() -> u64 {
        16
    }
}

/// More games than any run has.
const MOST_GAMES: u64 = 10_000_000_000;
/// Pairs that may wait for a worker at the same time.
const MOST_PAIRS_IN_FLIGHT: u64 = 10_000_000;
/// Step size with which a single game would move a value by a thousand perturbations.
const MOST_R_END: f64 = 1000.0;

const HEAD: &str = "\
# A tuning run: nullarbor-tuner spsa run THIS_FILE --dir DIR
# Instead of nodes: depth = 8 or tc = \"1+0.01\"; with nodes_end = 60000 the nodes grow. With mode = \"constant\" gains do not
# decay, and the result is the average of the last half. With stop_below = 2 the run stops when less than 2 Elo remain. Of
# each parameter: its start, its range, the size of its perturbation (c_end) and its step size (r_end) in the last iteration.
# `spsa plan` chooses c_end and r_end for the number of games.

";

/// Returns the declarations of all parameters in these groups or with these names, in the order of their declaration.
///
/// # Errors
/// If a group or a parameter does not exist.
pub fn select<'a>(
    groups: &[String],
    names: impl IntoIterator<Item = &'a String>,
) -> Result<Vec<&'static Spec>, ConfigError> {
    let mut known: Vec<&str> = SPECS.iter().map(|spec| spec.group).collect();
    known.dedup();
    if let Some(group) = groups.iter().find(|group| !known.contains(&group.as_str())) {
        return Err(ConfigError::Group(group.clone(), known.join(", ")));
    }
    let names: Vec<&str> = names.into_iter().map(String::as_str).collect();
    if groups.is_empty() && names.is_empty() {
        return Err(ConfigError::Nothing(known.join(", ")));
    }
    if let Some(name) = names.iter().find(|name| Spec::find(name).is_none()) {
        return Err(ConfigError::Parameter((*name).to_owned()));
    }
    let is_selected =
        |spec: &&Spec| groups.iter().any(|group| group == spec.group) || names.contains(&spec.name);
    Ok(SPECS.iter().filter(is_selected).collect())
}

impl RunFile {
    /// Creates a run of these parameters as they are declared, with the usual settings.
    pub fn of(specs: &[&Spec]) -> Self {
        let tuning = |spec: &Spec| Tuning {
            value: Some(f64::from(spec.default)),
            min: Some(spec.min),
            max: Some(spec.max),
            c_end: Some(spec.step),
            r_end: Some(Spec::R_END),
        };
        Self {
            engine: None,
            engine_id: None,
            switches: Vec::new(),
            null_move: None,
            iterations: 2500,
            pairs_per_iteration: 4,
            nodes: Some(5000),
            nodes_end: None,
            depth: None,
            tc: None,
            seed: 1,
            book: "unbalanced".to_owned(),
            keep_openings_back: true,
            hash: defaults::hash(),
            mode: defaults::mode(),
            alpha: defaults::alpha(),
            gamma: defaults::gamma(),
            a_ratio: defaults::a_ratio(),
            average: None,
            stop_below: None,
            staleness: defaults::staleness(),
            concurrency: None,
            groups: Vec::new(),
            parameters: specs.iter().map(|spec| (spec.name.to_owned(), tuning(spec))).collect(),
        }
    }

    /// Creates a run of the options of another engine, with the usual settings. `engine` is as `match --engine` takes it.
    pub fn of_engine(engine: &str, declared: &Declared) -> Self {
        let tuning = |option: &Tunable| {
            let range = proposed(option);
            let (min, max, r_end) = (Some(range.min), Some(range.max), Some(Spec::R_END));
            let (value, c_end) = (Some(option.default as f64), Some(usual_c_end(range)));
            (option.name.clone(), Tuning { value, min, max, c_end, r_end })
        };
        let switches = declared.tunables.iter().filter(|option| option.is_check);
        Self {
            switches: switches.map(|option| option.name.clone()).collect(),
            engine: Some(engine.to_owned()),
            engine_id: (!declared.id.is_empty()).then(|| declared.id.clone()),
            parameters: declared.tunables.iter().map(tuning).collect(),
            ..Self::of(&[])
        }
    }

    /// Moves the start of each parameter `percent` % of the way from its default towards the farther bound of its range, for
    /// recovery experiments.
    pub fn start_off(&mut self, percent: f64) {
        for (name, tuning) in &mut self.parameters {
            let Some(spec) = Spec::find(name) else { continue };
            let is_low = spec.max - spec.default >= spec.default - spec.min;
            let bound = if is_low { spec.max } else { spec.min };
            let way = percent / 100.0 * f64::from(bound - spec.default);
            tuning.value = Some((f64::from(spec.default) + way).round());
        }
    }

    /// Reads and checks a run file.
    ///
    /// # Errors
    /// If it cannot be read or played.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        Self::parse(&read_text(path)?).map_err(FileError::at(path))
    }

    /// Parses and checks the text of a run file.
    ///
    /// # Errors
    /// If it is none, or cannot be played.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let run: Self = toml::from_str(text)
            .map_err(|error| ConfigError::Toml(error.to_string().trim_end().to_owned()))?;
        run.check()?;
        Ok(run)
    }

    /// Returns the run file as text.
    pub fn to_toml(&self) -> String {
        // Numbers and names always have a representation in TOML.
        toml::to_string(self).unwrap_or_default()
    }

    /// Returns the run file as text with a comment that explains it.
    pub fn to_commented_toml(&self) -> String {
        format!("{HEAD}{}", self.to_toml())
    }

    /// Checks whether it can be played.
    ///
    /// # Errors
    /// If it cannot be.
    pub fn check(&self) -> Result<(), ConfigError> {
        let counts = [
            ("iterations", self.iterations, 10_000_000),
            ("pairs_per_iteration", self.pairs_per_iteration, 100_000),
            ("hash", self.hash as u64, 1 << 20),
            // Each iteration in flight is held in memory.
            ("staleness", self.staleness, 10_000),
            ("concurrency", self.concurrency.map_or(1, |workers| workers as u64), 1024),
        ];
        if let Some((name, value, most)) =
            counts.into_iter().find(|(_, value, most)| !(1..=*most).contains(value))
        {
            return Err(ConfigError::Count { name, value, most });
        }
        let (iterations, pairs) = (self.iterations, self.pairs_per_iteration);
        if 2 * iterations * pairs > MOST_GAMES
            || (self.staleness + 1) * pairs > MOST_PAIRS_IN_FLIGHT
        {
            return Err(ConfigError::Games { iterations, pairs, most: MOST_GAMES / 1_000_000 });
        }
        for (name, value) in [
            ("alpha", self.alpha),
            ("gamma", self.gamma),
            ("a_ratio", self.a_ratio),
            ("average", self.averaged()),
        ] {
            if !(0.0..=1.0).contains(&value) {
                return Err(ConfigError::Number { name, value, expected: "from 0 to 1" });
            }
        }
        if let Some(value) = self.stop_below.filter(|elo| !(*elo > 0.0 && *elo < 1000.0)) {
            let (name, expected) = ("stop_below", "a number of Elo above 0 and below 1000");
            return Err(ConfigError::Number { name, value, expected });
        }
        self.limit()?;
        self.command()?;
        self.options()?;
        self.tuned_parameters().map(|_| ())
    }

    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        2 * self.iterations * self.pairs_per_iteration
    }

    /// Returns the number of workers: as on the command line, or else in the file, or else one for each core.
    pub fn workers(&self, asked: Option<u64>) -> usize {
        worker_count(asked.or(self.concurrency.map(|workers| workers as u64)))
    }

    /// Returns the share of the iterates whose average is the result.
    pub fn averaged(&self) -> f64 {
        self.average.unwrap_or(self.mode.average())
    }

    /// Returns the program of the run; `None` if it tunes this engine.
    ///
    /// # Errors
    /// If it is none.
    pub fn command(&self) -> Result<Option<Command>, ConfigError> {
        let Some(text) = &self.engine else { return Ok(None) };
        let wrong = || Box::new(EngineError::Spec(text.clone()));
        let spec: EngineSpec = text.parse().map_err(|_| wrong())?;
        Ok(Some(spec.external().ok_or_else(wrong)?.clone()))
    }

    /// Returns the options of this engine, besides those that are tuned.
    ///
    /// # Errors
    /// If there is no such null-move scheme, or it is meant for another engine.
    pub fn options(&self) -> Result<EngineOptions, ConfigError> {
        let usual = EngineOptions { hash: self.hash, ..EngineOptions::default() };
        let Some(text) = &self.null_move else { return Ok(usual) };
        if self.engine.is_some() || NamedScheme::file(text).is_some() {
            return Err(ConfigError::NullMove(text.clone()));
        }
        Ok(EngineOptions { null_move: NamedScheme::read(text)?, ..usual })
    }

    /// Describes how the games are played, and the gains.
    ///
    /// # Errors
    /// As [`RunFile::limit`].
    pub(super) fn describe_games(&self) -> Result<String, ConfigError> {
        Ok(format!(
            "{}{}, {} pairs per iteration, book {}, seed {}, staleness {}; gains: alpha {}, gamma {}, A {} of the iterations",
            self.limit()?,
            self.nodes_end.map_or_else(String::new, |end| format!(" growing to {end}")),
            self.pairs_per_iteration,
            self.book,
            self.seed,
            self.staleness,
            self.alpha,
            self.gamma,
            self.a_ratio
        ))
    }

    /// Returns the limit of moves or games in iteration `k`, from 1.
    ///
    /// # Errors
    /// As [`RunFile::limit`].
    pub fn limit_at(&self, k: u64, length: &Length) -> Result<Limit, ConfigError> {
        let (Some(nodes), Some(end)) = (self.nodes, self.nodes_end) else { return self.limit() };
        let last = length.at(k).saturating_sub(1).max(1);
        let way = k.saturating_sub(1).min(last) as f64 / last as f64;
        let grown = nodes as f64 * (end as f64 / nodes as f64).powf(way);
        Ok(Limit::Nodes { hard: Some(grown.round() as u64), soft: None })
    }

    /// Returns the limit of moves or games, that of the first iteration if it grows.
    ///
    /// # Errors
    /// If there is none, or more than one.
    pub fn limit(&self) -> Result<Limit, ConfigError> {
        if self.nodes_end == Some(0) {
            return Err(ConfigError::NoNodes);
        }
        if self.nodes_end.is_some() && self.nodes.is_none() {
            return Err(ConfigError::Limit);
        }
        match (self.nodes, self.depth, &self.tc) {
            (Some(0), None, None) => Err(ConfigError::NoNodes),
            (Some(nodes), None, None) => Ok(Limit::Nodes { hard: Some(nodes), soft: None }),
            (None, Some(depth), None) if (1..=Depth::MAX.0).contains(&depth) => {
                Ok(Limit::Depth(Depth(depth)))
            }
            (None, Some(depth), None) => Err(ConfigError::Number {
                name: "depth",
                value: f64::from(depth),
                expected: "a depth that the engine can search",
            }),
            (None, None, Some(control)) => Ok(Limit::Clock(control.parse::<TimeControl>()?)),
            _ => Err(ConfigError::Limit),
        }
    }

    /// Returns the gain sequences.
    pub fn schedule(&self) -> Schedule {
        Schedule {
            mode: self.mode,
            alpha: self.alpha,
            gamma: self.gamma,
            a_ratio: self.a_ratio,
            length: self.iterations.into(),
        }
    }

    /// Returns the parameters that are tuned, in the order of their declaration.
    ///
    /// # Errors
    /// If there are none, or one does not exist or has an impossible range, start or gain.
    pub fn tuned_parameters(&self) -> Result<Vec<Parameter>, ConfigError> {
        if self.engine.is_some() {
            return self.foreign_parameters();
        }
        let declared = Tuning::default();
        let tuned = select(&self.groups, self.parameters.keys())?;
        let parameters = tuned
            .into_iter()
            .map(|spec| parameter(spec, self.parameters.get(spec.name).unwrap_or(&declared)));
        parameters.collect()
    }

    /// Returns the parameters of another engine, by name: all that concerns them stands in the run file.
    fn foreign_parameters(&self) -> Result<Vec<Parameter>, ConfigError> {
        if let Some(group) = self.groups.first() {
            return Err(ConfigError::ForeignGroup(group.clone()));
        }
        if self.parameters.is_empty() {
            return Err(ConfigError::NoOption);
        }
        let parameter = |(name, tuning): (&String, &Tuning)| match *tuning {
            Tuning { value: Some(value), min: Some(min), max: Some(max), c_end, r_end } => {
                let c_end = c_end.unwrap_or_else(|| usual_c_end(Range { min, max }));
                let (range, r_end) = (Range { min, max }, r_end.unwrap_or(Spec::R_END));
                checked(Parameter { name: name.clone(), start: value, range, c_end, r_end })
            }
            _ => Err(ConfigError::Tuning {
                name: name.clone(),
                problem: "an option of another engine needs value, min and max".to_owned(),
            }),
        };
        self.parameters.iter().map(parameter).collect()
    }

    /// Returns the run with every parameter spelled out, so that it stays what it is when the declarations change, and with
    /// constant perturbations that change an integer.
    ///
    /// # Errors
    /// As [`RunFile::tuned_parameters`].
    pub fn resolved(&self) -> Result<Self, ConfigError> {
        let spelled_out = |of: &Parameter| {
            let gain = raised(of.c_end, of.r_end);
            match self.mode {
                Mode::Classic => Tuning::of(of),
                Mode::Constant => {
                    Tuning { c_end: Some(gain.c), r_end: Some(gain.r), ..Tuning::of(of) }
                }
            }
        };
        let parameters = self.tuned_parameters()?;
        let parameters = parameters.iter().map(|of| (of.name.clone(), spelled_out(of))).collect();
        Ok(Self { groups: Vec::new(), parameters, ..self.clone() })
    }

    /// Returns what is played otherwise than it is written, in lines.
    ///
    /// # Errors
    /// As [`RunFile::tuned_parameters`].
    pub fn notices(&self) -> Result<Vec<String>, ConfigError> {
        let parameters = self.tuned_parameters()?;
        let small = parameters.iter().filter(|of| of.c_end < MIN_PERTURBATION);
        let notice = |of: &Parameter| {
            format!(
                "{}: c_end = {} hardly changes a whole number; {MIN_PERTURBATION} is played at least, with steps as long as before",
                of.name, of.c_end
            )
        };
        Ok(small.map(notice).collect())
    }
}

fn parameter(spec: &Spec, tuning: &Tuning) -> Result<Parameter, ConfigError> {
    let parameter = checked(Parameter {
        name: spec.name.to_owned(),
        start: tuning.value.unwrap_or(f64::from(spec.default)),
        range: Range { min: tuning.min.unwrap_or(spec.min), max: tuning.max.unwrap_or(spec.max) },
        c_end: tuning.c_end.unwrap_or(spec.step),
        r_end: tuning.r_end.unwrap_or(Spec::R_END),
    })?;
    let Range { min, max } = parameter.range;
    if min < spec.min || max > spec.max {
        let declared = format!("{} to {}", spec.min, spec.max);
        let problem = format!("{min} to {max} exceeds the declared range, {declared}");
        return Err(ConfigError::Tuning { name: parameter.name, problem });
    }
    Ok(parameter)
}

fn checked(parameter: Parameter) -> Result<Parameter, ConfigError> {
    let Parameter { name, start: value, range: Range { min, max }, c_end, r_end } = &parameter;
    let wrong = |problem| Err(ConfigError::Tuning { name: name.clone(), problem });
    if min >= max {
        return wrong(format!("its minimum {min} is not below its maximum {max}"));
    }
    if !(f64::from(*min)..=f64::from(*max)).contains(value) {
        return wrong(format!("its value {value} is not between {min} and {max}"));
    }
    let width = f64::from(*max) - f64::from(*min);
    if !(*c_end > 0.0 && *c_end <= width) {
        return wrong(format!("c_end = {c_end} must be above 0 and at most {width}"));
    }
    if !(*r_end >= 0.0 && *r_end <= MOST_R_END) {
        return wrong(format!("r_end = {r_end} must be at least 0 and at most {MOST_R_END}"));
    }
    Ok(parameter)
}

/// A range that is wider than this many times the default says nothing of the values that are sensible.
const WIDE: f64 = 20.0;
/// The default that smaller ones count as, where the width of a range is judged.
const SMALL_DEFAULT: f64 = 10.0;

/// The range that an option declares. Options with wider ones than these integers are not tunable.
fn declared(option: &Tunable) -> Range {
    Range { min: option.min as i32, max: option.max as i32 }
}

/// The range to begin with: that of the option, or, where it is far wider than the default, from zero to twice the default. A
/// perturbation is a share of it, and some ranges are as wide as a type.
fn proposed(option: &Tunable) -> Range {
    let (range, default) = (declared(option), option.default as f64);
    let reach = default.abs().max(SMALL_DEFAULT);
    if range.span() <= WIDE * reach {
        return range;
    }
    let bound = |value: f64| value.clamp(f64::from(range.min), f64::from(range.max)) as i32;
    Range { min: bound(default - reach), max: bound(default + reach) }
}

/// Returns which ranges of another engine are narrowed in its run file, in lines.
pub fn narrowed(of: &Declared) -> impl Iterator<Item = String> {
    of.tunables.iter().filter(|option| proposed(option) != declared(option)).map(|option| {
        let (Range { min, max }, now) = (declared(option), proposed(option));
        let Tunable { name, default, .. } = option;
        format!("{name}: {min} to {max} is far wider than the default, {default}; the run file has {} to {}", now.min, now.max)
    })
}

/// The perturbation of an option of another engine: a twentieth of its range, as fishtest and OpenBench propose.
pub fn usual_c_end(range: Range) -> f64 {
    (range.span() / 20.0).max(MIN_PERTURBATION).min(range.span())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const RUN: &str =
        "iterations = 10\npairs_per_iteration = 2\nnodes = 100\nseed = 1\nbook = \"unbalanced\"\n";

    fn read(text: &str) -> Result<RunFile, FileError> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run.toml");
        fs::write(&path, text).expect("room");
        RunFile::read(&path)
    }

    #[test]
    fn what_is_left_out_is_as_declared() {
        let run =
            read(&format!("{RUN}groups = [\"razoring\"]\n[parameters.lmp_base]\nvalue = 4\n"))
                .expect("a run");
        let parameters = run.tuned_parameters().expect("parameters");
        let names: Vec<&str> = parameters.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["razor_max_depth", "razor_base", "razor_depth_scale", "lmp_base"]);
        let spec = Spec::find("razor_base").expect("declared");
        assert_eq!(
            (parameters[1].start, parameters[1].c_end),
            (f64::from(spec.default), spec.step)
        );
        assert_eq!((parameters[3].start, parameters[3].r_end), (4.0, Spec::R_END));
        assert_eq!((run.alpha, run.gamma, run.a_ratio), (0.602, 0.101, 0.1));
    }

    #[test]
    fn what_is_written_is_read() {
        let specs: Vec<&Spec> = SPECS.iter().filter(|spec| spec.group == "null_move").collect();
        let run = RunFile::of(&specs);
        let text = toml::to_string(&run).expect("TOML");
        assert!(text.contains("[parameters.null_move_base]"), "{text}");
        assert_eq!(read(&text).expect("a run"), run);
    }

    #[test]
    fn a_run_may_have_a_null_move_scheme() {
        let with = |scheme: &str| {
            read(&format!("null_move = \"{scheme}\"\n{RUN}groups = [\"razoring\"]\n"))
        };
        let run = with("fixed-3+guard=piece").expect("a run");
        let options = run.options().expect("a scheme");
        let expected = NamedScheme::read("fixed-3+guard=piece").expect("a scheme");
        assert_eq!((options.null_move, options.hash), (expected, run.hash));
        for (scheme, part) in
            [("none", "micromax"), ("off+guard=dog", "dog"), ("mine.toml", "no file")]
        {
            let error = with(scheme).expect_err(scheme).to_string();
            assert!(error.contains(part), "{error}");
        }
        let other = format!("engine = \"cmd=./other\"\nnull_move = \"off\"\n{RUN}");
        let error = read(&other).expect_err("another engine").to_string();
        assert!(error.contains("option.NAME="), "{error}");
    }

    #[test]
    fn the_arms_of_equal_tuning_differ_by_their_schemes() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../study/equal-tuning");
        let arm = |name: &str| {
            RunFile::read(&folder.join(format!("{name}.toml"))).expect("a run that can be played")
        };
        let off = arm("off");
        assert_eq!((off.games(), off.tuned_parameters().expect("parameters").len()), (5_000, 24));
        for name in ["fixed-3", "verified", "extended", "guide-verified", "nullarbor"] {
            let run = arm(name);
            let scheme = run.options().expect("a scheme").null_move.name;
            assert!(scheme.starts_with(name), "{scheme}");
            let mut parameters = run.parameters.clone();
            parameters.retain(|name, _| !name.starts_with("null_move_"));
            let own = if name == "nullarbor" { 5 } else { 0 };
            assert_eq!(run.parameters.len() - parameters.len(), own, "{name}");
            let same = RunFile { null_move: off.null_move.clone(), parameters, ..run };
            assert_eq!(same, off, "{name}");
        }
    }

    #[test]
    fn errors_name_what_is_wrong() {
        let with = |more: &str| format!("{RUN}{more}");
        for (text, part) in [
            (with(""), "nothing is tuned"),
            (with("[parameters.dog]\n"), "`dog`"),
            (with("groups = [\"dogs\"]\n"), "null_move"),
            (with("[parameters.lmp_base]\nmin = 5\nmax = 5\n"), "5 is not below"),
            (with("[parameters.lmp_base]\nc_end = 1e308\n"), "c_end"),
            (with("[parameters.lmp_base]\nr_end = 1e308\n"), "at most 1000"),
            (with("[parameters.lmp_base]\nr_end = nan\n"), "r_end"),
            (with("lag = 18446744073709551615\ngroups = [\"razoring\"]\n"), "staleness"),
            (with("lag = 9223372036854775807\ngroups = [\"razoring\"]\n"), "staleness"),
            (
                RUN.replace("iterations = 10\n", "iterations = 9223372036854775807\n")
                    + "groups = [\"razoring\"]\n",
                "iterations",
            ),
            (
                RUN.replace("iteration = 2\n", "iteration = 9223372036854775807\n")
                    + "groups = [\"razoring\"]\n",
                "pairs_per_iteration",
            ),
            (
                RUN.replace("iteration = 2\n", "iteration = 100000\n")
                    .replace("iterations = 10\n", "iterations = 10000000\n")
                    + "groups = [\"razoring\"]\n",
                "more games than",
            ),
            (with("[parameters.lmp_base]\nvalue = 99\n"), "99 is not between"),
            (with("[parameters.lmp_base]\nmax = 99\n"), "exceeds the declared range"),
            (with("[parameters.lmp_base]\nc_end = 0\n"), "c_end = 0"),
            (with("[parameters.lmp_base]\nr_end = -1\n"), "r_end = -1"),
            (with("[parameters.lmp_base]\nsize = 1\n"), "size"),
            (with("depth = 3\n[parameters.lmp_base]\n"), "one of nodes, depth and tc"),
            (with("alpha = 7.0\n[parameters.lmp_base]\n"), "alpha = 7"),
            (with("stop_below = 2000\n[parameters.lmp_base]\n"), "above 0 and below 1000"),
            (
                with("[parameters.lmp_base]\n").replace("iterations = 10", "iterations = 0"),
                "iterations = 0",
            ),
            (with("[parameters.lmp_base]\n").replace("nodes = 100", "tc = \"x\""), "x"),
            ("rubbish".to_owned(), "run.toml"),
        ] {
            let error = read(&text).expect_err(&text).to_string();
            assert!(error.contains(part), "{part}: {error}");
        }
    }

    #[test]
    fn ranges_are_kept_unless_they_are_far_wider_than_the_default() {
        let whole = (i64::from(i32::MIN), i64::from(i32::MAX));
        for (default, (min, max), expected) in [
            (80, (0, 200), (0, 200)),
            (5, (1, 30), (1, 30)),
            (0, (-100, 100), (-100, 100)),
            (100, whole, (0, 200)),
            (-100, whole, (-200, 0)),
            (0, whole, (-10, 10)),
            (1, (1, 5000), (1, 11)),
        ] {
            let name = "x".to_owned();
            let option = Tunable { name, default, min, max, is_check: false };
            let engine = Declared { id: String::new(), tunables: vec![option] };
            let run = RunFile::of_engine("cmd=x", &engine);
            let found = (run.parameters["x"].min, run.parameters["x"].max);
            assert_eq!(found, (Some(expected.0), Some(expected.1)));
            let is_told = narrowed(&engine).next().is_some();
            assert_eq!(is_told, (i64::from(expected.0), i64::from(expected.1)) != (min, max));
        }
    }

    #[test]
    fn the_old_name_of_staleness_is_read() {
        let run = read(&format!("{RUN}lag = 3\ngroups = [\"razoring\"]\n")).expect("a run");
        assert_eq!(run.staleness, 3);
        assert!(run.to_toml().contains("staleness = 3"));
    }

    #[test]
    fn a_start_is_moved_towards_the_farther_bound() {
        let groups = ["reverse_futility".to_owned()];
        let mut run = RunFile::of(&select(&groups, []).expect("declared"));
        run.start_off(50.0);
        for parameter in run.tuned_parameters().expect("inside the ranges") {
            let spec = Spec::find(&parameter.name).expect("declared");
            let (up, down) = (spec.max - spec.default, spec.default - spec.min);
            let moved = parameter.start - f64::from(spec.default);
            let expected = f64::from(if up >= down { up } else { -down }) / 2.0;
            assert!((moved - expected).abs() <= 0.5, "{parameter:?}");
        }
    }
}
