//! The course of a match, as its journal tells it.

use std::fs::TryLockError;
use std::path::{Path, PathBuf};

use nullarbor_report::plot::Chart;
use nullarbor_report::table::grouped;
use thiserror::Error;

use crate::matches::journal::{self, Start};
use crate::matches::{GameRecord, Standings};
use nullarbor_runs::files;
use nullarbor_runs::journal::JournalError;
use nullarbor_stats::{PairCounts, Sprt, Strength, Verdict};

/// A journal that tells of no course.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum CourseError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("{path}: the journal is empty; no game was played yet", path = .0.display())]
    Empty(PathBuf),
}

/// A match as far as it was played.
#[derive(Clone, Debug)]
pub struct Course {
    /// The first line of the journal.
    pub start: Start,
    /// Names of the engines.
    pub names: Vec<String>,
    /// The finished games in their order, up to the decision of a test.
    pub games: Vec<GameRecord>,
    /// The results of all counted pairs: those up to the decision of a test.
    pub standings: Standings,
    /// The results of each pairing on the way, the last moment with them.
    pub moments: Vec<Moment>,
    /// The decision of the test, if there is one.
    pub verdict: Option<Verdict>,
}

/// The results after a number of games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Games in counted pairs.
    pub games: u64,
    /// The results of each pairing.
    pub counts: Vec<PairCounts>,
}

/// Moments of a course, at most.
const MOMENTS: usize = 200;

impl Course {
    /// Reads a journal, which another process may be writing.
    ///
    /// # Errors
    /// If it cannot be read, is no journal of a match, is empty, or is damaged before its last line.
    pub fn read(path: &Path) -> Result<Self, CourseError> {
        let (start, games) = journal::read(path)?;
        let start = start.ok_or_else(|| CourseError::Empty(path.to_owned()))?;
        let names = start.identity.names();
        if names.len() < 2 {
            let problem = "it names fewer than two engines".to_owned();
            return Err(JournalError::damaged(path, 1, problem).into());
        }
        Ok(Self::of(start, games))
    }

    /// Returns the course of these games; the match has at least two engines.
    fn of(start: Start, mut games: Vec<GameRecord>) -> Self {
        games.sort_unstable_by_key(GameRecord::number);
        let names = start.identity.names();
        let pairings = start.identity.format.pairings(names.len());
        let mut standings = Standings::of_pairings(pairings, names.len());
        let mut moments = Vec::new();
        let step = (games.len() / 2).div_ceil(MOMENTS).max(1);
        let mut verdict = None;
        // Behind a game that is missing, the test has not looked at the counts yet.
        let mut next_pair = 0;
        for (number, pair) in games.chunk_by(|one, other| one.pair == other.pair).enumerate() {
            let [first, second] = pair else {
                pair.iter().for_each(|game| standings.note_faults(game));
                continue;
            };
            standings.add(&[first.clone(), second.clone()]);
            if number % step == 0 {
                moments.push(Moment::of(&standings));
            }
            if first.pair == next_pair {
                next_pair += 1;
                let sprt = start.identity.sprt;
                verdict = sprt.and_then(|sprt| sprt.verdict(&standings.counts[0]));
                if verdict.is_some() {
                    // Games that were under way then do not count.
                    break;
                }
            }
        }
        if verdict.is_some() {
            games.retain(|game| game.pair < next_pair);
        }
        let last = Moment::of(&standings);
        if last.games > 0 && moments.last() != Some(&last) {
            moments.push(last);
        }
        Self { start, names, games, standings, moments, verdict }
    }

    /// Returns the names of the engines.
    pub fn names(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).collect()
    }

    /// Returns the number of finished games.
    pub fn played(&self) -> u64 {
        self.games.len() as u64
    }

    /// Returns the games that were planned, those that were played at least.
    pub fn target(&self) -> Option<u64> {
        self.start.planned().map(|games| games.max(self.played()))
    }

    /// Returns whether nothing is left to play.
    pub fn is_done(&self) -> bool {
        self.verdict.is_some() || self.target().is_some_and(|target| self.played() >= target)
    }

    /// Returns the games played, and of how many.
    pub fn progress(&self) -> String {
        let most = if self.start.identity.sprt.is_some() { "at most " } else { "" };
        self.target().map_or_else(
            || grouped(self.played()),
            |target| format!("{} of {most}{}", grouped(self.played()), grouped(target)),
        )
    }

    /// Describes how far the match is; `is_locked` tells whether a process plays it.
    pub fn state(&self, is_locked: bool) -> String {
        let played = grouped(self.played());
        let is_test = self.start.identity.sprt.is_some();
        match self.verdict {
            Some(Verdict::H1) => "H1 accepted".to_owned(),
            Some(Verdict::H0) => "H0 accepted".to_owned(),
            None if is_locked => "under way".to_owned(),
            None if self.is_done() && is_test => {
                format!("undecided after {played} of {played} games")
            }
            None if self.is_done() => "complete".to_owned(),
            None if is_test => format!("stopped after {played} games, undecided"),
            None => format!("stopped after {} games", self.progress()),
        }
    }

    /// Returns charts of the difference between two engines and of the test, or of the strength of each of more engines.
    pub fn charts(&self) -> Vec<Chart> {
        if self.standings.counts.len() > 1 {
            return vec![self.field()];
        }
        let counts = self.moments.iter().map(|moment| (moment.games as f64, moment.counts[0]));
        let history: Vec<(f64, PairCounts)> = counts.collect();
        let mut all = vec![difference(&history)];
        all.extend(self.start.identity.sprt.map(|sprt| test(sprt, &history)));
        all
    }

    /// The strength of each engine against its opponents.
    fn field(&self) -> Chart {
        let chart = Chart::new("Elo of each engine against its opponents", "games", "Elo").wide();
        // So that a field of many makes no larger page than two.
        let step = (self.names.len() / 4).max(1);
        let skipped = self.moments.len() / 20;
        let shown: Vec<Standings> =
            self.moments.iter().skip(skipped).step_by(step).map(|it| it.standings(self)).collect();
        self.names.iter().enumerate().fold(chart, |chart, (engine, name)| {
            let points = shown.iter().map(|standings| {
                (standings.games() as f64, Strength::of(&standings.of(engine)).elo.value)
            });
            chart.line(name, points)
        })
    }
}

impl Moment {
    fn of(standings: &Standings) -> Self {
        Self { games: standings.games(), counts: standings.counts.clone() }
    }

    fn standings(&self, course: &Course) -> Standings {
        let mut standings =
            Standings::of_pairings(course.standings.pairings.clone(), course.names.len());
        standings.counts.clone_from(&self.counts);
        standings
    }
}

/// The difference in Elo with its interval.
fn difference(history: &[(f64, PairCounts)]) -> Chart {
    let strengths: Vec<_> = history
        .iter()
        .map(|(games, counts)| (*games, Strength::of(counts).elo))
        .filter(|(_, elo)| elo.value.is_finite() && elo.error.is_finite())
        .collect();
    // The first games have errors that hide everything else.
    let shown: Vec<_> = strengths.iter().skip(strengths.len() / 20).collect();
    let band = shown.iter().map(|(x, elo)| (*x, [elo.value - elo.error, elo.value + elo.error]));
    Chart::new("Elo, with 95 % interval", "games", "Elo")
        .band("95 %", band)
        .line("Elo", shown.iter().map(|(x, elo)| (*x, elo.value)))
        .level("even", 0.0)
}

/// The log-likelihood ratio between its limits.
fn test(sprt: Sprt, history: &[(f64, PairCounts)]) -> Chart {
    let (low, high) = sprt.limits();
    let llr = history.iter().map(|(games, counts)| (*games, sprt.llr(counts)));
    Chart::new("LLR", "games", "LLR").line("LLR", llr).level("H0", low).level("H1", high)
}

/// Returns whether a process plays the match of this journal.
pub fn is_under_way(path: &Path) -> bool {
    // A shared lock of a moment: who takes the journal up meanwhile waits for it.
    files::open(path)
        .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::*;
    use crate::end::{End, Reason};
    use crate::pair::GameOfPair;
    use nullarbor::types::Colour;

    fn start(sprt: bool, games: Option<u64>, command: &[&str]) -> Start {
        start_of(&["a", "b"], sprt, games, command)
    }

    /// A course of these games.
    pub fn course(names: &[&str], sprt: bool, games: Vec<GameRecord>) -> Course {
        Course::of(start_of(names, sprt, Some(100_000), &[]), games)
    }

    fn start_of(names: &[&str], sprt: bool, games: Option<u64>, command: &[&str]) -> Start {
        let sprt = sprt.then(|| {
            json!({"elo0": 0.0, "elo1": 10.0, "alpha": 0.05, "beta": 0.05, "model": "normalized"})
        });
        let start = json!({
            "engines": names, "format": "RoundRobin", "book": "b (9 openings)", "seed": 1,
            "order": "0", "rules": {}, "sprt": sprt, "command": command, "games": games,
        });
        serde_json::from_value(start).expect("a first line")
    }

    /// A pair that the first engine won, or White twice.
    pub fn pair(pair: u64, is_won: bool) -> [GameRecord; 2] {
        GameOfPair::BOTH.map(|game| {
            let winner = if is_won { game.colour_of_first() } else { Colour::White };
            GameRecord {
                pair,
                game,
                end: End::won(winner, Reason::Checkmate),
                plies: 9,
                moves: 1,
                fault: None,
                pv_warnings: Default::default(),
                pgn: None,
            }
        })
    }

    /// Pairs that the first engine won, behind as many that were level.
    fn games(pairs: u64) -> Vec<GameRecord> {
        (0..pairs).flat_map(|number| pair(number, number >= pairs / 2)).collect()
    }

    #[test]
    fn a_match_says_how_it_stands() {
        let state = |is_test, pairs, target, is_locked| {
            Course::of(start(is_test, target, &[]), games(pairs)).state(is_locked)
        };
        assert_eq!(state(true, 4, Some(100), true), "under way");
        assert_eq!(state(true, 4, None, true), "under way");
        assert_eq!(state(true, 4, Some(100), false), "stopped after 8 games, undecided");
        assert_eq!(state(true, 4, Some(8), false), "undecided after 8 of 8 games");
        assert_eq!(state(true, 400, Some(1000), false), "H1 accepted");
        assert_eq!(state(false, 4, Some(100), false), "stopped after 8 of 100 games");
        assert_eq!(state(false, 4, Some(8), false), "complete");
    }

    #[test]
    fn games_behind_the_decision_do_not_count() {
        let all = games(400);
        let course = Course::of(start(true, Some(1000), &[]), all.clone());
        let played = course.played();
        assert!((400..800).contains(&played) && course.verdict == Some(Verdict::H1), "{played}");
        assert_eq!(course.standings.games(), played);
        assert_eq!(course.moments.last().map(|moment| moment.games), Some(played));
        // A hole before it: the test does not know yet.
        let course = Course::of(start(true, Some(1000), &[]), all[2..].to_vec());
        assert_eq!((course.verdict, course.standings.games()), (None, 798));
        assert_eq!(course.state(false), "stopped after 798 games, undecided");
    }

    #[test]
    fn the_games_of_an_older_journal_are_those_of_its_command() {
        let target = |command: &[&str]| Course::of(start(false, None, command), games(3)).target();
        assert_eq!(target(&["match", "--games", "20", "--quiet"]), Some(20));
        assert_eq!(target(&["match", "--games=4"]), Some(6), "never fewer than were played");
        assert_eq!(target(&["match"]), None);
    }

    #[test]
    fn charts_are_no_longer_than_they_can_show() {
        let course = Course::of(start(false, None, &[]), games(5000));
        assert!((MOMENTS / 2..=MOMENTS + 1).contains(&course.moments.len()));
        assert_eq!(course.moments.last().map(|moment| moment.games), Some(10_000));
        assert_eq!(course.charts().len(), 1);
        let empty = Course::of(start(true, None, &[]), Vec::new());
        assert_eq!((empty.moments.len(), empty.charts().len()), (0, 2));
    }
}
