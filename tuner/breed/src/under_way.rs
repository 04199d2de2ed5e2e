//! Progress of the step under way, from the files that it writes.

use nullarbor_games::matches::journal;
use nullarbor_report::table::grouped;
use nullarbor_stats::{GameResult, PairCounts};
use nullarbor_train::data::self_play;

use crate::event::elo;
use crate::folder::Folder;
use crate::state::{Cycle, Gate, Stage, Step};

/// Describes a step, and how far it is as far as that is known.
pub fn describe(folder: &Folder, step: &Step<'_>) -> String {
    let Step::Cycle(cycle, stage) = step else { return step.title().to_owned() };
    let text = format!("cycle {}, {}", cycle.begun.cycle, stage.title());
    how_far(folder, cycle, stage).map_or(text.clone(), |how_far| format!("{text}: {how_far}"))
}

fn how_far(folder: &Folder, cycle: &Cycle, stage: &Stage<'_>) -> Option<String> {
    let number = cycle.begun.cycle;
    match stage {
        Stage::Games => {
            let counts = self_play::existing(&folder.games(number)).ok()?;
            let [kept, wanted] = [counts.kept, cycle.begun.positions].map(grouped);
            Some(format!("{}, {kept} of {wanted} positions", grouped(counts.games)))
        }
        Stage::Train => {
            Some(format!("{}.html shows the epochs so far", folder.candidate(number).display()))
        }
        Stage::Gate(Gate::Nodes, _) => Some(elo(&pairs(folder, number, "nodes")?)),
        Stage::Gate(Gate::Clock, _) => Some(elo(&pairs(folder, number, "clock")?)),
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
