//! A pool of worker threads that share numbered tasks. It knows nothing of chess.

use std::ops::{ControlFlow, RangeFrom};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crossbeam::channel::{self, Receiver, Sender};
use parking_lot::Mutex;

use super::in_order::InOrder;
use super::stop::{Interrupted, Stop};

/// Stack of a worker thread in bytes; only the part in use takes memory.
const STACK: usize = 16 << 20;

/// Returns the number of workers asked for, or else the number of cores.
pub fn worker_count(asked: Option<u64>) -> usize {
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    asked.map_or_else(cores, |workers| workers as usize)
}

/// Workers, each with a state of its own (an engine, a pair of players, a buffer), and one thread for each while they
/// work, or fewer where the system gives no more. Tasks are numbered from 0 in the order of their iterator and begun in that order.
///
/// The run ends when all tasks are done, or early:
/// * a task that returns an error lets no further one begin; the tasks in progress are completed, and the error of the
///   lowest number is returned, so that it does not depend on the number of workers;
/// * an error from `take` aborts the run (see [`Stop::abort`]) and is returned;
/// * [`Stop::is_finishing`] lets no further task begin; the run returns [`Interrupted`] unless there was none left.
///   A task that is aborted returns `Err(Interrupted.into())` itself;
/// * while it is paused ([`Stop::set_paused`]) no task begins.
///
/// ```
/// use nullarbor_runs::{Interrupted, Pool, Stop};
///
/// // Two workers without a state.
/// let mut pool = Pool::new(vec![(), ()]);
/// let mut squares = Vec::new();
/// let result: Result<(), Interrupted> = pool.run(
///     &Stop::new(),
///     1..=5,
///     |_worker, task| Ok(task * task),
///     |_number, square| {
///         squares.push(square);
///         Ok(())
///     },
/// );
/// assert_eq!(result, Ok(()));
/// assert_eq!(squares, [1, 4, 9, 16, 25]);
/// ```
#[derive(Debug)]
pub struct Pool<W> {
    workers: Vec<W>,
    ahead: Option<usize>,
}

impl<W: Send> Pool<W> {
    /// Creates a pool of these workers; there must be at least one.
    pub fn new(workers: Vec<W>) -> Self {
        assert!(!workers.is_empty(), "a pool needs a worker");
        Self { workers, ahead: None }
    }

    /// Creates a pool of `count` workers, at least one.
    ///
    /// # Errors
    /// The first error of `make`.
    pub fn build<E>(count: usize, mut make: impl FnMut() -> Result<W, E>) -> Result<Self, E> {
        Ok(Self::new((0..count.max(1)).map(|_| make()).collect::<Result<_, E>>()?))
    }

    /// Limits how many tasks of [`Pool::run`] may be begun beyond those whose results were taken, at least one for
    /// each worker. It bounds the memory of results that wait for an earlier one.
    #[must_use]
    pub fn ahead(self, tasks: usize) -> Self {
        Self { ahead: Some(tasks.max(self.workers.len())), ..self }
    }

    /// Runs all tasks and hands the results, with their numbers, to `take` on the calling thread in the order of the
    /// tasks. Results behind one that is missing at the end are dropped.
    ///
    /// # Errors
    /// An error of a task or of `take`, or an interruption, as described for the [type](Pool).
    pub fn run<T, R: Send, E: From<Interrupted> + Send>(
        &mut self,
        stop: &Stop,
        tasks: impl IntoIterator<Item = T, IntoIter: Send>,
        work: impl Fn(&mut W, T) -> Result<R, E> + Sync,
        mut take: impl FnMut(u64, R) -> Result<(), E>,
    ) -> Result<(), E> {
        let queue = Queue::new(tasks, self.ahead);
        let mut order = InOrder::of(0..);
        self.drive(stop, &queue, work, |number, result| {
            order.put(number, result);
            while let Some((number, result)) = order.pop() {
                take(number, result)?;
                queue.give_permits(1);
            }
            Ok(ControlFlow::Continue(()))
        })
    }

    /// Runs all tasks and hands the results, with their numbers, to `take` on the calling thread as they come, until it breaks
    /// off: then no further task begins, and the results of those in progress are dropped.
    ///
    /// # Errors
    /// An error of a task or of `take`, or an interruption, as described for the [type](Pool).
    pub fn run_unordered<T, R: Send, E: From<Interrupted> + Send>(
        &mut self,
        stop: &Stop,
        tasks: impl IntoIterator<Item = T, IntoIter: Send>,
        work: impl Fn(&mut W, T) -> Result<R, E> + Sync,
        take: impl FnMut(u64, R) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        self.drive(stop, &Queue::new(tasks, None), work, take)
    }

    fn drive<T, R: Send, E: From<Interrupted> + Send>(
        &mut self,
        stop: &Stop,
        queue: &Queue<impl Iterator<Item = T> + Send>,
        work: impl Fn(&mut W, T) -> Result<R, E> + Sync,
        mut take: impl FnMut(u64, R) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        let (sender, results) = channel::unbounded();
        let mut failed: Option<(u64, E)> = None;
        let mut refused = None;
        let mut is_enough = false;
        let mut started = 0;
        thread::scope(|scope| {
            for worker in &mut self.workers {
                let (sender, work) = (sender.clone(), &work);
                let life = move || {
                    let _guard = CloseOnPanic(queue);
                    while let Some((number, task)) = queue.next(stop) {
                        let result = work(worker, task);
                        if result.is_err() {
                            queue.close();
                        }
                        // The receiver lives as long as this scope.
                        let _ = sender.send((number, result));
                    }
                };
                match thread::Builder::new().stack_size(STACK).spawn_scoped(scope, life) {
                    Ok(_) => started += 1,
                    // Where the system gives no more threads, those that it gave do the work.
                    Err(_) if started > 0 => break,
                    Err(error) => panic!("cannot start a thread: {error}"),
                }
            }
            drop(sender);
            for (number, result) in results {
                match result {
                    _ if is_enough => {}
                    Ok(result) if refused.is_none() => match take(number, result) {
                        Ok(ControlFlow::Continue(())) => {}
                        Ok(ControlFlow::Break(())) => {
                            is_enough = true;
                            queue.close();
                        }
                        Err(error) => {
                            refused = Some(error);
                            queue.close();
                            stop.abort();
                        }
                    },
                    Err(error) if failed.as_ref().is_none_or(|(first, _)| number < *first) => {
                        failed = Some((number, error));
                    }
                    _ => {}
                }
            }
        });
        match refused.or(failed.map(|(_, error)| error)) {
            Some(error) => Err(error),
            None if queue.was_cut.load(Ordering::Relaxed) => Err(Interrupted.into()),
            None => Ok(()),
        }
    }
}

/// The tasks that are left, and when they may begin.
struct Queue<I> {
    tasks: Mutex<std::iter::Zip<RangeFrom<u64>, I>>,
    /// Permits to begin a task, where the number of tasks ahead is limited.
    permits: Option<(Sender<()>, Receiver<()>)>,
    /// The flags hand nothing over, so they are relaxed.
    is_closed: AtomicBool,
    /// True if a stop left a task undone.
    was_cut: AtomicBool,
}

impl<I: Iterator> Queue<I> {
    fn new(tasks: impl IntoIterator<IntoIter = I>, ahead: Option<usize>) -> Self {
        let queue = Self {
            tasks: Mutex::new((0..).zip(tasks)),
            permits: ahead.map(channel::bounded),
            is_closed: AtomicBool::new(false),
            was_cut: AtomicBool::new(false),
        };
        queue.give_permits(ahead.unwrap_or(0));
        queue
    }

    fn next(&self, stop: &Stop) -> Option<(u64, I::Item)> {
        if let Some((_, permits)) = &self.permits {
            permits.recv().ok()?;
        }
        stop.wait_while_paused();
        let mut tasks = self.tasks.lock();
        if self.is_closed.load(Ordering::Relaxed) {
            return None;
        }
        // Before the stop is checked: without a task left it is no interruption.
        let task = tasks.next()?;
        if stop.is_finishing() {
            self.was_cut.store(true, Ordering::Relaxed);
            return None;
        }
        Some(task)
    }

    fn give_permits(&self, count: usize) {
        if let Some((give, _)) = &self.permits {
            // Where the channel is full there are enough.
            (0..count).for_each(|_| _ = give.try_send(()));
        }
    }

    /// Lets no task begin any more, and wakes the workers that wait for a permit.
    fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        self.give_permits(self.permits.as_ref().and_then(|(give, _)| give.capacity()).unwrap_or(0));
    }
}

/// Closes the queue when its thread panics: otherwise the other threads would go on for hours before the panic is seen.
struct CloseOnPanic<'a, I: Iterator>(&'a Queue<I>);

impl<I: Iterator> Drop for CloseOnPanic<'_, I> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.close();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    type Done = Result<(), Interrupted>;

    /// Returns the results that a pool takes, in order, where each task gives its own number or an error.
    fn taken(
        workers: usize,
        ahead: Option<usize>,
        fails: impl Fn(u64) -> bool + Sync,
    ) -> (Vec<u64>, Result<(), Failed>) {
        let mut pool = Pool::new(vec![(); workers]);
        if let Some(ahead) = ahead {
            pool = pool.ahead(ahead);
        }
        let mut taken = Vec::new();
        let work = |(): &mut (), task| {
            // The first tasks take longest, so that results come in another order.
            thread::sleep(Duration::from_micros(200 / (task + 1)));
            if fails(task) { Err(Failed::Task(task)) } else { Ok(task) }
        };
        let result = pool.run(&Stop::new(), 0..100, work, |number, task| {
            assert_eq!(number, task);
            taken.push(task);
            Ok(())
        });
        (taken, result)
    }

    #[derive(Debug, PartialEq)]
    enum Failed {
        Task(u64),
        Interrupted,
    }

    impl From<Interrupted> for Failed {
        fn from(Interrupted: Interrupted) -> Self {
            Self::Interrupted
        }
    }

    #[test]
    fn results_come_in_order_from_any_number_of_workers() {
        for workers in [1, 2, 7, 200] {
            for ahead in [None, Some(1), Some(300)] {
                let (taken, result) = taken(workers, ahead, |_| false);
                assert_eq!(result, Ok(()));
                assert!(taken.into_iter().eq(0..100), "{workers} workers, {ahead:?} ahead");
            }
        }
    }

    #[test]
    fn the_first_failed_task_is_told_and_the_results_before_it_are_taken() {
        for workers in [1, 2, 7] {
            for ahead in [None, Some(1)] {
                let (taken, result) =
                    taken(workers, ahead, |task| task == 20 || task == 21 || task == 25);
                assert_eq!(result, Err(Failed::Task(20)), "{workers} workers, {ahead:?} ahead");
                assert!(taken.into_iter().eq(0..20));
            }
        }
    }

    #[test]
    fn an_error_of_the_taker_aborts_the_run() {
        let (stop, mut count) = (Stop::new(), 0);
        let result = Pool::new(vec![(); 3]).ahead(3).run(
            &stop,
            0..,
            |(), task: u64| Ok(task),
            |_, task| {
                count += 1;
                if task == 9 { Err(Failed::Task(9)) } else { Ok(()) }
            },
        );
        assert_eq!((result, count), (Err(Failed::Task(9)), 10));
        assert!(stop.is_aborting());
    }

    #[test]
    fn a_stop_lets_nothing_begin_and_tasks_in_progress_are_taken() {
        for workers in [1, 3] {
            let stop = Stop::new();
            let (begun, mut taken) = (Mutex::new(0), 0);
            let work = |(): &mut (), task| {
                *begun.lock() += 1;
                if task == 5 {
                    stop.request_stop();
                }
                // Those that begin beside it are in progress when the stop comes.
                while task > 5 && !stop.is_finishing() {
                    thread::yield_now();
                }
                Ok(())
            };
            let result: Done = Pool::new(vec![(); workers]).run(&stop, 0.., work, |_, ()| {
                taken += 1;
                Ok(())
            });
            assert_eq!(result, Err(Interrupted));
            assert_eq!(taken, *begun.lock());
            assert!((6..6 + workers).contains(&taken), "{taken} by {workers}");
        }
    }

    #[test]
    fn a_pause_lets_nothing_begin_until_it_ends() {
        let (stop, begun) = (Stop::new(), Mutex::new(0));
        let work = |(): &mut (), task| {
            *begun.lock() += 1;
            if task == 3 {
                stop.set_paused(true);
            }
            // What begins beside it is in progress when the pause comes.
            while task > 3 && stop.time_paused(Instant::now()).is_zero() {
                thread::yield_now();
            }
            Ok(())
        };
        thread::scope(|scope| {
            let run = scope.spawn(|| -> Done {
                Pool::new(vec![(); 2]).run(&stop, 0..20, work, |_, ()| Ok(()))
            });
            while *begun.lock() < 4 {
                thread::yield_now();
            }
            thread::sleep(Duration::from_millis(100));
            let before = *begun.lock();
            thread::sleep(Duration::from_millis(100));
            assert!(before < 20 && *begun.lock() == before, "{before} tasks were begun");
            stop.set_paused(false);
            assert_eq!(run.join().expect("no panic"), Ok(()));
        });
        assert_eq!(*begun.lock(), 20);
    }

    #[test]
    fn a_stop_after_the_last_task_is_no_interruption() {
        let stop = Stop::new();
        let work = |(): &mut (), task| {
            if task == 9 {
                stop.request_stop();
            }
            Ok(())
        };
        let result: Done = Pool::new(vec![(); 2]).run(&stop, 0..10, work, |_, ()| Ok(()));
        assert_eq!(result, Ok(()));
    }

    #[test]
    fn an_aborted_task_loses_its_own_result_alone() {
        let (stop, mut taken) = (Stop::new(), Vec::new());
        let work = |(): &mut (), task| if task == 2 { Err(Interrupted) } else { Ok(task) };
        let result = Pool::new(vec![()]).run_unordered(&stop, 0..5, work, |number, task: u64| {
            taken.push((number, task));
            Ok(ControlFlow::Continue(()))
        });
        assert_eq!((result, taken), (Err(Interrupted), vec![(0, 0), (1, 1)]));
    }

    #[test]
    fn a_run_that_has_enough_ends_without_aborting_others() {
        let (stop, mut taken) = (Stop::new(), 0);
        let result: Done = Pool::new(vec![(); 3]).run_unordered(
            &stop,
            0..,
            |(), _: u64| Ok(()),
            |_, ()| {
                taken += 1;
                let is_enough = taken == 10;
                Ok(if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            },
        );
        assert_eq!((result, taken, stop.is_finishing()), (Ok(()), 10, false));
    }

    #[test]
    fn a_panic_of_a_worker_ends_the_run() {
        for ahead in [2, 1000] {
            let work = |(): &mut (), task: u64| {
                if task == 3 { panic!("for the test") } else { Done::Ok(()) }
            };
            let run =
                || Pool::new(vec![(); 2]).ahead(ahead).run(&Stop::new(), 0.., work, |_, ()| Ok(()));
            assert!(std::panic::catch_unwind(run).is_err());
        }
    }
}
