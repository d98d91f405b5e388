//! Integration tests: file tests, damaged modules.

mod constructs;
mod filetests;
mod hostile;
mod images;
mod memory_model;
mod rules;
mod shared_blocks;

use spirv_front::{Module, assemble};

/// The words of a text.
fn assembled(text: &str) -> Vec<u32> {
    assemble(text.as_bytes()).unwrap_or_else(|error| panic!("{error}:\n{text}")).words
}

/// Why a module is refused; `None` if it is valid.
fn refusal(words: &[u32]) -> Option<String> {
    Module::checked(words).err().map(|error| error.message)
}
