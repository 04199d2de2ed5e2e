//! Streams of bytes of the same kind, compressed one by one.
//!
//! A file has a fixed number of streams. Each is compressed as a Zstandard frame without its magic number, or stored uncompressed
//! if that is not longer. Before them are the length of each stream and its compressed length as LEB128: seven bits per byte,
//! the low bits first, with the high bit set in all bytes but the last.

use std::io;

use zstd::bulk;

/// The compression level: from this one on Zstandard parses optimally.
const LEVEL: i32 = 19;
/// The magic number of a Zstandard frame, which is omitted.
const MAGIC: [u8; 4] = 0xfd2f_b528_u32.to_le_bytes();
/// The largest total length of the streams; a larger one means that the file is damaged.
const MAX_LENGTH: usize = 1 << 28;

/// Writes streams.
pub struct StreamWriter(Vec<Vec<u8>>);

impl StreamWriter {
    /// Creates empty streams.
    pub fn new(count: usize) -> Self {
        Self(vec![Vec::new(); count])
    }

    /// Appends a byte to a stream.
    #[inline]
    pub fn push(&mut self, stream: usize, byte: u8) {
        self.0[stream].push(byte);
    }

    /// Returns the lengths of the streams, followed by the compressed streams.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn compress(&self) -> io::Result<Vec<u8>> {
        let mut compressor = bulk::Compressor::new(LEVEL)?;
        compressor.include_checksum(false)?;
        let (mut lengths, mut codes) = (Vec::new(), Vec::new());
        for stream in &self.0 {
            let frame = compressor.compress(stream)?;
            let frame = frame.strip_prefix(&MAGIC).unwrap_or(&frame);
            let code = if frame.len() < stream.len() { frame } else { stream };
            push_number(&mut lengths, stream.len());
            push_number(&mut lengths, code.len());
            codes.extend_from_slice(code);
        }
        lengths.extend_from_slice(&codes);
        Ok(lengths)
    }
}

fn push_number(bytes: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn next_number(bytes: &mut &[u8]) -> Option<usize> {
    let mut number = 0;
    for shift in (0..28).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Reads streams, each from its own position.
pub struct StreamReader {
    bytes: Vec<u8>,
    /// The next byte and the end of each stream.
    positions: Vec<(usize, usize)>,
}

impl StreamReader {
    /// Decompresses streams; `None` if the bytes are damaged.
    pub fn decompress(mut bytes: &[u8], count: usize) -> Option<Self> {
        let mut lengths = Vec::with_capacity(count);
        for _ in 0..count {
            lengths.push((next_number(&mut bytes)?, next_number(&mut bytes)?));
        }
        let all: usize = lengths.iter().map(|(length, _)| length).sum();
        if all > MAX_LENGTH {
            return None;
        }
        let mut decompressor = bulk::Decompressor::new().ok()?;
        let (mut streams, mut positions) = (Vec::with_capacity(all), Vec::with_capacity(count));
        for (length, code) in lengths {
            let (code, rest) = bytes.split_at_checked(code)?;
            let begin = streams.len();
            if code.len() < length {
                let frame = [&MAGIC, code].concat();
                streams.extend(decompressor.decompress(&frame, length).ok()?);
            } else {
                streams.extend_from_slice(code);
            }
            if streams.len() != begin + length {
                return None;
            }
            positions.push((begin, streams.len()));
            bytes = rest;
        }
        bytes.is_empty().then_some(Self { bytes: streams, positions })
    }

    /// Returns the next byte of a stream; `None` at its end.
    #[inline]
    pub fn next(&mut self, stream: usize) -> Option<u8> {
        let (position, end) = self.positions.get_mut(stream)?;
        if position == end {
            return None;
        }
        *position += 1;
        self.bytes.get(*position - 1).copied()
    }

    /// Returns whether all streams were read to their ends.
    pub fn is_exhausted(&self) -> bool {
        self.positions.iter().all(|(position, end)| position == end)
    }
}
