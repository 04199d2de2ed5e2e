//! PGN files: each game is an opening, as far as its first plies.

use nullarbor_chess::board::Position;

use crate::entry::{self, Entry, EntryError};
use crate::opening::{Opening, Origin};

/// Returns all games to their ends, each with the line it starts on.
pub fn games(text: &str) -> impl Iterator<Item = Entry> + '_ {
    entries(text, None).map(entry::located)
}

/// Returns the openings of all games, each with the line it starts on; `plies` is the maximum
/// length.
pub fn entries(text: &str, plies: Option<usize>) -> impl Iterator<Item = Entry> + '_ {
    let mut tokens = Tokens { rest: text, line: 1, untagged: usize::MAX }.peekable();
    std::iter::from_fn(move || {
        let line = tokens.peek()?.0;
        let mut game = Vec::new();
        let mut in_moves = false;
        // A tag after moves starts the next game, even if a result is missing.
        while let Some(token) =
            tokens.next_if(|(_, token)| !(in_moves && matches!(token, Token::Tag(..))))
        {
            let ends = matches!(token.1, Token::Result);
            in_moves |= matches!(token.1, Token::Move(_));
            game.push(token);
            if ends {
                break;
            }
        }
        Some((line, opening(line, &game, plies)))
    })
}

fn opening(
    line: usize,
    game: &[(usize, Token<'_>)],
    plies: Option<usize>,
) -> Result<Opening, EntryError> {
    let tag = |name| {
        game.iter().find_map(|(_, token)| match token {
            Token::Tag(known, value) if *known == name => Some(*value),
            _ => None,
        })
    };
    let fen = tag("FEN");
    let start = fen.map_or_else(|| Ok(Position::start()), |fen| entry::position(line, fen))?;
    let (mut moves, mut position) = (Vec::new(), start.clone());
    for (line, token) in game {
        match token {
            Token::Move(_) if plies.is_some_and(|plies| moves.len() >= plies) => break,
            Token::Move(text) => {
                let mv = position
                    .parse_san(text)
                    .map_err(|source| EntryError::Move { line: *line, source })?;
                position = position.make(mv);
                moves.push(mv);
            }
            Token::Malformed(what) => return Err(EntryError::Malformed { line: *line, what }),
            Token::Tag(..) | Token::Result => {}
        }
    }
    let text = |name| tag(name).filter(|text| !matches!(*text, "" | "?")).map(str::to_owned);
    let origin = Origin { line: None, eco: text("ECO"), name: text("Opening") };
    Ok(Opening { start, moves, origin })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    Tag(&'a str, &'a str),
    Move(&'a str),
    Result,
    Malformed(&'static str),
}

/// The tags, moves and results with their lines; comments, variations and numbers are skipped.
struct Tokens<'a> {
    rest: &'a str,
    line: usize,
    /// Bytes of the rest behind a part that is known to have no end of a tag.
    untagged: usize,
}

impl<'a> Tokens<'a> {
    /// Takes the first `length` bytes and counts their lines.
    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }

    /// Takes everything up to and including `end`, or all that is left.
    fn take_through(&mut self, end: char) -> &'a str {
        let length = self.rest.find(end).map_or(self.rest.len(), |at| at + end.len_utf8());
        self.take(length)
    }

    /// Takes a tag, whose value may contain brackets.
    fn take_tag(&mut self) -> &'a str {
        // Each line is searched to its end once at most: searching it for each tag would take quadratic time.
        if self.rest.len() <= self.untagged {
            let bytes = self.rest.as_bytes();
            let end = bytes.iter().position(|byte| *byte == b'"' || *byte == b'\n');
            let mut from = end;
            while let Some(at) = from.filter(|at| bytes[*at] == b'"') {
                if bytes.get(at + 1) == Some(&b']') {
                    return self.take(at + 2);
                }
                let next = bytes[at + 1..].iter().position(|byte| matches!(byte, b'"' | b'\n'));
                from = next.map(|next| at + 1 + next);
            }
            self.untagged = self.rest.len() - from.unwrap_or(self.rest.len());
        }
        self.take_through(']')
    }

    /// Skips a variation with all that it contains; returns whether it ends.
    fn skip_variation(&mut self) -> bool {
        let mut depth = 0;
        while let Some(at) = self.rest.find(['(', ')', '{']) {
            self.take(at);
            match self.rest.as_bytes()[0] {
                b'{' => drop(self.take_through('}')),
                b'(' => {
                    depth += 1;
                    self.take(1);
                }
                _ => {
                    depth -= 1;
                    self.take(1);
                }
            }
            if depth == 0 {
                return true;
            }
        }
        self.take(self.rest.len());
        false
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = (usize, Token<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let blank = self.rest.len() - self.rest.trim_start().len();
            self.take(blank);
            let line = self.line;
            let token = match self.rest.chars().next()? {
                '{' => {
                    if self.take_through('}').ends_with('}') {
                        continue;
                    }
                    Token::Malformed("a comment that does not end")
                }
                ';' | '%' => {
                    self.take_through('\n');
                    continue;
                }
                '(' => {
                    if self.skip_variation() {
                        continue;
                    }
                    Token::Malformed("a variation that does not end")
                }
                '[' => tag(self.take_tag()),
                _ => {
                    let end = self.rest.find(|c: char| c.is_whitespace() || "{};()[".contains(c));
                    let word = self.take(end.unwrap_or(self.rest.len()).max(1));
                    match self::word(word) {
                        Some(token) => token,
                        None => continue,
                    }
                }
            };
            return Some((line, token));
        }
    }
}

fn tag(text: &str) -> Token<'_> {
    let inside = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let parts = inside.and_then(|inside| inside.trim().split_once(char::is_whitespace));
    match parts {
        Some((name, value)) => Token::Tag(name, value.trim().trim_matches('"')),
        None => Token::Malformed("a tag that does not have the form [Name \"value\"]"),
    }
}

/// Parses a result or a move, without the move number; `None` for other words.
fn word(word: &str) -> Option<Token<'_>> {
    if matches!(word, "1-0" | "0-1" | "1/2-1/2" | "*") {
        return Some(Token::Result);
    }
    let castles = word.starts_with("0-0");
    let mv = if castles {
        word
    } else {
        word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.')
    };
    (!mv.is_empty() && !mv.starts_with('$')).then_some(Token::Move(mv))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAMES: &str = "[Event \"a [b]\"]\n[Result \"1-0\"]\n\n1. e4 {best} e5 (1... c5 2. Nf3 (2. c3)) 2.Nf3! $1 Nc6 1-0\n\n\
                         [FEN \"4k3/8/8/8/8/8/4P3/R3K3 w Q - 0 1\"]\n\n1. O-O-O ; a comment\n Kf7 *\n";

    #[test]
    fn games_become_openings() {
        let read = |plies| -> Vec<Opening> {
            entries(GAMES, plies).map(|(_, entry)| entry.expect("a good game")).collect()
        };
        let games = read(None);
        assert_eq!(games.iter().map(|game| game.moves.len()).collect::<Vec<_>>(), [4, 2]);
        let short = read(Some(3));
        assert_eq!(short[0].game().position().fullmove(), 2);
        assert_eq!(short[1].moves.len(), 2);
    }

    #[test]
    fn openings_keep_their_names() {
        let text = "[ECO \"B12\"]\n[Opening \"Caro-Kann\"]\n\n1. e4 c6 *\n\n[ECO \"?\"]\n1. d4 *";
        let origins: Vec<Origin> =
            entries(text, None).map(|(_, entry)| entry.expect("a good game").origin).collect();
        let name = Some("Caro-Kann".to_owned());
        assert_eq!(origins[0], Origin { line: None, eco: Some("B12".to_owned()), name });
        assert_eq!(origins[1], Origin::default());
    }

    #[test]
    fn many_tags_take_linear_time() {
        let begun = std::time::Instant::now();
        let text = "[A \"b\"] ".repeat(300_000) + "1. e4 *";
        assert_eq!(entries(&text, None).filter(|(_, entry)| entry.is_ok()).count(), 1);
        assert_eq!(entries(&"[A b] ".repeat(300_000), None).count(), 1);
        assert_eq!(entries(&"[A \"b] ".repeat(300_000), None).count(), 1);
        assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
    }

    #[test]
    fn unterminated_parts_are_errors() {
        for text in ["1. e4 {no end", "1. e4 (1. d4", "[Event", "1. e4 e4"] {
            let all: Vec<_> = entries(text, None).collect();
            assert!(all.iter().any(|(_, entry)| entry.is_err()), "{text}: {all:?}");
        }
    }
}
