//! Journals: files from which long work is resumed. The first line identifies the work, each further line is the JSON of a
//! finished piece. Lines are only appended, so a killed process loses no more than what was in progress.
//!
//! Each line ends with a checksum of all that stands above it and of itself: a changed, missing, repeated or swapped line is
//! noticed, and what stands before it can still be trusted. A last line that was cut short is no damage.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use thiserror::Error;

use crate::files::{FileError, check_regular, lock, open};

/// A kind of journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The key that its first line begins with.
    pub key: &'static str,
    /// The name of such work in messages.
    pub name: &'static str,
    /// True if journals without checksums are read, too: where each piece names a file that has a checksum of its own.
    pub reads_unsealed: bool,
}

/// Why a journal cannot be used.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum JournalError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{path} is not the journal of a {name}: its first line is another one", path = path.display())]
    Foreign { path: PathBuf, name: &'static str },
    #[error(
        "{path} was written by an earlier version, without checksums: its damage would not be noticed; finish it with that version, or begin anew with another file",
        path = path.display()
    )]
    Earlier { path: PathBuf },
    #[error(
        "{path}, line {line}: {problem}; the journal is damaged from here on, and nothing was changed. To go on from the lines before: head -n {before} {path} > NEW",
        path = path.display(), before = line - 1
    )]
    Damaged { path: PathBuf, line: usize, problem: String },
    #[error(
        "{path}, line {line}: {problem}; another version wrote this line, and nothing was changed: go on with that version, or begin anew with another file",
        path = path.display()
    )]
    Version { path: PathBuf, line: usize, problem: String },
    #[error("{path} is the journal of another match; {difference}", path = path.display())]
    Different { path: PathBuf, difference: String },
    #[error("{path} is in use: another process works on this {name}", path = path.display())]
    Busy { path: PathBuf, name: &'static str },
}

const VERSION: u64 = 2;
/// Version without checksums.
const UNSEALED: u64 = 1;
/// Interval between syncs: written lines survive the process, synced ones survive the machine, too.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);
/// Longer than any line of a journal, in bytes.
const LONGEST_LINE: u64 = 1 << 24;

/// A journal that is open for writing.
#[derive(Debug)]
pub struct Journal {
    kind: Kind,
    path: PathBuf,
    file: File,
    /// Bytes of whole lines.
    length: u64,
    /// `None` in a journal that has none.
    checksum: Option<Checksum>,
    synced: Instant,
}

/// A journal and its content. Nothing is written before [`Journal::begin`].
#[derive(Debug)]
pub struct Opened<Subject, Piece> {
    /// The journal, to append to.
    pub journal: Journal,
    /// The identity of the work; `None` if the journal is new.
    pub subject: Option<Subject>,
    /// The finished pieces.
    pub pieces: Vec<Piece>,
    /// True if the last line was cut short. It is dropped.
    pub was_torn: bool,
}

impl Journal {
    /// Opens a journal, or creates an empty one.
    ///
    /// # Errors
    /// If it cannot be read or written, is in use, is of another kind or version, or is damaged before its last line.
    pub fn open<S: Record, P: Record>(
        kind: Kind,
        path: &Path,
    ) -> Result<Opened<S, P>, JournalError> {
        check_regular(path)?;
        let file = OpenOptions::new().read(true).append(true).create(true).open(path);
        let file = file.map_err(FileError::at(path))?;
        if !lock(&file) {
            return Err(JournalError::Busy { path: path.to_owned(), name: kind.name });
        }
        let Content { subject, pieces, valid, checksum, was_torn } = scan(kind, path, &file)?;
        let (path, synced) = (path.to_owned(), Instant::now());
        let journal = Self { kind, path, file, length: valid, checksum, synced };
        Ok(Opened { journal, subject, pieces, was_torn })
    }

    /// Reads a journal, which another process may be writing.
    ///
    /// # Errors
    /// If it cannot be read, is of another kind or version, or is damaged before its last line.
    pub fn read<S: Record, P: Record>(
        kind: Kind,
        path: &Path,
    ) -> Result<(Option<S>, Vec<P>), JournalError> {
        Self::parse(kind, path, open(path)?)
    }

    /// Reads the content of a journal; `path` is for messages.
    ///
    /// # Errors
    /// As [`Journal::read`].
    pub fn parse<S: Record, P: Record>(
        kind: Kind,
        path: &Path,
        content: impl Read,
    ) -> Result<(Option<S>, Vec<P>), JournalError> {
        let content = scan(kind, path, content)?;
        Ok((content.subject, content.pieces))
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Drops a line that was cut short, and writes the first line of a new journal.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin(&mut self, subject: &impl Serialize) -> Result<(), JournalError> {
        self.file.set_len(self.length).map_err(FileError::at(&self.path))?;
        if self.length == 0 {
            self.add(&first_line(self.kind, subject))?;
        }
        self.sync()
    }

    /// Appends a finished piece. The system has it at once, so a killed process loses nothing; the disk has it after the
    /// next [`Journal::sync`], which comes of itself each second in which pieces are added.
    ///
    /// # Errors
    /// If it cannot be written. What was written before stays.
    pub fn add(&mut self, piece: &impl Serialize) -> Result<(), JournalError> {
        let text = serde_json::to_string(piece).map_err(FileError::at(&self.path))?;
        let checksum = self.checksum.map(|checksum| checksum.with(&text));
        let line = checksum.map_or_else(|| text.clone() + "\n", |checksum| checksum.sealed(&text));
        let written = self.file.write_all(line.as_bytes());
        if written.is_ok() {
            self.length += line.len() as u64;
            self.checksum = checksum;
        } else {
            // Half a line would make all that follows unreadable.
            let _ = self.file.set_len(self.length);
        }
        written.map_err(FileError::at(&self.path))?;
        if self.synced.elapsed() >= SYNC_INTERVAL { self.sync() } else { Ok(()) }
    }

    /// Syncs the file to the disk.
    ///
    /// # Errors
    /// If that fails.
    pub fn sync(&mut self) -> Result<(), JournalError> {
        self.synced = Instant::now();
        Ok(self.file.sync_data().map_err(FileError::at(&self.path))?)
    }
}

/// A value that a line of a journal can hold: an object that is written as it is read.
pub trait Record: Serialize + DeserializeOwned {}

impl<T: Serialize + DeserializeOwned> Record for T {}

/// CRC-32 of the JSON of all lines so far.
#[derive(Clone, Copy, Debug, Default)]
struct Checksum(u32);

/// Text before and behind the checksum, in place of the brace that ends the JSON.
const SEAL: [&str; 2] = [",\"crc\":\"", "\"}"];
/// Digits of a checksum.
const DIGITS: usize = 8;

impl Checksum {
    /// Returns the checksum after a further line.
    fn with(self, text: &str) -> Self {
        let mut hasher = crc32fast::Hasher::new_with_initial(self.0);
        hasher.update(text.as_bytes());
        Self(hasher.finalize())
    }

    /// Returns the line of an object.
    fn sealed(self, text: &str) -> String {
        let text = text.strip_suffix('}').unwrap_or(text);
        format!("{text}{}{:08x}{}\n", SEAL[0], self.0, SEAL[1])
    }
}

/// Splits a line into the JSON of its object and the digits of its checksum.
fn unseal(line: &[u8]) -> Option<(String, &str)> {
    let line = str::from_utf8(line).ok()?.strip_suffix(SEAL[1])?;
    let (text, digits) = line.split_at_checked(line.len().checked_sub(DIGITS)?)?;
    Some((format!("{}}}", text.strip_suffix(SEAL[0])?), digits))
}

/// Returns whether a line without an end has more than a whole line has.
fn is_overlong(line: &[u8]) -> bool {
    let is_whole = |length| unseal(&line[..length]).is_some();
    line.len() as u64 == LONGEST_LINE || (1..line.len()).rev().take(2).any(is_whole)
}

struct Content<S, P> {
    subject: Option<S>,
    pieces: Vec<P>,
    /// Bytes of whole lines.
    valid: u64,
    /// Checksum of these lines; `None` in a journal that has none.
    checksum: Option<Checksum>,
    was_torn: bool,
}

fn scan<S: Record, P: Record>(
    kind: Kind,
    path: &Path,
    file: impl Read,
) -> Result<Content<S, P>, JournalError> {
    let foreign = || JournalError::Foreign { path: path.to_owned(), name: kind.name };
    let mut reader = BufReader::new(file);
    let mut content = Content {
        subject: None,
        pieces: Vec::new(),
        valid: 0,
        checksum: Some(Checksum::default()),
        was_torn: false,
    };
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let count = reader
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line)
            .map_err(FileError::at(path))?;
        if count == 0 {
            break;
        }
        // Whatever is wrong with it, the file may be no journal at all.
        if number == 1 && !line.starts_with(format!("{{\"{}\"", kind.key).as_bytes()) {
            return Err(foreign());
        }
        let damaged = |problem| JournalError::damaged(path, number, problem);
        let Some(text) = line.strip_suffix(b"\n") else {
            if is_overlong(&line) {
                return Err(damaged("it does not end where it should".to_owned()));
            }
            content.was_torn = true;
            break;
        };
        if number == 1 && version(kind, text) == Some(UNSEALED) {
            if !kind.reads_unsealed {
                return Err(JournalError::Earlier { path: path.to_owned() });
            }
            content.checksum = None;
        }
        let (text, checksum) = checked(content.checksum, text).map_err(damaged)?;
        let is_sealed = checksum.is_some();
        // With the right checksum it is the line that was written.
        let unread = |problem| match is_sealed {
            true => JournalError::Version { path: path.to_owned(), line: number, problem },
            false => damaged(problem),
        };
        if number == 1 {
            content.subject = Some(subject(kind, &text, is_sealed).map_err(unread)?);
        } else {
            content.pieces.push(record(&text, is_sealed).map_err(unread)?);
        }
        content.checksum = checksum;
        content.valid += count as u64;
    }
    Ok(content)
}

/// Returns the JSON of a line and the checksum that the journal has after it, or what is wrong.
fn checked(before: Option<Checksum>, line: &[u8]) -> Result<(String, Option<Checksum>), String> {
    let Some(before) = before else {
        let text = str::from_utf8(line).map_err(|error| error.to_string())?;
        return Ok((text.to_owned(), None));
    };
    let (text, digits) = unseal(line).ok_or("it does not end with a checksum")?;
    let checksum = before.with(&text);
    if digits != format!("{:08x}", checksum.0) {
        let problem = "its checksum is wrong: it was changed, or a line before it is missing";
        return Err(problem.to_owned());
    }
    Ok((text, Some(checksum)))
}

/// Returns the object of a line, or what is wrong with it. An object with keys that are unknown or missing would be written
/// otherwise than it was read, which earlier versions may have done.
fn record<T: Record>(text: &str, is_strict: bool) -> Result<T, String> {
    let record: T = serde_json::from_str(text).map_err(|error| error.to_string())?;
    same(&record, text, is_strict)?;
    Ok(record)
}

fn same(value: &impl Serialize, text: &str, is_strict: bool) -> Result<(), String> {
    match serde_json::to_string(value) {
        Ok(again) if again == text || !is_strict => Ok(()),
        _ => Err("a key is unknown or missing".to_owned()),
    }
}

/// Returns the version in a first line.
fn version(kind: Kind, line: &[u8]) -> Option<u64> {
    serde_json::from_slice::<Value>(line).ok()?.get(kind.key)?.as_u64()
}

/// Returns the identity in the first line, or what is wrong with it.
fn subject<S: Record>(kind: Kind, text: &str, is_strict: bool) -> Result<S, String> {
    let mut header: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if is_strict && header[kind.key] != VERSION {
        return Err(format!("this version knows format {VERSION} only, not {}", header[kind.key]));
    }
    let settings = header["settings"].take();
    let subject: S = serde_json::from_value(settings).map_err(|error| error.to_string())?;
    same(&first_line(kind, &subject), text, is_strict)?;
    Ok(subject)
}

fn first_line(kind: Kind, subject: &impl Serialize) -> Value {
    json!({ kind.key: VERSION, "settings": subject })
}

impl JournalError {
    /// Returns the error of a damaged line, counted from 1.
    pub fn damaged(path: &Path, line: usize, problem: String) -> Self {
        Self::Damaged { path: path.to_owned(), line, problem }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;

    const KIND: Kind = Kind { key: "nullarbor_test", name: "test", reads_unsealed: false };

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Piece {
        number: u64,
        winner: Option<String>,
    }

    fn piece(number: u64) -> Piece {
        Piece { number, winner: number.is_multiple_of(2).then(|| "white \u{fc}\"\n".to_owned()) }
    }

    fn written(pieces: u64) -> Vec<u8> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal");
        let mut journal = Journal::open::<u64, Piece>(KIND, &path).expect("a new journal").journal;
        journal.begin(&7).expect("room");
        (0..pieces).for_each(|number| journal.add(&piece(number)).expect("room"));
        fs::read(&path).expect("a journal")
    }

    fn read(bytes: &[u8]) -> Result<Vec<Piece>, JournalError> {
        Journal::parse::<u64, Piece>(KIND, Path::new("journal"), bytes).map(|(_, pieces)| pieces)
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let whole = written(4);
        assert_eq!(read(&whole).expect("whole"), (0..4).map(piece).collect::<Vec<_>>());
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let found = read(&bytes);
            assert!(found.is_err(), "bit {bit}: {:?}", String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn what_is_damaged_says_where_and_what_to_do() {
        let whole = written(4);
        let text = String::from_utf8(whole).expect("text").replacen("winner", "vinner", 1);
        let error = read(text.as_bytes()).expect_err("damaged").to_string();
        assert!(error.contains("journal, line 2: its checksum is wrong"), "{error}");
        assert!(error.contains("head -n 1 "), "{error}");
    }

    #[test]
    fn a_journal_without_checksums_is_read_only_where_its_kind_says_so() {
        let text = "{\"nullarbor_test\":1,\"settings\":7}\n{\"number\":3,\"more\":1}\n";
        assert!(matches!(read(text.as_bytes()), Err(JournalError::Earlier { .. })));
        let kind = Kind { reads_unsealed: true, ..KIND };
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal");
        fs::write(&path, text).expect("room");
        let mut opened = Journal::open::<u64, Piece>(kind, &path).expect("an earlier journal");
        opened.journal.begin(&7).expect("room");
        opened.journal.add(&piece(4)).expect("room");
        let (subject, pieces) = Journal::read::<u64, Piece>(kind, &path).expect("the same");
        assert_eq!((subject, pieces.len(), &pieces[1]), (Some(7), 2, &piece(4)));
    }

    #[test]
    fn an_object_with_other_keys_is_refused_whatever_its_checksum() {
        for line in [r#"{"number":1}"#, r#"{"number":1,"winner":null,"more":2}"#, "{}", "[]", "7"] {
            let mut bytes = written(0);
            let (first, _) = unseal(bytes.trim_ascii_end()).expect("a first line");
            let checksum = Checksum::default().with(&first).with(line);
            bytes.extend(checksum.sealed(line).bytes());
            let error = read(&bytes).expect_err(line);
            let text = error.to_string();
            if line.starts_with('{') {
                assert!(matches!(error, JournalError::Version { line: 2, .. }), "{text}");
                assert!(text.contains("another version") && !text.contains("head"), "{text}");
            } else {
                assert!(matches!(error, JournalError::Damaged { line: 2, .. }), "{text}");
            }
        }
    }

    proptest! {
        #[test]
        fn lines_that_are_dropped_repeated_or_swapped_are_noticed(one in 0..6_usize, other in 0..6_usize) {
            let whole = written(6);
            let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
            let (mut dropped, mut repeated, mut swapped) = (lines.clone(), lines.clone(), lines);
            // Without its last line a journal is that of an earlier moment.
            dropped.remove(one);
            repeated.insert(other, repeated[one]);
            swapped.swap(one, other);
            prop_assert!(read(&dropped.concat()).is_err());
            prop_assert!(read(&repeated.concat()).is_err());
            prop_assert_eq!(read(&swapped.concat()).is_err(), one != other);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), at in 0..400_usize) {
            let mut whole = written(3);
            let at = at.min(whole.len());
            whole.splice(at.., bytes);
            // Whole lines before are all that may be left.
            if let Ok(pieces) = read(&whole) {
                prop_assert!(pieces.iter().zip(0..).all(|(found, number)| *found == piece(number)));
            }
        }
    }
}
