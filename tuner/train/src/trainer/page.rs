//! A training run as sections: all of them are its HTML page, the first its card in the dashboard.

use nullarbor_report::html::{self, Head};
use nullarbor_report::plot::Chart;
use nullarbor_report::section::Section;
use nullarbor_report::table::Table;

use super::checkpoint::{Checkpoint, EpochMetrics};
use super::evaluate::Evaluation;
use super::judge::report::{self, Judged};
use super::settings::TrainSettings;

/// Points of the curve of the learning rate.
const POINTS: u64 = 200;

/// Returns the page of a training run whose epochs take `positions` positions each.
pub fn page(
    head: &Head,
    settings: &TrainSettings,
    positions: usize,
    state: &Checkpoint,
    evaluation: &Evaluation,
) -> String {
    let loss = overview(&state.metrics)
        .charts([learning_rate(settings, positions)])
        .text("Mean squared error of the win probability. Validation is on games that are held out: where it rises while the training loss falls, the network overfits.")
        .tables([epochs(&state.metrics)]);
    let evaluation =
        Section::new("Evaluation").text(evaluation.line()).tables([evaluation.table()]);
    let sections: Vec<Section> = [loss, evaluation].into_iter().chain(judge(state)).collect();
    html::page(head, &sections)
}

/// Returns the losses so far.
pub fn overview(metrics: &[EpochMetrics]) -> Section {
    let last = |of: fn(&EpochMetrics) -> f64| {
        metrics.last().map_or_else(String::new, |epoch| format!("{:.6}", of(epoch)))
    };
    Section::default()
        .figures([
            ("Epochs", metrics.len().to_string()),
            ("Training loss", last(|epoch| epoch.training_loss)),
            ("Validation loss", last(|epoch| epoch.validation_loss)),
        ])
        .charts([losses(metrics)])
}

/// Returns a chart of the losses of a training.
pub fn losses(metrics: &[EpochMetrics]) -> Chart {
    let curve = |of: fn(&EpochMetrics) -> f64| {
        metrics.iter().map(move |epoch| (millions(epoch.examples), of(epoch)))
    };
    Chart::new("Loss", "million positions", "loss")
        .line("training", curve(|epoch| epoch.training_loss))
        .line("validation", curve(|epoch| epoch.validation_loss))
}

fn epochs(metrics: &[EpochMetrics]) -> Table {
    let row = |(epoch, number): (&EpochMetrics, u64)| {
        let (seen, validation) = (millions(epoch.examples), epoch.validation_loss);
        [
            number.to_string(),
            format!("{seen:.2}"),
            format!("{validation:.6}"),
            format!("{:.6}", epoch.training_loss),
        ]
    };
    let head = ["epoch", "million positions", "validation", "training"];
    Table::new("Epochs", head, metrics.iter().zip(1..).map(row))
}

/// The figures after each epoch, if the networks were judged.
fn judge(state: &Checkpoint) -> Option<Section> {
    let judged = state.judged.iter().map(|(epoch, figures)| Judged {
        network: format!("epoch {epoch}"),
        fingerprint: None,
        figures: figures.clone(),
        changes: Vec::new(),
    });
    let judged: Vec<Judged> = judged.collect();
    let epochs = state.judged.keys().map(|&epoch| epoch as f64);
    let course = report::course("epoch", epochs.zip(state.judged.values()));
    (!judged.is_empty())
        .then(|| Section::new("Judge").charts(course).tables([report::summary(&judged)]))
}

/// The learning rate over the whole run, the epochs to come included.
fn learning_rate(settings: &TrainSettings, positions: usize) -> Chart {
    let schedule = settings.schedule(positions);
    let batch = settings.batch(positions) as u64;
    let batches = (0..schedule.steps).step_by((schedule.steps / POINTS).max(1) as usize);
    let rates =
        batches.map(|number| (millions(number * batch), f64::from(schedule.learning_rate(number))));
    Chart::new("Learning rate", "million positions", "learning rate")
        .from_zero()
        .line("learning rate", rates)
}

fn millions(positions: u64) -> f64 {
    positions as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::filter::Filter;
    use crate::trainer::judge::Figures;
    use crate::trainer::judge::JudgeSet;
    use crate::trainer::judge::set::Labelled;
    use crate::trainer::model::{Model, Shape};
    use crate::trainer::quantise::Quantised;
    use crate::trainer::testing::random_positions;

    #[test]
    fn every_epoch_is_shown() {
        let epoch = |number: u64| EpochMetrics {
            examples: number,
            training_loss: 0.05,
            validation_loss: 0.06,
            standard_error: None,
        };
        let evaluation = Evaluation { factor: 1.0, loss: 0.0042, buckets: Default::default() };
        let settings = TrainSettings {
            datasets: Vec::new(),
            shape: Shape { hidden: 32, king_buckets: 1, output_buckets: 1 },
            from: None,
            keep_of: None,
            epochs: 2,
            accept: 1.0,
            batch: None,
            learning_rate: 0.002,
            final_share: 0.01,
            weight_decay: 0.01,
            td: 0.0,
            td_endgame: None,
            siblings: 0,
            preference: 0.0,
            epsilon: 1e-8,
            factoriser: 0.0,
            keep: 0.0,
            lambda: 0.0,
            scale: None,
            loss: Default::default(),
            filter: Filter::default(),
            seed: 1,
        };
        let model = Model::random(settings.shape, 1);
        let network = Quantised::new(&model, 400);
        let mut state = Checkpoint::begin(model);
        state.metrics = vec![epoch(1_000_000), epoch(2_000_000)];
        let draw =
            |state: &Checkpoint| page(&Head::default(), &settings, 1_000_000, state, &evaluation);
        assert!(!draw(&state).contains("Judge"));
        let positions = random_positions(50, 1);
        let label = |(number, it)| Labelled::new(it, number as f64);
        let met = positions.iter().enumerate().map(label).collect();
        let figures = Figures::of(&network, &JudgeSet { met, ..JudgeSet::default() });
        state.judged.insert(2, figures);
        let page = draw(&state);
        assert!(page.contains("Judge") && page.contains("<td>epoch 2</td>"));
        for part in ["0.004200", "<td>29-32</td>", "<td>2</td><td>2.00</td><td>0.060000</td>"] {
            assert!(page.contains(part), "{part}");
        }
        for name in ["training", "validation", "learning rate"] {
            assert!(page.contains(&format!(">{name} <span")), "{name}");
        }
    }
}
