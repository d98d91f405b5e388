//! Panics of test cases: caught, kept off the terminal, and converted to crashes with their
//! location.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use results::verdict::{Phase, Status, Verdict};
use vocabulary::{InternalError, panic_text};

thread_local! {
    /// Message of the current thread's last panic.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
    /// True while the current thread executes a test case.
    static RUNNING: Cell<bool> = const { Cell::new(false) };
}

/// Runs `body`; a panic becomes a crash with the panic's message and location, and a raised
/// internal error one of its phase.
pub(crate) fn caught<T: From<Verdict>>(body: impl FnOnce() -> T) -> T {
    capture();
    RUNNING.set(true);
    let outcome = catch_unwind(AssertUnwindSafe(body));
    RUNNING.set(false);
    outcome.unwrap_or_else(|payload| {
        let message = PANIC.take().unwrap_or_else(|| panic_text(&*payload));
        let verdict = match payload.downcast_ref::<InternalError>() {
            Some(error) => Verdict::new(Status::Crash, error.phase, error.to_string()),
            None => Verdict::new(Status::Crash, Phase::Simulate, message),
        };
        verdict.into()
    })
}

/// Keeps panics of test cases off the terminal and records their locations.
fn capture() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !RUNNING.get() {
                return previous(info);
            }
            let place = info
                .location()
                .map(|l| format!(" at {}:{}", l.file(), l.line()))
                .unwrap_or_default();
            PANIC.set(Some(format!("panic{place}: {}", panic_text(info.payload()))));
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_says_where_it_was() {
        let verdict: Verdict = caught(|| panic!("broken {}", 7));
        assert_eq!(verdict.status, Status::Crash);
        let (_, reason) = verdict.cause.unwrap();
        assert!(reason.contains("panics.rs:") && reason.ends_with(": broken 7"), "{reason}");
        assert_eq!(caught(Verdict::pass), Verdict::pass());
    }

    #[test]
    fn a_raised_internal_error_keeps_its_phase_and_pass() {
        let error = || InternalError::new(Phase::Encode, "no offset").in_pass("opt_dce");
        let (phase, reason) = caught::<Verdict>(|| error().raise()).cause.unwrap();
        assert_eq!(phase, Phase::Encode);
        assert!(reason.starts_with("internal compiler error in opt_dce: no offset ("), "{reason}");
    }
}
