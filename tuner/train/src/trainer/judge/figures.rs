//! The errors of a network on a set of labelled positions.
//!
//! All errors are of the win probability: `1 / (1 + exp(-cp / 180))` of a label, and the same of the network's centipawns with the
//! scale at which its error is least. So the scale of a network does not matter.

use nullarbor::eval::nnue::features::output_bucket;
use nullarbor::eval::nnue::format::MAX_OUTPUT_BUCKETS;
use nullarbor::types::Colour;
use serde::{Deserialize, Serialize};

use super::set::{JudgeSet, Labelled};
use crate::trainer::evaluate::{BUCKETS, pieces};
use crate::trainer::quantise::Quantised;

/// The logistic scale of labels, in centipawns.
pub const LABEL_SCALE: f64 = 180.0;
/// The scales that are tried for the centipawns of a network, and the step between them.
pub(super) const SCALES: (std::ops::Range<u32>, usize) = (40..500, 4);
/// The same for the positions of one output bucket, where an evaluation may be far off.
const BUCKET_SCALES: (std::ops::Range<u32>, usize) = (10..1000, 5);
/// Farther from 1/2 all win probabilities are the same.
const LOGIT_LIMIT: f64 = 30.0;
/// Siblings whose win probabilities are closer are in no order.
const CLOSE: f64 = 0.02;
/// Centipawns of a win probability at equality, for the scale of labels.
const CENTIPAWNS: f64 = 4.0 * LABEL_SCALE;
/// Standard errors in half of an interval of 95 %.
pub const INTERVAL: f64 = 1.96;

/// A figure with half of its interval of 95 %.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// Half of the interval.
    pub error: f64,
}

/// Some positions and the errors on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// The number of positions.
    pub positions: usize,
    /// The mean squared error; zero without positions.
    pub loss: f64,
    /// The mean error from the point of view of the side to move, in centipawns of labels at equality.
    pub bias: f64,
}

/// The errors on the positions of one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileFigures {
    /// The number of positions.
    pub positions: usize,
    /// The mean squared error.
    pub loss: Estimate,
    /// The scale at which it is least, in centipawns.
    pub scale: u32,
    /// Errors by piece count, in the buckets of [`pieces`].
    pub by_pieces: [Part; BUCKETS],
    /// Errors by the side to move: White, Black.
    pub by_mover: [Part; 2],
}

/// The figures of a network on groups of siblings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SiblingFigures {
    /// The number of groups.
    pub groups: usize,
    /// The share of pairs in the right order, weighted by the difference of their win probabilities.
    pub order: Estimate,
    /// The standard deviation of the error within a group, in centipawns of labels at equality: what a search sees from move to
    /// move of an error that changes with the move.
    pub noise: f64,
}

/// A scale that was fitted to the positions of an output bucket.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BucketScale {
    /// The number of positions.
    pub positions: usize,
    /// The scale, in centipawns; `None` without positions.
    pub scale: Option<u32>,
}

/// All figures of a network. Those of a file that the set lacks are `None`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// The scale of the network: that of the neutral positions; without them that of those met, or of the siblings.
    pub scale: u32,
    /// Figures on the positions met.
    pub met: Option<FileFigures>,
    /// Figures on the neutral positions.
    pub neutral: Option<FileFigures>,
    /// The correlation with the labels over the positions met with equal material.
    pub equal_material: Option<f64>,
    /// Figures on siblings.
    pub siblings: Option<SiblingFigures>,
    /// Scales by piece count, in eight buckets from few pieces to many, whatever the network has; all positions met and neutral.
    pub bucket_scales: [BucketScale; MAX_OUTPUT_BUCKETS],
}

/// A labelled position with the network's evaluation.
#[derive(Clone, Copy)]
pub(super) struct Point<'a> {
    position: &'a Labelled,
    /// Evaluation in centipawns for White.
    evaluation: f64,
    /// The win probability of the label.
    pub target: f64,
}

impl<'a> Point<'a> {
    fn new(network: &Quantised, position: &'a Labelled) -> Self {
        let value = network.evaluate_finely(&position.example.features(network.shape()));
        let evaluation = if position.mover == Colour::White { value } else { -value };
        Self { position, evaluation, target: win_probability(position.label, LABEL_SCALE) }
    }

    pub fn prediction(&self, scale: u32) -> f64 {
        win_probability(self.evaluation, scale.into())
    }

    fn error(&self, scale: u32) -> f64 {
        self.prediction(scale) - self.target
    }
}

pub(super) fn points<'a>(network: &Quantised, positions: &'a [Labelled]) -> Vec<Point<'a>> {
    positions.iter().map(|position| Point::new(network, position)).collect()
}

fn win_probability(centipawns: f64, scale: f64) -> f64 {
    1.0 / (1.0 + (-(centipawns / scale).clamp(-LOGIT_LIMIT, LOGIT_LIMIT)).exp())
}

impl Figures {
    /// Judges a network of any shape by a set.
    pub fn of(network: &Quantised, set: &JudgeSet) -> Self {
        let (met, neutral) = (points(network, &set.met), points(network, &set.neutral));
        let siblings: Vec<_> = set.siblings.iter().map(|it| points(network, it)).collect();
        let flat: Vec<Point<'_>> = siblings.iter().flatten().copied().collect();
        let scale = [&neutral, &met, &flat].into_iter().find_map(|it| fitted_scale(it, &SCALES));
        let scale = scale.unwrap_or(LABEL_SCALE as u32);
        let mut buckets: [Vec<Point<'_>>; MAX_OUTPUT_BUCKETS] = Default::default();
        for point in met.iter().chain(&neutral) {
            let pieces = point.position.example.piece_count();
            buckets[output_bucket(pieces, MAX_OUTPUT_BUCKETS)].push(*point);
        }
        let bucket_scale = |points: Vec<Point<'_>>| BucketScale {
            positions: points.len(),
            scale: fitted_scale(&points, &BUCKET_SCALES),
        };
        Self {
            scale,
            met: FileFigures::of(&met),
            neutral: FileFigures::of(&neutral),
            equal_material: correlation(&met, scale),
            siblings: SiblingFigures::of(&siblings, scale),
            bucket_scales: buckets.map(bucket_scale),
        }
    }

    /// Returns the error on the positions met.
    pub fn met_loss(&self) -> Option<f64> {
        self.met.as_ref().map(|met| met.loss.value)
    }

    /// Returns the error on neutral positions.
    pub fn neutral_loss(&self) -> Option<f64> {
        self.neutral.as_ref().map(|neutral| neutral.loss.value)
    }

    /// Returns the share of siblings in the right order.
    pub fn order(&self) -> Option<f64> {
        self.siblings.map(|siblings| siblings.order.value)
    }

    /// Describes the main figures in one line.
    pub fn line(&self) -> String {
        let loss = |loss: f64| format!("{loss:.4}");
        let share = |share: f64| format!("{share:.3}");
        let figures = [
            ("met", self.met_loss().map(loss)),
            ("neutral", self.neutral_loss().map(loss)),
            ("equal material r", self.equal_material.map(share)),
            ("order", self.order().map(share)),
        ];
        let known = figures.into_iter().filter_map(|(name, figure)| Some((name, figure?)));
        let known: Vec<String> = known.map(|(name, figure)| format!("{name} {figure}")).collect();
        format!("{}, scale {} cp", known.join(", "), self.scale)
    }
}

/// Returns the scale at which the mean squared error is least, the smallest of several; `None` without positions.
pub(super) fn fitted_scale(
    points: &[Point<'_>],
    scales: &(std::ops::Range<u32>, usize),
) -> Option<u32> {
    let (range, step) = scales.clone();
    let loss = |scale: u32| points.iter().map(|point| point.error(scale).powi(2)).sum::<f64>();
    let losses = range.step_by(step).map(|scale| (loss(scale), scale));
    let best = losses.min_by(|(one, _), (other, _)| one.total_cmp(other));
    best.map(|(_, scale)| scale).filter(|_| !points.is_empty())
}

impl FileFigures {
    fn of(points: &[Point<'_>]) -> Option<Self> {
        let scale = fitted_scale(points, &SCALES)?;
        let squares: Vec<f64> = points.iter().map(|it| it.error(scale).powi(2)).collect();
        let loss = mean(&squares);
        let variance = mean(&squares.iter().map(|it| (it - loss).powi(2)).collect::<Vec<_>>());
        let error = INTERVAL * (variance / squares.len() as f64).sqrt();
        let pieces = |bucket: usize| {
            let [least, most] = pieces(bucket);
            Part::of(points, scale, |it| (least..=most).contains(&it.example.piece_count()))
        };
        Some(Self {
            positions: points.len(),
            loss: Estimate { value: loss, error },
            scale,
            by_pieces: std::array::from_fn(pieces),
            by_mover: Colour::ALL.map(|colour| Part::of(points, scale, |it| it.mover == colour)),
        })
    }

    /// Returns the errors on the positions of both sides.
    pub fn all(&self) -> Part {
        let weighted = |of: fn(&Part) -> f64| {
            let sum: f64 = self.by_mover.iter().map(|part| part.positions as f64 * of(part)).sum();
            sum / self.positions.max(1) as f64
        };
        let [loss, bias] = [weighted(|part| part.loss), weighted(|part| part.bias)];
        Part { positions: self.positions, loss, bias }
    }
}

impl Part {
    fn of(points: &[Point<'_>], scale: u32, is_in: impl Fn(&Labelled) -> bool) -> Self {
        let mut part = Self::default();
        for point in points.iter().filter(|point| is_in(point.position)) {
            let error = point.error(scale);
            let side = if point.position.mover == Colour::White { 1.0 } else { -1.0 };
            part.positions += 1;
            part.loss += error * error;
            part.bias += side * error * CENTIPAWNS;
        }
        let count = part.positions.max(1) as f64;
        Self { loss: part.loss / count, bias: part.bias / count, ..part }
    }
}

/// Returns the correlation of predictions and targets over positions with equal material; `None` if it has no meaning.
fn correlation(points: &[Point<'_>], scale: u32) -> Option<f64> {
    let equal = points.iter().filter(|point| point.position.is_equal_material);
    let pairs: Vec<(f64, f64)> = equal.map(|it| (it.prediction(scale), it.target)).collect();
    let (x, y): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let (mean_x, mean_y) = (mean(&x), mean(&y));
    let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
        pairs.iter().map(|(x, y)| of(x - mean_x, y - mean_y)).sum()
    };
    let r = sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt();
    r.is_finite().then_some(r)
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

impl SiblingFigures {
    fn of(groups: &[Vec<Point<'_>>], scale: u32) -> Option<Self> {
        let pairs: Vec<[f64; 2]> = groups.iter().map(|group| ordered(group, scale)).collect();
        let [right, total] = [0, 1].map(|part| pairs.iter().map(|pair| pair[part]).sum::<f64>());
        let order = right / total;
        // The error of a ratio, linearised.
        let square = |[right, total]: &[f64; 2]| (right - order * total).powi(2);
        let error = INTERVAL * pairs.iter().map(square).sum::<f64>().sqrt() / total;
        let mut squares = 0.0;
        for group in groups {
            let errors: Vec<f64> = group.iter().map(|point| point.error(scale)).collect();
            let mean = mean(&errors);
            squares += errors.iter().map(|error| (error - mean).powi(2)).sum::<f64>();
        }
        let freedom: usize = groups.iter().map(|group| group.len().saturating_sub(1)).sum();
        let noise = CENTIPAWNS * (squares / freedom as f64).sqrt();
        let order = Estimate { value: order, error };
        (total > 0.0).then_some(Self { groups: groups.len(), order, noise })
    }
}

/// Returns the weights of all pairs in the right order, and of all pairs.
fn ordered(group: &[Point<'_>], scale: u32) -> [f64; 2] {
    let (mut right, mut total) = (0.0, 0.0);
    for (number, one) in group.iter().enumerate() {
        for other in &group[number + 1..] {
            let difference = one.target - other.target;
            if difference.abs() <= CLOSE {
                continue;
            }
            total += difference.abs();
            if (one.prediction(scale) - other.prediction(scale)) * difference > 0.0 {
                right += difference.abs();
            }
        }
    }
    [right, total]
}

#[cfg(test)]
mod tests {
    use nullarbor::board::Position;

    use super::*;
    use crate::trainer::testing::{network, random_positions};

    /// Positions that are labelled with what a function makes of the network's evaluation for White.
    fn labelled(
        network: &Quantised,
        seed: u64,
        label: impl Fn(usize, f64) -> f64,
    ) -> Vec<Labelled> {
        let label = |(number, position): (usize, &Position)| {
            let bare = Labelled::new(position, 0.0);
            let evaluation = Point::new(network, &bare).evaluation;
            Labelled::new(position, label(number, evaluation))
        };
        random_positions(400, seed).iter().enumerate().map(label).collect()
    }

    #[test]
    fn a_network_that_agrees_up_to_its_scale_has_no_error() {
        let network = network();
        let set = JudgeSet {
            met: labelled(&network, 1, |_, cp| cp * LABEL_SCALE / 120.0),
            neutral: labelled(&network, 2, |_, cp| cp * LABEL_SCALE / 200.0),
            siblings: labelled(&network, 3, |_, cp| cp).chunks(8).map(<[_]>::to_vec).collect(),
        };
        let found = Figures::of(&network, &set);
        let (met, neutral) = (found.met.expect("met"), found.neutral.expect("neutral"));
        assert_eq!((met.scale, neutral.scale, found.scale), (120, 200, 200));
        assert!(met.loss.value < 1e-12 && neutral.loss.value < 1e-12);
        let siblings = found.siblings.expect("siblings");
        assert_eq!((siblings.order.value, siblings.groups), (1.0, 50));
        assert!(siblings.order.error < 1e-9);
        assert!(
            found
                .bucket_scales
                .iter()
                .all(|bucket| { bucket.scale.is_none_or(|scale| (120..=200).contains(&scale)) })
        );
    }

    #[test]
    fn a_bias_is_for_the_side_to_move() {
        let network = network();
        let moved = |positions: Vec<Labelled>, by: f64| -> Vec<Labelled> {
            let side = |it: &Labelled| if it.mover == Colour::White { by } else { -by };
            positions.into_iter().map(|it| Labelled { label: it.label - side(&it), ..it }).collect()
        };
        // So that all positions are near equality, where the bias is measured in centipawns.
        let near = labelled(&network, 4, |_, cp| cp * LABEL_SCALE / 144.0);
        let near: Vec<Labelled> = near.into_iter().filter(|it| it.label.abs() < 60.0).collect();
        assert!(near.len() > 40, "{}", near.len());
        let set = JudgeSet { met: moved(near, 21.0), ..JudgeSet::default() };
        let met = Figures::of(&network, &set).met.expect("met");
        for part in met.by_mover.into_iter().chain([met.all()]) {
            assert!((15.0..27.0).contains(&part.bias), "{met:?}");
        }
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        let network = network();
        let label =
            |number: usize, cp: f64| cp + if number.is_multiple_of(2) { 80.0 } else { -40.0 };
        let set = JudgeSet { met: labelled(&network, 5, label), ..JudgeSet::default() };
        let met = Figures::of(&network, &set).met.expect("met");
        let weigh = |part: &Part| part.positions as f64 * part.loss;
        let sum = met.by_pieces.iter().map(weigh).sum::<f64>() / 400.0;
        assert!((sum - met.loss.value).abs() < 1e-12 && met.loss.value > 1e-4, "{met:?}");
        assert!((met.all().loss - met.loss.value).abs() < 1e-12);
        assert_eq!(met.by_pieces.iter().map(|part| part.positions).sum::<usize>(), 400);
        assert_eq!(met.all().positions, 400);
    }

    #[test]
    fn what_a_set_lacks_is_left_out() {
        let network = network();
        let none = Figures::of(&network, &JudgeSet::default());
        assert_eq!(
            (none.met, none.neutral, none.equal_material, none.siblings),
            (None, None, None, None)
        );
        let single = labelled(&network, 6, |_, cp| cp).into_iter().map(|it| vec![it]).collect();
        let set = JudgeSet { siblings: single, ..JudgeSet::default() };
        assert_eq!(Figures::of(&network, &set).siblings, None, "no pairs");
    }

    #[test]
    fn noise_is_what_differs_within_a_group() {
        let network = network();
        let groups = |shift: &dyn Fn(usize) -> f64| -> JudgeSet {
            let all = labelled(&network, 7, |number, cp| 1.25 * cp + shift(number));
            let near = |group: &[Labelled]| {
                let few = group.iter().filter(|it| it.label.abs() < 150.0);
                few.copied().collect::<Vec<_>>()
            };
            JudgeSet { siblings: all.chunks(8).map(near).collect(), ..JudgeSet::default() }
        };
        let noise = |set| Figures::of(&network, &set).siblings.expect("siblings").noise;
        let common = noise(groups(&|number| if number / 8 % 2 == 0 { 20.0 } else { -20.0 }));
        let own = noise(groups(&|number| if number % 2 == 0 { 20.0 } else { -20.0 }));
        assert!(common < 6.0 && (15.0..25.0).contains(&own), "{common} and {own}");
    }
}
