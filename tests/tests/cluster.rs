//! Runs on several machines, with a real server and workers that are processes: the results are those of one thread.

use std::fs;
use std::thread;
use std::time::Duration;

use nullarbor_tests::{Process, Server, Tournament, tuner, unsealed};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

fn words(text: &str) -> Vec<&str> {
    text.split_ascii_whitespace().collect()
}

/// The words for a cluster whose dead workers are found out soon.
fn with<'a>(command: &'a str, url: &'a str) -> Vec<&'a str> {
    [&words(command)[..], &["--ack-wait", "2", "--cluster", url]].concat()
}

const MATCH: &str = "match --engine self,Hash=1 --engine self,Hash=1,NullMove=off --nodes 200 \
                     --games 40 --seed 9 --quiet";
const RUN: &str = "iterations = 6\npairs_per_iteration = 2\nnodes = 100\nhash = 1\n\
                   groups = [\"razoring\"]\nseed = 3\nbook = \"unbalanced\"\n";
const SPSA: &str = "spsa run run.toml --quiet --dir";
const GAMES: &str = "datagen --games 60 --nodes 60 --natural 0 --seed 4 --quiet --out";
const LAB: &str = "lab --schemes off,verified --suite small.epd --depths 4 --hash 1 --quiet --out";
const SUITE: &str = "6k1/5ppp/8/8/8/8/8/K3R3 w - - dm 1; id \"a\";\n\
                     r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - bm Qxf7#; id \"b\";\n";

/// The lines of a match's journal behind the first, which names the command line, by game: they stand there as they end.
fn games(folder: &Tournament, name: &str) -> Vec<String> {
    let journal = folder.read(name);
    let mut lines: Vec<String> = journal.lines().skip(1).map(unsealed).collect();
    lines.sort_unstable();
    lines
}

fn bytes(folder: &Tournament, name: &str) -> Vec<u8> {
    fs::read(folder.path(name)).expect(name)
}

/// Runs a command on one thread of this process, and again on the cluster.
fn both<'a>(
    folder: &Tournament,
    url: &'a str,
    command: &'a str,
    ends: [&[&'a str]; 2],
    threads: &'a str,
) {
    folder.succeed(&[&words(command)[..], ends[0], &[threads, "1"]].concat());
    folder.succeed(&[&words(command)[..], ends[1], &["--cluster", url]].concat());
}

#[test]
fn a_match_and_a_tuning_run_are_those_of_one_thread() {
    let Some(server) = Server::start() else { return };
    let (folder, url) = (Tournament::new(), server.url());
    let _workers: Vec<Process> = (0..3).map(|_| server.worker()).collect();
    let files = |name| ["--resume", name, "--json"];
    let ends: [Vec<&str>; 2] = [("a", "a.json"), ("b", "b.json")]
        .map(|(journal, json)| [&files(journal)[..], &[json]].concat());
    both(&folder, &url, MATCH, [&ends[0], &ends[1]], "--concurrency");
    assert_eq!(games(&folder, "a"), games(&folder, "b"));
    assert_eq!(folder.read("a.json"), folder.read("b.json"));
    folder.write("run.toml", RUN);
    both(&folder, &url, SPSA, [&["a.spsa"], &["b.spsa"]], "--concurrency");
    assert_eq!(folder.read("a.spsa/journal.jsonl"), folder.read("b.spsa/journal.jsonl"));
}

#[test]
fn training_games_and_searches_are_those_of_one_thread() {
    let Some(server) = Server::start() else { return };
    let (folder, url) = (Tournament::new(), server.url());
    let _workers: Vec<Process> = (0..3).map(|_| server.worker()).collect();
    both(&folder, &url, GAMES, [&["a.games"], &["b.games"]], "--threads");
    let name = "000000.games";
    assert_eq!(
        bytes(&folder, &format!("a.games/{name}")),
        bytes(&folder, &format!("b.games/{name}"))
    );
    folder.write("small.epd", SUITE);
    both(&folder, &url, LAB, [&["a.lab"], &["b.lab"]], "--concurrency");
    let nodes = |out: &str| -> Vec<serde_json::Value> {
        let trees = folder.json(&format!("{out}/lab.json"));
        let all = trees.as_array().expect("suites").clone();
        all.into_iter().map(without_times).collect()
    };
    assert_eq!(nodes("a.lab"), nodes("b.lab"));
}

/// Drops what depends on the machine.
fn without_times(mut value: serde_json::Value) -> serde_json::Value {
    match &mut value {
        serde_json::Value::Object(map) => {
            map.retain(|key, _| {
                !(key.contains("time") || key.contains("second") || key.contains("elapsed"))
            });
            map.values_mut().for_each(|it| *it = without_times(it.take()));
        }
        serde_json::Value::Array(list) => {
            list.iter_mut().for_each(|it| *it = without_times(it.take()));
        }
        _ => {}
    }
    value
}

#[test]
fn networks_travel() {
    let Some(server) = Server::start() else { return };
    let (folder, url) = (Tournament::new(), server.url());
    let network = nullarbor_tests::repository_root().join("engine/network.nnue");
    fs::copy(network, folder.path("other.nnue")).expect("a network");
    let _worker = server.worker();
    let command = "match --engine self,Hash=1,EvalFile=other.nnue --engine self,Hash=1 --nodes 200 \
                   --games 4 --seed 1 --quiet";
    let ends: [&[&str]; 2] = [&["--json", "a.json"], &["--json", "b.json"]];
    both(&folder, &url, command, ends, "--concurrency");
    assert_eq!(folder.read("a.json"), folder.read("b.json"));
}

#[test]
fn programs_play_where_their_operator_allows_them() {
    let Some(server) = Server::start() else { return };
    let (folder, url) = (Tournament::new(), server.url());
    let engine = nullarbor_tests::engine().display().to_string();
    let refusing = server.worker();
    let command = format!(
        "match --engine cmd={engine},name=a,option.Hash=1 --engine \
         cmd={engine},name=b,option.Hash=1,option.MultiPV=2 --nodes 200 --games 6 --seed 1 --quiet"
    );
    folder.succeed(&[&words(&command)[..], &["--concurrency", "1", "--resume", "a"]].concat());
    let run = folder.start(&[&with(&command, &url)[..], &["--resume", "b"]].concat());
    // A coordinator looks for workers that refuse after five seconds without a result.
    thread::sleep(Duration::from_secs(8));
    let allowing = server.worker_with(&tuner(), &[&url, "--engine", &engine]);
    let exit = run.finish(Duration::from_secs(120));
    exit.assert_clean();
    assert_eq!(games(&folder, "a"), games(&folder, "b"));
    assert!(
        exit.errors.contains("refuses the run: this worker has no program sha256:"),
        "{}",
        exit.errors
    );
    nullarbor_tests::interrupt(&refusing);
    let exit = refusing.finish(Duration::from_secs(20));
    assert!(exit.errors.contains("has no program sha256:"), "{}", exit.errors);
    // The same engine is tuned there.
    let init = format!("spsa init --engine cmd={engine},option.Hash=1 --parameter MultiPV");
    let init = format!("{init} --iterations 3 --pairs 2 --nodes 100");
    folder.write("run.toml", &(folder.succeed(&words(&init)).lines.join("\n") + "\n"));
    both(&folder, &url, SPSA, [&["a.spsa"], &["b.spsa"]], "--concurrency");
    assert_eq!(folder.read("a.spsa/journal.jsonl"), folder.read("b.spsa/journal.jsonl"));
    drop(allowing);
    let error = folder.refuse(&["worker", "--cluster", &url, "--engine", "nowhere"], 1);
    assert!(error.contains("--engine nowhere: there is no such file"), "{error}");
    for option in ["dir=/", "option.SyzygyPath=/"] {
        let engine = format!("cmd={engine},{option}");
        let line =
            ["match", "--engine", &engine, "--engine", "self", "--nodes", "9", "--games", "2"];
        let exit = folder.run(&[&line[..], &["--quiet", "--cluster", &url]].concat());
        assert_eq!(exit.status.code(), Some(1), "{}", exit.errors);
        assert!(exit.errors.contains("cannot be done by other machines"), "{}", exit.errors);
    }
}

#[cfg(unix)]
#[test]
fn engines_of_commits_are_built_where_their_operator_allows_it() {
    use std::os::unix::fs::PermissionsExt;
    let Some(server) = Server::start() else { return };
    let (folder, url) = (Tournament::new(), server.url());
    let engine = nullarbor_tests::engine().display().to_string();
    let (builder, built) = (folder.path("build"), folder.path("built"));
    let script = format!("#!/bin/sh\necho $1 >> {}\necho {engine}\n", built.display());
    fs::write(&builder, script).expect("room");
    fs::set_permissions(&builder, PermissionsExt::from_mode(0o755)).expect("its own file");
    let _worker =
        server.worker_with(&tuner(), &[&url, "--builder", &builder.display().to_string()]);
    let commits =
        ["0123456789abcdef0123456789abcdef01234567", "89abcdef0123456789abcdef0123456789abcdef"];
    let command = format!(
        "match --engine cmd={engine},revision={},option.Hash=1 --engine \
         cmd={engine},revision={},option.Hash=1 --nodes 200 --games 4 --seed 1 --quiet",
        commits[0], commits[1]
    );
    let ends: [&[&str]; 2] = [&["--resume", "a"], &["--resume", "b"]];
    both(&folder, &url, &command, ends, "--concurrency");
    assert_eq!(games(&folder, "a"), games(&folder, "b"));
    assert_eq!(folder.read("built").lines().collect::<Vec<_>>(), commits);
    let line = ["match", "--engine", "cmd=x,revision=main", "--engine", "self", "--nodes", "9"];
    let error = folder.refuse(&line, 2);
    assert!(error.contains("git rev-parse HEAD"), "{error}");
}

#[test]
fn another_build_refuses() {
    let Some(server) = Server::start() else { return };
    let (folder, url) = (Tournament::new(), server.url());
    let build = folder.succeed(&["worker", "--build"]).lines.remove(0);
    let code = build.split_whitespace().nth(1).expect("a fingerprint");
    let mut program = fs::read(tuner()).expect("the tuner");
    // One byte in 16 is in each copy of the 16 digits.
    let digits = (15..program.len()).step_by(16).filter(|&at| program[at].is_ascii_hexdigit());
    let copies = digits.flat_map(|at| at - 15..=at);
    let places: Vec<usize> =
        copies.filter(|&at| program[at..].starts_with(code.as_bytes())).collect();
    assert!(!places.is_empty(), "no {code} in the program");
    places.iter().for_each(|&at| program[at..at + 16].copy_from_slice(b"0123456789abcdef"));
    let other = folder.path("other-tuner");
    fs::copy(tuner(), &other).expect("a copy");
    fs::write(&other, program).expect("a changed copy");
    let refusing = server.worker_of(&other);
    let run = folder.start(&with(MATCH, &url));
    thread::sleep(Duration::from_secs(2));
    let _fitting = server.worker();
    run.finish(Duration::from_secs(120)).assert_clean();
    nullarbor_tests::interrupt(&refusing);
    let exit = refusing.finish(Duration::from_secs(20));
    assert!(exit.errors.contains("is refused: it is of another build"), "{}", exit.errors);
    assert!(!exit.errors.contains("taking part"), "{}", exit.errors);
}

#[test]
fn servers_elsewhere_need_credentials() {
    let folder = Tournament::new();
    for command in ["worker", MATCH] {
        let error = folder.refuse(&with(command, "nats://192.0.2.7:4222"), 1);
        assert!(error.contains("--creds") && error.contains("--insecure"), "{error}");
    }
    let error = folder.refuse(&with(MATCH, "nats://127.0.0.1:9"), 1);
    assert!(error.contains("is nats-server running there?"), "{error}");
}

/// The disturbances of a run.
#[derive(Debug, Default)]
struct Troubles {
    workers_killed: u32,
    servers_killed: u32,
    coordinators_killed: u32,
}

/// Runs a command on the cluster while workers come and go, the server is killed and the coordinator is.
fn disturbed(seed: u64, pause: Duration, folder: &Tournament, command: &str) -> Troubles {
    let mut server = Server::start().expect("checked by the caller");
    let url = server.url();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut workers: Vec<Process> = (0..3).map(|_| server.worker()).collect();
    let mut troubles = Troubles::default();
    let mut run = folder.start(&with(command, &url));
    for round in 0.. {
        assert!(round < 400, "it does not end: {troubles:?}");
        thread::sleep(pause.mul_f64(rng.random_range(0.3..1.7)));
        if let Some(exit) = run.try_finish() {
            exit.assert_no_panic();
            if exit.status.success() {
                return troubles;
            }
            panic!("{}", exit.errors);
        }
        match rng.random_range(0..if round < 12 { 5 } else { 2 }) {
            0 if workers.len() > 1 => {
                workers.swap_remove(rng.random_range(0..workers.len()));
                troubles.workers_killed += 1;
            }
            0 | 1 if workers.len() < 5 => workers.push(server.worker()),
            2 => {
                server.restart();
                troubles.servers_killed += 1;
            }
            3 => {
                drop(run);
                troubles.coordinators_killed += 1;
                thread::sleep(pause / 3);
                run = folder.start(&with(command, &url));
            }
            _ => {}
        }
    }
    unreachable!("the loop returns")
}

#[test]
fn a_run_survives_its_workers_and_its_coordinator() {
    let Some(server) = Server::start() else { return };
    let (folder, url) = (Tournament::new(), server.url());
    folder.write("run.toml", RUN);
    folder.succeed(&[&words(SPSA)[..], &["a", "--concurrency", "1"]].concat());
    let command = format!("{SPSA} b");
    let first = server.worker();
    let run = folder.start(&with(&command, &url));
    thread::sleep(Duration::from_millis(800));
    drop((run, first));
    let _second = server.worker();
    folder.succeed(&with(&command, &url));
    assert_eq!(folder.read("a/journal.jsonl"), folder.read("b/journal.jsonl"));
}

#[test]
fn a_run_begins_although_a_question_about_results_is_lost() {
    let Some(server) = Server::start() else { return };
    let folder = Tournament::new();
    let _worker = server.worker();
    let url = server.cutting_proxy("CONSUMER.MSG.NEXT.NULLARBOR_RESULTS");
    let run = folder.start(&with(&format!("{GAMES} a.games"), &url));
    let exit = run.finish(Duration::from_secs(60));
    exit.assert_clean();
    assert!(exit.errors.contains("does not answer"), "{}", exit.errors);
}

#[test]
#[ignore = "long"]
fn nothing_is_lost_or_changed_whatever_dies() {
    if Server::start().is_none() {
        return;
    }
    let pause = Duration::from_millis(900);
    let folder = Tournament::new();
    let long = MATCH.replace("--nodes 200 --games 40", "--nodes 400 --games 400");
    folder.succeed(&words(&format!("{long} --json a.json --resume a")));
    let troubles = disturbed(1, pause, &folder, &format!("{long} --json b.json --resume b"));
    eprintln!("match: {troubles:?}");
    assert_eq!(games(&folder, "a"), games(&folder, "b"));
    assert_eq!(folder.read("a.json"), folder.read("b.json"));
    folder.write("run.toml", &RUN.replace("iterations = 6", "iterations = 120"));
    folder.succeed(&[&words(SPSA)[..], &["a.spsa"]].concat());
    let troubles = disturbed(2, pause, &folder, &format!("{SPSA} b.spsa"));
    eprintln!("spsa: {troubles:?}");
    assert_eq!(folder.read("a.spsa/journal.jsonl"), folder.read("b.spsa/journal.jsonl"));
    let games = GAMES.replace("--games 60", "--games 1500");
    folder.succeed(&words(&format!("{games} a.games")));
    let troubles = disturbed(3, pause, &folder, &format!("{games} b.games"));
    eprintln!("datagen: {troubles:?}");
    for name in ["000000.games", "000001.games", "000002.games"] {
        assert_eq!(
            bytes(&folder, &format!("a.games/{name}")),
            bytes(&folder, &format!("b.games/{name}"))
        );
    }
}
