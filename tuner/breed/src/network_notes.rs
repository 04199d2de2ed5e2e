//! The tables of generations in NETWORK.md.

use nullarbor_stats::PairCounts;
use nullarbor_train::trainer::model::Shape;

use crate::event::elo;

/// Beginning of the first table: what each generation was trained on.
const TRAINING: &str = "| Generation | Games played by |";
/// Beginning of the second table: the Elo of each generation.
const STRENGTH: &str = "| Generation | 5,000 nodes | 1+0.01 |";
/// The limits of its columns, as matches write them.
const NODES: &str = "5000 nodes";
const CLOCK: &str = "1+0.01";

/// The problem of a text without the tables.
pub const NO_TABLE: &str = "no table of generations was found";

/// The facts that are written about a generation.
#[derive(Clone, Debug)]
pub struct Facts {
    /// New kept positions.
    pub new: u64,
    /// All kept positions it was trained on.
    pub positions: u64,
    /// True if training began with the network of the generation before, instead of random parameters.
    pub fine_tuned: bool,
    /// The shape of the network.
    pub shape: Shape,
    /// The weight of the result.
    pub lambda: f32,
    /// The scale in centipawns.
    pub scale: u32,
    /// The validation loss after the last epoch.
    pub validation_loss: f64,
    /// The results of the fresh match.
    pub nodes: PairCounts,
    /// The limit of the fresh match.
    pub nodes_per_move: String,
    /// The limit and the results on a clock, if there was such a match.
    pub clock: Option<(String, PairCounts)>,
    /// The lines for the network file.
    pub metadata: String,
}

/// The text with a generation more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extended {
    /// The text.
    pub text: String,
    /// The number of the new generation.
    pub generation: u64,
}

/// Adds a row to both tables. Tables that have the rows already, with whatever number, stay as they are: a run that was killed
/// between two files may be repeated.
///
/// # Errors
/// If a table is missing or its last row has no number.
pub fn extended(text: &str, facts: &Facts) -> Result<Extended, &'static str> {
    let last = last_generation(text).ok_or(NO_TABLE)?;
    let repeated = with_generation(text, facts, last)?;
    if repeated.1 {
        return Ok(Extended { text: text.to_owned(), generation: last });
    }
    Ok(Extended { text: with_generation(text, facts, last + 1)?.0, generation: last + 1 })
}

/// Returns the text with a row more in both tables, and whether it had these rows before.
fn with_generation(
    text: &str,
    facts: &Facts,
    generation: u64,
) -> Result<(String, bool), &'static str> {
    let million = |count: u64| format!("{:.1} million", count as f64 / 1e6);
    let before = generation - 1;
    let descent = if facts.fine_tuned {
        format!(", fine-tuned from generation {before}")
    } else {
        String::new()
    };
    let training = format!(
        "| {generation} | generation {before} | {} | a window of {}{descent} | {} | {} | {:.5} (other games, scale {}) |",
        million(facts.new),
        million(facts.positions),
        neurons(facts.shape),
        facts.lambda,
        facts.validation_loss,
        facts.scale,
    );
    let clock = facts.clock.as_ref();
    let clock = clock.map_or_else(String::new, |(limit, pairs)| cell(pairs, limit, CLOCK));
    let nodes = cell(&facts.nodes, &facts.nodes_per_move, NODES);
    let strength = format!("| {generation} | {nodes} | {clock} | |");
    let is_there = |row: &String| text.lines().any(|line| line == row);
    let is_repeated = [&training, &strength].into_iter().all(is_there);
    let text = with_row(text, TRAINING, &training).ok_or(NO_TABLE)?;
    let text = with_row(&text, STRENGTH, &strength).ok_or("no table of Elo was found")?;
    Ok((text, is_repeated))
}

/// Returns the neurons of a shape, and its buckets where there is more than one.
fn neurons(shape: Shape) -> String {
    let buckets = [(shape.king_buckets, "king"), (shape.output_buckets, "output")];
    let several = buckets.into_iter().filter(|&(count, _)| count > 1);
    let several = several.map(|(count, name)| format!(", {count} {name} buckets"));
    [shape.hidden.to_string()].into_iter().chain(several).collect()
}

/// Returns a cell of the second table: the Elo, and the limit where it is not that of the column.
fn cell(pairs: &PairCounts, limit: &str, column: &str) -> String {
    let elo = elo(pairs).replace(" Elo", "");
    if limit == column { elo } else { format!("{elo} at {limit}") }
}

/// Returns the lines of a table: the numbers of the first and behind the last one.
fn table(lines: &[&str], head: &str) -> Option<(usize, usize)> {
    let begin = lines.iter().position(|line| line.starts_with(head))?;
    let rows = lines[begin..].iter().take_while(|line| line.starts_with('|')).count();
    Some((begin, begin + rows))
}

/// Returns the number of the last generation in the tables; `None` without them.
pub fn last_generation(text: &str) -> Option<u64> {
    let lines: Vec<&str> = text.lines().collect();
    let (_, end) = table(&lines, TRAINING)?;
    lines[end - 1].split('|').nth(1)?.trim().parse().ok()
}

/// Adds a row to a table, with as many cells as its head has.
fn with_row(text: &str, head: &str, row: &str) -> Option<String> {
    let mut lines: Vec<&str> = text.lines().collect();
    let (begin, end) = table(&lines, head)?;
    let columns = |line: &str| line.matches('|').count();
    debug_assert_eq!(columns(lines[begin]), columns(row), "{row}");
    lines.insert(end, row);
    Some(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_get_a_row_each_and_nothing_else_changes() {
        let facts = Facts {
            new: 20_000_000,
            positions: 65_300_000,
            fine_tuned: true,
            shape: Shape { hidden: 256, king_buckets: 1, output_buckets: 8 },
            lambda: 0.0,
            scale: 400,
            validation_loss: 0.002_612,
            nodes: PairCounts { dd: 100, wd: 40, ld: 20, ..PairCounts::default() },
            nodes_per_move: "5000 nodes".to_owned(),
            clock: Some(("8+0.08".to_owned(), PairCounts { dd: 10, ..PairCounts::default() })),
            metadata: String::new(),
        };
        let notes = include_str!("../../../engine/NETWORK.md");
        let first = extended(notes, &facts).expect("the tables of this tree");
        let row = |text: &str, part: &str| text.lines().filter(|it| it.contains(part)).count();
        let number = first.generation;
        assert_eq!(
            row(
                &first.text,
                &format!(
                    "| {number} | generation {0} | 20.0 million | a window of 65.3 million, fine-tuned from generation {0} \
                     | 256, 8 output buckets | 0 | 0.00261 (other games, scale 400) |",
                    number - 1
                )
            ),
            1
        );
        let strength =
            format!("| {number} | +21.7 ± 16.2 (320 games) | +0.0 ± 0.0 (20 games) at 8+0.08 | |");
        assert_eq!(row(&first.text, &strength), 1);
        assert_eq!(first.text.lines().count(), notes.lines().count() + 2);
        let kept: Vec<&str> =
            first.text.lines().filter(|it| !it.starts_with(&format!("| {number} |"))).collect();
        assert_eq!(kept, notes.lines().collect::<Vec<_>>());
        assert_eq!(extended(&first.text, &facts).expect("repeated"), first);
        let next = Facts { fine_tuned: false, ..facts.clone() };
        let second = extended(&first.text, &next).expect("again");
        assert_eq!(second.generation, number + 1);
        assert!(extended("# Notes\n", &facts).is_err());
    }
}
