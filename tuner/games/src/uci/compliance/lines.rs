//! Lines of engines: whether they have the form that the protocol gives them.

use std::collections::HashSet;

use super::super::shown;

/// Returns what is wrong with the declaration of an option, if anything.
fn option_problem(line: &str) -> Option<String> {
    let rest = line.trim().strip_prefix("option name ")?;
    let Some((name, rest)) = rest.split_once(" type ") else {
        return Some("it has no type".to_owned());
    };
    if name.trim().is_empty() {
        return Some("it has no name".to_owned());
    }
    let words: Vec<&str> = rest.split_ascii_whitespace().collect();
    let value = |key: &str| {
        let at = words.iter().position(|word| *word == key)?;
        words.get(at + 1).copied()
    };
    match words.first().copied() {
        Some("spin") => {
            let number = |key: &str| value(key).and_then(|it| it.parse::<i64>().ok());
            match (number("default"), number("min"), number("max")) {
                (Some(default), Some(min), Some(max)) => (!(min..=max).contains(&default))
                    .then(|| format!("its default {default} is outside {min} to {max}")),
                _ => Some("a spin needs whole numbers for default, min and max".to_owned()),
            }
        }
        Some("check") => (!matches!(value("default"), Some("true" | "false")))
            .then(|| "the default of a check is true or false".to_owned()),
        Some("combo") => {
            let default = rest.split_once("default ").map(|(_, it)| it.split(" var ").next());
            let default = default.flatten().unwrap_or("").trim();
            let mut values = rest.split(" var ").skip(1).map(str::trim);
            (!values.any(|it| it == default))
                .then(|| format!("its default `{}` is none of its values", shown(default)))
        }
        Some("string" | "button") => None,
        Some(other) => Some(format!("there is no type `{}`", shown(other))),
        None => Some("it has no type".to_owned()),
    }
}

/// Returns what is wrong with the options of an engine, each with its line.
pub fn option_problems<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut names = HashSet::new();
    let mut problems = Vec::new();
    for line in lines.filter(|line| line.trim_start().starts_with("option")) {
        let name =
            line.trim().strip_prefix("option name ").and_then(|it| it.split(" type ").next());
        let problem = match name {
            None => Some("an option begins with `option name`".to_owned()),
            Some(name) if !names.insert(name.trim().to_ascii_lowercase()) => {
                Some("a second option of this name".to_owned())
            }
            Some(_) => option_problem(line),
        };
        problems.extend(problem.map(|problem| format!("{problem}: `{}`", shown(line))));
    }
    problems
}

/// Words of `info` with a number behind them.
const NUMBERS: [&str; 13] = [
    "depth",
    "seldepth",
    "time",
    "nodes",
    "multipv",
    "cp",
    "mate",
    "currmovenumber",
    "hashfull",
    "nps",
    "tbhits",
    "sbhits",
    "cpuload",
];

/// Returns what is wrong with the numbers of an `info` line, if anything.
pub fn info_problem(line: &str) -> Option<String> {
    let mut words = line.split_ascii_whitespace();
    while let Some(word) = words.next() {
        if matches!(word, "string" | "pv") {
            break;
        }
        if word == "score" && !matches!(words.clone().next(), Some("cp" | "mate")) {
            return Some(format!("a score is `cp` or `mate`: `{}`", shown(line)));
        }
        if NUMBERS.contains(&word) && words.next().is_none_or(|it| it.parse::<i64>().is_err()) {
            return Some(format!("{word} is no whole number: `{}`", shown(line)));
        }
    }
    None
}

/// Returns whether an `info` line has a word before its variation or text.
pub fn has_word(line: &str, word: &str) -> bool {
    let mut words = line.split_ascii_whitespace().take_while(|it| *it != "string");
    words.any(|it| it == word)
}

/// Returns the score of an `info` line: its unit and its number.
pub fn score(line: &str) -> Option<(&str, i64)> {
    let mut words = line.split_ascii_whitespace().skip_while(|word| *word != "score").skip(1);
    Some((words.next()?, words.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_are_malformed_are_named() {
        let problems = |line: &str| option_problems([line].into_iter());
        for good in [
            "id name X",
            "option name Hash type spin default 16 min 1 max 1024",
            "option name Clear Hash type button",
            "option name Ponder type check default false",
            "option name Style type combo default Very Wild var Solid var Very Wild",
            "option name Book File type string default <empty>",
            "option name Note type string",
        ] {
            assert_eq!(problems(good), [""; 0], "{good}");
        }
        for (bad, part) in [
            ("option Hash type spin", "begins with"),
            ("option name Hash", "no type"),
            ("option name Hash type", "no type"),
            ("option name Hash type spin default 16", "whole numbers"),
            ("option name Hash type spin default 0 min 1 max 2", "outside 1 to 2"),
            ("option name P type check default yes", "true or false"),
            ("option name S type combo default a var b", "none of its values"),
            ("option name S type slider", "no type `slider`"),
        ] {
            let found = problems(bad);
            assert!(found.len() == 1 && found[0].contains(part), "{bad}: {found:?}");
        }
        let twice = ["option name A type button", "option name a type button"];
        assert!(option_problems(twice.into_iter())[0].starts_with("a second option"));
    }

    #[test]
    fn numbers_of_info_lines_are_numbers() {
        for good in [
            "info depth 3 seldepth 4 multipv 1 score cp -3 lowerbound nodes 5 nps 6 time 0 pv e2e4 depth x",
            "info score mate -3 hashfull 0",
            "info string depth x",
            "info currmove e2e4 currmovenumber 1",
        ] {
            assert_eq!(info_problem(good), None, "{good}");
        }
        for bad in
            ["info depth x", "info nodes", "info time 1.5", "info score 30", "info score mate +x"]
        {
            assert!(info_problem(bad).is_some(), "{bad}");
        }
        assert_eq!(score("info depth 1 score mate -2 pv x"), Some(("mate", -2)));
        assert!(
            has_word("info depth 1 nodes 3", "nodes") && !has_word("info string nodes", "nodes")
        );
    }
}
