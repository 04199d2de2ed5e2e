//! How much memory can be had without anyone being killed for it.

use std::fs;

/// Bytes that the system can spare; `None` where it does not say.
pub(super) fn available() -> Option<u64> {
    // Under Miri there are no files to ask.
    if cfg!(any(miri, not(target_os = "linux"))) {
        return None;
    }
    [of_machine(), of_container()].into_iter().flatten().min()
}

fn of_machine() -> Option<u64> {
    field("/proc/meminfo", "MemAvailable:").map(|kibibytes| kibibytes << 10)
}

/// The kernel kills at the limit of a container, however much the machine has left. Cached files
/// are no obstacle, so only what processes hold is subtracted.
fn of_container() -> Option<u64> {
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
    field_of(&fs::read_to_string(file).ok()?, name)
}

fn field_of(text: &str, name: &str) -> Option<u64> {
    let mut lines = text.lines().map(str::split_ascii_whitespace);
    let mut words = lines.find_map(|mut words| (words.next() == Some(name)).then_some(words))?;
    words.next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_field() {
        let text = "MemTotal:       24684096 kB\nMemAvailable:   24285556 kB\n";
        assert_eq!(field_of(text, "MemAvailable:"), Some(24_285_556));
        assert_eq!(field_of(text, "MemFree:"), None);
        assert_eq!(field_of("anon many", "anon"), None);
    }

    #[test]
    #[cfg(all(target_os = "linux", not(miri)))]
    fn linux_tells_a_plausible_number() {
        let bytes = available().expect("linux tells");
        assert!((1 << 20..1 << 50).contains(&bytes), "{bytes}");
    }
}
