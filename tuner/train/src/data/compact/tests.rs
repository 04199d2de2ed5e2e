//! Round trips of random games and of edge cases of the format.

use proptest::prelude::*;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use nullarbor::board::Position;

use super::*;

/// Standard chess, Chess960 with different starting ranks for both sides, castling rights with inner rooks, en passant,
/// promotions, clocks near their limits.
const STARTS: [&str; 12] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "qnr1bkrb/pppp2pp/3np3/5p2/8/P2P2P1/NPP1PP1P/QN1RBKRB w GDg - 3 9",
    "1rk1r3/8/8/8/8/8/8/RRK1R2R w EBeb - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 3 9",
    "8/P1P3k1/8/1pP5/8/8/4K3/8 w - b6 0 20",
    "8/8/8/8/1Pp4k/8/3p2K1/8 b - b3 0 9999",
    "8/8/4k3/8/8/3QK3/8/8 w - - 99 120",
    "8/8/4k3/8/8/3QK3/8/8 b - - 150 1",
    "7k/8/5KQ1/8/8/8/8/8 b - - 0 1",
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
];

/// Scores at the ends of their ranges, and mates.
const SCORES: [i32; 13] =
    [0, 6, 7, -7, 1439, -1440, 3000, 3001, Score::MAX_EVAL.0, -31_760, -31_761, 31_999, -32_000];

fn game(start: &str, plies: usize, seed: u64, scores: &[i32]) -> GameRecord {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let start = Position::from_fen(start).expect(start);
    let (mut position, mut moves) = (start.clone(), Vec::new());
    while moves.len() < plies && position.has_moves() {
        let legal = position.legal_moves();
        let mv = legal[rng.random_range(0..legal.len())];
        let score = match scores {
            [] => rng.random_range(-1000..1000),
            scores => scores[rng.random_range(0..scores.len())],
        };
        moves.push((mv, Score(score)));
        position = position.make(mv);
    }
    let outcome = [Outcome::Loss, Outcome::Draw, Outcome::Win][(seed % 3) as usize];
    GameRecord { start, moves, outcome }
}

fn order(position: &Position, last_moves: LastMoves) -> Order {
    let mut order = Order::default();
    order.arrange(position, last_moves);
    order
}

fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    let checksum = checksum(&bytes).to_le_bytes();
    bytes[CHECKSUM].copy_from_slice(&checksum);
    bytes
}

fn all_stored(games: &[GameRecord]) -> Vec<GameRecord> {
    games.iter().map(super::stored).collect()
}

fn assert_round_trip(games: &[GameRecord]) {
    let bytes = encode(games).expect("games");
    let decoded = decode(&bytes).expect("encoded games");
    assert_eq!(decoded, all_stored(games));
    assert_eq!(encode(&decoded).expect("games"), bytes, "rounding is idempotent");
}

#[test]
fn no_games_and_games_without_moves_survive_a_round_trip() {
    assert_round_trip(&[]);
    assert_round_trip(&STARTS.map(|start| game(start, 0, 1, &[])));
}

#[test]
fn long_games_from_all_sorts_of_positions_survive_a_round_trip() {
    for plies in [1, 2, 80, 500] {
        let seeds = 0..4;
        let games: Vec<GameRecord> =
            seeds.flat_map(|seed| STARTS.map(|start| game(start, plies, seed, &[]))).collect();
        assert_round_trip(&games);
    }
}

#[test]
fn scores_that_jump_survive_a_round_trip() {
    let games: Vec<GameRecord> =
        (0..8).flat_map(|seed| STARTS.map(|start| game(start, 200, seed, &SCORES))).collect();
    assert_round_trip(&games);
}

#[test]
fn approaching_mates_survive_a_round_trip() {
    let mut mating = game(STARTS[8], 40, 1, &[]);
    for (ply, (_, score)) in mating.moves.iter_mut().enumerate() {
        let mate = 31_900 + ply as i32;
        *score = Score(if ply % 2 == 0 { mate } else { -mate });
    }
    assert_round_trip(&[mating]);
}

proptest! {
    #[test]
    fn any_games_survive_a_round_trip(
        seeds in prop::collection::vec((any::<u64>(), 0..STARTS.len(), 0..300usize, any::<bool>()), 0..6)
    ) {
        let one = |&(seed, start, plies, jumps): &(u64, usize, usize, bool)| {
            game(STARTS[start], plies, seed, if jumps { &SCORES } else { &[] })
        };
        assert_round_trip(&seeds.iter().map(one).collect::<Vec<_>>());
    }

    #[test]
    fn no_bytes_cause_a_panic(mut streams in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut bytes = [&MAGIC[..], &VERSION.to_le_bytes(), &[0; 4], &3_u32.to_le_bytes()].concat();
        bytes.append(&mut streams);
        prop_assert!(decode(&with_checksum(bytes)).is_err());
    }
}

#[test]
fn damage_behind_a_good_checksum_is_found_or_harmless() {
    let bytes = encode(&STARTS.map(|start| game(start, 15, 7, &SCORES))).expect("games");
    for at in CHECKSUM.end..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            // Any result is fine as long as it does not panic.
            let _ = decode(&with_checksum(damaged));
        }
    }
}

#[test]
fn every_flipped_bit_and_every_truncation_is_found() {
    let bytes =
        encode(&[game(STARTS[0], 60, 3, &[]), game(STARTS[5], 9, 4, &SCORES)]).expect("games");
    for bit in 0..8 * bytes.len() {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let expected = if bit < 64 { DecodeError::Foreign } else { DecodeError::Damaged };
        assert_eq!(decode(&flipped), Err(expected), "bit {bit}");
    }
    for length in 0..bytes.len() {
        let expected = if length < 8 { DecodeError::Foreign } else { DecodeError::Damaged };
        assert_eq!(decode(&bytes[..length]), Err(expected), "{length} bytes");
    }
    assert_eq!(decode(&[&bytes[..], &[0]].concat()), Err(DecodeError::Damaged));
}

#[test]
fn a_newer_version_says_so() {
    let mut bytes = encode(&[game(STARTS[0], 60, 3, &[])]).expect("games");
    bytes[8] = 3;
    assert_eq!(decode(&with_checksum(bytes)), Err(DecodeError::Newer(3)));
}

#[test]
fn the_first_version_is_read() {
    let games = [game(STARTS[0], 60, 3, &[])];
    let mut bytes = encode(&games).expect("games");
    bytes[8] = 1;
    assert_eq!(decode(&with_checksum(bytes)), Ok(games.iter().map(stored).collect()));
}

#[test]
fn positions_without_a_score_change_nothing_of_the_others() {
    let whole = game(STARTS[0], 60, 3, &SCORES);
    let mut sparse = whole.clone();
    sparse.moves.iter_mut().step_by(3).for_each(|(_, score)| *score = Score::NONE);
    let decoded = decode(&encode(&[sparse]).expect("a game")).expect("the same");
    for (ply, (found, scored)) in decoded[0].moves.iter().zip(&stored(&whole).moves).enumerate() {
        let expected = if ply % 3 == 0 { Score::NONE } else { scored.1 };
        assert_eq!(*found, (scored.0, expected), "{ply}");
    }
}

#[test]
fn different_files_have_different_checksums() {
    let hash = |seed| crc32fast::hash(&encode(&[game(STARTS[0], 60, seed, &[])]).expect("games"));
    assert_ne!(hash(1), hash(2));
}

#[test]
fn an_illegal_move_is_not_encoded() {
    let mut wrong = game(STARTS[0], 3, 3, &[]);
    wrong.moves[2].0 = wrong.moves[0].0;
    let error = encode(&[game(STARTS[0], 3, 3, &[]), wrong]).expect_err("illegal");
    assert_eq!(error.to_string(), "game 2: move 3 is illegal");
}

#[test]
fn ranks_identify_the_moves_of_every_position() {
    for start in STARTS {
        let (mut position, mut last_moves) =
            (Position::from_fen(start).expect(start), LastMoves::START);
        for &(mv, _) in &game(start, 40, 11, &[]).moves {
            for &legal in position.legal_moves().iter() {
                let rank = order(&position, last_moves).rank(legal).expect("legal");
                assert_eq!(order(&position, last_moves).nth(rank), Some(legal));
            }
            assert_eq!(order(&position, last_moves).nth(position.count_moves()), None);
            (position, last_moves) = (position.make(mv), last_moves.then(mv));
        }
    }
}

/// If this fails, files of this version can no longer be read: a changed order needs a new version of the format.
#[test]
fn the_order_of_moves_is_frozen() {
    let mut seen = Vec::new();
    for start in STARTS {
        let (mut position, mut last_moves) =
            (Position::from_fen(start).expect(start), LastMoves::START);
        for ply in 0..40 {
            let count = position.count_moves();
            if count == 0 {
                break;
            }
            let mut order = order(&position, last_moves);
            seen.push(order.class() as u8);
            let moves: Vec<Move> = (0..count).filter_map(|rank| order.nth(rank)).collect();
            moves.iter().for_each(|mv| seen.extend_from_slice(&mv.bits().to_le_bytes()));
            let mv = moves[7 * ply % count];
            (position, last_moves) = (position.make(mv), last_moves.then(mv));
        }
    }
    assert_eq!((seen.len(), crc32fast::hash(&seen)), (20_439, 3_211_661_816));
}
