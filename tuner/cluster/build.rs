//! Takes the fingerprint of the sources that decide what jobs give, so that machines can tell whether they are of one
//! build, whatever their processors and compilers.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// Folders and files below the root of the repository; `tests/tests/layout.rs` checks that none is missing.
const SOURCES: &[&str] = &[
    "Cargo.lock",
    "engine/build",
    "engine/chess/build",
    "engine/chess/src",
    "engine/src",
    "openings/data",
    "openings/src",
    "tuner/cluster/src",
    "tuner/games/src",
    "tuner/lab/src",
    "tuner/runs/src",
    "tuner/spsa/src",
    "tuner/stats/src",
    "tuner/train/src/data",
];

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for source in SOURCES {
        let path = root.join(source);
        println!("cargo:rerun-if-changed={}", path.display());
        collect(&path, &mut files);
    }
    files.sort();
    let mut hash = Sha256::new();
    for path in &files {
        let name = path.strip_prefix(&root).unwrap_or(path);
        // Of any system.
        let name: Vec<_> = name.iter().map(|part| part.to_string_lossy()).collect();
        // A digest of each, so that nothing moves from one part to the next.
        hash.update(Sha256::digest(name.join("/")));
        hash.update(Sha256::digest(fs::read(path).unwrap_or_default()));
    }
    let code: String = hash.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    println!("cargo:rustc-env=NULLARBOR_CODE={code}");
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    match fs::read_dir(path) {
        Ok(entries) => entries.flatten().for_each(|entry| collect(&entry.path(), files)),
        Err(_) if path.is_file() => files.push(path.to_owned()),
        Err(_) => {}
    }
}
