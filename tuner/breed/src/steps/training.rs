//! Training of a new network.

use std::fs;

use nullarbor_train::data::DatasetError;
use nullarbor_train::trainer::quantise::Quantised;
use nullarbor_train::trainer::{DatasetId, TrainError, TrainJob, read_network};

use super::Work;
use super::network::read;
use crate::error::Error;
use crate::event::{Begun, Trained};

impl Work<'_> {
    /// Trains a network on the window of a cycle, or goes on from its last epoch.
    pub fn train(&self, begun: &Begun) -> Result<Trained, Error> {
        let cycle = begun.cycle;
        let datasets = self.window(begun)?;
        let positions = datasets.iter().map(|dataset| dataset.counts().kept).sum();
        let ids = datasets.iter().map(DatasetId::of).collect();
        let mut settings = begun.config.training(cycle, ids);
        let from = self.start(begun)?;
        settings.from = from.as_ref().map(|&(fingerprint, _)| fingerprint);
        let job = TrainJob {
            settings,
            datasets,
            from: from.map(|(_, network)| network),
            keep_of: None,
            judge: None,
            out: self.folder.candidate(cycle),
            threads: self.threads(),
            quiet: self.quiet,
        };
        let trained = job.run(self.stop).map_err(|source| match source {
            TrainError::Interrupted(interrupted) => interrupted.into(),
            TrainError::Dataset(error) => dataset_error(error),
            source => Error::Training { cycle, source },
        })?;
        let (network, _) = read(&job.out)?;
        Ok(Trained {
            cycle,
            network,
            positions,
            epochs: trained.metrics,
            evaluation: trained.evaluation,
            quantisation: trained.quantisation,
        })
    }

    /// Returns the network that training starts from and its fingerprint, if it is the accepted one or grows from it.
    fn start(&self, begun: &Begun) -> Result<Option<(u32, Quantised)>, Error> {
        if !begun.config.training.fine_tune {
            return Ok(None);
        }
        let network = read_network(&self.folder.generation(begun.generation))?;
        Ok(Some(network).filter(|(_, network)| network.shape().grows_into(begun.config.shape())))
    }

    /// Deletes what only training needs.
    pub fn remove_checkpoint(&self, cycle: u64) {
        // Where it cannot be deleted it does no harm.
        let network = self.folder.candidate(cycle);
        let _ = fs::remove_file(format!("{}.checkpoint", network.display()));
    }
}

/// Returns the error; an interruption is one of its own.
pub(super) fn dataset_error(error: DatasetError) -> Error {
    match error {
        DatasetError::Interrupted(interrupted) => interrupted.into(),
        error => error.into(),
    }
}
