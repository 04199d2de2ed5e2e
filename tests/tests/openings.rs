//! Books: made, checked, and used.

use std::fs;

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

/// Entries of a Polyglot book; the keys are those of its specification, of the start, after 1. e4, and after 1. e4 d5.
fn polyglot() -> Vec<u8> {
    let square = |name: &str| {
        let [file, rank] = name.as_bytes() else { panic!("{name}") };
        u16::from(rank - b'1') << 3 | u16::from(file - b'a')
    };
    let entries: [(u64, &str, u16); 4] = [
        (0x0756_b944_61c5_0fb0, "e4e5", 1),
        (0x463b_9618_1691_fc9c, "d2d4", 1),
        (0x463b_9618_1691_fc9c, "e2e4", 2),
        (0x823c_9b50_fd11_4196, "d7d5", 1),
    ];
    let entry = |(key, mv, weight): (u64, &str, u16)| {
        let mv = square(&mv[..2]) << 6 | square(&mv[2..]);
        [&key.to_be_bytes()[..], &mv.to_be_bytes(), &weight.to_be_bytes(), &[0; 4]].concat()
    };
    entries.into_iter().flat_map(entry).collect()
}

#[test]
fn a_polyglot_book_is_played() {
    let folder = Tournament::new();
    fs::write(folder.path("book.bin"), polyglot()).expect("a book");
    let exit = folder.succeed(&["openings", "check", "book.bin"]);
    assert_eq!(exit.last_line(), "2 lines of a Polyglot book");
    let words = ["--nodes", "100", "--games", "4", "--book", "book.bin", "--pgn", "games.pgn"];
    let words = [&words[..], &["--order", "sequential"]].concat();
    folder.succeed(&Tournament::words(["self,Hash=1", "self,Hash=1"], &words));
    let games = folder.read("games.pgn");
    let begun = |start: &str| games.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!(begun("1. e4 {book} d5 {book} 2. e5 {book} "), 2, "{games}");
    assert_eq!(begun("1. d4 {book} "), 2, "{games}");
    fs::write(folder.path("cut.bin"), &polyglot()[..20]).expect("a book");
    assert!(folder.refuse(&["openings", "check", "cut.bin"], 1).contains("20 bytes"));
}
