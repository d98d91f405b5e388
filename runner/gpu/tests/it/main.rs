//! Integration tests of the crate.

mod replay;
mod server;
mod texts;
