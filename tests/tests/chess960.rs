//! Castling of Chess960 and double Chess960: notation in and out, and both kinds of FEN.

use nullarbor_tests::{Dialogue, START, Score};

/// A double Chess960 set-up: the two sides differ, and so do the files of their rooks.
const DOUBLE: &str = "bqnbrnkr/pppppppp/8/8/8/8/PPPPPPPP/RKBBNQNR w HAhe - 0 1";

fn sorted(mut moves: Vec<String>) -> Vec<String> {
    moves.sort();
    moves
}

/// A FEN without its castling field, which has two notations.
fn without_rights(fen: &str) -> Vec<&str> {
    let mut fields: Vec<&str> = fen.split(' ').collect();
    fields.remove(2);
    fields
}

#[test]
fn castling_is_written_as_the_mode_asks() {
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let mut dialogue = Dialogue::start();
    dialogue.fen(fen);
    let moves = dialogue.legal_moves();
    for name in ["e1g1", "e1c1"] {
        assert!(moves.iter().any(|listed| listed == name), "no {name} in {moves:?}");
    }
    assert!(!moves.iter().any(|listed| listed == "e1h1"), "{moves:?}");
    dialogue.set("UCI_Chess960", "true");
    dialogue.fen(fen);
    let moves = dialogue.legal_moves();
    for name in ["e1h1", "e1a1"] {
        assert!(moves.iter().any(|listed| listed == name), "no {name} in {moves:?}");
    }
    assert!(!moves.iter().any(|listed| listed == "e1g1" || listed == "e1c1"), "{moves:?}");
    dialogue.quit();
}

#[test]
fn castling_is_read_and_played() {
    let mut dialogue = Dialogue::start();
    dialogue.position("fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves e1g1 e8c8");
    assert_eq!(dialogue.board().fen, "2kr3r/8/8/8/8/8/8/R4RK1 w - - 2 2");
    dialogue.set("UCI_Chess960", "true");
    dialogue.position("fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves e1h1 e8a8");
    assert_eq!(dialogue.board().fen, "2kr3r/8/8/8/8/8/8/R4RK1 w - - 2 2");
    // King and rook change places, or the king stands still.
    dialogue.position("fen 4k3/8/8/8/8/8/8/5KR1 w G - 0 1 moves f1g1");
    assert_eq!(dialogue.board().fen, "4k3/8/8/8/8/8/8/5RK1 b - - 1 1");
    dialogue.position("fen 4k3/8/8/8/8/8/8/1RK5 w B - 0 1 moves c1b1");
    assert_eq!(dialogue.board().fen, "4k3/8/8/8/8/8/8/2KR4 b - - 1 1");
    dialogue.quit();
}

/// Without `UCI_Chess960` the king's squares may be those of a plain move.
#[test]
fn castling_from_elsewhere_is_read_as_it_was_printed() {
    for fen in [
        "r2qk2r/pppppppp/8/8/8/8/PPPPPPPP/R2KQ2R w KQkq - 0 1",
        "4rkr1/4p1p1/8/8/8/8/8/5K1R w H - 0 100",
        "1k1r4/3p1p2/8/8/8/8/3P4/R2K3R w HAd - 0 1",
        "4k3/8/8/8/8/8/8/1R2K1R1 w KQ - 0 1",
    ] {
        for mode in ["false", "true"] {
            let mut dialogue = Dialogue::start();
            dialogue.set("UCI_Chess960", mode);
            dialogue.fen(fen);
            let moves = sorted(dialogue.legal_moves());
            let mut boards: Vec<String> = moves
                .iter()
                .map(|mv| {
                    dialogue.position(&format!("fen {fen} moves {mv}"));
                    dialogue.board().fen
                })
                .collect();
            boards.sort();
            boards.dedup();
            assert_eq!(boards.len(), moves.len(), "{fen} {mode}: {moves:?}");
            dialogue.set("MultiPV", "100");
            dialogue.fen(fen);
            let search = dialogue.go("depth 4");
            let ends: Vec<&String> = search.infos[search.infos.len() - moves.len()..]
                .iter()
                .map(|it| &it.variation[0])
                .collect();
            assert_eq!(sorted(ends.into_iter().cloned().collect()), moves, "{fen} {mode}");
            dialogue.quit();
        }
    }
    // A mate by castling is one when it comes back.
    let fen = "4rkr1/4p1p1/8/8/8/8/8/5K1R w H - 0 98";
    let mut dialogue = Dialogue::start();
    dialogue.fen(fen);
    let search = dialogue.go("depth 3");
    assert_eq!((search.last().score, search.best_move.as_str()), (Score::Mate(1), "f1h1"));
    dialogue.position(&format!("fen {fen} moves f1h1"));
    assert!(dialogue.legal_moves().is_empty());
    dialogue.quit();
}

#[test]
fn the_path_must_be_free_and_unattacked() {
    let mut dialogue = Dialogue::chess960();
    let castles = |dialogue: &mut Dialogue, fen: &str, name: &str| {
        dialogue.fen(fen);
        dialogue.legal_moves().iter().any(|listed| listed == name)
    };
    assert!(castles(&mut dialogue, "4k3/8/8/8/8/8/8/1RK5 w B - 0 1", "c1b1"));
    // The rook that castles uncovers the king to the rook on a1.
    assert!(!castles(&mut dialogue, "4k3/8/8/8/8/8/8/rRK5 w B - 0 1", "c1b1"));
    assert!(!castles(&mut dialogue, "4k3/8/8/8/8/8/8/R1KN4 w A - 0 1", "c1a1"));
    assert!(!castles(&mut dialogue, "4k3/8/8/8/8/4r3/8/R3K3 w A - 0 1", "e1a1"));
    assert!(!castles(&mut dialogue, "4k3/8/8/8/8/3r4/8/R3K3 w A - 0 1", "e1a1"));
    // An attack on the rook's path alone does not forbid it.
    assert!(castles(&mut dialogue, "4k3/8/8/8/8/1r6/8/R3K3 w A - 0 1", "e1a1"));
    dialogue.quit();
}

#[test]
fn shredder_and_x_fen_are_one_position() {
    let mut dialogue = Dialogue::chess960();
    let mut both = |x: &str, shredder: &str| {
        let [x, shredder] = [x, shredder].map(|fen| {
            dialogue.fen(fen);
            (dialogue.board().key, sorted(dialogue.legal_moves()))
        });
        assert_eq!(x, shredder);
    };
    both(START, &START.replace("KQkq", "HAha"));
    both("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - 0 1", "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1");
    // Of two rooks on one side X-FEN's letter means the outer; the inner one takes its file's letter.
    both("4k3/8/8/8/8/8/8/4KR1R w K - 0 1", "4k3/8/8/8/8/8/8/4KR1R w H - 0 1");
    dialogue.fen("4k3/8/8/8/8/8/8/4KR1R w F - 0 1");
    assert!(dialogue.legal_moves().contains(&"e1f1".to_owned()));
    dialogue.fen("4k3/8/8/8/8/8/8/4KR1R w H - 0 1");
    assert!(!dialogue.legal_moves().contains(&"e1f1".to_owned()), "the outer rook is shut in");
    dialogue.quit();
}

#[test]
fn fen_comes_out_as_it_went_in() {
    let mut dialogue = Dialogue::chess960();
    for fen in [
        DOUBLE,
        "rkrbbnnq/pppppppp/8/8/8/8/PPPPPPPP/NRBQKBRN w GBca - 0 1",
        "4k3/8/8/8/8/8/8/4KR1R w F - 0 1",
        "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1",
    ] {
        dialogue.fen(fen);
        let first = dialogue.board();
        // Either notation may be chosen for output: what counts is that it means the same position.
        dialogue.fen(&first.fen);
        assert_eq!(dialogue.board(), first, "{fen}");
        assert_eq!(without_rights(&first.fen), without_rights(fen));
    }
    // In standard chess the letters are the usual ones.
    dialogue.set("UCI_Chess960", "false");
    dialogue.fen(START);
    assert_eq!(dialogue.board().fen, START);
    dialogue.quit();
}

#[test]
fn double_chess960_is_played_to_the_castling_of_both() {
    let mut dialogue = Dialogue::chess960();
    let start = "1k1r4/3p1p2/8/8/8/8/3P4/R2K3R w HAd - 0 1";
    dialogue.position(&format!("fen {start} moves d1h1 b8d8"));
    assert_eq!(dialogue.board().fen, "5rk1/3p1p2/8/8/8/8/3P4/R4RK1 w - - 2 2");
    dialogue.position(&format!("fen {start} moves d1a1 f7f6"));
    let board = dialogue.board();
    assert_eq!(board.fen.split(' ').next(), Some("1k1r4/3p4/5p2/8/8/8/3P4/2KR3R"));
    dialogue.position(&format!("fen {} moves c1b1 b8d8", board.fen));
    assert_eq!(dialogue.board().fen, "5rk1/3p4/5p2/8/8/8/3P4/1K1R3R w - - 2 3");
    dialogue.quit();
}

#[test]
fn searches_double_chess960() {
    let mut dialogue = Dialogue::chess960();
    dialogue.fen(DOUBLE);
    let legal = dialogue.legal_moves();
    let search = dialogue.go("depth 8");
    assert!(legal.contains(&search.best_move), "{search:#?}");
    for info in &search.infos {
        dialogue.position(&format!("fen {DOUBLE} moves {}", info.variation.join(" ")));
    }
    dialogue.quit();
}

#[test]
fn a_searched_castling_is_written_as_the_mode_asks() {
    let fen = "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1";
    for (mode, name) in [("false", "e1c1"), ("true", "e1a1")] {
        let mut dialogue = Dialogue::start();
        dialogue.set("UCI_Chess960", mode);
        dialogue.fen(fen);
        let search = dialogue.go(&format!("depth 3 searchmoves {name}"));
        assert_eq!(search.best_move, name);
        assert_eq!(search.last().variation[0], name);
        dialogue.quit();
    }
}
