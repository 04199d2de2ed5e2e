//! Limited strength: `UCI_LimitStrength` and `UCI_Elo`.

use std::time::Duration;

use nullarbor_tests::{Dialogue, KIWIPETE};

const LOWEST: &str = "1000";
const LEVELS: [&str; 4] = [LOWEST, "1500", "2100", "2600"];

/// Quiet, with many moves of about the same worth.
const OPENING: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";

fn limited(elo: &str) -> Dialogue {
    let mut dialogue = Dialogue::start();
    dialogue.set("UCI_LimitStrength", "true");
    dialogue.set("UCI_Elo", elo);
    dialogue
}

/// The moves of a game of the level against itself.
fn game(dialogue: &mut Dialogue, plies: usize) -> Vec<String> {
    let mut moves: Vec<String> = Vec::new();
    while moves.len() < plies {
        let played = moves.join(" ");
        dialogue.position(&format!("startpos moves {played}"));
        let legal = dialogue.legal_moves();
        if legal.is_empty() {
            break;
        }
        let search = dialogue.go("wtime 10000 btime 10000");
        assert!(legal.contains(&search.best_move), "{} after {played}", search.best_move);
        assert_eq!(search.last().variation[0], search.best_move, "{:#?}", search.lines);
        moves.push(search.best_move);
    }
    moves
}

#[test]
fn every_level_plays_legal_moves_and_shows_the_line_it_plays() {
    // A higher level takes more nodes for a move.
    for (elo, plies) in LEVELS.into_iter().zip([60, 60, 30, 12]) {
        let mut dialogue = limited(elo);
        game(&mut dialogue, plies);
        dialogue.quit();
    }
}

#[test]
fn a_search_without_a_limit_ends_on_stop() {
    let mut dialogue = limited(LOWEST);
    dialogue.position("startpos");
    dialogue.begin("");
    std::thread::sleep(Duration::from_millis(200));
    let before = dialogue.ready();
    assert!(!before.iter().any(|line| line.starts_with("bestmove")), "{before:#?}");
    let search = dialogue.stop();
    assert!(dialogue.legal_moves().contains(&search.best_move), "{search:#?}");
    dialogue.quit();
}

#[test]
fn a_game_can_be_repeated_and_the_next_one_differs() {
    let mut dialogue = limited(LOWEST);
    dialogue.new_game();
    let first = game(&mut dialogue, 20);
    dialogue.new_game();
    assert_ne!(game(&mut dialogue, 20), first);
    dialogue.quit();
    let mut dialogue = limited(LOWEST);
    // Nor does it depend on the number of threads.
    dialogue.set("Threads", "2");
    dialogue.new_game();
    assert_eq!(game(&mut dialogue, 20), first);
    dialogue.quit();
}

#[test]
fn a_higher_level_searches_more_nodes() {
    let nodes = |elo: &str| {
        let mut dialogue = limited(elo);
        dialogue.fen(OPENING);
        let nodes = dialogue.go("depth 60").last().nodes;
        dialogue.quit();
        nodes
    };
    let all: Vec<u64> = LEVELS.into_iter().map(nodes).collect();
    assert!(all.is_sorted() && all[3] > 20 * all[0], "{all:?}");
    // An iteration may take as much again as the 600,000 nodes of the highest level.
    assert!(all[3] <= 1_200_000, "{all:?}");
}

#[test]
fn a_mate_in_one_is_played() {
    for elo in LEVELS {
        let mut dialogue = limited(elo);
        for (fen, mate) in [
            ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "d1d8"),
            ("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2", "d8h4"),
        ] {
            dialogue.fen(fen);
            assert_eq!(dialogue.go("movetime 1000").best_move, mate, "{elo}");
        }
        dialogue.quit();
    }
}

#[test]
fn clocks_and_stop_are_obeyed() {
    let mut dialogue = limited("2600");
    dialogue.fen(KIWIPETE);
    assert!(dialogue.go("wtime 40 btime 40").elapsed < Duration::from_secs(1));
    dialogue.begin("infinite");
    let early = dialogue.process.read_for(Duration::from_millis(300));
    assert!(early.iter().all(|line| !line.text.starts_with("bestmove")), "an answer before `stop`");
    dialogue.stop();
    dialogue.quit();
}

/// A limited search reports as many lines as were asked for, though it chooses among more.
#[test]
fn hidden_lines_stay_hidden() {
    let mut dialogue = limited(LOWEST);
    dialogue.fen(OPENING);
    let lines = dialogue.go("depth 60").lines;
    assert!(lines.iter().all(|line| !line.contains(" multipv 2 ")), "{lines:#?}");
    dialogue.set("MultiPV", "3");
    let lines = dialogue.go("depth 60").lines;
    assert!(lines.iter().any(|line| line.contains(" multipv 3 ")), "{lines:#?}");
    dialogue.quit();
}

#[test]
fn an_elo_alone_limits_nothing() {
    let trace = |set: &[(&str, &str)]| {
        let mut dialogue = Dialogue::start();
        set.iter().for_each(|(name, value)| dialogue.set(name, value));
        dialogue.fen(KIWIPETE);
        let trace = dialogue.go("depth 7").trace();
        dialogue.quit();
        trace
    };
    let full = trace(&[]);
    assert_eq!(trace(&[("UCI_Elo", LOWEST)]), full);
    let on_and_off = [("UCI_LimitStrength", "true"), ("UCI_LimitStrength", "false")];
    assert_eq!(trace(&on_and_off), full);
}
