//! The priority of the process.

use crate::error::Error;

/// Lowers the priority of the process to a nice value, and leaves it where it is lower already.
///
/// # Errors
/// If the system refuses it.
#[cfg(unix)]
pub fn lower(nice: u8) -> Result<(), Error> {
    use rustix::process::{getpriority_process, setpriority_process};
    let set = || {
        if getpriority_process(None)? < i32::from(nice) {
            setpriority_process(None, nice.into())?;
        }
        Ok(())
    };
    set().map_err(|error: rustix::io::Errno| Error::Priority(error.into()))?;
    lower_group(nice);
    Ok(())
}

/// Lowers the priority of the session, if this process leads one. Where Linux schedules sessions as groups, nice values count only
/// within a session. Systems without such groups have no such files.
#[cfg(unix)]
fn lower_group(nice: u8) {
    if std::fs::read_to_string("/proc/self/stat").is_ok_and(|stat| leads_session(&stat)) {
        let _ = std::fs::write("/proc/self/autogroup", nice.to_string());
    }
}

/// Returns whether the process of `stat`, a line of `/proc/PID/stat`, leads its session. In a container the session may
/// be one outside, which has the number 0 there: `rustix::process::getsid` panics then.
#[cfg(unix)]
fn leads_session(stat: &str) -> bool {
    let pid = stat.split(' ').next();
    // The name of the program, in parentheses, may contain spaces and parentheses.
    let session = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_ascii_whitespace().nth(3));
    session.is_some() && session == pid
}

/// Other systems have no nice values.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn lower(_: u8) -> Result<(), Error> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::leads_session;

    #[test]
    fn sessions_are_those_of_the_process_in_any_container() {
        assert!(leads_session("71 (tuner) R 1 71 71 0 -1"));
        assert!(leads_session("71 (a ) b (c) R 1 71 71 0 -1"));
        assert!(!leads_session("71 (tuner) R 1 71 70 0 -1"));
        assert!(!leads_session("71 (tuner) R 0 0 0 0 -1"));
        assert!(!leads_session("71 (tuner"));
        assert!(!leads_session(""));
    }
}
