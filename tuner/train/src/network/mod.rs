//! A network learnt from games: the arithmetic, on all cores of one machine.
//!
//! From the ground up: [`example`] is a position in 32 bytes, a [`store`] holds many, [`examples`] are all of them,
//! [`split`] says which are for validation and [`acceptance`] which an epoch takes; [`model`] are the parameters, [`batch`] some
//! positions, [`gradient`] takes them forward and backward through a tile of neurons, [`adam`] changes the parameters, and
//! [`passes`] does all that on all threads; [`schedule`] says how fast; [`training`] does so epoch by epoch, with [`checkpoint`]s;
//! [`export`] makes a network of the engine of it, [`evaluate`] holds it against a fixed set of positions, and
//! [`page`] shows how it went.

pub mod acceptance;
pub mod adam;
pub mod batch;
pub mod checkpoint;
pub mod evaluate;
pub mod example;
pub mod examples;
pub mod export;
pub mod gradient;
pub mod model;
pub mod page;
pub mod passes;
pub mod schedule;
pub mod settings;
pub mod split;
pub mod store;
pub mod training;
