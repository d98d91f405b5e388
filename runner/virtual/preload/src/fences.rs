//! Synchronization objects: whether each has been signaled.
//!
//! Batches are executed while the driver waits, so that a submission signals its objects at once.
//! An object that no submission has signaled yet has no fence, in the kernel's words.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::errors::error_number;
use crate::exports::Exports;

/// Flag of a wait: all objects instead of any.
pub(crate) const ALL: u32 = 1;
/// Flag of a wait: objects may still be without a fence.
pub(crate) const FOR_SUBMISSION: u32 = 2;

/// State of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// The condition holds; with the number of a signaled object in the list.
    Done(u32),
    /// The condition does not hold yet.
    Pending,
}

/// All synchronization objects of the process.
#[derive(Debug, Default)]
pub(crate) struct Fences {
    /// True for those that are signaled, by handle; handles of one object share the state.
    signaled: BTreeMap<u32, Arc<AtomicBool>>,
    exports: Exports<Arc<AtomicBool>>,
    last: u32,
}

impl Fences {
    /// Creates an object and returns its handle.
    pub(crate) fn create(&mut self, is_signaled: bool) -> u32 {
        self.add(Arc::new(AtomicBool::new(is_signaled)))
    }

    fn add(&mut self, state: Arc<AtomicBool>) -> u32 {
        self.last += 1;
        self.signaled.insert(self.last, state);
        self.last
    }

    /// Returns a descriptor of a file that represents an object.
    pub(crate) fn export(&mut self, handle: u32) -> Result<u32, i32> {
        let state = Arc::clone(self.signaled.get(&handle).ok_or(libc::ENOENT)?);
        let same = |other: &Arc<AtomicBool>| Arc::ptr_eq(other, &state);
        self.exports.export(same, Arc::clone(&state), 0).map_err(|error| error_number(&error))
    }

    /// Returns a new handle of the object that a file represents.
    pub(crate) fn import(&mut self, descriptor: i32) -> Result<u32, i32> {
        let state = Arc::clone(self.exports.import(descriptor).ok_or(libc::EINVAL)?);
        Ok(self.add(state))
    }

    /// Removes an object.
    pub(crate) fn destroy(&mut self, handle: u32) -> Result<(), i32> {
        self.signaled.remove(&handle).map(drop).ok_or(libc::EINVAL)
    }

    /// Signals an object or takes its signal back.
    pub(crate) fn set(&mut self, handle: u32, is_signaled: bool) -> Result<(), i32> {
        let state = self.signaled.get(&handle).ok_or(libc::ENOENT)?;
        state.store(is_signaled, Ordering::Relaxed);
        Ok(())
    }

    /// True if an object is signaled.
    pub(crate) fn is_signaled(&self, handle: u32) -> Result<bool, i32> {
        let state = self.signaled.get(&handle).ok_or(libc::ENOENT)?;
        Ok(state.load(Ordering::Relaxed))
    }

    /// Looks at the objects of a wait. An object without a fence is an error unless the flags
    /// permit it.
    pub(crate) fn check(&self, handles: &[u32], flags: u32) -> Result<Wait, i32> {
        let signaled: Result<Vec<bool>, i32> =
            handles.iter().map(|handle| self.is_signaled(*handle)).collect();
        let signaled = signaled?;
        let first = signaled.iter().position(|signaled| *signaled);
        let all = signaled.iter().all(|signaled| *signaled);
        if !all && flags & FOR_SUBMISSION == 0 {
            return Err(libc::EINVAL);
        }
        let holds = if flags & ALL != 0 { all } else { first.is_some() || handles.is_empty() };
        let first = first.and_then(|first| u32::try_from(first).ok()).unwrap_or(0);
        Ok(if holds { Wait::Done(first) } else { Wait::Pending })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_for_all_and_for_any() {
        let mut fences = Fences::default();
        let [early, late] = [fences.create(true), fences.create(false)];
        assert_eq!(fences.check(&[late, early], FOR_SUBMISSION), Ok(Wait::Done(1)));
        assert_eq!(fences.check(&[late, early], FOR_SUBMISSION | ALL), Ok(Wait::Pending));
        assert_eq!(fences.check(&[late], 0), Err(libc::EINVAL));
        fences.set(late, true).expect("an object");
        assert_eq!(fences.check(&[late, early], ALL), Ok(Wait::Done(0)));
        fences.set(late, false).expect("an object");
        assert_eq!(fences.is_signaled(late), Ok(false));
    }

    #[test]
    fn unknown_handles_are_errors() {
        let mut fences = Fences::default();
        let fence = fences.create(true);
        assert_eq!(fences.destroy(fence), Ok(()));
        assert_eq!(fences.destroy(fence), Err(libc::EINVAL));
        assert_eq!(fences.check(&[fence], ALL), Err(libc::ENOENT));
        assert_eq!(fences.set(fence, true), Err(libc::ENOENT));
        assert_eq!(fences.check(&[], ALL), Ok(Wait::Done(0)));
    }
}
