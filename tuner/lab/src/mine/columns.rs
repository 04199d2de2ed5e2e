//! Logged null-move searches as columns of integers.

use nullarbor::search::Probe;
use nullarbor::search::null_move::Feature;
use nullarbor::types::Score;

/// One null-move search: a row of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Features of the node before the search, in the order of [`Feature::ALL`].
    pub features: [i32; Feature::COUNT],
    /// Number of its game, from 0.
    pub game: u32,
    /// Score of the null-move search for the side to move, in centipawns.
    pub score: Score,
    /// True if the score reaches beta.
    pub cut: bool,
    /// Nodes of the null-move search.
    pub null_nodes: u64,
    /// The search of the node without the cutoff, for the sampled cutoffs.
    pub probe: Option<Probe>,
    /// Score of a full search without null moves, for the sampled attempts.
    pub ground_truth: Option<Score>,
}

/// The columns that follow the features.
const OUTCOMES: [&str; 7] =
    [GAME, "score", "cut", "null_nodes", "probe_score", "probe_nodes", "truth_score"];

/// Name of the column of the number of the game.
const GAME: &str = "game";

/// Number of columns.
pub const COLUMNS: usize = Feature::COUNT + OUTCOMES.len();

/// Stands for a missing value.
pub const MISSING: i32 = i32::MIN;

/// Returns the names of all columns, in order.
pub fn names() -> impl Iterator<Item = &'static str> {
    Feature::ALL.iter().map(|(name, _)| *name).chain(OUTCOMES)
}

/// Returns whether values of a column may be missing.
pub fn may_miss(name: &str) -> bool {
    name.starts_with("probe_") || name.starts_with("truth_")
}

impl Attempt {
    /// Returns the values of all columns, in order.
    pub fn values(&self) -> impl Iterator<Item = i32> {
        // No search of a logged game exceeds i32.
        let count = |nodes: u64| i32::try_from(nodes).unwrap_or(i32::MAX);
        let outcomes: [i32; OUTCOMES.len()] = [
            count(u64::from(self.game)),
            self.score.0,
            i32::from(self.cut),
            count(self.null_nodes),
            self.probe.map_or(MISSING, |probe| probe.score.0),
            self.probe.map_or(MISSING, |probe| count(probe.nodes)),
            self.ground_truth.map_or(MISSING, |score| score.0),
        ];
        self.features.into_iter().chain(outcomes)
    }
}

/// Some columns of a log, all of the same length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    names: Vec<String>,
    columns: Vec<Vec<i32>>,
}

impl Columns {
    /// Creates them from names and values.
    ///
    /// # Panics
    /// If there is not one name for each column, or the columns differ in length.
    pub fn new(names: Vec<String>, columns: Vec<Vec<i32>>) -> Self {
        assert_eq!(names.len(), columns.len());
        assert!(columns.iter().all(|column| column.len() == columns[0].len()));
        Self { names, columns }
    }

    /// Adds the rows of another log, whose games are numbered after those that are there.
    ///
    /// # Panics
    /// If it has other columns.
    pub fn append(&mut self, other: Self) {
        assert_eq!(self.names, other.names);
        for ((name, own), rows) in self.names.iter().zip(&mut self.columns).zip(other.columns) {
            // Numbers of a damaged log may be any.
            let last = own.iter().max().filter(|_| name == GAME);
            let games = last.map_or(0, |last| last.saturating_add(1));
            own.extend(rows.into_iter().map(|value| value.saturating_add(games)));
        }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// Returns whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the column of this name.
    ///
    /// # Panics
    /// If it was not read.
    pub fn column(&self, name: &str) -> &[i32] {
        let index = self.names.iter().position(|known| known == name);
        &self.columns[index.unwrap_or_else(|| panic!("the column {name} was not read"))]
    }

    /// Returns the columns that tell how the attempts ended.
    ///
    /// # Panics
    /// If one of [`Outcomes::COLUMNS`] was not read.
    pub fn outcomes(&self) -> Outcomes<'_> {
        let [beta, game, cut, null_nodes, probe_nodes, ground_truth] =
            Outcomes::COLUMNS.map(|name| self.column(name));
        Outcomes { beta, game, cut, null_nodes, probe_nodes, ground_truth }
    }
}

/// The columns that tell how attempts ended.
#[derive(Clone, Copy, Debug)]
pub struct Outcomes<'a> {
    beta: &'a [i32],
    game: &'a [i32],
    cut: &'a [i32],
    null_nodes: &'a [i32],
    probe_nodes: &'a [i32],
    ground_truth: &'a [i32],
}

impl Outcomes<'_> {
    /// Their names.
    pub const COLUMNS: [&'static str; 6] =
        ["beta", GAME, "cut", "null_nodes", "probe_nodes", "truth_score"];

    /// Returns their names and those of other columns, each once.
    pub fn with(others: impl IntoIterator<Item = String>) -> Vec<String> {
        let own = Self::COLUMNS.map(str::to_owned).into_iter();
        let names: std::collections::BTreeSet<String> = own.chain(others).collect();
        names.into_iter().collect()
    }

    /// Returns the number of the game.
    pub fn game(&self, row: usize) -> i32 {
        self.game[row]
    }

    /// Returns whether the null-move search failed high.
    pub fn is_cut(&self, row: usize) -> bool {
        self.cut[row] != 0
    }

    /// Returns the nodes of the null-move search.
    pub fn null_nodes(&self, row: usize) -> u64 {
        u64::from(self.null_nodes[row].unsigned_abs())
    }

    /// Returns the nodes that the node took without the cutoff, for the sampled cutoffs.
    pub fn full_nodes(&self, row: usize) -> Option<u64> {
        let nodes = self.probe_nodes[row];
        (nodes != MISSING).then(|| u64::from(nodes.unsigned_abs()))
    }

    /// Returns whether a full search without null moves reaches beta, for the sampled attempts.
    pub fn reaches_beta(&self, row: usize) -> Option<bool> {
        let score = self.ground_truth[row];
        (score != MISSING).then(|| score >= self.beta[row])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_of_another_log_are_other_games() {
        let log = |games: &[i32]| {
            let columns = vec![vec![MISSING; games.len()], games.to_vec()];
            Columns::new(["truth_score", GAME].map(str::to_owned).to_vec(), columns)
        };
        let mut all = log(&[0, 0, 1]);
        all.append(log(&[0, 1, 1]));
        all.append(log(&[2]));
        assert_eq!(all, log(&[0, 0, 1, 2, 3, 3, 6]));
        all.append(log(&[i32::MAX]));
        all.append(log(&[1]));
        assert_eq!(all, log(&[0, 0, 1, 2, 3, 3, 6, i32::MAX, i32::MAX]));
    }
}
