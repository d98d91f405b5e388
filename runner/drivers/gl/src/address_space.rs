//! Limit of the address space that a script may ask for (`rlimit`).

use std::fs;

use rustix::param::page_size;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use script::{Require, Requirement};

/// A lowered limit of the process's address space; the former limit returns with the drop.
pub(crate) struct AddressSpaceLimit {
    former: Rlimit,
}

impl AddressSpaceLimit {
    /// Lowers the limit as the requirements ask; the smallest one counts. Piglit lowers it to the
    /// given number of bytes. A worker has served other scripts, so here they are added to what the
    /// process has mapped.
    pub(crate) fn of(require: &Require<'_>) -> Option<AddressSpaceLimit> {
        let bytes = require.requirements.iter().filter_map(|line| match line.requirement {
            Requirement::AddressSpace(bytes) => Some(bytes),
            _ => None,
        });
        let limit = bytes.min()?.checked_add(mapped()?)?;
        let former = getrlimit(Resource::As);
        if former.current.is_some_and(|current| current <= limit) {
            return None;
        }
        let lowered = Rlimit { current: Some(limit), maximum: former.maximum };
        setrlimit(Resource::As, lowered).ok()?;
        Some(AddressSpaceLimit { former })
    }
}

impl Drop for AddressSpaceLimit {
    fn drop(&mut self) {
        // The maximum was not lowered, so the system allows it.
        let _ = setrlimit(Resource::As, self.former);
    }
}

/// Returns the mapped bytes of this process, where the system reports them.
fn mapped() -> Option<u64> {
    let pages = fs::read_to_string("/proc/self/statm").ok()?;
    pages.split(' ').next()?.parse::<u64>().ok()?.checked_mul(page_size() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rlimit_holds_until_the_drop() {
        // Other tests of this process stay far below the limit.
        let text = b"[require]\nGLSL >= 1.10\nrlimit 4294967296\nrlimit 1099511627776\n[test]\n";
        let script = script::parse(text).unwrap();
        let allocates = || Vec::<u8>::new().try_reserve_exact(1 << 33).is_ok();
        assert!(allocates());
        let limit = AddressSpaceLimit::of(&script.require);
        assert!(limit.is_some() && !allocates());
        drop(limit);
        assert!(allocates());
    }

    #[test]
    fn scripts_without_rlimit_have_no_limit() {
        let script = script::parse(b"[require]\nGLSL >= 1.10\n[test]\n").unwrap();
        assert!(AddressSpaceLimit::of(&script.require).is_none());
    }
}
