//! Null searches as rows of numbers.

use nullarbor::search::Probe;
use nullarbor::search::null_move::Feature;
use nullarbor::types::Score;

/// One null search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// What the node knew before, in the order of [`Feature::ALL`].
    pub features: [i32; Feature::COUNT],
    /// The game it is from, from 0.
    pub game: u32,
    /// What the null search found, for the side to move.
    pub score: Score,
    /// Whether that reaches beta.
    pub cut: bool,
    /// What it took.
    pub null_nodes: u64,
    /// What the node would have taken if it had not been cut, where somebody tried.
    pub probe: Option<Probe>,
    /// What a full search without null moves says, where somebody asked one.
    pub truth: Option<Score>,
}

/// The columns that follow the features.
const OUTCOMES: [&str; 7] =
    ["game", "score", "cut", "null_nodes", "probe_score", "probe_nodes", "truth_score"];

/// All columns.
pub const COLUMNS: usize = Feature::COUNT + OUTCOMES.len();

/// Stands for what is not known.
pub const MISSING: i32 = i32::MIN;

/// The names of all columns, in order.
pub fn names() -> impl Iterator<Item = &'static str> {
    Feature::ALL.iter().map(|(name, _)| *name).chain(OUTCOMES)
}

/// Whether a column has holes.
pub fn may_miss(name: &str) -> bool {
    name.starts_with("probe_") || name.starts_with("truth_")
}

impl Attempt {
    /// The values of all columns, in order.
    pub fn values(&self) -> impl Iterator<Item = i32> {
        // No search of a game takes so many nodes that they would not fit.
        let count = |nodes: u64| i32::try_from(nodes).unwrap_or(i32::MAX);
        let outcomes: [i32; OUTCOMES.len()] = [
            count(u64::from(self.game)),
            self.score.0,
            i32::from(self.cut),
            count(self.null_nodes),
            self.probe.map_or(MISSING, |probe| probe.score.0),
            self.probe.map_or(MISSING, |probe| count(probe.nodes)),
            self.truth.map_or(MISSING, |score| score.0),
        ];
        self.features.into_iter().chain(outcomes)
    }
}

/// Many null searches, or some columns of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attempts {
    names: Vec<String>,
    columns: Vec<Vec<i32>>,
}

impl Attempts {
    /// From columns of one length and their names.
    pub fn new(names: Vec<String>, columns: Vec<Vec<i32>>) -> Self {
        assert_eq!(names.len(), columns.len());
        assert!(columns.iter().all(|column| column.len() == columns[0].len()));
        Self { names, columns }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A column, if it was read.
    pub fn column(&self, name: &str) -> Option<&[i32]> {
        let index = self.names.iter().position(|known| known == name)?;
        Some(&self.columns[index])
    }

    /// The columns that say how each attempt ended, if they were read.
    pub fn endings(&self) -> Option<Endings<'_>> {
        Some(Endings {
            beta: self.column("beta")?,
            cut: self.column("cut")?,
            null_nodes: self.column("null_nodes")?,
            probe_nodes: self.column("probe_nodes")?,
            truth_score: self.column("truth_score")?,
        })
    }
}

/// How attempts ended.
#[derive(Clone, Copy, Debug)]
pub struct Endings<'a> {
    beta: &'a [i32],
    cut: &'a [i32],
    null_nodes: &'a [i32],
    probe_nodes: &'a [i32],
    truth_score: &'a [i32],
}

impl Endings<'_> {
    /// The columns that it needs.
    pub const COLUMNS: [&'static str; 5] =
        ["beta", "cut", "null_nodes", "probe_nodes", "truth_score"];

    /// Whether the null search failed high.
    pub fn is_cut(&self, row: usize) -> bool {
        self.cut[row] != 0
    }

    /// What the null search took.
    pub fn spent(&self, row: usize) -> u64 {
        u64::from(self.null_nodes[row].unsigned_abs())
    }

    /// What the node would have taken without the cut-off, if that is known.
    pub fn full(&self, row: usize) -> Option<u64> {
        let nodes = self.probe_nodes[row];
        (nodes != MISSING).then(|| u64::from(nodes.unsigned_abs()))
    }

    /// Whether a full search without null moves reaches beta, if that is known.
    pub fn truth(&self, row: usize) -> Option<bool> {
        let score = self.truth_score[row];
        (score != MISSING).then(|| score >= self.beta[row])
    }
}
