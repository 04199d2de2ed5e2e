//! The published schemes, each under the name of its source.

use std::str::FromStr;

use super::{Guard, Policy, Reduction, Repetition, Trigger, UnknownName, Verification};
use crate::types::Ply;

/// What most sources have in common; the rest differs from it by name.
const PLAIN: Policy = Policy {
    reduction: Reduction::Fixed2,
    trigger: Trigger::Always,
    guard: Guard::None,
    verification: Verification::None,
    repetition: Repetition::Single,
    threat_extension: false,
    fail_hard: false,
    in_pv_nodes: true,
    min_depth: 1,
    min_ply: 1,
};

/// J. Pettersson's guide to his engine Mediocre (2007): R = 2, no two in a row, not while following the previous
/// principal variation. It had no guard against zugzwang at the time.
const MEDIOCRE: Policy = Policy { trigger: Trigger::OffPreviousPv, ..PLAIN };

/// H. G. Muller's micro-Max 4: R = 2, off once little is left of all pieces; the depth alone ends rows of null moves.
const MICROMAX: Policy = Policy { guard: Guard::Captured, repetition: Repetition::Double, ..PLAIN };

/// M. Lea's ImpChess (2016): R = 2, one null move in a branch, not right after the root.
const IMPCHESS: Policy =
    Policy { repetition: Repetition::OncePerBranch, min_ply: 2 as Ply, ..PLAIN };

/// The same with the trigger that he mined from his logs.
const IMPCHESS_TRIGGERED: Policy = Policy { trigger: Trigger::Lea, ..IMPCHESS };

/// A guide to null-move pruning with R = 2; its evaluation must reach beta, and a piece be there.
const GUIDE_FIXED: Policy = Policy {
    trigger: Trigger::Evaluation,
    guard: Guard::OwnPiece,
    threat_extension: true,
    fail_hard: true,
    min_depth: 3,
    ..PLAIN
};

/// The same with R = 3 from depth 6 on.
const GUIDE_ADAPTIVE: Policy = Policy { reduction: Reduction::Adaptive, ..GUIDE_FIXED };

/// The same with R by formula, and with verification where zugzwang is likely.
const GUIDE_FORMULA: Policy = Policy {
    reduction: Reduction::Guide,
    verification: Verification::LikelyZugzwang,
    ..GUIDE_FIXED
};

/// E. Heinz's adaptive null-move pruning (1999).
const HEINZ: Policy = Policy { reduction: Reduction::Heinz, guard: Guard::OwnPiece, ..PLAIN };

/// O. David-Tabibi's and N. Netanyahu's verified null-move pruning (2002) with their R = 3.
const VERIFIED: Policy =
    Policy { reduction: Reduction::Fixed3, verification: Verification::Reduce, ..PLAIN };

/// This engine's own.
const NULLARBOR: Policy = Policy {
    reduction: Reduction::Tuned,
    trigger: Trigger::Tuned,
    guard: Guard::BothMoreThanMinor,
    verification: Verification::Deep,
    repetition: Repetition::Single,
    threat_extension: false,
    fail_hard: false,
    in_pv_nodes: false,
    min_depth: 1,
    min_ply: 1,
};

impl Policy {
    /// All presets with their names, the default first.
    pub const PRESETS: &[(&str, Self)] = &[
        ("nullarbor", NULLARBOR),
        ("off", Policy { reduction: Reduction::Off, ..NULLARBOR }),
        ("mediocre", MEDIOCRE),
        ("micromax", MICROMAX),
        ("impchess", IMPCHESS),
        ("impchess-triggered", IMPCHESS_TRIGGERED),
        ("guide-fixed", GUIDE_FIXED),
        ("guide-adaptive", GUIDE_ADAPTIVE),
        ("guide-formula", GUIDE_FORMULA),
        ("heinz", HEINZ),
        ("verified", VERIFIED),
        ("fixed-1", Policy { reduction: Reduction::Fixed1, ..PLAIN }),
        ("fixed-2", PLAIN),
        ("fixed-3", Policy { reduction: Reduction::Fixed3, ..PLAIN }),
        ("fixed-4", Policy { reduction: Reduction::Fixed4, ..PLAIN }),
    ];

    /// The preset with this name.
    pub fn preset(name: &str) -> Option<Self> {
        Self::PRESETS.iter().find(|(known, _)| *known == name).map(|(_, policy)| *policy)
    }

    /// The name of the preset that this is, if it is one.
    pub fn name(&self) -> Option<&'static str> {
        Self::PRESETS.iter().find(|(_, policy)| policy == self).map(|(name, _)| *name)
    }
}

impl Default for Policy {
    fn default() -> Self {
        NULLARBOR
    }
}

impl FromStr for Policy {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let names = Self::PRESETS.iter().map(|(name, _)| *name);
        Self::preset(name).ok_or_else(|| UnknownName::new("scheme", name, names))
    }
}
