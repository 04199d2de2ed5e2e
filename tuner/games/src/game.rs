//! One game between two players.

use std::time::Duration;

use nullarbor::types::{ByColour, Colour};
use nullarbor_openings::Opening;
use serde::{Deserialize, Serialize};

use super::adjudication::{Adjudication, Adjudicator};
use super::clock::{self, Clock};
use super::end::{End, Reason};
use super::limit::Limit;
use super::player::{GameLine, MoveInfo, NoMove, Player};
use super::tablebases::TableRule;
use crate::work::{Interrupted, Stop};

/// What holds for all games of a match.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Rules {
    /// Adjudication by the players' scores and by length.
    pub adjudication: Adjudication,
    /// Time over its limit that is forgiven to a player at each move.
    pub margin: Duration,
    /// Whether castling follows the rules of Chess960.
    pub chess960: bool,
    /// Tables that decide games. They stay on their machine.
    #[serde(skip)]
    pub tables: Option<TableRule>,
}

/// A player and its limit.
pub struct Seat<'a> {
    /// The player.
    pub player: &'a mut dyn Player,
    /// Its limit.
    pub limit: &'a Limit,
}

/// A finished game.
#[derive(Clone, Debug)]
pub struct PlayedGame {
    /// The moves after the opening.
    pub moves: Vec<MoveInfo>,
    /// How it ended.
    pub end: End,
}

/// Plays a game.
///
/// # Errors
/// If it was aborted.
pub fn play(
    opening: &Opening,
    mut seats: ByColour<Seat<'_>>,
    rules: &Rules,
    stop: &Stop,
) -> Result<PlayedGame, Interrupted> {
    let mut moves = Vec::new();
    let end = play_to_end(opening, &mut seats, rules, stop, &mut moves);
    match end {
        Ok(end) => Ok(PlayedGame { moves, end }),
        Err((_, NoMove::Aborted)) => Err(Interrupted),
        Err((player, NoMove::Fault(fault))) => {
            Ok(PlayedGame { moves, end: End::by_fault(fault, player) })
        }
    }
}

fn play_to_end(
    opening: &Opening,
    seats: &mut ByColour<Seat<'_>>,
    rules: &Rules,
    stop: &Stop,
    moves: &mut Vec<MoveInfo>,
) -> Result<End, (Colour, NoMove)> {
    for colour in Colour::ALL {
        seats[colour].player.new_game().map_err(|reason| (colour, reason))?;
    }
    let mut clocks = ByColour(seats.0.each_ref().map(|seat| Clock::new(seat.limit)));
    let mut line = GameLine::new(opening, rules.chess960);
    let mut adjudicator = Adjudicator::new(rules.adjudication);
    loop {
        let mover = line.game.position().side_to_move();
        if let Some(ending) = line.game.ending() {
            return Ok(End::by_rule(ending, mover));
        }
        let last = moves.last();
        let adjudicated =
            last.and_then(|last| adjudicator.note(!mover, last.score, line.game.position()));
        if let Some(end) = adjudicated {
            return Ok(end);
        }
        // Not before the first move: openings are for playing.
        let tables = rules.tables.as_ref().filter(|_| last.is_some());
        if let Some(end) = tables.and_then(|tables| tables.end(line.game.position())) {
            return Ok(end);
        }
        if stop.is_aborting() {
            return Err((mover, NoMove::Aborted));
        }
        let limits = clock::limits(&clocks, mover);
        let allowance = clocks[mover].allowance().map(|left| left + rules.margin);
        let info = seats[mover].player.think(&line, &limits, allowance);
        let info = info.map_err(|reason| (mover, reason))?;
        if clocks[mover].press(info.elapsed, rules.margin).is_err() {
            return Ok(End::won(!mover, Reason::Time));
        }
        line.play(info.mv);
        moves.push(info);
    }
}
