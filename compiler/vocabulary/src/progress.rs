//! Progress of a thread, for a process that has to end it.

use std::cell::RefCell;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::Phase;

thread_local! {
    /// The progress of the current thread.
    static OWN: RefCell<Progress> = RefCell::default();
}

/// A step of a test case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The phase, of which a failure would be.
    pub phase: Phase,
    /// The executor, such as "reference interpreter".
    pub executor: Option<&'static str>,
    /// Line of the command in the file; 0 if it is unknown.
    pub line: u32,
}

impl fmt::Display for Step {
    /// Writes what the phase does not say: "line 3, reference interpreter".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.executor) {
            (0, None) => Ok(()),
            (0, Some(executor)) => write!(f, "{executor}"),
            (line, None) => write!(f, "line {line}"),
            (line, Some(executor)) => write!(f, "line {line}, {executor}"),
        }
    }
}

/// The last step that a thread has begun.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<Mutex<Option<Step>>>);

impl Progress {
    /// Makes the current thread record its steps here.
    pub fn follow_this_thread(&self) {
        OWN.set(self.clone());
    }

    /// True while a thread records its steps here.
    #[must_use]
    pub fn is_followed(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    /// Returns the last step; `None` before the first one.
    #[must_use]
    pub fn step(&self) -> Option<Step> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Records that the current thread begins a step.
pub fn begin_step(phase: Phase, executor: Option<&'static str>, line: u32) {
    let step = Step { phase, executor, line };
    OWN.with_borrow(|own| *own.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(step));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_seen_from_another_thread() {
        let progress = Progress::default();
        let own = progress.clone();
        let thread = std::thread::spawn(move || {
            own.follow_this_thread();
            begin_step(Phase::Link, None, 0);
            begin_step(Phase::Simulate, Some("driver"), 3);
        });
        begin_step(Phase::Script, None, 0);
        assert!(thread.join().is_ok());
        let step = progress.step().unwrap();
        assert_eq!((step.phase, step.to_string().as_str()), (Phase::Simulate, "line 3, driver"));
    }
}
