//! Generates at build time the shape of the embedded network and the version.

#[path = "../src/eval/nnue/format.rs"]
#[allow(dead_code)]
mod format;
mod network;
mod version;

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rustc-env=NULLARBOR_VERSION={}", version::version());
    println!("cargo::rerun-if-changed=src/eval/nnue/format.rs");
    let folder = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    fs::write(Path::new(&folder).join("network.rs"), network::source()?)
}
