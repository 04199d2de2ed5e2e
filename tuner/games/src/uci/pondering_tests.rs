//! Pondering, against a program that says what a script says.

use nullarbor::board::Position;
use nullarbor::types::ByColour;
use nullarbor_openings::Opening;

use super::*;

/// Answers `go` with the next of four moves. While it ponders it answers only `ponderhit`, with the next move, and `stop`, with
/// one that is illegal by then, after a wait.
const SCRIPT: &str = r#"
moves="e2e4:e7e5 g1f3:b8c6 d2d4:e5d4 f3d4:g8f6"
say() { echo "info depth 1 score cp $1"; set -- $moves; echo "bestmove ${1%:*} ponder ${1#*:}"; shift; moves="$*"; }
while read -r line; do
    echo "$line" >> "$0.log"
    case "$line" in
        uci) echo "option name Ponder type check default false"; echo uciok ;;
        isready) echo readyok ;;
        "go ponder"*) echo "info depth 1 score cp 50" ;;
        go*) say 10 ;;
        ponderhit) say 20 ;;
        stop) sleep 0.3; echo "bestmove a1a1" ;;
        quit) exit ;;
    esac
done
"#;

const WAIT: Duration = Duration::from_millis(300);

struct Talk {
    folder: tempfile::TempDir,
    player: UciPlayer,
    line: GameLine,
}

impl Talk {
    fn begin(script: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("script");
        std::fs::write(&path, script).expect("room");
        let command = Command {
            program: "sh".into(),
            args: vec![path.display().to_string()],
            ponder: true,
            ..Command::default()
        };
        let stop = Arc::new(Stop::new());
        let player = UciPlayer::start(&command, false, Duration::from_secs(20), &stop, None);
        let start = Position::from_fen(Position::START_FEN).expect("valid");
        let line = GameLine::new(&Opening::at(start), false);
        Self { folder, player: player.expect("a shell"), line }
    }

    fn limits() -> Limits {
        let time = ByColour([Some(Duration::from_secs(30)), Some(Duration::from_secs(40))]);
        Limits { time, ..Limits::default() }
    }

    fn play(&mut self, mv: &str) {
        let mv = self.line.game.position().parse_uci(mv).expect("legal");
        self.line.play(mv);
    }

    /// Plays a move of the script, on which it ponders.
    fn think(&mut self) -> MoveInfo {
        let limits = Self::limits();
        let info = self.player.think(&self.line, &limits, limits.time[Colour::White]);
        let info = info.expect("a legal move");
        self.line.play(info.mv);
        self.player.ponder(&self.line, &limits);
        info
    }

    /// Returns what it was told since the last call, once it has read all of it.
    fn told(&mut self) -> Vec<String> {
        self.player.ask("isready", "readyok", WAIT * 100, |_| {}).expect("an answer");
        let path = self.folder.path().join("script.log");
        let text = std::fs::read_to_string(&path).expect("a log");
        std::fs::remove_file(path).expect("a log");
        text.lines().filter(|line| *line != "isready").map(str::to_owned).collect()
    }
}

/// The commands that a player is sent after these moves.
fn go(moves: &str, go: &str) -> [String; 2] {
    let space = if moves.is_empty() { "" } else { " moves " };
    let position = format!("position fen {}{space}{moves}", Position::START_FEN);
    [position, format!("{go} wtime 30000 btime 40000")]
}

#[test]
fn an_expected_move_is_a_hit_and_another_one_a_miss() {
    let mut talk = Talk::begin(SCRIPT);
    assert_eq!(talk.told(), ["uci", "setoption name Ponder value true"]);
    talk.player.new_game().expect("it is ready");
    let info = talk.think();
    assert_eq!(info.score.map(|score| score.0), Some(10));
    let expected = [go("", "go"), go("e2e4 e7e5", "go ponder")].concat();
    assert_eq!(talk.told(), [&["ucinewgame".to_owned()], &expected[..]].concat());

    talk.play("e7e5");
    let info = talk.think();
    assert!(info.elapsed < WAIT * 10, "{:?}", info.elapsed);
    assert_eq!(info.score.map(|score| score.0), Some(20));
    let next = go("e2e4 e7e5 g1f3 b8c6", "go ponder");
    assert_eq!(talk.told(), [&["ponderhit".to_owned()], &next[..]].concat());

    // Its move for the position that never came is none of this game.
    talk.play("d7d6");
    let info = talk.think();
    assert_eq!(info.mv.to().to_string(), "d4");
    assert!(info.elapsed >= WAIT, "its clock runs while it stops: {:?}", info.elapsed);
    let told = talk.told();
    let [position, _] = go("e2e4 e7e5 g1f3 d7d6", "go");
    assert_eq!(told[..2], ["stop".to_owned(), position]);
    let left = told[2].strip_prefix("go wtime ").and_then(|rest| rest.strip_suffix(" btime 40000"));
    let left: u64 = left.and_then(|left| left.parse().ok()).expect(&told[2]);
    assert!(left <= 29_700, "{left}");
    assert_eq!(told[3..], go("e2e4 e7e5 g1f3 d7d6 d2d4 e5d4", "go ponder"));

    talk.player.end_game();
    assert_eq!(talk.told(), ["stop"]);
    talk.player.new_game().expect("it has stopped");
    assert_eq!(talk.told(), ["ucinewgame"]);
}

#[test]
fn nobody_ponders_on_a_position_without_a_move() {
    let mut talk = Talk::begin(&SCRIPT.replace("e2e4:e7e5", "g2g4:d8h4"));
    talk.play("f2f3");
    talk.play("e7e5");
    talk.think();
    assert!(talk.told().iter().all(|line| !line.contains("ponder ")), "it would be mate");
}

#[test]
fn what_is_no_legal_move_is_not_pondered_on() {
    for words in ["e2e4:e2e4", "e2e4:(none)"] {
        let mut talk = Talk::begin(&SCRIPT.replace("e2e4:e7e5", words));
        talk.think();
        assert_eq!(talk.told().last(), go("", "go").last());
    }
}

#[test]
fn one_that_does_not_stop_is_at_fault() {
    let mut talk = Talk::begin(&SCRIPT.replace("sleep 0.3; echo", ": echo"));
    talk.think();
    talk.play("d7d6");
    let fault = talk.player.think(&talk.line, &Talk::limits(), Some(WAIT)).expect_err("no answer");
    let NoMove::Fault(Fault::Stall, Some(report)) = fault else { panic!("{fault:?}") };
    assert!(report.go.is_some_and(|go| go.starts_with("go ponder ")));
    talk.player.end_game();
    assert!(talk.player.new_game().is_err(), "it is to be started again");
}

#[test]
fn one_that_answers_too_early_has_answered() {
    let script = SCRIPT.replace("echo \"info depth 1 score cp 50\"", "say 30");
    let mut talk = Talk::begin(&script.replace("say 20", ":"));
    talk.think();
    talk.play("e7e5");
    let info = talk.think();
    assert_eq!(info.score.map(|score| score.0), Some(30));
}
