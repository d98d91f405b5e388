//! Tests of the whole crate: scripts of both formats, errors, expectations, hostile texts.

mod amber;
mod common;
mod corpus;
mod errors;
mod expectations;
mod hostile;
mod removals;
mod vkscript;
