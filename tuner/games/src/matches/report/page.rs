//! A match as sections: all of them are its HTML page, the first its card in the dashboard.

use std::collections::BTreeMap;
use std::time::Duration;

use nullarbor::types::Colour;
use nullarbor_openings::Book;
use nullarbor_report::html::{self, Head};
use nullarbor_report::plot::Chart;
use nullarbor_report::section::{Figures, Section};
use nullarbor_report::table::{Table, grouped};

use super::course::Course;
use super::searches::searches;
use super::{openings, ranking};
use crate::end::Side;
use crate::matches::GameRecord;
use nullarbor_stats::{Model, PairCounts, Strength, decimals};

/// A command line, or the text of faults, is cut here: a page is for people.
const LONGEST_TEXT: usize = 8_000;
/// Points of the lines of a chart together, at most.
const POINTS: usize = 800;
/// Moves behind it are too rare to be shown.
const LAST_MOVE: usize = 300;
/// Plies of a bar of the lengths of games.
const PLIES: usize = 20;

/// The terms of the page and what they mean.
const GLOSSARY: [(&str, &str); 6] = [
    ("±", "Half of the interval of 95 %, from the variance over pairs of games."),
    (
        "Pair",
        "The two games of an opening, with colours reversed. They are correlated, so statistics are taken over pairs.",
    ),
    (
        "Pairs worth 0 to 2",
        "Pentanomial counts: pairs in which the first engine made 0, ½, 1, 1½ and 2 points.",
    ),
    (
        "nElo",
        "Normalised Elo: the difference in standard deviations of a game, which hardly depends on the share of draws.",
    ),
    (
        "LOS",
        "Likelihood of superiority: the probability that the first engine is the stronger one.",
    ),
    (
        "LLR",
        "Log-likelihood ratio of the test (SPRT): at its upper limit H1 is accepted, at its lower one H0.",
    ),
];

/// Returns the page of a match. `facts` come behind those of the match itself; `book` has its openings in their order, or a text
/// says why they are not known.
pub fn page(
    course: &Course,
    is_locked: bool,
    book: Result<&Book, &str>,
    mut facts: Vec<String>,
) -> String {
    let named = self::facts(course, is_locked).into_iter();
    let mut all: Vec<String> = named.map(|(name, value)| format!("{name}: {value}.")).collect();
    let command = course.start.command.join(" ");
    all.push(format!("Command: nullarbor-tuner match {}", shortened(&command)));
    all.append(&mut facts);
    let head = Head { title: title(course), facts: all, refresh: None };
    let [result, pairs, faults] = [result, pairs, faults].map(|section| section(course));
    let [games, openings, time] = [games(course), openings(course, book), time(course)];
    html::page(&head, &[result, pairs, faults, games, openings, time])
}

/// Returns the card of a match, of which a process plays so many games an hour.
pub fn card(course: &Course, is_locked: bool, per_hour: Option<f64>) -> Vec<Section> {
    let speed = per_hour.into_iter().flat_map(|per_hour| speed(course, per_hour));
    let overview = Section::default().figures(facts(course, is_locked).into_iter().chain(speed));
    let mut sections = vec![overview, result(course)];
    sections.extend((!faulty(course).is_empty()).then(|| faults(course)));
    sections
}

/// Returns the title of a match.
pub fn title(course: &Course) -> String {
    const NAMED: usize = 4;
    match course.names.as_slice() {
        names if names.len() <= NAMED => names.join(" - "),
        names => format!("Match of {} engines", names.len()),
    }
}

/// The facts of a match and its settings.
fn facts(course: &Course, is_locked: bool) -> Figures {
    let identity = &course.start.identity;
    let limits: Vec<&str> = identity.limits().into_iter().map(|it| it.unwrap_or("?")).collect();
    let limit = match limits.as_slice() {
        [first, rest @ ..] if rest.iter().all(|it| it == first) => (*first).to_owned(),
        all => {
            let named = course.names.iter().zip(all);
            named.map(|(name, limit)| format!("{name} {limit}")).collect::<Vec<_>>().join(", ")
        }
    };
    let mut facts = vec![
        ("State", course.state(is_locked)),
        ("Games", course.progress()),
        ("Limit", limit),
        ("Openings", format!("{}, seed {}", identity.book, identity.seed)),
    ];
    if let Some(sprt) = identity.sprt {
        let unit = match sprt.model {
            Model::Normalized => "normalised Elo",
            Model::Logistic => "logistic Elo",
        };
        let (elo0, elo1, alpha, beta) = (sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta);
        let test = format!("SPRT [{elo0}, {elo1}] {unit}, alpha {alpha}, beta {beta}");
        facts.push(("Test", test));
    }
    facts
}

/// The speed of a match under way, and the time that it takes yet.
fn speed(course: &Course, per_hour: f64) -> Figures {
    let to_target = course.target().map(|target| (target - course.played()) as f64);
    let sprt = course.start.identity.sprt;
    let to_go = sprt.and_then(|sprt| sprt.games_to_go(&course.standings.counts[0]));
    let left = [to_go, to_target].into_iter().flatten().reduce(f64::min);
    let mut figures = vec![("Games an hour", grouped(per_hour as u64))];
    figures.extend(left.map(|games| ("Time left", format!("about {}", hours(games / per_hour)))));
    figures
}

/// Returns a time in hours as people say it.
fn hours(hours: f64) -> String {
    let time = Duration::try_from_secs_f64(3600.0 * hours.max(0.0)).unwrap_or(Duration::MAX);
    match time.as_secs() {
        seconds @ ..100 => format!("{seconds} s"),
        seconds @ ..6_000 => format!("{} min", (seconds + 30) / 60),
        seconds @ ..172_800 => format!("{:.1} h", seconds as f64 / 3600.0),
        seconds => format!("{} days", seconds / 86_400),
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST_TEXT) {
        Some((end, _)) => format!("{} ...", &text[..end]),
        None => text.to_owned(),
    }
}

/// The difference between two engines, or the tables of several, and how it came about.
fn result(course: &Course) -> Section {
    let (names, standings) = (course.names(), &course.standings);
    let section = match standings.counts.as_slice() {
        [counts] => Section::new("Result").figures(difference(course, counts)),
        _ => Section::new("Result").tables([
            crosstable(course),
            ranking::table("Each against all others", &names, standings),
        ]),
    };
    section.charts(course.charts())
}

fn difference(course: &Course, counts: &PairCounts) -> Figures {
    let Strength { elo, normalised, superiority } = Strength::of(counts);
    let (points, games, share) = (counts.points(), counts.games(), 100.0 * counts.score());
    let (wins, draws, losses) = (counts.wins(), counts.draws(), counts.losses());
    let pairs = counts.pentanomial().map(|it| it.to_string()).join(", ");
    let mut figures = vec![
        ("Elo", format!("{elo:+}")),
        ("nElo", format!("{normalised:+}")),
        ("LOS", format!("{:.2} %", 100.0 * superiority)),
        ("Points", format!("{points:.1} of {games} ({share:.2} %)")),
        ("Won, drawn, lost", format!("+{wins} ={draws} −{losses}")),
        ("Pairs worth 0 to 2", format!("[{pairs}]")),
    ];
    if let Some(sprt) = course.start.identity.sprt {
        let (low, high) = sprt.limits();
        figures.push(("LLR", format!("{:.2} ({low:.2}, {high:.2})", sprt.llr(counts))));
        // Before the decision its interval is as wide as anything.
        let decided = course.verdict.and_then(|_| sprt.unbiased(counts));
        if let Some(unbiased) = decided {
            let [elo, low, high] =
                [unbiased.elo, unbiased.low, unbiased.high].map(|value| decimals(value, 1));
            figures.push(("Elo, median-unbiased", format!("{elo} [{low}, {high}]")));
        }
    }
    figures
}

fn crosstable(course: &Course) -> Table {
    let title = "Crosstable. Ratings from all games, relative to their mean; points against each";
    ranking::crosstable(title, &course.names(), &course.standings)
}

/// The results of each pair of games or of engines.
fn pairs(course: &Course) -> Section {
    let section = Section::new("Pairs");
    let section = match course.standings.counts.as_slice() {
        [counts] => {
            section.tables([crosstable(course)]).charts([pentanomial(counts, &course.names[0])])
        }
        _ => section.tables([ranking::pairings("Pairings", &course.names(), &course.standings)]),
    };
    section.glossary("What the terms mean", GLOSSARY.to_vec())
}

fn pentanomial(counts: &PairCounts, first: &str) -> Chart {
    let labels = ["0", "½", "1", "1½", "2"].map(str::to_owned);
    let bars = labels.into_iter().zip(counts.pentanomial().map(|count| count as f64));
    Chart::new("Pairs by points", format!("points of {first} in a pair"), "pairs")
        .bars("pairs", bars)
}

/// Faults of each engine.
fn faulty(course: &Course) -> Vec<String> {
    let told = course.names.iter().zip(&course.standings.faults).map(|(name, faults)| {
        let counts = [
            (faults.time, "lost on time"),
            (faults.crash, "crashed"),
            (faults.stall, "hung"),
            (faults.illegal_move, "illegal moves"),
            (faults.pv_warnings, "PV warnings"),
        ];
        let some = counts.into_iter().filter(|(count, _)| *count > 0);
        let some = some.map(|(count, what)| format!("{what} {}", grouped(count)));
        (name, some.collect::<Vec<String>>().join(", "))
    });
    let told = told.filter(|(_, faults)| !faults.is_empty());
    told.map(|(name, faults)| format!("{name}: {faults}")).collect()
}

/// The faults of all engines, and the first of each.
fn faults(course: &Course) -> Section {
    let (section, faulty) = (Section::new("Faults"), faulty(course));
    let section = if faulty.is_empty() {
        section.text("No game was lost on time, by a crash or by an illegal move.")
    } else {
        section.warnings(faulty)
    };
    let notices = course.names.iter().zip(&course.standings.notices);
    let notices: String = notices.map(|(name, notices)| notices.text(name)).collect();
    if notices.is_empty() {
        return section;
    }
    section.output("The first of each engine", shortened(&notices))
}

fn games(course: &Course) -> Section {
    Section::new("Games").tables([ends(course), colours(course)]).charts([lengths(course)])
}

fn openings(course: &Course, book: Result<&Book, &str>) -> Section {
    let count = book.map(|book| book.openings.len() as u64).ok();
    let (lines, kinds) = openings::lines(course, count);
    let mut section = Section::new("Openings").tables([kinds.table()]);
    if let Err(why) = book {
        section = section.text(format!("Openings have numbers only: {why}."));
    }
    let tables = openings::tables(course, &lines, book.ok()).into_iter();
    section.tables(tables.filter(|table| !table.rows.is_empty()))
}

fn time(course: &Course) -> Section {
    let (section, used) = (Section::new("Time and depth"), Use::of(course));
    if used.is_empty() {
        return section.text("The journal has no moves: a match with --pgn FILE keeps them there, with the time, depth and nodes of each.");
    }
    section.tables([used.table(&course.names)]).charts(used.charts(&course.names))
}

/// How games ended, and for whom.
fn ends(course: &Course) -> Table {
    /// Games, those that White and Black won, and those that the first of two engines won and lost.
    type Counts = [u64; 5];
    let mut ends: BTreeMap<&str, Counts> = BTreeMap::new();
    for game in &course.games {
        let counts = ends.entry(game.end.reason.name()).or_default();
        counts[0] += 1;
        counts[1] += u64::from(game.end.winner == Some(Side::White));
        counts[2] += u64::from(game.end.winner == Some(Side::Black));
        let of_first = game.end.loser().map(|loser| loser != game.game.colour_of_first());
        counts[3] += u64::from(of_first == Some(true));
        counts[4] += u64::from(of_first == Some(false));
    }
    let mut ends: Vec<(&str, Counts)> = ends.into_iter().collect();
    ends.sort_by_key(|(_, counts)| std::cmp::Reverse(counts[0]));
    let all = course.games.len().max(1) as f64;
    let of_two = course.names.len() == 2;
    let rows = ends.into_iter().map(|(name, [games, white, black, first, second])| {
        let share = format!("{:.1}", 100.0 * games as f64 / all);
        let mut row = vec![name.to_owned(), games.to_string(), share];
        row.extend([white, black].map(|it| it.to_string()));
        row.extend([first, second].into_iter().filter(|_| of_two).map(|it| it.to_string()));
        row
    });
    let mut head = ["end", "games", "%", "White won", "Black won"].map(str::to_owned).to_vec();
    head.extend(course.names.iter().filter(|_| of_two).map(|name| format!("{name} won")));
    Table { title: "How games ended".to_owned(), head, rows: rows.collect() }
}

/// The results of each engine with White and with Black.
fn colours(course: &Course) -> Table {
    let mut counts = vec![[[0_u64; 3]; 2]; course.names.len()];
    for game in &course.games {
        let pairing = (game.pair % course.standings.pairings.len() as u64) as usize;
        let seats = course.standings.pairings[pairing].seats(game.game);
        for colour in Colour::ALL {
            let result = match game.end.loser() {
                None => 1,
                Some(loser) if loser == colour => 2,
                Some(_) => 0,
            };
            counts[seats[colour]][colour.index()][result] += 1;
        }
    }
    let cells = |[won, drawn, lost]: [u64; 3]| {
        let games = (won + drawn + lost).max(1) as f64;
        let percent = 100.0 * (won as f64 + 0.5 * drawn as f64) / games;
        [format!("{won}, {drawn}, {lost}"), format!("{percent:.1}")]
    };
    let rows = course.names.iter().zip(counts).map(|(name, [white, black])| {
        std::iter::once(name.clone()).chain(cells(white)).chain(cells(black)).collect::<Vec<_>>()
    });
    let head = ["engine", "White: won, drawn, lost", "%", "Black: won, drawn, lost", "%"];
    Table::new("By colour", head, rows)
}

fn lengths(course: &Course) -> Chart {
    const LAST: usize = 15;
    let mut counts = [0_u64; LAST + 1];
    course.games.iter().for_each(|game| counts[(game.plies / PLIES).min(LAST)] += 1);
    let used = counts.iter().rposition(|count| *count > 0).map_or(0, |last| last + 1);
    let label = |bar: usize| {
        let (from, to) = (bar * PLIES / 2, (bar + 1) * PLIES / 2 - 1);
        if bar == LAST { format!("{from}+") } else { format!("{from}-{to}") }
    };
    let bars = counts[..used].iter().enumerate().map(|(bar, count)| (label(bar), *count as f64));
    Chart::new("Length of games", "moves after the opening", "games").bars("games", bars)
}

/// Time, depth and nodes of the moves of each engine, by the number of the move.
struct Use(Vec<Vec<Sum>>);

/// Sums over moves.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    moves: u64,
    seconds: f64,
    longest: f64,
    /// The number of the game with the longest.
    game: u64,
    depth: u64,
    nodes: u64,
}

impl Sum {
    fn merge(&mut self, other: &Self) {
        self.moves += other.moves;
        self.seconds += other.seconds;
        if other.longest > self.longest {
            (self.longest, self.game) = (other.longest, other.game);
        }
        self.depth += other.depth;
        self.nodes = self.nodes.saturating_add(other.nodes);
    }

    fn mean(&self, sum: f64) -> f64 {
        sum / self.moves as f64
    }
}

impl Use {
    fn of(course: &Course) -> Self {
        let mut all = vec![Vec::new(); course.names.len()];
        for game in &course.games {
            let pairing = (game.pair % course.standings.pairings.len() as u64) as usize;
            let seats = course.standings.pairings[pairing].seats(game.game);
            Self::add(game, |colour| seats[colour], &mut all);
        }
        Self(all)
    }

    fn add(game: &GameRecord, seat: impl Fn(Colour) -> usize, all: &mut [Vec<Sum>]) {
        for search in game.pgn.iter().flat_map(|pgn| searches(pgn)) {
            let moves = &mut all[seat(search.colour)];
            let number = search.number.min(LAST_MOVE);
            if moves.len() <= number {
                moves.resize(number + 1, Sum::default());
            }
            moves[number].merge(&Sum {
                moves: 1,
                seconds: search.seconds,
                longest: search.seconds,
                game: game.number(),
                depth: search.depth.into(),
                nodes: search.nodes.unwrap_or(0),
            });
        }
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(Vec::is_empty)
    }

    fn table(&self, names: &[String]) -> Table {
        let rows = names.iter().zip(&self.0).map(|(name, moves)| {
            let mut all = Sum::default();
            moves.iter().for_each(|sum| all.merge(sum));
            let mean = |sum: f64, digits| decimals(all.mean(sum), digits);
            let speed = all.nodes as f64 / all.seconds;
            vec![
                name.clone(),
                grouped(all.moves),
                mean(all.seconds, 4),
                format!("{:.3} (game {})", all.longest, all.game),
                mean(all.depth as f64, 1),
                mean(all.nodes as f64, 0),
                if speed.is_finite() { grouped(speed as u64) } else { "-".to_owned() },
            ]
        });
        let head = [
            "engine",
            "moves",
            "s per move",
            "longest, s",
            "depth",
            "nodes per move",
            "nodes per second",
        ];
        Table::new("", head, rows)
    }

    /// Means by move, as far as a hundredth of the games goes.
    fn charts(&self, names: &[String]) -> [Chart; 3] {
        let longest = self.0.iter().map(Vec::len).max().unwrap_or(0);
        let step = (longest * names.len()).div_ceil(POINTS).max(1);
        let chart = |title: &str, y: &str, of: &dyn Fn(&Sum) -> f64| {
            let chart = Chart::new(title, "move", y).from_zero();
            names.iter().zip(&self.0).fold(chart, |chart, (name, moves)| {
                let most = moves.iter().map(|sum| sum.moves).max().unwrap_or(0);
                let points = moves.chunks(step).enumerate().filter_map(|(at, chunk)| {
                    let mut sum = Sum::default();
                    chunk.iter().for_each(|it| sum.merge(it));
                    let is_rare = sum.moves * 100 < most * chunk.len() as u64;
                    (sum.moves > 0 && !is_rare).then(|| ((at * step) as f64, of(&sum)))
                });
                chart.line(name, points)
            })
        };
        [
            chart("Time by move", "s, mean", &|sum| sum.mean(sum.seconds)),
            chart("Longest time by move", "s", &|sum| sum.longest),
            chart("Depth by move", "plies, mean", &|sum| sum.mean(sum.depth as f64)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use nullarbor_openings::Opening;

    use super::super::course::tests::{course, pair};
    use super::*;

    /// Games of two engines or more, each with a name that must be escaped; the openings are won in turn.
    fn games(pairs: u64, pgn: Option<&str>) -> Vec<GameRecord> {
        let games = (0..pairs).flat_map(|number| pair(number, number % 3 == 0));
        games.map(|game| GameRecord { pgn: pgn.map(str::to_owned), ..game }).collect()
    }

    fn book() -> Book {
        let opening = Opening::at(nullarbor::board::Position::start());
        Book { name: "b".to_owned(), openings: vec![opening; 50] }
    }

    const PGN: &str = "[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 30\"]\n\n\
        30. Ke2 {+1.20/6 0.100s, sd=9, n=3000} Kd7 {-M4/3 1.500s, sd=3, n=70} {White mates} 1-0\n";

    #[test]
    fn a_page_has_every_section_and_nothing_that_is_no_number() {
        for (engines, pairs) in [(2, 0), (2, 1), (2, 300), (3, 300)] {
            let names: Vec<String> = (0..engines).map(|it| format!("<e{it}>")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let course = course(&names, engines == 2, games(pairs, None));
            let html = page(&course, false, Ok(&book()), vec!["Made by: <me>".to_owned()]);
            for part in [
                "&lt;e0&gt;",
                "Crosstable",
                "lost on time",
                "How games ended",
                "By colour",
                "Pairs by their results",
                "a match with --pgn FILE keeps them",
                "Made by: &lt;me&gt;",
            ] {
                assert!(html.contains(part), "{engines} engines, {pairs} pairs: {part}");
            }
            for part in ["NaN", "inf", "<e0>"] {
                assert!(!html.contains(part), "{engines} engines, {pairs} pairs: {part}");
            }
            assert_eq!(html.contains("<figcaption>LLR"), engines == 2 && pairs > 1);
        }
    }

    #[test]
    fn openings_that_decide_are_named() {
        let course = course(&["a", "b"], false, games(7, None));
        let html = page(&course, false, Ok(&book()), Vec::new());
        assert!(html.contains("Openings that a won") && !html.contains("Openings that b won"));
        assert!(html.contains("rnbqkbnr/pppppppp") && !html.contains("numbers only"));
        // Pairs 0, 3 and 6 were won, and White won both games of the four others.
        assert!(html.contains(">White won both games</td><td>4</td><td>57.1</td>"), "{html}");
        let unknown = page(&course, false, Err("no file"), Vec::new());
        assert!(unknown.contains("numbers only: no file") && unknown.contains(">number 4<"));
    }

    #[test]
    fn time_is_told_by_move_where_the_journal_has_moves() {
        let html =
            page(&course(&["a", "b"], false, games(6, Some(PGN))), true, Err("x"), Vec::new());
        // Each engine played move 30 as White and as Black, in six games each.
        assert!(html.contains("<td>a</td><td>12</td><td>0.8000</td>"), "{html}");
        assert!(html.contains("1.500 (game 1)") && html.contains("State: under way"));
        assert!(!html.contains("has no moves"));
    }

    #[test]
    fn times_are_short() {
        let times = [0.0, 0.01, 0.5, 3.21, 100.0, f64::INFINITY].map(hours);
        assert_eq!(times[..5], ["0 s", "36 s", "30 min", "3.2 h", "4 days"]);
        assert!(times[5].ends_with("days"));
    }

    #[test]
    fn a_page_does_not_grow_with_the_games() {
        let game = |number: usize| {
            format!("{number}. Ke2 {{+1.20/6 0.1234s, n=3}} Kd7 {{-1.00/13 1.5s, n=7}} ")
        };
        let pgn = format!("\n\n{}", (1..200).map(game).collect::<String>());
        for engines in [2, 12] {
            let names: Vec<String> = (0..engines).map(|it| format!("engine-{it}")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let [few, many] = [250, 1000].map(|pairs| {
                let course = course(&names, engines == 2, games(pairs, Some(&pgn)));
                page(&course, false, Ok(&book()), Vec::new()).len()
            });
            assert!(many < 150_000, "{engines} engines: {many} bytes");
            // With many engines more of the tables and lines is filled.
            assert!(many.abs_diff(few) * 5 < few, "{engines} engines: {few}, {many} bytes");
        }
    }
}
