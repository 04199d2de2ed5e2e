//! A training as one HTML page.

use super::checkpoint::Mark;
use super::evaluate::{COLUMNS, Evaluation};
use nullarbor_report::html::{self, Head, figure};
use nullarbor_report::plot::Plot;

/// The whole page.
pub fn page(head: &Head, marks: &[Mark], evaluation: &Evaluation) -> String {
    let curve = |of: fn(&Mark) -> f64| {
        let line = marks.iter().map(|mark| (mark.examples as f64 / 1e6, of(mark))).collect();
        Plot { unit: "million", line, ..Plot::default() }.svg()
    };
    let mut body = "<h2>Loss</h2>\n<p>Squared error of the chance to score; below are millions of positions seen.</p>\n\
                    <div class=\"plots\">\n"
        .to_owned();
    body += &figure("Games that nothing is learnt from", &curve(|mark| mark.validation));
    body += &figure("Games that it learns from", &curve(|mark| mark.training));
    body += "</div>\n";
    let columns = ["epoch", "million positions", "validation", "training"];
    let row = |(index, mark): (usize, &Mark)| {
        vec![
            (index + 1).to_string(),
            format!("{:.2}", mark.examples as f64 / 1e6),
            format!("{:.6}", mark.validation),
            format!("{:.6}", mark.training),
        ]
    };
    let rows: Vec<Vec<String>> = marks.iter().enumerate().map(row).collect();
    body += &html::table("Epochs", &columns.map(str::to_owned), &rows);
    body += &format!("<p>{}</p>\n", evaluation.line());
    let [pieces, _, loss] = COLUMNS.map(str::to_owned);
    let rows = evaluation.rows().into_iter().map(|[pieces, _, loss]| vec![pieces, loss]);
    body += &html::table("Held-out positions", &[pieces, loss], &rows.collect::<Vec<_>>());
    html::page(head, &body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_epoch_is_shown() {
        let mark = |number: u64| Mark { examples: number, training: 0.05, validation: 0.06 };
        let head = Head { title: "x".to_owned(), facts: Vec::new(), refresh: None };
        let evaluation = Evaluation { slope: 1.0, loss: 0.0042, buckets: Default::default() };
        let page = page(&head, &[mark(1_000_000), mark(2_000_000)], &evaluation);
        assert!(page.contains("0.004200") && page.contains("<td>29-32</td>"), "{page}");
        assert!(page.contains("<td>2</td><td>2.00</td><td>0.060000</td>"), "{page}");
        assert_eq!(page.matches("<polyline").count(), 2);
    }
}
