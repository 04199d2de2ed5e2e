//! Command lines of fastchess, and what games and results have on request.

use nullarbor_tests::{Tournament, engine};

const BOOK: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n\
    rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\n\
    rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2\n";

/// Words of a shell, which no value here has a space in.
fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn a_command_line_of_fastchess_plays_its_match() {
    let folder = Tournament::new();
    folder.write("b.epd", BOOK);
    folder.write("g.pgn", "[Event \"an earlier one\"]\n\n1. e4 *\n\n");
    let engine = engine();
    let engine = engine.display();
    let line = format!(
        "match -engine cmd={engine} name=a nodes=60 -engine cmd={engine} name=b nodes=30 -each proto=uci option.Hash=1 \
         -rounds 3 -repeat -recover -openings file=b.epd format=epd start=2 -ratinginterval 2 -event Cup \
         -pgnout file=g.pgn notation=uci nps=true timeleft=true hashfull=true pv=true -maxmoves 30 --json r.json"
    );
    let exit = folder.succeed(&words(&line));
    assert!(exit.errors.starts_with("As: nullarbor-tuner match --engine cmd="), "{}", exit.errors);
    let games = folder.read("g.pgn");
    assert!(games.starts_with("[Event \"an earlier one\"]"), "{games}");
    assert_eq!(games.matches("[Event \"Cup\"]").count(), 6);
    let comment =
        games.split('{').find(|it| it.contains("pv=")).expect("a variation").replace('\n', " ");
    for part in ["n=", "nps=", "hashfull=", "pv=\""] {
        assert!(comment.contains(part), "{comment}");
    }
    assert!(!comment.contains("tl="), "no clock runs: {comment}");
    // The second opening of the book is the first, and the first the last.
    let fens: Vec<&str> = games.split("[FEN \"").skip(1).collect();
    assert!(fens[0].starts_with("rnbqkbnr/pp1ppppp") && fens[4].starts_with("rnbqkbnr/pppppppp"));
    // After each pair, and at the end.
    let text = exit.lines.join("\n");
    assert_eq!(text.matches("Results of a vs b").count(), 4, "{text}");
    assert_eq!(folder.json("r.json")["games"], 6);
}

#[test]
fn words_without_a_meaning_here_are_told_all_at_once() {
    let folder = Tournament::new();
    let line = "match -engine cmd=a -engine cmd=b -each tc=1+0.01 -epdout file=x -wait 5 -sprt elo0=0 elo1=5 model=bayesian";
    let exit = folder.run(&words(line));
    assert_eq!(exit.status.code(), Some(2), "{}", exit.errors);
    for part in
        ["-epdout file=x", "-wait 5", "model=normalized", "(no -openings)", "--book unbalanced"]
    {
        assert!(exit.errors.contains(part), "{part}: {}", exit.errors);
    }
}

#[test]
fn time_left_is_that_of_the_clock() {
    let folder = Tournament::new();
    let more = [
        "--games",
        "2",
        "--tc",
        "5+0.1",
        "--pgn",
        "g",
        "--pgn-fields",
        "timeleft,latency,nps,hashfull,tbhits",
        "--maxmoves",
        "3",
    ];
    folder.succeed(&Tournament::words(["self,Hash=1", "self,Hash=1"], &more));
    let games = folder.read("g").replace('\n', " ");
    let left = games.split("tl=").skip(1).map(|it| it.split('s').next().expect("seconds"));
    let left: Vec<f64> = left.map(|it| it.parse().expect("a number")).collect();
    assert!(left.len() >= 4 && left.iter().all(|it| (0.0..=5.2).contains(it)), "{left:?}");
    assert!(games.contains("nps=") && !games.contains("latency="), "{games}");
    // It has no tables, and a small hash table, of which searches use some.
    let fields = |name: &str| -> Vec<u64> {
        let values = games.split(name).skip(1).map(|it| it.split([',', '}']).next());
        values.map(|it| it.and_then(|it| it.parse().ok()).expect("a number")).collect()
    };
    assert_eq!(fields("tbhits="), vec![0; left.len()]);
    let filled = fields("hashfull=");
    assert!(
        filled.len() == left.len() && filled.iter().any(|it| (1..=1000).contains(it)),
        "{filled:?}"
    );
}

#[test]
fn a_book_begins_where_it_is_told_to() {
    let folder = Tournament::new();
    folder.write("b.epd", BOOK);
    let more = ["--games", "2", "--depth", "1", "--book", "b.epd", "--book-start", "4"];
    let error = folder.refuse(&Tournament::words(["self,Hash=1", "self,Hash=1"], &more), 1);
    assert!(error.contains("--book-start 4: the book b.epd has 3 openings"), "{error}");
}
