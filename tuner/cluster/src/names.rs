//! Names on the server: streams, buckets and subjects.

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
}
