//! Lines that come faster than they are carried out: through a pipe, behind work that takes long, and at the end of input.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nullarbor_tests::{Dialogue, Exit, Info, KIWIPETE, PATIENCE, Process, is_error};

/// Sends lines through a pipe that is closed then, and returns what comes.
fn pipe(lines: &str) -> Exit {
    let mut process = Process::start::<&str>(&[]);
    process.send_bytes(lines.as_bytes());
    process.close_input();
    let exit = process.finish(PATIENCE);
    exit.assert_clean();
    exit
}

fn errors(exit: &Exit) -> Vec<&String> {
    exit.lines.iter().filter(|line| is_error(line)).collect()
}

fn count(exit: &Exit, start: &str) -> usize {
    exit.lines.iter().filter(|line| line.starts_with(start)).count()
}

/// The last line with a variation before each `bestmove`.
fn searches(exit: &Exit) -> Vec<Info> {
    let (mut last, mut found) = (None, Vec::new());
    for line in &exit.lines {
        if line.starts_with("bestmove") {
            found.extend(last.take());
        } else if line.starts_with("info") {
            last = Info::parse(line).expect("an info line").or(last);
        }
    }
    found
}

#[test]
fn work_that_ends_by_itself_is_completed_at_the_end_of_input() {
    for (line, last) in [
        ("go perft 4", "Nodes searched: 197281"),
        ("perft 4", "Nodes searched: 197281"),
        ("bench 3", " nps"),
        ("genfens 5 seed 1 book None", "info string genfens "),
        ("eval", "Evaluation: "),
        ("go depth 8", "bestmove "),
    ] {
        for more in ["", "\nisready\nposition startpos\nd"] {
            let exit = pipe(&format!("{line}{more}\n"));
            assert!(errors(&exit).is_empty(), "{line}: {:#?}", exit.lines);
            assert!(exit.lines.iter().any(|it| it.contains(last)), "{line}: {:#?}", exit.lines);
        }
    }
    assert_eq!(searches(&pipe("go depth 9\n"))[0].depth, 9);
    assert_eq!(searches(&pipe("go nodes 30000"))[0].nodes, 30_000);
    assert!(searches(&pipe("go movetime 400\n"))[0].time >= 350);
    assert_eq!(count(&pipe("genfens 5 seed 1 book None\n"), "info string genfens "), 5);
}

#[test]
fn a_search_is_completed_before_the_next_line() {
    let exit = pipe(
        "go depth 9\nposition startpos moves e2e4\ngo depth 8\nd\nposition startpos\nucinewgame\ngo nodes 20000\n\
         setoption name MultiPV value 2\ngo depth 3\nnonsense\n",
    );
    let found = searches(&exit);
    let depths: Vec<u32> = found.iter().map(|info| info.depth).collect();
    assert_eq!((depths[0], depths[1], depths[3]), (9, 8, 3), "{:#?}", exit.lines);
    assert_eq!((found[2].nodes, found[3].rank, found[2].rank), (20_000, 2, 1));
    assert_eq!(errors(&exit).len(), 1, "{:#?}", exit.lines);
    let place = |text: &str| exit.lines.iter().position(|line| line.contains(text)).expect(text);
    let ends: Vec<usize> =
        (0..exit.lines.len()).filter(|&at| exit.lines[at].starts_with("bestmove")).collect();
    assert!(ends[1] < place("Fen: ") && place("Fen: ") < ends[2] && ends[3] < place("nonsense"));
}

#[test]
fn hundreds_of_perft_in_one_pipe_are_all_answered() {
    let (mut lines, mut expected) = (String::new(), Vec::new());
    for _ in 0..234 {
        lines += &format!("position startpos\ngo perft 2\nposition fen {KIWIPETE}\ngo perft 2\n");
        lines += "position startpos moves e2e4\ngo perft 1\n";
        expected.extend([400, 2039, 20]);
    }
    let exit = pipe(&lines);
    let counts: Vec<u64> = exit
        .lines
        .iter()
        .filter_map(|line| line.strip_prefix("Nodes searched: ")?.parse().ok())
        .collect();
    assert_eq!(counts, expected);
    assert!(errors(&exit).is_empty());
}

#[test]
fn each_of_several_searches_has_its_own_time() {
    let exit = pipe("go movetime 300\ngo movetime 300\ngo wtime 9000 btime 9000\n");
    let times: Vec<u64> = searches(&exit).iter().map(|info| info.time).collect();
    assert!(times[..2].iter().all(|time| (250..5000).contains(time)), "{times:?}");
    assert!(times.len() == 3 && times[2] < 5000, "{times:?}");
}

/// Takes hours.
const LONG: &str = "go perft 20";

#[test]
fn isready_is_answered_during_work_and_stop_and_quit_end_it() {
    for work in [LONG, "bench 60", "genfens 1000000000 seed 1 book None", "go depth 90"] {
        for end in ["stop", "quit"] {
            let mut dialogue = Dialogue::start();
            dialogue.process.send(work);
            for _ in 0..3 {
                let lines = dialogue.ready();
                assert!(!lines.iter().any(|line| is_error(line)), "{work}: {lines:#?}");
            }
            // What waits does not keep the answer back.
            dialogue.process.send("setoption name MultiPV value 3");
            dialogue.ready();
            let since = dialogue.process.send(end);
            if end == "stop" {
                dialogue.ready();
                assert_eq!(dialogue.go("depth 2").last().rank, 3, "{work}: the option is set");
                dialogue.quit();
            } else {
                dialogue.process.finish(PATIENCE).assert_clean();
            }
            assert!(since.elapsed() < Duration::from_secs(20), "{work}: {:?}", since.elapsed());
        }
    }
}

#[test]
fn stop_and_quit_are_heard_behind_a_hundred_thousand_lines() {
    for end in ["stop", "quit"] {
        let mut process = Process::start::<&str>(&[]);
        process.send(LONG);
        process.send_bytes("position startpos moves e2e4 e7e5\n".repeat(100_000).as_bytes());
        process.send("isready");
        process.read_until("readyok", PATIENCE, |line| line == "readyok");
        process.send(end);
        if end == "stop" {
            process.read_until("the end of perft", PATIENCE, is_error);
            process.send("go depth 3");
            process.read_until("bestmove", PATIENCE, |line| line.starts_with("bestmove"));
            process.send("quit");
        }
        process.finish(PATIENCE).assert_clean();
    }
}

#[test]
fn work_before_quit_that_has_not_begun_is_left_out() {
    let mut process = Process::start::<&str>(&[]);
    process.send(LONG);
    let work = ["bench", "genfens 5 seed 1 book None", "perft 7"].join("\n") + "\n";
    process.send_bytes(work.repeat(10_000).as_bytes());
    process.send("quit");
    process.finish(PATIENCE).assert_clean();
}

#[test]
fn a_search_without_end_is_ended_by_stop_position_or_the_end_of_input() {
    for go in ["go infinite", "go", "go ponder wtime 60000 btime 60000"] {
        let exit = pipe(&format!(
            "{go}\nsetoption name MultiPV value 2\nposition startpos moves e2e4\ngo depth 3\n{go}\n"
        ));
        assert_eq!(count(&exit, "bestmove"), 3, "{go}: {:#?}", exit.lines);
        assert!(errors(&exit).is_empty(), "{go}: {:#?}", exit.lines);
        assert_eq!(searches(&exit)[1].rank, 2, "{go}: {:#?}", exit.lines);
        // While its input is open, other lines do not end it.
        let mut dialogue = Dialogue::start();
        dialogue.process.send(go);
        dialogue.process.send("setoption name MultiPV value 2");
        dialogue.process.send("ucinewgame");
        let early = dialogue.process.read_for(Duration::from_millis(200));
        assert!(!early.iter().any(|it| it.text.starts_with("bestmove")), "{go}: {early:#?}");
        dialogue.stop();
        assert_eq!(dialogue.go("depth 2").last().rank, 2, "{go}");
        dialogue.quit();
    }
}

#[test]
fn a_ponderhit_is_heard_before_what_waits() {
    let mut dialogue = Dialogue::start();
    dialogue.process.send("go ponder depth 5");
    dialogue.process.send("setoption name MultiPV value 2");
    dialogue.process.read_for(Duration::from_millis(100));
    let since = dialogue.process.send("ponderhit");
    dialogue.finish_search(since);
    assert_eq!(dialogue.go("depth 2").last().rank, 2);
    dialogue.quit();
}

#[test]
fn a_search_without_a_move_waits_as_any_other() {
    const STALEMATE: &str = "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";
    for (lines, answers) in [
        ("go infinite\nsetoption name MultiPV value 2\nstop\n", 1),
        ("go infinite\nd\n", 1),
        ("go ponder depth 3\nsetoption name MultiPV value 2\nponderhit\n", 1),
        ("go ponder infinite\nucinewgame\nponderhit\nposition startpos\ngo depth 1\n", 2),
        ("go depth 3\ngo depth 3\n", 2),
    ] {
        let exit = pipe(&format!("{STALEMATE}\n{lines}"));
        assert_eq!(count(&exit, "bestmove"), answers, "{lines}: {:#?}", exit.lines);
    }
    let mut dialogue = Dialogue::start();
    dialogue.accept(STALEMATE);
    dialogue.begin("ponder infinite");
    dialogue.process.send("ponderhit");
    let early = dialogue.process.read_for(Duration::from_millis(200));
    assert!(!early.iter().any(|it| it.text.starts_with("bestmove")), "{early:#?}");
    assert_eq!(dialogue.stop().best_move, "0000");
    dialogue.quit();
}

/// A GUI that has died closes both ends.
#[test]
fn a_search_that_nobody_reads_is_not_completed() {
    let mut command = Command::new(nullarbor_tests::engine());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut engine = command.spawn().expect("the engine");
    drop(engine.stdout.take());
    let mut input = engine.stdin.take().expect("a pipe");
    input.write_all(b"go depth 90\n").expect("it reads");
    drop(input);
    let since = Instant::now();
    while engine.try_wait().expect("a status").is_none() {
        if since.elapsed() > PATIENCE {
            engine.kill().expect("it runs");
            panic!("still searching");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
