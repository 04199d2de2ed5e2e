//! The version that the engine names: that of the package in a release, otherwise with the commit.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// Format of the line that `git archive` writes into the file `commit`: abbreviated hash and names
/// of the commit.
const FORMAT: &str = "%h %D";

/// Returns the version to name.
pub fn version() -> String {
    let root = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    let root = Path::new(&root);
    println!("cargo::rerun-if-changed=commit");
    let archived = fs::read_to_string(root.join("commit")).unwrap_or_default();
    let commit = if archived.starts_with("$Format") { from_git(root) } else { Some(archived) };
    describe(env!("CARGO_PKG_VERSION"), commit.as_deref())
}

/// Names the version of a commit with a hash and names such as `HEAD -> main, tag: v1.0.0`.
pub fn describe(version: &str, commit: Option<&str>) -> String {
    let commit = commit.unwrap_or_default().trim();
    let (hash, names) = commit.split_once(' ').unwrap_or((commit, ""));
    let tag = format!("tag: v{version}");
    if names.split(", ").any(|name| name == tag) {
        version.to_owned()
    } else if hash.is_empty() {
        format!("{version}-dev")
    } else {
        format!("{version}-dev-{hash}")
    }
}

/// Asks git, in release builds alone: nobody plays with others, and each commit would build them
/// anew.
fn from_git(root: &Path) -> Option<String> {
    if env::var("PROFILE").as_deref() != Ok("release") || !root.join("../.git").exists() {
        return None;
    }
    let log = git(root, &["rev-parse", "--path-format=absolute", "--git-path", "logs/HEAD"])?;
    println!("cargo::rerun-if-changed={}", log.trim());
    // A tag may come after the commit.
    let tags = git(root, &["rev-parse", "--path-format=absolute", "--git-path", "refs/tags"])?;
    if Path::new(tags.trim()).exists() {
        println!("cargo::rerun-if-changed={}", tags.trim());
    }
    git(root, &["log", "-1", &format!("--format={FORMAT}")])
}

fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(root).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
