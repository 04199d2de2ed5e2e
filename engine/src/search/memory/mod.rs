//! What a thread remembers: histories from search to search, and the stack of frames from node to
//! node.

pub mod correction;
pub mod frame;
pub mod history;
pub mod picker;
pub mod pv;

use std::sync::Arc;

use correction::CorrectionHistory;
use frame::Frames;
use history::Histories;
use pv::PvTable;

use crate::board::KeyHistory;
use crate::eval::nnue::Network;
use crate::eval::{Evaluation, Source};

/// The memory of one thread, allocated once (several MiB) and reused for every search.
pub struct ThreadData {
    pub(super) histories: Histories,
    pub(super) corrections: CorrectionHistory,
    pub(super) frames: Frames,
    pub(super) pv: PvTable,
    pub(super) keys: KeyHistory,
    pub(super) evaluation: Evaluation,
}

impl ThreadData {
    /// Allocates empty tables.
    pub fn new() -> Self {
        Self {
            histories: Histories::new(),
            corrections: CorrectionHistory::new(),
            frames: Frames::new(),
            pv: PvTable::new(),
            keys: KeyHistory::new(),
            evaluation: Evaluation::new(&Source::Network(Arc::clone(Network::embedded()))),
        }
    }

    /// Clears everything, as for a new game.
    pub fn clear(&mut self) {
        self.histories.clear();
        self.corrections.clear();
        self.frames.clear();
    }
}

impl Default for ThreadData {
    fn default() -> Self {
        Self::new()
    }
}
