//! The target of training.

use super::example::Example;

/// The target of training: a blend of the search's score and the result of the game (WDL blend).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// The weight of the game's result, from 0 to 1.
    pub lambda: f32,
    /// Centipawns per unit of output.
    pub scale: f32,
}

impl Target {
    /// Returns the win probability that the network is trained to predict, from 0 to 1.
    pub fn of(&self, example: &Example) -> f32 {
        let searched = sigmoid(example.score() / self.scale);
        self.lambda * example.result() + (1.0 - self.lambda) * searched
    }
}

/// Returns the win probability of an output.
pub fn sigmoid(output: f32) -> f32 {
    1.0 / (1.0 + (-output).exp())
}
