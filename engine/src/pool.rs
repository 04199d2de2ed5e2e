//! Lazy SMP: workers that search the same position with the same table, each on a thread of its own that
//! lives from search to search. It owns threads and knows nothing of chess but how to vote.

use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;

use crossbeam::channel::{self, Receiver, Sender};
use parking_lot::{Condvar, Mutex};

use crate::search::{Job, Memory, Outcome, Report, Search, null_move};
use crate::types::{Depth, Move, Score};

/// The deepest line takes about 2 MiB; the rest is never touched.
const STACK_BYTES: usize = 16 << 20;

/// Called with the result of a search, on the thread of the main worker.
pub type Answer = Box<dyn FnOnce(&Finding) + Send>;

/// What all workers together found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The worker that won the vote.
    pub outcome: Outcome,
    /// Nodes of all workers.
    pub nodes: u64,
    /// Null moves of all workers.
    pub null_moves: null_move::Stats,
}

enum Task {
    Search(Arc<Round>),
    Forget(Arc<Round>),
}

/// One search, or one clearing, from its start until all workers are done.
struct Round {
    job: Option<Arc<Job>>,
    answer: Mutex<Option<Answer>>,
    outcomes: Mutex<Vec<Outcome>>,
    unfinished: Mutex<usize>,
    finished: Condvar,
}

impl Round {
    fn new(workers: usize, job: Option<Arc<Job>>, answer: Option<Answer>) -> Arc<Self> {
        Arc::new(Self {
            job,
            answer: Mutex::new(answer),
            outcomes: Mutex::default(),
            unfinished: Mutex::new(workers),
            finished: Condvar::new(),
        })
    }

    fn finish_one(&self) {
        *self.unfinished.lock() -= 1;
        self.finished.notify_all();
    }

    fn wait_until_left(&self, left: usize) {
        let mut unfinished = self.unfinished.lock();
        while *unfinished > left {
            self.finished.wait(&mut unfinished);
        }
    }
}

struct Worker {
    tasks: Option<Sender<Task>>,
    thread: Option<JoinHandle<()>>,
}

/// The workers.
pub struct Pool {
    workers: Vec<Worker>,
    /// Of a pool without threads.
    own: Option<Memory>,
    /// What is under way, or was last.
    round: Option<Arc<Round>>,
}

impl Pool {
    /// Starts so many workers.
    ///
    /// # Errors
    /// Where the system gives no more threads.
    pub fn new(workers: usize) -> io::Result<Self> {
        let workers = (0..workers.max(1)).map(Worker::spawn).collect::<io::Result<_>>()?;
        Ok(Self { workers, own: None, round: None })
    }

    /// A pool of one worker that searches on the thread of the caller, whose stack must have room for a line of the greatest
    /// depth (2 MiB). Handing a search of a few hundred nodes to another thread would cost a twentieth of it.
    pub fn on_this_thread() -> Self {
        Self { workers: Vec::new(), own: Some(Memory::new()), round: None }
    }

    /// How many workers there are.
    pub fn len(&self) -> usize {
        self.workers.len().max(1)
    }

    /// Never: there is always a main worker.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Lets all workers search; the answer comes when the last one is done.
    pub fn start(&mut self, job: Arc<Job>, answer: Answer) {
        self.begin(Some(job), Some(answer), Task::Search);
    }

    /// Lets all workers forget what they have learnt.
    pub fn forget(&mut self) {
        self.begin(None, None, Task::Forget);
        self.wait();
    }

    fn begin(
        &mut self,
        job: Option<Arc<Job>>,
        answer: Option<Answer>,
        task: fn(Arc<Round>) -> Task,
    ) {
        self.wait();
        let round = Round::new(self.len(), job, answer);
        if let Some(memory) = &mut self.own {
            perform(0, task(Arc::clone(&round)), memory);
        }
        for worker in &self.workers {
            worker.send(task(Arc::clone(&round)));
        }
        self.round = Some(round);
    }

    /// Whether a search is under way.
    pub fn is_busy(&self) -> bool {
        self.round.as_ref().is_some_and(|round| *round.unfinished.lock() > 0)
    }

    /// Waits until the answer has been given.
    pub fn wait(&mut self) {
        if let Some(round) = self.round.take() {
            round.wait_until_left(0);
        }
    }
}

impl Worker {
    fn spawn(number: usize) -> io::Result<Self> {
        let (tasks, inbox) = channel::unbounded();
        let builder =
            std::thread::Builder::new().name(format!("worker {number}")).stack_size(STACK_BYTES);
        let thread = builder.spawn(move || work(number, &inbox))?;
        Ok(Self { tasks: Some(tasks), thread: Some(thread) })
    }

    fn send(&self, task: Task) {
        if let Some(tasks) = &self.tasks {
            // The inbox lives as long as the thread, and that ends with this sender.
            let _ = tasks.send(task);
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.tasks = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The life of a worker: until nobody can send it anything any more.
fn work(number: usize, inbox: &Receiver<Task>) {
    let mut memory = Memory::new();
    for task in inbox {
        perform(number, task, &mut memory);
    }
}

fn perform(number: usize, task: Task, memory: &mut Memory) {
    match task {
        Task::Search(round) => search(number, &round, memory),
        Task::Forget(round) => {
            memory.clear();
            round.finish_one();
        }
    }
}

fn search(number: usize, round: &Round, memory: &mut Memory) {
    let Some(job) = &round.job else { return };
    let outcome = Search::new(job, memory, number).run();
    let mut outcomes = round.outcomes.lock();
    // The main worker's outcome comes first: it wins ties.
    let place = if number == 0 { 0 } else { outcomes.len() };
    outcomes.insert(place, outcome);
    drop(outcomes);
    if number == 0 {
        give_answer(round, job);
    }
    round.finish_one();
}

/// The main worker ends the search of the others and answers for all.
fn give_answer(round: &Round, job: &Job) {
    if job.hold {
        job.control.wait_until(|_| false);
    } else {
        job.control.wait_until(|control| !control.is_pondering());
    }
    job.control.stop();
    round.wait_until_left(1);
    let outcomes = round.outcomes.lock();
    let mut null_moves = null_move::Stats::default();
    for outcome in outcomes.iter() {
        null_moves += &outcome.null_moves;
    }
    let chosen = &outcomes[vote(&outcomes)];
    if chosen.is_news {
        report(job, chosen);
    }
    let finding = Finding {
        outcome: chosen.clone(),
        nodes: outcomes.iter().map(|outcome| outcome.nodes).sum(),
        null_moves,
    };
    if let Some(answer) = round.answer.lock().take() {
        answer(&finding);
    }
}

/// The last line reported is the one that is played.
fn report(job: &Job, outcome: &Outcome) {
    job.sink.report(&Report {
        depth: outcome.depth.max(Depth::ONE),
        selective_depth: outcome.selective_depth,
        multi_pv: 1,
        score: outcome.best.score,
        bound: outcome.bound,
        nodes: job.control.nodes(),
        elapsed: job.budget.elapsed(),
        table: &job.table,
        pv: &outcome.best.moves,
    });
}

/// The number of the outcome to trust. Workers vote for their move with their depth and their lead on
/// the most pessimistic one; a proven win beats any vote, the shortest first.
fn vote(outcomes: &[Outcome]) -> usize {
    const LEAST_LEAD: i64 = 10;
    let searched = outcomes.iter().filter(|outcome| outcome.depth > Depth::ZERO);
    let lowest = searched.map(|outcome| outcome.best.score).min().unwrap_or(Score::DRAW);
    let weight = |outcome: &Outcome| {
        (i64::from(outcome.best.score - lowest) + LEAST_LEAD) * i64::from(outcome.depth.0)
    };
    let votes = |mv: Move| -> i64 {
        outcomes.iter().filter(|outcome| outcome.best_move() == mv).map(weight).sum()
    };
    let rank = |outcome: &Outcome| {
        let is_proven = outcome.best.score.is_win() && outcome.bound.is_lower();
        let proven = if is_proven { outcome.best.score } else { Score::DRAW };
        (proven, votes(outcome.best_move()), weight(outcome))
    };
    let mut chosen = 0;
    for candidate in 1..outcomes.len() {
        if rank(&outcomes[candidate]) > rank(&outcomes[chosen]) {
            chosen = candidate;
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Line;
    use crate::types::{Bound, MoveFlag, Square};

    fn outcome(to: usize, score: Score, depth: i32) -> Outcome {
        let mv = Move::new(Square::new(12), Square::new(to), MoveFlag::Quiet);
        Outcome {
            best: Line { score, moves: vec![mv] },
            bound: Bound::Exact,
            is_news: false,
            depth: Depth(depth),
            completed_score: score,
            selective_depth: 1,
            nodes: 1,
            null_moves: null_move::Stats::default(),
        }
    }

    #[test]
    fn the_majority_wins_and_the_main_worker_wins_ties() {
        let split =
            [outcome(20, Score(30), 12), outcome(28, Score(30), 12), outcome(28, Score(28), 12)];
        assert_eq!(vote(&split), 1);
        assert_eq!(vote(&[outcome(20, Score(30), 12), outcome(28, Score(30), 12)]), 0);
    }

    #[test]
    fn the_shortest_mate_beats_every_vote() {
        let outcomes = [
            outcome(20, Score(300), 30),
            outcome(20, Score(300), 30),
            outcome(28, Score::mate_in(9), 9),
            outcome(29, Score::mate_in(5), 9),
        ];
        assert_eq!(vote(&outcomes), 3);
    }
}
