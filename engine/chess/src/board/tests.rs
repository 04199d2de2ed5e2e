//! Tests of the rules: properties over random games, known positions, errors.

use std::num::NonZero;

use proptest::prelude::*;

use super::{Ending, Game, GenType, KeyHistory, Position, divide, perft};
use crate::attacks;
use crate::types::{Colour, Move, MoveFlag, MoveList, Square};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const STARTS: [&str; 8] = [
    Position::START_FEN,
    KIWIPETE,
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "rkr1bbqn/pppppppp/2n5/8/8/2N5/PPPPPPPP/RKR1BBQN w CAca - 2 2",
    "1rkr4/8/8/8/8/8/8/1RKR4 w KQkq - 0 1",
];

/// Plays random legal moves and calls `visit` with every position, the first and the last included.
fn walk(start: &str, choices: &[usize], mut visit: impl FnMut(&Position)) {
    let mut position = Position::from_fen(start).expect("a legal position");
    for &choice in choices {
        visit(&position);
        let moves = position.legal_moves();
        if moves.is_empty() {
            return;
        }
        position = position.make(moves[choice % moves.len()]);
    }
    visit(&position);
}

/// Returns the same position, computed from its FEN.
fn rebuilt(position: &Position) -> Position {
    let mut fresh =
        Position::from_fen(&format!("{position:#}")).expect("a reachable position is legal");
    fresh.plies_since_null = position.plies_since_null;
    fresh.castling = position.castling;
    fresh
}

/// Asserts that no two moves are printed alike, and that each is read as the move that was printed.
fn assert_moves_are_read_as_printed(position: &Position) {
    let moves = position.legal_moves();
    for chess960 in [false, true] {
        let mut texts: Vec<String> = moves.iter().map(|&mv| position.uci(mv, chess960)).collect();
        for (text, &mv) in texts.iter().zip(moves.iter()) {
            assert_eq!(position.parse_uci(text), Ok(mv), "{text} in {position}");
            assert_eq!(
                position.parse_uci(&text.to_ascii_uppercase()),
                Ok(mv),
                "{text} in {position}"
            );
        }
        texts.sort();
        texts.dedup();
        assert_eq!(texts.len(), moves.len(), "{texts:?} in {position}");
    }
}

/// Returns a position that is accepted, with kings and rooks on their back ranks and whatever castling
/// rights are possible there.
fn any_position() -> impl Strategy<Value = Position> {
    let back = || (0..8_usize, prop::collection::vec(0..8_usize, 1..4));
    let others =
        prop::collection::vec((0..64_usize, prop::sample::select(&b"PNBRQpnbrq"[..])), 0..12);
    (back(), back(), others, any::<bool>()).prop_filter_map("impossible", |parts| {
        let ((white, white_rooks), (black, black_rooks), others, is_white) = parts;
        let mut board = [None; 64];
        for (square, piece) in others {
            board[square] = Some(piece as char);
        }
        for file in 0..8 {
            board[file] = board[file].filter(|piece| !"Pp".contains(*piece));
            board[56 + file] = board[56 + file].filter(|piece| !"Pp".contains(*piece));
        }
        white_rooks.into_iter().for_each(|file| board[file] = Some('R'));
        black_rooks.into_iter().for_each(|file| board[56 + file] = Some('r'));
        (board[white], board[56 + black]) = (Some('K'), Some('k'));
        let rank = |rank: usize| -> String {
            board[8 * rank..8 * rank + 8].iter().map(|piece| piece.unwrap_or('1')).collect()
        };
        let ranks: Vec<String> = (0..8).rev().map(rank).collect();
        let side = if is_white { 'w' } else { 'b' };
        let fen = |rights: &str| format!("{} {side} {rights} - 0 1", ranks.join("/"));
        // All rooks may castle that can; of several on one side the outermost.
        Position::from_doubtful_fen(&fen("KQkq")).ok().map(|(position, _)| position)
    })
}

fn any_walk() -> impl Strategy<Value = (usize, Vec<usize>)> {
    (0..STARTS.len(), prop::collection::vec(any::<usize>(), 0..120))
}

proptest! {
    #[test]
    fn keys_checks_and_pins_equal_those_from_scratch((start, choices) in any_walk()) {
        walk(STARTS[start], &choices, |position| assert_eq!(*position, rebuilt(position)));
    }

    #[test]
    fn fen_round_trips_in_both_castling_notations((start, choices) in any_walk()) {
        walk(STARTS[start], &choices, |position| {
            let read = Position::from_fen(&position.to_string()).expect("X-FEN");
            assert_eq!(read.key(), position.key());
            assert_eq!(format!("{read:#}"), format!("{position:#}"));
        });
    }

    #[test]
    fn noisy_and_quiet_moves_add_up_to_all_moves((start, choices) in any_walk()) {
        walk(STARTS[start], &choices, |position| {
            let mut parts = [MoveList::new(), MoveList::new()];
            position.generate(GenType::Noisy, &mut parts[0]);
            position.generate(GenType::Quiet, &mut parts[1]);
            assert!(parts[0].iter().all(|mv| mv.is_noisy()));
            assert!(parts[1].iter().all(|mv| mv.is_quiet()));
            let both = sorted(parts[0].iter().chain(parts[1].iter()));
            assert_eq!(both, sorted(position.legal_moves().iter()));
            assert_eq!(position.count_moves(), position.legal_moves().len());
        });
    }

    #[test]
    fn moves_round_trip_in_uci_notation((start, choices) in any_walk()) {
        walk(STARTS[start], &choices, |position| {
            // A quarter of the positions: all moves are printed for each that is read.
            if position.key() % 4 == 0 {
                assert_moves_are_read_as_printed(position);
            }
        });
    }

    #[test]
    fn moves_of_every_accepted_position_round_trip(position in any_position()) {
        assert_moves_are_read_as_printed(&position);
        let read = Position::from_fen(&position.to_string());
        prop_assert_eq!(read.as_ref().map(|it| format!("{it:#}")), Ok(format!("{position:#}")));
        for &mv in position.legal_moves().iter() {
            prop_assert_eq!(position.parse_san(&position.san(mv)), Ok(mv), "{:?} in {}", mv, position);
        }
    }

    #[test]
    fn moves_round_trip_in_san((start, choices) in any_walk()) {
        walk(STARTS[start], &choices, |position| {
            let moves = position.legal_moves();
            // One move per position: parsing SAN is slow.
            if let Some(&mv) = moves.get(position.key() as usize % moves.len().max(1)) {
                assert_eq!(position.parse_san(&position.san(mv)), Ok(mv), "{mv:?} in {position}");
            }
        });
    }

    #[test]
    fn threats_are_the_attacks_of_the_opponent((start, choices) in any_walk()) {
        walk(STARTS[start], &choices, |position| {
            let them = position.occupied_by(!position.side_to_move());
            let attacked = |square: &Square| {
                (position.attackers_to(*square, position.occupied()) & them).is_any()
            };
            assert!(position.threats().all.into_iter().eq(Square::all().filter(attacked)));
        });
    }

    #[test]
    fn threats_change_nothing((start, choices) in any_walk()) {
        walk(STARTS[start], &choices, |position| {
            let threats = position.threats();
            for gen_type in [GenType::All, GenType::Noisy, GenType::Quiet] {
                let mut lists = [MoveList::new(), MoveList::new()];
                position.generate(gen_type, &mut lists[0]);
                position.generate_with(gen_type, &threats, &mut lists[1]);
                assert!(lists[0].iter().eq(lists[1].iter()), "{position}");
            }
            for &mv in position.legal_moves().iter() {
                for threshold in [-500, -100, 0, 1, 100, 300] {
                    let quick = position.see_at_least_with(&threats, mv, threshold);
                    assert_eq!(quick, position.see_at_least(mv, threshold), "{mv:?} in {position}");
                }
            }
        });
    }

    #[test]
    fn gives_check_agrees_with_making_the_move((start, choices) in any_walk()) {
        walk(STARTS[start], &choices, |position| {
            let checks = position.checks();
            for &mv in position.legal_moves().iter() {
                let (said, is) = (position.gives_check(mv, &checks), position.make(mv).in_check());
                let special = mv.is(MoveFlag::Castle) || mv.is(MoveFlag::EnPassant);
                assert!(said == is || special && is, "{mv:?} in {position}");
            }
        });
    }

    #[test]
    fn see_falls_as_the_threshold_rises((start, choices) in any_walk(), threshold in -1000..1000) {
        walk(STARTS[start], &choices, |position| {
            for &mv in position.legal_moves().iter() {
                if !position.see_at_least(mv, threshold) {
                    continue;
                }
                assert!(position.see_at_least(mv, threshold - 1), "{mv:?} in {position}");
                assert!(threshold <= position.immediate_gain(mv).max(0), "{mv:?} in {position}");
            }
        });
    }

    #[test]
    fn a_game_counts_its_repetitions((start, choices) in any_walk()) {
        let mut game = Game::new(Position::from_fen(STARTS[start]).expect("a legal position"));
        let mut before = Vec::new();
        for choice in choices {
            let moves = game.position().legal_moves();
            if moves.is_empty() {
                break;
            }
            before.push(game.position().key());
            game.play(moves[choice % moves.len()]);
            let key = game.position().key();
            let count = before.iter().filter(|&&earlier| earlier == key).count();
            assert_eq!(game.history().count(game.position()), count);
        }
    }

    #[test]
    fn lines_contain_what_lies_between(a in 0..64_usize, b in 0..64_usize) {
        let (a, b) = (Square::new(a), Square::new(b));
        let (line, between) = (attacks::line(a, b), attacks::between(a, b));
        assert_eq!(between, attacks::between(b, a));
        assert!((between & !line).is_empty());
        assert!(line.is_empty() || line.has(a) && line.has(b));
        assert_eq!(a.relative_to(Colour::Black).relative_to(Colour::Black), a);
    }

    #[test]
    fn no_text_makes_the_fen_parser_panic(text in "[pnbrqkPNBRQK1-9/ wb\\-KQkqa-h3-6é]{0,140}") {
        let _ = Position::from_fen(&text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn is_legal_agrees_with_the_generator_for_any_16_bits((start, choices) in any_walk()) {
        let mut last = None;
        walk(STARTS[start], &choices, |position| last = Some(position.clone()));
        let position = last.expect("a walk visits its start");
        let all = (0..=u16::MAX).map(Move::from_bits);
        let legal: Vec<Move> = all.filter(|&mv| position.is_legal(mv)).collect();
        prop_assert_eq!(sorted(legal.iter()), sorted(position.legal_moves().iter()));
    }
}

fn sorted<'a>(moves: impl Iterator<Item = &'a Move>) -> Vec<u16> {
    let mut bits: Vec<u16> = moves.map(|mv| mv.bits()).collect();
    bits.sort_unstable();
    bits
}

#[test]
fn perft_of_well_known_positions() {
    let counts = [
        (STARTS[0], 5, 4_865_609),
        (KIWIPETE, 4, 4_085_603),
        (STARTS[2], 5, 674_624),
        (STARTS[3], 4, 422_333),
        (STARTS[4], 4, 182_838),
        (STARTS[5], 4, 326_672),
    ];
    for (fen, depth, nodes) in counts {
        let position = Position::from_fen(fen).expect(fen);
        assert_eq!(perft(&position, depth), nodes, "{fen} depth {depth}");
        let threads = NonZero::new(2).expect("two");
        let counts = divide(&position, depth, threads, &|| false).expect("not interrupted");
        assert_eq!(counts.iter().map(|(_, nodes)| nodes).sum::<u64>(), nodes);
        assert_eq!(divide(&position, depth.max(5), threads, &|| true), None);
    }
}

#[test]
fn impossible_positions_are_refused_with_the_reason() {
    let cases = [
        ("8/8/8/8/8/8/8/K7 w - - 0 1", "Black has 0 kings"),
        ("4k3/8/8/8/8/8/8/4K2R b K - 0 1 7", "`7` after its fields"),
        ("4k3/8/8/8/8/8/8/r3K3 b - - 0 1", "White is in check but not to move"),
        ("4k3/pppppppp/p7/8/8/8/8/4K3 w - - 0 1", "Black has 9 pawns"),
        ("4k3/8/8/8/8/8/8/P3K3 w - - 0 1", "a pawn is on a1"),
        ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "no pawn can have just passed it"),
        ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", "castling `K`"),
        ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", "side to move is `x`"),
        ("4k3/8/8/8/8/8/7/4K3 w - - 0 1", "files of rank 2 (`7`) is 7"),
        ("4k3/8/8/8/8/8/4K3 w - - 0 1", "ranks is 7 instead of 8"),
        ("4k3/8/8/8/8/8/8/4K2X w - - 0 1", "rank 1 has `X`"),
        ("4k3/8/8/8/8/8/8/4K3 w - - x 1", "halfmove clock is `x`"),
        ("4k3/8/8/8/8/8/8/4K3", "ends before the side to move"),
        ("4k3/8/8/8/8/8/8/4K2é w - - 0 1", "not ASCII at byte 19"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1é", "move number is `1é`"),
        ("4k3/4r3/8/1b6/7b/3n4/8/4K3 w - - 0 1", "3 pieces give check"),
    ];
    for (fen, reason) in cases {
        let error = Position::from_fen(fen).expect_err(fen).to_string();
        assert!(error.contains(reason), "{fen}: {error}");
    }
    let long = format!("{}{}", Position::START_FEN, " ".repeat(2000));
    assert!(Position::from_fen(&long).expect_err("too long").to_string().contains("bytes"));
}

#[test]
fn counters_are_read_from_fen_and_epd_and_left_out_where_they_are_wrong() {
    let board = "4k3/8/8/8/8/8/8/4K3 w - -";
    for (rest, counters, faults) in [
        ("", (0, 1), 0),
        ("7", (7, 1), 0),
        ("7 31", (7, 31), 0),
        ("7 31;", (7, 31), 0),
        ("7 0", (7, 1), 0),
        ("hmvc 2; fmvn 4;", (2, 4), 0),
        ("fmvn 4;hmvc 2", (2, 4), 0),
        ("bm Nf3; id \"Réti; 1\"; fmvn 9;", (0, 9), 1),
        ("3 9 bm Nf3;", (3, 9), 1),
        ("3 9 7", (3, 9), 1),
        ("-1 12", (0, 12), 1),
        ("99999 99999", (0, 1), 2),
        ("4 99999", (4, 1), 1),
        ("x 3", (0, 3), 1),
        ("hmvc -3; fmvn;", (0, 1), 2),
    ] {
        let read = Position::from_doubtful_fen(&format!("{board} {rest}"));
        let (position, found) = read.expect(rest);
        assert_eq!((position.halfmove_clock(), position.fullmove()), counters, "{rest}");
        assert_eq!(found.len(), faults, "{rest}: {found:?}");
        assert_eq!(Position::from_fen(&format!("{board} {rest}")).is_ok(), faults == 0, "{rest}");
    }
}

#[test]
fn castling_from_elsewhere_is_no_plain_move() {
    for (fen, castling, plain) in [
        ("r2qk2r/pppppppp/8/8/8/8/PPPPPPPP/R2KQ2R w KQkq - 0 1", "d1a1", "d1c1"),
        ("4rkr1/4p1p1/8/8/8/8/8/5K1R w H - 0 1", "f1h1", "f1g1"),
        ("4k3/8/8/8/8/8/8/1R2K3 w Q - 0 1", "e1b1", "e1d1"),
    ] {
        let position = Position::from_fen(fen).expect(fen);
        let mv = position.parse_uci(castling).expect(castling);
        assert!(mv.is(MoveFlag::Castle) && position.uci(mv, false) == castling, "{fen}");
        assert!(!position.parse_uci(plain).expect(plain).is(MoveFlag::Castle), "{fen}");
    }
    // The king's squares are still read where they are no plain move.
    let position = Position::from_fen("4k3/8/8/8/8/8/8/1K5R w H - 0 1").expect("a position");
    assert!(position.parse_uci("b1g1").expect("castling").is(MoveFlag::Castle));
}

#[test]
fn see_counts_x_rays_and_pins() {
    let cases = [
        ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100),
        ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", 100 - 320),
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 100),
        ("4k3/4q3/8/8/8/4R3/8/4RK2 w - - 0 1", "e3e7", 950),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", 850),
        // The knight that defends the pawn is pinned; without the rook it captures back.
        ("4k3/8/4n3/8/3p4/5N2/8/K3R3 w - - 0 1", "f3d4", 100),
        ("4k3/8/4n3/8/3p4/5N2/8/K4R2 w - - 0 1", "f3d4", 100 - 320),
    ];
    for (fen, text, worth) in cases {
        let position = Position::from_fen(fen).expect(fen);
        let mv = position.parse_uci(text).expect(text);
        assert!(position.see_at_least(mv, worth), "{fen} {text} is worth {worth}");
        assert!(
            !position.see_at_least(mv, worth + 1),
            "{fen} {text} is worth no more than {worth}"
        );
    }
}

/// Returns the game after moves in UCI notation.
fn play(fen: &str, moves: &str) -> Game {
    let mut game = Game::new(Position::from_fen(fen).expect(fen));
    for text in moves.split_whitespace() {
        let mv = game.position().parse_uci(text).expect(text);
        game.play(mv);
    }
    game
}

fn parts(fen: &str, moves: &str) -> (Position, KeyHistory) {
    let game = play(fen, moves);
    (game.position().clone(), game.history().clone())
}

#[test]
fn repetitions_count_once_in_the_tree_and_twice_in_the_game() {
    let shuffle = "g1f3 g8f6 f3g1 f6g8";
    let (position, history) = parts(Position::START_FEN, shuffle);
    assert!(history.is_repetition(&position, 5), "the start occurred inside the tree");
    assert!(!history.is_repetition(&position, 2), "once before the root is no draw yet");
    let (position, history) = parts(Position::START_FEN, &format!("{shuffle} {shuffle}"));
    assert!(history.is_repetition(&position, 2), "twice before the root is one");
    assert_eq!(history.count(&position), 2);
}

#[test]
fn a_repetition_is_seen_one_move_ahead() {
    let (position, history) = parts(Position::START_FEN, "g1f3 g8f6 f3g1");
    assert!(history.can_repeat(&position, 4), "Ng8 repeats");
    assert!(!history.can_repeat(&position, 3), "but not inside the tree");
    let (position, history) = parts(Position::START_FEN, "g1f3 g8f6 f3e5");
    assert!(!history.can_repeat(&position, 4));
}

#[test]
fn every_ending_is_detected() {
    let shuffle = "g1f3 g8f6 f3g1 f6g8 ".repeat(2);
    let cases = [
        (Position::START_FEN, "f2f3 e7e5 g2g4 d8h4", Some(Ending::Checkmate)),
        ("7k/8/6K1/5Q2/8/8/8/8 w - - 0 1", "f5f7", Some(Ending::Stalemate)),
        ("7k/8/6K1/8/8/8/8/8 w - - 0 1", "", Some(Ending::InsufficientMaterial)),
        ("2b4k/8/6K1/8/8/8/8/5B2 w - - 0 1", "", Some(Ending::InsufficientMaterial)),
        ("2b4k/8/6K1/8/8/8/8/2B5 w - - 0 1", "", None),
        ("7k/8/6K1/8/8/8/8/R7 w - - 99 80", "a1a2", Some(Ending::FiftyMoves)),
        ("7k/8/6K1/8/8/8/8/R7 w - - 99 80", "a1a8", Some(Ending::Checkmate)),
        (Position::START_FEN, shuffle.as_str(), Some(Ending::ThreefoldRepetition)),
        (Position::START_FEN, "g1f3 g8f6 f3g1 f6g8", None),
    ];
    for (fen, moves, ending) in cases {
        assert_eq!(play(fen, moves).ending(), ending, "{fen} {moves}");
    }
}

#[test]
fn en_passant_that_exposes_the_king_is_neither_legal_nor_in_the_key() {
    let (position, _) = parts("8/8/8/8/k2p3Q/8/4P3/4K3 w - - 0 1", "e2e4");
    assert_eq!(position.en_passant(), None);
    let same = Position::from_fen("8/8/8/8/k2pP2Q/8/8/4K3 b - - 0 1").expect("a legal position");
    assert_eq!(position.key(), same.key());
}

#[test]
fn a_null_move_changes_the_side_and_clears_the_en_passant_square() {
    let (position, _) = parts("4k3/8/8/8/3p4/8/4P3/4K3 w - - 5 9", "e2e4");
    let passed = position.make_null();
    assert_eq!(position.to_string(), "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 9");
    assert_eq!(passed.to_string(), "4k3/8/8/8/3pP3/8/8/4K3 w - - 1 10");
    let afresh = Position::from_fen(&passed.to_string()).expect("valid");
    assert_eq!(passed.key(), afresh.key(), "the key does not depend on the moves");
    assert_ne!(passed.make_null().key(), position.key(), "two null moves lose e3");
}
