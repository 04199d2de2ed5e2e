//! The commands of the binary that are neither UCI nor bench: perft, evaluation, parameter table,
//! speed test. They hand their output to the caller line by line.

use std::num::NonZero;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nullarbor_chess::board::{Position, divide};

use crate::bench;
use crate::engine::EngineError;
use crate::eval::nnue::Network;
use crate::eval::wdl::to_cp;
use crate::eval::{Evaluation, Source};
use crate::params::{Params, SPECS, Spec, TunedParams, scaled};
use crate::search::nodes_per_second;
use crate::types::{Colour, Score};

/// Receives a line of output.
pub type Say<'a> = &'a mut dyn FnMut(String);

/// Returns the static evaluation of a position as text: in pawns, from White's side, by a network and
/// the scale by number of pieces.
pub fn evaluation(position: &Position, network: &Arc<Network>, params: &Params) -> String {
    if position.in_check() {
        return "Evaluation: none (in check)".to_owned();
    }
    let network = || Evaluation::new(&Source::Network(Arc::clone(network))).evaluate(position, 0);
    let score = if position.is_insufficient_material() { Score::DRAW } else { network() };
    let share = TunedParams::new(params.clone()).eval_scale(position.occupied().count());
    let score = Score(scaled(score.0, share));
    let score = to_cp(score).0;
    let for_white = if position.side_to_move() == Colour::White { score } else { -score };
    format!("Evaluation: {:+.2} pawns (White's side)", f64::from(for_white) / 100.0)
}

/// Says the number of leaves after each move (perft), and their sum.
pub fn perft(
    position: &Position,
    depth: usize,
    threads: NonZero<usize>,
    chess960: bool,
    say: Say<'_>,
) {
    let start = Instant::now();
    let counts = divide(position, depth, threads, &|| false).unwrap_or_default();
    let elapsed = start.elapsed();
    for (mv, nodes) in &counts {
        say(format!("{}: {nodes}", position.uci(*mv, chess960)));
    }
    let total: u64 = counts.iter().map(|(_, nodes)| nodes).sum();
    let speed = nodes_per_second(total, elapsed);
    say(format!("\n{total} nodes, {} ms, {speed} nps", elapsed.as_millis()));
}

/// Says the speed with 1, 2, 4 ... threads.
///
/// # Errors
/// Fails if the system gives too little memory or too few threads.
pub fn speedtest(each: Duration, say: Say<'_>) -> Result<(), EngineError> {
    say(format!("{:>7} {:>12} {:>8}", "threads", "nps", "scaling"));
    let mut single = None;
    for row in bench::speeds(each) {
        let (threads, speed) = row?;
        let base = *single.get_or_insert(speed);
        say(format!("{threads:>7} {speed:>12} {:>8.2}", speed as f64 / base as f64));
    }
    Ok(())
}

/// Says the parameters of the search as a table.
pub fn params_table(say: Say<'_>) {
    say(format!(
        "{:<34} {:>7} {:>7} {:>7} {:>7}  {:<22} meaning",
        "name", "default", "min", "max", "step", "unit"
    ));
    let mut group = "";
    for spec in SPECS {
        if group != spec.group {
            group = spec.group;
            say(format!("\n{group}"));
        }
        let Spec { name, default, min, max, step, unit, meaning, .. } = spec;
        say(format!("{name:<34} {default:>7} {min:>7} {max:>7} {step:>7}  {unit:<22} {meaning}"));
    }
}

/// Says the parameters as input of OpenBench's SPSA: name, type, value, min, max, `c_end`, `r_end`.
pub fn params_openbench(say: Say<'_>) {
    for Spec { name, default, min, max, step, .. } in SPECS {
        say(format!("{name}, int, {default}, {min}, {max}, {step}, {}", Spec::R_END));
    }
}
