//! Many threads, few threads, and the same tree every time with one.

use std::time::Duration;

use nullarbor_tests::{Dialogue, KIWIPETE, START};

fn engine(threads: &str) -> Dialogue {
    let mut dialogue = Dialogue::start();
    dialogue.set("Threads", threads);
    dialogue
}

#[test]
fn one_thread_searches_the_same_tree_every_time() {
    for limits in ["nodes 40000", "depth 9"] {
        let mut dialogue = engine("1");
        let mut run = || {
            dialogue.new_game();
            dialogue.fen(KIWIPETE);
            let first = dialogue.go(limits).trace();
            // The second search finds what the first has left in table and histories.
            dialogue.position(&format!("fen {KIWIPETE} moves e1g1"));
            [first, dialogue.go(limits).trace()]
        };
        let first = run();
        assert!(first[0].len() > 3, "{first:#?}");
        assert_eq!(run(), first);
        assert_eq!(run(), first);
        dialogue.quit();
        let mut other = engine("1");
        other.fen(KIWIPETE);
        assert_eq!(other.go(limits).trace(), first[0], "a fresh process is a new game");
        other.quit();
    }
}

#[test]
fn neither_threads_nor_table_leave_a_trace_after_a_new_game() {
    let mut dialogue = engine("1");
    dialogue.fen(KIWIPETE);
    let first = dialogue.go("depth 8").trace();
    dialogue.set("Threads", "3");
    dialogue.set("Hash", "4");
    dialogue.go("depth 8");
    dialogue.set("Hash", "16");
    dialogue.set("Threads", "1");
    dialogue.new_game();
    let mut fresh = engine("1");
    fresh.set("Hash", "16");
    fresh.fen(KIWIPETE);
    assert_eq!(dialogue.go("depth 8").trace(), fresh.go("depth 8").trace());
    assert!(first.len() > 5);
}

#[test]
fn two_threads_search_together() {
    let mut dialogue = engine("2");
    for fen in [START, KIWIPETE] {
        dialogue.fen(fen);
        let legal = dialogue.legal_moves();
        let search = dialogue.go("depth 10");
        assert!(legal.contains(&search.best_move), "{search:#?}");
        // The line that wins the vote comes last, and may be that of a worker cut short one ply before.
        assert_eq!(search.infos.iter().map(|info| info.depth).max(), Some(10));
        for info in &search.infos {
            dialogue.position(&format!("fen {fen} moves {}", info.variation.join(" ")));
        }
    }
    dialogue.quit();
}

#[test]
fn nodes_of_all_threads_are_counted() {
    let mut dialogue = engine("4");
    dialogue.fen(KIWIPETE);
    let nodes = dialogue.go("nodes 100000").last().nodes;
    assert!((5_000..200_000).contains(&nodes), "go nodes 100000 searched {nodes}");
    dialogue.quit();
}

#[test]
fn threads_come_and_go() {
    let mut dialogue = Dialogue::start();
    for threads in ["2", "1", "8", "3", "16", "1"] {
        dialogue.set("Threads", threads);
        assert!(!dialogue.go("depth 5").infos.is_empty());
        // Twice without a search between, and to the number that is already there.
        dialogue.set("Threads", "5");
        dialogue.set("Threads", "5");
    }
    dialogue.quit();
}

#[test]
fn sixty_four_threads_answer() {
    let mut dialogue = engine("64");
    let legal = dialogue.legal_moves();
    assert!(legal.contains(&dialogue.go("movetime 300").best_move));
    dialogue.begin("infinite");
    dialogue.process.read_for(Duration::from_millis(100));
    assert!(legal.contains(&dialogue.stop().best_move));
    dialogue.quit();
}

#[test]
#[cfg(target_os = "linux")]
fn a_thread_takes_no_more_memory_than_documented() {
    /// MiB, by engine/README.md.
    const PER_THREAD: u64 = 8;
    let peak = |threads: &str| {
        let mut dialogue = engine(threads);
        dialogue.go("movetime 1000");
        let peak = dialogue.process.peak_memory();
        dialogue.quit();
        peak >> 20
    };
    let (one, many) = (peak("1"), peak("33"));
    let (least, most) = (one + 32, one + 32 * PER_THREAD);
    assert!((least..=most).contains(&many), "{one} MiB with one thread, {many} MiB with 33");
}

#[test]
fn quick_cycles_lose_no_answer() {
    for threads in ["1", "4"] {
        let mut dialogue = engine(threads);
        let legal = dialogue.legal_moves();
        for cycle in 0..200 {
            let search = match cycle % 4 {
                0 => dialogue.go("nodes 100"),
                1 => dialogue.go("depth 1"),
                2 => dialogue.go("movetime 1"),
                _ => {
                    dialogue.begin("infinite");
                    dialogue.stop()
                }
            };
            assert!(legal.contains(&search.best_move), "{search:#?}");
        }
        // Had one of them been answered twice, it would stand here.
        assert_eq!(dialogue.ready(), Vec::<String>::new());
        dialogue.quit();
    }
}

#[test]
fn the_table_can_be_resized_and_cleared_between_searches() {
    let mut dialogue = engine("2");
    for megabytes in ["1", "64", "2", "17", "1"] {
        dialogue.set("Hash", megabytes);
        dialogue.fen(KIWIPETE);
        assert!(!dialogue.go("depth 8").infos.is_empty());
        dialogue.accept("setoption name Clear Hash");
    }
    dialogue.quit();
}

#[test]
fn a_small_table_fills_and_is_cleared() {
    let mut dialogue = engine("1");
    dialogue.set("Hash", "1");
    dialogue.fen(KIWIPETE);
    let fill = dialogue.go("nodes 400000").last().hashfull;
    assert!(
        (300..=1000).contains(&fill),
        "a table of 1 MiB after 400000 nodes: {fill} in a thousand"
    );
    dialogue.accept("setoption name Clear Hash");
    let fill = dialogue.go("depth 1").last().hashfull;
    assert!(fill <= 20, "after Clear Hash: {fill} in a thousand");
    dialogue.quit();
}
