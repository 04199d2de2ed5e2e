//! The workers of a cluster.

use maud::html;
use nullarbor_cluster::status::{WorkerStatus, now};

use super::Card;
use crate::state::State;

/// Seconds without a sign of life after which a worker counts as gone.
const SILENT: u64 = 15;

/// Returns the card of a cluster's workers, or of why it cannot be asked.
pub fn workers(url: &str, found: Result<Vec<WorkerStatus>, String>) -> Card {
    let (title, html) = match found {
        Err(problem) => ("Workers".to_owned(), html! { p.warning { (problem) } }),
        Ok(workers) => {
            let alive: Vec<_> =
                workers.iter().filter(|it| now().saturating_sub(it.seen) < SILENT).collect();
            let threads: usize = alive.iter().map(|it| it.threads).sum();
            // A sum of nothing would be minus zero.
            let speed = alive.iter().fold(0.0, |sum, it| sum + it.speed);
            let (machines, threads) = (counted(alive.len(), "worker"), counted(threads, "thread"));
            let title = format!("{machines}, {threads}, {speed:.1} jobs/s");
            let has_refused = workers.iter().any(|it| !it.refused.is_empty());
            (
                title,
                html! { div.scroll { table {
                    thead { tr {
                        th { "worker" } th { "threads" } th { "run" } th { "jobs" } th { "jobs/s" } th { "seen" }
                        @if has_refused { th { "refused" } }
                    } }
                    tbody { @for worker in &workers {
                        tr.silent[now().saturating_sub(worker.seen) >= SILENT] {
                            td { (worker.name) }
                            td { (worker.threads) }
                            td { (worker.run.as_deref().unwrap_or("idle")) }
                            td { (worker.jobs) }
                            td { (format!("{:.1}", worker.speed)) }
                            td.ago data-at=(worker.seen) {}
                            @if has_refused {
                                td { @for (run, reason) in &worker.refused { (run) ": " (reason) " " } }
                            }
                        }
                    } }
                } } },
            )
        }
    };
    let state = State::Running;
    let html = html! { p.path { (url) } (html) }.into_string();
    Card { id: "workers".to_owned(), kind: "cluster", title, state, changed: now(), html }
}

/// Returns a number of things: `1 worker`, `2 workers`.
fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
