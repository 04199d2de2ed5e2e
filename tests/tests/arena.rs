//! Matches: determinism, statistics, files, and the ends that they come to.

use std::process::Command;
use std::time::Duration;

use nullarbor_tests::{Tournament, engine};
use serde_json::Value;

fn external() -> String {
    format!("cmd={},name=piped,option.Hash=1", engine().display())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("no number: {value}"))
}

#[test]
fn one_seed_gives_one_match_with_any_number_of_workers() {
    let folder = Tournament::new();
    let play = |workers, seed, json| {
        let words = ["--nodes", "200", "--games", "16", "--json", json];
        let more = ["--seed", seed, "--concurrency", workers];
        let words = Tournament::words(
            ["self,Hash=1", "self,Hash=1,NullMove=off"],
            &[&words[..], &more].concat(),
        );
        folder.succeed(&words);
        folder.read(json)
    };
    let alone = play("1", "5", "a");
    assert_eq!(alone, play("3", "5", "b"), "three workers play another match");
    assert_ne!(alone, play("3", "6", "c"), "the seed changes nothing");
}

#[test]
fn a_game_in_process_is_the_game_of_the_binary() {
    let folder = Tournament::new();
    let digest = |engines: [&str; 2], json| {
        let words = ["--nodes", "600", "--games", "8", "--seed", "2", "--json", json];
        folder.succeed(&Tournament::words(engines, &words));
        text(&folder.json(json)["games_digest"]).to_owned()
    };
    let piped = external();
    let inside = digest(["self,Hash=1", "self,Hash=1"], "a");
    assert_eq!(inside, digest([&piped, "self,Hash=1"], "b"));
    assert_eq!(inside, digest([&piped, &piped], "c"));
}

#[test]
fn the_test_ends_the_match_with_the_stronger_side() {
    let folder = Tournament::new();
    let (strong, weak) = ("self,Hash=1,nodes=800", "self,Hash=1,nodes=40");
    for (engines, verdict) in [([strong, weak], "H1"), ([weak, strong], "H0")] {
        let words = ["--sprt", "0,50", "--seed", "1", "--json", "j"];
        let exit = folder.succeed(&Tournament::words(engines, &words));
        assert_eq!(exit.last_line(), format!("SPRT: {verdict} was accepted"));
        let summary = folder.json("j");
        assert_eq!(summary["status"], format!("{verdict} accepted"));
        assert_eq!(summary["pairings"][0]["sprt"]["verdict"], verdict.to_lowercase());
        let games = number(&summary["games"]);
        assert!((8..400).contains(&games), "{games}");
    }
}

#[test]
fn results_are_printed_in_the_usual_lines() {
    let folder = Tournament::new();
    let words = ["--nodes", "100", "--games", "10", "--seed", "1", "--sprt", "0,5"];
    let exit =
        folder.succeed(&Tournament::words(["self,Hash=1,name=A", "self,Hash=1,name=B"], &words));
    let begins = |start: &str| {
        let line = exit.lines.iter().find(|line| line.starts_with(start));
        line.unwrap_or_else(|| panic!("no {start} in {:#?}", exit.lines)).clone()
    };
    assert_eq!(begins("Results of"), "Results of A vs B (100 nodes, 1t, 1MB, unbalanced):");
    assert!(begins("Elo:").contains("nElo:"));
    assert!(begins("LOS:").contains("PairsRatio:"));
    assert!(begins("Games: 10, Wins:").contains("Points: "));
    assert!(begins("Ptnml(0-2): [").contains("WL/DD Ratio:"));
    assert!(begins("LLR: ").ends_with("(-2.94, 2.94) [0.00, 5.00]"));
}

#[test]
fn formats_play_the_games_that_they_promise() {
    let folder = Tournament::new();
    for (format, pairings) in [("gauntlet", 2), ("round-robin", 3)] {
        let words = [
            "match",
            "--engine",
            "self,Hash=1",
            "--engine",
            "self,Hash=1",
            "--engine",
            "self,Hash=1",
        ];
        let more = ["--depth", "2", "--games", "4", "--format", format, "--json", "j", "--quiet"];
        folder.succeed(&[&words[..], &more].concat());
        let summary = folder.json("j");
        assert_eq!(number(&summary["games"]), 4 * pairings);
        assert_eq!(summary["pairings"].as_array().map(Vec::len), Some(pairings as usize));
        let names: Vec<&str> = summary["engines"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|e| text(&e["name"]))
            .collect();
        assert_eq!(names, ["self", "self-2", "self-3"]);
    }
}

#[test]
fn games_are_written_as_pgn_that_is_a_book_again() {
    let folder = Tournament::new();
    let piped = external();
    let words = ["--tc", "0.3+0.01", "--games", "4", "--maxmoves", "20", "--pgn", "games.pgn"];
    folder.succeed(&Tournament::words([&piped, "self,Hash=1"], &words));
    let pgn = folder.read("games.pgn");
    assert_eq!(pgn.matches("[Event ").count(), 4);
    for part in
        ["[White \"piped\"]", "[TimeControl \"0.3+0.01\"]", "[Round \"2.1\"]", "s, sd=", ", n="]
    {
        assert!(pgn.contains(part), "no {part} in\n{pgn}");
    }
    let words = ["--nodes", "50", "--games", "2", "--book", "games.pgn", "--book-plies", "8"];
    folder.succeed(&Tournament::words(["self,Hash=1", &piped], &words));
    let again = Tournament::words(
        [&piped, "self,Hash=1"],
        &["--nodes", "50", "--games", "2", "--pgn", "games.pgn"],
    );
    assert!(folder.refuse(&again, 1).contains("games.pgn"));
    assert_eq!(folder.read("games.pgn"), pgn, "games of another match were lost");
}

#[test]
fn chess960_is_played_where_the_book_needs_it() {
    let folder = Tournament::new();
    let piped = external();
    let words = [
        "--nodes", "300", "--games", "20", "--book", "chess960", "--seed", "3", "--json", "j",
        "--pgn", "p",
    ];
    folder.succeed(&Tournament::words([&piped, "self,Hash=1"], &words));
    assert!(folder.read("p").contains("[Variant \"Chess960\"]"));
    let summary = folder.json("j");
    assert_eq!(summary["engines"][0]["faults"]["illegal_move"], 0);
    assert_eq!(summary["engines"][1]["faults"]["illegal_move"], 0);
    // The same engine on both sides: castling told wrongly would show.
    assert_eq!(summary["pairings"][0]["wins"], summary["pairings"][0]["losses"]);
}

#[test]
fn without_a_clock_no_opening_is_played_twice() {
    let folder = Tournament::new();
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    folder.write("two.epd", &format!("{start}\n4k3/4p3/8/8/8/8/4P3/4K3 w - -\n"));
    // The first and the last are the same position by other ways.
    folder.write("three.pgn", "1. e3 e6 2. Nf3 *\n\n1. d4 *\n\n1. Nf3 e6 2. e3 *\n");
    let play = |book, limit: &[&str]| {
        let words = ["--games", "12", "--book", book, "--json", "j", "--maxmoves", "3"];
        folder.succeed(&Tournament::words(
            ["self,Hash=1", "self,Hash=1"],
            &[&words[..], limit].concat(),
        ));
        number(&folder.json("j")["games"])
    };
    for book in ["two.epd", "three.pgn"] {
        assert_eq!(play(book, &["--nodes", "50"]), 4, "{book}");
        assert_eq!(play(book, &["--st", "0.02"]), 12, "{book}");
    }
    // A reader is told, and the page of the match has its openings.
    let words =
        "match --engine self --engine self --nodes 50 --book three.pgn --games 4 --resume r";
    let exit = folder.succeed(&words.split(' ').collect::<Vec<_>>());
    assert!(exit.errors.contains("1 of 3 openings end in the position of another one"));
    folder.succeed(&["match", "report", "r", "--out", "page"]);
    assert!(!folder.read("page").contains("the book has other openings today"));
}

#[test]
fn adjudication_is_named() {
    let folder = Tournament::new();
    folder.write("won.epd", "4k3/8/8/8/8/8/8/QQ2K3 w - -\n");
    folder.write("even.epd", "4k3/4p3/8/8/8/8/4P3/4K3 w - -\n");
    let play = |book, rule: &[&str]| -> Value {
        let words = ["--nodes", "1000", "--games", "2", "--book", book, "--json", "j"];
        folder.succeed(&Tournament::words(
            ["self,Hash=1", "self,Hash=1"],
            &[&words[..], rule].concat(),
        ));
        folder.json("j")["ends"].clone()
    };
    let won = |rule: &[&str]| play("won.epd", rule);
    assert_eq!(won(&[])["checkmate"], 2);
    assert_eq!(won(&["--resign", "movecount=1,score=300"])["win by adjudication"], 2);
    assert_eq!(won(&["--maxmoves", "1"])["length"], 2);
    let draw = ["--draw", "movenumber=0,movecount=1,score=1000"];
    assert_eq!(play("even.epd", &draw)["draw by adjudication"], 2);
}

#[cfg(unix)]
#[test]
fn ctrl_c_finishes_the_games_and_a_second_one_does_not() {
    // One press lets the games end, so they are short; two do not, so they are long.
    for (presses, tc) in [(1, "1+0.01"), (2, "2+0.02")] {
        let folder = Tournament::new();
        let words = [
            "--tc",
            tc,
            "--games",
            "100",
            "--concurrency",
            "2",
            "--resume",
            "r",
            "--json",
            "j",
            "--pgn",
            "p",
        ];
        let piped = external();
        let process = folder.start(&Tournament::words([&piped, "self,Hash=1"], &words));
        // On a busy machine the engines take a while to start.
        while folder.path("r").metadata().map_or(0, |file| file.len()) == 0 {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(500));
        let begun = std::time::Instant::now();
        for _ in 0..presses {
            nullarbor_tests::interrupt(&process);
            std::thread::sleep(Duration::from_millis(200));
        }
        let exit = process.finish(Duration::from_secs(60));
        assert_eq!(exit.status.code(), Some(130), "{}", exit.errors);
        exit.assert_no_panic();
        let records = folder.read("r").lines().count() - 1;
        if presses == 1 {
            assert!((1..=4).contains(&records), "{records} games");
            assert_eq!(folder.json("j")["status"], "interrupted");
            assert_eq!(folder.read("p").matches("[Event ").count(), records);
        } else {
            assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
        }
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_ends_the_match_and_loses_nothing() {
    let folder = Tournament::new();
    let words = |more: &[&str]| -> Vec<String> {
        let common = ["--nodes", "100", "--games", "40", "--seed", "1"];
        let words = Tournament::words(["self,Hash=1", "self,Hash=1"], &[&common, more].concat());
        words.into_iter().map(str::to_owned).collect()
    };
    folder.succeed(&words(&["--json", "whole"]));
    // A limit on the size of files does what a full disk does, for this process alone.
    let line = words(&["--resume", "r"]).join(" ");
    let tuner = nullarbor_tests::tuner();
    let script = format!("trap '' XFSZ; ulimit -f 4; exec {} {line}", tuner.display());
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(folder.path(""))
        .output()
        .expect("a shell");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("error: r: "), "{errors}");
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(shown.contains("Ended by an error") && shown.contains("Ptnml"), "{shown}");
    let kept = folder.read("r");
    assert!(kept.ends_with('\n') && (3..40).contains(&kept.lines().count()), "{kept}");
    folder.succeed(&words(&["--json", "mended", "--resume", "r"]));
    assert!(folder.read("r").starts_with(&kept));
    assert_eq!(folder.read("whole"), folder.read("mended"));
}

#[test]
fn games_can_be_watched_as_they_begin_and_end() {
    let folder = Tournament::new();
    let words = ["--nodes", "50", "--games", "4", "--seed", "1", "--verbose", "--concurrency", "1"];
    let engines = ["self,Hash=1,name=A", "self,Hash=1,name=B"];
    let exit = folder.succeed(&Tournament::words(engines, &words));
    assert_eq!(exit.lines[0], "Started game 1 of 4 (A vs B)");
    let last = exit.lines.iter().find(|line| line.starts_with("Finished game 4 (B vs A): "));
    let last = last.unwrap_or_else(|| panic!("{:#?}", exit.lines));
    assert!(last.contains(" {") && last.ends_with('}'), "{last}");
}

#[test]
fn engines_have_options_in_common_and_games_a_head() {
    let folder = Tournament::new();
    let engine = format!("cmd={},name=pipe", engine().display());
    folder.write("book.pgn", "[ECO \"B12\"]\n[Opening \"Caro-Kann\"]\n\n1. e4 c6 *\n");
    let words = [
        "match",
        "--engine",
        "self,name=own",
        "--engine",
        &engine,
        "--each",
        "option.Hash=2,nodes=60",
        "--book",
        "book.pgn",
        "--event",
        "Cup \"A\"",
        "--site",
        "here",
        "--pgn",
        "games.pgn",
        "--log",
        "log",
        "--quiet",
        "--json",
        "j",
    ];
    folder.succeed(&words);
    let games = folder.read("games.pgn");
    for tag in
        ["[Event \"Cup \\\"A\\\"\"]", "[Site \"here\"]", "[ECO \"B12\"]", "[Opening \"Caro-Kann\"]"]
    {
        assert_eq!(games.matches(tag).count(), 2, "{tag}: {games}");
    }
    for game in games.split("[Event ").skip(1) {
        let (tags, text) = game.split_once("\n\n").expect("tags and moves");
        let moves: String = text.split('}').filter_map(|part| part.split('{').next()).collect();
        let words = moves.split_whitespace().filter(|word| !word.ends_with('.')).count();
        // The last word is the result.
        assert!(tags.contains(&format!("[PlyCount \"{}\"]", words - 1)), "{game}");
    }
    let log = folder.read("log");
    for part in
        ["pipe#1 < setoption name Hash value 2", "pipe#1 > uciok", " < go nodes 60", " > bestmove "]
    {
        assert!(log.contains(part), "{part}: {log}");
    }
    assert_eq!(folder.json("j")["settings"]["engines"][0]["hash"], 2);
}

#[test]
fn a_round_robin_has_ratings_and_a_crosstable() {
    let folder = Tournament::new();
    let words = [
        "match",
        "--engine",
        "self,nodes=400",
        "--engine",
        "self,nodes=200",
        "--engine",
        "self,nodes=100",
        "--each",
        "Hash=1",
        "--games",
        "12",
        "--seed",
        "3",
        "--quiet",
        "--json",
        "j",
    ];
    let lines = folder.succeed(&words).lines;
    assert!(lines.iter().any(|line| line.contains("maximum likelihood")), "{lines:?}");
    let ratings: Vec<f64> = (0..3)
        .filter_map(|number| folder.json("j")["engines"][number]["rating"]["value"].as_f64())
        .collect();
    assert_eq!(ratings.len(), 3);
    assert!(ratings.iter().sum::<f64>().abs() < 1e-6, "{ratings:?}");
}
