//! The binary. In a build for every x86-64 processor (`make universal`) it has the engine several
//! times, compiled for different instruction sets, and chooses one at start.

use std::process::ExitCode;

#[cfg(universal)]
mod levels;

fn main() -> ExitCode {
    #[cfg(universal)]
    return levels::main();
    #[cfg(not(universal))]
    nullarbor::cli::main()
}
