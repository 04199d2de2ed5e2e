//! `info` lines: what an engine reports about its search.

use std::time::Duration;

use nullarbor::types::{Ply, Score};

use crate::player::Details;

/// The values of an `info` line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    pub score: Option<Score>,
    pub depth: u32,
    pub selective_depth: u32,
    pub nodes: u64,
    pub details: Details,
}

/// Returns whether an `info` line has a score or a variation.
pub fn tells_of_search(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace().take_while(|word| *word != "string");
    words.any(|word| word == "score" || word == "pv")
}

/// Returns whether a line is an `info` with the score of the best line; a bound counts.
pub fn has_score(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    if words.next() != Some("info") {
        return false;
    }
    let (mut scored, mut best) = (false, true);
    while let Some(word) = words.next() {
        match word {
            "score" => scored = true,
            "multipv" => best = words.next() == Some("1"),
            "string" | "pv" => break,
            _ => {}
        }
    }
    scored && best
}

impl Info {
    /// Parses a line; malformed values are skipped.
    pub fn read(line: &str) -> Self {
        let mut info = Self::default();
        let mut words = line.split_ascii_whitespace();
        while let Some(word) = words.next() {
            let mut number = || words.next().and_then(|word| word.parse::<i64>().ok());
            match word {
                "depth" => info.depth = number().unwrap_or(0).clamp(0, 999) as u32,
                "seldepth" => info.selective_depth = number().unwrap_or(0).clamp(0, 999) as u32,
                "nodes" => info.nodes = number().unwrap_or(0).max(0) as u64,
                "cp" => info.score = number().map(centipawns),
                "mate" => info.score = number().map(mate),
                "nps" => info.details.nps = number().and_then(|it| it.try_into().ok()),
                "hashfull" => info.details.hashfull = number().and_then(|it| it.try_into().ok()),
                "tbhits" => info.details.tbhits = number().and_then(|it| it.try_into().ok()),
                "time" => {
                    let time = number().and_then(|it| it.try_into().ok());
                    info.details.reported = time.map(Duration::from_millis);
                }
                "pv" => {
                    info.details.pv = words.map(str::to_owned).collect();
                    break;
                }
                "string" => break,
                _ => {}
            }
        }
        info
    }
}

fn centipawns(value: i64) -> Score {
    Score(value.clamp(i32::MIN.into(), i32::MAX.into()) as i32).clamp_eval()
}

/// Converts full moves to mate, negative or 0 if the side to move is mated.
fn mate(moves: i64) -> Score {
    const LONGEST: i64 = 100;
    let moves = moves.clamp(-LONGEST, LONGEST);
    if moves > 0 {
        Score::mate_in((2 * moves - 1) as Ply)
    } else {
        Score::mated_in((-2 * moves) as Ply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_scores_of_the_best_line_count() {
        assert!(has_score("info depth 9 seldepth 14 multipv 1 score cp -31 nodes 5120 pv e2e4"));
        assert!(has_score("info depth 9 score mate 3"));
        assert!(has_score("info depth 9 score cp 3 lowerbound nodes 7"));
        for line in [
            "info depth 9 multipv 2 score cp 3",
            "info depth 9 currmove e2e4",
            "info string score cp 3",
            "bestmove e2e4",
            "",
        ] {
            assert!(!has_score(line), "{line}");
        }
    }

    #[test]
    fn values_are_read() {
        let info = Info::read(
            "info depth 9 seldepth 14 score cp -31 nodes 5120 nps 7 hashfull 12 tbhits 0 time 3 pv e2e4 e7e5",
        );
        let details = Details {
            nps: Some(7),
            hashfull: Some(12),
            tbhits: Some(0),
            reported: Some(Duration::from_millis(3)),
            left: None,
            pv: ["e2e4", "e7e5"].map(str::to_owned).to_vec(),
        };
        let (depth, selective_depth, nodes) = (9, 14, 5120);
        let expected = Info { score: Some(Score(-31)), depth, selective_depth, nodes, details };
        assert_eq!(info, expected);
        let score = |text: &str| Info::read(&format!("info score {text}")).score;
        assert_eq!(score("mate 3").and_then(Score::mate_moves), Some(3));
        assert_eq!(score("mate -2").and_then(Score::mate_moves), Some(-2));
        assert!(score("mate 0").is_some_and(Score::is_loss));
        assert_eq!(score("cp 99999999999"), Some(Score::MAX_UNPROVEN));
        assert_eq!(score("cp x"), None);
    }
}
