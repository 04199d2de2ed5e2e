//! Histograms of non-negative integers.

/// The bins of a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bins {
    /// The first value of the first bin.
    pub first: usize,
    /// The width of a bin.
    pub width: usize,
    /// The largest value that is counted; larger ones are counted as this one.
    pub max: usize,
}

/// Counts of each value up to a maximum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    /// Bins of the values.
    pub bins: Bins,
    counts: Vec<u64>,
    sum: u64,
}

impl Histogram {
    /// Creates an empty histogram.
    pub fn new(bins: Bins) -> Self {
        Self { bins, counts: vec![0; bins.max + 1], sum: 0 }
    }

    /// Counts a value.
    pub fn add(&mut self, value: usize) {
        self.counts[value.min(self.bins.max)] += 1;
        self.sum += value as u64;
    }

    /// Adds another histogram with the same bins.
    pub fn merge(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.sum += other.sum;
    }

    /// Returns the number of values.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns the mean; `None` without values.
    pub fn mean(&self) -> Option<f64> {
        let total = self.total();
        (total > 0).then(|| self.sum as f64 / total as f64)
    }

    /// Returns the median, for an even number of values the mean of the middle two; `None` without values.
    pub fn median(&self) -> Option<f64> {
        let total = self.total();
        let middle = |rank| self.ranked(rank).map(|value| value as f64);
        Some(0.5 * (middle(total.checked_sub(1)? / 2)? + middle(total / 2)?))
    }

    /// Returns the value with this rank, counted from 0 for the smallest.
    fn ranked(&self, rank: u64) -> Option<usize> {
        let mut below = 0;
        self.counts.iter().position(|count| {
            below += count;
            below > rank
        })
    }

    /// Returns the share of values from `min` to `max`, both included, in percent; `None` without values.
    pub fn percent(&self, min: usize, max: usize) -> Option<f64> {
        let within = self.counts.iter().take(max.saturating_add(1)).skip(min).sum();
        percent(within, self.total())
    }

    /// Returns the counts of the bins; the last one includes all larger values.
    pub fn binned(&self) -> Vec<u64> {
        let Bins { first, width, .. } = self.bins;
        self.counts[first..].chunks(width).map(|bin| bin.iter().sum()).collect()
    }
}

/// Returns a part of a whole in percent; `None` if the whole is 0.
pub fn percent(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| 100.0 * part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BINS: Bins = Bins { first: 2, width: 4, max: 10 };

    fn of(values: &[usize]) -> Histogram {
        let mut histogram = Histogram::new(BINS);
        values.iter().for_each(|&value| histogram.add(value));
        histogram
    }

    #[test]
    fn values_are_counted() {
        let histogram = of(&[2, 5, 6, 9, 10, 30]);
        assert_eq!(histogram.binned(), [2, 2, 2]);
        assert_eq!(histogram.total(), 6);
        assert_eq!(histogram.median(), Some(7.5));
        assert_eq!(histogram.mean(), Some(62.0 / 6.0));
        assert_eq!(histogram.percent(6, 9), Some(100.0 / 3.0));
        assert_eq!(histogram.percent(6, usize::MAX), Some(400.0 / 6.0));
        assert_eq!(of(&[3, 4, 8]).median(), Some(4.0));
    }

    #[test]
    fn merged_parts_equal_the_whole() {
        let mut part = of(&[2, 5]);
        part.merge(&of(&[6, 40]));
        assert_eq!(part, of(&[2, 5, 6, 40]));
    }

    #[test]
    fn an_empty_histogram_has_no_figures() {
        let none = of(&[]);
        assert_eq!((none.mean(), none.median(), none.percent(0, 9)), (None, None, None));
    }
}
