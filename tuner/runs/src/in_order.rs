//! Results in the order of their numbers.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::ops::RangeFrom;

/// Results that are handed out in the order of their numbers, whenever they come.
///
/// ```
/// use nullarbor_runs::InOrder;
///
/// let mut order = InOrder::of([3, 5, 8]);
/// order.put(5, "second");
/// assert_eq!(order.pop(), None);
/// order.put(3, "first");
/// assert_eq!((order.pop(), order.pop()), (Some((3, "first")), Some((5, "second"))));
/// ```
#[derive(Debug)]
pub struct InOrder<T, I: Iterator<Item = u64> = RangeFrom<u64>> {
    numbers: Peekable<I>,
    waiting: BTreeMap<u64, T>,
}

impl<T, I: Iterator<Item = u64>> InOrder<T, I> {
    /// Creates an order of results with these numbers.
    pub fn of(numbers: impl IntoIterator<IntoIter = I>) -> Self {
        Self { numbers: numbers.into_iter().peekable(), waiting: BTreeMap::new() }
    }

    /// Adds the result of a number.
    pub fn put(&mut self, number: u64, result: T) {
        self.waiting.insert(number, result);
    }

    /// Returns the next result and its number, if it is there.
    pub fn pop(&mut self) -> Option<(u64, T)> {
        let result = self.waiting.remove(self.numbers.peek()?)?;
        Some((self.numbers.next()?, result))
    }

    /// Takes the results behind the first missing one, by number.
    pub fn rest(&mut self) -> BTreeMap<u64, T> {
        std::mem::take(&mut self.waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_out_by_number() {
        let mut order = InOrder::of(0..);
        let mut out = Vec::new();
        for number in [2, 0, 1, 4, 5] {
            order.put(number, number * 10);
            while let Some((number, _)) = order.pop() {
                out.push(number);
            }
        }
        assert_eq!(out, [0, 1, 2]);
        assert_eq!(order.rest().into_keys().collect::<Vec<_>>(), [4, 5]);
    }
}
