//! Names on the server: streams, buckets and subjects.

use async_nats::HeaderMap;

/// The work queue.
pub const JOBS: &str = "NULLARBOR_JOBS";
/// The results that no coordinator has in its journal yet.
pub const RESULTS: &str = "NULLARBOR_RESULTS";
/// The bucket of runs.
pub const RUNS: &str = "nullarbor-runs";
/// The bucket of workers.
pub const WORKERS: &str = "nullarbor-workers";
/// The bucket of files.
pub const FILES: &str = "nullarbor-files";

/// All jobs, or those of a run.
pub fn jobs(run: Option<&str>) -> String {
    run.map_or("nullarbor.jobs.>".to_owned(), |run| format!("nullarbor.jobs.{run}.>"))
}

/// All results, or those of a run.
pub fn results(run: Option<&str>) -> String {
    run.map_or("nullarbor.results.>".to_owned(), |run| format!("nullarbor.results.{run}.>"))
}

/// A job.
pub fn job(run: &str, number: u64) -> String {
    format!("nullarbor.jobs.{run}.{number}")
}

/// The result of a job, or why it failed.
pub fn result(run: &str, number: u64, is_done: bool) -> String {
    let end = if is_done { "done" } else { "failed" };
    format!("nullarbor.results.{run}.{number}.{end}")
}

/// The header of a result that names its worker.
pub const WORKER: &str = "Nullarbor-Worker";
/// Bytes of a job or a result, at most. With its headers it is less than a server takes, if nothing else is configured (1 MiB).
pub const LONGEST_MESSAGE: usize = 1_000_000;

/// Returns the name of a worker as it stands in a header; empty if it is none.
pub fn worker(headers: Option<&HeaderMap>) -> String {
    let name = headers.and_then(|headers| headers.get(WORKER)).map_or("", |name| name.as_str());
    let is_letter = |letter: u8| letter.is_ascii_alphanumeric() || b"-_".contains(&letter);
    let is_name = name.len() <= 100 && name.bytes().all(is_letter);
    if is_name { name.to_owned() } else { String::new() }
}

/// Returns text from another machine as it may be shown: short, and without control characters.
pub fn shown(text: &str) -> String {
    text.chars().take(200).map(|letter| if letter.is_control() { '?' } else { letter }).collect()
}

/// Returns the number of the job in a subject.
pub fn number(subject: &str) -> Option<u64> {
    subject.split('.').nth(3)?.parse().ok()
}

/// Returns whether the subject of a result is that of a failure.
pub fn is_failure(subject: &str) -> bool {
    subject.ends_with(".failed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_hold_numbers() {
        assert_eq!(number(&job("match-1f", 17)), Some(17));
        for is_done in [true, false] {
            let subject = result("match-1f", 18, is_done);
            assert_eq!((number(&subject), is_failure(&subject)), (Some(18), !is_done));
        }
        assert_eq!(number("nullarbor.jobs.x"), None);
    }
    #[test]
    fn workers_are_named_by_letters() {
        for (text, name) in [("host-17", "host-17"), ("a\u{1b}[2J", ""), ("", "")] {
            let mut headers = HeaderMap::new();
            headers.insert(WORKER, text);
            assert_eq!(worker(Some(&headers)), name);
        }
        assert_eq!(worker(None), "");
        assert_eq!(shown("a\u{1b}[2J\n"), "a?[2J?");
        assert_eq!(shown(&"x".repeat(1000)).len(), 200);
    }
}
