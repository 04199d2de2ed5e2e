//! Games there and back: random ones, and those that something about the format might not expect.

use proptest::prelude::*;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use nullarbor::board::Position;

use super::*;

/// Standard chess, Chess960 with different arrays for both sides, castling rights with inner rooks, en passant, promotions, clocks
/// near their ends.
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

/// Scores at the ends of their ranges, and from mate to mate.
const SCORES: [i32; 12] =
    [0, 6, 7, -7, 1439, -1440, 3000, 3001, Score::MAX_EVAL.0, -31_761, 31_999, -32_000];

fn game(start: &str, plies: usize, seed: u64, scores: &[i32]) -> Record {
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
    Record { start, moves, outcome }
}

fn order(position: &Position, trail: Trail) -> Order {
    let mut order = Order::default();
    order.arrange(position, trail);
    order
}

fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    let checksum = checksum(&bytes).to_le_bytes();
    bytes[CHECKSUM].copy_from_slice(&checksum);
    bytes
}

fn all_rounded(games: &[Record]) -> Vec<Record> {
    games.iter().map(super::rounded).collect()
}

fn is_kept(games: &[Record]) {
    let bytes = write(games).expect("games");
    let kept = read(&bytes).expect("what was written");
    assert_eq!(kept, all_rounded(games));
    assert_eq!(write(&kept).expect("games"), bytes, "what was rounded stays as it is");
}

#[test]
fn no_games_and_games_without_moves_are_kept() {
    is_kept(&[]);
    is_kept(&STARTS.map(|start| game(start, 0, 1, &[])));
}

#[test]
fn long_games_from_all_sorts_of_positions_are_kept() {
    for plies in [1, 2, 80, 500] {
        let seeds = 0..4;
        let games: Vec<Record> =
            seeds.flat_map(|seed| STARTS.map(|start| game(start, plies, seed, &[]))).collect();
        is_kept(&games);
    }
}

#[test]
fn scores_that_jump_are_kept() {
    let games: Vec<Record> =
        (0..8).flat_map(|seed| STARTS.map(|start| game(start, 200, seed, &SCORES))).collect();
    is_kept(&games);
}

#[test]
fn mates_that_come_nearer_cost_a_byte_each() {
    let mut mating = game(STARTS[8], 40, 1, &[]);
    for (ply, (_, score)) in mating.moves.iter_mut().enumerate() {
        let mate = 31_900 + ply as i32;
        *score = Score(if ply % 2 == 0 { mate } else { -mate });
    }
    is_kept(&[mating]);
}

proptest! {
    #[test]
    fn any_games_are_kept(
        seeds in prop::collection::vec((any::<u64>(), 0..STARTS.len(), 0..300usize, any::<bool>()), 0..6)
    ) {
        let one = |&(seed, start, plies, jumps): &(u64, usize, usize, bool)| {
            game(STARTS[start], plies, seed, if jumps { &SCORES } else { &[] })
        };
        is_kept(&seeds.iter().map(one).collect::<Vec<_>>());
    }

    #[test]
    fn no_bytes_make_it_panic(mut streams in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut bytes = [&MAGIC[..], &VERSION.to_le_bytes(), &[0; 4], &3_u32.to_le_bytes()].concat();
        bytes.append(&mut streams);
        prop_assert!(read(&with_checksum(bytes)).is_err());
    }
}

#[test]
fn damage_behind_a_good_checksum_is_found_or_harmless() {
    let bytes = write(&STARTS.map(|start| game(start, 30, 7, &SCORES))).expect("games");
    for at in CHECKSUM.end..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            // What it says does not matter: it must not panic.
            let _ = read(&with_checksum(damaged));
        }
    }
}

#[test]
fn every_flipped_bit_and_every_cut_is_found() {
    let bytes =
        write(&[game(STARTS[0], 60, 3, &[]), game(STARTS[5], 9, 4, &SCORES)]).expect("games");
    for bit in 0..8 * bytes.len() {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let expected = if bit < 64 { ReadError::Foreign } else { ReadError::Damaged };
        assert_eq!(read(&flipped), Err(expected), "bit {bit}");
    }
    for length in 0..bytes.len() {
        let expected = if length < 8 { ReadError::Foreign } else { ReadError::Damaged };
        assert_eq!(read(&bytes[..length]), Err(expected), "{length} bytes");
    }
    assert_eq!(read(&[&bytes[..], &[0]].concat()), Err(ReadError::Damaged));
}

#[test]
fn a_newer_version_says_so() {
    let mut bytes = write(&[game(STARTS[0], 60, 3, &[])]).expect("games");
    bytes[8] = 2;
    assert_eq!(read(&with_checksum(bytes)), Err(ReadError::Newer(2)));
}

#[test]
fn different_files_have_different_checksums() {
    let hash = |seed| crc32fast::hash(&write(&[game(STARTS[0], 60, seed, &[])]).expect("games"));
    assert_ne!(hash(1), hash(2));
}

#[test]
fn an_illegal_move_is_not_written() {
    let mut wrong = game(STARTS[0], 3, 3, &[]);
    wrong.moves[2].0 = wrong.moves[0].0;
    let error = write(&[game(STARTS[0], 3, 3, &[]), wrong]).expect_err("illegal");
    assert_eq!(error.to_string(), "game 2: move 3 is not legal");
}

#[test]
fn ranks_name_the_moves_of_every_position() {
    for start in STARTS {
        let (mut position, mut trail) = (Position::from_fen(start).expect(start), Trail::START);
        for &(mv, _) in &game(start, 40, 11, &[]).moves {
            for &legal in position.legal_moves().iter() {
                let rank = order(&position, trail).rank(legal).expect("legal");
                assert_eq!(order(&position, trail).nth(rank), Some(legal));
            }
            assert_eq!(order(&position, trail).nth(position.count_moves()), None);
            (position, trail) = (position.make(mv), trail.then(mv));
        }
    }
}

/// Where this fails, files of this version can no longer be read: the order needs a new version of the format.
#[test]
fn the_order_of_moves_is_frozen() {
    let mut seen = Vec::new();
    for start in STARTS {
        let (mut position, mut trail) = (Position::from_fen(start).expect(start), Trail::START);
        for ply in 0..40 {
            let count = position.count_moves();
            if count == 0 {
                break;
            }
            let mut order = order(&position, trail);
            seen.push(order.class() as u8);
            let moves: Vec<Move> = (0..count).filter_map(|rank| order.nth(rank)).collect();
            moves.iter().for_each(|mv| seen.extend_from_slice(&mv.bits().to_le_bytes()));
            let mv = moves[7 * ply % count];
            (position, trail) = (position.make(mv), trail.then(mv));
        }
    }
    assert_eq!((seen.len(), crc32fast::hash(&seen)), (20_439, 3_211_661_816));
}
