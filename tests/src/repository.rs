//! The source tree that the tests belong to.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Root of the repository.
///
/// # Panics
/// If the crate has been taken out of it.
pub fn repository_root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder above the tests");
    assert!(root.join("engine").is_dir(), "{} is not the repository", root.display());
    root.to_owned()
}

/// Files under version control, relative to the root; in an unpacked archive, all files that a build does not make.
pub fn tracked_files() -> Vec<PathBuf> {
    let root = repository_root();
    let listed = Command::new("git").arg("-C").arg(&root).args(["ls-files", "-z"]).output();
    let listed = listed.ok().filter(|output| output.status.success() && !output.stdout.is_empty());
    let Some(listed) = listed else {
        let mut files = Vec::new();
        walk(&root, &root, &mut files);
        return files;
    };
    let names = String::from_utf8_lossy(&listed.stdout).into_owned();
    // A file that is deleted but not yet committed is still listed.
    names
        .split_terminator('\0')
        .map(PathBuf::from)
        .filter(|file| root.join(file).is_file())
        .collect()
}

fn walk(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        let name =
            path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let built = folder == root
            && (name.starts_with("target") || name.starts_with("nullarbor") || name == "data");
        if name == ".git" || built {
            continue;
        }
        if path.is_dir() {
            walk(root, &path, files);
        } else {
            files.extend(path.strip_prefix(root).map(Path::to_owned));
        }
    }
}
