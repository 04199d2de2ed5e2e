//! The gates: pure rules from measurements to figures with limits, and from results of matches to decisions.

use nullarbor_games::matches::Completion;
use nullarbor_stats::{PairCounts, Sprt, Verdict};
use nullarbor_train::trainer::evaluate::pieces;
use nullarbor_train::trainer::judge::Figures;
use nullarbor_train::trainer::{Evaluation, Inspection};

use crate::check::Check;
use crate::config::{Judge, Loss, Sanity};
use crate::event::{Decision, JudgedBySet, Trained};

/// Bishop and knight may differ by this factor.
const MINOR_RATIO: f64 = 1.5;

/// The scale of the accepted network.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// The mean absolute evaluation of the held-out positions, in centipawns.
    pub mean_absolute: f64,
    /// Factor on its evaluations with which they predict the held-out scores best.
    pub factor: f32,
}

/// Returns the checks of a network alone. From the scale of the accepted one it must not drift.
pub fn sanity(
    limits: &Sanity,
    trained: &Trained,
    inspection: &Inspection,
    accepted: Scale,
) -> Vec<Check> {
    let Inspection { mean_absolute, start, pieces, asymmetry, dead, saturated } = *inspection;
    let around = |name: &str, value: f64| {
        Check::new(name, value, Some(1.0 - limits.drift), Some(1.0 + limits.drift))
    };
    let last = trained.epochs.last();
    let [training, validation] =
        last.map_or([f64::NAN; 2], |last| [last.training_loss, last.validation_loss]);
    let mut checks = vec![
        Check::at_most("training loss", training, 1.0),
        Check::at_most(
            "validation loss over training loss",
            validation / training,
            1.0 + limits.overfitting,
        ),
        Check::at_most("asymmetry between the colours, cp", asymmetry, 0.0),
        Check::new(
            "evaluation of the initial position, cp",
            start,
            Some(-limits.start),
            Some(limits.start),
        ),
        around("mean absolute evaluation, relative", mean_absolute / accepted.mean_absolute),
        // A factor is what evaluations are multiplied by, so it falls as they grow.
        around("slope, relative", f64::from(accepted.factor / trained.evaluation.factor)),
        Check::at_most("dead neurons, share", dead, limits.dead),
        Check::at_most("saturated neurons, share", saturated, limits.saturated),
        Check::at_most(
            "mean quantisation error, cp",
            trained.quantisation.mean,
            limits.quantisation,
        ),
    ];
    checks.extend(piece_values(pieces, limits.piece_order));
    checks
}

/// Returns the values of the pieces; each is limited by those of others if `ordered`.
fn piece_values([pawn, knight, bishop, rook, queen]: [f64; 5], ordered: bool) -> Vec<Check> {
    let below = |value: f64| value.next_up();
    let limited = |name: &str, value: f64, min: f64, max: Option<f64>| {
        let name = format!("value of a {name}, cp");
        if ordered {
            Check::new(name, value, Some(min), max)
        } else {
            Check::new(name, value, None, None)
        }
    };
    vec![
        limited("pawn", pawn, below(0.0), None),
        limited("knight", knight, below(pawn), Some(bishop * MINOR_RATIO)),
        limited("bishop", bishop, below(pawn), Some(knight * MINOR_RATIO)),
        limited("rook", rook, below(knight.max(bishop)), None),
        limited("queen", queen, below(rook), None),
    ]
}

/// Returns the checks of the held-out loss against that of the accepted network.
pub fn loss(limits: &Loss, candidate: &Evaluation, accepted: &Evaluation) -> Vec<Check> {
    let mut checks =
        vec![Check::at_most("held-out loss", candidate.loss, accepted.loss * (1.0 + limits.rise))];
    for (number, (new, old)) in candidate.buckets.iter().zip(&accepted.buckets).enumerate() {
        if new.positions > 0 {
            let [min, max] = pieces(number);
            let name = format!("held-out loss with {min}-{max} pieces");
            checks.push(Check::at_most(name, new.loss, old.loss * (1.0 + limits.bucket)));
        }
    }
    checks
}

/// Returns the checks of a network's figures on each set against those of the accepted one.
pub fn judge(limits: &Judge, sets: &[JudgedBySet]) -> Vec<Check> {
    sets.iter().flat_map(|set| judge_by(limits, set)).collect()
}

fn judge_by(limits: &Judge, JudgedBySet { set, candidate, accepted }: &JudgedBySet) -> Vec<Check> {
    let loss = |name: &str, [new, old]: [Option<f64>; 2]| {
        Some(Check::at_most(format!("{name}, {set}"), new?, old? * (1.0 + limits.rise)))
    };
    let both = |figure: fn(&Figures) -> Option<f64>| [figure(candidate), figure(accepted)];
    let order = |[new, old]: [Option<f64>; 2]| {
        Some(Check::new(format!("order, {set}"), new?, Some(old? - limits.order), None))
    };
    let checks = [
        loss("met", both(Figures::met_loss)),
        loss("neutral", both(Figures::neutral_loss)),
        order(both(Figures::order)),
    ];
    checks.into_iter().flatten().collect()
}

/// The result that is enough at a match that its last game did not decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undecided {
    /// A gain was not shown.
    Fails,
    /// No loss was shown: the result is nearer to the upper bound.
    PassesIfPositive,
}

/// Decides a match that was played to its end.
pub fn decide(
    completion: Completion,
    sprt: &Sprt,
    pairs: &PairCounts,
    undecided: Undecided,
) -> (Decision, bool) {
    match completion {
        Completion::Decided(Verdict::H1) => (Decision::H1, true),
        Completion::Decided(Verdict::H0) => (Decision::H0, false),
        Completion::AllGames => {
            let positive = pairs.pairs() > 0 && sprt.llr(pairs) > 0.0;
            (Decision::Undecided, undecided == Undecided::PassesIfPositive && positive)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::sprt;
    use crate::state::testing::{evaluation, judged_by, trained};

    const SOUND: Inspection = Inspection {
        mean_absolute: 300.0,
        start: 25.0,
        pieces: [90.0, 300.0, 320.0, 500.0, 900.0],
        asymmetry: 0.0,
        dead: 0.0,
        saturated: 0.01,
    };

    fn failed(candidate: &Inspection, factor: f32, change: impl Fn(&mut Trained)) -> Vec<String> {
        let mut trained = trained(1, 0.0030);
        trained.evaluation.factor = factor;
        change(&mut trained);
        let accepted = Scale { mean_absolute: SOUND.mean_absolute, factor: 1.0 };
        let checks = sanity(&Sanity::default(), &trained, candidate, accepted);
        let failed = checks.iter().filter(|check| !check.passed());
        failed.map(|check| check.name.clone()).collect()
    }

    #[test]
    fn a_sound_network_passes() {
        assert_eq!(failed(&SOUND, 1.0, |_| {}), Vec::<String>::new());
    }

    #[test]
    fn every_check_of_a_network_alone_can_fail() {
        let with = |change: fn(&mut Inspection)| {
            let mut inspection = SOUND;
            change(&mut inspection);
            failed(&inspection, 1.0, |_| {}).join("; ")
        };
        assert!(with(|it| it.mean_absolute = 480.0).contains("mean absolute"));
        assert!(with(|it| it.mean_absolute = f64::NAN).contains("mean absolute"));
        assert!(with(|it| it.start = -61.0).contains("initial position"));
        assert!(with(|it| it.asymmetry = 1.0).contains("asymmetry"));
        assert!(with(|it| it.dead = 0.06).contains("dead"));
        assert!(with(|it| it.saturated = 0.2).contains("saturated"));
        assert!(with(|it| it.pieces[4] = 500.0).contains("queen"));
        assert!(with(|it| it.pieces[3] = 310.0).contains("rook"));
        assert!(with(|it| it.pieces[2] = 460.0).contains("bishop"));
        assert!(with(|it| it.pieces[1] = 80.0).contains("knight"));
        assert!(with(|it| it.pieces[0] = -1.0).contains("pawn"));
        assert!(failed(&SOUND, 2.1, |_| {}).join("").contains("slope"));
        let trained = |change: fn(&mut Trained)| failed(&SOUND, 1.0, change).join("; ");
        assert!(trained(|it| it.quantisation.mean = 1.6).contains("quantisation"));
        assert!(trained(|it| it.epochs[0].training_loss = f64::NAN).contains("training loss"));
        assert!(trained(|it| it.epochs[0].validation_loss *= 1.3).contains("validation"));
        assert!(trained(|it| it.epochs.clear()).contains("validation"));
    }

    #[test]
    fn the_loss_may_rise_within_limits() {
        let old = evaluation(0.0030);
        let limits = Loss { rise: 0.1, bucket: 0.3 };
        let failed = |new: &Evaluation| -> Vec<String> {
            let checks = loss(&limits, new, &old);
            checks.iter().filter(|check| !check.passed()).map(|it| it.name.clone()).collect()
        };
        let new = |factor: f64| {
            let mut new = evaluation(0.0030 * factor);
            new.buckets[7].loss *= 1.31 / factor;
            new
        };
        assert_eq!(failed(&evaluation(0.0030 * 1.09)), Vec::<String>::new());
        assert_eq!(failed(&evaluation(0.0030 * 1.11)), ["held-out loss"]);
        assert_eq!(failed(&new(0.99)), ["held-out loss with 29-32 pieces"]);
    }

    #[test]
    fn the_judge_lets_errors_fall_and_order_rise() {
        let failed = |met: f64, order: f64| -> Vec<String> {
            let sets = [judged_by("set", [0.025, 0.74], [met, order])];
            let checks = judge(&Judge { rise: 0.01, order: 0.005, ..Judge::default() }, &sets);
            assert_eq!(checks.len(), 2, "there are no neutral positions");
            checks.iter().filter(|check| !check.passed()).map(|it| it.name.clone()).collect()
        };
        assert_eq!(failed(0.024, 0.75), Vec::<String>::new());
        assert_eq!(failed(0.0252, 0.736), Vec::<String>::new());
        assert_eq!(failed(0.0253, 0.736), ["met, set"]);
        assert_eq!(failed(0.020, 0.734), ["order, set"]);
    }

    #[test]
    fn a_match_without_a_decision_shows_no_gain() {
        let test = sprt([0.0, 10.0]).expect("bounds");
        let pairs = PairCounts { ld: 100, dd: 300, wd: 120, ..PairCounts::default() };
        let all = |undecided| decide(Completion::AllGames, &test, &pairs, undecided);
        assert_eq!(all(Undecided::Fails), (Decision::Undecided, false));
        assert_eq!(all(Undecided::PassesIfPositive), (Decision::Undecided, true));
        let reversed = pairs.reversed();
        let lost = decide(Completion::AllGames, &test, &reversed, Undecided::PassesIfPositive);
        assert_eq!(lost, (Decision::Undecided, false));
        let none = PairCounts::default();
        assert!(!decide(Completion::AllGames, &test, &none, Undecided::PassesIfPositive).1);
        for (verdict, passed) in [(Verdict::H0, false), (Verdict::H1, true)] {
            let completion = Completion::Decided(verdict);
            assert_eq!(decide(completion, &test, &pairs, Undecided::Fails).1, passed);
        }
    }

    #[test]
    fn undefined_figures_fail_and_can_be_journalled() {
        let check = Check::at_most("x", f64::NAN, 1.0);
        assert!(!check.passed());
        let json = serde_json::to_string(&check).expect("plain data");
        assert_eq!(serde_json::from_str::<Check>(&json).expect("a check"), check);
        assert_eq!(
            (check.text().as_str(), check.limits().as_str()),
            ("undefined", "at most 1.000")
        );
    }
}
