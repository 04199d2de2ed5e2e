//! What the table says of a node, made safe to use.

use crate::board::Position;
use crate::search::worker::Search;
use crate::table::Entry;
use crate::types::{Bound, Depth, Move, Ply, Score};

/// From this clock on a score from the table may come from a path with more moves left before the
/// fifty-move rule, so it cuts nothing off.
const UNSAFE_CLOCK: usize = 90;

/// An entry, its move known to be legal and its mate counted from the root.
#[derive(Clone, Copy, Debug)]
pub struct TableFacts {
    /// `Move::NONE` if there is none.
    pub mv: Move,
    /// `Score::NONE` if there is none.
    pub score: Score,
    /// Raw evaluation; `Score::NONE` if there is none.
    pub eval: Score,
    /// `None` if there is no entry.
    pub depth: Option<Depth>,
    /// What the score means.
    pub bound: Bound,
    /// A principal variation has passed here.
    pub was_pv: bool,
}

impl TableFacts {
    /// Nothing is known.
    pub const NOTHING: Self = Self {
        mv: Move::NONE,
        score: Score::NONE,
        eval: Score::NONE,
        depth: None,
        bound: Bound::None,
        was_pv: false,
    };

    /// Whether there was an entry.
    pub fn is_hit(&self) -> bool {
        self.depth.is_some()
    }

    /// Whether the score tells on which side of `limit` the value lies.
    pub fn decides(&self, limit: Score) -> bool {
        self.score.is_some() && self.bound.decides(self.score, limit)
    }

    /// Whether the score may stand for a search of `depth` with this `beta`: to fail high on an entry it must be one
    /// ply deeper.
    pub fn cuts(&self, depth: Depth, beta: Score, position: &Position) -> bool {
        let slack = i32::from(self.score <= beta);
        self.decides(beta)
            && self.depth.is_some_and(|known| known + slack > depth)
            && position.halfmove_clock() < UNSAFE_CLOCK
    }
}

impl Search<'_> {
    /// Looks a position up. A move from another position with the same key is dropped.
    pub(super) fn consult_table(&self, position: &Position, ply: Ply) -> TableFacts {
        let Some(entry) = self.job.table.probe(position.key()) else {
            return TableFacts::NOTHING;
        };
        let legal = entry.mv.is_some() && position.is_legal(entry.mv);
        TableFacts {
            mv: if legal { entry.mv } else { Move::NONE },
            score: entry.score.from_table(ply, position.halfmove_clock()),
            eval: entry.eval,
            depth: Some(entry.depth),
            bound: entry.bound,
            was_pv: entry.was_pv,
        }
    }

    /// Keeps what is known of a position.
    pub(super) fn store(&self, position: &Position, ply: Ply, facts: &TableFacts) {
        let entry = Entry {
            mv: facts.mv,
            score: if facts.score.is_some() { facts.score.to_table(ply) } else { Score::NONE },
            eval: facts.eval,
            depth: facts.depth.unwrap_or(Depth::ZERO),
            bound: facts.bound,
            was_pv: facts.was_pv,
        };
        self.job.table.store(position.key(), entry);
    }
}
