//! Integration tests of the crate.

mod hostile;
mod recordings;
