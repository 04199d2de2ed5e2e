//! Text tables: cells in aligned columns, under a title.

use comfy_table::{CellAlignment, Table as Layout, presets};
use indicatif::HumanCount;

/// A table with a title. The first cell of each row is a name; the others are values.
///
/// ```
/// use nullarbor_report::table::Table;
///
/// let table = Table::new("Nodes", ["scheme", "depth 8"], [["off", "1,200"], ["verified", "340"]]);
/// assert_eq!(table.text(), "Nodes\nscheme    depth 8\noff         1,200\nverified      340\n");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Title of the table.
    pub title: String,
    /// The heads of the columns.
    pub head: Vec<String>,
    /// The rows, each with a cell for every column.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// Returns a table of anything that can be displayed.
    pub fn new<Cell: ToString, Row: IntoIterator<Item = Cell>>(
        title: &str,
        head: impl IntoIterator<Item = &'static str>,
        rows: impl IntoIterator<Item = Row>,
    ) -> Self {
        let cells = |row: Row| row.into_iter().map(|cell| cell.to_string()).collect();
        Self {
            title: title.to_owned(),
            head: head.into_iter().map(str::to_owned).collect(),
            rows: rows.into_iter().map(cells).collect(),
        }
    }

    /// Returns the title, the head and the rows as lines of text.
    pub fn text(&self) -> String {
        let rows: Vec<_> = std::iter::once(&self.head).chain(&self.rows).cloned().collect();
        format!("{}\n{}", self.title, align(&rows))
    }
}

/// Lays out rows in columns: the first flush left, all others flush right, two spaces between them.
pub fn align(rows: &[Vec<String>]) -> String {
    let mut layout = Layout::new();
    layout.load_style(presets::NOTHING).add_rows(rows);
    for (number, column) in layout.column_iter_mut().enumerate() {
        let (gap, alignment) =
            if number == 0 { (0, CellAlignment::Left) } else { (2, CellAlignment::Right) };
        column.set_padding((gap, 0)).set_cell_alignment(alignment);
    }
    layout.trim_fmt() + "\n"
}

/// Returns a number with its digits in groups of three.
pub fn grouped(number: u64) -> String {
    HumanCount(number).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let rows = [["Engine", "Elo"], ["±", "-12.5"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(align(&rows), "Engine    Elo\n±       -12.5\n");
    }

    #[test]
    fn empty_tables_have_a_layout() {
        assert_eq!(align(&[]).trim(), "");
        assert_eq!(align(&[vec![]]).trim(), "");
        assert_eq!(Table::default().text().trim(), "");
    }

    #[test]
    fn cells_are_never_wrapped() {
        let rows = [vec!["a".to_owned(), "word ".repeat(60).trim_end().to_owned()]];
        assert_eq!(align(&rows).lines().count(), 1);
    }

    #[test]
    fn digits_are_grouped() {
        let all = [0, 999, 1000, 1_234_567].map(grouped);
        assert_eq!(all, ["0", "999", "1,000", "1,234,567"]);
    }
}
