//! Generates tables at build time: Zobrist keys and the cuckoo table.

mod cuckoo;
mod zobrist;

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build");
    let folder = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    let folder = Path::new(&folder);
    let keys = zobrist::Keys::generate();
    fs::write(folder.join("zobrist.rs"), keys.source())?;
    fs::write(folder.join("cuckoo.rs"), cuckoo::source(&keys))
}

/// Returns `static NAME: [TYPE; N] = [...];` with the values in hexadecimal.
fn array(doc: &str, name: &str, kind: &str, values: &[u64]) -> String {
    let list: String = values.iter().map(|value| format!("{value:#x},")).collect();
    format!("/// {doc}\nstatic {name}: [{kind}; {}] = [{list}];\n", values.len())
}
