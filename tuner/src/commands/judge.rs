//! `judge`: judges networks by labelled positions.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use nullarbor::eval::nnue::Network;
use nullarbor::eval::nnue::format::{FormatError, NetworkFile, checksum};
use nullarbor_report::html::Head;
use nullarbor_report::terminal;
use nullarbor_runs::Stop;
use nullarbor_runs::files::{FileError, replace};
use nullarbor_runs::paths::{Named, check_outputs};
use nullarbor_train::trainer::judge::report::{self, Judged};
use nullarbor_train::trainer::judge::{Changes, Figures, JudgeSet};
use nullarbor_train::trainer::quantise::Quantised;
use nullarbor_train::trainer::{self, TrainError};

use super::CommandResult;

/// The name of the network of this build.
const BUILT_IN: &str = "built-in";

/// Judge networks on positions labelled by a stronger engine or by deep searches.
///
/// A set is a folder with one or more of three files: met.tsv (positions from games against other engines), neutral.tsv
/// (positions that do not depend on anyone's mistakes) and siblings.tsv (groups of positions after different moves). A
/// network is better if met or neutral falls and order does not, or the other way round. Of several networks, each is also
/// compared with the first, which tells relatives apart. Never train on a set.
#[derive(Args)]
#[command(after_long_help = "Examples:
  nullarbor-tuner judge --set sets/judge
  nullarbor-tuner judge built-in net.nnue gen4.nnue --set sets/judge --page judge.html
  nullarbor-tuner label games.pgn --out own/met.tsv --nodes 100000 --quiet-only    # a set of your own

Files of a set: one position per line, columns separated by tabs.
  met.tsv, neutral.tsv   FEN, centipawns for White, source (optional)
  siblings.tsv           group, FEN, centipawns for White")]
pub struct JudgeArgs {
    /// Network files of any shape, or built-in [default: built-in]
    #[arg(value_name = "NET")]
    networks: Vec<PathBuf>,
    /// The folder of the set
    #[arg(long, value_name = "DIR")]
    set: PathBuf,
    /// Write the figures as JSON; `-` prints them to standard output, and nothing else
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a page with tables and plots
    #[arg(long, value_name = "FILE.html")]
    page: Option<PathBuf>,
}

impl JudgeArgs {
    /// Judges the networks, prints the figures and writes the files.
    ///
    /// # Errors
    /// If a network or the set cannot be read, a file cannot be written, or the user interrupts it.
    pub fn run(&self, stop: &Stop) -> CommandResult {
        let to_stdout = self.json.as_deref() == Some(Path::new("-"));
        let json = self.json.as_deref().filter(|_| !to_stdout);
        let outputs =
            [Named::optional("--json", json), Named::optional("--page", self.page.as_deref())];
        let outputs: Vec<Named> = outputs.into_iter().flatten().collect();
        let networks = self.networks.iter().map(|path| Named::new("a network", path));
        let inputs: Vec<Named> = networks.chain([Named::new("--set", &self.set)]).collect();
        check_outputs(&outputs, &inputs)?;
        let set = JudgeSet::open(&self.set)?;
        let built_in = [PathBuf::from(BUILT_IN)];
        let paths = if self.networks.is_empty() { &built_in[..] } else { &self.networks };
        let mut judged = Vec::new();
        let networks = read_all(paths)?;
        for (path, (fingerprint, network)) in paths.iter().zip(&networks) {
            stop.check()?;
            let base = networks.first().filter(|_| !judged.is_empty());
            let changes = base.map(|(_, base)| {
                [&set.met, &set.neutral].map(|it| Changes::of(base, network, it)).to_vec()
            });
            judged.push(Judged {
                network: path.display().to_string(),
                fingerprint: Some(format!("{fingerprint:08x}")),
                figures: Figures::of(network, &set),
                changes: changes.unwrap_or_default(),
            });
        }
        let text = serde_json::to_string_pretty(&judged)? + "\n";
        json.map_or(Ok(()), |path| replace(path, |file| file.write_all(text.as_bytes())))?;
        if let Some(path) = &self.page {
            let title = format!("Networks judged by {}", self.set.display());
            let head = Head { title, facts: vec![set.describe()], refresh: None };
            let page = report::page(&head, &judged);
            replace(path, |file| file.write_all(page.as_bytes()))?;
        }
        if to_stdout {
            terminal::print(&text);
            return Ok(());
        }
        terminal::line(&format!("{}: {}", self.set.display(), set.describe()));
        terminal::table(&report::summary(&judged));
        report::changes(&judged).iter().for_each(terminal::table);
        report::details(&judged).iter().for_each(terminal::table);
        self.page.iter().for_each(|page| terminal::line(&page.display().to_string()));
        Ok(())
    }
}

/// Reads all networks before the first is judged.
fn read_all(paths: &[PathBuf]) -> Result<Vec<(u32, Quantised)>, TrainError> {
    paths.iter().map(|path| read(path)).collect()
}

fn read(path: &Path) -> Result<(u32, Quantised), TrainError> {
    if path != Path::new(BUILT_IN) {
        return trainer::read_network(path);
    }
    let bytes = Network::embedded_file();
    let network = NetworkFile::parse(bytes).map_err(FileError::at::<FormatError>(path))?;
    Ok((checksum(bytes), Quantised(network)))
}
