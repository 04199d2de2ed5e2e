//! Null-move schemes as text: the name of one of the engine's schemes, with changes (`fixed-3+guard=piece`), or a TOML file.

mod engine_kind;
mod rule_file;

use std::fs;
use std::path::Path;

use nullarbor::search::null_move::{
    Guard, Reduction, Repetition, Rule, Scheme, Tree, Trigger, UnknownName, Verification,
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use nullarbor_runs::files::{FileError, read_text};
use nullarbor_runs::key_value::{KeyValueError, items};

pub use engine_kind::EngineKind;
use rule_file::{RuleError, RuleFile};

/// A null-move scheme and its name.
///
/// ```
/// use nullarbor_games::scheme::NamedScheme;
///
/// let named = NamedScheme::read("fixed-3+guard=piece+min-depth=3")?;
/// assert_eq!(named.name, "fixed-3+guard=piece+min-depth=3");
/// assert_eq!((named.scheme.guard.name(), named.scheme.min_depth), ("piece", 3));
/// assert!(NamedScheme::read("fixed-3+guard=dog").is_err());
/// # Ok::<(), nullarbor_games::scheme::SchemeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedScheme {
    /// The name of the engine's scheme or the stem of the file, followed by the changes.
    pub name: String,
    /// The scheme.
    pub scheme: Scheme,
}

/// Why a scheme cannot be read or written.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum SchemeError {
    #[error(transparent)]
    Name(#[from] UnknownName),
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{origin}: {source}")]
    Change { origin: String, source: ChangeError },
    #[error("the scheme {0} is named twice")]
    Duplicate(String),
    #[error("--reference {0}: it is none of the schemes")]
    Reference(String),
}

/// Why a scheme cannot be changed in this way.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum ChangeError {
    #[error(transparent)]
    Name(#[from] UnknownName),
    #[error(transparent)]
    Rule(#[from] RuleError),
    #[error(transparent)]
    Item(#[from] KeyValueError),
    #[error("{}", .0.message())]
    Key(Box<toml::de::Error>),
}

/// Declares the keys of scheme files: choices by name, and plain values with a description.
macro_rules! scheme_keys {
    (choices { $($choice:ident: $names:ty,)* } values { $($value:ident: $type:ty = $what:literal,)* }) => {
        /// A scheme file: every key is optional.
        #[derive(Default, Deserialize, Serialize)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        struct SchemeFile {
            /// The scheme that is changed.
            #[serde(alias = "preset")]
            scheme: Option<String>,
            $($choice: Option<String>,)*
            $($value: Option<$type>,)*
            /// A mined trigger.
            rule: Option<RuleFile>,
        }

        impl SchemeFile {
            /// Returns a scheme with the changes of the file.
            fn applied_to(&self, mut scheme: Scheme) -> Result<Scheme, ChangeError> {
                $(if let Some(name) = &self.$choice {
                    scheme.$choice = name.parse()?;
                })*
                $(if let Some(value) = self.$value {
                    scheme.$value = value;
                })*
                if let Some(rule) = &self.rule {
                    let rule = Rule::new(&rule.tree()?).map_err(RuleError::from)?;
                    scheme.trigger = Trigger::Rule(rule);
                }
                Ok(scheme)
            }
        }

        /// The keys that changes may name.
        const KEYS: &[&str] = &[$(stringify!($choice),)* $(stringify!($value),)*];

        /// Returns all schemes of the engine and all keys with their values, for help texts.
        pub fn syntax() -> String {
            let rows = [
                ("scheme", names(Scheme::ALL)),
                $((stringify!($choice), names(<$names>::ALL)),)*
                $((stringify!($value), $what.to_owned()),)*
            ];
            let row = |(key, values): (&str, String)| {
                format!("  {:<16}  {values}\n", key.replace('_', "-"))
            };
            rows.into_iter().map(row).collect()
        }
    };
}

scheme_keys! {
    choices {
        reduction: Reduction,
        trigger: Trigger,
        guard: Guard,
        verification: Verification,
        repetition: Repetition,
    }
    values {
        threat_extension: bool = "true, false",
        fail_hard: bool = "true, false",
        in_pv_nodes: bool = "true, false",
        whole_window: bool = "true, false",
        keep_alpha: bool = "true, false",
        multi_cut_moves: usize = "moves in place of the null move; 0 for a null move",
        multi_cut_cuts: usize = "how many of them must reach beta",
        min_depth: i32 = "plies",
        min_ply: usize = "plies from the root",
    }
}

fn names<T>(all: &[(&str, T)]) -> String {
    all.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

impl NamedScheme {
    /// Reads the name of a scheme, or the path of a TOML file, and changes as `+key=value` behind it.
    ///
    /// # Errors
    /// If there is no such scheme or file, the file is malformed, or a change is not possible.
    pub fn read(text: &str) -> Result<Self, SchemeError> {
        let (base, changes) = text.split_once('+').map_or((text, None), |(a, b)| (a, Some(b)));
        let mut named = Self::read_base(base)?;
        if let Some(changes) = changes {
            named.scheme = SchemeFile::from_changes(changes)
                .and_then(|changes| changes.applied_to(named.scheme))
                .map_err(|source| SchemeError::Change { origin: text.to_owned(), source })?;
            named.name = format!("{}+{changes}", named.name);
        }
        Ok(named)
    }

    /// Reads several schemes.
    ///
    /// # Errors
    /// As [`NamedScheme::read`], and if two have the same name.
    pub fn read_all(texts: &[impl AsRef<str>]) -> Result<Vec<Self>, SchemeError> {
        let mut all: Vec<Self> = Vec::new();
        for text in texts {
            let named = Self::read(text.as_ref())?;
            if all.iter().any(|other| other.name == named.name) {
                return Err(SchemeError::Duplicate(named.name));
            }
            all.push(named);
        }
        Ok(all)
    }

    /// Returns the file that a text names, without its changes; `None` if it is the name of a scheme.
    pub fn file(text: &str) -> Option<&str> {
        let base = text.split('+').next()?;
        Path::new(base).extension().is_some_and(|extension| extension == "toml").then_some(base)
    }

    fn read_base(text: &str) -> Result<Self, SchemeError> {
        let path = Path::new(text);
        if Self::file(text).is_none() {
            return Ok(Self { name: text.to_owned(), scheme: text.parse()? });
        }
        Self::parse_file(path, &read_text(path)?)
    }

    /// Parses the content of a scheme file; the path is for its name and for messages.
    ///
    /// # Errors
    /// If it describes no scheme.
    pub fn parse_file(path: &Path, content: &str) -> Result<Self, SchemeError> {
        let file: SchemeFile = toml::from_str(content).map_err(FileError::at(path))?;
        let scheme = file
            .scheme()
            .map_err(|source| SchemeError::Change { origin: path.display().to_string(), source })?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        Ok(Self { name: name.into_owned(), scheme })
    }

    /// Writes a scheme file: the scheme `base` with a mined rule as its trigger.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_rule(path: &Path, base: &str, tree: &Tree) -> Result<(), SchemeError> {
        let file = SchemeFile {
            scheme: Some(base.to_owned()),
            rule: Some(RuleFile::from(tree)),
            ..SchemeFile::default()
        };
        let text = toml::to_string(&file).map_err(FileError::at(path))?;
        Ok(fs::write(path, text).map_err(FileError::at(path))?)
    }
}

/// Returns the index of the scheme with this name, the first one if none is asked for.
///
/// # Errors
/// If no scheme has the name.
pub fn index_of(name: Option<&str>, schemes: &[NamedScheme]) -> Result<usize, SchemeError> {
    let Some(name) = name else { return Ok(0) };
    let found = schemes.iter().position(|scheme| scheme.name == name);
    found.ok_or_else(|| SchemeError::Reference(name.to_owned()))
}

impl SchemeFile {
    /// Parses changes, `key=value` with a plus between them.
    fn from_changes(changes: &str) -> Result<Self, ChangeError> {
        let mut table = toml::Table::new();
        for item in items(changes, &['+']) {
            let value = item.value()?;
            if !KEYS.contains(&item.key.replace('-', "_").as_str()) {
                return Err(item.unknown(&KEYS.join(", ").replace('_', "-")).into());
            }
            let value = value
                .parse()
                .map(toml::Value::Boolean)
                .or_else(|_| value.parse().map(toml::Value::Integer))
                .unwrap_or_else(|_| toml::Value::String(value.to_owned()));
            table.insert(item.key.to_owned(), value);
        }
        table.try_into().map_err(|error| ChangeError::Key(Box::new(error)))
    }

    fn scheme(&self) -> Result<Scheme, ChangeError> {
        let base = self.scheme.as_ref().map_or(Ok(Scheme::default()), |name| name.parse())?;
        self.applied_to(base)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use nullarbor::search::null_move::Feature;

    fn read(content: &str) -> Result<NamedScheme, SchemeError> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("mine.toml");
        fs::write(&path, content).expect("room");
        NamedScheme::read(&path.display().to_string())
    }

    #[test]
    fn schemes_have_names() {
        let scheme = NamedScheme::read("micromax").expect("a scheme");
        assert_eq!((scheme.name.as_str(), scheme.scheme.name()), ("micromax", Some("micromax")));
        assert!(NamedScheme::read("macromin").expect_err("none").to_string().contains("micromax"));
    }

    #[test]
    fn a_file_changes_a_scheme() {
        let text =
            "preset = \"verified\"\nreduction = \"fixed-4\"\nguard = \"piece\"\nmin-depth = 3\n";
        let scheme = read(text).expect("a scheme");
        let expected = Scheme {
            reduction: Reduction::Fixed4,
            guard: Guard::OwnPiece,
            min_depth: 3,
            ..Scheme::named("verified").expect("a scheme")
        };
        assert_eq!((scheme.name.as_str(), scheme.scheme), ("mine", expected));
        assert_eq!(read("").expect("the default").scheme, Scheme::default());
        let wide = NamedScheme::read("multi-cut+multi-cut-moves=10+reduction=fixed-3");
        let wide = wide.expect("M and R of multi-cut").scheme;
        assert_eq!((wide.multi_cut_moves, wide.multi_cut_cuts), (10, 3));
    }

    #[test]
    fn changes_apply_to_a_scheme() {
        let scheme =
            NamedScheme::read("fixed-3+guard=piece+min-depth=3+fail-hard=true").expect("valid");
        let expected = Scheme {
            guard: Guard::OwnPiece,
            min_depth: 3,
            fail_hard: true,
            ..Scheme::named("fixed-3").expect("a scheme")
        };
        assert_eq!(scheme.scheme, expected);
        assert_eq!(scheme.name, "fixed-3+guard=piece+min-depth=3+fail-hard=true");
        for (text, part) in
            [("off+guard", "`guard`"), ("off+guard=dog", "dog"), ("off+dog=1", "dog")]
        {
            let error = NamedScheme::read(text).expect_err(text).to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn a_mined_rule_survives_its_file() {
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
        let path = folder.path().join("mined.toml");
        NamedScheme::write_rule(&path, "fixed-2", &tree).expect("room");
        let scheme = NamedScheme::read(&path.display().to_string()).expect("what was written");
        let trigger = Trigger::Rule(Rule::new(&tree).expect("two questions"));
        let expected = Scheme { trigger, ..Scheme::named("fixed-2").expect("a scheme") };
        assert_eq!((scheme.name.as_str(), scheme.scheme), ("mined", expected));
        assert!(NamedScheme::write_rule(folder.path(), "fixed-2", &tree).is_err());
    }

    #[test]
    fn the_syntax_names_every_scheme_and_key() {
        let syntax = syntax();
        for part in ["fixed-4", "donninger", "off-pv", "both-pieces", "double", "in-pv-nodes"] {
            assert!(syntax.contains(part), "{part}: {syntax}");
        }
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
        assert!(
            NamedScheme::read("none.toml").expect_err("none").to_string().contains("none.toml")
        );
    }
}
