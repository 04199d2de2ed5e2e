//! The runs in folders. Symbolic links are not followed below the places that were named, and nothing is opened that is no
//! regular file: a link may lead anywhere, and a pipe or a device may be read for ever.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::state::Stamp;

/// The kind of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Generations of networks: a folder.
    Breed,
    /// A tuning run: a folder.
    Spsa,
    /// The journal of a match: a file.
    Match,
    /// A training under way: a checkpoint.
    Training,
    /// Training games: a folder.
    Data,
    /// Tables of the laboratory: a folder.
    Lab,
}

/// A run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// Kind of the run.
    pub kind: Kind,
    /// File or folder of the run.
    pub path: PathBuf,
}

/// Depth to which runs may lie below a folder that is named.
const DEPTH: usize = 3;
/// Runs that are shown, at most.
const MOST: usize = 200;
/// Files of a run that are looked at, at most.
const MOST_FILES: usize = 20_000;
/// Seconds after which a training that has written nothing counts as stopped.
const SILENCE: u64 = 900;

impl Source {
    /// Finds the runs in these folders and below, those that changed last first.
    pub fn find(places: &[PathBuf]) -> Vec<Self> {
        let mut found = Vec::new();
        // What was named may be a link.
        let places = places.iter().filter_map(|place| fs::canonicalize(place).ok());
        places.for_each(|place| look(&place, DEPTH, &mut found));
        found.sort();
        found.dedup();
        // Cached: a run that changes meanwhile would contradict the order.
        found.sort_by_cached_key(|source| std::cmp::Reverse(source.changed()));
        found.truncate(MOST);
        found
    }

    /// Returns when it changed last, in seconds since 1970.
    pub fn changed(&self) -> u64 {
        self.files().iter().filter_map(|path| modified(path)).max().unwrap_or(0)
    }

    /// Returns what changes when the run does.
    pub fn stamp(&self) -> Stamp {
        let stamp =
            |path: &PathBuf| Some((modified(path)?, fs::symlink_metadata(path).ok()?.len()));
        let is_locked = match self.kind {
            Kind::Match => is_locked(&self.path),
            Kind::Spsa | Kind::Breed => is_locked(&self.path.join("journal.jsonl")),
            Kind::Data => is_locked(&self.path.join("manifest.jsonl")),
            Kind::Training => now().saturating_sub(self.changed()) < SILENCE,
            Kind::Lab => false,
        };
        Stamp { files: self.files().iter().filter_map(stamp).collect(), is_locked }
    }

    /// Returns what is in the folder of the run and is neither a regular file nor a folder, if anything.
    pub fn stranger(&self) -> Option<PathBuf> {
        let mut left = MOST_FILES;
        stranger(&self.path, DEPTH + 1, &mut left)
    }

    /// Returns the files that tell its state.
    fn files(&self) -> Vec<PathBuf> {
        match self.kind {
            Kind::Match | Kind::Training => vec![self.path.clone()],
            Kind::Lab => vec![self.path.join("lab.json")],
            Kind::Spsa => vec![self.path.join("journal.jsonl")],
            Kind::Data | Kind::Breed => {
                let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
                entries.map(|entry| entry.path()).filter(|path| is_regular(path)).collect()
            }
        }
    }
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

fn modified(path: &Path) -> Option<u64> {
    let time = fs::symlink_metadata(path).ok()?.modified().unwrap_or(SystemTime::UNIX_EPOCH);
    Some(time.duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()))
}

fn is_regular(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
}

/// Opens a regular file; `None` if it is something else.
pub fn open(path: &Path) -> Option<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        // If it became a link or a pipe since it was looked at.
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32);
    }
    let file = is_regular(path).then(|| options.open(path).ok()).flatten()?;
    file.metadata().is_ok_and(|found| found.is_file()).then_some(file)
}

/// Returns whether a process works on the run of this file. Who locks it at this moment waits a while for it.
fn is_locked(path: &Path) -> bool {
    open(path).is_some_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Returns the entries of a folder in order.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn stranger(path: &Path, depth: usize, left: &mut usize) -> Option<PathBuf> {
    if *left == 0 {
        return None;
    }
    *left -= 1;
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() && depth > 0 => {
            entries(path).iter().find_map(|path| stranger(path, depth - 1, left))
        }
        Ok(found) if !found.is_dir() && !found.is_file() => Some(path.to_owned()),
        _ => None,
    }
}

fn look(place: &Path, depth: usize, found: &mut Vec<Source>) {
    let add = |kind, found: &mut Vec<Source>| found.push(Source { kind, path: place.to_owned() });
    if is_regular(place) {
        if let Some(kind) = kind_of_file(place) {
            add(kind, found);
        }
        return;
    }
    if !fs::symlink_metadata(place).is_ok_and(|found| found.is_dir()) {
        return;
    }
    if is_regular(&place.join("breed.toml")) {
        add(Kind::Breed, found);
    }
    if begins_with(&place.join("journal.jsonl"), "{\"nullarbor_spsa\"") {
        return add(Kind::Spsa, found);
    }
    if is_regular(&place.join("lab.json")) {
        return add(Kind::Lab, found);
    }
    if is_regular(&place.join("manifest.jsonl")) {
        return add(Kind::Data, found);
    }
    if depth > 0 {
        entries(place).iter().for_each(|path| look(path, depth - 1, found));
    }
}

fn kind_of_file(path: &Path) -> Option<Kind> {
    if path.extension().is_some_and(|it| it == "checkpoint") {
        return Some(Kind::Training);
    }
    begins_with(path, "{\"nullarbor_match\"").then_some(Kind::Match)
}

fn begins_with(path: &Path, text: &str) -> bool {
    let mut bytes = vec![0; text.len()];
    open(path).is_some_and(|mut file| file.read_exact(&mut bytes).is_ok())
        && bytes == text.as_bytes()
}

#[cfg(test)]
mod tests {
    use nullarbor_runs::files::lock;

    use super::*;

    #[test]
    fn runs_are_found_and_other_files_are_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("room");
            fs::write(path, text).expect("room");
        };
        write("a/match.journal", "{\"nullarbor_match\":1}\n");
        write("a/notes.txt", "{\"nullarbor_\n");
        write("b/journal.jsonl", "{\"nullarbor_spsa\":1}\n");
        write("c/d/lab.json", "[]");
        write("e/manifest.jsonl", "{}\n");
        write("e/x.checkpoint", "{}\n");
        let mut kinds: Vec<Kind> =
            Source::find(&[folder.path().to_owned()]).iter().map(|it| it.kind).collect();
        kinds.sort();
        assert_eq!(kinds, [Kind::Spsa, Kind::Match, Kind::Data, Kind::Lab]);
        assert!(Source::find(&["no/such".into()]).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed_and_pipes_not_opened() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("runs/lab")).expect("room");
        fs::write(at("elsewhere.journal"), "{\"nullarbor_match\":1}\n").expect("room");
        symlink(at("elsewhere.journal"), at("runs/link.journal")).expect("a link");
        symlink("/", at("runs/root")).expect("a link");
        symlink(".", at("runs/again")).expect("a link");
        symlink(at("elsewhere.journal"), at("runs/lab/lab.json")).expect("a link");
        // Opening it would wait for its other end.
        let made = std::process::Command::new("mkfifo").arg(at("runs/pipe")).status();
        assert!(made.expect("mkfifo").success());
        assert_eq!(Source::find(&[at("runs")]), []);
        symlink(at("runs"), at("named")).expect("a link");
        fs::write(at("runs/own.journal"), "{\"nullarbor_match\":1}\n").expect("room");
        assert_eq!(Source::find(&[at("named")]).len(), 1, "what is named may be a link");
        let source = Source { kind: Kind::Lab, path: at("runs/lab") };
        assert_eq!(source.stranger(), Some(at("runs/lab/lab.json")));
    }

    #[test]
    fn a_run_that_a_process_works_on_is_known() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("own.journal");
        fs::write(&path, "{\"nullarbor_match\":1}\n").expect("room");
        let source = Source { kind: Kind::Match, path: path.clone() };
        assert!(!source.stamp().is_locked);
        let file = File::open(&path).expect("a file");
        assert!(lock(&file), "nobody has it for long");
        assert!(source.stamp().is_locked);
    }
}
