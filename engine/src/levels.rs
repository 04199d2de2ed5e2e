//! The engine at several instruction-set levels, and the choice among them.
//!
//! The Makefile compiles the library once for each level and hands the copies to the compiler of this
//! binary under the names below; the library under its own name is the baseline.

use std::arch::x86_64::__cpuid;
use std::env;
use std::io::{self, Write};
use std::process::ExitCode;

/// The environment variable that forces a level, for tests.
const VARIABLE: &str = "NULLARBOR_LEVEL";

/// A copy of the engine.
struct Level {
    /// Name of the level, as compilers call it.
    name: &'static str,
    /// Returns whether the processor has the instructions of the level.
    is_supported: fn() -> bool,
    main: fn() -> ExitCode,
}

/// The levels, best first.
const LEVELS: &[Level] = &[
    Level { name: "x86-64-v4", is_supported: has_v4, main: nullarbor_v4::cli::main },
    Level { name: "x86-64-v3", is_supported: has_v3, main: nullarbor_v3::cli::main },
    Level { name: "x86-64-v2", is_supported: has_v2, main: nullarbor_v2::cli::main },
    Level { name: "x86-64", is_supported: || true, main: nullarbor::cli::main },
];

/// The instructions of each level are those of the x86-64 psABI.
fn has_v2() -> bool {
    is_x86_feature_detected!("cmpxchg16b")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("sse3")
        && is_x86_feature_detected!("sse4.1")
        && is_x86_feature_detected!("sse4.2")
        && is_x86_feature_detected!("ssse3")
}

fn has_v3() -> bool {
    has_v2()
        && is_x86_feature_detected!("avx")
        && is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("f16c")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("movbe")
}

fn has_v4() -> bool {
    has_v3()
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512cd")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
}

/// The level that is slower than the one below it on Intel's processors (SEARCH.md, Speed).
const SLOW_ON_INTEL: &str = "x86-64-v4";

/// Returns whether the processor is Intel's.
fn is_intel() -> bool {
    let vendor = __cpuid(0);
    [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes).concat() == b"GenuineIntel"
}

/// Runs the fastest engine that the processor supports, or the one that the variable names.
pub fn main() -> ExitCode {
    let forced = env::var(VARIABLE).ok();
    let is_wanted = |level: &&Level| match &forced {
        Some(name) => level.name == name,
        None => level.name != SLOW_ON_INTEL || !is_intel(),
    };
    match LEVELS.iter().filter(is_wanted).find(|level| (level.is_supported)()) {
        Some(level) => (level.main)(),
        None => {
            let names: Vec<&str> = LEVELS.iter().map(|level| level.name).collect();
            let forced = forced.unwrap_or_default();
            let _ = writeln!(
                io::stderr(),
                "nullarbor: {VARIABLE}={forced}: not a level that this processor supports; there are {}",
                names.join(", ")
            );
            ExitCode::FAILURE
        }
    }
}
