//! Signals that end a run.

use std::sync::Arc;
use std::time::Duration;

use nullarbor_report::terminal;
use nullarbor_runs::Stop;

/// Exit code of a program that was ended by Ctrl-C.
pub const INTERRUPTED: u8 = 130;
/// Time for an orderly end after the second Ctrl-C.
const ABORT_TIMEOUT: Duration = Duration::from_millis(700);

/// Handles Ctrl-C and the signals that mean the same: the first requests a stop, the second ends the process. To be called
/// before other threads begin.
///
/// # Errors
/// If the system refuses.
pub fn listen(stop: &Arc<Stop>) -> Result<(), ctrlc::Error> {
    #[cfg(target_os = "linux")]
    ignored::block().map_err(ctrlc::Error::System)?;
    let stop = Arc::clone(stop);
    ctrlc::set_handler(move || {
        if stop.request_stop() {
            std::thread::sleep(ABORT_TIMEOUT);
            std::process::exit(INTERRUPTED.into());
        }
        terminal::message("\nFinishing what is in progress; press Ctrl-C again to stop at once.");
    })
}

/// Signals that are ignored when the program starts: under `nohup` SIGHUP, in the background of a script SIGINT.
#[cfg(target_os = "linux")]
mod ignored {
    use std::fs;
    use std::io;

    use nix::sys::signal::{SigSet, Signal};

    /// Blocks them, so that they never reach the handler.
    pub fn block() -> io::Result<()> {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = mask(&status);
        let is_ignored = |signal: &Signal| mask >> (*signal as i32 - 1) & 1 == 1;
        let ignored = [Signal::SIGHUP, Signal::SIGINT].into_iter().filter(is_ignored);
        Ok(ignored.collect::<SigSet>().thread_block()?)
    }

    /// Returns the mask of ignored signals, of which the lowest bit is signal 1.
    fn mask(status: &str) -> u64 {
        let digits = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        digits.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok()).unwrap_or(0)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_mask_is_read() {
            assert_eq!(mask("SigBlk:\t0000000000000004\nSigIgn:\t0000000000001003\n"), 0x1003);
            assert_eq!(mask("SigIgn:\t\n"), 0);
        }
    }
}
