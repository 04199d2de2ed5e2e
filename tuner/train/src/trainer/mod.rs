//! Trains a network on a dataset, on all cores of one machine.
//!
//! From the bottom up: an [`example`] is a position in 32 bytes and a [`store`] holds many of them; [`loader`] reads those of
//! datasets, [`split`] assigns games to the validation set and [`sampling`] selects the examples of an epoch. A [`model`] has the
//! parameters of a network, a [`batch`] some positions with their [`target`]s, [`backprop`] takes a batch forward and backward through a tile of
//! neurons, [`adamw`] updates the parameters and [`passes`] runs all of this on all threads, at the learning rate of the
//! [`schedule`]. [`training`] is the loop over epochs, with a [`checkpoint`] after each, and a [`run`] goes from datasets to the
//! network file. [`quantise`] makes a network file of the engine, [`judge`] compares it with labels of a stronger engine or of deep
//! searches, [`mod@evaluate`] measures its loss on a fixed set of positions, [`inspect`] looks for what is wrong with it, and [`page`]
//! shows how training went.

pub mod adamw;
pub mod backprop;
pub mod batch;
pub mod checkpoint;
pub mod evaluate;
pub mod example;
mod game_mean;
mod golden_section;
pub mod inspect;
pub mod judge;
pub mod labels;
pub mod loader;
pub mod model;
pub mod page;
pub mod passes;
pub mod progress;
pub mod quantise;
pub mod report;
pub mod run;
pub mod sampling;
pub mod schedule;
pub mod settings;
pub mod siblings;
pub mod split;
pub mod store;
pub mod target;
#[cfg(test)]
mod testing;
pub mod training;

pub use adamw::EPSILON;
pub use evaluate::{Evaluation, evaluate, held_out};
pub use inspect::Inspection;
pub use model::Shape;
pub use run::{TrainError, TrainJob, read_network};
pub use settings::{DatasetId, TrainSettings};
pub use target::Loss;
