//! Results in the order of their numbers.

use std::collections::BTreeMap;

/// Holds results back until all results before them are there.
#[derive(Debug)]
pub struct InOrder<T> {
    next: u64,
    waiting: BTreeMap<u64, T>,
}

impl<T> Default for InOrder<T> {
    fn default() -> Self {
        Self { next: 0, waiting: BTreeMap::new() }
    }
}

impl<T> InOrder<T> {
    /// Adds the result of a number.
    pub fn put(&mut self, number: u64, result: T) {
        self.waiting.insert(number, result);
    }

    /// Returns the next result and its number, if it is there.
    pub fn pop(&mut self) -> Option<(u64, T)> {
        let number = self.next;
        let result = self.waiting.remove(&number)?;
        self.next += 1;
        Some((number, result))
    }

    /// Returns the results behind the first missing one, in order.
    pub fn rest(self) -> impl Iterator<Item = (u64, T)> {
        self.waiting.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_out_by_number() {
        let mut order = InOrder::default();
        let mut out = Vec::new();
        for number in [2, 0, 1, 4, 5] {
            order.put(number, number * 10);
            while let Some((number, _)) = order.pop() {
                out.push(number);
            }
        }
        assert_eq!(out, [0, 1, 2]);
        assert_eq!(order.rest().map(|(number, _)| number).collect::<Vec<_>>(), [4, 5]);
    }
}
