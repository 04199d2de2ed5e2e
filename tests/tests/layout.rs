//! The plan of the house: who may import whom, how long a file may be, where `unsafe` may stand, what lies at the top.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use nullarbor_tests::{
    Crate, Module, Source, before_tests, repository_root, sources, tracked_files,
};

/// Modules of the engine from the ground up. A module may import from the lines above its own, never from its own.
const LEVELS: &[&[&str]] = &[
    &["free_memory", "huge_pages", "regular_file", "types", "version"],
    &["params"],
    &["eval", "table", "tablebase", "clock"],
    &["strength"],
    &["search"],
    &["pool"],
    &["engine"],
    &["bench", "openings"],
    &["commands"],
    &["uci"],
    &["args"],
    &["cli"],
    &["levels"],
    &["main"],
];

/// Modules of the rules of chess, by the same rule. That nothing in them knows the engine is held by the compiler.
const CHESS: &[&[&str]] = &[&["types"], &["attacks"], &["board"]];

/// Parts of the search, by the same rule.
const SEARCH: &[&[&str]] = &[
    &["control", "report", "window"],
    // Pure: facts in, decision out.
    &["rules"],
    &["attempt_log", "memory", "root_move"],
    &["shared"],
    &["worker"],
    // One room whose parts know each other: a node calls its children.
    &["node"],
];

/// Parts of the memory of a thread, by the same rule.
const MEMORY: &[&[&str]] = &[&["frame", "pv"], &["history"], &["correction", "picker"]];

/// Rules of the search, by the same rule: none knows another.
const RULES: &[&[&str]] = &[&["node"], &["extend", "null_move", "prune", "reduce"]];

/// The modules whose parts have an order.
type Rooms = &'static [(&'static str, &'static [&'static [&'static str]])];

/// Those of each ordered crate, by its folder.
const ORDERED: &[(&str, Rooms)] = &[("engine/chess", &[("", CHESS)]), ("engine", ENGINE)];

const ENGINE: Rooms =
    &[("", LEVELS), ("search", SEARCH), ("search::memory", MEMORY), ("search::rules", RULES)];

/// The part of the search that takes facts and gives a decision: of the whole engine it may import these alone, and
/// nothing of the crate below it.
const PURE: &str = "search::rules";
const PURE_MAY_IMPORT: &[&str] = &["types", "params"];
const BELOW: &str = "nullarbor_chess";

/// Modules in which `unsafe` may stand.
const UNSAFE: &[&str] = &["huge_pages", "table", "tablebase"];

/// Lines of a file, its tests not counted.
const LONGEST_FILE: usize = 600;

/// Names at the top beside files whose name begins with a dot.
const TOP: &[&str] = &[
    "Cargo.lock",
    "Cargo.toml",
    "docs",
    "engine",
    "tuner",
    "openings",
    "tests",
    "Makefile",
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
];

fn module(path: &str) -> Module {
    path.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn level(levels: &[&[&str]], name: &str) -> Option<usize> {
    levels.iter().position(|level| level.contains(&name))
}

/// Why one module of a crate may not import the other, if so.
fn objection(rooms: Rooms, from: &Module, to: &Module) -> Option<String> {
    let (from_path, to_path) = (from.join("::"), to.join("::"));
    let edge = format!("{from_path} -> {to_path}");
    // The root of the library only declares and re-exports.
    let upper = from.first()?;
    let Some(lower) = to.first() else {
        return (upper != "main").then(|| format!("{edge}(crate root): name the module itself"));
    };
    if from_path.starts_with(PURE) && upper != lower && !PURE_MAY_IMPORT.contains(&lower.as_str()) {
        return Some(format!("{edge}: a pure part may import only {PURE_MAY_IMPORT:?}"));
    }
    let shared = from.iter().zip(to).take_while(|(a, b)| a == b).count();
    let (room, levels) = rooms.iter().find(|(room, _)| *room == from[..shared].join("::"))?;
    // The root of a room declares its parts.
    let part = from.get(shared)?;
    let above = level(levels, part);
    // What the root of a room re-exports is for those above the room.
    let below = to.get(shared).and_then(|other| level(levels, other));
    let permitted = above.is_some() && below.is_some() && below < above;
    (!permitted).then(|| format!("{edge}: not below it in the table of `{room}`"))
}

/// Every objection to the imports of these sources of a crate.
fn objections(folder: &str, rooms: Rooms, sources: &[Source]) -> Vec<String> {
    let name = name(folder);
    let ordered = Crate::new(&name, sources);
    let mut found = BTreeSet::new();
    for source in sources {
        for path in &source.paths {
            let target = ordered.resolve(&source.module, path);
            found.extend(target.and_then(|(target, _)| objection(rooms, &source.module, &target)));
            let from = source.module.join("::");
            if from.starts_with(PURE) && path[0] == BELOW {
                found.insert(format!("{from} -> {}: a pure part", path.join("::")));
            }
        }
    }
    found.into_iter().collect()
}

#[test]
fn imports_go_downwards() {
    let mut count = 0;
    for (folder, rooms) in ORDERED {
        let sources = sources(folder);
        count += sources.len();
        let found = objections(folder, rooms, &sources);
        assert!(found.is_empty(), "{folder}: {found:#?}");
    }
    assert!(count > 100, "too few files: {count}");
}

#[test]
fn every_module_has_its_place() {
    for (folder, rooms) in ORDERED {
        let sources = sources(folder);
        for (room, levels) in *rooms {
            let room = module(room);
            let inside = sources.iter().filter(|source| source.module.starts_with(&room));
            let parts: BTreeSet<&String> =
                inside.filter_map(|source| source.module.get(room.len())).collect();
            let listed: BTreeSet<String> =
                levels.iter().copied().flatten().map(|name| (*name).to_owned()).collect();
            assert_eq!(parts, listed.iter().collect(), "the table of {room:?} in {folder}");
        }
    }
}

#[test]
fn a_wrong_import_is_found() {
    let source = |path: &str, text: &str| Source::parse(module(path), text);
    let others = [
        "",
        "types",
        "types::score",
        "params",
        "table",
        "eval",
        "search",
        "search::node",
        "search::memory",
        "search::memory::frame",
        "search::memory::history",
        "search::worker",
        "uci",
    ];
    let count = |path: &str, text: &str| {
        let mut all: Vec<Source> =
            others.iter().filter(|other| **other != path).map(|other| source(other, "")).collect();
        all.push(source(path, text));
        objections("engine", ENGINE, &all).len()
    };
    assert_eq!(count("table", "use crate::types::{Square, score::Score};"), 0);
    assert_eq!(count("table", "use crate::{types::Square, search::{node, Sink}};"), 2);
    assert_eq!(count("table", "fn f() { crate::uci::run() } // crate::eval::evaluate"), 1);
    assert_eq!(
        count(
            "table",
            "const S: &str = \"crate::uci\"; /* crate::eval::x */ use super::types::Square;"
        ),
        0
    );
    assert_eq!(count("table", "use super::eval::evaluate;"), 1);
    assert_eq!(count("table", "use crate::Engine;"), 1);
    assert_eq!(count("table", "use crate::eval::{*};"), 1);
    assert_eq!(
        count(
            "table",
            "use crate::types::Square;\n#[cfg(test)]\nmod tests { use crate::uci::run; }"
        ),
        0
    );
    assert_eq!(
        count("search::rules::prune", "use crate::types::Depth; use crate::params::Params;"),
        0
    );
    assert_eq!(
        count(
            "search::rules::prune",
            "use crate::search::memory::frame::Frame; use nullarbor_chess::board::Position; use crate::search::Sink;"
        ),
        3
    );
    assert_eq!(count("search::node", "use super::{memory::frame::Frame, worker::Search};"), 0);
    assert_eq!(count("search::memory::history", "use super::frame::Frame;"), 0);
    assert_eq!(count("search::memory::frame", "use super::history::Histories;"), 1);
    assert_eq!(count("search::memory::frame", "use crate::search::node::search;"), 1);
    assert_eq!(count("search", "pub use node::search;"), 0);
    assert_eq!(count("elsewhere", "use crate::types::Square;"), 1);
    let chess =
        [source("types", "use crate::attacks::king;"), source("attacks", ""), source("", "")];
    assert_eq!(objections("engine/chess", &[("", CHESS)], &chess).len(), 1);
}

/// Parts of a room that know each other, by crate: a node of the search calls its children.
const RECURSIVE: &[(&str, &str)] = &[("engine", "search::node")];

/// The name of the library of a crate.
fn name(folder: &str) -> String {
    match folder {
        "engine" => "nullarbor".to_owned(),
        _ => format!("nullarbor_{}", short(folder)),
    }
}

/// The arrows of circles among the modules of a crate.
fn circles(folder: &str, sources: &[Source]) -> Vec<String> {
    let name = name(folder);
    let is_inside = |module: &Module| {
        RECURSIVE.iter().any(|(at, room)| *at == folder && module.join("::").starts_with(room))
    };
    let all = Crate::new(&name, sources).circles().into_iter();
    all.filter(|(from, to)| !(is_inside(from) && is_inside(to)))
        .map(|(from, to)| format!("{folder}: {} -> {}", from.join("::"), to.join("::")))
        .collect()
}

#[test]
fn no_modules_import_in_a_circle() {
    let found: Vec<String> =
        crates().iter().flat_map(|folder| circles(folder, &sources(folder))).collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_circle_is_found() {
    let found = |files: &[(&str, &str)]| {
        let parse = |(path, text): &(&str, &str)| Source::parse(module(path), text);
        circles("tuner/x", &files.iter().map(parse).collect::<Vec<_>>())
    };
    let root = ("", "mod a; mod b; pub use b::B;");
    let a = ("a", "use crate::b::B; pub struct A(B);");
    assert_eq!(found(&[root, a, ("b", "pub struct B;")]), [""; 0]);
    let both = ["tuner/x: a -> b", "tuner/x: b -> a"];
    assert_eq!(found(&[root, a, ("b", "use crate::a::A; pub struct B(A);")]), both);
    // By way of the root, which re-exports it.
    let a = ("a", "pub fn f(_: super::B) {}");
    assert_eq!(found(&[root, a, ("b", "pub fn g() { println!(\"{}\", crate::a::f()) }")]), both);
    // The root of a room and its parts may know each other, and tests everything.
    let root = ("", "mod a; pub struct R(a::A);");
    assert_eq!(found(&[root, ("a", "pub struct A(super::R);")]), [""; 0]);
    let test = "#[cfg(test)]\nmod tests { use crate::b::B; }";
    assert_eq!(found(&[("", ""), ("a", test), ("b", "use crate::a::A;")]), [""; 0]);
    // A name may be that of a macro, too.
    let error = (
        "error",
        "use thiserror::Error; use crate::a::A; #[derive(Error)] pub enum Error { A(A) }",
    );
    assert_eq!(found(&[("", ""), error, ("a", "pub struct A(crate::error::Error);")]).len(), 2);
    // A part stands for all that is within it.
    let parts =
        [("a", ""), ("a::c", "use crate::b::B;"), ("a::d", ""), ("b", "use crate::a::d::D;")];
    assert_eq!(found(&[[("", "")].as_slice(), &parts].concat()), both);
    let three = [("a", "use crate::b::B;"), ("b", "use super::c::C;"), ("c", "use crate::a::A;")];
    assert_eq!(found(&[[("", "")].as_slice(), &three].concat()).len(), 3);
}

/// The document that describes the architecture.
fn description() -> String {
    fs::read_to_string(repository_root().join("ARCHITECTURE.md")).expect("an ARCHITECTURE.md")
}

/// Names of the crates and the arrows between them in the diagram of ARCHITECTURE.md.
fn drawn() -> BTreeSet<(String, String)> {
    let description = description();
    let diagram =
        description.split("```").find(|part| part.starts_with("mermaid")).expect("a diagram");
    let name = |end: &str| end.split('[').next().unwrap_or(end).trim().to_owned();
    diagram
        .lines()
        .filter_map(|line| line.split_once("-->"))
        .map(|(from, to)| (name(from), name(to)))
        .collect()
}

/// The folders of the crates of the workspace, without the tests.
fn crates() -> Vec<String> {
    let manifest = fs::read_to_string(repository_root().join("Cargo.toml")).expect("a manifest");
    let members = manifest.split("members = [").nth(1).and_then(|rest| rest.split(']').next());
    let members = members.expect("members").split('"').skip(1).step_by(2);
    members.filter(|folder| !folder.starts_with("tests")).map(str::to_owned).collect()
}

/// The last part of a folder's path, by which the diagram names a crate.
fn short(folder: &str) -> String {
    folder.rsplit('/').next().unwrap_or(folder).to_owned()
}

/// A crate of the workspace by its folder, and the folders of those it depends on.
fn declared() -> BTreeSet<(String, String)> {
    let mut arrows = BTreeSet::new();
    for folder in crates() {
        let path = repository_root().join(&folder).join("Cargo.toml");
        let manifest = fs::read_to_string(path).expect("a manifest");
        let paths = manifest.lines().filter_map(|line| line.split_once("{ path = \""));
        let targets = paths.filter_map(|(_, rest)| rest.split('"').next());
        arrows.extend(targets.map(|target| (short(&folder), short(target))));
    }
    arrows
}

/// All pairs of crates with a way from the one to the other.
fn reachable(arrows: &BTreeSet<(String, String)>) -> BTreeSet<(String, String)> {
    let mut all = arrows.clone();
    loop {
        let longer: Vec<_> = all
            .iter()
            .flat_map(|(from, by)| {
                all.iter().filter(move |(next, _)| next == by).map(move |(_, to)| (from, to))
            })
            .map(|(from, to)| (from.clone(), to.clone()))
            .filter(|way| !all.contains(way))
            .collect();
        if longer.is_empty() {
            return all;
        }
        all.extend(longer);
    }
}

#[test]
fn the_diagram_shows_the_dependencies() {
    assert!(declared().len() > 10, "too few dependencies were read: {:?}", declared());
    assert_eq!(reachable(&drawn()), reachable(&declared()));
}

/// Folders of which the build script of the cluster takes the fingerprint.
fn fingerprinted() -> Vec<String> {
    let path = repository_root().join("tuner/cluster/build.rs");
    let script = fs::read_to_string(path).expect("a build script");
    let list = script.split("const SOURCES").nth(1).and_then(|rest| rest.split("];").next());
    list.expect("a list").split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Crates that show results and decide none.
const SHOWS: &[&str] = &["report"];

#[test]
fn the_fingerprint_of_a_build_covers_all_that_decides_results() {
    let root = repository_root();
    let listed = fingerprinted();
    let is_listed = |path: &str| listed.iter().any(|folder| path.starts_with(folder.as_str()));
    let mut deciding = BTreeSet::from(["cluster".to_owned()]);
    for file in tracked_files() {
        let path = file.to_string_lossy();
        let text = fs::read_to_string(root.join(&file)).unwrap_or_default();
        if path.contains("/src/") && path.ends_with(".rs") && text.contains("impl Portable for") {
            assert!(is_listed(&path), "{path} is missing in {listed:?}");
            let folder = path.split("/src/").next().unwrap_or_default();
            deciding.insert(short(folder));
        }
    }
    assert!(deciding.len() > 4, "too few crates: {deciding:?}");
    let below = reachable(&declared()).into_iter().filter(|(from, _)| deciding.contains(from));
    let below: BTreeSet<String> = below.map(|(_, to)| to).chain(deciding.iter().cloned()).collect();
    for folder in crates() {
        let name = short(&folder);
        let is_covered = is_listed(&format!("{folder}/src")) || deciding.contains(&name);
        let is_needed = below.contains(&name) && !SHOWS.contains(&name.as_str());
        assert!(is_covered || !is_needed, "{folder}/src is missing in {listed:?}");
    }
}

#[test]
fn the_description_lists_the_modules_of_the_engine() {
    let description = description();
    assert_eq!(levels_drawn(&description, 1), levels_written(LEVELS));
    assert_eq!(levels_drawn(&description, 2), levels_written(CHESS));
}

fn sorted(mut level: Vec<String>) -> Vec<String> {
    level.sort_unstable();
    level
}

fn levels_written(levels: &[&[&str]]) -> Vec<Vec<String>> {
    levels
        .iter()
        .map(|level| sorted(level.iter().map(|name| (*name).to_owned()).collect()))
        .collect()
}

/// The levels that a list of modules in the description shows, from the ground up.
fn levels_drawn(description: &str, number: usize) -> Vec<Vec<String>> {
    let list = description.split("```text").nth(number).expect("a list of modules");
    let list = list.split("```").next().expect("its end");
    let lines = list.lines().map(str::trim).filter(|line| !line.is_empty());
    // A remark stands three or more spaces behind the modules.
    let modules = lines.map(|line| line.split("   ").next().unwrap_or(line));
    modules.map(|line| sorted(line.split_whitespace().map(str::to_owned).collect())).rev().collect()
}

/// The code spans of a Markdown document outside its fenced blocks.
fn code_spans(document: &str) -> Vec<&str> {
    let prose = document.split("```").step_by(2);
    prose.flat_map(|part| part.split('`').skip(1).step_by(2)).collect()
}

/// The paths among the code spans of a document that lead nowhere.
fn dead_paths(document: &str) -> Vec<&str> {
    let root = repository_root();
    let paths = code_spans(document).into_iter().filter(|span| span.contains('/'));
    paths.filter(|path| !root.join(path).exists()).collect()
}

/// Returns whether a code span names a type, a constant or a function of a type.
fn is_item(span: &str) -> bool {
    let is_name = span.chars().all(|char| char.is_ascii_alphanumeric() || "_:".contains(char));
    is_name && span.starts_with(|first: char| first.is_ascii_uppercase())
}

/// The items among the code spans of a document that no source has.
fn dead_items(document: &str) -> Vec<&str> {
    let root = repository_root();
    let is_source = |file: &&PathBuf| {
        file.extension().is_some_and(|extension| extension == "rs") && !file.starts_with("tests")
    };
    let texts: Vec<String> = tracked_files()
        .iter()
        .filter(is_source)
        .map(|file| fs::read_to_string(root.join(file)).expect("a readable source"))
        .collect();
    let is_word = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let sources: Vec<BTreeSet<&str>> =
        texts.iter().map(|text| text.split(|char| !is_word(char)).collect()).collect();
    let is_dead = |item: &&str| {
        !sources.iter().any(|words| item.split("::").all(|name| words.contains(name)))
    };
    code_spans(document).into_iter().filter(|span| is_item(span)).filter(is_dead).collect()
}

#[test]
fn the_description_names_what_exists() {
    let description = description();
    let spans = code_spans(&description);
    assert!(
        spans.iter().filter(|span| span.contains('/')).count() > 40,
        "too few paths: {spans:?}"
    );
    assert!(spans.iter().filter(|span| is_item(span)).count() > 20, "too few items: {spans:?}");
    assert_eq!(dead_paths(&description), [""; 0]);
    assert_eq!(dead_items(&description), [""; 0]);
}

#[test]
fn a_dead_name_is_found() {
    let document = "`engine/src` and `engine/none.rs`, `Engine::go`, `Engine::fly`, `Xyz`, `x`
```text
`a/b` `Xy`
```
`openings/none`";
    assert_eq!(dead_paths(document), ["engine/none.rs", "openings/none"]);
    assert_eq!(dead_items(document), ["Engine::fly", "Xyz"]);
}

#[test]
fn no_file_is_too_long() {
    let root = repository_root();
    let files = tracked_files()
        .into_iter()
        .filter(|file| file.extension().is_some_and(|extension| extension == "rs"));
    let mut count = 0;
    for file in files {
        let text = fs::read_to_string(root.join(&file)).expect("a readable source");
        let lines = before_tests(&text).lines().count();
        assert!(
            lines <= LONGEST_FILE,
            "{} has {lines} lines, more than {LONGEST_FILE}",
            file.display()
        );
        count += 1;
    }
    assert!(count > 20, "so few sources: {count}");
}

#[test]
fn unsafe_stands_in_small_rooms() {
    for Source { module, is_unsafe, .. } in sources("engine") {
        let home = module.first().is_some_and(|name| UNSAFE.contains(&name.as_str()));
        assert!(home || !is_unsafe, "unsafe in {}", module.join("::"));
    }
}

/// A file that `main.rs` forgets would never be compiled.
#[test]
fn every_file_of_tests_is_run() {
    let main = fs::read_to_string(repository_root().join("tests/tests/main.rs")).expect("main.rs");
    let modules = main.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    let files = tracked_files();
    let files = files
        .iter()
        .filter_map(|path| path.to_str()?.strip_prefix("tests/tests/")?.strip_suffix(".rs"));
    let files: BTreeSet<&str> = files.filter(|&file| file != "main").collect();
    assert!(files.contains("layout"), "{files:?}");
    assert_eq!(modules.collect::<BTreeSet<_>>(), files);
}

#[test]
fn the_top_is_tidy() {
    let tops: BTreeSet<String> = tracked_files()
        .iter()
        .filter_map(|file| file.iter().next().map(|top| top.to_string_lossy().into_owned()))
        .collect();
    let strangers: Vec<&String> =
        tops.iter().filter(|top| !top.starts_with('.') && !TOP.contains(&top.as_str())).collect();
    assert!(strangers.is_empty(), "at the top: {strangers:?}");
    assert!(tops.contains("Cargo.toml") && tops.contains("engine"), "{tops:?}");
}

#[test]
fn nothing_points_at_one_machine() {
    // Put together here, or this file would be the first to be found.
    let words: Vec<String> =
        [["/wo", "rk/"], ["/ro", "ot/"], ["/ho", "me/"], ["../sha", "red"], ["/Us", "ers/"]]
            .map(|parts| parts.concat())
            .into();
    let root = repository_root();
    for file in tracked_files() {
        let bytes = fs::read(root.join(&file)).expect("a readable file");
        let text = String::from_utf8_lossy(&bytes);
        for word in &words {
            assert!(!text.contains(word.as_str()), "{} contains {word}", file.display());
        }
    }
}
