//! Files that are replaced as a whole, and errors with the path of a file.

use std::error::Error;
use std::fs::{self, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::{Builder, NamedTempFile};

/// A file or folder that cannot be used, and why.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {source}", path = path.display())]
pub struct FileError {
    path: PathBuf,
    source: Box<dyn Error + Send + Sync>,
}

impl FileError {
    /// Returns a function that adds the path of a file to an error.
    pub fn at<E: Into<Box<dyn Error + Send + Sync>>>(
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(E) -> Self {
        let path = path.into();
        move |source| Self { path, source: source.into() }
    }
}

/// No text that people write is longer, in bytes.
pub const LONGEST_TEXT: u64 = 16 << 20;

/// Reads a regular file of at most `max` bytes. The engine, which knows no runs, has such a function of its own.
///
/// # Errors
/// If it is no regular file (a device could be read for ever, a pipe waited for), is longer or cannot be read.
pub fn read(path: &Path, max: u64) -> Result<Vec<u8>, FileError> {
    let file = open(path)?;
    let length = file.metadata().map_err(FileError::at(path))?.len();
    let mut bytes = Vec::new();
    if length <= max {
        // It may grow while it is read.
        file.take(max + 1).read_to_end(&mut bytes).map_err(FileError::at(path))?;
    }
    let found = length.max(bytes.len() as u64);
    if found > max {
        let problem =
            format!("it has {found} bytes, more than the {max} that such a file can have");
        return Err(FileError::at(path)(problem));
    }
    Ok(bytes)
}

/// Reads a text of at most [`LONGEST_TEXT`] bytes.
///
/// # Errors
/// As [`read`], or if it is not UTF-8.
pub fn read_text(path: &Path) -> Result<String, FileError> {
    String::from_utf8(read(path, LONGEST_TEXT)?)
        .map_err(|error| FileError::at(path)(error.utf8_error()))
}

/// Opens a regular file to read it piece by piece.
///
/// # Errors
/// If it is no regular file, or cannot be opened.
pub fn open(path: &Path) -> Result<fs::File, FileError> {
    check_regular(path)?;
    fs::File::open(path).map_err(FileError::at(path))
}

/// Longest wait for a lock: a process that is being started holds the locks of its parent until it becomes another
/// program.
const LOCK_PATIENCE: Duration = Duration::from_millis(200);

/// Takes the lock of an open file; returns whether no other process has it. File systems without locks count as free.
pub fn lock(file: &fs::File) -> bool {
    let start = Instant::now();
    while matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
        if start.elapsed() > LOCK_PATIENCE {
            return false;
        }
        thread::sleep(Duration::from_millis(1));
    }
    true
}

/// Fails if there is something that is no regular file.
///
/// # Errors
/// If there is.
pub fn check_regular(path: &Path) -> Result<(), FileError> {
    // Opening a pipe waits for its other end.
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => Err(FileError::at(path)("it is no regular file")),
        _ => Ok(()),
    }
}

/// Writes a file that replaces the old one when it is complete and synced.
///
/// # Errors
/// If it cannot be written. Then the old file stays, and nothing is left of the new one.
pub fn replace(
    path: &Path,
    write: impl FnOnce(&mut fs::File) -> io::Result<()>,
) -> Result<(), FileError> {
    let mut file = beside(path)?;
    let replace = || {
        write(file.as_file_mut())?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        // The new name must survive a power cut, too.
        #[cfg(unix)]
        fs::File::open(folder_of(path))?.sync_all()?;
        Ok(())
    };
    replace().map_err(FileError::at::<io::Error>(path))
}

/// End of the names of temporary files.
const TEMPORARY: &str = ".tmp";
/// Letters of a file's name in the names of its temporary files, at most: names of files are limited.
const NAMED: usize = 40;

/// Creates a temporary file in the folder of another, to replace it. Those that killed processes left are removed.
///
/// # Errors
/// If it cannot be created.
pub fn beside(path: &Path) -> Result<NamedTempFile, FileError> {
    let folder = folder_of(path);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let prefix = format!(".{}.", name.chars().take(NAMED).collect::<String>());
    remove_left_over(folder, &prefix);
    let mut builder = Builder::new();
    builder.prefix(&prefix).suffix(TEMPORARY);
    // The permissions of an ordinary file, restricted by the umask.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let file = builder.tempfile_in(folder).map_err(|error| {
        if error.kind() == io::ErrorKind::NotFound {
            FileError::at(path)(format!("there is no folder {}", folder.display()))
        } else {
            FileError::at(path)(error)
        }
    })?;
    // The lock tells others that it is in use. File systems without locks have no use for it.
    let _ = file.as_file().try_lock();
    Ok(file)
}

/// Removes the temporary files of processes that were killed.
fn remove_left_over(folder: &Path, prefix: &str) {
    // A folder that cannot be read accepts no new file either, which is told then.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_temporary = name
            .to_str()
            .and_then(|it| it.strip_prefix(prefix)?.strip_suffix(TEMPORARY))
            .is_some_and(|random| random.bytes().all(|it| it.is_ascii_alphanumeric()));
        if is_temporary && is_unused(&entry.path()) {
            // Another process may have removed it meanwhile.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Returns whether no process has the lock of a file.
fn is_unused(path: &Path) -> bool {
    open(path).is_ok_and(|file| file.try_lock().is_ok())
}

/// Checks that a file can be written, before the work whose result it gets.
///
/// # Errors
/// If its folder does not accept a new file.
pub fn check_writable(path: &Path) -> Result<(), FileError> {
    beside(path).map(drop)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_lock_is_waited_for_but_not_for_long() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let open = || fs::File::open(file.path()).expect("a file");
        let held = open();
        assert!(lock(&held));
        let begun = Instant::now();
        assert!(!lock(&open()), "it is held");
        assert!(begun.elapsed() >= LOCK_PATIENCE, "{:?}", begun.elapsed());
        let release = thread::spawn(move || {
            thread::sleep(LOCK_PATIENCE / 10);
            drop(held);
        });
        // A busy machine may free it late.
        assert!((0..10).any(|_| lock(&open())), "it is free after a while");
        release.join().expect("no panic");
    }

    #[test]
    fn folders_devices_and_long_files_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(
            read(folder.path(), 10).is_err_and(|it| it.to_string().ends_with("no regular file"))
        );
        let path = folder.path().join("file");
        fs::write(&path, "12345").expect("room");
        assert_eq!(read(&path, 5).expect("short enough"), b"12345");
        let error = read(&path, 4).expect_err("too long").to_string();
        assert!(error.contains("it has 5 bytes, more than the 4"), "{error}");
        #[cfg(unix)]
        assert!(read(Path::new("/dev/zero"), 10).is_err());
    }

    #[test]
    fn a_folder_that_is_missing_is_named() {
        let error = check_writable(Path::new("no/such/file")).expect_err("no folder");
        assert_eq!(error.to_string(), "no/such/file: there is no folder no/such");
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_what_is_in_use_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        let in_use = beside(&path).expect("room");
        let left = [".file.a1B2c3.tmp", ".file.x-y.tmp", ".other.a1B2c3.tmp"];
        left.iter().for_each(|name| fs::write(folder.path().join(name), "").expect("room"));
        replace(&path, |_| Ok(())).expect("room");
        assert_eq!(left.map(|name| folder.path().join(name).exists()), [false, true, true]);
        assert!(in_use.path().exists() && path.exists());
        // A long name has room for what is added.
        check_writable(&folder.path().join("x".repeat(255))).expect("room");
    }

    #[test]
    fn a_failure_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        replace(&path, |file| file.write_all(b"old")).expect("room");
        let failed = replace(&path, |file| {
            file.write_all(b"new")?;
            Err(io::Error::other("full"))
        });
        assert!(failed.expect_err("refused").to_string().ends_with("file: full"));
        assert_eq!(fs::read(&path).expect("still there"), b"old");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
        replace(&path, |file| file.write_all(b"new")).expect("room");
        assert_eq!(fs::read(&path).expect("there"), b"new");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let plain = folder.path().join("plain");
            fs::write(&plain, "").expect("room");
            let [mode, usual] =
                [path, plain].map(|it| fs::metadata(it).expect("there").permissions().mode());
            assert_eq!(mode, usual, "others may do with it what the mask says: {mode:o}");
        }
    }
}
