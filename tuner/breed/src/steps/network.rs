//! Networks on their own: what is measured of them, and the gates that need no games.

use std::path::Path;

use nullarbor_report::terminal;
use nullarbor_train::trainer::quantise::Quantised;
use nullarbor_train::trainer::{self, Evaluation, Inspection};

use super::Work;
use crate::error::Error;
use crate::event::NetworkId;
use crate::gates::{self, Check, Measured};
use crate::state::Cycle;

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

/// What was measured of a network without games.
pub(crate) struct Measurement {
    pub inspection: Inspection,
    pub evaluation: Evaluation,
}

impl Measurement {
    /// Measures a network on the held-out positions.
    ///
    /// # Errors
    /// If its accumulators could overflow.
    pub fn of(network: &Quantised) -> Result<Self, Error> {
        let held_out = trainer::held_out();
        let evaluation = trainer::evaluate(network, &held_out);
        Ok(Self { inspection: Inspection::of(network, &held_out)?, evaluation })
    }

    fn measured(&self) -> Measured<'_> {
        Measured { inspection: &self.inspection, evaluation: &self.evaluation }
    }
}

impl Work<'_> {
    /// Returns the checks of a cycle's network alone.
    pub fn sanity(&self, cycle: &Cycle) -> Result<Vec<Check>, Error> {
        let Some(trained) = &cycle.trained else { unreachable!("it was trained before") };
        let [candidate, accepted] = self.measure(cycle)?;
        let limits = &cycle.begun.config.gates.sanity;
        Ok(gates::sanity(limits, trained, candidate.measured(), accepted.measured()))
    }

    /// Returns the checks of the held-out loss of a cycle's network.
    pub fn loss(&self, cycle: &Cycle) -> Result<Vec<Check>, Error> {
        let [candidate, accepted] = self.measure(cycle)?;
        let limits = &cycle.begun.config.gates.loss;
        Ok(gates::loss(limits, &candidate.evaluation, &accepted.evaluation))
    }

    /// Measures the network of a cycle and the accepted one.
    fn measure(&self, cycle: &Cycle) -> Result<[Measurement; 2], Error> {
        let Some(trained) = &cycle.trained else { unreachable!("it was trained before") };
        let candidate = self.folder.candidate(cycle.begun.cycle);
        let accepted = self.folder.generation(self.state.generation());
        let named = [(candidate, &trained.network), (accepted, self.state.accepted())];
        terminal::with_bar(2, "networks measured", self.quiet, |bar| {
            let measure = |(path, id): (std::path::PathBuf, &NetworkId)| {
                let measurement = Measurement::of(&read_named(&path, id)?)?;
                bar.inc(1);
                Ok::<_, Error>(measurement)
            };
            let [candidate, accepted] = named.map(measure);
            Ok([candidate?, accepted?])
        })
    }
}
