//! What a run has been through, for those who look at it.

use super::plan::budget::ELO_PER_NET;
use super::run::{Record, pipeline, replay};
use super::run_file::Mistake;
use super::theta::Axis;
use nullarbor_games::stats::PairCounts;

/// The way of a run.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The parameters.
    pub axes: Vec<Axis>,
    /// Iterations in all.
    pub iterations: u64,
    /// Some of its moments, the first and the last among them.
    pub moments: Vec<Moment>,
    /// What it found so far.
    pub result: Vec<f64>,
    /// What its games say of each parameter.
    pub slopes: Vec<Slope>,
    /// All its games.
    pub counts: PairCounts,
}

/// A moment of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// Games so far.
    pub games: u64,
    /// Where the parameters were.
    pub point: Vec<f64>,
    /// How far chance alone would have led each of them by then: a standard deviation.
    pub noise: Vec<f64>,
    /// Games since the moment before.
    pub counts: PairCounts,
}

/// What a move of a parameter by its `c_end` gains, by all games of the run, in Elo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// The estimate.
    pub elo: f64,
    /// Its standard error.
    pub error: f64,
}

/// A slope within so many standard errors of nothing is noise.
const SIGNAL: f64 = 2.0;

impl Slope {
    /// Whether it is more than noise.
    pub fn is_signal(self) -> bool {
        self.elo.abs() > SIGNAL * self.error
    }
}

impl Trace {
    /// Follows a run; keeps about so many moments.
    ///
    /// # Errors
    /// Where the run is none.
    pub fn of(record: &Record, moments: u64) -> Result<Self, Mistake> {
        let run = &record.run;
        let mut pipeline = pipeline(run)?;
        let axes = pipeline.path().axes().to_vec();
        let every = (record.iterations.len() as u64).div_ceil(moments.max(1)).max(1);
        let games = (2 * run.pairs_per_iteration) as f64;
        let count = axes.len();
        let start = Moment {
            games: 0,
            point: pipeline.path().point().to_vec(),
            noise: vec![0.0; count],
            counts: PairCounts::default(),
        };
        let (mut seen, mut counts, mut recent) =
            (vec![start], PairCounts::default(), PairCounts::default());
        // Of each parameter: steps squared; moves squared, and moves times net score. Of all: net score squared.
        let mut steps = vec![0.0; count];
        let (mut squares, mut products, mut net_squares) =
            (vec![0.0; count], vec![0.0; count], 0.0);
        let last = record.iterations.len() as u64;
        replay(&mut pipeline, &record.iterations, |iteration, settings, path| {
            let gains = path.gains(iteration.number);
            let net = iteration.net() as f64;
            net_squares += (net / games).powi(2);
            for (index, moved) in settings.moved().enumerate() {
                let in_c = moved / axes[index].c_end;
                steps[index] += (gains[index].r * moved).powi(2);
                squares[index] += in_c * in_c;
                products[index] += in_c * net / games;
            }
            counts.merge(&iteration.pairs);
            recent.merge(&iteration.pairs);
            if iteration.number % every == 0 || iteration.number == last {
                let variance = net_squares / iteration.number as f64 * games * games;
                seen.push(Moment {
                    games: counts.games(),
                    point: path.point().to_vec(),
                    noise: steps.iter().map(|sum| (sum * variance).sqrt()).collect(),
                    counts: std::mem::take(&mut recent),
                });
            }
        });
        let variance = net_squares / (last.max(1) as f64);
        let slope = |(square, product): (&f64, &f64)| Slope {
            // The two settings are twice the move apart.
            elo: product / square.max(f64::MIN_POSITIVE) * ELO_PER_NET / 2.0,
            error: (variance / square.max(f64::MIN_POSITIVE)).sqrt() * ELO_PER_NET / 2.0,
        };
        Ok(Self {
            slopes: squares.iter().zip(&products).map(slope).collect(),
            axes,
            iterations: run.iterations,
            moments: seen,
            result: pipeline.path().result(),
            counts,
        })
    }

    /// What should be known of a parameter, in a word or two; nothing where all is well.
    pub fn remark(&self, index: usize) -> &'static str {
        let (axis, value) = (&self.axes[index], self.result[index]);
        let near = |bound: i32| (value - f64::from(bound)).abs() < axis.c_end / 2.0;
        if near(axis.range.min) || near(axis.range.max) {
            "at its bound"
        } else if axis.c_end < 0.5 {
            "c_end is too small to be felt"
        } else if !self.slopes[index].is_signal() {
            "slope in the noise"
        } else {
            ""
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Iteration;
    use crate::run_file::RunFile;
    use nullarbor::params::{SPECS, Spec};

    /// A run in which the first setting wins whenever the first parameter is the higher one; the others do not matter.
    fn record() -> Record {
        let specs: Vec<&Spec> = SPECS.iter().filter(|spec| spec.group == "razoring").collect();
        let run = RunFile { iterations: 200, pairs_per_iteration: 1, ..RunFile::of(&specs) };
        let mut record = Record { run, iterations: Vec::new() };
        let mut pipeline = pipeline(&record.run).expect("a run");
        for number in 1..=200 {
            while pipeline.begin().is_some() {}
            let settings = pipeline.under_way().next().expect("begun").1.clone();
            let up = settings.moved().nth(1).expect("a parameter") > 0.0;
            let mut pairs = PairCounts::default();
            *(if up { &mut pairs.wd } else { &mut pairs.ld }) = 1;
            let iteration = Iteration { number, pairs };
            pipeline.apply(iteration.net());
            record.iterations.push(iteration);
        }
        record
    }

    #[test]
    fn what_matters_is_told_from_what_does_not() {
        let trace = Trace::of(&record(), 50).expect("a run");
        let (matters, idle) = (trace.slopes[1], trace.slopes[2]);
        assert!(matters.is_signal() && matters.elo > 50.0, "{matters:?}");
        assert!(idle.elo.abs() < 4.0 * idle.error, "{idle:?}");
        assert!(trace.result[1] > trace.axes[1].start);
        let last = trace.moments.last().expect("moments");
        assert_eq!((trace.moments.len(), last.games, trace.counts.games()), (51, 400, 400));
        let risen = last.point[1] - trace.axes[1].start;
        assert!(risen > 5.0 * last.noise[1] / 2.0, "{risen} against {}", last.noise[1]);
    }

    #[test]
    fn an_empty_journal_has_a_trace_too() {
        let mut record = record();
        record.iterations.clear();
        let trace = Trace::of(&record, 50).expect("a run");
        assert_eq!((trace.moments.len(), trace.counts.games()), (1, 0));
        assert!(trace.slopes.iter().all(|slope| slope.elo == 0.0 && !slope.is_signal()));
    }
}
