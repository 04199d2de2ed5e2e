//! The page as it is loaded; a script then keeps its cards up to date.

use data_encoding::BASE64;
use maud::{DOCTYPE, PreEscaped, html};
use sha2::{Digest, Sha256};

use crate::cards::Card;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Returns what a browser may do with the page: run its own script and no other, and ask nobody else.
pub fn policy() -> String {
    let script = BASE64.encode(&Sha256::digest(SCRIPT));
    format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{script}'; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

/// Returns the page with these cards.
pub fn page(cards: &[Card]) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "Nullarbor: runs" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { "Nullarbor" }
                    nav #kinds aria-label="Kinds of runs" {}
                    p #connection role="status" { "connecting" }
                }
                main #cards {
                    @for card in cards {
                        article id=(card.id) data-kind=(card.kind) {
                            h2 { span.kind { (card.kind) } (card.title) span.ago data-at=(card.changed) {} }
                            div { (PreEscaped(&card.html)) }
                        }
                    }
                    p #empty { "No runs yet. Matches with --resume, tuning runs, datasets, trainings, breeding runs and lab results appear here by themselves." } }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
    .into_string()
}
