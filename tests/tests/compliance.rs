//! Checks of UCI engines: this engine, and engines that misbehave.

use nullarbor_tests::{Tournament, engine};
use serde_json::Value;

/// Checks a stub that misbehaves at its first move of each game; returns the results by check.
fn check(mode: &str) -> Vec<(String, String, String)> {
    let folder = Tournament::new();
    let stub = env!("CARGO_BIN_EXE_stub-engine");
    let spec = format!("cmd={stub},arg={mode},arg=1,arg={}", engine().display());
    let exit = folder.run(&["compliance", &spec, "--timeout", "5", "--json", "j", "--quiet"]);
    exit.assert_no_panic();
    assert_eq!(exit.status.code(), Some(1), "{mode}: {}", exit.lines.join("\n"));
    results(&folder.json("j"))
}

fn results(json: &Value) -> Vec<(String, String, String)> {
    let text = |check: &Value, key: &str| check[key].as_str().unwrap_or_default().to_owned();
    let checks = json["checks"].as_array().expect("a list");
    let of = |it: &Value| (text(it, "name"), text(it, "result"), text(it, "note"));
    checks.iter().map(of).collect()
}

#[test]
fn this_engine_passes_all_checks() {
    let folder = Tournament::new();
    let spec = format!("cmd={}", engine().display());
    let exit = folder.run(&["compliance", &spec, "--json", "j", "--log", "l", "--timeout", "60"]);
    exit.assert_no_panic();
    let checks = results(&folder.json("j"));
    assert!(checks.len() >= 20, "{checks:?}");
    // On a machine under load a move may be late.
    let is_clock = |name: &str| ["go movetime", "go wtime", "go movestogo"].contains(&name);
    for (name, result, note) in &checks {
        let passed = result == "passed" || (result == "warned" && is_clock(name));
        assert!(passed, "{name}: {result}: {note}");
    }
    assert!(
        exit.status.success()
            && folder.json("j")["engine"].as_str().is_some_and(|it| it.contains("Nullarbor"))
    );
    let last = exit.last_line();
    assert!(last.contains(" checks: ") && last.contains(", 0 failed"), "{last}");
    assert!(folder.read("l").contains("go infinite"));
}

#[test]
fn what_an_engine_does_wrong_is_named() {
    for (mode, name, part) in [
        ("illegal", "go depth", "is no legal move"),
        ("crash", "go depth", "it ended at `go depth 5`"),
        ("illegal-pv", "info", "illegal PV move a1h8"),
        ("nonsense", "info", "no whole number"),
    ] {
        let checks = check(mode);
        let failed = checks.iter().find(|(known, ..)| known == name).expect("it is checked");
        assert_eq!(failed.1, "failed", "{mode}: {checks:?}");
        assert!(failed.2.contains(part), "{mode}: {}", failed.2);
        // What has nothing to do with it passes.
        assert!(checks.iter().any(|(name, result, _)| name == "options" && result == "passed"));
    }
}

#[test]
fn what_is_no_engine_is_told_at_once() {
    let folder = Tournament::new();
    let exit = folder.run(&["compliance", "./no-such-program", "--json", "j"]);
    assert_eq!((exit.status.code(), results(&folder.json("j")).len()), (Some(1), 1));
    assert!(exit.lines.join("\n").contains("no-such-program cannot be started"));
    assert!(folder.refuse(&["compliance", "self=1"], 1).contains("error"));
}
