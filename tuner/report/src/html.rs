//! Pages that need nothing else: a frame, tables, and what is drawn as SVG.

/// What stands above everything else.
#[derive(Clone, Debug)]
pub struct Head {
    /// The title.
    pub title: String,
    /// How to make the page again, and other facts, a line each.
    pub facts: Vec<String>,
    /// Load the page again after so many seconds.
    pub refresh: Option<u64>,
}

/// A whole page.
pub fn page(head: &Head, body: &str) -> String {
    let facts: String =
        head.facts.iter().map(|fact| format!("<p>{}</p>\n", escape(fact))).collect();
    let title = escape(&head.title);
    let refresh = head.refresh.map_or(String::new(), |seconds| {
        format!("<meta http-equiv=\"refresh\" content=\"{seconds}\">\n")
    });
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{refresh}\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <h1>{title}</h1>\n{facts}{body}</body>\n</html>\n"
    )
}

const STYLE: &str = "\
:root { color-scheme: light dark; --line: #8884; }
body { font: 16px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 75rem; padding: 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.3rem; margin-top: 2.5rem; } h3 { font-size: 1rem; }
p { margin: .2rem 0; overflow-wrap: anywhere; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(22rem, 100%), 1fr)); gap: 1.5rem; }
figure { margin: 0; min-width: 0; }
figcaption { font-weight: 600; margin-bottom: .3rem; }
svg { width: 100%; height: auto; }
svg text { fill: currentColor; font: 11px system-ui, sans-serif; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
.words td, .words th { text-align: left; white-space: normal; vertical-align: top; }
";

/// A drawing with a title.
pub fn figure(title: &str, plot: &str) -> String {
    format!("<figure><figcaption>{}</figcaption>{plot}</figure>\n", escape(title))
}

/// A line across a plot, with what it stands for before it.
pub fn level(left: f64, right: f64, y: f64, label: &str) -> String {
    format!(
        "<line x1=\"{left}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#8884\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
        left - 6.0,
        y + 4.0,
        escape(label)
    )
}

/// A table with a title; the first cell of each row is a name.
pub fn table(title: &str, head: &[String], rows: &[Vec<String>]) -> String {
    // Lists of names are to be read, not compared.
    let words = rows.iter().flatten().any(|cell| cell.len() > 40);
    let class = if words { " class=\"words\"" } else { "" };
    let mut text =
        format!("<h3>{}</h3>\n<div class=\"scroll\"><table{class}>\n<tr>", escape(title));
    head.iter().for_each(|head| text += &format!("<th>{}</th>", escape(head)));
    text += "</tr>\n";
    for row in rows {
        text += "<tr>";
        row.iter().for_each(|cell| text += &format!("<td>{}</td>", escape(cell)));
        text += "</tr>\n";
    }
    text + "</table></div>\n"
}

/// Text that cannot be taken for markup.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_the_page() {
        assert_eq!(escape("<b>\"&\"</b>"), "&lt;b&gt;&quot;&amp;&quot;&lt;/b&gt;");
        let head = Head { title: "<script>".to_owned(), facts: Vec::new(), refresh: None };
        let page = page(&head, &figure("<script>", ""));
        assert!(!page.contains("<script>") && !page.contains("refresh"));
    }
}
