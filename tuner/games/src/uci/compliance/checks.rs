//! The checks, in the order in which they are made.

use std::time::Duration;

use super::super::{pv, shown};
use super::exam::{Exam, Searched, Trouble, failed};
use super::lines;

type Outcome = Result<(), Trouble>;

/// A check: its name, what is expected, and how it is made.
type Check = (&'static str, &'static str, fn(&mut Exam<'_>) -> Outcome);

/// All checks.
pub const CHECKS: [Check; 24] = [
    ("uci", "answers `uci` with id and `uciok` within 10 s", greets),
    ("options", "declares options of the known types with their ranges", options),
    ("isready", "answers `isready`", |exam| exam.ready().map(drop)),
    ("setoption", "takes an option, and passes over an unknown one", sets_options),
    ("unknown command", "passes over a command that it does not know", |exam| {
        exam.send("nonsense 1 2 3")?;
        exam.ready().map(drop)
    }),
    ("ucinewgame", "is ready after `ucinewgame`", |exam| {
        exam.send("ucinewgame")?;
        exam.ready().map(drop)
    }),
    ("go depth", "searches to a depth", |exam| exam.search(None, &[], "go depth 5").map(drop)),
    ("go nodes", "ends a search after about so many nodes", nodes),
    ("go movetime", "moves in the time that a move may take", movetime),
    ("go wtime", "moves within its clock", |exam| {
        clock(exam, "go wtime 2000 btime 2000 winc 20 binc 20")
    }),
    ("go movestogo", "moves within a clock for some moves", |exam| {
        clock(exam, "go wtime 2000 btime 2000 movestogo 20")
    }),
    ("go infinite", "searches until `stop`, and answers `isready` meanwhile", infinite),
    ("searchmoves", "plays one of the moves that it may search", searchmoves),
    ("stop", "passes over `stop` where nothing is searched", idle_stop),
    ("position moves", "takes the moves behind a position", |exam| {
        exam.search(None, &["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "g8f6", "e1g1"], "go depth 3")
            .map(drop)
    }),
    ("position fen", "takes positions with castling, en passant and promotion", positions),
    ("notation", "writes moves in small letters, and castling as the king's move", notation),
    ("score", "tells scores from the point of view of the side to move", scores),
    ("mate", "tells mates in moves, those of the side to move as positive numbers", mates),
    ("no legal move", "answers in a position without moves", no_moves),
    ("Chess960", "castles by the rules of Chess960 if it has UCI_Chess960", chess960),
    ("ponder", "ponders until `ponderhit` or `stop` if it has Ponder", ponder),
    ("info", "sends well-formed `info` lines with legal variations", infos),
    ("quit", "ends at `quit`, also while it searches, and at the end of its input", ends),
];

/// Beyond its time a move is late only by this much on a busy machine.
const LATE: Duration = Duration::from_millis(1000);
/// Beyond its time by this much, it loses games.
const TARDY: Duration = Duration::from_millis(100);

fn greets(exam: &mut Exam<'_>) -> Outcome {
    exam.start()?;
    let has = |start: &str| exam.declared.iter().any(|line| line.trim().starts_with(start));
    match (has("id name "), has("id author ")) {
        (true, true) => Ok(()),
        (false, _) => Err(failed("no `id name`")),
        (true, false) => Err(Trouble::Warned("no `id author`".to_owned())),
    }
}

fn options(exam: &mut Exam<'_>) -> Outcome {
    let problems = lines::option_problems(exam.declared.iter().map(String::as_str));
    match problems.first() {
        None => Ok(()),
        Some(first) if problems.len() == 1 => Err(failed(first.clone())),
        Some(first) => Err(failed(format!("{first} (and {} more)", problems.len() - 1))),
    }
}

fn sets_options(exam: &mut Exam<'_>) -> Outcome {
    if exam.has_option("Hash") {
        exam.send("setoption name Hash value 16")?;
    }
    exam.send("setoption name NoSuchOption value 1")?;
    exam.ready().map(drop)
}

fn nodes(exam: &mut Exam<'_>) -> Outcome {
    const NODES: i64 = 20_000;
    let searched = exam.search(None, &[], &format!("go nodes {NODES}"))?;
    let told = searched.infos.last().and_then(|line| {
        let mut words = line.split_ascii_whitespace().skip_while(|word| *word != "nodes");
        words.nth(1)?.parse::<i64>().ok()
    });
    match told {
        Some(told) if told > 2 * NODES => {
            Err(Trouble::Warned(format!("it searched {told} nodes of {NODES}")))
        }
        _ => Ok(()),
    }
}

fn movetime(exam: &mut Exam<'_>) -> Outcome {
    let (go, time) = ("go movetime 300", Duration::from_millis(300));
    let elapsed = exam.search(None, &[], go)?.elapsed;
    in_time(go, elapsed, time)
}

fn clock(exam: &mut Exam<'_>, go: &str) -> Outcome {
    let elapsed = exam.search(None, &["e2e4"], go)?.elapsed;
    in_time(go, elapsed, Duration::from_millis(2000))
}

fn in_time(go: &str, elapsed: Duration, time: Duration) -> Outcome {
    let text = || format!("`{go}` took {} ms", elapsed.as_millis());
    match elapsed.saturating_sub(time) {
        over if over > LATE => Err(failed(text())),
        over if over > TARDY => Err(Trouble::Warned(text())),
        _ => Ok(()),
    }
}

fn infinite(exam: &mut Exam<'_>) -> Outcome {
    let go = "go infinite";
    let line = exam.position(None, &["d2d4"])?;
    exam.send(go)?;
    exam.wait_without_move(go, Duration::from_millis(300))?;
    let before = exam.ready()?;
    if before.iter().any(|line| line.starts_with("bestmove")) {
        return Err(failed("it moved at `isready`"));
    }
    exam.send("stop")?;
    let answer = exam.best_move("stop", exam.timeout)?;
    exam.note(line, answer, Duration::ZERO).map(drop)
}

fn searchmoves(exam: &mut Exam<'_>) -> Outcome {
    let searched = exam.search(None, &[], "go depth 3 searchmoves a2a3 h2h3")?;
    match answer(searched).as_str() {
        "a2a3" | "h2h3" => Ok(()),
        _ => Err(Trouble::Warned(format!("it played another move: `{}`", shown(&searched.answer)))),
    }
}

fn idle_stop(exam: &mut Exam<'_>) -> Outcome {
    exam.ready()?;
    exam.send("stop")?;
    let before = exam.ready()?;
    match before.iter().find(|line| line.starts_with("bestmove")) {
        Some(line) => Err(failed(format!("`{}` without a search", shown(line)))),
        None => Ok(()),
    }
}

/// Each with few moves, so that what is special is likely to be played.
const POSITIONS: [&str; 5] = [
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1",
    "8/P6k/8/8/8/8/8/K7 w - - 0 1",
    "7k/8/8/8/8/8/p6K/8 b - - 98 140",
    "k7/8/K7/1P6/8/8/8/8 w - - 0 1",
];

fn positions(exam: &mut Exam<'_>) -> Outcome {
    POSITIONS.iter().try_for_each(|fen| exam.search(Some(fen), &[], "go depth 4").map(drop))
}

fn notation(exam: &mut Exam<'_>) -> Outcome {
    // One that heeds `searchmoves` plays what is to be seen.
    let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let text = answer(exam.search(Some(castling), &[], "go depth 2 searchmoves e1g1")?);
    if text == "e1h1" || text == "e1a1" {
        return Err(failed(format!("castling is `{text}`, not e1g1 or e1c1")));
    }
    let promotion = "7k/P7/6K1/8/8/8/8/8 w - - 0 1";
    let text = answer(exam.search(Some(promotion), &[], "go depth 2 searchmoves a7a8q")?);
    if text.chars().any(|letter| letter.is_ascii_uppercase()) {
        return Err(Trouble::Warned(format!("`{text}` has a capital letter")));
    }
    Ok(())
}

/// Returns the move of a search as the engine wrote it.
fn answer(searched: &Searched) -> String {
    shown(searched.answer.split_ascii_whitespace().nth(1).unwrap_or(""))
}

/// Returns the last score of a search.
fn last_score(searched: &Searched) -> Result<(&str, i64), Trouble> {
    let scores = searched.infos.iter().rev().find_map(|line| lines::score(line));
    scores.ok_or_else(|| failed(format!("no score after `{}`", searched.line.command)))
}

fn scores(exam: &mut Exam<'_>) -> Outcome {
    // White has a queen more.
    for (fen, is_ahead) in [
        ("4k3/pppp4/8/8/8/8/PPPP4/3QK3 w - - 0 1", true),
        ("4k3/pppp4/8/8/8/8/PPPP4/3QK3 b - - 0 1", false),
    ] {
        let searched = exam.search(Some(fen), &[], "go depth 4")?;
        let (unit, value) = last_score(searched)?;
        if (value > 0) != is_ahead {
            let side = if is_ahead { "ahead" } else { "behind" };
            return Err(failed(format!(
                "score {unit} {value}, though the side to move is {side}, after `position fen {fen}`"
            )));
        }
    }
    Ok(())
}

fn mates(exam: &mut Exam<'_>) -> Outcome {
    for (fen, moves) in [
        ("7k/5Q2/6K1/8/8/8/8/8 w - - 0 1", 1),
        ("8/8/8/8/8/6k1/5q2/7K b - - 0 1", 1),
        ("7k/8/5QK1/8/8/8/8/8 b - - 0 1", -1),
    ] {
        let searched = exam.search(Some(fen), &[], "go depth 6")?;
        match last_score(searched)? {
            ("mate", told) if told == moves => {}
            (unit, told) => {
                return Err(failed(format!(
                    "score {unit} {told}, but mate {moves}, after `position fen {fen}`"
                )));
            }
        }
    }
    Ok(())
}

fn no_moves(exam: &mut Exam<'_>) -> Outcome {
    exam.position(Some("7k/5KQ1/8/8/8/8/8/8 b - - 0 1"), &[])?;
    let go = "go depth 1";
    exam.send(go)?;
    // The protocol does not say what to answer.
    let answer = exam.best_move(go, exam.timeout).map_err(|trouble| match trouble {
        Trouble::Failed(text) => Trouble::Warned(text),
        other => other,
    })?;
    match answer.text.split_ascii_whitespace().nth(1) {
        Some("(none)" | "0000") => Ok(()),
        _ => Err(Trouble::Warned(format!("`{}`, not `bestmove (none)`", shown(&answer.text)))),
    }
}

fn chess960(exam: &mut Exam<'_>) -> Outcome {
    if !exam.has_option("UCI_Chess960") {
        return Err(Trouble::Skipped("it has no option UCI_Chess960".to_owned()));
    }
    exam.send("setoption name UCI_Chess960 value true")?;
    let fen = "nrkbqrbn/pppppppp/8/8/8/8/PPPPPPPP/NRKBQRBN w FBfb - 0 1";
    let searched = exam.search(Some(fen), &["a2a3", "a7a6"], "go depth 3").map(drop);
    exam.send("setoption name UCI_Chess960 value false")?;
    searched
}

fn ponder(exam: &mut Exam<'_>) -> Outcome {
    if !exam.has_option("Ponder") {
        return Err(Trouble::Skipped("it has no option Ponder".to_owned()));
    }
    exam.send("setoption name Ponder value true")?;
    let go = "go ponder wtime 1000 btime 1000 winc 10 binc 10";
    for end in ["ponderhit", "stop"] {
        let line = exam.position(None, &["e2e4", "e7e5"])?;
        exam.send(go)?;
        exam.wait_without_move(go, Duration::from_millis(300))?;
        exam.send(end)?;
        let answer = exam.best_move(end, exam.timeout)?;
        exam.note(line, answer, Duration::ZERO)?;
    }
    exam.send("setoption name Ponder value false")
}

fn infos(exam: &mut Exam<'_>) -> Outcome {
    let all = || exam.searches.iter().flat_map(|searched| &searched.infos);
    if let Some(problem) = all().find_map(|line| lines::info_problem(line)) {
        return Err(failed(problem));
    }
    let warnings = exam.searches.iter().map(|searched| {
        let infos = searched.infos.iter().map(String::as_str);
        pv::check(&searched.line, infos, &searched.answer, searched.best)
    });
    if let Some(first) = warnings.flat_map(|warnings| warnings.first).next() {
        let (problem, position, line) = (first.problem, first.position, shown(&first.line));
        return Err(failed(format!("{problem} after `{position}`: `{line}`")));
    }
    let missing = |words: &[&'static str]| {
        let is_missing = |word: &&&str| !all().any(|line| lines::has_word(line, word));
        words.iter().filter(is_missing).copied().collect::<Vec<_>>().join(", ")
    };
    match (missing(&["depth", "score", "pv"]), missing(&["nodes", "time", "nps"])) {
        (needed, _) if !needed.is_empty() => Err(failed(format!("no line has {needed}"))),
        (_, wanted) if !wanted.is_empty() => Err(Trouble::Warned(format!("no line has {wanted}"))),
        _ => Ok(()),
    }
}

fn ends(exam: &mut Exam<'_>) -> Outcome {
    exam.ready()?;
    exam.send("quit")?;
    exam.wait_for_end("`quit`", false)?;
    exam.start()?;
    exam.send("position startpos")?;
    exam.send("go infinite")?;
    exam.send("quit")?;
    exam.wait_for_end("`quit` during `go infinite`", false)?;
    exam.start()?;
    exam.wait_for_end("the end of its input", true)
}
