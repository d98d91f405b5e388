//! Integration tests: file tests, damaged modules.

mod constructs;
mod filetests;
mod hostile;
