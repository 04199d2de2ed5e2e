//! Parsing: from a line of text to a typed [`Command`]. Whatever is unclear is an error here and
//! goes no further.

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

/// Why a line is not a command. Messages quote at most 40 characters of each token.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum CommandError {
    #[error("unknown command `{0}`")]
    Unknown(String),
    #[error("{command}: `{token}` is not expected here")]
    Unexpected { command: &'static str, token: String },
    #[error("{command}: `{after}` needs a value")]
    Incomplete { command: &'static str, after: String },
    #[error("{command} {token}: `{value}` is not a number from {min} to {max}")]
    BadNumber { command: &'static str, token: String, value: String, min: i64, max: i64 },
}

/// Longest time in milliseconds: a month. Longer ones are lowered to it.
const MAX_MILLISECONDS: i64 = 1000 * 60 * 60 * 24 * 30;
const MAX_COUNT: i64 = i64::MAX;

impl Command {
    /// Parses a line.
    ///
    /// # Errors
    /// Fails if the line is not a command; the error names the token that is wrong.
    pub fn parse(line: &str) -> Result<Self, CommandError> {
        let mut tokens = line.split_ascii_whitespace();
        let Some(first) = tokens.next() else {
            return Ok(Self::Nothing);
        };
        match first {
            "uci" => alone(first, tokens, Self::Uci),
            "isready" => alone(first, tokens, Self::IsReady),
            "ucinewgame" => alone(first, tokens, Self::NewGame),
            "stop" => alone(first, tokens, Self::Stop),
            "ponderhit" => alone(first, tokens, Self::PonderHit),
            "quit" | "exit" => alone(first, tokens, Self::Quit),
            "d" => alone(first, tokens, Self::Display),
            "eval" => alone(first, tokens, Self::Eval),
            "help" => alone(first, tokens, Self::Help),
            "position" => parse_position(tokens),
            "go" => parse_go(tokens),
            "setoption" => parse_option(tokens),
            "perft" => Ok(Self::Perft(parse_perft("perft", &mut tokens)?)),
            "bench" => parse_bench(tokens),
            // Parts of the protocol that have no effect here.
            "debug" | "register" => Ok(Self::Nothing),
            _ => Err(CommandError::Unknown(excerpt(first))),
        }
    }
}

/// Returns the beginning of a token, for an error message.
fn excerpt(token: &str) -> String {
    token.chars().take(40).collect()
}

fn unexpected(command: &'static str, token: &str) -> CommandError {
    CommandError::Unexpected { command, token: excerpt(token) }
}

/// Returns `command` if no token follows its name.
fn alone(
    name: &str,
    mut rest: SplitAsciiWhitespace<'_>,
    command: Command,
) -> Result<Command, CommandError> {
    match rest.next() {
        None => Ok(command),
        Some(token) => Err(CommandError::Unknown(excerpt(&format!("{name} {token}")))),
    }
}

fn parse_position(mut tokens: SplitAsciiWhitespace<'_>) -> Result<Command, CommandError> {
    const COMMAND: &str = "position";
    let incomplete =
        |after: &str| CommandError::Incomplete { command: COMMAND, after: after.to_owned() };
    let (fen, next) = match tokens.next() {
        Some("startpos") => (None, tokens.next()),
        Some("fen") => {
            let fields: Vec<&str> = tokens.by_ref().take_while(|&token| token != "moves").collect();
            if fields.is_empty() {
                return Err(incomplete("fen"));
            }
            // The token that ended the FEN was "moves", if there is anything left.
            (Some(fields.join(" ")), Some("moves"))
        }
        Some(token) => return Err(unexpected(COMMAND, token)),
        None => return Err(incomplete(COMMAND)),
    };
    match next {
        Some("moves") | None => {
            Ok(Command::Position { fen, moves: tokens.map(str::to_owned).collect() })
        }
        Some(token) => Err(unexpected(COMMAND, token)),
    }
}

/// Parses the number that follows `token`, from `min` to `max`.
fn number(
    command: &'static str,
    token: &str,
    tokens: &mut SplitAsciiWhitespace<'_>,
    min: i64,
    max: i64,
) -> Result<i64, CommandError> {
    let value =
        tokens.next().ok_or_else(|| CommandError::Incomplete { command, after: excerpt(token) })?;
    value.parse().ok().filter(|number| (min..=max).contains(number)).ok_or_else(|| {
        CommandError::BadNumber { command, token: excerpt(token), value: excerpt(value), min, max }
    })
}

fn parse_perft(
    command: &'static str,
    tokens: &mut SplitAsciiWhitespace<'_>,
) -> Result<usize, CommandError> {
    const DEEPEST: i64 = 30;
    number(command, "depth", tokens, 1, DEEPEST).map(|depth| depth as usize)
}

fn parse_bench(mut tokens: SplitAsciiWhitespace<'_>) -> Result<Command, CommandError> {
    if tokens.clone().next().is_none() {
        return Ok(Command::Bench(None));
    }
    let depth = number("bench", "depth", &mut tokens, 1, i64::from(Depth::MAX.0))?;
    Ok(Command::Bench(Some(depth as i32)))
}

fn parse_go(mut tokens: SplitAsciiWhitespace<'_>) -> Result<Command, CommandError> {
    const COMMAND: &str = "go";
    let mut limits = Limits::default();
    while let Some(token) = tokens.next() {
        // A clock may have run below zero on its way here; it must be searched nevertheless.
        let time = |tokens: &mut _| {
            let milliseconds = number(COMMAND, token, tokens, i64::MIN, i64::MAX)?;
            Ok(Duration::from_millis(milliseconds.clamp(0, MAX_MILLISECONDS) as u64))
        };
        let count = |tokens: &mut _, max| number(COMMAND, token, tokens, 1, max);
        match token {
            "wtime" => limits.time[Colour::White] = Some(time(&mut tokens)?),
            "btime" => limits.time[Colour::Black] = Some(time(&mut tokens)?),
            "winc" => limits.increment[Colour::White] = time(&mut tokens)?,
            "binc" => limits.increment[Colour::Black] = time(&mut tokens)?,
            "movetime" => limits.move_time = Some(time(&mut tokens)?),
            // Some programs send 0 where there is no next time control.
            "movestogo" => {
                let moves = number(COMMAND, token, &mut tokens, 0, i64::from(u32::MAX))?;
                limits.moves_to_go = Some(moves as u32).filter(|&moves| moves > 0);
            }
            "depth" => limits.depth = Some(Depth(count(&mut tokens, i64::from(i32::MAX))? as i32)),
            "nodes" => limits.nodes = Some(count(&mut tokens, MAX_COUNT)? as u64),
            "mate" => limits.mate = Some(count(&mut tokens, i64::from(u32::MAX))? as u32),
            "infinite" => limits.infinite = true,
            "ponder" => limits.ponder = true,
            "perft" => return parse_perft(COMMAND, &mut tokens).map(Command::Perft),
            "searchmoves" => {
                let moves = tokens.map(str::to_owned).collect::<Vec<_>>();
                return go_with_moves(limits, moves);
            }
            _ => return Err(unexpected(COMMAND, token)),
        }
    }
    Ok(Command::Go { limits, moves: Vec::new() })
}

/// Parses the tokens after `searchmoves`: moves, then perhaps more limits.
fn go_with_moves(before: Limits, mut tokens: Vec<String>) -> Result<Command, CommandError> {
    let is_move = |token: &String| token.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    let end = tokens.iter().position(|token| !is_move(token)).unwrap_or(tokens.len());
    let rest = tokens.split_off(end);
    if tokens.is_empty() {
        return Err(CommandError::Incomplete { command: "go", after: "searchmoves".to_owned() });
    }
    // Only once: a line of nothing else would make the parser recurse without end.
    if rest.iter().any(|token| token == "searchmoves") {
        return Err(unexpected("go", "searchmoves"));
    }
    match parse_go(rest.join(" ").split_ascii_whitespace())? {
        Command::Go { limits, moves } if moves.is_empty() => {
            Ok(Command::Go { limits: merged(before, limits), moves: tokens })
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

fn parse_option(mut tokens: SplitAsciiWhitespace<'_>) -> Result<Command, CommandError> {
    const COMMAND: &str = "setoption";
    let incomplete =
        |after: &str| CommandError::Incomplete { command: COMMAND, after: after.to_owned() };
    match tokens.next() {
        Some("name") => {}
        Some(token) => return Err(unexpected(COMMAND, token)),
        None => return Err(incomplete(COMMAND)),
    }
    let name: Vec<&str> = tokens.by_ref().take_while(|&token| token != "value").collect();
    let value: Vec<&str> = tokens.collect();
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
