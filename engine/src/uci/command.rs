//! Parsing: from a line of text to a typed [`Command`]. Whatever is unclear is an error here and
//! goes no further.

use std::str::SplitAsciiWhitespace;

use super::genfens::{self, GenFens};
use super::go::{self, Go};
use super::tokens::{CommandError, excerpt, finished, number, unexpected};
use crate::types::Depth;

/// A command of the protocol, or one of the engine's own.
///
/// ```
/// use nullarbor::uci::{Command, CommandError};
///
/// let Ok(Command::Go(go)) = Command::parse("go nodes 5000 searchmoves e2e4 d2d4 far") else {
///     panic!("a search");
/// };
/// assert_eq!((go.limits.nodes, go.moves.len(), go.faults.len()), (Some(5000), 3, 0));
/// assert!(matches!(Command::parse("perft 3 4"), Err(CommandError::Unexpected { .. })));
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
    Go(Go),
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
    /// `genfens`: generate openings.
    GenFens(GenFens),
    /// `help`: list the commands.
    Help,
    /// `quit`: end the program.
    Quit,
}

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
            "perft" => parse_perft("perft", tokens),
            "bench" => parse_bench(tokens),
            "genfens" => genfens::parse(tokens).map(Self::GenFens),
            // Parts of the protocol that have no effect here.
            "debug" | "register" => Ok(Self::Nothing),
            _ => Err(CommandError::Unknown(excerpt(first))),
        }
    }
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

fn parse_perft(
    command: &'static str,
    mut tokens: SplitAsciiWhitespace<'_>,
) -> Result<Command, CommandError> {
    const DEEPEST: i64 = 30;
    let depth = number(command, "depth", &mut tokens, 1, DEEPEST)?;
    finished(command, tokens)?;
    Ok(Command::Perft(depth as usize))
}

fn parse_bench(mut tokens: SplitAsciiWhitespace<'_>) -> Result<Command, CommandError> {
    const COMMAND: &str = "bench";
    if tokens.clone().next().is_none() {
        return Ok(Command::Bench(None));
    }
    let depth = number(COMMAND, "depth", &mut tokens, 1, i64::from(Depth::MAX.0))?;
    finished(COMMAND, tokens)?;
    Ok(Command::Bench(Some(depth as i32)))
}

/// Parses what follows `go`: a search, or `perft` and a depth.
fn parse_go(mut tokens: SplitAsciiWhitespace<'_>) -> Result<Command, CommandError> {
    if tokens.clone().next() != Some("perft") {
        return Ok(Command::Go(go::parse(tokens)));
    }
    tokens.next();
    parse_perft("go perft", tokens)
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
        assert_eq!(error("go perft x"), "go perft depth: `x` is not a number from 1 to 30");
        assert_eq!(error("perft"), "perft: `depth` needs a value");
        assert_eq!(error("bench 3 fast"), "bench: `fast` is not expected here");
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
