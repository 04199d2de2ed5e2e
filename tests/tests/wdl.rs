//! The win/draw/loss model: what is fitted to games whose model is known.

use nullarbor_tests::Tournament;

/// The score that wins half of the games, and the spread.
const EVEN: f64 = 150.0;
const SPREAD: f64 = 80.0;

/// Moves of each game: the fit begins at the eighth.
const MOVES: usize = 24;

fn chance(score: f64) -> f64 {
    1.0 / (1.0 + ((EVEN - score) / SPREAD).exp())
}

/// A game of knights going to and fro in which White's score is always the same.
fn game(centipawns: i32, result: &str) -> String {
    let score = f64::from(centipawns) / 100.0;
    let mut text = format!("[White \"A\"]\n[Black \"B\"]\n[Result \"{result}\"]\n\n");
    for number in 1..=MOVES {
        let [white, black] = if number % 2 == 1 { ["Nf3", "Nf6"] } else { ["Ng1", "Ng8"] };
        text += &format!("{number}. {white} {{{score:+.2}/9 0.1s}} {black} ");
        text += &format!("{{{:+.2}/9 0.1s}}\n", -score);
    }
    text + result + "\n\n"
}

/// Games with all scores, won, drawn and lost as often as the model says.
fn games() -> String {
    const OF_EACH: usize = 40;
    let mut text = String::new();
    for centipawns in (-400..=400).step_by(20) {
        let score = f64::from(centipawns);
        for index in 0..OF_EACH {
            let place = (index as f64 + 0.5) / OF_EACH as f64;
            let result = match place {
                _ if place < chance(score) => "1-0",
                _ if place > 1.0 - chance(-score) => "0-1",
                _ => "1/2-1/2",
            };
            text += &game(centipawns, result);
        }
    }
    text
}

/// Returns the number before `unit` in the line that begins so.
fn number(lines: &[String], start: &str, before: &str) -> f64 {
    let line = lines.iter().find_map(|line| line.strip_prefix(start)?.split_once(before));
    let number = line.and_then(|(text, _)| text.split_whitespace().last()?.parse().ok());
    number.unwrap_or_else(|| panic!("no {start} ... {before} in {lines:#?}"))
}

/// Returns the value at move 32 of the polynomial printed for the engine's source: the sum of its coefficients.
fn at_reference(lines: &[String], name: &str) -> f64 {
    let start = format!("const {name}: Polynomial = [");
    let list = lines.iter().find_map(|line| line.strip_prefix(&start)?.strip_suffix("];"));
    let list = list.unwrap_or_else(|| panic!("no {name} in {lines:#?}"));
    list.split(", ").map(|value| value.parse::<f64>().expect("a number")).sum()
}

#[test]
fn the_model_behind_the_games_is_found() {
    let folder = Tournament::new();
    folder.write("games.pgn", &games());
    let exit = folder.succeed(&["wdl", "games.pgn", "--quiet", "--svg", "wdl.svg"]);
    let even = number(&exit.lines, "All moves together:", " cp win half");
    let spread = number(&exit.lines, "All moves together:", " cp.");
    assert!((even - EVEN).abs() < 5.0 && (spread - SPREAD).abs() < 5.0, "{even} {spread}");
    // The constants for the engine are in another unit, the same for both.
    let even = number(&exit.lines, "At move 32:", " cp win half");
    let spread = number(&exit.lines, "At move 32:", " cp.");
    let unit = at_reference(&exit.lines, "A") / even;
    let of_spread = at_reference(&exit.lines, "B") / spread;
    assert!((unit - of_spread).abs() < 0.005 && (unit - 1.0).abs() > 0.01, "{unit} {of_spread}");
    assert!(folder.read("wdl.svg").starts_with("<svg"));
    // The moves of one player are as good as those of both.
    let exit = folder.succeed(&["wdl", "games.pgn", "--quiet", "--player", "B"]);
    let of_one = number(&exit.lines, "All moves together:", " cp win half");
    assert!((of_one - EVEN).abs() < 5.0, "{of_one}");
}

#[test]
fn what_has_no_scores_is_refused() {
    let folder = Tournament::new();
    folder.write("bare.pgn", "[Result \"1-0\"]\n\n1. e4 e5 1-0\n");
    assert!(folder.refuse(&["wdl", "bare.pgn"], 1).contains("no move has a score"));
    folder.write("few.pgn", &game(30, "1-0"));
    assert!(folder.refuse(&["wdl", "few.pgn"], 1).contains("too few positions"));
    assert!(folder.refuse(&["wdl", "few.pgn", "--player", "C"], 1).contains("no game of C"));
    assert!(folder.refuse(&["wdl", "none.pgn"], 1).contains("none.pgn"));
}
