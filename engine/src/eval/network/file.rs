//! Networks in files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

use super::architecture::{HIDDEN, KING_BUCKETS, OUTPUT_BUCKETS};
use super::header::Header;
use super::weights::{BYTES, NUMBERS, Network};

/// Why a file is no network for this engine.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum NetworkError {
    #[error("{path}: {source}", path = path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{path}: {source}", path = path.display())]
    Content { path: PathBuf, source: ContentError },
}

/// Why bytes are no network for this engine.
#[derive(Debug, Error, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ContentError {
    #[error("it is no network of this engine's format")]
    Foreign,
    #[error(
        "it is a network of {hidden} neurons with {king_buckets} king and {output_buckets} output buckets; \
         this engine runs {HIDDEN} with {KING_BUCKETS} and {OUTPUT_BUCKETS}"
    )]
    Architecture { hidden: u32, king_buckets: u32, output_buckets: u32 },
    #[error(
        "it has {found} bytes and should have {expected}: it was cut short, or something follows it"
    )]
    Length { found: usize, expected: usize },
    #[error("it is damaged: its checksum is {found:08x} and should be {expected:08x}")]
    Checksum { found: u32, expected: u32 },
    #[error("its scale of {0} centipawns is none")]
    Scale(u32),
    #[error("what it says of itself is no text")]
    Facts,
    #[error("its weights are so large that sums of them would not fit")]
    Weights,
}

impl Network {
    /// Reads a file.
    ///
    /// # Errors
    /// Where it cannot be read, is damaged, or of another shape than the engine's.
    pub fn read(path: &Path) -> Result<Self, NetworkError> {
        let bytes = fs::read(path)
            .map_err(|source| NetworkError::File { path: path.to_owned(), source })?;
        Self::parse(&bytes)
            .map_err(|source| NetworkError::Content { path: path.to_owned(), source })
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
    pub fn parse(bytes: &[u8]) -> Result<Self, ContentError> {
        let header = Header::parse(bytes).ok_or(ContentError::Foreign)?;
        let Header { hidden, king_buckets, output_buckets, scale, facts, crc32 } = header;
        let shape = [HIDDEN, KING_BUCKETS, OUTPUT_BUCKETS].map(|number| number as u32);
        if [hidden, king_buckets, output_buckets] != shape {
            return Err(ContentError::Architecture { hidden, king_buckets, output_buckets });
        }
        let expected = Header::BYTES + facts as usize + BYTES;
        if bytes.len() != expected {
            return Err(ContentError::Length { found: bytes.len(), expected });
        }
        let body = &bytes[Header::BYTES..];
        let found = crc32fast::hash(body);
        if found != crc32 {
            return Err(ContentError::Checksum { found, expected: crc32 });
        }
        if !(1..=10_000).contains(&scale) {
            return Err(ContentError::Scale(scale));
        }
        let (facts, weights) = body.split_at(facts as usize);
        let facts = String::from_utf8(facts.to_vec()).map_err(|_| ContentError::Facts)?;
        let (numbers, biases) = weights.split_at(2 * NUMBERS);
        let numbers: Vec<i16> =
            numbers.as_chunks::<2>().0.iter().map(|&pair| i16::from_le_bytes(pair)).collect();
        let biases = biases.as_chunks::<4>().0;
        let biases = std::array::from_fn(|bucket| i32::from_le_bytes(biases[bucket]));
        let network = Self::of(&numbers, biases, scale as i32, facts, crc32);
        if network.fits() { Ok(network) } else { Err(ContentError::Weights) }
    }
}

/// The bytes of a file: `numbers` are input weights by input, biases, and output weights by bucket and perspective.
pub fn bytes(header: Header, facts: &str, numbers: &[i16], output_biases: &[i32]) -> Vec<u8> {
    let mut body = facts.as_bytes().to_vec();
    body.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    body.extend(output_biases.iter().flat_map(|bias| bias.to_le_bytes()));
    let header = Header { facts: facts.len() as u32, crc32: crc32fast::hash(&body), ..header };
    [&header.bytes()[..], &body].concat()
}
