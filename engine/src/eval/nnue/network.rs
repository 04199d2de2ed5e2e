//! A network in memory, and how it is loaded.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use thiserror::Error;
use zerocopy::FromZeros;

use super::architecture::{EMBEDDED, HIDDEN, KING_BUCKETS, OUTPUT_BUCKETS};
use super::format::{FormatError, INPUTS, MAX_FILE, NetworkFile, checksum};
use crate::huge_pages::HugePages;
use crate::regular_file;

/// Why a network could not be loaded from a file.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum NetworkError {
    #[error("{path}: {source}", path = path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{path}: {source}", path = path.display())]
    Invalid { path: PathBuf, source: InvalidNetwork },
}

/// Why bytes are not a network for this engine.
#[derive(Debug, Error, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum InvalidNetwork {
    #[error(transparent)]
    Format(#[from] FormatError),
    #[error(
        "it is a network of {hidden} neurons with {king_buckets} king and {output_buckets} output buckets; \
         this engine runs {HIDDEN} with {KING_BUCKETS} and {OUTPUT_BUCKETS}"
    )]
    Architecture { hidden: usize, king_buckets: usize, output_buckets: usize },
}

/// One number for each hidden neuron of a perspective: an accumulator, or a row of weights.
#[derive(Clone, Debug, PartialEq, Eq, FromZeros)]
#[repr(align(64))]
pub struct Accumulator(pub [i16; HIDDEN]);

/// A network of this engine's architecture, quantised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// The weights of each feature, by feature index.
    pub(super) feature_weights: HugePages<Accumulator>,
    pub(super) feature_biases: Accumulator,
    /// The weights by output bucket: those of the side to move's accumulator, then the opponent's.
    pub(super) output_weights: Box<[[Accumulator; 2]]>,
    pub(super) output_biases: [i32; OUTPUT_BUCKETS],
    /// Centipawns of an output of 1.0.
    pub(super) scale: i32,
    metadata: String,
    crc32: u32,
}

impl Network {
    /// Loads a network file.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged or has another architecture.
    pub fn read(path: &Path) -> Result<Self, NetworkError> {
        let bytes = regular_file::read(path, MAX_FILE)
            .map_err(|source| NetworkError::File { path: path.to_owned(), source })?;
        Self::parse(&bytes)
            .map_err(|source| NetworkError::Invalid { path: path.to_owned(), source })
    }

    /// Loads a network file, or returns the embedded network if there is no path.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn from_file_or_embedded(path: Option<&Path>) -> Result<Arc<Self>, NetworkError> {
        path.map_or_else(|| Ok(Arc::clone(Self::embedded())), |path| Self::read(path).map(Arc::new))
    }

    /// Loads a network from the bytes of a file.
    ///
    /// # Errors
    /// If the bytes are damaged or the network has another architecture.
    pub fn parse(bytes: &[u8]) -> Result<Self, InvalidNetwork> {
        let file = NetworkFile::parse(bytes)?;
        let NetworkFile { hidden, king_buckets, output_buckets, .. } = file;
        if (hidden, king_buckets, output_buckets) != (HIDDEN, KING_BUCKETS, OUTPUT_BUCKETS) {
            return Err(InvalidNetwork::Architecture { hidden, king_buckets, output_buckets });
        }
        Ok(Self::from_parts(file, checksum(bytes)))
    }

    /// Returns the network that is part of the binary.
    pub fn embedded() -> &'static Arc<Self> {
        static EMBEDDED_NETWORK: OnceLock<Arc<Network>> = OnceLock::new();
        EMBEDDED_NETWORK.get_or_init(|| {
            // The build script has parsed it with the same code and took the architecture from it.
            let network = Self::parse(EMBEDDED);
            Arc::new(network.unwrap_or_else(|error| unreachable!("the embedded network: {error}")))
        })
    }

    /// Returns the file of the network that is part of the binary.
    pub fn embedded_file() -> &'static [u8] {
        EMBEDDED
    }

    /// Expects a file of this engine's architecture.
    fn from_parts(file: NetworkFile, crc32: u32) -> Self {
        let row = |row: &[i16]| Accumulator(std::array::from_fn(|index| row[index]));
        let rows: Vec<Accumulator> = file.parameters.chunks_exact(HIDDEN).map(row).collect();
        let (features, rest) = rows.split_at(KING_BUCKETS * INPUTS);
        let outputs = rest[1..].chunks_exact(2).map(|pair| [pair[0].clone(), pair[1].clone()]);
        Self {
            feature_weights: features.into(),
            feature_biases: rest[0].clone(),
            output_weights: outputs.collect(),
            output_biases: std::array::from_fn(|bucket| file.output_biases[bucket]),
            scale: file.scale as i32,
            metadata: file.metadata,
            crc32,
        }
    }

    /// Returns the text that says how the network was made.
    pub fn metadata(&self) -> &str {
        &self.metadata
    }

    /// Returns the CRC-32 of the file in hexadecimal, which identifies the network.
    pub fn fingerprint(&self) -> String {
        format!("{:08x}", self.crc32)
    }
}
