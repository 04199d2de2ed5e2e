//! Perft: counts the leaf nodes of the tree of legal moves, to verify the move generator.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Position;
use crate::types::Move;

/// Returns the number of move sequences of `depth` plies.
///
/// ```
/// use nullarbor::board::{Position, perft};
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

/// Returns the perft of each legal move, in the order of generation, computed by several threads.
pub fn divide(position: &Position, depth: usize, threads: NonZero<usize>) -> Vec<(Move, u64)> {
    let moves = position.legal_moves();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut counted = Vec::new();
        loop {
            // Relaxed: the counter only distributes work; joining the threads publishes the
            // results.
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(&mv) = moves.get(index) else {
                return counted;
            };
            let nodes = depth.checked_sub(1).map_or(1, |rest| perft(&position.make(mv), rest));
            counted.push((index, mv, nodes));
        }
    };
    let mut counted: Vec<_> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.get()).map(|_| scope.spawn(work)).collect();
        let own = work();
        let theirs = others.into_iter().flat_map(|thread| thread.join().unwrap_or_default());
        own.into_iter().chain(theirs).collect()
    });
    counted.sort_unstable_by_key(|&(index, ..)| index);
    counted.into_iter().map(|(_, mv, nodes)| (mv, nodes)).collect()
}
