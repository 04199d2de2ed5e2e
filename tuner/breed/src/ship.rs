//! The accepted network into a source tree.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use nullarbor::eval::nnue::format::NetworkFile;
use nullarbor_games::limit::Limit;
use nullarbor_report::terminal;
use nullarbor_runs::files::{FileError, read_text, replace};
use nullarbor_train::trainer::quantise::Quantised;

use crate::books::Part;
use crate::commit::{check_clean, commit};
use crate::error::Error;
use crate::event::{MatchResult, NetworkId, elo};
use crate::gates::Undecided;
use crate::generations::{self, Facts, Generation};
use crate::page::{FIGURES, Figure};
use crate::run::BreedRun;
use crate::state::{Cycle, State};
use crate::steps::{NetworkMatch, Use, read, read_named, seed};

/// The destination of the network.
#[derive(Clone, Debug)]
pub struct Target {
    /// The source tree.
    pub tree: PathBuf,
    /// True if the signature is recorded.
    pub bench: bool,
    /// True if the files are committed, in a tree without other changes.
    pub commit: bool,
}

impl Target {
    fn network(&self) -> PathBuf {
        self.tree.join("engine/network.nnue")
    }

    fn generations(&self) -> PathBuf {
        self.tree.join("engine/generations.jsonl")
    }

    fn tables(&self) -> PathBuf {
        self.tree.join("engine/NETWORK.md")
    }
}

/// Ships the accepted network of a run with its signature and a commit. Whatever hinders that is told, and ends nothing.
pub fn ship_accepted(run: &mut BreedRun, tree: &Path) {
    let target = Target { tree: tree.to_owned(), bench: true, commit: true };
    match ship(run, &target) {
        Ok(lines) => lines.iter().for_each(|line| run.say(line)),
        Err(error) => run.say(&format!("warning: the network is not shipped: {error}")),
    }
}

/// Plays the accepted network of a run against the network of a source tree and, if it wins, puts it there. Returns what was done, in
/// lines.
///
/// # Errors
/// If the match is not won or not finished, or a file cannot be written. Before the match is won nothing is written.
pub fn ship(run: &mut BreedRun, target: &Target) -> Result<Vec<String>, Error> {
    let generation = run.state().generation();
    if generation == 0 {
        return Err(Error::Ship("no network was accepted yet: nothing to ship".to_owned()));
    }
    let check = || if target.commit { check_clean(&target.tree) } else { Ok(()) };
    check()?;
    let path = run.folder().generation(generation);
    let network = read_named(&path, run.state().accepted())?;
    let (there, old) = read(&target.network())?;
    let shape = |it: &NetworkFile| (it.hidden, it.king_buckets, it.output_buckets, it.scale);
    let is_same = old.0.parameters == network.0.parameters
        && old.0.output_biases == network.0.output_biases
        && shape(&old.0) == shape(&network.0);
    if is_same {
        let line = format!("{} has generation {generation} already", target.network().display());
        return record_signature(target).map(|more| [vec![line], more].concat());
    }
    // A tree without the record of generations is refused before the match.
    generations::read(&target.generations())?;
    let result = fresh_match(run, target, generation, &there)?;
    if !result.passed {
        run.record_shipped(generation, result.clone())?;
        return Err(Error::Ship(format!(
            "generation {generation} did not win its fresh match ({}): nothing was written",
            result.text()
        )));
    }
    // The match took hours, in which others may have changed the tree.
    if read(&target.network())?.0 != there {
        let path = target.network().display().to_string();
        return Err(Error::Ship(format!("{path} has changed during the match: ship again")));
    }
    check()?;
    let facts = facts(run, generation, &result)?;
    let bytes = with_facts(&network, &facts)?;
    // The network last: while it is not there, the command can be repeated.
    let recorded = generations::append(&target.generations(), &facts)?;
    let has_tables = target.tables().exists();
    if has_tables {
        generations::tabulate(&target.tables(), &recorded)?;
    }
    replace(&target.network(), |file| file.write_all(&bytes))?;
    run.record_shipped(generation, result.clone())?;
    let mut lines = vec![
        format!("{}: generation {generation} of the run", target.network().display()),
        format!("{}: generation {}", target.generations().display(), recorded.generation),
    ];
    if has_tables {
        lines.push(format!("{}: rows in both tables", target.tables().display()));
    }
    lines.extend(record_signature(target)?);
    if target.commit {
        let text = message(run, &recorded, &result, &read_text(&target.tree.join(".bench"))?)?;
        lines.push(format!("committed: {}", commit(&target.tree, &text)?));
    }
    Ok(lines)
}

/// Plays the match, or what is left of it.
fn fresh_match(
    run: &BreedRun,
    target: &Target,
    generation: u64,
    there: &NetworkId,
) -> Result<MatchResult, Error> {
    let config = run.config().clone();
    // Of the generation: it has one match against the network of the tree, not as many as it takes to win.
    let cycle = run.state().generations[generation as usize].cycle.unwrap_or_default();
    let network_match = NetworkMatch {
        limit: Limit::Nodes { hard: Some(config.ship.nodes), soft: None },
        sprt: config.ship.sprt,
        games: config.ship.games,
        part: Part::Reserved,
        seed: seed(&config, cycle, Use::Ship),
        undecided: Undecided::Fails,
    };
    // The tree may change while the match is played.
    let copy = run.folder().ship(generation, &there.fingerprint).with_extension("nnue");
    crate::folder::create_parent(&copy)?;
    fs::copy(target.network(), &copy).map_err(FileError::at(&copy))?;
    run.play_match(|work| {
        let new = (work.folder.generation(generation), work.state.accepted());
        let journal = work.folder.ship(generation, &there.fingerprint);
        work.network_match(&network_match, &config, cycle, [new, (copy.clone(), there)], &journal)
    })
}

/// Collects what is written about a generation.
fn facts(run: &BreedRun, generation: u64, result: &MatchResult) -> Result<Facts, Error> {
    let state = run.state();
    let cycle = cycle(state, generation)?;
    let Some(trained) = &cycle.trained else {
        return Err(Error::Ship(format!("generation {generation} was not trained in this run")));
    };
    let (new, seconds) =
        cycle.games.as_ref().map_or((0, 0), |games| (games.counts.kept, games.seconds));
    let training = &cycle.begun.config.training;
    let (before, shape) =
        (state.generations[cycle.begun.generation as usize].network.shape, trained.network.shape);
    Ok(Facts {
        new,
        seconds,
        positions: trained.positions,
        examples: trained.examples(),
        fine_tuned: training.fine_tune && before.grows_into(shape),
        shape,
        training: training.clone(),
        validation_loss: trained.epochs.last().map_or(f64::NAN, |epoch| epoch.validation_loss),
        nodes: result.clone(),
        clock: cycle.clock.clone(),
        metadata: metadata(cycle, generation, result),
    })
}

/// Returns the message of the commit.
fn message(
    run: &BreedRun,
    recorded: &Generation,
    result: &MatchResult,
    bench: &str,
) -> Result<String, Error> {
    let cycle = cycle(run.state(), run.state().generation())?;
    let games = cycle.games.as_ref().map_or(0, |games| games.counts.games);
    let Generation { generation, played_by, positions, trained_on, .. } = recorded;
    let mut lines = vec![
        format!("Network of generation {generation}\n"),
        format!(
            "{positions} positions of {games} games by {played_by}.\nTrained on {trained_on}.\n"
        ),
        format!("Fresh match at {}: {}", result.limit, result.text()),
    ];
    lines.extend(result.books.iter().map(|it| format!("{}: {}", it.name(), elo(&it.pairs))));
    for set in cycle.judged.iter().flat_map(|judged| &judged.sets) {
        let figure = |&(name, figure): &(&str, Figure)| {
            Some(format!("{name} {:.4} -> {:.4}", figure(&set.accepted)?, figure(&set.candidate)?))
        };
        let figures: Vec<String> = FIGURES.iter().filter_map(figure).collect();
        lines.push(format!("Judge, {}: {}", set.name(), figures.join(", ")));
    }
    lines.push(format!("\nBench: {}", bench.trim()));
    Ok(lines.join("\n"))
}

/// Returns the cycle in which a generation was trained.
fn cycle(state: &State, generation: u64) -> Result<&Cycle, Error> {
    let number = state.generations[generation as usize].cycle;
    let cycle = number.and_then(|number| state.cycles.get(number.checked_sub(1)? as usize));
    cycle.ok_or_else(|| Error::Ship(format!("generation {generation} was not trained in this run")))
}

/// Returns the lines that are added to the metadata of the network.
fn metadata(cycle: &Cycle, generation: u64, result: &MatchResult) -> String {
    let mut lines = vec![format!("bred: generation {generation}, {}", cycle.summary())];
    let text = format!("fresh match at {}: {}", result.limit, result.elo());
    let books = result.books.iter();
    let books: Vec<String> =
        books.map(|book| format!("{} {}", book.name(), elo(&book.pairs))).collect();
    lines.push(format!("{text} ({})", books.join("; ")));
    lines.join("\n")
}

/// Returns the bytes of the network file with more metadata.
fn with_facts(network: &Quantised, facts: &Facts) -> Result<Vec<u8>, Error> {
    let metadata = format!("{}\n{}", network.0.metadata.trim_end(), facts.metadata);
    Ok(network.to_bytes(&metadata)?)
}

/// Records the signature of the engine with its new network.
fn record_signature(target: &Target) -> Result<Vec<String>, Error> {
    if !target.bench {
        return Ok(vec!["next: make bench-record".to_owned()]);
    }
    let mut command = Command::new("make");
    command.arg("-C").arg(&target.tree).arg("bench-record");
    let output = terminal::with_bar(1, "engines built", false, |_| command.output());
    let failed = |problem: String| {
        Error::Ship(format!("the network is in its place, but make bench-record failed: {problem}"))
    };
    let output = output.map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(failed(errors.lines().last().unwrap_or_default().to_owned()));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let bench = text.lines().rev().find(|line| line.starts_with("Bench: "));
    let path: &Path = &target.tree.join(".bench");
    Ok(vec![format!("{}: {}", path.display(), bench.unwrap_or("recorded"))])
}
