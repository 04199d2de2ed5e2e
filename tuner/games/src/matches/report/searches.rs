//! Searches of the moves of a game, from its comments.

use nullarbor::types::Colour;

/// The search of a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Search {
    /// The side that moved.
    pub colour: Colour,
    /// The number of the move, as in the game.
    pub number: usize,
    /// Time used.
    pub seconds: f64,
    /// Depth in plies.
    pub depth: u32,
    /// Nodes searched, if they are told.
    pub nodes: Option<u64>,
}

/// Returns the searches of the moves after the opening. The PGN is one of this program: each move has a comment.
pub fn searches(pgn: &str) -> Vec<Search> {
    let fen = pgn.split_once("[FEN \"").and_then(|(_, rest)| rest.split_once('"'));
    let mut fields = fen.map_or("", |(fen, _)| fen).split(' ').skip(1);
    let mut colour = if fields.next() == Some("b") { Colour::Black } else { Colour::White };
    let mut number = fields.nth(3).and_then(|it| it.parse().ok()).unwrap_or(1);
    let moves = pgn.split_once("\n\n").map_or("", |(_, moves)| moves);
    let comments = moves.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    let mut found = Vec::new();
    for comment in comments {
        match told(comment) {
            Some((seconds, depth, nodes)) => {
                found.push(Search { colour, number, seconds, depth, nodes });
            }
            None if comment == "book" => {}
            // How the game ended.
            None => break,
        }
        number += usize::from(colour == Colour::Black);
        colour = !colour;
    }
    found
}

/// Parses `+0.31/12 0.012s, sd=14, n=5000`.
fn told(comment: &str) -> Option<(f64, u32, Option<u64>)> {
    let mut words = comment.split_ascii_whitespace().map(|word| word.trim_end_matches(','));
    let (_, depth) = words.next()?.split_once('/')?;
    let seconds: f64 = words.next()?.strip_suffix('s')?.parse().ok()?;
    let nodes = words.find_map(|word| word.strip_prefix("n=")).and_then(|it| it.parse().ok());
    (seconds.is_finite() && seconds >= 0.0).then_some((seconds, depth.parse().ok()?, nodes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_have_their_number_colour_and_search() {
        let pgn = "[White \"a\"]\n[FEN \"4k3/8/8/8/8/8/8/4K2R b K - 0 30\"]\n\n\
            30... Ke7 {book} 31. Ke2 {+1.20/6 0.100s, sd=9,\nn=3} Kd7 {-M4/3 1.5s} {White mates} 1-0\n";
        let found = searches(pgn);
        let expected = [(Colour::White, 31, 0.1, 6, Some(3)), (Colour::Black, 31, 1.5, 3, None)];
        let expected = expected.map(|(colour, number, seconds, depth, nodes)| Search {
            colour,
            number,
            seconds,
            depth,
            nodes,
        });
        assert_eq!(found, expected);
        for none in ["", "[FEN \"x\"]\n\n", "\n\n1. e4 {} e5 {x/y zs}", "\n\n1. e4 {+1/2 infs} *"] {
            assert_eq!(searches(none), [], "{none}");
        }
    }
}
