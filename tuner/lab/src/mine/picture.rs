//! A learnt rule as a picture: a tree of questions, drawn as SVG.

use std::fmt::Write;

use nullarbor::search::null_move::Tree;

const COLUMN: f64 = 240.0;
const ROW: f64 = 86.0;
const BOX_WIDTH: f64 = 226.0;
const BOX_HEIGHT: f64 = 36.0;
const MARGIN: f64 = 12.0;

/// The picture.
pub fn svg(tree: &Tree) -> String {
    let (width, rows) = (leaves(tree) as f64 * COLUMN, tree.depth() + 1);
    let (width, height) =
        (width + 2.0 * MARGIN, (rows - 1) as f64 * ROW + BOX_HEIGHT + 2.0 * MARGIN);
    let mut body = String::new();
    draw(tree, MARGIN, MARGIN, &mut body);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"13\">\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>{body}</svg>\n"
    )
}

fn leaves(tree: &Tree) -> usize {
    match tree {
        Tree::Answer(_) => 1,
        Tree::Split { then, otherwise, .. } => leaves(then) + leaves(otherwise),
    }
}

/// Draws a subtree whose columns begin at `left`; gives the middle of its root.
fn draw(tree: &Tree, left: f64, top: f64, body: &mut String) -> f64 {
    let middle = left + leaves(tree) as f64 * COLUMN / 2.0;
    let (text, colour) = match tree {
        Tree::Answer(true) => ("pass".to_owned(), "#bde0bd"),
        Tree::Answer(false) => ("do not pass".to_owned(), "#f2c4c4"),
        Tree::Split { feature, above, then, otherwise } => {
            let right = left + leaves(otherwise) as f64 * COLUMN;
            for (branch, left, word) in [(otherwise, left, "no"), (then, right, "yes")] {
                let child = draw(branch, left, top + ROW, body);
                let (from, to) = (top + BOX_HEIGHT, top + ROW);
                let (x, y) = ((middle + child) / 2.0, (from + to) / 2.0 + 4.0);
                // Writing to a string cannot fail.
                let _ = write!(
                    body,
                    "<line x1=\"{middle}\" y1=\"{from}\" x2=\"{child}\" y2=\"{to}\" stroke=\"#888\"/>\
                     <text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\" stroke=\"#fff\" stroke-width=\"5\" paint-order=\"stroke\">{word}</text>"
                );
            }
            (format!("{} &gt; {above} ?", feature.name()), "#d4e1f2")
        }
    };
    let (x, baseline) = (middle - BOX_WIDTH / 2.0, top + BOX_HEIGHT / 2.0 + 5.0);
    let _ = write!(
        body,
        "<rect x=\"{x}\" y=\"{top}\" width=\"{BOX_WIDTH}\" height=\"{BOX_HEIGHT}\" rx=\"6\" fill=\"{colour}\" stroke=\"#888\"/>\
         <text x=\"{middle}\" y=\"{baseline}\" text-anchor=\"middle\">{text}</text>"
    );
    middle
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
        let picture = svg(&tree);
        for (part, times) in [
            ("depth &gt; 4", 1),
            ("threats &gt; 0", 1),
            (">pass<", 2),
            (">do not pass<", 1),
            ("<line", 4),
        ] {
            assert_eq!(picture.matches(part).count(), times, "{part}");
        }
        assert!(!picture.contains("NaN"));
    }
}
