//! Positions of a batch, prepared for the passes.

use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};

use super::example::{Example, Inputs};
use super::gradient::Target;
use super::model::Shape;

/// Positions of a block: enough for the lists by input not to be short, few enough for their neurons of a tile to stay in a
/// cache of the second level (64 kB), and for small batches to occupy some threads.
pub const BLOCK: usize = 256;

/// The positions of a batch, in blocks of [`BLOCK`]; the last one may be smaller. Its buffers are used again.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    blocks: Vec<Block>,
    positions: usize,
}

/// Some positions, and where each input occurs in them.
#[derive(Clone, Debug, Default)]
pub struct Block {
    examples: Vec<Example>,
    /// What the network sees of each position.
    pub inputs: Vec<Inputs>,
    /// What it should say: the chance to score, from 0 to 1.
    pub targets: Vec<f32>,
    /// Where the list of each input begins in `sources`, and where the last one ends.
    starts: Vec<u32>,
    /// By input, each occurrence: twice the position's number, and one more for the perspective of the opponent.
    sources: Vec<u16>,
}

impl Batch {
    /// Prepares `positions` examples for networks of a shape, on all threads of the current pool.
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

    /// Its blocks.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// How many positions there are.
    pub fn positions(&self) -> usize {
        self.positions
    }
}

impl Block {
    fn fill(&mut self, shape: Shape, target: &Target, examples: impl Iterator<Item = Example>) {
        // All are fetched before the first one is looked at: so the processor waits for many of them at once.
        self.examples.clear();
        self.examples.extend(examples);
        self.inputs.clear();
        self.inputs.extend(self.examples.iter().map(|example| example.inputs(shape)));
        self.targets.clear();
        self.targets.extend(self.examples.iter().map(|example| target.of(example)));
        self.sort(shape);
    }

    /// Sorts the occurrences by input: counts them, and puts them in place from the last one on.
    fn sort(&mut self, shape: Shape) {
        let Self { inputs, starts, sources, .. } = self;
        starts.clear();
        starts.resize(shape.inputs() + 1, 0);
        for input in inputs.iter().flat_map(|it| it.of(0).iter().chain(it.of(1))) {
            starts[usize::from(*input)] += 1;
        }
        let mut end = 0;
        for start in starts.iter_mut() {
            end += *start;
            *start = end;
        }
        sources.resize(end as usize, 0);
        for (position, inputs) in inputs.iter().enumerate().rev() {
            for perspective in [1, 0] {
                for &input in inputs.of(perspective) {
                    let start = &mut starts[usize::from(input)];
                    *start -= 1;
                    sources[*start as usize] = (2 * position + perspective) as u16;
                }
            }
        }
    }

    /// For each input, from the first one on, where it occurs: see `sources`.
    pub fn occurrences(&self) -> impl Iterator<Item = &[u16]> {
        let ends = self.starts.iter().skip(1);
        self.starts
            .iter()
            .zip(ends)
            .map(|(&start, &end)| &self.sources[start as usize..end as usize])
    }
}
