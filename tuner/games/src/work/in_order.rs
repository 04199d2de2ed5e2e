//! Results in the order of their numbers, whoever was faster.
//!
//! Short games are not a fair sample of all games: a decision made in the order in which games end would depend on
//! it, and on the number of workers.

use std::collections::BTreeMap;

/// Holds results back until all before them are there.
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
    /// Takes the result with this number.
    pub fn put(&mut self, number: u64, result: T) {
        self.waiting.insert(number, result);
    }

    /// Gives the next one, if it is there.
    pub fn pop(&mut self) -> Option<(u64, T)> {
        let number = self.next;
        let result = self.waiting.remove(&number)?;
        self.next += 1;
        Some((number, result))
    }

    /// Gives up on those that are missing and gives the rest, in order.
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
