//! The embedded network and the architecture constants taken from it.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use crate::format::NetworkFile;

/// The environment variable with the path of a network file, as OpenBench sets it.
const VARIABLE: &str = "EVALFILE";
/// The network of the engine, used without the variable.
const OWN: &str = "network.nnue";

/// Returns the Rust source of the constants of `architecture.rs`.
pub fn source() -> io::Result<String> {
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    let named = env::var_os(VARIABLE).filter(|name| !name.is_empty()).map(PathBuf::from);
    let root = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let own = root.join(OWN);
    let path = named.unwrap_or(own);
    println!("cargo::rerun-if-changed={}", path.display());
    let path = path.canonicalize().map_err(|source| error(&path, &source.to_string()))?;
    let NetworkFile { hidden, king_buckets, output_buckets, .. } = read(&path)?;
    let constant = |doc: &str, name: &str, value: usize| {
        format!("/// {doc}\npub const {name}: usize = {value};\n")
    };
    Ok(constant("Hidden neurons per perspective.", "HIDDEN", hidden)
        + &constant("Sets of feature weights, by the own king.", "KING_BUCKETS", king_buckets)
        + &constant("Sets of output weights, by piece count.", "OUTPUT_BUCKETS", output_buckets)
        + &format!("pub(super) const EMBEDDED: &[u8] = include_bytes!({path:?});\n"))
}

fn read(path: &Path) -> io::Result<NetworkFile> {
    let bytes = fs::read(path).map_err(|source| error(path, &source.to_string()))?;
    NetworkFile::parse(&bytes).map_err(|source| error(path, &source.to_string()))
}

fn error(path: &Path, reason: &str) -> io::Error {
    io::Error::other(format!("{}: {reason}", path.display()))
}
