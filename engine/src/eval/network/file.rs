//! Networks in files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

use super::architecture::{HIDDEN, KING_BUCKETS, OUTPUT_BUCKETS};
use super::format::{Content, ContentError, checksum};
use super::weights::Network;

/// Why a file is no network for this engine.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum NetworkError {
    #[error("{path}: {source}", path = path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{path}: {source}", path = path.display())]
    Unfit { path: PathBuf, source: UnfitError },
}

/// Why bytes are no network for this engine.
#[derive(Debug, Error, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum UnfitError {
    #[error(transparent)]
    Content(#[from] ContentError),
    #[error(
        "it is a network of {hidden} neurons with {king_buckets} king and {output_buckets} output buckets; \
         this engine runs {HIDDEN} with {KING_BUCKETS} and {OUTPUT_BUCKETS}"
    )]
    Architecture { hidden: usize, king_buckets: usize, output_buckets: usize },
}

impl Network {
    /// Reads a file.
    ///
    /// # Errors
    /// Where it cannot be read, is damaged, or of another shape than the engine's.
    pub fn read(path: &Path) -> Result<Self, NetworkError> {
        let bytes = fs::read(path)
            .map_err(|source| NetworkError::File { path: path.to_owned(), source })?;
        Self::parse(&bytes).map_err(|source| NetworkError::Unfit { path: path.to_owned(), source })
    }

    /// Reads a file; without one it is the network that is part of the binary.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn from_file_or_embedded(path: Option<&Path>) -> Result<Arc<Self>, NetworkError> {
        path.map_or_else(|| Ok(Arc::clone(Self::embedded())), |path| Self::read(path).map(Arc::new))
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// Where they are damaged, or of another shape than the engine's.
    pub fn parse(bytes: &[u8]) -> Result<Self, UnfitError> {
        let content = Content::parse(bytes)?;
        let Content { hidden, king_buckets, output_buckets, .. } = content;
        if (hidden, king_buckets, output_buckets) != (HIDDEN, KING_BUCKETS, OUTPUT_BUCKETS) {
            return Err(UnfitError::Architecture { hidden, king_buckets, output_buckets });
        }
        Ok(Self::of(content, checksum(bytes)))
    }
}
