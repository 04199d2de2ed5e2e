//! Recovered Elo of plans in simulation: `cargo run --release --package nullarbor-spsa --example planning [SURFACES]`.
//!
//! Prints, for numbers of parameters and games, the Elo gained in percent of what is to gain on each kind of surface: with the
//! defaults of test frameworks, with the closed form that plans used before, and with the plan of today.

use std::collections::BTreeMap;

use nullarbor_runs::Stop;
use nullarbor_spsa::gains::Mode;
use nullarbor_spsa::plan::search::on_all_kinds;
use nullarbor_spsa::plan::simulate::Simulation;
use nullarbor_spsa::plan::{Estimates, Plan};
use nullarbor_spsa::run_file::{RunFile, Tuning};

/// Elo to gain for each parameter: half of a range costs 6.6 Elo, the start is off by 0.05 to 0.25 of the range.
const ELO: f64 = 0.68;
const DRAWS: f64 = 0.45;
const RANGE: i32 = 10_000;
/// The surfaces of the table are others than those of the plan.
const SEED: u64 = 1 << 40;

fn run(parameters: usize, games: u64, mode: Mode, share: f64, r: f64) -> RunFile {
    let (value, min, max) = (Some(f64::from(RANGE) / 2.0), Some(0), Some(RANGE));
    let c_end = Some(share * f64::from(RANGE));
    let tuning = Tuning { value, min, max, c_end, r_end: Some(r) };
    let named = |number| (format!("p{number:03}"), tuning.clone());
    let parameters: BTreeMap<String, Tuning> = (0..parameters).map(named).collect();
    // Nothing is started: parameters of another engine need no declaration.
    let engine = Some("cmd=none".to_owned());
    let (iterations, pairs_per_iteration) = (games / 8, 4);
    RunFile { engine, iterations, pairs_per_iteration, mode, parameters, ..RunFile::of(&[]) }
}

fn main() -> Result<(), nullarbor_spsa::Error> {
    let surfaces = std::env::args().nth(1).and_then(|it| it.parse().ok()).unwrap_or(16);
    let stop = Stop::new();
    println!("parameters games Elo | defaults | closed form | plan (equal, unequal, flat)");
    for (parameters, games, elo) in [
        (10, 5_000, ELO),
        (30, 5_000, ELO),
        (60, 5_000, ELO),
        (10, 20_000, ELO),
        (30, 20_000, ELO),
        (60, 20_000, ELO),
        (120, 20_000, ELO),
        (30, 20_000, ELO / 4.0),
        (10, 100_000, ELO),
        (30, 100_000, ELO),
    ] {
        let elo = elo * parameters as f64;
        let estimates = Estimates::assumed(elo, parameters, DRAWS);
        let shares = |run: &RunFile| -> Result<[f64; 3], nullarbor_spsa::Error> {
            let simulations = on_all_kinds(run, &estimates, SEED..SEED + surfaces, &stop)?;
            Ok(simulations.each_ref().map(|it: &Simulation| 100.0 * it.mean()))
        };
        let defaults = run(parameters, games, Mode::Classic, 1.0 / 20.0, 0.002);
        let best = estimates.budget(games).best_gain();
        let closed = best.map(|r| run(parameters, games, Mode::Constant, 1.0 / 6.0, 2.0 * r));
        let closed = closed.as_ref().map(shares).transpose()?;
        let plan = Plan::choose(&defaults, &estimates, 1, &stop, || ())?;
        let (before, after) = (shares(&defaults)?, shares(plan.run())?);
        let gains = plan.gains();
        println!(
            "{parameters} {games} {elo:.1} | {before:.1?} | {closed:.1?} | {after:.1?} {} 1/{:.0} r {:.5}",
            gains.shape.name,
            1.0 / gains.share,
            gains.r
        );
    }
    Ok(())
}
