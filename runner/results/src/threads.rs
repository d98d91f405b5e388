//! Thread helpers.

use std::panic::resume_unwind;
use std::thread::ScopedJoinHandle;

/// Returns the result of a thread or resumes its panic.
pub fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}
