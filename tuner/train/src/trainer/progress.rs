//! The progress of training, on standard error.

use std::time::Instant;

use indicatif::{HumanCount, ProgressBar};
use nullarbor_report::terminal;

use super::checkpoint::{EpochMetrics, Noise};

/// The weight of the newest batch in the running mean of the loss.
const NEWEST: f64 = 0.02;

/// There is a warning where the noise in centipawns is above this for certain.
const MOST_NOISE: f64 = 20.0;

/// A progress bar with the loss and the speed. It is removed when this is dropped.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    quiet: bool,
    /// Positions seen by this run.
    positions: u64,
    /// The running mean of the loss.
    loss: f64,
    begun: Instant,
}

impl Progress {
    /// Begins the progress of a number of optimiser steps, some of which are done already.
    pub fn new(steps: u64, done: u64, quiet: bool) -> Self {
        let bar = terminal::bar(steps, "batches{msg}", quiet);
        bar.set_position(done);
        bar.reset_eta();
        Self { bar, quiet, positions: 0, loss: f64::NAN, begun: Instant::now() }
    }

    /// Prints a line above the bar.
    pub fn say(&self, line: &str) {
        terminal::say(&self.bar, self.quiet, line);
    }

    /// Counts a batch with its mean loss.
    pub fn batch_done(&mut self, positions: usize, loss: f64) {
        self.positions += positions as u64;
        let mean = if self.loss.is_nan() { loss } else { self.loss };
        self.loss = mean + NEWEST * (loss - mean);
        self.bar.inc(1);
        let speed = self.speed().unwrap_or_default() / 1e6;
        self.bar.set_message(format!(", loss {:.5}, {speed:.1} M pos/s", self.loss));
    }

    /// Prints the losses of an epoch, and the noise of evaluations with this many centipawns per unit of output.
    pub fn epoch_done(&self, epoch: u64, epochs: u64, metrics: &EpochMetrics, scale: f32) {
        let EpochMetrics { training_loss, validation_loss, examples, .. } = metrics;
        let seen = HumanCount(*examples);
        let Noise { estimate, interval: [low, high] } = metrics.noise(scale);
        self.say(&format!(
            "epoch {epoch} of {epochs}: validation loss {validation_loss:.6}, training loss {training_loss:.6}, noise {estimate:.0} cp ({low:.0} to {high:.0}), {seen} positions seen"
        ));
        if low > MOST_NOISE {
            self.say("warning: the network overfits single games: play more games, or lower --td, --lambda or --lr");
        }
    }

    /// Returns the positions per second of this run; `None` without any.
    pub fn speed(&self) -> Option<f64> {
        let seconds = self.begun.elapsed().as_secs_f64().max(0.001);
        (self.positions > 0).then(|| self.positions as f64 / seconds)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
