//! Averages of the last iterates, however many there will be.

/// Sums kept; with more iterates, they are of blocks of iterates.
const MOST_SUMS: usize = 1 << 16;

/// Iterates of which the last ones can be averaged, any share of them.
///
/// Sums from the beginning are kept after each iterate; if they become too many, only every second one stays. So the average
/// is that of exactly the last `n * share` iterates up to [`MOST_SUMS`], and of no more than a 30,000th more afterwards.
#[derive(Clone, Debug)]
pub(crate) struct Average {
    /// Sums of the first `stride * i` iterates.
    sums: Vec<Vec<f64>>,
    stride: u64,
    sum: Vec<f64>,
    count: u64,
}

impl Average {
    /// Creates the average of no iterates with so many values.
    pub fn new(values: usize) -> Self {
        Self { sums: vec![vec![0.0; values]], stride: 1, sum: vec![0.0; values], count: 0 }
    }

    /// Adds an iterate.
    pub fn add(&mut self, values: &[f64]) {
        self.sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        self.count += 1;
        if !self.count.is_multiple_of(self.stride) {
            return;
        }
        self.sums.push(self.sum.clone());
        if self.sums.len() > MOST_SUMS {
            let mut is_even = false;
            self.sums.retain(|_| {
                is_even = !is_even;
                is_even
            });
            self.stride *= 2;
        }
    }

    /// Returns the average of the last iterates, this share of them; `None` if that is less than one.
    pub fn of_last(&self, share: f64) -> Option<Vec<f64>> {
        let wanted = (share * self.count as f64).ceil() as u64;
        let block = self.count.checked_sub(wanted).filter(|_| wanted > 0)? / self.stride;
        let before = self.sums.get(block as usize)?;
        let count = (self.count - block * self.stride) as f64;
        Some(self.sum.iter().zip(before).map(|(sum, before)| (sum - before) / count).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_iterates_are_averaged() {
        let mut average = Average::new(1);
        assert_eq!(average.of_last(0.5), None);
        for value in 1..=5 {
            average.add(&[f64::from(value)]);
        }
        assert_eq!(average.of_last(0.0), None);
        assert_eq!(average.of_last(0.5), Some(vec![4.0]), "of an odd number, the middle one too");
        assert_eq!(average.of_last(1.0), Some(vec![3.0]));
    }

    #[test]
    fn many_iterates_take_little_memory() {
        let mut average = Average::new(1);
        let count = 5 * MOST_SUMS as u64 / 2;
        (1..=count).for_each(|value| average.add(&[value as f64]));
        assert!(average.sums.len() <= MOST_SUMS);
        let found = average.of_last(0.5).expect("many")[0] / count as f64;
        assert!((found - 0.75).abs() < 1e-4, "{found}");
    }
}
