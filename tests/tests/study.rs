//! The study of the null move: its smallest table is made again, and the document is what its data say.

use std::fs;
use std::time::{Duration, Instant};

use nullarbor_tests::{Tournament, repository_root};
use serde_json::Value;

const DOCUMENT: &str = "# Study\n<!-- study zugzwang wrong -->\nold\n<!-- end -->\n<!-- study wcs nodes -->\n<!-- end -->\n";
/// Longest time in which a run begins.
const PATIENCE: Duration = Duration::from_secs(60);

fn run() -> Vec<&'static str> {
    let words = "study run --only zugzwang,wcs --results results --journals journals --document study.md --quiet";
    words.split(' ').collect()
}

/// The results of an experiment, whatever the revision.
fn results(text: &str) -> Value {
    let mut record: Value = serde_json::from_str(text).expect("JSON");
    record["revision"] = Value::Null;
    record
}

/// Returns the number of searches in the journal.
fn journaled(folder: &Tournament) -> usize {
    let Ok(files) = fs::read_dir(folder.path("journals")) else { return 0 };
    let lines = |path| fs::read_to_string(path).map_or(0, |text| text.lines().count());
    files.filter_map(|file| Some(lines(file.ok()?.path()))).sum()
}

#[test]
fn the_smallest_table_is_made_again_even_by_a_run_that_was_killed() {
    let folder = Tournament::new();
    folder.write("study.md", DOCUMENT);
    let process = folder.start(&run());
    let start = Instant::now();
    while journaled(&folder) < 100 {
        assert!(start.elapsed() < PATIENCE, "no searches after {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
    // Dropping kills at once, as `kill -9` does.
    drop(process);
    let known = journaled(&folder);
    let exit = folder.succeed(&run());
    assert!(exit.lines.iter().any(|line| line.contains("skipped") && line.contains("wcs")));
    // 49 positions, 8 schemes and the head: nothing was searched twice.
    assert!(known < 393 && journaled(&folder) == 393, "{known}, {}", journaled(&folder));
    let recorded = repository_root().join("tuner/study/zugzwang.json");
    let recorded = fs::read_to_string(recorded).expect("the results of the study");
    assert_eq!(
        results(&folder.read("results/zugzwang.json")),
        results(&recorded),
        "`make null-move` makes the study anew"
    );
    let document = folder.read("study.md");
    assert!(
        document.contains("| fixed-3+guard=piece |") && !document.contains("old"),
        "{document}"
    );
    assert!(document.contains("Not yet measured: `make null-move ONLY=wcs`"), "{document}");
    assert!(document.contains("make null-move ONLY=zugzwang"), "{document}");
}

#[test]
fn the_document_is_made_from_the_results() {
    let root = repository_root();
    let [results, document] = ["tuner/study", "tuner/NULL_MOVE.md"].map(|path| root.join(path));
    let [results, document] = [&results, &document].map(|path| path.to_str().expect("a path"));
    let folder = Tournament::new();
    let check = ["study", "document", "--check", "--results", results, "--document", document];
    folder.succeed(&check);
}

#[test]
fn suites_are_recognised_by_what_they_contain() {
    let folder = Tournament::new();
    fs::create_dir(folder.path("suites")).expect("room");
    folder.write("suites/zpts.epd", "8/8/8/8/8/5k2/6p1/6K1 w - - bm Kh2;\n");
    folder.write("suites/no-suite.epd", "rubbish");
    let exit = folder.succeed(&["study", "list", "--suites", "suites"]);
    assert!(exit.lines.iter().any(|line| line == "zpts: not found"), "{:?}", exit.lines);
}

#[test]
fn what_cannot_be_made_is_refused() {
    let folder = Tournament::new();
    folder.write("bad.md", "<!-- study nothing wrong -->\n<!-- end -->\n");
    folder.write("open.md", "<!-- study claims -->\n");
    folder.write("good.md", "<!-- study claims -->\n<!-- end -->\n");
    let check = |words: &str, part: &str| {
        let words: Vec<&str> = words.split(' ').collect();
        let error = folder.refuse(&words, 1);
        assert!(error.contains(part), "{error}");
    };
    check("study document --document none.md", "none.md");
    check("study document --document open.md", "end");
    check("study document --check --document good.md", "good.md");
    check("study document --document bad.md", "no such experiment");
    let words = ["study", "run", "--only", "nothing"];
    assert!(folder.refuse(&words, 2).contains("wcs-deep"));
}
