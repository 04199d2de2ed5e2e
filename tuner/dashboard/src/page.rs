//! The page as it is loaded; a script then keeps its cards up to date.

use std::path::PathBuf;

use data_encoding::BASE64;
use maud::{DOCTYPE, PreEscaped, html};
use nullarbor_report::{plot, section};
use sha2::{Digest, Sha256};

use crate::cards::Card;

const STYLE: &str = include_str!("page.css");
/// The script that the tabs of a browser share.
pub const WORKER: &str = include_str!("worker.js");

/// Returns the script of the page.
fn script() -> String {
    [plot::SCRIPT, include_str!("page.js")].concat()
}

/// Returns what a browser may do with the page: run its own script and no other, and ask nobody else.
pub fn policy() -> String {
    let script = BASE64.encode(&Sha256::digest(script()));
    format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{script}'; worker-src 'self'; \
         connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

/// Returns the page with these cards, of runs in these places.
pub fn page(cards: &[Card], places: &[PathBuf]) -> String {
    let place = places.first().map_or_else(String::new, |place| place.display().to_string());
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "Nullarbor: runs" }
                style { (PreEscaped(section::STYLE)) (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { "Nullarbor" }
                    nav #kinds aria-label="Kinds of runs" {}
                    p #connection role="status" { "connecting" }
                }
                main #cards {
                    @for card in cards {
                        article id=(card.id) data-kind=(card.kind) data-state=(card.state.name()) {
                            h2 {
                                span.kind { (card.kind) } span.title { (card.title) }
                                span.state { (card.state.name()) } span.ago data-at=(card.changed) {}
                            }
                            div { (PreEscaped(&card.html)) }
                        }
                    }
                    div #empty {
                        p { "No runs yet in " @for place in places { code { (place.display().to_string()) } " " } "and below. They appear here by themselves:" }
                        p { code { "nullarbor-tuner match --engine self,NullMove=off --engine self --nodes 5000 --resume " (place) "/match.journal" } }
                        p { code { "nullarbor-tuner spsa run RUN.toml --dir " (place) "/tuning" } }
                        p { code { "nullarbor-tuner datagen --games 1000 --nodes 5000 --out " (place) "/games" } }
                    }
                }
                script { (PreEscaped(script())) }
            }
        }
    }
    .into_string()
}
