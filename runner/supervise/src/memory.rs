//! Memory of processes, where the system reports it.

use std::fs;

use external_program::kibibytes;

/// Least default memory limit in bytes.
const LEAST: u64 = 1 << 30;

/// Returns the default memory limit of each of several worker processes: together three quarters of
/// the machine's or the container's memory, so that the system ends none of them, nor the
/// supervisor.
pub fn default_limit(workers: usize) -> Option<u64> {
    let machine = kibibytes(&fs::read_to_string("/proc/meminfo").ok()?, "MemTotal:")?;
    let container = fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let container = container.and_then(|text| text.trim().parse().ok()).unwrap_or(u64::MAX);
    Some(shared(machine.min(container), workers))
}

/// Returns the memory of one of several workers on a machine.
fn shared(machine: u64, workers: usize) -> u64 {
    let all = machine / 4 * 3;
    let one = all / u64::try_from(workers).unwrap_or(u64::MAX).max(1);
    one.max(LEAST).min(all)
}

/// Selects large pages for the memory of this process and of those it starts, where the system
/// offers a choice. Workers fill such pages. The supervising process has many threads that need
/// little memory each: clearing two megabytes for every one of them takes longer than their work.
pub fn want_large_pages(wanted: bool) {
    // A failed request leaves the system's default.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(!wanted);
    #[cfg(not(target_os = "linux"))]
    let _ = wanted;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_share_the_machine() {
        let gibibytes = |count: u64| count << 30;
        assert_eq!(shared(gibibytes(16), 1), gibibytes(12));
        assert_eq!(shared(gibibytes(16), 4), gibibytes(3));
        assert_eq!(shared(gibibytes(16), 64), gibibytes(1));
        assert_eq!(shared(gibibytes(1), 2), gibibytes(1) / 4 * 3);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn of_this_process() {
        let used = external_program::resident(std::process::id()).unwrap();
        assert!(used > 100 << 10 && used < default_limit(1).unwrap(), "{used}");
    }
}
