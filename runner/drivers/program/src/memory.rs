//! Memory of processes, where the system reports it.

use std::fs;

/// Returns the resident memory of a process in bytes.
pub fn resident(process: u32) -> Option<u64> {
    kibibytes(&fs::read_to_string(format!("/proc/{process}/status")).ok()?, "VmRSS:")
}

/// Returns the number in a line `Name:   123 kB`, in bytes.
pub fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_kernel() {
        let text = "Name:\trunner\nVmRSS:\t    1234 kB\nVmData:\tx kB\n";
        assert_eq!(kibibytes(text, "VmRSS:"), Some(1234 * 1024));
        assert_eq!((kibibytes(text, "VmData:"), kibibytes(text, "VmSwap:")), (None, None));
    }
}
