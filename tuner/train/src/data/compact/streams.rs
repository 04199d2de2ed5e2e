//! Bytes of the same sort side by side, compressed together.
//!
//! A file has a fixed number of streams, and each of them is coded by the frequencies of its own bytes: as a Zstandard frame
//! without its magic number, or as it is where that is no longer. In front of them stand for each stream its length and the length of its code, as numbers of seven
//! bits a byte, the low ones first and the high bit set in all bytes but the last.

use std::io;

use zstd::bulk;

/// Zstandard weighs from here on by their cost whether repeated bytes are worth a reference.
const EFFORT: i32 = 19;
/// What every Zstandard frame begins with; it is left out.
const MAGIC: [u8; 4] = 0xfd2f_b528_u32.to_le_bytes();
/// More than the streams of any file of a sensible size; a length beyond it is damage.
const MOST: usize = 1 << 28;

/// Streams that are written.
pub struct Sinks(Vec<Vec<u8>>);

impl Sinks {
    /// So many empty streams.
    pub fn new(count: usize) -> Self {
        Self(vec![Vec::new(); count])
    }

    /// Adds a byte to a stream.
    #[inline]
    pub fn push(&mut self, stream: usize, byte: u8) {
        self.0[stream].push(byte);
    }

    /// Their lengths, and then all of them compressed.
    ///
    /// # Errors
    /// Where memory is short.
    pub fn compress(&self) -> io::Result<Vec<u8>> {
        let mut compressor = bulk::Compressor::new(EFFORT)?;
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

/// Streams that are read, each from its own place on.
pub struct Sources {
    bytes: Vec<u8>,
    /// Where each stream goes on and where it ends.
    places: Vec<(usize, usize)>,
}

impl Sources {
    /// Decompresses so many streams; `None` where the bytes are damaged.
    pub fn decompress(mut bytes: &[u8], count: usize) -> Option<Self> {
        let mut lengths = Vec::with_capacity(count);
        for _ in 0..count {
            lengths.push((next_number(&mut bytes)?, next_number(&mut bytes)?));
        }
        let all: usize = lengths.iter().map(|(length, _)| length).sum();
        if all > MOST {
            return None;
        }
        let mut decompressor = bulk::Decompressor::new().ok()?;
        let (mut streams, mut places) = (Vec::with_capacity(all), Vec::with_capacity(count));
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
            places.push((begin, streams.len()));
            bytes = rest;
        }
        bytes.is_empty().then_some(Self { bytes: streams, places })
    }

    /// The next byte of a stream.
    #[inline]
    pub fn next(&mut self, stream: usize) -> Option<u8> {
        let (place, end) = self.places.get_mut(stream)?;
        if place == end {
            return None;
        }
        *place += 1;
        self.bytes.get(*place - 1).copied()
    }

    /// Whether all of them were read to their ends.
    pub fn are_spent(&self) -> bool {
        self.places.iter().all(|(place, end)| place == end)
    }
}
