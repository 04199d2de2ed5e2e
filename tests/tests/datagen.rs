//! Training games and networks.

use std::fs;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use nullarbor_tests::{Dialogue, Files, PATIENCE, Tournament, offline_page, run, unsealed};

fn words(text: &str) -> Vec<&str> {
    text.split_ascii_whitespace().collect()
}

/// No file may grow beyond a few kilobytes, as on a disk that is full.
#[cfg(unix)]
#[test]
fn a_full_disk_is_an_error_and_loses_nothing() {
    use std::process::Command;
    let folder = Tournament::new();
    let full = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 16; exec \"$0\" \"$@\""])
        .arg(nullarbor_tests::tuner())
        .args(words(GAMES))
        .arg("games")
        .current_dir(folder.path(""))
        .output()
        .expect("a shell");
    let errors = String::from_utf8_lossy(&full.stderr);
    assert_eq!(full.status.code(), Some(1), "{errors}");
    assert!(errors.contains("error: games/000000.partial"), "{errors}");
    let left: Vec<_> = fs::read_dir(folder.path("games")).expect("a folder").collect();
    assert_eq!(left.len(), 2, "nothing but the manifest and the games so far: {left:?}");
    generate(&folder, "games", "2");
    let shard = |folder: &Tournament| fs::read(folder.path("games/000000.games")).expect("games");
    assert_eq!(shard(&folder), shard(&with_games()));
}

const GAMES: &str = "datagen --games 560 --nodes 20 --natural 0 --plies 40 --seed 4 --quiet --out";

fn generate(folder: &Tournament, out: &str, threads: &str) {
    folder.succeed(&[&words(GAMES)[..], &[out, "--threads", threads]].concat());
}

/// A folder with these games in `games`, which two threads play once for all tests.
fn with_games() -> Tournament {
    static FILES: OnceLock<Files> = OnceLock::new();
    let files = FILES.get_or_init(|| {
        let folder = Tournament::new();
        generate(&folder, "games", "2");
        folder.files("games")
    });
    Tournament::with("games", files)
}

#[test]
fn games_do_not_depend_on_threads_and_are_resumed() {
    let folder = with_games();
    generate(&folder, "one", "1");
    let bytes = |name: &str| fs::read(folder.path(name)).expect(name);
    for file in ["000000.games", "000001.games"] {
        assert_eq!(bytes(&format!("one/{file}")), bytes(&format!("games/{file}")));
    }
    // As if it had been killed after the first file.
    let manifest = folder.read("one/manifest.jsonl");
    let lines: Vec<&str> = manifest.lines().collect();
    assert_eq!(lines.len(), 3);
    folder.write("games/manifest.jsonl", &format!("{}\n{}\n{{\"numb", lines[0], lines[1]));
    fs::remove_file(folder.path("games/000001.games")).expect("it was there");
    generate(&folder, "games", "3");
    assert_eq!(bytes("one/000001.games"), bytes("games/000001.games"));
    assert_eq!(folder.read("games/manifest.jsonl").lines().count(), 3);
    let check = folder.succeed(&words("datagen check one games")).lines;
    assert!(check.iter().any(|line| line.contains("all games are legal")), "{check:?}");
    let other = [&words(GAMES)[..], &["one", "--window", "200"]].concat();
    let refused = folder.refuse(&other, 1);
    assert!(refused.contains("other settings: window: 600 then, 200 now"), "{refused}");
    // As if this engine had played them: only the manifest says with how many nodes it was.
    let changed = manifest.replace("\"nodes\":20", "\"nodes\":90");
    folder.write("one/manifest.jsonl", &changed);
    assert!(folder.refuse(&words("datagen info one"), 1).contains("line 1: its checksum is wrong"));
    folder.write("one/manifest.jsonl", &of_earlier_version(&changed));
    let other = GAMES.replace("--nodes 20", "--nodes 90") + " one";
    assert!(folder.refuse(&words(&other), 1).contains("another engine or book"));
}

/// The manifest as versions without checksums wrote it.
fn of_earlier_version(manifest: &str) -> String {
    let text: String = manifest.lines().map(|line| unsealed(line) + "\n").collect();
    let first = text.split(':').next().unwrap_or_default();
    text.replacen(&format!("{first}:2,"), &format!("{first}:1,"), 1)
}

#[test]
fn a_run_that_is_killed_loses_only_the_games_under_way() {
    let folder = Tournament::new();
    // Slower games than elsewhere, so that there is time to kill.
    let slow = GAMES.replace("--nodes 20", "--nodes 60");
    let run = |out| [&words(&slow)[..], &[out, "--threads", "2"]].concat();
    let words = run("games");
    let finished = || -> usize {
        let files = ["000000.partial", "000001.partial", "manifest.jsonl"];
        let lines = |name: &str| {
            let path = folder.path("games").join(name);
            fs::read_to_string(path).map_or(0, |text| text.lines().count().saturating_sub(1))
        };
        match files.map(lines) {
            [first, second, 0] => first + second,
            // The first file stays for a while.
            [_, second, 1] => 512 + second,
            _ => 560,
        }
    };
    let mut kills = 0;
    for kill_at in [20, 200, 520] {
        let process = folder.start(&words);
        while finished() < kill_at {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        // Dropping kills at once, as `kill -9` does.
        drop(process);
        let left = finished();
        kills += u32::from(left < 560);
        let again = folder.start(&words);
        std::thread::sleep(std::time::Duration::from_millis(300));
        drop(again);
        // The last line may have been cut short.
        assert!(finished() + 1 >= left, "{} of {left} games are left", finished());
    }
    assert!(kills >= 2, "the run was over too soon to be disturbed");
    folder.succeed(&words);
    folder.succeed(&run("undisturbed"));
    for file in ["000000.games", "000001.games", "manifest.jsonl"] {
        let bytes = |out: &str| fs::read(folder.path(out).join(file)).expect(file);
        assert!(bytes("undisturbed") == bytes("games"), "{file}");
    }
    let left = fs::read_dir(folder.path("games")).expect("a folder").count();
    assert_eq!(left, 3, "files of incomplete shards are deleted");
}

#[test]
fn quick_searches_are_played_and_not_trained_on() {
    const PLAIN: &str = "datagen --games 40 --nodes 60 --natural 0 --seed 4 --quiet";
    let folder = Tournament::new();
    let play = |out: &str| folder.succeed(&words(&format!("{PLAIN} --quick 75 --out {out}"))).lines;
    let bytes = |name: &str| fs::read(folder.path(name)).expect(name);
    let lines = play("one --threads 1");
    assert!(lines.iter().any(|line| line.contains(", 75 % of the searches at 10, ")), "{lines:?}");
    // Killed after its first games.
    let begun = folder.start(&words(&format!("{PLAIN} --quick 75 --out killed --threads 2")));
    let has = |name: &str| folder.path(name).exists();
    while !has("killed/000000.partial") && !has("killed/000000.games") {
        thread::sleep(Duration::from_millis(1));
    }
    drop(begun);
    play("killed --threads 2");
    for file in ["000000.games", "manifest.jsonl"] {
        assert!(bytes(&format!("killed/{file}")) == bytes(&format!("one/{file}")), "{file}");
    }
    for other in ["", "--quick 50", "--quick 75 --quick-nodes 20"] {
        let refused = folder.refuse(&words(&format!("{PLAIN} --out one {other}")), 1);
        assert!(refused.contains("other settings"), "{other}: {refused}");
    }
    let alone = folder.refuse(&words("datagen --out new --quick-nodes 20"), 2);
    assert!(alone.contains("required arguments were not provided"), "{alone}");
    folder.succeed(&words("datagen export one --out vf --quiet"));
    folder.succeed(&words("datagen import vf/000000.vf --out in --quiet"));
    assert!(bytes("in/000000.games") == bytes("one/000000.games"), "viriformat marks them, too");
    folder.succeed(&words("datagen info one --stats --quiet --json s.json"));
    let json = folder.json("s.json");
    let number = |path: &str| json.pointer(path).and_then(serde_json::Value::as_f64).expect(path);
    let unscored = number("/dropped/unscored");
    let scored = number("/positions") - unscored;
    assert!((2.5..3.5).contains(&(unscored / scored)), "{json}");
    let kept = 100.0 * number("/kept") / scored;
    assert!((number("/figures/kept_percent") - kept).abs() < 1e-6, "{json}");
}

#[test]
fn a_merge_or_training_is_not_resumed_with_more_games() {
    let folder = with_games();
    let manifest = folder.read("games/manifest.jsonl");
    let begun: Vec<&str> = manifest.lines().take(2).collect();
    folder.write("games/manifest.jsonl", &(begun.join("\n") + "\n"));
    let info = folder.succeed(&words("datagen info games")).lines;
    assert!(info.iter().any(|line| line.contains("512 of them so far")), "{info:?}");
    folder.succeed(&words("datagen --games 100 --nodes 20 --natural 0 --seed 5 --quiet --out b"));
    let merge = words("datagen merge games b --out both --quiet");
    folder.succeed(&merge);
    // With the old names of flags.
    let train = words(
        "train --data games --batch 1024 --epochs 1 --rate 0.001 --end 0.1 --decay 0.02 --early 9 --most 2000 --quiet --out net.nnue",
    );
    folder.succeed(&train);
    folder.write("games/manifest.jsonl", &manifest);
    for command in [merge, train] {
        let refused = folder.refuse(&command, 1);
        assert!(refused.contains("other settings"), "{refused}");
    }
}

#[test]
fn an_output_does_not_destroy_what_is_read_and_has_one_writer() {
    let folder = with_games();
    let shard = fs::read(folder.path("games/000000.games")).expect("bytes");
    for out in ["games/000000.games", "games/../games/manifest.jsonl", "games/new.nnue"] {
        let refused = folder.refuse(&["train", "--data", "games", "--out", out], 1);
        assert!(refused.contains("--out") && refused.contains("nothing was done"), "{refused}");
    }
    assert_eq!(fs::read(folder.path("games/000000.games")).expect("bytes"), shard);
    let train = words("train --data games --epochs 50 --quiet --out net.nnue");
    let first = folder.start(&train);
    let begun = Instant::now();
    while !folder.path(".net.nnue.lock").exists() && begun.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(5));
    }
    let refused = folder.refuse(&words("train --data games --epochs 2 --out ./net.nnue"), 1);
    assert!(refused.contains("another process writes there"), "{refused}");
    // Dropping kills at once: the lock ends with the process, though its file stays.
    drop(first);
    folder.succeed(&words("train --data games --epochs 1 --quiet --out net.nnue"));
    assert!(!folder.path(".net.nnue.lock").exists());
}

#[test]
fn what_is_damaged_is_named() {
    let folder = with_games();
    let path = folder.path("games/000000.games");
    let whole = fs::read(&path).expect("bytes");
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    for (bytes, part) in [(&flipped[..], "checksum"), (&whole[..whole.len() - 1], "truncated")] {
        fs::write(&path, bytes).expect("room");
        for command in ["datagen merge games --out new", "train --data games --out net.nnue"] {
            let exit = folder.run(&words(command));
            assert_eq!(exit.status.code(), Some(1), "{command}");
            assert!(
                exit.errors.contains(part) && exit.errors.contains("000000.games"),
                "{}",
                exit.errors
            );
        }
        let refused = folder.refuse(&words("datagen info games --stats --json -"), 1);
        assert!(refused.contains(part) && refused.contains("000000.games"), "{refused}");
        let exit = folder.run(&words("datagen check games"));
        assert!(exit.lines.iter().any(|line| line.contains(part)), "{:?}", exit.lines);
        assert!(exit.errors.contains("1 of 2 files are damaged"), "{}", exit.errors);
    }
    for (text, part) in [
        ("datagen info none", "none has no games"),
        ("datagen --out x --book nobook", "nobook"),
        ("datagen --out x --games 9000 --book unbalanced", "8000 openings"),
        ("datagen info games --stats --json nowhere/s.json", "nowhere/s.json"),
        ("train --data none --out net.nnue", "none has no games"),
        ("train --data games --out nowhere/net.nnue", "nowhere/net.nnue"),
        ("datagen --out x --evalfile none.nnue", "none.nnue"),
    ] {
        assert!(folder.refuse(&words(text), 1).contains(part), "{text}");
    }
    assert!(!folder.path("net.nnue").exists());
    fs::remove_file(&path).expect("it was there");
    generate(&folder, "games", "2");
    assert_eq!(fs::read(&path).expect("bytes"), whole, "what was lost is played again");
}

#[test]
fn games_go_out_as_viriformat_and_come_in_again() {
    let folder = with_games();
    folder.succeed(&words("datagen export games --out vf --quiet"));
    folder.succeed(&words("datagen import vf/000000.vf vf/000001.vf --out in --quiet"));
    folder.succeed(&words("datagen merge vf in --out both --quiet"));
    folder.succeed(&words("datagen check vf in both"));
    let bytes = |name: &str| fs::read(folder.path(name)).expect(name);
    for file in ["000000.games", "000001.games"] {
        assert_eq!(bytes(&format!("games/{file}")), bytes(&format!("in/{file}")));
    }
    assert_eq!(bytes("both/000001.vf"), bytes("vf/000001.vf"));
    assert_eq!(bytes("both/000002.games"), bytes("in/000000.games"));
    let whole = bytes("vf/000001.vf");
    fs::write(folder.path("cut.vf"), &whole[..whole.len() - 9]).expect("room");
    let refused = folder.refuse(&words("datagen import vf/000000.vf cut.vf --out new"), 1);
    assert!(refused.contains("cut.vf, game 48: the file ends within a game"), "{refused}");
    assert!(!folder.path("new").exists());
}

/// The first loss in a line of results.
fn loss(line: &str) -> f64 {
    let loss = line.split_whitespace().nth(3).expect(line);
    loss.trim_end_matches([',', ';']).parse().expect(line)
}

#[test]
fn a_network_that_has_learnt_nothing_does_not_overfit() {
    let folder = Tournament::new();
    folder
        .succeed(&words("datagen --games 200 --nodes 20 --natural 0 --seed 4 --quiet --out games"));
    let train = "train --data games --hidden 32 --epochs 1 --lr 0.0000001 --out net.nnue";
    let errors = folder.succeed(&words(train)).errors;
    let (_, noise) = errors.split_once(", noise ").expect(&errors);
    let noise: Vec<f64> = noise
        .split(' ')
        .filter_map(|word| word.trim_matches(['(', ')', ',']).parse().ok())
        .take(3)
        .collect();
    let [estimate, low, high] = noise[..] else { panic!("{errors}") };
    assert!(low <= estimate && estimate <= high && low < 20.0, "{errors}");
    assert!(!errors.contains("warning: the network overfits"), "{errors}");
}

#[test]
fn positions_are_searched_again_on_any_number_of_threads_and_after_a_kill() {
    const RELABEL: &str = "datagen relabel games --nodes 40 --share 50 --quiet --out";
    let folder = with_games();
    let run = |out, threads| [&words(RELABEL)[..], &[out, "--threads", threads]].concat();
    folder.succeed(&run("one", "1"));
    let bytes = |name: &str| fs::read(folder.path(name)).expect(name);
    let process = folder.start(&run("killed", "2"));
    let begun = Instant::now();
    // The second file is the shorter one.
    while !folder.path("killed/000001.games").exists() && begun.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(1));
    }
    // Dropping kills at once, as `kill -9` does.
    drop(process);
    folder.succeed(&run("killed", "3"));
    let files = ["000000.games", "000001.games", "manifest.jsonl"];
    let same = |out: &str| {
        files.map(|file| bytes(&format!("{out}/{file}")) == bytes(&format!("one/{file}")))
    };
    assert_eq!(same("killed"), [true; 3]);
    // As if it had been killed after the first file.
    let manifest = folder.read("one/manifest.jsonl");
    let lines: Vec<&str> = manifest.lines().collect();
    folder.write("killed/manifest.jsonl", &format!("{}\n{}\n", lines[0], lines[1]));
    folder.succeed(&run("killed", "2"));
    assert_eq!(same("killed"), [true; 3]);
    let more = RELABEL.replace("40", "90") + " one";
    let other = folder.refuse(&words(&more), 1);
    assert!(other.contains("other settings: settings.nodes: 40 then, 90 now"), "{other}");
    // As if this engine had searched them: only the manifest says with how many nodes it was.
    let changed = manifest.replace("\"nodes\":40", "\"nodes\":90");
    folder.write("one/manifest.jsonl", &of_earlier_version(&changed));
    let other = folder.refuse(&words(&more), 1);
    assert!(other.contains("scores of another engine"), "{other}");
}

#[test]
fn the_worth_of_labels_does_not_depend_on_threads() {
    const PROBE: &str =
        "datagen probe games --positions 20 --nodes 30,60 --deep 400 --quiet --json";
    let folder = with_games();
    let probe = |json: &str, threads| {
        let exit = folder.succeed(&[&words(PROBE)[..], &[json, "--threads", threads]].concat());
        assert!(exit.lines.iter().any(|line| line.contains("static")), "{:?}", exit.lines);
        let figures = folder.json(json).as_array().expect("a list").clone();
        let all = figures.into_iter().map(|it| {
            ["nodes", "error", "uncertainty", "bias"].map(|key| it[key].as_f64().expect(key))
        });
        all.collect::<Vec<_>>()
    };
    let one = probe("one.json", "1");
    assert_eq!(one.iter().map(|it| it[0]).collect::<Vec<_>>(), [0.0, 30.0, 60.0]);
    assert!(one.iter().all(|it| it[1] > 0.0 && it[2] > 0.0), "{one:?}");
    assert_eq!(probe("three.json", "3"), one);
    for (command, part) in [
        ("datagen probe none", "none has no games"),
        ("datagen probe games --json nowhere/p.json", "nowhere/p.json"),
        ("datagen probe games --evalfile none.nnue", "none.nnue"),
        ("datagen relabel none --out x", "none has no games"),
        ("datagen --out x --tb games", "--tb games: there are no Syzygy tablebases"),
        ("datagen --out x --tb none", "--tb none"),
    ] {
        assert!(folder.refuse(&words(command), 1).contains(part), "{command}");
    }
    assert!(!folder.path("x").exists());
}

#[test]
fn a_trained_network_is_mixed_with_that_of_keep_of() {
    let folder = Tournament::new();
    folder
        .succeed(&words("datagen --games 200 --nodes 20 --natural 0 --seed 4 --quiet --out games"));
    let trained = |out: &str, more: &str| -> f64 {
        let train =
            format!("train --data games --hidden 32 --batch 512 --quiet --out {out} {more}");
        folder.succeed(&words(&train));
        loss(&folder.succeed(&words(&format!("train --evaluate {out}"))).lines[0])
    };
    let start = trained("start.nnue", "--epochs 1");
    let other = trained("other.nnue", "--epochs 4 --seed 2");
    let mixed = trained(
        "mixed.nnue",
        "--epochs 1 --from start.nnue --lr 0.00001 --keep 0.99 --keep-of other.nnue",
    );
    assert!((mixed - other).abs() < 0.1 * (start - other).abs(), "{start}, {other}: {mixed}");
    let text = fs::read(folder.path("mixed.nnue")).expect("a network");
    let text = String::from_utf8_lossy(&text);
    assert!(text.contains("kept 0.99 of network "), "no word of it in the file");
    let refused = folder.refuse(
        &words("train --data games --from start.nnue --keep-of other.nnue --out n.nnue"),
        2,
    );
    assert!(refused.contains("required arguments were not provided"), "{refused}");
}

#[test]
fn a_network_comes_of_games_and_plays() {
    let folder = with_games();
    folder.succeed(&words(
        "datagen --games 100 --nodes 20 --natural 0 --seed 5 --chess960 50 --quiet --out b",
    ));
    let merged = folder.succeed(&words("datagen merge games b --out both --quiet")).lines;
    assert!(merged.iter().any(|line| line.starts_with("both: merged:")), "{merged:?}");
    let train = "train --data both --batch 1024 --quiet --out net.nnue --epochs";
    // The losses on validation games and on held-out ones.
    let losses = |out: &str, more: &str| {
        let train = train.replace("net.nnue", out) + " 2" + more;
        let evaluate = format!("train --evaluate {out}");
        [train, evaluate].map(|command| loss(&folder.succeed(&words(&command)).lines[0]))
    };
    let untrained = losses("untrained.nnue", " --lr 0.0000001");
    let trained = losses("net.nnue", "");
    assert!(
        trained.iter().zip(untrained).all(|(&it, before)| it < 0.95 * before),
        "{trained:?} {untrained:?}"
    );
    let other = "datagen --games 100 --nodes 20 --natural 0 --seed 5 --chess960 50 --quiet --out b --evalfile net.nnue";
    let other = folder.refuse(&words(other), 1);
    assert!(other.contains("evaluation: ") && other.contains("`datagen relabel`"), "{other}");
    let page = folder.read("net.nnue.html");
    let training_loss =
        |row: &str| row.split("<td>").nth(4).and_then(|cell| cell.get(..8)).map(str::to_owned);
    let own = offline_page(&page);
    let epochs = own.split("<h2>Evaluation").next().expect("a first part");
    let losses: Vec<String> = epochs.lines().filter_map(training_loss).collect();
    assert_eq!(losses.len(), 2, "{own}");
    assert!(losses[1] < losses[0], "nothing was learnt: {losses:?}");
    let refused = folder.refuse(&[&words(train)[..], &["3"]].concat(), 1);
    assert!(refused.contains("other settings"), "{refused}");
    let games = "match --engine self,EvalFile=net.nnue,name=net --engine self --nodes 100 --games 4 --quiet --json r.json";
    folder.succeed(&words(games));
    let json = folder.json("r.json").to_string();
    assert!(json.contains("net"), "{json}");
    let file = folder.path("net.nnue");
    let path = file.to_str().expect("a path");
    // The initial position is about equal to every network.
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1";
    let own = run(&["eval", "--fen", fen], PATIENCE).lines;
    let other = run(&["eval", "--fen", fen, "--evalfile", path], PATIENCE);
    other.assert_clean();
    assert_ne!(other.lines, own, "the network is not asked");
    let mut engine = Dialogue::start();
    engine.fen(fen);
    let mut evaluation = |path: &str| {
        engine.set("EvalFile", path);
        engine.command("eval")
    };
    assert_eq!(evaluation(path), other.lines);
    assert_eq!(evaluation("<empty>"), own);
    let refused = engine.refuse("setoption name EvalFile value none.nnue");
    assert!(refused.contains("none.nnue"), "{refused}");
    fs::write(&file, "no network").expect("room");
    assert!(folder.refuse(&words(games), 1).contains("not a network file of this engine"));
    for (text, part) in [
        ("train --data both --hidden 33 --out n.nnue", "33 neurons"),
        ("train --data both --king-buckets 3 --out n.nnue", "3 king buckets"),
        ("train --data both --output-buckets 9 --out n.nnue", "9 output buckets"),
    ] {
        assert!(folder.refuse(&words(text), 1).contains(part), "{text}");
    }
}

#[test]
fn statistics_agree_with_the_counts() {
    let folder = with_games();
    let plain = folder.succeed(&words("datagen info games")).lines;
    let stats = words("datagen info games --stats --quiet --json s.json");
    let printed = folder.succeed(&stats).lines;
    assert_eq!(printed[..plain.len()], plain[..]);
    let json = folder.json("s.json");
    let number = |key: &str| json[key].as_u64().unwrap_or_else(|| panic!("no {key}: {json}"));
    let counts = ["games", "positions", "kept"].map(number);
    let row = plain.iter().find(|line| line.starts_with("games ")).expect("a row");
    let columns: Vec<String> =
        row.split_ascii_whitespace().map(|cell| cell.replace(',', "")).collect();
    assert_eq!(columns[2..5], counts.map(|count| count.to_string()));
    let [games, positions, kept] = counts;
    assert_eq!(games, number("white") + number("drawn") + number("black"));
    let sum = |path: &str| -> u64 {
        match json.pointer(path) {
            Some(serde_json::Value::Array(all)) => all.iter().filter_map(|it| it.as_u64()).sum(),
            Some(serde_json::Value::Object(all)) => all.values().filter_map(|it| it.as_u64()).sum(),
            _ => panic!("no {path}: {json}"),
        }
    };
    assert_eq!(kept + sum("/dropped"), positions);
    for histogram in ["piece_count", "fifty_move_clock", "absolute_score", "ply"] {
        let counts = ["all", "kept"].map(|part| sum(&format!("/histograms/{histogram}/{part}")));
        assert_eq!(counts, [positions, kept], "{histogram}");
    }
    assert_eq!(sum("/histograms/game_length/all"), games);
    let page = folder.read("games/stats.html");
    let own = offline_page(&page);
    assert!(own.contains("Statistics of games") && !own.contains("NaN"), "{own}");
    let alone =
        folder.succeed(&words("datagen info games --stats --threads 1 --page p.html --json -"));
    let alone: serde_json::Value =
        serde_json::from_str(&alone.lines.join("\n")).expect("JSON alone");
    assert_eq!(alone, json, "threads change nothing");
    assert_eq!(folder.read("p.html"), page);
}
