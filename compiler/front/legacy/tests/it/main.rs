//! Integration tests of `legacy`.

mod asm_corpus;
