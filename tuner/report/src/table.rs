//! Tables: cells in columns, with a title.

/// A table with a title.
#[derive(Clone, Debug)]
pub struct Table {
    /// What it shows.
    pub title: String,
    /// The heads of the columns.
    pub head: Vec<String>,
    /// The cells; the first of each row is a name.
    pub rows: Vec<Vec<String>>,
}

/// Cells in columns: the first one to the left, all others to the right.
pub fn align(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width =
        |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}

/// Digits in groups of three.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let rows = [["Engine", "Elo"], ["a", "-12.5"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(align(&rows), "Engine    Elo\na       -12.5\n");
    }

    #[test]
    fn numbers_are_grouped() {
        let all = [0, 999, 1000, 1_234_567].map(grouped);
        assert_eq!(all, ["0", "999", "1,000", "1,234,567"]);
    }
}
