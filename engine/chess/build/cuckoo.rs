//! A cuckoo hash table of the key differences of all reversible moves (M. van Kervinck, "The design
//! and implementation of the Rookie 2.0 chess program", 2002).

use crate::array;
use crate::zobrist::Keys;

const SLOTS: usize = 8192;

/// Returns the Rust source of the keys and the moves (bits 0 to 5: from, 6 to 11: to).
pub fn source(keys: &Keys) -> String {
    let (mut table, mut moves) = (vec![0; SLOTS], vec![0; SLOTS]);
    let mut count = 0;
    for piece in (0..12).filter(|piece| piece % 6 != 0) {
        for from in 0..64 {
            for to in from + 1..64 {
                if reaches(piece % 6, from, to) {
                    let key =
                        keys.pieces[piece * 64 + from] ^ keys.pieces[piece * 64 + to] ^ keys.side;
                    insert(&mut table, &mut moves, key, (from | to << 6) as u64);
                    count += 1;
                }
            }
        }
    }
    assert_eq!(count, 3668, "the number of reversible moves of pieces on an empty board");
    array("Key differences.", "KEYS", "u64", &table) + &array("Moves.", "MOVES", "u16", &moves)
}

/// Returns whether a piece type moves between two squares of an empty board.
fn reaches(kind: usize, from: usize, to: usize) -> bool {
    let files = (from % 8).abs_diff(to % 8);
    let ranks = (from / 8).abs_diff(to / 8);
    let (diagonal, straight) = (files == ranks, files == 0 || ranks == 0);
    match kind {
        1 => files * ranks == 2,
        2 => diagonal,
        3 => straight,
        4 => diagonal || straight,
        _ => files.max(ranks) == 1,
    }
}

fn slots(key: u64) -> [usize; 2] {
    [key as usize & (SLOTS - 1), (key >> 16) as usize & (SLOTS - 1)]
}

/// Inserts an entry into one of its two slots; a displaced entry moves to its other slot.
fn insert(table: &mut [u64], moves: &mut [u64], mut key: u64, mut mv: u64) {
    let mut slot = slots(key)[0];
    loop {
        std::mem::swap(&mut table[slot], &mut key);
        std::mem::swap(&mut moves[slot], &mut mv);
        if mv == 0 {
            return;
        }
        let [first, second] = slots(key);
        slot = if slot == first { second } else { first };
    }
}
