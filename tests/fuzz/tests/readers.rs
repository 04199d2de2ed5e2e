//! All that reads text or bytes from outside. `FUZZ=1000000` sets the number of inputs, `FUZZ_FROM` the first.

use std::fs;
use std::path::Path;

use nullarbor::board::Position;
use nullarbor::eval::nnue::format::{NetworkFile, checksum};
use nullarbor_fuzz::fuzz;
use nullarbor_games::engine_spec::{EngineSpec, engines};
use nullarbor_games::limit::Limit;
use nullarbor_games::matches::GameRecord as PlayedRecord;
use nullarbor_games::matches::journal;
use nullarbor_games::scheme::NamedScheme;
use nullarbor_games::wdl::{Fit, Sample};
use nullarbor_openings::{Format, PolyglotBook};
use nullarbor_runs::journal::{Journal, Kind};
use nullarbor_spsa::record::{Iteration, Record, pipeline};
use nullarbor_spsa::run_file::RunFile;
use nullarbor_tests::{KIWIPETE, START, Tournament};
use nullarbor_train::data::compact;
use nullarbor_train::data::game_record::{GameRecord, Outcome};
use nullarbor_train::trainer::judge::set;
use nullarbor_train::trainer::model::{Model, Shape};
use nullarbor_train::trainer::quantise::Quantised;

fn texts(samples: &[&str]) -> Vec<Vec<u8>> {
    samples.iter().map(|sample| sample.as_bytes().to_vec()).collect()
}

fn as_text(input: &[u8], read: impl FnOnce(&str)) {
    read(&String::from_utf8_lossy(input));
}

const CHESS960: &str = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";
const EN_PASSANT: &str = "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3";

#[test]
fn fen() {
    let samples =
        texts(&[START, KIWIPETE, CHESS960, EN_PASSANT, "8/8/8/8/8/5k2/8/4K2R w K - 99 120"]);
    fuzz("FEN", &samples, |input| {
        as_text(input, |text| {
            let Ok(position) = Position::from_fen(text) else { return };
            let again = Position::from_fen(&position.to_string()).expect("its own FEN");
            assert_eq!(again.to_string(), position.to_string());
            position.legal_moves().iter().for_each(|mv| _ = position.make(*mv));
        });
    });
}

#[test]
fn sets_of_the_judge() {
    let positions = format!("{START}\t25\tladder\n{KIWIPETE}\t-9998.5\n");
    let siblings = format!("a\t{START}\t25\nb\t{KIWIPETE}\t-3\na\t{CHESS960}\t0\n");
    fuzz("judge set", &texts(&[&positions, &siblings]), |input| {
        let path = Path::new("set.tsv");
        for position in set::positions(path, input).unwrap_or_default() {
            assert!(position.label.abs() <= set::MATE);
        }
        let groups = set::groups(path, input).unwrap_or_default();
        assert!(groups.iter().all(|group| !group.is_empty()));
    });
}

#[test]
fn networks() {
    const CHECKSUM: std::ops::Range<usize> = 32..36;
    let shape = Shape { hidden: 32, king_buckets: 1, output_buckets: 1 };
    let network = Quantised::new(&Model::random(shape, 1), 400);
    let sample = network.to_bytes("a network of a test").expect("a network");
    fuzz("network", &[sample], |input| {
        let _ = NetworkFile::parse(input);
        if input.len() < CHECKSUM.end {
            return;
        }
        // Behind a wrong checksum nothing else would be looked at.
        let mut repaired = input.to_vec();
        let sum = checksum(input).to_le_bytes();
        repaired.get_mut(CHECKSUM).iter_mut().for_each(|place| place.copy_from_slice(&sum));
        if let Ok(network) = NetworkFile::parse(&repaired) {
            assert!(network.to_bytes().is_ok());
        }
    });
}

fn game(start: &str, plies: usize, outcome: Outcome) -> GameRecord {
    let start = Position::from_fen(start).expect("a position");
    let (mut position, mut moves) = (start.clone(), Vec::new());
    for ply in 0..plies {
        let legal = position.legal_moves();
        let Some(mv) = legal.get(ply * 7 % legal.len().max(1)).copied() else { break };
        moves.push((mv, nullarbor::types::Score(ply as i32 * 3 - 20)));
        position = position.make(mv);
    }
    GameRecord { start, moves, outcome }
}

fn training_games() -> Vec<GameRecord> {
    vec![
        game(START, 40, Outcome::Win),
        game(KIWIPETE, 25, Outcome::Draw),
        game(CHESS960, 30, Outcome::Loss),
        game(EN_PASSANT, 0, Outcome::Draw),
    ]
}

#[test]
fn training_files_of_viriformat() {
    let bytes = |games: &[GameRecord]| {
        let mut bytes = Vec::new();
        games.iter().for_each(|game| game.write(&mut bytes).expect("room"));
        bytes
    };
    let all = training_games();
    fuzz("viriformat", &[bytes(&all), bytes(&all[..1]), bytes(&all[2..])], |input| {
        let mut rest = input;
        while let Ok(Some(game)) = GameRecord::read(&mut rest) {
            // Scores beyond those of the format are clamped when they are written.
            let bytes = |game: &GameRecord| {
                let mut bytes = Vec::new();
                game.write(&mut bytes).expect("room");
                bytes
            };
            let again = GameRecord::read(&mut &bytes(&game)[..]).expect("its own game");
            assert!(again.is_some_and(|again| bytes(&again) == bytes(&game)));
        }
    });
}

#[test]
fn training_files_of_the_compact_format() {
    let all = training_games();
    let samples =
        [&all[..], &all[..1], &all[2..]].map(|games| compact::encode(games).expect("they fit"));
    fuzz("compact games", &samples, |input| {
        let _ = compact::decode(input);
    });
}

const PGN: &str = "[Event \"a [b]\"]\n[White \"x\"]\n[Result \"1-0\"]\n[ECO \"B12\"]\n\n1. e4 {+0.31/12 0.1s, n=5} e5 (1... c5 2. Nf3 (2. c3)) \
    2.Nf3! $1 {-0.20/9 1s} Nc6 1-0\n\n[FEN \"4k3/8/8/8/8/8/4P3/R3K3 w Q - 0 1\"]\n\n1. O-O-O ; a comment\n Kf7 {+M3/3} *\n";

#[test]
fn books_of_text() {
    let epd = format!(
        "{KIWIPETE}\n{CHESS960}\n4k3/8/8/8/8/8/4P3/4K3 w - - hmvc 7; fmvn 31; ce 20;\n# x\n"
    );
    for format in [Format::Epd, Format::Pgn] {
        fuzz(&format!("{format:?}"), &texts(&[&epd, PGN]), |input| {
            as_text(input, |text| {
                format.entries(text, None).for_each(drop);
                format.entries(text, Some(3)).for_each(drop);
            });
        });
    }
}

#[test]
fn books_of_polyglot() {
    let entry = |key: u64, mv: u16| -> Vec<u8> {
        [&key.to_be_bytes()[..], &mv.to_be_bytes(), &[0, 1, 0, 0, 0, 0]].concat()
    };
    // e2e4 and d2d4 from the start position, e7e5 after e2e4.
    let book = [
        entry(0x463b_9618_1691_fc9c, 0x031c),
        entry(0x463b_9618_1691_fc9c, 0x02db),
        entry(0x823c_9b50_fd11_4196, 0x0d24),
    ];
    let sample = book.concat();
    assert!(PolyglotBook::new(&sample).expect("a book").openings(None).len() >= 2);
    fuzz("Polyglot", &[sample], |input| {
        let _ = PolyglotBook::new(input).map(|book| book.openings(None));
        let whole = &input[..input.len() / 16 * 16];
        let _ = PolyglotBook::new(whole).map(|book| book.openings(Some(2)));
    });
}

/// The journal of a match or run, as this version writes it and without checksums.
fn journals(command: &[&str], path: &str) -> Vec<Vec<u8>> {
    let folder = Tournament::new();
    folder.write("run.toml", &RUN.replace("iterations = 10", "iterations = 3"));
    folder.succeed(command);
    let sealed = folder.read(path);
    let unsealed = |line: &str| {
        line.rsplit_once(",\"crc\":").map_or(String::new(), |(json, _)| format!("{json}}}\n"))
    };
    let text: String = sealed.lines().map(unsealed).collect();
    let unsealed = text.replacen("\":2,", "\":1,", 1);
    texts(&[&sealed, &unsealed])
}

#[test]
fn journals_of_matches() {
    let command = [
        "match",
        "--engine",
        "self,Hash=1",
        "--engine",
        "self,Hash=1,NullMove=off",
        "--nodes",
        "50",
        "--games",
        "4",
        "--pgn",
        "games.pgn",
        "--resume",
        "journal",
        "--quiet",
    ];
    let kind = Kind { key: "nullarbor_match", name: "match", reads_unsealed: true };
    fuzz("journal of a match", &journals(&command, "journal"), |input| {
        let _ = journal::parse(Path::new("journal"), input);
        // Checksums would keep all that follows from being read.
        let _ = Journal::parse::<journal::Start, PlayedRecord>(kind, Path::new("journal"), input);
    });
}

#[test]
fn journals_of_tuning() {
    let command = ["spsa", "run", "run.toml", "--dir", "run", "--quiet"];
    let kind = Kind { key: "nullarbor_spsa", name: "tuning run", reads_unsealed: true };
    fuzz("journal of a tuning run", &journals(&command, "run/journal.jsonl"), |input| {
        let _ = Record::parse(Path::new("journal"), input);
        let _ = Journal::parse::<RunFile, Iteration>(kind, Path::new("journal"), input);
    });
}

const RUN: &str = "iterations = 10\npairs_per_iteration = 2\nnodes = 50\nseed = 1\nbook = \"unbalanced\"\nhash = 1\nlag = 4\n\
    groups = [\"razoring\"]\n\n[parameters.null_move_base]\nvalue = 4000\nmin = 2048\nmax = 7000\nc_end = 500\nr_end = 0.05\n";

#[test]
fn run_files() {
    let clock = RUN
        .replace("nodes = 50", "tc = \"1+0.01\"")
        .replace("lag", "mode = \"constant\"\nalpha = 0.6\nstaleness");
    fuzz("run file", &texts(&[RUN, &clock]), |input| {
        as_text(input, |text| {
            let Ok(run) = RunFile::parse(text) else { return };
            let mut pipeline = pipeline(&run).expect("it was checked");
            for _ in 0..20 {
                pipeline.begin();
            }
            pipeline.apply(2 * run.pairs_per_iteration as i64);
            for (value, parameter) in
                pipeline.theta().estimate().iter().zip(pipeline.theta().parameters())
            {
                let range = f64::from(parameter.range.min)..=f64::from(parameter.range.max);
                assert!(range.contains(value), "{} = {value}", parameter.name);
            }
        });
    });
}

#[test]
fn schemes() {
    let file = "scheme = \"fixed-3\"\nguard = \"piece\"\nmin-depth = 3\n";
    let samples = ["nullarbor", "fixed-3+guard=piece+min-depth=3", "verified+trigger=always", file];
    fuzz("scheme", &texts(&samples), |input| {
        as_text(input, |text| {
            // A name that ends so is that of a file.
            if !text.split('+').next().is_some_and(|name| name.ends_with(".toml")) {
                let _ = NamedScheme::read(text);
            }
            let _ = NamedScheme::parse_file(Path::new("x.toml"), text);
        });
    });
}

#[test]
fn descriptions_of_engines_and_limits() {
    let samples = [
        "self,Hash=4,NullMove=off,engine=plain,nodes=500",
        "cmd=./x,option.Hash=16,arg=-x,dir=/,tc=40/1:30+0.6",
        "st=0.5",
        "nodes=500,soft-nodes=100",
        "depth=9",
    ];
    fuzz("engine", &texts(&samples), |input| {
        as_text(input, |text| {
            let _ = text.parse::<Limit>();
            let Ok(spec) = text.parse::<EngineSpec>() else { return };
            let _ = spec.with_each("option.Hash=2,nodes=9");
            let _ = engines(&[spec.clone(), spec], None);
        });
    });
}

#[test]
fn games_with_scores() {
    fuzz("games with scores", &texts(&[PGN]), |input| {
        as_text(input, |text| {
            let mut sample = Sample::default();
            let _ = nullarbor_games::wdl::read(text, None, &mut sample);
            let _ = nullarbor_games::wdl::read(text, Some("x"), &mut sample);
            let _ = Fit::of(&sample);
        });
    });
}

#[test]
fn manifests_of_datasets() {
    let command = ["datagen", "--games", "4", "--nodes", "30", "--out", "games", "--quiet"];
    let samples = journals(&command, "games/manifest.jsonl");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("manifest.jsonl");
    fuzz("manifest", &samples, |input| {
        fs::write(&path, input).expect("room");
        let _ = nullarbor_train::data::Dataset::open(folder.path());
    });
}
