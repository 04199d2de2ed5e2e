//! Finding the suites of the study: built in, or in a folder by what they contain.

use std::fs;
use std::path::{Path, PathBuf};

use nullarbor_lab::builtin;
use nullarbor_lab::suite::{Suite, SuiteError};
use nullarbor_runs::files::FileError;

use crate::declared::STUDY;

/// The suites at hand.
pub struct Library {
    /// Suites of the folder.
    found: Vec<Suite>,
}

impl Library {
    /// Reads the EPD files of a folder; files that are no suite are left out. Without a folder only the built-in suites are at
    /// hand.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn open(folder: Option<&Path>) -> Result<Self, FileError> {
        let Some(folder) = folder else { return Ok(Self { found: Vec::new() }) };
        let entries = fs::read_dir(folder).map_err(FileError::at(folder))?;
        let mut files: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|extension| extension == "epd"))
            .collect();
        files.sort();
        let read = |path: &PathBuf| Suite::open(&path.to_string_lossy()).ok();
        Ok(Self { found: files.iter().filter_map(read).collect() })
    }

    /// Returns the suite of this name; `None` if it is not at hand.
    ///
    /// # Errors
    /// If a built-in suite is malformed.
    pub fn get(&self, name: &str) -> Result<Option<Suite>, SuiteError> {
        if builtin::SUITES.iter().any(|(known, _)| *known == name) {
            return Suite::open(name).map(Some);
        }
        let Some(declared) = STUDY.suites.iter().find(|it| it.name == name) else {
            return Ok(None);
        };
        let found = self.found.iter().find(|suite| suite.sha256() == declared.sha256);
        Ok(found.map(|suite| Suite { name: name.to_owned(), ..suite.clone() }))
    }
}
