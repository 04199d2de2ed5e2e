//! Examples in memory, in chunks of one size, so that a growing store is never copied.

use super::example::Example;

/// The base-2 logarithm of the number of examples in a chunk of 2 MiB.
const BITS: u32 = 16;
const CHUNK: usize = 1 << BITS;

/// A list of examples that never allocates more than one chunk beyond what it needs.
#[derive(Clone, Debug, Default)]
pub struct ExampleStore {
    /// All chunks but the last one are full.
    chunks: Vec<Vec<Example>>,
}

impl ExampleStore {
    /// Appends an example.
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

    /// Returns the number of examples.
    pub fn len(&self) -> usize {
        let full = self.chunks.len().saturating_sub(1) * CHUNK;
        full + self.chunks.last().map_or(0, Vec::len)
    }

    /// Returns whether there are no examples.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// Returns the example at an index.
    ///
    /// # Panics
    /// If the index is out of range.
    pub fn get(&self, index: usize) -> Example {
        self.chunks[index >> BITS][index & (CHUNK - 1)]
    }

    /// Returns all examples in order.
    pub fn iter(&self) -> impl Iterator<Item = &Example> {
        self.chunks.iter().flatten()
    }
}

impl Extend<Example> for ExampleStore {
    fn extend<T: IntoIterator<Item = Example>>(&mut self, examples: T) {
        examples.into_iter().for_each(|example| self.push(example));
    }
}

impl FromIterator<Example> for ExampleStore {
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
        let example = |number: usize| Example::new(&start, Score((number % 30_000) as i32), 0.5);
        for count in [0, 1, CHUNK, CHUNK + 1, 3 * CHUNK - 1] {
            let store: ExampleStore = (0..count).map(example).collect();
            assert_eq!((store.len(), store.is_empty()), (count, count == 0));
            assert!((0..count).step_by(997).all(|index| store.get(index) == example(index)));
            assert!(store.iter().copied().eq((0..count).map(example)));
        }
    }
}
