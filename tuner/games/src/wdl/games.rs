//! Positions of PGN games whose comments have scores, as this program, fastchess and cutechess write them: `{+0.31/12 0.1s}`.

use thiserror::Error;

use super::{Result3, Sample};

/// Why games cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum GamesError {
    #[error("no move has a score: the comments must have the form {{+0.31/12 ...}}")]
    NoScores,
    #[error("no game of {0}; check the name in the tags White and Black")]
    NoPlayer(String),
}

#[derive(Default)]
struct Game<'a> {
    white: &'a str,
    black: &'a str,
    result: &'a str,
    fen: &'a str,
    /// Half-moves since move 1 of White.
    ply: u32,
    /// The plies and scores of its moves.
    scores: Vec<(u32, i32)>,
    has_moves: bool,
}

/// Adds the positions of all games of a text, or those where this player is to move. Mate scores do not count.
///
/// # Errors
/// If there are none.
pub fn read(text: &str, player: Option<&str>, sample: &mut Sample) -> Result<(), GamesError> {
    let (mut game, mut rest) = (Game::default(), text);
    let (mut scores, mut met) = (0, false);
    let mut finish = |game: &mut Game<'_>| {
        met |= player.is_none_or(|player| [game.white, game.black].contains(&player));
        scores += count(game, player, sample);
        *game = Game::default();
    };
    while let Some(start) = rest.find(|letter: char| !letter.is_whitespace()) {
        rest = &rest[start..];
        let end = match rest.as_bytes()[0] {
            b'{' => rest.find('}').map_or(rest.len(), |end| end + 1),
            b'[' => rest.find('\n').map_or(rest.len(), |end| end + 1),
            _ => rest
                .find(|letter: char| letter.is_whitespace() || letter == '{')
                .unwrap_or(rest.len()),
        };
        let (word, after) = rest.split_at(end);
        rest = after;
        match word.as_bytes()[0] {
            b'[' => {
                if game.has_moves {
                    finish(&mut game);
                }
                game.tag(word);
            }
            b'{' => game.comment(word),
            _ => game.word(word),
        }
    }
    finish(&mut game);
    match player {
        Some(player) if !met => Err(GamesError::NoPlayer(player.to_owned())),
        _ if scores == 0 => Err(GamesError::NoScores),
        _ => Ok(()),
    }
}

impl<'a> Game<'a> {
    fn tag(&mut self, line: &'a str) {
        let mut parts = line.trim_start_matches('[').splitn(2, ' ');
        let (Some(name), Some(rest)) = (parts.next(), parts.next()) else { return };
        let value = rest.trim().trim_end_matches(']').trim_matches('"');
        match name {
            "White" => self.white = value,
            "Black" => self.black = value,
            "Result" => self.result = value,
            "FEN" => self.fen = value,
            _ => {}
        }
    }

    /// Notes the score of the move before.
    fn comment(&mut self, comment: &str) {
        let text = comment.trim_matches(['{', '}', ' ']);
        let score = text.split('/').next().and_then(centipawns);
        if let (Some(score), Some(ply)) = (score, self.ply.checked_sub(1)) {
            self.scores.push((ply, score));
        }
    }

    fn word(&mut self, word: &str) {
        let is_result = matches!(word, "1-0" | "0-1" | "1/2-1/2" | "*");
        let mv = word.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
        if is_result || mv.is_empty() || mv.starts_with('$') {
            return;
        }
        if !self.has_moves {
            self.has_moves = true;
            self.ply = first_ply(self.fen);
        }
        self.ply = self.ply.saturating_add(1);
    }
}

/// Returns the number of plies before the position of a FEN.
fn first_ply(fen: &str) -> u32 {
    let mut fields = fen.split(' ');
    let black = fields.nth(1) == Some("b");
    let number: u32 = fields.nth(3).and_then(|number| number.parse().ok()).unwrap_or(1);
    number.saturating_sub(1).saturating_mul(2).saturating_add(u32::from(black))
}

/// Parses a score in pawns; `None` for mates and what is none.
fn centipawns(text: &str) -> Option<i32> {
    let pawns: f64 = text.starts_with(['+', '-', '0']).then(|| text.parse().ok()).flatten()?;
    (pawns.abs() <= 1000.0).then(|| (100.0 * pawns).round() as i32)
}

/// Adds the positions of a game; returns how many had a score.
fn count(game: &Game<'_>, player: Option<&str>, sample: &mut Sample) -> usize {
    let white = match game.result {
        "1-0" => Result3::Win,
        "0-1" => Result3::Loss,
        "1/2-1/2" => Result3::Draw,
        _ => return 0,
    };
    let mut counted = 0;
    for (ply, score) in &game.scores {
        let is_white = ply % 2 == 0;
        if player.is_some_and(|player| player != if is_white { game.white } else { game.black }) {
            continue;
        }
        let result = match white {
            Result3::Win if !is_white => Result3::Loss,
            Result3::Loss if !is_white => Result3::Win,
            result => result,
        };
        sample.add(ply / 2 + 1, *score, result);
        counted += 1;
    }
    counted
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAMES: &str = "[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n[FEN \"4k3/8/8/8/8/8/8/4K3 b - - 0 30\"]\n\n\
         30... Ke7 {-0.10/5 0.1s} 31. Ke2 {+1.20/6 0.1s, n=3} Kd7 {-M4/3 0s} 32. Ke3 {book} 1-0\n\n\
         [White \"b\"]\n[Black \"a\"]\n[Result \"*\"]\n\n1. e4 {+0.30/3 0s} *\n";

    #[test]
    fn positions_are_counted_by_move_for_the_side_to_move() {
        let mut sample = Sample::default();
        read(GAMES, None, &mut sample).expect("scores");
        assert_eq!(sample.of_moves(30..=30), [(-8.0, [1, 0, 0])]);
        assert_eq!(sample.of_moves(31..=31), [(122.0, [0, 0, 1])]);
        assert_eq!(sample.positions(), 2);
        let mut of_one = Sample::default();
        read(GAMES, Some("a"), &mut of_one).expect("scores");
        assert_eq!(of_one.positions(), 1);
        assert_eq!(read(GAMES, Some("c"), &mut of_one), Err(GamesError::NoPlayer("c".to_owned())));
        assert_eq!(read("1. e4 e5 1-0", None, &mut of_one), Err(GamesError::NoScores));
    }
}
