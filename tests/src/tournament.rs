//! Runs of the tuner, each in a folder of its own.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::process::{Exit, Process};

/// Longest time of a run before a test gives up.
const PATIENCE: Duration = Duration::from_secs(300);

/// The files of a folder and of those below it: their paths in it, and their bytes.
pub type Files = Vec<(PathBuf, Vec<u8>)>;

/// A folder in which the tuner runs; it is removed when dropped.
pub struct Tournament {
    folder: tempfile::TempDir,
}

impl Tournament {
    /// An empty folder.
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    /// The path of a file in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("a file can be written");
    }

    /// Reads a file.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Reads all files of a folder, so that other tests need not make them again.
    pub fn files(&self, name: &str) -> Files {
        let (root, mut files) = (self.path(name), Files::new());
        collect(&root, &root, &mut files);
        files
    }

    /// A folder with one folder, which has these files.
    pub fn with(name: &str, files: &Files) -> Self {
        let folder = Self::new();
        for (file, bytes) in files {
            let path = folder.path(name).join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("room");
            fs::write(path, bytes).expect("room");
        }
        folder
    }

    /// Reads a file of JSON.
    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Starts the tuner in the folder.
    pub fn start<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Process {
        let mut command = Command::new(crate::tuner());
        command.args(arguments).current_dir(self.folder.path());
        let mut process = Process::spawn(&mut command);
        process.close_input();
        process
    }

    /// Runs the tuner to its end.
    pub fn run<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Exit {
        self.start(arguments).finish(PATIENCE)
    }

    /// Runs it and asserts success.
    pub fn succeed<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Exit {
        let exit = self.run(arguments);
        exit.assert_clean();
        exit
    }

    /// Runs it and asserts a refusal with this exit code; returns the one line that says why.
    pub fn refuse<S: AsRef<OsStr>>(&self, arguments: &[S], code: i32) -> String {
        let exit = self.run(arguments);
        assert_eq!(exit.status.code(), Some(code), "error output:\n{}", exit.errors);
        exit.assert_no_panic();
        assert!(exit.lines.is_empty(), "wrote on standard output: {:?}", exit.lines);
        let error = exit.errors.lines().find(|line| line.starts_with("error:"));
        error.unwrap_or_else(|| panic!("no error in:\n{}", exit.errors)).to_owned()
    }

    /// A match of two engines with the words that most tests need, and more.
    pub fn words<'a>(engines: [&'a str; 2], more: &[&'a str]) -> Vec<&'a str> {
        let mut words = vec!["match", "--engine", engines[0], "--engine", engines[1], "--quiet"];
        words.extend(more);
        words
    }
}

fn collect(root: &Path, folder: &Path, files: &mut Files) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(root, &path, files);
        } else {
            let name = path.strip_prefix(root).expect("a file in the folder").to_owned();
            files.push((name, fs::read(&path).expect("a readable file")));
        }
    }
}

impl Default for Tournament {
    fn default() -> Self {
        Self::new()
    }
}
