//! Integration tests.

mod filetests;
