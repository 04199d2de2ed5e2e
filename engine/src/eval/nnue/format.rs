//! The network file format: its header, its checks and the quantisation constants.
//!
//! The engine, its build script and the trainer share this file, so it uses nothing else of the
//! engine.
//!
//! A file is a header of 64 bytes (magic, version, architecture, scale, length of the metadata,
//! CRC-32), the metadata as UTF-8, the parameters as `i16` (feature weights by feature, feature
//! biases, output weights by output bucket and perspective) and the output biases as `i32`. All
//! numbers are little-endian.

use thiserror::Error;

/// Features of one king bucket: six piece types, two colours, 64 squares.
pub const INPUTS: usize = 768;
/// The hidden size is a multiple of this.
pub const TILE: usize = 32;
/// The largest hidden size per perspective.
pub const MAX_HIDDEN: usize = 4096;
/// The numbers of king buckets that a network may have.
pub const KING_BUCKET_COUNTS: [usize; 2] = [1, 4];
/// The largest number of output buckets.
pub const MAX_OUTPUT_BUCKETS: usize = 8;

/// Quantisation of the first layer: a feature weight of 1.0, and the upper clip of a neuron.
pub const QA: i32 = 1023;
/// Quantisation of the second layer: an output weight of 1.0.
pub const QB: i32 = 512;
/// Bits that a clipped neuron is shifted left before it is squared, so that the upper half of the
/// square is the activation in 16 bits.
pub const SHIFT: u32 = 5;
/// The activation of a neuron at its upper clip, 1.0.
pub const QA_SQUARED: i32 = ((QA << SHIFT) * (QA << SHIFT)) >> 16;

/// The first bytes of a file.
const MAGIC: [u8; 8] = *b"NULLNNUE";
/// The only version.
const VERSION: u32 = 2;
/// Length of the header in bytes.
const HEADER: usize = 64;
/// The most bytes that a file is read to: parameters of the largest architecture take 30 million.
pub const MAX_FILE: u64 = 64 << 20;
/// Offset of the checksum, which covers all bytes but its own four.
const CHECKSUM_OFFSET: usize = 8 + 4 * 6;

/// The content of a network file, of any architecture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkFile {
    /// Hidden neurons per perspective.
    pub hidden: usize,
    /// King buckets: sets of feature weights, chosen by the square of the own king.
    pub king_buckets: usize,
    /// Output buckets: sets of output weights, chosen by the number of pieces.
    pub output_buckets: usize,
    /// Centipawns of an output of 1.0.
    pub scale: u32,
    /// Text that says how the network was made.
    pub metadata: String,
    /// Feature weights by feature, feature biases, and output weights by bucket and perspective.
    pub parameters: Vec<i16>,
    /// The output bias of each bucket.
    pub output_biases: Vec<i32>,
}

/// Why bytes are not a network file.
#[derive(Debug, Error, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FormatError {
    #[error("it is not a network file of this engine")]
    Foreign,
    #[error(
        "the architecture is not supported: {hidden} neurons with {king_buckets} king and {output_buckets} output buckets"
    )]
    Shape { hidden: usize, king_buckets: usize, output_buckets: usize },
    #[error("it has {found} bytes instead of {expected}: it is truncated or has extra bytes")]
    Length { found: usize, expected: usize },
    #[error("it is damaged: its checksum is {found:08x} instead of {expected:08x}")]
    Checksum { found: u32, expected: u32 },
    #[error("its scale is {0} centipawns instead of 1 to 10000")]
    Scale(u32),
    #[error("its metadata is not UTF-8")]
    Metadata,
    #[error("its weights are so large that an accumulator could overflow")]
    Weights,
}

impl NetworkFile {
    /// Returns the neurons of a perspective before their activation, given its active features.
    ///
    /// # Panics
    /// If a feature is not one of this network.
    pub fn accumulator(&self, features: &[u16]) -> Vec<i16> {
        let row = |row: usize| &self.parameters[row * self.hidden..][..self.hidden];
        let mut accumulator = row(self.king_buckets * INPUTS).to_vec();
        for &feature in features {
            // A network whose sums could overflow makes no file.
            for (value, weight) in accumulator.iter_mut().zip(row(feature.into())) {
                *value = value.wrapping_add(*weight);
            }
        }
        accumulator
    }

    /// Parses the bytes of a file.
    ///
    /// # Errors
    /// If they are damaged or not a network file.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        if bytes.len() < HEADER || bytes[..8] != MAGIC || word(bytes, 0) != VERSION {
            return Err(FormatError::Foreign);
        }
        let [hidden, king_buckets, output_buckets, scale, metadata] =
            [1, 2, 3, 4, 5].map(|index| word(bytes, index) as usize);
        let found = bytes.len();
        let (checksum, expected) = (self::checksum(bytes), word(bytes, 6));
        // Shape and length first: they explain more than a wrong checksum.
        if !is_shape(hidden, king_buckets, output_buckets) {
            return Err(FormatError::Shape { hidden, king_buckets, output_buckets });
        }
        let count = ((king_buckets * INPUTS + 1) + output_buckets * 2) * hidden;
        let length = HEADER + metadata + 2 * count + 4 * output_buckets;
        if found != length {
            return Err(FormatError::Length { found, expected: length });
        }
        if checksum != expected {
            return Err(FormatError::Checksum { found: checksum, expected });
        }
        let (metadata, rest) = bytes[HEADER..].split_at(metadata);
        let (parameters, biases) = rest.split_at(2 * count);
        let pairs = parameters.as_chunks().0.iter();
        let file = Self {
            hidden,
            king_buckets,
            output_buckets,
            scale: scale as u32,
            metadata: String::from_utf8(metadata.to_vec()).map_err(|_| FormatError::Metadata)?,
            parameters: pairs.map(|&pair| i16::from_le_bytes(pair)).collect(),
            output_biases: biases.as_chunks().0.iter().map(|&it| i32::from_le_bytes(it)).collect(),
        };
        file.check().map(|()| file)
    }

    /// Returns the bytes of the file.
    ///
    /// # Errors
    /// If the scale is out of range or an accumulator could overflow.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FormatError> {
        self.check()?;
        let shape = [self.hidden, self.king_buckets, self.output_buckets].map(|it| it as u32);
        let [hidden, king_buckets, output_buckets] = shape;
        let metadata = self.metadata.len() as u32;
        let words = [VERSION, hidden, king_buckets, output_buckets, self.scale, metadata];
        let mut bytes = MAGIC.to_vec();
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        bytes.resize(HEADER, 0);
        bytes.extend(self.metadata.as_bytes());
        bytes.extend(self.parameters.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(self.output_biases.iter().flat_map(|bias| bias.to_le_bytes()));
        let checksum = checksum(&bytes);
        bytes[CHECKSUM_OFFSET..CHECKSUM_OFFSET + 4].copy_from_slice(&checksum.to_le_bytes());
        Ok(bytes)
    }

    fn check(&self) -> Result<(), FormatError> {
        if !(1..=10_000).contains(&self.scale) {
            return Err(FormatError::Scale(self.scale));
        }
        if self.cannot_overflow() { Ok(()) } else { Err(FormatError::Weights) }
    }

    /// Returns whether no position can overflow the 16 bits of an accumulator or the 32 of an
    /// output sum.
    fn cannot_overflow(&self) -> bool {
        let (inputs, rest) = self.parameters.split_at(self.king_buckets * INPUTS * self.hidden);
        let (biases, outputs) = rest.split_at(self.hidden);
        let output = |row: &[i16]| {
            let sum: i64 = row.iter().map(|&weight| i64::from(weight).abs()).sum();
            sum * i64::from(QA_SQUARED) <= i64::from(i32::MAX)
        };
        inputs.chunks(INPUTS * self.hidden).all(|set| accumulator_fits(set, biases))
            && outputs.chunks(self.hidden).all(output)
    }
}

/// At most one piece is on a square, and at most 32 are on the board.
fn accumulator_fits(inputs: &[i16], biases: &[i16]) -> bool {
    let hidden = biases.len();
    let mut most = vec![[0; 64]; hidden];
    for (input, row) in inputs.chunks(hidden).enumerate() {
        for (weight, most) in row.iter().zip(&mut most) {
            let most = &mut most[input % 64];
            *most = i32::from(*weight).abs().max(*most);
        }
    }
    most.iter_mut().zip(biases).all(|(most, bias)| {
        most.select_nth_unstable_by(31, |one, other| other.cmp(one));
        let sum: i32 = most[..32].iter().sum();
        sum + i32::from(*bias).abs() <= i32::from(i16::MAX)
    })
}

fn is_shape(hidden: usize, king_buckets: usize, output_buckets: usize) -> bool {
    (TILE..=MAX_HIDDEN).contains(&hidden)
        && hidden.is_multiple_of(TILE)
        && KING_BUCKET_COUNTS.contains(&king_buckets)
        && (1..=MAX_OUTPUT_BUCKETS).contains(&output_buckets)
}

/// Reads a number of the header, which must be complete.
fn word(bytes: &[u8], index: usize) -> u32 {
    let at = 8 + 4 * index;
    u32::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]))
}

/// Returns the CRC-32 of a file with a complete header.
pub fn checksum(bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&bytes[..CHECKSUM_OFFSET]);
    hasher.update(&bytes[CHECKSUM_OFFSET + 4..]);
    hasher.finalize()
}
