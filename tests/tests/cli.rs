//! The command line.

use std::collections::HashSet;
use std::process::Command;
use std::time::Duration;

use nullarbor_tests::{Exit, KIWIPETE, Tournament, repository_root, run};

const LIMIT: Duration = Duration::from_secs(60);

/// Exit code of a command line that cannot be understood.
const USAGE: i32 = 2;

fn succeeds(arguments: &[&str]) -> Exit {
    let exit = run(arguments, LIMIT);
    exit.assert_clean();
    exit
}

/// Asserts a refusal that explains itself, and returns what it says.
fn fails(arguments: &[&str]) -> String {
    let exit = run(arguments, LIMIT);
    assert_eq!(exit.status.code(), Some(USAGE), "{arguments:?}: {}", exit.errors);
    exit.assert_no_panic();
    assert!(exit.lines.is_empty(), "{arguments:?} wrote on standard output: {:?}", exit.lines);
    assert!(!exit.errors.trim().is_empty(), "{arguments:?} is refused without a word");
    exit.errors
}

#[test]
fn help_teaches() {
    let help = succeeds(&["--help"]).lines.join("\n");
    for word in ["UCI", "bench", "perft", "eval", "speedtest", "params"] {
        assert!(help.contains(word), "no {word} in:\n{help}");
    }
    for (command, words) in [
        ("bench", &["--threads", "--hash", "DEPTH"][..]),
        ("perft", &["--fen", "--chess960", "--threads", "DEPTH"]),
        ("eval", &["--fen"]),
        ("params", &["--openbench"]),
        ("speedtest", &[]),
    ] {
        let help = succeeds(&[command, "--help"]).lines.join("\n");
        for word in words {
            assert!(help.contains(word), "no {word} in the help of {command}:\n{help}");
        }
    }
}

#[test]
fn version_is_that_of_the_workspace() {
    let exit = succeeds(&["--version"]);
    assert!(exit.lines[0].starts_with(concat!("nullarbor ", env!("CARGO_PKG_VERSION"))));
    // Between releases with the commit, which both programs have.
    let tuner = Tournament::new().succeed(&["--version"]).lines.remove(0);
    let version = tuner.strip_prefix("nullarbor-tuner ").unwrap_or_else(|| panic!("{tuner}"));
    assert!(exit.lines[0].starts_with(&format!("nullarbor {version} (")), "{tuner}");
}

#[test]
fn the_version_names_the_instruction_set() {
    let line = succeeds(&["--version"]).lines.remove(0);
    let set = line.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
    assert!(
        set.is_some_and(|set| ["SSE2", "SSE4.1", "AVX2", "AVX-512", "NEON"].contains(&set)),
        "{line}"
    );
}

/// The levels that the Makefile compiles are those from which the universal binary chooses.
#[test]
fn the_levels_of_the_makefile_are_those_of_the_binary() {
    let read = |path: &str| std::fs::read_to_string(repository_root().join(path)).expect(path);
    let (source, makefile) = (read("engine/src/levels.rs"), read("Makefile"));
    let named = source.split("name: \"x86-64-").skip(1);
    let named: HashSet<&str> = named.filter_map(|rest| rest.split('"').next()).collect();
    let built = makefile
        .lines()
        .find_map(|line| line.strip_prefix("LEVELS  := $(if $(filter x86_64-%,$(TARGET)),"));
    let built: HashSet<&str> =
        built.expect("the levels").trim_end_matches(')').split(' ').collect();
    assert_eq!(named, built);
    for level in built {
        assert!(source.contains(&format!("nullarbor_{level}::cli::main")), "{level}");
        assert!(makefile.contains(&format!("FLAGS_{level} = -C target-cpu=")), "{level}");
    }
}

#[path = "../../engine/build/version.rs"]
#[allow(dead_code)]
mod version;

#[test]
fn a_version_between_releases_names_its_commit() {
    let named = |commit| version::describe("1.2.0", commit);
    assert_eq!(named(Some("abc1234 HEAD -> main, origin/main\n")), "1.2.0-dev-abc1234");
    assert_eq!(named(Some("abc1234 \n")), "1.2.0-dev-abc1234");
    assert_eq!(named(Some("abc1234 tag: v1.1.0")), "1.2.0-dev-abc1234");
    assert_eq!(named(Some("abc1234 HEAD, tag: v1.2.0, tag: other")), "1.2.0");
    assert_eq!(named(None), "1.2.0-dev");
}

#[test]
fn an_archive_knows_its_commit() {
    let read = |path: &str| std::fs::read_to_string(repository_root().join(path)).expect(path);
    assert!(read(".gitattributes").contains("/engine/commit export-subst"));
    let commit = read("engine/commit");
    // Either this is an archive or it will be one.
    assert!(commit == "$Format:%h %D$\n" || commit.len() > 7, "{commit}");
}

#[test]
fn lines_of_the_protocol_can_be_arguments() {
    let exit = succeeds(&["position startpos moves e2e4", "go depth 5", "d", "quit"]);
    let text = exit.lines.join("\n");
    let best = text.find("bestmove").expect("an answer");
    assert!(text.find("Fen:").is_some_and(|board| board > best), "the search ends first:\n{text}");
    assert!(text.contains("4P3"), "{text}");
    // The end of the arguments is the end of the session.
    assert!(succeeds(&["go infinite"]).last_line().starts_with("bestmove"));
    assert!(succeeds(&["go nodes 100", "isready"]).last_line() == "readyok");
    let bench = succeeds(&["bench", "3", "quit"]);
    assert_eq!(nodes(&bench), nodes(&succeeds(&["bench 3", "quit"])));
    assert_eq!(nodes(&bench), nodes(&succeeds(&["bench", "3"])));
    // What is wrong is reported as in a session, and shown by the exit code.
    let exit = run(&["position nowhere", "go depth 1"], LIMIT);
    assert_eq!(exit.status.code(), Some(1));
    assert_eq!(exit.last_line(), "bestmove 0000");
}

#[test]
fn the_words_of_a_line_can_be_arguments() {
    let exit = succeeds(&["go", "depth", "5"]);
    let depths = exit.lines.iter().filter(|line| line.starts_with("info depth 5 ")).count();
    assert!(depths >= 1 && exit.last_line().starts_with("bestmove"), "{:#?}", exit.lines);
    let same = |words: &[&str], lines: &[&str]| {
        let without_times = |exit: Exit| -> Vec<String> {
            let cut = |line: &String| line.split(" nps ").next().unwrap_or_default().to_owned();
            exit.lines.iter().map(cut).collect()
        };
        assert_eq!(without_times(succeeds(words)), without_times(succeeds(lines)), "{words:?}");
    };
    same(&["go", "perft", "3"], &["go perft 3"]);
    same(&["go", "nodes", "500", "quit"], &["go nodes 500", "quit"]);
    same(
        &["position", "startpos", "moves", "e2e4", "d", "go", "depth", "4"],
        &["position startpos moves e2e4", "d", "go depth 4"],
    );
    same(&["position", "fen", KIWIPETE, "d"], &[&format!("position fen {KIWIPETE}"), "d"]);
    assert!(succeeds(&["go", "infinite"]).last_line().starts_with("bestmove"));
    for wrong in [&["go", "depth", "x"][..], &["go", "dept", "5"], &["position", "nowhere", "d"]] {
        assert_eq!(run(wrong, LIMIT).status.code(), Some(1), "{wrong:?}");
    }
}

/// The count in the last line of a bench.
fn nodes(exit: &Exit) -> String {
    let line = exit.last_line();
    assert!(line.ends_with(" nps"), "{line}");
    line.split(' ').next().expect("a number").to_owned()
}

#[cfg(unix)]
#[test]
fn make_install_installs_the_programs() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("root");
    let make = |target: &str| {
        let output = Command::new("make")
            .arg("--no-print-directory")
            .arg(target)
            .arg(format!("DESTDIR={}", root.display()))
            .arg("PREFIX=/usr")
            .arg(format!("EXE={}", nullarbor_tests::engine().display()))
            .arg(format!("TUNER={}", nullarbor_tests::tuner().display()))
            .current_dir(repository_root())
            .output()
            .expect("make");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    make("install");
    let engine = root.join("usr/bin/nullarbor");
    let version = Command::new(&engine).arg("--version").output().expect("it runs");
    assert!(version.stdout.starts_with(b"nullarbor "));
    assert!(root.join("usr/bin/nullarbor-tuner").is_file());
    assert!(root.join("usr/share/doc/nullarbor/LICENSE").is_file());
    make("uninstall");
    assert!(!engine.exists() && !root.join("usr/share/doc/nullarbor").exists());
}

#[test]
fn bad_arguments_are_refused() {
    for arguments in [
        &["nonsense"][..],
        &["--nonsense"],
        &["bench", "x"],
        &["bench", "0"],
        &["bench", "5", "--threads", "0"],
        &["bench", "5", "--threads", "1025"],
        &["bench", "5", "--hash", "0"],
        &["bench", "5", "6"],
        &["bench", "5", "6", "quit"],
        &["perft"],
        &["perft", "-1"],
        &["perft", "x"],
        &["perft", "3", "--threads", "0"],
        &["perft", "3", "--fen"],
        &["params", "--format"],
    ] {
        fails(arguments);
    }
}

#[test]
fn a_bad_fen_is_refused_with_the_reason() {
    for command in [&["perft", "3"][..], &["eval"]] {
        let arguments = [command, &["--fen", "4k3/8/8/8/8/8/8/8 w - - 0 1"]].concat();
        let reason = fails(&arguments);
        assert!(reason.to_lowercase().contains("king"), "{reason}");
    }
}

/// The evaluation: the last number of the last line, in pawns or in hundredths of them.
fn evaluation(arguments: &[&str]) -> f64 {
    let exit = succeeds(&[&["eval"], arguments].concat());
    let number = |word: &str| {
        word.trim_matches(|c: char| !c.is_ascii_digit() && c != '-' && c != '+').parse().ok()
    };
    let last = exit.last_line();
    last.split_whitespace().rev().find_map(number).unwrap_or_else(|| panic!("no number in {last}"))
}

#[test]
fn eval_weighs_the_position() {
    assert!(evaluation(&[]).is_finite());
    assert!(evaluation(&["--fen", KIWIPETE]).is_finite());
    let ahead = evaluation(&["--fen", "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"]);
    let behind = evaluation(&["--fen", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1"]);
    assert!(ahead > 4.0 && behind < -4.0, "a queen up {ahead}, a queen down {behind}");
}

/// One line of `params --openbench`.
struct Row {
    name: String,
    value: f64,
    range: [f64; 2],
    steps: [f64; 2],
}

fn rows() -> Vec<Row> {
    let row = |line: &String| {
        let fields: Vec<&str> = line.split(", ").collect();
        let [name, kind, value, minimum, maximum, step, rate] = fields[..] else {
            panic!("not seven fields: {line}");
        };
        assert!(["int", "float"].contains(&kind), "{line}");
        let number =
            |word: &str| word.parse::<f64>().unwrap_or_else(|_| panic!("{word} in {line}"));
        Row {
            name: name.to_owned(),
            value: number(value),
            range: [number(minimum), number(maximum)],
            steps: [number(step), number(rate)],
        }
    };
    succeeds(&["params", "--openbench"]).lines.iter().map(row).collect()
}

#[test]
fn parameters_are_listed_for_the_tuning_framework() {
    let rows = rows();
    assert!(rows.len() >= 30, "{} parameters", rows.len());
    let names: HashSet<&String> = rows.iter().map(|row| &row.name).collect();
    assert_eq!(names.len(), rows.len(), "a name stands twice");
    for Row { name, value, range, steps } in &rows {
        assert!(
            range[0] < range[1] && (range[0]..=range[1]).contains(value),
            "{name}: {value} of {range:?}"
        );
        // A step of no size, or of more than half the range, tunes nothing.
        assert!(
            steps[0] > 0.0 && steps[0] <= (range[1] - range[0]) / 2.0 && steps[1] > 0.0,
            "{name}: {steps:?}"
        );
        assert!(
            name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'),
            "{name} is no name of an option"
        );
    }
}

#[test]
fn the_table_of_parameters_explains_each() {
    let table = succeeds(&["params"]).lines;
    for Row { name, .. } in rows() {
        let line = table.iter().find(|line| line.split(['|', ' ', '\t']).any(|word| word == name));
        let line = line.unwrap_or_else(|| panic!("no {name} in the table"));
        assert!(line.split_whitespace().count() >= 8, "{name} is not explained: {line}");
    }
}

#[test]
#[ignore = "long"]
fn speedtest_measures_the_scaling() {
    let exit = succeeds(&["speedtest"]);
    let first = |line: &String| {
        line.split(['|', ' ']).find(|word| !word.is_empty()).and_then(|word| word.parse().ok())
    };
    let threads: Vec<usize> = exit.lines.iter().filter_map(first).collect();
    assert!(threads.first() == Some(&1) && threads.is_sorted(), "{:#?}", exit.lines);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    assert!(cores == 1 || threads.contains(&2), "{:#?}", exit.lines);
}

#[test]
fn the_tuner_writes_its_manual_and_completions() {
    let folder = Tournament::new();
    folder.succeed(&["man", "pages/man1"]);
    let page = folder.read("pages/man1/nullarbor-tuner-match.1");
    assert!(page.contains("SPRT") && page.contains("concurrency"), "{page}");
    let pages = std::fs::read_dir(folder.path("pages/man1")).expect("a folder").count();
    assert!(pages > 20, "{pages} pages");
    assert!(folder.read("pages/man1/nullarbor-bench.1").contains("plain"));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = |more: &[&str]| {
            folder.succeed(&[&["completions", shell], more].concat()).lines.join("\n")
        };
        let (tuner, engine) = (script(&[]), script(&["nullarbor"]));
        assert!(tuner.contains("nullarbor-tuner") && tuner.contains("sprt"), "{shell}");
        assert!(engine.contains("speedtest") && !engine.contains("nullarbor-tuner"), "{shell}");
    }
    folder.refuse(&["completions", "tcsh"], USAGE);
    folder.write("file", "");
    assert!(folder.refuse(&["man", "file"], 1).contains("file"));
}
