//! `--draw` and `--resign`: when a game is called off.

use std::str::FromStr;

use crate::adjudication::{DrawRule, ResignRule};

/// The values of `key=number` parts, in the order of `keys`; each must be there. Other parts go to `other`.
fn numbers<const N: usize>(
    text: &str,
    keys: [&str; N],
    mut other: impl FnMut(&str) -> bool,
) -> Result<[u32; N], String> {
    let mut values = [None; N];
    for part in text.split([',', ' ']).filter(|part| !part.is_empty()) {
        let value = part.split_once('=').and_then(|(key, value)| {
            let place = keys.iter().position(|known| *known == key)?;
            Some((place, value.parse().ok()?))
        });
        match value {
            // A count of nothing would end every game at once.
            Some((place, 0)) if keys[place] == "movecount" => {
                return Err("movecount must be at least 1".to_owned());
            }
            Some((place, value)) => values[place] = Some(value),
            None if other(part) => {}
            None => return Err(format!("`{part}` is not one of {}", keys.join("=N, ") + "=N")),
        }
    }
    let missing = keys.iter().zip(&values).find(|(_, value)| value.is_none());
    match missing {
        Some((key, _)) => Err(format!("{key}=N is missing")),
        None => Ok(values.map(Option::unwrap_or_default)),
    }
}

impl FromStr for DrawRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let keys = ["movenumber", "movecount", "score"];
        let [move_number, move_count, score] = numbers(text, keys, |_| false)?;
        Ok(Self { move_number, move_count, score: centipawns(score)? })
    }
}

impl FromStr for ResignRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut two_sided = false;
        let [move_count, score] = numbers(text, ["movecount", "score"], |part| {
            two_sided |= matches!(part, "twosided" | "twosided=true");
            matches!(part, "twosided" | "twosided=true" | "twosided=false")
        })?;
        Ok(Self { move_count, score: centipawns(score)?, two_sided })
    }
}

fn centipawns(value: u32) -> Result<i32, String> {
    const MOST: u32 = 1_000_000;
    if value > MOST { Err(format!("{value} is no score")) } else { Ok(value as i32) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read() {
        let draw = "movenumber=40,movecount=8,score=10".parse::<DrawRule>();
        assert_eq!(draw, Ok(DrawRule { move_number: 40, move_count: 8, score: 10 }));
        let resign = "movecount=3 score=400 twosided".parse::<ResignRule>();
        assert_eq!(resign, Ok(ResignRule { move_count: 3, score: 400, two_sided: true }));
        for text in [
            "",
            "movecount=3",
            "movecount=0,score=4",
            "movecount=3,score=x",
            "movecount=3,score=4000000000",
            "movecount=3,score=4,both",
        ] {
            assert!(text.parse::<ResignRule>().is_err(), "{text}");
        }
    }
}
