//! The command line of fastchess, read as one of `match`.

use std::fmt;

use nullarbor_runs::worker_count;

/// Returns a command line in our words if it is one of `match` with options of fastchess; `None` otherwise. `words` come after
/// the program.
///
/// # Errors
/// As [`translated`].
pub fn command(words: &[String]) -> Result<Option<Vec<String>>, Differences> {
    let Some(("match", rest)) = words.split_first().map(|(word, rest)| (word.as_str(), rest))
    else {
        return Ok(None);
    };
    let translated = translated(rest)?;
    Ok(translated.map(|words| [vec!["match".to_owned()], words].concat()))
}

/// Returns a command line of `match` in our words if it has options of fastchess; `None` if it has none. `words` come after
/// `match`; options with two dashes are kept as they are.
///
/// # Errors
/// If some words have no meaning here.
fn translated(words: &[String]) -> Result<Option<Vec<String>>, Differences> {
    if !words.iter().any(|word| rule(word).is_some()) {
        return Ok(None);
    }
    let mut line = Line::default();
    let mut rest = words;
    while let Some((word, after)) = rest.split_first() {
        let count = after.iter().take_while(|word| !is_option(word)).count();
        let (values, next) = after.split_at(count);
        rest = next;
        let refused = match rule(word) {
            Some(rule) => line.add(rule, values).err(),
            None if word.starts_with("--") || !is_option(word) => {
                line.words.push(word.clone());
                line.words.extend_from_slice(values);
                None
            }
            None => Some("no option of fastchess either; `match --help` lists ours".to_owned()),
        };
        if let Some(instead) = refused {
            let words = [std::slice::from_ref(word), values].concat();
            line.refused.push((shown(&words), instead));
        }
    }
    line.finish().map(Some)
}

/// Returns words as a shell reads them.
pub fn shown(words: &[String]) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_=.,:/+@%".contains(letter);
    let word = |word: &String| match word {
        word if !word.is_empty() && word.chars().all(is_plain) => word.clone(),
        word => format!("'{}'", word.replace('\'', "'\\''")),
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// The words of a command line that mean nothing here, with what to write instead.
#[derive(Debug, PartialEq, Eq)]
pub struct Differences(Vec<(String, String)>);

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "words of fastchess that mean nothing here, and what to write instead:")?;
        self.0.iter().try_for_each(|(words, instead)| write!(f, "\n  {words}\n      {instead}"))
    }
}

/// Negative numbers are no options.
fn is_option(word: &str) -> bool {
    word.strip_prefix('-')
        .is_some_and(|name| name.starts_with(|it: char| it == '-' || it.is_ascii_alphabetic()))
}

/// The meaning of a word of fastchess.
#[derive(Clone, Copy)]
enum Rule {
    /// An option of ours with the same value.
    To(&'static str),
    /// An option of ours without a value.
    Flag(&'static str),
    /// Always so here.
    Always,
    /// There is nothing like it, and this is to be written.
    Instead(&'static str),
    /// An option whose values mean several options.
    By(fn(&mut Line, &[String]) -> Result<(), String>),
}

/// All words of fastchess, without their dash.
const WORDS: [(&str, Rule); 53] = [
    ("engine", Rule::By(Line::engine)),
    ("each", Rule::By(Line::each)),
    ("rounds", Rule::By(|line, values| line.number(values, |line| &mut line.rounds))),
    ("games", Rule::By(|line, values| line.number(values, |line| &mut line.games))),
    ("repeat", Rule::By(Line::repeat)),
    ("concurrency", Rule::To("--concurrency")),
    ("force-concurrency", Rule::Always),
    ("openings", Rule::By(Line::openings)),
    ("sprt", Rule::By(Line::sprt)),
    ("pgnout", Rule::By(Line::pgnout)),
    ("resign", Rule::By(|line, values| line.rule("--resign", values))),
    ("draw", Rule::By(|line, values| line.rule("--draw", values))),
    ("maxmoves", Rule::To("--maxmoves")),
    (
        "recover",
        Rule::By(|line, _| {
            line.recovers = true;
            Ok(())
        }),
    ),
    ("ratinginterval", Rule::To("--ratinginterval")),
    ("scoreinterval", Rule::Always),
    ("autosaveinterval", Rule::Always),
    ("srand", Rule::To("--seed")),
    ("tb", Rule::To("--tb")),
    ("tbpieces", Rule::To("--tbpieces")),
    ("tbignore50", Rule::Flag("--tbignore50")),
    ("tbadjudicate", Rule::By(Line::tbadjudicate)),
    ("tournament", Rule::By(Line::tournament)),
    ("variant", Rule::By(Line::variant)),
    ("log", Rule::By(Line::log)),
    ("event", Rule::By(|line, values| line.head("--event", values))),
    ("site", Rule::By(|line, values| line.head("--site", values))),
    ("use-affinity", Rule::By(Line::affinity)),
    ("output", Rule::By(Line::output)),
    ("report", Rule::By(Line::report)),
    ("check-mate-pvs", Rule::Always),
    ("seeds", Rule::By(Line::seeds)),
    ("config", Rule::Instead("leave it out; --resume FILE keeps a journal, and resumes from it")),
    ("epdout", Rule::Instead("leave it out; --pgn FILE has the games to their last positions")),
    ("crc32", Rule::Instead("leave it out; the journal of --resume FILE has checksums")),
    ("show-latency", Rule::Instead("leave it out; --pgn-fields latency writes it for each move")),
    ("wait", Rule::Instead("leave it out; there is no pause between games")),
    ("noswap", Rule::Instead("leave it out; each opening is played with both colours")),
    ("reverse", Rule::Instead("leave it out; each opening is played with both colours")),
    (
        "strict",
        Rule::Instead("leave it out; `nullarbor-tuner compliance cmd=ENGINE` checks an engine"),
    ),
    ("testEnv", Rule::Instead("leave it out")),
    ("quick", Rule::By(Line::quick)),
    ("compliance", Rule::Instead("nullarbor-tuner compliance cmd=ENGINE")),
    (
        "startup-ms",
        Rule::Instead("leave it out, or --timeout SECONDS for all answers without a clock"),
    ),
    ("ucinewgame-ms", Rule::Instead("--timeout SECONDS")),
    ("ping-ms", Rule::Instead("--timeout SECONDS")),
    ("version", Rule::Instead("nullarbor-tuner --version")),
    ("help", Rule::Instead("nullarbor-tuner match --help")),
    // Of cutechess, and still in many scripts.
    ("pgn", Rule::Instead("-pgnout file=FILE, or --pgn FILE")),
    ("bookdepth", Rule::Instead("-openings plies=PLIES, or --book-plies PLIES")),
    ("book", Rule::Instead("-openings file=FILE, or --book FILE")),
    ("debug", Rule::Instead("-log file=FILE, or --log FILE")),
    ("ponder", Rule::Instead("-each ponder, or ponder in one -engine")),
];

fn rule(word: &str) -> Option<Rule> {
    let name = word.strip_prefix('-')?;
    WORDS.iter().find(|(known, _)| *known == name).map(|(_, rule)| *rule)
}

/// A field that `-pgnout` writes on request, by its name there and here; `None` if it is always written.
const FIELDS: [(&str, Option<&str>); 8] = [
    ("nodes", None),
    ("seldepth", None),
    ("nps", Some("nps")),
    ("hashfull", Some("hashfull")),
    ("tbhits", Some("tbhits")),
    ("timeleft", Some("timeleft")),
    ("latency", Some("latency")),
    ("pv", Some("pv")),
];

/// A command line as it is translated.
#[derive(Default)]
struct Line {
    words: Vec<String>,
    refused: Vec<(String, String)>,
    each: Vec<String>,
    /// The heads of the games, which need a file.
    heads: Vec<String>,
    has_engine: bool,
    has_pgn: bool,
    appends: bool,
    recovers: bool,
    rounds: Option<u64>,
    games: Option<u64>,
    /// Games at the same time, if nothing else is said; 1 if `None`.
    concurrency: Option<usize>,
}

/// Splits `key=value`.
fn item(word: &str) -> Result<(&str, &str), String> {
    word.split_once('=').ok_or_else(|| format!("`{word}` is not of the form key=value"))
}

fn one(values: &[String]) -> Result<&str, String> {
    match values {
        [value] => Ok(value),
        _ => Err(format!("it takes one value, not {}", values.len())),
    }
}

fn unknown(key: &str, known: &str) -> String {
    format!("{key}= is none of {known}")
}

/// Reads a value of `true` or `false`.
fn is_true(key: &str, value: &str) -> Result<bool, String> {
    value.parse().map_err(|_| format!("{key}: `{value}` is neither true nor false"))
}

impl Line {
    fn add(&mut self, rule: Rule, values: &[String]) -> Result<(), String> {
        match rule {
            Rule::To(option) => self.option(option, one(values)?),
            Rule::Flag(option) => self.words.push(option.to_owned()),
            Rule::Always => {}
            Rule::Instead(text) => return Err(text.to_owned()),
            Rule::By(translate) => translate(self, values)?,
        }
        Ok(())
    }

    fn option(&mut self, name: &str, value: &str) {
        self.words.extend([name, value].map(str::to_owned));
    }

    fn has(&self, option: &str) -> bool {
        let with_value = format!("{option}=");
        self.words.iter().any(|word| word == option || word.starts_with(&with_value))
    }

    fn engine(&mut self, values: &[String]) -> Result<(), String> {
        let items = self.items(values, false)?;
        self.has_engine = true;
        self.option("--engine", &items.join(","));
        Ok(())
    }

    fn each(&mut self, values: &[String]) -> Result<(), String> {
        let mut items = self.items(values, true)?;
        self.each.append(&mut items);
        Ok(())
    }

    /// Returns the items of an engine in our words, the program first.
    fn items(&mut self, values: &[String], is_each: bool) -> Result<Vec<String>, String> {
        let mut items = Vec::new();
        for word in values {
            // A flag of cutechess.
            if word == "ponder" {
                items.push("ponder=true".to_owned());
                continue;
            }
            let (key, value) = item(word)?;
            if value.contains(',') {
                return Err(format!(
                    "{key}: a value cannot have a comma, which separates items here"
                ));
            }
            match key {
                "cmd" => items.insert(0, word.clone()),
                "args" if !is_each => {
                    items.extend(value.split_whitespace().map(|it| format!("arg={it}")));
                }
                "args" => return Err("args: give them to each -engine".to_owned()),
                "plies" | "depth" => items.push(format!("depth={value}")),
                "timemargin" if is_each => self.option("--timemargin", value),
                "timemargin" => {
                    return Err("timemargin: give it in -each, for all engines".to_owned());
                }
                "proto" if value == "uci" => {}
                "proto" => return Err(format!("proto: engines speak uci here, not {value}")),
                "restart" if value == "off" => {}
                "restart" => {
                    return Err("restart: leave it out; a new game does not start an engine again"
                        .to_owned());
                }
                "name" | "tc" | "st" | "nodes" | "dir" => items.push(word.clone()),
                _ if key.starts_with("option.") => items.push(word.clone()),
                _ => {
                    return Err(unknown(
                        key,
                        "cmd, name, args, dir, tc, st, nodes, plies, ponder, option.NAME",
                    ));
                }
            }
        }
        Ok(items)
    }

    fn number(
        &mut self,
        values: &[String],
        field: fn(&mut Self) -> &mut Option<u64>,
    ) -> Result<(), String> {
        let value = one(values)?;
        let number = value.parse().map_err(|_| format!("`{value}` is not a whole number"))?;
        *field(self) = Some(number);
        Ok(())
    }

    fn repeat(&mut self, values: &[String]) -> Result<(), String> {
        match values {
            [] => self.games = Some(2),
            [count] if count == "2" => self.games = Some(2),
            _ => return Err("-repeat; each opening is played twice".to_owned()),
        }
        Ok(())
    }

    fn openings(&mut self, values: &[String]) -> Result<(), String> {
        let (mut file, mut format, mut order) = (None, None, "sequential");
        let mut more = Vec::new();
        for word in values {
            match item(word)? {
                ("file", value) => file = Some(value),
                ("format", value) => format = Some(value),
                ("order", value) => order = value,
                ("plies", value) => more.extend(["--book-plies", value]),
                ("start", value) => more.extend(["--book-start", value]),
                (key, _) => return Err(unknown(key, "file, format, order, plies, start")),
            }
        }
        let file = file.ok_or("file= is missing")?;
        if let Some(format) =
            format.filter(|it| !file.to_ascii_lowercase().ends_with(&format!(".{it}")))
        {
            return Err(format!(
                "format: the name of the file tells it; give it one that ends in .{format}"
            ));
        }
        self.option("--book", file);
        self.option("--order", order);
        more.chunks(2).for_each(|option| self.option(option[0], option[1]));
        Ok(())
    }

    fn sprt(&mut self, values: &[String]) -> Result<(), String> {
        let (mut elo0, mut elo1) = (None, None);
        for word in values {
            match item(word)? {
                ("elo0", value) => elo0 = Some(value),
                ("elo1", value) => elo1 = Some(value),
                ("alpha", value) => self.option("--alpha", value),
                ("beta", value) => self.option("--beta", value),
                ("model", "bayesian") => {
                    return Err(
                        "model=normalized or model=logistic; there are no bounds in BayesElo"
                            .to_owned(),
                    );
                }
                ("model", value) => self.option("--sprt-model", value),
                (key, _) => return Err(unknown(key, "elo0, elo1, alpha, beta, model")),
            }
        }
        let (Some(elo0), Some(elo1)) = (elo0, elo1) else {
            return Err("elo0= and elo1= are needed".to_owned());
        };
        self.option("--sprt", &format!("{elo0},{elo1}"));
        Ok(())
    }

    fn pgnout(&mut self, values: &[String]) -> Result<(), String> {
        let (mut file, mut fields) = (None, Vec::new());
        let mut appends = true;
        for word in values {
            let (key, value) = match item(word) {
                Ok(item) => item,
                // As in cutechess.
                Err(_) if file.is_none() => ("file", word.as_str()),
                Err(error) => return Err(error),
            };
            match key {
                "file" => file = Some(value),
                "notation" => self.option("--pgn-notation", value),
                "append" => appends = is_true(key, value)?,
                "min" if is_true(key, value)? => {
                    return Err("min: leave it out; moves have comments".to_owned());
                }
                "min" => {}
                "match_line" => {
                    return Err("match_line: leave it out; --log FILE has all lines".to_owned());
                }
                _ => {
                    let known = FIELDS.iter().find(|(name, _)| *name == key);
                    let known = known.ok_or_else(|| unknown(key, "file, notation, append, nodes, seldepth, nps, hashfull, tbhits, timeleft, latency, pv"))?;
                    fields.extend(known.1.filter(|_| is_true(key, value) == Ok(true)));
                }
            }
        }
        self.option("--pgn", file.ok_or("file= is missing")?);
        if !fields.is_empty() {
            self.option("--pgn-fields", &fields.join(","));
        }
        (self.has_pgn, self.appends) = (true, appends);
        Ok(())
    }

    fn rule(&mut self, option: &str, values: &[String]) -> Result<(), String> {
        self.option(option, &values.join(","));
        Ok(())
    }

    fn tbadjudicate(&mut self, values: &[String]) -> Result<(), String> {
        let kind = match one(values)? {
            "WIN_LOSS" => "win-loss",
            "DRAW" => "draw",
            "BOTH" => "both",
            other => return Err(format!("{other} is none of WIN_LOSS, DRAW, BOTH")),
        };
        self.option("--tbadjudicate", kind);
        Ok(())
    }

    fn tournament(&mut self, values: &[String]) -> Result<(), String> {
        let format = match one(values)? {
            "roundrobin" => "round-robin",
            "gauntlet" => "gauntlet",
            other => return Err(format!("{other} is none of roundrobin, gauntlet")),
        };
        self.option("--format", format);
        Ok(())
    }

    fn variant(&mut self, values: &[String]) -> Result<(), String> {
        match one(values)? {
            "standard" => {}
            "fischerandom" => self.words.push("--chess960".to_owned()),
            other => return Err(format!("{other} is neither standard nor fischerandom")),
        }
        Ok(())
    }

    fn log(&mut self, values: &[String]) -> Result<(), String> {
        for word in values {
            match item(word)? {
                ("file", value) => self.option("--log", value),
                ("compress", "true") => {
                    return Err("compress: leave it out; the log is plain text".to_owned());
                }
                ("level" | "compress" | "realtime" | "engine" | "append", _) => {}
                (key, _) => return Err(unknown(key, "file, level, realtime, engine, append")),
            }
        }
        Ok(())
    }

    fn head(&mut self, option: &str, values: &[String]) -> Result<(), String> {
        self.heads.extend([option.to_owned(), values.join(" ")]);
        Ok(())
    }

    fn affinity(&mut self, values: &[String]) -> Result<(), String> {
        self.words.push(match values {
            [] => "--affinity".to_owned(),
            _ => format!("--affinity={}", one(values)?),
        });
        Ok(())
    }

    fn output(&mut self, values: &[String]) -> Result<(), String> {
        match one(values).and_then(item)? {
            ("format", "fastchess") => Ok(()),
            _ => Err("leave it out; results are in the lines of fastchess".to_owned()),
        }
    }

    fn report(&mut self, values: &[String]) -> Result<(), String> {
        match one(values).and_then(item)? {
            ("penta", "true") => Ok(()),
            _ => Err("leave it out; statistics are over pairs".to_owned()),
        }
    }

    fn seeds(&mut self, values: &[String]) -> Result<(), String> {
        match one(values)? {
            "1" => Ok(()),
            _ => Err("leave it out; the first engine alone plays a gauntlet".to_owned()),
        }
    }

    /// Adds the match that `-quick` stands for: two engines, a book, 10 s + 0.1 s, 25,000 rounds, all cores but two.
    fn quick(&mut self, values: &[String]) -> Result<(), String> {
        let (mut engines, mut book) = (Vec::new(), None);
        for word in values {
            match item(word)? {
                ("cmd", _) => engines.push(word.clone()),
                ("book", value) => book = Some(value),
                (key, _) => return Err(unknown(key, "cmd, book")),
            }
        }
        let book = book.ok_or("book= is missing")?;
        if engines.len() != 2 {
            return Err(format!("{} engines, not two: cmd=ENGINE1 cmd=ENGINE2", engines.len()));
        }
        engines.iter().try_for_each(|engine| self.engine(std::slice::from_ref(engine)))?;
        self.each.push("tc=10+0.1".to_owned());
        self.openings(&[format!("file={book}"), "order=random".to_owned()])?;
        self.option("--draw", "movenumber=30,movecount=8,score=8");
        self.rounds.get_or_insert(25_000);
        self.concurrency = Some(worker_count(None).saturating_sub(2).max(1));
        self.recovers = true;
        Ok(())
    }

    /// Adds what fastchess does where it is not told.
    fn finish(mut self) -> Result<Vec<String>, Differences> {
        if !self.each.is_empty() {
            let each = self.each.join(",");
            self.option("--each", &each);
        }
        if self.games.is_some_and(|games| games != 2) {
            let instead = "-games 2; each opening is played twice, with colours reversed";
            self.refused.push((format!("-games {}", self.games.unwrap_or(0)), instead.to_owned()));
        }
        // Those of a match that is resumed are in its journal.
        let is_new = self.has_engine;
        if (is_new || self.rounds.is_some()) && !self.has("--games") {
            let games = self.rounds.unwrap_or(2).saturating_mul(2);
            self.option("--games", &games.to_string());
        }
        if is_new && !self.has("--concurrency") {
            let concurrency = self.concurrency.unwrap_or(1).to_string();
            self.option("--concurrency", &concurrency);
        }
        if is_new && !self.recovers && !self.has("--stop-on-crash") {
            self.words.push("--stop-on-crash".to_owned());
        }
        if is_new && !self.has("--book") {
            let instead = "without it fastchess begins all games at the start position; name a book: -openings file=FILE, or one of ours: --book unbalanced";
            self.refused.push(("(no -openings)".to_owned(), instead.to_owned()));
        }
        if self.has_pgn {
            // A match that resumes writes its games anew.
            if self.appends && !self.has("--resume") {
                self.words.push("--pgn-append".to_owned());
            }
            let heads = std::mem::take(&mut self.heads);
            self.words.extend(heads);
        }
        if self.refused.is_empty() { Ok(self.words) } else { Err(Differences(self.refused)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    fn ours(line: &str) -> String {
        match translated(&words(line)) {
            Ok(words) => shown(&words.expect("words of fastchess")),
            Err(differences) => panic!("{differences}"),
        }
    }

    #[test]
    fn a_command_line_means_what_it_means_there() {
        assert_eq!(
            ours(
                "-engine name=a cmd=./a option.Hash=16 ponder -engine cmd=./b name=b plies=4 -each tc=10+0.1 proto=uci \
                 timemargin=50 -rounds 100 -repeat -concurrency 2 -recover -openings file=8moves.pgn format=pgn \
                 order=random plies=16 start=3 -sprt elo0=-5 elo1=0 alpha=0.1 beta=0.2 model=logistic \
                 -pgnout file=x.pgn notation=uci nps=true nodes=true pv=false timeleft=true append=false \
                 -resign movecount=3 score=400 twosided=true -draw movenumber=40 movecount=8 score=10 -srand 7 \
                 -tb /a:/b -tbpieces 5 -tbignore50 -tbadjudicate WIN_LOSS -ratinginterval 10 -tournament gauntlet \
                 -variant fischerandom -event Cup -log file=l.txt level=trace engine=true -use-affinity 0,2-3"
            ),
            "--engine cmd=./a,name=a,option.Hash=16,ponder=true --engine cmd=./b,name=b,depth=4 --timemargin 50 --concurrency 2 \
             --book 8moves.pgn --order random --book-plies 16 --book-start 3 --alpha 0.1 --beta 0.2 \
             --sprt-model logistic --sprt -5,0 --pgn-notation uci --pgn x.pgn --pgn-fields nps,timeleft \
             --resign movecount=3,score=400,twosided=true --draw movenumber=40,movecount=8,score=10 --seed 7 \
             --tb /a:/b --tbpieces 5 --tbignore50 --tbadjudicate win-loss --ratinginterval 10 --format gauntlet \
             --chess960 --log l.txt --affinity=0,2-3 --each tc=10+0.1 --games 200 --event Cup"
        );
    }

    #[test]
    fn what_is_not_said_is_as_there() {
        assert_eq!(
            ours(
                "-engine cmd=a args=-x -engine cmd=b -each st=1 -openings file=b.epd -pgnout g.pgn --json r.json"
            ),
            "--engine cmd=a,arg=-x --engine cmd=b --book b.epd --order sequential --pgn g.pgn --json r.json --each st=1 \
             --games 4 --concurrency 1 --stop-on-crash --pgn-append"
        );
        assert_eq!(ours("--resume a.journal -rounds 50"), "--resume a.journal --games 100");
    }

    #[test]
    fn a_quick_match_is_that_of_fastchess() {
        assert_eq!(
            ours("-quick cmd=./a cmd=./b book=8moves.epd -rounds 50 -concurrency 4"),
            "--engine cmd=./a --engine cmd=./b --book 8moves.epd --order random \
             --draw movenumber=30,movecount=8,score=8 --concurrency 4 --each tc=10+0.1 --games 100"
        );
        assert!(
            ours("-quick cmd=./a cmd=./b book=8moves.epd").contains("--games 50000 --concurrency ")
        );
        for (line, part) in [
            ("-quick cmd=./a book=b.epd", "1 engines, not two"),
            ("-quick cmd=./a cmd=./b", "book= is missing"),
            ("-quick cmd=./a cmd=./b book=b.epd tc=1", "tc= is none of cmd, book"),
        ] {
            let told = translated(&words(line)).expect_err(line).to_string();
            assert!(told.contains(part), "{line}: {told}");
        }
    }

    #[test]
    fn all_that_differs_is_told_at_once() {
        let line = "-engine cmd=a conf=x -engine cmd=b option.X=1,2 -games 1 -wait 9 -nonsense -sprt elo0=0 elo1=5 model=bayesian";
        let told = translated(&words(line)).expect_err("much differs").to_string();
        for part in [
            "-engine cmd=a conf=x\n      conf= is none of cmd, name,",
            "option.X: a value cannot have a comma",
            "-games 1\n      -games 2;",
            "-wait 9\n      leave it out;",
            "-nonsense\n      no option of fastchess",
            "model=normalized",
        ] {
            assert!(told.contains(part), "{part}: {told}");
        }
    }

    #[test]
    fn lines_in_our_words_are_left_alone() {
        for line in
            ["--engine self --engine self --sprt -5,0", "report a.journal", "", "-h", "--tc -5"]
        {
            assert_eq!(translated(&words(line)), Ok(None), "{line}");
        }
    }

    #[test]
    fn every_word_is_told_or_translated() {
        for (number, (name, rule)) in WORDS.iter().enumerate() {
            assert!(!WORDS[..number].iter().any(|(known, _)| known == name), "{name} twice");
            if let Rule::Instead(text) = rule {
                let told = translated(&words(&format!("-{name} 1"))).expect_err(name).to_string();
                assert!(told.contains(text), "{name}: {told}");
            }
        }
    }
}
