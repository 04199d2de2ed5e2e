//! The search in which schemes are compared.

use std::slice;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use nullarbor::engine::{Engine, EngineError};
use nullarbor::params::SearchRule;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The search in which schemes are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineKind {
    /// The search as it plays.
    #[default]
    Full,
    /// The search of the papers ([`Engine::make_plain`]).
    Plain,
    /// The search as it plays, without reverse futility pruning and late move reductions.
    Neither,
    /// The search as it plays, without one rule.
    Without(SearchRule),
}

impl EngineKind {
    const ALL: [Self; 3 + SearchRule::ALL.len()] = {
        let mut all = [Self::Full; 3 + SearchRule::ALL.len()];
        (all[1], all[2]) = (Self::Plain, Self::Neither);
        let mut rule = 0;
        while rule < SearchRule::ALL.len() {
            all[3 + rule] = Self::Without(SearchRule::ALL[rule]);
            rule += 1;
        }
        all
    };

    /// Creates an engine with this search, one thread and a transposition table of `hash` MiB.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn engine(self, hash: usize) -> Result<Engine, EngineError> {
        let mut engine = Engine::new(hash, 1)?;
        let off: &[SearchRule] = match &self {
            Self::Full | Self::Plain => &[],
            Self::Neither => &[SearchRule::ReverseFutility, SearchRule::LateMoveReductions],
            Self::Without(rule) => slice::from_ref(rule),
        };
        if self == Self::Plain {
            engine.make_plain();
        }
        engine.set_params(
            off.iter().fold(engine.params().clone(), |params, &rule| params.without(rule)),
        );
        Ok(engine)
    }

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Plain => "plain",
            Self::Neither => "neither",
            Self::Without(rule) => rule.ablation(),
        }
    }

    /// Returns all names, for messages.
    pub fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }
}

impl ValueEnum for EngineKind {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let value = PossibleValue::new(self.name());
        Some(match self {
            Self::Full => value.help("The search as it plays"),
            Self::Plain => value.help(
                "The search of the papers: principal variation search, transposition table, histories, quiescence search of \
                 captures and a check extension at the horizon; nothing else prunes, reduces or extends. Positions are \
                 evaluated by material and piece-square tables, so its results do not depend on the network",
            ),
            Self::Neither => value
                .help("The search as it plays, without reverse futility pruning and late move reductions"),
            Self::Without(_) => value,
        })
    }
}

impl Serialize for EngineKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.name().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for EngineKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let found = Self::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| D::Error::custom(format!("`{name}` is none of {}", Self::names())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_search_has_parameters_of_its_own() {
        let params = |kind: EngineKind| kind.engine(1).expect("a small engine").params().clone();
        let full = params(EngineKind::Full);
        for kind in EngineKind::ALL.into_iter().filter(|&kind| kind != EngineKind::Full) {
            assert_ne!(params(kind), full, "{}", kind.name());
        }
        let neither =
            full.without(SearchRule::ReverseFutility).without(SearchRule::LateMoveReductions);
        assert_eq!(params(EngineKind::Neither), neither);
    }

    #[test]
    fn each_search_is_read_by_its_name() {
        for kind in EngineKind::ALL {
            assert_eq!(EngineKind::from_str(kind.name(), false), Ok(kind));
            let text = serde_json::to_string(&kind).expect("a string");
            assert_eq!(serde_json::from_str::<EngineKind>(&text).expect(&text), kind);
        }
        assert!(serde_json::from_str::<EngineKind>("\"no-dog\"").is_err());
    }
}
