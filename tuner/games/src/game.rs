//! One game between two players.

use std::time::Duration;

use nullarbor::types::{ByColour, Colour};
use nullarbor_openings::Opening;
use serde::{Deserialize, Serialize};

use super::adjudication::{Adjudication, Adjudicator};
use super::clock::{self, Clock};
use super::diagnostics::{FaultReport, PvWarnings};
use super::end::End;
use super::limit::Limit;
use super::player::{GameLine, MoveInfo, NoMove, Player};
use super::tablebases::TableRule;
use nullarbor_runs::fingerprint::Fingerprint;
use nullarbor_runs::{Interrupted, Stop};

/// Rules that hold for all games of a match.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "AnyRules")]
pub struct Rules {
    /// Adjudication by the players' scores and by length.
    pub adjudication: Adjudication,
    /// Time over its limit that is forgiven to a player at each move.
    pub margin: Duration,
    /// True if castling follows the rules of Chess960.
    pub chess960: bool,
    /// Tables that decide games. They stay on their machine.
    #[serde(skip)]
    pub tables: Option<TableRule>,
}

/// Rules that were read and not checked yet.
#[derive(Deserialize)]
#[serde(rename = "Rules")]
struct AnyRules {
    adjudication: Adjudication,
    margin: Duration,
    chess960: bool,
}

impl TryFrom<AnyRules> for Rules {
    type Error = String;

    /// As strict as the command line.
    fn try_from(rules: AnyRules) -> Result<Self, String> {
        let AnyRules { adjudication, margin, chess960 } = rules;
        if margin > Self::LONGEST_MARGIN {
            return Err(format!("{margin:?} are no margin"));
        }
        Ok(Self { adjudication, margin, chess960, tables: None })
    }
}

impl Rules {
    /// The largest margin: an hour.
    pub const LONGEST_MARGIN: Duration = Duration::from_secs(3600);
}

/// A player and its limit.
pub struct Seat<'a> {
    /// The player.
    pub player: &'a mut dyn Player,
    /// Limit of the player.
    pub limit: &'a Limit,
}

/// A finished game.
#[derive(Clone, Debug)]
pub struct PlayedGame {
    /// The moves after the opening.
    pub moves: Vec<MoveInfo>,
    /// Winner and reason.
    pub end: End,
    /// Report on the fault that ended the game, if any.
    pub fault: Option<FaultReport>,
    /// Contradictions in the players' reports.
    pub pv_warnings: ByColour<PvWarnings>,
}

impl PlayedGame {
    /// Returns the fingerprint of the moves after the opening.
    pub fn moves_fingerprint(&self) -> Fingerprint {
        Fingerprint::of(self.moves.iter().map(|info| info.mv.bits().into()))
    }

    /// Returns the fingerprint of the scores, depths and nodes of all moves.
    pub fn searches_fingerprint(&self) -> Fingerprint {
        let words = |info: &MoveInfo| {
            let score = info.score.map_or(u64::MAX, |score| u64::from(score.0.cast_unsigned()));
            [score, info.depth.into(), info.selective_depth.into(), info.nodes]
        };
        Fingerprint::of(self.moves.iter().flat_map(words))
    }
}

/// The course of a game so far.
#[derive(Default)]
struct Course {
    moves: Vec<MoveInfo>,
    pv_warnings: ByColour<PvWarnings>,
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
    let mut course = Course::default();
    let (end, fault) = match play_to_end(opening, &mut seats, rules, stop, &mut course) {
        Ok(end) => (end, None),
        Err((_, NoMove::Aborted)) => return Err(Interrupted),
        Err((player, NoMove::Fault(fault, report))) => (End::by_fault(fault, player), report),
    };
    seats.0.iter_mut().for_each(|seat| seat.player.end_game());
    let Course { moves, pv_warnings } = course;
    Ok(PlayedGame { moves, end, fault: fault.map(|report| *report), pv_warnings })
}

fn play_to_end(
    opening: &Opening,
    seats: &mut ByColour<Seat<'_>>,
    rules: &Rules,
    stop: &Stop,
    course: &mut Course,
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
        let last = course.moves.last();
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
        seats[!mover].player.ponder(&line, &clock::limits(&clocks, !mover));
        let limits = clock::limits(&clocks, mover);
        let allowance = clocks[mover].allowance().map(|left| left.saturating_add(rules.margin));
        let info = seats[mover].player.think(&line, &limits, allowance);
        let mut info = info.map_err(|reason| (mover, reason))?;
        course.pv_warnings[mover].merge(std::mem::take(&mut info.pv_warnings));
        if let Err(overstepped) = clocks[mover].press(info.elapsed, rules.margin) {
            return Err((mover, NoMove::late(overstepped, seats[mover].player.report())));
        }
        info.details.left = clocks[mover].allowance();
        line.play(info.mv);
        course.moves.push(info);
    }
}
