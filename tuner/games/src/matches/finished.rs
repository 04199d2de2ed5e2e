//! A finished game as a worker hands it over, and what is checked of one that comes from another machine.

use std::time::Duration;

use nullarbor::board::Game;
use nullarbor::types::{ByColour, Score};
use nullarbor_openings::Opening;
use serde::{Deserialize, Serialize};

use super::record::{GameRecord, are_none};
use super::task::GameTask;
use crate::diagnostics::{FaultReport, PvWarnings, is_plain};
use crate::end::{End, Reason};
use crate::game::PlayedGame;
use crate::pair::GameOfPair;
use crate::player::{Details, MoveInfo};

/// More plies than any game has: at least every fifty moves a pawn moves or a piece is taken.
const TOO_MANY_PLIES: usize = 20_000;
/// Bytes of a text of an engine, at most: a `position` command of the longest game.
const LONGEST_TEXT: usize = 1 << 17;
/// No move takes longer: a month, as the longest time control.
const LONGEST_MOVE: Duration = Duration::from_secs(31 * 86_400);

/// A finished game: its record, and what a file of games shows beyond it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FinishedGame {
    /// The record, without PGN.
    pub record: GameRecord,
    /// The fingerprint of the scores, depths and nodes of all moves.
    pub searches: u64,
    /// The moves, if games are written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    line: Option<Vec<PlayedMove>>,
}

/// A move of UCI and its search; each field is that of [`MoveInfo`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct PlayedMove {
    mv: String,
    elapsed: Duration,
    score: Option<i32>,
    depth: u32,
    selective_depth: u32,
    nodes: u64,
    #[serde(default, skip_serializing_if = "is_default")]
    details: Details,
}

fn is_default(details: &Details) -> bool {
    *details == Details::default()
}

impl FinishedGame {
    /// Returns what is handed over of a game; its moves, too, if `is_written`.
    pub fn of(
        pair: u64,
        game: GameOfPair,
        opening: &Opening,
        played: &PlayedGame,
        is_written: bool,
    ) -> Self {
        let record = GameRecord::of(pair, game, played);
        let line = is_written.then(|| line(opening, played));
        Self { record, searches: played.searches_fingerprint().0, line }
    }

    /// Returns the game with its moves after an opening; `None` where none came along.
    ///
    /// # Errors
    /// At the first move that is not legal.
    pub fn played(&self, opening: &Opening) -> Result<Option<PlayedGame>, String> {
        let Some(line) = &self.line else { return Ok(None) };
        let mut position = opening.game().position().clone();
        let mut moves = Vec::new();
        for played in line {
            let mv = position.parse_uci(&played.mv).map_err(|error| error.to_string())?;
            position = position.make(mv);
            moves.push(MoveInfo {
                mv,
                elapsed: played.elapsed,
                score: played.score.map(Score),
                depth: played.depth,
                selective_depth: played.selective_depth,
                nodes: played.nodes,
                details: played.details.clone(),
                pv_warnings: PvWarnings::default(),
            });
        }
        let GameRecord { end, fault, pv_warnings, .. } = self.record.clone();
        Ok(Some(PlayedGame { moves, end, fault, pv_warnings: ByColour(pv_warnings) }))
    }

    /// Checks a game that another machine has sent; only one with a program may report faults other than lateness.
    ///
    /// # Errors
    /// The reason why it is refused.
    pub fn check(
        &self,
        task: &GameTask,
        is_written: bool,
        has_program: bool,
    ) -> Result<(), String> {
        let record = &self.record;
        if (record.pair, record.game) != (task.pair, task.game) {
            let (pair, game) = (record.pair, record.game);
            return Err(format!("it is the {game:?} game of pair {pair}: of another job"));
        }
        if record.pgn.is_some() {
            return Err("it brings text for the file of games".to_owned());
        }
        // The engine of this build can be late, and nothing else.
        let is_late = |fault: &FaultReport| {
            let late = FaultReport { time: fault.time, ..FaultReport::default() };
            record.end.reason == Reason::Time && *fault == late
        };
        let has_faults =
            record.fault.as_ref().is_some_and(|it| !is_late(it)) || !are_none(&record.pv_warnings);
        if has_faults && !has_program {
            return Err("it reports faults, of which this engine has none".to_owned());
        }
        check_texts(record)?;
        check_end(&record.end, has_program)?;
        if record.plies >= TOO_MANY_PLIES {
            return Err(format!("no game has {} plies", record.plies));
        }
        match self.played(&task.opening)? {
            None if is_written => Err("its moves are missing".to_owned()),
            Some(_) if !is_written => Err("it brings moves that nobody asked for".to_owned()),
            None => Ok(()),
            Some(played) => self.check_moves(&task.opening, &played),
        }
    }

    fn check_moves(&self, opening: &Opening, played: &PlayedGame) -> Result<(), String> {
        let GameRecord { pair, game, end, .. } = &self.record;
        let of_moves = Self::of(*pair, *game, opening, played, false);
        if (&of_moves.record, of_moves.searches) != (&self.record, self.searches) {
            return Err("its moves are not those of its fingerprint".to_owned());
        }
        let is_possible = |info: &MoveInfo| {
            let has_score = |score: Score| (-Score::MATE..=Score::MATE).contains(&score);
            info.elapsed <= LONGEST_MOVE && info.score.is_none_or(has_score)
        };
        if !played.moves.iter().all(is_possible) {
            return Err("a move with a score or time that none has".to_owned());
        }
        let mut game = Game::new(opening.start.clone());
        let moves = opening.moves.iter().copied().chain(played.moves.iter().map(|it| it.mv));
        moves.for_each(|mv| game.play(mv));
        let mover = game.position().side_to_move();
        let by_rule = game.ending().map(|ending| End::by_rule(ending, mover));
        let is_right = match &by_rule {
            Some(expected) => expected == end,
            None => !is_by_rule(&end.reason),
        };
        is_right.then_some(()).ok_or_else(|| format!("it does not end so: {end}"))
    }

    /// Returns whether two results are of the same game; times do not matter.
    pub fn agrees(&self, other: &Self) -> bool {
        let timeless = |game: &Self| {
            let mut game = game.clone();
            for played in game.line.iter_mut().flatten() {
                played.elapsed = Duration::ZERO;
                let details = &mut played.details;
                (details.left, details.reported, details.nps) = (None, None, None);
            }
            game
        };
        timeless(self) == timeless(other)
    }
}

fn line(opening: &Opening, played: &PlayedGame) -> Vec<PlayedMove> {
    let mut position = opening.game().position().clone();
    let mut line = Vec::new();
    for info in &played.moves {
        let &MoveInfo { mv, elapsed, score, depth, selective_depth, nodes, ref details, .. } = info;
        let (text, score) = (position.uci(mv, true), score.map(|score| score.0));
        let details = details.clone();
        line.push(PlayedMove { mv: text, elapsed, score, depth, selective_depth, nodes, details });
        position = position.make(mv);
    }
    line
}

fn is_by_rule(reason: &Reason) -> bool {
    matches!(
        reason,
        Reason::Checkmate
            | Reason::Stalemate
            | Reason::Repetition
            | Reason::FiftyMoves
            | Reason::InsufficientMaterial
    )
}

/// Fails if the texts of an engine are longer than any, or not plain: they are shown and written here.
fn check_texts(record: &GameRecord) -> Result<(), String> {
    let illegal = match &record.end.reason {
        Reason::IllegalMove(text) => Some(text),
        _ => None,
    };
    let fault = record.fault.iter().flat_map(|it| {
        [&it.status, &it.stderr, &it.position, &it.go].into_iter().filter_map(Option::as_ref)
    });
    let warnings = record.pv_warnings.iter().flat_map(|it| &it.first);
    let warnings = warnings.flat_map(|it| [&it.problem, &it.position, &it.line]);
    let are_few = record.pv_warnings.iter().all(|it| it.first.len() <= PvWarnings::KEPT);
    let is_right = are_few
        && illegal.into_iter().chain(fault).chain(warnings).all(|it| is_plain(it, LONGEST_TEXT));
    is_right.then_some(()).ok_or_else(|| "it reports a fault in text that is not plain".to_owned())
}

/// Checks that this engine can end a game so against itself, without tables.
fn check_end(end: &End, has_program: bool) -> Result<(), String> {
    let has_winner = match end.reason {
        Reason::Checkmate | Reason::ResignAdjudication | Reason::Time => true,
        Reason::Crash | Reason::Stall | Reason::IllegalMove(_) if has_program => true,
        Reason::Tablebases | Reason::Crash | Reason::Stall | Reason::IllegalMove(_) => {
            return Err("the engines of other machines end no game so".to_owned());
        }
        _ => false,
    };
    let is_right = end.winner.is_some() == has_winner;
    is_right.then_some(()).ok_or_else(|| format!("a winner or none, but not so: {:?}", end.reason))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Overstepped;
    use crate::pair::Pairing;

    /// Fool's mate, as a task and its result.
    fn mate() -> (GameTask, FinishedGame) {
        let opening = Opening::at(nullarbor::board::Position::start());
        let mut position = opening.start.clone();
        let mut moves = Vec::new();
        for mv in ["f2f3", "e7e5", "g2g4", "d8h4"] {
            let mv = position.parse_uci(mv).expect("legal");
            position = position.make(mv);
            let elapsed = Duration::from_millis(3);
            let score = Some(Score(7));
            let pv_warnings = PvWarnings::default();
            let (depth, selective_depth, nodes) = (5, 6, 99);
            let details = Details { left: Some(elapsed), ..Details::default() };
            moves.push(MoveInfo {
                mv,
                elapsed,
                score,
                depth,
                selective_depth,
                nodes,
                details,
                pv_warnings,
            });
        }
        let mover = position.side_to_move();
        let end = End::won(!mover, Reason::Checkmate);
        let played = PlayedGame { moves, end, fault: None, pv_warnings: ByColour::default() };
        let (pair, game) = (3, GameOfPair::Second);
        let done = FinishedGame::of(pair, game, &opening, &played, true);
        (GameTask { pair, game, pairing: Pairing { first: 0, second: 1 }, opening }, done)
    }

    #[test]
    fn a_game_comes_back_from_another_machine() {
        let (task, done) = mate();
        let text = serde_json::to_string(&done).expect("plain data");
        let back: FinishedGame = serde_json::from_str(&text).expect("its own text");
        assert_eq!((&back, back.check(&task, true, false)), (&done, Ok(())));
        assert_eq!(back.played(&task.opening).expect("legal").expect("moves").moves.len(), 4);
        let mut slower = done.clone();
        slower.line.iter_mut().flatten().for_each(|it| it.elapsed *= 3);
        assert!(done.agrees(&slower));
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        type Change = fn(&mut FinishedGame);
        let changes: [(&str, Change); 12] = [
            ("another job", |it| it.record.pair += 1),
            ("another job", |it| it.record.game = GameOfPair::First),
            ("text", |it| it.record.pgn = Some("[Event \"x\"]\n\n1-0\n\u{1b}[2J".to_owned())),
            ("faults", |it| it.record.fault = Some(FaultReport::default())),
            ("faults", |it| it.record.pv_warnings[1].count = 1),
            ("winner", |it| it.record.end.winner = None),
            ("end no game so", |it| it.record.end.reason = Reason::IllegalMove("e9".to_owned())),
            ("plies", |it| it.record.plies = usize::MAX),
            ("fingerprint", |it| it.record.moves ^= 1),
            ("fingerprint", |it| it.searches ^= 1),
            ("does not end so", |it| it.record.end.reason = Reason::ResignAdjudication),
            ("missing", |it| it.line = None),
        ];
        let (task, done) = mate();
        for (problem, change) in changes {
            let mut forged = done.clone();
            change(&mut forged);
            let error = forged.check(&task, true, false).expect_err(problem);
            assert!(error.contains(problem), "{error}");
            assert!(!done.agrees(&forged), "{problem}");
        }
        let mut illegal = done.clone();
        illegal.line.iter_mut().flatten().last().expect("a move").mv = "d8d1".to_owned();
        assert!(illegal.check(&task, true, false).is_err());
        let fault =
            FaultReport { stderr: Some("out of memory".to_owned()), ..FaultReport::default() };
        let mut crashed = done.clone();
        crashed.line = None;
        crashed.record.end = End::won(nullarbor::types::Colour::White, Reason::Crash);
        crashed.record.fault = Some(fault);
        assert_eq!(crashed.check(&task, false, true), Ok(()));
        crashed.record.fault.as_mut().expect("it has one").stderr = Some("\u{1b}[2J".to_owned());
        let problem = crashed.check(&task, false, true).expect_err("control characters");
        assert!(problem.contains("not plain"), "{problem}");
        let time =
            Overstepped { used: Duration::from_millis(31), allowed: Duration::from_millis(30) };
        let mut late = crashed;
        late.record.end.reason = Reason::Time;
        late.record.fault = Some(FaultReport { time: Some(time), ..FaultReport::default() });
        assert_eq!(late.check(&task, false, false), Ok(()), "an engine of this build may be late");
        late.record.end.reason = Reason::Crash;
        assert!(late.check(&task, false, false).is_err());
        let unasked = done.check(&task, false, false).expect_err("moves");
        assert!(unasked.contains("nobody asked"), "{unasked}");
    }

    #[test]
    fn each_flipped_bit_of_a_record_is_seen_by_a_replay() {
        let (_, done) = mate();
        for bit in 0..64 {
            let mut flipped = done.clone();
            flipped.record.moves ^= 1 << bit;
            assert!(!done.agrees(&flipped), "bit {bit} of the moves");
            let mut flipped = done.clone();
            flipped.searches ^= 1 << bit;
            assert!(!done.agrees(&flipped), "bit {bit} of the searches");
        }
    }
}
