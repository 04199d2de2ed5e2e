//! The schemes of the null move, as options and in the laboratory.

use nullarbor_tests::{Dialogue, KIWIPETE, Tournament};

fn nodes(dialogue: &mut Dialogue) -> u64 {
    dialogue.new_game();
    dialogue.fen(KIWIPETE);
    dialogue.go("depth 9").last().nodes
}

#[test]
fn a_scheme_is_an_option_and_can_be_taken_back() {
    let mut dialogue = Dialogue::start();
    let own = nodes(&mut dialogue);
    for scheme in ["off", "verified", "micromax", "guide-formula"] {
        dialogue.set("NullMove", scheme);
        assert_ne!(nodes(&mut dialogue), own, "{scheme} changes nothing");
    }
    let reason = dialogue.refuse("setoption name NullMove value sometimes");
    assert!(reason.contains("sometimes") && reason.contains("verified"), "{reason}");
    dialogue.set("NullMove", "nullarbor");
    assert_eq!(nodes(&mut dialogue), own);
    dialogue.quit();
}

const SUITE: &str = "\
6k1/5ppp/8/8/8/8/8/K3R3 w - - bm Re8#; dm 1; id \"mate\";
r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - bm Qxf7#; id \"scholar\";
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - id \"start\";
";

fn lab<'a>(out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let words = ["lab", "--suite", "s.epd", "--depths", "5,7", "--quiet", "--out", out];
    [&words[..], more].concat()
}

#[test]
fn the_laboratory_gives_the_same_trees_with_any_number_of_workers() {
    let folder = Tournament::new();
    folder.write("s.epd", SUITE);
    folder.write("mine.toml", "preset = \"verified\"\nreduction = \"fixed-1\"\n");
    let rows = |workers: &str| -> Vec<String> {
        let policies = ["--policies", "off,fixed-2,verified,mine.toml", "--engine", "plain"];
        let exit =
            folder.succeed(&lab("out", &[&policies[..], &["--concurrency", workers]].concat()));
        assert!(exit.last_line().ends_with("index.html"), "{}", exit.last_line());
        let without_time = |line: &str| {
            let mut cells: Vec<&str> = line.split(',').collect();
            cells.remove(5);
            cells.join(",")
        };
        folder.read("out/tree.csv").lines().map(without_time).collect()
    };
    let alone = rows("1");
    assert_eq!(alone, rows("3"));
    assert_eq!(alone[0], "suite,scheme,depth,positions,nodes,tasks,solved");
    assert_eq!(alone.len(), 1 + 4 * 7);
    assert!(alone[7].starts_with("s,off,7,3,") && alone[7].ends_with(",2,2"), "{}", alone[7]);
    assert!(folder.read("out/null_moves.csv").lines().any(|line| line.starts_with("s,mine,")));
    assert!(folder.json("out/lab.json")[0][2]["scheme"] == "verified");
    let page = folder.read("out/index.html");
    assert!(page.contains("<svg") && page.contains("it, not off"));
    for foreign in ["http://", "https://", "<script"] {
        assert!(!page.contains(foreign), "the page needs {foreign}");
    }
}

#[test]
fn experiments_that_cannot_be_made_are_refused() {
    let folder = Tournament::new();
    folder.write("s.epd", SUITE);
    folder.write("bad.epd", "rubbish\n");
    folder.write("bad.toml", "guard = \"dog\"\n");
    for (words, part) in [
        (lab("o", &["--policies", "off,sometimes"]), "sometimes"),
        (lab("o", &["--policies", "off,off"]), "off is named twice"),
        (lab("o", &["--policies", "bad.toml"]), "dog"),
        (lab("o", &["--policies", "off", "--reference", "fixed-2"]), "fixed-2"),
        (lab("o", &["--policies", "off", "--suite", "bad.epd"]), "line 1"),
        (lab("s.epd/x", &["--policies", "off"]), "s.epd/x"),
    ] {
        assert!(folder.refuse(&words, 1).contains(part), "{words:?}");
    }
}
