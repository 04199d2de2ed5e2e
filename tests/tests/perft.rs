//! Move generation against published counts, through the protocol and through the command line.

use std::collections::HashSet;
use std::thread;
use std::time::Duration;

use nullarbor_tests::{Dialogue, KIWIPETE, divide, run};

/// Positions in the data file, so that none is lost unseen.
const STANDARD: usize = 59;
const CHESS960: usize = 64;

struct Case {
    depth: u32,
    nodes: u64,
    fen: &'static str,
}

fn cases(rules: &str) -> Vec<Case> {
    let lines = include_str!("../data/perft.txt").lines().filter(|line| !line.starts_with('#'));
    let case = |line: &'static str| {
        let [kind, depth, nodes, fen] = line.splitn(4, ' ').collect::<Vec<_>>()[..] else {
            panic!("malformed: {line}");
        };
        assert!(["standard", "chess960"].contains(&kind), "malformed: {line}");
        let number = |word: &str| word.parse().unwrap_or_else(|_| panic!("malformed: {line}"));
        let depth = u32::try_from(number(depth)).expect("a small depth");
        (kind == rules).then(|| Case { depth, nodes: number(nodes), fen })
    };
    lines.filter_map(case).collect()
}

fn count(dialogue: &mut Dialogue, cases: &[Case]) {
    for Case { depth, nodes, fen } in cases {
        dialogue.fen(fen);
        let perft = dialogue.perft(*depth);
        assert_eq!(perft.nodes, *nodes, "perft {depth} of {fen}");
        assert_eq!(
            perft.moves.iter().map(|(_, count)| count).sum::<u64>(),
            *nodes,
            "the moves of {fen}"
        );
        let names: HashSet<&String> = perft.moves.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), perft.moves.len(), "a move of {fen} stands twice");
    }
}

#[test]
fn standard_positions() {
    let cases = cases("standard");
    assert_eq!(cases.len(), STANDARD);
    let mut dialogue = Dialogue::start();
    count(&mut dialogue, &cases);
    dialogue.quit();
}

#[test]
fn chess960_positions() {
    let cases = cases("chess960");
    assert_eq!(cases.len(), CHESS960);
    let mut dialogue = Dialogue::chess960();
    count(&mut dialogue, &cases);
    dialogue.quit();
}

#[test]
fn standard_positions_are_chess960_positions_too() {
    let cases: Vec<Case> =
        cases("standard").into_iter().filter(|case| case.nodes < 200_000).collect();
    assert!(cases.len() > 20);
    let mut dialogue = Dialogue::chess960();
    count(&mut dialogue, &cases);
    dialogue.quit();
}

/// Runs the command line and gives the moves and the total of its last line.
fn command_line(arguments: &[&str]) -> (Vec<(String, u64)>, u64) {
    let exit = run(arguments, Duration::from_secs(120));
    exit.assert_clean();
    let last = exit.last_line();
    let words: Vec<&str> = last.split(' ').collect();
    let [_, "nodes,", _, "ms,", speed, "nps"] = words[..] else {
        panic!("not `N nodes, T ms, M nps`: {last}");
    };
    assert!(speed.parse::<u64>().is_ok(), "no speed: {last}");
    let total = words[0].parse().unwrap_or_else(|_| panic!("no number of nodes: {last}"));
    let mut moves = divide(&exit.lines);
    moves.sort();
    (moves, total)
}

#[test]
fn command_line_divides() {
    let (moves, total) = command_line(&["perft", "4"]);
    assert_eq!((moves.len(), total), (20, 197_281));
    assert_eq!(moves.iter().map(|(_, count)| count).sum::<u64>(), total);
    assert!(moves.contains(&("e2e4".to_owned(), 13_160)), "{moves:?}");
    let (moves, total) = command_line(&["perft", "3", "--fen", KIWIPETE]);
    assert_eq!((moves.len(), total), (48, 97_862));
    assert!(moves.contains(&("e1g1".to_owned(), 2_059)), "{moves:?}");
}

#[test]
fn command_line_knows_chess960() {
    let case = cases("chess960")
        .into_iter()
        .find(|case| case.nodes > 100_000)
        .expect("a case of some size");
    let (_, total) =
        command_line(&["perft", &case.depth.to_string(), "--fen", case.fen, "--chess960"]);
    assert_eq!(total, case.nodes);
    // Castling is written as the king's move to the rook.
    let (moves, _) =
        command_line(&["perft", "1", "--fen", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "--chess960"]);
    assert!(
        moves.contains(&("e1h1".to_owned(), 1)) && moves.contains(&("e1a1".to_owned(), 1)),
        "{moves:?}"
    );
}

#[test]
fn threads_count_the_same() {
    let one = thread::spawn(|| command_line(&["perft", "4", "--fen", KIWIPETE, "--threads", "1"]));
    let three = command_line(&["perft", "4", "--fen", KIWIPETE, "--threads", "3"]);
    let one = one.join().expect("a count with one thread");
    assert_eq!(one.1, 4_085_603);
    assert_eq!(one, three);
}

#[test]
fn the_end_of_the_game_has_no_leaves() {
    let mut dialogue = Dialogue::start();
    dialogue.fen("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1");
    assert_eq!((dialogue.perft(1).nodes, dialogue.perft(3).nodes), (0, 0));
    dialogue.quit();
}
