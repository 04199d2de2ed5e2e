//! What a network file is, and when it is sound. The build script reads it, too, so it knows nothing of the rest of the engine.

use thiserror::Error;

/// Inputs of a set of weights: six kinds, two colours, 64 squares.
pub const INPUTS: usize = 768;
/// Neurons come in multiples of this.
pub const TILE: usize = 32;
/// No network has more neurons for each perspective.
pub const MOST_NEURONS: usize = 4096;
/// Numbers of sets of input weights that there is a map of the own king's squares for.
pub const KING_MAPS: [usize; 2] = [1, 4];
/// No network has more sets of output weights.
pub const MOST_OUTPUT_BUCKETS: usize = 8;

/// An input weight of one, and the upper end of a neuron, as whole numbers.
pub const NEURON: i32 = 1023;
/// An output weight of one, as a whole number.
pub const WEIGHT: i32 = 512;
/// What a neuron is multiplied by before it is squared: then the upper half of the square fits into 16 bits.
pub const ROOM: u32 = 5;
/// The square of a neuron at its upper end, as a whole number.
pub const SQUARE: i32 = ((NEURON << ROOM) * (NEURON << ROOM)) >> 16;

/// How a file begins.
const MAGIC: [u8; 8] = *b"NULLNNUE";
/// The one layout that is known.
const VERSION: u32 = 2;
/// Bytes before the text; all numbers are little-endian.
const HEAD: usize = 64;
/// Where the checksum stands: that of all bytes but its own four.
const CHECKSUM: usize = 8 + 4 * 6;

/// A network in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// Neurons of each perspective.
    pub hidden: usize,
    /// Sets of input weights, by the square of the own king.
    pub king_buckets: usize,
    /// Sets of output weights, by the number of men.
    pub output_buckets: usize,
    /// Centipawns that an output of one stands for.
    pub scale: u32,
    /// Where it comes from, for people.
    pub facts: String,
    /// Input weights by input, biases, and output weights by bucket and perspective.
    pub numbers: Vec<i16>,
    /// What the output of each bucket begins with.
    pub output_biases: Vec<i32>,
}

/// Why bytes are no network.
#[derive(Debug, Error, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ContentError {
    #[error("it is no network of this engine's format")]
    Foreign,
    #[error(
        "there are no networks of {hidden} neurons with {king_buckets} king and {output_buckets} output buckets"
    )]
    Shape { hidden: usize, king_buckets: usize, output_buckets: usize },
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

impl Content {
    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// Where they are no sound network.
    pub fn parse(bytes: &[u8]) -> Result<Self, ContentError> {
        if bytes.len() < HEAD || bytes[..8] != MAGIC || word(bytes, 0) != VERSION {
            return Err(ContentError::Foreign);
        }
        let [hidden, king_buckets, output_buckets, scale, facts] =
            [1, 2, 3, 4, 5].map(|index| word(bytes, index) as usize);
        let found = bytes.len();
        let (checksum, expected) = (self::checksum(bytes), word(bytes, 6));
        // A wrong shape or length is said as such, whatever the checksum.
        if !is_shape(hidden, king_buckets, output_buckets) {
            return Err(ContentError::Shape { hidden, king_buckets, output_buckets });
        }
        let count = ((king_buckets * INPUTS + 1) + output_buckets * 2) * hidden;
        let length = HEAD + facts + 2 * count + 4 * output_buckets;
        if found != length {
            return Err(ContentError::Length { found, expected: length });
        }
        if checksum != expected {
            return Err(ContentError::Checksum { found: checksum, expected });
        }
        let (facts, rest) = bytes[HEAD..].split_at(facts);
        let (numbers, biases) = rest.split_at(2 * count);
        let pairs = numbers.as_chunks().0.iter();
        let content = Self {
            hidden,
            king_buckets,
            output_buckets,
            scale: scale as u32,
            facts: String::from_utf8(facts.to_vec()).map_err(|_| ContentError::Facts)?,
            numbers: pairs.map(|&pair| i16::from_le_bytes(pair)).collect(),
            output_biases: biases.as_chunks().0.iter().map(|&it| i32::from_le_bytes(it)).collect(),
        };
        content.check().map(|()| content)
    }

    /// The bytes of a file.
    ///
    /// # Errors
    /// Where it is no sound network.
    pub fn bytes(&self) -> Result<Vec<u8>, ContentError> {
        self.check()?;
        let shape = [self.hidden, self.king_buckets, self.output_buckets].map(|it| it as u32);
        let [hidden, king_buckets, output_buckets] = shape;
        let facts = self.facts.len() as u32;
        let words = [VERSION, hidden, king_buckets, output_buckets, self.scale, facts];
        let mut bytes = MAGIC.to_vec();
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        bytes.resize(HEAD, 0);
        bytes.extend(self.facts.as_bytes());
        bytes.extend(self.numbers.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(self.output_biases.iter().flat_map(|bias| bias.to_le_bytes()));
        let checksum = checksum(&bytes);
        bytes[CHECKSUM..CHECKSUM + 4].copy_from_slice(&checksum.to_le_bytes());
        Ok(bytes)
    }

    fn check(&self) -> Result<(), ContentError> {
        if !(1..=10_000).contains(&self.scale) {
            return Err(ContentError::Scale(self.scale));
        }
        if self.fits() { Ok(()) } else { Err(ContentError::Weights) }
    }

    /// Whether no sum can be too large, whatever stands on the board: of the first layer for 16 bits, of the output for 32.
    fn fits(&self) -> bool {
        let (inputs, rest) = self.numbers.split_at(self.king_buckets * INPUTS * self.hidden);
        let (biases, outputs) = rest.split_at(self.hidden);
        let output = |row: &[i16]| {
            let sum: i64 = row.iter().map(|&weight| i64::from(weight).abs()).sum();
            sum * i64::from(SQUARE) <= i64::from(i32::MAX)
        };
        inputs.chunks(INPUTS * self.hidden).all(|set| first_layer_fits(set, biases))
            && outputs.chunks(self.hidden).all(output)
    }
}

/// One man at most stands on a square, and 32 at most on the board.
fn first_layer_fits(inputs: &[i16], biases: &[i16]) -> bool {
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
    (TILE..=MOST_NEURONS).contains(&hidden)
        && hidden.is_multiple_of(TILE)
        && KING_MAPS.contains(&king_buckets)
        && (1..=MOST_OUTPUT_BUCKETS).contains(&output_buckets)
}

/// A number of the head: there are as many bytes.
fn word(bytes: &[u8], index: usize) -> u32 {
    let at = 8 + 4 * index;
    u32::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]))
}

/// CRC-32 of a file that has a head.
pub fn checksum(bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&bytes[..CHECKSUM]);
    hasher.update(&bytes[CHECKSUM + 4..]);
    hasher.finalize()
}
