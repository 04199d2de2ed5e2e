//! The memory of a thread: histories from search to search, and the stack of frames from node to
//! node.

pub mod correction;
pub mod frame;
pub mod history;
pub mod picker;
pub mod pv;

use std::sync::Arc;

use nullarbor_chess::board::KeyHistory;

use correction::CorrectionHistory;
use frame::Frames;
use history::{Histories, PawnHistory};
use pv::PvTable;

use crate::eval::nnue::Network;
use crate::eval::{Evaluation, Source};

/// The histories that the threads of a pool share.
#[derive(Clone)]
pub struct SharedHistories {
    corrections: Arc<CorrectionHistory>,
    pawn: Arc<PawnHistory>,
}

impl SharedHistories {
    /// Allocates empty tables for a number of threads.
    pub fn new(threads: usize) -> Self {
        Self {
            corrections: Arc::new(CorrectionHistory::new(threads)),
            pawn: Arc::new(PawnHistory::new(threads)),
        }
    }

    /// Clears the tables, as for a new game.
    pub fn clear(&self) {
        self.corrections.clear();
        self.pawn.clear();
    }
}

/// The memory of one thread, allocated once (several MiB) and reused for every search.
pub struct ThreadData {
    pub(super) histories: Histories,
    pub(super) corrections: Arc<CorrectionHistory>,
    pub(super) frames: Frames,
    pub(super) pv: PvTable,
    pub(super) keys: KeyHistory,
    pub(super) evaluation: Evaluation,
}

impl ThreadData {
    /// Allocates empty tables beside those that are shared.
    pub fn new(shared: SharedHistories) -> Self {
        Self {
            histories: Histories::new(shared.pawn),
            corrections: shared.corrections,
            frames: Frames::new(),
            pv: PvTable::new(),
            keys: KeyHistory::new(),
            evaluation: Evaluation::new(&Source::Network(Arc::clone(Network::embedded()))),
        }
    }

    /// Clears what is the thread's own, as for a new game.
    pub fn clear(&mut self) {
        self.histories.clear();
        self.frames.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Params;
    use frame::PieceTo;
    use nullarbor_chess::board::Position;

    #[test]
    fn what_one_thread_learns_another_knows_until_it_is_cleared() {
        let histories = SharedHistories::new(3);
        let (one, other) = (ThreadData::new(histories.clone()), ThreadData::new(histories.clone()));
        let (position, last) = (Position::start(), (PieceTo::NONE, PieceTo::NONE));
        let correction = || other.corrections.get(&position, last, &Params::default());
        one.corrections.update(&position, last, 256);
        assert!(correction() > 0);
        histories.clear();
        assert_eq!(correction(), 0);
    }
}
