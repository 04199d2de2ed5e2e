//! The memory that can be allocated safely.

use std::fs;

/// Returns the available memory in bytes; `None` if the system does not report it.
pub(super) fn available() -> Option<u64> {
    // Miri has no access to files.
    if cfg!(any(miri, not(target_os = "linux"))) {
        return None;
    }
    [machine(), container()].into_iter().flatten().min()
}

fn machine() -> Option<u64> {
    field("/proc/meminfo", "MemAvailable:").map(|kibibytes| kibibytes << 10)
}

/// Returns the memory left within the limit of the container (control group). Cached files can be
/// dropped, so only the memory of processes counts as used.
fn container() -> Option<u64> {
    const VERSION_2: [&str; 3] =
        ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.stat", "anon"];
    const VERSION_1: [&str; 3] = [
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.stat",
        "total_rss",
    ];
    [VERSION_2, VERSION_1].into_iter().find_map(|[limit, stat, held]| {
        let limit: u64 = fs::read_to_string(limit).ok()?.trim().parse().ok()?;
        Some(limit.saturating_sub(field(stat, held)?))
    })
}

fn field(file: &str, name: &str) -> Option<u64> {
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
    #[cfg(all(target_os = "linux", not(miri)))]
    fn linux_reports_a_plausible_number() {
        let bytes = available().expect("Linux reports it");
        assert!((1 << 20..1 << 50).contains(&bytes), "{bytes}");
    }
}
