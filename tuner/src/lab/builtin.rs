//! The suites that are part of the program: found in games and searches of the engine itself, see `suites/README.md`.

/// By name.
pub const SUITES: &[(&str, &str)] = &[
    ("tactical", include_str!("../../suites/tactical.epd")),
    ("mate", include_str!("../../suites/mate.epd")),
    ("zugzwang", include_str!("../../suites/zugzwang.epd")),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Stop;
    use crate::lab::experiment::{Experiment, Trial};
    use crate::lab::marks::Marks;
    use crate::lab::suite::{Suite, Task};
    use crate::scheme::{EngineKind, Scheme};

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

    #[test]
    fn verification_finds_zugzwangs_that_plain_null_moves_miss() {
        let experiment = Experiment {
            suites: vec![Suite::open("zugzwang").expect("built in")],
            schemes: ["off", "nullarbor", "verified", "fixed-2", "fixed-3"]
                .map(|name| Scheme::read(name).expect("a preset"))
                .to_vec(),
            engine: EngineKind::Full,
            marks: Marks::Depths(vec![8]),
            hash: 1,
            workers: 1,
        };
        let trials = experiment.run(&Stop::new(), || {}).expect("memory").expect("nobody stops it");
        let solved = |trials: &Vec<Trial>| {
            trials.iter().filter(|trial| trial.samples.last().is_some_and(|it| it.solved)).count()
        };
        let solved: Vec<usize> = trials[0].iter().map(solved).collect();
        assert!(solved.is_sorted_by(|better, worse| better > worse), "{solved:?}");
    }
}
