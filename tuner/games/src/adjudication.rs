//! Adjudication: games decided by the players' scores or by length, with the rules of fastchess.

use std::str::FromStr;

use nullarbor::board::Position;
use nullarbor::types::{Colour, Score};
use serde::{Deserialize, Serialize};

use super::end::{End, Reason};
use nullarbor_runs::key_value::{Item, KeyValueError, items};

/// When a game is adjudicated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::Args, Serialize, Deserialize)]
#[serde(try_from = "AnyAdjudication")]
pub struct Adjudication {
    /// Draw adjudication: `movenumber=40,movecount=8,score=10` is from move 40 on, after 8 moves of both within 10 centipawns
    #[arg(long, value_name = "RULE")]
    pub draw: Option<DrawRule>,
    /// Resign adjudication: `movecount=3,score=400[,twosided]` is after 3 moves at -400 or worse; with twosided the
    /// opponent's scores must agree
    #[arg(long, value_name = "RULE")]
    pub resign: Option<ResignRule>,
    /// Maximum length of a game in moves; a longer one is a draw
    #[arg(long = "maxmoves", value_name = "MOVES", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_MOVES)))]
    pub longest: Option<u32>,
}

/// The maximum of `--maxmoves`.
const MOST_MOVES: u32 = 100_000;
/// The highest score of a rule, in centipawns.
const HIGHEST_SCORE: i32 = 1_000_000;

/// An adjudication that was read and not checked yet.
#[derive(Deserialize)]
#[serde(rename = "Adjudication")]
struct AnyAdjudication {
    draw: Option<DrawRule>,
    resign: Option<ResignRule>,
    longest: Option<u32>,
}

impl TryFrom<AnyAdjudication> for Adjudication {
    type Error = String;

    /// As strict as the command line.
    fn try_from(rules: AnyAdjudication) -> Result<Self, String> {
        let AnyAdjudication { draw, resign, longest } = rules;
        let counts = [draw.map(|it| it.move_count), resign.map(|it| it.move_count), longest];
        let scores = [draw.map(|it| it.score), resign.map(|it| it.score)];
        let is_possible = counts.into_iter().flatten().all(|count| count > 0)
            && longest.is_none_or(|moves| moves <= MOST_MOVES)
            && scores.into_iter().flatten().all(|score| (0..=HIGHEST_SCORE).contains(&score));
        let checked = Self { draw, resign, longest };
        is_possible.then_some(checked).ok_or_else(|| format!("no adjudication: {checked:?}"))
    }
}

impl Adjudication {
    /// The adjudication of `make sprt` and of matches that the tuner plays by itself.
    pub const OF_TESTS: Self = Self {
        draw: Some(DrawRule { move_number: 40, move_count: 8, score: 10 }),
        resign: Some(ResignRule { move_count: 3, score: 400, two_sided: false }),
        longest: None,
    };
}

/// A draw after `move_count` moves of both sides with no score beyond `score` centipawns, from move `move_number` on.
///
/// ```
/// use nullarbor_games::adjudication::DrawRule;
///
/// let rule: DrawRule = "movenumber=40,movecount=8,score=10".parse()?;
/// assert_eq!(rule, DrawRule { move_number: 40, move_count: 8, score: 10 });
/// assert_eq!("movenumber=40".parse::<DrawRule>().unwrap_err().to_string(), "movecount=... is missing");
/// # Ok::<(), nullarbor_runs::key_value::KeyValueError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct DrawRule {
    #[serde(rename = "movenumber")]
    pub move_number: u32,
    #[serde(rename = "movecount")]
    pub move_count: u32,
    pub score: i32,
}

/// A loss after `move_count` moves at `-score` centipawns or worse. If it is two-sided, the opponent's scores must agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct ResignRule {
    #[serde(rename = "movecount")]
    pub move_count: u32,
    pub score: i32,
    #[serde(rename = "twosided")]
    pub two_sided: bool,
}

impl FromStr for DrawRule {
    type Err = KeyValueError;

    fn from_str(text: &str) -> Result<Self, KeyValueError> {
        let (mut move_number, mut move_count, mut score) = (None, None, None);
        for item in items(text, SEPARATORS) {
            match item.key {
                "movenumber" => move_number = Some(item.parse("a move number")?),
                "movecount" => move_count = Some(count(&item)?),
                "score" => score = Some(centipawns(&item)?),
                _ => return Err(item.unknown("movenumber, movecount, score")),
            }
        }
        Ok(Self {
            move_number: move_number.ok_or(KeyValueError::Missing { key: "movenumber" })?,
            move_count: move_count.ok_or(KeyValueError::Missing { key: "movecount" })?,
            score: score.ok_or(KeyValueError::Missing { key: "score" })?,
        })
    }
}

impl FromStr for ResignRule {
    type Err = KeyValueError;

    fn from_str(text: &str) -> Result<Self, KeyValueError> {
        let (mut move_count, mut score, mut two_sided) = (None, None, false);
        for item in items(text, SEPARATORS) {
            match (item.key, item.value) {
                ("movecount", _) => move_count = Some(count(&item)?),
                ("score", _) => score = Some(centipawns(&item)?),
                ("twosided", None) => two_sided = true,
                ("twosided", Some(_)) => two_sided = item.parse("true or false")?,
                _ => return Err(item.unknown("movecount, score, twosided")),
            }
        }
        Ok(Self {
            move_count: move_count.ok_or(KeyValueError::Missing { key: "movecount" })?,
            score: score.ok_or(KeyValueError::Missing { key: "score" })?,
            two_sided,
        })
    }
}

const SEPARATORS: &[char] = &[',', ' '];

/// A count of 0 would end every game at once.
fn count(item: &Item<'_>) -> Result<u32, KeyValueError> {
    item.parse_with("a number of moves above 0", |value| {
        value.parse().ok().filter(|&count| count > 0)
    })
}

fn centipawns(item: &Item<'_>) -> Result<i32, KeyValueError> {
    let range = 0..=HIGHEST_SCORE;
    let parse = |value: &str| value.parse().ok().filter(|score| range.contains(score));
    item.parse_with("a score in centipawns", parse)
}

/// Adjudicates one game.
#[derive(Clone, Debug)]
pub struct Adjudicator {
    rules: Adjudication,
    plies: u32,
    even_plies: u32,
    decided_plies: u32,
    lost_moves: [u32; 2],
}

impl Adjudicator {
    /// Starts a game.
    pub fn new(rules: Adjudication) -> Self {
        Self { rules, plies: 0, even_plies: 0, decided_plies: 0, lost_moves: [0; 2] }
    }

    /// Notes a move, its player's score and the position after it. Returns the end if the game is adjudicated.
    pub fn note(&mut self, mover: Colour, score: Option<Score>, after: &Position) -> Option<End> {
        self.plies = self.plies.saturating_add(1);
        self.resigns(mover, score)
            .map(|winner| End::won(winner, Reason::ResignAdjudication))
            .or_else(|| self.is_drawn(score, after).then(|| End::drawn(Reason::DrawAdjudication)))
            .or_else(|| self.is_too_long().then(|| End::drawn(Reason::Length)))
    }

    fn is_drawn(&mut self, score: Option<Score>, after: &Position) -> bool {
        let Some(rule) = self.rules.draw else { return false };
        let even = score.is_some_and(|score| !score.is_decisive() && score.0.abs() <= rule.score);
        // A capture or pawn move restarts the count, and is counted itself.
        let before = if after.halfmove_clock() == 0 { 0 } else { self.even_plies };
        self.even_plies = if even { before + 1 } else { 0 };
        after.fullmove() > rule.move_number as usize
            && self.even_plies >= rule.move_count.saturating_mul(2)
    }

    /// Returns the winner if the mover resigns.
    fn resigns(&mut self, mover: Colour, score: Option<Score>) -> Option<Colour> {
        let rule = self.rules.resign?;
        let lost = score.is_some_and(|score| score.0 <= -rule.score);
        let decided = score.is_some_and(|score| score.0.abs() >= rule.score);
        let moves = &mut self.lost_moves[mover.index()];
        *moves = if lost { *moves + 1 } else { 0 };
        self.decided_plies = if decided { self.decided_plies + 1 } else { 0 };
        let resigns = if rule.two_sided {
            lost && self.decided_plies >= rule.move_count.saturating_mul(2)
        } else {
            *moves >= rule.move_count
        };
        resigns.then_some(!mover)
    }

    fn is_too_long(&self) -> bool {
        self.rules.longest.is_some_and(|moves| self.plies / 2 >= moves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nullarbor::types::Colour::{Black, White};

    fn quiet(fullmove: usize) -> Position {
        Position::from_fen(&format!("4k3/8/8/8/8/8/4P3/4K3 w - - 5 {fullmove}")).expect("valid")
    }

    fn adjudicator(draw: Option<DrawRule>, resign: Option<ResignRule>) -> Adjudicator {
        Adjudicator::new(Adjudication { draw, resign, longest: None })
    }

    const DRAW: DrawRule = DrawRule { move_number: 40, move_count: 2, score: 10 };

    /// The number of the note at which a game ends, with alternating movers.
    fn ends(
        mut adjudicator: Adjudicator,
        position: &Position,
        scores: &[Option<i32>],
    ) -> Option<(usize, End)> {
        scores.iter().enumerate().find_map(|(index, score)| {
            let mover = if index % 2 == 0 { White } else { Black };
            let end = adjudicator.note(mover, score.map(Score), position)?;
            Some((index + 1, end))
        })
    }

    #[test]
    fn a_draw_needs_even_scores_of_both_for_long_enough() {
        let even = [Some(10), Some(-10), Some(0), Some(3)];
        let end = ends(adjudicator(Some(DRAW), None), &quiet(41), &even).expect("a draw");
        assert_eq!(end, (4, End::drawn(Reason::DrawAdjudication)));
        assert_eq!(ends(adjudicator(Some(DRAW), None), &quiet(40), &even), None, "too early");
        for breaks in [Some(11), Some(Score::mate_in(3).0), None] {
            let scores = [Some(0), Some(0), breaks, Some(0), Some(0), Some(0)];
            assert_eq!(ends(adjudicator(Some(DRAW), None), &quiet(60), &scores), None);
        }
        let captured = Position::from_fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 60").expect("valid");
        assert_eq!(ends(adjudicator(Some(DRAW), None), &captured, &[Some(0); 9]), None);
        let mut adjudicator = adjudicator(Some(DRAW), None);
        for position in [&quiet(60), &quiet(60), &captured, &quiet(60), &quiet(60)] {
            assert_eq!(adjudicator.note(White, Some(Score(0)), position), None);
        }
        assert!(
            adjudicator.note(White, Some(Score(0)), &quiet(60)).is_some(),
            "the capture counts"
        );
    }

    #[test]
    fn a_player_that_sees_itself_lost_resigns() {
        let rule = ResignRule { move_count: 2, score: 400, two_sided: false };
        let scores = [Some(100), Some(-400), Some(-10), Some(Score::mated_in(6).0)];
        let end = ends(adjudicator(None, Some(rule)), &quiet(9), &scores).expect("a loss");
        assert_eq!(end, (4, End::won(White, Reason::ResignAdjudication)));
        let recovered = [Some(0), Some(-500), Some(0), Some(-399), Some(0), Some(-500)];
        assert_eq!(ends(adjudicator(None, Some(rule)), &quiet(9), &recovered), None);
    }

    #[test]
    fn two_sided_resignation_needs_both() {
        let rule = ResignRule { move_count: 2, score: 400, two_sided: true };
        let agreed = [Some(400), Some(-400), Some(500), Some(-500)];
        let end = ends(adjudicator(None, Some(rule)), &quiet(9), &agreed).expect("a loss");
        assert_eq!(end, (4, End::won(White, Reason::ResignAdjudication)));
        let blind = [Some(0), Some(-900), Some(0), Some(-900), Some(0), Some(-900)];
        assert_eq!(ends(adjudicator(None, Some(rule)), &quiet(9), &blind), None);
        let both_win = [Some(900); 8];
        assert_eq!(ends(adjudicator(None, Some(rule)), &quiet(9), &both_win), None);
        let winner_first = [Some(0), Some(-400), Some(500), Some(-500), Some(500), Some(-600)];
        let end = ends(adjudicator(None, Some(rule)), &quiet(9), &winner_first).expect("a loss");
        assert_eq!(
            end,
            (6, End::won(White, Reason::ResignAdjudication)),
            "the loser must move last"
        );
    }

    #[test]
    fn long_games_are_draws() {
        let rules = Adjudication { longest: Some(3), ..Adjudication::default() };
        let end = ends(Adjudicator::new(rules), &quiet(1), &[Some(900); 9]).expect("an end");
        assert_eq!(end, (6, End::drawn(Reason::Length)));
    }

    #[test]
    fn what_comes_as_data_passes_the_checks_of_the_command_line() {
        let text = serde_json::to_string(&Adjudication::OF_TESTS).expect("plain data");
        let back: Adjudication = serde_json::from_str(&text).expect(&text);
        assert_eq!(back, Adjudication::OF_TESTS);
        for (from, to) in [
            ("\"movecount\":8", "\"movecount\":0"),
            ("\"movecount\":3", "\"movecount\":0"),
            ("\"score\":10", "\"score\":-1"),
            ("\"score\":400", "\"score\":2147483647"),
            ("\"longest\":null", "\"longest\":0"),
            ("\"longest\":null", "\"longest\":4294967295"),
        ] {
            let forged = text.replacen(from, to, 1);
            assert_ne!(forged, text);
            assert!(serde_json::from_str::<Adjudication>(&forged).is_err(), "{forged}");
        }
        let most = u32::MAX;
        let rule = DrawRule { move_number: 0, move_count: most, score: 9 };
        assert_eq!(ends(adjudicator(Some(rule), None), &quiet(9), &[Some(0); 20]), None);
    }

    #[test]
    fn rules_are_read() {
        let draw = "movenumber=40,movecount=8,score=10".parse::<DrawRule>();
        assert_eq!(draw, Ok(DrawRule { move_number: 40, move_count: 8, score: 10 }));
        let resign = "movecount=3 score=400 twosided".parse::<ResignRule>();
        assert_eq!(resign, Ok(ResignRule { move_count: 3, score: 400, two_sided: true }));
        for text in [
            "",
            "movecount=3",
            "movecount=0,score=4",
            "movecount=3,score=x",
            "movecount=3,score=4000000000",
            "movecount=3,score=4,both",
        ] {
            assert!(text.parse::<ResignRule>().is_err(), "{text}");
        }
    }
}
