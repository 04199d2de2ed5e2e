//! The accepted network into a source tree.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use nullarbor::eval::nnue::format::NetworkFile;
use nullarbor_games::limit::Limit;
use nullarbor_report::terminal;
use nullarbor_runs::files::{FileError, replace};
use nullarbor_train::trainer::quantise::Quantised;

use crate::config::Part;
use crate::error::Error;
use crate::event::{MatchResult, NetworkId, elo};
use crate::gates::Undecided;
use crate::generations::{self, Facts};
use crate::run::BreedRun;
use crate::state::Cycle;
use crate::steps::{NetworkMatch, Use, read, read_named, seed};

/// The destination of the network.
#[derive(Clone, Debug)]
pub struct Target {
    /// The source tree.
    pub tree: PathBuf,
    /// True if the signature is recorded.
    pub bench: bool,
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
    let facts = facts(run, generation, &result)?;
    let bytes = with_facts(&network, &facts)?;
    // The network last: while it is not there, the command can be repeated.
    let recorded = generations::append(&target.generations(), &facts)?;
    let has_tables = target.tables().exists();
    if has_tables {
        generations::tabulate(&target.tables(), &recorded)?;
    }
    replace(&target.network(), |file| file.write_all(&bytes))?;
    run.record_shipped(generation, result)?;
    let mut lines = vec![
        format!("{}: generation {generation} of the run", target.network().display()),
        format!("{}: generation {}", target.generations().display(), recorded.generation),
    ];
    if has_tables {
        lines.push(format!("{}: rows in both tables", target.tables().display()));
    }
    lines.extend(record_signature(target)?);
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
    let cycle = state.generations[generation as usize]
        .cycle
        .and_then(|cycle| state.cycles.get(cycle.checked_sub(1)? as usize));
    let Some((cycle, trained)) = cycle.and_then(|it| Some((it, it.trained.as_ref()?))) else {
        return Err(Error::Ship(format!("generation {generation} was not trained in this run")));
    };
    let new = cycle.games.as_ref().map_or(0, |games| games.counts.kept);
    let training = &cycle.begun.config.training;
    let (before, shape) =
        (state.generations[cycle.begun.generation as usize].network.shape, trained.network.shape);
    Ok(Facts {
        new,
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
