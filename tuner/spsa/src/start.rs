//! The first line of a journal: the run, and the fingerprints of what its file only names.

use std::path::{self, Path};

use nullarbor_games::matches::identity;
use nullarbor_openings::builtin;
use serde::{Deserialize, Serialize};

use super::engine::Engine;
use super::error::ConfigError;
use super::pair::Conditions;
use super::run_file::RunFile;

/// The first line of a journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Start {
    /// The run as it began.
    #[serde(flatten)]
    pub run: RunFile,
    /// Fingerprint of the engine's program: two builds of an engine are two engines. `None` if the system looks it up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// Fingerprint of the openings and their order; `None` in a journal of a version that did not record it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
}

impl Start {
    /// Returns the first line of the journal of a run. Reads the program of its engine.
    ///
    /// # Errors
    /// As [`RunFile::tuned_parameters`].
    pub fn of(
        run: &RunFile,
        engine: &Engine,
        conditions: &Conditions,
    ) -> Result<Self, ConfigError> {
        let run = RunFile { concurrency: None, book: absolute(&run.book), ..run.resolved()? };
        let build = identity::build(&engine.program(&[], run.hash));
        Ok(Self { run, build, order: Some(conditions.order().to_string()) })
    }

    /// Returns whether it tells which build and which openings the run began with.
    pub fn tells_content(&self) -> bool {
        self.order.is_some()
    }

    /// Returns the difference from the run that is to go on, as text.
    ///
    /// # Errors
    /// As [`RunFile::tuned_parameters`].
    pub fn difference(&self, now: &Self) -> Result<Option<&'static str>, ConfigError> {
        let by_content = self.tells_content();
        if comparable(&self.run, by_content)? != comparable(&now.run, by_content)? {
            return Ok(Some("its run file differs"));
        }
        let is_other = |then: &Option<String>, now: &Option<String>| then.is_some() && then != now;
        Ok(if is_other(&self.build, &now.build) {
            Some("its engine was another build")
        } else if is_other(&self.order, &now.order) {
            Some("its book had other openings")
        } else {
            None
        })
    }
}

/// Returns a run without what may change while it is under way. The number of workers does not matter for the result; a
/// declaration may change with the next tuning, but must not change this run. Where its content is known, a book may lie
/// anywhere.
pub(super) fn comparable(run: &RunFile, by_content: bool) -> Result<RunFile, ConfigError> {
    let run = run.resolved()?;
    let name = Path::new(&run.book).file_name().filter(|_| by_content);
    let book = name.map_or_else(|| absolute(&run.book), |name| name.display().to_string());
    Ok(RunFile { concurrency: None, iterations: 1, stop_below: None, book, ..run })
}

/// Returns the name of a book that means the same in any folder.
fn absolute(book: &str) -> String {
    let is_file = builtin::find(book).is_none() && Path::new(book).is_file();
    let path = path::absolute(book).ok().filter(|_| is_file);
    path.and_then(|path| path.into_os_string().into_string().ok())
        .unwrap_or_else(|| book.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start() -> Start {
        let text = "iterations = 9\npairs_per_iteration = 2\nnodes = 60\nseed = 5\nbook = \"a/b.epd\"\n[parameters.lmp_base]\n";
        let run = RunFile::parse(text).expect("a run");
        Start { run, build: Some("1".to_owned()), order: Some("2".to_owned()) }
    }

    fn difference(then: &Start, now: &Start) -> Option<&'static str> {
        then.difference(now).expect("a run")
    }

    #[test]
    fn a_run_goes_on_with_the_same_engine_and_the_same_openings_wherever_they_lie() {
        let then = start();
        let text = serde_json::to_string(&then).expect("JSON");
        assert_eq!(serde_json::from_str::<Start>(&text).expect("a first line"), then);
        let moved =
            RunFile { book: "c/b.epd".to_owned(), stop_below: Some(1.0), ..then.run.clone() };
        assert_eq!(difference(&then, &Start { run: moved, ..start() }), None);
        let build = Start { build: Some("3".to_owned()), ..start() };
        assert_eq!(difference(&then, &build), Some("its engine was another build"));
        let order = Start { order: Some("3".to_owned()), ..start() };
        assert_eq!(difference(&then, &order), Some("its book had other openings"));
        let run = RunFile { seed: 6, ..then.run.clone() };
        assert_eq!(difference(&then, &Start { run, ..start() }), Some("its run file differs"));
    }

    #[test]
    fn the_journal_of_an_earlier_version_is_that_of_any_build() {
        let earlier = Start { build: None, order: None, ..start() };
        let text = serde_json::to_string(&earlier).expect("JSON");
        assert_eq!(text, serde_json::to_string(&earlier.run).expect("JSON"));
        assert_eq!(serde_json::from_str::<Start>(&text).expect("a first line"), earlier);
        assert_eq!(difference(&earlier, &start()), None);
        let run = RunFile { book: "c/b.epd".to_owned(), ..start().run };
        assert_eq!(difference(&earlier, &Start { run, ..start() }), Some("its run file differs"));
    }
}
