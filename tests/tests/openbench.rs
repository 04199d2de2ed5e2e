//! The file that tells a test framework about the engine.

use std::collections::HashSet;
use std::fs;
use std::time::Duration;

use nullarbor_tests::{repository_root, run};
use serde_json::Value;

const TEST_KEYS: &[&str] = &[
    "base_branch",
    "book_name",
    "both_options",
    "both_time_control",
    "draw_adj",
    "test_bounds",
    "test_confidence",
    "win_adj",
    "workload_size",
];

const TUNE_KEYS: &[&str] = &[
    "book_name",
    "dev_options",
    "dev_time_control",
    "draw_adj",
    "spsa_A_ratio",
    "spsa_alpha",
    "spsa_distribution_type",
    "spsa_gamma",
    "spsa_iterations",
    "spsa_pairs_per",
    "spsa_reporting_type",
    "win_adj",
];

fn presets<'a>(file: &'a Value, kind: &str) -> Vec<&'a serde_json::Map<String, Value>> {
    let presets = file[kind].as_object().unwrap_or_else(|| panic!("no {kind}"));
    assert!(presets.contains_key("default"), "{kind} has no default");
    presets.values().map(|preset| preset.as_object().expect("a preset is a map")).collect()
}

/// OpenBench refuses a file with a key that it does not know, and a test without threads and hash.
#[test]
fn openbench_can_read_the_file_of_the_engine() {
    let path = repository_root().join("tuner/openbench/Nullarbor.json");
    let text = fs::read_to_string(path).expect("it is there");
    let file: Value = serde_json::from_str(&text).expect("JSON");
    assert!(file["private"].is_boolean() && file["nps"].as_u64().is_some_and(|nps| nps > 0));
    assert!(
        file["source"].as_str().is_some_and(|source| source.starts_with("https://github.com/"))
    );
    for (kind, known) in [("test_presets", TEST_KEYS), ("tune_presets", TUNE_KEYS)] {
        for preset in presets(&file, kind) {
            preset.keys().for_each(|key| assert!(known.contains(&key.as_str()), "{key} in {kind}"));
            for options in ["both_options", "dev_options"] {
                let Some(options) = preset.get(options).and_then(Value::as_str) else { continue };
                assert!(options.contains("Threads=") && options.contains("Hash="), "{options}");
            }
        }
    }
    presets(&file, "datagen_presets");
}

#[test]
fn it_asks_for_the_compiler_that_the_workspace_needs() {
    let read = |path: &str| fs::read_to_string(repository_root().join(path)).expect(path);
    let manifest = read("Cargo.toml");
    let version = manifest.lines().find_map(|line| line.strip_prefix("rust-version = "));
    let version = version.expect("the manifest names a version").trim_matches('"');
    let wanted = format!("\"compilers\": [\"cargo>={version}.0\"]");
    assert!(read("tuner/openbench/Nullarbor.json").contains(&wanted), "not {wanted}");
}

/// The openings that a client would read from the output of a command.
fn generated(command: &str) -> Vec<String> {
    let exit = run(&[command, "quit"], Duration::from_secs(120));
    exit.assert_clean();
    let fen = |line: &String| line.strip_prefix("info string genfens ").map(str::to_owned);
    exit.lines.iter().filter_map(fen).collect()
}

/// The client takes the FEN apart at its spaces, and wants both counters.
fn assert_is_fen(fen: &str) {
    assert_eq!(fen.split(' ').count(), 6, "{fen}");
    let exit =
        run(&[format!("position fen {fen}"), "d".into(), "quit".into()], Duration::from_secs(60));
    exit.assert_clean();
}

#[test]
fn genfens_gives_openings_by_seed() {
    let openings = generated("genfens 12 seed 5 book None ");
    assert_eq!(openings.len(), 12);
    assert_eq!(openings.iter().collect::<HashSet<_>>().len(), 12);
    openings.iter().take(3).for_each(|fen| assert_is_fen(fen));
    assert_eq!(generated("genfens 12 seed 5 book None"), openings);
    let others = generated("genfens 12 seed 6 book None");
    assert!(others.iter().all(|fen| !openings.contains(fen)));
    let double = generated("genfens 3 seed 5 book None dfrc");
    assert!(double.iter().all(|fen| !fen.contains("KQkq")) && double.len() == 3, "{double:?}");
}

#[test]
fn genfens_starts_from_a_book() {
    let folder = tempfile::tempdir().expect("a folder");
    let book = folder.path().join("book.epd");
    let lines = "\u{feff}# a comment\n4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - hmvc 0; fmvn 1;\r\n\n\
                 4k3/4pppp/8/8/8/8/4PPPP/4K3 b - - 3 9\n";
    fs::write(&book, lines).expect("a book");
    let openings = generated(&format!("genfens 6 seed 1 book {}", book.display()));
    assert_eq!(openings.len(), 6);
    let pieces =
        |fen: &str| fen.chars().take_while(|it| *it != ' ').filter(|it| it.is_alphabetic()).count();
    assert!(openings.iter().all(|fen| pieces(fen) <= 10), "{openings:?}");
    openings.iter().take(2).for_each(|fen| assert_is_fen(fen));
    for (name, text, word) in
        [("bad.epd", "nonsense\n", "line 1"), ("none.epd", "# nothing\n", "no position")]
    {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("a book");
        let exit =
            run(&[format!("genfens 3 seed 1 book {}", path.display())], Duration::from_secs(60));
        assert_eq!(exit.status.code(), Some(1));
        assert!(exit.last_line().contains(word), "{exit:?}");
    }
}
