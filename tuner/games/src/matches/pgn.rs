//! Games as PGN, with the players' search results as comments.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use nullarbor::types::Score;
use nullarbor_openings::{Opening, Origin};
use time::OffsetDateTime;

use super::plan::Plan;
use super::record::GameRecord;
use crate::engine_config::EngineConfig;
use crate::game::PlayedGame;
use crate::player::MoveInfo;
use nullarbor_runs::files::{FileError, check_regular};

/// The format's own limit is 255; most programs wrap here.
const LINE: usize = 80;

/// A file of games.
#[derive(Debug)]
pub struct PgnFile {
    path: PathBuf,
    file: File,
}

impl PgnFile {
    /// Opens a file for the games of a match. A resumed match writes all of its games again; any other must not find
    /// games there.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn open(path: &Path, resumed: bool) -> Result<Self, FileError> {
        check_regular(path)?;
        let mut options = OpenOptions::new();
        options.write(true);
        let is_empty = || fs::metadata(path).is_ok_and(|found| found.len() == 0);
        if resumed || is_empty() {
            options.create(true).truncate(true);
        } else {
            options.create_new(true);
        }
        let file = options.open(path).map_err(FileError::at(path))?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Adds a game.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, text: &str) -> Result<(), FileError> {
        self.file.write_all(text.as_bytes()).map_err(FileError::at(&self.path))
    }
}

/// The tags that all games of a match share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    event: String,
    site: String,
    book: String,
    chess960: bool,
}

impl Heading {
    /// Returns that of a match; `None` if its games are not written.
    pub fn of(plan: &Plan) -> Option<Self> {
        plan.pgn.as_ref().map(|pgn| Self {
            event: pgn.event.clone(),
            site: pgn.site.clone(),
            book: plan.book.name.clone(),
            chess960: plan.rules.chess960,
        })
    }
}

/// Returns a game as PGN, with an empty line at its end.
pub fn text(
    [white, black]: [&EngineConfig; 2],
    heading: &Heading,
    opening: &Opening,
    record: &GameRecord,
    game: &PlayedGame,
) -> String {
    let mut tags = Tags::default();
    let date = OffsetDateTime::now_utc().date();
    let date = format!("{}.{:02}.{:02}", date.year(), u8::from(date.month()), date.day());
    tags.add("Event", &heading.event);
    tags.add("Site", &heading.site);
    tags.add("Date", &date);
    tags.add("Round", &format!("{}.{}", record.pair + 1, record.game as u64 + 1));
    tags.add("White", &white.name);
    tags.add("Black", &black.name);
    tags.add("Result", game.end.result());
    tags.add("SetUp", "1");
    tags.add("FEN", &opening.start.to_string());
    name_opening(&mut tags, &heading.book, &opening.origin);
    if heading.chess960 {
        tags.add("Variant", "Chess960");
    }
    tags.add("PlyCount", &game.moves.len().to_string());
    tags.add("Termination", game.end.termination());
    if white.limit == black.limit {
        tags.add("TimeControl", &white.limit.to_string());
    } else {
        tags.add("WhiteTimeControl", &white.limit.to_string());
        tags.add("BlackTimeControl", &black.limit.to_string());
    }
    format!("{}\n{}\n", tags.0, moves(game, opening))
}

/// Names an opening as its book does, or by the line of the book.
fn name_opening(tags: &mut Tags, book: &str, origin: &Origin) {
    origin.eco.iter().for_each(|eco| tags.add("ECO", eco));
    let book = book.rsplit(std::path::is_separator).next().unwrap_or(book);
    let place = origin.line.map(|line| format!("{book}, line {line}"));
    origin.name.clone().or(place).iter().for_each(|name| tags.add("Opening", name));
}

#[derive(Default)]
struct Tags(String);

impl Tags {
    fn add(&mut self, name: &str, value: &str) {
        let value: String = value.chars().filter(|letter| !letter.is_control()).collect();
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "[{name} \"{value}\"]");
    }
}

fn moves(game: &PlayedGame, opening: &Opening) -> String {
    let mut text = Wrapped::default();
    let mut position = opening.start.clone();
    let comments = opening
        .moves
        .iter()
        .map(|&mv| (mv, "{book}".to_owned()))
        .chain(game.moves.iter().map(|info| (info.mv, comment(info))));
    for (index, (mv, comment)) in comments.enumerate() {
        let number = position.fullmove();
        let white = position.side_to_move() == nullarbor::types::Colour::White;
        if white {
            text.add(&format!("{number}."));
        } else if index == 0 {
            text.add(&format!("{number}..."));
        }
        text.add(&position.san(mv));
        text.add(&comment);
        position = position.make(mv);
    }
    text.add_comment(&game.end.to_string());
    if let Some(fault) = &game.fault {
        let facts = [&fault.status, &fault.stderr, &fault.position, &fault.go];
        let facts: Vec<&str> = facts.into_iter().flatten().map(String::as_str).collect();
        text.add_comment(&facts.join("; "));
    }
    text.add(game.end.result());
    text.0 + "\n"
}

fn comment(info: &MoveInfo) -> String {
    let MoveInfo { score, depth, selective_depth, nodes, elapsed, .. } = info;
    let score = score.map_or("?".to_owned(), pawns);
    format!("{{{score}/{depth} {:.3}s, sd={selective_depth}, n={nodes}}}", elapsed.as_secs_f64())
}

/// Returns a score in pawns, or as moves to mate.
fn pawns(score: Score) -> String {
    match score.mate_moves() {
        Some(moves) if moves > 0 => format!("+M{moves}"),
        Some(moves) => format!("-M{}", moves.abs()),
        None => format!("{:+.2}", f64::from(score.0) / 100.0),
    }
}

/// Text wrapped into lines.
#[derive(Default)]
struct Wrapped(String);

impl Wrapped {
    fn add_comment(&mut self, text: &str) {
        let text: String = text.chars().filter(|c| !"{}".contains(*c) && !c.is_control()).collect();
        if !text.is_empty() {
            self.add(&format!("{{{text}}}"));
        }
    }

    fn add(&mut self, words: &str) {
        for word in words.split(' ') {
            let used = self.0.len() - self.0.rfind('\n').map_or(0, |at| at + 1);
            if used > 0 {
                self.0.push(if used + 1 + word.len() > LINE { '\n' } else { ' ' });
            }
            self.0.push_str(word);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use nullarbor::board::Position;

    use super::*;
    use crate::diagnostics::{FaultReport, PvWarnings};
    use crate::end::{End, Reason};
    use nullarbor_openings::Format;

    fn info(position: &Position, mv: &str, score: i32) -> MoveInfo {
        MoveInfo {
            mv: position.parse_uci(mv).expect("legal"),
            elapsed: Duration::from_millis(12),
            score: Some(Score(score)),
            depth: 9,
            selective_depth: 14,
            nodes: 5000,
            pv_warnings: PvWarnings::default(),
        }
    }

    #[test]
    fn a_game_can_be_read_back() {
        let start = Position::from_fen("7k/8/5K2/8/8/8/8/Q7 b - - 0 31").expect("valid");
        let first = info(&start, "h8h7", Score::mated_in(2).0);
        let next = start.make(first.mv);
        let second = info(&next, "a1h1", 931);
        let game = PlayedGame {
            moves: vec![first, second],
            end: End::drawn(Reason::IllegalMove("{x}".to_owned())),
            fault: Some(FaultReport {
                status: Some("exit status: 101".to_owned()),
                stderr: Some("thread {main} panicked".to_owned()),
                ..FaultReport::default()
            }),
            pv_warnings: Default::default(),
        };
        let text = moves(&game, &Opening::at(start.clone()));
        assert!(text.starts_with("31... Kh7 {-M1/9 0.012s, sd=14, n=5000} 32. Qh1+"), "{text}");
        let words = text.replace('\n', " ");
        assert!(words.ends_with("{exit status: 101; thread main panicked} 1/2-1/2 "), "{text}");
        assert!(text.lines().all(|line| line.len() <= LINE));
        let tags = format!("[FEN \"{start}\"]\n\n");
        let (_, entry) = Format::Pgn.entries(&(tags + &text), None).next().expect("a game");
        assert_eq!(entry.expect("a good game").moves.len(), 2);
    }

    #[test]
    fn openings_are_named() {
        let named = |eco: Option<&str>, name: Option<&str>| {
            let mut tags = Tags::default();
            let text = |text: Option<&str>| text.map(str::to_owned);
            let origin = Origin { line: Some(7), eco: text(eco), name: text(name) };
            name_opening(&mut tags, "books/a.pgn", &origin);
            tags.0
        };
        assert_eq!(named(None, None), "[Opening \"a.pgn, line 7\"]\n");
        let both = named(Some("B12"), Some("Caro-Kann \"x\"\u{1b}\n"));
        assert_eq!(both, "[ECO \"B12\"]\n[Opening \"Caro-Kann \\\"x\\\"\"]\n");
    }

    #[test]
    fn games_of_another_match_are_not_overwritten() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games.pgn");
        PgnFile::open(&path, false).and_then(|mut file| file.add("x\n")).expect("a new file");
        let error = PgnFile::open(&path, false).expect_err("it is there already");
        assert!(error.to_string().contains("games.pgn"), "{error}");
        PgnFile::open(&path, true).expect("a resumed match");
        assert_eq!(std::fs::read_to_string(&path).expect("a file"), "");
    }
}
