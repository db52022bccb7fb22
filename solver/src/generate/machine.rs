//! What the machine has: memory that this process may use, and room in its file systems.

use std::fs;
use std::path::Path;

/// The part of the available memory that is used where no limit is given, in percent.
const DEFAULT_PERCENT: u64 = 80;

/// The memory this process can use now, in bytes: what the system has available, or what its control group still allows
/// if that is less. None where the system does not say.
#[must_use]
pub fn available_memory() -> Option<u64> {
    let of_system = fs::read_to_string("/proc/meminfo").ok().and_then(|text| mem_available(&text));
    let of_group = group_limit();
    match (of_system, of_group) {
        (Some(system), Some(group)) => Some(system.min(group)),
        (one, other) => one.or(other),
    }
}

/// The memory limit where none is given, in bytes: 80 % of what is available.
#[must_use]
pub fn default_memory_limit() -> Option<u64> {
    available_memory().map(|bytes| bytes / 100 * DEFAULT_PERCENT)
}

/// How many bytes are free for this user in a folder, or in the one that it will be made in; None where the system does not say.
#[must_use]
pub fn free_space(folder: &Path) -> Option<u64> {
    let existing = folder.ancestors().map(|path| if path.as_os_str().is_empty() { Path::new(".") } else { path });
    let existing = existing.into_iter().find(|path| path.is_dir())?;
    match fs4::available_space(existing) {
        // A file system without any space is none for files; making the folder will say so.
        Ok(0) if fs4::total_space(existing).is_ok_and(|total| total == 0) => None,
        free => free.ok(),
    }
}

fn mem_available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

/// What the control group still allows: version 2, its path in `/proc/self/cgroup`, or version 1.
fn group_limit() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = groups.lines().find_map(|line| line.strip_prefix("0::"));
    let mut least: Option<u64> = None;
    let mut note = |limit: &str, used: &str| {
        let read = |path: &str| fs::read_to_string(path).ok().and_then(|text| text.trim().parse::<u64>().ok());
        // Version 1 writes an enormous number for no limit.
        if let Some(limit) = read(limit).filter(|&limit| limit < 1 << 60) {
            let free = limit.saturating_sub(read(used).unwrap_or(0));
            least = Some(least.map_or(free, |least| least.min(free)));
        }
    };
    // A limit can stand at every level above.
    let mut folder = path.map(|path| format!("/sys/fs/cgroup{}", path.trim_end_matches('/')));
    while let Some(at) = folder {
        note(&format!("{at}/memory.max"), &format!("{at}/memory.current"));
        folder = if at == "/sys/fs/cgroup" { None } else { at.rsplit_once('/').map(|(above, _)| above.to_owned()) };
    }
    note("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes");
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_meminfo_is_read() {
        assert_eq!(mem_available("MemTotal: 10 kB\nMemAvailable:    2048 kB\n"), Some(2048 * 1024));
        assert_eq!(mem_available("MemTotal: 10 kB\n"), None);
    }
}
