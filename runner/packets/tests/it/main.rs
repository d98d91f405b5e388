//! Integration tests of the crate.

mod corpus;
