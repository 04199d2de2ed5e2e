//! Output for people: text tables, progress bars, charts, and sections of HTML pages. Nothing here knows of chess.

#![forbid(unsafe_code)]

pub mod html;
pub mod plot;
pub mod section;
pub mod table;
pub mod terminal;
