//! Integration tests of the crate.

mod recordings;
