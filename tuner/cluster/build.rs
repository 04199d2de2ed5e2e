//! Takes the fingerprint of the sources that decide what jobs give, so that machines can tell whether they are of one
//! build, whatever their processors and compilers.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders and files below the root of the repository; `tests/tests/layout.rs` checks that none is missing.
const SOURCES: &[&str] = &[
    "Cargo.lock",
    "engine/build",
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
    let mut hash = Fnv::default();
    for path in &files {
        let name = path.strip_prefix(&root).unwrap_or(path);
        // Of any system.
        let name: Vec<_> = name.iter().map(|part| part.to_string_lossy()).collect();
        hash.add(name.join("/").as_bytes());
        hash.add(&fs::read(path).unwrap_or_default());
    }
    println!("cargo:rustc-env=NULLARBOR_CODE={:016x}", hash.0);
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    match fs::read_dir(path) {
        Ok(entries) => entries.flatten().for_each(|entry| collect(&entry.path(), files)),
        Err(_) if path.is_file() => files.push(path.to_owned()),
        Err(_) => {}
    }
}

/// FNV-1a over bytes, with the length of each part.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        let length = (bytes.len() as u64).to_le_bytes();
        for &byte in bytes.iter().chain(&length) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
