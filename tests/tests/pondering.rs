//! Engines that think on their opponent's time.

use std::collections::HashMap;

use nullarbor_tests::{Tournament, engine};

const ERROR: i32 = 1;
const USAGE: i32 = 2;
const CRASHED: i32 = 3;

fn ponderer(name: &str) -> String {
    format!("cmd={},name={name},option.Hash=1,ponder=true", engine().display())
}

/// The lines that each process was sent, in order.
fn sent(log: &str) -> Vec<Vec<&str>> {
    let mut processes: HashMap<&str, Vec<&str>> = HashMap::new();
    for line in log.lines() {
        let words: Vec<&str> = line.splitn(4, ' ').collect();
        if let [_, process, "<", text] = words[..] {
            processes.entry(process).or_default().push(text);
        }
    }
    processes.into_values().collect()
}

#[test]
fn a_match_with_pondering_keeps_the_order_of_commands_and_resumes() {
    let folder = Tournament::new();
    let (a, b) = (ponderer("a"), ponderer("b"));
    let files = ["--resume", "r", "--json", "j", "--log", "l"];
    let more = ["--games", "2", "--tc", "2+0.1", "--timemargin", "5000", "--maxmoves", "12"];
    let seed = ["--seed", "1", "--concurrency", "1"];
    let words = Tournament::words([&a, &b], &[&more[..], &seed, &files].concat());
    let exit = folder.succeed(&words);
    for engine in folder.json("j")["engines"].as_array().expect("a list") {
        for fault in ["time", "crash", "stall", "illegal_move", "pv_warnings"] {
            assert_eq!(engine["faults"][fault], 0, "{engine:#}");
        }
    }
    let log = folder.read("l");
    let (mut hits, mut misses) = (0, 0);
    for commands in sent(&log) {
        let searches = commands.iter().zip(commands.iter().skip(1).chain(&["the end"]));
        for (command, &next) in searches {
            if command.starts_with("go ponder ") {
                assert!(command.contains(" wtime ") && command.contains(" btime "), "{command}");
                assert!(["ponderhit", "stop"].contains(&next), "{command}, then {next}");
            } else if *command == "ponderhit" {
                hits += 1;
                assert!(next.starts_with("position ") || next == "ucinewgame" || next == "quit");
            } else if *command == "stop" {
                misses += 1;
                assert!(next.starts_with("position ") || next == "ucinewgame" || next == "quit");
            }
        }
    }
    assert!(hits > 0 && misses > 0, "{hits} hits, {misses} misses");
    let again = folder.succeed(&["match", "--resume", "r", "--quiet"]);
    assert_eq!(again.lines, exit.lines);
    // Without pondering it is another match.
    let plain = a.replace(",ponder=true", "");
    let words = Tournament::words([&plain, &b], &[&more[..], &seed, &["--resume", "r"]].concat());
    let error = folder.refuse(&words, ERROR);
    assert!(error.contains("engines.1.ponder: true then, null now"), "{error}");
}

#[test]
fn who_fails_while_it_ponders_loses_at_its_move() {
    let stub = env!("CARGO_BIN_EXE_stub-engine");
    for (mode, fault) in [("crash", "crash"), ("hang", "stall")] {
        let folder = Tournament::new();
        // The second search of a game is the one on the opponent's time.
        let arguments = format!("arg={mode},arg=2,arg={}", engine().display());
        let stub = format!("cmd={stub},name=stub,{arguments},ponder=true");
        let more = ["--tc", "0.5+0.1", "--timemargin", "5000", "--games", "2", "--seed", "1"];
        let words = [&more[..], &["--json", "j", "--log", "l", "--concurrency", "1"]].concat();
        let exit = folder.run(&Tournament::words([&stub, "self,Hash=1"], &words));
        assert_eq!(exit.status.code(), Some(CRASHED), "{}", exit.errors);
        let summary = folder.json("j");
        assert_eq!(summary["engines"][0]["faults"][fault], 2, "{mode}: {summary:#}");
        assert_eq!(summary["pairings"][0]["losses"], 2, "{mode}");
        assert!(folder.read("l").contains("< go ponder "), "{mode}");
    }
}

#[test]
fn who_cannot_ponder_is_refused() {
    let folder = Tournament::new();
    let a = ponderer("a");
    let refused = |engines, code, more: &[&str]| {
        folder.refuse(&Tournament::words(engines, &[&["--games", "2"], more].concat()), code)
    };
    let error = refused([&a, "self"], ERROR, &["--tc", "1+0", "--each", "ponder=true"]);
    assert!(error.contains("`self` does not ponder"), "{error}");
    let error = refused([&a, "self,ponder=true"], USAGE, &["--tc", "1+0"]);
    assert!(error.contains("`self` does not ponder"), "{error}");
    let error = refused([&a, "self"], ERROR, &["--nodes", "9"]);
    assert!(error.contains("engine 1: ponder=true needs a clock"), "{error}");
    if cfg!(target_os = "linux") {
        let error = refused([&a, "self"], ERROR, &["--tc", "1+0", "--affinity"]);
        assert!(error.contains("a ponders"), "{error}");
    }
}
