//! Which of the training examples an epoch takes: fewer of the piece counts that are common.

use rand::RngExt;
use rand::rngs::ChaCha8Rng;

/// Piece counts are below this.
pub const COUNTS: usize = 33;

/// How many examples of each piece count an epoch takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acceptance {
    /// How many there are, by piece count.
    histogram: [usize; COUNTS],
    /// How many of them an epoch takes.
    quotas: [usize; COUNTS],
}

impl Acceptance {
    /// Flattens a histogram of piece counts so that `share` of all examples is taken, from 0 to 1; 1 takes them all. An example
    /// with i pieces of h(i) is taken with probability min(1, c * [`density`] / h(i)), with one c for all i.
    pub fn new(histogram: [usize; COUNTS], share: f64) -> Self {
        let accepted = |count: usize, factor: f64| {
            let all = histogram[count] as f64;
            if all > 0.0 { all.min(factor * density(count)) } else { 0.0 }
        };
        let total: f64 = histogram.iter().map(|&count| count as f64).sum();
        let mean = |factor: f64| (0..COUNTS).map(|count| accepted(count, factor)).sum::<f64>();
        // No density is below one, so with this factor everything is taken.
        let (mut low, mut high) = (0.0, total);
        while share < 1.0 && high - low > 1e-9 * total {
            let middle = 0.5 * (low + high);
            if mean(middle) < share * total { low = middle } else { high = middle }
        }
        let quotas = std::array::from_fn(|count| accepted(count, high).round() as usize);
        Self { histogram, quotas }
    }

    /// How many examples an epoch takes.
    pub fn positions(&self) -> usize {
        self.quotas.iter().sum()
    }

    /// Numbers of the examples that an epoch takes, given the piece counts of all in order: exactly as many of each count as
    /// there should be, each set of them with the same probability (Knuth 1969, volume 2, algorithm S).
    pub fn draw(&self, counts: impl Iterator<Item = usize>, rng: &mut ChaCha8Rng) -> Vec<u32> {
        let (mut left, mut wanted) = (self.histogram, self.quotas);
        let mut taken = Vec::with_capacity(self.positions());
        for (index, count) in (0..).zip(counts) {
            if rng.random_range(0..left[count]) < wanted[count] {
                wanted[count] -= 1;
                taken.push(index);
            }
            left[count] -= 1;
        }
        taken
    }
}

/// How many positions with so many pieces there should be, in relation to others: i(32 - i)/256 + 1.
fn density(count: usize) -> f64 {
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
    fn the_share_is_as_asked_and_common_counts_give_way() {
        let histogram = histogram();
        let total: usize = histogram.iter().sum();
        for share in [0.2, 0.5, 0.75, 0.95] {
            let acceptance = Acceptance::new(histogram, share);
            let found = acceptance.positions() as f64 / total as f64;
            assert!((found - share).abs() < 1e-3, "{found} for {share}");
            let quotas = acceptance.quotas;
            assert!((0..COUNTS).all(|count| quotas[count] <= histogram[count]));
            assert!(quotas[2] < histogram[2], "the most common count");
        }
        assert_eq!(Acceptance::new(histogram, 1.0).quotas, histogram);
        // Where all counts are cut, what is left has the density that was asked for.
        let quotas = Acceptance::new(histogram, 0.2).quotas;
        let ratio = quotas[16] as f64 / quotas[2] as f64;
        assert!((ratio - density(16) / density(2)).abs() < 0.01, "{ratio}");
    }

    #[test]
    fn a_draw_takes_exactly_what_the_quotas_say() {
        let counts: Vec<usize> =
            (2..COUNTS).flat_map(|count| vec![count; histogram()[count]]).collect();
        let acceptance = Acceptance::new(histogram(), 0.5);
        let draw = |seed| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            acceptance.draw(counts.iter().copied(), &mut rng)
        };
        let taken = draw(1);
        assert_eq!(taken.len(), acceptance.positions());
        assert!(taken.is_sorted_by(|one, other| one < other));
        let mut found = [0; COUNTS];
        taken.iter().for_each(|&index| found[counts[index as usize]] += 1);
        assert_eq!(found, acceptance.quotas);
        assert_eq!(taken, draw(1));
        assert_ne!(taken, draw(2));
    }

    #[test]
    fn of_nothing_nothing_is_taken() {
        assert_eq!(Acceptance::new([0; COUNTS], 0.5).positions(), 0);
    }
}
