//! Jobs that the coordinator does itself: replays, and those that no worker has done.

use std::sync::Arc;

use crossbeam::channel::{Receiver, Sender};
use nullarbor_runs::{Jobs, Referee, Stop};

use crate::event::Event;
use crate::feeder::Flight;

/// A job for this machine.
pub(crate) type LocalJob = (u64, Arc<[u8]>);

/// Does jobs until their sender is gone or the run is over. What a job needs is made when the first one comes.
pub(crate) fn replay(
    referee: &dyn Referee,
    stop: &Stop,
    flight: &Flight,
    jobs: &Receiver<LocalJob>,
    events: &Sender<Event>,
) {
    while let Ok(first) = jobs.recv() {
        let number = first.0;
        let (first, current) = (Some(first), None);
        let mut desk = Desk { flight, jobs, events, first, current };
        if let Err(problem) = referee.serve(stop, &mut desk) {
            // The receiver lives as long as the run.
            let _ = events.send(Event::DoneHere(number, Err(problem)));
        }
        if stop.is_aborting() || flight.is_closed() {
            return;
        }
    }
}

struct Desk<'a> {
    flight: &'a Flight,
    jobs: &'a Receiver<LocalJob>,
    events: &'a Sender<Event>,
    first: Option<LocalJob>,
    current: Option<u64>,
}

impl Jobs for Desk<'_> {
    fn next(&mut self) -> Option<Vec<u8>> {
        let (number, task) = self.first.take().or_else(|| self.jobs.recv().ok())?;
        if self.flight.is_closed() {
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
