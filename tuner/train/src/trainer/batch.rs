//! A batch of positions, prepared for the forward and backward passes.

use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};

use super::example::{ActiveFeatures, Example};
use super::model::Shape;
use super::target::Target;

/// Positions of a block: enough for long lists of occurrences, few enough for their activations in a tile to fit into a level 2
/// cache (64 kB), and for small batches to occupy several threads.
pub const BLOCK: usize = 256;

/// The positions of a batch in blocks of [`BLOCK`]; the last one may be smaller. Its buffers are reused.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Blocks of the batch.
    pub blocks: Vec<Block>,
    /// The number of positions.
    pub positions: usize,
}

/// Some positions, and the occurrences of each feature in them.
#[derive(Clone, Debug, Default)]
pub struct Block {
    examples: Vec<Example>,
    /// The active features of each position.
    pub features: Vec<ActiveFeatures>,
    /// The target of each position: a win probability from 0 to 1.
    pub targets: Vec<f32>,
    /// The start of each feature's list in `sources`, and the end of the last one.
    starts: Vec<u32>,
    /// The occurrences by feature: twice the index of the position, plus one for the opponent's perspective.
    sources: Vec<u16>,
}

impl Batch {
    /// Prepares `positions` examples for networks of a shape, on all threads of the current rayon pool.
    pub fn fill(
        &mut self,
        shape: Shape,
        target: &Target,
        positions: usize,
        example: impl Fn(usize) -> Example + Sync,
    ) {
        self.positions = positions;
        self.blocks.resize_with(positions.div_ceil(BLOCK), Block::default);
        self.blocks.par_iter_mut().enumerate().for_each(|(number, block)| {
            let range = number * BLOCK..((number + 1) * BLOCK).min(positions);
            block.fill(shape, target, range.map(&example));
        });
    }
}

impl Block {
    fn fill(&mut self, shape: Shape, target: &Target, examples: impl Iterator<Item = Example>) {
        // Fetching all examples before the first is used lets the cache misses overlap.
        self.examples.clear();
        self.examples.extend(examples);
        self.features.clear();
        self.features.extend(self.examples.iter().map(|example| example.features(shape)));
        self.targets.clear();
        self.targets.extend(self.examples.iter().map(|example| target.of(example)));
        self.sort(shape);
    }

    /// Sorts the occurrences by feature: a counting sort, filled from the last one on.
    fn sort(&mut self, shape: Shape) {
        let Self { features, starts, sources, .. } = self;
        starts.clear();
        starts.resize(shape.features() + 1, 0);
        for feature in features.iter().flat_map(|it| it.of(0).iter().chain(it.of(1))) {
            starts[usize::from(*feature)] += 1;
        }
        let mut end = 0;
        for start in starts.iter_mut() {
            end += *start;
            *start = end;
        }
        sources.resize(end as usize, 0);
        for (position, features) in features.iter().enumerate().rev() {
            for perspective in [1, 0] {
                for &feature in features.of(perspective) {
                    let start = &mut starts[usize::from(feature)];
                    *start -= 1;
                    sources[*start as usize] = (2 * position + perspective) as u16;
                }
            }
        }
    }

    /// Returns the occurrences of each feature, in the order of features: twice the index of the position, plus one for the
    /// opponent's perspective.
    pub fn occurrences(&self) -> impl Iterator<Item = &[u16]> {
        let ends = self.starts.iter().skip(1);
        self.starts
            .iter()
            .zip(ends)
            .map(|(&start, &end)| &self.sources[start as usize..end as usize])
    }
}
