//! Examples in memory, in chunks of one size: they grow without being copied.

use super::example::Example;

/// Examples of a chunk are two to the power of this: 2 MiB.
const BITS: u32 = 16;
const CHUNK: usize = 1 << BITS;

/// A list of examples of 32 bytes each, that never holds more than one chunk of room it does not need.
#[derive(Clone, Debug, Default)]
pub struct Store {
    /// All are full but the last one.
    chunks: Vec<Vec<Example>>,
}

impl Store {
    /// Adds one at the end.
    pub fn push(&mut self, example: Example) {
        match self.chunks.last_mut() {
            Some(chunk) if chunk.len() < CHUNK => chunk.push(example),
            _ => {
                let mut chunk = Vec::with_capacity(CHUNK);
                chunk.push(example);
                self.chunks.push(chunk);
            }
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        let full = self.chunks.len().saturating_sub(1) * CHUNK;
        full + self.chunks.last().map_or(0, Vec::len)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// The example of a number from 0.
    ///
    /// # Panics
    /// Where there are not so many.
    pub fn get(&self, index: usize) -> Example {
        self.chunks[index >> BITS][index & (CHUNK - 1)]
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Example> {
        self.chunks.iter().flatten()
    }
}

impl Extend<Example> for Store {
    fn extend<T: IntoIterator<Item = Example>>(&mut self, examples: T) {
        examples.into_iter().for_each(|example| self.push(example));
    }
}

impl FromIterator<Example> for Store {
    fn from_iter<T: IntoIterator<Item = Example>>(examples: T) -> Self {
        let mut store = Self::default();
        store.extend(examples);
        store
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nullarbor::board::Position;
    use nullarbor::types::Score;

    #[test]
    fn examples_are_found_by_number_across_chunks() {
        let start = Position::start();
        let example = |number: usize| Example::of(&start, Score((number % 30_000) as i32), 0.5);
        for count in [0, 1, CHUNK, CHUNK + 1, 3 * CHUNK - 1] {
            let store: Store = (0..count).map(example).collect();
            assert_eq!((store.len(), store.is_empty()), (count, count == 0));
            assert!((0..count).step_by(997).all(|index| store.get(index) == example(index)));
            assert!(store.iter().copied().eq((0..count).map(example)));
        }
    }
}
