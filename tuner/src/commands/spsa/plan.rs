//! `spsa plan`.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use indicatif::ProgressBar;

use super::{SpsaError, write};
use nullarbor_games::work::{Stop, crew};
use nullarbor_report::plot;
use nullarbor_report::table::{Table, grouped};
use nullarbor_report::terminal;
use nullarbor_spsa::gains::Mode;
use nullarbor_spsa::plan::budget::Budget;
use nullarbor_spsa::plan::probe::{self, Estimate, Probed};
use nullarbor_spsa::plan::sensitivity as felt;
use nullarbor_spsa::plan::simulate::{MEAN_SHARE, Rehearsal};
use nullarbor_spsa::run_file::{RunFile, Tuning};
use nullarbor_spsa::theta::Axis;

/// Say what a run will cost and what to expect of it, and choose how far its parameters are moved and how far they step.
///
/// Probes are played first: games between the start and settings in which half of the parameters are half of their range away
/// tell how many games are drawn, how fast they are, and how many Elo half of a range costs; searches of some positions tell whether a
/// move of one parameter can be felt at all. From that and the number of games follow the gains, by the closed form for constant
/// gains (M. Van den Bergh 2020), and the whole run is made many times on made-up surfaces as steep as the real one.
///
/// With --simulate nothing is played: you name the loss and the draws of the surfaces.
#[derive(Args)]
#[command(after_long_help = "Examples:
  nullarbor-tuner spsa plan run.toml --write planned.toml
  nullarbor-tuner spsa plan run.toml --simulate --elo 30 --svg plan.svg")]
pub struct PlanArgs {
    /// The run
    file: PathBuf,
    /// Play nothing: believe --elo and --draws
    #[arg(long)]
    simulate: bool,
    /// Elo from the start to the best values [default: 30 with --simulate, and else what the probes say of values that are a
    /// sixth of their range off]
    #[arg(long, value_parser = positive)]
    elo: Option<f64>,
    /// The share of games that are drawn between equals
    #[arg(long, default_value_t = 0.45, value_parser = share, requires = "simulate")]
    draws: f64,
    /// Surfaces
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    seeds: u64,
    /// Draw the way of the run on these surfaces
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Pairs of games that are played as probes
    #[arg(long, default_value_t = 400, value_parser = clap::value_parser!(u64).range(10..=1_000_000), conflicts_with = "simulate")]
    probes: u64,
    /// Write the run with the gains that were chosen
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Games at the same time [default: what the run file says, or the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    concurrency: Option<u64>,
    /// Show nothing but the result
    #[arg(long)]
    quiet: bool,
}

fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| *number > 0.0 && number.is_finite());
    number.ok_or_else(|| format!("`{text}` is no number above 0"))
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share: &f64| (0.0..1.0).contains(share));
    share.ok_or_else(|| format!("`{text}` is no share from 0 to 1"))
}

const SIMULATED_LOSS: f64 = 30.0;

impl PlanArgs {
    pub fn run(&self, stop: &Arc<Stop>) -> Result<(), SpsaError> {
        let run = RunFile::read(&self.file)?;
        if self.simulate { self.simulate(&run, stop) } else { self.probe(&run, stop) }
    }

    fn simulate(&self, run: &RunFile, stop: &Stop) -> Result<(), SpsaError> {
        let axes = run.axes()?;
        let elo = self.elo.unwrap_or(SIMULATED_LOSS);
        let hopes = Hopes::made_up(elo, axes.len(), self.draws);
        self.choose(run, &axes, &hopes, stop)
    }

    fn probe(&self, run: &RunFile, stop: &Arc<Stop>) -> Result<(), SpsaError> {
        let axes = run.axes()?;
        let asked = self.concurrency.or(run.concurrency.map(|workers| workers as u64));
        let workers = crew::workers(asked);
        let bar = terminal::bar(self.probes, "pairs of games", self.quiet);
        let probed = probe::games(run, &axes, self.probes, workers, stop, || bar.inc(1));
        let probed = ended(&bar, probed?)?;
        let old: Vec<f64> = axes.iter().map(|axis| axis.c_end).collect();
        let new: Vec<f64> = axes.iter().map(Axis::wide_move).collect();
        let bar = terminal::bar(felt::POSITIONS, "positions", self.quiet);
        let felt = felt::felt(run, &axes, &[&old, &new], workers, stop, || bar.inc(1));
        let felt = ended(&bar, felt?)?;
        terminal::table(&parameters(&axes, &probed, &felt));
        let hopes = Hopes::measured(&probed, axes.len(), self.elo);
        terminal::print(&hopes.text(&probed));
        terminal::table(&hopes.budgets(run, &probed));
        warnings(&axes, &felt).iter().for_each(|warning| terminal::line(warning));
        self.choose(run, &axes, &hopes, stop)
    }

    /// Chooses the gains, and makes the run without and with them on made-up surfaces.
    fn choose(
        &self,
        run: &RunFile,
        axes: &[Axis],
        hopes: &Hopes,
        stop: &Stop,
    ) -> Result<(), SpsaError> {
        let Some(r) = hopes.budget(run.games()).gain_of_a_mean() else {
            return Err(SpsaError::Hopeless { games: run.games(), elo: hopes.start_loss });
        };
        let planned = planned(run, axes, r);
        let draws = hopes.virtual_draws;
        let before = self.rehearse(run, hopes.start_loss, draws, stop)?;
        let after = self.rehearse(&planned, hopes.start_loss, draws, stop)?;
        let with = format!("with c_end a sixth of each range and r_end {r:.4}");
        let both = [("recovered %, as it is written", &before), (with.as_str(), &after)];
        self.show(&both, run, hopes.start_loss);
        self.draw(&after)?;
        let Some(path) = &self.write else { return Ok(()) };
        // Numbers and names have a form in TOML.
        write(path, &toml::to_string(&planned).unwrap_or_default())?;
        terminal::line(&format!("Written: {}", path.display()));
        Ok(())
    }

    fn rehearse(
        &self,
        run: &RunFile,
        elo: f64,
        draws: f64,
        stop: &Stop,
    ) -> Result<Rehearsal, SpsaError> {
        let bar = terminal::bar(self.seeds, "surfaces", self.quiet);
        let go_on = || {
            bar.inc(1);
            !stop.is_finishing()
        };
        let rehearsal = Rehearsal::of(run, elo, draws, self.seeds, go_on)?;
        ended(&bar, rehearsal)
    }

    fn title(&self, run: &RunFile, elo: f64) -> String {
        let (games, surfaces) = (grouped(run.games()), self.seeds);
        let parameters = run.axes().map_or(0, |axes| axes.len());
        format!("{parameters} parameters, {games} games, {elo:.1} Elo to gain, {surfaces} surfaces")
    }

    fn show(&self, rehearsals: &[(&str, &Rehearsal)], run: &RunFile, elo: f64) {
        let head = ["", "worst", "a tenth below", "median", "a tenth above", "best"];
        let row = |(name, rehearsal): &(&str, &Rehearsal)| {
            let shares = [0.0, 0.1, 0.5, 0.9, 1.0];
            let cells = shares.map(|share| format!("{:.0}", 100.0 * rehearsal.recovered(share)));
            std::iter::once((*name).to_owned()).chain(cells).collect()
        };
        terminal::table(&Table {
            title: self.title(run, elo),
            head: head.map(str::to_owned).to_vec(),
            rows: rehearsals.iter().map(row).collect(),
        });
    }

    fn draw(&self, rehearsal: &Rehearsal) -> Result<(), SpsaError> {
        let Some(path) = &self.svg else { return Ok(()) };
        write(path, &plot::sheet(&[rehearsal.chart()]))
    }
}

/// Takes the bar away; what was not stopped.
fn ended<T>(bar: &ProgressBar, result: Option<T>) -> Result<T, SpsaError> {
    bar.finish_and_clear();
    result.ok_or(SpsaError::Stopped)
}

/// In what share of positions the moves of the file, and then those that are chosen, are felt.
type Felt = [Vec<f64>];

fn parameters(axes: &[Axis], probed: &Probed, felt: &Felt) -> Table {
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let row = |(index, axis): (usize, &Axis)| {
        let Estimate { value, error } = probed.each[index];
        vec![
            axis.name.clone(),
            axis.start.to_string(),
            format!("{:.2}", axis.c_end),
            percent(felt[0][index]),
            format!("{:.2}", axis.wide_move()),
            percent(felt[1][index]),
            format!("{value:+.0} ± {error:.0}"),
        ]
    };
    let head =
        ["parameter", "start", "c_end", "felt", "better c_end", "felt", "Elo lost at half a range"];
    Table {
        title: "Felt: in how many positions a search ends differently when a parameter goes from one c_end below to one above"
            .to_owned(),
        head: head.map(str::to_owned).to_vec(),
        rows: axes.iter().enumerate().map(row).collect(),
    }
}

/// What the probes let one hope.
struct Hopes {
    parameters: usize,
    /// Elo that half of a range costs.
    steepness: f64,
    /// Elo between the start and the best values.
    start_loss: f64,
    virtual_draws: f64,
    /// Whether the steepness is no more than the error of its measurement.
    is_guess: bool,
    is_wish: bool,
}

/// Where nobody knows better, each value is taken to lie so far from the best one, in halves of its range.
const USUAL_DISTANCE: f64 = 1.0 / 3.0;

impl Hopes {
    /// On surfaces that lose so much.
    fn made_up(elo: f64, parameters: usize, draws: f64) -> Self {
        Self {
            parameters,
            steepness: elo / parameters as f64 / (2.0 * MEAN_SHARE).powi(2),
            start_loss: elo,
            virtual_draws: draws,
            is_guess: false,
            is_wish: true,
        }
    }

    fn measured(probed: &Probed, parameters: usize, elo: Option<f64>) -> Self {
        let Estimate { value, error } = probed.mean;
        let steepness = value.max(error);
        let usual = parameters as f64 * steepness * USUAL_DISTANCE * USUAL_DISTANCE;
        Self {
            parameters,
            steepness,
            start_loss: elo.unwrap_or(usual),
            virtual_draws: probed.virtual_draws,
            is_guess: value < error,
            is_wish: elo.is_some(),
        }
    }

    fn budget(&self, games: u64) -> Budget {
        Budget {
            games: games as f64,
            parameters: self.parameters,
            steepness: self.steepness,
            start_loss: self.start_loss,
            virtual_draws: self.virtual_draws,
        }
    }

    fn text(&self, probed: &Probed) -> String {
        let Estimate { value, error } = probed.mean;
        let (games, drawn) = (probed.counts.games(), probed.counts.draws());
        let mut text = format!(
            "{} games in {:.0} s, {:.0} an hour; {:.0} % drawn, as noisy as {:.0} % in games that do not depend on each other.\n\
             Half of a range costs {value:.1} ± {error:.1} Elo in the mean of all parameters.\n",
            grouped(games),
            probed.elapsed.as_secs_f64(),
            games_an_hour(probed),
            100.0 * drawn as f64 / games.max(1) as f64,
            100.0 * self.virtual_draws,
        );
        // Writing to a string cannot fail.
        if self.is_guess {
            let _ = writeln!(
                text,
                "That is no more than noise: {:.1} Elo are taken for it. More --probes would tell.",
                self.steepness
            );
        }
        let why = if self.is_wish {
            "as you said"
        } else {
            "as if each value were a sixth of its range off"
        };
        let _ = writeln!(
            text,
            "The start is taken to be {:.1} Elo below the best, {why}.\n",
            self.start_loss
        );
        text
    }

    /// What other numbers of games would come to.
    fn budgets(&self, run: &RunFile, probed: &Probed) -> Table {
        let row = |factor: f64| {
            let games = (run.games() as f64 * factor).round() as u64;
            let budget = self.budget(games);
            let (r, left) = match budget.best_gain() {
                Some(r) => (format!("{r:.4}"), format!("{:.1}", budget.final_loss(r))),
                None => ("-".to_owned(), format!("{:.1}", self.start_loss)),
            };
            let hours = format!("{:.2}", games as f64 / games_an_hour(probed));
            vec![grouped(games), hours, r, left]
        };
        let head = ["games", "hours", "best constant r", "Elo left at the end"];
        Table {
            title: format!("Precision to expect, of {:.1} Elo at the start", self.start_loss),
            head: head.map(str::to_owned).to_vec(),
            rows: [0.25, 1.0, 4.0, 16.0].map(row).to_vec(),
        }
    }
}

fn games_an_hour(probed: &Probed) -> f64 {
    3600.0 * probed.counts.games() as f64 / probed.elapsed.as_secs_f64().max(0.001)
}

/// Moves that are felt in no more of the positions than this cannot be told from none.
const UNFELT: f64 = 0.05;

fn warnings(axes: &[Axis], felt: &Felt) -> Vec<String> {
    let mut warnings = Vec::new();
    for (index, axis) in axes.iter().enumerate() {
        let name = &axis.name;
        if felt[1][index] <= UNFELT {
            warnings.push(format!(
                "{name}: even the better c_end is hardly felt; games will not tell its best value"
            ));
        } else if felt[0][index] <= UNFELT {
            warnings.push(format!("{name}: c_end = {} is hardly felt", axis.c_end));
        }
        let room =
            (axis.start - f64::from(axis.range.min)).min(f64::from(axis.range.max) - axis.start);
        if room < axis.wide_move() / 2.0 {
            warnings.push(format!("{name}: it begins at its bound, which cuts its moves short"));
        }
    }
    warnings
}

/// The run with constant gains: the same `r` for all, and moves of a sixth of each range.
fn planned(run: &RunFile, axes: &[Axis], r: f64) -> RunFile {
    let tuning = |axis: &Axis| Tuning {
        value: Some(axis.start),
        min: Some(axis.range.min),
        max: Some(axis.range.max),
        c_end: Some(axis.wide_move()),
        r_end: Some(r),
    };
    let parameters = axes.iter().map(|axis| (axis.name.clone(), tuning(axis))).collect();
    RunFile { mode: Mode::Constant, groups: Vec::new(), parameters, ..run.clone() }
}
