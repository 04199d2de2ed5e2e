//! What people get to see: tables, plots, pages, text in a terminal.

#![forbid(unsafe_code)]

pub mod html;
pub mod plot;
pub mod table;
pub mod terminal;
