//! Progress of the step under way, from the files that it writes.

use nullarbor_games::matches::journal;
use nullarbor_report::table::grouped;
use nullarbor_stats::{GameResult, PairCounts};
use nullarbor_train::data::self_play;

use crate::event::elo;
use crate::folder::Folder;
use crate::state::{Cycle, Step};

/// Describes how far a step of a cycle is; `None` where nothing is known.
pub fn describe(folder: &Folder, step: &Step, cycle: &Cycle) -> Option<String> {
    let number = cycle.begun.cycle;
    match step {
        Step::Games => {
            let counts = self_play::existing(&folder.games(number)).ok()?;
            let [kept, wanted] = [counts.kept, cycle.begun.positions].map(grouped);
            Some(format!("{}, {kept} of {wanted} positions", grouped(counts.games)))
        }
        Step::Train => {
            Some(format!("{}.html shows the epochs so far", folder.candidate(number).display()))
        }
        Step::Nodes => Some(elo(&pairs(folder, number, "nodes")?)),
        Step::Clock => Some(elo(&pairs(folder, number, "clock")?)),
        _ => None,
    }
}

/// Returns the pairs of a match of which both games are finished.
fn pairs(folder: &Folder, cycle: u64, gate: &str) -> Option<PairCounts> {
    let mut games = journal::games(&folder.gate(cycle, gate)).ok()?;
    games.sort_unstable_by_key(|game| game.number());
    let mut pairs = PairCounts::default();
    for two in games.windows(2).filter(|two| two[0].pair == two[1].pair) {
        let results: [GameResult; 2] = [two[0].result(), two[1].result()];
        pairs.add(results[0], results[1]);
    }
    Some(pairs)
}
