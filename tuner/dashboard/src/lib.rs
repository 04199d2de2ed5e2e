//! A live page of runs, for a browser.
//!
//! The server reads folders of runs and never writes: [`source`] finds the runs, [`cards`] turns each into a piece of HTML,
//! [`server`] sends those that have changed to the browsers that look on (server-sent events).

#![forbid(unsafe_code)]

pub mod cards;
mod connections;
mod page;
pub mod server;
pub mod source;
mod state;
mod token;

pub use server::{Options, ServeError, serve};
pub use token::Token;
