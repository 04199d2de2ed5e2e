//! Every form of `go`, and what a search reports.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use nullarbor_tests::{Dialogue, Info, KIWIPETE, PATIENCE, START, Score, Search, is_error};

/// Mate in two by a sacrifice on the back rank, and the same after its first move.
const MATE_IN_TWO: &str = "r5k1/5ppp/8/8/8/8/3R1PPP/3R2K1 w - - 0 1";
const MATED_IN_ONE: &str = "r2R2k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 1 1";
const STALEMATE: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";
const CHECKMATE: &str = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1";

fn assert_legal(dialogue: &mut Dialogue, best_move: &str) {
    let legal = dialogue.legal_moves();
    assert!(legal.iter().any(|name| name == best_move), "{best_move} is not among {legal:?}");
}

/// Searches one position in one form of `go`, and holds the answer and every variation against the rules.
fn checked_search(fen: &str, limits: &str) -> Search {
    let mut dialogue = Dialogue::start();
    dialogue.fen(fen);
    let search = dialogue.go(limits);
    assert_legal(&mut dialogue, &search.best_move);
    for info in &search.infos {
        assert!(!info.variation.is_empty(), "an empty variation in {:#?}", search.lines);
        // An illegal move in a variation is refused here.
        dialogue.position(&format!("fen {fen} moves {}", info.variation.join(" ")));
    }
    if let Some(reply) = &search.ponder {
        dialogue.position(&format!("fen {fen} moves {} {reply}", search.best_move));
    }
    dialogue.quit();
    search
}

#[test]
fn answers_are_legal_in_every_form_of_go() {
    let forms = [
        "depth 6",
        "nodes 20000",
        "movetime 100",
        "wtime 1000 btime 1000",
        "wtime 1000 btime 1000 winc 10 binc 10",
        "wtime 2000 btime 2000 movestogo 40",
        "wtime 2000 btime 2000 winc 0 binc 0 movestogo 1",
        "depth 6 nodes 1000000 movetime 5000",
        "depth 1",
        "nodes 1",
        "movetime 1",
        "wtime 1 btime 1",
        // A GUI that counts the lag may send what is below zero.
        "wtime -20 btime -20",
    ];
    for (index, limits) in forms.into_iter().enumerate() {
        let fen = [KIWIPETE, START, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1"][index % 3];
        checked_search(fen, limits);
    }
}

#[test]
fn depth_limits_the_depth() {
    let search = checked_search(KIWIPETE, "depth 7");
    let depths: Vec<u32> = search.infos.iter().map(|info| info.depth).collect();
    assert_eq!(depths.last(), Some(&7), "{depths:?}");
    assert!(depths.is_sorted() && depths[0] == 1, "{depths:?}");
    assert_eq!(search.last().variation[0], search.best_move);
}

#[test]
fn nodes_limits_the_nodes() {
    for limit in [5_000, 50_000] {
        let nodes = checked_search(KIWIPETE, &format!("nodes {limit}")).last().nodes;
        // One thread meets its limit, and the last line has all nodes.
        assert_eq!(nodes, limit);
    }
}

#[test]
fn the_last_lines_have_the_final_counters() {
    for (lines, threads) in [("1", "1"), ("3", "1"), ("1", "3"), ("3", "3"), ("256", "1")] {
        let mut dialogue = Dialogue::start();
        dialogue.set("MultiPV", lines);
        dialogue.set("Threads", threads);
        dialogue.fen(KIWIPETE);
        let legal = dialogue.legal_moves().len();
        let wanted = legal.min(lines.parse().expect("a number"));
        for limits in ["nodes 12000", "nodes 20000", "movetime 300", "depth 6", "nodes 1"] {
            let search = dialogue.go(limits);
            let last = &search.infos[search.infos.len() - wanted..];
            let context = format!("{lines} {threads} {limits}: {:#?}", search.lines);
            let final_nodes = last[0].nodes;
            assert!(last.iter().all(|it| it.nodes == final_nodes), "{context}");
            assert!(search.infos.iter().all(|it| it.nodes <= final_nodes), "{context}");
            let ranks: Vec<usize> = last.iter().map(|it| it.rank as usize).collect();
            assert_eq!(ranks, (1..=wanted).collect::<Vec<_>>(), "{context}");
            let first: HashSet<&String> = last.iter().map(|it| &it.variation[0]).collect();
            assert_eq!(first.len(), wanted, "{context}");
            assert_eq!(last[0].variation[0], search.best_move, "{context}");
            assert!(last[1..].iter().all(|it| it.bound.is_none()), "{context}");
            if let Some(limit) = limits.strip_prefix("nodes ")
                && threads == "1"
                && limit != "1"
            {
                assert_eq!(final_nodes.to_string(), limit, "{context}");
            }
            if limits == "movetime 300" {
                assert!(last[wanted - 1].time >= 280, "{context}");
            }
        }
        dialogue.begin("infinite");
        // A busy machine may read `go` late: by its first line the clock runs.
        dialogue.process.read_until("info", PATIENCE, |line| line.starts_with("info depth "));
        dialogue.process.read_for(Duration::from_millis(300));
        let search = dialogue.stop();
        let time = search.last().time;
        assert!(time >= 290, "stopped after {time} ms: {:#?}", search.lines);
        dialogue.quit();
    }
}

#[test]
fn a_certain_draw_is_zero() {
    for (fen, limits) in [
        // The fifty-move rule, too little material, bare kings, stalemate or mate by force of the rules.
        ("4k3/8/8/8/8/8/8/R3K3 w - - 100 80", "depth 6"),
        ("4k3/8/8/8/8/8/8/R3K3 b - - 99 80", "depth 7"),
        ("4k3/8/8/8/8/8/8/4KN2 w - - 0 1", "depth 8"),
        ("4k3/8/8/8/8/8/8/4KB2 b - - 0 1", "nodes 3000"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "depth 95"),
        ("7k/8/8/8/8/8/8/K6n w - - 0 1", "depth 3"),
    ] {
        let search = checked_search(fen, limits);
        assert!(!search.infos.is_empty(), "{fen}: {:#?}", search.lines);
        for info in &search.infos {
            assert_eq!(info.score, Score::Centipawns(0), "{fen}: {:#?}", search.lines);
        }
    }
}

#[test]
fn movetime_is_used() {
    let search = checked_search(KIWIPETE, "movetime 300");
    assert!(search.elapsed >= Duration::from_millis(200), "{:?}", search.elapsed);
}

#[test]
fn info_lines_agree_with_each_other() {
    // Deep enough for a speed that can be checked, on any machine.
    let search = checked_search(KIWIPETE, "depth 16");
    for pair in search.infos.windows(2) {
        assert!(
            pair[0].nodes <= pair[1].nodes && pair[0].time <= pair[1].time,
            "{:#?}",
            search.lines
        );
    }
    for info in &search.infos {
        assert!(info.rank == 1 && info.selective_depth >= 1 && info.hashfull <= 1000, "{info:?}");
        assert!(info.nodes > 0 && info.wdl.is_none(), "{info:?}");
        // Speed is nodes over a time that the line shows in whole milliseconds.
        if info.time >= 20 {
            let speed = info.nodes * 1000 / info.time;
            assert!(info.speed.abs_diff(speed) <= speed / 8, "{info:?}");
        }
    }
    let last = search.last();
    assert!(last.time >= 20, "no speed was checked: {last:?}");
    assert!(last.selective_depth >= last.depth / 2 && last.variation.len() > 1, "{last:?}");
}

#[test]
fn long_searches_name_the_current_move() {
    let mut dialogue = Dialogue::start();
    dialogue.fen(KIWIPETE);
    let legal = dialogue.legal_moves();
    let since = dialogue.begin("infinite");
    let limit = PATIENCE;
    let lines = dialogue.process.read_until("currmove", limit, |line| line.contains(" currmove "));
    let last = &lines[lines.len() - 1];
    assert!(last.at - since > Duration::from_millis(900), "currmove so early only fills the pipe");
    let words: Vec<&str> = last.text.split(' ').collect();
    let after =
        |word: &str| words.iter().position(|at| *at == word).and_then(|at| words.get(at + 1));
    assert!(
        after("currmove").is_some_and(|name| legal.iter().any(|legal| legal == name)),
        "{}",
        last.text
    );
    let number = after("currmovenumber").and_then(|number| number.parse::<usize>().ok());
    assert!(number.is_some_and(|number| (1..=legal.len()).contains(&number)), "{}", last.text);
    dialogue.stop();
    dialogue.quit();
}

#[test]
fn searchmoves_binds_the_answer() {
    let mut dialogue = Dialogue::start();
    let search = dialogue.go("depth 6 searchmoves a2a3 h2h3");
    let allowed = ["a2a3", "h2h3"];
    assert!(allowed.contains(&search.best_move.as_str()), "{search:#?}");
    assert!(
        search.infos.iter().all(|info| allowed.contains(&info.variation[0].as_str())),
        "{search:#?}"
    );
    // The words may stand in any order, and the restriction ends with the search.
    assert_eq!(dialogue.go("searchmoves a2a3 depth 4").best_move, "a2a3");
    assert!(!allowed.contains(&dialogue.go("depth 8").best_move.as_str()));
    dialogue.quit();
}

#[test]
fn multipv_ranks_different_moves() {
    let mut dialogue = Dialogue::start();
    dialogue.set("MultiPV", "4");
    dialogue.fen(KIWIPETE);
    let search = dialogue.go("depth 7");
    let last: Vec<&Info> =
        search.infos.iter().filter(|info| info.depth == 7 && info.bound.is_none()).collect();
    let last = &last[last.len().saturating_sub(4)..];
    assert_eq!(
        last.iter().map(|info| info.rank).collect::<Vec<_>>(),
        [1, 2, 3, 4],
        "{:#?}",
        search.lines
    );
    let first: HashSet<&String> = last.iter().map(|info| &info.variation[0]).collect();
    assert_eq!(first.len(), 4, "{:#?}", search.lines);
    let value = |info: &&Info| match info.score {
        Score::Centipawns(score) => score,
        Score::Mate(_) => panic!("no mate is near: {info:?}"),
    };
    assert!(last.iter().map(value).rev().is_sorted(), "{:#?}", search.lines);
    assert_eq!(last[0].variation[0], search.best_move);
    // No more lines than moves: here the king has two squares and a capture is not among them.
    dialogue.fen("7k/8/8/8/8/8/r7/7K w - - 0 1");
    let moves = dialogue.legal_moves().len();
    let ranks = dialogue.go("depth 5").infos.iter().map(|info| info.rank).max();
    assert!(moves < 4 && ranks == u32::try_from(moves).ok(), "{moves} moves, {ranks:?} lines");
    dialogue.quit();
}

#[test]
fn a_hundred_centipawns_win_half_of_the_games_at_move_32() {
    let mut dialogue = Dialogue::start();
    dialogue.set("UCI_ShowWDL", "true");
    let mut sides = [0, 0];
    // Pieces and pawns more or less, so that scores lie on both sides of the pawn that wins half of the games.
    for black in
        ["rnbqkbnr/pppppppp", "rnbqkbnr/ppppppp1", "rnbqkbnr/pppp1pp1", "r1bqkbnr/pppppppp"]
    {
        for white in ["PPPPPPPP/RNBQKBNR", "PPP1PPPP/RNBQKBNR"] {
            dialogue.fen(&format!("{black}/8/8/8/8/{white} w KQkq - 0 32"));
            for info in dialogue.go("depth 8").infos {
                let (Score::Centipawns(cp), Some([win, ..])) = (info.score, info.wdl) else {
                    continue;
                };
                assert!(cp < 100 || win >= 497, "{info:?}");
                assert!(cp > 100 || win <= 503, "{info:?}");
                sides[usize::from(cp > 100)] += 1;
            }
        }
    }
    assert!(sides.iter().all(|&count| count >= 5), "{sides:?}");
    // The same score wins less often early than late, or more: the model knows the move.
    let win = |dialogue: &mut Dialogue, number: u32| {
        dialogue.new_game();
        dialogue.fen(&format!("rnbqkbnr/ppppppp1/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 {number}"));
        let search = dialogue.go("depth 1");
        (search.last().score, search.last().wdl)
    };
    let (early, late) = (win(&mut dialogue, 8), win(&mut dialogue, 60));
    assert!(early.0 == late.0 && early.1 != late.1, "{early:?} {late:?}");
    dialogue.quit();
}

#[test]
fn wdl_is_shown_on_demand() {
    let mut dialogue = Dialogue::start();
    dialogue.set("UCI_ShowWDL", "true");
    let wdl = |search: &Search| {
        search.last().wdl.unwrap_or_else(|| panic!("no wdl in {:#?}", search.lines))
    };
    let level = dialogue.go("depth 6");
    assert!(
        level.infos.iter().all(|info| info.wdl.is_some_and(|wdl| wdl.iter().sum::<u32>() == 1000)),
        "{level:#?}"
    );
    dialogue.fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR b KQkq - 0 1");
    let ahead = wdl(&dialogue.go("depth 6"));
    dialogue.fen("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1");
    let behind = wdl(&dialogue.go("depth 6"));
    assert!(ahead[0] > 800 && behind[2] > 800, "a queen up {ahead:?}, a queen down {behind:?}");
    for (fen, is_over) in [
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", true),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 100 80", true),
        // Over at the next move, whatever it is.
        ("4k3/8/8/8/8/8/8/R3K3 b - - 99 80", false),
    ] {
        dialogue.fen(fen);
        let [win, draw, loss] = wdl(&dialogue.go("depth 4"));
        assert!(win == loss && (draw == 1000 || !is_over), "{fen}: {win} {draw} {loss}");
    }
    dialogue.set("UCI_ShowWDL", "false");
    assert!(dialogue.go("depth 3").last().wdl.is_none());
    dialogue.quit();
}

#[test]
fn finds_mates() {
    for limits in ["mate 2", "depth 8"] {
        let search = checked_search(MATE_IN_TWO, limits);
        assert_eq!(search.last().score, Score::Mate(2), "{search:#?}");
        assert_eq!(search.best_move, "d2d8");
    }
    // The side that is mated sees it too.
    for limits in ["mate 1", "depth 6"] {
        let search = checked_search(MATED_IN_ONE, limits);
        assert_eq!(search.last().score, Score::Mate(-1), "{search:#?}");
    }
}

#[test]
fn a_finished_game_has_no_move() {
    for fen in [STALEMATE, CHECKMATE] {
        let mut dialogue = Dialogue::start();
        dialogue.fen(fen);
        for limits in ["depth 5", "movetime 50", "wtime 1000 btime 1000"] {
            let search = dialogue.go(limits);
            assert_eq!(search.best_move, "0000");
            let errors = search.lines.iter().filter(|line| is_error(line)).count();
            assert_eq!(errors, 1, "{search:#?}");
        }
        dialogue.quit();
    }
}

#[test]
fn infinite_waits_for_stop() {
    for fen in [START, MATE_IN_TWO, STALEMATE, "7k/8/6K1/8/8/8/8/6R1 w - - 0 1"] {
        for limits in ["infinite", ""] {
            let mut dialogue = Dialogue::start();
            dialogue.fen(fen);
            dialogue.begin(limits);
            let early = dialogue.process.read_for(Duration::from_millis(200));
            assert!(
                !early.iter().any(|line| line.text.starts_with("bestmove")),
                "{fen}: {early:#?}"
            );
            dialogue.stop();
            dialogue.quit();
        }
    }
}

#[test]
fn answers_while_thinking() {
    let mut dialogue = Dialogue::start();
    dialogue.begin("infinite");
    for _ in 0..5 {
        let since = Instant::now();
        let between = dialogue.ready();
        assert!(since.elapsed() < Duration::from_millis(500), "readyok took {:?}", since.elapsed());
        assert!(!between.iter().any(|line| line.starts_with("bestmove")), "{between:#?}");
    }
    let search = dialogue.stop();
    assert_legal(&mut dialogue, &search.best_move);
    dialogue.quit();
}

#[test]
fn stop_gives_one_answer() {
    let mut dialogue = Dialogue::start();
    let legal = dialogue.legal_moves();
    for _ in 0..30 {
        dialogue.begin("infinite");
        let search = dialogue.stop();
        assert!(legal.contains(&search.best_move), "{search:#?}");
        // A stop that comes after the end is no error and has no answer.
        assert_eq!(dialogue.command("stop"), Vec::<String>::new());
    }
    dialogue.quit();
}

#[test]
fn pondering_waits_and_then_keeps_the_clock() {
    let mut dialogue = Dialogue::start();
    dialogue.set("Ponder", "true");
    dialogue.position("startpos moves e2e4 e7e5");
    dialogue.begin("ponder wtime 600 btime 600");
    // Longer than the clock: while pondering it does not run.
    let early = dialogue.process.read_for(Duration::from_millis(900));
    assert!(!early.iter().any(|line| line.text.starts_with("bestmove")), "{early:#?}");
    let since = dialogue.process.send("ponderhit");
    let search = dialogue.finish_search(since);
    assert!(search.elapsed <= Duration::from_millis(600), "{:?}", search.elapsed);
    assert_legal(&mut dialogue, &search.best_move);
    dialogue.begin("ponder wtime 600 btime 600");
    let search = dialogue.stop();
    assert_legal(&mut dialogue, &search.best_move);
    dialogue.begin("ponder depth 4");
    let early = dialogue.process.read_for(Duration::from_millis(300));
    assert!(!early.iter().any(|line| line.text.starts_with("bestmove")), "{early:#?}");
    let since = dialogue.process.send("ponderhit");
    dialogue.finish_search(since);
    assert_eq!(dialogue.command("ponderhit"), Vec::<String>::new());
    dialogue.begin("ponder infinite depth 2");
    dialogue.process.send("ponderhit");
    let early = dialogue.process.read_for(Duration::from_millis(300));
    assert!(!early.iter().any(|line| line.text.starts_with("bestmove")), "{early:#?}");
    let search = dialogue.stop();
    assert_legal(&mut dialogue, &search.best_move);
    dialogue.quit();
}

#[test]
fn proposes_a_move_to_ponder() {
    let search = checked_search(KIWIPETE, "depth 8");
    assert_eq!(search.ponder.as_ref(), search.last().variation.get(1), "{search:#?}");
    assert!(search.ponder.is_some());
}

#[test]
fn repetition_is_seen_across_position() {
    let mut dialogue = Dialogue::start();
    // A queen up, and yet a draw: the knight's move brings the position back for the third time.
    let fen = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    dialogue.position(&format!("fen {fen} moves {}", "g1f3 g8f6 f3g1 f6g8 ".repeat(2).trim()));
    let search = dialogue.go("depth 3 searchmoves g1f3");
    assert!(
        matches!(search.last().score, Score::Centipawns(score) if score.abs() <= 20),
        "{search:#?}"
    );
    dialogue.quit();
}

#[test]
fn no_budget_is_too_small_for_a_searched_move() {
    for limits in ["movetime 1", "movetime 10", "wtime 1 btime 1", "nodes 1"] {
        let mut dialogue = Dialogue::start();
        dialogue.position("startpos moves e2e4 e7e5");
        let search = dialogue.go(limits);
        assert!(!search.infos.is_empty(), "{limits}: {search:#?}");
        dialogue.quit();
    }
}

#[test]
fn the_first_iteration_ends_where_captures_explode() {
    const QUEENS: &str = "4k3/2Q2qn1/1Qbb1QqR/1qQ1r3/QQ3qqq/1rKQ1Qq1/1nN1Bq2/2QBRN1q w - - 0 1";
    for limits in ["nodes 20000", "movetime 20"] {
        let mut dialogue = Dialogue::start();
        dialogue.fen(QUEENS);
        let search = dialogue.go(limits);
        assert_legal(&mut dialogue, &search.best_move);
        // Without a limit it takes 15 million.
        assert!(search.infos.iter().all(|info| info.nodes < 1_000_000), "{search:#?}");
        dialogue.quit();
    }
}

#[test]
fn a_node_limit_does_not_end_infinite() {
    let mut dialogue = Dialogue::start();
    for limits in ["infinite nodes 2000", "ponder nodes 2000"] {
        dialogue.begin(limits);
        let early = dialogue.process.read_for(Duration::from_millis(200));
        assert!(!early.iter().any(|line| line.text.starts_with("bestmove")), "{early:#?}");
        dialogue.stop();
    }
    dialogue.quit();
}

#[test]
fn repeated_searchmoves_count_once() {
    let mut dialogue = Dialogue::start();
    dialogue.set("MultiPV", "2");
    let search = dialogue.go("searchmoves e2e4 e2e4 depth 4");
    assert!(search.infos.iter().all(|info| info.rank == 1), "{search:#?}");
    dialogue.quit();
}
