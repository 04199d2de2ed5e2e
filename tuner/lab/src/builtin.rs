//! The suites that are part of the program: found in games and searches of the engine itself, see `suites/README.md`.

/// By name.
pub const SUITES: &[(&str, &str)] = &[
    ("tactical", include_str!("../suites/tactical.epd")),
    ("mate", include_str!("../suites/mate.epd")),
    ("zugzwang", include_str!("../suites/zugzwang.epd")),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Experiment, Trial};
    use crate::marks::Marks;
    use crate::suite::{Suite, Task};
    use nullarbor_games::scheme::{EngineKind, Scheme};
    use nullarbor_games::work::Stop;

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
                assert_ne!(problem.task, Task::Search, "{}", problem.id);
                assert_eq!(
                    matches!(problem.task, Task::Mate(_)),
                    *name == "mate",
                    "{}",
                    problem.id
                );
            }
        }
    }

    /// How many positions each scheme solves.
    fn solved(suite: Suite, schemes: &[&str], engine: EngineKind, depth: usize) -> Vec<usize> {
        let experiment = Experiment {
            suites: vec![suite],
            schemes: schemes.iter().map(|name| Scheme::read(name).expect("a preset")).collect(),
            engine,
            marks: Marks::Depths(vec![depth]),
            hash: 1,
            workers: 1,
        };
        let trials = experiment.run(&Stop::new(), || {}).expect("memory").expect("nobody stops it");
        let solved = |trials: &Vec<Trial>| {
            trials.iter().filter(|trial| trial.samples.last().is_some_and(|it| it.solved)).count()
        };
        trials[0].iter().map(solved).collect()
    }

    #[test]
    fn a_plain_search_without_null_moves_proves_every_mate() {
        let mut suite = Suite::open("mate").expect("built in");
        suite.problems.retain(|problem| matches!(problem.task, Task::Mate(..=3)));
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
