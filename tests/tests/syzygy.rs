//! Tablebases: what the engine says about positions, what it plays, and tables that are missing or damaged.
//!
//! The tables lie in the folder that `NULLARBOR_SYZYGY` names, together with `probe_reference.txt`: lines
//! `FEN | WDL | DTZ`. Without the variable the tests that need them say so and pass.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use nullarbor_tests::{Dialogue, Score, Search, Tournament, is_error};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// The folder of the tables.
fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("NULLARBOR_SYZYGY").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: NULLARBOR_SYZYGY names no folder with Syzygy tablebases");
    }
    folder
}

/// A position whose outcome is known.
struct Reference {
    fen: String,
    wdl: i32,
    dtz: i32,
}

fn references(folder: &Path) -> Vec<Reference> {
    let text = fs::read_to_string(folder.join("probe_reference.txt")).expect("a reference");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let read = |line: &str| {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let [fen, wdl, dtz] = fields[..] else { panic!("not three fields: {line}") };
        let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("{text} in {line}"));
        Reference { fen: fen.to_owned(), wdl: number(wdl), dtz: number(dtz) }
    };
    lines.map(read).collect()
}

fn start(path: &Path) -> Dialogue {
    let mut dialogue = Dialogue::start();
    dialogue.set("SyzygyPath", &path.display().to_string());
    dialogue
}

/// Returns the outcome of the tables as `d` shows it: WDL and DTZ.
fn probe(dialogue: &mut Dialogue) -> (Option<i32>, Option<i32>) {
    let lines = dialogue.command("d");
    let after = |name: &str| lines.iter().find_map(|line| line.strip_prefix(name));
    let wdl = after("Tablebase WDL: ")
        .and_then(|text| text.split(['(', ')']).nth(1).and_then(|number| number.parse().ok()));
    (wdl, after("Tablebase DTZ: ").and_then(|text| text.trim().parse().ok()))
}

fn tb_hits(search: &Search) -> u64 {
    let last = search.lines.iter().rev().find(|line| line.contains(" tbhits "));
    let words: Vec<&str> = last.expect("a line with tbhits").split(' ').collect();
    let at = words.iter().position(|word| *word == "tbhits").expect("tbhits");
    words[at + 1].parse().expect("a number")
}

fn centipawns(search: &Search) -> i32 {
    match search.last().score {
        Score::Centipawns(score) => score,
        Score::Mate(moves) => 30_000 * moves.signum(),
    }
}

fn has_moves(dialogue: &mut Dialogue) -> bool {
    !dialogue.legal_moves().is_empty()
}

/// Copies tables whose name is accepted.
fn copy(from: &Path, to: &Path, accept: impl Fn(&str) -> bool) {
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = name.expect("a name");
        if name.contains(".rtb") && accept(&name) {
            fs::write(to.join(&name), fs::read(&path).expect("a table")).expect("a copy");
        }
    }
}

#[test]
fn every_position_of_the_reference_is_right() {
    let Some(folder) = folder() else { return };
    let references = references(&folder);
    assert!(references.len() > 700);
    let mut dialogue = start(&folder);
    for Reference { fen, wdl, dtz } in &references {
        dialogue.fen(fen);
        assert_eq!(probe(&mut dialogue), (Some(*wdl), Some(*dtz)), "{fen}");
    }
    dialogue.quit();
}

#[test]
fn the_move_that_is_played_keeps_the_outcome() {
    let Some(folder) = folder() else { return };
    let mut dialogue = start(&folder);
    for Reference { fen, wdl, .. } in references(&folder) {
        dialogue.fen(&fen);
        if !has_moves(&mut dialogue) {
            continue;
        }
        let search = dialogue.go("nodes 300");
        assert!(tb_hits(&search) > 0, "{fen}: {:#?}", search.lines);
        let score = centipawns(&search);
        match wdl {
            2 => assert!(score > 19_000, "{fen}: {score}"),
            -2 => assert!(score < -19_000, "{fen}: {score}"),
            _ => assert!(score.abs() <= 100, "{fen}: {score}"),
        }
        dialogue.position(&format!("fen {fen} moves {}", search.best_move));
        let (after, _) = probe(&mut dialogue);
        // A capture may leave what no table has: bare kings and the like are known to the rules.
        if let Some(after) = after {
            assert_eq!(after.signum(), -wdl.signum(), "{fen}: {}", search.best_move);
            assert!(wdl.abs() < 2 || after == -wdl, "{fen}: {}", search.best_move);
        }
    }
    dialogue.quit();
}

/// Bishop and knight against the bare king: a win that takes up to 33 moves.
const LONG_WIN: &str = "8/8/8/8/3k4/8/8/KBN5 w - - ";

#[test]
fn a_win_that_comes_too_late_is_none() {
    let Some(folder) = folder() else { return };
    let mut dialogue = start(&folder);
    dialogue.fen(&format!("{LONG_WIN}0 1"));
    let (wdl, dtz) = probe(&mut dialogue);
    assert!(wdl == Some(2) && dtz.is_some_and(|dtz| dtz > 20), "{wdl:?} {dtz:?}");
    assert!(centipawns(&dialogue.go("nodes 500")) > 19_000);
    dialogue.fen(&format!("{LONG_WIN}90 60"));
    let late = centipawns(&dialogue.go("nodes 500"));
    assert!((1..=100).contains(&late), "{late}");
    // Without the rule it is a win like any other.
    dialogue.set("Syzygy50MoveRule", "false");
    assert!(centipawns(&dialogue.go("nodes 500")) > 19_000);
    dialogue.quit();
}

/// At the edge of the rule a win is announced if it comes in time however the table is rounded, and whether
/// distances are known or not.
#[test]
fn a_win_at_the_edge_is_announced_only_if_it_is_sure() {
    let Some(folder) = folder() else { return };
    let part = tempfile::tempdir().expect("a folder");
    copy(&folder, part.path(), |name| name.ends_with("rtbw"));
    let mut dialogue = start(&folder);
    dialogue.fen(&format!("{LONG_WIN}0 1"));
    let dtz = probe(&mut dialogue).1.expect("a distance");
    let score = |dialogue: &mut Dialogue, clock: i32| {
        dialogue.fen(&format!("{LONG_WIN}{clock} 60"));
        centipawns(&dialogue.go("depth 4"))
    };
    assert!(score(&mut dialogue, 99 - dtz) > 19_000);
    for clock in [100 - dtz, 101 - dtz] {
        let late = score(&mut dialogue, clock);
        assert!((2..=100).contains(&late), "{clock}: {late}");
    }
    // Bishop and knight, 46 plies from mate by the table, 47 in truth.
    dialogue.fen("8/8/6k1/3B4/3K4/4N3/8/8 w - - 54 106");
    assert!(centipawns(&dialogue.go("depth 6")) < 1000);
    // A capture resets the clock on the last ply; a mate ends the game.
    dialogue.fen("8/8/8/3k4/8/8/1r6/KQ6 w - - 99 90");
    assert!(centipawns(&dialogue.go("depth 4")) > 19_000);
    dialogue.quit();
    let mut dialogue = start(part.path());
    assert!(score(&mut dialogue, 0) > 19_000);
    for clock in [100 - dtz, 90] {
        assert!(score(&mut dialogue, clock) < 19_000, "{clock}");
    }
    dialogue.quit();
}

/// Five pieces: what remains after the capture is in the tables.
const FIVE_PIECES: &str = "8/8/8/3k4/3p4/8/2NK4/R7 w - - 0 1";

#[test]
fn the_tree_probes_what_its_captures_leave() {
    let Some(folder) = folder() else { return };
    let mut dialogue = start(&folder);
    dialogue.fen(FIVE_PIECES);
    let search = dialogue.go("depth 12");
    assert!(tb_hits(&search) > 10, "{:#?}", search.lines);
    assert!(centipawns(&search) > 19_000, "{:#?}", search.lines);
    dialogue.set("SyzygyProbeLimit", "0");
    dialogue.new_game();
    assert_eq!(tb_hits(&dialogue.go("depth 8")), 0);
    dialogue.set("SyzygyProbeLimit", "7");
    dialogue.set("SyzygyProbeDepth", "6");
    dialogue.new_game();
    let deep = tb_hits(&dialogue.go("depth 12"));
    assert!(deep < tb_hits(&search), "{deep}");
    // Hits are those of all threads.
    dialogue.set("Threads", "2");
    dialogue.set("SyzygyProbeDepth", "1");
    dialogue.new_game();
    assert!(tb_hits(&dialogue.go("depth 10")) > 0);
    dialogue.quit();
}

#[test]
fn several_lines_are_ranked_by_the_tables() {
    let Some(folder) = folder() else { return };
    let mut dialogue = start(&folder);
    dialogue.set("MultiPV", "50");
    // The queen wins, unless she is lost or stalemates.
    dialogue.fen("8/8/8/8/8/2k5/7Q/K7 w - - 0 1");
    let search = dialogue.go("depth 4");
    let count = dialogue.legal_moves().len();
    let last = &search.infos[search.infos.len() - count..];
    assert_eq!(
        last.iter().map(|info| info.rank as usize).collect::<Vec<_>>(),
        (1..=count).collect::<Vec<_>>()
    );
    let scores: Vec<i32> = last
        .iter()
        .map(|info| match info.score {
            Score::Centipawns(score) => score,
            Score::Mate(moves) => 30_000 * moves.signum(),
        })
        .collect();
    assert!(scores[0] > 19_000 && scores[count - 1].abs() < 100, "{scores:?}");
    dialogue.quit();
}

#[test]
fn without_distances_the_outcome_is_kept() {
    let Some(folder) = folder() else { return };
    let part = tempfile::tempdir().expect("a folder");
    copy(&folder, part.path(), |name| name.ends_with("rtbw"));
    let mut dialogue = start(part.path());
    let mut errors = Vec::new();
    for Reference { fen, wdl, .. } in references(&folder).into_iter().step_by(7) {
        dialogue.fen(&fen);
        if wdl.abs() != 2 || !has_moves(&mut dialogue) {
            continue;
        }
        let search = dialogue.go("nodes 300");
        errors.extend(search.lines.iter().filter(|line| is_error(line)).cloned());
        assert!(tb_hits(&search) > 0, "{fen}: {:#?}", search.lines);
        assert!(centipawns(&search) * wdl.signum() > 19_000, "{fen}: {:#?}", search.lines);
        dialogue.position(&format!("fen {fen} moves {}", search.best_move));
        let (after, dtz) = probe(&mut dialogue);
        assert!(after.is_none_or(|after| after == -wdl), "{fen}: {}", search.best_move);
        assert!(dtz.is_none_or(|dtz| dtz.abs() <= 1), "there are no such tables: {dtz:?}");
    }
    assert_eq!(errors.len(), 1, "missing tables are one error: {errors:#?}");
    dialogue.quit();
}

#[test]
fn damaged_tables_are_reported_once_and_survived() {
    let Some(folder) = folder() else { return };
    let references = references(&folder);
    for seed in 0..12 {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let part = tempfile::tempdir().expect("a folder");
        copy(&folder, part.path(), |_| true);
        let entries = fs::read_dir(part.path()).expect("a folder");
        let mut paths: Vec<PathBuf> = entries.map(|it| it.expect("an entry").path()).collect();
        // The damage follows from the seed alone, not from the order in which a file system lists them.
        paths.sort();
        for path in paths {
            let mut bytes = fs::read(&path).expect("a table");
            for _ in 0..random.random_range(1..5) {
                let most = if random.random_bool(0.5) { bytes.len().min(200) } else { bytes.len() };
                bytes[random.random_range(0..most)] = random.random();
            }
            if random.random_range(0..8) == 0 {
                // Blocks and a checksum, as in a whole table.
                bytes.truncate(random.random_range(0..bytes.len() / 64 + 1) * 64 + 16);
            }
            fs::write(&path, bytes).expect("a damaged table");
        }
        let mut dialogue = start(part.path());
        let mut errors = Vec::new();
        for Reference { fen, .. } in references.iter().skip(seed as usize).step_by(9) {
            dialogue.fen(fen);
            let legal = dialogue.legal_moves();
            let search = dialogue.go("nodes 200");
            assert!(legal.contains(&search.best_move) || legal.is_empty(), "{fen}");
            let reported = search.lines.into_iter().filter(|line| line.contains("table"));
            errors.extend(reported.filter(|line| is_error(line)));
        }
        let different: HashSet<&String> = errors.iter().collect();
        assert_eq!(different.len(), errors.len(), "{errors:#?}");
        dialogue.quit();
    }
}

#[test]
fn a_path_that_is_wrong_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("KQvK.rtbw"), b"no table").expect("a file");
    fs::write(folder.path().join("notes.txt"), b"no table").expect("a file");
    let missing = folder.path().join("missing");
    let path = std::env::join_paths([folder.path(), &missing]).expect("a path");
    let mut dialogue = Dialogue::start();
    let answer = dialogue.command(&format!("setoption name SyzygyPath value {}", path.display()));
    let errors: Vec<&String> = answer.iter().filter(|line| is_error(line)).collect();
    assert_eq!(errors.len(), 2, "{answer:#?}");
    assert!(errors.iter().any(|line| line.contains("KQvK.rtbw")), "{errors:#?}");
    assert!(errors.iter().any(|line| line.contains("missing")), "{errors:#?}");
    dialogue.fen("8/8/8/8/8/2k5/7Q/K7 w - - 0 1");
    assert_eq!(tb_hits(&dialogue.go("depth 3")), 0);
    dialogue.accept("setoption name SyzygyPath value <empty>");
    dialogue.quit();
}

/// A pawn move, or a capture that is forced, leads from what is played to what the tables know.
#[test]
fn a_match_is_adjudicated_by_the_tables() {
    let Some(folder) = folder() else { return };
    let tournament = Tournament::new();
    tournament.write("book.epd", "4k3/8/8/8/8/8/4P3/4KQ2 w - -\n1k6/8/8/P7/8/8/1q6/K7 w - -\n");
    let tables = folder.display().to_string();
    let play = |pieces: &str, pgn: &str| {
        let words = ["--nodes", "300", "--games", "4", "--book", "book.epd", "--pgn", pgn];
        let more = ["--order", "sequential", "--tb", &tables, "--tbpieces", pieces];
        let words = [&words[..], &more].concat();
        tournament.succeed(&Tournament::words(["self,Hash=1", "self,Hash=1"], &words));
        // Without the line breaks of the movetext.
        tournament.read(pgn).replace('\n', " ")
    };
    let ended = |games: &str, how: &str| games.matches(how).count();
    let games = play("4", "four.pgn");
    assert_eq!(ended(&games, "{White wins by adjudication: tablebases} 1-0"), 2, "{games}");
    assert_eq!(ended(&games, "by adjudication: tablebases} 1/2-1/2"), 2, "{games}");
    // The queen mates before the tables of three pieces apply.
    let games = play("3", "three.pgn");
    assert!(ended(&games, "tablebases") < 4, "{games}");
}

#[test]
fn a_folder_without_tables_adjudicates_nothing() {
    let tournament = Tournament::new();
    fs::create_dir(tournament.path("empty")).expect("a folder");
    for (folder, fault) in [("empty", "there are no Syzygy tablebases"), ("nowhere", "nowhere")] {
        let words = ["--nodes", "100", "--games", "2", "--tb", folder];
        let words = Tournament::words(["self,Hash=1", "self,Hash=1"], &words);
        assert!(tournament.refuse(&words, 1).contains(fault));
    }
}
