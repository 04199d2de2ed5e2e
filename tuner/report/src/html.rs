//! HTML pages of one file that works offline: text, tables and charts under a head.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::plot::{self, Chart};
use crate::section::{self, Frame, Section};
use crate::table::Table;

/// The head of a page.
#[derive(Clone, Debug, Default)]
pub struct Head {
    /// The title.
    pub title: String,
    /// Facts about the run and its configuration, a line each.
    pub facts: Vec<String>,
    /// Seconds after which a browser loads the page again.
    pub refresh: Option<u64>,
}

/// A page that is put together from top to bottom.
///
/// ```
/// use nullarbor_report::html::{Head, Page};
/// use nullarbor_report::plot::Chart;
/// use nullarbor_report::table::Table;
///
/// let head = Head { title: "Loss".to_owned(), ..Head::default() };
/// let mut page = Page::new(&head);
/// page.heading("Epochs");
/// page.charts(&[Chart::new("Loss", "epoch", "loss").line("training", [(1.0, 0.06), (2.0, 0.05)])]);
/// page.table(&Table::new("By epoch", ["epoch", "loss"], [["1", "0.06"], ["2", "0.05"]]));
/// assert!(page.html().starts_with("<!DOCTYPE html>"));
/// ```
#[derive(Clone, Debug)]
pub struct Page {
    head: Head,
    body: Vec<Markup>,
}

/// Columns with longer cells are text to be read, not values to be compared.
const LONGEST_VALUE: usize = 18;

/// The signature of `bench` that is recorded for this revision, the sum of the nodes of fixed searches: it identifies the search
/// and its network.
pub const SIGNATURE: &str = include_str!("../../../.bench").trim_ascii();

impl Page {
    /// Returns a page without a body.
    pub fn new(head: &Head) -> Self {
        Self { head: head.clone(), body: Vec::new() }
    }

    /// Adds the heading of a section.
    pub fn heading(&mut self, title: &str) {
        self.body.push(html! { h2 { (title) } });
    }

    /// Adds a paragraph.
    pub fn text(&mut self, text: &str) {
        self.body.push(html! { p { (text) } });
    }

    /// Adds a list.
    pub fn list<'a>(&mut self, items: impl IntoIterator<Item = &'a str>) {
        self.body.push(html! { ul { @for item in items { li { (item) } } } });
    }

    /// Adds explanations of terms, folded away under a title.
    pub fn glossary<'a>(
        &mut self,
        title: &str,
        terms: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) {
        let terms =
            html! { dl { @for (term, meaning) in terms { dt { (term) } dd { (meaning) } } } };
        self.body.push(html! { details { summary { (title) } (terms) } });
    }

    /// Adds the output of a program as it is.
    pub fn output(&mut self, title: &str, text: &str) {
        self.body.push(html! { h3 { (title) } pre { (text) } });
    }

    /// Adds a table. A click on the head of a column sorts by it.
    pub fn table(&mut self, table: &Table) {
        let is_text = |column: usize| {
            table.rows.iter().any(|row| row[column].chars().count() > LONGEST_VALUE)
        };
        let texts: Vec<bool> = (0..table.head.len()).map(is_text).collect();
        self.body.push(html! {
            @if !table.title.is_empty() { h3 { (table.title) } }
            div.scroll { table {
                thead { tr { @for (cell, text) in table.head.iter().zip(&texts) { th class=[text.then_some("text")] { (cell) } } } }
                tbody { @for row in &table.rows {
                    "\n" tr { @for (cell, text) in row.iter().zip(&texts) { td class=[text.then_some("text")] { (cell) } } }
                } }
            } }
        });
    }

    /// Adds charts, side by side where there is room; those without anything to show are left out.
    pub fn charts(&mut self, charts: &[Chart]) {
        let figures = charts.iter().map(plot::figure);
        self.body.push(html! { div.charts { @for figure in figures { (figure) "\n" } } });
    }

    /// Adds pictures side by side, each with lines of text below it. `svg` is markup that was made here.
    pub fn pictures<'a>(
        &mut self,
        title: &str,
        pictures: impl IntoIterator<Item = (String, &'a [String])>,
    ) {
        let figure = |(svg, lines): (String, &[String])| html! { figure.picture { (PreEscaped(svg)) @for line in lines { p { (line) } } } };
        let figures: Vec<Markup> = pictures.into_iter().map(figure).collect();
        self.body.push(
            html! { h3 { (title) } div.pictures { @for figure in figures { (figure) "\n" } } },
        );
    }

    /// Returns the whole page.
    pub fn html(&self) -> String {
        let Head { title, facts, refresh } = &self.head;
        let version = env!("CARGO_PKG_VERSION");
        let markup = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(POLICY);
                    @if let Some(seconds) = refresh { meta http-equiv="refresh" content=(seconds); }
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (title) }
                    link rel="icon" href="data:,";
                    style { (PreEscaped(STYLE)) (PreEscaped(plot::STYLE)) }
                }
                body {
                    h1 { (title) }
                    @for line in facts { p.fact { (fact(line)) } }
                    @for part in &self.body { (part) "\n" }
                    footer { "Nullarbor " (version) ", bench signature " (SIGNATURE) }
                    script { (PreEscaped(SORT)) (PreEscaped(plot::SCRIPT)) }
                }
            }
        };
        markup.into_string()
    }
}

/// Returns a page: a head, and the sections of a run below it.
pub fn page(head: &Head, sections: &[Section]) -> String {
    let Head { title, facts, refresh } = head;
    let version = env!("CARGO_PKG_VERSION");
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                @if let Some(seconds) = refresh { meta http-equiv="refresh" content=(seconds); }
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                link rel="icon" href="data:,";
                style { (PreEscaped(section::STYLE)) (PreEscaped(FRAME)) }
            }
            body {
                h1 { (title) }
                @for line in facts { p.fact { (fact(line)) } }
                @for section in sections { (section.markup(Frame::Page)) }
                footer { "Nullarbor " (version) ", bench signature " (SIGNATURE) }
                script { (PreEscaped(SORT)) (PreEscaped(plot::SCRIPT)) }
            }
        }
    };
    markup.into_string()
}

/// Returns a fact, in which no option of a command line is broken.
fn fact(text: &str) -> Markup {
    html! { @for word in text.split_inclusive(' ') {
        @if word.starts_with('-') { span.option { (word.trim_end()) } " " } @else { (word) }
    } }
}

/// A browser loads nothing from elsewhere for a page under this policy, whatever stands in it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:";

const FRAME: &str = "
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 80rem; padding: 1rem 1.5rem; }
h1 { font-size: 1.7rem; overflow-wrap: anywhere; } h2 { font-size: 1.35rem; margin-top: 2.5rem; }
.fact { font-size: .95rem; } .option { white-space: nowrap; } footer { color: var(--soft); margin-top: 3rem; font-size: .9rem; }
th { cursor: pointer; }
@media (max-width: 34rem) { body { padding: .5rem .8rem; } }
";

const STYLE: &str = "
:root { color-scheme: light dark; --ink: #1d2421; --soft: #5d6964; --line: #dce1de; --accent: #a4481f; --c0: #33669b; --c1: #c63f52; --c2: #1f7a2e; --c3: #8f7408; --c4: #2183a8; --c5: #8f2a68; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e9e6; --soft: #9aa6a0; --line: #323a36; --accent: #e8945f; --c0: #7fb0e2; --c1: #f28594; --c2: #6cc47a; --c3: #d9bd4f; --c4: #79cdec; --c5: #d98cba; }
}
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 80rem; padding: 1rem 1.5rem; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.35rem; margin-top: 2.5rem; } h3 { font-size: 1.05rem; margin: 1.5rem 0 .4rem; }
p { margin: .4rem 0; max-width: 60rem; overflow-wrap: anywhere; }
.fact { font-size: .95rem; } .option { white-space: nowrap; } footer { color: var(--soft); margin-top: 3rem; font-size: .9rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(30rem, 100%), 1fr)); gap: 1.5rem; }
.pictures { display: flex; flex-wrap: wrap; gap: 1.5rem; } .picture { max-width: 20rem; } .picture p { font-size: .85rem; }
.picture svg { max-width: 100%; height: auto; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .8rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th { cursor: pointer; white-space: nowrap; } th:first-child, td:first-child { text-align: left; }
td.text, th.text { text-align: left; } td.text { white-space: normal; overflow-wrap: anywhere; min-width: 12rem; }
pre { overflow-x: auto; padding: .6rem .8rem; border: 1px solid var(--line); }
summary { cursor: pointer; margin: .8rem 0; } dt { font-weight: 600; } dd { margin: 0 0 .4rem 1.5rem; }
";

/// Sorts a table by the column whose head is clicked, upwards and downwards in turn.
const SORT: &str = "
for (const head of document.querySelectorAll('th')) head.onclick = () => {
  const body = head.closest('table').tBodies[0], number = head.cellIndex;
  const up = head.dataset.up = head.dataset.up === '1' ? '0' : '1';
  const key = row => row.cells[number].textContent.replace(/,/g, '');
  const order = (a, b) => key(a) - key(b) || key(a).localeCompare(key(b), undefined, { numeric: true });
  body.append(...[...body.rows].sort((a, b) => up === '1' ? order(a, b) : order(b, a)));
};
";

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> Page {
        let name = "<script>".to_owned();
        let head = Head { title: name.clone(), facts: vec![name.clone()], refresh: None };
        let mut page = Page::new(&head);
        page.heading(&name);
        page.text(&name);
        page.list([name.as_str()]);
        page.glossary(&name, [(name.as_str(), name.as_str())]);
        page.output(&name, &name);
        page.table(&Table {
            title: name.clone(),
            head: vec![name.clone()],
            rows: vec![vec![name.clone()]],
        });
        page
    }

    #[test]
    fn text_is_escaped() {
        let mut page = page();
        let plain = page.html();
        assert_eq!(plain.matches("<script>").count(), 1, "the sorting of tables: {plain}");
        let name = "</script><script>";
        page.charts(&[Chart::new(name, name, name)
            .line(name, [(0.0, 1.0), (1.0, 2.0)])
            .bars(name, [(name.to_owned(), 1.0)])]);
        let html = page.html();
        assert_eq!(html.matches("<script>").count(), 1, "{html}");
    }

    #[test]
    fn nothing_comes_from_elsewhere() {
        let mut page = page();
        page.charts(&[Chart::new("t", "x", "y").line("l", [(0.0, 1.0), (1.0, 3.0)])]);
        let html = page.html();
        assert!(html.contains("default-src 'none'") && html.contains("data-values"));
        for foreign in ["http://", "https://", " src=", "@import", "url("] {
            assert!(!html.contains(foreign), "{foreign}: {html}");
        }
        assert!(html.len() < 20_000, "{} bytes", html.len());
    }

    #[test]
    fn options_are_not_broken() {
        let text = fact("Command: lab --out x --quiet").into_string();
        assert!(text.starts_with("Command: lab <span"), "{text}");
        assert!(text.contains(">--out</span> x <span"), "{text}");
    }

    #[test]
    fn every_page_says_what_made_it() {
        let html = page().html();
        assert!(html.contains(concat!("Nullarbor ", env!("CARGO_PKG_VERSION"))));
        assert!(html.contains(SIGNATURE) && !html.contains("refresh"));
    }
}
