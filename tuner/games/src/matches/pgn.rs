//! Games as PGN, with the players' search results as comments.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use nullarbor::board::Position;
use nullarbor::types::{Move, Score};
use nullarbor_openings::{Opening, Origin};
use time::OffsetDateTime;

use super::plan::{Notation, PgnField, PgnStyle, Plan};
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
    /// games there, unless it `appends`.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn open(path: &Path, resumed: bool, appends: bool) -> Result<Self, FileError> {
        check_regular(path)?;
        let mut options = OpenOptions::new();
        options.write(true);
        let is_empty = || fs::metadata(path).is_ok_and(|found| found.len() == 0);
        if appends {
            options.create(true).append(true);
        } else if resumed || is_empty() {
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heading {
    event: String,
    site: String,
    book: String,
    chess960: bool,
    style: PgnStyle,
}

impl Heading {
    /// Returns that of a match; `None` if its games are not written.
    pub fn of(plan: &Plan) -> Option<Self> {
        plan.pgn.as_ref().map(|pgn| Self {
            event: pgn.event.clone(),
            site: pgn.site.clone(),
            book: plan.book.name.clone(),
            chess960: plan.rules.chess960,
            style: pgn.style.clone(),
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
    tags.add("PlyCount", &(opening.moves.len() + game.moves.len()).to_string());
    tags.add("Termination", game.end.termination());
    if white.limit == black.limit {
        tags.add("TimeControl", &white.limit.to_string());
    } else {
        tags.add("WhiteTimeControl", &white.limit.to_string());
        tags.add("BlackTimeControl", &black.limit.to_string());
    }
    format!("{}\n{}\n", tags.0, moves(game, opening, heading))
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

fn moves(game: &PlayedGame, opening: &Opening, heading: &Heading) -> String {
    let mut text = Wrapped::default();
    let mut position = opening.start.clone();
    let moves = opening.moves.iter().map(|&mv| (mv, None));
    let moves = moves.chain(game.moves.iter().map(|info| (info.mv, Some(info))));
    for (index, (mv, info)) in moves.enumerate() {
        let number = position.fullmove();
        let white = position.side_to_move() == nullarbor::types::Colour::White;
        if white {
            text.add(&format!("{number}."));
        } else if index == 0 {
            text.add(&format!("{number}..."));
        }
        text.add(&written(&position, mv, heading));
        match info {
            Some(info) => text.add(&comment(info, &position, heading)),
            None => text.add("{book}"),
        }
        position = position.make(mv);
    }
    text.add_comment(&game.end.to_string());
    if let Some(fault) = &game.fault {
        let time = fault.time.map(|time| time.to_string());
        let facts = [&fault.status, &time, &fault.stderr, &fault.position, &fault.go];
        let facts: Vec<&str> = facts.into_iter().flatten().map(String::as_str).collect();
        text.add_comment(&facts.join("; "));
    }
    text.add(game.end.result());
    text.0 + "\n"
}

/// Returns a move in the notation of the file.
fn written(position: &Position, mv: Move, heading: &Heading) -> String {
    let san = || position.san(mv);
    match heading.style.notation {
        Notation::San => san(),
        Notation::Lan => long(&san(), mv),
        Notation::Uci => position.uci(mv, heading.chess960),
    }
}

/// Returns a move of standard notation with the square that it comes from.
fn long(san: &str, mv: Move) -> String {
    let to = mv.to().to_string();
    // Castling has no square in standard notation.
    let Some((before, after)) = san.rsplit_once(&to) else { return san.to_owned() };
    let piece = before.chars().next().filter(char::is_ascii_uppercase);
    let piece = piece.map_or_else(String::new, String::from);
    let sign = if before.ends_with('x') { 'x' } else { '-' };
    format!("{piece}{}{sign}{to}{after}", mv.from())
}

fn comment(info: &MoveInfo, position: &Position, heading: &Heading) -> String {
    let MoveInfo { score, depth, selective_depth, nodes, elapsed, .. } = info;
    let score = score.map_or("?".to_owned(), pawns);
    let mut text =
        format!("{{{score}/{depth} {:.3}s, sd={selective_depth}, n={nodes}", elapsed.as_secs_f64());
    for field in &heading.style.fields {
        if let Some(value) = value(*field, info, position, heading) {
            text += ", ";
            text += &value;
        }
    }
    text + "}"
}

/// Returns a field by the name that fastchess gives it; `None` if it is not known.
fn value(
    field: PgnField,
    info: &MoveInfo,
    position: &Position,
    heading: &Heading,
) -> Option<String> {
    let details = &info.details;
    let seconds = info.elapsed.as_secs_f64();
    Some(match field {
        PgnField::Nps => {
            let measured = || (seconds > 0.0).then(|| (info.nodes as f64 / seconds) as u64);
            format!("nps={}", details.nps.or_else(measured)?)
        }
        PgnField::Hashfull => format!("hashfull={}", details.hashfull?),
        PgnField::Tbhits => format!("tbhits={}", details.tbhits?),
        PgnField::Timeleft => format!("tl={:.3}s", details.left?.as_secs_f64()),
        PgnField::Latency => format!("latency={:.3}s", seconds - details.reported?.as_secs_f64()),
        PgnField::Pv => {
            let pv = legal(&details.pv, position, heading.chess960);
            (!pv.is_empty()).then(|| format!("pv=\"{}\"", pv.join(" ")))?
        }
    })
}

/// Returns the moves of a variation up to the first that is not legal: a program may have said anything.
fn legal(moves: &[String], root: &Position, chess960: bool) -> Vec<String> {
    let mut position = root.clone();
    let read = moves.iter().map_while(|text| {
        let mv = position.parse_uci(text).ok()?;
        let text = position.uci(mv, chess960);
        position = position.make(mv);
        Some(text)
    });
    read.collect()
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

    use super::*;
    use crate::diagnostics::{FaultReport, PvWarnings};
    use crate::end::{End, Reason};
    use crate::player::Details;
    use nullarbor_openings::Format;

    fn info(position: &Position, mv: &str, score: i32) -> MoveInfo {
        MoveInfo {
            mv: position.parse_uci(mv).expect("legal"),
            elapsed: Duration::from_millis(12),
            score: Some(Score(score)),
            depth: 9,
            selective_depth: 14,
            nodes: 5000,
            details: Details::default(),
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
        let text = moves(&game, &Opening::at(start.clone()), &Heading::default());
        assert!(text.starts_with("31... Kh7 {-M1/9 0.012s, sd=14, n=5000} 32. Qh1+"), "{text}");
        let words = text.replace('\n', " ");
        assert!(words.ends_with("{exit status: 101; thread main panicked} 1/2-1/2 "), "{text}");
        assert!(text.lines().all(|line| line.len() <= LINE));
        let tags = format!("[FEN \"{start}\"]\n\n");
        let (_, entry) = Format::Pgn.entries(&(tags + &text), None).next().expect("a game");
        assert_eq!(entry.expect("a good game").moves.len(), 2);
    }

    /// A capture that promotes and a castling move, with all that is known of the first.
    #[test]
    fn notation_and_fields_are_those_that_were_asked_for() {
        let start = Position::from_fen("3r2k1/4P3/8/8/8/8/8/4K2R w K - 0 1").expect("valid");
        let mut first = info(&start, "e7d8q", 100);
        first.details = Details {
            nps: None,
            hashfull: Some(7),
            tbhits: None,
            reported: Some(Duration::from_millis(10)),
            left: Some(Duration::from_millis(1500)),
            pv: ["e7d8q", "g8g7", "e1g1", "}evil{"].map(str::to_owned).to_vec(),
        };
        let second = info(&start.make(first.mv), "g8g7", 0);
        let third = info(&start.make(first.mv).make(second.mv), "e1g1", 0);
        let game = PlayedGame {
            moves: vec![first, second, third],
            end: End::drawn(Reason::Length),
            fault: None,
            pv_warnings: Default::default(),
        };
        let text = |notation, fields: &[PgnField]| {
            let style = PgnStyle { notation, fields: fields.to_vec() };
            let heading = Heading { style, ..Heading::default() };
            moves(&game, &Opening::at(start.clone()), &heading).replace('\n', " ")
        };
        use PgnField::{Hashfull, Latency, Nps, Pv, Tbhits, Timeleft};
        let all = text(Notation::Lan, &[Timeleft, Latency, Nps, Hashfull, Tbhits, Pv]);
        let expected = "1. e7xd8=Q+ {+1.00/9 0.012s, sd=14, n=5000, tl=1.500s, latency=0.002s, nps=416666, \
            hashfull=7, pv=\"e7d8q g8g7 e1g1\"} Kg8-g7 {+0.00/9 0.012s, sd=14, n=5000, nps=416666} 2. O-O {";
        assert!(all.starts_with(expected), "{all}");
        let uci = text(Notation::Uci, &[]);
        assert!(uci.starts_with("1. e7d8q {+1.00/9 0.012s, sd=14, n=5000} g8g7 {"), "{uci}");
        assert!(uci.contains("2. e1g1 {"), "{uci}");
        for notation in [Notation::San, Notation::Lan] {
            let tags = format!("[FEN \"{start}\"]\n\n");
            let pgn = tags + &text(notation, &[Pv]);
            let (_, entry) = Format::Pgn.entries(&pgn, None).next().expect("a game");
            assert_eq!(entry.expect("a good game").moves.len(), 3, "{notation:?}");
        }
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
        let add =
            |appends| PgnFile::open(&path, false, appends).and_then(|mut file| file.add("x\n"));
        add(false).expect("a new file");
        let error = add(false).expect_err("it is there already");
        assert!(error.to_string().contains("games.pgn"), "{error}");
        add(true).expect("behind the games that are there");
        assert_eq!(std::fs::read_to_string(&path).expect("a file"), "x\nx\n");
        PgnFile::open(&path, true, false).expect("a resumed match");
        assert_eq!(std::fs::read_to_string(&path).expect("a file"), "");
    }
}
