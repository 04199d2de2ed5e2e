//! A tuning run as one file of TOML: what is tuned, how games are played, how many.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path as StdPath, PathBuf};

use nullarbor::params::{SPECS, Spec};
use nullarbor::types::Depth;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::gains::{Mode, Schedule};
use super::perturbation::Range;
use super::theta::Axis;
use nullarbor_games::limit::{Limit, TimeControl, TimeControlError};

/// What the file says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunFile {
    /// Iterations in all.
    pub iterations: u64,
    /// Pairs of games in each.
    pub pairs_per_iteration: u64,
    /// Nodes for each move; or else `depth`, or `tc`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Plies for each move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<i32>,
    /// Time control of a game, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tc: Option<String>,
    /// Decides the moves of the parameters and the order of the openings.
    pub seed: u64,
    /// Where the games begin.
    pub book: String,
    /// Size of the table of each engine in MiB.
    #[serde(default = "defaults::hash")]
    pub hash: usize,
    /// Whether gains shrink.
    #[serde(default = "defaults::mode")]
    pub mode: Mode,
    /// The power by which steps shrink.
    #[serde(default = "defaults::alpha")]
    pub alpha: f64,
    /// The power by which moves shrink.
    #[serde(default = "defaults::gamma")]
    pub gamma: f64,
    /// What keeps the first steps small, as a share of the iterations.
    #[serde(default = "defaults::a_ratio")]
    pub a_ratio: f64,
    /// An iteration is played from where the parameters were so many iterations before it: so that nobody waits for the
    /// longest game. The result depends on it, but not on how many play.
    #[serde(default = "defaults::lag")]
    pub lag: u64,
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

/// How one parameter is tuned. What is left out is as it is declared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tuning {
    /// Where it begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Its least value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<i32>,
    /// Its greatest value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<i32>,
    /// How far it is moved in the last iteration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c_end: Option<f64>,
    /// What a net win by a move of one adds to it in the last iteration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r_end: Option<f64>,
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

    pub fn lag() -> u64 {
        16
    }
}

/// Why a file is no run.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum RunFileError {
    #[error("{path}: {source}", path = path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{path}: {reason}", path = path.display())]
    Toml { path: PathBuf, reason: String },
    #[error("{path}: {source}", path = path.display())]
    Mistake { path: PathBuf, source: Mistake },
}

/// What is wrong with a run.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum Mistake {
    #[error("{0} must be at least 1")]
    Zero(&'static str),
    #[error("{name} = {value}: it must be {expected}")]
    Number { name: &'static str, value: f64, expected: &'static str },
    #[error("say one of nodes, depth and tc")]
    Limit,
    #[error(transparent)]
    TimeControl(#[from] TimeControlError),
    #[error("nothing is tuned: name parameters or groups (`nullarbor params` lists them)")]
    Nothing,
    #[error("no group is called `{0}`; there are {1}")]
    Group(String, String),
    #[error("no parameter is called `{0}`; `nullarbor params` lists them")]
    Parameter(String),
    #[error("{name}: its least value {min} is not below its greatest {max}")]
    Range { name: String, min: i32, max: i32 },
    #[error("{name}: {min} to {max} goes beyond what is declared, {least} to {most}")]
    Beyond { name: String, min: i32, max: i32, least: i32, most: i32 },
    #[error("{name}: its value {value} is not between {min} and {max}")]
    Outside { name: String, value: f64, min: i32, max: i32 },
    #[error("{name}: {what} = {value} must be above 0")]
    Gain { name: String, what: &'static str, value: f64 },
}

/// The names of all groups, in order.
pub fn groups() -> Vec<&'static str> {
    let mut groups: Vec<&str> = SPECS.iter().map(|spec| spec.group).collect();
    groups.dedup();
    groups
}

impl RunFile {
    /// A run of these parameters with what is declared of them.
    pub fn of(specs: &[&Spec]) -> Self {
        let tuning = |spec: &Spec| Tuning {
            value: Some(f64::from(spec.default)),
            min: Some(spec.min),
            max: Some(spec.max),
            c_end: Some(spec.step),
            r_end: Some(Spec::R_END),
        };
        Self {
            iterations: 2500,
            pairs_per_iteration: 4,
            nodes: Some(5000),
            depth: None,
            tc: None,
            seed: 1,
            book: "unbalanced".to_owned(),
            hash: defaults::hash(),
            mode: defaults::mode(),
            alpha: defaults::alpha(),
            gamma: defaults::gamma(),
            a_ratio: defaults::a_ratio(),
            lag: defaults::lag(),
            concurrency: None,
            groups: Vec::new(),
            parameters: specs.iter().map(|spec| (spec.name.to_owned(), tuning(spec))).collect(),
        }
    }

    /// Reads and checks a file.
    ///
    /// # Errors
    /// Where it cannot be read, or says what cannot be done.
    pub fn read(path: &StdPath) -> Result<Self, RunFileError> {
        let text = fs::read_to_string(path)
            .map_err(|source| RunFileError::File { path: path.to_owned(), source })?;
        let run: Self = toml::from_str(&text).map_err(|error| RunFileError::Toml {
            path: path.to_owned(),
            reason: error.to_string().trim_end().to_owned(),
        })?;
        run.check().map_err(|source| RunFileError::Mistake { path: path.to_owned(), source })?;
        Ok(run)
    }

    /// Whether it can be done.
    ///
    /// # Errors
    /// Where it cannot.
    pub fn check(&self) -> Result<(), Mistake> {
        let counts = [
            ("iterations", self.iterations),
            ("pairs_per_iteration", self.pairs_per_iteration),
            ("hash", self.hash as u64),
            ("lag", self.lag),
            ("concurrency", self.concurrency.map_or(1, |workers| workers as u64)),
        ];
        if let Some((name, _)) = counts.into_iter().find(|(_, count)| *count == 0) {
            return Err(Mistake::Zero(name));
        }
        for (name, value) in
            [("alpha", self.alpha), ("gamma", self.gamma), ("a_ratio", self.a_ratio)]
        {
            if !(0.0..=1.0).contains(&value) {
                return Err(Mistake::Number { name, value, expected: "from 0 to 1" });
            }
        }
        self.limit()?;
        self.axes().map(|_| ())
    }

    /// Games in all.
    pub fn games(&self) -> u64 {
        2 * self.iterations * self.pairs_per_iteration
    }

    /// How long each move is thought about.
    ///
    /// # Errors
    /// Where it says none, or more than one.
    pub fn limit(&self) -> Result<Limit, Mistake> {
        match (self.nodes, self.depth, &self.tc) {
            (Some(0), None, None) => Err(Mistake::Zero("nodes")),
            (Some(nodes), None, None) => Ok(Limit::Nodes { hard: Some(nodes), soft: None }),
            (None, Some(depth), None) if (1..=Depth::MAX.0).contains(&depth) => {
                Ok(Limit::Depth(Depth(depth)))
            }
            (None, Some(depth), None) => Err(Mistake::Number {
                name: "depth",
                value: f64::from(depth),
                expected: "a depth that the engine can search",
            }),
            (None, None, Some(control)) => Ok(Limit::Clock(control.parse::<TimeControl>()?)),
            _ => Err(Mistake::Limit),
        }
    }

    /// The shape of its gains.
    pub fn schedule(&self) -> Schedule {
        Schedule {
            mode: self.mode,
            alpha: self.alpha,
            gamma: self.gamma,
            a_ratio: self.a_ratio,
            iterations: self.iterations,
        }
    }

    /// What is tuned, in the order of the declaration.
    ///
    /// # Errors
    /// Where it is nothing, or nothing that is there.
    pub fn axes(&self) -> Result<Vec<Axis>, Mistake> {
        let known = groups();
        if let Some(name) = self.groups.iter().find(|name| !known.contains(&name.as_str())) {
            return Err(Mistake::Group(name.clone(), known.join(", ")));
        }
        if let Some(name) = self.parameters.keys().find(|name| Spec::find(name).is_none()) {
            return Err(Mistake::Parameter(name.clone()));
        }
        let in_group = |spec: &Spec| self.groups.iter().any(|name| name == spec.group);
        let tuned =
            SPECS.iter().filter(|spec| in_group(spec) || self.parameters.contains_key(spec.name));
        let axes: Vec<Axis> = tuned
            .map(|spec| axis(spec, self.parameters.get(spec.name).unwrap_or(&Tuning::default())))
            .collect::<Result<_, _>>()?;
        if axes.is_empty() { Err(Mistake::Nothing) } else { Ok(axes) }
    }
}

fn axis(spec: &Spec, tuning: &Tuning) -> Result<Axis, Mistake> {
    let name = spec.name.to_owned();
    let (min, max) = (tuning.min.unwrap_or(spec.min), tuning.max.unwrap_or(spec.max));
    if min >= max {
        return Err(Mistake::Range { name, min, max });
    }
    if min < spec.min || max > spec.max {
        return Err(Mistake::Beyond { name, min, max, least: spec.min, most: spec.max });
    }
    let value = tuning.value.unwrap_or(f64::from(spec.default));
    if !(f64::from(min)..=f64::from(max)).contains(&value) {
        return Err(Mistake::Outside { name, value, min, max });
    }
    let c_end = tuning.c_end.unwrap_or(spec.step);
    let r_end = tuning.r_end.unwrap_or(Spec::R_END);
    for (what, value) in [("c_end", c_end), ("r_end", r_end)] {
        if value.is_nan() || value <= 0.0 || value.is_infinite() {
            return Err(Mistake::Gain { name, what, value });
        }
    }
    Ok(Axis { name, start: value, range: Range { min, max }, c_end, r_end })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: &str =
        "iterations = 10\npairs_per_iteration = 2\nnodes = 100\nseed = 1\nbook = \"unbalanced\"\n";

    fn read(text: &str) -> Result<RunFile, RunFileError> {
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
        let axes = run.axes().expect("parameters");
        let names: Vec<&str> = axes.iter().map(|axis| axis.name.as_str()).collect();
        assert_eq!(names, ["razor_max_depth", "razor_base", "razor_depth_scale", "lmp_base"]);
        let spec = Spec::find("razor_base").expect("declared");
        assert_eq!((axes[1].start, axes[1].c_end), (f64::from(spec.default), spec.step));
        assert_eq!((axes[3].start, axes[3].r_end), (4.0, Spec::R_END));
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
    fn mistakes_are_named() {
        let with = |more: &str| format!("{RUN}{more}");
        for (text, part) in [
            (with(""), "nothing is tuned"),
            (with("[parameters.dog]\n"), "`dog`"),
            (with("groups = [\"dogs\"]\n"), "null_move"),
            (with("[parameters.lmp_base]\nmin = 5\nmax = 5\n"), "5 is not below"),
            (with("[parameters.lmp_base]\nvalue = 99\n"), "99 is not between"),
            (with("[parameters.lmp_base]\nmax = 99\n"), "beyond what is declared"),
            (with("[parameters.lmp_base]\nc_end = 0\n"), "c_end = 0"),
            (with("[parameters.lmp_base]\nr_end = -1\n"), "r_end = -1"),
            (with("[parameters.lmp_base]\nsize = 1\n"), "size"),
            (with("depth = 3\n[parameters.lmp_base]\n"), "one of nodes, depth and tc"),
            (with("alpha = 7.0\n[parameters.lmp_base]\n"), "alpha = 7"),
            (
                with("[parameters.lmp_base]\n").replace("iterations = 10", "iterations = 0"),
                "iterations must",
            ),
            (with("[parameters.lmp_base]\n").replace("nodes = 100", "tc = \"x\""), "x"),
            ("rubbish".to_owned(), "run.toml"),
        ] {
            let error = read(&text).expect_err(&text).to_string();
            assert!(error.contains(part), "{part}: {error}");
        }
    }
}
