//! The schemes of the null move, as options and in the laboratory.

use nullarbor_tests::{Dialogue, KIWIPETE, Tournament, offline_page};

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
    folder.write("mine.toml", "scheme = \"verified\"\nreduction = \"fixed-1\"\n");
    let rows = |workers: &str| -> Vec<String> {
        let schemes = ["--schemes", "off,fixed-2,verified,mine.toml", "--engine", "plain"];
        let exit =
            folder.succeed(&lab("out", &[&schemes[..], &["--concurrency", workers]].concat()));
        assert!(exit.last_line().ends_with("index.html"), "{}", exit.last_line());
        let without_time = |line: &str| {
            let mut cells: Vec<&str> = line.split(',').collect();
            cells.remove(6);
            cells.join(",")
        };
        folder.read("out/tree.csv").lines().map(without_time).collect()
    };
    let alone = rows("1");
    assert_eq!(alone, rows("3"));
    assert_eq!(
        alone[0],
        "suite,scheme,depth,seconds_allowed,positions,nodes,median_depth,tasks,solved,engine,suite_fingerprint"
    );
    assert_eq!(alone.len(), 1 + 4 * 7);
    assert!(alone[7].starts_with("s,off,7,,3,") && alone[7].contains(",2,2,"), "{}", alone[7]);
    let version = concat!("Nullarbor ", env!("CARGO_PKG_VERSION"), ", bench ");
    assert!(alone[7].contains(version), "{}", alone[7]);
    assert!(folder.read("out/null_moves.csv").lines().any(|line| line.starts_with("s,mine,")));
    let results = folder.json("out/lab.json");
    let verified = &results[0][2];
    assert!(verified["scheme"] == "verified" && verified["engine"]["search"] == "plain");
    assert!(verified["null_moves"][2]["overturned"].is_u64());
    let page = folder.read("out/index.html");
    let own = offline_page(&page);
    assert!(own.contains("<figure") && own.contains("solved only by off"), "{own}");
}

#[test]
fn the_laboratory_gives_time_and_lets_schemes_play() {
    let folder = Tournament::new();
    folder.write("zugzwang.epd", SUITE);
    // An old name of --schemes.
    let words = "lab --suite zugzwang.epd --seconds 0.02,0.05 --policies off,fixed-2+guard=piece --quiet --out o \
                 --games 4 --games-at nodes=200,depth=2 --concurrency 2";
    let words: Vec<&str> = words.split_ascii_whitespace().collect();
    let exit = folder.succeed(&words);
    for part in ["wrong of 2", "median depth", "games: 200 nodes", "games: 2 plies", "by pairing"] {
        assert!(exit.lines.iter().any(|line| line.contains(part)), "{part}: {:?}", exit.lines);
    }
    let page = folder.read("o/index.html");
    assert!(
        page.contains("<h2>Games</h2>") && page.contains("--games-at</span> nodes=200,depth=2")
    );
    let rows = folder.read("o/tree.csv");
    assert!(rows.lines().any(|line| line.starts_with("zugzwang,off,,0.05,3,")), "{rows}");
}

#[test]
fn a_rule_is_mined_and_proven() {
    let folder = Tournament::new();
    folder.write("s.epd", SUITE);
    let run = |words: &str| folder.succeed(&words.split_ascii_whitespace().collect::<Vec<_>>());
    let log = |out: &str, workers: &str| {
        let words = "mine log --games 3 --plies 20 --nodes 3000 --probe 20 --truth 200 --quiet";
        run(&format!("{words} --concurrency {workers} --out {out}"));
        std::fs::read(folder.path(out)).expect("a log")
    };
    assert!(log("one.parquet", "1") == log("three.parquet", "3"), "the log depends on the workers");
    let split =
        folder.succeed(&["mine", "partition", "one.parquet", "static_eval >= beta", "depth > 99"]);
    let row = |name: &str| -> Vec<&str> {
        let line = split.lines.iter().find(|line| line.starts_with(name)).expect(name);
        line[name.len()..].split_ascii_whitespace().collect()
    };
    let rate = |name: &str| -> f64 { row(name)[1].parse().expect("a rate") };
    assert!(rate("static_eval >= beta") > rate("all"), "{:?}", split.lines);
    assert_eq!(row("depth > 99")[..2], ["0", "-"]);
    let learnt = run("mine induce one.parquet --depth 2 --out mined");
    assert!(learnt.last_line().ends_with("mine report mined/rule.toml --out mined/report"));
    assert!(folder.read("mined/rule.svg").starts_with("<svg"));
    assert!(
        folder.read("mined/rule.txt").lines().all(|line| learnt.lines.iter().any(|it| it == line))
    );
    run(
        "mine report mined/rule.toml --suite s.epd --depths 4 --nodes 100 --games 8 --quiet --out proof",
    );
    assert!(folder.read("proof/sprt.txt").contains("SPRT: "));
    assert!(folder.read("proof/index.html").contains("rule"));
}

#[test]
fn what_cannot_be_mined_is_refused() {
    let folder = Tournament::new();
    folder.write("bad.parquet", "no log");
    folder.write("empty.txt", "# nothing\n");
    folder.write("plain.toml", "preset = \"fixed-2\"\n");
    for (words, part) in [
        ("mine partition bad.parquet depth>1", "bad.parquet"),
        ("mine partition bad.parquet depht>1", "depht"),
        ("mine partition bad.parquet --rules empty.txt", "condition"),
        ("mine partition bad.parquet --rules none.txt", "none.txt"),
        ("mine induce bad.parquet --out o", "bad.parquet"),
        ("mine log --out none/log.parquet --games 1", "none/log.parquet"),
        ("mine log --out . --games 1", "not a file"),
        ("mine log --out o.parquet --scheme sometimes", "sometimes"),
        ("mine log --out o.parquet --book nobook", "nobook"),
        ("mine report plain.toml --out o", "plain.toml"),
    ] {
        let words: Vec<&str> = words.split_ascii_whitespace().collect();
        assert!(folder.refuse(&words, 1).contains(part), "{words:?}");
    }
}

#[test]
fn experiments_that_cannot_be_made_are_refused() {
    let folder = Tournament::new();
    folder.write("s.epd", SUITE);
    folder.write("bad.epd", "rubbish\n");
    folder.write("bad.toml", "guard = \"dog\"\n");
    for (words, part) in [
        (lab("o", &["--schemes", "off,sometimes"]), "sometimes"),
        (lab("o", &["--schemes", "off,off"]), "off is named twice"),
        (lab("o", &["--schemes", "bad.toml"]), "dog"),
        (lab("o", &["--schemes", "off", "--reference", "fixed-2"]), "fixed-2"),
        (lab("o", &["--schemes", "off", "--suite", "bad.epd"]), "line 1"),
        (lab("s.epd/x", &["--schemes", "off"]), "s.epd/x"),
    ] {
        assert!(folder.refuse(&words, 1).contains(part), "{words:?}");
    }
}
