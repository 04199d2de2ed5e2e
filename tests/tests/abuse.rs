//! Bad input: it never ends the process, never changes state, and one line says what was wrong.

use std::collections::HashSet;
use std::process::Command;
use std::time::Duration;

#[cfg(target_os = "linux")]
use nullarbor_tests::Process;
use nullarbor_tests::{Dialogue, KIWIPETE, PATIENCE, START, is_error};
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

/// A reason is for reading: it quotes no more of the input than shows what is meant.
const LONGEST_REASON: usize = 300;

/// Refuses each line and holds the state against what it was before.
fn refuse_all(lines: &[&str]) {
    let mut dialogue = Dialogue::start();
    dialogue.position(&format!("fen {KIWIPETE} moves e1g1"));
    let before = dialogue.board();
    for line in lines {
        let reason = dialogue.refuse(line);
        assert!(reason.len() <= LONGEST_REASON, "`{line}`: {reason}");
        assert_eq!(dialogue.board(), before, "`{line}` changed the position");
    }
    dialogue.position("startpos");
    assert!(!dialogue.go("depth 4").infos.is_empty());
    dialogue.quit();
}

#[test]
fn unknown_commands_are_refused() {
    refuse_all(&[
        "nonsense",
        "Uci",
        "ucii",
        "{}",
        "e2e4",
        "\u{1F600}",
        "perft",
        "perft x",
        "perft -1",
        "perft 3 4",
        "bench x",
        "bench 3 fast",
        "go perft",
        "go perft x",
        "go perft -1",
        "go perft 2 more",
    ]);
}

#[test]
fn silence_is_no_command() {
    let mut dialogue = Dialogue::start();
    for line in ["", " ", "\t", "\r", "debug on", "debug off"] {
        assert_eq!(dialogue.command(line), Vec::<String>::new(), "{line:?}");
    }
    dialogue.quit();
}

#[test]
fn malformed_positions_are_refused() {
    refuse_all(&[
        "position",
        "position nowhere",
        "position fen",
        "position startpos e2e4",
        "position startpos moves e2e5",
        "position startpos moves e2e4 e2e4",
        "position startpos moves e2e4 e7e5 e1e8",
        "position startpos moves e2e4 e7e5 e1g1",
        "position startpos moves e2e4x",
        "position startpos moves e7e8q",
        "position startpos moves e2e4q",
        "position startpos moves 0000",
        "position startpos moves \u{e9}2\u{e9}4",
        "position startpos moves moves e2e4",
        "position fen 8/P6k/8/8/8/8/8/7K w - - 0 1 moves a7a8",
        "position fen 8/P6k/8/8/8/8/8/7K w - - 0 1 moves a7a8k",
    ]);
}

#[test]
fn impossible_fens_are_refused_with_the_reason() {
    let long = format!("{START} {}", "0 ".repeat(5000));
    let fens: &[(&str, &[&str])] = &[
        ("rnbq1bnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1", &["king"]),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR w kq - 0 1", &["king"]),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKKNR w Qkq - 0 1", &["king"]),
        ("4k3/8/8/8/8/8/8/4RK2 w - - 0 1", &["check"]),
        ("8/8/8/3kK3/8/8/8/8 w - - 0 1", &["check", "king", "adjacent"]),
        ("rnbqkbnr/pppppppp/8/8/8/P7/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &["pawn", "piece"]),
        ("4k3/8/8/8/8/8/8/P3K3 w - - 0 1", &["pawn"]),
        ("p3k3/8/8/8/8/8/8/4K3 w - - 0 1", &["pawn"]),
        ("rnbqkbnr/pppppppp/8/8/8/Q7/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &["piece", "many"]),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1", &["side", "move", "colour"]),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1", &["rank"]),
        ("rnbqkbnr/pppppppp/8/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &["rank"]),
        ("rnbqkbnrr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &["rank", "file", "square"]),
        ("rnbqkbn/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &["rank", "file", "square"]),
        ("rnbqkbnr/ppppxppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &["piece", "x"]),
        (
            "rnbqkbnr/pppp\u{e9}ppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            &["ascii", "character", "piece"],
        ),
        (
            "rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            &["rank", "file", "square", "9"],
        ),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", &["side", "move", "field"]),
        (&long, &["long", "field"]),
    ];
    let mut dialogue = Dialogue::start();
    dialogue.fen(KIWIPETE);
    let before = dialogue.board();
    let mut reasons = HashSet::new();
    for (fen, words) in fens {
        let reason = dialogue.refuse(&format!("position fen {fen}")).to_lowercase();
        assert!(
            words.iter().any(|word| reason.contains(word)),
            "{fen:.90}: {reason}: none of {words:?} in it"
        );
        assert!(reason.len() <= LONGEST_REASON, "{reason}");
        assert_eq!(dialogue.board(), before, "{fen:.90} changed the position");
        reasons.insert(reason);
    }
    assert!(reasons.len() > 12, "reasons that do not differ say nothing: {reasons:#?}");
    dialogue.quit();
}

/// Boards set up by hand have castling rights without rooks; a GUI that loses the game for it is
/// not helped.
#[test]
fn impossible_rights_are_left_out_and_reported() {
    const PIECES: &str = "4k2r/8/8/8/4P3/8/8/4K2R";
    let mut dialogue = Dialogue::start();
    for (fields, left, faults) in [
        ("w KQkq - 0 1", "w Kk - 0 1", 2),
        ("b - e3 0 1", "b - - 0 1", 0),
        ("w Kk e3 0 1", "w Kk - 0 1", 1),
        ("b AQ d3 0 1", "b - - 0 1", 3),
    ] {
        dialogue.position(&format!("fen {PIECES} {left}"));
        let expected = dialogue.board();
        dialogue.position("startpos");
        let reports = dialogue.command(&format!("position fen {PIECES} {fields}"));
        assert_eq!(reports.len(), faults, "{fields}: {reports:?}");
        let reported = |line: &String| is_error(line) && line.contains("left out");
        assert!(reports.iter().all(reported), "{reports:?}");
        assert_ne!(dialogue.go("depth 3").best_move, "0000", "{fields}");
        assert_eq!(dialogue.board(), expected, "{fields}");
    }
    dialogue.quit();
}

/// Counters that are no counters, operations of EPD, capital letters: other engines play on.
#[test]
fn what_other_engines_read_is_read_with_a_notice() {
    const PIECES: &str = "rnb1kbnr/ppp1pppp/8/4q3/8/2N5/PPPP1PPP/R1BQKBNR w KQkq -";
    let mut dialogue = Dialogue::start();
    for (rest, counters, notices) in [
        ("hmvc 2; fmvn 4;", "2 4", 0),
        ("bm Nf3; id \"foo\";", "0 1", 1),
        ("5 9 bm Nf3; c0 \"a comment\";", "5 9", 1),
        ("-1 0", "0 1", 1),
        ("x 1", "0 1", 1),
        ("0 x", "0 1", 1),
        ("3 99999", "3 1", 1),
        ("99999999999999999999 -7", "0 1", 2),
        ("0 1 2 3", "0 1", 1),
        ("hmvc 2 fmvn 4", "2 4", 0),
        ("c0 \"x; hmvc 7; y\"; fmvn 4;", "0 4", 1),
    ] {
        dialogue.position("startpos");
        let notes = dialogue.command(&format!("position fen {PIECES} {rest} moves g1e2"));
        assert_eq!(notes.len(), notices, "{rest}: {notes:?}");
        assert!(notes.iter().all(|line| is_error(line) && line.contains("left out")), "{notes:?}");
        dialogue.position(&format!("fen {PIECES} {counters} moves g1e2"));
        let expected = dialogue.board();
        dialogue.command(&format!("position fen {PIECES} {rest} moves g1e2"));
        assert_eq!(dialogue.board(), expected, "{rest}");
        assert_ne!(dialogue.go("depth 2").best_move, "0000", "{rest}");
    }
    for (fields, read, notices) in [
        ("KQkqKQ - 0 1", "KQkq - 0 1", 2),
        ("KQxkq - 0 1", "KQkq - 0 1", 1),
        ("-K - 0 1", "K - 0 1", 1),
        ("KQ- e9 3 9", "KQ - 3 9", 2),
        ("kq xx 3 9", "kq - 3 9", 1),
        ("KQkq bm Nf3; hmvc 4;", "KQkq - 4 1", 1),
    ] {
        const PIECES: &str = "rnb1kbnr/ppp1pppp/8/4q3/8/2N5/PPPP1PPP/R1BQKBNR w";
        dialogue.fen(&format!("{PIECES} {read}"));
        let expected = dialogue.board();
        let notes = dialogue.command(&format!("position fen {PIECES} {fields}"));
        assert_eq!(notes.len(), notices, "{fields}: {notes:?}");
        assert!(notes.iter().all(|line| is_error(line) && line.contains("left out")), "{notes:?}");
        assert_eq!(dialogue.board(), expected, "{fields}");
    }
    for (moves, read) in [("a7a8Q", "a7a8q"), ("A7A8N", "a7a8n")] {
        const PAWN: &str = "8/P6k/8/8/8/8/8/7K w - - 0 1";
        let notes = dialogue.command(&format!("position fen {PAWN} moves {moves}"));
        assert!(notes.len() == 1 && is_error(&notes[0]) && notes[0].contains(moves), "{notes:?}");
        let board = dialogue.board();
        dialogue.fen(&format!("{PAWN} moves {read}"));
        assert_eq!(dialogue.board(), board);
        dialogue.fen(PAWN);
        assert_eq!(dialogue.go(&format!("depth 3 searchmoves {moves}")).best_move, read);
    }
    dialogue.quit();
}

/// A path of 4,000 letters is no message.
#[test]
fn errors_quote_no_more_than_can_be_read() {
    let path = "/long".repeat(1000);
    let mut dialogue = Dialogue::start();
    for option in ["EvalFile", "SyzygyPath", "Debug Log File"] {
        let lines = dialogue.command(&format!("setoption name {option} value {path}"));
        let errors: Vec<&String> = lines.iter().filter(|line| is_error(line)).collect();
        assert!(errors.len() == 1 && errors[0].len() < 350, "{option}: {errors:?}");
    }
    // Work answers `isready` before it fails.
    dialogue.process.send(&format!("genfens 1 seed 1 book {path}"));
    let lines = dialogue.process.read_until("an error", PATIENCE, is_error);
    assert!(lines.iter().all(|line| line.text.len() < 350), "{lines:?}");
    dialogue.quit();
}

/// A log on a full disk ends, which is said.
#[cfg(target_os = "linux")]
#[test]
fn a_log_that_cannot_be_written_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 1 && exec \"$0\""]).arg(nullarbor_tests::engine());
    let mut dialogue = Dialogue::with(Process::spawn(&mut shell));
    dialogue.accept(&format!("setoption name Debug Log File value {}", log.display()));
    let lines: Vec<String> = (0..20).flat_map(|_| dialogue.command("help")).collect();
    let errors: Vec<&String> = lines.iter().filter(|line| is_error(line)).collect();
    assert!(errors.len() == 1 && errors[0].contains("log"), "{errors:?}");
    dialogue.quit();
}

#[test]
fn malformed_options_are_refused() {
    refuse_all(&[
        "setoption",
        "setoption name",
        "setoption Hash value 16",
        "setoption name Nonsense value 1",
        "setoption name Hash",
        "setoption name Hash value",
        "setoption name Hash value 0",
        "setoption name Hash value -1",
        "setoption name Hash value many",
        "setoption name Hash value 99999999999999999999",
        "setoption name Threads value 0",
        "setoption name Threads value 1025",
        "setoption name Threads value 2.5",
        "setoption name MultiPV value 0",
        "setoption name Move Overhead value -5",
        "setoption name Move Overhead value 99999999",
        "setoption name UCI_Chess960 value maybe",
        "setoption name Ponder value",
    ]);
}

#[test]
fn a_refused_option_leaves_the_old_value() {
    let mut dialogue = Dialogue::start();
    dialogue.set("MultiPV", "2");
    dialogue.refuse("setoption name MultiPV value 0");
    dialogue.refuse("setoption name MultiPV value 1x");
    assert_eq!(dialogue.go("depth 3").infos.iter().map(|info| info.rank).max(), Some(2));
    dialogue.quit();
}

/// Bytes of which no command can begin, with all values among them but the end of a line.
fn garbage(random: &mut ChaCha8Rng) -> Vec<u8> {
    let length = random.random_range(0..200);
    let mut bytes = vec![*b"\x01!#(\x80\xc3\xff~".choose(random).expect("a choice")];
    bytes.extend((0..length).map(|_| random.random::<u8>()).filter(|byte| *byte != b'\n'));
    bytes
}

#[test]
fn a_thousand_lines_of_garbage_get_a_thousand_errors() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut dialogue = Dialogue::start();
    dialogue.fen(KIWIPETE);
    let before = dialogue.board();
    for _ in 0..1000 {
        let mut line = garbage(&mut random);
        line.push(b'\n');
        dialogue.process.send_bytes(&line);
    }
    let answers = dialogue.ready();
    let errors = answers.iter().filter(|line| is_error(line)).count();
    assert_eq!((errors, answers.len()), (1000, 1000));
    assert_eq!(dialogue.board(), before);
    dialogue.quit();
}

/// Words of the protocol in senseless order. What takes long by right (`bench`, deep `perft`) is not among them.
const WORDS: &[&str] = &[
    "position",
    "startpos",
    "fen",
    "moves",
    "e2e4",
    "e7e5",
    "e1g1",
    "a7a8q",
    "0000",
    "go",
    "depth",
    "nodes",
    "movetime",
    "wtime",
    "btime",
    "winc",
    "movestogo",
    "infinite",
    "ponder",
    "mate",
    "searchmoves",
    "1",
    "3",
    "-1",
    "0",
    "4294967296",
    "18446744073709551616",
    "0x10",
    "1e9",
    "setoption",
    "name",
    "value",
    "Hash",
    "MultiPV",
    "Clear",
    "UCI_Chess960",
    "UCI_LimitStrength",
    "UCI_Elo",
    "UCI_ShowWDL",
    "Ponder",
    "Move",
    "Overhead",
    "true",
    "stop",
    "ponderhit",
    "isready",
    "ucinewgame",
    "d",
    "eval",
    "uci",
    "debug",
    "on",
    "8/8/8/8/8/8/8/8",
    "4k3/8/8/8/8/8/8/4K3",
    "w",
    "b",
    "KQkq",
    "-",
    "e3",
    "\u{1F600}",
];

#[test]
fn shuffled_words_do_not_end_the_process() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let mut dialogue = Dialogue::start();
    for round in 0..1000 {
        let count = random.random_range(1..8);
        let words: Vec<&str> =
            (0..count).map(|_| *WORDS.choose(&mut random).expect("a choice")).collect();
        dialogue.process.send(&words.join(" "));
        if round % 10 == 9 {
            dialogue.process.send("stop");
            dialogue.ready();
        }
    }
    dialogue.process.send("stop");
    dialogue.ready();
    // Whatever has come of them, a new order brings a known state.
    dialogue.process.read_for(Duration::from_millis(100));
    dialogue.set("UCI_Chess960", "false");
    dialogue.set("MultiPV", "1");
    dialogue.position("startpos");
    assert_eq!(dialogue.board().fen, START);
    assert!(dialogue.legal_moves().contains(&dialogue.go("depth 3").best_move));
    dialogue.quit();
}

/// Valid commands with a few bytes changed, which come closer to what a parser expects than noise does.
#[test]
fn damaged_commands_do_not_end_the_process() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let commands = [
        format!("position fen {KIWIPETE} moves e1g1 a6b5"),
        "position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5".to_owned(),
        "setoption name Move Overhead value 20".to_owned(),
        "go depth 2 searchmoves e2e4 d2d4".to_owned(),
        "go movetime 1 wtime 10 btime 10".to_owned(),
        "position fen bqnbrnkr/pppppppp/8/8/8/8/PPPPPPPP/RKBBNQNR w HAhe - 0 1".to_owned(),
    ];
    let mut dialogue = Dialogue::start();
    for _ in 0..1000 {
        let mut bytes = commands.choose(&mut random).expect("a choice").clone().into_bytes();
        for _ in 0..random.random_range(1..4) {
            let Some(last) = bytes.len().checked_sub(1) else {
                break;
            };
            let at = random.random_range(0..=last);
            match random.random_range(0..3) {
                0 => bytes[at] = random.random_range(b' '..=b'~'),
                1 => drop(bytes.remove(at)),
                _ => bytes.truncate(at + 1),
            }
        }
        bytes.push(b'\n');
        dialogue.process.send_bytes(&bytes);
        // A `go` that has lost its limits thinks until it is told to stop.
        dialogue.process.send("stop");
    }
    dialogue.ready();
    dialogue.process.read_for(Duration::from_millis(100));
    dialogue.position("startpos");
    assert_eq!(dialogue.board().fen, START);
    dialogue.quit();
}

#[test]
fn overlong_lines_are_refused() {
    let mut dialogue = Dialogue::start();
    let before = dialogue.board();
    for line in ["x".repeat(4 << 20), "position fen ".to_owned() + &"r".repeat(1 << 20)] {
        let reason = dialogue.refuse(&line);
        assert!(reason.len() <= LONGEST_REASON, "a reason of {} bytes", reason.len());
        assert_eq!(dialogue.board(), before);
    }
    dialogue.quit();
}

#[test]
fn the_longest_game_is_taken() {
    let mut dialogue = Dialogue::start();
    // 17,696 moves: no game under the rule of seventy-five moves is longer.
    for rounds in [160, 4424] {
        let moves = "g1f3 g8f6 f3g1 f6g8 ".repeat(rounds);
        dialogue.position(&format!("startpos moves {}", moves.trim()));
        let fen = dialogue.board().fen;
        assert_eq!(fen.split(' ').next(), START.split(' ').next());
        assert_eq!(fen.rsplit(' ').next(), Some((2 * rounds + 1).to_string().as_str()));
        let best_move = dialogue.go("depth 6").best_move;
        assert!(dialogue.legal_moves().contains(&best_move), "{best_move}");
    }
    dialogue.quit();
}

#[test]
fn commands_during_a_search_do_not_block() {
    for command in [
        "go depth 1",
        "position startpos moves e2e4",
        "setoption name Hash value 32",
        "setoption name Threads value 2",
        "setoption name Clear Hash",
        "ucinewgame",
        "d",
        "eval",
        "go perft 2",
        "nonsense",
    ] {
        let mut dialogue = Dialogue::start();
        let legal = dialogue.legal_moves();
        dialogue.begin("infinite");
        dialogue.process.read_for(Duration::from_millis(50));
        let mut lines = dialogue.command(command);
        dialogue.process.send("stop");
        let is_answer = |line: &str| line.starts_with("bestmove");
        if !lines.iter().any(|line| is_answer(line)) {
            let more = dialogue.process.read_until("bestmove", PATIENCE, is_answer);
            lines.extend(more.into_iter().map(|line| line.text));
        }
        let answers: Vec<&String> =
            lines.iter().filter(|line| line.starts_with("bestmove")).collect();
        assert!(!answers.is_empty(), "`{command}` swallowed the answer: {lines:#?}");
        let legal = answers.iter().all(|line| {
            line.split(' ').nth(1).is_some_and(|best| legal.iter().any(|name| name == best))
        });
        assert!(legal, "`{command}`: {answers:?}");
        dialogue.position("startpos");
        assert_eq!(dialogue.board().fen, START);
        dialogue.quit();
    }
}

#[test]
fn a_position_during_a_search_ends_it_and_is_searched_next() {
    let mut dialogue = Dialogue::start();
    dialogue.begin("infinite");
    dialogue.process.read_for(Duration::from_millis(50));
    let lines = dialogue.command(&format!("position fen {KIWIPETE}"));
    let answers = lines.iter().filter(|line| line.starts_with("bestmove")).count();
    assert_eq!(answers, 1, "{lines:#?}");
    assert_eq!(dialogue.board().fen, KIWIPETE);
    let legal = dialogue.legal_moves();
    assert!(legal.contains(&dialogue.go("depth 3").best_move));
    dialogue.quit();
}

#[test]
fn wrong_bytes_in_a_command_are_refused() {
    let mut dialogue = Dialogue::start();
    let before = dialogue.board();
    for line in [
        &b"position startpos moves e2\xff4\n"[..],
        b"setoption name Hash\0 value 16\n",
        b"bench \xc3\x28\n",
    ] {
        dialogue.process.send_bytes(line);
        let answers = dialogue.ready();
        assert!(answers.len() == 1 && is_error(&answers[0]), "{answers:#?}");
        assert_eq!(dialogue.board(), before);
    }
    dialogue.quit();
}

/// Under a limit on its address space the engine is refused the memory that it asks for.
#[cfg(target_os = "linux")]
#[test]
fn a_table_that_does_not_fit_leaves_the_old_size() {
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -v 2000000 && exec \"$0\""]).arg(nullarbor_tests::engine());
    let mut dialogue = Dialogue::with(Process::spawn(&mut shell));
    dialogue.fen(KIWIPETE);
    assert!(!dialogue.go("depth 6").infos.is_empty());
    dialogue.refuse("setoption name Hash value 16384");
    assert!(!dialogue.go("depth 6").infos.is_empty());
    // Each fits alone.
    dialogue.set("Hash", "1000");
    dialogue.set("Hash", "1200");
    dialogue.set("Hash", "8");
    dialogue.quit();
}

/// Neither the limit of the address space nor that of the data ends the process: the threads that were there
/// go on.
#[cfg(target_os = "linux")]
#[test]
fn threads_that_do_not_fit_leave_the_old_ones() {
    for limit in ["-v", "-d"] {
        for mebibytes in [200, 400, 1000, 2000] {
            let kibibytes = mebibytes * 1024;
            let mut shell = Command::new("sh");
            shell.args(["-c", &format!("ulimit {limit} {kibibytes} && exec \"$0\"")]);
            shell.arg(nullarbor_tests::engine());
            let mut dialogue = Dialogue::with(Process::spawn(&mut shell));
            for threads in [1024, 256, 2, 100, 1024, 1, 64, 256] {
                dialogue.command(&format!("setoption name Threads value {threads}"));
                assert!(!dialogue.go("depth 5").infos.is_empty(), "{limit} {mebibytes} {threads}");
                dialogue.new_game();
            }
            let lines = dialogue.command("setoption name Threads value 1024");
            let refused =
                lines.len() == 1 && is_error(&lines[0]) && lines[0].contains("old ones stay");
            assert!(refused, "{limit} {mebibytes}: {lines:?}");
            dialogue.quit();
        }
    }
}

/// The two signals by which a shell or a service manager ends a program.
#[cfg(unix)]
#[test]
fn signals_end_the_process_in_order() {
    for signal in ["-INT", "-TERM"] {
        let mut dialogue = Dialogue::start();
        dialogue.begin("infinite");
        dialogue.process.read_for(Duration::from_millis(50));
        let id = dialogue.process.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status();
        assert!(sent.is_ok_and(|status| status.success()));
        let exit = dialogue.process.finish(PATIENCE);
        assert!(exit.status.code().is_some(), "{signal} killed it: {}", exit.status);
        exit.assert_no_panic();
    }
}
