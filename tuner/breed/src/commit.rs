//! The commit of a network that was put into a source tree. Nothing is pushed.

use std::path::Path;
use std::process::Command;

use crate::error::Error;

/// The files that belong to a network.
const FILES: [&str; 4] =
    ["engine/network.nnue", "engine/generations.jsonl", "engine/NETWORK.md", ".bench"];

/// Fails if a tree is in no repository, or has changes that a commit would not tell from those of a network.
pub(crate) fn check_clean(tree: &Path) -> Result<(), Error> {
    let changes = git(tree, &["status", "--porcelain", "--untracked-files=no"])?;
    changes.lines().next().map_or(Ok(()), |first| {
        let (tree, first) = (tree.display(), first.trim_start());
        Err(Error::Ship(format!("{tree} has changes: commit or undo them ({first})")))
    })
}

/// Commits the files of a network. Returns the commit in a line.
pub(crate) fn commit(tree: &Path, message: &str) -> Result<String, Error> {
    let files = FILES.into_iter().filter(|file| tree.join(file).exists());
    let arguments = ["commit", "--quiet", "--message", message, "--"].into_iter().chain(files);
    git(tree, &arguments.collect::<Vec<_>>())?;
    git(tree, &["log", "--max-count=1", "--format=%h %s"]).map(|line| line.trim_end().to_owned())
}

fn git(tree: &Path, arguments: &[&str]) -> Result<String, Error> {
    let failed = |problem: &str| Error::Ship(format!("git {}: {problem}", arguments[0]));
    let output = Command::new("git").arg("-C").arg(tree).args(arguments).output();
    let output = output.map_err(|error| failed(&error.to_string()))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(failed(errors.lines().last().unwrap_or("it failed")));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_network_is_committed_in_a_clean_tree_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let tree = folder.path();
        let error = check_clean(tree).expect_err("no repository").to_string();
        assert!(error.starts_with("git status: "), "{error}");
        let run = |arguments: &[&str]| git(tree, arguments).expect("git works");
        run(&["init", "--quiet"]);
        run(&["config", "user.name", "Tester"]);
        run(&["config", "user.email", "tester@example.org"]);
        fs::create_dir(tree.join("engine")).expect("room");
        let write = |name: &str, text: &str| fs::write(tree.join(name), text).expect("room");
        for name in ["engine/network.nnue", "engine/generations.jsonl", ".bench", "notes"] {
            write(name, "old\n");
        }
        run(&["add", "."]);
        run(&["commit", "--quiet", "--message", "First"]);
        check_clean(tree).expect("clean");
        write("untracked", "");
        check_clean(tree).expect("what git does not know does not matter");
        write("notes", "new\n");
        let error = check_clean(tree).expect_err("a change").to_string();
        assert!(error.contains("commit or undo them (M notes)"), "{error}");
        write("engine/network.nnue", "new\n");
        write(".bench", "123\n");
        let line = commit(tree, "Network of generation 1\n\nBench: 123").expect("a commit");
        assert!(line.ends_with(" Network of generation 1"), "{line}");
        let message = run(&["log", "--max-count=1", "--format=%B"]);
        assert_eq!(message.trim_end().lines().last(), Some("Bench: 123"));
        assert_eq!(run(&["show", "--format=", "--name-only"]), ".bench\nengine/network.nnue\n");
        assert!(check_clean(tree).is_err(), "the notes have still changed");
        assert!(commit(tree, "Again").is_err());
    }
}
