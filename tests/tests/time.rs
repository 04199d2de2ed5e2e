//! Clocks, measured at the pipe and without a margin.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nullarbor_tests::{ClockGame, Control, Dialogue, KIWIPETE, PATIENCE, Process, engine};

/// Tests of time take turns, or they would measure one another.
static TURN: Mutex<()> = Mutex::new(());

fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

#[test]
fn starts_at_once() {
    let _turn = turn();
    let start = |_| {
        let since = Instant::now();
        let mut process = Process::start::<&str>(&[]);
        process.send("uci");
        let lines = process.read_until("uciok", PATIENCE, |line| line == "uciok");
        lines[lines.len() - 1].at - since
    };
    let times: Vec<Duration> = (0..21).map(start).collect();
    assert!(median(times.clone()) <= ms(50), "{times:?}");
}

#[test]
fn stop_answers_at_once() {
    let _turn = turn();
    for threads in ["1", "2"] {
        let mut dialogue = Dialogue::start();
        dialogue.set("Threads", threads);
        dialogue.fen(KIWIPETE);
        let stop = |wait: u64| {
            dialogue.begin("infinite");
            dialogue.process.read_for(ms(20 + 3 * wait));
            dialogue.stop().elapsed
        };
        let times: Vec<Duration> = (0..30).map(stop).collect();
        // Ten milliseconds are the aim; a loaded machine gets five times as many.
        assert!(median(times.clone()) <= ms(50), "{threads} threads: {times:?}");
        dialogue.quit();
    }
}

/// A datagram keeps what one system call wrote apart from the next.
#[cfg(unix)]
#[test]
fn in_time_trouble_reports_and_answer_are_written_at_once() {
    use std::io::Write;
    use std::os::{fd::OwnedFd, unix::net::UnixDatagram};
    use std::process::{Command, Stdio};

    let _turn = turn();
    let (ours, theirs) = UnixDatagram::pair().expect("a pair of sockets");
    ours.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let mut child = Command::new(engine())
        .stdin(Stdio::piped())
        .stdout(OwnedFd::from(theirs))
        .spawn()
        .expect("the engine");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(b"go wtime 100 winc 1\n").expect("a reader");
    let mut buffer = vec![0; 1 << 16];
    let size = ours.recv(&mut buffer).expect("an answer");
    drop(input);
    assert!(child.wait().expect("its end").success());
    let text = String::from_utf8_lossy(&buffer[..size]);
    assert!(text.starts_with("info depth 1 ") && text.contains("\nbestmove "), "{text}");
}

#[test]
fn movetime_is_kept() {
    let _turn = turn();
    let mut dialogue = Dialogue::start();
    dialogue.fen(KIWIPETE);
    for limit in [50, 200, 500] {
        let times: Vec<Duration> =
            (0..5).map(|_| dialogue.go(&format!("movetime {limit}")).elapsed).collect();
        assert!(median(times.clone()) <= ms(limit), "movetime {limit}: {times:?}");
        assert!(median(times.clone()) >= ms(limit / 2), "movetime {limit}: {times:?}");
        assert!(times.iter().all(|time| *time <= ms(limit + 100)), "movetime {limit}: {times:?}");
    }
    dialogue.quit();
}

#[test]
fn one_legal_move_needs_no_thought() {
    let _turn = turn();
    let mut dialogue = Dialogue::start();
    dialogue.fen("7k/8/8/8/8/8/1r6/K7 w - - 0 1");
    assert_eq!(dialogue.legal_moves(), ["a1b2"]);
    let search = dialogue.go("wtime 60000 btime 60000");
    assert!(search.elapsed <= ms(2000), "{:?}", search.elapsed);
    dialogue.quit();
}

#[test]
fn overhead_is_subtracted() {
    let _turn = turn();
    let mut dialogue = Dialogue::start();
    dialogue.set("Move Overhead", "300");
    dialogue.fen(KIWIPETE);
    let limits = ["movetime 400", "wtime 400 btime 400", "wtime 400 btime 400 movestogo 1"];
    for limits in limits {
        let elapsed = dialogue.go(limits).elapsed;
        assert!(elapsed <= ms(200), "{limits} took {elapsed:?} with an overhead of 300 ms");
    }
    dialogue.quit();
}

#[test]
fn a_long_clock_is_used_but_not_used_up() {
    let _turn = turn();
    let mut dialogue = Dialogue::start();
    dialogue.fen(KIWIPETE);
    let elapsed = dialogue.go("wtime 20000 btime 20000").elapsed;
    assert!((ms(60)..ms(6000)).contains(&elapsed), "20 s for the game: {elapsed:?} for one move");
    let elapsed = dialogue.go("wtime 3000 btime 3000 movestogo 2").elapsed;
    assert!((ms(200)..ms(2900)).contains(&elapsed), "3 s for two moves: {elapsed:?} for the first");
    dialogue.quit();
}

fn game(base: u64, increment: u64, moves: Option<u32>, position: &str, longest: usize) {
    let _turn = turn();
    let control = Control { base: ms(base), increment: ms(increment), moves };
    let game = ClockGame::play(control, position, longest);
    println!("{control:?}: {game:?}");
    assert!(game.plies >= 20, "so short a game proves nothing: {game:?}");
}

#[test]
fn one_second_and_an_increment() {
    game(1000, 10, None, "startpos", 400);
}

#[test]
fn one_second_without_increment() {
    game(1000, 0, None, "startpos", 600);
}

#[test]
#[ignore = "long"]
fn one_second_without_increment_in_an_ending() {
    game(1000, 0, None, "fen 8/8/4k3/3ppp2/3PPP2/4K3/3R4/3r4 w - - 0 1", 600);
}

#[test]
#[ignore = "long"]
fn forty_moves_in_two_seconds() {
    game(2000, 0, Some(40), "startpos", 200);
}
