//! The network that evaluates the games.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use nullarbor::engine::{Engine, EngineError};
use nullarbor::eval::nnue::{Network, NetworkError};

/// The transposition table in MiB: searches are short, and it is cleared before each game.
const HASH: usize = 2;

/// The network that evaluates the games.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// The network.
    pub network: Arc<Network>,
    /// File of the network; `None` is the built-in one.
    pub file: Option<PathBuf>,
}

impl Evaluation {
    /// Loads a network, or takes the built-in one.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn open(file: Option<&Path>) -> Result<Self, NetworkError> {
        let network = Network::from_file_or_embedded(file)?;
        Ok(Self { network, file: file.map(Path::to_owned) })
    }

    /// Creates an engine that searches on the thread that calls it, with the scores that networks are trained on.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn engine(&self) -> Result<Engine, EngineError> {
        let mut engine = Engine::on_this_thread(HASH)?;
        engine.set_fifty_move_damping(false);
        engine.set_unscaled();
        engine.set_network(Arc::clone(&self.network));
        Ok(engine)
    }

    /// Returns how datasets call it.
    pub fn name(&self) -> String {
        format!("network {}", self.network.fingerprint())
    }
}

#[cfg(test)]
mod tests {
    use nullarbor::params::UNIT;

    use super::*;

    #[test]
    fn labels_are_in_the_unit_of_the_network() {
        let evaluation = Evaluation::open(None).expect("the built-in network");
        let engine = evaluation.engine().expect("a small engine");
        assert_eq!(engine.params().eval_scale_7, UNIT);
    }
}
