//! Help with threads.

use std::panic::resume_unwind;
use std::thread::ScopedJoinHandle;

/// The result of a thread, or its panic.
pub fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}
