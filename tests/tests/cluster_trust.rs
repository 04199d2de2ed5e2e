//! A cluster whose machines lie, err or are broken: the results are those of one thread, and the culprit is named.

use std::fs;
use std::sync::LazyLock;
use std::sync::atomic::Ordering;
use std::time::Duration;

use nullarbor_tests::{Client, Exit, Forged, Forger, Server, Tournament, unsealed};
use serde_json::{Value, json};

const MATCH: &str = "match --engine self,Hash=1 --engine self,Hash=1,NullMove=off --nodes 200 --games 20 --maxmoves 12 \
                     --seed 9 --quiet";
const SPSA: &str = "spsa run run.toml --quiet --dir";
const RUN: &str = "iterations = 4\npairs_per_iteration = 2\nnodes = 100\nhash = 1\n\
                   groups = [\"razoring\"]\nseed = 3\nbook = \"unbalanced\"\n";
const GAMES: &str = "datagen --games 10 --nodes 60 --seed 4 --quiet --out";
const LAB: &str = "lab --schemes off,verified --suite small.epd --depths 4 --hash 1 --quiet --out";
const SUITE: &str = "6k1/5ppp/8/8/8/8/8/K3R3 w - - dm 1; id \"a\";\n\
                     r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - bm Qxf7#; id \"b\";\n";

fn words<'a>(command: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    command.split_ascii_whitespace().chain(more.iter().copied()).collect()
}

/// The games of a journal, in order.
fn games(folder: &Tournament, name: &str) -> Vec<String> {
    let journal = folder.read(name);
    let mut lines: Vec<String> = journal.lines().skip(1).map(unsealed).collect();
    lines.sort_unstable();
    lines
}

/// A win of the first engine that was never played, as the answer to a job.
fn win(task: &Value) -> Value {
    let winner = if task["game"] == "first" { "white" } else { "black" };
    let end = json!({ "winner": winner, "reason": "checkmate" });
    let record = json!({ "pair": task["pair"], "leg": task["game"], "end": end, "plies": 33, "moves": 4_711 });
    json!({ "Ok": { "record": record, "searches": 815 } })
}

/// The games of the match and what it tells as JSON, on one thread of this machine.
static ALONE: LazyLock<(Vec<String>, String)> = LazyLock::new(|| {
    let folder = Tournament::new();
    folder.succeed(&words(MATCH, &["--concurrency", "1", "--resume", "a", "--json", "a.json"]));
    (games(&folder, "a"), folder.read("a.json"))
});

fn answered(forger: &Forger) -> u64 {
    forger.answers().load(Ordering::Relaxed)
}

/// Plays the match on a cluster that is prepared: the games must be those of one thread. Returns what it said.
fn same_match<T>(server: &Server, prepare: impl FnOnce(&Server) -> T) -> (Exit, T) {
    let (folder, url) = (Tournament::new(), server.url());
    let (games_alone, told_alone) = &*ALONE;
    let others = prepare(server);
    let cluster = ["--cluster", &url, "--ack-wait", "2", "--resume", "b", "--json", "b.json"];
    let exit = folder.succeed(&words(MATCH, &cluster));
    assert_eq!(games_alone, &games(&folder, "b"), "{}", exit.errors);
    assert_eq!(told_alone, &folder.read("b.json"));
    (exit, others)
}

#[test]
fn a_lying_worker_is_named_and_its_games_are_played_again() {
    let Some(server) = Server::start() else { return };
    let (exit, (forger, _honest)) = same_match(&server, |server| {
        let forger =
            Forger::start(server, "liar", |number, task| vec![Forged::done(number, &win(task))]);
        let honest = server.worker_after(forger.answers());
        (forger, honest)
    });
    assert!(answered(&forger) > 0, "the liar got no job");
    assert!(exit.errors.contains("worker liar is trusted no more: its result of job"), "{exit:?}");
}

#[test]
fn forged_results_alone_decide_nothing() {
    let Some(server) = Server::start() else { return };
    let (exit, forger) = same_match(&server, |server| {
        Forger::start(server, "liar", |number, task| vec![Forged::done(number, &win(task))])
    });
    assert!(answered(&forger) >= 20, "{}", answered(&forger));
    assert!(exit.errors.contains("worker liar is trusted no more"), "{exit:?}");
}

#[test]
fn a_worker_with_a_flipped_bit_is_named_and_its_games_are_played_again() {
    for number in ["\"moves\":", "\"searches\":"] {
        let Some(server) = Server::start() else { return };
        let (exit, (broken, _honest)) = same_match(&server, |server| {
            let (proxy, flips) = server.flipping_proxy(number);
            let broken = server.worker_with(&nullarbor_tests::tuner(), &[&proxy]);
            (broken, server.worker_after(flips))
        });
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let name = format!("-{} is trusted no more: its result of job", broken.id());
        assert!(exit.errors.contains(&name), "{host}{name}: {exit:?}");
        nullarbor_tests::interrupt(&broken);
        let own = broken.finish(Duration::from_secs(30));
        assert!(own.errors.contains("check the memory of this machine"), "{}", own.errors);
    }
}

#[test]
fn a_result_counts_only_for_the_job_that_it_answers() {
    let Some(server) = Server::start() else { return };
    let (exit, (forger, _honest)) = same_match(&server, |server| {
        let forger = Forger::start(server, "confused", |number, task| {
            let mut result = win(task);
            let pair = task["pair"].as_u64().map_or(0, |pair| pair + 2);
            result["Ok"]["record"]["pair"] = json!(if pair % 3 == 0 { u64::MAX } else { pair });
            // As the answer to this job, to one that was given to others, and to one that was given to nobody.
            [number, number + 1, u64::MAX].map(|number| Forged::done(number, &result)).into()
        });
        let honest = server.worker_after(forger.answers());
        (forger, honest)
    });
    assert!(answered(&forger) > 0, "it got no job");
    assert!(exit.errors.contains("worker confused sent no result that counts"), "{exit:?}");
    assert!(exit.errors.contains("of another job"), "{exit:?}");
}

/// The game that follows in the match, as a task.
fn following(task: &Value) -> Value {
    let (pair, is_first) = (task["pair"].as_u64().unwrap_or(0), task["game"] == "first");
    let (pair, game) = if is_first { (pair, "second") } else { (pair + 1, "first") };
    json!({ "pair": pair, "game": game })
}

#[test]
fn a_worker_that_answers_the_jobs_of_others_is_named() {
    let Some(server) = Server::start() else { return };
    let (exit, (forger, _honest)) = same_match(&server, |server| {
        let forger = Forger::start(server, "usurper", |number, task| {
            let of_others = Forged::done(number + 1, &win(&following(task)));
            vec![of_others, Forged::done(number, &win(task))]
        });
        let honest = server.worker_after(forger.answers());
        (forger, honest)
    });
    assert!(answered(&forger) > 0, "it got no job");
    assert!(exit.errors.contains("worker usurper is trusted no more: its result"), "{exit:?}");
}

#[test]
fn malformed_and_failed_results_are_sent_again_and_counted() {
    let Some(server) = Server::start() else { return };
    let (exit, (forger, _honest)) = same_match(&server, |server| {
        let forger = Forger::start(server, "broken", |number, _| {
            let payloads: [(&str, &[u8]); 6] = [
                ("done", b""),
                ("done", b"\x1b[2J\xff"),
                ("done", b"{\"Ok\":{}}"),
                ("done", b"{\"Err\":[\"self\",\"no memory\\u001b[2J\"]}"),
                ("failed", b"\x1b[31mit fell\r\n"),
                ("failed", b""),
            ];
            let (kind, payload) = payloads[number as usize % payloads.len()];
            vec![Forged { number, kind, payload: payload.to_vec() }]
        });
        let honest = server.worker_after(forger.answers());
        (forger, honest)
    });
    assert!(answered(&forger) > 0, "it got no job");
    assert!(exit.errors.contains("worker broken sent no result that counts"), "{exit:?}");
    assert!(!exit.errors.contains('\u{1b}'), "{exit:?}");
}

#[test]
fn tuning_counts_each_pair_once_and_searches_and_training_games_are_checked() {
    let Some(server) = Server::start() else { return };
    let (folder, url) = (Tournament::new(), server.url());
    folder.write("run.toml", RUN);
    folder.write("small.epd", SUITE);
    for (command, threads) in
        [(SPSA, "--concurrency"), (GAMES, "--threads"), (LAB, "--concurrency")]
    {
        let name = command.split(' ').next().expect("a word");
        folder.succeed(&words(command, &[&format!("a.{name}"), threads, "1"]));
    }
    let lie = |number, task: &Value| {
        // Without a number it is a search of the laboratory.
        let result = if task.is_u64() {
            // A game of no moves.
            json!({ "number": task, "game": "00" })
        } else if task["settings"].is_object() {
            json!({ "number": task["number"], "iteration": 3, "results": ["Win", "Win"], "moves": 1 })
        } else {
            json!({ "samples": [], "null_moves": [] })
        };
        vec![Forged::done(number, &result)]
    };
    for command in [SPSA, GAMES, LAB] {
        let forger = Forger::start(&server, "liar", lie);
        let _honest = server.worker_after(forger.answers());
        let name = command.split(' ').next().expect("a word");
        let out = format!("b.{name}");
        let exit = folder.succeed(&words(command, &[&out, "--cluster", &url, "--ack-wait", "2"]));
        assert!(exit.errors.contains("worker liar"), "{command}: {exit:?}");
    }
    assert_eq!(folder.read("a.spsa/journal.jsonl"), folder.read("b.spsa/journal.jsonl"));
    let bytes = |name: &str| fs::read(folder.path(name)).expect(name);
    assert_eq!(bytes("a.datagen/000000.games"), bytes("b.datagen/000000.games"));
    let nodes = |name: &str| {
        let text = folder.read(&format!("{name}/lab.json"));
        let nodes = text
            .split("\"nodes\":")
            .skip(1)
            .map(|it| it.split([',', '}']).next().map(str::to_owned));
        nodes.collect::<Vec<_>>()
    };
    assert_eq!(nodes("a.lab"), nodes("b.lab"));
}

/// A file of games without the times of its moves.
fn without_times(text: &str) -> String {
    let is_time = |word: &str| word.strip_suffix("s,").is_some_and(|it| it.parse::<f64>().is_ok());
    text.split_ascii_whitespace().filter(|word| !is_time(word)).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_coordinator_writes_the_games_itself() {
    let Some(server) = Server::start() else { return };
    let (folder, url) = (Tournament::new(), server.url());
    let command = MATCH.replace("--games 20", "--games 12");
    folder.succeed(&words(&command, &["--concurrency", "1", "--pgn", "a.pgn"]));
    let forger = Forger::start(&server, "liar", |number, task| {
        let mut result = win(task);
        result["Ok"]["record"]["pgn"] =
            json!("[Event \"forged\"]\n\n\u{1b}[2J 1-0\n\n[Event \"more\"]\n\n1-0\n");
        vec![Forged::done(number, &result)]
    });
    let _honest = server.worker_after(forger.answers());
    let cluster = ["--cluster", &url, "--ack-wait", "2", "--pgn", "b.pgn"];
    folder.succeed(&words(&command, &cluster));
    let [a, b] = ["a.pgn", "b.pgn"].map(|name| without_times(&folder.read(name)));
    assert!(a.matches("[Event ").count() == 12 && a.contains("sd="), "{a}");
    assert_eq!(a, b);
}

#[test]
fn without_verification_each_result_is_still_one_of_its_job() {
    let Some(server) = Server::start() else { return };
    let (folder, url) = (Tournament::new(), server.url());
    let _forger =
        Forger::start(&server, "liar", |number, task| vec![Forged::done(number, &win(task))]);
    let exit =
        folder.succeed(&words(MATCH, &["--cluster", &url, "--verify", "0", "--json", "x.json"]));
    assert!(!exit.errors.contains("trusted no more"), "{exit:?}");
    let error = folder.refuse(&words(MATCH, &["--cluster", &url, "--verify", "200%"]), 2);
    assert!(error.contains("--verify"), "{error}");
}

/// Settings that the command line refuses, as the review's forger sent them, end no worker.
#[test]
fn no_job_ends_a_worker() {
    let Some(server) = Server::start() else { return };
    let (folder, url) = (Tournament::new(), server.url());
    let build = folder.succeed(&["worker", "--build"]).lines.remove(0);
    let build: Vec<&str> = build.split_whitespace().collect();
    let worker = server.worker();
    // Lets the server's streams and buckets be there.
    folder.succeed(&words(&MATCH.replace("--games 20", "--games 2"), &["--cluster", &url]));
    let second = json!({ "secs": 1, "nanos": 0 });
    let endless = json!({ "secs": u64::MAX, "nanos": 0 });
    let none = json!({ "draw": null, "resign": null, "longest": null });
    let zero = json!({ "draw": null, "resign": { "movecount": 0, "score": -1, "twosided": true }, "longest": 0 });
    let settings = |engine: &str, margin: &Value, adjudication: &Value| {
        let engine = json!({ "name": "x", "spec": format!("self,Hash=1{engine}") });
        json!({
            "engines": [engine.clone(), engine], "is_written": false, "timeout": &second, "order": [1, 2],
            "rules": { "adjudication": adjudication, "margin": margin, "chess960": false },
        })
    };
    let (start, mated) = (
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
    );
    let runs = [
        (settings(",tc=1e300", &second, &none), start),
        (settings(",tc=0/1", &second, &none), start),
        (settings(",nodes=50", &endless, &none), start),
        (settings(",nodes=50", &second, &zero), start),
        (settings("", &second, &none), start),
        (settings(",nodes=50", &second, &none), start),
        (settings(",nodes=50", &second, &none), mated),
    ];
    let mut client = Client::connect(&server).expect("a server");
    for (number, (settings, fen)) in runs.iter().enumerate() {
        let run = format!("match-forged{number}");
        let config = json!({
            "stream_name": "NULLARBOR_JOBS",
            "config": {
                "durable_name": run, "name": run, "filter_subject": format!("nullarbor.jobs.{run}.>"), "ack_policy": "explicit",
                "deliver_policy": "all", "replay_policy": "instant", "max_ack_pending": 1000,
            },
        });
        let create = format!("$JS.API.CONSUMER.DURABLE.CREATE.NULLARBOR_JOBS.{run}");
        client.request(&create, &config.to_string()).expect("a server");
        let info = json!({
            "kind": "match", "build": { "code": build[1], "network": build[3] }, "settings": settings, "files": [], "ack_wait": 2,
        });
        client
            .publish(&format!("$KV.nullarbor-runs.{run}"), "x", info.to_string().as_bytes())
            .expect("a server");
        for second in [1, 9] {
            let pairing = json!({ "first": 0, "second": second });
            let opening = json!({ "fen": fen, "moves": [], "origin": { "line": null, "eco": null, "name": null } });
            let task = json!({ "pair": u64::MAX, "game": "second", "pairing": pairing, "opening": opening });
            let subject = format!("nullarbor.jobs.{run}.{}", number * 10);
            client.publish(&subject, "x", task.to_string().as_bytes()).expect("a server");
        }
    }
    for ack_wait in [0, u64::MAX] {
        let info = json!({
            "kind": "match", "build": { "code": build[1], "network": build[3] }, "settings": {}, "files": [], "ack_wait": ack_wait,
        });
        let name = format!("$KV.nullarbor-runs.match-wait{ack_wait}");
        client.publish(&name, "x", info.to_string().as_bytes()).expect("a server");
    }
    std::thread::sleep(Duration::from_secs(10));
    nullarbor_tests::interrupt(&worker);
    let exit = worker.finish(Duration::from_secs(60));
    exit.assert_clean();
    for refused in
        ["tc: `1e300` is not", "are no margin", "no adjudication", "no limit", "ack_wait is"]
    {
        assert!(exit.errors.contains(refused), "{refused}: {}", exit.errors);
    }
}

/// Also where an earlier version has left streams without limits.
#[test]
fn the_server_keeps_and_takes_no_more_than_the_limits() {
    let Some(server) = Server::start() else { return };
    let mut client = Client::connect(&server).expect("a server");
    let mut ask = |subject: &str, payload: &str| -> Value {
        let answer = client.request(subject, payload).expect("a server").expect("an answer");
        serde_json::from_slice(&answer.payload).expect("JSON")
    };
    let early = json!({ "name": "NULLARBOR_RESULTS", "subjects": ["nullarbor.results.>"], "retention": "workqueue" });
    ask("$JS.API.STREAM.CREATE.NULLARBOR_RESULTS", &early.to_string());
    let folder = Tournament::new();
    let one_pair = MATCH.replace("--games 20", "--games 2");
    let _worker = server.worker();
    folder.succeed(&words(&one_pair, &["--cluster", &server.url()]));
    for (stream, most) in [
        ("NULLARBOR_JOBS", 512),
        ("NULLARBOR_RESULTS", 512),
        ("KV_nullarbor-runs", 64),
        ("KV_nullarbor-workers", 64),
    ] {
        let info = ask(&format!("$JS.API.STREAM.INFO.{stream}"), "");
        let config = &info["config"];
        assert_eq!(config["max_bytes"], most << 20, "{stream}: {info}");
        assert_eq!(config["max_msg_size"], 1_004_096, "{stream}: {info}");
    }
    let refused = ask("nullarbor.jobs.match-x.1", &"x".repeat(1_010_000));
    assert!(refused["error"]["description"].is_string(), "{refused}");
}

#[test]
fn no_message_and_no_journal_tells_a_password() {
    let folder = Tournament::new();
    for url in [
        "nats://me:s3cret@",
        "nats://me:s3cret@host:port",
        "http://me:s3cret@host",
        "s3cret://me@x",
    ] {
        for command in ["worker --cluster", &format!("{MATCH} --cluster")] {
            let error = folder.refuse(&words(command, &[url]), 1);
            assert!(
                error.contains("write nats://HOST:4222") && !error.contains("s3cret"),
                "{error}"
            );
        }
    }
    let users = "authorization { users: [ { user: me, password: \"s3cret\" } ] }";
    let Some(server) = Server::configured(users, |_| ()) else { return };
    let url = format!("nats://me:s3cret@{}", server.host());
    let _worker = server.worker_with(&nullarbor_tests::tuner(), &[&url]);
    let short = MATCH.replace("--games 20", "--games 2");
    folder.succeed(&words(&short, &["--resume", "a", "--cluster", &url]));
    let joined = format!("--cluster={url}");
    folder.succeed(&words(&short, &["--resume", "b", "--password=s3cret", &joined]));
    let plain = format!("nats://me@{}", server.host());
    folder.succeed(&words(&short, &["--resume", "c", "--password", "s3cret", "--cluster", &plain]));
    for journal in ["a", "b", "c"] {
        let text = folder.read(journal);
        assert!(!text.contains("s3cret") && text.contains(&plain), "{text}");
        folder.succeed(&["match", "--resume", journal, "--password", "s3cret"]);
    }
}
