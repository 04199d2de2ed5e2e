//! Programs that runs need and that never travel: a worker runs what its operator has put there, and nothing else.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::str::FromStr;

use nullarbor_runs::{LocalProgram, Revision};
use serde::{Deserialize, Serialize};
use tokio::process::Command;

use crate::error::ClusterError;
use crate::object_store;

/// The name of a program among machines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum ProgramId {
    /// The file with this SHA-256 checksum.
    Sha256(String),
    /// The build of this commit, by the builder of the worker.
    Revision(Revision),
}

impl ProgramId {
    /// Returns the name of a program of this machine.
    pub(crate) fn of(program: &LocalProgram) -> Result<Self, ClusterError> {
        let path = &program.path;
        let failed = |problem: String| ClusterError::File { path: path.to_owned(), problem };
        match &program.revision {
            Some(revision) => Ok(Self::Revision(revision.clone())),
            // One that the system looks up by its name may be another file tomorrow.
            None if !path.is_file() => Err(failed(
                "no such file; with --cluster an engine is the path of its program".to_owned(),
            )),
            None => object_store::checksum_of(path)
                .map(Self::Sha256)
                .map_err(|it| failed(it.to_string())),
        }
    }
}

impl fmt::Display for ProgramId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sha256(sum) => write!(f, "sha256:{sum}"),
            Self::Revision(revision) => write!(f, "revision:{revision}"),
        }
    }
}

impl From<ProgramId> for String {
    fn from(id: ProgramId) -> Self {
        id.to_string()
    }
}

impl FromStr for ProgramId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "the name of no program".to_owned();
        match text.split_once(':') {
            Some(("sha256", sum)) if object_store::is_checksum(sum) => {
                Ok(Self::Sha256(sum.to_owned()))
            }
            Some(("revision", commit)) => commit.parse().map(Self::Revision).map_err(|_| wrong()),
            _ => Err(wrong()),
        }
    }
}

impl TryFrom<String> for ProgramId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

/// The programs that the operator of a worker lets runs use.
#[derive(Clone, Debug, Default)]
pub struct AllowedPrograms {
    /// Programs, known by their checksums.
    pub engines: Vec<PathBuf>,
    /// A program that builds the engine of a commit: its argument is the commit, the last line of its output the path.
    pub builder: Option<PathBuf>,
}

impl AllowedPrograms {
    /// Returns the path of a program, after it is built if need be.
    pub(crate) async fn find(&self, id: &ProgramId) -> Result<PathBuf, String> {
        match id {
            ProgramId::Sha256(sum) => {
                // Looked at anew: it may have been replaced.
                let is_it =
                    |path: &&PathBuf| object_store::checksum_of(path).is_ok_and(|it| it == *sum);
                let found = self.engines.iter().find(is_it);
                let missing = || format!("this worker has no program {id} (--engine FILE)");
                found.cloned().ok_or_else(missing)
            }
            ProgramId::Revision(revision) => match &self.builder {
                Some(builder) => build(builder, revision).await,
                None => Err(format!("this worker builds nothing (--builder FILE): {id}")),
            },
        }
    }
}

async fn build(builder: &Path, revision: &Revision) -> Result<PathBuf, String> {
    let failed = |problem: String| format!("{} {revision}: {problem}", builder.display());
    let mut command = Command::new(builder);
    command.arg(revision.to_string()).stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = command.kill_on_drop(true).output().await.map_err(|it| failed(it.to_string()))?;
    if !output.status.success() {
        return Err(failed(output.status.to_string()));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let path = PathBuf::from(text.lines().map(str::trim).rfind(|it| !it.is_empty()).unwrap_or(""));
    let missing = || failed("the last line of its output is not the path of a program".to_owned());
    path.is_file().then_some(path).ok_or_else(missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

    #[test]
    fn programs_are_named_by_content_or_commit() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("engine");
        std::fs::write(&path, "abc").expect("room");
        let here = LocalProgram { path, revision: None };
        let id = ProgramId::of(&here).expect("it is there");
        let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(id, ProgramId::Sha256(sum.to_owned()));
        let built = LocalProgram { revision: COMMIT.parse().ok(), ..here };
        let commit = ProgramId::of(&built).expect("a commit");
        for id in [id, commit] {
            assert_eq!(id.to_string().parse(), Ok(id));
        }
        ProgramId::of(&LocalProgram { path: "engine".into(), revision: None }).expect_err("a word");
        for bad in ["", "sha256:abc", "revision:main", "revision:--exec=x", "file:/bin/sh"] {
            bad.parse::<ProgramId>().expect_err(bad);
        }
    }

    #[cfg(unix)]
    #[test]
    fn only_what_is_allowed_is_found() {
        use std::os::unix::fs::PermissionsExt;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("a runtime");
        let folder = tempfile::tempdir().expect("a folder");
        let written = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("room");
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("its own");
            path
        };
        let engine = written("engine", "abc");
        let id = ProgramId::of(&LocalProgram { path: engine.clone(), revision: None });
        let id = id.expect("it is there");
        let commit: ProgramId = format!("revision:{COMMIT}").parse().expect("a commit");
        let nothing = AllowedPrograms::default();
        let refused = |allowed: &AllowedPrograms, id| {
            runtime.block_on(allowed.find(id)).expect_err("not allowed")
        };
        assert!(refused(&nothing, &id).contains("--engine"));
        assert!(refused(&nothing, &commit).contains("--builder"));
        let builder =
            written("builder", "#!/bin/sh\necho building $1\necho $(dirname $0)/engine\n");
        let allowed =
            AllowedPrograms { engines: vec![engine.clone()], builder: Some(builder.clone()) };
        for id in [&id, &commit] {
            assert_eq!(runtime.block_on(allowed.find(id)), Ok(engine.clone()));
        }
        written("engine", "another one");
        assert!(refused(&allowed, &id).contains("no program sha256:ba78"));
        written("builder", "#!/bin/sh\necho $(dirname $0)/engine\nexit 3\n");
        assert!(refused(&allowed, &commit).contains("exit status: 3"));
        written("builder", "#!/bin/sh\necho /nowhere/engine\n");
        assert!(refused(&allowed, &commit).contains("not the path"));
    }
}
