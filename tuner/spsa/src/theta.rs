//! Where the parameters are, and where they have been.

use super::gains::{Gain, LEAST_MOVE, Mode, Schedule};
use super::perturbation::{Perturbation, Range};
use super::plan::budget::SHARE;

/// What is known of one parameter of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Its name.
    pub name: String,
    /// Where it begins.
    pub start: f64,
    /// Its range.
    pub range: Range,
    /// How far it is moved at the end.
    pub c_end: f64,
    /// What a net win by a move of one adds to it, at the end.
    pub r_end: f64,
}

impl Axis {
    /// How wide its range is.
    pub fn span(&self) -> f64 {
        f64::from(self.range.max - self.range.min)
    }

    /// How far it is best moved: as far as the Elo still fall off like a parabola.
    pub fn wide_move(&self) -> f64 {
        (SHARE * self.span()).max(LEAST_MOVE)
    }
}

/// The parameters on their way.
#[derive(Clone, Debug)]
pub struct Path {
    schedule: Schedule,
    axes: Vec<Axis>,
    point: Vec<f64>,
    /// Iterations that were applied.
    applied: u64,
    /// The sum of the points of the last half.
    late: Vec<f64>,
}

impl Path {
    /// At its beginning.
    pub fn new(schedule: Schedule, axes: Vec<Axis>) -> Self {
        let point: Vec<f64> = axes.iter().map(|axis| axis.start).collect();
        Self { schedule, late: vec![0.0; point.len()], axes, point, applied: 0 }
    }

    /// The parameters.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// Where they are.
    pub fn point(&self) -> &[f64] {
        &self.point
    }

    /// How many iterations were applied.
    pub fn applied(&self) -> u64 {
        self.applied
    }

    /// The gains in iteration `k`, from 1.
    pub fn gains(&self, k: u64) -> Vec<Gain> {
        self.axes.iter().map(|axis| self.schedule.gain(axis.c_end, axis.r_end, k)).collect()
    }

    /// The settings that iteration `k`, from 1, plays, seen from where the parameters are now.
    pub fn perturb(&self, seed: u64, k: u64) -> Perturbation {
        let ranges: Vec<Range> = self.axes.iter().map(|axis| axis.range).collect();
        Perturbation::of(seed, k, &self.point, &self.gains(k), &ranges)
    }

    /// Steps by what the next iteration came to: `net` is how many games its first setting won more than it lost.
    pub fn apply(&mut self, perturbation: &Perturbation, net: i64) {
        self.applied += 1;
        let gains = self.gains(self.applied);
        let steps = gains.iter().zip(perturbation.moved());
        for ((value, axis), (gain, moved)) in self.point.iter_mut().zip(&self.axes).zip(steps) {
            let stepped = *value + gain.r * moved * net as f64;
            *value = stepped.clamp(f64::from(axis.range.min), f64::from(axis.range.max));
        }
        if 2 * self.applied > self.schedule.iterations {
            self.late.iter_mut().zip(&self.point).for_each(|(sum, value)| *sum += value);
        }
    }

    /// What the run has found so far.
    pub fn result(&self) -> Vec<f64> {
        let half = self.schedule.iterations / 2;
        match self.schedule.mode {
            Mode::Constant if self.applied > half => {
                let count = (self.applied - half) as f64;
                self.late.iter().map(|sum| sum / count).collect()
            }
            Mode::Classic | Mode::Constant => self.point.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(start: f64, max: i32) -> Axis {
        let range = Range { min: 0, max };
        Axis { name: "x".to_owned(), start, range, c_end: 10.0, r_end: 0.01 }
    }

    fn schedule(mode: Mode) -> Schedule {
        Schedule { mode, alpha: 0.602, gamma: 0.101, a_ratio: 0.1, iterations: 4 }
    }

    fn pair(one: i32, other: i32) -> Perturbation {
        Perturbation { first: vec![one], second: vec![other] }
    }

    #[test]
    fn a_win_moves_towards_the_winner_as_far_as_openbench_would() {
        let mut path = Path::new(schedule(Mode::Classic), vec![axis(100.0, 200)]);
        let gain = path.gains(1)[0];
        path.apply(&pair(112, 88), 3);
        // r_k c_k (wins - losses) flip, with the move that was really made for c_k.
        assert!((path.point()[0] - (100.0 + gain.r * 12.0 * 3.0)).abs() < 1e-12);
        let before = path.point()[0];
        path.apply(&pair(88, 112), 2);
        assert!(path.point()[0] < before, "the second setting was the higher one, and lost");
        let before = path.point()[0];
        path.apply(&pair(100, 100), 5);
        assert_eq!(path.point()[0], before, "settings that were the same teach nothing");
    }

    #[test]
    fn the_range_is_kept() {
        let mut path = Path::new(schedule(Mode::Classic), vec![axis(100.0, 101)]);
        path.apply(&pair(101, 60), 1000);
        assert_eq!(path.point(), [101.0]);
    }

    #[test]
    fn constant_gains_end_at_the_mean_of_the_last_half() {
        let mut path = Path::new(schedule(Mode::Constant), vec![axis(100.0, 200)]);
        for net in [1, 1, 1, -3] {
            path.apply(&pair(110, 90), net);
        }
        // 100.1, 100.2, 100.3, 100.0
        assert!((path.result()[0] - 100.15).abs() < 1e-9, "{:?}", path.result());
        assert!((path.point()[0] - 100.0).abs() < 1e-9);
    }
}
