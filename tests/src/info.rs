//! The `info` lines of a search, read strictly: a word that is not in the protocol is an error.

use std::str::{FromStr, SplitWhitespace};

/// A score as the engine writes it, from the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Full moves to mate, negative if the side to move is mated.
    Mate(i32),
}

/// One `info` line with a principal variation.
#[derive(Clone, Debug)]
pub struct Info {
    /// Depth of the iteration.
    pub depth: u32,
    /// Deepest ply reached.
    pub selective_depth: u32,
    /// Rank of the line, from 1.
    pub rank: u32,
    /// Score.
    pub score: Score,
    /// `lowerbound` or `upperbound`.
    pub bound: Option<String>,
    /// Wins, draws and losses in a thousand.
    pub wdl: Option<[u32; 3]>,
    /// Nodes searched by all threads.
    pub nodes: u64,
    /// Nodes per second.
    pub speed: u64,
    /// Fill of the table in a thousand.
    pub hashfull: u32,
    /// Milliseconds since `go`.
    pub time: u64,
    /// Principal variation.
    pub variation: Vec<String>,
}

impl Info {
    /// Reads a line. `Ok(None)` is a line that carries no variation: `info string`, `info currmove`, and depth 0, which
    /// reports a game that is over.
    ///
    /// # Errors
    /// Says which field is missing, unknown or malformed.
    pub fn parse(line: &str) -> Result<Option<Self>, String> {
        let mut words = line.split_whitespace();
        if words.next() != Some("info") {
            return Err(format!("not an info line: {line}"));
        }
        let mut fields = Fields::default();
        while let Some(word) = words.next() {
            match word {
                "string" => return Ok(None),
                "pv" => fields.variation = Some(words.by_ref().map(str::to_owned).collect()),
                _ => {
                    fields.read(word, &mut words).map_err(|error| format!("{error} in: {line}"))?
                }
            }
        }
        if fields.current_move || fields.depth == Some(0) {
            return Ok(None);
        }
        fields.complete().ok_or_else(|| format!("a field is missing in: {line}")).map(Some)
    }
}

#[derive(Default)]
struct Fields {
    depth: Option<u32>,
    selective_depth: Option<u32>,
    rank: Option<u32>,
    score: Option<Score>,
    bound: Option<String>,
    wdl: Option<[u32; 3]>,
    nodes: Option<u64>,
    speed: Option<u64>,
    hashfull: Option<u32>,
    time: Option<u64>,
    variation: Option<Vec<String>>,
    current_move: bool,
}

impl Fields {
    fn read(&mut self, word: &str, words: &mut SplitWhitespace<'_>) -> Result<(), String> {
        match word {
            "depth" => self.depth = Some(number(word, words)?),
            "seldepth" => self.selective_depth = Some(number(word, words)?),
            "multipv" => self.rank = Some(number(word, words)?),
            "score" => {
                self.score = Some(match words.next() {
                    Some("cp") => Score::Centipawns(number("cp", words)?),
                    Some("mate") => Score::Mate(number("mate", words)?),
                    other => return Err(format!("score {other:?}")),
                });
            }
            "lowerbound" | "upperbound" => self.bound = Some(word.to_owned()),
            "wdl" => {
                self.wdl = Some([number(word, words)?, number(word, words)?, number(word, words)?])
            }
            "nodes" => self.nodes = Some(number(word, words)?),
            "nps" => self.speed = Some(number(word, words)?),
            "hashfull" => self.hashfull = Some(number(word, words)?),
            "tbhits" => drop(number::<u64>(word, words)?),
            "time" => self.time = Some(number(word, words)?),
            "currmove" => {
                words.next().ok_or("currmove without a move")?;
                self.current_move = true;
            }
            "currmovenumber" => drop(number::<u32>(word, words)?),
            _ => return Err(format!("unknown word {word}")),
        }
        Ok(())
    }

    fn complete(self) -> Option<Info> {
        Some(Info {
            depth: self.depth?,
            selective_depth: self.selective_depth?,
            rank: self.rank?,
            score: self.score?,
            bound: self.bound,
            wdl: self.wdl,
            nodes: self.nodes?,
            speed: self.speed?,
            hashfull: self.hashfull?,
            time: self.time?,
            variation: self.variation?,
        })
    }
}

fn number<T: FromStr>(field: &str, words: &mut SplitWhitespace<'_>) -> Result<T, String> {
    let word = words.next().ok_or_else(|| format!("{field} without a number"))?;
    word.parse().map_err(|_| format!("{field} {word}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "info depth 9 seldepth 14 multipv 1 score cp -31 lowerbound wdl 10 900 90 \
                        nodes 5120 nps 1000000 hashfull 3 time 5 pv e2e4 e7e5";

    #[test]
    fn reads_every_field() {
        let info = Info::parse(LINE).expect("a valid line").expect("a line with a variation");
        assert_eq!((info.depth, info.selective_depth, info.rank), (9, 14, 1));
        assert_eq!(
            (info.score, info.bound.as_deref()),
            (Score::Centipawns(-31), Some("lowerbound"))
        );
        assert_eq!((info.wdl, info.nodes, info.speed), (Some([10, 900, 90]), 5120, 1_000_000));
        assert_eq!((info.hashfull, info.time, info.variation.len()), (3, 5, 2));
    }

    #[test]
    fn refuses_what_the_protocol_does_not_know() {
        assert!(Info::parse(&LINE.replace("hashfull", "hashfill")).is_err());
        assert!(Info::parse(&LINE.replace(" nps 1000000", "")).is_err());
        assert!(Info::parse(&LINE.replace("cp -31", "cp x")).is_err());
        assert!(Info::parse("bestmove e2e4").is_err());
    }

    #[test]
    fn passes_over_lines_without_a_variation() {
        assert!(Info::parse("info string error: no such thing").expect("valid").is_none());
        assert!(
            Info::parse("info depth 20 currmove e2e4 currmovenumber 3").expect("valid").is_none()
        );
    }
}
