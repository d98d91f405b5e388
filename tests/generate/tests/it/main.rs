//! Integration tests of `generate`.

mod regenerate;
