//! Trees of whole searches with each scheme.

use super::*;

/// Statistics of null moves under a scheme, and the nodes of the search.
fn searched(name: &str, fen: &str, depth: i32) -> (Counts, u64) {
    use crate::clock::Limits;
    use crate::engine::Engine;
    use crate::search::Silent;
    use nullarbor_chess::board::{Game, Position};

    let mut engine = Engine::new(1, 1).expect("a small engine");
    engine.set_scheme(scheme(name));
    engine.set_game(Game::new(Position::from_fen(fen).expect("valid")));
    let limits = Limits { depth: Some(Depth(depth)), ..Limits::default() };
    let result = engine.search(&limits, std::sync::Arc::new(Silent)).expect("a move");
    (result.null_moves.total(), result.nodes)
}

#[test]
fn every_scheme_searches_a_tree_of_its_own() {
    const MIDDLE_GAME: &str =
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let mut seen = Vec::new();
    for (name, _) in Scheme::ALL {
        let (counts, nodes) = searched(name, MIDDLE_GAME, 13);
        assert_eq!(counts.attempts > 0, *name != "off", "{name}");
        assert!(counts.cutoffs <= counts.fail_highs, "{name}: {counts:?}");
        assert!(counts.fail_highs <= counts.attempts, "{name}: {counts:?}");
        assert!(!seen.contains(&nodes), "{name} searches the tree of another scheme");
        seen.push(nodes);
    }
}

#[test]
fn verification_by_reduction_finds_zugzwangs() {
    // Whoever has to move loses the pawn, or the way to it.
    const PAWNS: &str = "8/8/8/3k4/3p4/3P4/3K4/8 w - - 0 1";
    let verified = searched("verified", PAWNS, 14).0;
    assert!(verified.zugzwangs > 0);
    // ProbCut may leave a node whose null search failed high before it is verified.
    assert!(verified.cutoffs + verified.verifications <= verified.fail_highs, "{verified:?}");
    let extended = searched("extended", PAWNS, 14).0;
    assert!(extended.verifications > 0 && extended.cutoffs == 0, "{extended:?}");
    assert!(extended.verifications <= extended.fail_highs, "{extended:?}");
    let fixed = searched("fixed-3", PAWNS, 14).0;
    assert!(fixed.cutoffs > 0 && fixed.cutoffs == fixed.fail_highs, "{fixed:?}");
    assert_eq!(fixed.zugzwangs, 0);
    let guarded = searched("guide-fixed", PAWNS, 14).0;
    assert_eq!(guarded.attempts, 0, "nobody has a piece");
}

#[test]
fn threats_of_mate_are_seen() {
    // Whoever passes is mated on the back rank.
    const BACK_RANK: &str = "r5k1/5ppp/8/7Q/8/8/5PPP/6K1 w - - 0 1";
    let (counts, _) = searched("micromax", BACK_RANK, 8);
    assert!(counts.threats > 0, "{counts:?}");
}
