//! The compact format of games: about one byte per position.
//!
//! The layout of a file, with little-endian numbers:
//!
//! | Bytes | |
//! |---|---|
//! | 8 | [`MAGIC`] |
//! | 2 | [`VERSION`] |
//! | 4 | CRC-32 of all other bytes, in every version |
//! | 4 | the number of games |
//! | the rest | the streams, as compressed by `streams` |
//!
//! The streams, in this order, each hold the bytes of all games:
//!
//! - the first positions, as encoded by `start`;
//! - the outcome: 0, 1 or 2 if White lost, drew or won;
//! - the number of moves, in two streams: the low byte and the high byte;
//! - the rank of the move played in the frozen [`order`] of the legal moves, in one stream for each class of probability of the
//!   first move of the order; nothing if only one move is legal;
//! - the change of the [level](levels) of the score since the position before, in one stream for each class of preceding
//!   changes. A change is seen by the side to move and zigzag-coded: `2c` if `c >= 0`, else `-2c - 1`. The first change is from
//!   level 0. In place of a change, 255 is a mate one ply nearer than in the position before, and 254 any other mate
//!   score, stored in two bytes, as seen by White, in a stream before these; the level is then the extreme one. Since version 2,
//!   253 is a position without a score, over which the next change is counted.

pub mod levels;
pub mod order;
mod scores;
mod start;
mod streams;
#[cfg(test)]
mod tests;
mod weights;

use std::io;

use nullarbor::types::{Move, Score};
use thiserror::Error;

use super::game_record::{GameRecord, Outcome};
use order::{LastMoves, Order};
use scores::Scores;
use streams::{StreamReader, StreamWriter};

/// The first bytes of a file.
pub const MAGIC: [u8; 8] = *b"nlbgames";
/// The version that is written. Version 1, which can be read as well, has no positions without a score.
pub const VERSION: u16 = 2;
const OLDEST: u16 = 1;

/// Indices of the streams that follow those of the first positions.
mod stream {
    use super::{order, scores, start};
    pub const OUTCOME: usize = start::STREAMS;
    pub const LENGTH: usize = OUTCOME + 1;
    pub const LENGTH_HIGH: usize = LENGTH + 1;
    pub const RANKS: usize = LENGTH_HIGH + 1;
    pub const SCORES: usize = RANKS + order::CLASSES;
    pub const END: usize = SCORES + scores::STREAMS;
}

/// The bytes of the checksum. At the end of the file it would make the CRC-32 of every file the same, and manifests record that.
const CHECKSUM: std::ops::Range<usize> = 10..14;
const HEADER: usize = CHECKSUM.end + 4;

/// Why games cannot be encoded.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum EncodeError {
    #[error("game {game}: move {ply} is illegal")]
    Illegal { game: usize, ply: usize },
    #[error("game {game} has more than 65535 moves, or a move counter out of range")]
    Large { game: usize },
    #[error(transparent)]
    Compress(#[from] io::Error),
}

/// Why bytes cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum DecodeError {
    #[error("is not a game file of this program; `datagen import` reads viriformat")]
    Foreign,
    #[error(
        "has version {0} of the format, and this program reads version {VERSION}: use a newer program"
    )]
    Newer(u16),
    #[error("is damaged or truncated; delete it, and play or copy it again")]
    Damaged,
}

/// Encodes games as the bytes of a file; their scores are rounded to [levels].
///
/// ```
/// use nullarbor::board::Position;
/// use nullarbor::types::Score;
/// use nullarbor_train::data::compact;
/// use nullarbor_train::data::game_record::{GameRecord, Outcome};
///
/// let start = Position::start();
/// let moves = vec![(start.parse_uci("e2e4")?, Score(31))];
/// let game = GameRecord { start, moves, outcome: Outcome::Win };
/// let bytes = compact::encode(&[game.clone()])?;
/// assert_eq!(compact::decode(&bytes)?, [compact::stored(&game)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a game has an illegal move or exceeds the limits of the format, or there is not enough memory.
pub fn encode(games: &[GameRecord]) -> Result<Vec<u8>, EncodeError> {
    let mut writer = StreamWriter::new(stream::END);
    let mut order = Order::default();
    for (number, game) in (1..).zip(games) {
        encode_game(game, number, &mut order, &mut writer)?;
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.resize(CHECKSUM.end, 0);
    bytes.extend_from_slice(&(games.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&writer.compress()?);
    let checksum = checksum(&bytes).to_le_bytes();
    bytes[CHECKSUM].copy_from_slice(&checksum);
    Ok(bytes)
}

/// Returns the checksum of a file that is at least as long as its header.
fn checksum(bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&bytes[..CHECKSUM.start]);
    hasher.update(&bytes[CHECKSUM.end..]);
    hasher.finalize()
}

/// Returns the game that is decoded after `game` was encoded.
pub fn stored(game: &GameRecord) -> GameRecord {
    let round = |&(mv, score): &(Move, Score)| (mv, levels::rounded(score));
    GameRecord { moves: game.moves.iter().map(round).collect(), ..game.clone() }
}

fn encode_game(
    game: &GameRecord,
    number: usize,
    order: &mut Order,
    writer: &mut StreamWriter,
) -> Result<(), EncodeError> {
    let large = EncodeError::Large { game: number };
    let Ok(length) = u16::try_from(game.moves.len()) else { return Err(large) };
    start::encode(&game.start, writer).ok_or(large)?;
    writer.push(stream::OUTCOME, game.outcome as u8);
    let [low, high] = length.to_le_bytes();
    writer.push(stream::LENGTH, low);
    writer.push(stream::LENGTH_HIGH, high);
    let mut position = game.start.clone();
    let (mut last_moves, mut scores) = (LastMoves::START, Scores::new(stream::SCORES));
    for (ply, &(mv, score)) in game.moves.iter().enumerate() {
        order.arrange(&position, last_moves);
        let illegal = EncodeError::Illegal { game: number, ply: ply + 1 };
        let rank = order.rank(mv).ok_or(illegal)?;
        if !order.is_forced() {
            // No position has more than 256 legal moves.
            writer.push(stream::RANKS + order.class(), rank as u8);
        }
        scores.encode(score, position.side_to_move(), writer);
        position = position.make(mv);
        last_moves = last_moves.then(mv);
    }
    Ok(())
}

/// Decodes the games of a file.
///
/// # Errors
/// If the bytes are not a complete file of this format and version.
pub fn decode(bytes: &[u8]) -> Result<Vec<GameRecord>, DecodeError> {
    if !bytes.starts_with(&MAGIC) {
        return Err(DecodeError::Foreign);
    }
    let (header, streams) = bytes.split_first_chunk::<HEADER>().ok_or(DecodeError::Damaged)?;
    if checksum(bytes).to_le_bytes() != header[CHECKSUM] {
        return Err(DecodeError::Damaged);
    }
    match u16::from_le_bytes([header[8], header[9]]) {
        OLDEST..=VERSION => (),
        version => return Err(DecodeError::Newer(version)),
    }
    let count = u32::from_le_bytes([header[14], header[15], header[16], header[17]]);
    decode_games(streams, count).ok_or(DecodeError::Damaged)
}

fn decode_games(streams: &[u8], count: u32) -> Option<Vec<GameRecord>> {
    let mut reader = StreamReader::decompress(streams, stream::END)?;
    let (mut games, mut order) = (Vec::new(), Order::default());
    for _ in 0..count {
        games.push(decode_game(&mut order, &mut reader)?);
    }
    reader.is_exhausted().then_some(games)
}

fn decode_game(order: &mut Order, reader: &mut StreamReader) -> Option<GameRecord> {
    let start = start::decode(reader)?;
    let outcome = Outcome::from_code(reader.next(stream::OUTCOME)?)?;
    let length = [reader.next(stream::LENGTH)?, reader.next(stream::LENGTH_HIGH)?];
    let length = u16::from_le_bytes(length);
    let mut moves = Vec::with_capacity(length.into());
    let mut position = start.clone();
    let (mut last_moves, mut scores) = (LastMoves::START, Scores::new(stream::SCORES));
    for _ in 0..length {
        order.arrange(&position, last_moves);
        let mv = decode_move(order, reader)?;
        moves.push((mv, scores.decode(position.side_to_move(), reader)?));
        position = position.make(mv);
        last_moves = last_moves.then(mv);
    }
    Some(GameRecord { start, moves, outcome })
}

fn decode_move(order: &mut Order, reader: &mut StreamReader) -> Option<Move> {
    let rank = if order.is_forced() { 0 } else { reader.next(stream::RANKS + order.class())? };
    order.nth(rank.into())
}
