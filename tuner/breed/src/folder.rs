//! The files in the folder of a run.

use std::fs;
use std::path::{Path, PathBuf};

use nullarbor_runs::files::FileError;

/// The folder of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder(pub PathBuf);

impl Folder {
    /// Returns the path of the configuration.
    pub fn config(&self) -> PathBuf {
        self.0.join("breed.toml")
    }

    /// Returns the path of the journal.
    pub fn journal(&self) -> PathBuf {
        self.0.join("journal.jsonl")
    }

    /// Returns the path of the file that pauses the run.
    pub fn pause(&self) -> PathBuf {
        self.0.join("pause")
    }

    /// Returns the path of the page.
    pub fn page(&self) -> PathBuf {
        self.0.join("breed.html")
    }

    /// Returns the path of the copy of the accepted network.
    pub fn accepted(&self) -> PathBuf {
        self.0.join("accepted.nnue")
    }

    /// Returns the path of an accepted network.
    pub fn generation(&self, generation: u64) -> PathBuf {
        self.0.join(format!("generations/{generation:03}.nnue"))
    }

    /// Returns the path of the losses of an accepted network.
    pub fn losses(&self, generation: u64) -> PathBuf {
        self.0.join(format!("generations/{generation:03}.txt"))
    }

    /// Returns the folder of a cycle.
    pub fn cycle(&self, cycle: u64) -> PathBuf {
        self.0.join(format!("cycles/{cycle:03}"))
    }

    /// Returns the dataset of a cycle.
    pub fn games(&self, cycle: u64) -> PathBuf {
        self.cycle(cycle).join("games")
    }

    /// Returns the network that was trained in a cycle.
    pub fn candidate(&self, cycle: u64) -> PathBuf {
        self.cycle(cycle).join("net.nnue")
    }

    /// Returns the set of a cycle that networks are judged by.
    pub fn judge(&self, cycle: u64) -> PathBuf {
        self.cycle(cycle).join("judge")
    }

    /// Returns the journal of a match of a cycle.
    pub fn gate(&self, cycle: u64, gate: &str) -> PathBuf {
        self.cycle(cycle).join(format!("{gate}.jsonl"))
    }

    /// Returns the journal of the matches of a generation against others.
    pub fn anchors(&self, generation: u64) -> PathBuf {
        self.0.join(format!("anchors/{generation:03}.jsonl"))
    }

    /// Returns the journal of a match before shipping.
    pub fn ship(&self, generation: u64, opponent: &str) -> PathBuf {
        self.0.join(format!("ship/{generation:03}-{opponent}.jsonl"))
    }

    /// Returns the engine that was built with a network.
    pub fn engine(&self, fingerprint: &str) -> PathBuf {
        self.0.join(format!("engines/{fingerprint}{}", std::env::consts::EXE_SUFFIX))
    }
}

/// Creates the folder of a file.
///
/// # Errors
/// If it cannot be created.
pub(crate) fn create_parent(path: &Path) -> Result<(), FileError> {
    let parent = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(FileError::at(parent))
}
