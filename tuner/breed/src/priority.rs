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
/// within a session. Systems without such groups have no such file.
#[cfg(unix)]
fn lower_group(nice: u8) {
    use rustix::process::{getpid, getsid};
    if getsid(None).is_ok_and(|session| session == getpid()) {
        let _ = std::fs::write("/proc/self/autogroup", nice.to_string());
    }
}

/// Other systems have no nice values.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn lower(_: u8) -> Result<(), Error> {
    Ok(())
}
