//! The state of a run: a fold over the events of its journal, and what is to be done next.

use nullarbor_train::trainer::{Evaluation, Shape};

use crate::check::Check;
use crate::config::Config;
use crate::event::{
    Anchors, Begun, Checked, Event, Games, Judged, MatchResult, NetworkId, Origin, Trained,
};

/// Rejections in a row after which the number of new positions is doubled.
const ENLARGE_AFTER: u32 = 2;
/// Rejections in a row after which the run stops.
const STOP_AFTER: u32 = 3;

/// An accepted network.
#[derive(Clone, Debug, PartialEq)]
pub struct Generation {
    /// The network.
    pub network: NetworkId,
    /// The cycle that it was trained in; `None` for the network that the run began with.
    pub cycle: Option<u64>,
}

/// The end of a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The network of the cycle is this generation.
    Adopted(u64),
    /// These gates rejected its network.
    Rejected(Vec<String>),
}

/// A cycle and what is finished of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Cycle {
    /// Settings that decide the cycle.
    pub begun: Begun,
    /// Games of the cycle.
    pub games: Option<Games>,
    /// Network of the cycle.
    pub trained: Option<Trained>,
    /// The checks of the network alone.
    pub sanity: Option<Checked>,
    /// The held-out loss.
    pub loss: Option<Checked>,
    /// Judgement of the network by sets of positions.
    pub judged: Option<Judged>,
    /// The match at fixed nodes.
    pub nodes: Option<MatchResult>,
    /// The match on a clock.
    pub clock: Option<MatchResult>,
    /// End of the cycle.
    pub verdict: Option<Verdict>,
    /// Times of its beginning and of its last event, in seconds since 1970.
    pub times: Option<[u64; 2]>,
}

/// The step that is done next.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Step<'a> {
    Begin,
    /// A step of the cycle under way.
    Cycle(&'a Cycle, Stage<'a>),
    /// Games of the accepted generation against others.
    Anchors,
    /// Too many rejections in a row.
    GiveUp,
    /// This build cannot play with the accepted network.
    Rebuild,
}

/// The step of a cycle that is done next, with the network that it needs.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Stage<'a> {
    Games,
    Train,
    Gate(Gate, &'a Trained),
    Adopt(&'a Trained),
    /// These gates reject the network.
    Reject(&'static [Gate]),
}

/// A gate that a network must pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// Checks of the network alone.
    Sanity,
    /// The held-out loss.
    Loss,
    /// Positions with labels from deep searches.
    Judge,
    /// The match at fixed nodes.
    Nodes,
    /// The match on a clock.
    Clock,
}

impl Gate {
    /// Returns its name in journals and explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sanity => "sanity",
            Self::Loss => "held-out loss",
            Self::Judge => "judge",
            Self::Nodes => "match at fixed nodes",
            Self::Clock => "match on a clock",
        }
    }
}

impl Stage<'_> {
    /// Describes the step.
    pub fn title(&self) -> &'static str {
        match self {
            Self::Games => "games",
            Self::Train => "training",
            Self::Gate(Gate::Sanity, _) => "checks of the network alone",
            Self::Gate(gate, _) => gate.name(),
            Self::Adopt(_) => "adoption",
            Self::Reject(_) => "rejection",
        }
    }
}

impl Step<'_> {
    /// Describes the step.
    pub fn title(&self) -> &'static str {
        match self {
            Self::Begin => "beginning",
            Self::Cycle(_, stage) => stage.title(),
            Self::Anchors => "games against others",
            Self::GiveUp => "stopped after three rejections in a row",
            Self::Rebuild => "waiting for a tuner with this shape of network",
        }
    }
}

/// The state of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The accepted networks, from the one that the run began with.
    pub generations: Vec<Generation>,
    /// The cycles, the last of which may be under way.
    pub cycles: Vec<Cycle>,
    /// Matches against others.
    pub anchors: Vec<Anchors>,
    /// Generations that were shipped, with the match before.
    pub shipped: Vec<(u64, MatchResult)>,
    /// Rejections in a row.
    pub rejections: u32,
    /// Number of times that the number of new positions was doubled since the last adoption.
    pub doublings: u32,
}

impl State {
    /// Returns the state before the first cycle.
    pub fn new(origin: Origin) -> Self {
        Self {
            generations: vec![Generation { network: origin.network, cycle: None }],
            cycles: Vec::new(),
            anchors: Vec::new(),
            shipped: Vec::new(),
            rejections: 0,
            doublings: 0,
        }
    }

    /// Applies an event.
    ///
    /// # Errors
    /// If it cannot follow the events before it.
    pub fn apply(&mut self, event: &Event) -> Result<(), String> {
        match event {
            Event::Begun(begun) => return self.begin(begun),
            Event::Anchors(anchors) if anchors.generation == self.generation() => {
                self.anchors.push(anchors.clone());
            }
            Event::Shipped { generation, result } if *generation <= self.generation() => {
                self.shipped.push((*generation, result.clone()));
            }
            Event::Retried { .. } if self.rejections >= STOP_AFTER => self.rejections = 0,
            Event::Anchors(_) | Event::Shipped { .. } | Event::Retried { .. } => {
                return Err("it does not belong here".to_owned());
            }
            event => return self.advance(event),
        }
        Ok(())
    }

    /// Notes when an event was recorded, if it is one of the last cycle.
    pub fn note_time(&mut self, event: &Event, at: u64) {
        if event.cycle().is_some()
            && let Some(cycle) = self.cycles.last_mut()
        {
            let [began, _] = cycle.times.unwrap_or([at, at]);
            cycle.times = Some([began, at]);
        }
    }

    fn begin(&mut self, begun: &Begun) -> Result<(), String> {
        let expected = (self.cycles.len() as u64 + 1, self.generation());
        if self.open().is_some() || (begun.cycle, begun.generation) != expected {
            return Err(format!("cycle {} begins in the place of {}", begun.cycle, expected.0));
        }
        self.cycles.push(Cycle {
            begun: begun.clone(),
            games: None,
            trained: None,
            sanity: None,
            loss: None,
            judged: None,
            nodes: None,
            clock: None,
            verdict: None,
            times: None,
        });
        Ok(())
    }

    /// Applies an event of the cycle under way.
    fn advance(&mut self, event: &Event) -> Result<(), String> {
        let Some(cycle) = self.open() else { return Err("no cycle is under way".to_owned()) };
        let number = cycle.begun.cycle;
        if event.cycle() != Some(number) {
            return Err(format!("cycle {number} is under way"));
        }
        let generation = self.generation() + 1;
        let stage = self.stage(cycle);
        let (mut after, mut adopted) = (cycle.clone(), None);
        match (event, &stage) {
            (Event::Games(it), Stage::Games) => after.games = Some(it.clone()),
            (Event::Trained(it), Stage::Train) => after.trained = Some(it.clone()),
            (Event::Sanity(it), Stage::Gate(Gate::Sanity, _)) => after.sanity = Some(it.clone()),
            (Event::Loss(it), Stage::Gate(Gate::Loss, _)) => after.loss = Some(it.clone()),
            (Event::Judged(it), Stage::Gate(Gate::Judge, _)) => after.judged = Some(it.clone()),
            // Before networks were judged, the match followed the loss.
            (Event::Nodes(it), Stage::Gate(Gate::Nodes | Gate::Judge, _)) => {
                after.nodes = Some(it.clone());
            }
            (Event::Clock(it), Stage::Gate(Gate::Clock, _)) => after.clock = Some(it.clone()),
            (Event::Adopted { generation: new, .. }, Stage::Adopt(trained))
                if *new == generation =>
            {
                after.verdict = Some(Verdict::Adopted(generation));
                adopted = Some(trained.network.clone());
            }
            (Event::Rejected { gates, .. }, Stage::Reject(_)) => {
                after.verdict = Some(Verdict::Rejected(gates.clone()));
            }
            _ => return Err(format!("the next one would be: {}", stage.title())),
        }
        if let Some(network) = adopted {
            self.generations.push(Generation { network, cycle: Some(number) });
            (self.rejections, self.doublings) = (0, 0);
        } else if after.verdict.is_some() {
            self.rejections += 1;
            self.doublings += u32::from(self.rejections == ENLARGE_AFTER);
        }
        self.cycles.pop();
        self.cycles.push(after);
        Ok(())
    }

    /// Returns the number of the accepted generation.
    pub fn generation(&self) -> u64 {
        self.generations.len() as u64 - 1
    }

    /// Returns the accepted network.
    pub fn accepted(&self) -> &NetworkId {
        &self.generations[self.generations.len() - 1].network
    }

    /// Returns the cycle under way.
    pub fn open(&self) -> Option<&Cycle> {
        self.cycles.last().filter(|cycle| cycle.verdict.is_none())
    }

    /// Returns what is done next. `every` is the number of generations between matches against others.
    pub fn next(&self, every: u64) -> Step<'_> {
        if let Some(cycle) = self.open() {
            return Step::Cycle(cycle, self.stage(cycle));
        }
        let generation = self.generation();
        let is_due = generation > 0 && generation.is_multiple_of(every);
        if is_due && self.anchors.iter().all(|anchors| anchors.generation != generation) {
            return Step::Anchors;
        }
        if self.rejections >= STOP_AFTER {
            return Step::GiveUp;
        }
        if self.accepted().shape != Shape::BUILT {
            return Step::Rebuild;
        }
        Step::Begin
    }

    /// Returns the next step of a cycle under way.
    fn stage<'a>(&self, cycle: &'a Cycle) -> Stage<'a> {
        let Cycle { games, trained, sanity, loss, judged, nodes, clock, .. } = cycle;
        if games.is_none() {
            return Stage::Games;
        }
        let Some(trained) = trained else { return Stage::Train };
        let gate = |gate| Stage::Gate(gate, trained);
        let Some(sanity) = sanity else { return gate(Gate::Sanity) };
        // Measured even if the network is rejected already: its figure is part of the explanation.
        let Some(loss) = loss else { return gate(Gate::Loss) };
        match (sanity.passed(), loss.passed()) {
            (true, true) => {}
            (true, false) => return Stage::Reject(&[Gate::Loss]),
            (false, true) => return Stage::Reject(&[Gate::Sanity]),
            (false, false) => return Stage::Reject(&[Gate::Sanity, Gate::Loss]),
        }
        match (judged, nodes) {
            (None, None) if cycle.begun.config.gates.judge.is_on() => return gate(Gate::Judge),
            (Some(judged), _) if !judged.passed() => return Stage::Reject(&[Gate::Judge]),
            _ => {}
        }
        let Some(nodes) = nodes else { return gate(Gate::Nodes) };
        if !nodes.passed {
            return Stage::Reject(&[Gate::Nodes]);
        }
        let is_timed =
            cycle.begun.config.gates.clock.always || trained.network.shape != self.accepted().shape;
        match clock {
            None if is_timed => gate(Gate::Clock),
            Some(clock) if !clock.passed => Stage::Reject(&[Gate::Clock]),
            _ => Stage::Adopt(trained),
        }
    }

    /// Returns what decides the next cycle; `start` are the kept positions of the datasets of the first network.
    pub fn next_cycle(&self, config: &Config, start: u64) -> Begun {
        let cycle = self.cycles.len() as u64 + 1;
        let generation = self.generation();
        // The oldest network whose games are in the window.
        let oldest = (generation + 1).saturating_sub(config.training.window);
        let in_window = self.cycles.iter().filter(|cycle| cycle.begun.generation >= oldest);
        let kept = |cycle: &Cycle| cycle.games.as_ref().map_or(0, |games| games.counts.kept);
        let with_start = oldest == 0;
        let pile = in_window.clone().map(kept).sum::<u64>() + if with_start { start } else { 0 };
        let window = in_window.map(|cycle| cycle.begun.cycle).chain([cycle]).collect();
        let share = (config.games.share * pile as f64).ceil() as u64;
        let positions = config.games.positions.max(share) << self.doublings.min(16);
        Begun { cycle, generation, positions, pile, window, with_start, config: config.clone() }
    }

    /// Returns the held-out loss of a generation that was trained in the run.
    pub fn evaluation(&self, generation: &Generation) -> Option<&Evaluation> {
        let cycle = self.cycles.get(generation.cycle?.checked_sub(1)? as usize)?;
        cycle.trained.as_ref().map(|trained| &trained.evaluation)
    }

    /// Explains what the last rejections in a row have in common, and what can be done.
    pub fn explanation(&self) -> Vec<String> {
        let last = self.cycles.len().saturating_sub(STOP_AFTER as usize);
        let tried = self.cycles[last..].iter().map(Cycle::summary);
        let mut lines = vec![format!(
            "{STOP_AFTER} networks in a row were rejected; generation {} stays.",
            self.generation()
        )];
        lines.extend(tried);
        lines.push(self.advice());
        lines
    }

    /// Says what the figures of the last rejections suggest.
    fn advice(&self) -> String {
        let last = self.cycles.len().saturating_sub(STOP_AFTER as usize);
        let gates: Vec<&str> = self.cycles[last..]
            .iter()
            .filter_map(|cycle| match &cycle.verdict {
                Some(Verdict::Rejected(gates)) => Some(gates.iter().map(String::as_str)),
                _ => None,
            })
            .flatten()
            .collect();
        let most = |own: Gate| gates.iter().filter(|gate| **gate == own.name()).count() >= 2;
        let text = if most(Gate::Sanity) {
            "The networks themselves are wrong: look at the figure that failed, and change [training] (a lower rate, fewer epochs, another scale) before more games are played."
        } else if most(Gate::Loss) {
            "The loss does not fall: more games of the same kind teach this shape nothing new. Try more neurons ([network] hidden), a wider window, or games with other settings."
        } else if most(Gate::Judge) {
            "The networks know no more than the accepted one, or tell moves apart worse: more games, a higher [training] td, more siblings, or deeper searches ([games] nodes) teach more."
        } else if most(Gate::Nodes) {
            "The loss falls and the play does not improve: compare the results from each book, try more neurons, and check the scale."
        } else if most(Gate::Clock) {
            "The networks play better at fixed nodes but cost too much time: take fewer neurons."
        } else {
            "The reasons differ, as by chance near a limit: more positions ([games] positions) make the next network differ more."
        };
        format!("{text} Then: nullarbor-tuner breed DIR --retry")
    }
}

impl Cycle {
    /// Returns every figure of its network that was checked.
    pub fn checks(&self) -> impl Iterator<Item = &Check> {
        let checked = [&self.sanity, &self.loss].into_iter().flatten();
        let judged = self.judged.iter().flat_map(|judged| &judged.checks);
        checked.flat_map(|checked| &checked.checks).chain(judged)
    }

    /// Describes the cycle in one line.
    pub fn summary(&self) -> String {
        let Begun { cycle, generation, positions, pile, .. } = &self.begun;
        let mut parts = vec![format!(
            "cycle {cycle}: {positions} new positions by generation {generation} and {pile} before"
        )];
        let failed = self.checks().filter(|check| !check.passed());
        parts.extend(failed.map(|it| format!("{} is {} ({})", it.name, it.text(), it.limits())));
        for (result, name) in [(&self.nodes, "fixed nodes"), (&self.clock, "a clock")] {
            parts.extend(result.iter().map(|result| format!("at {name} {}", result.text())));
        }
        match &self.verdict {
            Some(Verdict::Adopted(generation)) => {
                parts.push(format!("adopted as generation {generation}"))
            }
            Some(Verdict::Rejected(gates)) => {
                parts.push(format!("rejected by: {}", gates.join(", ")))
            }
            None => parts.push("under way".to_owned()),
        }
        parts.join("; ")
    }
}

#[cfg(test)]
pub(crate) mod testing {
    //! Events for tests.

    use nullarbor_stats::PairCounts;
    use nullarbor_train::data::shard::Counts;
    use nullarbor_train::trainer::checkpoint::EpochMetrics;
    use nullarbor_train::trainer::evaluate::Bucket;
    use nullarbor_train::trainer::judge::Figures;
    use nullarbor_train::trainer::judge::figures::{
        BucketScale, Estimate, FileFigures, SiblingFigures,
    };
    use nullarbor_train::trainer::quantise::QuantisationError;

    use super::*;
    use crate::event::{Decision, Games, JudgedBySet};

    pub fn evaluation(loss: f64) -> Evaluation {
        Evaluation { factor: 1.0, loss, buckets: [Bucket { positions: 9, loss }; 8] }
    }

    pub fn network(cycle: u64) -> NetworkId {
        NetworkId { fingerprint: format!("{cycle:08x}"), shape: Shape::BUILT }
    }

    pub fn trained(cycle: u64, loss: f64) -> Trained {
        let validation_loss = 1.02 * loss;
        let epoch = EpochMetrics {
            examples: 9,
            training_loss: loss,
            validation_loss,
            standard_error: None,
        };
        Trained {
            cycle,
            network: network(cycle),
            positions: 100,
            epochs: vec![epoch],
            evaluation: evaluation(loss),
            quantisation: QuantisationError { mean: 0.6, max: 3.0 },
        }
    }

    pub fn checked(cycle: u64, passed: bool) -> Checked {
        let max = Some(if passed { 2.0 } else { 0.5 });
        let check = Check { name: "figure".to_owned(), value: Some(1.0), min: None, max };
        Checked { cycle, checks: vec![check] }
    }

    pub fn played(cycle: u64, passed: bool) -> MatchResult {
        MatchResult {
            cycle,
            limit: "nodes=5000".to_owned(),
            sprt: [0.0, 10.0],
            games: 6000,
            pairs: PairCounts { wd: 30, dd: 40, ld: 10, ..PairCounts::default() },
            books: Vec::new(),
            faults: [0; 2],
            decision: if passed { Decision::H1 } else { Decision::H0 },
            passed,
        }
    }

    /// The errors on positions met and the order of siblings of the accepted network and of the new one.
    pub fn judged_by(set: &str, accepted: [f64; 2], candidate: [f64; 2]) -> JudgedBySet {
        let estimate = |value| Estimate { value, error: 0.0 };
        let figures = |[met, order]: [f64; 2]| Figures {
            scale: 200,
            met: Some(FileFigures {
                positions: 100,
                loss: estimate(met),
                scale: 200,
                by_pieces: Default::default(),
                by_mover: Default::default(),
            }),
            neutral: None,
            equal_material: None,
            siblings: Some(SiblingFigures { groups: 9, order: estimate(order), noise: 30.0 }),
            bucket_scales: [BucketScale { positions: 0, scale: None }; 8],
        };
        let [accepted, candidate] = [accepted, candidate].map(figures);
        JudgedBySet { set: set.to_owned(), candidate, accepted }
    }

    pub fn judged(cycle: u64, passed: bool) -> Judged {
        let checks = checked(cycle, passed).checks;
        Judged { cycle, checks, sets: vec![judged_by("set", [0.025, 0.74], [0.024, 0.75])] }
    }

    pub fn games(cycle: u64, kept: u64) -> Games {
        let counts = Counts { games: kept / 50, positions: 2 * kept, kept, ..Counts::default() };
        let figures = Default::default();
        let (pieces, warnings) = ([kept / 8; 8], vec!["few".to_owned()]);
        Games { cycle, counts, seconds: 5400, figures, pieces, warnings }
    }

    pub fn state() -> State {
        State::new(Origin { network: network(0) })
    }

    /// Runs a cycle that ends at the match at fixed nodes.
    pub fn cycle(state: &mut State, config: &Config, passes: bool) -> u64 {
        let begun = state.next_cycle(config, 0);
        let (number, kept) = (begun.cycle, begun.positions);
        let last = if passes {
            Event::Adopted { cycle: number, generation: state.generation() + 1 }
        } else {
            Event::Rejected { cycle: number, gates: vec!["match at fixed nodes".to_owned()] }
        };
        for event in [
            Event::Begun(Box::new(begun)),
            Event::Games(games(number, kept)),
            Event::Trained(trained(number, 0.003 - 1e-5 * number as f64)),
            Event::Sanity(checked(number, true)),
            Event::Loss(checked(number, true)),
            Event::Judged(judged(number, true)),
            Event::Nodes(played(number, passes)),
            last,
        ] {
            state.apply(&event).expect("in order");
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::testing::*;
    use super::*;
    use crate::config::{Clock, Gates};

    fn small() -> Config {
        let mut config = Config::default();
        config.games.positions = 100;
        config
    }

    fn stage(state: &State) -> Stage<'_> {
        match state.next(3) {
            Step::Cycle(_, stage) => stage,
            step => panic!("{step:?}"),
        }
    }

    /// Returns a run whose first network has been checked on its own.
    fn checked_alone(passed: bool) -> State {
        let (mut state, config) = (state(), small());
        for event in [
            Event::Begun(Box::new(state.next_cycle(&config, 0))),
            Event::Games(games(1, 100)),
            Event::Trained(trained(1, 0.003)),
            Event::Sanity(checked(1, passed)),
        ] {
            state.apply(&event).expect("in order");
        }
        state
    }

    #[test]
    fn steps_follow_from_events() {
        let (mut state, config) = (state(), small());
        let mut steps = vec![state.next(3).title()];
        for event in [
            Event::Begun(Box::new(state.next_cycle(&config, 0))),
            Event::Games(games(1, 100)),
            Event::Trained(trained(1, 0.003)),
            Event::Sanity(checked(1, true)),
            Event::Loss(checked(1, true)),
            Event::Judged(judged(1, true)),
            Event::Nodes(played(1, true)),
            Event::Adopted { cycle: 1, generation: 1 },
        ] {
            state.apply(&event).expect("in order");
            let before = state.clone();
            assert!(state.apply(&event).is_err(), "{event:?} twice");
            assert_eq!(state, before, "what is refused changes nothing");
            steps.push(state.next(3).title());
        }
        let alone = ["beginning", "games", "training", "checks of the network alone"];
        let then = ["held-out loss", "judge", "match at fixed nodes", "adoption", "beginning"];
        assert_eq!(steps, [&alone[..], &then[..]].concat());
        assert_eq!((state.generation(), state.accepted()), (1, &network(1)));
        let loss = state.evaluation(&state.generations[1]).map(|evaluation| evaluation.loss);
        assert_eq!((loss, state.evaluation(&state.generations[0])), (Some(0.003), None));
    }

    #[test]
    fn a_network_that_knows_less_plays_no_match() {
        let mut state = checked_alone(true);
        state.apply(&Event::Loss(checked(1, true))).expect("in order");
        let mut old = state.clone();
        old.apply(&Event::Nodes(played(1, true))).expect("as in journals before there was a judge");
        assert_eq!(stage(&old), Stage::Adopt(&trained(1, 0.003)));
        state.apply(&Event::Judged(judged(1, false))).expect("in order");
        assert_eq!(stage(&state), Stage::Reject(&[Gate::Judge]));
    }

    #[test]
    fn the_loss_is_measured_even_if_the_network_is_rejected_already() {
        let mut state = checked_alone(false);
        assert_eq!(stage(&state), Stage::Gate(Gate::Loss, &trained(1, 0.003)));
        state.apply(&Event::Loss(checked(1, false))).expect("in order");
        assert_eq!(stage(&state), Stage::Reject(&[Gate::Sanity, Gate::Loss]));
        assert!(state.apply(&Event::Nodes(played(1, true))).is_err());
    }

    #[test]
    fn a_clock_decides_where_it_is_asked_for_or_the_shape_changes() {
        let up_to_nodes = |config: &Config, shape| {
            let mut state = state();
            let mut trained = trained(1, 0.003);
            trained.network.shape = shape;
            for event in [
                Event::Begun(Box::new(state.next_cycle(config, 0))),
                Event::Games(games(1, 100)),
                Event::Trained(trained),
                Event::Sanity(checked(1, true)),
                Event::Loss(checked(1, true)),
                Event::Nodes(played(1, true)),
            ] {
                state.apply(&event).expect("in order");
            }
            state
        };
        let always = Clock { always: true, ..Clock::default() };
        let timed = Config { gates: Gates { clock: always, ..Gates::default() }, ..small() };
        let state = up_to_nodes(&small(), Shape::BUILT);
        assert_eq!(stage(&state).title(), "adoption");
        let mut state = up_to_nodes(&timed, Shape::BUILT);
        assert_eq!(stage(&state).title(), "match on a clock");
        state.apply(&Event::Clock(played(1, false))).expect("in order");
        assert_eq!(stage(&state), Stage::Reject(&[Gate::Clock]));
        let other = Shape { hidden: Shape::BUILT.hidden + 32, ..Shape::BUILT };
        let mut state = up_to_nodes(&small(), other);
        assert_eq!(stage(&state).title(), "match on a clock");
        state.apply(&Event::Clock(played(1, true))).expect("in order");
        state.apply(&Event::Adopted { cycle: 1, generation: 1 }).expect("in order");
        assert_eq!(state.next(3), Step::Rebuild);
    }

    #[test]
    fn two_rejections_double_the_positions_and_three_stop() {
        let (mut state, config) = (state(), small());
        let positions = |state: &State| state.next_cycle(&config, 0).positions;
        assert_eq!(positions(&state), 100);
        cycle(&mut state, &config, false);
        assert_eq!((positions(&state), state.next(3)), (100, Step::Begin));
        cycle(&mut state, &config, false);
        assert_eq!((positions(&state), state.next(3)), (200, Step::Begin));
        let mut lucky = state.clone();
        cycle(&mut lucky, &config, true);
        // The share of the 400 positions so far is more than the least number.
        assert_eq!((lucky.rejections, positions(&lucky)), (0, 120));
        cycle(&mut state, &config, false);
        assert_eq!(state.next(3), Step::GiveUp);
        let explanation = state.explanation().join("\n");
        for part in [
            "cycle 3: 200 new positions by generation 0 and 200 before",
            "does not improve",
            "--retry",
        ] {
            assert!(explanation.contains(part), "{part}: {explanation}");
        }
        assert!(state.apply(&Event::Retried { cycle: 3 }).is_ok());
        assert_eq!((state.next(3), positions(&state)), (Step::Begin, 240));
        assert!(state.apply(&Event::Retried { cycle: 3 }).is_err());
    }

    #[test]
    fn the_window_is_one_of_generations_not_of_cycles() {
        let (mut state, config) = (state(), small());
        for passes in [true, false, true, false, true] {
            cycle(&mut state, &config, passes);
        }
        let begun = state.next_cycle(&config, 0);
        assert_eq!((begun.generation, begun.cycle, begun.with_start), (3, 6, false));
        // Cycle 1 was played by generation 0, cycles 2 and 3 by generation 1.
        assert_eq!(begun.window, [2, 3, 4, 5, 6]);
        let mut whole = config.clone();
        whole.training.window = 4;
        assert_eq!(state.next_cycle(&whole, 0).window, [1, 2, 3, 4, 5, 6]);
        assert!(state.next_cycle(&whole, 0).with_start);
    }

    #[test]
    fn the_games_of_the_first_network_count_while_they_are_in_the_window() {
        let (mut state, config) = (state(), small());
        let first = state.next_cycle(&config, 1000);
        assert_eq!((first.pile, first.positions), (1000, 300));
        for _ in 0..config.training.window {
            cycle(&mut state, &config, true);
        }
        assert_eq!(state.next_cycle(&config, 1000).pile, state.next_cycle(&config, 0).pile);
    }

    #[test]
    fn every_third_generation_plays_others_once() {
        let (mut state, config) = (state(), small());
        (0..3).for_each(|_| _ = cycle(&mut state, &config, true));
        assert_eq!((state.next(3), state.next(4)), (Step::Anchors, Step::Begin));
        let anchors = |generation| {
            let (limit, results) = ("tc=3+0.03".to_owned(), Vec::new());
            Event::Anchors(Anchors { generation, limit, results, outside: 0 })
        };
        assert!(state.apply(&anchors(2)).is_err());
        state.apply(&anchors(3)).expect("it is due");
        assert_eq!(state.next(3), Step::Begin);
    }

    #[test]
    fn what_follows_a_cycle_does_not_make_it_longer() {
        let (mut state, config) = (state(), small());
        let number = cycle(&mut state, &config, true);
        for (event, at) in [
            (Event::Nodes(played(number, true)), 50),
            (Event::Adopted { cycle: number, generation: 1 }, 60),
            (Event::Shipped { generation: 1, result: played(0, true) }, 70),
            (Event::Retried { cycle: number }, 80),
        ] {
            state.note_time(&event, at);
        }
        assert_eq!(state.cycles[0].times, Some([50, 60]));
    }

    #[test]
    fn events_survive_the_journal() {
        let begun = state().next_cycle(&small(), 0);
        for event in [
            Event::Begun(Box::new(begun)),
            Event::Games(games(1, 100)),
            Event::Trained(trained(1, 0.003)),
            Event::Sanity(checked(1, false)),
            Event::Nodes(played(1, true)),
            Event::Rejected { cycle: 1, gates: vec!["x".to_owned()] },
            Event::Shipped { generation: 0, result: played(0, true) },
        ] {
            let entry = crate::event::Entry { at: 7, event };
            let json = serde_json::to_string(&entry).expect("plain data");
            assert_eq!(serde_json::from_str::<crate::event::Entry>(&json).expect(&json), entry);
        }
    }
}
