//! Integration tests of the crate.

mod corpus;
mod index_buffer;
