//! HTML pages of one file that works offline: sections under a head.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::plot;
use crate::section::{self, Frame, Section};

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

/// The signature of `bench` that is recorded for this revision, the sum of the nodes of fixed searches: it identifies the search
/// and its network.
pub const SIGNATURE: &str = include_str!("../../../.bench").trim_ascii();

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
                style { (PreEscaped(section::STYLE)) (PreEscaped(STYLE)) }
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

const STYLE: &str = "
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 80rem; padding: 1rem 1.5rem; }
h1 { font-size: 1.7rem; overflow-wrap: anywhere; } h2 { font-size: 1.35rem; margin-top: 2.5rem; }
.fact { font-size: .95rem; } .option { white-space: nowrap; } footer { color: var(--soft); margin-top: 3rem; font-size: .9rem; }
th { cursor: pointer; }
@media (max-width: 34rem) { body { padding: .5rem .8rem; } }
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
    use crate::plot::Chart;
    use crate::table::Table;

    fn section(name: &'static str) -> Section {
        let row = vec![name.to_owned()];
        Section::new(name)
            .figures([("a", name.to_owned())])
            .text(name)
            .warnings([name.to_owned()])
            .glossary(name, vec![(name, name)])
            .output(name, name)
            .tables([Table { title: name.to_owned(), head: row.clone(), rows: vec![row] }])
    }

    fn page(section: Section) -> String {
        let name = "<script>".to_owned();
        let head = Head { title: name.clone(), facts: vec![name], refresh: None };
        super::page(&head, &[section])
    }

    #[test]
    fn text_is_escaped() {
        let plain = page(section("<script>"));
        assert_eq!(plain.matches("<script>").count(), 1, "the sorting of tables: {plain}");
        let name = "</script><script>";
        let html = page(
            section("<script>").charts([Chart::new(name, name, name)
                .line(name, [(0.0, 1.0), (1.0, 2.0)])
                .bars(name, [(name.to_owned(), 1.0)])]),
        );
        assert_eq!(html.matches("<script>").count(), 1, "{html}");
    }

    #[test]
    fn nothing_comes_from_elsewhere() {
        let chart = Chart::new("t", "x", "y").line("l", [(0.0, 1.0), (1.0, 3.0)]);
        let html = page(section("<script>").charts([chart]));
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
        let html = page(section("<script>"));
        assert!(html.contains(concat!("Nullarbor ", env!("CARGO_PKG_VERSION"))));
        assert!(html.contains(SIGNATURE) && !html.contains("refresh"));
    }
}
