//! Workers that do numbered pieces of work as fast as they can. It knows nothing of chess.

use std::sync::Mutex;
use std::thread;

use crossbeam::channel::{self, Sender};

use super::stop::Stop;

/// The stack of a worker, in bytes; only what is used of it takes memory.
const STACK: usize = 16 << 20;

/// How many workers: as many as were asked for, or else one for each core.
pub fn workers(asked: Option<u64>) -> usize {
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    asked.map_or_else(cores, |workers| workers as usize)
}

/// Lets `workers` threads take tasks, one after another, until there are none or `stop` says so. Each has a state of its
/// own, made by `begin` on its thread. What they have to say comes to `take`, on the calling thread, in whatever order
/// it happens.
pub fn run<Task, State, Message>(
    workers: usize,
    tasks: impl Iterator<Item = Task> + Send,
    stop: &Stop,
    begin: impl Fn() -> State + Sync,
    work: impl Fn(&mut State, Task, &Sender<Message>) + Sync,
    mut take: impl FnMut(Message),
) where
    Message: Send,
{
    let tasks = Mutex::new(tasks);
    let next = || {
        if stop.is_finishing() {
            return None;
        }
        // A thread that panicked here took no task: the others can go on.
        tasks.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next()
    };
    let (sender, messages) = channel::unbounded();
    thread::scope(|scope| {
        for _ in 0..workers.max(1) {
            let sender = sender.clone();
            let (next, begin, work) = (&next, &begin, &work);
            let life = move || {
                let mut state = begin();
                while let Some(task) = next() {
                    work(&mut state, task, &sender);
                }
            };
            // As `scope.spawn`, which panics, too, where the system gives no thread.
            let spawned = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, life);
            spawned.unwrap_or_else(|error| panic!("cannot start a thread: {error}"));
        }
        drop(sender);
        messages.into_iter().for_each(&mut take);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_done_once_by_any_number_of_workers() {
        for workers in [1, 2, 7] {
            let mut done = Vec::new();
            let work = |_: &mut (), task: u32, sender: &Sender<u32>| {
                sender.send(task * task).expect("somebody listens");
            };
            run(workers, 0..100, &Stop::new(), || (), work, |square| done.push(square));
            done.sort_unstable();
            assert!(done.into_iter().eq((0..100).map(|task| task * task)), "{workers} workers");
        }
    }

    #[test]
    fn nothing_is_begun_after_the_word_to_finish() {
        let stop = Stop::new();
        let mut done = 0;
        let work = |_: &mut (), task: u32, sender: &Sender<u32>| {
            if task == 5 {
                stop.ask();
            }
            sender.send(task).expect("somebody listens");
        };
        run(1, 0.., &stop, || (), work, |_| done += 1);
        assert_eq!(done, 6);
    }
}
