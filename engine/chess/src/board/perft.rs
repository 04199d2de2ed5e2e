//! Perft: counts the leaf nodes of the tree of legal moves, to verify the move generator.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Position;
use crate::types::Move;

/// Returns the number of move sequences of `depth` plies.
///
/// ```
/// use nullarbor_chess::board::{Position, perft};
///
/// assert_eq!(perft(&Position::start(), 3), 8902);
/// ```
pub fn perft(position: &Position, depth: usize) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_moves() as u64,
        _ => position.legal_moves().iter().map(|&mv| perft(&position.make(mv), depth - 1)).sum(),
    }
}

/// Below this depth a count is too short to be interrupted.
const INTERRUPTIBLE: usize = 3;

/// Returns the perft of each legal move, in the order of generation, computed by several threads;
/// `None` once `interrupted` says so.
pub fn divide(
    position: &Position,
    depth: usize,
    threads: NonZero<usize>,
    interrupted: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<(Move, u64)>> {
    let moves = position.legal_moves();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut counted = Vec::new();
        loop {
            // Relaxed: the counter only distributes work; joining the threads publishes the
            // results.
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(&mv) = moves.get(index) else {
                return Some(counted);
            };
            let child = position.make(mv);
            let nodes = match depth.checked_sub(1) {
                Some(rest) => perft_unless(&child, rest, interrupted)?,
                None => 1,
            };
            counted.push((index, mv, nodes));
        }
    };
    let mut counted: Vec<_> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.get()).map(|_| scope.spawn(work)).collect();
        let mut counted = work()?;
        for thread in others {
            counted.extend(thread.join().unwrap_or_default()?);
        }
        Some(counted)
    })?;
    counted.sort_unstable_by_key(|&(index, ..)| index);
    Some(counted.into_iter().map(|(_, mv, nodes)| (mv, nodes)).collect())
}

/// Returns [`perft`], or `None` once `interrupted` says so.
fn perft_unless(
    position: &Position,
    depth: usize,
    interrupted: &(dyn Fn() -> bool + Sync),
) -> Option<u64> {
    if depth < INTERRUPTIBLE {
        return Some(perft(position, depth));
    }
    if interrupted() {
        return None;
    }
    let moves = position.legal_moves();
    moves.iter().map(|&mv| perft_unless(&position.make(mv), depth - 1, interrupted)).sum()
}
