//! Fragments: threads, tests, blending, stores.

pub(crate) mod attributes;
pub(crate) mod clear;
pub(crate) mod depth;
pub(crate) mod flood;
pub(crate) mod output;
pub(crate) mod quad;
pub(crate) mod shade;
