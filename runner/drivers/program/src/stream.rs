//! Readers of a program's output.

use std::io::{self, Read};
use std::mem;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// A stream that a thread reads.
pub(crate) struct Stream<T> {
    state: Arc<Mutex<T>>,
}

impl<T: Default + Send + 'static> Stream<T> {
    /// Starts to read. Each part of the output changes the state; `ended` hears of the end.
    pub(crate) fn read(
        mut input: impl Read + Send + 'static,
        ended: Sender<()>,
        take: fn(&mut T, &[u8]),
    ) -> io::Result<Stream<T>> {
        let state = Arc::new(Mutex::new(T::default()));
        let shared = state.clone();
        thread::Builder::new().name("output".to_owned()).spawn(move || {
            let mut buffer = vec![0; 64 << 10];
            loop {
                match input.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(count) => take(&mut lock(&shared), &buffer[..count]),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(_) => break,
                }
            }
            // The receiver is gone if the stream is open longer than it is waited for.
            let _ = ended.send(());
        })?;
        Ok(Stream { state })
    }

    /// Returns the state so far. A stream that is still open changes one that is not read.
    pub(crate) fn finish(self) -> T {
        mem::take(&mut *lock(&self.state))
    }
}

fn lock<T>(state: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
