//! Checks of what an engine says of its search: principal variations, `bestmove` and `ponder`.
//!
//! A variation may go on behind a draw that could be claimed, but not behind the end of the game.

use nullarbor::board::Position;
use nullarbor::types::{Move, Square};

use crate::diagnostics::{PvWarning, PvWarnings};
use crate::player::GameLine;

/// Words that end a variation which does not stand at the end of its line.
const KEYWORDS: [&str; 20] = [
    "depth",
    "seldepth",
    "time",
    "nodes",
    "pv",
    "multipv",
    "score",
    "cp",
    "mate",
    "lowerbound",
    "upperbound",
    "currmove",
    "currmovenumber",
    "hashfull",
    "nps",
    "tbhits",
    "sbhits",
    "cpuload",
    "string",
    "wdl",
];

/// An `info` line with a principal variation.
struct Variation<'a> {
    line: &'a str,
    moves: Vec<&'a str>,
    is_best: bool,
    bound: Bound,
    /// Full moves to mate, negative if the side to move is mated.
    mate: Option<i64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    Exact,
    Lower,
    Upper,
}

impl<'a> Variation<'a> {
    /// Reads a line; `None` if it has no variation.
    fn read(line: &'a str) -> Option<Self> {
        let mut found =
            Self { line, moves: Vec::new(), is_best: true, bound: Bound::Exact, mate: None };
        let mut has_pv = false;
        let mut words = line.split_ascii_whitespace().peekable();
        if words.next() != Some("info") {
            return None;
        }
        while let Some(word) = words.next() {
            match word {
                "multipv" => found.is_best = words.next() == Some("1"),
                "lowerbound" => found.bound = Bound::Lower,
                "upperbound" => found.bound = Bound::Upper,
                "mate" => found.mate = words.next().and_then(|word| word.parse().ok()),
                "pv" => {
                    has_pv = true;
                    while let Some(mv) = words.next_if(|word| !KEYWORDS.contains(word)) {
                        found.moves.push(mv);
                    }
                }
                "string" => break,
                _ => {}
            }
        }
        has_pv.then_some(found)
    }

    /// Returns what is wrong with it in a position.
    fn problem(&self, root: &Position) -> Option<String> {
        let mut position = root.clone();
        for text in &self.moves {
            let Some(mv) = find(&position, text) else {
                return Some(format!("illegal PV move {}", shown(text)));
            };
            position = position.make(mv);
        }
        let mate = self.mate.filter(|_| self.bound == Bound::Exact)?;
        let (plies, found) = (plies_to_mate(mate), self.moves.len());
        if found as u64 != plies {
            return Some(format!("mate {mate} takes {plies} plies, but its PV has {found}"));
        }
        let is_mate = position.in_check() && position.legal_moves().is_empty();
        (!is_mate).then(|| format!("mate {mate}, but its PV does not end in mate"))
    }
}

fn plies_to_mate(moves: i64) -> u64 {
    let plies = moves.unsigned_abs().saturating_mul(2);
    if moves > 0 { plies - 1 } else { plies }
}

/// Finds a legal move by its text, castling in either notation. [`Position::parse_uci`] does the same, but writes all legal
/// moves to compare them.
fn find(position: &Position, text: &str) -> Option<Move> {
    let from = text.get(..2).and_then(Square::parse)?;
    let moves = position.legal_moves();
    let mine = || moves.iter().copied().filter(|mv| mv.from() == from);
    [true, false].into_iter().find_map(|chess960| {
        mine().find(|&mv| position.uci(mv, chess960).eq_ignore_ascii_case(text))
    })
}

/// Returns a word of an engine as messages show it.
fn shown(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(16).collect()
}

/// Returns the move that a `bestmove` line expects, as it is written.
fn ponder_word(answer: &str) -> Option<&str> {
    let mut words = answer.split_ascii_whitespace().skip_while(|word| *word != "ponder");
    words.nth(1).filter(|word| !["(none)", "0000"].contains(word))
}

/// Returns the move that a `bestmove` line expects in the position after it; `None` if there is none, or it is illegal.
pub fn ponder_move(after: &Position, answer: &str) -> Option<Move> {
    find(after, ponder_word(answer)?)
}

/// Checks the lines of a search that ended with `answer`, whose move is `best`.
pub fn check<'a>(
    game: &GameLine,
    lines: impl Iterator<Item = &'a str>,
    answer: &str,
    best: Move,
) -> PvWarnings {
    let root = game.game.position();
    let mut warnings = PvWarnings::default();
    let mut warn = |problem: String, line: &str| {
        let (position, line) = (game.command.clone(), line.to_owned());
        warnings.add(|| PvWarning { problem, position, line });
    };
    // The last line, and the last exact one: where the score of the last iteration was only bounded, engines play the move of
    // either.
    let (mut exact, mut last): (Option<Vec<&str>>, Option<Vec<&str>>) = (None, None);
    for variation in lines.filter_map(Variation::read) {
        if let Some(problem) = variation.problem(root) {
            warn(problem, variation.line);
        }
        let is_legal = variation.moves.first().is_some_and(|mv| find(root, mv).is_some());
        if variation.is_best && is_legal {
            if variation.bound == Bound::Exact {
                exact = Some(variation.moves.clone());
            }
            last = Some(variation.moves);
        }
    }
    let lines: Vec<Vec<&str>> = [last, exact].into_iter().flatten().collect();
    let followed: Vec<&Vec<&str>> =
        lines.iter().filter(|moves| find(root, moves[0]) == Some(best)).collect();
    if let (Some(last), true) = (lines.first(), followed.is_empty()) {
        warn(format!("the last PV begins with {}", shown(last[0])), answer);
    }
    let Some(ponder) = ponder_word(answer) else { return warnings };
    let after = root.make(best);
    let Some(mv) = find(&after, ponder) else {
        warn(format!("illegal ponder move {}", shown(ponder)), answer);
        return warnings;
    };
    let seconds: Vec<&str> = followed.iter().filter_map(|moves| moves.get(1).copied()).collect();
    if let Some(second) = seconds.first()
        && !seconds.iter().any(|text| find(&after, text) == Some(mv))
    {
        warn(format!("the second move of the PV is {}", shown(second)), answer);
    }
    warnings
}

#[cfg(test)]
mod tests {
    use nullarbor_openings::Opening;

    use super::*;

    const FOOLS_MATE: &str = "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2";
    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    /// The problems of a search.
    fn problems(fen: &str, lines: &[&str], answer: &str) -> Vec<String> {
        let position = Position::from_fen(fen).expect("valid");
        let best = answer.split(' ').nth(1).expect("a move");
        let best = position.parse_uci(best).expect("legal");
        let game = GameLine::new(&Opening::at(position), false);
        let found = check(&game, lines.iter().copied(), answer, best);
        assert!(found.count as usize >= found.first.len());
        found.first.into_iter().map(|it| it.problem).collect()
    }

    #[test]
    fn what_is_right_is_not_complained_of() {
        for (fen, lines, answer) in [
            (
                START,
                &["info depth 3 score cp 9 pv e2e4 e7e5 g1f3"][..],
                "bestmove e2e4 ponder e7e5",
            ),
            (START, &["info depth 3 score cp 9 pv e2e4"], "bestmove e2e4 ponder c7c5"),
            (START, &["info depth 1 score cp 9 pv"], "bestmove e2e4 ponder (none)"),
            // Moves behind a claimable draw are legal.
            (
                START,
                &["info score cp 0 pv g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 g1f3"],
                "bestmove g1f3",
            ),
            (FOOLS_MATE, &["info score mate 1 pv d8h4"], "bestmove d8h4"),
            // A bound tells nothing of the length.
            (FOOLS_MATE, &["info score mate 3 lowerbound pv d8h4"], "bestmove d8h4"),
            // It failed high or low after the last exact score, and was adopted or not.
            (
                START,
                &["info score cp 9 pv e2e4 e7e5", "info score cp 30 lowerbound pv d2d4"],
                "bestmove d2d4 ponder d7d5",
            ),
            (
                START,
                &["info score cp 9 pv e2e4 e7e5", "info score cp 30 lowerbound pv d2d4"],
                "bestmove e2e4 ponder e7e5",
            ),
            (
                START,
                &["info score cp 9 pv e2e4 e7e5", "info score cp 1 upperbound pv e2e4 c7c5"],
                "bestmove e2e4 ponder c7c5",
            ),
            (
                START,
                &["info multipv 1 score cp 9 pv e2e4", "info multipv 2 score cp 3 pv d2d4"],
                "bestmove e2e4",
            ),
            (
                START,
                &["info depth 2 pv e2e4 e7e5 score cp 3 nodes 9", "info string pv x"],
                "bestmove e2e4",
            ),
            (
                "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
                &["info score cp 9 pv e1g1", "info pv e1h1"],
                "bestmove e1g1",
            ),
        ] {
            assert_eq!(problems(fen, lines, answer), [""; 0], "{lines:?} {answer}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (fen, lines, answer, expected) in [
            (START, &["info score cp 9 pv e2e4 a1h8"][..], "bestmove e2e4", "illegal PV move a1h8"),
            (
                START,
                &["info multipv 2 score cp 9 pv e2e5"],
                "bestmove e2e4",
                "illegal PV move e2e5",
            ),
            (
                START,
                &["info score cp 9 upperbound pv 0000"],
                "bestmove e2e4",
                "illegal PV move 0000",
            ),
            (
                FOOLS_MATE,
                &["info score mate 1 pv d8h4 g1f3"],
                "bestmove d8h4",
                "illegal PV move g1f3",
            ),
            (
                FOOLS_MATE,
                &["info score mate 3 pv d8h4"],
                "bestmove d8h4",
                "mate 3 takes 5 plies, but its PV has 1",
            ),
            (FOOLS_MATE, &["info score mate -1 pv d8h4"], "bestmove d8h4", "mate -1 takes 2 plies"),
            (FOOLS_MATE, &["info score mate 1 pv d8g5"], "bestmove d8g5", "does not end in mate"),
            (START, &["info score cp 9 pv e2e4"], "bestmove d2d4", "the last PV begins with e2e4"),
            (
                START,
                &["info score cp 9 pv e2e4", "info score cp 9 upperbound pv d2d4"],
                "bestmove c2c4",
                "the last PV begins with d2d4",
            ),
            (START, &[], "bestmove e2e4 ponder e2e4", "illegal ponder move e2e4"),
            (
                START,
                &["info score cp 9 pv e2e4 e7e5"],
                "bestmove e2e4 ponder c7c5",
                "the second move of the PV is e7e5",
            ),
        ] {
            let found = problems(fen, lines, answer);
            assert!(
                found.len() == 1 && found[0].contains(expected),
                "{lines:?} {answer}: {found:?}"
            );
        }
    }

    #[test]
    fn all_are_counted_and_the_first_are_kept() {
        let position = Position::start();
        let best = position.parse_uci("e2e4").expect("legal");
        let game = GameLine::new(&Opening::at(position), false);
        let lines = vec!["info depth 1 score mate 99999999999999 pv e2e4"; 500];
        let found = check(&game, lines.into_iter(), "bestmove e2e4", best);
        assert_eq!((found.count, found.first.len()), (500, PvWarnings::KEPT));
        assert!(found.first[0].position.starts_with("position fen rnbq"));
    }
}
