//! A game of two engine processes on a clock that is kept at the pipe, with no margin granted.

use std::collections::HashMap;
use std::time::Duration;

use crate::dialogue::Dialogue;

/// A time control, the same for both sides.
#[derive(Clone, Copy, Debug)]
pub struct Control {
    /// Time for the game, or for each period.
    pub base: Duration,
    /// Added after each move.
    pub increment: Duration,
    /// Moves in a period.
    pub moves: Option<u32>,
}

/// The outcome of a game.
#[derive(Debug)]
pub struct ClockGame {
    /// Moves of both sides.
    pub plies: usize,
    /// Least time that a side had left after a move.
    pub least_left: Duration,
    /// Why it ended.
    pub end: &'static str,
}

impl ClockGame {
    /// Plays from a position with White to move (what follows the word `position`) until the game is over, or for `longest` plies.
    ///
    /// # Panics
    /// At an illegal move or an overstepped clock.
    pub fn play(control: Control, position: &str, longest: usize) -> Self {
        let mut players = [Dialogue::start(), Dialogue::start()];
        let mut referee = Dialogue::start();
        players.iter_mut().for_each(Dialogue::new_game);
        let mut left = [control.base; 2];
        let mut seen: HashMap<String, u32> = HashMap::new();
        let mut moves: Vec<String> = Vec::new();
        let mut least_left = control.base;
        let end = loop {
            let line = if moves.is_empty() {
                position.to_owned()
            } else {
                format!("{position} moves {}", moves.join(" "))
            };
            referee.position(&line);
            if let Some(end) = over(&mut referee, &mut seen, moves.len() == longest) {
                break end;
            }
            let side = moves.len() % 2;
            players[side].position(&line);
            let search = players[side].go(&limits(control, left, moves.len()));
            let (used, had) = (search.elapsed, left[side]);
            assert!(
                used <= had,
                "{control:?}: ply {} took {used:?} of {had:?}: {:#?}",
                moves.len(),
                search.lines
            );
            left[side] = had - used;
            least_left = least_left.min(left[side]);
            left[side] += control.increment;
            let played = moves.len() / 2 + 1;
            if control.moves.is_some_and(|period| played.is_multiple_of(period as usize)) {
                left[side] += control.base;
            }
            assert!(
                referee.legal_moves().contains(&search.best_move),
                "illegal {} in {line}",
                search.best_move
            );
            moves.push(search.best_move);
        };
        players.into_iter().for_each(Dialogue::quit);
        Self { plies: moves.len(), least_left, end }
    }
}

/// The clocks as `go` sends them; White's stands first in `left`.
fn limits(control: Control, left: [Duration; 2], ply: usize) -> String {
    let increment = control.increment.as_millis();
    let mut limits = format!("wtime {} btime {}", left[0].as_millis(), left[1].as_millis());
    if increment > 0 {
        limits += &format!(" winc {increment} binc {increment}");
    }
    if let Some(period) = control.moves {
        limits += &format!(" movestogo {}", period as usize - (ply / 2) % period as usize);
    }
    limits
}

fn over(
    referee: &mut Dialogue,
    seen: &mut HashMap<String, u32>,
    longest: bool,
) -> Option<&'static str> {
    let board = referee.board();
    let fields: Vec<&str> = board.fen.split(' ').collect();
    let times = seen.entry(fields[..4].join(" ")).or_default();
    *times += 1;
    let halfmoves: u32 = fields[4].parse().expect("a halfmove clock");
    if referee.legal_moves().is_empty() {
        return Some(if board.checkers.is_empty() { "stalemate" } else { "mate" });
    }
    let pieces = fields[0].chars().filter(char::is_ascii_alphabetic).count();
    match () {
        () if *times == 3 => Some("repetition"),
        () if halfmoves >= 100 => Some("fifty moves"),
        () if pieces == 2 => Some("bare kings"),
        () if longest => Some("length"),
        () => None,
    }
}
