//! The built-in suites, found in games and searches of this engine: see `suites/README.md`.

/// Names and EPD texts.
pub const SUITES: &[(&str, &str)] = &[
    ("tactical", include_str!("../suites/tactical.epd")),
    ("mate", include_str!("../suites/mate.epd")),
    ("zugzwang", include_str!("../suites/zugzwang.epd")),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::Checkpoints;
    use crate::experiment::Experiment;
    use crate::suite::{Suite, Task};
    use crate::trial::Trial;
    use nullarbor_games::scheme::{EngineKind, NamedScheme};
    use nullarbor_runs::{Stop, Workers};

    #[test]
    fn every_position_has_a_task_and_a_name_of_its_own() {
        for (name, _) in SUITES {
            let suite = Suite::open(name).expect(name);
            assert!(suite.problems.len() >= 40, "{name}: {}", suite.problems.len());
            let mut ids: Vec<&str> =
                suite.problems.iter().map(|problem| problem.id.as_str()).collect();
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(ids.len(), suite.problems.len(), "{name}");
            for problem in &suite.problems {
                let task = problem.task.as_ref().expect("a task");
                assert_eq!(matches!(task, Task::Mate(_)), *name == "mate", "{}", problem.id);
            }
        }
    }

    /// Returns how many positions each scheme solves.
    fn solved(suite: Suite, schemes: &[&str], engine: EngineKind, depth: usize) -> Vec<usize> {
        let experiment = Experiment {
            suites: vec![suite],
            schemes: NamedScheme::read_all(schemes).expect("schemes"),
            reference: 0,
            engine,
            checkpoints: Checkpoints::new(&[depth], &[]),
            hash: 1,
            workers: Workers::Threads(1),
        };
        let trials = experiment.run(&Stop::new(), || {}).expect("not stopped");
        let solved = |trials: &Vec<Trial>| trials.iter().filter(|trial| trial.is_solved()).count();
        trials[0].iter().map(solved).collect()
    }

    #[test]
    fn a_plain_search_without_null_moves_proves_every_mate() {
        let mut suite = Suite::open("mate").expect("built in");
        suite.problems.retain(|problem| matches!(problem.task, Some(Task::Mate(..=3))));
        let mates = suite.problems.len();
        assert!(mates > 20);
        // A mate in three is five plies long, and nothing may hide it.
        assert_eq!(solved(suite, &["off"], EngineKind::Plain, 5), [mates]);
    }

    #[test]
    fn verification_finds_zugzwangs_that_plain_null_moves_miss() {
        let suite = Suite::open("zugzwang").expect("built in");
        let schemes = ["off", "nullarbor", "verified", "fixed-2", "fixed-3"];
        let solved = solved(suite, &schemes, EngineKind::Full, 8);
        let (careful, careless) = solved.split_at(3);
        assert!(careful.iter().min() > careless.iter().max(), "{solved:?}");
    }
}
