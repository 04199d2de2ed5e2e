//! One game.

use std::time::Duration;

use nullarbor::types::{ByColour, Colour};
use nullarbor_openings::Opening;

use super::adjudication::{Adjudication, Watch};
use super::clock::{self, Clock};
use super::end::{End, Reason};
use super::limit::Limit;
use super::player::{GameLine, NoThought, Player, Thought};
use crate::work::Stop;

/// What holds for all games of a match.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Ends by agreement.
    pub adjudication: Adjudication,
    /// How much too much time is forgiven at each move.
    pub margin: Duration,
    /// Whether castling follows Chess960.
    pub chess960: bool,
}

/// A player and how long it may think.
pub struct Seat<'a> {
    /// The player.
    pub player: &'a mut dyn Player,
    /// Its limit.
    pub limit: &'a Limit,
}

/// A finished game.
#[derive(Clone, Debug)]
pub struct Game {
    /// What the players thought, move by move, after the opening.
    pub thoughts: Vec<Thought>,
    /// How it ended.
    pub end: End,
}

/// Plays a game; `None` where it was aborted.
pub fn play(
    opening: &Opening,
    mut seats: ByColour<Seat<'_>>,
    rules: &Rules,
    stop: &Stop,
) -> Option<Game> {
    let mut thoughts = Vec::new();
    for colour in Colour::ALL {
        match seats[colour].player.new_game() {
            Ok(()) => {}
            Err(NoThought::Aborted) => return None,
            Err(NoThought::Fault(fault)) => {
                return Some(Game { thoughts, end: End::by_fault(fault, colour) });
            }
        }
    }
    let mut clocks = ByColour(seats.0.each_ref().map(|seat| Clock::new(seat.limit)));
    let mut line = GameLine::new(opening, rules.chess960);
    let mut watch = Watch::new(rules.adjudication);
    loop {
        let mover = line.position.side_to_move();
        if let Some(ending) = line.position.ending(&line.history) {
            return Some(Game { thoughts, end: End::by_rule(ending, mover) });
        }
        let agreed = thoughts
            .last()
            .and_then(|thought: &Thought| watch.note(!mover, thought.score, &line.position));
        if let Some(end) = agreed {
            return Some(Game { thoughts, end });
        }
        if stop.is_aborting() {
            return None;
        }
        let limits = clock::limits(&clocks, mover);
        let allowance = clocks[mover].allowance().map(|left| left + rules.margin);
        let thought = match seats[mover].player.think(&line, &limits, allowance) {
            Ok(thought) => thought,
            Err(NoThought::Aborted) => return None,
            Err(NoThought::Fault(fault)) => {
                return Some(Game { thoughts, end: End::by_fault(fault, mover) });
            }
        };
        if clocks[mover].press(thought.elapsed, rules.margin).is_err() {
            return Some(Game { thoughts, end: End::won(!mover, Reason::Time) });
        }
        line.play(thought.mv);
        thoughts.push(thought);
    }
}
