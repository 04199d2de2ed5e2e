//! Paths of the binaries under test.

use std::env;
use std::path::{Path, PathBuf};

/// Path of the engine: `$NULLARBOR` where it is set, else the binary that the same build left beside the test executable.
///
/// # Panics
/// If there is none; the message says which command builds it.
pub fn engine() -> PathBuf {
    find("NULLARBOR", "nullarbor")
}

/// Path of the tuner: `$NULLARBOR_TUNER` where it is set, else the binary that the same build left.
///
/// # Panics
/// As [`engine`] does.
pub fn tuner() -> PathBuf {
    find("NULLARBOR_TUNER", "nullarbor-tuner")
}

fn find(variable: &str, name: &str) -> PathBuf {
    if let Some(path) = env::var_os(variable) {
        return PathBuf::from(path);
    }
    let test = env::current_exe().expect("the path of the test executable");
    beside(&test, variable, name)
}

/// A test executable lies in `target/<profile>/deps`, the binaries one folder up.
fn beside(test: &Path, variable: &str, name: &str) -> PathBuf {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    let folders = test.ancestors().skip(1).take(3);
    let found = folders.map(|folder| folder.join(&file)).find(|path| path.is_file());
    found.unwrap_or_else(|| {
        panic!(
            "no {file} beside {}: build it first with `cargo build --workspace` \
             (add the `--release` or `--target-dir` of the test run), or name one in {variable}",
            test.display()
        )
    })
}
