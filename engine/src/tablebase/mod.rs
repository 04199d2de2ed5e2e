//! Syzygy tablebases: win, draw or loss (WDL) and the distance to zeroing the halfmove clock
//! (DTZ) of positions with few pieces.
//!
//! The tables and their encoding are R. de Man's; the crate `shakmaty-syzygy` reads them. `convert`
//! is the only place that knows its types besides this file, and `root` ranks root moves.

mod convert;
mod faults;
mod root;

use std::path::{Path, PathBuf};
use std::{fs, io};

use nullarbor_chess::board::Position;
use shakmaty::Chess;
use shakmaty_syzygy::{Metric, SyzygyError, Tablebase};
use thiserror::Error;

use convert::{convert, material};
use faults::Faults;
pub use root::{RootRank, rank};

/// The outcome of a position for the side to move, if the last move was a capture or pawn move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wdl {
    /// A loss.
    Loss = -2,
    /// A loss that the fifty-move rule turns into a draw.
    BlessedLoss,
    /// A draw.
    Draw,
    /// A win that the fifty-move rule turns into a draw.
    CursedWin,
    /// A win.
    Win,
}

/// A fault of a folder or a file of the path. The rest is used.
#[derive(Debug, Error)]
#[error("{path}: {source}", path = path.display())]
pub struct PathFault {
    path: PathBuf,
    source: io::Error,
}

/// The tablebases of some folders. Files are opened when they are first needed.
pub struct Tablebases {
    tables: Tablebase<Chess>,
    files: usize,
    faults: Faults,
}

impl Tablebases {
    /// The maximum number of pieces that tablebases exist for.
    pub const MAX_PIECES: usize = 7;

    /// Finds the tablebases in folders, separated as in the system's `PATH`, and returns what is wrong
    /// with others.
    pub fn open(path: &Path) -> (Self, Vec<PathFault>) {
        // SAFETY: Tables are mapped into memory and must not be changed by another program as long
        // as the engine runs. They are data that nobody edits; every engine maps them so. A damaged
        // or truncated table is only read within the bounds that it has when it is opened.
        #[cfg(target_pointer_width = "64")]
        let mut tables = unsafe { Tablebase::with_mmap_filesystem() };
        #[cfg(not(target_pointer_width = "64"))]
        let mut tables = Tablebase::new();
        let (mut files, mut faults) = (0, Vec::new());
        for folder in std::env::split_paths(path) {
            let listed = fs::read_dir(&folder)
                .and_then(|entries| entries.collect::<io::Result<Vec<_>>>())
                .map_err(|source| faults.push(PathFault { path: folder, source }));
            for entry in listed.unwrap_or_default() {
                match tables.add_file(entry.path()) {
                    Ok(()) => files += 1,
                    // Something that is no table by its name.
                    Err(error) if error.kind() == io::ErrorKind::InvalidInput => {}
                    Err(source) => faults.push(PathFault { path: entry.path(), source }),
                }
            }
        }
        (Self { tables, files, faults: Faults::default() }, faults)
    }

    /// Returns the number of files.
    pub fn files(&self) -> usize {
        self.files
    }

    /// Returns the number of pieces of the largest tablebase; 0 without any.
    pub fn max_pieces(&self) -> usize {
        self.tables.max_pieces()
    }

    /// Returns the outcome of a position, as if the last move had reset the halfmove clock; `None`
    /// if the tablebases do not have it.
    pub fn probe_wdl(&self, position: &Position) -> Option<Wdl> {
        self.probe(position, Metric::Wdl, |tables, chess| tables.probe_wdl_after_zeroing(chess))
            .map(convert::wdl)
    }

    /// Returns the number of plies to the next capture or pawn move with best play, positive if the
    /// side to move wins, negative if it loses, 0 for a draw; `None` if the tablebases do not have it.
    /// The distance may be one ply too small.
    pub fn probe_dtz(&self, position: &Position) -> Option<i32> {
        self.probe(position, Metric::Dtz, |tables, chess| tables.probe_dtz(chess))
            .map(|dtz| i32::from(dtz.ignore_rounding()))
    }

    /// Returns what is wrong with tablebases that were probed, each fault once.
    pub fn new_faults(&self) -> Vec<String> {
        self.faults.take()
    }

    fn probe<T>(
        &self,
        position: &Position,
        metric: Metric,
        probe: impl FnOnce(&Tablebase<Chess>, &Chess) -> Result<T, SyzygyError>,
    ) -> Option<T> {
        if position.occupied().count() > self.max_pieces() || !position.castling().rights.is_empty()
        {
            return None;
        }
        let table = (metric, material(position));
        if self.faults.is_known(table) {
            return None;
        }
        let found = probe(&self.tables, &convert(position)?);
        found.map_err(|error| self.faults.note(table, &error)).ok()
    }
}
