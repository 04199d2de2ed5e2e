//! The games of self-play as jobs.

use std::path::PathBuf;
use std::sync::Arc;

use nullarbor::types::Score;
use nullarbor_games::tablebases::TableRule;
use nullarbor_openings::{Opening, builtin};
use nullarbor_runs::{NotPortable, Portable, RunSpec, SpecError, Stop};
use serde::{Deserialize, Serialize};

use super::SelfPlayError;
use super::evaluation::Evaluation;
use super::partial;
use super::player::SelfPlayer;
use crate::data::game_record::GameRecord;
use crate::data::settings::SelfPlaySettings;

/// Settings that the games of a dataset have in common.
pub(super) struct Games {
    pub settings: SelfPlaySettings,
    pub book: Vec<Opening>,
    pub evaluation: Evaluation,
    pub tables: Option<TableRule>,
}

/// No game is longer: its adjudication ends it before.
const MOST_PLIES: usize = 1000;

/// A finished game.
#[derive(PartialEq, Serialize, Deserialize)]
pub(super) struct PlayedGame {
    pub number: u64,
    #[serde(with = "digits")]
    pub game: GameRecord,
}

/// A game as partial shards keep it, which is exact.
mod digits {
    use serde::de::Error as _;
    use serde::ser::Error as _;
    use serde::{Deserializer, Serializer};

    use super::{Deserialize, GameRecord, Serialize, partial};

    pub fn serialize<S: Serializer>(game: &GameRecord, to: S) -> Result<S::Ok, S::Error> {
        partial::encode(game).map_err(S::Error::custom)?.serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<GameRecord, D::Error> {
        let digits = String::deserialize(from)?;
        partial::decode(&digits).ok_or_else(|| D::Error::custom("a game that cannot be read"))
    }
}

/// Files by their index in the spec.
#[derive(Serialize, Deserialize)]
struct Packed {
    settings: SelfPlaySettings,
    book: Option<usize>,
    network: Option<usize>,
}

impl Portable for Games {
    const KIND: &'static str = "datagen";
    /// The number of the game.
    type Task = u64;
    type Output = PlayedGame;
    type Error = SelfPlayError;
    type Worker<'a> = SelfPlayer<'a>;

    fn to_spec(&self) -> Result<RunSpec, NotPortable> {
        if self.tables.is_some() {
            return Err(NotPortable("adjudication by the tables of this machine".to_owned()));
        }
        let mut files = Vec::new();
        let mut add = |path: PathBuf| {
            files.push(path);
            files.len() - 1
        };
        let book = self.settings.book.as_ref().filter(|name| builtin::find(name).is_none());
        let packed = Packed {
            settings: self.settings.clone(),
            book: book.map(|path| add(path.into())),
            network: self.evaluation.file.clone().map(&mut add),
        };
        Ok(RunSpec { files, ..RunSpec::of(&packed) })
    }

    fn from_spec(spec: &RunSpec, _: &Arc<Stop>) -> Result<Self, SpecError> {
        let Packed { settings, book, network } = spec.read()?;
        settings.check().map_err(SpecError::Other)?;
        let file = |index: Option<usize>| index.map(|index| spec.file(index)).transpose();
        let book = file(book)?.map(|path| path.display().to_string());
        if book.is_none() && settings.book.as_ref().is_some_and(|it| builtin::find(it).is_none()) {
            // No file of this machine that the name may happen to lead to.
            return Err(SpecError::Other("the book did not come along".to_owned()));
        }
        let at_hand = SelfPlaySettings { book: book.or(settings.book.clone()), ..settings.clone() };
        let book = super::openings(&at_hand).map_err(|it| SpecError::Other(it.to_string()))?;
        let evaluation = Evaluation::open(file(network)?)
            .map_err(|error| SpecError::Other(error.to_string()))?;
        Ok(Self { settings, book, evaluation, tables: None })
    }

    fn worker(&self) -> Result<SelfPlayer<'_>, SelfPlayError> {
        let Self { settings, book, evaluation, tables } = self;
        Ok(SelfPlayer::new(settings, book, tables.as_ref(), evaluation)?)
    }

    fn number(task: &u64) -> u64 {
        *task
    }

    fn work(&self, player: &mut SelfPlayer<'_>, number: u64) -> Result<PlayedGame, SelfPlayError> {
        if number >= self.settings.games {
            return Err(SelfPlayError::NoGame { number });
        }
        let game = player.play(number).ok_or(SelfPlayError::NoOpening { number })?;
        Ok(PlayedGame { number, game })
    }

    fn check(&self, task: &u64, done: &PlayedGame) -> Result<(), String> {
        let plies = done.game.moves.len();
        if done.number != *task {
            return Err(format!("it is game {}: of another job", done.number));
        }
        if plies > MOST_PLIES {
            return Err(format!("no game has {plies} plies"));
        }
        let is_score =
            |score: Score| score == Score::NONE || (-Score::MATE..=Score::MATE).contains(&score);
        let are_scores = done.game.moves.iter().all(|&(_, score)| is_score(score));
        are_scores.then_some(()).ok_or_else(|| "a score that no position has".to_owned())
    }

    fn agree(one: &PlayedGame, other: &PlayedGame) -> bool {
        one == other
    }
}
