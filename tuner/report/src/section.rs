//! Sections: what a run shows of itself, apart from the frame around it. A page is a frame around all sections of a run, a card
//! of the dashboard one around its first.

use maud::{Markup, PreEscaped, html};

use crate::plot::{self, Chart};
use crate::table::Table;

/// The style sheet of sections, their charts and their colours.
pub const STYLE: &str = concat!(include_str!("section.css"), include_str!("plot/figure.css"));

/// Columns with longer cells are text to be read, not values to be compared.
const LONGEST_VALUE: usize = 18;
/// Charts that a card shows at once; the others are folded away.
const CHARTS: usize = 6;

/// Names and their values.
pub type Figures = Vec<(&'static str, String)>;

/// The frame around a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// A page of its own, with everything.
    Page,
    /// A card among others: empty columns are left out, and what is long is folded away.
    Card,
}

/// A section that is put together from top to bottom.
///
/// ```
/// use nullarbor_report::plot::Chart;
/// use nullarbor_report::section::{Frame, Section};
/// use nullarbor_report::table::Table;
///
/// let loss = Chart::new("Loss", "epoch", "loss").line("training", [(1.0, 0.06), (2.0, 0.05)]);
/// let section = Section::new("Epochs")
///     .figures([("Loss", "0.05".to_owned())])
///     .charts([loss])
///     .tables([Table::new("By epoch", ["epoch", "loss"], [["1", "0.06"], ["2", "0.05"]])]);
/// assert!(section.markup(Frame::Page).into_string().starts_with("<h2>Epochs</h2>"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    title: String,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Figures(Figures),
    Text(String),
    Warning(String),
    Glossary(&'static str, Vec<(&'static str, &'static str)>),
    Output(String, String),
    Table(Table),
    Charts(Vec<Chart>),
    Pictures(&'static str, Vec<(String, Vec<String>)>),
}

impl Section {
    /// Returns a section without parts. The first one of a run needs no title.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), parts: Vec::new() }
    }

    fn with(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }

    /// Adds names and their values, side by side.
    pub fn figures(self, figures: impl IntoIterator<Item = (&'static str, String)>) -> Self {
        self.with(Part::Figures(figures.into_iter().collect()))
    }

    /// Adds a paragraph.
    pub fn text(self, text: impl Into<String>) -> Self {
        self.with(Part::Text(text.into()))
    }

    /// Adds what went wrong, a line each.
    pub fn warnings(self, warnings: impl IntoIterator<Item = String>) -> Self {
        warnings.into_iter().map(Part::Warning).fold(self, Self::with)
    }

    /// Adds explanations of terms, folded away under a title.
    pub fn glossary(self, title: &'static str, terms: Vec<(&'static str, &'static str)>) -> Self {
        self.with(Part::Glossary(title, terms))
    }

    /// Adds the output of a program as it is.
    pub fn output(self, title: impl Into<String>, text: impl Into<String>) -> Self {
        self.with(Part::Output(title.into(), text.into()))
    }

    /// Adds tables. On a page, a click on the head of a column sorts by it.
    pub fn tables(self, tables: impl IntoIterator<Item = Table>) -> Self {
        tables.into_iter().map(Part::Table).fold(self, Self::with)
    }

    /// Adds charts, side by side where there is room; those without anything to show are left out.
    pub fn charts(mut self, charts: impl IntoIterator<Item = Chart>) -> Self {
        match self.parts.last_mut() {
            Some(Part::Charts(before)) => before.extend(charts),
            _ => self.parts.push(Part::Charts(charts.into_iter().collect())),
        }
        self
    }

    /// Adds pictures side by side, each with lines of text below it. They are SVG that was made here.
    pub fn pictures(self, title: &'static str, pictures: Vec<(String, Vec<String>)>) -> Self {
        self.with(Part::Pictures(title, pictures))
    }

    /// Returns the section as HTML for a frame; nothing if it has no parts, or a card has nothing to show of them.
    pub fn markup(&self, frame: Frame) -> Markup {
        let parts = self.parts.iter().map(|part| part.markup(frame).into_string());
        let parts: Vec<String> =
            parts.filter(|part| frame == Frame::Page || !part.is_empty()).collect();
        html! {
            @if self.title.is_empty() || parts.is_empty() {}
            @else if frame == Frame::Page { h2 { (self.title) } }
            @else { h3 { (self.title) } }
            @for part in &parts { (PreEscaped(part)) "\n" }
        }
    }
}

impl Part {
    fn markup(&self, frame: Frame) -> Markup {
        match self {
            Self::Figures(figures) => html! {
                dl.figures { @for (name, value) in figures { div { dt { (name) } dd { (value) } } } }
            },
            Self::Text(text) => html! { p { (text) } },
            Self::Warning(line) => html! { p.warning { (line) } },
            Self::Glossary(title, terms) => html! { details {
                summary { (title) }
                dl { @for (term, meaning) in terms { dt { (term) } dd { (meaning) } } }
            } },
            Self::Output(title, text) => html! {
                details open[frame == Frame::Page] { summary { (title) } pre { (text) } }
            },
            Self::Table(table) => table_markup(table, frame),
            Self::Charts(charts) => charts_markup(charts, frame),
            Self::Pictures(title, pictures) => html! {
                h3 { (title) }
                div.pictures { @for (svg, lines) in pictures {
                    figure.picture { (PreEscaped(svg)) @for line in lines { p { (line) } } } "\n"
                } }
            },
        }
    }
}

fn table_markup(table: &Table, frame: Frame) -> Markup {
    let cells = |column: usize| table.rows.iter().filter_map(move |row| row.get(column));
    let is_shown = |&column: &usize| {
        frame == Frame::Page
            || cells(column).any(|cell| !matches!(cell.as_str(), "" | "-" | "–" | "—"))
    };
    let shown = (0..table.head.len()).filter(is_shown).map(|column| {
        let is_text = cells(column).any(|cell| cell.chars().count() > LONGEST_VALUE);
        (column, is_text.then_some("text"))
    });
    let shown: Vec<(usize, Option<&str>)> = shown.collect();
    html! { @if !shown.is_empty() {
        @if !table.title.is_empty() { h3 { (table.title) } }
        div.scroll { table {
            thead { tr { @for &(column, class) in &shown { th class=[class] { (table.head[column]) } } } }
            tbody { @for row in &table.rows { "\n" tr { @for &(column, class) in &shown {
                td class=[class] { (row.get(column).map_or("", String::as_str)) }
            } } } }
        } }
    } }
}

fn charts_markup(charts: &[Chart], frame: Frame) -> Markup {
    let drawn = charts.iter().map(|chart| plot::figure(chart).into_string());
    let drawn: Vec<String> = drawn.filter(|figure| !figure.is_empty()).collect();
    let most = if frame == Frame::Card { CHARTS } else { usize::MAX };
    let (first, rest) = drawn.split_at(drawn.len().min(most));
    let all = |figures: &[String]| html! { div.charts { @for figure in figures { (PreEscaped(figure)) "\n" } } };
    html! {
        @if !first.is_empty() { (all(first)) }
        @if !rest.is_empty() { details { summary { (rest.len()) " more charts" } (all(rest)) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(section: Section) -> [String; 2] {
        [Frame::Page, Frame::Card].map(|frame| section.markup(frame).into_string())
    }

    #[test]
    fn what_is_empty_is_left_out_of_a_card() {
        let head = ["name", "none", "some"];
        let table = Table::new("t", head, [["a", "", "-"], ["b", "-", "3"]]);
        let [page, card] = shown(Section::new("Title").tables([table]));
        assert!(card.contains("some") && !card.contains("none") && page.contains("none"), "{card}");
        let empty = Section::new("Title").tables([Table::new("t", head, [[""; 3]; 0])]);
        let [page, card] = shown(empty.charts([Chart::new("t", "x", "y")]));
        assert_eq!(card, "");
        assert!(page.starts_with("<h2>Title</h2><h3>t</h3>"), "{page}");
    }

    #[test]
    fn a_card_folds_away_what_is_long() {
        let chart = Chart::new("t", "x", "y").line("l", [(0.0, 1.0), (1.0, 2.0)]);
        let section = Section::new("Title").output("Log", "text").charts(vec![chart; 9]);
        let [page, card] = shown(section);
        assert!(page.contains("<details open>") && !page.contains("more charts"), "{page}");
        assert!(card.contains("<details>") && card.contains("3 more charts"), "{card}");
        assert_eq!([&page, &card].map(|html| html.matches("<figure").count()), [9, 9]);
    }
}
