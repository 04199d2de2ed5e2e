//! The runs in folders.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// What is kept in a place.
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
    /// What it is.
    pub kind: Kind,
    /// Its file or folder.
    pub path: PathBuf,
}

/// How deep runs may lie below a folder that is named.
const DEPTH: usize = 3;
/// Runs that are shown, at most.
const MOST: usize = 200;

impl Source {
    /// Finds the runs in these folders and below, those that changed last first.
    pub fn find(places: &[PathBuf]) -> Vec<Self> {
        let mut found = Vec::new();
        places.iter().for_each(|place| look(place, DEPTH, &mut found));
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

    /// Returns something that changes when the run does.
    pub fn stamp(&self) -> Vec<(u64, u64)> {
        let stamp = |path: &PathBuf| Some((modified(path)?, fs::metadata(path).ok()?.len()));
        self.files().iter().filter_map(stamp).collect()
    }

    /// Returns the files that tell its state.
    fn files(&self) -> Vec<PathBuf> {
        match self.kind {
            Kind::Match | Kind::Training => vec![self.path.clone()],
            Kind::Lab => vec![self.path.join("lab.json")],
            Kind::Spsa => vec![self.path.join("journal.jsonl")],
            Kind::Data | Kind::Breed => {
                let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
                entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect()
            }
        }
    }
}

fn modified(path: &Path) -> Option<u64> {
    let time = fs::metadata(path).ok()?.modified().unwrap_or(SystemTime::UNIX_EPOCH);
    Some(time.duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()))
}

fn look(place: &Path, depth: usize, found: &mut Vec<Source>) {
    let add = |kind, found: &mut Vec<Source>| found.push(Source { kind, path: place.to_owned() });
    if place.is_file() {
        if let Some(kind) = kind_of_file(place) {
            add(kind, found);
        }
        return;
    }
    if place.join("breed.toml").is_file() {
        add(Kind::Breed, found);
    }
    if begins_with(&place.join("journal.jsonl"), "{\"nullarbor_spsa\"") {
        return add(Kind::Spsa, found);
    }
    if place.join("lab.json").is_file() {
        return add(Kind::Lab, found);
    }
    if place.join("manifest.jsonl").is_file() {
        return add(Kind::Data, found);
    }
    if depth > 0 {
        let mut paths: Vec<PathBuf> =
            fs::read_dir(place).into_iter().flatten().flatten().map(|it| it.path()).collect();
        paths.sort();
        paths.iter().for_each(|path| look(path, depth - 1, found));
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
    File::open(path).is_ok_and(|mut file| file.read_exact(&mut bytes).is_ok())
        && bytes == text.as_bytes()
}

#[cfg(test)]
mod tests {
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
}
