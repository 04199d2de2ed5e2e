//! Adoption of a network.

use std::fs;
use std::io::Write;

use nullarbor_runs::files::{FileError, replace};

use super::Work;
use crate::error::Error;
use crate::event::Trained;
use crate::folder::create_parent;
use crate::state::Cycle;

impl Work<'_> {
    /// Copies the network of a cycle to where the accepted ones are, with its losses and what the cycle was.
    pub fn adopt(&self, cycle: &Cycle, trained: &Trained, generation: u64) -> Result<(), Error> {
        let number = cycle.begun.cycle;
        let candidate = self.folder.candidate(number);
        super::network::read_named(&candidate, &trained.network)?;
        let bytes = fs::read(&candidate).map_err(FileError::at(&candidate))?;
        let losses = self.folder.losses(generation);
        create_parent(&losses)?;
        let text = format!(
            "Generation {generation}, network {}\n{}\n\n{}\n{}",
            trained.network.fingerprint,
            cycle.summary(),
            trained.evaluation.line(),
            trained.evaluation.table().text(),
        );
        replace(&losses, |file| file.write_all(text.as_bytes()))?;
        for path in [self.folder.generation(generation), self.folder.accepted()] {
            replace(&path, |file| file.write_all(&bytes))?;
        }
        self.remove_checkpoint(number);
        Ok(())
    }
}
