//! Integration tests of the crate.

mod hostile;
mod pixels;
mod predication;
mod recordings;
mod results;
mod stream_output;
