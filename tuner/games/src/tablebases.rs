//! Adjudication by Syzygy tablebases.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nullarbor::board::Position;
use nullarbor::tablebase::{Tablebases, Wdl};
use nullarbor::types::Colour;
use thiserror::Error;

use crate::end::{End, Reason};

/// Why there is nothing to adjudicate by.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum TablesError {
    #[error("--tb {path}: {fault}")]
    Path { path: String, fault: String },
    #[error("--tb {path}: there are no Syzygy tablebases (.rtbw) in it")]
    None { path: String },
}

/// The tablebases that the command line names.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct TablesArgs {
    /// Adjudicate games after captures and pawn moves by the Syzygy tablebases in these folders, separated as in PATH
    #[arg(long, value_name = "FOLDERS", value_hint = clap::ValueHint::DirPath)]
    tb: Option<PathBuf>,
    /// Maximum number of pieces of a position that is probed [default: that of the largest tablebase]
    #[arg(long, value_name = "PIECES", requires = "tb", value_parser = clap::value_parser!(u64).range(3..=7))]
    tbpieces: Option<u64>,
}

impl TablesArgs {
    /// Finds the tablebases; `None` without `--tb`.
    ///
    /// # Errors
    /// As [`TableRule::open`].
    pub fn open(&self) -> Result<Option<TableRule>, TablesError> {
        let pieces = self.tbpieces.map(|pieces| pieces as usize);
        self.tb.as_ref().map(|path| TableRule::open(path, pieces)).transpose()
    }
}

/// Verdicts of tablebases that end a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct TableVerdicts {
    /// Tablebase results that end a game
    #[arg(
        long = "tbadjudicate",
        value_name = "OUTCOMES",
        requires = "tb",
        value_enum,
        default_value_t
    )]
    pub outcomes: Outcomes,
    /// Probe as if there were no fifty-move rule
    #[arg(long = "tbignore50", requires = "tb")]
    pub ignores_fifty: bool,
}

/// Results of tablebases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Outcomes {
    /// Wins and draws
    #[default]
    Both,
    /// Wins only
    WinLoss,
    /// Draws only
    Draw,
}

/// Tablebases that decide games.
#[derive(Clone)]
pub struct TableRule {
    tables: Arc<Tablebases>,
    /// The maximum number of pieces of a position that is probed.
    pub pieces: usize,
    verdicts: TableVerdicts,
}

/// Journals and summaries have this text: it says what differs from the default.
impl fmt::Debug for TableRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tables of up to {} pieces", self.tables.files(), self.pieces)?;
        f.write_str(match self.verdicts.outcomes {
            Outcomes::Both => "",
            Outcomes::WinLoss => ", wins alone",
            Outcomes::Draw => ", draws alone",
        })?;
        f.write_str(if self.verdicts.ignores_fifty { ", without the fifty-move rule" } else { "" })
    }
}

impl TableRule {
    /// Finds the tablebases in folders, separated as in the system's `PATH`. Positions of more than `pieces` are not probed.
    ///
    /// # Errors
    /// If a folder cannot be read, or there are no tablebases.
    pub fn open(path: &Path, pieces: Option<usize>) -> Result<Self, TablesError> {
        let text = || path.display().to_string();
        let (tables, faults) = Tablebases::open(path);
        if let Some(fault) = faults.first() {
            return Err(TablesError::Path { path: text(), fault: fault.to_string() });
        }
        if tables.max_pieces() == 0 {
            return Err(TablesError::None { path: text() });
        }
        let pieces = pieces.unwrap_or(Tablebases::MAX_PIECES).min(tables.max_pieces());
        let verdicts = TableVerdicts::default();
        Ok(Self { tables: Arc::new(tables), pieces, verdicts })
    }

    /// Returns the tablebases with other verdicts that end a game.
    #[must_use]
    pub fn with(self, verdicts: TableVerdicts) -> Self {
        Self { verdicts, ..self }
    }

    /// Returns the end of a game in this position, if the tablebases know it. They do so right after a capture or pawn move, as
    /// their outcomes assume that the halfmove clock is at 0: then the fifty-move rule is heeded exactly.
    pub fn end(&self, position: &Position) -> Option<End> {
        let is_exact = position.halfmove_clock() == 0 || self.verdicts.ignores_fifty;
        if !is_exact || position.occupied().count() > self.pieces {
            return None;
        }
        self.verdicts.end(self.tables.probe_wdl(position)?, position.side_to_move())
    }

    /// Returns what is wrong with tablebases that were probed, each fault once.
    pub fn new_faults(&self) -> Vec<String> {
        self.tables.new_faults()
    }
}

impl TableVerdicts {
    /// Returns the end of a game with this outcome for the side to move, if it ends the game.
    fn end(self, outcome: Wdl, mover: Colour) -> Option<End> {
        let won = |winner: Colour| End::won(winner, Reason::Tablebases);
        let end = match outcome {
            Wdl::Win => won(mover),
            Wdl::Loss => won(!mover),
            Wdl::CursedWin if self.ignores_fifty => won(mover),
            Wdl::BlessedLoss if self.ignores_fifty => won(!mover),
            Wdl::CursedWin | Wdl::Draw | Wdl::BlessedLoss => End::drawn(Reason::Tablebases),
        };
        let counts = match self.outcomes {
            Outcomes::Both => true,
            Outcomes::WinLoss => end.winner.is_some(),
            Outcomes::Draw => end.winner.is_none(),
        };
        counts.then_some(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_count_by_kind() {
        let winner = |outcomes, ignores_fifty, outcome| {
            let verdicts = TableVerdicts { outcomes, ignores_fifty };
            let end = verdicts.end(outcome, Colour::Black);
            end.map(|end| end.winner.map(Colour::from))
        };
        let (won, lost, drawn) = (Some(Some(Colour::Black)), Some(Some(Colour::White)), Some(None));
        for (outcomes, expected) in [
            (Outcomes::Both, [won, drawn, drawn, drawn, lost]),
            (Outcomes::WinLoss, [won, None, None, None, lost]),
            (Outcomes::Draw, [None, drawn, drawn, drawn, None]),
        ] {
            let all = [Wdl::Win, Wdl::CursedWin, Wdl::Draw, Wdl::BlessedLoss, Wdl::Loss];
            assert_eq!(all.map(|outcome| winner(outcomes, false, outcome)), expected);
        }
        assert_eq!(winner(Outcomes::WinLoss, true, Wdl::CursedWin), won);
        assert_eq!(winner(Outcomes::Both, true, Wdl::BlessedLoss), lost);
    }

    #[test]
    fn folders_without_tables_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let error = TableRule::open(folder.path(), None).expect_err("empty");
        assert!(matches!(error, TablesError::None { .. }), "{error}");
        let error = TableRule::open(&folder.path().join("none"), None).expect_err("no folder");
        assert!(error.to_string().contains("none"), "{error}");
    }

    #[test]
    #[allow(clippy::print_stderr)]
    fn the_fifty_move_rule_is_heeded() {
        let Some(path) = std::env::var_os("NULLARBOR_SYZYGY") else {
            eprintln!("skipped: NULLARBOR_SYZYGY names no folder with Syzygy tablebases");
            return;
        };
        let tables = TableRule::open(Path::new(&path), Some(4)).expect("tables");
        let end = |fen: &str| tables.end(&Position::from_fen(fen).expect(fen));
        let won = Some(End::won(Colour::White, Reason::Tablebases));
        assert_eq!(end("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1"), won);
        assert_eq!(end("4k3/8/8/8/8/8/8/Q3K3 b - - 0 1"), won);
        assert_eq!(end("4k3/8/8/8/8/8/8/Q3K3 w - - 1 1"), None, "the clock is running");
        let drawn = Some(End::drawn(Reason::Tablebases));
        assert_eq!(end("k7/8/P7/K7/8/8/8/8 b - - 0 1"), drawn);
        assert_eq!(end("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1"), None);
    }
}
