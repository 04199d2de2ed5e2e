//! Cards: the dashboard's frame around the first sections of a run.

mod workers;

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::Instant;

use maud::html;
use nullarbor_breed::run::read_state;
use nullarbor_breed::{Config, Folder};
use nullarbor_games::matches::report::course::Course;
use nullarbor_games::matches::report::page as matches;
use nullarbor_lab::page as lab;
use nullarbor_report::section::{Frame, Section};
use nullarbor_spsa::record::Record;
use nullarbor_train::data::{Dataset, dataset};
use nullarbor_train::trainer;
use nullarbor_train::trainer::checkpoint::Checkpoint;
use serde::Serialize;

use crate::source::{Kind, Source};
use crate::state::{Pace, State};
pub use workers::workers;

/// A piece of the page.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Card {
    /// Id in the page, different from those of all other cards.
    pub id: String,
    /// Kind of run.
    pub kind: &'static str,
    /// Title of the card.
    pub title: String,
    /// The state of the run.
    pub state: State,
    /// Time of the run's last change, in seconds since 1970.
    pub changed: u64,
    /// Body of the card.
    pub html: String,
}

/// The content of a card: its title, whether nothing is left to do, and what it shows.
type Shown = Result<(String, bool, Vec<Section>), Box<dyn std::error::Error>>;

impl Card {
    /// Reads a run; `is_locked` tells whether a process works on it. One that cannot be read shows why.
    pub fn of(source: &Source, is_locked: bool, pace: &mut Pace) -> Self {
        let path = source.path.as_path();
        let kind = match source.kind {
            Kind::Breed => "breed",
            Kind::Spsa => "spsa",
            Kind::Match => "match",
            Kind::Training => "training",
            Kind::Data => "games",
            Kind::Lab => "lab",
        };
        let strange = |path: PathBuf| {
            let path = path.display();
            Err(format!("{path}: links are not followed, and only regular files are read").into())
        };
        let failed = |error: Box<dyn std::error::Error>| {
            (name(path), true, vec![Section::default().warnings([error.to_string()])])
        };
        let shown = source.stranger().map_or_else(|| show(source, is_locked, pace), strange);
        let (title, is_done, sections) = shown.unwrap_or_else(failed);
        let html = html! {
            p.path { (path.display().to_string()) }
            @for section in &sections { (section.markup(Frame::Card)) }
        };
        let state = State::of(is_locked, is_done);
        let html = html.into_string();
        Self { id: id(path), kind, title, state, changed: source.changed(), html }
    }

    /// Returns a number that changes with the content.
    pub fn version(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }
}

/// Returns a name for the page.
fn id(path: &Path) -> String {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    format!("run-{:016x}", hasher.finish())
}

/// Returns the last part of a path.
fn name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn show(source: &Source, is_locked: bool, pace: &mut Pace) -> Shown {
    let path = source.path.as_path();
    Ok(match source.kind {
        Kind::Breed => {
            let folder = Folder(path.to_owned());
            let (state, config) = (read_state(&folder)?, Config::read(&folder.config())?);
            (name(path), false, nullarbor_breed::page::card(&folder, &state, &config))
        }
        Kind::Spsa => {
            let record = Record::read(path)?;
            (name(path), record.is_done(), nullarbor_spsa::page::card(&record)?)
        }
        Kind::Match => {
            let course = Course::read(path)?;
            if !is_locked {
                *pace = Pace::default();
            }
            let per_hour = is_locked.then(|| pace.note(Instant::now(), course.played())).flatten();
            let sections = matches::card(&course, is_locked, per_hour);
            (matches::title(&course), course.is_done(), sections)
        }
        Kind::Training => {
            let metrics = Checkpoint::metrics_of(path).ok_or("the checkpoint cannot be read")?;
            (name(path), false, vec![trainer::page::overview(&metrics)])
        }
        Kind::Data => (name(path), true, vec![dataset::overview(&[Dataset::open(path)?])]),
        Kind::Lab => (name(path), true, vec![lab::overview(&lab::read(path)?)]),
    })
}
