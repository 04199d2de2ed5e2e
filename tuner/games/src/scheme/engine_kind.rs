//! The search in which schemes are compared.

use nullarbor::engine::{Engine, EngineError};
use serde::{Deserialize, Serialize};

/// The search in which schemes are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineKind {
    /// The search as it plays.
    #[default]
    Full,
    /// The search of the papers: principal variation search, transposition table, histories, quiescence search of captures
    /// and a check extension at the horizon; nothing else prunes, reduces or extends. Positions are evaluated by material and
    /// piece-square tables, so its results do not depend on the network.
    Plain,
    /// The search as it plays, without reverse futility pruning.
    NoReverseFutility,
    /// The search as it plays, without late move reductions.
    NoLateMoveReductions,
    /// The search as it plays, without reverse futility pruning and late move reductions.
    Neither,
}

impl EngineKind {
    /// Creates an engine with this search, one thread and a transposition table of `hash` MiB.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn engine(self, hash: usize) -> Result<Engine, EngineError> {
        let mut engine = Engine::new(hash, 1)?;
        let params = engine.params().clone();
        match self {
            Self::Full => {}
            Self::Plain => engine.make_plain(),
            Self::NoReverseFutility => engine.set_params(params.without_reverse_futility()),
            Self::NoLateMoveReductions => engine.set_params(params.without_late_move_reductions()),
            Self::Neither => {
                let params = params.without_reverse_futility().without_late_move_reductions();
                engine.set_params(params);
            }
        }
        Ok(engine)
    }

    /// Returns its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Plain => "plain",
            Self::NoReverseFutility => "no-reverse-futility",
            Self::NoLateMoveReductions => "no-late-move-reductions",
            Self::Neither => "neither",
        }
    }
}
