//! Playing a match.

use std::collections::HashMap;

use crossbeam::channel::Sender;
use thiserror::Error;

use super::journal::{Journal, JournalError};
use super::pgn::{self, PgnError, PgnFile};
use super::plan::Plan;
use super::record::Record;
use super::standings::Standings;
use crate::engine_config::{EngineStartError, NoPlayer, Start};
use crate::pair::{Leg, Table};
use crate::stats::Verdict;
use crate::uci::StartError;
use crate::work::crew;
use crate::work::in_order::InOrder;

/// Why a match ended before its time.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum RunError {
    #[error(transparent)]
    EngineConfig(#[from] EngineStartError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Pgn(#[from] PgnError),
}

/// How a match came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All games were played.
    Complete,
    /// The test came to a verdict.
    Decided(Verdict),
    /// The user wanted it.
    Interrupted,
    /// Something went wrong.
    Failed,
}

/// A match that is over.
#[derive(Debug)]
pub struct Outcome {
    /// How it came to its end.
    pub status: Status,
    /// What stands.
    pub standings: Standings,
    /// What went wrong, if anything. Games that were finished count all the same.
    pub error: Option<RunError>,
}

/// Sees what happens in a match.
pub trait Watch {
    /// A game begins.
    fn begins(&mut self, _pair: u64, _leg: Leg) {}
    /// A game is over.
    fn ends(&mut self, _game: &Record) {}
    /// All pairs up to one more are over.
    fn stands(&mut self, standings: &Standings);
}

/// Where games are kept.
#[derive(Debug, Default)]
pub struct Files {
    /// For resuming.
    pub journal: Option<Journal>,
    /// For reading.
    pub pgn: Option<PgnFile>,
}

/// Games of a pair, by leg.
type Legs = [Option<Record>; 2];

enum Message {
    Begins(u64, Leg),
    Game(Record),
    Failed(EngineStartError),
}

/// Plays a match, or what is left of it after the games in `known`.
pub fn run(
    plan: &Plan,
    workers: usize,
    start: &Start,
    known: Vec<Record>,
    files: Files,
    watch: &mut dyn Watch,
) -> Outcome {
    let mut scorer = Scorer {
        plan,
        start,
        files,
        watch,
        half: HashMap::new(),
        order: InOrder::default(),
        standings: Standings::new(plan),
        verdict: None,
        error: None,
    };
    let known = by_pair(known, plan.pairs());
    for record in known.values().flat_map(|legs| legs.iter().flatten()) {
        scorer.count(record.clone());
    }
    scorer.catch_up();
    if scorer.verdict.is_none() {
        let open = (0..plan.pairs()).filter_map(|pair| {
            let open =
                |leg: &Leg| known.get(&pair).is_none_or(|legs| legs[*leg as usize].is_none());
            let legs: Vec<Leg> = Leg::BOTH.into_iter().filter(open).collect();
            (!legs.is_empty()).then_some((pair, legs))
        });
        let begin = || Table::new(&plan.engines, &plan.rules, start);
        let work = |table: &mut Table<'_>, task, sender: &Sender<Message>| {
            play_pair(plan, start, table, task, sender);
        };
        crew::run(workers, open, &start.stop, begin, work, |message| scorer.take(message));
    }
    scorer.finish()
}

fn by_pair(records: Vec<Record>, pairs: u64) -> HashMap<u64, Legs> {
    let mut known: HashMap<u64, Legs> = HashMap::new();
    for record in records.into_iter().filter(|record| record.pair < pairs) {
        let legs = known.entry(record.pair).or_default();
        let place = &mut legs[record.leg as usize];
        *place = Some(record);
    }
    known
}

fn play_pair(
    plan: &Plan,
    start: &Start,
    table: &mut Table<'_>,
    (pair, legs): (u64, Vec<Leg>),
    sender: &Sender<Message>,
) {
    let pairings = plan.pairings();
    let pairing = pairings[(pair % pairings.len() as u64) as usize];
    let opening = plan.opening(pair);
    for leg in legs {
        if start.stop.is_finishing() {
            return;
        }
        // Nobody listens any more where the run is over.
        let tell = |message| drop(sender.send(message));
        tell(Message::Begins(pair, leg));
        match table.play(pairing, leg, opening) {
            Ok(None) => return,
            Ok(Some(game)) => {
                let names = pairing.seats(leg).0.map(|seat| &plan.engines[seat]);
                let mut record = Record::of(pair, leg, &game, None);
                if plan.pgn.is_some() {
                    record.pgn = Some(pgn::text(plan, &record, &game, opening, names));
                }
                tell(Message::Game(record));
            }
            Err(error) => {
                tell(Message::Failed(error));
                return;
            }
        }
    }
}

/// Takes games as they come and counts them in their order.
struct Scorer<'a> {
    plan: &'a Plan,
    start: &'a Start,
    files: Files,
    watch: &'a mut dyn Watch,
    half: HashMap<u64, Record>,
    order: InOrder<[Record; 2]>,
    standings: Standings,
    verdict: Option<Verdict>,
    error: Option<RunError>,
}

impl Scorer<'_> {
    fn take(&mut self, message: Message) {
        match message {
            Message::Begins(pair, leg) => self.watch.begins(pair, leg),
            Message::Game(record) => {
                self.watch.ends(&record);
                let kept = self.files.journal.as_mut().map_or(Ok(()), |file| file.add(&record));
                if let Err(error) = kept {
                    self.files.journal = None;
                    self.fail(error.into());
                }
                self.count(record);
                self.catch_up();
            }
            // A player that was told to stop while it started has not failed.
            Message::Failed(EngineStartError { reason, .. })
                if matches!(*reason, NoPlayer::External(StartError::Aborted)) => {}
            Message::Failed(error) => self.fail(error.into()),
        }
    }

    /// The first error is the one that is told; the rest follow from it.
    fn fail(&mut self, error: RunError) {
        self.error.get_or_insert(error);
        self.start.stop.abort();
    }

    fn count(&mut self, record: Record) {
        match self.half.remove(&record.pair) {
            None => drop(self.half.insert(record.pair, record)),
            Some(other) => {
                let pair = record.pair;
                let games =
                    if record.leg == Leg::First { [record, other] } else { [other, record] };
                self.order.put(pair, games);
            }
        }
    }

    fn catch_up(&mut self) {
        while self.verdict.is_none()
            && let Some((_, games)) = self.order.pop()
        {
            self.add(&games);
            self.verdict = self.plan.sprt.and_then(|sprt| sprt.verdict(&self.standings.counts[0]));
            self.watch.stands(&self.standings);
        }
        if self.verdict.is_some() {
            self.start.stop.abort();
        }
    }

    fn add(&mut self, games: &[Record; 2]) {
        self.standings.add(games);
        games.iter().for_each(|game| self.write_pgn(game));
    }

    fn write_pgn(&mut self, game: &Record) {
        if let (Some(file), Some(text)) = (&mut self.files.pgn, &game.pgn)
            && let Err(error) = file.add(text)
        {
            self.files.pgn = None;
            self.fail(error.into());
        }
    }

    fn finish(mut self) -> Outcome {
        let synced = self.files.journal.as_mut().map_or(Ok(()), Journal::sync);
        synced.unwrap_or_else(|error| self.fail(error.into()));
        let complete = self.standings.games() == 2 * self.plan.pairs();
        if self.verdict.is_none() && !complete {
            self.add_what_waits();
        }
        let status = match self.verdict {
            _ if self.error.is_some() => Status::Failed,
            Some(verdict) => Status::Decided(verdict),
            None if complete => Status::Complete,
            None => Status::Interrupted,
        };
        Outcome { status, standings: self.standings, error: self.error }
    }

    /// A match that was interrupted has finished games behind games that were never finished.
    fn add_what_waits(&mut self) {
        let order = std::mem::take(&mut self.order);
        for (_, games) in order.rest() {
            self.add(&games);
        }
        let mut half: Vec<Record> = self.half.drain().map(|(_, record)| record).collect();
        half.sort_by_key(|record| record.pair);
        half.iter().for_each(|record| self.write_pgn(record));
    }
}
