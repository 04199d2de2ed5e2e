//! Engines that crash, hang, cheat and talk nonsense; and words that make no match.

use nullarbor_tests::{Tournament, engine};
use serde_json::Value;

const ERROR: i32 = 1;
const USAGE: i32 = 2;

fn stub(mode: &str) -> String {
    let stub = env!("CARGO_BIN_EXE_stub-engine");
    format!("cmd={stub},name=stub,arg={mode},arg=3,arg={}", engine().display())
}

/// Plays two games against a stub that fails at its third move; returns its faults and the summary.
fn play(mode: &str, limit: &[&str]) -> (Value, Value) {
    let folder = Tournament::new();
    let (stub, more) =
        (stub(mode), ["--games", "2", "--json", "j", "--seed", "1", "--concurrency", "2"]);
    folder.succeed(&Tournament::words([&stub, "self,Hash=1"], &[&more[..], limit].concat()));
    let summary = folder.json("j");
    (summary["engines"][0]["faults"].clone(), summary)
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
    let words = Tournament::words(["self,no_such_parameter=1", "self"], &["--nodes", "9"]);
    assert!(folder.refuse(&words, USAGE).contains("no_such_parameter"));
}
