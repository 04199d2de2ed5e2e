//! The configuration of a run: `breed.toml`.

use std::path::{Path, PathBuf};

use nullarbor_games::engine_spec::{self, EngineSpec};
use nullarbor_games::limit::{Limit, TimeControl};
use nullarbor_runs::files::{FileError, read_text};
use nullarbor_stats::{Bounds, Sprt};
use nullarbor_train::data::{Filter, SelfPlaySettings};
use nullarbor_train::trainer::{self, DatasetId, EPSILON, Shape, TrainSettings};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use thiserror::Error;

/// The text of a configuration with all defaults and their explanations.
pub const DEFAULT: &str = include_str!("default.toml");

/// The maximum number of games of a cycle, which ends by positions.
const MOST_GAMES: u64 = 1_000_000_000_000;

/// A fault of a configuration.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum ConfigError {
    #[error("{key} = {value}: it must be {expected}")]
    Value { key: &'static str, value: String, expected: &'static str },
    #[error("[network]: {0}")]
    Shape(String),
    #[error("{key}: {problem}")]
    Text { key: &'static str, problem: String },
    #[error(
        "[network] has another shape than this tuner, so its matches cannot load such networks: set engine_build in [run] to build engines for them, or build the tuner with a network of this shape (make tuner EVALFILE=NET)"
    )]
    EngineBuild,
}

/// Declares sections whose keys may all be left out, and their defaults.
macro_rules! section {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $kind:ty = $default:expr,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct $name { $($(#[$field_doc])* pub $field: $kind,)* }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }
    };
}

section! {
    /// A whole configuration. What decides a cycle is journalled with it; [`Config::run`] is not.
    Config {
        /// Seed of games, training and openings.
        seed: u64 = 1000,
        /// The shape of new networks.
        network: Network = Network::default(),
        /// The games of a cycle.
        games: Games = Games::default(),
        /// Training of a network.
        training: Training = Training::default(),
        /// Gates that a network must pass.
        gates: Gates = Gates::default(),
        /// Matches against others.
        anchors: Anchors = Anchors::default(),
        /// The match before shipping.
        ship: Ship = Ship::default(),
        /// Settings that decide no result.
        #[serde(skip_serializing)]
        run: Run = Run::default(),
    }
}

section! {
    /// The shape of new networks.
    Network {
        /// Neurons of each perspective.
        hidden: usize = Shape::BUILT.hidden,
        /// King buckets.
        king_buckets: usize = Shape::BUILT.king_buckets,
        /// Output buckets.
        output_buckets: usize = Shape::BUILT.output_buckets,
    }
}

section! {
    /// The games of a cycle.
    Games {
        /// The minimum number of new kept positions.
        positions: u64 = 20_000_000,
        /// The maximum hours of games; `None` without limit.
        #[serde(skip_serializing_if = "Option::is_none")]
        hours: Option<f64> = Some(4.0),
        /// The minimum share of new positions, of those in the window.
        share: f64 = 0.3,
        /// Soft limit of nodes per move.
        nodes: u64 = 500,
        /// Percentage of double Chess960.
        chess960: u64 = 5,
        /// Percentage of games with natural openings; `None` as in `datagen`.
        #[serde(skip_serializing_if = "Option::is_none")]
        natural: Option<u64> = None,
        /// Percentage of quick searches; `None` is 0.
        #[serde(skip_serializing_if = "Option::is_none")]
        quick: Option<u64> = None,
        /// Nodes of a quick search; `None` as in `datagen`.
        #[serde(skip_serializing_if = "Option::is_none")]
        quick_nodes: Option<u64> = None,
        /// Folders of Syzygy tablebases that decide games, separated as in `PATH`; `None` without.
        #[serde(skip_serializing_if = "Option::is_none")]
        tb: Option<PathBuf> = None,
        /// Datasets that count as games of the first network.
        start: Vec<PathBuf> = Vec::new(),
    }
}

section! {
    /// The training of a network.
    Training {
        /// Networks whose games are trained on.
        window: u64 = 3,
        /// True if training starts from the accepted network.
        fine_tune: bool = true,
        /// Passes over the positions.
        epochs: u64 = 1,
        /// Batch size.
        batch: Option<usize> = Some(16_384),
        /// The peak learning rate.
        rate: f32 = 0.0005,
        /// The weight decay of AdamW.
        weight_decay: f32 = 0.01,
        /// The epsilon of AdamW, if training starts from the accepted network.
        epsilon: f32 = 0.00003,
        /// The share of an input weight's gradient that is taken from the same piece on all squares, if training starts from the
        /// accepted network; `None`, in journals of cycles before it was there, is 0.
        #[serde(skip_serializing_if = "Option::is_none")]
        factoriser: Option<f32> = Some(0.9),
        /// TD(lambda): the weight of the next position's label.
        td: f32 = 0.9,
        /// The same in positions of at most nine pieces.
        td_endgame: f32 = 0.985,
        /// Siblings of each position that are trained on besides, if training starts from the accepted network.
        siblings: usize = 1,
        /// How far siblings move away from the position after the move played; `None` is 0.
        #[serde(skip_serializing_if = "Option::is_none")]
        preference: Option<f32> = None,
        /// The share of the accepted network's parameters that the new one keeps, if training starts from it.
        keep: f32 = 0.0,
        /// The weight of the game's result in the target.
        lambda: f32 = 0.0,
        /// Centipawns of the win probability 73 % in the loss.
        scale: u32 = 135,
        /// The loss.
        loss: trainer::Loss = trainer::Loss::default(),
        /// Positions with a larger absolute score are not trained on.
        max_score: i32 = 600,
    }
}

section! {
    /// The gates that a network must pass.
    Gates {
        /// Checks of the network alone.
        sanity: Sanity = Sanity::default(),
        /// The held-out loss.
        loss: Loss = Loss::default(),
        /// Positions with labels from deep searches.
        judge: Judge = Judge::default(),
        /// A match at fixed nodes.
        nodes: Nodes = Nodes::default(),
        /// A match on a clock.
        clock: Clock = Clock::default(),
    }
}

section! {
    /// Checks of the network alone.
    Sanity {
        /// Largest evaluation of the initial position in centipawns.
        start: f64 = 60.0,
        /// True if the order of piece values is checked.
        piece_order: bool = true,
        /// Largest change of the scale.
        drift: f64 = 0.5,
        /// Largest share of dead neurons.
        dead: f64 = 0.05,
        /// Largest share of saturated neurons.
        saturated: f64 = 0.1,
        /// Largest mean quantisation error in centipawns.
        quantisation: f64 = 1.5,
        /// Largest gap between validation and training loss.
        overfitting: f64 = 0.3,
    }
}

section! {
    /// The held-out loss.
    Loss {
        /// The share by which it may rise; below zero, by which it must fall.
        rise: f64 = 9.0,
        /// The share by which that of a piece count may rise.
        bucket: f64 = 19.0,
    }
}

section! {
    /// Positions with labels from deep searches.
    Judge {
        /// Positions of `met` and of `neutral` in the set that each cycle makes; 0 makes none.
        positions: u64 = 1000,
        /// Groups of siblings in it.
        siblings: u64 = 200,
        /// Nodes of the search that labels a position.
        nodes: u64 = 100_000,
        /// Games of the accepted network against each opponent, from which the positions met are taken.
        games: u64 = 100,
        /// Other sets: folders.
        sets: Vec<PathBuf> = Vec::new(),
        /// The share by which the errors may rise; below zero, by which they must fall.
        rise: f64 = 0.01,
        /// The amount by which the order of siblings may fall.
        order: f64 = 0.005,
    }
}

impl Judge {
    /// Returns whether there is any set.
    pub fn is_on(&self) -> bool {
        self.positions > 0 || !self.sets.is_empty()
    }
}

section! {
    /// A match at fixed nodes.
    Nodes {
        /// Nodes per move.
        nodes: u64 = 20_000,
        /// Bounds in normalised Elo.
        sprt: [f64; 2] = [0.0, 10.0],
        /// The maximum number of games.
        games: u64 = 2000,
        /// The books that take turns, in all matches.
        books: Vec<String> = vec!["unbalanced".to_owned(), "endgames".to_owned()],
        /// Transposition table of each player in MiB, in all matches.
        hash: usize = 16,
    }
}

section! {
    /// A match on a clock.
    Clock {
        /// Time control.
        tc: String = "1+0.01".to_owned(),
        /// Bounds in normalised Elo.
        sprt: [f64; 2] = [-10.0, 0.0],
        /// The maximum number of games.
        games: u64 = 2000,
        /// True if the match is played even if the shape of the network does not change.
        always: bool = false,
    }
}

section! {
    /// Matches against others.
    Anchors {
        /// Played after every this many generations.
        every: u64 = 3,
        /// Other engines, as `match --engine` describes them.
        opponents: Vec<String> = Vec::new(),
        /// Their limit.
        limit: String = "tc=3+0.03".to_owned(),
        /// Games against each.
        games: u64 = 120,
    }
}

section! {
    /// The match before shipping.
    Ship {
        /// Nodes per move.
        nodes: u64 = 20_000,
        /// Bounds in normalised Elo.
        sprt: [f64; 2] = [0.0, 10.0],
        /// The maximum number of games.
        games: u64 = 2000,
    }
}

section! {
    /// Settings of the work that decide no result.
    Run {
        /// Stop after this many hours.
        hours: Option<f64> = None,
        /// Stop when the run has this many cycles.
        cycles: Option<u64> = None,
        /// Nice value of the process.
        nice: u8 = 19,
        /// Threads, and games at the same time.
        threads: Option<u64> = None,
        /// The source tree that each accepted network is shipped to, with a commit; `None` ships none.
        ship: Option<PathBuf> = None,
        /// The command that builds an engine with a network.
        engine_build: Vec<String> = Vec::new(),
    }
}

impl Config {
    /// Reads the configuration in a journal. A key that came after its cycle began is not that of a new run there.
    pub(crate) fn journalled<'de, D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let mut config = Value::deserialize(source)?;
        if let Some(training) = config.get_mut("training").and_then(Value::as_object_mut) {
            training.entry("factoriser").or_insert(Value::Null);
        }
        Self::deserialize(config).map_err(D::Error::custom)
    }

    /// Reads and checks a configuration, but not its files: they may lie relative to another folder than this one.
    ///
    /// # Errors
    /// If it cannot be read or makes no run.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let text = read_text(path)?;
        let config: Self = toml::from_str(&text)
            .map_err(|error| FileError::at(path)(error.to_string().trim_end().to_owned()))?;
        config.check().map_err(FileError::at(path))?;
        Ok(config)
    }

    /// Checks whether it makes a run.
    ///
    /// # Errors
    /// The first key that is wrong.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.shape().check().map_err(ConfigError::Shape)?;
        self.check_numbers()?;
        self.opponents()?;
        self.clock_limit()?;
        for (key, bounds) in [
            ("gates.nodes.sprt", self.gates.nodes.sprt),
            ("gates.clock.sprt", self.gates.clock.sprt),
            ("ship.sprt", self.ship.sprt),
        ] {
            sprt(bounds).map_err(|problem| ConfigError::Text { key, problem })?;
        }
        let build = &self.run.engine_build;
        if !build.is_empty() && !["{net}", "{exe}"].iter().all(|it| build.concat().contains(it)) {
            let problem = "it must contain {net} and {exe}".to_owned();
            return Err(ConfigError::Text { key: "run.engine_build", problem });
        }
        if self.shape() != Shape::BUILT && build.is_empty() {
            return Err(ConfigError::EngineBuild);
        }
        Ok(())
    }

    fn check_numbers(&self) -> Result<(), ConfigError> {
        let Self { games, training, gates, anchors, ship, run, .. } = self;
        let counts = [
            ("games.positions", games.positions, 1..=MOST_GAMES),
            ("games.nodes", games.nodes, 1..=1_000_000_000),
            ("games.chess960", games.chess960, 0..=100),
            ("games.natural", games.natural.unwrap_or(0), 0..=100),
            ("games.quick", games.quick.unwrap_or(0), 0..=99),
            ("games.quick_nodes", games.quick_nodes.unwrap_or(1), 1..=1_000_000_000),
            ("training.window", training.window, 1..=1000),
            ("training.siblings", training.siblings as u64, 0..=16),
            ("training.epochs", training.epochs, 1..=100_000),
            ("training.batch", training.batch.unwrap_or(1) as u64, 1..=1 << 16),
            ("training.scale", training.scale.into(), 10..=5000),
            ("training.max_score", training.max_score.try_into().unwrap_or(0), 1..=32_000),
            ("gates.judge.positions", gates.judge.positions, 0..=1_000_000),
            ("gates.judge.siblings", gates.judge.siblings, 0..=1_000_000),
            ("gates.judge.nodes", gates.judge.nodes, 1..=1_000_000_000),
            ("gates.judge.games", gates.judge.games, 2..=1_000_000),
            ("gates.nodes.nodes", gates.nodes.nodes, 1..=1_000_000_000),
            ("gates.nodes.games", gates.nodes.games, 2..=1_000_000),
            ("gates.nodes.hash", gates.nodes.hash as u64, 1..=1 << 20),
            ("gates.clock.games", gates.clock.games, 2..=1_000_000),
            ("anchors.every", anchors.every, 1..=1000),
            ("anchors.games", anchors.games, 2..=1_000_000),
            ("ship.nodes", ship.nodes, 1..=1_000_000_000),
            ("ship.games", ship.games, 2..=1_000_000),
            ("run.nice", run.nice.into(), 0..=19),
            ("run.cycles", run.cycles.unwrap_or(1), 1..=1_000_000),
            ("run.threads", run.threads.unwrap_or(1), 1..=1024),
        ];
        for (key, value, range) in counts {
            if !range.contains(&value) {
                let value = format!("{value} is outside {} to {}", range.start(), range.end());
                return Err(ConfigError::Value { key, value, expected: "in that range" });
            }
        }
        let Sanity { start, drift, dead, saturated, quantisation, overfitting, .. } = gates.sanity;
        let shares = [
            ("games.share", games.share),
            ("training.rate", training.rate.into()),
            ("training.weight_decay", training.weight_decay.into()),
            ("training.epsilon", training.epsilon.into()),
            ("training.factoriser", training.factoriser.unwrap_or(0.0).into()),
            ("training.preference", training.preference.unwrap_or(0.0).into()),
            ("training.lambda", training.lambda.into()),
            ("training.td", training.td.into()),
            ("training.td_endgame", training.td_endgame.into()),
            ("training.keep", training.keep.into()),
            ("gates.sanity.dead", dead),
            ("gates.sanity.saturated", saturated),
        ];
        for (key, value) in shares {
            if !(0.0..=1.0).contains(&value) {
                return Err(number(key, value, "from 0 to 1"));
            }
        }
        let sizes = [
            ("gates.sanity.start", start),
            ("gates.sanity.drift", drift),
            ("gates.sanity.quantisation", quantisation),
            ("gates.sanity.overfitting", overfitting),
            ("gates.loss.bucket", gates.loss.bucket),
            ("gates.judge.order", gates.judge.order),
            ("run.hours", run.hours.unwrap_or(1.0)),
            ("games.hours", games.hours.unwrap_or(1.0)),
        ];
        for (key, value) in sizes {
            if !(value.is_finite() && value >= 0.0) {
                return Err(number(key, value, "a number from 0 on"));
            }
        }
        for (key, value) in
            [("gates.loss.rise", gates.loss.rise), ("gates.judge.rise", gates.judge.rise)]
        {
            if !value.is_finite() {
                return Err(number(key, value, "a number"));
            }
        }
        Ok(())
    }

    /// Returns the shape of new networks.
    pub fn shape(&self) -> Shape {
        let Network { hidden, king_buckets, output_buckets } = self.network;
        Shape { hidden, king_buckets, output_buckets }
    }

    /// Returns the settings of the games of a cycle.
    pub fn self_play(&self, cycle: u64, positions: u64, evaluation: String) -> SelfPlaySettings {
        let Games { nodes, chess960, natural, quick, quick_nodes, .. } = self.games;
        let usual = SelfPlaySettings::default();
        SelfPlaySettings {
            seed: self.seed + cycle,
            games: MOST_GAMES,
            positions: Some(positions),
            nodes,
            chess960,
            natural: natural.unwrap_or(usual.natural),
            quick: quick.unwrap_or(usual.quick),
            quick_nodes,
            evaluation,
            ..usual
        }
    }

    /// Returns the settings with which a network is trained.
    pub fn training(&self, cycle: u64, datasets: Vec<DatasetId>) -> TrainSettings {
        let Training { fine_tune, epochs, batch, rate, weight_decay, epsilon, factoriser, .. } =
            self.training;
        let Training { td, td_endgame, siblings, preference, keep, .. } = self.training;
        let Training { lambda, scale, loss, max_score, .. } = self.training;
        TrainSettings {
            datasets,
            shape: self.shape(),
            from: None,
            keep_of: None,
            epochs,
            accept: 1.0,
            batch,
            learning_rate: rate,
            final_share: 0.01,
            weight_decay,
            epsilon: if fine_tune { epsilon } else { EPSILON },
            factoriser: factoriser.filter(|_| fine_tune).unwrap_or(0.0),
            td,
            td_endgame: Some(td_endgame),
            siblings: if fine_tune { siblings } else { 0 },
            preference: preference.filter(|_| fine_tune).unwrap_or(0.0),
            keep: if fine_tune { keep } else { 0.0 },
            lambda,
            scale: Some(scale),
            loss,
            filter: Filter { max_score, ..Filter::default() },
            seed: self.seed + cycle,
        }
    }

    /// Returns the descriptions of the other engines.
    ///
    /// # Errors
    /// If one describes no engine, or there is no limit for it.
    pub fn opponents(&self) -> Result<Vec<EngineSpec>, ConfigError> {
        let text = |problem| ConfigError::Text { key: "anchors.opponents", problem };
        let parse = |spec: &String| spec.parse().map_err(|it| text(format!("`{spec}`: {it}")));
        let specs: Vec<EngineSpec> =
            self.anchors.opponents.iter().map(parse).collect::<Result<_, _>>()?;
        let limit = self.anchor_limit()?;
        engine_spec::engines(&specs, Some(&limit)).map_err(|error| text(error.to_string()))?;
        Ok(specs)
    }

    /// Returns the limit of matches against others.
    ///
    /// # Errors
    /// If it is none.
    pub fn anchor_limit(&self) -> Result<Limit, ConfigError> {
        let text = |problem: String| ConfigError::Text { key: "anchors.limit", problem };
        self.anchors
            .limit
            .parse()
            .map_err(|error: nullarbor_games::limit::LimitError| text(error.to_string()))
    }

    /// Returns the limit of matches on a clock.
    ///
    /// # Errors
    /// If it is no time control.
    pub fn clock_limit(&self) -> Result<Limit, ConfigError> {
        let control: Result<TimeControl, _> = self.gates.clock.tc.parse();
        let text = |problem: String| ConfigError::Text { key: "gates.clock.tc", problem };
        control.map(Limit::Clock).map_err(|error| text(error.to_string()))
    }
}

fn number(key: &'static str, value: f64, expected: &'static str) -> ConfigError {
    ConfigError::Value { key, value: value.to_string(), expected }
}

/// Returns the test with these bounds in normalised Elo.
///
/// # Errors
/// The fault of the bounds.
pub fn sprt([elo0, elo1]: [f64; 2]) -> Result<Sprt, String> {
    Bounds(elo0, elo1).normalised_test().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use nullarbor_runs::worker_count;

    fn parsed(text: &str) -> Result<Config, String> {
        let config: Config = toml::from_str(text).map_err(|error| error.to_string())?;
        let checked = config.check().and_then(|()| config.check_books());
        checked.map_err(|error| error.to_string()).map(|()| config)
    }

    #[test]
    fn the_written_defaults_are_the_defaults() {
        assert_eq!(parsed(DEFAULT), Ok(Config::default()));
        assert_eq!(parsed(""), Ok(Config::default()));
        // As configurations of earlier versions spell it.
        assert_eq!(parsed("[training]\nloss = \"cross_entropy\""), Ok(Config::default()));
        assert!(worker_count(None) > 0);
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("sede = 1", "unknown field `sede`"),
            ("[games]\nnode = 1", "unknown field `node`"),
            ("[gates.nodes]\nbooks = []", "gates.nodes.books: no book"),
            ("[gates.nodes]\nbooks = [\"none\"]", "none"),
            ("[gates.nodes]\nsprt = [10.0, 0.0]", "gates.nodes.sprt: the bounds 10 and 0"),
            ("[gates.clock]\ntc = \"fast\"", "gates.clock.tc: time control `fast`"),
            ("[gates.sanity]\ndead = 2.0", "gates.sanity.dead = 2: it must be from 0 to 1"),
            ("[games]\npositions = 0", "games.positions = 0 is outside 1"),
            ("[games]\nquick = 100", "games.quick = 100 is outside 0 to 99"),
            ("[games]\nquick_nodes = 0", "games.quick_nodes = 0 is outside 1"),
            ("[network]\nhidden = 33", "33 neurons"),
            ("[anchors]\nopponents = [\"x\"]", "anchors.opponents: `x`"),
            ("[anchors]\nlimit = \"x\"", "anchors.limit"),
            ("[run]\nnice = 20", "run.nice"),
            ("[run]\nengine_build = [\"make\"]", "{net} and {exe}"),
        ] {
            let error = parsed(text).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
        let other = format!("[network]\nhidden = {}", Shape::BUILT.hidden + 32);
        assert!(parsed(&other).expect_err("no engine").contains("engine_build"));
        let build = "[run]\nengine_build = [\"make\", \"EVALFILE={net}\", \"EXE={exe}\"]";
        assert!(parsed(&format!("{other}\n{build}")).is_ok());
    }

    #[test]
    fn quick_searches_are_those_of_datagen() {
        let quick = |text: &str| {
            let settings = parsed(text).expect(text).self_play(1, 1, String::new());
            (settings.quick, settings.quick_nodes())
        };
        assert_eq!(quick("[games]\nquick = 75"), (75, 83));
        assert_eq!(quick("[games]\nquick = 75\nquick_nodes = 250"), (75, 250));
    }

    #[test]
    fn what_decides_a_cycle_is_journalled_and_the_rest_is_not() {
        let config = Config { run: Run { nice: 3, ..Run::default() }, ..Config::default() };
        let json = serde_json::to_string(&config).expect("plain data");
        assert!(!json.contains("nice"), "{json}");
        let again: Config = serde_json::from_str(&json).expect("a configuration");
        assert_eq!(again, Config::default());
    }
}
