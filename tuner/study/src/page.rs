//! The document as one HTML page, for print.

use std::fs;
use std::path::Path;

use maud::{DOCTYPE, PreEscaped, html};
use nullarbor_runs::files::FileError;
use pulldown_cmark::{Alignment, Event, Options, Parser, Tag, TagEnd};

/// Wide tables are set small, and no row, figure or program is broken.
const STYLE: &str = "
@page { size: A4; margin: 18mm 15mm; }
body { font: 10pt/1.4 Georgia, serif; max-width: 60rem; margin: auto; padding: 1rem; }
h1, h2, h3 { break-after: avoid; } h2 { margin-top: 2em; }
table { border-collapse: collapse; font-size: 7.5pt; margin: 1em 0; }
th, td { border-bottom: .5pt solid #999; padding: .15em .4em; text-align: left; vertical-align: top; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
tr, figure, pre { break-inside: avoid; }
pre { font-size: 7.5pt; white-space: pre-wrap; } code { overflow-wrap: anywhere; }
figure { margin: 1em 0; } figure svg { max-width: 100%; height: auto; }
@media print { body { max-width: none; padding: 0; } a { color: inherit; text-decoration: none; } }
";

/// Returns a document in Markdown as a page that holds its figures.
///
/// # Errors
/// If the document or a figure cannot be read.
pub fn page(path: &Path) -> Result<String, FileError> {
    let text = fs::read_to_string(path).map_err(FileError::at(path))?;
    let title = text.lines().next().unwrap_or_default().trim_start_matches(['#', ' ']);
    let mut body = Body::default();
    for event in Parser::new_ext(&text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Image { dest_url, .. }) => {
                let figure = path.with_file_name(&*dest_url);
                let svg = fs::read_to_string(&figure).map_err(FileError::at(&figure))?;
                body.html += &format!("<figure>{svg}</figure>");
                body.is_in_image = true;
            }
            event => body.add(event),
        }
    }
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { (PreEscaped(&body.html)) }
        }
    };
    Ok(page.into_string())
}

/// The page so far.
#[derive(Default)]
struct Body {
    html: String,
    /// Begin and text of the heading that is being read.
    heading: Option<(usize, String)>,
    alignments: Vec<Alignment>,
    column: usize,
    is_in_head: bool,
    /// The text of an image is not shown beside it.
    is_in_image: bool,
}

impl Body {
    fn add(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.begin(tag),
            Event::End(tag) => self.end(tag),
            _ if self.is_in_image => {}
            Event::Text(text) => {
                self.say(&text);
                self.html += &html! { (&*text) }.into_string();
            }
            Event::Code(text) => {
                self.say(&text);
                self.html += &html! { code { (&*text) } }.into_string();
            }
            Event::SoftBreak => self.html.push('\n'),
            Event::HardBreak => self.html += "<br>",
            // The markers are comments.
            _ => {}
        }
    }

    fn say(&mut self, text: &str) {
        self.heading.iter_mut().for_each(|(_, heading)| heading.push_str(text));
    }

    fn begin(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.html += "<p>",
            Tag::Heading { .. } => self.heading = Some((self.html.len(), String::new())),
            Tag::CodeBlock(_) => self.html += "<pre>",
            Tag::List(_) => self.html += "<ul>",
            Tag::Item => self.html += "<li>",
            Tag::Emphasis => self.html += "<em>",
            Tag::Strong => self.html += "<strong>",
            Tag::Link { dest_url, .. } => {
                let link = html! { a href=(&*dest_url) {} }.into_string();
                self.html += link.trim_end_matches("</a>");
            }
            Tag::Table(alignments) => {
                self.alignments = alignments;
                self.html += "<table>";
            }
            Tag::TableHead | Tag::TableRow => {
                self.is_in_head = tag == Tag::TableHead;
                self.column = 0;
                self.html += if self.is_in_head { "<thead><tr>" } else { "<tr>" };
            }
            Tag::TableCell => {
                let is_number = self.alignments.get(self.column) == Some(&Alignment::Right);
                let class = if is_number { " class=\"number\"" } else { "" };
                self.html += &format!("<{}{class}>", self.cell());
                self.column += 1;
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        let cell = self.cell();
        match tag {
            TagEnd::Paragraph => self.html += "</p>\n",
            TagEnd::Heading(level) => {
                let (at, text) = self.heading.take().unwrap_or_default();
                self.html.insert_str(at, &format!("<{level} id=\"{}\">", anchor(&text)));
                self.html += &format!("</{level}>\n");
            }
            TagEnd::CodeBlock => self.html += "</pre>\n",
            TagEnd::List(_) => self.html += "</ul>\n",
            TagEnd::Item => self.html += "</li>\n",
            TagEnd::Emphasis => self.html += "</em>",
            TagEnd::Strong => self.html += "</strong>",
            TagEnd::Link => self.html += "</a>",
            TagEnd::Image => self.is_in_image = false,
            TagEnd::Table => self.html += "</tbody></table>\n",
            TagEnd::TableHead => self.html += "</tr></thead><tbody>\n",
            TagEnd::TableRow => self.html += "</tr>\n",
            TagEnd::TableCell => self.html += &format!("</{cell}>"),
            _ => {}
        }
    }

    fn cell(&self) -> &'static str {
        if self.is_in_head { "th" } else { "td" }
    }
}

/// Returns the name that hosts of repositories give a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|it| it.is_alphanumeric() || " -_".contains(*it));
    kept.flat_map(char::to_lowercase).map(|it| if it == ' ' { '-' } else { it }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_becomes_a_page() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("d.md");
        let text = "# A & B\n\n<!-- study x -->\n\n| one | two |\n|---|---:|\n| `<` | 2 |\n\n## On *R*: 3\n\n[there](#on-r-3)\n\n![x](x.svg)\n";
        fs::write(&path, text).expect("room");
        assert!(page(&path).expect_err("no figure").to_string().contains("x.svg"));
        fs::write(folder.path().join("x.svg"), "<svg></svg>").expect("room");
        let page = page(&path).expect("a page");
        for part in [
            "<title>A &amp; B</title>",
            "<h1 id=\"a--b\">A &amp; B</h1>",
            "<thead><tr><th>one</th><th class=\"number\">two</th></tr></thead>",
            "<tr><td><code>&lt;</code></td><td class=\"number\">2</td></tr>",
            "<h2 id=\"on-r-3\">On <em>R</em>: 3</h2>",
            "<a href=\"#on-r-3\">there</a>",
            "<figure><svg></svg></figure>",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(!page.contains("study x"), "{page}");
    }
}
