//! The experiments of the study, declared in `experiments.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use nullarbor_games::scheme::EngineKind;
use nullarbor_lab::mine::decision_tree::Objective;
use serde::Deserialize;

/// The study of this build.
pub static STUDY: LazyLock<Study> = LazyLock::new(|| {
    Study::parse(include_str!("../experiments.toml")).expect("the declaration, which tests read")
});

/// The experiments, and the suites that they need.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// Lists of schemes, by a name that stands for them in experiments.
    #[serde(default)]
    schemes: BTreeMap<String, Vec<String>>,
    /// All experiments, in the order of the document.
    pub experiments: Vec<Declared>,
    /// The suites that readers bring along.
    #[serde(default)]
    pub suites: Vec<DeclaredSuite>,
}

impl Study {
    /// Parses a declaration.
    ///
    /// # Errors
    /// If it is malformed.
    pub fn parse(text: &str) -> Result<Self, toml::de::Error> {
        let mut study: Self = toml::from_str(text)?;
        for experiment in &mut study.experiments {
            if let Work::Trees(Trees { schemes, .. }) = &mut experiment.work {
                let of = |name: &String| match study.schemes.get(name) {
                    Some(list) => list.clone(),
                    None => vec![name.clone()],
                };
                *schemes = schemes.iter().flat_map(of).collect();
            }
        }
        Ok(study)
    }
}

/// An experiment.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declared {
    /// Name of the experiment, also that of its record.
    pub name: String,
    /// Name of the series that it belongs to, which stands for all of it on the command line.
    #[serde(default)]
    pub series: Option<String>,
    /// Question of the experiment.
    pub question: String,
    /// True if it belongs to the quick ones, which take seconds and need nothing but the repository.
    #[serde(default, rename = "quick")]
    pub is_quick: bool,
    /// Roughly how long it takes on two cores, for people.
    pub effort: String,
    /// The search in which the schemes are compared.
    pub engine: EngineKind,
    /// Name of the experiment that plays the same with the rule that this one leaves out.
    #[serde(default)]
    pub baseline: Option<String>,
    /// Searches, games or mining.
    pub work: Work,
}

/// The work of an experiment.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// Searches positions.
    Trees(Trees),
    /// Plays games.
    Games(Games),
    /// Logs null searches and mines triggers from them.
    Mining(Mining),
}

/// Every scheme searches every position.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trees {
    /// Names of built-in or declared suites.
    pub suites: Vec<String>,
    /// True if positions in which a side has king and pawns only are left out, as in the paper of 2002.
    #[serde(default)]
    pub without_pawn_endings: bool,
    /// The schemes; the first is the one that the others are compared with.
    pub schemes: Vec<String>,
    /// Checkpoints at which they are compared.
    pub until: Until,
}

/// Depths or times.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Until {
    /// Depths in plies.
    Depths(Vec<usize>),
    /// Milliseconds a position. Such results are not the same twice.
    Times(Vec<u64>),
    /// Depths in plies, where it also matters how long they take.
    TimedDepths(Vec<usize>),
}

/// Two schemes play each other at several limits.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Games {
    /// The pairings.
    pub pairings: Vec<(String, String)>,
    /// Limits, as `nodes=5000` or `tc=1+0.01`, from the shortest to the longest, and the planned games of each pairing,
    /// also where fewer were played; the table shows both.
    pub limits: Vec<(String, u64)>,
    /// The primary comparison: pairing and limit of one match. It is named before the first game, and not corrected for the others.
    #[serde(default)]
    pub primary: Option<(String, String, String)>,
}

impl Games {
    /// Returns whether a match is the primary comparison.
    pub fn is_primary(&self, first: &str, second: &str, limit: &str) -> bool {
        let primary = self.primary.as_ref();
        primary.is_some_and(|(one, other, at)| [one, other, at] == [first, second, limit])
    }

    /// Returns the planned games of a pairing at a limit.
    pub fn planned(&self, limit: &str) -> Option<u64> {
        self.limits.iter().find(|(known, _)| known == limit).map(|(_, games)| *games)
    }
}

/// Null searches are logged in games, conditions are evaluated on them, and rules are fitted to them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mining {
    /// The arguments of `mine log` without seed and file.
    pub log: String,
    /// Number of logs, with the seeds from 1 on.
    #[serde(default)]
    pub logs: u64,
    /// Depths of further logs, in plies: they are compared with each other, and the conditions are evaluated on the last.
    #[serde(default)]
    pub levels: Vec<usize>,
    /// Conditions, as `mine partition` takes them.
    pub conditions: Vec<String>,
    /// Rules: their names, and what they are to get right.
    #[serde(default)]
    pub rules: Vec<(String, Objective)>,
}

impl Mining {
    /// Returns the name of the mined rule that a scheme names, as `rule:nodes` does.
    pub fn rule_of(scheme: &str) -> Option<&str> {
        scheme.strip_prefix("rule:")
    }
}

/// A suite that is not in the repository.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeclaredSuite {
    /// Name of the suite here.
    pub name: String,
    /// Title of the suite.
    pub title: String,
    /// Number of positions.
    pub positions: usize,
    /// [`Suite::sha256`](nullarbor_lab::suite::Suite::sha256).
    pub sha256: String,
    /// Place at which a reader finds it.
    pub source: String,
}

impl Declared {
    /// Returns the experiment with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        STUDY.experiments.iter().find(|it| it.name == name)
    }

    /// Returns whether a name on the command line is that of the experiment or of its series.
    pub fn answers_to(&self, name: &str) -> bool {
        self.name == name || self.series.as_deref() == Some(name)
    }

    /// Returns the command that runs it.
    pub fn command(&self) -> String {
        format!("make null-move ONLY={}", self.name)
    }
}

impl Until {
    /// Returns whether times are part of the results.
    pub fn is_timed(&self) -> bool {
        !matches!(self, Self::Depths(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nullarbor::params::Params;
    use nullarbor_games::limit::Limit;
    use nullarbor_games::scheme::NamedScheme;
    use nullarbor_lab::builtin;
    use nullarbor_lab::mine::conditions::{Condition, LEA};

    fn mining() -> impl Iterator<Item = &'static Mining> {
        STUDY.experiments.iter().filter_map(|it| match &it.work {
            Work::Mining(mining) => Some(mining),
            _ => None,
        })
    }

    /// Nodes or milliseconds.
    fn length(limit: &str) -> u128 {
        match limit.parse() {
            Ok(Limit::Nodes { hard: Some(nodes), .. }) => u128::from(nodes),
            Ok(Limit::Clock(clock)) => clock.base.as_millis(),
            _ => panic!("{limit}"),
        }
    }

    #[test]
    fn every_experiment_can_be_run() {
        for experiment in &STUDY.experiments {
            let twins = STUDY.experiments.iter().filter(|it| it.name == experiment.name);
            assert_eq!(twins.count(), 1, "{}", experiment.name);
            if let Some(series) = &experiment.series {
                assert!(Declared::named(series).is_none(), "{series}");
            }
            match &experiment.work {
                Work::Trees(Trees { suites, schemes, .. }) => {
                    NamedScheme::read_all(schemes).expect(&experiment.name);
                    for suite in suites {
                        let is_built_in = builtin::SUITES.iter().any(|(name, _)| name == suite);
                        let is_declared = STUDY.suites.iter().any(|it| it.name == *suite);
                        assert!(is_built_in != is_declared, "{suite}");
                        assert!(is_built_in || !experiment.is_quick, "{suite}");
                    }
                }
                Work::Games(Games { pairings, limits, primary }) => {
                    if let Some((first, second, limit)) = primary {
                        assert!(pairings.contains(&(first.clone(), second.clone())), "{first}");
                        assert!(limits.iter().any(|(known, _)| known == limit), "{limit}");
                    }
                    if let Some(baseline) = &experiment.baseline {
                        assert!(Declared::named(baseline).is_some(), "{baseline}");
                    }
                    let rules = mining().flat_map(|mining| &mining.rules);
                    let rules: Vec<&str> = rules.map(|(name, _)| name.as_str()).collect();
                    for scheme in pairings.iter().flat_map(|(one, other)| [one, other]) {
                        match Mining::rule_of(scheme) {
                            Some(rule) => assert!(rules.contains(&rule), "{rule}"),
                            None => drop(NamedScheme::read(scheme).expect(&experiment.name)),
                        }
                    }
                    for (limit, games) in limits {
                        assert!(limit.parse::<Limit>().is_ok(), "{limit}");
                        assert!(games.is_multiple_of(2), "{games}");
                    }
                    // The last match decides some claims.
                    assert!(limits.is_sorted_by_key(|(limit, _)| length(limit)), "{limits:?}");
                }
                Work::Mining(Mining { conditions, .. }) => {
                    for condition in conditions {
                        Condition::parse(condition).expect(&experiment.name);
                    }
                }
            }
        }
    }

    #[test]
    fn a_primary_comparison_is_one_match() {
        let text = r#"
[[experiments]]
name = "worth"
question = ""
effort = ""
engine = "full"
work.games.pairings = [["nullarbor", "off"]]
work.games.limits = [["nodes=5000", 2], ["nodes=20000", 2]]
work.games.primary = ["nullarbor", "off", "nodes=20000"]
"#;
        let study = Study::parse(text).expect("a declaration");
        let Work::Games(games) = &study.experiments[0].work else { panic!("games") };
        let found =
            ["nodes=5000", "nodes=20000"].map(|it| games.is_primary("nullarbor", "off", it));
        assert_eq!(found, [false, true]);
        assert!(!games.is_primary("off", "nullarbor", "nodes=20000"));
    }

    #[test]
    fn the_profiles_of_lea_are_those_of_the_laboratory() {
        let declared = Declared::named("lea").map(|it| &it.work);
        assert!(matches!(declared, Some(Work::Mining(mining)) if mining.conditions == LEA));
    }

    #[test]
    fn the_engines_own_trigger_is_among_the_conditions_mined() {
        let Params {
            null_move_min_depth: depth,
            null_move_margin_base: base,
            null_move_margin_depth_scale: scale,
            null_move_margin_improving: improving,
            null_move_margin_all_node: all_node,
            ..
        } = Params::default();
        let (base, cut_node) = (base + all_node, -all_node);
        let own = format!(
            "depth >= {depth} && eval >= beta && static_eval >= beta + {base} - {scale} * depth - {improving} * improving + {cut_node} * cut_node"
        );
        assert!(mining().any(|mining| mining.conditions.contains(&own)), "{own}");
    }
}
