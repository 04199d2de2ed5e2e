//! Reading files whose names come from outside: only regular ones, and never more than expected. A
//! device could be read for ever, and opening a pipe waits for its writer.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Reads a regular file of at most `max` bytes.
///
/// # Errors
/// If it is no regular file, has more bytes, or cannot be read.
pub fn read(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    // Before it is opened, which is what waits at a pipe.
    check(&fs::metadata(path)?, max)?;
    let file = File::open(path)?;
    check(&file.metadata()?, max)?;
    let mut bytes = Vec::new();
    // It may grow while it is read.
    file.take(max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max { Err(too_long(bytes.len() as u64, max)) } else { Ok(bytes) }
}

fn check(metadata: &fs::Metadata, max: u64) -> io::Result<()> {
    if !metadata.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    if metadata.len() > max { Err(too_long(metadata.len(), max)) } else { Ok(()) }
}

fn too_long(found: u64, max: u64) -> io::Error {
    io::Error::other(format!("it has {found} bytes, more than the {max} that such a file can have"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_devices_and_long_files_are_refused() {
        let own = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert!(read(own, 1 << 20).is_err_and(|error| error.to_string().contains("regular")));
        let manifest = own.join("Cargo.toml");
        let bytes = read(&manifest, 1 << 20).expect("a regular file");
        assert!(!bytes.is_empty());
        assert!(read(&manifest, bytes.len() as u64).is_ok());
        let error = read(&manifest, 10).expect_err("too long");
        assert!(error.to_string().contains("more than the 10"), "{error}");
        #[cfg(unix)]
        assert!(read(Path::new("/dev/zero"), 1 << 20).is_err());
    }
}
