//! The positions that are labelled: from books and games as text, and from datasets.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use nullarbor::board::Position;
use nullarbor::types::Move;
use nullarbor_openings::{BookError, Entry, EntryError, Format, Opening, games, text};
use nullarbor_runs::Stop;
use nullarbor_runs::fingerprint::Fingerprint;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::error::LabelError;
use crate::data::dataset::{Dataset, read_games};
use crate::data::game_record::GameRecord;

/// The selection of positions.
#[derive(Clone, Copy, Debug)]
pub struct Selection {
    /// At most this many, chosen at random by the seed; `None` is all.
    pub count: Option<usize>,
    /// The seed.
    pub seed: u64,
    /// Plies of each game that are passed over.
    pub skip_plies: usize,
    /// True if positions in check, and those of games in which a capture or a promotion was played, are passed over.
    pub quiet_only: bool,
}

/// Different positions in the order in which they were read.
#[derive(Debug, Default)]
pub struct Positions {
    /// The names of the files and datasets.
    pub names: Vec<String>,
    /// Each position with the index of its name.
    pub all: Vec<(Position, usize)>,
}

impl Positions {
    /// Reads files of EPD, FEN (a position a line) and PGN (the positions of games), and datasets (folders).
    ///
    /// # Errors
    /// If one cannot be read or has an illegal position or move, or the user interrupts it.
    pub fn read(
        inputs: &[PathBuf],
        selection: &Selection,
        threads: usize,
        quiet: bool,
        stop: &Stop,
    ) -> Result<Self, LabelError> {
        let mut collector = Collector { selection, kept: BTreeMap::new(), read: 0 };
        let mut names = Vec::new();
        for (index, path) in inputs.iter().enumerate() {
            let stem = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
            names.push(stem.replace(char::is_control, " "));
            if path.is_dir() {
                let datasets = [Dataset::open(path)?];
                let positions = |_: &Dataset, _: &_, games: Vec<GameRecord>| -> Vec<Position> {
                    games.iter().flat_map(|game| selection.of_moves(played(game))).collect()
                };
                let add = |positions: Vec<Position>| {
                    positions.into_iter().for_each(|position| collector.add(position, index));
                };
                read_games(&datasets, threads, quiet, stop, positions, add)?;
            } else {
                read_text(path, selection, stop, |position| collector.add(position, index))?;
            }
        }
        let mut kept: Vec<_> = collector.kept.into_values().collect();
        kept.sort_unstable_by_key(|(order, ..)| *order);
        let all: Vec<_> = kept.into_iter().map(|(_, position, name)| (position, name)).collect();
        if all.is_empty() { Err(LabelError::NoPositions) } else { Ok(Self { names, all }) }
    }

    /// Returns the fingerprint of the positions and their order.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(self.all.iter().map(|(position, _)| position.key()))
    }
}

fn read_text(
    path: &Path,
    selection: &Selection,
    stop: &Stop,
    mut add: impl FnMut(Position),
) -> Result<(), LabelError> {
    let name = path.display().to_string();
    let (text, format) = text(&name)?;
    let entries: Box<dyn Iterator<Item = Entry> + '_> = match format {
        Format::Epd => format.entries(&text, None),
        Format::Pgn => Box::new(games(&text)),
    };
    for (_, entry) in entries {
        stop.check()?;
        match (entry, format) {
            // There is nothing to search.
            (Err(EntryError::Over { .. }), _) => {}
            (Err(source), _) => return Err(BookError::Entry { name, source }.into()),
            (Ok(opening), Format::Epd) => {
                let position = opening.game().position().clone();
                if !(selection.quiet_only && position.in_check()) {
                    add(position);
                }
            }
            (Ok(opening), Format::Pgn) => selection.of_moves(moves(&opening)).for_each(&mut add),
        }
    }
    Ok(())
}

fn moves(opening: &Opening) -> impl Iterator<Item = (Position, Move)> + '_ {
    let mut position = opening.start.clone();
    opening.moves.iter().map(move |&mv| {
        let before = position.clone();
        position = position.make(mv);
        (before, mv)
    })
}

fn played(game: &GameRecord) -> impl Iterator<Item = (Position, Move)> + '_ {
    game.positions().map(|(position, mv, _)| (position, mv))
}

impl Selection {
    /// Returns the positions of a game, given with the moves that were played in them, that may be taken.
    fn of_moves(
        &self,
        moves: impl Iterator<Item = (Position, Move)>,
    ) -> impl Iterator<Item = Position> {
        let quiet_only = self.quiet_only;
        let is_quiet = |position: &Position, mv: Move| !position.in_check() && !is_noisy(mv);
        let taken = move |(position, mv): (Position, Move)| {
            (!quiet_only || is_quiet(&position, mv)).then_some(position)
        };
        moves.skip(self.skip_plies).filter_map(taken)
    }
}

/// Returns whether a move captures or promotes.
pub fn is_noisy(mv: Move) -> bool {
    mv.is_capture() || mv.promotion().is_some()
}

/// Returns a random number that a seed and the key of a position decide.
pub fn random(seed: u64, key: u64) -> u64 {
    ChaCha8Rng::seed_from_u64(seed.rotate_left(32) ^ key).random()
}

/// Returns the positions after up to `count` quiet moves that do not give check and do not end the game, chosen by the seed.
pub fn quiet_siblings(position: &Position, count: usize, seed: u64) -> Vec<Position> {
    let checks = position.checks();
    let quiet = |mv: Move| !is_noisy(mv) && !position.gives_check(mv, &checks);
    let moves = position.legal_moves();
    let after = moves.iter().filter(|mv| quiet(**mv)).map(|mv| position.make(*mv));
    let mut found: Vec<(usize, Position)> =
        after.filter(|after| after.has_moves()).enumerate().collect();
    found.sort_by_key(|(_, after)| random(seed, after.key()));
    found.truncate(count);
    found.sort_by_key(|(number, _)| *number);
    found.into_iter().map(|(_, after)| after).collect()
}

/// Drops what was there before, and what is too much.
struct Collector<'a> {
    selection: &'a Selection,
    /// Kept positions, by a random number that the seed and the key of the position decide.
    kept: BTreeMap<(u64, u64), (u64, Position, usize)>,
    read: u64,
}

impl Collector<'_> {
    fn add(&mut self, position: Position, name: usize) {
        let key = position.key();
        self.kept
            .entry((random(self.selection.seed, key), key))
            .or_insert((self.read, position, name));
        self.read += 1;
        if self.selection.count.is_some_and(|count| self.kept.len() > count) {
            self.kept.pop_last();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const ALL: Selection = Selection { count: None, seed: 1, skip_plies: 0, quiet_only: false };

    fn read(name: &str, text: &str, selection: &Selection) -> Result<Vec<String>, LabelError> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        fs::write(&path, text).expect("room");
        let found = Positions::read(&[path], selection, 1, true, &Stop::new())?;
        assert_eq!(found.names, ["x"]);
        Ok(found.all.iter().map(|(position, _)| position.to_string()).collect())
    }

    const GAME: &str = "1. e4 d5 2. exd5 Qxd5 3. Nc3 Qe6+ 4. Be2 *\n";
    const MATED: &str = "7k/5QQ1/8/8/8/8/8/K7 b - - 0 1";
    const KINGS: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";

    #[test]
    fn games_give_their_positions_once() {
        let count = |selection: &Selection| {
            read("x.pgn", &GAME.repeat(2), selection).expect("positions").len()
        };
        assert_eq!(count(&ALL), 7);
        assert_eq!(count(&Selection { skip_plies: 4, ..ALL }), 3);
        // Two captures, and an answer to a check.
        assert_eq!(count(&Selection { quiet_only: true, ..ALL }), 4);
    }

    #[test]
    fn finished_games_are_passed_over_and_broken_lines_named() {
        assert_eq!(read("x.epd", &format!("{MATED}\n{KINGS}\n"), &ALL).expect("one"), [KINGS]);
        let error =
            |name: &str, text: &str| read(name, text, &ALL).expect_err("a broken line").to_string();
        let broken = error("x.fen", &format!("{KINGS}\nrubbish\n"));
        assert!(broken.contains("x.fen, line 2") && broken.contains("rubbish"), "{broken}");
        assert!(error("x.pgn", "1. e4 e5\n2. Ke3 *").contains("line 2"));
        assert!(error("x.txt", KINGS).contains("unknown format"));
        assert!(error("x.epd", MATED).contains("no positions"));
    }

    #[test]
    fn a_sample_is_random_but_in_order_and_decided_by_the_seed() {
        let lines: Vec<String> =
            (1..=100).map(|number| format!("4k3/8/8/8/8/8/4P3/4K3 w - - 0 {number}")).collect();
        assert_eq!(read("x.epd", &lines.join("\n"), &ALL).expect("one").len(), 1, "one position");
        let (sample, all) = (Selection { count: Some(3), ..ALL }, GAME.repeat(3));
        let found = read("x.pgn", &all, &sample).expect("three");
        let every = read("x.pgn", GAME, &ALL).expect("seven");
        let places: Vec<_> =
            found.iter().map(|fen| every.iter().position(|other| other == fen)).collect();
        assert!(places.len() == 3 && places.is_sorted() && places[0].is_some(), "{places:?}");
        assert_eq!(read("x.pgn", &all, &sample).expect("three"), found);
        let others = (2..20).map(|seed| read("x.pgn", GAME, &Selection { seed, ..sample }));
        assert!(others.into_iter().any(|other| other.expect("three") != found));
    }

    #[test]
    fn siblings_are_quiet_and_decided_by_the_seed() {
        let position = Position::from_fen(
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        )
        .expect("a position");
        let found = quiet_siblings(&position, 8, 1);
        assert_eq!(found.len(), 8);
        let pieces = position.occupied().count();
        for sibling in &found {
            assert!(!sibling.in_check() && sibling.occupied().count() == pieces, "{sibling}");
            assert_ne!(sibling.side_to_move(), position.side_to_move());
        }
        assert_eq!(quiet_siblings(&position, 8, 1), found);
        assert_ne!(quiet_siblings(&position, 8, 2), found);
        let all = quiet_siblings(&position, 1000, 1);
        assert!(all.len() > 30 && all.len() < position.legal_moves().len(), "{}", all.len());
    }

    #[test]
    fn a_move_that_ends_the_game_is_no_sibling() {
        // Qc7 is stalemate, Qb7 and others give mate or check.
        let position = Position::from_fen("k7/8/1K6/8/8/2Q5/8/8 w - - 0 1").expect("a position");
        let found = quiet_siblings(&position, 100, 1);
        assert!(!found.is_empty() && found.iter().all(|it| it.has_moves() && !it.in_check()));
    }
}
