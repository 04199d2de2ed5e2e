//! The learning rate schedule: a linear warm-up, then cosine decay (I. Loshchilov and F. Hutter 2017).

/// The learning rate of each step.
///
/// ```
/// use nullarbor_train::trainer::schedule::Schedule;
///
/// let schedule = Schedule { peak: 0.002, final_share: 0.01, steps: 100_000 };
/// assert!(schedule.learning_rate(0) < 0.0001, "warm-up");
/// assert!((schedule.learning_rate(1000) - 0.002).abs() < 1e-5);
/// assert!((schedule.learning_rate(99_999) - 0.00002).abs() < 1e-6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// The peak learning rate.
    pub peak: f32,
    /// The final learning rate as a share of the highest.
    pub final_share: f32,
    /// Steps in all.
    pub steps: u64,
}

/// Steps of the warm-up; fewer if there are few steps in all.
const WARM_UP: u64 = 200;

impl Schedule {
    /// Returns the learning rate of a step, counted from 0.
    pub fn learning_rate(&self, step: u64) -> f32 {
        let warm_up = WARM_UP.min(self.steps / 10).max(1);
        let rise = ((step + 1) as f32 / warm_up as f32).min(1.0);
        let progress = step as f32 / self.steps.max(1) as f32;
        let decay = 0.5 + 0.5 * (std::f32::consts::PI * progress).cos();
        self.peak * rise * (self.final_share + (1.0 - self.final_share) * decay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_rises_and_falls() {
        let schedule = Schedule { peak: 0.001, final_share: 0.01, steps: 10_000 };
        assert!(
            schedule.learning_rate(0) < schedule.learning_rate(100)
                && schedule.learning_rate(100) < schedule.learning_rate(199)
        );
        assert!((schedule.learning_rate(5000) / 0.001 - 0.505).abs() < 0.01);
        assert!((schedule.learning_rate(9_999) / 0.001 - 0.01).abs() < 0.001);
        assert!(Schedule { steps: 1, ..schedule }.learning_rate(0) > 0.0009);
    }
}
