//! The signature: the same search on every run, in every build, and the number that the repository records.

use std::fs;
use std::time::Duration;

use nullarbor_tests::{Exit, repository_root, run};

/// A full bench takes seconds in a release build, and several times that in a test build on a loaded machine.
const LIMIT: Duration = Duration::from_secs(180);

/// Shallow enough to be run many times.
const SHALLOW: &str = "6";

fn bench(arguments: &[&str]) -> Exit {
    let exit = run(&[&["bench"], arguments].concat(), LIMIT);
    exit.assert_clean();
    exit
}

/// The signature in the last line, `N nodes M nps`.
fn nodes(exit: &Exit) -> u64 {
    let last = exit.last_line();
    let [nodes, "nodes", speed, "nps"] = last.split_whitespace().collect::<Vec<_>>()[..] else {
        panic!("not `N nodes M nps`: {last}");
    };
    assert!(speed.parse::<u64>().is_ok_and(|speed| speed > 0), "no speed: {last}");
    nodes.parse().unwrap_or_else(|_| panic!("no number of nodes: {last}"))
}

#[test]
fn signature_is_the_recorded_one() {
    let path = repository_root().join(".bench");
    let recorded =
        fs::read_to_string(&path).expect("a recorded signature: `make bench-record` writes it");
    let found = nodes(&bench(&[]));
    assert_eq!(
        found.to_string(),
        recorded.trim(),
        "the search has changed: if it was meant to, `make bench-record` records the new signature"
    );
}

#[test]
fn every_run_is_the_same() {
    let first = nodes(&bench(&[SHALLOW]));
    assert_eq!(nodes(&bench(&[SHALLOW])), first);
    assert_eq!(nodes(&bench(&[SHALLOW, "--hash", "16", "--threads", "1"])), first);
}

#[test]
fn less_depth_is_a_smaller_tree() {
    let [four, five, six] = ["4", "5", SHALLOW].map(|depth| nodes(&bench(&[depth])));
    assert!(0 < four && four < five && five < six, "{four} {five} {six}");
}

#[test]
fn table_and_threads_can_be_set() {
    let one = nodes(&bench(&[SHALLOW]));
    let two = nodes(&bench(&[SHALLOW, "--threads", "2", "--hash", "32"]));
    // A second thread searches on its own: the sum is larger than that of one.
    assert!(two > one, "one thread {one}, two threads {two}");
}

#[test]
fn null_moves_are_counted() {
    let exit = bench(&[SHALLOW]);
    let line = exit.lines.iter().find(|line| line.to_lowercase().contains("null move"));
    let line = line.unwrap_or_else(|| panic!("no line on null moves in {:#?}", exit.lines));
    // Percentages may stand beside them: whole words that are whole numbers are the counts.
    let number = |word: &str| word.trim_matches(',').parse().ok();
    let counts: Vec<u64> = line.split_whitespace().filter_map(number).collect();
    let [attempts, cutoffs, verifications, ..] = counts[..] else {
        panic!("not attempts, cutoffs and verifications: {line}");
    };
    assert!(attempts > cutoffs && cutoffs > 0 && verifications <= attempts, "{line}");
}
