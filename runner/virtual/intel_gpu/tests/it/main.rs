//! Integration tests of the crate.

mod hostile;
mod replay;
mod server;
mod texts;
