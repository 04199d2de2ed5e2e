//! Schemes of the null move as words and as files: a preset, and what is different.

mod engine_kind;
mod rule_file;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use nullarbor::search::null_move::{self, Rule, Tree, Trigger, UnknownName};
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use engine_kind::EngineKind;
use rule_file::{RuleError, RuleFile};

/// A scheme and what to call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheme {
    /// The name of a preset or of a file, with what was added to it.
    pub name: String,
    /// What it does.
    pub policy: null_move::Scheme,
}

/// Why a text names no scheme.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum SchemeError {
    #[error(transparent)]
    Preset(#[from] UnknownName),
    #[error("{path}: {source}", path = path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{path}: {source}", path = path.display())]
    Toml { path: PathBuf, source: Box<toml::de::Error> },
    #[error("{origin}: {source}")]
    Change { origin: String, source: ChangeError },
    #[error("{path}: {reason}", path = path.display())]
    Unwritable { path: PathBuf, reason: String },
}

/// Why a preset cannot be changed like that.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum ChangeError {
    #[error(transparent)]
    Name(#[from] UnknownName),
    #[error(transparent)]
    Rule(#[from] RuleError),
    #[error("`{0}` is not of the form key=value")]
    NoValue(String),
    #[error("{}", .0.message())]
    Key(Box<toml::de::Error>),
}

/// The file: every key may be left out.
#[derive(Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct SchemeFile {
    preset: Option<String>,
    reduction: Option<String>,
    trigger: Option<String>,
    guard: Option<String>,
    verification: Option<String>,
    repetition: Option<String>,
    threat_extension: Option<bool>,
    fail_hard: Option<bool>,
    in_pv_nodes: Option<bool>,
    min_depth: Option<i32>,
    min_ply: Option<usize>,
    rule: Option<RuleFile>,
}

impl Scheme {
    /// The preset with this name, or what the TOML file at this path says; with changes as `+key=value` behind it.
    ///
    /// # Errors
    /// Where there is neither, or the file is none of a scheme, or there is nothing to be changed like that.
    pub fn read(text: &str) -> Result<Self, SchemeError> {
        let (base, changes) = text.split_once('+').map_or((text, None), |(a, b)| (a, Some(b)));
        let mut scheme = Self::read_base(base)?;
        if let Some(changes) = changes {
            let changed = SchemeFile::from_words(changes)
                .and_then(|changes| changes.applied_to(scheme.policy))
                .map_err(|source| SchemeError::Change { origin: text.to_owned(), source })?;
            scheme = Self { name: format!("{}+{changes}", scheme.name), policy: changed };
        }
        Ok(scheme)
    }

    fn read_base(text: &str) -> Result<Self, SchemeError> {
        let path = Path::new(text);
        if path.extension().is_none_or(|extension| extension != "toml") {
            return Ok(Self { name: text.to_owned(), policy: text.parse()? });
        }
        let content = fs::read_to_string(path)
            .map_err(|source| SchemeError::File { path: path.to_owned(), source })?;
        let file: SchemeFile = toml::from_str(&content)
            .map_err(|source| SchemeError::Toml { path: path.to_owned(), source: source.into() })?;
        let policy = file
            .policy()
            .map_err(|source| SchemeError::Change { origin: path.display().to_string(), source })?;
        let name = path.file_stem().map_or(text.into(), |stem| stem.to_string_lossy());
        Ok(Self { name: name.into_owned(), policy })
    }

    /// Writes a file of a preset whose trigger is a learnt rule.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn write_rule(path: &Path, preset: &str, tree: &Tree) -> Result<(), SchemeError> {
        let file = SchemeFile {
            preset: Some(preset.to_owned()),
            rule: Some(RuleFile::from(tree)),
            ..SchemeFile::default()
        };
        let unwritable = |reason: String| SchemeError::Unwritable { path: path.to_owned(), reason };
        let text = toml::to_string(&file).map_err(|error| unwritable(error.to_string()))?;
        fs::write(path, text).map_err(|error| unwritable(error.to_string()))
    }
}

impl SchemeFile {
    /// From `key=value`s with a plus between them.
    fn from_words(words: &str) -> Result<Self, ChangeError> {
        let mut table = toml::Table::new();
        for word in words.split('+') {
            let (key, value) =
                word.split_once('=').ok_or_else(|| ChangeError::NoValue(word.to_owned()))?;
            let value = value
                .parse()
                .map(toml::Value::Boolean)
                .or_else(|_| value.parse().map(toml::Value::Integer))
                .unwrap_or_else(|_| toml::Value::String(value.to_owned()));
            table.insert(key.to_owned(), value);
        }
        table.try_into().map_err(|error| ChangeError::Key(Box::new(error)))
    }

    fn policy(&self) -> Result<null_move::Scheme, ChangeError> {
        let base = match &self.preset {
            Some(name) => name.parse()?,
            None => null_move::Scheme::default(),
        };
        self.applied_to(base)
    }

    fn applied_to(&self, mut policy: null_move::Scheme) -> Result<null_move::Scheme, ChangeError> {
        // Each choice that is named replaces that of the preset.
        macro_rules! choose {
            ($($field:ident),*) => {$(
                if let Some(name) = &self.$field {
                    policy.$field = name.parse()?;
                }
            )*};
        }
        macro_rules! set {
            ($($field:ident),*) => {$(
                if let Some(value) = self.$field {
                    policy.$field = value;
                }
            )*};
        }
        choose!(reduction, trigger, guard, verification, repetition);
        set!(threat_extension, fail_hard, in_pv_nodes, min_depth, min_ply);
        if let Some(rule) = &self.rule {
            policy.trigger = Trigger::Rule(Rule::new(&rule.tree()?).map_err(RuleError::from)?);
        }
        Ok(policy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nullarbor::search::null_move::{Feature, Guard, Reduction};

    fn read(content: &str) -> Result<Scheme, SchemeError> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("mine.toml");
        fs::write(&path, content).expect("room");
        Scheme::read(&path.display().to_string())
    }

    #[test]
    fn presets_go_by_their_names() {
        let scheme = Scheme::read("micromax").expect("a preset");
        assert_eq!((scheme.name.as_str(), scheme.policy.name()), ("micromax", Some("micromax")));
        assert!(Scheme::read("macromin").expect_err("none").to_string().contains("micromax"));
    }

    #[test]
    fn a_file_changes_a_preset() {
        let text =
            "preset = \"verified\"\nreduction = \"fixed-4\"\nguard = \"piece\"\nmin-depth = 3\n";
        let scheme = read(text).expect("a scheme");
        let expected = null_move::Scheme {
            reduction: Reduction::Fixed4,
            guard: Guard::OwnPiece,
            min_depth: 3,
            ..null_move::Scheme::named("verified").expect("a preset")
        };
        assert_eq!((scheme.name.as_str(), scheme.policy), ("mine", expected));
        assert_eq!(read("").expect("the default").policy, null_move::Scheme::default());
    }

    #[test]
    fn words_change_a_preset() {
        let scheme = Scheme::read("fixed-3+guard=piece+min-depth=3+fail-hard=true").expect("valid");
        let expected = null_move::Scheme {
            guard: Guard::OwnPiece,
            min_depth: 3,
            fail_hard: true,
            ..null_move::Scheme::named("fixed-3").expect("a preset")
        };
        assert_eq!(scheme.policy, expected);
        assert_eq!(scheme.name, "fixed-3+guard=piece+min-depth=3+fail-hard=true");
        for (text, part) in
            [("off+guard", "`guard`"), ("off+guard=dog", "dog"), ("off+dog=1", "dog")]
        {
            let error = Scheme::read(text).expect_err(text).to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn a_learnt_rule_survives_its_file() {
        let split = |feature, above, then: Tree, otherwise: Tree| Tree::Split {
            feature,
            above,
            then: Box::new(then),
            otherwise: Box::new(otherwise),
        };
        let [yes, no] = [true, false].map(Tree::Answer);
        let tree =
            split(Feature::Depth, 4, yes.clone(), split(Feature::EvalMinusBeta, -150, yes, no));
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("learnt.toml");
        Scheme::write_rule(&path, "fixed-2", &tree).expect("room");
        let scheme = Scheme::read(&path.display().to_string()).expect("what was written");
        let trigger = Trigger::Rule(Rule::new(&tree).expect("two questions"));
        let expected =
            null_move::Scheme { trigger, ..null_move::Scheme::named("fixed-2").expect("a preset") };
        assert_eq!((scheme.name.as_str(), scheme.policy), ("learnt", expected));
        assert!(Scheme::write_rule(folder.path(), "fixed-2", &tree).is_err());
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("[rule]\nif = \"depht > 3\"\nthen = true\nelse = false", "depht"),
            ("[rule]\nif = \"depth < 3\"\nthen = true\nelse = false", "depth < 3"),
            ("[rule]\nif = \"depth > 99999\"\nthen = true\nelse = false", "99999"),
            ("[rule]\nif = \"depth > 3\"\nthen = true", "rule"),
            ("guard = \"dog\"", "dog"),
            ("gaurd = \"none\"", "gaurd"),
            ("min-depth = \"x\"", "min-depth"),
            ("preset = \"x\"", "x"),
        ] {
            let error = read(text).expect_err(text).to_string();
            assert!(error.contains(part) && error.contains("mine.toml"), "{error}");
        }
        assert!(Scheme::read("none.toml").expect_err("none").to_string().contains("none.toml"));
    }
}
