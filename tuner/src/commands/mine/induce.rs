//! `mine induce`.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use nullarbor::search::null_move::{self, Feature, Rule};

use super::{MineError, signed};
use nullarbor_games::scheme::Scheme;
use nullarbor_lab::mine::attempts::Endings;
use nullarbor_lab::mine::induce::{self, Balance, GENERAL, Lessons, induce};
use nullarbor_lab::mine::{file, tree_svg};
use nullarbor_report::table::Table;
use nullarbor_report::terminal;

/// Learn from a log when to pass: a decision tree of bounded depth that saves as many nodes as it can.
///
/// It learns from every other attempt whose worth is known (cut-offs that were searched on, and null searches in vain) and
/// says what the rule does on the rest. The rule is printed, drawn, and written as a scheme that the engine plays with.
#[derive(Args)]
#[command(after_long_help = "Examples:
  nullarbor-tuner mine induce attempts.parquet --out mined
  nullarbor-tuner match --engine self,NullMove=mined/rule.toml --engine self --nodes 5000 --sprt=-10,0")]
pub struct InduceArgs {
    /// A log whose cut-offs were searched on (`mine log --probe`)
    log: PathBuf,
    /// The scheme whose trigger the rule replaces
    #[arg(long, default_value = "nullarbor", value_parser = preset)]
    preset: String,
    /// Questions in a row at most
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=Rule::MAX_DEPTH as u64))]
    depth: u64,
    /// What the rule may ask [default: what means the same in any position]
    #[arg(long, value_delimiter = ',', value_parser = feature)]
    features: Vec<Feature>,
    /// Attempts to learn from at most
    #[arg(long, default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(100..=10_000_000))]
    rows: u64,
    /// The smallest share of the nodes at stake that an answer may be about
    #[arg(long, value_name = "SHARE", default_value_t = 0.01, value_parser = share)]
    smallest_share: f64,
    /// A folder for rule.toml, rule.svg and rule.txt
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

fn preset(name: &str) -> Result<String, String> {
    let known: Result<null_move::Scheme, _> = name.parse();
    known.map(|_| name.to_owned()).map_err(|error| error.to_string())
}

fn feature(name: &str) -> Result<Feature, String> {
    name.parse().map_err(|error: null_move::UnknownName| error.to_string())
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share: &f64| (0.0..=0.5).contains(share));
    share.ok_or_else(|| format!("`{text}` is no share from 0 to 0.5"))
}

impl InduceArgs {
    /// Learns, prints, draws and writes.
    ///
    /// # Errors
    /// Where the log cannot be read or teaches nothing, or the files cannot be written.
    pub fn run(&self) -> Result<(), MineError> {
        let features =
            if self.features.is_empty() { GENERAL.to_vec() } else { self.features.clone() };
        let mut columns: Vec<String> = Endings::COLUMNS.map(str::to_owned).to_vec();
        columns.extend(features.iter().map(|feature| feature.name().to_owned()));
        columns.sort_unstable();
        columns.dedup();
        let attempts = file::read(&self.log, &columns)?;
        let lessons = Lessons {
            features,
            depth: self.depth as usize,
            rows: self.rows as usize,
            smallest_share: self.smallest_share,
        };
        let learnt = induce(&attempts, &lessons)?;
        let readable = induce::readable(&learnt.tree);
        let failed = |path: &Path, source| MineError::File { path: path.to_owned(), source };
        fs::create_dir_all(&self.out).map_err(|source| failed(&self.out, source))?;
        let write = |name: &str, content: &str| {
            let path = self.out.join(name);
            fs::write(&path, content).map_err(|source| failed(&path, source))
        };
        write("rule.txt", &readable)?;
        write("rule.svg", &tree_svg::svg(&learnt.tree))?;
        let rule = self.out.join("rule.toml");
        Scheme::write_rule(&rule, &self.preset, &learnt.tree)?;
        terminal::line(&readable);
        terminal::table(&balances(&[
            ("the rule", learnt.rule),
            ("pass always", learnt.always),
            ("pass where it pays (hindsight)", learnt.best),
        ]));
        terminal::line(&rule.display().to_string());
        Ok(())
    }
}

fn balances(all: &[(&str, Balance)]) -> Table {
    let row = |(name, balance): &(&str, Balance)| {
        vec![
            (*name).to_owned(),
            format!("{:.1}", 100.0 * balance.made / balance.all.max(1.0)),
            signed(balance.gained),
        ]
    };
    Table {
        title: "On attempts that it was not learnt from".to_owned(),
        head: ["", "tried %", "nodes gained"].map(str::to_owned).to_vec(),
        rows: all.iter().map(row).collect(),
    }
}
