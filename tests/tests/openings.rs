//! Books: made, checked, and used.

use nullarbor_tests::Tournament;

fn generate<'a>(out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let words =
        ["openings", "generate", "--count", "30", "--nodes", "500", "--quiet", "--out", out];
    [&words[..], more].concat()
}

#[test]
fn one_seed_gives_one_book_with_any_number_of_threads() {
    let folder = Tournament::new();
    folder.succeed(&generate("a.epd", &["--seed", "4", "--threads", "1"]));
    folder.succeed(&generate("b.epd", &["--seed", "4", "--threads", "3"]));
    folder.succeed(&generate("c.epd", &["--seed", "5"]));
    assert_eq!(folder.read("a.epd"), folder.read("b.epd"));
    assert_ne!(folder.read("a.epd"), folder.read("c.epd"));
    let exit = folder.succeed(&["openings", "check", "a.epd"]);
    assert!(exit.last_line().starts_with("30 openings of standard chess"), "{}", exit.last_line());
}

#[test]
fn kinds_of_books_are_what_they_say() {
    let folder = Tournament::new();
    folder.succeed(&generate("960.epd", &["--chess960", "--plies", "4,5"]));
    assert!(folder.succeed(&["openings", "check", "960.epd"]).last_line().contains("Chess960"));
    folder.succeed(&generate(
        "end.epd",
        &["--pieces", "10", "--playout-nodes", "100", "--window", "0,900"],
    ));
    for line in folder.read("end.epd").lines() {
        let placement = line.split(' ').next().expect("a placement");
        assert!(placement.chars().filter(char::is_ascii_alphabetic).count() <= 10, "{line}");
    }
    folder.succeed(&generate("wide.epd", &["--window", "60,120"]));
    for line in folder.read("wide.epd").lines() {
        let score =
            line.split("ce ").nth(1).and_then(|rest| rest.trim_end_matches(';').parse().ok());
        let score: i32 = score.unwrap_or_else(|| panic!("no value in {line}"));
        assert!((60..=120).contains(&score.abs()), "{line}");
    }
}

#[test]
fn built_in_books_are_sound() {
    let folder = Tournament::new();
    for book in ["balanced", "unbalanced", "chess960", "endgames"] {
        let exit = folder.succeed(&["openings", "check", book]);
        let count = exit.last_line().split(' ').next().and_then(|word| word.parse::<u32>().ok());
        assert!(count.is_some_and(|count| count >= 3000), "{}", exit.last_line());
    }
}

#[test]
fn bad_books_are_refused_line_by_line() {
    let folder = Tournament::new();
    let good = "4k3/8/8/8/8/8/4P3/4K3 w - -";
    folder.write("bad.epd", &format!("{good}\nrubbish\n{good}\n7k/5QQ1/8/8/8/8/8/K7 b - -\n"));
    let exit = folder.run(&["openings", "check", "bad.epd"]);
    assert_eq!(exit.status.code(), Some(1));
    for (line, part) in
        [(0, "line 2"), (1, "same position as line 1"), (2, "line 4: the game is already over")]
    {
        assert!(exit.lines[line].contains(part), "{:?}", exit.lines);
    }
    assert!(exit.errors.contains("3 invalid entries"), "{}", exit.errors);
    folder.write("empty.epd", "# nothing\n");
    assert!(folder.refuse(&["openings", "check", "empty.epd"], 1).contains("no opening"));
    assert!(folder.refuse(&["openings", "check", "none.epd"], 1).contains("none.epd"));
    // A book that is there is not written over.
    assert!(folder.refuse(&generate("bad.epd", &[]), 1).contains("bad.epd"));
    assert!(folder.read("bad.epd").contains("rubbish"));
}
