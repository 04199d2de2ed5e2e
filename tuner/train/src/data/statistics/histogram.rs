//! How often each value occurs.

/// How a statistic is counted and shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bins {
    /// The least value that is shown.
    pub first: usize,
    /// The width of a bin.
    pub width: usize,
    /// The greatest value that is told from greater ones.
    pub most: usize,
}

/// Counts of values from 0 on. Exact up to a greatest value; all beyond it count as that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    bins: Bins,
    counts: Vec<u64>,
    sum: u64,
}

impl Histogram {
    /// Nothing has occurred.
    pub fn new(bins: Bins) -> Self {
        Self { bins, counts: vec![0; bins.most + 1], sum: 0 }
    }

    /// Counts a value.
    pub fn add(&mut self, value: usize) {
        self.counts[value.min(self.bins.most)] += 1;
        self.sum += value as u64;
    }

    /// Counts the values of another histogram with the same bins, too.
    pub fn merge(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.sum += other.sum;
    }

    /// The number of values.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The mean of the values; `None` where there are none.
    pub fn mean(&self) -> Option<f64> {
        let total = self.total();
        (total > 0).then(|| self.sum as f64 / total as f64)
    }

    /// The median, for an even number of values the mean of the two in the middle; `None` where there are none.
    pub fn median(&self) -> Option<f64> {
        let total = self.total();
        let middle = |rank| self.ranked(rank).map(|value| value as f64);
        Some(0.5 * (middle(total.checked_sub(1)? / 2)? + middle(total / 2)?))
    }

    /// The value with this rank, the least of all having rank 0.
    fn ranked(&self, rank: u64) -> Option<usize> {
        let mut below = 0;
        self.counts.iter().position(|count| {
            below += count;
            below > rank
        })
    }

    /// The share of values from `least` to `most`, both included, in percent; `None` where there are no values.
    pub fn percent(&self, least: usize, most: usize) -> Option<f64> {
        let within = self.counts.iter().take(most.saturating_add(1)).skip(least).sum();
        percent(within, self.total())
    }

    /// The counts of the bins that are shown.
    pub fn binned(&self) -> Vec<u64> {
        let Bins { first, width, .. } = self.bins;
        self.counts[first..].chunks(width).map(|bin| bin.iter().sum()).collect()
    }

    /// How it is counted and shown.
    pub fn bins(&self) -> Bins {
        self.bins
    }
}

/// A part of a whole in percent; `None` of nothing.
pub fn percent(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| 100.0 * part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BINS: Bins = Bins { first: 2, width: 4, most: 10 };

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
    fn parts_merge_to_the_whole() {
        let mut part = of(&[2, 5]);
        part.merge(&of(&[6, 40]));
        assert_eq!(part, of(&[2, 5, 6, 40]));
    }

    #[test]
    fn nothing_has_no_figures() {
        let none = of(&[]);
        assert_eq!((none.mean(), none.median(), none.percent(0, 9)), (None, None, None));
    }
}
