//! Parameters tuned by games.

use std::thread;
use std::time::{Duration, Instant};

use nullarbor_tests::{Tournament, engine, offline_page, sealed, unsealed};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use serde_json::Value;

const RUN: &str = "\
iterations = 30
pairs_per_iteration = 2
nodes = 60
seed = 5
book = \"unbalanced\"
hash = 1
lag = 4
groups = [\"razoring\"]

[parameters.null_move_base]
value = 4000
c_end = 500
r_end = 0.05
";

fn words(text: &str) -> Vec<&str> {
    text.split_ascii_whitespace().collect()
}

/// A run that ends early: enough of its iterations are uneven for a first look.
fn stopping_run() -> String {
    RUN.replace("pairs_per_iteration = 2", "pairs_per_iteration = 4")
        .replace("seed", "stop_below = 900\nseed")
}

fn folder_with(run: &str) -> Tournament {
    let folder = Tournament::new();
    folder.write("run.toml", run);
    folder
}

fn run<'a>(dir: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["spsa", "run", "run.toml", "--quiet", "--dir", dir][..], more].concat()
}

#[test]
fn the_values_do_not_depend_on_the_number_of_workers() {
    let folder = folder_with(RUN);
    let values = |workers: &str| {
        folder.succeed(&run(workers, &["--concurrency", workers]));
        folder.succeed(&["spsa", "status", workers]).lines
    };
    let alone = values("1");
    assert_eq!(alone, values("3"));
    assert_eq!(folder.read("1/journal.jsonl"), folder.read("3/journal.jsonl"));
    assert_eq!(alone.last().map(String::as_str), Some("30 of 30 iterations, 120 games"));
    let base: Vec<&str> = alone[0].split_ascii_whitespace().collect();
    assert_eq!((base[0], base[2], base[3]), ("null_move_base", "from", "4000"));
    assert!(base[1].split_once('.').is_some_and(|(_, decimals)| decimals.len() == 2), "{base:?}");
    assert_ne!(base[1], "4000.00", "nothing was learnt");
    folder.write("other.toml", &RUN.replace("seed = 5", "seed = 6"));
    folder.succeed(&words("spsa run other.toml --quiet --dir other"));
    assert_ne!(folder.succeed(&["spsa", "status", "other"]).lines, alone);
}

#[test]
fn the_journal_holds_the_run_whole_and_the_run_file_stays() {
    let folder = Tournament::new();
    let own =
        format!("# my run\nconcurrency = 1\n{RUN}").replace("iterations = 30", "iterations = 2");
    std::fs::create_dir(folder.path("own")).expect("a folder");
    folder.write("own/run.toml", &own);
    folder.succeed(&words("spsa run own/run.toml --quiet --dir own"));
    assert_eq!(folder.read("own/run.toml"), own);
    // What was declared when it began: later it may be declared otherwise.
    let begun = folder.read("own/journal.jsonl");
    let first = begun.lines().next().expect("the run");
    assert!(first.contains("razor_base") && !first.contains("groups"), "{first}");
}

#[test]
fn a_run_that_is_killed_again_and_again_gives_the_same_values() {
    let longer = RUN.replace("iterations = 30", "iterations = 80");
    let folder = folder_with(&longer.replace("pairs_per_iteration = 2", "pairs_per_iteration = 1"));
    folder.succeed(&run("undisturbed", &[]));
    let lines = || {
        let exists = folder.path("disturbed/journal.jsonl").exists();
        if exists { folder.read("disturbed/journal.jsonl").lines().count() } else { 0 }
    };
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for _ in 0..8 {
        let until = lines() + rng.random_range(1..6);
        // On many cores the run would soon be over.
        let process = folder.start(&run("disturbed", &["--concurrency", "2"]));
        while lines() < until {
            thread::sleep(Duration::from_millis(2));
        }
        // Dropping kills at once, as `kill -9` does.
        drop(process);
    }
    assert!(lines() < 81, "the run was over too soon to be disturbed");
    folder.succeed(&words("spsa resume disturbed --quiet --concurrency 3"));
    let journal = |dir: &str| folder.read(&format!("{dir}/journal.jsonl"));
    assert_eq!(journal("undisturbed"), journal("disturbed"));
    let begun = Instant::now();
    folder.succeed(&words("spsa resume disturbed --quiet"));
    assert!(begun.elapsed() < Duration::from_secs(5), "it is done");
}

#[test]
fn a_torn_line_is_dropped_and_a_damaged_one_refused() {
    let folder = folder_with(RUN);
    folder.succeed(&run("a", &[]));
    let journal = folder.read("a/journal.jsonl");
    folder.write("a/journal.jsonl", &journal[..journal.len() - 9]);
    let exit = folder.run(&words("spsa resume a"));
    assert!(exit.errors.contains("incomplete"), "{}", exit.errors);
    assert_eq!(folder.read("a/journal.jsonl"), journal);
    let lines: Vec<&str> = journal.lines().collect();
    let without_third = [&lines[..3], &lines[4..]].concat().join("\n") + "\n";
    folder.write("a/journal.jsonl", &without_third);
    assert!(
        folder.refuse(&words("spsa resume a --quiet"), 1).contains("line 4: its checksum is wrong")
    );
    folder.write("a/journal.jsonl", &journal.replacen("\"number\":7", "\"number\":x", 1));
    assert!(folder.refuse(&words("spsa status a"), 1).contains("line 8"));
    folder.write("a/journal.jsonl", &journal);
    folder.write("run.toml", &RUN.replace("nodes = 60", "nodes = 61"));
    assert!(folder.refuse(&run("a", &[]), 1).contains("another run"));
    assert_eq!(folder.read("a/journal.jsonl"), journal, "it was left alone");
}

#[test]
fn a_run_goes_on_with_the_same_engine_and_book_wherever_it_is_resumed() {
    let short = RUN.replace("iterations = 30", "iterations = 4");
    let folder = folder_with(&short.replace("unbalanced", "few.epd"));
    let book = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n";
    folder.write("few.epd", book);
    folder.succeed(&run("a", &[]));
    let whole = folder.read("a/journal.jsonl");
    let lines: Vec<String> = whole.lines().map(unsealed).collect();
    let begun = |first: &str| sealed(&[first, &lines[1], &lines[2]]);
    let resume = || {
        Tournament::new().run(&[
            "spsa",
            "resume",
            &folder.path("a").display().to_string(),
            "--quiet",
        ])
    };
    folder.write("a/journal.jsonl", &begun(&lines[0]));
    assert!(resume().status.success(), "from another folder");
    assert_eq!(folder.read("a/journal.jsonl"), whole);
    let refused = |difference: &str| {
        let errors = resume().errors;
        assert!(errors.contains(difference), "{errors}");
        let errors = folder.refuse(&run("a", &[]), 1);
        assert!(errors.contains(difference), "{errors}");
    };
    let first: Value = serde_json::from_str(&lines[0]).expect("JSON");
    let build = first["settings"]["build"].as_str().expect("a fingerprint");
    folder.write("a/journal.jsonl", &begun(&lines[0].replace(build, "0123456789abcdef")));
    refused("another run: its engine was another build");
    folder.write("a/journal.jsonl", &begun(&lines[0]));
    folder.write("few.epd", &book.replace(" w ", " b "));
    refused("another run: its book had other openings");
    // As earlier versions wrote it.
    let order = first["settings"]["order"].as_str().expect("a fingerprint");
    let earlier = lines[0].replace(&format!("\"build\":\"{build}\","), "");
    let earlier = earlier.replace(&format!("\"order\":\"{order}\","), "");
    assert_eq!(earlier.len() + 54, lines[0].len());
    folder.write("a/journal.jsonl", &begun(&earlier));
    let exit = folder.run(&words("spsa run run.toml --dir a"));
    assert!(exit.status.success(), "{}", exit.errors);
    assert!(exit.errors.contains("was begun by an earlier version"), "{}", exit.errors);
    assert_eq!(folder.succeed(&words("spsa status a")).last_line(), "4 of 4 iterations, 16 games");
}

#[test]
fn a_run_goes_from_its_file_to_the_source() {
    let folder = Tournament::new();
    let text = folder
        .succeed(&words("spsa init --group razoring --iterations 8 --nodes 100 --pairs 1"))
        .lines
        .join("\n");
    folder.write("run.toml", &text);
    let exit = folder.run(&words("spsa run run.toml --dir dir"));
    assert!(exit.errors.contains("next: nullarbor-tuner spsa verify dir"), "{}", exit.errors);
    let export = folder.succeed(&words("spsa export --openbench run.toml")).lines;
    let names: Vec<&str> = export.iter().filter_map(|line| line.split(',').next()).collect();
    assert_eq!(names, ["razor_max_depth", "razor_base", "razor_depth_scale"]);
    assert!(export.iter().all(|line| line.ends_with(", 0.002")), "{export:?}");
    assert!(!export[0].contains(".0,"), "integers are printed as integers: {export:?}");
    let source = "    razoring {\n        razor_max_depth: 4 in 1..=8, 0.5, \"plies\", \"x\";\n        razor_base: 1 in -9999..=99999, 1.0, \"x\", \"razor_base: 1 in\";\n        razor_depth_scale: 2 in -9999..=99999, 1.0, \"x\", \"x\";\n    }\n";
    folder.write("list.rs", source);
    let exit = folder.succeed(&words("spsa apply dir --source list.rs"));
    let value = |name: &str| {
        let line = exit.lines.iter().find_map(|line| line.strip_prefix(&format!("{name} = ")));
        line.expect(name).to_owned()
    };
    let expected = source
        .replacen("razor_base: 1 in", &format!("razor_base: {} in", value("razor_base")), 1)
        .replacen("depth: 4 in", &format!("depth: {} in", value("razor_max_depth")), 1)
        .replacen("scale: 2 in", &format!("scale: {} in", value("razor_depth_scale")), 1);
    assert_eq!(folder.read("list.rs"), expected);
    folder.write("outputs.csv", "razor_base, 222.4\n");
    folder.succeed(&words("spsa import outputs.csv --source list.rs"));
    assert!(folder.read("list.rs").contains("razor_base: 222 in -9999..=99999"));
    folder.succeed(&words("spsa verify dir --at nodes=100 --games 4 --quiet"));
    assert!(folder.read("dir/verify-start.txt").contains("tuned vs start"));
    let page = folder.succeed(&words("spsa report dir --watch"));
    assert_eq!(page.last_line(), "dir/report.html", "a run that is done needs no watching");
    let page = folder.read("dir/report.html");
    let own = offline_page(&page);
    for part in ["razor_base", "random walk (1 sigma)", "tuned vs start"] {
        assert!(own.contains(part), "{part}: {own}");
    }
    assert!(!own.contains("NaN"), "{own}");
    let refused = folder.refuse(&words("spsa plan run.toml --simulate --seeds 5"), 1);
    assert!(refused.contains("16 games are too few"), "{refused}");
    folder.write("long.toml", &text.replace("iterations = 8", "iterations = 150"));
    let plan = folder.succeed(&words("spsa plan long.toml --simulate --seeds 5")).lines;
    assert!(plan.iter().any(|line| line.starts_with("recovered % as it is written")), "{plan:?}");
}

#[test]
fn a_plan_says_what_to_expect_and_chooses_the_gains() {
    let folder = folder_with(&RUN.replace("iterations = 30", "iterations = 60"));
    let plan = |workers: &str, file: &str| {
        let line = format!(
            "spsa plan run.toml --probes 20 --seeds 1 --concurrency {workers} --write {file} --svg {file}.svg"
        );
        folder.succeed(&words(&line)).lines
    };
    let lines = plan("1", "planned.toml");
    for part in [
        "40 games in",
        "/h). ",
        "of a range costs",
        "Other numbers of games",
        "equal parabolas",
        "unequal parabolas",
        "flat far away",
        "c_end 1/",
    ] {
        assert!(lines.iter().any(|line| line.contains(part)), "{part}: {lines:#?}");
    }
    let row = lines.iter().find(|line| line.starts_with("razor_base")).expect("a row");
    assert!(row.contains('%'), "{row}");
    let planned = folder.read("planned.toml");
    assert!(planned.contains("iterations = 50"), "20 of 120 pairs are probes: {planned}");
    assert!(folder.read("planned.toml.svg").starts_with("<svg"));
    plan("3", "other.toml");
    assert_eq!(folder.read("other.toml"), planned, "the number of workers must not matter");
    let constant = RUN.replace("seed", "mode = \"constant\"\nseed");
    folder.write("constant.toml", &constant);
    let export = folder.run(&words("spsa export --openbench constant.toml"));
    assert!(export.errors.contains("r_end is divided by 2"), "{}", export.errors);
    assert!(export.errors.contains("alpha 0, gamma 0"), "{}", export.errors);
    folder.write("small.toml", &planned.replace("iterations = 50", "iterations = 4"));
    let exit =
        folder.run(&words("spsa plan small.toml --simulate --elo 0.1 --seeds 3 --write no.toml"));
    assert_eq!(exit.status.code(), Some(1), "{}", exit.errors);
    assert!(exit.errors.contains("error: 16 games are too few"), "{}", exit.errors);
    assert!(!folder.path("no.toml").exists());
}

#[test]
fn runs_that_cannot_be_made_are_refused() {
    let folder = Tournament::new();
    for (change, part) in [
        (("iterations = 30", "iterations = 0"), "iterations = 0: it must be from 1"),
        (("razoring", "shaving"), "`shaving`"),
        (("null_move_base", "null_mvoe_base"), "`null_mvoe_base`"),
        (("value = 4000", "value = 9999"), "9999 is not between 2048 and 7168"),
        (("value = 4000", "min = 5000\nmax = 4000"), "5000 is not below its maximum 4000"),
        (("unbalanced", "nobook"), "nobook"),
        (("c_end = 500", "c_end = -1"), "c_end = -1"),
        (("nodes = 60", "nodes = 60\ndepth = 3"), "one of nodes, depth and tc"),
        (("seed = 5", "seed = x"), "run.toml"),
    ] {
        folder.write("run.toml", &RUN.replacen(change.0, change.1, 1));
        let error = folder.refuse(&run("dir", &[]), 1);
        assert!(error.contains(part), "{part}: {error}");
    }
    for (text, part) in [
        ("spsa run none.toml --dir d", "none.toml"),
        ("spsa status none", "none contains no run"),
        ("spsa init", "razoring, "),
        ("spsa init --group shaving", "razoring"),
        ("spsa init --parameter dog", "`dog`"),
        ("spsa import none.csv", "none.csv"),
    ] {
        assert!(folder.refuse(&words(text), 1).contains(part), "{text}");
    }
}

#[test]
fn a_recovery_experiment_starts_off_the_defaults() {
    let folder = Tournament::new();
    let init = |off: &str| {
        folder.succeed(&words(&format!("spsa init --parameter lmp_depth_scale {off}"))).lines
    };
    let default = init("");
    assert_eq!(init("--start-off 0"), default);
    let lines = init("--start-off 50");
    let changed: Vec<&String> = lines.iter().filter(|line| !default.contains(line)).collect();
    assert_eq!((lines.len(), changed.len()), (default.len(), 1));
    assert!(changed[0].starts_with("value = "), "{changed:?}");
}

#[test]
fn a_run_that_was_extended_goes_on() {
    let folder = folder_with(RUN);
    folder.succeed(&run("a", &[]));
    let short = folder.succeed(&words("spsa status a")).lines;
    folder.succeed(&words("spsa resume a --iterations 45 --quiet"));
    let last = |dir: &str| folder.succeed(&["spsa", "status", dir]).last_line().to_owned();
    assert_eq!(last("a"), "45 of 45 iterations, 180 games");
    assert_ne!(folder.succeed(&words("spsa status a")).lines[0], short[0]);
    // The file in the folder is that of the longer run, and the old one is still of this run.
    folder.succeed(&words("spsa run a/run.toml --quiet --dir a"));
    folder.succeed(&run("a", &[]));
    folder.write("longer.toml", &RUN.replace("iterations = 30", "iterations = 50"));
    folder.succeed(&words("spsa run longer.toml --quiet --dir a --concurrency 3"));
    assert_eq!(last("a"), "50 of 50 iterations, 200 games");
    folder.write("shorter.toml", &RUN.replace("iterations = 30", "iterations = 20"));
    let error = folder.refuse(&words("spsa run shorter.toml --quiet --dir a"), 1);
    assert!(error.contains("has 50 iterations and can get more, but not fewer"), "{error}");
    // What is extended at the same places is the same run.
    folder.succeed(&run("b", &["--concurrency", "1"]));
    folder.succeed(&words("spsa resume b --iterations 45 --quiet --concurrency 1"));
    folder.succeed(&words("spsa resume b --iterations 50 --quiet --concurrency 2"));
    assert_eq!(folder.read("a/journal.jsonl"), folder.read("b/journal.jsonl"));
}

#[test]
fn a_run_stops_when_little_remains_to_be_gained() {
    let folder = folder_with(&stopping_run());
    folder.succeed(&run("a", &[]));
    let status = folder.succeed(&words("spsa status a")).last_line().to_owned();
    assert!(status.starts_with("25 of 30 iterations, 200 games; stopped: "), "{status}");
    folder.succeed(&words("spsa resume a --quiet"));
    assert_eq!(folder.succeed(&words("spsa status a")).last_line(), status, "it is over");
    folder.write("on.toml", &stopping_run().replace("stop_below = 900\n", ""));
    folder.succeed(&words("spsa run on.toml --dir a --quiet"));
    folder.succeed(&words("spsa resume a --iterations 31 --quiet"));
    let status = folder.succeed(&words("spsa status a")).last_line().to_owned();
    assert_eq!(status, "31 of 31 iterations, 248 games");
}

#[test]
fn a_stopped_run_goes_on_by_what_its_file_says_now() {
    let folder = folder_with(&stopping_run());
    folder.succeed(&run("a", &[]));
    let status = || folder.succeed(&words("spsa status a")).last_line().to_owned();
    assert!(status().starts_with("25 of 30 iterations"), "{}", status());
    let text = folder.read("a/run.toml");
    let stricter = text.replace("stop_below = 900.0", "stop_below = 0.001 # at last");
    let edited = format!("# mine\n{stricter}");
    folder.write("a/run.toml", &edited);
    folder.succeed(&words("spsa resume a --quiet"));
    assert_eq!(status(), "30 of 30 iterations, 240 games");
    assert_eq!(folder.read("a/run.toml"), edited);
    folder.succeed(&words("spsa resume a --iterations 31 --quiet"));
    assert_eq!(folder.read("a/run.toml"), edited.replace("iterations = 30", "iterations = 31"));
    folder.write("a/run.toml", &edited.replace("iterations = 30", "iterations = 32"));
    folder.succeed(&words("spsa resume a --quiet"));
    assert_eq!(status(), "32 of 32 iterations, 256 games");
    folder.write("a/run.toml", &text.replace("seed = 5", "seed = 6"));
    let exit = folder.run(&words("spsa resume a"));
    assert!(exit.errors.contains("was not that of this run, and is replaced"), "{}", exit.errors);
    assert!(folder.read("a/run.toml").contains("iterations = 32"));
}

#[test]
fn nodes_grow_over_a_run() {
    let folder = folder_with(&RUN.replace("nodes = 60", "nodes = 50\nnodes_end = 200"));
    folder.succeed(&run("grows", &[]));
    folder.write("run.toml", &RUN.replace("nodes = 60", "nodes = 50"));
    folder.succeed(&run("stays", &[]));
    let lines = |dir: &str| folder.succeed(&["spsa", "status", dir]).lines;
    assert_ne!(lines("grows")[0], lines("stays")[0]);
    folder.succeed(&words("spsa report grows"));
    assert!(folder.read("grows/report.html").contains("50 nodes growing to 200"));
}

#[test]
fn a_small_constant_perturbation_is_played_as_a_half_with_a_notice() {
    let text =
        RUN.replace("seed", "mode = \"constant\"\nseed") + "[parameters.lmp_base]\nc_end = 0.1\n";
    let folder = folder_with(&text.replace("iterations = 30", "iterations = 2"));
    let exit = folder.run(&words("spsa run run.toml --dir a"));
    assert!(exit.errors.contains("lmp_base: c_end = 0.1 hardly changes"), "{}", exit.errors);
    let journal = folder.read("a/journal.jsonl");
    // r_end 0.002 times (0.1 / 0.5)², so that a step is as long as in classic mode.
    let begun = journal.lines().next().expect("the run");
    let begun: Value = serde_json::from_str(begun).expect("JSON");
    let played = &begun["settings"]["parameters"]["lmp_base"];
    assert_eq!(played["c_end"], 0.5);
    let r_end = played["r_end"].as_f64().expect("a number");
    assert!((r_end - 0.000_08).abs() < 1e-12, "{r_end}");
}

/// The description of this engine as another one.
fn other() -> String {
    format!("cmd={},option.Hash=1", engine().display())
}

#[test]
fn another_engine_is_tuned_from_init_to_verify() {
    let folder = Tournament::new();
    let init = |more: &[&str]| {
        let engine = other();
        let line = [&["spsa", "init", "--engine", &engine][..], more].concat();
        folder.succeed(&line.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()).lines
    };
    let text = init(&[
        "--parameter",
        "MultiPV,UCI_ShowWDL",
        "--iterations",
        "4",
        "--pairs",
        "2",
        "--nodes",
        "100",
    ]);
    let text = text.join("\n") + "\n";
    for part in [
        "engine = \"cmd=/",
        "engine_id = \"Nullarbor",
        "[parameters.MultiPV]",
        "switches = [\"UCI_ShowWDL\"]",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    folder.write("run.toml", &text);
    folder.succeed(&words("spsa run run.toml --dir a --quiet --concurrency 1"));
    folder.succeed(&words("spsa run run.toml --dir b --quiet --concurrency 2"));
    assert_eq!(folder.read("a/journal.jsonl"), folder.read("b/journal.jsonl"));
    folder.succeed(&words("spsa plan run.toml --probes 10 --seeds 2"));
    let options = folder.succeed(&words("spsa export --setoption a")).lines;
    assert!(options[0].starts_with("setoption name MultiPV value "), "{options:?}");
    assert!(options[1] == "setoption name UCI_ShowWDL value false" || options[1].ends_with("true"));
    let json = folder.succeed(&words("spsa export --json a")).lines.join("\n");
    assert!(json.contains("\"name\": \"MultiPV\"") && json.contains("\"value\": "), "{json}");
    let openbench = folder.succeed(&words("spsa export --openbench a")).lines;
    assert!(openbench[0].starts_with("MultiPV, int, "), "{openbench:?}");
    let verify = words("spsa verify a --at nodes=50 --fixed 4 --quiet --concurrency 1 --resume v");
    folder.succeed(&verify);
    let whole = folder.read("v");
    // Killed in its second game.
    folder.write("v", &(whole.lines().take(2).collect::<Vec<_>>().join("\n") + "\n"));
    folder.succeed(&verify);
    assert_eq!(folder.read("v"), whole);
    assert!(folder.refuse(&words("match --resume v"), 1).contains("repeat the whole command"));
    folder.succeed(&words("spsa verify a --at nodes=50 --games 4 --defaults --quiet"));
    assert!(folder.read("a/verify-start.txt").contains("tuned vs start"));
    folder.succeed(&words("spsa report a"));
    let error = folder.refuse(&words("spsa apply a"), 1);
    assert!(error.contains("spsa export --setoption a"), "{error}");
}

#[cfg(unix)]
#[test]
fn ranges_as_wide_as_a_type_are_narrowed_and_told() {
    let folder = Tournament::new();
    let option = |rest: &str| format!("echo option name {rest}\n");
    let wide = option("Wide type spin default 100 min -2147483648 max 2147483647");
    let usual = option("Usual type spin default 80 min 0 max 200");
    folder.write("engine", &format!("read line\n{wide}{usual}echo uciok\n"));
    let exit = folder.succeed(&["spsa", "init", "--engine", "cmd=sh,arg=engine"]);
    let told: Vec<&str> = exit.errors.lines().collect();
    assert!(told.len() == 1 && told[0].starts_with("Wide: -2147483648 to 2147483647 "), "{told:?}");
    let text = exit.lines.join("\n");
    assert!(text.contains("min = 0\nmax = 200\nc_end = 10.0\n"), "{text}");
}

#[test]
fn what_is_no_engine_of_a_run_is_named() {
    let folder = Tournament::new();
    let engine = other();
    let all = |words: &[&str]| folder.refuse(words, 1);
    assert!(all(&["spsa", "init", "--engine", &engine]).contains("has no options to tune"));
    let error = all(&["spsa", "init", "--engine", &engine, "--parameter", "multipv"]);
    assert!(error.contains("no spin or check option `multipv` (but MultiPV)"), "{error}");
    let error = all(&["spsa", "init", "--engine", "cmd=no-such-engine"]);
    assert!(error.contains("no-such-engine cannot be started"), "{error}");
    let error = all(&["spsa", "init", "--engine", "self,nodes=5"]);
    assert!(error.contains("it must be cmd=PATH"), "{error}");
    let text = folder
        .succeed(&["spsa", "init", "--engine", &engine, "--parameter", "MultiPV"])
        .lines
        .join("\n");
    for (change, part) in [
        (("engine_id = \"Nullarbor", "engine_id = \"Other"), "but the run file is for `Other"),
        (("[parameters.MultiPV]", "[parameters.MultiPVs]"), "no spin or check option `MultiPVs`"),
        (("min = 1\n", "min = 0\n"), "option MultiPV takes 1 to"),
        (("min = 1\n", ""), "needs value, min and max"),
        (
            ("[parameters.MultiPV]", "groups = [\"razoring\"]\n[parameters.MultiPV]"),
            "only Nullarbor has groups",
        ),
    ] {
        let changed = text.replacen(change.0, change.1, 1);
        assert_ne!(changed, text, "{change:?}");
        folder.write("run.toml", &changed);
        let error = folder.refuse(&run("dir", &[]), 1);
        assert!(error.contains(part), "{part}: {error}");
        assert!(!folder.path("dir").exists(), "nothing was begun");
    }
}

/// The run file of another engine, with one pair in each iteration.
fn of_other(folder: &Tournament, engine: &str) -> String {
    let init = "--parameter MultiPV --iterations 2 --pairs 1 --nodes 50";
    folder
        .succeed(&[&["spsa", "init", "--engine", engine], &words(init)[..]].concat())
        .lines
        .join("\n")
}

#[test]
fn an_engine_that_crashes_loses_the_game_and_is_started_again() {
    let folder = Tournament::new();
    let stub = env!("CARGO_BIN_EXE_stub-engine");
    let engine = format!("cmd={},arg=crash,arg=3,arg={},option.Hash=1", stub, engine().display());
    folder.write("run.toml", &of_other(&folder, &engine));
    let exit = folder.run(&words("spsa run run.toml --dir a --concurrency 1"));
    assert!(exit.status.success(), "{}", exit.errors);
    assert!(exit.errors.contains("iteration 1: "), "{}", exit.errors);
    assert_eq!(folder.succeed(&words("spsa status a")).last_line(), "2 of 2 iterations, 4 games");
}

#[cfg(unix)]
#[test]
fn an_engine_that_cannot_be_started_again_ends_the_run_although_a_worker_is_idle() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Tournament::new();
    let stub = env!("CARGO_BIN_EXE_stub-engine");
    let script = format!(
        "#!/bin/sh\ntest -e stumbled && exit 3\nexec {stub} stumble 3 {}\n",
        engine().display()
    );
    folder.write("breaking", &script);
    let path = folder.path("breaking");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("its own file");
    let text = of_other(&folder, &format!("cmd={},option.Hash=1", path.display()));
    folder.write("run.toml", &text.replace("staleness = 16", "staleness = 1"));
    let process = folder.start(&run("a", &["--concurrency", "4"]));
    let exit = process.finish(Duration::from_secs(60));
    assert_eq!(exit.status.code(), Some(1), "{}", exit.errors);
    assert!(exit.errors.contains("breaking"), "{}", exit.errors);
}
