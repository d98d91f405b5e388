//! Integration tests: file tests, damaged modules.

mod constructs;
mod filetests;
mod hostile;
mod images;
mod memory_model;
mod rules;
mod shared_blocks;
