//! The protocol: greeting, options, positions, and the end of a session.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use nullarbor_tests::{Dialogue, PATIENCE, Process, START, is_error};

/// The options as `uci` lists them: name and the rest of the line.
fn options() -> Vec<(String, String)> {
    let mut process = Process::start::<&str>(&[]);
    process.send("uci");
    let lines = process.read_until("uciok", PATIENCE, |line| line == "uciok");
    let option = |line: &str| {
        let (name, rest) = line.strip_prefix("option name ")?.split_once(" type ")?;
        Some((name.to_owned(), rest.to_owned()))
    };
    lines.iter().filter_map(|line| option(&line.text)).collect()
}

fn option(name: &str) -> String {
    let found = options().into_iter().find(|(listed, _)| listed == name);
    found.unwrap_or_else(|| panic!("no option {name}")).1
}

/// Default, minimum and maximum of a spin option.
fn spin(name: &str) -> [u64; 3] {
    let text = option(name);
    let words: Vec<&str> = text.split(' ').collect();
    let value = |word: &str| {
        words.iter().position(|at| *at == word).and_then(|at| words.get(at + 1)?.parse().ok())
    };
    assert_eq!(words[0], "spin", "{name} {text}");
    ["default", "min", "max"]
        .map(|word| value(word).unwrap_or_else(|| panic!("{name}: no {word} in {text}")))
}

#[test]
fn greets_with_name_author_and_options() {
    let mut process = Process::start::<&str>(&[]);
    process.send("uci");
    let lines = process.read_until("uciok", PATIENCE, |line| line == "uciok");
    let starts = |word: &str| lines.iter().filter(|line| line.text.starts_with(word)).count();
    assert_eq!(starts("id name Nullarbor"), 1, "{lines:#?}");
    assert_eq!(starts("id author "), 1, "{lines:#?}");
    assert_eq!(
        starts("option name ") + 3,
        lines.iter().filter(|line| !line.text.is_empty()).count(),
        "{lines:#?}"
    );
}

#[test]
fn lists_each_option_once() {
    let names: Vec<String> = options().into_iter().map(|(name, _)| name).collect();
    let different: HashSet<&String> = names.iter().collect();
    assert_eq!(different.len(), names.len(), "{names:?}");
    let wanted = [
        "Hash",
        "Threads",
        "Clear Hash",
        "MultiPV",
        "Ponder",
        "Move Overhead",
        "NullMove",
        "EvalFile",
        "SyzygyPath",
        "SyzygyProbeDepth",
        "SyzygyProbeLimit",
        "Syzygy50MoveRule",
        "Debug Log File",
        "UCI_Chess960",
        "UCI_Elo",
        "UCI_LimitStrength",
        "UCI_ShowWDL",
    ];
    for name in wanted {
        assert!(names.iter().any(|listed| listed == name), "no {name} in {names:?}");
    }
    // Parameters of the search are options of tuning builds alone.
    assert_eq!(names.len(), wanted.len(), "{names:?}");
}

#[test]
fn options_state_type_default_and_range() {
    let [default, minimum, maximum] = spin("Hash");
    assert!(
        minimum == 1 && default >= 16 && maximum >= 65_536,
        "Hash {default} {minimum} {maximum}"
    );
    assert_eq!(spin("Threads"), [1, 1, 1024]);
    let [default, minimum, maximum] = spin("MultiPV");
    assert!(
        default == 1 && minimum == 1 && maximum >= 218,
        "MultiPV {default} {minimum} {maximum}"
    );
    let [default, minimum, maximum] = spin("Move Overhead");
    assert!(
        minimum == 0 && default <= 100 && maximum >= 1000,
        "Move Overhead {default} {minimum} {maximum}"
    );
    assert_eq!(option("Clear Hash"), "button");
    assert!(option("NullMove").starts_with("combo default nullarbor var nullarbor var off var "));
    assert_eq!(spin("SyzygyProbeDepth"), [1, 1, 100]);
    assert_eq!(spin("SyzygyProbeLimit"), [7, 0, 7]);
    assert_eq!(option("Syzygy50MoveRule"), "check default true");
    for name in ["EvalFile", "SyzygyPath", "Debug Log File"] {
        assert_eq!(option(name), "string default <empty>", "{name}");
    }
    for name in ["Ponder", "UCI_Chess960", "UCI_LimitStrength", "UCI_ShowWDL"] {
        assert_eq!(option(name), "check default false", "{name}");
    }
}

#[test]
fn every_option_takes_its_limits() {
    let mut dialogue = Dialogue::start();
    for (name, values) in [
        ("Hash", ["1", "64"]),
        ("Threads", ["2", "1"]),
        ("MultiPV", ["200", "1"]),
        ("Move Overhead", ["0", "1000"]),
        ("NullMove", ["verified", "nullarbor"]),
        ("Ponder", ["true", "false"]),
        ("UCI_Chess960", ["true", "false"]),
        ("UCI_Elo", ["1000", "2600"]),
        ("UCI_LimitStrength", ["true", "false"]),
        ("UCI_ShowWDL", ["true", "false"]),
    ] {
        values.iter().for_each(|value| dialogue.set(name, value));
    }
    dialogue.accept("setoption name Clear Hash");
    // Names are matched without regard to case, and values may have spaces around them.
    dialogue.accept("setoption name hash value 16");
    dialogue.accept("  setoption   name  move overhead  value   10  ");
    assert!(!dialogue.go("depth 4").infos.is_empty());
    dialogue.quit();
}

#[test]
fn position_takes_moves() {
    let mut dialogue = Dialogue::start();
    dialogue.position("startpos moves e2e4 c7c5 g1f3");
    let after = dialogue.board();
    assert_eq!(after.fen, "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2");
    dialogue
        .position("fen rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2 moves g1f3");
    assert_eq!(dialogue.board(), after);
    // Without its two counters a FEN is still taken, as from an EPD.
    dialogue.position("fen rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq -");
    assert_eq!(dialogue.board().key, after.key);
    dialogue.position("startpos");
    assert_eq!(dialogue.board().fen, START);
    dialogue.fen("8/P6k/8/8/8/8/8/7K w - - 0 1 moves a7a8n");
    assert_eq!(dialogue.board().fen, "N7/7k/8/8/8/8/8/7K b - - 0 1");
    dialogue.quit();
}

#[test]
fn d_shows_check() {
    let mut dialogue = Dialogue::start();
    assert_eq!(dialogue.board().checkers, Vec::<String>::new());
    dialogue.fen("4k3/8/3N4/8/8/8/4R3/4K3 b - - 0 1");
    let mut checkers = dialogue.board().checkers;
    checkers.sort();
    assert_eq!(checkers, ["d6", "e2"]);
    dialogue.quit();
}

#[test]
fn eval_answers() {
    let mut dialogue = Dialogue::start();
    let lines = dialogue.command("eval");
    assert!(!lines.is_empty() && !lines.iter().any(|line| is_error(line)), "{lines:#?}");
    dialogue.quit();
}

#[test]
fn perft_without_go_counts_too() {
    let mut dialogue = Dialogue::start();
    dialogue.process.send("perft 3");
    let end = |line: &str| line.starts_with("Nodes searched:");
    let lines = dialogue.process.read_until("Nodes searched", PATIENCE, end);
    assert_eq!(lines[lines.len() - 1].text, "Nodes searched: 8902");
    dialogue.quit();
}

#[test]
fn the_log_has_both_directions_and_never_replaces_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("traffic.log");
    let start =
        |path: &std::path::Path| format!("setoption name Debug Log File value {}", path.display());
    for round in 1..=2 {
        let mut dialogue = Dialogue::start();
        dialogue.accept(&start(&log));
        dialogue.go("depth 2");
        dialogue.accept("setoption name Debug Log File value <empty>");
        dialogue.command("d");
        dialogue.quit();
        let text = std::fs::read_to_string(&log).expect("a log");
        let count = |part: &str| text.matches(part).count();
        assert_eq!(count("# Nullarbor log"), round, "{text}");
        assert_eq!((count("> go depth 2"), count("< bestmove")), (round, round), "{text}");
        assert_eq!(count("Fen:"), 0, "{text}");
    }
    // Neither a file of somebody else nor a device is touched.
    let games = folder.path().join("games.pgn");
    std::fs::write(&games, "[Event \"mine\"]\n").expect("a file");
    let mut dialogue = Dialogue::start();
    dialogue.refuse(&start(&games));
    dialogue.refuse(&start(folder.path()));
    dialogue.refuse(&start(&folder.path().join("no/such/folder")));
    dialogue.quit();
    assert_eq!(std::fs::read_to_string(&games).expect("a file"), "[Event \"mine\"]\n");
}

#[test]
fn new_game_keeps_options_and_sets_nothing_else() {
    let mut dialogue = Dialogue::start();
    dialogue.set("MultiPV", "2");
    dialogue.new_game();
    dialogue.position("startpos");
    assert_eq!(dialogue.go("depth 3").infos.iter().map(|info| info.rank).max(), Some(2));
    dialogue.quit();
}

#[test]
fn quit_ends_even_a_search() {
    Dialogue::start().quit();
    let mut dialogue = Dialogue::start();
    dialogue.begin("infinite");
    dialogue.process.read_for(Duration::from_millis(50));
    let since = Instant::now();
    dialogue.quit();
    assert!(since.elapsed() < Duration::from_secs(2), "quit took {:?}", since.elapsed());
}

#[test]
fn end_of_input_ends_even_a_search() {
    let limit = Duration::from_secs(5);
    Dialogue::start().hang_up(limit).assert_clean();
    let mut dialogue = Dialogue::start();
    dialogue.begin("infinite");
    dialogue.hang_up(limit).assert_clean();
    // A last line without an end is still a line.
    let mut process = Process::start::<&str>(&[]);
    process.send_bytes(b"uci");
    process.close_input();
    let exit = process.finish(limit);
    exit.assert_clean();
    assert_eq!(exit.last_line(), "uciok");
}

#[test]
fn carriage_returns_are_no_part_of_a_word() {
    let mut process = Process::start::<&str>(&[]);
    process.send_bytes(b"uci\r\nposition startpos moves e2e4\r\nisready\r\n");
    let lines = process.read_until("readyok", PATIENCE, |line| line == "readyok");
    assert!(!lines.iter().any(|line| is_error(&line.text)), "{lines:#?}");
}
