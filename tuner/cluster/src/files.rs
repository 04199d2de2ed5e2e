//! Files that travel by their content: once, and verified.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use async_nats::jetstream::object_store::{Config, ObjectStore};
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;
use tokio::io::AsyncReadExt;

use crate::connection::Connection;
use crate::error::ClusterError;
use crate::names;

/// Returns the name of a file among machines: its checksum, with the extension that tells its format.
fn name(path: &Path, bytes: &[u8]) -> String {
    let extension = path.extension().map(|it| it.to_string_lossy().to_lowercase());
    let extension = extension.filter(|it| is_extension(it)).unwrap_or("bin".to_owned());
    format!("{}.{extension}", checksum(bytes))
}

fn checksum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn is_extension(text: &str) -> bool {
    (1..=8).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Returns the checksum in a name that is well-formed: it names a file of the cache, and none outside.
fn checksum_in(name: &str) -> Option<&str> {
    let (sum, extension) = name.split_once('.')?;
    let is_hex = sum.len() == 64 && sum.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_hex && is_extension(extension)).then_some(sum)
}

impl Connection {
    async fn files(&self) -> Result<ObjectStore, async_nats::Error> {
        if let Ok(store) = self.context.get_object_store(names::FILES).await {
            return Ok(store);
        }
        let config = Config { bucket: names::FILES.to_owned(), ..Default::default() };
        Ok(self.context.create_object_store(config).await?)
    }

    /// Gives a file to the server, unless it has it, and returns its name.
    pub(crate) async fn upload(&self, path: &Path) -> Result<String, ClusterError> {
        let failed = |problem: String| ClusterError::File { path: path.to_owned(), problem };
        let bytes = fs::read(path).map_err(|error| failed(error.to_string()))?;
        let name = name(path, &bytes);
        let store = self.files().await.map_err(|error| failed(error.to_string()))?;
        if store.info(&name).await.is_err() {
            let put = store.put(name.as_str(), &mut bytes.as_slice()).await;
            put.map_err(|error| failed(format!("it cannot be given to the cluster: {error}")))?;
        }
        Ok(name)
    }

    /// Returns the path of a file in a folder, and fetches it unless it is there.
    pub(crate) async fn fetch(&self, name: &str, folder: &Path) -> Result<PathBuf, ClusterError> {
        let path = folder.join(name);
        let failed = |problem: String| ClusterError::File { path: path.clone(), problem };
        let sum = checksum_in(name).ok_or_else(|| failed("not the name of a file".to_owned()))?;
        if fs::read(&path).is_ok_and(|bytes| checksum(&bytes) == sum) {
            return Ok(path);
        }
        let store = self.files().await.map_err(|error| failed(error.to_string()))?;
        let mut object = store.get(name).await.map_err(|error| failed(error.to_string()))?;
        let mut bytes = Vec::new();
        object.read_to_end(&mut bytes).await.map_err(|error| failed(error.to_string()))?;
        if checksum(&bytes) != sum {
            return Err(ClusterError::Damaged { path, expected: sum.to_owned() });
        }
        // Whole or not at all.
        let written = NamedTempFile::new_in(folder).and_then(|mut file| {
            file.write_all(&bytes)?;
            file.persist(&path).map_err(|error| error.error)
        });
        written.map_err(|error| failed(error.to_string()))?;
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checksums() {
        let name = name(Path::new("a/b.NNUE"), b"abc");
        assert_eq!(name, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad.nnue");
        assert_eq!(checksum_in(&name), Some(&name[..64]));
        for bad in ["", "../x.nnue", "abc.nnue", &format!("{}./x", &name[..64]), &name[..64]] {
            assert_eq!(checksum_in(bad), None, "{bad}");
        }
        assert!(super::name(Path::new("x"), b"").ends_with(".bin"));
    }
}
