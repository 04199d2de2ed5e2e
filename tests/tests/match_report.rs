//! The page of a match.

use std::time::Duration;

use nullarbor_tests::{Tournament, offline_page};

/// Longer than any game here takes.
const PATIENCE: Duration = Duration::from_secs(120);

#[test]
fn a_page_tells_a_match_from_its_journal() {
    let folder = Tournament::new();
    let engines = ["self,Hash=1,nodes=60,name=more", "self,Hash=1,nodes=20,name=<less>"];
    let more = ["--games", "20", "--seed", "1", "--sprt", "0,10", "--pgn", "g", "--resume", "j"];
    folder.succeed(&Tournament::words(engines, &more));
    let exit = folder.succeed(&["match", "report", "j"]);
    assert_eq!(exit.lines, ["j.html"]);
    let html = folder.read("j.html");
    let page = offline_page(&html);
    for part in [
        "more - &lt;less&gt;",
        "<figcaption>LLR",
        "<figcaption>Time by move",
        "<figcaption>Pairs by points",
        "Crosstable",
        "How games ended",
        "lost on time",
        "Openings that more won",
        // The position of one.
        " KQkq - ",
        "Command: nullarbor-tuner match ",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.len() < 150_000 && !page.contains("NaN"), "{} bytes", page.len());
    // Without moves, and cut short in a line, as by a kill.
    let journal = folder.read("j");
    let lines: Vec<&str> = journal.lines().collect();
    folder.write("cut", &format!("{}\n{}", lines[..6].join("\n"), &lines[6][..20]));
    folder.succeed(&["match", "report", "cut", "--out", "x.html"]);
    let html = folder.read("x.html");
    assert!(
        html.contains("State: stopped after 5 games, undecided") && html.contains("Games: 5 of")
    );
    // Damage in the middle is told with its line.
    let damaged = lines[2].replacen("\"leg\"", "\"lag\"", 1);
    folder.write("damaged", &journal.replacen(lines[2], &damaged, 1));
    let error = folder.refuse(&["match", "report", "damaged"], 1);
    assert!(error.contains("damaged, line 3"), "{error}");
}

#[test]
fn what_is_no_journal_of_a_match_is_refused_with_advice() {
    let folder = Tournament::new();
    folder.write("games.pgn", "[Event \"x\"]\n\n1. e4 *\n");
    folder.write("empty", "");
    for (file, part) in [
        ("games.pgn", "games.pgn is not the journal of a match"),
        ("games.pgn", "name the file that a match got with --resume"),
        ("empty", "empty: the journal is empty"),
        ("none", "none: "),
    ] {
        let error = folder.refuse(&["match", "report", file], 1);
        assert!(error.contains(part), "{error}");
    }
    let error = folder.refuse(&["match", "report", "games.pgn", "--out", "games.pgn"], 1);
    assert!(error.contains("--out"), "{error}");
    assert!(folder.read("games.pgn").contains("e4"));
}

#[test]
fn a_match_that_is_played_is_under_way() {
    let folder = Tournament::new();
    let engines = ["self,Hash=1,nodes=30", "self,Hash=1,nodes=20"];
    let more = ["--games", "4000", "--seed", "1", "--resume", "j", "--concurrency", "1"];
    let running = folder.start(&Tournament::words(engines, &more));
    let begun = std::time::Instant::now();
    let lines = || std::fs::read_to_string(folder.path("j")).map_or(0, |text| text.lines().count());
    while lines() < 4 && begun.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(20));
    }
    folder.succeed(&["match", "report", "j"]);
    let html = folder.read("j.html");
    assert!(html.contains("State: under way"), "{}", &html[..html.len().min(9000)]);
    assert!(html.contains("a match with --pgn FILE keeps them"));
    drop(running);
}
