// The beginning of a network file. The build script reads it, too, so it knows nothing of the rest of the engine.

/// The shape of a network and what stands before its weights: 64 bytes, all numbers little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Neurons of each perspective.
    pub hidden: u32,
    /// Sets of input weights, by the square of the own king.
    pub king_buckets: u32,
    /// Sets of output weights, by the number of men.
    pub output_buckets: u32,
    /// Centipawns that an output of one stands for.
    pub scale: u32,
    /// Bytes of the text that follows.
    pub facts: u32,
    /// CRC-32 of the text and the weights.
    pub crc32: u32,
}

/// How a network file begins.
const MAGIC: [u8; 8] = *b"NULLNNUE";
/// The one layout so far.
const VERSION: u32 = 1;

impl Header {
    /// Bytes that it takes.
    pub const BYTES: usize = 64;

    /// Reads it; `None` where it is no network of a layout that is known.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let number = |index: usize| {
            let at = 8 + 4 * index;
            bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
        };
        if bytes.len() < Self::BYTES || bytes[..8] != MAGIC || number(0)? != VERSION {
            return None;
        }
        Some(Self {
            hidden: number(1)?,
            king_buckets: number(2)?,
            output_buckets: number(3)?,
            scale: number(4)?,
            facts: number(5)?,
            crc32: number(6)?,
        })
    }

    /// Writes it.
    pub fn bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        let Self { hidden, king_buckets, output_buckets, scale, facts, crc32 } = *self;
        let numbers = [VERSION, hidden, king_buckets, output_buckets, scale, facts, crc32];
        for (index, number) in numbers.into_iter().enumerate() {
            let at = 8 + 4 * index;
            bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }
}
