//! Integration tests of the crate.

mod amd_corpus;
mod corpus;
mod index_buffer;
