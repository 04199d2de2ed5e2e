//! The thread pool of Lazy SMP: all threads search the same position and share the transposition
//! table and some histories ([`SharedHistories`]). The threads live from search to search; when a
//! search ends they vote on its result.

use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;

use parking_lot::{Condvar, Mutex};

use crate::free_memory::is_grantable;
use crate::search::{
    Outcome, Report, Search, SharedHistories, SharedSearch, ThreadData, null_move,
};
use crate::types::{Bound, Depth, Move, Score};

/// Stack of a thread. The deepest line takes about 2 MiB; the rest is never touched.
const STACK_BYTES: usize = 16 << 20;

/// Address space in MiB that is left to the rest of the process when threads are started: what the allocator
/// sets aside for each thread it takes in pieces of 64 MiB, and does without where there are none.
const SPARE_MEBIBYTES: usize = 64;

/// Called with the result of a search, on its main thread.
pub type Answer = Box<dyn FnOnce(&SearchResult) + Send>;

/// The result of a search by all threads.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// The outcome of the thread that won the vote.
    pub outcome: Outcome,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Positions that all threads have found in the tablebases.
    pub tb_hits: u64,
    /// Null-move statistics of all threads.
    pub null_moves: null_move::Stats,
}

enum Task {
    Search(Arc<Round>),
    Clear(Arc<Round>),
}

/// One search or one clearing of memory, from its start until all threads are done.
struct Round {
    /// `None` where memory is cleared.
    search: Option<Arc<SharedSearch>>,
    answer: Mutex<Option<Answer>>,
    outcomes: Mutex<Vec<Outcome>>,
    unfinished: Mutex<usize>,
    finished: Condvar,
}

impl Round {
    fn new(threads: usize, search: Option<Arc<SharedSearch>>, answer: Option<Answer>) -> Arc<Self> {
        Arc::new(Self {
            search,
            answer: Mutex::new(answer),
            outcomes: Mutex::default(),
            unfinished: Mutex::new(threads),
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

/// The inbox of a thread: its next task.
///
/// Not a channel: that yields the processor a few times before it sleeps, which on an overloaded
/// machine gives it away for whole time slices, at the cost of the next move.
#[derive(Default)]
struct Inbox {
    content: Mutex<Content>,
    changed: Condvar,
}

#[derive(Default)]
struct Content {
    task: Option<Task>,
    /// No more tasks will come.
    closed: bool,
}

impl Inbox {
    fn put(&self, task: Task) {
        self.content.lock().task = Some(task);
        self.changed.notify_one();
    }

    fn close(&self) {
        self.content.lock().closed = true;
        self.changed.notify_one();
    }

    /// Sleeps until there is a task; `None` if there will be no more.
    fn next(&self) -> Option<Task> {
        let mut content = self.content.lock();
        while content.task.is_none() && !content.closed {
            self.changed.wait(&mut content);
        }
        content.task.take()
    }
}

struct Worker {
    inbox: Arc<Inbox>,
    thread: Option<JoinHandle<()>>,
}

/// The threads of an engine.
pub struct Pool {
    workers: Vec<Worker>,
    histories: SharedHistories,
    /// The memory of a pool without threads of its own.
    own: Option<ThreadData>,
    /// Search or clearing that is under way, or was last.
    round: Option<Arc<Round>>,
}

impl Pool {
    /// Memory of a thread in MiB, its share of the shared histories and the touched part of its stack included.
    pub const MEBIBYTES_PER_THREAD: usize = 8;

    /// Starts a number of threads, at least one.
    ///
    /// # Errors
    /// Fails if the system gives no more threads, or not the memory that they need.
    pub fn new(threads: usize) -> io::Result<Self> {
        let threads = threads.max(1);
        // Asked for beforehand: an allocation that fails later would end the process.
        let per_thread = Self::MEBIBYTES_PER_THREAD + (STACK_BYTES >> 20);
        let spare = if threads > 1 { SPARE_MEBIBYTES } else { 0 };
        if !is_grantable(threads.saturating_mul(per_thread).saturating_add(spare)) {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        let histories = SharedHistories::new(threads);
        let workers = (0..threads)
            .map(|number| Worker::spawn(number, ThreadData::new(histories.clone())))
            .collect::<io::Result<_>>()?;
        let mut pool = Self { workers, histories, own: None, round: None };
        // Waits until the threads have their memory: the first search should not.
        pool.clear();
        Ok(pool)
    }

    /// Makes a pool that searches on the thread of the caller, whose stack must have room for a
    /// line of the greatest depth (2 MiB). Handing a search of a few hundred nodes to another
    /// thread would take a twentieth of its time.
    pub fn on_this_thread() -> Self {
        let histories = SharedHistories::new(1);
        let own = Some(ThreadData::new(histories.clone()));
        Self { workers: Vec::new(), histories, own, round: None }
    }

    /// Returns the number of threads, at least one.
    pub fn threads(&self) -> usize {
        self.workers.len().max(1)
    }

    /// Starts a search on all threads, or on one if its strength is limited, which then does not
    /// depend on their number; `answer` is called when the last one is done.
    pub fn start(&mut self, search: Arc<SharedSearch>, answer: Answer) {
        let threads = if search.handicap.is_some() { 1 } else { self.threads() };
        self.begin(threads, Some(search), Some(answer), Task::Search);
    }

    /// Clears the memory of all threads.
    pub fn clear(&mut self) {
        self.begin(self.threads(), None, None, Task::Clear);
        self.wait();
        self.histories.clear();
    }

    fn begin(
        &mut self,
        threads: usize,
        search: Option<Arc<SharedSearch>>,
        answer: Option<Answer>,
        task: fn(Arc<Round>) -> Task,
    ) {
        self.wait();
        let round = Round::new(threads, search, answer);
        if let Some(memory) = &mut self.own {
            run_task(0, task(Arc::clone(&round)), memory);
        }
        for worker in self.workers.iter().take(threads) {
            // The last task is done, so the inbox is empty.
            worker.inbox.put(task(Arc::clone(&round)));
        }
        self.round = Some(round);
    }

    /// Returns whether a search is under way.
    pub fn is_busy(&self) -> bool {
        self.round.as_ref().is_some_and(|round| *round.unfinished.lock() > 0)
    }

    /// Waits until the search is over and its answer has been given.
    pub fn wait(&mut self) {
        if let Some(round) = self.round.take() {
            round.wait_until_left(0);
        }
    }
}

impl Worker {
    fn spawn(number: usize, mut memory: ThreadData) -> io::Result<Self> {
        let inbox = Arc::<Inbox>::default();
        let tasks = Arc::clone(&inbox);
        let builder =
            std::thread::Builder::new().name(format!("worker {number}")).stack_size(STACK_BYTES);
        let thread = builder.spawn(move || work(number, &mut memory, &tasks))?;
        Ok(Self { inbox, thread: Some(thread) })
    }
}

impl Drop for Worker {
    /// Ends the thread after its search.
    fn drop(&mut self) {
        self.inbox.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The life of a thread: until its inbox is closed.
fn work(number: usize, memory: &mut ThreadData, inbox: &Inbox) {
    while let Some(task) = inbox.next() {
        run_task(number, task, memory);
    }
}

fn run_task(number: usize, task: Task, memory: &mut ThreadData) {
    match task {
        Task::Search(round) => search(number, &round, memory),
        Task::Clear(round) => {
            memory.clear();
            round.finish_one();
        }
    }
}

fn search(number: usize, round: &Round, memory: &mut ThreadData) {
    let Some(shared) = &round.search else { return };
    let outcome = Search::new(shared, memory, number).run();
    let mut outcomes = round.outcomes.lock();
    // The outcome of the main thread comes first: it wins ties.
    let place = if number == 0 { 0 } else { outcomes.len() };
    outcomes.insert(place, outcome);
    drop(outcomes);
    if number == 0 {
        give_answer(round, shared);
    }
    round.finish_one();
}

/// Ends the search of the other threads and answers for all; runs on the main thread.
fn give_answer(round: &Round, shared: &SharedSearch) {
    if shared.wait_for_stop {
        shared.control.wait_until(|_| false);
    } else {
        shared.control.wait_until(|control| !control.is_pondering());
    }
    shared.control.stop();
    round.wait_until_left(1);
    let outcomes = round.outcomes.lock();
    let mut null_moves = null_move::Stats::default();
    for outcome in outcomes.iter() {
        null_moves += &outcome.null_moves;
    }
    // With several lines the best is the first of those shown.
    let trusted = if shared.multi_pv > 1 { 0 } else { vote(&outcomes) };
    let mut chosen = outcomes[trusted].clone();
    // What the iteration that was cut short has won or lost by force is not among the alternatives.
    if let Some(handicap) = shared.handicap.filter(|_| !chosen.best.score.is_decisive()) {
        let scores: Vec<Score> = chosen.alternatives.iter().map(|line| line.score).collect();
        chosen.choose(handicap.choose(&scores));
    }
    let nodes = shared.control.nodes();
    // The outcome of the main thread, which alone reports, comes first. Without a finished iteration
    // there may be no score to report.
    let is_stale = chosen.depth > Depth::ZERO && outcomes[0].reported_nodes != nodes;
    if chosen.unreported || is_stale {
        report(shared, &chosen, nodes);
    }
    let result = SearchResult {
        outcome: chosen,
        nodes: outcomes.iter().map(|outcome| outcome.nodes).sum(),
        tb_hits: shared.control.tb_hits(),
        null_moves,
    };
    if let Some(answer) = round.answer.lock().take() {
        answer(&result);
    }
}

/// Reports the lines once more, the one that is played first, so that the last report has all nodes.
fn report(shared: &SharedSearch, outcome: &Outcome, nodes: u64) {
    for (number, line) in (1..).zip(outcome.shown_lines(shared.multi_pv)) {
        let is_new = number == 1 && outcome.unreported;
        let report = Report {
            depth: outcome.depth.max(Depth::ONE),
            selective_depth: line.selective_depth,
            multi_pv: number,
            score: line.score,
            bound: if is_new { outcome.bound } else { Bound::Exact },
            nodes,
            tb_hits: shared.control.tb_hits(),
            elapsed: shared.budget.elapsed(nodes),
            table: &shared.table,
            pv: &line.moves,
            is_brief: shared.is_brief(),
        };
        if is_new { shared.sink.report(&report) } else { shared.sink.repeat(&report) }
    }
}

/// Returns the index of the outcome to trust. A thread votes for its move with its depth times its
/// lead over the most pessimistic score; a proven win beats any vote, the shortest first. Where all
/// threads have proven a loss, the longest defence counts.
fn vote(outcomes: &[Outcome]) -> usize {
    /// Lead of the most pessimistic thread, in centipawns.
    const LEAST_LEAD: i64 = 10;
    let searched = || outcomes.iter().filter(|outcome| outcome.depth > Depth::ZERO);
    let is_lost = searched().all(|it| it.best.score.is_loss() && it.bound.is_upper());
    let lowest = searched().map(|outcome| outcome.best.score).min().unwrap_or(Score::DRAW);
    let weight = |outcome: &Outcome| {
        (i64::from(outcome.best.score - lowest) + LEAST_LEAD) * i64::from(outcome.depth.0)
    };
    let votes = |mv: Move| -> i64 {
        outcomes.iter().filter(|outcome| outcome.best_move() == mv).map(weight).sum()
    };
    let rank = |outcome: &Outcome| {
        let is_won = outcome.best.score.is_win() && outcome.bound.is_lower();
        let proven = if is_won || is_lost { outcome.best.score } else { Score::DRAW };
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
    use crate::types::{MoveFlag, Square};

    fn outcome(to: usize, score: Score, depth: i32) -> Outcome {
        let mv = Move::new(Square::new(12), Square::new(to), MoveFlag::Quiet);
        let line = Line { score, moves: vec![mv], selective_depth: 1 };
        Outcome {
            best: line.clone(),
            completed: line,
            bound: Bound::Exact,
            unreported: false,
            alternatives: Vec::new(),
            depth: Depth(depth),
            completed_score: score,
            selective_depth: 1,
            nodes: 1,
            reported_nodes: 0,
            null_moves: null_move::Stats::default(),
        }
    }

    #[test]
    fn the_majority_wins_and_the_main_thread_wins_ties() {
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

    #[test]
    fn the_longest_defence_is_chosen_where_all_is_lost() {
        let mut outcomes = [
            outcome(20, Score::mated_in(6), 30),
            outcome(20, Score::mated_in(6), 30),
            outcome(28, Score::mated_in(12), 9),
        ];
        assert_eq!(vote(&outcomes), 2);
        outcomes[1].best.score = Score(-300);
        assert_eq!(vote(&outcomes), 1, "one thread still has hope");
    }
}
