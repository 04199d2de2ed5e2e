//! The documents: links that lead somewhere, and a README that is read.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use nullarbor_tests::{repository_root, tracked_files};
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use serde_json::Value;

/// Words of README.md, at most.
const README_WORDS: usize = 1_200;

/// Links and headings of a document; a heading by the name that hosts of repositories give it.
#[derive(Default)]
struct Document {
    links: Vec<String>,
    anchors: Vec<String>,
}

impl Document {
    fn parse(text: &str) -> Self {
        let mut document = Self::default();
        let mut heading: Option<String> = None;
        for event in Parser::new(text) {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    document.links.push(dest_url.into_string());
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    let heading = heading.take().unwrap_or_default();
                    let same =
                        document.anchors.iter().filter(|it| **it == anchor(&heading)).count();
                    assert_eq!(same, 0, "two headings are called {heading:?}");
                    document.anchors.push(anchor(&heading));
                }
                Event::Text(text) | Event::Code(text) => {
                    heading.iter_mut().for_each(|heading| heading.push_str(&text));
                }
                _ => {}
            }
        }
        document
    }
}

fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|it| it.is_alphanumeric() || " -_".contains(*it));
    kept.flat_map(char::to_lowercase).map(|it| if it == ' ' { '-' } else { it }).collect()
}

/// Path of a link of a document, relative to the root; `None` if it leads out of the repository.
fn target(document: &Path, link: &str) -> Option<PathBuf> {
    let mut path = document.parent()?.to_owned();
    for part in Path::new(link).components() {
        match part {
            Component::ParentDir if !path.pop() => return None,
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    Some(if link.is_empty() { document.to_owned() } else { path })
}

/// Links of documents that lead nowhere.
fn dead_links(documents: &BTreeMap<PathBuf, Document>) -> Vec<String> {
    let mut dead = Vec::new();
    for (path, document) in documents {
        for link in document.links.iter().filter(|link| !link.contains("://")) {
            let (file, fragment) =
                link.split_once('#').map_or((&**link, None), |(a, b)| (a, Some(b)));
            let Some(target) = target(path, file) else { continue };
            let is_there =
                documents.contains_key(&target) || repository_root().join(&target).exists();
            let anchors = documents.get(&target).map(|it| &it.anchors);
            let has_anchor = fragment.is_none_or(|fragment| {
                anchors.is_none_or(|anchors| anchors.iter().any(|it| it == fragment))
            });
            if !is_there || !has_anchor {
                dead.push(format!("{}: {link}", path.display()));
            }
        }
    }
    dead
}

#[test]
fn no_link_is_dead() {
    let is_document = |file: &PathBuf| file.extension().is_some_and(|it| it == "md");
    let read = |file: PathBuf| {
        let text = fs::read_to_string(repository_root().join(&file)).expect("a text");
        (file, Document::parse(&text))
    };
    let documents = tracked_files().into_iter().filter(is_document).map(read).collect();
    assert_eq!(dead_links(&documents), [""; 0]);
}

#[test]
fn a_dead_link_is_found() {
    let text = "# One, `two`\n[a](#one-two) [b](#three) ![c](no.svg) [d](engine/README.md) [e](../../releases) [f](https://x.y)";
    let documents = BTreeMap::from([(PathBuf::from("X.md"), Document::parse(text))]);
    assert_eq!(dead_links(&documents), ["X.md: #three", "X.md: no.svg"]);
}

/// Rows of a generation in the two tables of NETWORK.md.
fn rows(generation: &Value) -> [String; 2] {
    let row = |keys: &[&str]| {
        let cells = keys.iter().map(|key| match generation[*key].as_str().expect("a text") {
            "" => " |".to_owned(),
            text => format!(" {text} |"),
        });
        [format!("| {} |", generation["generation"])].into_iter().chain(cells).collect::<String>()
    };
    let training =
        ["played_by", "positions", "hours", "trained_on", "neurons", "lambda", "validation_loss"];
    [row(&training), row(&["elo_at_nodes", "elo_at_bullet", "elo_at_blitz"])]
}

#[test]
fn the_tables_of_generations_are_those_that_are_recorded() {
    let read = |file: &str| fs::read_to_string(repository_root().join(file)).expect(file);
    let (notes, recorded) = (read("engine/NETWORK.md"), read("engine/generations.jsonl"));
    let mut expected = Vec::new();
    for (number, line) in recorded.lines().enumerate() {
        let generation: Value = serde_json::from_str(line).expect("a line of JSON");
        assert_eq!(generation["generation"], number);
        expected.push(rows(&generation));
    }
    for (table, head) in ["| Generation | Games", "| Generation | 5,000"].into_iter().enumerate() {
        let lines = notes.lines().skip_while(|line| !line.starts_with(head)).skip(2);
        let found: Vec<&str> = lines.take_while(|line| line.starts_with('|')).collect();
        let expected: Vec<&str> = expected.iter().map(|rows| &*rows[table]).collect();
        assert_eq!(found, expected, "{head}");
    }
}

/// `make screenshots` writes the version of the tuner that made the pictures.
#[test]
fn the_pictures_are_of_this_version() {
    let version = fs::read_to_string(repository_root().join("tuner/plots/version"));
    assert_eq!(version.expect("a version").trim(), env!("CARGO_PKG_VERSION"), "make screenshots");
}

#[test]
fn the_readme_is_short() {
    let text = fs::read_to_string(repository_root().join("README.md")).expect("a README");
    let words = text.split_whitespace().count();
    assert!(words <= README_WORDS, "{words} words");
}
