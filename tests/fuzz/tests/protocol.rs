//! Lines of the protocol: whatever a GUI sends, the engine lives, answers, and takes no memory for it. Options of memory and
//! threads are not among the samples: they are allowed to take what they are told to.

use nullarbor_fuzz::fuzz;
use nullarbor_tests::{Dialogue, KIWIPETE, PATIENCE};

/// Lines between two questions whether the engine is ready.
const LINES: usize = 50;
/// Bytes that the engine may hold: the default table, the networks and threads of a session.
#[cfg(target_os = "linux")]
const MOST_MEMORY: u64 = 400 << 20;

#[test]
fn lines() {
    let fen = format!("position fen {KIWIPETE} moves e1g1 a8b8");
    let samples = [
        "uci",
        "isready",
        "ucinewgame",
        "position startpos moves e2e4 e7e5 g1f3",
        &fen,
        "go depth 3",
        "go nodes 500",
        "go wtime 50 btime 50 winc 1 binc 1 movestogo 5",
        "go movetime 2",
        "go infinite searchmoves e2e4 d2d4",
        "go mate 2",
        "go ponder wtime 9 btime 9",
        "ponderhit",
        "stop",
        "d",
        "eval",
        "go perft 2",
        "perft 2",
        "help",
        "setoption name MultiPV value 3",
        "setoption name UCI_Chess960 value true",
        "setoption name Ponder value false",
        "setoption name NullMove value fixed-3",
        "setoption name EvalFile value none",
        "debug on",
        "register later",
    ];
    let samples: Vec<Vec<u8>> = samples.iter().map(|line| line.as_bytes().to_vec()).collect();
    let mut dialogue = Dialogue::start();
    let mut sent = 0;
    fuzz("a line of the protocol", &samples, |input| {
        for line in input.split(|byte| matches!(byte, b'\n' | b'\r')) {
            // It would be obeyed.
            if line.trim_ascii().starts_with(b"quit") {
                continue;
            }
            dialogue.process.send_bytes(&[line, b"\n"].concat());
            sent += 1;
            if sent % LINES == 0 {
                catch_up(&mut dialogue, sent);
            }
        }
    });
    catch_up(&mut dialogue, sent + 1);
    dialogue.set("MultiPV", "1");
    dialogue.set("UCI_Chess960", "false");
    #[cfg(target_os = "linux")]
    {
        let peak = dialogue.process.peak_memory();
        assert!(peak <= MOST_MEMORY, "{peak} bytes");
    }
    dialogue.position("startpos");
    assert!(!dialogue.go("depth 4").infos.is_empty());
    dialogue.quit();
}

/// Waits until the engine has answered all lines. Mutated lines may ask whether it is ready, so only a word of our own tells.
fn catch_up(dialogue: &mut Dialogue, sent: usize) {
    let marker = format!("marker-{sent}-");
    dialogue.process.send_bytes(format!("\nstop\n{marker}\n").as_bytes());
    dialogue.process.read_until(&marker, PATIENCE, |line| line.contains(&marker));
}
