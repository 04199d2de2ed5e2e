//! `wdl`: the win/draw/loss model, fitted to games.

use std::path::{Path, PathBuf};

use clap::Args;
use nullarbor::eval::wdl::{Polynomial, REFERENCE_MOVE, pawn_value, to_cp};
use nullarbor::types::{Colour, Score};
use nullarbor_games::matches::journal;
use nullarbor_games::wdl::{self, Fit, GREATEST_SCORE, Result3, Sample};
use nullarbor_report::plot::{Chart, sheet};
use nullarbor_report::table::{Table, grouped};
use nullarbor_report::terminal;
use nullarbor_runs::files::{self, FileError};
use nullarbor_runs::paths::{Named, check_outputs};
use nullarbor_runs::{Stop, worker_count};
use nullarbor_train::data::game_record::{GameRecord, Outcome};
use nullarbor_train::data::{Dataset, dataset};

use super::CommandResult;

/// Fit the win/draw/loss model to games with scores, and print the constants of the engine.
///
/// The model is Stockfish's: a score v wins with probability 1 / (1 + exp((a - v) / b)), where a and b are polynomials
/// of third degree in the move number / 32. It is fitted by maximum likelihood to the positions of moves 8 to 120 with
/// scores up to 20 pawns. Scores are centipawns as the engine prints them; 100 should win half of the games at move 32.
/// The constants for the engine's source are in the unit of its search instead. Datasets have scores without the scale by
/// number of pieces: their model is not the engine's.
#[derive(Args)]
#[command(after_long_help = "Examples:
  nullarbor-tuner match --engine self --engine self --tc 10+0.1 --games 4000 --pgn games.pgn
  nullarbor-tuner wdl games.pgn --svg wdl.svg
  nullarbor-tuner wdl match.journal --player new
  nullarbor-tuner wdl data/gen5")]
pub struct WdlArgs {
    /// Games: PGN with scores in the comments (.pgn), journals of matches with --pgn, datasets of `datagen` (folders)
    #[arg(required = true, value_name = "GAMES")]
    sources: Vec<PathBuf>,
    /// Count only the moves of this player (PGN and journals)
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Draw the model and the data that it is fitted to
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print only the result, no progress
    #[arg(long)]
    quiet: bool,
}

/// A book of games is longer than other texts, in bytes.
const LONGEST_PGN: u64 = 4 << 30;
/// Moves around the reference that its plot is drawn from.
const NEIGHBOURS: u32 = 4;

impl WdlArgs {
    /// Reads the games, and prints and draws the model.
    ///
    /// # Errors
    /// If games cannot be read, have no scores or are too few, or the user interrupts it.
    pub fn run(&self, stop: &Stop) -> CommandResult {
        let inputs: Vec<Named> =
            self.sources.iter().map(|path| Named::new("the games", path)).collect();
        check_outputs(Named::optional("--svg", self.svg.as_deref()).as_slice(), &inputs)?;
        let mut sample = Sample::default();
        for path in &self.sources {
            stop.check()?;
            self.read(path, &mut sample, stop)?;
        }
        let fit = Fit::of(&sample)
            .ok_or("too few positions: eight move numbers need 200 each, won, drawn and lost")?;
        print(&sample, &fit);
        if let Some(path) = &self.svg {
            let text = sheet(&charts(&sample, &fit));
            files::replace(path, |file| std::io::Write::write_all(file, text.as_bytes()))?;
            terminal::line(&path.display().to_string());
        }
        Ok(())
    }

    fn read(&self, path: &Path, sample: &mut Sample, stop: &Stop) -> CommandResult {
        if path.is_dir() {
            let datasets = [Dataset::open(path)?];
            let threads = worker_count(None);
            let positions = |_: &Dataset, _: &_, games: Vec<GameRecord>| {
                games.iter().flat_map(positions).collect::<Vec<_>>()
            };
            let add = |positions: Vec<(u32, i32, Result3)>| {
                let all = positions.into_iter();
                all.for_each(|(number, score, result)| sample.add(number, score, result));
            };
            return Ok(dataset::read_games(&datasets, threads, self.quiet, stop, positions, add)?);
        }
        let text = if path.extension().is_some_and(|extension| extension == "pgn") {
            String::from_utf8_lossy(&files::read(path, LONGEST_PGN)?).into_owned()
        } else {
            let games = journal::games(path)?.into_iter();
            games.filter_map(|game| game.pgn).collect()
        };
        wdl::read(&text, self.player.as_deref(), sample).map_err(FileError::at(path))?;
        Ok(())
    }
}

/// Returns the move numbers, scores and results of a training game.
fn positions(game: &GameRecord) -> Vec<(u32, i32, Result3)> {
    let (mut number, mut mover) = (game.start.fullmove() as u32, game.start.side_to_move());
    let mut positions = Vec::with_capacity(game.moves.len());
    for (_, score) in &game.moves {
        let result = match (game.outcome, mover) {
            (Outcome::Draw, _) => Result3::Draw,
            (Outcome::Win, Colour::White) | (Outcome::Loss, Colour::Black) => Result3::Win,
            _ => Result3::Loss,
        };
        positions.push((number, printed(*score), result));
        number += u32::from(mover == Colour::Black);
        mover = !mover;
    }
    positions
}

/// Returns a score of the search as it is printed, in centipawns, and for a mate one that does not count.
fn printed(score: Score) -> i32 {
    score.mate_moves().map_or(to_cp(score).0, |_| GREATEST_SCORE + 1)
}

fn print(sample: &Sample, fit: &Fit) {
    let rows = [8, 16, 24, 32, 48, 64, 96].map(|number| {
        let curve = fit.at(number);
        let outcomes = curve.outcomes(100.0).map(|share| format!("{:.0}", 1000.0 * share));
        let [loss, draw, win] = outcomes;
        [
            number.to_string(),
            format!("{:.1}", curve.even),
            format!("{:.1}", curve.spread),
            format!("{win}/{draw}/{loss}"),
        ]
    });
    let positions = grouped(sample.positions());
    let title = format!("Win/draw/loss model of {positions} positions");
    terminal::table(&Table::new(&title, ["move", "a", "b", "W/D/L of +100"], rows));
    let at = fit.at(REFERENCE_MOVE);
    let coefficients =
        |of: Polynomial| of.map(|value| format!("{:.4}", value * pawn_value() / 100.0)).join(", ");
    terminal::print(&format!(
        "At move {REFERENCE_MOVE}: {:.1} cp win half of the games, spread {:.1} cp.\n\
         All moves together: {:.1} cp win half of the games, spread {:.1} cp.\n\
         For engine/src/eval/wdl.rs, in the unit of the search:\n\
         const A: Polynomial = [{}];\n\
         const B: Polynomial = [{}];\n",
        at.even,
        at.spread,
        fit.overall.even,
        fit.overall.spread,
        coefficients(fit.even.0),
        coefficients(fit.spread.0),
    ));
}

fn charts(sample: &Sample, fit: &Fit) -> [Chart; 3] {
    let around = REFERENCE_MOVE - NEIGHBOURS..=REFERENCE_MOVE + NEIGHBOURS;
    let observed = sample.of_moves(around);
    let model = fit.at(REFERENCE_MOVE);
    let mut outcomes = Chart::new(
        format!(
            "Results at moves {} to {}",
            REFERENCE_MOVE - NEIGHBOURS,
            REFERENCE_MOVE + NEIGHBOURS
        ),
        "score",
        "share of positions",
    );
    for (index, name) in ["lost", "drawn", "won"].into_iter().enumerate() {
        let shares =
            observed.iter().filter(|(score, _)| score.abs() <= 500.0).map(|(score, counts)| {
                (*score, counts[index] as f64 / counts.iter().sum::<u64>().max(1) as f64)
            });
        outcomes = outcomes.line(name, shares);
        let curve = (-50..=50).map(|tenth| f64::from(tenth) * 10.0);
        outcomes = outcomes.line(
            &format!("{name}, model"),
            curve.map(|score| (score, model.outcomes(score)[index])),
        );
    }
    let by_move = |title: &str, unit: &str, part: fn(&wdl::Logistic) -> f64| {
        let points = fit.by_move.iter().map(|(number, _, curve)| (f64::from(*number), part(curve)));
        let polynomial =
            fit.by_move.iter().map(|(number, _, _)| (f64::from(*number), part(&fit.at(*number))));
        Chart::new(title, "move", unit)
            .line("fitted to each move", points)
            .line("polynomial", polynomial)
    };
    [
        outcomes,
        by_move("Score that wins half of the games (a)", "score", |curve| curve.even),
        by_move("Scale (b)", "score", |curve| curve.spread),
    ]
}
