//! Parsing: from a line of text to a typed [`Command`]. Whatever is unclear is an error here and goes no further.

use std::str::SplitAsciiWhitespace;
use std::time::Duration;

use thiserror::Error;

use crate::clock::Limits;
use crate::types::{Colour, Depth};

/// A command of the protocol, or one of the engine's own.
///
/// ```
/// use nullarbor::uci::{Command, CommandError};
///
/// let Ok(Command::Go { limits, moves }) = Command::parse("go nodes 5000 searchmoves e2e4 d2d4") else {
///     panic!("a search");
/// };
/// assert_eq!((limits.nodes, moves.len()), (Some(5000), 2));
/// assert!(matches!(Command::parse("go far"), Err(CommandError::Unexpected { .. })));
/// ```
#[derive(Clone, Debug)]
pub enum Command {
    /// An empty line, or a command without effect.
    Nothing,
    /// `uci`: identify the engine and list its options.
    Uci,
    /// `isready`: answer `readyok`.
    IsReady,
    /// `ucinewgame`: clear table and histories.
    NewGame,
    /// `position`: set the position.
    Position {
        /// FEN; `None` for the starting position.
        fen: Option<String>,
        /// Moves from there, in UCI notation.
        moves: Vec<String>,
    },
    /// `go`: search.
    Go {
        /// Limits of the search.
        limits: Limits,
        /// Moves to choose from (`searchmoves`); empty for all.
        moves: Vec<String>,
    },
    /// `perft`, `go perft`: count the leaves of the tree of legal moves to this depth.
    Perft(usize),
    /// `stop`: end the search and answer.
    Stop,
    /// `ponderhit`: the opponent has made the expected move.
    PonderHit,
    /// `setoption`: set an option.
    SetOption {
        /// Name of the option.
        name: String,
        /// Value; empty for a button.
        value: String,
    },
    /// `d`: show the position.
    Display,
    /// `eval`: show the static evaluation.
    Eval,
    /// `bench`: run the bench, to this depth if given.
    Bench(Option<i32>),
    /// `help`: list the commands.
    Help,
    /// `quit`: end the program.
    Quit,
}

/// Why a line is not a command. Messages quote at most 40 characters of each word.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum CommandError {
    #[error("unknown command `{0}`")]
    Unknown(String),
    #[error("{command}: `{word}` is not expected here")]
    Unexpected { command: &'static str, word: String },
    #[error("{command}: `{after}` needs a value")]
    Incomplete { command: &'static str, after: String },
    #[error("{command} {word}: `{value}` is not a number from {min} to {max}")]
    BadNumber { command: &'static str, word: String, value: String, min: i64, max: i64 },
}

/// Longest time in milliseconds: a month. Longer ones are lowered to it.
const MAX_MILLISECONDS: i64 = 1000 * 60 * 60 * 24 * 30;
const MAX_COUNT: i64 = i64::MAX;

impl Command {
    /// Parses a line.
    ///
    /// # Errors
    /// Fails if the line is not a command; the error names the word that is wrong.
    pub fn parse(line: &str) -> Result<Self, CommandError> {
        let mut words = line.split_ascii_whitespace();
        let Some(first) = words.next() else {
            return Ok(Self::Nothing);
        };
        match first {
            "uci" => alone(first, words, Self::Uci),
            "isready" => alone(first, words, Self::IsReady),
            "ucinewgame" => alone(first, words, Self::NewGame),
            "stop" => alone(first, words, Self::Stop),
            "ponderhit" => alone(first, words, Self::PonderHit),
            "quit" | "exit" => alone(first, words, Self::Quit),
            "d" => alone(first, words, Self::Display),
            "eval" => alone(first, words, Self::Eval),
            "help" => alone(first, words, Self::Help),
            "position" => parse_position(words),
            "go" => parse_go(words),
            "setoption" => parse_option(words),
            "perft" => Ok(Self::Perft(parse_perft("perft", &mut words)?)),
            "bench" => parse_bench(words),
            // Parts of the protocol that have no effect here.
            "debug" | "register" => Ok(Self::Nothing),
            _ => Err(CommandError::Unknown(excerpt(first))),
        }
    }
}

/// Returns the beginning of a word, for an error message.
fn excerpt(word: &str) -> String {
    word.chars().take(40).collect()
}

fn unexpected(command: &'static str, word: &str) -> CommandError {
    CommandError::Unexpected { command, word: excerpt(word) }
}

/// Returns `command` if no word follows its name.
fn alone(
    name: &str,
    mut rest: SplitAsciiWhitespace<'_>,
    command: Command,
) -> Result<Command, CommandError> {
    match rest.next() {
        None => Ok(command),
        Some(word) => Err(CommandError::Unknown(excerpt(&format!("{name} {word}")))),
    }
}

fn parse_position(mut words: SplitAsciiWhitespace<'_>) -> Result<Command, CommandError> {
    const COMMAND: &str = "position";
    let incomplete =
        |after: &str| CommandError::Incomplete { command: COMMAND, after: after.to_owned() };
    let (fen, next) = match words.next() {
        Some("startpos") => (None, words.next()),
        Some("fen") => {
            let fields: Vec<&str> = words.by_ref().take_while(|&word| word != "moves").collect();
            if fields.is_empty() {
                return Err(incomplete("fen"));
            }
            // The word that ended the FEN was "moves", if there is anything left.
            (Some(fields.join(" ")), Some("moves"))
        }
        Some(word) => return Err(unexpected(COMMAND, word)),
        None => return Err(incomplete(COMMAND)),
    };
    match next {
        Some("moves") | None => {
            Ok(Command::Position { fen, moves: words.map(str::to_owned).collect() })
        }
        Some(word) => Err(unexpected(COMMAND, word)),
    }
}

/// Parses the number that follows `word`, from `min` to `max`.
fn number(
    command: &'static str,
    word: &str,
    words: &mut SplitAsciiWhitespace<'_>,
    min: i64,
    max: i64,
) -> Result<i64, CommandError> {
    let value =
        words.next().ok_or_else(|| CommandError::Incomplete { command, after: excerpt(word) })?;
    value.parse().ok().filter(|number| (min..=max).contains(number)).ok_or_else(|| {
        CommandError::BadNumber { command, word: excerpt(word), value: excerpt(value), min, max }
    })
}

fn parse_perft(
    command: &'static str,
    words: &mut SplitAsciiWhitespace<'_>,
) -> Result<usize, CommandError> {
    const DEEPEST: i64 = 30;
    number(command, "depth", words, 1, DEEPEST).map(|depth| depth as usize)
}

fn parse_bench(mut words: SplitAsciiWhitespace<'_>) -> Result<Command, CommandError> {
    if words.clone().next().is_none() {
        return Ok(Command::Bench(None));
    }
    let depth = number("bench", "depth", &mut words, 1, i64::from(Depth::MAX.0))?;
    Ok(Command::Bench(Some(depth as i32)))
}

fn parse_go(mut words: SplitAsciiWhitespace<'_>) -> Result<Command, CommandError> {
    const COMMAND: &str = "go";
    let mut limits = Limits::default();
    while let Some(word) = words.next() {
        // A clock may have run below zero on its way here; it must be searched nevertheless.
        let time = |words: &mut _| {
            let milliseconds = number(COMMAND, word, words, i64::MIN, i64::MAX)?;
            Ok(Duration::from_millis(milliseconds.clamp(0, MAX_MILLISECONDS) as u64))
        };
        let count = |words: &mut _, max| number(COMMAND, word, words, 1, max);
        match word {
            "wtime" => limits.time[Colour::White] = Some(time(&mut words)?),
            "btime" => limits.time[Colour::Black] = Some(time(&mut words)?),
            "winc" => limits.increment[Colour::White] = time(&mut words)?,
            "binc" => limits.increment[Colour::Black] = time(&mut words)?,
            "movetime" => limits.move_time = Some(time(&mut words)?),
            // Some programs send 0 where there is no next time control.
            "movestogo" => {
                let moves = number(COMMAND, word, &mut words, 0, i64::from(u32::MAX))?;
                limits.moves_to_go = Some(moves as u32).filter(|&moves| moves > 0);
            }
            "depth" => limits.depth = Some(Depth(count(&mut words, i64::from(i32::MAX))? as i32)),
            "nodes" => limits.nodes = Some(count(&mut words, MAX_COUNT)? as u64),
            "mate" => limits.mate = Some(count(&mut words, i64::from(u32::MAX))? as u32),
            "infinite" => limits.infinite = true,
            "ponder" => limits.ponder = true,
            "perft" => return parse_perft(COMMAND, &mut words).map(Command::Perft),
            "searchmoves" => {
                let moves = words.map(str::to_owned).collect::<Vec<_>>();
                return go_with_moves(limits, moves);
            }
            _ => return Err(unexpected(COMMAND, word)),
        }
    }
    Ok(Command::Go { limits, moves: Vec::new() })
}

/// Parses the words after `searchmoves`: moves, then perhaps more limits.
fn go_with_moves(before: Limits, mut words: Vec<String>) -> Result<Command, CommandError> {
    let is_move = |word: &String| word.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    let end = words.iter().position(|word| !is_move(word)).unwrap_or(words.len());
    let rest = words.split_off(end);
    if words.is_empty() {
        return Err(CommandError::Incomplete { command: "go", after: "searchmoves".to_owned() });
    }
    // Only once: a line of nothing else would make the parser recurse without end.
    if rest.iter().any(|word| word == "searchmoves") {
        return Err(unexpected("go", "searchmoves"));
    }
    match parse_go(rest.join(" ").split_ascii_whitespace())? {
        Command::Go { limits, moves } if moves.is_empty() => {
            Ok(Command::Go { limits: merged(before, limits), moves: words })
        }
        _ => Err(unexpected("go", "searchmoves")),
    }
}

/// Merges the limits before and after the moves.
fn merged(a: Limits, b: Limits) -> Limits {
    let mut both = a;
    for colour in Colour::ALL {
        both.time[colour] = both.time[colour].or(b.time[colour]);
        both.increment[colour] = both.increment[colour].max(b.increment[colour]);
    }
    Limits {
        moves_to_go: both.moves_to_go.or(b.moves_to_go),
        move_time: both.move_time.or(b.move_time),
        depth: both.depth.or(b.depth),
        nodes: both.nodes.or(b.nodes),
        soft_nodes: both.soft_nodes.or(b.soft_nodes),
        mate: both.mate.or(b.mate),
        infinite: both.infinite || b.infinite,
        ponder: both.ponder || b.ponder,
        ..both
    }
}

fn parse_option(mut words: SplitAsciiWhitespace<'_>) -> Result<Command, CommandError> {
    const COMMAND: &str = "setoption";
    let incomplete =
        |after: &str| CommandError::Incomplete { command: COMMAND, after: after.to_owned() };
    match words.next() {
        Some("name") => {}
        Some(word) => return Err(unexpected(COMMAND, word)),
        None => return Err(incomplete(COMMAND)),
    }
    let name: Vec<&str> = words.by_ref().take_while(|&word| word != "value").collect();
    let value: Vec<&str> = words.collect();
    if name.is_empty() {
        return Err(incomplete("name"));
    }
    Ok(Command::SetOption { name: name.join(" "), value: value.join(" ") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go(line: &str) -> (Limits, Vec<String>) {
        match Command::parse(line) {
            Ok(Command::Go { limits, moves }) => (limits, moves),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn limits_are_read_in_any_order() {
        let (limits, moves) =
            go("go wtime 1000 btime -20 winc 10 movestogo 3 searchmoves e2e4 d2d4 depth 7");
        assert_eq!(limits.time[Colour::White], Some(Duration::from_secs(1)));
        assert_eq!(limits.time[Colour::Black], Some(Duration::ZERO));
        assert_eq!(limits.increment[Colour::White], Duration::from_millis(10));
        assert_eq!((limits.moves_to_go, limits.depth), (Some(3), Some(Depth(7))));
        assert_eq!(moves, ["e2e4", "d2d4"]);
    }

    #[test]
    fn positions_keep_their_moves() {
        let Ok(Command::Position { fen, moves }) =
            Command::parse("position fen a b c moves e2e4 e7e5")
        else {
            panic!("a position");
        };
        assert_eq!((fen.as_deref(), moves.len()), (Some("a b c"), 2));
    }

    #[test]
    fn errors_name_the_word() {
        let error = |line| Command::parse(line).expect_err(line).to_string();
        assert_eq!(error("hello world"), "unknown command `hello`");
        assert_eq!(error("go depth x"), "go depth: `x` is not a number from 1 to 2147483647");
        assert_eq!(error("go depth"), "go: `depth` needs a value");
        assert_eq!(error("go fast"), "go: `fast` is not expected here");
        assert_eq!(error("position"), "position: `position` needs a value");
        assert_eq!(error("setoption Hash 3"), "setoption: `Hash` is not expected here");
        assert!(error(&"x".repeat(5000)).len() < 100);
    }

    #[test]
    fn names_and_values_may_have_several_words() {
        let Ok(Command::SetOption { name, value }) =
            Command::parse("setoption name Move Overhead value 30")
        else {
            panic!("an option");
        };
        assert_eq!((name.as_str(), value.as_str()), ("Move Overhead", "30"));
    }
}
