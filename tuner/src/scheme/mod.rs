//! Schemes of the null move as files: TOML that begins with a preset and says what is different.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use nullarbor::search::null_move::{Policy, UnknownName};
use serde::Deserialize;
use thiserror::Error;

/// A scheme and what to call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheme {
    /// The name of a preset, or of a file.
    pub name: String,
    /// What it does.
    pub policy: Policy,
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
    #[error("{path}: {source}", path = path.display())]
    Choice { path: PathBuf, source: UnknownName },
}

/// The file: every key may be left out.
#[derive(Deserialize)]
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
}

impl Scheme {
    /// The preset with this name, or what the TOML file at this path says.
    ///
    /// # Errors
    /// Where there is neither, or the file is none of a scheme.
    pub fn read(text: &str) -> Result<Self, SchemeError> {
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
            .map_err(|source| SchemeError::Choice { path: path.to_owned(), source })?;
        let name = path.file_stem().map_or(text.into(), |stem| stem.to_string_lossy());
        Ok(Self { name: name.into_owned(), policy })
    }
}

impl SchemeFile {
    fn policy(self) -> Result<Policy, UnknownName> {
        let mut policy: Policy = match &self.preset {
            Some(name) => name.parse()?,
            None => Policy::default(),
        };
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
        Ok(policy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nullarbor::search::null_move::{Guard, Reduction};

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
        let expected = Policy {
            reduction: Reduction::Fixed4,
            guard: Guard::OwnPiece,
            min_depth: 3,
            ..Policy::preset("verified").expect("a preset")
        };
        assert_eq!((scheme.name.as_str(), scheme.policy), ("mine", expected));
        assert_eq!(read("").expect("the default").policy, Policy::default());
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
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
