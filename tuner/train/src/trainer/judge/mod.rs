//! Judges networks by positions with labels from elsewhere: a stronger engine, or searches that are much deeper than those whose
//! scores the networks were trained on.
//!
//! A [`set`] has positions and groups of siblings with their labels, [`figures`] are the errors of a network on it, [`changes`]
//! tell whether another corrects them, and [`mod@report`] shows them as tables, as JSON and as a page.

pub mod changes;
pub mod figures;
pub mod report;
pub mod set;

pub use changes::Changes;
pub use figures::{Figures, INTERVAL};
pub use set::{JudgeSet, SetError};
