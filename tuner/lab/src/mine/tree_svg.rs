//! A rule found by induction as an SVG drawing: a decision tree.

use maud::{Markup, html};
use nullarbor::search::null_move::Tree;

const COLUMN: f64 = 240.0;
const ROW: f64 = 86.0;
const BOX_WIDTH: f64 = 226.0;
const BOX_HEIGHT: f64 = 36.0;
const MARGIN: f64 = 12.0;

/// Returns the drawing as an SVG file.
pub fn svg(tree: &Tree) -> String {
    let width = leaves(tree) as f64 * COLUMN + 2.0 * MARGIN;
    let height = tree.depth() as f64 * ROW + BOX_HEIGHT + 2.0 * MARGIN;
    let (_, nodes) = draw(tree, MARGIN, MARGIN);
    let drawing = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {width} {height}"))
            font-family="system-ui, sans-serif" font-size="13" text-anchor="middle" {
            rect width=(width) height=(height) fill="#fff" {}
            (nodes) "\n"
        }
    };
    drawing.into_string()
}

fn leaves(tree: &Tree) -> usize {
    match tree {
        Tree::Answer(_) => 1,
        Tree::Split { then, otherwise, .. } => leaves(then) + leaves(otherwise),
    }
}

/// Draws a subtree whose columns begin at `left`. Returns the middle of its root and the drawing.
fn draw(tree: &Tree, left: f64, top: f64) -> (f64, Markup) {
    let middle = left + leaves(tree) as f64 * COLUMN / 2.0;
    let (text, colour, branches) = match tree {
        Tree::Answer(true) => ("try the null move".to_owned(), "#bde0bd", Vec::new()),
        Tree::Answer(false) => ("no null move".to_owned(), "#f2c4c4", Vec::new()),
        Tree::Split { feature, above, then, otherwise } => {
            let right = left + leaves(otherwise) as f64 * COLUMN;
            let branches = [("no", otherwise, left), ("yes", then, right)]
                .map(|(answer, tree, left)| (answer, draw(tree, left, top + ROW)));
            (format!("{} > {above} ?", feature.name()), "#d4e1f2", branches.into())
        }
    };
    let (from, to) = (top + BOX_HEIGHT, top + ROW);
    let markup = html! {
        @for (answer, (child, nodes)) in branches {
            line x1=(middle) y1=(from) x2=(child) y2=(to) stroke="#888" {}
            text x=((middle + child) / 2.0) y=((from + to) / 2.0 + 4.0) stroke="#fff" stroke-width="5"
                paint-order="stroke" { (answer) }
            (nodes)
        }
        rect x=(middle - BOX_WIDTH / 2.0) y=(top) width=(BOX_WIDTH) height=(BOX_HEIGHT) rx="6" fill=(colour)
            stroke="#888" {}
        text x=(middle) y=(top + BOX_HEIGHT / 2.0 + 5.0) { (text) }
    };
    (middle, markup)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nullarbor::search::null_move::Feature;

    #[test]
    fn every_question_and_answer_is_drawn() {
        let leaf = |answer| Box::new(Tree::Answer(answer));
        let tree = Tree::Split {
            feature: Feature::Depth,
            above: 4,
            then: leaf(true),
            otherwise: Box::new(Tree::Split {
                feature: Feature::Threats,
                above: 0,
                then: leaf(false),
                otherwise: leaf(true),
            }),
        };
        let drawing = svg(&tree);
        for (part, times) in [
            ("depth &gt; 4", 1),
            ("threats &gt; 0", 1),
            (">try the null move<", 2),
            (">no null move<", 1),
            ("<line", 4),
        ] {
            assert_eq!(drawing.matches(part).count(), times, "{part}");
        }
        assert!(drawing.starts_with("<svg") && !drawing.contains("NaN"));
    }
}
