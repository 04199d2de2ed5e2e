//! The network that becomes a part of the binary, and the shape that it gives to the engine.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use crate::format::NetworkFile;

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
    let NetworkFile { hidden, king_buckets, output_buckets, .. } = content(&path)?;
    Ok(format!(
        "/// Neurons of each perspective.\npub const HIDDEN: usize = {hidden};\n\
         /// Sets of input weights, by the square of the own king.\npub const KING_BUCKETS: usize = {king_buckets};\n\
         /// Sets of output weights, by the number of men on the board.\npub const OUTPUT_BUCKETS: usize = {output_buckets};\n\
         /// The network that is part of the binary.\npub(super) const EMBEDDED: &[u8] = include_bytes!({path:?});\n"
    ))
}

fn content(path: &Path) -> io::Result<NetworkFile> {
    let bytes = fs::read(path).map_err(|error| about(path, &error.to_string()))?;
    NetworkFile::parse(&bytes).map_err(|error| about(path, &error.to_string()))
}

fn about(path: &Path, reason: &str) -> io::Error {
    io::Error::other(format!("{}: {reason}", path.display()))
}
