//! Jobs that the coordinator does itself: replays, and those that no worker has done.

use crossbeam::channel::{Receiver, Sender};
use nullarbor_runs::{Jobs, Referee, Stop};

use crate::event::Event;
use crate::in_flight::{InFlight, Job};

/// Does jobs until their sender is gone or the run is over. What a job needs is made when the first one comes.
pub(crate) fn replay(
    referee: &dyn Referee,
    stop: &Stop,
    in_flight: &InFlight,
    jobs: &Receiver<Job>,
    events: &Sender<Event>,
) {
    while let Ok(first) = jobs.recv() {
        let number = first.0;
        let (first, current) = (Some(first), None);
        let mut local_jobs = LocalJobs { in_flight, jobs, events, first, current };
        if let Err(problem) = referee.serve(stop, &mut local_jobs) {
            // The receiver lives as long as the run.
            let _ = events.send(Event::DoneHere(number, Err(problem)));
        }
        if stop.is_aborting() || in_flight.is_closed() {
            return;
        }
    }
}

struct LocalJobs<'a> {
    in_flight: &'a InFlight,
    jobs: &'a Receiver<Job>,
    events: &'a Sender<Event>,
    first: Option<Job>,
    current: Option<u64>,
}

impl Jobs for LocalJobs<'_> {
    fn next(&mut self) -> Option<Vec<u8>> {
        let (number, task) = self.first.take().or_else(|| self.jobs.recv().ok())?;
        if self.in_flight.is_closed() {
            return None;
        }
        self.current = Some(number);
        Some(task.to_vec())
    }

    fn done(&mut self, result: Result<Vec<u8>, String>) {
        if let Some(number) = self.current.take() {
            let _ = self.events.send(Event::DoneHere(number, result));
        }
    }
}
