//! The history of a run for reports: iterates, the band of a random walk, and what the games say about each parameter.

use nullarbor_stats::{Estimate, PairCounts};

use super::error::ConfigError;
use super::gains::{Gain, MIN_PERTURBATION};
use super::parameter::Parameter;
use super::perturbation::Perturbation;
use super::record::{Record, replay};
use super::regression::{Finding, Regression};

/// The history of a run.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// Some of its moments, the first and the last among them.
    pub moments: Vec<Moment>,
    /// The estimate of the best values so far.
    pub result: Vec<f64>,
    /// Effect of each parameter, by the games.
    pub findings: Vec<Finding>,
    /// The Elo that remain to be gained.
    pub remaining: Estimate,
}

/// A moment of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// Games so far.
    pub games: u64,
    /// The iterate.
    pub theta: Vec<f64>,
    /// One standard deviation of a random walk with the same steps, for each parameter.
    pub random_walk: Vec<f64>,
    /// Games since the moment before.
    pub counts: PairCounts,
}

/// Sums over the iterations; vectors have an entry for each parameter.
struct Sums {
    /// Squares of steps per net win.
    steps: Vec<f64>,
    /// Squares of net wins.
    net_squares: f64,
}

impl Sums {
    fn add(&mut self, settings: &Perturbation, gains: &[Gain], net_wins: f64) {
        self.net_squares += net_wins * net_wins;
        for (index, delta) in settings.deltas().enumerate() {
            self.steps[index] += (gains[index].r * delta).powi(2);
        }
    }

    fn random_walk(&self, iterations: u64) -> Vec<f64> {
        let variance = self.net_squares / iterations as f64;
        self.steps.iter().map(|sum| (sum * variance).sqrt()).collect()
    }
}

impl Trace {
    /// Replays a run and keeps about `moments` moments.
    ///
    /// # Errors
    /// If the run file is impossible.
    pub fn of(record: &Record, moments: u64) -> Result<Self, ConfigError> {
        let mut pipeline = record.pipeline()?;
        let parameters = pipeline.theta().parameters().to_vec();
        let (last, none) = (record.iterations.len() as u64, vec![0.0; parameters.len()]);
        let every = last.div_ceil(moments.max(1)).max(1);
        let mut kept = vec![Moment {
            games: 0,
            theta: pipeline.theta().values().to_vec(),
            random_walk: none.clone(),
            counts: PairCounts::default(),
        }];
        let (mut games, mut recent) = (0, PairCounts::default());
        let mut sums = Sums { steps: none, net_squares: 0.0 };
        let mut regression = Regression::new(&parameters);
        replay(&mut pipeline, &record.iterations, |iteration, settings, theta| {
            let gains = theta.gains(iteration.number);
            regression.add(settings, &iteration.pairs);
            sums.add(settings, &gains, iteration.net_wins() as f64);
            recent.merge(&iteration.pairs);
            if iteration.number % every == 0 || iteration.number == last {
                games += recent.games();
                kept.push(Moment {
                    games,
                    theta: theta.values().to_vec(),
                    random_walk: sums.random_walk(iteration.number),
                    counts: std::mem::take(&mut recent),
                });
            }
        });
        let result = pipeline.theta().estimate();
        Ok(Self {
            findings: regression.findings(&result),
            remaining: regression.remaining(&result),
            result,
            moments: kept,
            parameters,
        })
    }

    /// Returns how far a parameter has moved, in units of its perturbation.
    pub fn change(&self, index: usize) -> f64 {
        let parameter = &self.parameters[index];
        (self.result[index] - parameter.start) / parameter.c_end
    }

    /// Returns the indices of the parameters, those that moved farthest first, then those with the clearest slope.
    pub fn by_change(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.parameters.len()).collect();
        order.sort_by(|&a, &b| self.findings[b].z.abs().total_cmp(&self.findings[a].z.abs()));
        order.sort_by(|&a, &b| self.change(b).abs().total_cmp(&self.change(a).abs()));
        order
    }

    /// Returns a remark on a parameter.
    pub fn remark(&self, index: usize) -> &'static str {
        let (parameter, value) = (&self.parameters[index], self.result[index]);
        let near = |bound: i32| (value - f64::from(bound)).abs() < parameter.c_end / 2.0;
        if near(parameter.range.min) || near(parameter.range.max) {
            "at its bound"
        } else if parameter.c_end < MIN_PERTURBATION {
            "c_end is too small for an integer"
        } else {
            match &self.findings[index] {
                found if found.is_curved && !found.slope.is_significant() => "arrived",
                found if found.is_curved || found.has_effect => "still moving",
                _ => "no effect seen",
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Iteration;
    use crate::run_file::RunFile;
    use nullarbor::params::{SPECS, Spec};

    /// A run in which the first setting wins whenever the first parameter is the higher one; the others do not matter.
    fn record() -> Record {
        let specs: Vec<&Spec> = SPECS.iter().filter(|spec| spec.group == "razoring").collect();
        record_of(RunFile { iterations: 200, pairs_per_iteration: 1, ..RunFile::of(&specs) })
    }

    fn record_of(run: RunFile) -> Record {
        let mut record =
            Record { length: run.iterations.into(), run, iterations: Vec::new(), stopped: None };
        let mut pipeline = record.pipeline().expect("a run");
        for number in 1..=200 {
            while pipeline.begin().is_some() {}
            let settings = pipeline.in_flight().next().expect("begun").1.clone();
            let up = settings.deltas().nth(1).expect("a parameter") > 0.0;
            let mut pairs = PairCounts::default();
            *(if up { &mut pairs.wd } else { &mut pairs.ld }) = 1;
            let iteration = Iteration { number, pairs };
            pipeline.apply(iteration.net_wins());
            record.iterations.push(iteration);
        }
        record
    }

    #[test]
    fn an_effect_is_told_from_noise() {
        let trace = Trace::of(&record(), 50).expect("a run");
        let (matters, idle) = (trace.findings[1], trace.findings[2]);
        assert!(matters.has_effect && matters.z > 10.0, "{matters:?}");
        assert!(!idle.has_effect && idle.z.abs() < 3.0, "{idle:?}");
        assert_eq!((trace.remark(1), trace.remark(2)), ("still moving", "no effect seen"));
        assert!(trace.result[1] > trace.parameters[1].start);
        let last = trace.moments.last().expect("moments");
        assert_eq!((trace.moments.len(), last.games), (51, 400));
        let risen = last.theta[1] - trace.parameters[1].start;
        assert!(risen > 5.0 * last.random_walk[1] / 2.0, "{risen} against {}", last.random_walk[1]);
    }

    #[test]
    fn a_screening_shows_effects_but_moves_nothing() {
        let mut run = record().run;
        run.parameters.values_mut().for_each(|tuning| tuning.r_end = Some(0.0));
        let trace = Trace::of(&record_of(run), 50).expect("a run");
        assert!(trace.findings[1].has_effect && !trace.findings[2].has_effect);
        let starts: Vec<f64> = trace.parameters.iter().map(|it| it.start).collect();
        assert_eq!((trace.result.clone(), trace.by_change()[0]), (starts, 1));
        assert!(crate::page::paths(&trace).len() > 1);
    }

    #[test]
    fn an_empty_journal_has_a_trace_too() {
        let mut record = record();
        record.iterations.clear();
        let trace = Trace::of(&record, 50).expect("a run");
        assert_eq!((trace.moments.len(), trace.moments[0].games), (1, 0));
        assert!(trace.findings.iter().all(|it| it.z == 0.0 && !it.has_effect));
    }
}
