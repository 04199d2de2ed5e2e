//! Standard output and standard error that cannot be written: the tuner goes on with what nobody reads, and says what is lost.

#![cfg(target_os = "linux")]

use std::process::{Command, Output};

use nullarbor_tests::{Tournament, tuner};

const MATCH: [&str; 10] = [
    "--engine",
    "self,Hash=1",
    "--engine",
    "self,Hash=1",
    "--nodes",
    "50",
    "--games",
    "4",
    "--seed",
    "1",
];

/// Runs the tuner with the words that a shell adds behind its command line, such as redirections.
fn run(folder: &Tournament, words: &[&str], behind: &str) -> Output {
    let script = format!("exec \"$0\" \"$@\" {behind}");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).arg(tuner()).args(words).current_dir(folder.path(""));
    command.output().expect("a shell")
}

#[test]
fn messages_that_cannot_be_written_end_no_run() {
    let folder = Tournament::new();
    let words = [&["match"], &MATCH[..], &["--json", "j"]].concat();
    let output = run(&folder, &words, "2>/dev/full");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(folder.json("j")["games"], 4);
    // Nor do they hide how it ended.
    let output = run(&folder, &["match", "--resume", "none"], "2>/dev/full");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}
