//! Datasets.

use std::path::Path;

use maud::html;
use nullarbor_report::table::grouped;
use nullarbor_train::data::{Dataset, dataset};

use super::{Shown, figures, name, table};

pub(super) fn show(path: &Path) -> Shown {
    let found = Dataset::open(path)?;
    let counts = found.counts();
    let facts = [
        ("games", grouped(counts.games)),
        ("kept positions", grouped(counts.kept)),
        ("files", grouped(found.shards.len() as u64)),
    ];
    let body = html! {
        (figures(&facts)) p { (found.describe()) } (table(&dataset::table(&[found])))
    };
    Ok((name(path), true, body))
}
