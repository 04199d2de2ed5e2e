//! Standard output and standard error that cannot be written, and signals that are ignored.

#![cfg(target_os = "linux")]

use std::process::{Command, Output};

use nullarbor_tests::{Tournament, tuner};

const MATCH: &[&str] = &[
    "match",
    "--engine",
    "self,Hash=1",
    "--engine",
    "self,Hash=1",
    "--nodes",
    "50",
    "--json",
    "j",
];

/// Runs a script in which `"$@"` is the tuner with words.
fn run(folder: &Tournament, script: &str, words: &[&str]) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh"]).arg(tuner()).args(words);
    command.current_dir(folder.path("")).output().expect("a shell")
}

#[test]
fn messages_that_cannot_be_written_end_no_run() {
    let folder = Tournament::new();
    let output = run(&folder, "exec \"$@\" 2>/dev/full", &[MATCH, &["--games", "4"]].concat());
    assert!(output.status.success(), "{output:?}");
    assert_eq!(folder.json("j")["games"], 4);
    // Nor do they hide how it ended.
    let output = run(&folder, "exec \"$@\" 2>/dev/full", &["match", "--resume", "none"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}

#[test]
fn a_result_that_cannot_be_written_is_an_error() {
    let folder = Tournament::new();
    let init = ["spsa", "init", "--group", "null_move"];
    let play = [MATCH, &["--games", "4", "--verbose"]].concat();
    for words in [&init[..], &play, &["completions", "bash"]] {
        let output = run(&folder, "exec \"$@\" >/dev/full", words);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains("error: standard output: "), "{errors}");
    }
    assert_eq!(folder.json("j")["games"], 4, "the match was played to its end");
    // A reader that has seen enough is none.
    let output = run(&folder, "{ sleep 0.2; \"$@\"; echo $? >code; } | true", &init);
    assert_eq!((folder.read("code").trim(), output.stderr.len()), ("0", 0));
}

/// As under `nohup`, and in the background of a script.
#[test]
fn signals_that_are_ignored_at_the_start_stay_ignored() {
    let folder = Tournament::new();
    let script = "trap '' HUP INT; \"$@\" & sleep 0.3; kill -HUP $!; kill -INT $!; wait $!";
    let output = run(&folder, script, &[MATCH, &["--games", "400", "--quiet"]].concat());
    assert!(output.status.success(), "{output:?}");
    assert_eq!(folder.json("j")["games"], 400);
}
