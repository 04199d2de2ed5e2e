//! Stops and pauses of work: Ctrl-C, a deadline, a file that pauses.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use jiff::civil::Time;
use jiff::{ToSpan, Zoned};
use nullarbor_report::terminal;
use nullarbor_runs::{Interrupted, Stop};

/// Interval at which it looks for a request.
const POLL: Duration = Duration::from_millis(100);
/// Between two calls of what is done now and then.
const TICK: Duration = Duration::from_secs(30);

/// Watches over the work of a run.
#[derive(Debug)]
pub struct Supervisor {
    /// Requests of the user.
    pub user: Arc<Stop>,
    /// Time at which the run stops.
    pub deadline: Option<Instant>,
    /// The file that pauses the run while it exists.
    pub pause: PathBuf,
    /// Print nothing.
    pub quiet: bool,
}

impl Supervisor {
    /// Does a piece of work that watches a stop of its own: a match that is decided aborts the games that are left, not the
    /// run. `tick` is called now and then meanwhile.
    pub fn watch<T>(&self, tick: &(dyn Fn() + Sync), work: impl FnOnce(&Arc<Stop>) -> T) -> T {
        let own = Arc::new(Stop::new());
        let (done, is_done) = std::sync::mpsc::channel::<()>();
        thread::scope(|scope| {
            let watched = Arc::clone(&own);
            scope.spawn(move || {
                let mut ticked = Instant::now();
                let mut state = Watched { stop: &watched, paused: false, told: false };
                loop {
                    self.pass_on(&mut state);
                    match is_done.recv_timeout(POLL) {
                        Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {}
                        _ => return,
                    }
                    if ticked.elapsed() >= TICK {
                        tick();
                        ticked = Instant::now();
                    }
                }
            });
            let result = work(&own);
            drop(done);
            result
        })
    }

    /// Passes requests on to the work.
    fn pass_on(&self, watched: &mut Watched<'_>) {
        if self.user.is_aborting() {
            watched.stop.abort();
        } else if self.user.is_finishing() || self.is_over() {
            if !watched.told && !self.user.is_finishing() {
                self.say("The time is up; finishing what is in progress.");
            }
            watched.told = true;
            if !watched.stop.is_finishing() {
                watched.stop.request_stop();
            }
        }
        let paused = self.pause.exists();
        if paused != watched.paused {
            self.tell_pause(paused);
            watched.stop.set_paused(paused);
            watched.paused = paused;
        }
    }

    /// Returns whether the deadline has passed.
    pub fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Returns whether it was the deadline, not the user, that ended the work.
    pub fn ended_by_time(&self) -> bool {
        self.is_over() && !self.user.is_finishing()
    }

    /// Waits while the run is paused.
    ///
    /// # Errors
    /// If the run is to stop.
    pub fn check(&self) -> Result<(), Interrupted> {
        let mut told = false;
        loop {
            if self.user.is_finishing() || self.is_over() {
                return Err(Interrupted);
            }
            if !self.pause.exists() {
                break;
            }
            if !told {
                self.tell_pause(true);
            }
            told = true;
            thread::sleep(POLL);
        }
        if told {
            self.tell_pause(false);
        }
        Ok(())
    }

    fn tell_pause(&self, paused: bool) {
        let pause = self.pause.display();
        if paused {
            self.say(&format!(
                "Paused by {pause}: games in progress are finished; remove the file to continue."
            ));
        } else {
            self.say(&format!("{pause} is gone; going on."));
        }
    }

    fn say(&self, line: &str) {
        if !self.quiet {
            terminal::message(line);
        }
    }
}

/// The requests that were passed on so far.
struct Watched<'a> {
    stop: &'a Stop,
    paused: bool,
    told: bool,
}

/// Parses a time of day, such as 07:30, and returns how long it is until then, by the clock of this place.
///
/// # Errors
/// If it is no time of day.
pub fn until(text: &str) -> Result<Duration, String> {
    until_from(text, &Zoned::now())
}

fn until_from(text: &str, now: &Zoned) -> Result<Duration, String> {
    let time = Time::strptime("%H:%M", text)
        .map_err(|_| format!("`{text}` is not a time of day such as 07:30 or 23:00"))?;
    let on = |day: &Zoned| day.with().time(time).build().map_err(|error| error.to_string());
    let mut then = on(now)?;
    if then <= *now {
        then = on(&now.checked_add(1.day()).map_err(|error| error.to_string())?)?;
    }
    Ok(now.duration_until(&then).unsigned_abs())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    fn supervisor(folder: &tempfile::TempDir, deadline: Option<Instant>) -> Supervisor {
        let pause = folder.path().join("pause");
        Supervisor { user: Arc::new(Stop::new()), deadline, pause, quiet: true }
    }

    #[test]
    fn the_next_such_time_of_day_is_meant() {
        let now: Zoned = "2026-03-01T22:30:10+00:00[+00:00]".parse().expect("a time");
        let seconds = |text| until_from(text, &now).map(|left| left.as_secs());
        assert_eq!(seconds("22:31"), Ok(50));
        assert_eq!(seconds("22:30"), Ok(86_390));
        assert_eq!(seconds("07:00"), Ok(8 * 3600 + 1790));
        for text in ["25:00", "7 o'clock", "", "12:00:00"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn requests_reach_the_work() {
        let folder = tempfile::tempdir().expect("a folder");
        let wait = |supervisor: &Supervisor| {
            supervisor.watch(&|| (), |stop| {
                while stop.check().is_ok() {
                    thread::sleep(Duration::from_millis(1));
                }
                stop.is_aborting()
            })
        };
        assert!(!wait(&supervisor(&folder, Some(Instant::now()))));
        let interrupted = supervisor(&folder, None);
        interrupted.user.request_stop();
        assert!(!wait(&interrupted) && interrupted.check().is_err());
        interrupted.user.request_stop();
        assert!(wait(&interrupted));
    }

    #[test]
    fn work_that_aborts_itself_leaves_the_run_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let supervisor = supervisor(&folder, None);
        supervisor.watch(&|| (), |stop| stop.abort());
        assert!(
            supervisor.check().is_ok() && !supervisor.watch(&|| (), |stop| stop.is_finishing())
        );
    }

    #[test]
    fn a_file_pauses_the_work_until_it_is_gone() {
        let folder = tempfile::tempdir().expect("a folder");
        let supervisor = supervisor(&folder, None);
        fs::write(&supervisor.pause, "").expect("room");
        let went_on = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                supervisor.watch(&|| (), |stop| {
                    thread::sleep(2 * POLL);
                    stop.wait_while_paused();
                    went_on.store(true, Ordering::Relaxed);
                });
                assert!(supervisor.check().is_ok());
            });
            thread::sleep(5 * POLL);
            assert!(!went_on.load(Ordering::Relaxed));
            fs::remove_file(&supervisor.pause).expect("it was there");
        });
        assert!(went_on.load(Ordering::Relaxed));
    }
}
