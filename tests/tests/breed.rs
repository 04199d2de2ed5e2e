//! Generations of networks.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use nullarbor_tests::{Exit, Tournament, offline_page};
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
[training]
epochs = 1
batch = 512
[gates.sanity]
start = 10000.0
piece_order = false
drift = 100.0
dead = 1.0
saturated = 1.0
quantisation = 100.0
overfitting = 100.0
[gates.loss]
gain = -100.0
bucket = 100.0
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

/// A run that begins with a network as weak as those that it breeds.
fn begun(more: &str) -> Tournament {
    let folder = Tournament::new();
    folder.succeed(&words("datagen --games 60 --nodes 10 --seed 3 --quiet --out first"));
    folder.succeed(&words("train --data first --epochs 1 --quiet --out first.nnue"));
    folder.succeed(&words("breed init run --evalfile first.nnue"));
    folder.write("run/breed.toml", &format!("{CONFIG}{more}"));
    folder
}

fn breed(folder: &Tournament, more: &str, code: i32) -> Exit {
    let exit = folder.run(&[words("breed run"), words(more)].concat());
    assert_eq!(exit.status.code(), Some(code), "{}", exit.errors);
    exit.assert_no_panic();
    exit
}

/// The events of the journal, without their times.
fn events(folder: &Tournament) -> Vec<Value> {
    let text = folder.read("run/journal.jsonl");
    let events = text.lines().map(|line| {
        let mut event: Value = serde_json::from_str(line).expect(line);
        event.as_object_mut().expect("an object").remove("at");
        event
    });
    events.collect()
}

fn names(folder: &Tournament) -> Vec<String> {
    events(folder).iter().filter_map(|it| Some(it["event"].as_str()?.to_owned())).collect()
}

#[test]
fn a_run_adopts_rejects_and_gives_up() {
    let folder = begun("cycles = 1\n");
    let exit = breed(&folder, "", 0);
    assert!(exit.last_line().contains("All 1 cycles are done"), "{:?}", exit.lines);
    let steps = ["begun", "games", "trained", "sanity", "loss", "nodes", "adopted", "anchors"];
    assert_eq!(names(&folder), steps);
    let bytes = |name: &str| fs::read(folder.path(name)).expect(name);
    assert_eq!(bytes("run/accepted.nnue"), bytes("run/cycles/001/net.nnue"));
    assert_eq!(bytes("run/accepted.nnue"), bytes("run/generations/001.nnue"));
    let nodes = &events(&folder)[6];
    assert_eq!((&nodes["passed"], &nodes["decision"]), (&true.into(), &"H1".into()), "{nodes}");
    let books = nodes["books"].as_array().expect("books").len();
    assert_eq!(books, 2, "{nodes}");
    // A changed configuration holds from the next cycle on.
    let strict = CONFIG.replace("gain = -100.0", "gain = 0.99");
    folder.write("run/breed.toml", &strict);
    let exit = breed(&folder, "", 3);
    assert!(exit.errors.contains("3 networks in a row were rejected"), "{}", exit.errors);
    assert!(exit.errors.contains("held-out loss is 0.0"), "{}", exit.errors);
    assert!(exit.errors.contains("doubled after two rejections"), "{}", exit.errors);
    assert_eq!(
        names(&folder)[8..],
        ["begun", "games", "trained", "sanity", "loss", "rejected"].repeat(3)
    );
    let positions: Vec<_> = events(&folder)
        .iter()
        .filter(|it| it["event"] == "begun")
        .filter_map(|it| it["positions"].as_u64())
        .collect();
    assert_eq!(positions.len(), 4);
    assert!(positions[1] == positions[2] && positions[3] >= 2 * positions[2], "{positions:?}");
    let lines = events(&folder).len();
    assert!(breed(&folder, "", 3).errors.contains("--retry"));
    assert_eq!(events(&folder).len(), lines, "nothing more is tried");
    let page = folder.read("run/breed.html");
    let own = offline_page(&page);
    for part in
        ["Breeding: generation 1", "Stopped", "rejected", "other", "Held-out loss"]
    {
        assert!(own.contains(part), "{part}");
    }
    let status = folder.succeed(&words("breed status run")).lines;
    assert!(status.iter().any(|line| line.contains("rejected by: held-out loss")), "{status:?}");
    folder.write("run/breed.toml", &format!("{CONFIG}cycles = 4\n"));
    breed(&folder, "--retry", 0);
    assert_eq!(names(&folder)[lines - 1..], ["retried"]);
}
