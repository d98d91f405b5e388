//! Integration tests: file tests, damaged modules.

mod filetests;
mod hostile;
