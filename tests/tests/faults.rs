//! Engines that crash, hang, cheat and talk nonsense; and words that make no match.

use nullarbor_tests::{Tournament, engine};
use serde_json::Value;

const ERROR: i32 = 1;
const USAGE: i32 = 2;
const CRASHED: i32 = 3;

fn stub(mode: &str) -> String {
    let stub = env!("CARGO_BIN_EXE_stub-engine");
    format!("cmd={stub},name=stub,arg={mode},arg=3,arg={}", engine().display())
}

/// Plays two games against a stub that fails at its third move; returns its faults and the summary.
fn play(mode: &str, limit: &[&str]) -> (Value, Value) {
    let folder = Tournament::new();
    let (stub, more) =
        (stub(mode), ["--games", "2", "--json", "j", "--seed", "1", "--concurrency", "2"]);
    // Its opponent has no clock, which might run out on a busy machine.
    let opponent = "self,Hash=1,nodes=100";
    let words = Tournament::words([&stub, opponent], &[&more[..], limit].concat());
    let exit = folder.run(&words);
    exit.assert_no_panic();
    let summary = folder.json("j");
    let faults = summary["engines"][0]["faults"].clone();
    let crashed = faults["crash"] != 0 || faults["stall"] != 0;
    assert_eq!(exit.status.code(), Some(if crashed { CRASHED } else { 0 }), "{}", exit.errors);
    (faults, summary)
}

#[test]
fn each_fault_loses_the_game_and_the_match_goes_on() {
    let nodes = ["--nodes", "100"];
    for (mode, fault, limit) in [
        ("crash", "crash", &nodes[..]),
        ("illegal", "illegal_move", &nodes),
        ("wordless", "illegal_move", &nodes),
        ("hang", "stall", &["--nodes", "100", "--timeout", "1"]),
        ("hang", "stall", &["--tc", "0.2+0.01"]),
        ("deaf", "stall", &["--nodes", "100", "--patience", "1"]),
        ("deaf", "time", &["--tc", "0.2+0.01"]),
        ("flood", "stall", &["--nodes", "100", "--timeout", "1"]),
        ("late", "time", &["--tc", "0.2+0.01"]),
        ("late", "time", &["--st", "0.1", "--timemargin", "100"]),
    ] {
        let (faults, summary) = play(mode, limit);
        assert_eq!(faults[fault], 2, "{mode} {limit:?}: {summary:#}");
        assert_eq!(summary["pairings"][0]["losses"], 2, "{mode}");
        assert_eq!(summary["status"], "complete");
        let notice = &summary["engines"][0]["notices"]["faults"][0];
        let seconds = |key: &str| {
            let time = &notice["time"][key];
            Some(time["secs"].as_f64()? + time["nanos"].as_f64()? / 1e9)
        };
        match fault {
            "time" => {
                assert_eq!(notice["what"], "exceeded its time", "{mode}: {summary:#}");
                assert!(seconds("used") > seconds("allowed"), "{mode}: {notice}");
                assert!(seconds("allowed") > Some(0.15), "{mode}: {notice}");
                assert!(notice["go"].as_str().is_some_and(|it| it.starts_with("go ")), "{notice}");
            }
            _ => assert!(notice["time"].is_null(), "{mode}: {notice}"),
        }
    }
}

#[test]
fn nonsense_is_passed_over_and_lateness_forgiven_within_the_margin() {
    for (mode, limit) in [
        ("nonsense", &["--nodes", "100"][..]),
        ("late", &["--st", "0.1", "--timemargin", "2000", "--maxmoves", "8"]),
    ] {
        let (faults, summary) = play(mode, limit);
        for fault in ["time", "crash", "stall", "illegal_move"] {
            assert_eq!(faults[fault], 0, "{mode}: {summary:#}");
        }
    }
}

#[test]
fn what_cannot_be_right_in_a_search_is_counted_and_shown() {
    for (mode, problem) in [
        ("illegal-pv", "illegal PV move a1h8"),
        ("short-mate", "mate 3 takes 5 plies, but its PV has 1"),
        ("other-best", "the last PV begins with "),
        ("other-ponder", "the second move of the PV is "),
        ("illegal-ponder", "illegal ponder move a1h8"),
    ] {
        let folder = Tournament::new();
        let words =
            ["--nodes", "100", "--games", "2", "--seed", "1", "--json", "j", "--resume", "r"];
        let exit = folder.run(&Tournament::words([&stub(mode), "self,Hash=1"], &words));
        assert_eq!(exit.status.code(), Some(0), "{}", exit.errors);
        let engines = &folder.json("j")["engines"];
        // One in each game, and what the engine behind the stub may have given cause for.
        let count = engines[0]["faults"]["pv_warnings"].as_u64().expect("a number");
        assert!((2..100).contains(&count), "{mode}: {engines:#}");
        assert_eq!(engines[1]["faults"]["pv_warnings"], 0, "{mode}");
        assert!(engines[1]["notices"].is_null(), "{mode}");
        let notices = engines[0]["notices"]["pv_warnings"].as_array().expect("a list");
        let is_ours =
            |it: &&Value| it["problem"].as_str().is_some_and(|it| it.starts_with(problem));
        let notice = notices.iter().find(is_ours).expect("the one of the stub");
        let text = |key: &str| notice[key].as_str().unwrap_or_default().to_owned();
        assert!(text("position").starts_with("position fen "), "{mode}: {notice}");
        assert!(!text("line").is_empty(), "{mode}: {notice}");
        let shown = exit.lines.join("\n");
        let head = exit.lines.iter().find(|line| line.contains("Illegal")).expect("faults");
        assert!(head.trim_end().ends_with("PV"), "{shown}");
        assert!(shown.contains(&text("position")) && shown.contains(&text("problem")), "{shown}");
        // The journal has it as well.
        let again = folder.succeed(&["match", "--resume", "r", "--quiet"]);
        assert_eq!(again.lines, exit.lines);
    }
}

#[cfg(unix)]
#[test]
fn an_engine_that_ends_at_once_is_told_with_its_status() {
    let folder = Tournament::new();
    let words = Tournament::words(["cmd=/bin/false", "self,Hash=1"], &["--nodes", "100"]);
    let error = folder.refuse(&words, 1);
    assert!(error.contains("ended (exit status: 1) before it answered `uci`"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_crash_is_told_with_all_that_is_known_of_it() {
    for (mode, status) in [("panic", "exit status: 101"), ("abort", "signal: 6 (SIGABRT)")] {
        let folder = Tournament::new();
        let stub = stub(mode);
        let more = ["--nodes", "100", "--games", "4", "--seed", "1", "--json", "j", "--pgn", "p"];
        let words = Tournament::words([&stub, "self,Hash=1"], &more);
        let words: Vec<&str> = words.into_iter().filter(|word| *word != "--quiet").collect();
        let exit = folder.run(&[&words[..], &["--concurrency", "1"]].concat());
        assert_eq!(exit.status.code(), Some(CRASHED), "{}", exit.errors);
        assert!(exit.errors.contains("stub crashed or hung in 4 games"), "{}", exit.errors);
        let said = "the cat sat {on} my stack";
        let engine = &folder.json("j")["engines"][0];
        assert_eq!(engine["notices"]["faults"].as_array().map(Vec::len), Some(1), "{engine:#}");
        let notice = &engine["notices"]["faults"][0];
        assert!(notice["status"].as_str().is_some_and(|it| it.contains(status)), "{notice}");
        assert_eq!(notice["stderr"], said);
        assert_eq!(notice["go"], "go nodes 100");
        let position = notice["position"].as_str().expect("a position");
        assert!(
            position.starts_with("position fen ") && position.contains(" moves "),
            "{position}"
        );
        // While it is played, and at the end; each message once.
        let warning = format!("warning: stub crashed in game 1: {status}");
        assert_eq!(exit.errors.matches(&warning).count(), 1, "{}", exit.errors);
        for text in [&exit.errors, &exit.lines.join("\n")] {
            for part in [said, position, "go nodes 100", status] {
                assert!(text.contains(part), "no {part} in {text}");
            }
        }
        let games = folder.read("p").replace('\n', " ");
        assert_eq!(games.matches("the cat sat on my stack; position fen ").count(), 4, "{games}");
        assert!(games.contains(" disconnects}") && games.contains("; go nodes 100}"), "{games}");
    }
}

#[test]
fn a_match_can_stop_at_a_crash() {
    let folder = Tournament::new();
    let more = ["--nodes", "100", "--games", "100", "--json", "j", "--resume", "r"];
    let stop = ["--stop-on-crash", "--concurrency", "1"];
    let stub = stub("crash");
    let exit = folder.run(&Tournament::words([&stub, "self,Hash=1"], &[&more[..], &stop].concat()));
    assert_eq!(exit.status.code(), Some(CRASHED), "{}", exit.errors);
    assert!(exit.errors.contains("stopped after game 1"), "{}", exit.errors);
    assert!(exit.errors.contains("match --resume r"), "{}", exit.errors);
    assert_eq!(exit.last_line(), "Stopped: an engine crashed or hung");
    let summary = folder.json("j");
    assert_eq!(summary["status"], "stopped at a crash");
    // Without the other game of its pair it does not count, but is told.
    assert_eq!(summary["games"], 0);
    assert_eq!(summary["engines"][0]["notices"]["faults"][0]["game"], 1, "{summary:#}");
    assert_eq!(folder.read("r").lines().count(), 2);
}

#[test]
fn games_of_one_worker_are_told_one_after_another() {
    let folder = Tournament::new();
    let words = ["--nodes", "50", "--games", "6", "--seed", "1", "--verbose", "--concurrency", "1"];
    let exit = folder.succeed(&Tournament::words(["self,Hash=1", "self,Hash=1"], &words));
    let told = exit.lines.iter().filter_map(|line| line.split_once(" game "));
    let told: Vec<&str> = told.map(|(what, _)| what).take(12).collect();
    assert_eq!(told, ["Started", "Finished"].repeat(6), "{:#?}", exit.lines);
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_refused_at_once() {
    use std::os::unix::fs::symlink;
    let folder = Tournament::new();
    for name in ["zero.pgn", "zero.epd", "zero.toml", "zero"] {
        symlink("/dev/zero", folder.path(name)).expect("a link");
    }
    let play = |more: &[&str]| -> Vec<String> {
        let words =
            Tournament::words(["self,Hash=1", "self,Hash=1"], &["--nodes", "9", "--games", "2"]);
        words.iter().chain(more).map(|word| (*word).to_owned()).collect()
    };
    let words = |text: &str| text.split_ascii_whitespace().map(str::to_owned).collect();
    for command in [
        play(&["--book", "zero.pgn"]),
        play(&["--book", "zero.epd"]),
        play(&["--resume", "zero"]),
        words("spsa run zero.toml --dir run"),
        words("spsa import zero"),
        words("train --evaluate zero"),
        words("lab --suite zero.epd --depths 1 --schemes off --out lab"),
        words("lab --depths 1 --schemes zero.toml --out lab"),
        words("openings check zero.pgn"),
        words("datagen import zero --out games"),
        words("match --resume zero"),
    ] {
        let exit = folder.run(&command);
        assert!(exit.errors.contains("no regular file"), "{command:?}: {}", exit.errors);
        assert!(!exit.status.success(), "{command:?}");
        exit.assert_no_panic();
    }
}

#[test]
fn control_characters_of_others_are_escaped() {
    let folder = Tournament::new();
    folder.write("bad.epd", "\u{1b}[2Jrubbish\n");
    let more = ["--nodes", "9", "--book", "bad.epd"];
    let error = folder.refuse(&Tournament::words(["self", "self"], &more), ERROR);
    assert!(error.contains("\\u{1b}[2Jrubbish"), "{error}");
}

#[test]
fn engines_that_cannot_start_are_named() {
    let folder = Tournament::new();
    let (dead, mute) = (stub("dead"), stub("mute"));
    let engine = engine().display().to_string();
    let with_option = |option: &str| format!("cmd={engine},name=e,option.{option}");
    let (unknown, range) = (with_option("Hsah=3"), with_option("Hash=0"));
    for (spec, parts) in [
        ("cmd=./no-such-engine,name=gone", &["gone", "no-such-engine"][..]),
        (&dead, &["stub", "the cat ate my network"]),
        (&mute, &["stub", "`uci`", "10 s"]),
        (&unknown, &["engine e", "Hsah"]),
        (&range, &["engine e", "Hash", "`0`"]),
    ] {
        let words = Tournament::words([spec, "self"], &["--nodes", "9", "--games", "2"]);
        let error = folder.refuse(&words, ERROR);
        assert!(parts.iter().all(|part| error.contains(part)), "{spec}: {error}");
    }
}

#[test]
fn words_that_make_no_match_are_refused_with_the_reason() {
    let folder = Tournament::new();
    folder.write("bad.epd", "4k3/8/8/8/8/8/4P3/4K3 w - -\nnot a position\n");
    folder.write("book.xyz", "");
    let cases: [(&[&str], i32, &str); 14] = [
        (&["--nodes", "9", "--sprt", "5,0"], ERROR, "wrong order"),
        (&["--nodes", "9", "--sprt", "5"], USAGE, "5"),
        (&["--nodes", "9", "--sprt", "0,5", "--alpha", "0.9"], ERROR, "alpha"),
        (&["--nodes", "9", "--book", "no-such.epd"], ERROR, "no-such.epd"),
        (&["--nodes", "9", "--book", "bad.epd"], ERROR, "line 2"),
        (&["--nodes", "9", "--book", "book.xyz"], ERROR, "book.xyz"),
        (&["--nodes", "9", "--games", "3"], ERROR, "even"),
        (&["--nodes", "9", "--pgn", "no/such/folder.pgn"], ERROR, "no/such/folder.pgn"),
        (&["--nodes", "9", "--resume", "no/such/folder"], ERROR, "no/such/folder"),
        (&["--nodes", "9", "--json", "no/such/j", "--games", "2"], ERROR, "no/such/j"),
        (&["--games", "2"], ERROR, "--nodes"),
        (&["--nodes", "9", "--tc", "1+0"], USAGE, "--nodes"),
        (&["--tc", "soon"], USAGE, "soon"),
        (&["--nodes", "9", "--draw", "movecount=3"], USAGE, "movenumber"),
    ];
    for (more, code, part) in cases {
        let exit = folder.run(&Tournament::words(["self,Hash=1", "self,Hash=1"], more));
        assert_eq!(exit.status.code(), Some(code), "{more:?}: {}", exit.errors);
        assert!(exit.errors.contains(part), "{more:?}: {}", exit.errors);
        exit.assert_no_panic();
    }
    assert!(
        folder
            .refuse(&["match", "--engine", "self", "--nodes", "9"], ERROR)
            .contains("two engines")
    );
    // What lacks is named before what is wrong with the rest.
    assert!(folder.refuse(&["match", "--engine", "self"], ERROR).contains("two engines"));
    // Options of fastchess with one dash have a test of their own.
    for option in ["-nodes", "-concurrency=2"] {
        let error = folder.run(&["match", option, "cmd=x"]).errors;
        let name = option.split('=').next().expect("a name");
        assert!(
            error.contains(&format!("`-{name}`")) || error.contains(&format!("'-{name}'")),
            "{error}"
        );
        assert!(!error.contains("-- -"), "{error}");
    }
    let words = Tournament::words(["self,no_such_parameter=1", "self"], &["--nodes", "9"]);
    assert!(folder.refuse(&words, USAGE).contains("no_such_parameter"));
}
