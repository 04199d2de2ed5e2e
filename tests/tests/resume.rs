//! Matches that were killed, and go on.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use nullarbor_tests::{Tournament, engine, repository_root, sealed, unsealed};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

fn words<'a>(games: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let common = ["--nodes", "300", "--games", games, "--seed", "9", "--concurrency", "2"];
    Tournament::words(["self,Hash=1", "self,Hash=1,NullMove=off"], &[&common[..], more].concat())
}

#[test]
#[ignore = "long"]
fn a_match_that_is_killed_again_and_again_gives_the_same_result() {
    let folder = Tournament::new();
    let begun = Instant::now();
    folder.succeed(&words("60", &["--json", "undisturbed", "--pgn", "undisturbed.pgn"]));
    let whole = begun.elapsed();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let parts = ["--json", "disturbed", "--resume", "journal", "--pgn", "disturbed.pgn"];
    let mut kills = 0;
    for _ in 0..12 {
        let process = folder.start(&words("60", &parts));
        thread::sleep(whole.mul_f64(rng.random_range(0.05..0.35)));
        // Dropping kills at once, as `kill -9` does.
        drop(process);
        kills += u32::from(!folder.path("disturbed").exists());
    }
    assert!(kills >= 2, "the match was over too soon to be disturbed");
    folder.succeed(&words("60", &parts));
    assert_eq!(folder.read("undisturbed"), folder.read("disturbed"));
    let moves = |name| -> Vec<String> {
        let pgn = folder.read(name);
        // Times differ; everything else does not.
        let words = pgn.split_whitespace().filter(|word| !word.ends_with("s,"));
        words.map(str::to_owned).collect()
    };
    assert_eq!(moves("undisturbed.pgn"), moves("disturbed.pgn"));
}

#[test]
fn a_finished_match_is_not_played_again() {
    let folder = Tournament::new();
    folder.succeed(&words("12", &["--json", "a", "--resume", "journal"]));
    let journal = folder.read("journal");
    folder.succeed(&words("12", &["--json", "b", "--resume", "journal"]));
    // A game that is played again would be another line.
    assert_eq!((folder.read("a"), journal), (folder.read("b"), folder.read("journal")));
}

#[test]
fn a_match_that_was_extended_goes_on_to_its_new_end() {
    let folder = Tournament::new();
    folder.succeed(&words("4", &["--resume", "journal", "--pgn", "games"]));
    let resume = |more: &[&str]| {
        folder.succeed(&[&["match", "--resume", "journal", "--quiet"], more].concat());
        assert_eq!(folder.read("games").matches("[Event ").count(), 12);
    };
    resume(&["--games", "12", "--json", "whole"]);
    resume(&["--json", "again"]);
    // Killed in its fifth game; the journal has a line for the extension, too.
    let killed = folder.read("journal").lines().take(7).collect::<Vec<_>>().join("\n") + "\n";
    folder.write("journal", &killed);
    folder.succeed(&["match", "report", "journal", "--out", "page"]);
    assert!(folder.read("page").contains("stopped after 5 of 12 games"), "{killed}");
    resume(&["--json", "mended"]);
    assert_eq!(folder.read("whole"), folder.read("mended"));
    assert_eq!(folder.read("whole"), folder.read("again"));
}

#[test]
fn a_torn_line_is_dropped_and_a_damaged_one_refused() {
    let folder = Tournament::new();
    folder.succeed(&words("12", &["--json", "a", "--resume", "journal"]));
    let journal = folder.read("journal");
    folder.write("journal", &journal[..journal.len() - 20]);
    folder.succeed(&words("12", &["--json", "b", "--resume", "journal"]));
    assert_eq!(folder.read("a"), folder.read("b"));
    let damaged = journal.replacen("\"leg\"", "\"lge\"", 1);
    folder.write("journal", &damaged);
    let error = folder.refuse(&words("12", &["--resume", "journal"]), 1);
    assert!(error.contains("line 2"), "{error}");
    assert_eq!(folder.read("journal"), damaged);
    // A result that was changed is noticed as well: it once turned wins into draws.
    let changed = journal.replacen("\"winner\"", "\"vinner\"", 1);
    folder.write("journal", &changed);
    let error = folder.refuse(&words("12", &["--resume", "journal"]), 1);
    assert!(error.contains("checksum") && error.contains("head -n"), "{error}");
}

#[test]
fn a_match_is_resumed_from_another_folder_with_the_files_that_it_began_with() {
    let folder = Tournament::new();
    let all = ["--json", "summary", "--resume", "journal", "--pgn", "games"];
    folder.write("book.epd", "4k3/8/8/8/8/8/4P3/4K3 w - -\n4k3/4p3/8/8/8/8/8/4K3 b - -\n");
    folder.succeed(&words("4", &[&all[..], &["--book", "book.epd"]].concat()));
    let (journal, games) = (folder.read("journal"), folder.read("games"));
    let first_game: String = journal.split_inclusive('\n').take(2).collect();
    folder.write("journal", &first_game);
    let elsewhere = Tournament::new();
    elsewhere.write("games", "precious");
    let path = folder.path("journal");
    elsewhere.succeed(&["match", "--resume", &path.display().to_string(), "--quiet"]);
    assert_eq!(elsewhere.read("games"), "precious");
    assert!(!elsewhere.path("summary").exists());
    assert_eq!(folder.read("games").matches("[Event ").count(), games.matches("[Event ").count());
}

/// The journal of version 1.0.0 with the folder and the build of this test.
#[test]
fn a_journal_of_an_earlier_version_is_resumed() {
    let folder = Tournament::new();
    folder.write("book.epd", "4k3/8/8/8/8/8/4P3/4K3 w - -\n4k3/4p3/8/8/8/8/8/4K3 b - -\n");
    folder.write("mine.toml", "scheme = \"fixed-3\"\n");
    folder.succeed(&words("2", &["--resume", "today"]));
    let build = |journal: &str| -> String {
        let first = serde_json::from_str::<Value>(journal.lines().next().expect("a line"));
        first.expect("JSON")["settings"]["engines"][0]["build"].as_str().expect("text").to_owned()
    };
    let earlier = fs::read_to_string(repository_root().join("tests/data/match.journal"));
    let earlier = earlier.expect("in the repository");
    let here = serde_json::to_string(&folder.path("")).expect("UTF-8");
    let here = here.trim_matches('"').trim_end_matches(['/', '\\']);
    let earlier = earlier
        .replace("/srv/matches", here)
        .replace(&build(&earlier), &build(&folder.read("today")));
    let lines: Vec<String> = earlier.lines().map(unsealed).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    folder.write("match.journal", &sealed(&lines[..3]));
    let journal = folder.path("match.journal").display().to_string();
    Tournament::new().succeed(&["match", "--resume", &journal]);
    let resumed = folder.read("match.journal");
    assert_eq!(resumed.lines().count(), lines.len());
    assert!(resumed.starts_with(&sealed(&lines[..3])), "{resumed}");
    assert_eq!(folder.json("summary.json")["games"], 4);
}

/// Options of programs are paths, too: the journal once had them otherwise than the identity, and no such match went on.
#[test]
fn a_match_of_programs_is_resumed_with_their_networks() {
    let folder = Tournament::new();
    let network = repository_root().join("engine/network.nnue");
    fs::copy(network, folder.path("net.nnue")).expect("room");
    let program = format!("cmd={},option.EvalFile=net.nnue,name=a", engine().display());
    let more = ["--nodes", "50", "--games", "2", "--seed", "1", "--resume", "journal"];
    let whole = Tournament::words([&program, "self,Hash=1"], &more);
    folder.succeed(&whole);
    let journal = folder.path("journal").display().to_string();
    Tournament::new().succeed(&["match", "--resume", &journal]);
    // As version 1.0.0 wrote it.
    let earlier: Vec<String> = folder.read("journal").lines().map(unsealed).collect();
    let option = |path: &Path| json!(["EvalFile", path]).to_string();
    let [here, typed] = [&folder.path("net.nnue"), Path::new("net.nnue")].map(option);
    let earlier: Vec<String> = earlier.iter().map(|line| line.replace(&here, &typed)).collect();
    assert!(earlier[0].contains(&typed), "{}", earlier[0]);
    folder.write("journal", &sealed(&earlier.iter().map(String::as_str).collect::<Vec<_>>()));
    folder.succeed(&whole);
    folder.succeed(&["match", "--resume", "journal"]);
    let error = Tournament::new().refuse(&["match", "--resume", &journal], 1);
    assert!(error.contains("engines.1.options"), "{error}");
}

#[test]
fn a_file_is_not_written_over_another_one_of_the_match() {
    let folder = Tournament::new();
    let book = "4k3/8/8/8/8/8/4P3/4K3 w - -\n4k3/4p3/8/8/8/8/8/4K3 b - -\n";
    folder.write("book.epd", book);
    for outputs in [
        ["--resume", "x", "--json", "x"],
        ["--pgn", "x", "--json", "./x"],
        ["--pgn", "x", "--resume", "../x"],
        ["--book", "book.epd", "--json", "book.epd"],
        ["--book", "book.epd", "--resume", "book.epd"],
    ] {
        let name = folder.path("").file_name().expect("a name").to_string_lossy().into_owned();
        let outputs = outputs.map(|word| word.replace("../x", &format!("../{name}/x")));
        let outputs = outputs.each_ref().map(String::as_str);
        let error = folder.refuse(&words("2", &outputs), 1);
        assert!(error.contains("same file"), "{outputs:?}: {error}");
        assert!(!folder.path("x").exists());
        assert_eq!(folder.read("book.epd"), book);
    }
}

#[test]
fn a_match_that_was_killed_before_its_first_game_begins_again() {
    let folder = Tournament::new();
    let all = ["--json", "a", "--resume", "journal", "--pgn", "games"];
    folder.succeed(&words("12", &all));
    let (journal, pgn) = (folder.read("journal"), folder.read("games"));
    let header = journal.lines().next().expect("a header").to_owned() + "\n";
    folder.write("journal", &header);
    folder.write("games", "[Event \"torn");
    folder.succeed(&words("12", &all));
    assert_eq!(folder.read("games").len(), pgn.len());
}

#[test]
fn two_processes_do_not_play_the_same_match() {
    let folder = Tournament::new();
    let long = ["--nodes", "20000", "--games", "60", "--resume", "journal"];
    let long = Tournament::words(["self,Hash=1", "self,Hash=1"], &long);
    let first = folder.start(&long);
    while folder.path("journal").metadata().map_or(0, |file| file.len()) == 0 {
        thread::sleep(Duration::from_millis(5));
    }
    assert!(folder.refuse(&long, 1).contains("in use"));
    drop(first);
}

#[test]
fn another_match_is_refused() {
    let folder = Tournament::new();
    let play = |nodes: &str, seed: &str| -> Vec<String> {
        let words = ["--nodes", nodes, "--seed", seed, "--games", "4", "--resume", "journal"];
        let words = Tournament::words(["self,Hash=1", "self,Hash=1"], &words);
        words.into_iter().map(str::to_owned).collect()
    };
    folder.succeed(&play("50", "1"));
    assert!(folder.refuse(&play("60", "1"), 1).contains("engines"));
    assert!(folder.refuse(&play("50", "2"), 1).contains("seed"));
    let mut elsewhere = play("50", "1");
    elsewhere.extend(["--pgn", "notes"].map(str::to_owned));
    folder.write("notes", "buy milk\n");
    assert!(folder.refuse(&elsewhere, 1).contains("pgn"));
    let words = Tournament::words(["self", "self"], &["--nodes", "50", "--resume", "notes"]);
    assert!(folder.refuse(&words, 1).contains("notes"));
    assert_eq!(folder.read("notes"), "buy milk\n");
}
