//! How fast a model learns, from the first batch to the last.

/// A rate that rises at once, and falls as half a wave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// The highest rate.
    pub rate: f32,
    /// What is left of it at the end, as a share.
    pub end: f32,
    /// Batches in all.
    pub batches: u64,
}

/// Batches in which the rate rises.
const WARM_UP: u64 = 200;

impl Schedule {
    /// The rate of a batch, from 0.
    pub fn at(&self, batch: u64) -> f32 {
        let warm_up = WARM_UP.min(self.batches / 10).max(1);
        let rise = ((batch + 1) as f32 / warm_up as f32).min(1.0);
        let way = batch as f32 / self.batches.max(1) as f32;
        let wave = 0.5 + 0.5 * (std::f32::consts::PI * way).cos();
        self.rate * rise * (self.end + (1.0 - self.end) * wave)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_rises_and_falls() {
        let schedule = Schedule { rate: 0.001, end: 0.01, batches: 10_000 };
        assert!(schedule.at(0) < schedule.at(100) && schedule.at(100) < schedule.at(199));
        assert!((schedule.at(5000) / 0.001 - 0.505).abs() < 0.01);
        assert!((schedule.at(9_999) / 0.001 - 0.01).abs() < 0.001);
        assert!(Schedule { batches: 1, ..schedule }.at(0) > 0.0009);
    }
}
