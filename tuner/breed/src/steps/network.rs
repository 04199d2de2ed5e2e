//! Networks on their own: what is measured of them, and the gates that need no games.

use std::path::Path;

use nullarbor_report::terminal;
use nullarbor_train::trainer::inspect::mean_absolute;
use nullarbor_train::trainer::quantise::Quantised;
use nullarbor_train::trainer::{self, Evaluation, Inspection};

use super::Work;
use crate::check::Check;
use crate::error::Error;
use crate::event::{Begun, NetworkId, Trained};
use crate::gates::{self, Scale};

/// Reads a network of any shape.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn read(path: &Path) -> Result<(NetworkId, Quantised), Error> {
    let (checksum, network) = trainer::read_network(path)?;
    Ok((NetworkId { fingerprint: format!("{checksum:08x}"), shape: network.shape() }, network))
}

/// Reads a network that the journal names.
///
/// # Errors
/// If it cannot be read, or is another one.
pub(crate) fn read_named(path: &Path, expected: &NetworkId) -> Result<Quantised, Error> {
    let (found, network) = read(path)?;
    if found == *expected {
        return Ok(network);
    }
    Err(Error::OtherNetwork {
        path: path.to_owned(),
        expected: expected.fingerprint.clone(),
        found: found.fingerprint,
    })
}

impl Work<'_> {
    /// Returns the checks of a cycle's network alone.
    pub fn sanity(&self, begun: &Begun, trained: &Trained) -> Result<Vec<Check>, Error> {
        let candidate = read_named(&self.folder.candidate(begun.cycle), &trained.network)?;
        let accepted = self.accepted()?;
        let held_out = trainer::held_out();
        let limits = &begun.config.gates.sanity;
        terminal::with_bar(2, "measurements", self.quiet, |bar| {
            let inspection = Inspection::of(&candidate, &held_out)?;
            bar.inc(1);
            let scale = Scale {
                mean_absolute: mean_absolute(&accepted, &held_out),
                factor: self.accepted_evaluation()?.factor,
            };
            Ok(gates::sanity(limits, trained, &inspection, scale))
        })
    }

    /// Returns the checks of the held-out loss of a cycle's network.
    pub fn loss(&self, begun: &Begun, trained: &Trained) -> Result<Vec<Check>, Error> {
        let accepted = self.accepted_evaluation()?;
        Ok(gates::loss(&begun.config.gates.loss, &trained.evaluation, &accepted))
    }

    /// Returns the held-out loss of the accepted network. That of the first one is not in the journal.
    fn accepted_evaluation(&self) -> Result<Evaluation, Error> {
        let accepted = self.state.generations.last();
        match accepted.and_then(|generation| self.state.evaluation(generation)) {
            Some(evaluation) => Ok(evaluation.clone()),
            None => Ok(trainer::evaluate(&self.accepted()?, &trainer::held_out())),
        }
    }

    /// Reads the accepted network.
    pub(super) fn accepted(&self) -> Result<Quantised, Error> {
        let path = self.folder.generation(self.state.generation());
        read_named(&path, self.state.accepted())
    }
}
