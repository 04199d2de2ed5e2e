//! Networks that are judged by labelled positions, and positions that are labelled.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use nullarbor_tests::{Tournament, engine, interrupt, offline_page, repository_root};
use serde_json::Value;

fn words(text: &str) -> Vec<&str> {
    text.split_ascii_whitespace().collect()
}

/// A folder with a set and a small network.
fn with_set() -> Tournament {
    let folder = Tournament::new();
    fs::create_dir(folder.path("set")).expect("room");
    for name in ["set/met.tsv", "set/neutral.tsv", "set/siblings.tsv", "small.nnue"] {
        let from = repository_root().join("tests/data/judge").join(name);
        fs::copy(from, folder.path(name)).expect(name);
    }
    folder
}

/// Figures of the small network by an independent program with floating-point arithmetic: met, neutral, equal material
/// r, order and k.
const REFERENCE: [f64; 5] = [0.01065, 0.00455, 0.53487, 0.43618, 108.0];

#[test]
fn figures_are_those_of_the_reference() {
    let folder = with_set();
    let judge = "judge small.nnue built-in --set set --page page.html --json";
    folder.succeed(&[&words(judge)[..], &["figures.json"]].concat());
    let judged = folder.json("figures.json");
    let small = &judged[0];
    let figures = [
        &small["met"]["loss"]["value"],
        &small["neutral"]["loss"]["value"],
        &small["equal_material"],
        &small["siblings"]["order"]["value"],
        &small["scale"],
    ];
    let found = figures.map(|figure| figure.as_f64().expect("a number"));
    for (found, reference) in found.into_iter().zip(REFERENCE) {
        assert!((found - reference).abs() < 5e-5, "{found} instead of {reference}: {small:#}");
    }
    assert_eq!(judged[1]["network"], "built-in");
    assert!(small.get("changes").is_none(), "it is the first");
    for file in [0, 1] {
        let r = judged[1]["changes"][file]["correlation"]["value"].as_f64().expect("a number");
        // A network with 32 neurons is far from any that the engine ships.
        assert!((0.1..1.0).contains(&r), "{r}");
    }
    let by_mover = small["met"]["by_mover"].as_array().expect("two sides");
    let counts = by_mover.iter().map(|part| part["positions"].as_u64().expect("a number"));
    assert_eq!(counts.sum::<u64>(), small["met"]["positions"].as_u64().expect("a number"));
    let page = folder.read("page.html");
    let own = offline_page(&page);
    for part in [
        "small.nnue",
        "Changes from small.nnue, against its errors",
        "Fitted logistic scale by piece count",
        "Order of siblings",
    ] {
        assert!(own.contains(part), "{part}");
    }
    let printed = folder.succeed(&words("judge small.nnue --set set")).lines;
    let row = printed.iter().find(|line| line.starts_with("small.nnue")).expect("a row");
    assert!(row.contains(&format!("{:.4}", REFERENCE[0])), "{row}");
    assert!(row.contains(&format!("{:.3}", REFERENCE[3])), "{row}");
    let only = folder.succeed(&[&words(judge)[..], &["-"]].concat()).lines.join("\n");
    assert_eq!(serde_json::from_str::<Value>(&only).expect("JSON alone"), judged);
    fs::remove_file(folder.path("set/met.tsv")).expect("it was there");
    let printed = folder.succeed(&words("judge --set set")).lines;
    let row = printed.iter().find(|line| line.starts_with("built-in")).expect("a row");
    assert_eq!(words(row)[1..3], ["-", "-"], "{row}");
}

#[test]
fn the_set_of_the_project_finds_the_shipped_network_better_than_a_small_one() {
    let folder = with_set();
    let set = repository_root().join("tuner/train/judge");
    let set = set.to_str().expect("a path in UTF-8");
    folder.succeed(&["judge", "built-in", "small.nnue", "--set", set, "--json", "figures.json"]);
    let judged = folder.json("figures.json");
    for figure in ["/met/loss/value", "/neutral/loss/value"] {
        let [shipped, small] = [0, 1].map(|network: usize| {
            judged[network].pointer(figure).and_then(Value::as_f64).expect("a number")
        });
        assert!(shipped < small, "{figure}: {shipped} and {small}");
    }
}

#[test]
fn a_broken_set_is_named_with_its_line_and_nothing_is_written() {
    let folder = with_set();
    let met = folder.read("set/met.tsv");
    for (name, line, part) in [
        ("met", "8/8/8/8/8/8/8/K7 w - - 0 1\t3", "king"),
        ("met", "4k3/8/8/8/8/8/8/3QK3 w - - 0 1\t10001", "`10001`"),
        ("siblings", "4k3/8/8/8/8/8/8/3QK3 w - - 0 1\t3", "too few columns"),
    ] {
        let whole = folder.read(&format!("set/{name}.tsv"));
        let number = whole.lines().count() + 1;
        folder.write(&format!("set/{name}.tsv"), &format!("{whole}{line}\n"));
        let error = folder.refuse(&words("judge --set set --json j --page p"), 1);
        assert!(error.contains(&format!("{name}.tsv, line {number}: ")), "{error}");
        assert!(error.contains(part), "{error}");
        assert!(!folder.path("j").exists() && !folder.path("p").exists());
        folder.write(&format!("set/{name}.tsv"), &whole);
    }
    let refused = folder.refuse(&words("judge none.nnue --set set"), 1);
    assert!(refused.contains("none.nnue"), "{refused}");
    assert!(folder.refuse(&words("judge --set none"), 1).contains("it has none of met.tsv"));
    assert!(folder.refuse(&words("judge --set set --json set/met.tsv"), 1).contains("met.tsv"));
    assert_eq!(folder.read("set/met.tsv"), met);
}

#[test]
fn training_prints_and_draws_the_figures_of_each_epoch() {
    let folder = with_set();
    folder
        .succeed(&words("datagen --games 150 --nodes 30 --natural 0 --seed 4 --quiet --out games"));
    let train = "train --data games --hidden 32 --batch 512 --out net.nnue --epochs 3 --judge set";
    let exit = folder.succeed(&words(train));
    let is_figures = |line: &&str| line.starts_with("met 0.") && line.contains(", order 0.");
    assert_eq!(exit.errors.lines().filter(is_figures).count(), 3, "{}", exit.errors);
    let last = exit.errors.lines().rfind(is_figures).expect("three lines");
    assert!(exit.lines.iter().any(|line| line.as_str() == last), "{:?}", exit.lines);
    let judged = folder.succeed(&words("judge net.nnue --set set")).lines.join("\n");
    assert!(judged.contains(words(last)[1].trim_end_matches(',')), "{judged}");
    let page = folder.read("net.nnue.html");
    assert!(offline_page(&page).contains("<td>epoch 3</td>"));
    // The set is no part of the training: it goes on with another one, or without.
    let again = folder.succeed(&words(train.trim_end_matches(" --judge set")));
    assert!(again.lines.iter().any(|line| line.as_str() == last), "{:?}", again.lines);
}

/// Positions that are easily told apart, and one where the game is over.
const POSITIONS: &str = "\
    rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n\
    r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1\n\
    4k3/8/8/8/8/8/4P3/3QK3 b - - 0 1\n\
    6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1\n\
    7k/5QQ1/8/8/8/8/8/K7 b - - 0 1\n\
    8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1\n\
    r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3\n";

/// The FEN and the label of each line.
fn labels(text: &str) -> Vec<(String, i32)> {
    let columns = |line: &str| {
        let mut columns = line.split('\t');
        let fen = columns.next().expect("a FEN").to_owned();
        (fen, columns.next().and_then(|label| label.parse().ok()).expect("a label"))
    };
    text.lines().map(columns).collect()
}

#[test]
fn labels_are_for_white_and_make_a_set() {
    let folder = Tournament::new();
    folder.write("all.epd", POSITIONS);
    fs::create_dir(folder.path("set")).expect("room");
    let label = "label all.epd --nodes 2000 --quiet --out set/met.tsv";
    let lines = folder.succeed(&words(label)).lines;
    assert_eq!(lines, ["set/met.tsv: 6 lines of 6 positions"]);
    let text = folder.read("set/met.tsv");
    assert!(text.lines().all(|line| line.ends_with("\tall")), "{text}");
    let labels = labels(&text);
    let of = |fen: &str| labels.iter().find(|(other, _)| other.starts_with(fen)).expect(fen).1;
    assert!(of("rnbqkbnr").abs() < 150, "{text}");
    assert!(of("4k3") > 300, "a queen ahead, Black to move: {text}");
    assert_eq!(of("6k1"), 9_999, "mate in one");
    // The same command has nothing to do, and another one does not overwrite.
    assert_eq!(folder.succeed(&words(label)).lines, lines);
    assert_eq!(folder.read("set/met.tsv"), text);
    let other = folder.refuse(&words(&label.replace("2000", "2001")), 1);
    assert!(other.contains("other engine or limit"), "{other}");
    let judged = folder.succeed(&words("judge --set set")).lines.join("\n");
    assert!(judged.contains("6 positions met, 0 neutral"), "{judged}");
    let quiet = "label all.epd --nodes 2000 --quiet --quiet-only --out quiet";
    let lines = folder.succeed(&words(quiet)).lines;
    assert!(lines[0].contains("with a best move that captures or promotes"), "{lines:?}");
    assert!(!folder.read("quiet").contains("r3k2r"), "a capture is best");
}

#[test]
fn broken_input_is_named_and_nothing_is_written() {
    let folder = Tournament::new();
    folder.write("bad.epd", &format!("{POSITIONS}rubbish\n"));
    folder.write("bad.pgn", "1. e4 e5 2. Ke3 *\n");
    folder.write("there.tsv", "precious");
    folder.write("good.epd", POSITIONS);
    for (text, part) in [
        ("label bad.epd --out x", "bad.epd, line 8"),
        ("label bad.pgn --out x", "bad.pgn, line 1"),
        ("label none.epd --out x", "none.epd"),
        ("label good.epd --out good.epd", "the same file"),
        ("label good.epd --out there.tsv", "exists already"),
        ("label good.epd --out no/such/x", "no/such/x"),
        ("label good.epd --engine self,tc=1+0 --out x", "depend on the machine"),
        ("label good.epd --engine cmd=./none --out x", "none"),
    ] {
        let error = folder.refuse(&words(text), 1);
        assert!(error.contains(part), "{text}: {error}");
        assert!(!folder.path("x").exists(), "{text}");
    }
    assert_eq!(folder.read("there.tsv"), "precious");
}

const MANY: &str = "label unbalanced --count 120 --siblings 4 --nodes 1500 --quiet --out";

fn label_many(folder: &Tournament, out: &str, threads: &str) {
    folder.succeed(&[&words(MANY)[..], &[out, "--threads", threads]].concat());
}

#[test]
fn a_run_that_is_killed_goes_on_to_the_same_labels_on_any_number_of_threads() {
    let folder = Tournament::new();
    fs::create_dir(folder.path("set")).expect("room");
    label_many(&folder, "set/siblings.tsv", "1");
    let whole = folder.read("set/siblings.tsv");
    for out in ["killed", "interrupted"] {
        let process = folder.start(&[&words(MANY)[..], &[out, "--threads", "3"]].concat());
        let journal = format!("{out}.journal");
        let begun = Instant::now();
        let lines = || fs::read_to_string(folder.path(&journal)).map_or(0, |it| it.lines().count());
        while lines() < 6 {
            assert!(begun.elapsed() < Duration::from_secs(60), "nothing is labelled");
            thread::sleep(Duration::from_millis(2));
        }
        if out == "killed" {
            // Dropping kills at once, as `kill -9` does.
            drop(process);
        } else {
            interrupt(&process);
            let exit = process.finish(Duration::from_secs(60));
            assert_eq!(exit.status.code(), Some(130), "{}", exit.errors);
            assert!(exit.errors.contains("re-run the same command"), "{}", exit.errors);
        }
        assert!(!folder.path(out).exists(), "{out} was over too soon to be disturbed");
        let before = folder.read(&journal);
        label_many(&folder, out, "2");
        assert_eq!(folder.read(out), whole, "{out}");
        let complete = before.rfind('\n').map_or("", |end| &before[..=end]);
        assert!(folder.read(&journal).starts_with(complete), "known labels are not made again");
    }
    let others = [&words(MANY)[..], &["killed", "--seed", "2"]].concat();
    assert!(folder.refuse(&others, 1).contains("run with other positions"));
    let row = folder.succeed(&words("judge --set set")).lines.join("\n");
    assert!(row.contains("siblings in") && row.contains("built-in"), "{row}");
}

/// The description of an engine that misbehaves in positions that contain a text.
fn stub(mode: &str, fatal: &str) -> String {
    let stub = env!("CARGO_BIN_EXE_stub-engine");
    format!("cmd={stub},arg={mode},arg={fatal},arg={}", engine().display())
}

#[test]
fn an_engine_that_misbehaves_is_started_anew_and_what_it_fails_is_skipped() {
    let folder = Tournament::new();
    folder.write("all.epd", POSITIONS);
    let run = |engine: &str, out: &str| {
        let words = words("label all.epd --nodes 500 --timeout 2 --threads 2 --engine");
        folder.run(&[&words[..], &[engine, "--out", out]].concat())
    };
    let engine = format!("cmd={}", engine().display());
    run(&engine, "good").assert_clean();
    let good = labels(&folder.read("good"));
    assert_eq!(good.len(), 6, "{good:?}");
    for (mode, why) in
        [("crash", "it crashed"), ("hang", "it hung"), ("illegal", "an illegal move")]
    {
        let exit = run(&stub(mode, "8/2p5/3p4"), mode);
        exit.assert_clean();
        let skipped = exit.errors.lines().find(|line| line.starts_with("skipped"));
        assert!(skipped.is_some_and(|line| line.contains("8/2p5/3p4/KP5r")), "{}", exit.errors);
        let warning = exit.lines.iter().find(|line| line.starts_with("warning: 1 positions"));
        assert!(warning.is_some_and(|line| line.contains(why)), "{mode}: {:?}", exit.lines);
        let left: Vec<_> =
            good.iter().filter(|(fen, _)| !fen.starts_with("8/2p5")).cloned().collect();
        assert_eq!(labels(&folder.read(mode)), left, "{mode}");
    }
    let stumbling = format!("{},dir={}", stub("stumble", "8/2p5"), folder.path("").display());
    let exit = run(&stumbling, "stumble");
    exit.assert_clean();
    assert!(folder.path("stumbled").exists() && !exit.errors.contains("skipped"));
    assert_eq!(labels(&folder.read("stumble")), good);
}

#[test]
fn a_run_gets_past_any_number_of_positions_that_the_engine_fails() {
    let folder = Tournament::new();
    let pawns = ["P7", "1P6", "2P5", "3P4", "4P3", "5P2"];
    let ranks = pawns.into_iter().flat_map(|pawn| [format!("8/{pawn}"), format!("{pawn}/8")]);
    let fatal: String = ranks.map(|ranks| format!("7k/8/8/8/8/{ranks}/4K3 w - - 0 1\n")).collect();
    folder.write("all.epd", &(fatal + POSITIONS));
    let label = |mode: &str| {
        let words = words("label all.epd --nodes 200 --threads 1 --out out --engine");
        folder.run(&[&words[..], &[&stub(mode, "7k/8")]].concat())
    };
    let first = label("crash");
    assert_eq!(first.status.code(), Some(1), "{}", first.errors);
    assert!(first.errors.contains("10 positions in a row"), "{}", first.errors);
    for _ in 0..2 {
        let again = label("crash");
        again.assert_clean();
        let text = again.lines.join("\n");
        assert!(text.contains("warning: 12 positions were skipped"), "{text}");
        assert_eq!(labels(&folder.read("out")).len(), 6);
        assert_eq!(folder.read("out.journal").lines().count(), 1 + 12 + 6, "each position once");
    }
}

#[test]
fn an_engine_that_fails_everything_ends_the_run_which_can_be_resumed() {
    let folder = Tournament::new();
    let label = |engine: &str| {
        let words = words("label endgames --count 30 --nodes 200 --out out --engine");
        [&words[..], &[engine]].concat().into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let error = folder.refuse(&label(&stub("crash", "position")), 1);
    assert!(error.contains("10 positions in a row") && error.contains("out.journal"), "{error}");
    assert!(!folder.path("out").exists());
    let own = format!("cmd={}", engine().display());
    assert!(folder.refuse(&label(&own), 1).contains("other engine or limit"));
    fs::remove_file(folder.path("out.journal")).expect("it was there");
    folder.succeed(&label(&own));
    assert_eq!(labels(&folder.read("out")).len(), 30);
}
