//! Access to a cluster: certificates, credentials and passwords, with a real server.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use nullarbor_tests::{Operator, Server, Tournament, repository_root, tuner};

const MATCH: &str = "match --engine self,Hash=1 --engine self,Hash=1,NullMove=off --nodes 100 --games 4 --seed 9 \
                     --quiet --cluster";

/// A match by a worker, both of which reach the server with these words.
fn plays(server: &Server, access: &[&str]) {
    let _worker = server.worker_with(&tuner(), access);
    let words: Vec<&str> = MATCH.split_ascii_whitespace().chain(access.iter().copied()).collect();
    Tournament::new().succeed(&words);
}

/// A worker and a match are turned away soon, and told what helps.
fn turned_away(access: &[&str], advice: &str) {
    let folder = Tournament::new();
    for command in ["worker --cluster", MATCH] {
        let words = command.split_ascii_whitespace().chain(access.iter().copied());
        let begun = Instant::now();
        let error = folder.refuse(&words.collect::<Vec<_>>(), 1);
        assert!(error.contains("cluster ") && error.contains(advice), "{access:?}: {error}");
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    }
}

/// The part of the cluster's README that begins with these words, up to the end of its block.
fn from_readme(beginning: &str) -> String {
    let path = repository_root().join("tuner/cluster/README.md");
    let readme = fs::read_to_string(path).expect("a README");
    let at = readme.find(beginning).unwrap_or_else(|| panic!("no {beginning} in the README"));
    readme[at..].split("```").next().expect("a first part").to_owned()
}

/// Makes an authority, and certificates of a server and a worker, as the README says.
fn certify(folder: &Path) {
    fs::create_dir_all(folder).expect("room");
    let script = from_readme("openssl req");
    let output = Command::new("bash").args(["-ec", &script]).current_dir(folder).output();
    let output = output.expect("bash");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn certificates_let_in() {
    let mut other = Tournament::new().path("");
    let prepare = |folder: &Path| {
        certify(folder);
        other = folder.join("other");
        certify(&other);
    };
    let Some(server) = Server::configured(&from_readme("tls {"), prepare) else { return };
    let url = format!("tls://{}", server.host());
    let own = other.parent().expect("the folder of the server").to_owned();
    let file = |folder: &Path, name: &str| folder.join(name).display().to_string();
    let ca = ["--tlsca".to_owned(), file(&own, "ca.pem")];
    let machine = |folder: &Path| {
        ["--tlscert", &file(folder, "worker.pem"), "--tlskey", &file(folder, "worker.key")]
            .map(str::to_owned)
    };
    let words = |parts: &[&[String]]| [std::slice::from_ref(&url), &parts.concat()].concat();
    let with = |words: Vec<String>, act: &dyn Fn(&[&str])| {
        act(&words.iter().map(String::as_str).collect::<Vec<_>>());
    };
    with(words(&[&ca, &machine(&own)]), &|it| plays(&server, it));
    let wrong_ca = ["--tlsca".to_owned(), file(&other, "ca.pem")];
    with(words(&[&wrong_ca, &machine(&own)]), &|it| turned_away(it, "--tlsca FILE"));
    with(words(&[&machine(&own)]), &|it| turned_away(it, "--tlsca FILE"));
    with(words(&[&ca]), &|it| turned_away(it, "--tlscert FILE"));
    with(words(&[&ca, &machine(&other)]), &|it| turned_away(it, "--tlscert FILE"));
    let missing = ["--tlsca".to_owned(), file(&own, "none.pem")];
    let words: Vec<String> = words(&[&missing]);
    let worker: Vec<&str> =
        ["worker", "--cluster"].into_iter().chain(words.iter().map(String::as_str)).collect();
    assert!(Tournament::new().refuse(&worker, 1).contains("none.pem"));
}

#[test]
fn credentials_let_in() {
    let (operator, stranger) = (Operator::default(), Operator::default());
    let Some(server) = Server::configured(&operator.config(), |_| ()) else { return };
    let files = Tournament::new();
    files.write("user.creds", &operator.creds());
    files.write("stranger.creds", &stranger.creds());
    files.write("torn.creds", &operator.creds()[..100]);
    let path = |name: &str| files.path(name).display().to_string();
    let url = server.url();
    plays(&server, &[&url, "--creds", &path("user.creds")]);
    turned_away(&[&url, "--creds", &path("stranger.creds")], "--creds FILE");
    turned_away(&[&url], "--creds FILE");
    let torn = path("torn.creds");
    let error = Tournament::new().refuse(&["worker", "--cluster", &url, "--creds", &torn], 1);
    assert!(error.contains("torn.creds"), "{error}");
}

#[test]
fn passwords_let_in() {
    let users = "authorization { users: [ { user: me, password: \"a p@ss\" } ] }";
    let Some(server) = Server::configured(users, |_| ()) else { return };
    let url = |user: &str| format!("nats://{user}@{}", server.host());
    plays(&server, &[&url("me:a%20p%40ss")]);
    plays(&server, &[&url("me"), "--password", "a p@ss"]);
    turned_away(&[&url("me:wrong")], "NULLARBOR_PASSWORD");
    turned_away(&[&server.url()], "NULLARBOR_PASSWORD");
}
