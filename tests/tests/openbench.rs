//! The file that tells a test framework about the engine.

use std::fs;

use nullarbor_tests::repository_root;
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
