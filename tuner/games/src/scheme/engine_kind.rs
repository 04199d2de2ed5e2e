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
    /// The same with reverse futility pruning as it plays.
    PlainReverseFutility,
    /// The same with late move reductions as it plays.
    PlainLateMoveReductions,
    /// The same with both.
    PlainBoth,
    /// The search as it plays, without reverse futility pruning and late move reductions.
    Neither,
    /// The search as it plays, without one rule.
    Without(SearchRule),
}

/// The two rules that may have taken the place of the null move.
static BOTH: [SearchRule; 2] = [SearchRule::ReverseFutility, SearchRule::LateMoveReductions];

impl EngineKind {
    const UNITS: [Self; 6] = [
        Self::Full,
        Self::Plain,
        Self::PlainReverseFutility,
        Self::PlainLateMoveReductions,
        Self::PlainBoth,
        Self::Neither,
    ];
    const ALL: [Self; Self::UNITS.len() + SearchRule::ALL.len()] = {
        let mut all = [Self::Full; Self::UNITS.len() + SearchRule::ALL.len()];
        let mut number = 0;
        while number < all.len() {
            all[number] = match number.checked_sub(Self::UNITS.len()) {
                None => Self::UNITS[number],
                Some(rule) => Self::Without(SearchRule::ALL[rule]),
            };
            number += 1;
        }
        all
    };

    /// Creates an engine with this search, one thread and a transposition table of `hash` MiB.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn engine(self, hash: usize) -> Result<Engine, EngineError> {
        let mut engine = Engine::new(hash, 1)?;
        if let Some(rules) = self.added_to_plain() {
            engine.make_plain_with(rules);
        }
        let off: &[SearchRule] = match &self {
            Self::Neither => &BOTH,
            Self::Without(rule) => slice::from_ref(rule),
            _ => &[],
        };
        engine.set_params(
            off.iter().fold(engine.params().clone(), |params, &rule| params.without(rule)),
        );
        Ok(engine)
    }

    /// Returns the rules that a kind of the plain engine has besides; `None` for all others.
    fn added_to_plain(self) -> Option<&'static [SearchRule]> {
        match self {
            Self::Plain => Some(&[]),
            Self::PlainReverseFutility => Some(&BOTH[..1]),
            Self::PlainLateMoveReductions => Some(&BOTH[1..]),
            Self::PlainBoth => Some(&BOTH),
            Self::Full | Self::Neither | Self::Without(_) => None,
        }
    }

    /// Returns whether positions are evaluated by material and piece-square tables, without a network.
    pub fn is_plain(self) -> bool {
        self.added_to_plain().is_some()
    }

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Plain => "plain",
            Self::PlainReverseFutility => "plain+reverse-futility",
            Self::PlainLateMoveReductions => "plain+late-move-reductions",
            Self::PlainBoth => "plain+both",
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
            Self::PlainReverseFutility => value.help("The same with reverse futility pruning"),
            Self::PlainLateMoveReductions => value.help("The same with late move reductions"),
            Self::PlainBoth => value.help("The same with both"),
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
        let neither = full
            .clone()
            .without(SearchRule::ReverseFutility)
            .without(SearchRule::LateMoveReductions);
        assert_eq!(params(EngineKind::Neither), neither);
        let ladder = [
            (EngineKind::Plain, false, false),
            (EngineKind::PlainReverseFutility, true, false),
            (EngineKind::PlainLateMoveReductions, false, true),
            (EngineKind::PlainBoth, true, true),
        ];
        for (kind, has_futility, has_reductions) in ladder {
            let own = params(kind);
            assert_eq!(own.rfp_max_depth == full.rfp_max_depth, has_futility, "{}", kind.name());
            assert_eq!(own.lmr_min_depth == full.lmr_min_depth, has_reductions, "{}", kind.name());
            let neither =
                own.without(SearchRule::ReverseFutility).without(SearchRule::LateMoveReductions);
            assert_eq!(neither, params(EngineKind::Plain), "{}", kind.name());
        }
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
