//! The compact format of games: about a byte a position.
//!
//! A file is, numbers with the low byte first:
//!
//! | Bytes | |
//! |---|---|
//! | 8 | [`MAGIC`] |
//! | 2 | [`VERSION`] |
//! | 4 | CRC-32 of all bytes but these; so in every version |
//! | 4 | how many games there are |
//! | the rest | the streams, as `streams` packs them |
//!
//! The streams hold, in this order, one byte after the other for all games:
//!
//! - what `start` makes of the first positions;
//! - the outcome: 0, 1 or 2 where White lost, drew or won;
//! - the number of moves, in two streams: the low byte, and the high byte;
//! - the number of the move played in the frozen [`order`] of the legal moves of its position, in one stream for each class of
//!   how likely the first move of the order is; nothing where just one move is legal;
//! - the change of the [level](levels) of the score since the position before, in one stream for each class of changes before:
//!   seen by the side to move, twice itself, or less one than twice its opposite where it is below 0. The first change is that
//!   from level 0. In the place of a change, 255 is a mate as one ply nearer than in the position before, and 254 any other
//!   decisive score, which stands in two bytes, seen by White, in a stream before these. After them the level is the extreme one.

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

use super::record::{Outcome, Record};
use order::{Order, Trail};
use scores::Scores;
use streams::{Sinks, Sources};

/// What a file of games begins with.
pub const MAGIC: [u8; 8] = *b"nlbgames";
/// The version that is written, and the only one that is read.
pub const VERSION: u16 = 1;

/// The streams after those of first positions.
mod stream {
    use super::{order, scores, start};
    pub const OUTCOME: usize = start::STREAMS;
    pub const LENGTH: usize = OUTCOME + 1;
    pub const LENGTH_HIGH: usize = LENGTH + 1;
    pub const RANKS: usize = LENGTH_HIGH + 1;
    pub const SCORES: usize = RANKS + order::CLASSES;
    pub const END: usize = SCORES + scores::STREAMS;
}

/// Where the checksum stands. At the end it would make the CRC-32 of every whole file, by which manifests know it, the same.
const CHECKSUM: std::ops::Range<usize> = 10..14;
const HEADER: usize = CHECKSUM.end + 4;

/// Why games cannot be written.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum WriteError {
    #[error("game {game}: move {ply} is not legal")]
    Illegal { game: usize, ply: usize },
    #[error("game {game} is longer than 65535 moves, or its counters are out of range")]
    Large { game: usize },
    #[error(transparent)]
    Compress(#[from] io::Error),
}

/// Why bytes are no games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum ReadError {
    #[error("is no file of games of this program; `datagen import` reads viriformat")]
    Foreign,
    #[error("is of version {0} of the format, and this program reads {VERSION}: use a newer one")]
    Newer(u16),
    #[error("is damaged or cut short; delete it, and have it played or copied again")]
    Damaged,
}

/// Writes games; their scores are rounded to [levels].
///
/// # Errors
/// Where a game has an illegal move or is larger than the format allows, or memory is short.
pub fn write(games: &[Record]) -> Result<Vec<u8>, WriteError> {
    let mut sinks = Sinks::new(stream::END);
    let mut order = Order::default();
    for (number, game) in (1..).zip(games) {
        write_game(game, number, &mut order, &mut sinks)?;
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.resize(CHECKSUM.end, 0);
    bytes.extend_from_slice(&(games.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&sinks.compress()?);
    let checksum = checksum(&bytes).to_le_bytes();
    bytes[CHECKSUM].copy_from_slice(&checksum);
    Ok(bytes)
}

/// Of a file that is at least as long as its header.
fn checksum(bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&bytes[..CHECKSUM.start]);
    hasher.update(&bytes[CHECKSUM.end..]);
    hasher.finalize()
}

/// A game as it is read again after it was written.
pub fn rounded(game: &Record) -> Record {
    let round = |&(mv, score): &(Move, Score)| (mv, levels::rounded(score));
    Record { moves: game.moves.iter().map(round).collect(), ..game.clone() }
}

fn write_game(
    game: &Record,
    number: usize,
    order: &mut Order,
    sinks: &mut Sinks,
) -> Result<(), WriteError> {
    let large = WriteError::Large { game: number };
    let Ok(length) = u16::try_from(game.moves.len()) else { return Err(large) };
    start::write(&game.start, sinks).ok_or(large)?;
    sinks.push(stream::OUTCOME, game.outcome as u8);
    let [low, high] = length.to_le_bytes();
    sinks.push(stream::LENGTH, low);
    sinks.push(stream::LENGTH_HIGH, high);
    let mut position = game.start.clone();
    let (mut trail, mut scores) = (Trail::START, Scores::new(stream::SCORES));
    for (ply, &(mv, score)) in game.moves.iter().enumerate() {
        order.arrange(&position, trail);
        let illegal = WriteError::Illegal { game: number, ply: ply + 1 };
        let rank = order.rank(mv).ok_or(illegal)?;
        if !order.is_forced() {
            // No position has more than 256 legal moves.
            sinks.push(stream::RANKS + order.class(), rank as u8);
        }
        scores.write(score, position.side_to_move(), sinks);
        position = position.make(mv);
        trail = trail.then(mv);
    }
    Ok(())
}

/// Reads the games of a file.
///
/// # Errors
/// Where it is not a whole file of this format and version.
pub fn read(bytes: &[u8]) -> Result<Vec<Record>, ReadError> {
    if !bytes.starts_with(&MAGIC) {
        return Err(ReadError::Foreign);
    }
    let (header, streams) = bytes.split_first_chunk::<HEADER>().ok_or(ReadError::Damaged)?;
    if checksum(bytes).to_le_bytes() != header[CHECKSUM] {
        return Err(ReadError::Damaged);
    }
    match u16::from_le_bytes([header[8], header[9]]) {
        VERSION => (),
        version => return Err(ReadError::Newer(version)),
    }
    let count = u32::from_le_bytes([header[14], header[15], header[16], header[17]]);
    read_games(streams, count).ok_or(ReadError::Damaged)
}

fn read_games(streams: &[u8], count: u32) -> Option<Vec<Record>> {
    let mut sources = Sources::decompress(streams, stream::END)?;
    let (mut games, mut order) = (Vec::new(), Order::default());
    for _ in 0..count {
        games.push(read_game(&mut order, &mut sources)?);
    }
    sources.are_spent().then_some(games)
}

fn read_game(order: &mut Order, sources: &mut Sources) -> Option<Record> {
    let start = start::read(sources)?;
    let outcome = match sources.next(stream::OUTCOME)? {
        0 => Outcome::Loss,
        1 => Outcome::Draw,
        2 => Outcome::Win,
        _ => return None,
    };
    let length = [sources.next(stream::LENGTH)?, sources.next(stream::LENGTH_HIGH)?];
    let length = u16::from_le_bytes(length);
    let mut moves = Vec::with_capacity(length.into());
    let mut position = start.clone();
    let (mut trail, mut scores) = (Trail::START, Scores::new(stream::SCORES));
    for _ in 0..length {
        order.arrange(&position, trail);
        let mv = read_move(order, sources)?;
        moves.push((mv, scores.read(position.side_to_move(), sources)?));
        position = position.make(mv);
        trail = trail.then(mv);
    }
    Some(Record { start, moves, outcome })
}

fn read_move(order: &mut Order, sources: &mut Sources) -> Option<Move> {
    let rank = if order.is_forced() { 0 } else { sources.next(stream::RANKS + order.class())? };
    order.nth(rank.into())
}
