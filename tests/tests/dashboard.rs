//! The dashboard: over plain HTTP, and in a real browser against a run that is under way.

use std::env;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

use nullarbor_tests::{Process, Tournament};

const MATCH: &str = "match --engine self,Hash=1 --engine self,Hash=1,NullMove=off --nodes 300 --games 20 \
                     --seed 9 --quiet --sprt 0,10 --resume runs/nightly.journal";
const RUN: &str = "iterations = 400\npairs_per_iteration = 2\nnodes = 400\nhash = 1\n\
                   groups = [\"razoring\"]\nseed = 3\nbook = \"unbalanced\"\n";
const PATIENCE: Duration = Duration::from_secs(60);

fn words(text: &str) -> Vec<&str> {
    text.split_ascii_whitespace().collect()
}

/// A dashboard of the folder `runs`, and where it listens.
fn dashboard(folder: &Tournament, more: &[&str]) -> (Process, String) {
    let common = words("dashboard runs --listen 127.0.0.1:0");
    let mut process = folder.start(&[&common[..], more].concat());
    let lines = process.read_until("address", PATIENCE, |line| line.starts_with("http://"));
    let url = lines.last().expect("a line").text.clone();
    let host = url.trim_start_matches("http://").split('/').next().expect("a host").to_owned();
    (process, host)
}

/// Returns the head and the body of an answer.
fn ask(host: &str, path: &str, more: &str) -> (String, String) {
    let mut stream = TcpStream::connect(host).expect("a server");
    let named = if more.starts_with("Host:") { "" } else { "Host: localhost\r\n" };
    let request = format!("GET {path} HTTP/1.1\r\n{named}{more}Connection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    (head.to_owned(), body.to_owned())
}

/// Waits for cards with these words.
fn cards(host: &str, wanted: &[&str]) -> String {
    let begun = Instant::now();
    loop {
        let (_, body) = ask(host, "/cards.json", "");
        if wanted.iter().all(|word| body.contains(word)) {
            return body;
        }
        assert!(begun.elapsed() < PATIENCE, "no {wanted:?} in:\n{body}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn runs_of_all_kinds_are_shown_and_nothing_is_written() {
    let folder = Tournament::new();
    std::fs::create_dir(folder.path("runs")).expect("room");
    folder.succeed(&words(MATCH));
    folder.write("run.toml", &RUN.replace("iterations = 400", "iterations = 6"));
    folder.succeed(&words("spsa run run.toml --quiet --dir runs/razoring"));
    folder.succeed(&words(
        "datagen --games 30 --nodes 60 --natural 0 --seed 4 --quiet --out runs/gen0",
    ));
    folder.succeed(&words("breed init runs/breeding"));
    folder.write("runs/broken.journal", "{\"nullarbor_match\":0,");
    let before = tree(&folder);
    let (_process, host) = dashboard(&folder, &[]);
    let body = cards(&host, &["\"match\"", "\"spsa\"", "\"games\"", "\"breed\"", "LLR", "6 of 6"]);
    assert!(body.contains("NullMove=off") && body.contains("<svg"), "{body}");
    let (head, page) = ask(&host, "/", "");
    assert!(head.starts_with("HTTP/1.1 200") && head.contains("content-security-policy"), "{head}");
    assert!(page.contains("EventSource") && page.contains("<article"), "{page}");
    // One stream for all tabs: a browser allows six connections to a server.
    assert!(page.contains("SharedWorker"), "{page}");
    let (head, script) = ask(&host, "/worker.js", "");
    assert!(head.contains("text/javascript") && script.contains("EventSource"), "{head}");
    assert_eq!(tree(&folder), before);
}

/// Security headers stand in every answer.
#[test]
fn every_answer_has_the_headers() {
    let folder = Tournament::new();
    std::fs::create_dir(folder.path("runs")).expect("room");
    folder.write("token", "0123456789abcdef\n");
    let (_process, host) = dashboard(&folder, &["--token-file", "token"]);
    let known = "token=0123456789abcdef";
    for (path, code) in [
        (format!("/?{known}"), "200"),
        (format!("/cards.json?{known}"), "200"),
        (format!("/worker.js?{known}"), "200"),
        (format!("/none?{known}"), "404"),
        (format!("/?{known}&{known}"), "401"),
        ("/?token=%zz".to_owned(), "401"),
        ("/worker.js".to_owned(), "401"),
    ] {
        let (head, _) = ask(&host, &path, "");
        assert!(head.starts_with(&format!("HTTP/1.1 {code}")), "{path}: {head}");
        for name in ["content-security-policy", "x-frame-options: DENY", "nosniff", "no-referrer"] {
            assert!(head.contains(name), "{path}: no {name} in {head}");
        }
    }
    let mut stream = TcpStream::connect(&host).expect("a server");
    let request = format!("POST /?{known} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 405") && answer.contains("nosniff"), "{answer}");
}

#[cfg(unix)]
#[test]
fn links_and_pipes_are_left_alone_and_one_signal_ends_it() {
    use std::os::unix::fs::symlink;
    let folder = Tournament::new();
    std::fs::create_dir(folder.path("runs")).expect("room");
    folder.succeed(&words(MATCH));
    symlink("/", folder.path("runs/root")).expect("a link");
    symlink(".", folder.path("runs/again")).expect("a link");
    folder.write("lab.json", "\"a secret\"");
    std::fs::create_dir(folder.path("runs/lab")).expect("room");
    symlink("../../lab.json", folder.path("runs/lab/lab.json")).expect("a link");
    let made = Command::new("mkfifo").arg(folder.path("runs/pipe.journal")).status();
    assert!(made.expect("mkfifo").success());
    let (process, host) = dashboard(&folder, &[]);
    let body = cards(&host, &["nightly.journal"]);
    assert_eq!(body.matches("\"id\":").count(), 1, "{body}");
    assert!(!body.contains("a secret"), "{body}");
    let id = process.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().expect("kill").success());
    let exit = process.finish(Duration::from_secs(20));
    assert!(exit.status.success(), "{:?} {}", exit.status, exit.errors);
}

#[test]
fn half_requests_keep_nobody_out() {
    let folder = Tournament::new();
    std::fs::create_dir(folder.path("runs")).expect("room");
    let (_process, host) = dashboard(&folder, &[]);
    let mut half: Vec<TcpStream> = Vec::new();
    for _ in 0..600 {
        let mut stream = TcpStream::connect(&host).expect("a connection");
        stream.write_all(b"GET / HTTP/1.1\r\nHost: loc").expect("half a request");
        half.push(stream);
    }
    let (head, _) = ask(&host, "/cards.json", "");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    // Each is closed, sooner or later.
    for stream in &mut half {
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
    }
}

/// A match says how far it is and how its test ended.
#[test]
fn an_undecided_match_says_so() {
    let folder = Tournament::new();
    std::fs::create_dir(folder.path("runs")).expect("room");
    folder.succeed(&words(MATCH));
    let stub = format!(
        "cmd={},name=stub,arg=panic,arg=3,arg={}",
        env!("CARGO_BIN_EXE_stub-engine"),
        nullarbor_tests::engine().display()
    );
    let words = Tournament::words([&stub, "self,Hash=1"], &["--engine", "self,Hash=1,name=third"]);
    let more = ["--nodes", "50", "--games", "4", "--seed", "1", "--resume", "runs/three.journal"];
    assert_eq!(folder.run(&[&words[..], &more].concat()).status.code(), Some(3));
    let (_process, host) = dashboard(&folder, &[]);
    let body = cards(&host, &["three.journal", "nightly.journal"]);
    for part in [
        "undecided after 20 of 20 games",
        "20 of at most 20",
        "\"state\":\"done\"",
        "Ratings from all games",
        "stub: crashed 8",
        "the cat sat {on} my stack",
        "data-values=",
    ] {
        assert!(body.contains(part), "no {part} in {body}");
    }
    assert!(!body.contains("under way"), "{body}");
}

/// Names come from whoever wrote the journal.
#[test]
fn names_are_text_and_paths_name_no_files() {
    let folder = Tournament::new();
    std::fs::create_dir(folder.path("runs")).expect("room");
    folder.write("runs/secret.txt", "a secret");
    let evil = MATCH
        .replace("--sprt 0,10", "--games 2")
        .replace("--games 20", "")
        .replace("NullMove=off", "NullMove=off,name=<img/src=x/onerror=alert(1)>");
    folder.succeed(&words(&evil));
    let (_process, host) = dashboard(&folder, &[]);
    cards(&host, &["\"match\""]);
    let (head, page) = ask(&host, "/", "");
    assert!(page.contains("&lt;img/src=x") && !page.contains("<img"), "{page}");
    let policy = head.lines().find(|it| it.starts_with("content-security-policy")).expect("one");
    assert!(policy.contains("script-src 'sha256-"), "{policy}");
    for path in
        ["/secret.txt", "/runs/secret.txt", "/../runs/secret.txt", "/%2e%2e/runs/secret.txt"]
    {
        let (head, body) = ask(&host, path, "");
        assert!(head.starts_with("HTTP/1.1 404") && !body.contains("secret"), "{path}: {head}");
    }
}

/// All files with their lengths.
fn tree(folder: &Tournament) -> Vec<String> {
    let mut command = Command::new("find");
    command.args(["runs", "-type", "f", "-printf", "%p %s %T@\n"]).current_dir(folder.path(""));
    let output = command.output().expect("find");
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    assert!(!lines.is_empty());
    lines
}

#[test]
fn strangers_are_turned_away() {
    let folder = Tournament::new();
    std::fs::create_dir(folder.path("runs")).expect("room");
    let (_open, host) = dashboard(&folder, &[]);
    let (head, body) = ask(&host, "/", "Host: example.org\r\n");
    assert!(head.starts_with("HTTP/1.1 401") && body.contains("localhost"), "{head}\n{body}");
    folder.write("token", "0123456789abcdef\n");
    let (_closed, host) = dashboard(&folder, &["--token-file", "token"]);
    for path in ["/", "/events", "/cards.json", "/?token=0123456789abcdee"] {
        let (head, body) = ask(&host, path, "");
        assert!(head.starts_with("HTTP/1.1 401") && body.contains("token"), "{path}: {head}");
        assert!(head.contains("nosniff"), "{head}");
    }
    let bearer = "Authorization: Bearer 0123456789abcdef\r\n";
    for (path, more) in [("/?token=0123456789abcdef", ""), ("/", bearer)] {
        let (head, _) = ask(&host, path, more);
        assert!(head.starts_with("HTTP/1.1 200"), "{path}: {head}");
    }
    let error = folder.refuse(&words("dashboard runs --listen 0.0.0.0:0"), 1);
    assert!(error.contains("--token-file"), "{error}");
    assert!(folder.refuse(&words("dashboard none"), 1).contains("none"));
}

/// Returns what a browser makes of the page after some seconds; `None` where there is no browser.
fn browse(folder: &Tournament, host: &str, seconds: u32) -> Option<String> {
    let names = [env::var("CHROMIUM").unwrap_or_default(), "chromium".to_owned()];
    let name = names.iter().find(|name| !name.is_empty())?;
    let output = Command::new(name)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        .arg(format!("--user-data-dir={}", folder.path("browser").display()))
        .arg(format!("--timeout={}", 1000 * seconds))
        .args(["--dump-dom", &format!("http://{host}/")])
        .output();
    match output {
        Ok(output) => Some(String::from_utf8_lossy(&output.stdout).into_owned()),
        Err(_) => {
            eprintln!("skipped: there is no chromium");
            None
        }
    }
}

/// The stream of events: all cards, then those that change.
#[test]
fn changes_are_sent() {
    let folder = Tournament::new();
    std::fs::create_dir(folder.path("runs")).expect("room");
    let (_process, host) = dashboard(&folder, &[]);
    let mut stream = TcpStream::connect(&host).expect("a server");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    stream.write_all(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("a request");
    folder.succeed(&words(MATCH));
    let (mut text, mut buffer) = (String::new(), [0; 4096]);
    while !text.contains("nightly.journal") {
        let count = stream.read(&mut buffer).expect("an event in time");
        assert!(count > 0, "the stream has ended: {text}");
        text += &String::from_utf8_lossy(&buffer[..count]);
    }
    assert!(text.contains("text/event-stream") && text.contains("event: card"), "{text}");
}

#[test]
fn a_browser_follows_a_run_that_is_under_way() {
    let folder = Tournament::new();
    std::fs::create_dir(folder.path("runs")).expect("room");
    folder.write("run.toml", RUN);
    let run = folder.start(&words("spsa run run.toml --quiet --dir runs/razoring --concurrency 1"));
    let (_process, host) = dashboard(&folder, &[]);
    // A chart has a line once there are two points.
    cards(&host, &["of 400", "<svg"]);
    let done = |page: &str| -> u64 {
        let before = page.split(" of 400").next().expect("a part");
        let digits: String = before.chars().rev().take_while(char::is_ascii_digit).collect();
        digits.chars().rev().collect::<String>().parse().expect("a number of iterations")
    };
    let Some(first) = browse(&folder, &host, 4) else { return };
    assert!(first.contains("<article") && first.contains("<svg"), "{first}");
    // What the script does: buttons for the kinds, and times that count.
    let has_times = first.contains(">now<") || first.contains(" ago<");
    assert!(first.contains("aria-pressed=\"true\"") && has_times, "{first}");
    let mut later = (0..20).map(|_| done(&browse(&folder, &host, 4).expect("a browser")));
    assert!(later.any(|iterations| iterations > done(&first)), "{}", done(&first));
    drop(run);
}
