//! UCI options: one list for the announcement, the range checks and the effect of a value.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use super::output::{LogError, Output};
use crate::engine::{Engine, EngineError, Settings, TbSettings};
use crate::eval::nnue::Network;
use crate::search::null_move::{Scheme, UnknownName};
use crate::strength::Strength;
use crate::table::TranspositionTable;
use crate::tablebase::Tablebases;
use crate::types::Depth;

/// Why an option was not set. The old value stays.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum OptionError {
    #[error("no option is called `{0}`")]
    Unknown(String),
    #[error("option {name}: `{value}` is not a number from {min} to {max}")]
    BadNumber { name: String, value: String, min: i64, max: i64 },
    #[error("option {name}: `{value}` is neither true nor false")]
    BadSwitch { name: String, value: String },
    #[error("option {name}: {source}")]
    Refused { name: String, source: EngineError },
    #[error("option {name}: {source}")]
    Log { name: String, source: LogError },
    #[error("option {name}: {source}")]
    BadName { name: String, source: UnknownName },
}

/// The style of moves and scores.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// Castling is written as the king taking its rook (`UCI_Chess960`).
    pub chess960: bool,
    /// Scores come with win, draw and loss probabilities (`UCI_ShowWDL`).
    pub show_wdl: bool,
}

/// The target of an option.
pub struct Target<'a> {
    /// The engine.
    pub engine: &'a mut Engine,
    /// Style of moves and scores.
    pub style: &'a mut Style,
    /// The output.
    pub output: &'a Output,
}

/// Why a text was refused.
#[derive(Debug, Error)]
enum TextError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Log(#[from] LogError),
}

/// The type of an option: default, allowed values, effect.
enum Kind {
    Spin {
        default: i64,
        min: i64,
        max: i64,
        set: fn(&mut Target<'_>, i64) -> Result<(), EngineError>,
    },
    Check {
        default: bool,
        set: fn(&mut Target<'_>, bool),
    },
    Combo {
        default: fn() -> &'static str,
        values: fn() -> Vec<&'static str>,
        set: fn(&mut Target<'_>, &str) -> Result<(), UnknownName>,
    },
    Button {
        press: fn(&mut Target<'_>),
    },
    /// A path, or none.
    Text {
        set: fn(&mut Target<'_>, Option<&Path>) -> Result<(), TextError>,
    },
}

/// Text of an empty value in the protocol.
const EMPTY: &str = "<empty>";

struct UciOption {
    name: &'static str,
    kind: Kind,
}

const OPTIONS: &[UciOption] = &[
    UciOption {
        name: "Hash",
        kind: Kind::Spin {
            default: Engine::DEFAULT_HASH as i64,
            min: 1,
            max: TranspositionTable::MAX_MEBIBYTES as i64,
            set: |target, mebibytes| target.engine.set_hash(mebibytes as usize),
        },
    },
    UciOption {
        name: "Threads",
        kind: Kind::Spin {
            default: 1,
            min: 1,
            max: Engine::MAX_THREADS as i64,
            set: |target, threads| target.engine.set_threads(threads as usize),
        },
    },
    UciOption {
        name: "Clear Hash",
        kind: Kind::Button { press: |target| target.engine.clear_hash() },
    },
    UciOption {
        name: "MultiPV",
        kind: Kind::Spin {
            default: 1,
            min: 1,
            max: 256,
            set: |target, lines| {
                target.engine.set_multi_pv(lines as usize);
                Ok(())
            },
        },
    },
    // No effect: `go ponder` says when to ponder.
    UciOption { name: "Ponder", kind: Kind::Check { default: false, set: |_, _| {} } },
    UciOption {
        name: "Move Overhead",
        kind: Kind::Spin {
            default: Settings::DEFAULT_OVERHEAD.as_millis() as i64,
            min: 0,
            max: 5000,
            set: |target, milliseconds| {
                target.engine.set_move_overhead(Duration::from_millis(milliseconds as u64));
                Ok(())
            },
        },
    },
    UciOption {
        name: "NullMove",
        kind: Kind::Combo {
            default: || Scheme::default().name().unwrap_or_default(),
            values: || names(Scheme::ALL),
            set: |target, value| {
                target.engine.set_scheme(value.parse()?);
                Ok(())
            },
        },
    },
    UciOption {
        name: "EvalFile",
        kind: Kind::Text {
            set: |target, path| {
                let network = Network::from_file_or_embedded(path).map_err(EngineError::from)?;
                target.engine.set_network(network);
                Ok(())
            },
        },
    },
    UciOption { name: "SyzygyPath", kind: Kind::Text { set: set_tablebases } },
    UciOption {
        name: "SyzygyProbeDepth",
        kind: Kind::Spin {
            default: 1,
            min: 1,
            max: 100,
            set: |target, depth| {
                set_tb(target, |tb| tb.probe_depth = Depth(depth as i32));
                Ok(())
            },
        },
    },
    UciOption {
        name: "SyzygyProbeLimit",
        kind: Kind::Spin {
            default: Tablebases::MAX_PIECES as i64,
            min: 0,
            max: Tablebases::MAX_PIECES as i64,
            set: |target, pieces| {
                set_tb(target, |tb| tb.probe_limit = pieces as usize);
                Ok(())
            },
        },
    },
    UciOption {
        name: "Syzygy50MoveRule",
        kind: Kind::Check {
            default: true,
            set: |target, on| {
                set_tb(target, |tb| tb.fifty_moves = on);
                target.engine.clear_hash();
            },
        },
    },
    UciOption {
        name: "Debug Log File",
        kind: Kind::Text { set: |target, path| Ok(target.output.set_log(path)?) },
    },
    UciOption {
        name: "UCI_LimitStrength",
        kind: Kind::Check { default: false, set: |target, on| target.engine.limit_strength(on) },
    },
    UciOption {
        name: "UCI_Elo",
        kind: Kind::Spin {
            default: Strength::DEFAULT as i64,
            min: Strength::MIN as i64,
            max: Strength::MAX as i64,
            set: |target, elo| {
                target.engine.set_strength(Strength::new(elo as i32));
                Ok(())
            },
        },
    },
    UciOption {
        name: "UCI_Chess960",
        kind: Kind::Check { default: false, set: |target, on| target.style.chess960 = on },
    },
    UciOption {
        name: "UCI_ShowWDL",
        kind: Kind::Check { default: false, set: |target, on| target.style.show_wdl = on },
    },
];

fn set_tb(target: &mut Target<'_>, change: impl FnOnce(&mut TbSettings)) {
    let mut tb = target.engine.settings().tb;
    change(&mut tb);
    target.engine.set_tb(tb);
}

/// Finds the tables of some folders. What cannot be used is reported, and the rest is used.
fn set_tablebases(target: &mut Target<'_>, path: Option<&Path>) -> Result<(), TextError> {
    /// Faults that are reported: a disk that fails has a thousand.
    const REPORTED: usize = 8;
    let opened = path.map(Tablebases::open);
    if let Some((tables, faults)) = &opened {
        faults.iter().take(REPORTED).for_each(|fault| {
            target.output.report_fault(format_args!("option SyzygyPath: {fault}"));
        });
        let (files, pieces) = (tables.files(), tables.max_pieces());
        target.output.say(format_args!(
            "info string {files} Syzygy tablebase files for up to {pieces} pieces, {} unusable",
            faults.len()
        ));
    }
    target.engine.set_tablebases(opened.map(|(tables, _)| Arc::new(tables)));
    Ok(())
}

fn names<T>(choices: &[(&'static str, T)]) -> Vec<&'static str> {
    choices.iter().map(|(name, _)| *name).collect()
}

/// The choices of a null-move scheme, in a build for tuning.
#[cfg(feature = "tune")]
mod parts {
    use super::{Kind, UciOption, names};
    use crate::search::null_move::{
        Guard, NULLARBOR, Reduction, Repetition, Trigger, Verification,
    };

    macro_rules! part {
        ($name:literal, $field:ident, $choice:ident) => {
            UciOption {
                name: $name,
                kind: Kind::Combo {
                    default: || {
                        let named = $choice::ALL.iter().find(|(_, it)| *it == NULLARBOR.$field);
                        named.map_or("", |(name, _)| name)
                    },
                    values: || names($choice::ALL),
                    set: |target, value| {
                        let mut scheme = target.engine.settings().scheme;
                        scheme.$field = value.parse()?;
                        target.engine.set_scheme(scheme);
                        Ok(())
                    },
                },
            }
        };
    }

    macro_rules! switch {
        ($name:literal, $field:ident) => {
            UciOption {
                name: $name,
                kind: Kind::Check {
                    default: NULLARBOR.$field,
                    set: |target, on| {
                        let mut scheme = target.engine.settings().scheme;
                        scheme.$field = on;
                        target.engine.set_scheme(scheme);
                    },
                },
            }
        };
    }

    pub const OPTIONS: &[UciOption] = &[
        part!("NullMoveReduction", reduction, Reduction),
        part!("NullMoveTrigger", trigger, Trigger),
        part!("NullMoveGuard", guard, Guard),
        part!("NullMoveVerification", verification, Verification),
        part!("NullMoveRepetition", repetition, Repetition),
        switch!("NullMoveThreatExtension", threat_extension),
        switch!("NullMoveFailHard", fail_hard),
        switch!("NullMoveInPvNodes", in_pv_nodes),
        switch!("NullMoveWholeWindow", whole_window),
        switch!("NullMoveKeepAlpha", keep_alpha),
    ];
}

#[cfg(not(feature = "tune"))]
mod parts {
    pub const OPTIONS: &[super::UciOption] = &[];
}

fn all() -> impl Iterator<Item = &'static UciOption> {
    OPTIONS.iter().chain(parts::OPTIONS)
}

/// Returns the `option` lines of all options.
pub fn announcement() -> String {
    let mut text = String::new();
    for option in all() {
        let kind = match option.kind {
            Kind::Spin { default, min, max, .. } => {
                format!("spin default {default} min {min} max {max}")
            }
            Kind::Check { default, .. } => format!("check default {default}"),
            Kind::Combo { default, values, .. } => {
                format!("combo default {} var {}", default(), values().join(" var "))
            }
            Kind::Button { .. } => "button".to_owned(),
            Kind::Text { .. } => format!("string default {EMPTY}"),
        };
        text += &format!("option name {} type {kind}\n", option.name);
    }
    text + &parameters()
}

/// Returns the `option` lines of the parameters, in a build for tuning.
#[cfg(feature = "tune")]
fn parameters() -> String {
    let line = |spec: &crate::params::Spec| {
        let (name, default) = (spec.name, spec.default);
        format!(
            "option name {name} type spin default {default} min {} max {}\n",
            spec.min, spec.max
        )
    };
    crate::params::SPECS.iter().map(line).collect()
}

#[cfg(not(feature = "tune"))]
fn parameters() -> String {
    String::new()
}

/// Sets the option with this name, in upper or lower case.
///
/// # Errors
/// Fails if there is no such option, or its value is refused.
pub fn set(target: &mut Target<'_>, name: &str, value: &str) -> Result<(), OptionError> {
    let Some(option) = all().find(|option| option.name.eq_ignore_ascii_case(name)) else {
        return set_parameter(target, name, value);
    };
    match option.kind {
        Kind::Spin { min, max, set, .. } => {
            let number = number(option.name, value, min, max)?;
            set(target, number).map_err(|source| refused(option.name, source))
        }
        Kind::Check { set, .. } => {
            set(target, switch(option.name, value)?);
            Ok(())
        }
        Kind::Combo { set, .. } => set(target, &value.to_ascii_lowercase())
            .map_err(|source| OptionError::BadName { name: option.name.to_owned(), source }),
        Kind::Button { press } => {
            press(target);
            Ok(())
        }
        Kind::Text { set } => {
            let is_path = !value.is_empty() && value != EMPTY;
            let path = is_path.then(|| Path::new(value));
            set(target, path).map_err(|error| match error {
                TextError::Engine(source) => refused(option.name, source),
                TextError::Log(source) => OptionError::Log { name: option.name.to_owned(), source },
            })
        }
    }
}

#[cfg(feature = "tune")]
fn set_parameter(target: &mut Target<'_>, name: &str, value: &str) -> Result<(), OptionError> {
    let Some(spec) = crate::params::Spec::find(name) else {
        return Err(unknown(name));
    };
    let number = number(spec.name, value, spec.min.into(), spec.max.into())?;
    target.engine.set_param(spec.name, number as i32).map_err(|source| refused(spec.name, source))
}

#[cfg(not(feature = "tune"))]
fn set_parameter(_: &mut Target<'_>, name: &str, _: &str) -> Result<(), OptionError> {
    Err(unknown(name))
}

fn unknown(name: &str) -> OptionError {
    OptionError::Unknown(name.chars().take(40).collect())
}

fn refused(name: &str, source: EngineError) -> OptionError {
    OptionError::Refused { name: name.to_owned(), source }
}

fn number(name: &str, value: &str, min: i64, max: i64) -> Result<i64, OptionError> {
    value.parse().ok().filter(|number| (min..=max).contains(number)).ok_or_else(|| {
        OptionError::BadNumber {
            name: name.to_owned(),
            value: value.chars().take(40).collect(),
            min,
            max,
        }
    })
}

fn switch(name: &str, value: &str) -> Result<bool, OptionError> {
    value.to_ascii_lowercase().parse().map_err(|_| OptionError::BadSwitch {
        name: name.to_owned(),
        value: value.chars().take(40).collect(),
    })
}
