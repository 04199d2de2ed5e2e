//! The memory that can be allocated safely: Linux overcommits, and kills the process that uses too much.

use std::fs;
use std::path::Path;

/// Returns the memory that may be allocated, in MiB; `None` if the system does not report it.
pub fn free_mebibytes() -> Option<usize> {
    let bytes = available()?;
    // A sixteenth is left: what is reported is an estimate.
    usize::try_from((bytes - bytes / 16) >> 20).ok()
}

/// Returns whether the process may have `mebibytes` more of address space, which limits of the system may
/// forbid (`ulimit -v`). Nothing of it is touched.
pub fn is_grantable(mebibytes: usize) -> bool {
    let mut probe = Vec::<u8>::new();
    let granted =
        mebibytes.checked_mul(1 << 20).is_some_and(|it| probe.try_reserve_exact(it).is_ok());
    // Without a use the compiler would leave out the allocation.
    std::hint::black_box(probe.as_ptr());
    granted
}

/// Returns the available memory in bytes.
fn available() -> Option<u64> {
    // Miri has no access to files.
    if cfg!(any(miri, not(target_os = "linux"))) {
        return None;
    }
    [machine(), control_groups()].into_iter().flatten().min()
}

fn machine() -> Option<u64> {
    field(Path::new("/proc/meminfo"), "MemAvailable:").map(|kibibytes| kibibytes << 10)
}

/// Returns the memory left within the limits of the control groups of the process.
fn control_groups() -> Option<u64> {
    fs::read_to_string("/proc/self/cgroup").ok()?.lines().filter_map(control_group).min()
}

/// Returns the memory left within the limits of a group, a line `number:controllers:path`, and of
/// those around it. Cached files can be dropped, so only the memory of processes counts as used.
fn control_group(line: &str) -> Option<u64> {
    let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
    let (mount, limit, held) = match controllers {
        "" => ("/sys/fs/cgroup", "memory.max", "anon"),
        _ if controllers.split(',').any(|name| name == "memory") => {
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "total_rss")
        }
        _ => return None,
    };
    let folder = Path::new(mount).join(path.trim_start_matches('/'));
    let left = |folder: &Path| {
        let limit: u64 = fs::read_to_string(folder.join(limit)).ok()?.trim().parse().ok()?;
        Some(limit.saturating_sub(field(&folder.join("memory.stat"), held)?))
    };
    folder.ancestors().take_while(|folder| folder.starts_with(mount)).filter_map(left).min()
}

fn field(file: &Path, name: &str) -> Option<u64> {
    parse_field(&fs::read_to_string(file).ok()?, name)
}

fn parse_field(text: &str, name: &str) -> Option<u64> {
    let mut lines = text.lines().map(str::split_ascii_whitespace);
    let mut words = lines.find_map(|mut words| (words.next() == Some(name)).then_some(words))?;
    words.next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_parsed() {
        let text = "MemTotal:       24684096 kB\nMemAvailable:   24285556 kB\n";
        assert_eq!(parse_field(text, "MemAvailable:"), Some(24_285_556));
        assert_eq!(parse_field(text, "MemFree:"), None);
        assert_eq!(parse_field("anon many", "anon"), None);
    }

    #[test]
    fn more_than_there_can_be_is_not_granted() {
        assert!(is_grantable(1) && !is_grantable(usize::MAX >> 20) && !is_grantable(usize::MAX));
    }

    #[test]
    #[cfg(all(target_os = "linux", not(miri)))]
    fn linux_reports_a_plausible_number() {
        let mebibytes = free_mebibytes().expect("Linux reports it");
        assert!((1..1 << 30).contains(&mebibytes), "{mebibytes}");
    }
}
