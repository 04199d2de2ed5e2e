//! Generations of networks.

use std::path::Path;

use maud::html;
use nullarbor_breed::page::{charts as generation_charts, generations};
use nullarbor_breed::run::read_state;
use nullarbor_breed::{Config, Folder, under_way};
use nullarbor_report::plot::Chart;
use nullarbor_report::table::{Table, grouped};

use super::training::losses;
use super::{Shown, charts, figures, name, table};

pub(super) fn show(path: &Path) -> Shown {
    let folder = Folder(path.to_owned());
    let state = read_state(&folder)?;
    let config = Config::read(&folder.config())?;
    let now = under_way::describe(&folder, &state.next(config.anchors.every));
    let facts = [
        ("generation", state.generation().to_string()),
        ("now", now),
        ("rejections in a row", state.rejections.to_string()),
    ];
    let mut drawn: Vec<Chart> = generation_charts(&state).into();
    let trained = state.cycles.iter().rev().find_map(|cycle| cycle.trained.as_ref());
    drawn.extend(trained.map(|trained| losses(&trained.epochs)));
    let row = |cycle: &nullarbor_breed::state::Cycle| {
        let games = cycle.games.as_ref()?;
        let sum = games.pieces.iter().sum::<u64>().max(1) as f64;
        let share = |range: std::ops::Range<usize>| {
            let part: u64 = games.pieces[range].iter().sum();
            format!("{:.0} %", 100.0 * part as f64 / sum)
        };
        let cycle = games.cycle.to_string();
        Some([
            cycle,
            grouped(games.counts.games),
            grouped(games.counts.kept),
            share(0..2),
            share(2..4),
            share(4..6),
            share(6..8),
        ])
    };
    let head = ["cycle", "games", "kept positions", "to 8 pieces", "to 16", "to 24", "to 32"];
    let composition =
        Table::new("Composition of the games", head, state.cycles.iter().filter_map(row));
    let body = html! {
        (figures(&facts)) (charts(&drawn)) (table(&generations(&state))) (table(&composition))
    };
    Ok((name(path), false, body))
}
