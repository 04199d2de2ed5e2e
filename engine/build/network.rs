//! The network that becomes a part of the binary, and the shape that it gives to the engine.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use crate::header::Header;

/// Names the file, as test frameworks do; without it the engine's own is taken.
const VARIABLE: &str = "EVALFILE";
const OWN: &str = "network.nnue";

/// The constants of `architecture.rs`.
pub fn source() -> io::Result<String> {
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    let named = env::var_os(VARIABLE).filter(|name| !name.is_empty()).map(PathBuf::from);
    let root = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let own = root.join(OWN);
    let path = named.unwrap_or(own);
    println!("cargo::rerun-if-changed={}", path.display());
    let path = path.canonicalize().map_err(|error| about(&path, &error.to_string()))?;
    let [hidden, king_buckets, output_buckets] = shape(&path)?;
    Ok(format!(
        "/// Neurons of each perspective.\npub const HIDDEN: usize = {hidden};\n\
         /// Sets of input weights, by the square of the own king.\npub const KING_BUCKETS: usize = {king_buckets};\n\
         /// Sets of output weights, by the number of men on the board.\npub const OUTPUT_BUCKETS: usize = {output_buckets};\n\
         /// The network that is part of the binary.\npub(super) const EMBEDDED: &[u8] = include_bytes!({path:?});\n"
    ))
}

fn shape(path: &Path) -> io::Result<[u32; 3]> {
    let bytes = fs::read(path).map_err(|error| about(path, &error.to_string()))?;
    let header = Header::parse(&bytes)
        .ok_or_else(|| about(path, "it is no network of this engine's format"))?;
    let Header { hidden, king_buckets, output_buckets, crc32, .. } = header;
    if crc32fast::hash(&bytes[Header::BYTES..]) != crc32 {
        return Err(about(path, "it is damaged, or was cut short"));
    }
    if hidden == 0 || hidden % 32 != 0 || hidden > 4096 {
        return Err(about(path, "its neurons are no multiple of 32 up to 4096"));
    }
    Ok([hidden, king_buckets, output_buckets])
}

fn about(path: &Path, reason: &str) -> io::Error {
    io::Error::other(format!("{}: {reason}", path.display()))
}
