//! Text about a network: its metadata, and the result of training.

use super::checkpoint::{Checkpoint, EpochMetrics};
use super::evaluate::Evaluation;
use super::judge::Figures;
use super::model::Shape;
use super::quantise::QuantisationError;
use super::settings::{DatasetId, TrainSettings};

/// The validation loss must exceed the least one by this factor to count as overfitting.
const OVERFITTING: f64 = 1.003;

/// The result of training.
#[derive(Clone, Debug)]
pub struct Trained {
    /// The losses of each epoch.
    pub metrics: Vec<EpochMetrics>,
    /// The held-out loss of the network.
    pub evaluation: Evaluation,
    /// The figures of the network, if it was judged.
    pub judged: Option<Figures>,
    /// The error of the network's integers.
    pub quantisation: QuantisationError,
    /// Positions per second; `None` if all epochs were in the checkpoint.
    pub speed: Option<f64>,
}

impl Trained {
    /// Describes the result in lines.
    pub fn lines(&self) -> Vec<String> {
        let losses =
            self.metrics.last().map(|EpochMetrics { training_loss, validation_loss, .. }| {
                format!("validation loss {validation_loss:.6}, training loss {training_loss:.6}")
            });
        let overfitting = overfitting(&self.metrics).map(|(epoch, loss)| {
            format!(
                "overfitting: the validation loss was least after epoch {epoch} ({loss:.6}); use fewer epochs or more games"
            )
        });
        let QuantisationError { mean, max } = self.quantisation;
        let speed = self.speed.map(|speed| format!("{speed:.0} positions/s"));
        let measured = [
            Some(self.evaluation.line()),
            self.judged.as_ref().map(Figures::line),
            Some(format!("quantisation error {mean:.2} cp mean, {max:.1} max")),
        ];
        [losses, overfitting].into_iter().chain(measured).chain([speed]).flatten().collect()
    }
}

/// Returns the epoch, counted from 1, after which the validation loss was least, and that loss, if the final one is clearly
/// higher.
pub fn overfitting(metrics: &[EpochMetrics]) -> Option<(usize, f64)> {
    let last = metrics.last()?.validation_loss;
    let losses = metrics.iter().map(|epoch| epoch.validation_loss);
    let (epoch, least) = (1..).zip(losses).min_by(|(_, one), (_, other)| one.total_cmp(other))?;
    (least * OVERFITTING < last).then_some((epoch, least))
}

/// Returns the metadata of a network file, line by line: its shape, its training and its games.
pub fn metadata(
    settings: &TrainSettings,
    state: &Checkpoint,
    training: usize,
    positions: usize,
) -> Vec<String> {
    let Shape { hidden, king_buckets, output_buckets } = settings.shape;
    let TrainSettings {
        accept,
        learning_rate,
        final_share,
        weight_decay,
        epsilon,
        factoriser,
        td,
        td_endgame,
        siblings,
        preference,
        keep,
        lambda,
        loss,
        ..
    } = settings;
    let TrainSettings { seed, epochs, scale, from, keep_of, .. } = settings;
    let scale = scale.map_or("fitted to the results".to_owned(), |scale| scale.to_string());
    let from = from
        .map_or("random parameters".to_owned(), |fingerprint| format!("network {fingerprint:08x}"));
    let kept =
        keep_of.map_or(String::new(), |fingerprint| format!(" of network {fingerprint:08x}"));
    let batch = settings.batch(positions);
    let endgame = td_endgame.map_or(String::new(), |td| format!(", in endgames TD({td})"));
    let validation = state.metrics.last().map_or(f64::NAN, |epoch| epoch.validation_loss);
    let mut lines = vec![
        format!("(768 x {king_buckets} -> {hidden}) x 2 -> 1 x {output_buckets}, SCReLU, mirrored"),
        format!(
            "{training} positions, accept {accept}, {} of {epochs} epochs, batch size {batch}, learning rate {learning_rate} with cosine decay to {final_share} of it, weight decay {weight_decay}, epsilon {epsilon:e}, factoriser {factoriser}, TD({td}){endgame}, {siblings} siblings, preference {preference}, kept {keep}{kept}, lambda {lambda}, {} at {scale} cp, seed {seed}, from {from}",
            state.epochs,
            loss.name()
        ),
        format!("validation loss {validation:.6}"),
    ];
    lines.extend(settings.datasets.iter().map(DatasetId::describe));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overfitting_is_a_clear_rise_of_the_validation_loss() {
        let of = |losses: &[f64]| {
            let epoch = |&validation_loss: &f64| EpochMetrics {
                examples: 0,
                training_loss: 0.0,
                validation_loss,
                standard_error: None,
            };
            overfitting(&losses.iter().map(epoch).collect::<Vec<_>>())
        };
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[0.05, 0.04, 0.03]), None);
        assert_eq!(of(&[0.05, 0.0400, 0.0401]), None);
        assert_eq!(of(&[0.05, 0.0400, 0.0410]), Some((2, 0.04)));
    }
}
