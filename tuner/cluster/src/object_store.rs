//! Files that travel by their content: once, and verified.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use async_nats::jetstream::object_store::{Config, ObjectStore};
use nullarbor_runs::files;
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;
use tokio::io::AsyncReadExt;

use crate::connection::Connection;
use crate::error::ClusterError;
use crate::names;

/// Bytes of a file, at most: no network and no book is longer.
const LONGEST: u64 = 256 << 20;
/// Bytes of all files on the server, at most.
const STORE: i64 = 1 << 30;
/// Bytes that are read at once.
const PIECE: usize = 1 << 16;

/// Returns the name of a file among machines: its checksum, with the extension that tells its format.
fn name(path: &Path, sum: &str) -> String {
    let extension = path.extension().map(|it| it.to_string_lossy().to_lowercase());
    let extension = extension.filter(|it| is_extension(it)).unwrap_or("bin".to_owned());
    format!("{sum}.{extension}")
}

fn digits(sum: Sha256) -> String {
    sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the checksum of a file.
///
/// # Errors
/// If it cannot be read, or is longer than those that travel.
fn checksum(file: impl Read) -> io::Result<String> {
    let mut file = file.take(LONGEST + 1);
    let (mut sum, mut piece) = (Sha256::new(), vec![0; PIECE]);
    loop {
        match file.read(&mut piece)? {
            0 if file.limit() == 0 => return Err(io::Error::other(too_long())),
            0 => return Ok(digits(sum)),
            count => sum.update(&piece[..count]),
        }
    }
}

fn too_long() -> String {
    format!("it is longer than {} MiB", LONGEST >> 20)
}

fn is_extension(text: &str) -> bool {
    (1..=8).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Returns the checksum in a name that is well-formed: it names a file of the cache, and none outside.
fn checksum_in(name: &str) -> Option<&str> {
    let (sum, extension) = name.split_once('.')?;
    (is_checksum(sum) && is_extension(extension)).then_some(sum)
}

/// Returns whether a text has the form of a checksum.
pub(crate) fn is_checksum(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns the checksum of a file by its path.
///
/// # Errors
/// As [`checksum`].
pub(crate) fn checksum_of(path: &Path) -> io::Result<String> {
    checksum(File::open(path)?)
}

impl Connection {
    async fn files(&self) -> Result<ObjectStore, async_nats::Error> {
        if let Ok(store) = self.context.get_object_store(names::FILES).await {
            return Ok(store);
        }
        let config =
            |max_bytes| Config { bucket: names::FILES.to_owned(), max_bytes, ..Default::default() };
        match self.context.create_object_store(config(STORE)).await {
            Ok(store) => Ok(store),
            // A server with less room has limits of its own.
            Err(_) => Ok(self.context.create_object_store(config(-1)).await?),
        }
    }

    /// Gives a file to the server, piece by piece and unless it has it, and returns its name.
    pub(crate) async fn upload(&self, path: &Path) -> Result<String, ClusterError> {
        let failed = |problem: String| ClusterError::File { path: path.to_owned(), problem };
        let mut file = files::open(path).map_err(|error| failed(error.to_string()))?;
        let sum = checksum(&file).map_err(|error| failed(error.to_string()))?;
        let name = name(path, &sum);
        let store = self.files().await.map_err(|error| failed(error.to_string()))?;
        if store.info(&name).await.is_err() {
            file.rewind().map_err(|error| failed(error.to_string()))?;
            let mut pieces = tokio::fs::File::from_std(file).take(LONGEST);
            let put = store.put(name.as_str(), &mut pieces).await;
            put.map_err(|error| failed(format!("it cannot be given to the cluster: {error}")))?;
        }
        Ok(name)
    }

    /// Returns the path of a file in a folder, and fetches it unless it is there.
    pub(crate) async fn fetch(&self, name: &str, folder: &Path) -> Result<PathBuf, ClusterError> {
        let path = folder.join(name);
        let failed = |problem: String| ClusterError::File { path: path.clone(), problem };
        let sum = checksum_in(name).ok_or_else(|| failed("not the name of a file".to_owned()))?;
        if checksum_of(&path).is_ok_and(|known| known == sum) {
            return Ok(path);
        }
        let store = self.files().await.map_err(|error| failed(error.to_string()))?;
        let mut object = store.get(name).await.map_err(|error| failed(error.to_string()))?;
        // Whole or not at all.
        let mut file = NamedTempFile::new_in(folder).map_err(|error| failed(error.to_string()))?;
        let (mut found, mut length, mut piece) = (Sha256::new(), 0, vec![0; PIECE]);
        loop {
            let count = object.read(&mut piece).await.map_err(|error| failed(error.to_string()))?;
            length += count as u64;
            if length > LONGEST {
                return Err(failed(too_long()));
            }
            if count == 0 {
                break;
            }
            found.update(&piece[..count]);
            file.write_all(&piece[..count]).map_err(|error| failed(error.to_string()))?;
        }
        if digits(found) != sum {
            return Err(ClusterError::Damaged { path, expected: sum.to_owned() });
        }
        file.persist(&path).map_err(|error| failed(error.error.to_string()))?;
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checksums() {
        let sum = checksum(&b"abc"[..]).expect("readable");
        let name = name(Path::new("a/b.NNUE"), &sum);
        assert_eq!(name, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad.nnue");
        assert_eq!(checksum_in(&name), Some(&name[..64]));
        for bad in ["", "../x.nnue", "abc.nnue", &format!("{}./x", &name[..64]), &name[..64]] {
            assert_eq!(checksum_in(bad), None, "{bad}");
        }
        assert!(super::name(Path::new("x"), &sum).ends_with(".bin"));
    }

    #[test]
    fn no_long_file_travels() {
        let error = checksum(io::repeat(0)).expect_err("it has no end");
        assert!(error.to_string().contains("longer than 256 MiB"), "{error}");
    }
}
