//! Integration tests of `script`.

mod census;
mod corpus;
mod hostile;
