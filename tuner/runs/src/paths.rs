//! Paths of files that a command reads and writes: the same file under two names, and two processes at one output.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::files::{FileError, lock};

/// Why a command must not write where it is told to.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum OutputError {
    #[error(
        "{first} and {second} are the same file, {path}: it would be overwritten; nothing was done, name another one",
        path = path.display()
    )]
    Collision { first: String, second: String, path: PathBuf },
    #[error(
        "{output} {path} lies in the folder of {input}, whose files it may overwrite; nothing was done, name another place",
        path = path.display()
    )]
    Inside { output: String, input: String, path: PathBuf },
    #[error("{path}: another process writes there; wait for its end, or name another output", path = path.display())]
    Busy { path: PathBuf },
    #[error("{path}: there is no folder {folder}", path = path.display(), folder = folder.display())]
    NoFolder { path: PathBuf, folder: PathBuf },
    #[error(transparent)]
    File(#[from] FileError),
}

/// A file that a command uses, and what the user calls it.
#[derive(Clone, Debug)]
pub struct Named {
    name: String,
    path: PathBuf,
}

impl Named {
    /// A file, by the name of its option.
    pub fn new(name: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        Self { name: name.into(), path: path.into() }
    }

    /// A file, if there is one.
    pub fn optional(name: &str, path: Option<&Path>) -> Option<Self> {
        path.map(|path| Self::new(name, path))
    }
}

/// Fails if an output is another output or an input, by whatever path or link it is reached, or lies in a folder that is an
/// input.
///
/// # Errors
/// If it does.
pub fn check_outputs(outputs: &[Named], inputs: &[Named]) -> Result<(), OutputError> {
    for (number, output) in outputs.iter().enumerate() {
        let others = outputs[..number].iter().chain(inputs);
        let (second, path) = (output.name.clone(), output.path.clone());
        if let Some(other) = others.clone().find(|other| is_same_file(&path, &other.path)) {
            return Err(OutputError::Collision { first: other.name.clone(), second, path });
        }
        if let Some(input) = inputs.iter().find(|input| lies_in(&path, &input.path)) {
            return Err(OutputError::Inside { output: second, input: input.name.clone(), path });
        }
    }
    Ok(())
}

/// Returns the absolute path of a file that need not exist, with all links followed.
pub fn resolved(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    follow(&absolute, LINKS)
}

/// Links that are followed one after the other, as many as Linux does.
const LINKS: usize = 40;

fn follow(path: &Path, links: usize) -> PathBuf {
    if let Ok(real) = fs::canonicalize(path) {
        return real;
    }
    // What does not exist yet may be a link to what does not exist yet.
    if let (Ok(target), Some(links)) = (fs::read_link(path), links.checked_sub(1)) {
        let folder = path.parent().unwrap_or(Path::new("/"));
        return follow(&folder.join(target), links);
    }
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => follow(folder, links).join(name),
        // `..` at the end of what does not exist.
        (Some(folder), None) => follow(folder, links).parent().unwrap_or(folder).to_owned(),
        _ => path.to_owned(),
    }
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    resolved(one) == resolved(other) || is_hard_link(one, other)
}

#[cfg(unix)]
fn is_hard_link(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |path| fs::metadata(path).ok().map(|file| (file.dev(), file.ino()));
    id(one).is_some_and(|one| Some(one) == id(other))
}

#[cfg(not(unix))]
fn is_hard_link(_: &Path, _: &Path) -> bool {
    false
}

fn lies_in(path: &Path, folder: &Path) -> bool {
    folder.is_dir() && resolved(path).starts_with(resolved(folder))
}

/// The right of this process alone to write an output. It ends with the process, however that ends.
#[derive(Debug)]
pub struct OutputLock {
    /// Locked as long as it is open.
    _file: File,
    path: PathBuf,
}

impl OutputLock {
    /// Takes the right to write a file: its lock is a file beside it, which is removed at the end.
    ///
    /// # Errors
    /// If another process has it, or its folder is missing.
    pub fn of_file(path: &Path) -> Result<Self, OutputError> {
        let folder = path.parent().filter(|it| !it.as_os_str().is_empty() && !it.is_dir());
        if let Some(folder) = folder.map(Path::to_owned) {
            return Err(OutputError::NoFolder { path: path.to_owned(), folder });
        }
        let real = resolved(path);
        let name = real.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self::take(path, real.with_file_name(format!(".{name}.lock")))
    }

    /// Takes the right to write into a folder, which is created.
    ///
    /// # Errors
    /// If another process has it, or the folder cannot be created.
    pub fn of_folder(path: &Path) -> Result<Self, OutputError> {
        fs::create_dir_all(path).map_err(FileError::at(path))?;
        Self::take(path, resolved(path).join(".lock"))
    }

    fn take(output: &Path, path: PathBuf) -> Result<Self, OutputError> {
        loop {
            let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
            let file = file.map_err(FileError::at(output))?;
            if !lock(&file) {
                return Err(OutputError::Busy { path: output.to_owned() });
            }
            // Another process may have removed it since it was opened.
            if is_there(&file, &path).map_err(FileError::at(output))? {
                return Ok(Self { _file: file, path });
            }
        }
    }
}

#[cfg(unix)]
fn is_there(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let open = file.metadata()?;
    Ok(fs::metadata(path).is_ok_and(|there| (there.dev(), there.ino()) == (open.dev(), open.ino())))
}

#[cfg(not(unix))]
fn is_there(_: &File, _: &Path) -> io::Result<bool> {
    // A file that is open cannot be removed there.
    Ok(true)
}

impl Drop for OutputLock {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collides(outputs: &[&Path], inputs: &[&Path]) -> bool {
        let named = |paths: &[&Path]| -> Vec<Named> {
            paths.iter().map(|path| Named::new("file", *path)).collect()
        };
        check_outputs(&named(outputs), &named(inputs)).is_err()
    }

    #[test]
    fn one_file_under_two_names_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("data")).expect("room");
        fs::write(at("data/a"), "").expect("room");
        assert!(collides(&[&at("x"), &at("x")], &[]));
        assert!(collides(&[&at("x"), &at("./data/../x")], &[]));
        assert!(!collides(&[&at("x"), &at("y")], &[&at("data/a")]));
        assert!(collides(&[&at("data/a")], &[&at("data/a")]));
        assert!(collides(&[&at("data/new")], &[&at("data")]));
        assert!(!collides(&[&at("database")], &[&at("data")]));
        assert!(!collides(&[], &[&at("data/a"), &at("data/a")]));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("data")).expect("room");
        fs::write(at("data/a"), "").expect("room");
        fs::hard_link(at("data/a"), at("hard")).expect("a link");
        symlink("data", at("link")).expect("a link");
        symlink("data/new", at("dangling")).expect("a link");
        symlink("loop", at("loop")).expect("a link");
        assert!(collides(&[&at("link/a")], &[&at("data/a")]));
        assert!(collides(&[&at("hard")], &[&at("data/a")]));
        assert!(collides(&[&at("dangling")], &[&at("data")]));
        assert!(collides(&[&at("link/new"), &at("dangling")], &[]));
        assert!(!collides(&[&at("loop")], &[&at("data")]));
    }

    #[test]
    fn an_output_has_one_writer_at_a_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("net");
        let first = OutputLock::of_file(&path).expect("free");
        let again = folder.path().join("./net");
        assert!(matches!(OutputLock::of_file(&again), Err(OutputError::Busy { .. })));
        let _other = OutputLock::of_file(&folder.path().join("other")).expect("free");
        let lost = OutputLock::of_file(&folder.path().join("missing/net"));
        assert!(matches!(lost, Err(OutputError::NoFolder { .. })));
        drop(first);
        drop(OutputLock::of_file(&path).expect("free again"));
        let inside = folder.path().join("new");
        let first = OutputLock::of_folder(&inside).expect("free");
        assert!(OutputLock::of_folder(&inside).is_err());
        drop(first);
        assert_eq!(fs::read_dir(&inside).expect("a folder").count(), 0);
    }
}
