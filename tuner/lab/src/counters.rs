//! The engine's null-move counters, as files and tables have them.

use nullarbor::search::null_move::{Counts, Verification};

/// One of the engine's null-move counters.
pub struct Counter {
    /// Name in CSV and JSON.
    pub key: &'static str,
    /// Column heading.
    pub heading: &'static str,
    /// Description of the events that it counts.
    pub meaning: &'static str,
    /// Reads it.
    pub value: fn(&Counts) -> u64,
}

/// All null-move counters, in the order of files and tables.
pub const COUNTERS: [Counter; 7] = [
    Counter {
        key: "attempts",
        heading: "attempts",
        meaning: "null-move searches: the side to move passes, and the opponent's reply is searched at reduced depth",
        value: |counts| counts.attempts,
    },
    Counter {
        key: "cutoffs",
        heading: "cutoffs",
        meaning: "attempts that cut: passing reaches beta, and the node is left, at once or after a verification",
        value: |counts| counts.cutoffs,
    },
    Counter {
        key: "verifications",
        heading: "verifications",
        meaning: "fail-highs that a search with moves has to confirm: another one, or that of the node, less deep (verified null-move pruning)",
        value: |counts| counts.verifications,
    },
    Counter {
        key: "overturned",
        heading: "verification failed",
        meaning: "verifications that stayed below beta: the node is searched in full",
        value: |counts| counts.overturned,
    },
    Counter {
        key: "zugzwangs",
        heading: "zugzwang",
        meaning: "nodes searched again because passing failed high and no move did",
        value: |counts| counts.zugzwangs,
    },
    Counter {
        key: "threats",
        heading: "threats",
        meaning: "attempts in which the opponent mates the side that passed",
        value: |counts| counts.threats,
    },
    Counter {
        key: "fail_highs",
        heading: "fail-highs",
        meaning: "attempts that reach beta, whatever comes of it",
        value: |counts| counts.fail_highs,
    },
];

/// Returns counters as numbers, in the order of [`COUNTERS`].
pub fn numbers(counts: &Counts) -> [u64; COUNTERS.len()] {
    COUNTERS.map(|counter| (counter.value)(counts))
}

/// Returns the counters that [`numbers`] returned. Before fail-highs were counted, those after which the node was searched less
/// deep counted as cutoffs.
pub fn from_numbers(numbers: &[u64], verification: Verification) -> Counts {
    let at = |index: usize| numbers.get(index).copied().unwrap_or(0);
    let counts = Counts {
        attempts: at(0),
        cutoffs: at(1),
        verifications: at(2),
        overturned: at(3),
        zugzwangs: at(4),
        threats: at(5),
        fail_highs: at(6),
    };
    if numbers.len() >= COUNTERS.len() {
        return counts;
    }
    let reduced = if verification.reduces() { counts.verifications } else { 0 };
    let fail_highs = counts.cutoffs.saturating_add(counts.overturned);
    Counts { fail_highs, cutoffs: counts.cutoffs.saturating_sub(reduced), ..counts }
}
