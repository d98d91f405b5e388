//! Integration tests of the crate.

mod hostile;
mod pixels;
mod recordings;
mod stream_output;
