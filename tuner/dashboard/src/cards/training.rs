//! Trainings under way: losses over examples.

use std::path::Path;

use maud::html;
use nullarbor_report::plot::Chart;
use nullarbor_train::trainer::checkpoint::{Checkpoint, EpochMetrics};

use super::{Shown, charts, figures, name};

pub(super) fn show(path: &Path) -> Shown {
    let metrics = Checkpoint::metrics_of(path).ok_or("the checkpoint cannot be read")?;
    let last = metrics.last();
    let facts = [
        ("epochs", metrics.len().to_string()),
        ("training loss", last.map_or_else(String::new, |it| format!("{:.6}", it.training_loss))),
        (
            "validation loss",
            last.map_or_else(String::new, |it| format!("{:.6}", it.validation_loss)),
        ),
    ];
    Ok((name(path), false, html! { (figures(&facts)) (charts(&[losses(&metrics)])) }))
}

/// Returns a chart of the losses of a training.
pub(super) fn losses(metrics: &[EpochMetrics]) -> Chart {
    let line = |of: fn(&EpochMetrics) -> f64| {
        metrics.iter().map(move |epoch| (epoch.examples as f64 / 1e6, of(epoch)))
    };
    Chart::new("Losses", "million positions", "squared error")
        .line("training", line(|epoch| epoch.training_loss))
        .line("validation", line(|epoch| epoch.validation_loss))
}
