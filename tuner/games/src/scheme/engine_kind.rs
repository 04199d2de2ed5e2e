//! The search in which schemes are compared.

use nullarbor::engine::{Engine, EngineError};
use nullarbor::params::Params;
use serde::{Deserialize, Serialize};

/// The search in which schemes are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
pub enum EngineKind {
    /// The search as it plays.
    #[default]
    Full,
    /// The search of the papers: principal variation search, transposition table, histories, quiescence search of captures
    /// and a check extension at the horizon; nothing else prunes, reduces or extends.
    Plain,
}

impl EngineKind {
    /// Returns the parameters of the search.
    pub fn params(self) -> Params {
        match self {
            Self::Full => Params::default(),
            Self::Plain => Params::plain(),
        }
    }

    /// Creates an engine with this search, one thread and a transposition table of `hash` MiB.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn engine(self, hash: usize) -> Result<Engine, EngineError> {
        let mut engine = Engine::new(hash, 1)?;
        engine.set_params(self.params());
        Ok(engine)
    }

    /// Returns its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Plain => "plain",
        }
    }
}
