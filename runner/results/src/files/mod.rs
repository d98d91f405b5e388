//! The files of a run's folder: reading, writing, merging.

pub mod bundle;
pub(crate) mod csv;
pub(crate) mod error;
pub(crate) mod folder;
pub(crate) mod jsonl;
pub(crate) mod junit;
pub(crate) mod merge;
pub(crate) mod read;
pub(crate) mod record;
pub mod shard;
pub(crate) mod writer;

#[cfg(test)]
mod tests;
