//! Draws the training examples of an epoch so that the histogram of piece counts becomes flatter.

use rand::RngExt;
use rand::rngs::ChaCha8Rng;

/// Piece counts are less than this.
pub const COUNTS: usize = 33;

/// Draws a fixed number of examples of each piece count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PieceCountSampler {
    /// Examples by piece count.
    histogram: [usize; COUNTS],
    /// Number of them that an epoch draws.
    quotas: [usize; COUNTS],
}

impl PieceCountSampler {
    /// Flattens a histogram of piece counts so that `share` of all examples is drawn, from 0 to 1; 1 draws all. An example with i
    /// pieces, of which there are h(i), is drawn with probability min(1, c * `target_density` / h(i)), with one c for all i.
    pub fn new(histogram: [usize; COUNTS], share: f64) -> Self {
        let drawn = |count: usize, factor: f64| {
            let all = histogram[count] as f64;
            if all > 0.0 { all.min(factor * target_density(count)) } else { 0.0 }
        };
        let total: f64 = histogram.iter().map(|&count| count as f64).sum();
        let expected = |factor: f64| (0..COUNTS).map(|count| drawn(count, factor)).sum::<f64>();
        // No density is less than one, so this factor draws all.
        let (mut low, mut high) = (0.0, total);
        while share < 1.0 && high - low > 1e-9 * total {
            let middle = 0.5 * (low + high);
            if expected(middle) < share * total { low = middle } else { high = middle }
        }
        let quotas = std::array::from_fn(|count| drawn(count, high).round() as usize);
        Self { histogram, quotas }
    }

    /// Returns the number of examples in an epoch.
    pub fn positions(&self) -> usize {
        self.quotas.iter().sum()
    }

    /// Draws the indices of the examples of an epoch, given the piece counts of all examples in order: exactly the quota of each
    /// count, every subset with the same probability (D. Knuth 1969, volume 2, algorithm S).
    pub fn draw(&self, counts: impl Iterator<Item = usize>, rng: &mut ChaCha8Rng) -> Vec<u32> {
        let (mut left, mut wanted) = (self.histogram, self.quotas);
        let mut drawn = Vec::with_capacity(self.positions());
        for (index, count) in (0..).zip(counts) {
            if rng.random_range(0..left[count]) < wanted[count] {
                wanted[count] -= 1;
                drawn.push(index);
            }
            left[count] -= 1;
        }
        drawn
    }
}

/// Returns the relative number of positions with this many pieces: i(32 - i)/256 + 1.
fn target_density(count: usize) -> f64 {
    let count = count.min(32);
    (count * (32 - count)) as f64 / 256.0 + 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    /// Many positions with few pieces and few with many.
    fn histogram() -> [usize; COUNTS] {
        std::array::from_fn(|count| if count < 2 { 0 } else { 40_000 / count })
    }

    #[test]
    fn the_share_is_met_and_common_counts_are_reduced() {
        let histogram = histogram();
        let total: usize = histogram.iter().sum();
        for share in [0.2, 0.5, 0.75, 0.95] {
            let sampler = PieceCountSampler::new(histogram, share);
            let found = sampler.positions() as f64 / total as f64;
            assert!((found - share).abs() < 1e-3, "{found} for {share}");
            let quotas = sampler.quotas;
            assert!((0..COUNTS).all(|count| quotas[count] <= histogram[count]));
            assert!(quotas[2] < histogram[2], "the most common count");
        }
        assert_eq!(PieceCountSampler::new(histogram, 1.0).quotas, histogram);
        // If all counts are reduced, the rest has the target density.
        let quotas = PieceCountSampler::new(histogram, 0.2).quotas;
        let ratio = quotas[16] as f64 / quotas[2] as f64;
        assert!((ratio - target_density(16) / target_density(2)).abs() < 0.01, "{ratio}");
    }

    #[test]
    fn a_draw_fills_the_quotas_exactly() {
        let counts: Vec<usize> =
            (2..COUNTS).flat_map(|count| vec![count; histogram()[count]]).collect();
        let sampler = PieceCountSampler::new(histogram(), 0.5);
        let draw = |seed| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            sampler.draw(counts.iter().copied(), &mut rng)
        };
        let taken = draw(1);
        assert_eq!(taken.len(), sampler.positions());
        assert!(taken.is_sorted_by(|one, other| one < other));
        let mut found = [0; COUNTS];
        taken.iter().for_each(|&index| found[counts[index as usize]] += 1);
        assert_eq!(found, sampler.quotas);
        assert_eq!(taken, draw(1));
        assert_ne!(taken, draw(2));
    }

    #[test]
    fn nothing_is_drawn_from_nothing() {
        assert_eq!(PieceCountSampler::new([0; COUNTS], 0.5).positions(), 0);
    }
}
