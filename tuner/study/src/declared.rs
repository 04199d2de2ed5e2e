//! The experiments of the study, declared once.

use nullarbor_games::scheme::EngineKind;
use nullarbor_lab::mine::decision_tree::Objective;

/// An experiment.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    /// Name of the experiment, also that of its record.
    pub name: &'static str,
    /// Question of the experiment.
    pub question: &'static str,
    /// True if it belongs to the quick ones, which take seconds and need nothing but the repository.
    pub is_quick: bool,
    /// Roughly how long it takes on two cores, for people.
    pub effort: &'static str,
    /// The search in which the schemes are compared.
    pub engine: EngineKind,
    /// Searches, games or mining.
    pub work: Work,
}

/// The work of an experiment.
#[derive(Clone, Copy, Debug)]
pub enum Work {
    /// Searches positions.
    Trees(Trees),
    /// Plays games.
    Games(Games),
    /// Logs null searches and mines triggers from them.
    Mining(Mining),
}

/// Every scheme searches every position.
#[derive(Clone, Copy, Debug)]
pub struct Trees {
    /// Names of built-in or declared suites.
    pub suites: &'static [&'static str],
    /// The schemes; the first is the one that the others are compared with.
    pub schemes: &'static [&'static str],
    /// Checkpoints at which they are compared.
    pub until: Until,
}

/// Depths or times.
#[derive(Clone, Copy, Debug)]
pub enum Until {
    /// Depths in plies.
    Depths(&'static [usize]),
    /// Milliseconds a position. Such results are not the same twice.
    Times(&'static [u64]),
    /// Depths in plies, where it also matters how long they take.
    TimedDepths(&'static [usize]),
}

/// Two schemes play each other at several limits.
#[derive(Clone, Copy, Debug)]
pub struct Games {
    /// The pairings.
    pub pairings: &'static [(&'static str, &'static str)],
    /// Limits, as `nodes=5000` or `tc=1+0.01`, and the games of each pairing.
    pub limits: &'static [(&'static str, u64)],
}

/// Null searches are logged in games, conditions are evaluated on them, and rules are fitted to them.
#[derive(Clone, Copy, Debug)]
pub struct Mining {
    /// The arguments of `mine log` without seed and file.
    pub log: &'static str,
    /// Number of logs, with the seeds from 1 on.
    pub logs: u64,
    /// Conditions, as `mine partition` takes them.
    pub conditions: &'static [&'static str],
    /// Rules: their names, and what they are to get right.
    pub rules: &'static [(&'static str, Objective)],
}

impl Mining {
    /// Returns the name of the mined rule that a scheme names, as `rule:nodes` does.
    pub fn rule_of(scheme: &str) -> Option<&str> {
        scheme.strip_prefix("rule:")
    }
}

/// A suite that is not in the repository.
#[derive(Clone, Copy, Debug)]
pub struct DeclaredSuite {
    /// Name of the suite here.
    pub name: &'static str,
    /// Title of the suite.
    pub title: &'static str,
    /// Number of positions.
    pub positions: usize,
    /// [`Suite::sha256`](nullarbor_lab::suite::Suite::sha256).
    pub sha256: &'static str,
    /// Place at which a reader finds it.
    pub source: &'static str,
}

/// All named schemes, without null moves first.
const ALL: &[&str] = &[
    "off",
    "fixed-1",
    "fixed-2",
    "fixed-3",
    "fixed-4",
    "verified",
    "mediocre",
    "micromax",
    "impchess",
    "impchess-triggered",
    "guide-fixed",
    "guide-adaptive",
    "guide-formula",
    "heinz",
    "nullarbor",
];

/// Schemes of the paper of 2002, `verified` first, as it compares them.
const PAPER: &[&str] = &["verified", "fixed-1", "fixed-2", "fixed-3"];
/// Schemes that show what a reduction, a verification and a trigger do.
const SOME: &[&str] = &["off", "fixed-2", "fixed-3", "verified", "guide-formula", "nullarbor"];
const GUARDS: &[&str] = &[
    "fixed-3",
    "fixed-3+guard=piece",
    "fixed-3+guard=both-pieces",
    "fixed-3+guard=captured",
    "fixed-3+verification=zugzwang",
    "fixed-3+verification=reduce",
    "fixed-3+verification=deep",
    "off",
];

/// All experiments, in the order of the document.
pub const EXPERIMENTS: &[Declared] = &[
    Declared {
        name: "zugzwang",
        question: "What does each guard and each verification save on positions of zugzwang, and what does it cost?",
        is_quick: true,
        effort: "10 seconds",
        engine: EngineKind::Plain,
        work: Work::Trees(Trees {
            suites: &["zugzwang"],
            schemes: GUARDS,
            until: Until::Depths(&[4, 6, 8, 10]),
        }),
    },
    Declared {
        name: "tactical",
        question: "How do tree size and solutions of the schemes differ on the built-in tactical positions?",
        is_quick: true,
        effort: "20 seconds",
        engine: EngineKind::Plain,
        work: Work::Trees(Trees {
            suites: &["tactical"],
            schemes: PAPER,
            until: Until::Depths(&[5, 6, 7]),
        }),
    },
    Declared {
        name: "wcs",
        question: "How large is the tree of every scheme, and what does it solve?",
        is_quick: false,
        effort: "2 hours",
        engine: EngineKind::Plain,
        work: Work::Trees(Trees {
            suites: &["wcs"],
            schemes: ALL,
            until: Until::TimedDepths(&[6, 7, 8]),
        }),
    },
    Declared {
        name: "wcs-deep",
        question: "Does R = 2 grow past verified R = 3 with depth? At the depths of the paper",
        is_quick: false,
        effort: "2 hours",
        engine: EngineKind::Plain,
        work: Work::Trees(Trees {
            suites: &["wcs"],
            schemes: PAPER,
            until: Until::Depths(&[8, 9, 10]),
        }),
    },
    Declared {
        name: "ecm",
        question: "The same as on WCS, on quieter positions",
        is_quick: false,
        effort: "1 hour",
        engine: EngineKind::Plain,
        work: Work::Trees(Trees {
            suites: &["ecm"],
            schemes: ALL,
            until: Until::Depths(&[5, 6, 7]),
        }),
    },
    Declared {
        name: "ecm-deep",
        question: "Does R = 2 grow past verified R = 3 with depth? At the depths of the paper",
        is_quick: false,
        effort: "4 hours",
        engine: EngineKind::Plain,
        work: Work::Trees(Trees {
            suites: &["ecm"],
            schemes: &["verified", "fixed-2", "fixed-3"],
            until: Until::Depths(&[8, 9, 10]),
        }),
    },
    Declared {
        name: "ecm-full",
        question: "And in the search as it plays?",
        is_quick: false,
        effort: "15 minutes",
        engine: EngineKind::Full,
        work: Work::Trees(Trees {
            suites: &["ecm"],
            schemes: ALL,
            until: Until::Depths(&[8, 10, 12]),
        }),
    },
    Declared {
        name: "ecm-full-deep",
        question: "And deeper there, in nodes and in time (on a machine that does nothing else)?",
        is_quick: false,
        effort: "5 minutes",
        engine: EngineKind::Full,
        work: Work::Trees(Trees {
            suites: &["ecm"],
            schemes: &["off", "guide-formula", "nullarbor"],
            until: Until::TimedDepths(&[12, 14, 16, 18]),
        }),
    },
    Declared {
        name: "ecm-no-reverse-futility",
        question: "And without reverse futility pruning?",
        is_quick: false,
        effort: "15 minutes",
        engine: EngineKind::NoReverseFutility,
        work: Work::Trees(Trees {
            suites: &["ecm"],
            schemes: SOME,
            until: Until::Depths(&[8, 10, 12]),
        }),
    },
    Declared {
        name: "ecm-no-late-move-reductions",
        question: "And without late move reductions?",
        is_quick: false,
        effort: "15 minutes",
        engine: EngineKind::NoLateMoveReductions,
        work: Work::Trees(Trees {
            suites: &["ecm"],
            schemes: SOME,
            until: Until::Depths(&[8, 10, 12]),
        }),
    },
    Declared {
        name: "ecm-neither",
        question: "And without both?",
        is_quick: false,
        effort: "15 minutes",
        engine: EngineKind::Neither,
        work: Work::Trees(Trees {
            suites: &["ecm"],
            schemes: SOME,
            until: Until::Depths(&[8, 10, 12]),
        }),
    },
    Declared {
        name: "tactical-deep",
        question: "The same up to depth 13, on the built-in tactical positions",
        is_quick: false,
        effort: "half an hour",
        engine: EngineKind::Plain,
        work: Work::Trees(Trees {
            suites: &["tactical"],
            schemes: &["verified", "fixed-2", "fixed-3"],
            until: Until::Depths(&[8, 9, 10, 11, 12, 13]),
        }),
    },
    Declared {
        name: "mates",
        question: "How many mates does each reduction miss, one ply deeper than they are long?",
        is_quick: false,
        effort: "half an hour",
        engine: EngineKind::Plain,
        work: Work::Trees(Trees {
            suites: &["mates-in-4"],
            schemes: &["off", "fixed-1", "fixed-2", "fixed-3", "verified"],
            until: Until::Depths(&[7, 8]),
        }),
    },
    Declared {
        name: "mates-deep",
        question: "The same with mates in 5",
        is_quick: false,
        effort: "2 hours",
        engine: EngineKind::Plain,
        work: Work::Trees(Trees {
            suites: &["mates-in-5"],
            schemes: &["off", "fixed-1", "fixed-2", "fixed-3", "verified"],
            until: Until::Depths(&[9, 10]),
        }),
    },
    Declared {
        name: "zugzwang-timed",
        question: "Which schemes fall for zugzwang in the search as it plays, at equal time?",
        is_quick: false,
        effort: "10 minutes",
        engine: EngineKind::Full,
        work: Work::Trees(Trees {
            suites: &["zugzwang", "zpts"],
            schemes: ALL,
            until: Until::Times(&[100, 500]),
        }),
    },
    Declared {
        name: "match",
        question: "Verified R = 3 against R = 2 in games, by nodes a move",
        is_quick: false,
        effort: "4 hours",
        engine: EngineKind::Plain,
        work: Work::Games(Games {
            pairings: &[("verified", "fixed-2")],
            limits: &[
                ("nodes=1000", 8000),
                ("nodes=3000", 6000),
                ("nodes=10000", 4000),
                ("nodes=30000", 2000),
                ("nodes=100000", 1000),
            ],
        }),
    },
    Declared {
        name: "worth",
        question: "What is the null move worth in the engine as it plays?",
        is_quick: false,
        effort: "1 hour",
        engine: EngineKind::Full,
        work: Work::Games(Games {
            pairings: WITH_AND_WITHOUT,
            limits: &[("nodes=5000", 4000), ("nodes=20000", 2000), ("nodes=80000", 1000)],
        }),
    },
    Declared {
        name: "worth-on-a-clock",
        question: "The same on a clock (on a machine that does nothing else)",
        is_quick: false,
        effort: "2 hours",
        engine: EngineKind::Full,
        work: Work::Games(Games {
            pairings: WITH_AND_WITHOUT,
            limits: &[("tc=1+0.01", 2000), ("tc=8+0.08", 240)],
        }),
    },
    Declared {
        name: "worth-no-reverse-futility",
        question: "Does reverse futility pruning take its place? The same without it",
        is_quick: false,
        effort: "half an hour",
        engine: EngineKind::NoReverseFutility,
        work: Work::Games(Games { pairings: WITH_AND_WITHOUT, limits: AT_NODES }),
    },
    Declared {
        name: "worth-no-late-move-reductions",
        question: "Do late move reductions take its place? The same without them",
        is_quick: false,
        effort: "half an hour",
        engine: EngineKind::NoLateMoveReductions,
        work: Work::Games(Games { pairings: WITH_AND_WITHOUT, limits: AT_NODES }),
    },
    Declared {
        name: "mining",
        question: "Which triggers does a log of null searches suggest, and what is the bound of hindsight?",
        is_quick: false,
        effort: "5 minutes",
        engine: EngineKind::Full,
        work: Work::Mining(Mining {
            log: "--games 5 --nodes 20000 --scheme nullarbor+trigger=always+guard=piece --sample 8 --probe 8 --ground-truth 400",
            logs: 8,
            conditions: &[
                "static_eval >= beta",
                "depth >= 4 && eval >= beta && static_eval >= beta + 80 - 9 * depth - 40 * improving",
                // A stricter trigger within the engine's own, and what it leaves out.
                "depth >= 4 && eval >= beta && static_eval >= beta + 80 - 9 * depth - 40 * improving && static_eval - beta > 30 && table_bound != 1",
                "depth >= 4 && eval >= beta && static_eval >= beta + 80 - 9 * depth - 40 * improving && (static_eval - beta <= 30 || table_bound == 1)",
                "material - beta > 100 && last_piece != 6 && finite_window == 1",
            ],
            rules: &[("nodes", Objective::Nodes), ("cutoffs", Objective::Cutoffs)],
        }),
    },
    Declared {
        name: "triggers",
        question: "Does a mined trigger play better than the tuned one?",
        is_quick: false,
        effort: "2 hours",
        engine: EngineKind::Full,
        work: Work::Games(Games {
            pairings: &[
                ("rule:nodes", "nullarbor"),
                ("rule:cutoffs", "nullarbor"),
                ("nullarbor+trigger=eval", "nullarbor"),
                ("nullarbor+trigger=always", "nullarbor"),
                ("nullarbor+trigger=lea", "nullarbor"),
            ],
            limits: &[("nodes=20000", 2000)],
        }),
    },
];

const WITH_AND_WITHOUT: &[(&str, &str)] = &[("nullarbor", "off")];
const AT_NODES: &[(&str, u64)] = &[("nodes=5000", 4000), ("nodes=20000", 2000)];

/// The suites that readers bring along.
pub const SUITES: &[DeclaredSuite] = &[
    DeclaredSuite {
        name: "wcs",
        title: "1001 Winning Chess Sacrifices and Combinations (F. Reinfeld 1955)",
        positions: 1001,
        sha256: "3f4fc9dd87afc9998a5d719d744bf4d03e6ac761176d6181af2f1d40e519decb",
        source: "https://github.com/albertoruibal/carballo, jse/src/test/resources/wcsac.epd",
    },
    DeclaredSuite {
        name: "ecm",
        title: "Encyclopedia of Chess Middlegames (Chess Informant 1980)",
        positions: 879,
        sha256: "1a2a43655df14a65096d499153e983e5b17aa51d28af11659a0817cdc300caa5",
        source: "https://github.com/lithander/MinimalChessEngine, MinimalChessBoard/ECM.epd",
    },
    DeclaredSuite {
        name: "mates-in-4",
        title: "mates in 4",
        positions: 1100,
        sha256: "afdcd4a35dc326e05223b519582369c7c5dc3413f285ab2501f952f2880c760c",
        source: "https://github.com/lithander/Leorik, Leorik.Test/mate_in_4.epd",
    },
    DeclaredSuite {
        name: "mates-in-5",
        title: "mates in 5",
        positions: 902,
        sha256: "9d6753f7fde61fb38e107019f43d05e985ecf2c17905ea25d5c0d0c053616a5a",
        source: "https://github.com/lithander/Leorik, Leorik.Test/mate_in_5.epd",
    },
    DeclaredSuite {
        name: "zpts",
        title: "zugzwang studies from the Computer Chess Club",
        positions: 30,
        sha256: "9b13e192e97254058c25937605b40a3f09dd916e22a60f0dbc2f4de9981c3698",
        source: "https://github.com/cosmobobak/viridithas, assets/epds/zugts.epd",
    },
];

impl Declared {
    /// Returns the experiment with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        EXPERIMENTS.iter().find(|it| it.name == name)
    }

    /// Returns the command that runs it.
    pub fn command(&self) -> String {
        format!("make null-move ONLY={}", self.name)
    }
}

impl Until {
    /// Returns whether times are part of the results.
    pub fn is_timed(self) -> bool {
        !matches!(self, Self::Depths(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nullarbor::params::Params;
    use nullarbor_games::limit::Limit;
    use nullarbor_games::scheme::NamedScheme;
    use nullarbor_lab::builtin;
    use nullarbor_lab::mine::conditions::Condition;

    #[test]
    fn every_experiment_can_be_run() {
        for experiment in EXPERIMENTS {
            let twins = EXPERIMENTS.iter().filter(|it| it.name == experiment.name);
            assert_eq!(twins.count(), 1, "{}", experiment.name);
            match experiment.work {
                Work::Trees(Trees { suites, schemes, .. }) => {
                    NamedScheme::read_all(schemes).expect(experiment.name);
                    for suite in suites {
                        let is_built_in = builtin::SUITES.iter().any(|(name, _)| name == suite);
                        let is_declared = SUITES.iter().any(|it| it.name == *suite);
                        assert!(is_built_in != is_declared, "{suite}");
                        assert!(is_built_in || !experiment.is_quick, "{suite}");
                    }
                }
                Work::Games(Games { pairings, limits }) => {
                    let rules = EXPERIMENTS.iter().filter_map(|it| match it.work {
                        Work::Mining(mining) => Some(mining.rules),
                        _ => None,
                    });
                    let rules: Vec<&str> = rules.flatten().map(|(name, _)| *name).collect();
                    for scheme in pairings.iter().flat_map(|(one, other)| [one, other]) {
                        match Mining::rule_of(scheme) {
                            Some(rule) => assert!(rules.contains(&rule), "{rule}"),
                            None => drop(NamedScheme::read(scheme).expect(experiment.name)),
                        }
                    }
                    for (limit, games) in limits {
                        assert!(limit.parse::<Limit>().is_ok(), "{limit}");
                        assert!(games.is_multiple_of(2), "{games}");
                    }
                }
                Work::Mining(Mining { conditions, .. }) => {
                    for condition in conditions {
                        Condition::parse(condition).expect(experiment.name);
                    }
                }
            }
        }
    }

    #[test]
    fn the_engines_own_trigger_is_among_the_conditions_mined() {
        let Params {
            null_move_min_depth: depth,
            null_move_margin_base: base,
            null_move_margin_depth_scale: scale,
            null_move_margin_improving: improving,
            ..
        } = Params::default();
        let own = format!(
            "depth >= {depth} && eval >= beta && static_eval >= beta + {base} - {scale} * depth - {improving} * improving"
        );
        let mining = EXPERIMENTS.iter().find_map(|it| match it.work {
            Work::Mining(mining) => Some(mining),
            _ => None,
        });
        assert!(mining.expect("an experiment").conditions.contains(&own.as_str()), "{own}");
    }
}
