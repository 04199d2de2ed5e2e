//! Searches for magic factors and fills the attack table of the sliders.

use std::fmt::Write;

use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};

use crate::array;
use crate::magic::Magic;

type Step = (i32, i32);

const ROOK: [Step; 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const BISHOP: [Step; 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];

/// Any seed finds factors; this one finds them fast.
const SEED: u64 = 2007;

/// Returns the Rust source of both magic tables and of the attack table.
pub fn source() -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut attacks = Vec::new();
    let mut text = String::new();
    for (name, steps) in [("ROOK_MAGICS", ROOK), ("BISHOP_MAGICS", BISHOP)] {
        let _ = write!(text, "static {name}: [Magic; 64] = [");
        for square in 0..64 {
            let magic = find(square, &steps, &mut attacks, &mut rng);
            let _ = write!(
                text,
                "Magic {{ mask: {:#x}, factor: {:#x}, shift: {}, offset: {} }},",
                magic.mask, magic.factor, magic.shift, magic.offset
            );
        }
        text.push_str("];\n");
    }
    text + &array("Attacks by [`Magic::index`].", "SLIDER_ATTACKS", "u64", &attacks)
}

/// Returns the attacks from a square by walking along the rays.
fn walk(square: usize, occupied: u64, steps: &[Step; 4]) -> u64 {
    let mut attacks = 0;
    for (file_step, rank_step) in steps {
        let (mut file, mut rank) = (square as i32 % 8, square as i32 / 8);
        loop {
            (file, rank) = (file + file_step, rank + rank_step);
            if !(0..8).contains(&file) || !(0..8).contains(&rank) {
                break;
            }
            let bit = 1 << (rank * 8 + file);
            attacks |= bit;
            if occupied & bit != 0 {
                break;
            }
        }
    }
    attacks
}

/// Returns the relevant squares. The last square of a ray does not change the attacks, so the edges
/// are left out.
fn relevant(square: usize, steps: &[Step; 4]) -> u64 {
    let (file, rank) = (square % 8, square / 8);
    let files = 0x8181_8181_8181_8181 & !(0x0101_0101_0101_0101 << file);
    let ranks = 0xff00_0000_0000_00ff & !(0xff << (8 * rank));
    walk(square, 0, steps) & !(files | ranks)
}

/// Returns all subsets of a mask (carry-rippler).
fn subsets(mask: u64) -> Vec<u64> {
    let mut all = vec![0];
    let mut subset = 0_u64;
    loop {
        subset = subset.wrapping_sub(mask) & mask;
        if subset == 0 {
            return all;
        }
        all.push(subset);
    }
}

/// Finds a magic factor for a square and appends the attacks to the table.
fn find(square: usize, steps: &[Step; 4], table: &mut Vec<u64>, rng: &mut ChaCha8Rng) -> Magic {
    let mask = relevant(square, steps);
    let occupations = subsets(mask);
    let attacks: Vec<u64> = occupations.iter().map(|&set| walk(square, set, steps)).collect();
    let mut slots = vec![0; occupations.len()];
    loop {
        // Sparse factors are the most likely to work.
        let factor = rng.next_u64() & rng.next_u64() & rng.next_u64();
        let magic = Magic { mask, factor, shift: 64 - mask.count_ones(), offset: 0 };
        slots.fill(0);
        let fits = occupations.iter().zip(&attacks).all(|(&set, &attack)| {
            let slot = &mut slots[magic.index(set)];
            let fits = *slot == 0 || *slot == attack;
            *slot = attack;
            fits
        });
        if fits {
            let offset = table.len();
            table.extend_from_slice(&slots);
            return Magic { offset, ..magic };
        }
    }
}
