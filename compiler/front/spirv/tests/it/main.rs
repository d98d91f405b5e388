//! Integration tests: file tests.

mod filetests;
