//! An engine that misbehaves: it hands everything on to a real engine and back, but for the Nth move of each game, or for
//! positions whose command contains a text.
//!
//! `stub-engine MODE N|TEXT ENGINE`, with one of the modes below.

#![allow(clippy::print_stderr)]

use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use nullarbor_tests::Dialogue;

/// Longer than any test waits.
const FOREVER: Duration = Duration::from_secs(3600);
/// Longer than the clocks of the tests allow.
const LATE: Duration = Duration::from_millis(400);
/// The file that tells that it has stumbled.
const STUMBLED: &str = "stumbled";

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().expect("MODE, N and ENGINE");
    let (mode, fatal_move, engine) = (next(), next(), next());
    match mode.as_str() {
        "mute" => thread::sleep(FOREVER),
        "dead" => {
            eprintln!("the cat ate my network");
            std::process::exit(3);
        }
        _ => {}
    }
    let mut child = Command::new(engine).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let output = child.stdout.take().expect("a piped output");
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            say(&line);
        }
    });
    relay(&mode, &fatal_move, &mut child)?;
    let _ = child.kill();
    let _ = child.wait();
    Ok(())
}

fn relay(mode: &str, fatal: &str, child: &mut Child) -> io::Result<()> {
    let mut input = child.stdin.take().expect("a piped input");
    let fatal_move: Option<usize> = fatal.parse().ok();
    let (mut moves, mut position) = (0, String::new());
    for line in io::stdin().lines() {
        let line = line?;
        if line == "ucinewgame" {
            moves = 0;
        }
        if line.starts_with("position ") {
            position.clone_from(&line);
        }
        let is_search = line.starts_with("go");
        moves += usize::from(is_search);
        let is_fatal = fatal_move.map_or_else(|| position.contains(fatal), |fatal| moves == fatal);
        let rest = position.strip_prefix("position ").unwrap_or_default();
        if is_search && is_fatal && !misbehave(mode, rest, child, &mut input)? {
            continue;
        }
        writeln!(input, "{line}")?;
        if line == "quit" {
            break;
        }
    }
    Ok(())
}

/// Does what the mode says; `true` if the command is to be handed on all the same.
fn misbehave(
    mode: &str,
    position: &str,
    child: &mut Child,
    input: &mut impl Write,
) -> io::Result<bool> {
    match mode {
        "crash" => {
            let _ = child.kill();
            std::process::exit(1);
        }
        // It does so only once in its folder.
        "stumble" if Path::new(STUMBLED).exists() => return Ok(true),
        "stumble" => {
            std::fs::write(STUMBLED, "")?;
            let _ = child.kill();
            std::process::exit(1);
        }
        "panic" => {
            let _ = child.kill();
            eprintln!("first the dog barked");
            eprintln!("the cat sat {{on}} my stack");
            std::process::exit(101);
        }
        "abort" => {
            let _ = child.kill();
            eprintln!("the cat sat {{on}} my stack");
            std::process::abort();
        }
        "illegal-pv" => {
            say("info depth 1 score cp 3 pv a1h8");
            return Ok(true);
        }
        "short-mate" => {
            let moves = legal_moves(position);
            say(&format!("info depth 99 multipv 2 score mate 3 pv {}", moves[0]));
            return Ok(true);
        }
        "other-best" => {
            let moves = legal_moves(position);
            say(&format!("info depth 1 score cp 3 pv {}", moves[0]));
            say(&format!("bestmove {}", moves[1]));
        }
        "other-ponder" => {
            let replies = |best: &String| legal_moves(&after(position, best));
            let lines = legal_moves(position).into_iter().map(|best| (replies(&best), best));
            let mut lines = lines.filter(|(replies, _)| replies.len() > 1);
            let (replies, best) = lines.next().expect("a move with two replies");
            say(&format!("info depth 2 score cp 3 pv {best} {}", replies[0]));
            say(&format!("bestmove {best} ponder {}", replies[1]));
        }
        "illegal-ponder" => say(&format!("bestmove {} ponder a1h8", legal_moves(position)[0])),
        "hang" => thread::sleep(FOREVER),
        "late" => thread::sleep(LATE),
        // It thinks until it is stopped, whatever it was told.
        "deaf" => {
            writeln!(input, "go infinite")?;
            return Ok(false);
        }
        "flood" => loop {
            say("so much to say");
        },
        "illegal" => say("bestmove e2e7"),
        "wordless" => say("bestmove"),
        "nonsense" => {
            say("bestmoves are for the weak");
            say("info depth x score mate nodes -1");
            say("info score");
            say("\u{1b}[31mred\u{0}");
            say(&"x".repeat(1 << 18));
            return Ok(true);
        }
        other => panic!("no mode {other}"),
    }
    Ok(mode == "late")
}

fn legal_moves(position: &str) -> Vec<String> {
    let mut engine = Dialogue::start();
    engine.position(position);
    engine.legal_moves()
}

fn after(position: &str, mv: &str) -> String {
    let moves = if position.contains(" moves ") { "" } else { " moves" };
    format!("{position}{moves} {mv}")
}

fn say(line: &str) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}
