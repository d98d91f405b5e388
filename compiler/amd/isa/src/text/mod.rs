//! Assembly text: printing and parsing, in the syntax of LLVM's AMDGPU tools.
//!
//! ```text
//! loop:
//!     v_mad_f32 v0, |v1|, s2, -v3 clamp
//!     s_cbranch_vccnz loop
//! ```
//!
//! Extensions, all readable by the assembler: a literal that could be an inline constant is
//! `lit(0x1)`; bits that the syntax has no words for follow the instruction as `; raw 0x…`, to be
//! combined with it by exclusive or.

mod assemble;
mod cursor;
mod failure;
mod mnemonic;
mod names;
mod operands;
mod parse_modifiers;
mod print;

#[cfg(test)]
mod tests;

pub use assemble::{AsmError, assemble, assemble_instructions};
pub use print::{print_instruction, print_program, program_rows};
