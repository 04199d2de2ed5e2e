//! Generations of networks.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use nullarbor_tests::{Exit, Files, Server, Tournament, offline_page, sealed, unsealed};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use serde_json::Value;

fn words(text: &str) -> Vec<&str> {
    text.split_ascii_whitespace().collect()
}

/// Gates that let every network pass which is not much weaker, on as few games and positions as possible. With
/// this seed one of the first games of each cycle is a validation game.
const CONFIG: &str = "
seed = 6723
[games]
positions = 2000
nodes = 10
natural = 0
[training]
fine_tune = false
epochs = 1
batch = 512
rate = 0.002
[gates.sanity]
start = 10000.0
piece_order = false
drift = 100.0
dead = 1.0
saturated = 1.0
quantisation = 100.0
overfitting = 100.0
[gates.loss]
rise = 100.0
bucket = 100.0
[gates.judge]
positions = 20
siblings = 3
nodes = 50
games = 4
rise = 100.0
order = 1.0
[gates.nodes]
nodes = 20
sprt = [-1900.0, -1200.0]
games = 60
hash = 1
[ship]
nodes = 20
sprt = [-1900.0, -1200.0]
games = 60
[anchors]
every = 1
limit = \"nodes=10\"
games = 2
opponents = [\"self,name=other\"]
[run]
nice = 1
";

/// A network that has hardly learnt anything.
fn weak_network() -> &'static [u8] {
    static NETWORK: OnceLock<Vec<u8>> = OnceLock::new();
    NETWORK.get_or_init(|| {
        let folder = Tournament::new();
        folder.succeed(&words(
            "datagen --games 60 --nodes 10 --natural 0 --seed 3 --quiet --out games",
        ));
        folder.succeed(&words("train --data games --epochs 1 --quiet --out net.nnue"));
        fs::read(folder.path("net.nnue")).expect("a network")
    })
}

/// A run that begins with a network as weak as those that it breeds.
fn begun(more: &str) -> Tournament {
    let folder = Tournament::new();
    fs::write(folder.path("first.nnue"), weak_network()).expect("room");
    folder.succeed(&words("breed init run --evalfile first.nnue"));
    folder.write("run/breed.toml", &format!("{CONFIG}{more}"));
    folder
}

/// A run with one cycle that is done, for all tests, and the last line that it printed.
fn bred() -> (Tournament, &'static str) {
    static RUN: OnceLock<(Files, String)> = OnceLock::new();
    let (files, line) = RUN.get_or_init(|| {
        let folder = begun("cycles = 1\n");
        let exit = breed(&folder, "", 0);
        (folder.files("run"), exit.last_line().to_owned())
    });
    (Tournament::with("run", files), line)
}

fn breed(folder: &Tournament, more: &str, code: i32) -> Exit {
    let exit = folder.run(&[words("breed run"), words(more)].concat());
    assert_eq!(exit.status.code(), Some(code), "{}", exit.errors);
    exit.assert_no_panic();
    exit
}

/// The events of the journal, without their times and the checksums of these. One that is being written is left out.
fn events(folder: &Tournament) -> Vec<Value> {
    let text = folder.read("run/journal.jsonl");
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let events = whole.lines().map(|line| {
        let mut event: Value = serde_json::from_str(line).expect(line);
        let object = event.as_object_mut().expect("an object");
        for key in ["at", "crc", "seconds"] {
            object.remove(key);
        }
        event
    });
    events.collect()
}

fn names(folder: &Tournament) -> Vec<String> {
    events(folder).iter().filter_map(|it| Some(it["event"].as_str()?.to_owned())).collect()
}

/// Waits until something is so; fails with `otherwise` if that takes too long.
fn wait_until(is_so: impl Fn() -> bool, otherwise: &str) {
    let patience = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < patience, "{otherwise}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Waits until training games are being played.
fn wait_for_games(folder: &Tournament) {
    let games = folder.path("run/cycles/001/games/000000.partial");
    wait_until(|| games.exists(), "no game is played");
}

#[test]
fn a_run_adopts_and_rejects() {
    let (folder, last_line) = bred();
    assert!(last_line.contains("All cycles are done (1)"), "{last_line}");
    let steps =
        ["begun", "games", "trained", "sanity", "loss", "judged", "nodes", "adopted", "anchors"];
    assert_eq!(names(&folder), steps);
    let bytes = |name: &str| fs::read(folder.path(name)).expect(name);
    assert_eq!(bytes("run/accepted.nnue"), bytes("run/cycles/001/net.nnue"));
    assert_eq!(bytes("run/accepted.nnue"), bytes("run/generations/001.nnue"));
    let nodes = &events(&folder)[7];
    assert_eq!((&nodes["passed"], &nodes["decision"]), (&true.into(), &"H1".into()), "{nodes}");
    assert_eq!(nodes["books"].as_array().map(Vec::len), Some(2), "{nodes}");
    // A changed configuration holds from the next cycle on.
    let strict = CONFIG.replace("rise = 100.0", "rise = -0.99");
    let strict = strict.replace("fine_tune = false", "fine_tune = true");
    folder.write("run/breed.toml", &format!("{strict}cycles = 2\n"));
    breed(&folder, "", 0);
    let accepted = events(&folder)[3]["network"]["fingerprint"].clone();
    let from = format!("from network {}", accepted.as_str().expect("a fingerprint"));
    let has_origin = |name: &str| String::from_utf8_lossy(&bytes(name)).contains(&from);
    assert!(has_origin("run/cycles/002/net.nnue"), "{from}");
    assert!(!has_origin("run/cycles/001/net.nnue"), "{from}");
    let rejected = ["begun", "games", "trained", "sanity", "loss", "rejected"];
    assert_eq!(names(&folder)[9..], rejected);
    let page = folder.read("run/breed.html");
    let own = offline_page(&page);
    for part in ["Breeding: generation 1", "rejected", "other", "held-out loss"] {
        assert!(own.contains(part), "{part}");
    }
    let status = folder.succeed(&words("breed status run")).lines;
    assert!(status.iter().any(|line| line.contains("rejected by: held-out loss")), "{status:?}");
}

#[test]
#[ignore = "long"]
fn three_rejections_stop_a_run() {
    let strict = CONFIG.replace("rise = 100.0", "rise = -0.99");
    let folder = begun("");
    folder.write("run/breed.toml", &strict);
    let exit = breed(&folder, "", 3);
    assert!(exit.errors.contains("3 networks in a row were rejected"), "{}", exit.errors);
    assert!(exit.errors.contains("held-out loss is 0.0"), "{}", exit.errors);
    assert!(exit.errors.contains("doubled after two rejections"), "{}", exit.errors);
    let rejected = ["begun", "games", "trained", "sanity", "loss", "rejected"];
    assert_eq!(names(&folder), rejected.repeat(3));
    let begun = events(&folder);
    let begun = begun.iter().filter(|it| it["event"] == "begun");
    let positions: Vec<u64> = begun.filter_map(|it| it["positions"].as_u64()).collect();
    assert!(positions[0] == positions[1] && positions[2] >= 2 * positions[1], "{positions:?}");
    assert!(breed(&folder, "", 3).errors.contains("--retry"));
    assert_eq!(names(&folder).len(), 18, "nothing more is tried");
    let page = folder.read("run/breed.html");
    assert!(offline_page(&page).contains("Stopped"));
    folder.write("run/breed.toml", &format!("{CONFIG}cycles = 3\n"));
    breed(&folder, "--retry", 0);
    assert_eq!(names(&folder)[18..], ["retried"]);
}

#[test]
fn a_pause_and_the_end_of_the_time_are_orderly() {
    let folder = begun("");
    folder.write("run/pause", "");
    let begun = Instant::now();
    let exit = breed(&folder, "--hours 0.0003", 0);
    assert!(begun.elapsed() >= Duration::from_secs(1));
    assert!(exit.errors.contains("Paused by"), "{}", exit.errors);
    assert!(exit.last_line().ends_with("The time is up; to resume: nullarbor-tuner breed run"));
    assert_eq!(events(&folder).len(), 1, "nothing was done");
    let process = folder.start(&words("breed run"));
    let is_live = || folder.read("run/breed.html").contains("http-equiv=\"refresh\"");
    wait_until(is_live, "it does not begin");
    thread::sleep(Duration::from_millis(500));
    assert_eq!(events(&folder).len(), 1, "nothing is done");
    let second = folder.refuse(&words("breed run"), 1);
    assert!(second.contains("in use"), "{second}");
    fs::remove_file(folder.path("run/pause")).expect("it was there");
    wait_until(|| names(&folder).len() >= 2, "it does not go on");
    drop(process);
    assert_eq!(names(&folder)[..2], ["begun", "games"]);
    // In the middle of a step.
    let exit = breed(&folder, "--hours 0.0004", 0);
    assert!(exit.last_line().contains("The time is up; to resume"), "{:?}", exit.lines);
    assert!(folder.path("run/breed.html").exists());
}

#[test]
fn a_changed_configuration_is_read_while_the_run_goes_on() {
    let folder = begun("");
    let process = folder.start(&words("breed run"));
    let has = |count| folder.path("run/journal.jsonl").exists() && names(&folder).len() >= count;
    let wait_for = |count: usize| wait_until(|| has(count), "it does not go on");
    wait_for(1);
    folder.write("run/breed.toml", "[games]\nposi");
    let done = names(&folder).len();
    wait_for(done + 2);
    // Cycle 1 goes on with the seed that it began with, and the run ends by the new limit.
    folder.write("run/breed.toml", &format!("{}cycles = 1\n", CONFIG.replace("6723", "77")));
    let exit = process.finish(Duration::from_secs(60));
    assert_eq!(exit.status.code(), Some(0), "{}", exit.errors);
    assert!(exit.errors.contains("what was read before holds"), "{}", exit.errors);
    assert_eq!(events(&folder)[1]["config"]["seed"], 6723);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_how_it_is_resumed() {
    let folder = begun("");
    // On many cores the games would soon be over.
    let process = folder.start(&words("breed run --threads 2"));
    wait_for_games(&folder);
    nullarbor_tests::interrupt(&process);
    let exit = process.finish(Duration::from_secs(60));
    assert_eq!(exit.status.code(), Some(130), "{}", exit.errors);
    let message = "interrupted; to resume: nullarbor-tuner breed run";
    assert!(exit.errors.contains(message), "{}", exit.errors);
    exit.assert_no_panic();
}

#[test]
fn what_is_wrong_is_told() {
    let folder = Tournament::new();
    let refused = folder.refuse(&words("breed run"), 1);
    assert!(refused.contains("`nullarbor-tuner breed init run` writes one"), "{refused}");
    assert!(!folder.path("run").exists());
    folder.succeed(&words("breed init run"));
    assert!(folder.refuse(&words("breed init run"), 1).contains("run/breed.toml exists already"));
    assert!(
        folder.refuse(&words("breed init other --evalfile none.nnue"), 1).contains("none.nnue")
    );
    assert!(folder.refuse(&words("breed status other"), 1).contains("breed init other"));
    assert!(folder.refuse(&words("breed ship run"), 1).contains("nothing to ship"));
    for (text, part) in [
        ("nodes = 1", "unknown field `nodes`"),
        ("[gates.nodes]\nsprt = [5.0, 0.0]", "gates.nodes.sprt"),
        ("[network]\nhidden = 32", "engine_build"),
    ] {
        folder.write("run/breed.toml", text);
        let refused = folder.run(&words("breed run"));
        assert_eq!(refused.status.code(), Some(1));
        assert!(
            refused.errors.contains("breed.toml") && refused.errors.contains(part),
            "{}",
            refused.errors
        );
    }
    for text in ["breed run --until late", "breed run --hours -1", "breed run --nice 20"] {
        assert_eq!(folder.run(&words(text)).status.code(), Some(2), "{text}");
    }
    // Told now, not when they are needed.
    for (old, new, part) in [
        (
            "nodes = 10\nnatural = 0\n[training]",
            "nodes = 10\nnatural = 0\nstart = [\"none\"]\n[training]",
            "none has no games",
        ),
        ("self,name=other", "cmd=./none,name=other", "engine other"),
        ("nodes = 10\n", "nodes = 10\ntb = \"untabled\"\n", "untabled"),
        ("positions = 20\n", "positions = 20\nsets = [\"nowhere\"]\n", "nowhere"),
    ] {
        folder.write("run/breed.toml", &CONFIG.replace(old, new));
        let refused = folder.run(&words("breed run"));
        assert_eq!(refused.status.code(), Some(1));
        assert!(refused.errors.contains(part), "{}", refused.errors);
        assert!(names(&folder).is_empty());
    }
    folder.write("run/breed.toml", CONFIG);
    breed(&folder, "--hours 0", 0);
    let first = folder.json("run/journal.jsonl");
    let own = first["settings"]["network"]["fingerprint"].as_str().expect("a fingerprint");
    let line = folder.read("run/journal.jsonl");
    let header = unsealed(line.lines().next().expect("a first line")).replace(own, "00");
    let adopted = r#"{"at":1,"event":"adopted","cycle":1,"generation":1}"#;
    folder.write("run/journal.jsonl", &sealed(&[&header, adopted]));
    let refused = folder.refuse(&words("breed run"), 1);
    assert!(refused.contains("journal.jsonl, event 1: no cycle is under way"), "{refused}");
    folder.write("run/journal.jsonl", &sealed(&[&header]));
    let refused = folder.run(&words("breed run")).errors;
    assert!(refused.contains("000.nnue is not the network that the journal names"), "{refused}");
    fs::remove_file(folder.path("run/journal.jsonl")).expect("it was there");
    fs::remove_file(folder.path("run/generations/000.nnue")).expect("it was there");
    assert!(folder.refuse(&words("breed run"), 1).contains("000.nnue"));
}

/// The networks lie elsewhere than when the matches began, as if this were another build.
#[test]
fn what_is_advised_about_matches_of_another_build_lets_the_run_go_on() {
    let (folder, _) = bred();
    let journal = folder.read("run/journal.jsonl");
    let lines: Vec<String> = journal.lines().take(6).map(unsealed).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    folder.write("run/journal.jsonl", &sealed(&lines));
    assert_eq!(names(&folder).last().map(String::as_str), Some("loss"));
    let mut deleted = Vec::new();
    for _ in 0..4 {
        let exit = folder.run(&words("breed run"));
        if exit.status.success() {
            break;
        }
        let advice = exit.errors.split_once("(delete ").and_then(|(_, it)| it.split_once(" to "));
        let path = Path::new(advice.unwrap_or_else(|| panic!("{}", exit.errors)).0);
        let is_folder = path.is_dir();
        let remove = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        remove.expect("it is there");
        deleted.push(path.file_name().expect("a name").to_owned());
    }
    assert_eq!(deleted, ["judge", "nodes.jsonl", "001.jsonl"]);
    assert_eq!(names(&folder)[5..], ["judged", "nodes", "adopted", "anchors"]);
}

/// Kills a run at random moments until it is done.
fn kill_again_and_again(folder: &Tournament, kills: u32, longest: Duration) -> u32 {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut killed = 0;
    for _ in 0..kills {
        let process = folder.start(&words("breed run --threads 2"));
        let moment = longest.mul_f64(rng.random_range(0.02..1.0));
        let begun = Instant::now();
        while begun.elapsed() < moment && !is_done(folder) {
            thread::sleep(Duration::from_millis(5));
        }
        // Dropping kills at once, as `kill -9` does.
        drop(process);
        killed += u32::from(!is_done(folder));
    }
    killed
}

/// Returns the names of the files and folders in a folder.
fn files(path: &Path) -> BTreeSet<OsString> {
    let entries = fs::read_dir(path).expect("a folder");
    entries.map(|entry| entry.expect("an entry").file_name()).collect()
}

fn is_done(folder: &Tournament) -> bool {
    let journal = fs::read_to_string(folder.path("run/journal.jsonl")).unwrap_or_default();
    journal.matches("\"anchors\"").count() > 1
}

#[test]
#[ignore = "long"]
fn a_run_that_is_killed_again_and_again_gives_the_same_network() {
    let undisturbed = begun("cycles = 1\n");
    let begun_at = Instant::now();
    breed(&undisturbed, "--threads 1", 0);
    let whole = begun_at.elapsed();
    let folder = begun("cycles = 1\n");
    let killed = kill_again_and_again(&folder, 25, whole / 2);
    assert!(killed >= 2, "the run was over too soon to be disturbed");
    breed(&folder, "", 0);
    assert_eq!(events(&undisturbed), events(&folder));
    let bytes = |folder: &Tournament, name: &str| fs::read(folder.path(name)).expect(name);
    for file in ["run/accepted.nnue", "run/cycles/001/games/000000.games"] {
        assert!(bytes(&undisturbed, file) == bytes(&folder, file), "{file}");
    }
    for part in ["run", "run/cycles/001", "run/cycles/001/games"] {
        assert_eq!(files(&undisturbed.path(part)), files(&folder.path(part)), "{part}");
    }
}

/// The training games and matches of a cycle, with two workers of which one dies.
#[test]
fn a_cluster_breeds_the_same_network() {
    let Some(server) = Server::start() else { return };
    let (alone, _) = bred();
    let folder = begun("cycles = 1\n");
    let first = server.worker();
    let url = server.url();
    let cluster = ["--ack-wait", "2", "--cluster", &url];
    let run = folder.start(&[&words("breed run")[..], &cluster].concat());
    wait_for_games(&folder);
    let _second = server.worker();
    // As `kill -9` does.
    drop(first);
    assert_eq!(names(&folder), ["begun"], "the games were over too soon");
    run.finish(Duration::from_secs(300)).assert_clean();
    assert_eq!(events(&alone), events(&folder));
    let bytes = |folder: &Tournament, name: &str| fs::read(folder.path(name)).expect(name);
    for file in ["run/accepted.nnue", "run/cycles/001/games/000000.games"] {
        assert!(bytes(&alone, file) == bytes(&folder, file), "{file}");
    }
}

/// A source tree with a weak network, the generations of this one, and a constant for a signature. Returns the generations and
/// their tables.
fn source_tree(folder: &Tournament) -> [String; 2] {
    fs::create_dir_all(folder.path("tree/engine")).expect("room");
    fs::write(folder.path("tree/engine/network.nnue"), weak_network()).expect("room");
    folder.write("tree/Makefile", "bench-record:\n\t@echo 123 > .bench; echo Bench: 123\n");
    ["engine/generations.jsonl", "engine/NETWORK.md"].map(|file| {
        let text = fs::read_to_string(nullarbor_tests::repository_root().join(file)).expect(file);
        folder.write(&format!("tree/{file}"), &text);
        text
    })
}

#[test]
fn an_accepted_network_goes_into_a_source_tree_after_a_fresh_match() {
    let (folder, _) = bred();
    let [recorded, tables] = source_tree(&folder);
    let ship = words("breed ship run --tree tree --no-bench --quiet");
    let strict = CONFIG.replace(
        "[ship]\nnodes = 20\nsprt = [-1900.0, -1200.0]",
        "[ship]\nnodes = 20\nsprt = [1200.0, 1900.0]",
    );
    folder.write("run/breed.toml", &strict);
    assert!(folder.refuse(&ship, 1).contains("did not win its fresh match"));
    assert_eq!(folder.read("tree/engine/generations.jsonl"), recorded);
    folder.write("run/breed.toml", CONFIG);
    // It is not played until it is won.
    assert!(folder.refuse(&ship, 1).contains("journal of another match"));
    let journals = fs::read_dir(folder.path("run/ship")).expect("a folder");
    let journals = journals.map(|entry| entry.expect("an entry").path());
    let journal = journals.filter(|path| path.extension().is_some_and(|it| it == "jsonl")).last();
    fs::remove_file(journal.expect("a journal")).expect("it was there");
    let lines = folder.succeed(&ship).lines;
    assert!(lines.iter().any(|line| line == "next: make bench-record"), "{lines:?}");
    let bytes = fs::read(folder.path("tree/engine/network.nnue")).expect("a network");
    let text = String::from_utf8_lossy(&bytes);
    for part in ["bred: generation 1, cycle 1: 2000 new", "fresh match at 20 nodes", "unbalanced"] {
        assert!(text.contains(part), "{part}");
    }
    let extended = folder.read("tree/engine/generations.jsonl");
    assert!(extended.starts_with(&recorded));
    assert_eq!(extended.lines().count(), recorded.lines().count() + 1);
    let rows = folder.read("tree/engine/NETWORK.md").lines().count();
    assert_eq!(rows, tables.lines().count() + 2);
    let with_bench: Vec<&str> = ship.iter().copied().filter(|word| *word != "--no-bench").collect();
    let again = folder.succeed(&with_bench).lines;
    assert_eq!(
        (again[1].ends_with(".bench: Bench: 123"), folder.read("tree/.bench").as_str()),
        (true, "123\n")
    );
    assert!(again[0].ends_with("has generation 1 already"), "{again:?}");
    assert_eq!(folder.read("tree/engine/generations.jsonl"), extended);
    let shipped: Vec<_> = names(&folder).into_iter().filter(|name| name == "shipped").collect();
    assert_eq!(shipped.len(), 2);
    let evaluated = folder.succeed(&words("train --evaluate tree/engine/network.nnue")).lines;
    assert!(evaluated[0].contains("held-out loss"), "{evaluated:?}");
}

#[test]
fn a_run_ships_and_commits_what_it_accepts() {
    let (folder, _) = bred();
    source_tree(&folder);
    folder.write("tree/.bench", "1\n");
    let git = |arguments: &str| {
        let user = ["-c", "user.name=Tester", "-c", "user.email=tester@example.org"];
        let mut command = Command::new("git");
        command.current_dir(folder.path("tree")).args(user).args(words(arguments));
        let output = command.output().expect("git");
        assert!(output.status.success(), "{arguments}: {output:?}");
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    };
    for arguments in ["init", "add .", "commit -m First"] {
        git(arguments);
    }
    // As a user sets them: the commit has no others.
    git("config user.name Tester");
    git("config user.email tester@example.org");
    folder.write("tree/.bench", "2\n");
    let refused = breed(&folder, "--ship=tree", 0).errors;
    assert!(refused.contains("tree has changes: commit or undo them (M .bench)"), "{refused}");
    assert_eq!(names(&folder).last().map(String::as_str), Some("anchors"));
    git("checkout .bench");
    breed(&folder, "--ship=tree", 0);
    let message = git("log -1 --format=%B");
    for part in ["Network of generation ", "Fresh match at 20 nodes: ", "Judge, own set: met "] {
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(message.lines().last(), Some("Bench: 123"), "{message}");
    assert_eq!(git("status --porcelain"), "");
    // Once.
    let events = names(&folder);
    assert_eq!(events.last().map(String::as_str), Some("shipped"));
    breed(&folder, "--ship=tree", 0);
    assert_eq!((names(&folder), git("rev-list --count HEAD").as_str()), (events, "2"));
}

#[cfg(unix)]
#[test]
#[ignore = "long"]
fn another_shape_plays_in_engines_that_are_built_for_it() {
    let folder = begun("");
    // It is not looked at what network the engines have: this one is the engine of this build.
    let engine = nullarbor_tests::engine();
    let build = format!(
        "engine_build = [\"sh\", \"-c\", \"test -f {{net}} && cp {} {{exe}}\"]",
        engine.display()
    );
    let config = CONFIG
        .replace("tc = \"1+0.01\"", "")
        .replace("[training]", "[network]\nhidden = 32\n[training]");
    let clock = "[gates.clock]\ntc = \"0.3+0.01\"\nsprt = [-1900.0, -1200.0]\ngames = 60\n[ship]";
    let config = config.replace("[ship]", clock);
    folder.write("run/breed.toml", &format!("{config}{build}\n"));
    let exit = breed(&folder, "", 4);
    assert!(exit.errors.contains("make tuner EVALFILE="), "{}", exit.errors);
    assert_eq!(names(&folder)[5..], ["judged", "nodes", "clock", "adopted", "anchors"]);
    let lines = events(&folder).len();
    breed(&folder, "", 4);
    assert_eq!(events(&folder).len(), lines);
    assert_eq!(fs::read_dir(folder.path("run/engines")).expect("a folder").count(), 2);
    let broken = config.replace("hidden = 32", "hidden = 64")
        + "engine_build = [\"false\", \"{net}{exe}\"]\n";
    let folder = begun("");
    folder.write("run/breed.toml", &broken);
    assert!(breed(&folder, "", 1).errors.contains("engine_build: false"));
}

#[test]
#[ignore = "long"]
fn a_generation_plays_that_of_three_generations_before() {
    let folder = begun("cycles = 3\n");
    breed(&folder, "", 0);
    let events = events(&folder);
    let last = events.last().expect("events");
    assert_eq!((&last["event"], &last["outside"]), (&"anchors".into(), &1.into()), "{last}");
    let opponents: Vec<&Value> =
        last["results"].as_array().expect("results").iter().map(|it| &it["opponent"]).collect();
    assert_eq!(opponents, ["other", "generation 0"]);
    let windows: Vec<&Value> =
        events.iter().filter(|it| it["event"] == "begun").map(|it| &it["window"]).collect();
    assert_eq!(serde_json::to_string(&windows).expect("numbers"), "[[1],[1,2],[1,2,3]]");
}
