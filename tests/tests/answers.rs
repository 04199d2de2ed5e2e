//! Wrong searches are answered, long commands can be stopped, and files are read within limits.

use std::process::Command;
use std::time::Duration;

use nullarbor_tests::{Dialogue, KIWIPETE, is_error};
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

/// A reason is for reading: it quotes no more of the input than shows what is meant.
const LONGEST_REASON: usize = 300;

/// Runs a search and returns its errors.
fn faults(dialogue: &mut Dialogue, limits: &str) -> (String, Vec<String>) {
    let search = dialogue.go(limits);
    let errors = search.lines.into_iter().filter(|line| is_error(line)).collect();
    (search.best_move, errors)
}

#[test]
fn malformed_searches_are_answered_and_their_faults_reported() {
    let mut dialogue = Dialogue::start();
    dialogue.fen(KIWIPETE);
    let legal = dialogue.legal_moves();
    for (limits, word) in [
        ("depth", "depth"),
        ("depth 0", "depth"),
        ("depth abc", "abc"),
        ("depth -3", "-3"),
        ("nodes 0", "nodes"),
        ("nodes x", "`x`"),
        ("movetime", "movetime"),
        ("movetime soon", "soon"),
        ("wtime", "wtime"),
        ("wtime x btime 100", "`x`"),
        ("btime 100", "opponent"),
        ("movestogo -3", "-3"),
        ("mate 0", "mate"),
        ("mate x", "`x`"),
        ("searchmoves", "searchmoves"),
        ("searchmoves e1g1 e2e5 depth 3", "e2e5"),
        ("nonsense", "nonsense"),
        ("depth 2 perft 3", "perft"),
        ("ponder\u{1b} depth 2", "\\u{1b}"),
    ] {
        let (best, errors) = faults(&mut dialogue, limits);
        assert!(legal.contains(&best), "go {limits}: {best}");
        assert!(errors.first().is_some_and(|line| line.contains(word)), "go {limits}: {errors:?}");
        assert!(errors.iter().all(|line| line.len() < LONGEST_REASON), "go {limits}: {errors:?}");
    }
    // Half a million faults are no half a million lines.
    let (best, errors) = faults(&mut dialogue, &"x ".repeat(1 << 18));
    assert!(legal.contains(&best) && errors.len() < 20, "{errors:?}");
    let (best, errors) = faults(&mut dialogue, &"x ".repeat(1 << 20));
    assert_eq!((best.as_str(), errors.len()), ("0000", 1));
    dialogue.quit();
}

#[test]
fn without_a_move_the_answer_is_a_null_move_and_an_error() {
    let mut dialogue = Dialogue::start();
    dialogue.position("startpos moves e2e4");
    for refused in ["position fen nonsense", "position startpos moves e2e5", "position"] {
        dialogue.refuse(refused);
        for limits in ["depth 3", "depth x", "movetime 10 searchmoves e7e5"] {
            let (best, errors) = faults(&mut dialogue, limits);
            assert!(best == "0000" && !errors.is_empty(), "{refused}, {limits}: {best} {errors:?}");
        }
        // What waits for a stop still does.
        dialogue.begin("infinite");
        let early = dialogue.process.read_for(Duration::from_millis(50));
        assert!(!early.iter().any(|line| line.text.starts_with("bestmove")), "{early:#?}");
        assert_eq!(dialogue.stop().best_move, "0000");
    }
    dialogue.position("startpos");
    assert_ne!(dialogue.go("depth 3").best_move, "0000");
    let (best, errors) = faults(&mut dialogue, "depth 3 searchmoves e2e5 e7e5");
    assert!(best == "0000" && errors.len() == 3, "{best} {errors:?}");
    let (best, errors) =
        faults(&mut dialogue, &format!("depth 1 {}", "searchmoves e2e4 ".repeat(9)));
    assert!(best == "e2e4" && errors.is_empty(), "{best} {errors:?}");
    dialogue.quit();
}

#[test]
fn a_second_go_ends_the_first() {
    let mut dialogue = Dialogue::start();
    let legal = dialogue.legal_moves();
    let since = dialogue.begin("infinite");
    dialogue.begin("depth 2");
    let first = dialogue.finish_search(since);
    let second = dialogue.finish_search(since);
    assert!([first, second].iter().all(|search| legal.contains(&search.best_move)));
    dialogue.quit();
}

/// A random `go` line, of words that it may have and words that it may not.
fn random_go(random: &mut ChaCha8Rng) -> String {
    const GO_WORDS: &[&str] = &[
        "depth",
        "nodes",
        "movetime",
        "wtime",
        "btime",
        "winc",
        "binc",
        "movestogo",
        "mate",
        "infinite",
        "ponder",
        "searchmoves",
        "e2e4",
        "e7e5",
        "e2e5",
        "0000",
        "0",
        "1",
        "2",
        "-7",
        "30",
        "99999999999999999999",
        "-99999999999999999999",
        "1.5",
        "x",
        "\u{1F600}",
        "perft",
    ];
    let count = random.random_range(0..9);
    let words = (0..count).map(|_| *GO_WORDS.choose(random).expect("a choice"));
    let line = words.collect::<Vec<_>>().join(" ");
    // What counts leaves has no best move.
    if line.starts_with("perft") { format!("x {line}") } else { line }
}

#[test]
fn every_go_has_one_answer() {
    let mut random = ChaCha8Rng::seed_from_u64(4);
    let mut dialogue = Dialogue::start();
    let legal = dialogue.legal_moves();
    for round in 0..600 {
        match random.random_range(0..6) {
            0 => dialogue.refuse("position startpos moves e2e5").clear(),
            _ => dialogue.position("startpos"),
        }
        let line = random_go(&mut random);
        let since = dialogue.begin(&line);
        // Whatever waits for it is told to stop.
        dialogue.process.send("stop");
        let best = dialogue.finish_search(since).best_move;
        assert!(best == "0000" || legal.contains(&best), "{round}: go {line}: {best}");
        let after = dialogue.ready();
        assert!(!after.iter().any(|line| line.starts_with("bestmove")), "go {line}: {after:#?}");
    }
    dialogue.quit();
}

/// Devices and pipes would be read for ever, or not at all.
#[cfg(unix)]
#[test]
fn only_regular_files_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()), "no mkfifo");
    let huge = folder.path().join("huge");
    let file = std::fs::File::create(&huge).expect("a file");
    file.set_len(1 << 40).expect("a sparse file");
    let mut dialogue = Dialogue::start();
    for path in ["/dev/zero".into(), "/dev/stdin".into(), pipe, huge, folder.path().to_owned()] {
        let reason = dialogue.refuse(&format!("setoption name EvalFile value {}", path.display()));
        assert!(reason.contains("regular") || reason.contains("bytes"), "{reason}");
    }
    dialogue.quit();
}

#[test]
fn control_characters_are_not_echoed() {
    let mut dialogue = Dialogue::start();
    dialogue.process.send_bytes(b"\x1b[2J\x07\x7f\n");
    let lines = dialogue.ready();
    assert!(lines.len() == 1 && is_error(&lines[0]), "{lines:#?}");
    assert!(!lines[0].chars().any(char::is_control), "{lines:#?}");
    dialogue.quit();
}

#[test]
fn whatever_d_prints_is_read() {
    let mut dialogue = Dialogue::start();
    // The counters saturate beyond any game.
    let moves = "g1f3 g8f6 f3g1 f6g8 ".repeat(45_000);
    dialogue.position(&format!("startpos moves {}", moves.trim()));
    for fen in ["4k3/8/8/8/8/8/8/R3K3 w - - 151 10000", "4k3/8/8/8/8/8/8/R3K3 b - - 65535 65535"] {
        let long = dialogue.board();
        dialogue.fen(&long.fen);
        assert_eq!(dialogue.board(), long);
        dialogue.position(&format!("fen {fen}"));
        assert_eq!(dialogue.board().fen, fen);
    }
    dialogue.refuse("position fen 4k3/8/8/8/8/8/8/R3K3 w - - 65536 1");
    dialogue.quit();
}

/// Long commands hear the line that ends them, and say that they did not finish.
#[test]
fn long_commands_hear_stop_and_quit() {
    for command in ["perft 20", "go perft 20", "bench 60"] {
        let mut dialogue = Dialogue::start();
        dialogue.process.send(command);
        dialogue.process.read_for(Duration::from_millis(100));
        dialogue.process.send("stop");
        let lines = dialogue.ready();
        let unfinished = lines.iter().any(|line| is_error(line) && line.contains("stopped"));
        assert!(unfinished, "{command}: {lines:#?}");
        assert!(!lines.iter().any(|line| line.contains("nps")), "{command}: {lines:#?}");
        dialogue.process.send(command);
        dialogue.quit();
        // A stop from before is none.
        let mut dialogue = Dialogue::start();
        dialogue.process.send("stop");
        dialogue.accept("perft 3");
        dialogue.quit();
    }
}
