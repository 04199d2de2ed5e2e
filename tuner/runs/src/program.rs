//! Programs that jobs need and that never travel: each machine has its own.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The commit that a program was built from: 40 lowercase hexadecimal digits, or 64 in a repository of SHA-256.
///
/// ```
/// use nullarbor_runs::Revision;
///
/// assert!("9f2c3a7e5d1b4c6f8a0e2d4b6c8f0a1e3d5b7c9f".parse::<Revision>().is_ok());
/// assert!("main; rm -r /".parse::<Revision>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Revision(String);

/// Why a text is no revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not a commit in full: 40 or 64 lowercase hexadecimal digits (git rev-parse HEAD)")]
pub struct NotARevision;

impl FromStr for Revision {
    type Err = NotARevision;

    fn from_str(text: &str) -> Result<Self, NotARevision> {
        text.to_owned().try_into()
    }
}

impl TryFrom<String> for Revision {
    type Error = NotARevision;

    fn try_from(text: String) -> Result<Self, NotARevision> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let is_commit = [40, 64].contains(&text.len()) && text.bytes().all(is_digit);
        is_commit.then_some(Self(text)).ok_or(NotARevision)
    }
}

impl From<Revision> for String {
    fn from(revision: Revision) -> Self {
        revision.0
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A program on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalProgram {
    /// The file.
    pub path: PathBuf,
    /// The commit that it was built from: other machines may build it from that, too. Without it, theirs must be the same
    /// file, byte for byte.
    pub revision: Option<Revision>,
}
