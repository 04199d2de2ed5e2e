//! Openings that decided games of a match.

use std::collections::BTreeMap;

use nullarbor::types::Colour;
use nullarbor_openings::{Book, Opening};
use nullarbor_report::table::Table;

use super::course::Course;
use crate::end::Side;
use crate::matches::GameRecord;
use nullarbor_stats::GameResult;

/// Openings of a table, at most.
const SHOWN: usize = 20;

/// The games of an opening.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// Number of the opening in the order of the match, from 0.
    number: u64,
    /// Pairs of games from it.
    pairs: u64,
    /// Points of the first engine of each pairing.
    first: f64,
    /// Points of White.
    white: f64,
    /// Pairs that one engine won.
    decided: u64,
    /// Plies of all games.
    plies: usize,
    /// The number of its first game.
    game: u64,
}

/// The pairs of a match by what their two games were worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds {
    /// One engine won both.
    twice: u64,
    /// One engine won one, and the other was drawn.
    once: u64,
    /// Both were drawn.
    drawn: u64,
    /// White won both.
    white: u64,
    /// Black won both.
    black: u64,
}

fn points(result: GameResult) -> f64 {
    match result {
        GameResult::Win => 1.0,
        GameResult::Draw => 0.5,
        GameResult::Loss => 0.0,
    }
}

impl Kinds {
    fn add(&mut self, results: [GameResult; 2], winner: Option<Side>) {
        let count = match results {
            [GameResult::Draw, GameResult::Draw] => &mut self.drawn,
            [one, other] if one == other => &mut self.twice,
            [GameResult::Draw, _] | [_, GameResult::Draw] => &mut self.once,
            _ if winner == Some(Side::White) => &mut self.white,
            _ => &mut self.black,
        };
        *count += 1;
    }

    /// Returns a row for each kind.
    pub fn table(&self) -> Table {
        let Self { twice, once, drawn, white, black } = *self;
        let all = (twice + once + drawn + white + black).max(1) as f64;
        let rows = [
            ("one engine won both games", twice),
            ("one engine won one game, the other was drawn", once),
            ("both games were drawn", drawn),
            ("White won both games", white),
            ("Black won both games", black),
        ];
        let row = |(kind, count): (&str, u64)| {
            [kind.to_owned(), count.to_string(), format!("{:.1}", 100.0 * count as f64 / all)]
        };
        Table::new("Pairs by their results", ["", "pairs", "%"], rows.map(row))
    }
}

/// Counts the pairs of a match by opening and by kind. `openings` is how many the book has, if that is known.
pub fn lines(course: &Course, openings: Option<u64>) -> (Vec<Line>, Kinds) {
    let pairings = course.standings.pairings.len() as u64;
    let (mut lines, mut kinds) = (BTreeMap::new(), Kinds::default());
    for pair in course.games.chunk_by(|one, other| one.pair == other.pair) {
        let [first, second] = pair else { continue };
        let round = first.pair / pairings;
        let number = openings.map_or(round, |openings| round % openings.max(1));
        let line: &mut Line = lines.entry(number).or_insert_with(|| Line {
            number,
            game: first.number(),
            ..Line::default()
        });
        let results = [first.result(), second.result()];
        kinds.add(results, first.end.winner);
        let of_white = |game: &GameRecord| points(game.end.result_for(Colour::White));
        let of_first = results.map(points).iter().sum::<f64>();
        line.pairs += 1;
        line.first += of_first;
        line.white += of_white(first) + of_white(second);
        line.decided += u64::from(of_first != 1.0);
        line.plies += first.plies + second.plies;
    }
    (lines.into_values().collect(), kinds)
}

/// Returns the openings in which the engines differ most: those that each of two engines won, or those with most pairs that one
/// of several engines won. `book` has them in the order of the match.
pub fn tables(course: &Course, lines: &[Line], book: Option<&Book>) -> Vec<Table> {
    match course.names.as_slice() {
        [first, second] => {
            let won = |line: &Line| line.first - line.pairs as f64;
            let points = format!("points of {first}");
            let shown = |line: &Line| format!("{:.1}", line.first);
            let of = |name: &str, gain: &dyn Fn(&Line) -> f64| {
                let title = format!("Openings that {name} won");
                table(&title, &points, &best(lines, gain), &shown, book)
            };
            vec![of(first, &won), of(second, &|line| -won(line))]
        }
        _ => {
            let decided = best(lines, &|line| line.decided as f64);
            let shown = |line: &Line| line.decided.to_string();
            let title = "Openings with most pairs that one engine won";
            vec![table(title, "decided pairs", &decided, &shown, book)]
        }
    }
}

/// Returns the openings with a gain above 0, those with the most first; equals keep the order of the match.
fn best<'a>(lines: &'a [Line], gain: &dyn Fn(&Line) -> f64) -> Vec<&'a Line> {
    let mut best: Vec<&Line> = lines.iter().filter(|line| gain(line) > 0.0).collect();
    best.sort_by(|one, other| gain(other).total_cmp(&gain(one)));
    best
}

fn table(
    title: &str,
    points: &str,
    lines: &[&Line],
    shown: &dyn Fn(&Line) -> String,
    book: Option<&Book>,
) -> Table {
    let rows = lines.iter().take(SHOWN).map(|line| {
        let games = 2 * line.pairs;
        let opening = book.and_then(|book| book.openings.get(line.number as usize));
        vec![
            opening.and_then(name).unwrap_or_else(|| format!("number {}", line.number + 1)),
            games.to_string(),
            shown(line),
            format!("{:.1}", line.white),
            format!("{:.0}", line.plies as f64 / 2.0 / games as f64),
            line.game.to_string(),
            opening.map_or_else(|| "-".to_owned(), |it| it.game().position().to_string()),
        ]
    });
    let title = match lines.len() {
        all if all > SHOWN => format!("{title} ({SHOWN} of {all})"),
        _ => title.to_owned(),
    };
    let head = ["opening", "games", points, "points of White", "moves", "first game", "position"];
    Table { title, head: head.map(str::to_owned).to_vec(), rows: rows.collect() }
}

/// Returns the name of an opening in its book.
fn name(opening: &Opening) -> Option<String> {
    let origin = &opening.origin;
    let line = || origin.line.map(|line| format!("line {line}"));
    let named = origin.name.clone().or_else(line)?;
    Some(origin.eco.iter().fold(named, |name, eco| format!("{eco} {name}")))
}
