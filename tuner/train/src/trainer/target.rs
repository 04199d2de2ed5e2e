//! The target of training and the loss.

use nullarbor::types::Score;
use serde::{Deserialize, Serialize};

use super::example::Example;

/// The default [`scale`](Target::scale): at 500 nodes a move it predicts the results of games best, with any number of pieces.
pub const DEFAULT_SCALE: f32 = 135.0;
/// The maximum win probability of a label: a certain win has no score.
const CERTAIN: f32 = 0.999;
/// Centipawns per unit of a network's output while it is trained.
pub const UNIT: f32 = 400.0;

/// The function of the prediction and the target that training minimises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// Cross-entropy: where labels carry results of games, it weights each position by how certain its label is
    #[default]
    #[serde(alias = "cross-entropy")]
    #[value(alias = "cross_entropy")]
    CrossEntropy,
    /// Mean squared error of the win probability
    Mse,
}

impl Loss {
    /// The loss of trainings that did not choose one.
    pub fn of_old() -> Self {
        Self::Mse
    }

    /// Returns the name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::CrossEntropy => "cross-entropy",
            Self::Mse => "MSE",
        }
    }
}

/// The target of training: the win probability of an example's label.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// The loss.
    pub loss: Loss,
    /// Centipawns of the win probability 73 %.
    pub scale: f32,
}

impl Target {
    /// Returns the win probability that the network is trained to predict, from 0 to 1.
    pub fn of(&self, example: &Example) -> f32 {
        probability(example.score(), self.scale)
    }

    /// Returns the win probability of an output.
    pub fn predicted(&self, output: f32) -> f32 {
        sigmoid(output * (UNIT / self.scale))
    }

    /// Returns the derivative of the loss by the output.
    pub fn derivative(&self, predicted: f32, target: f32) -> f32 {
        let error = predicted - target;
        let by_probability = match self.loss {
            Loss::CrossEntropy => error,
            Loss::Mse => 2.0 * error * predicted * (1.0 - predicted),
        };
        by_probability * (UNIT / self.scale)
    }
}

/// Returns the squared error of a predicted win probability: the figure that is reported, whatever the loss.
pub fn squared_error(predicted: f32, target: f32) -> f64 {
    f64::from((predicted - target).powi(2))
}

/// Returns the win probability of a score in centipawns.
pub fn probability(centipawns: f32, scale: f32) -> f32 {
    sigmoid(centipawns / scale)
}

/// Returns the score of a win probability: that of a certain game is finite.
pub fn score(probability: f32, scale: f32) -> Score {
    let probability = probability.clamp(1.0 - CERTAIN, CERTAIN);
    Score((scale * (probability / (1.0 - probability)).ln()).round() as i32)
}

/// Returns the logistic function.
pub fn sigmoid(output: f32) -> f32 {
    1.0 / (1.0 + (-output).exp())
}
