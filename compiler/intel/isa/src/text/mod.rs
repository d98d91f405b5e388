//! Assembly text: printing and parsing, in the syntax of Mesa's tools.
//!
//! ```text
//! (+f0.0) add.sat.l.f0.0(8) g10<1>F  g2<8,8,1>F  0x3f800000F /* 1F */ { align1 1Q };
//! ```
//!
//! Deviations, all readable by the assembler: jumps are printed as numbers (labels are accepted); a
//! message's text is on the line of its instruction and is a comment in effect (the descriptor's
//! number decides); a subregister off its type's grid is printed in bytes (`g3.2b<1>F`); bits that
//! the syntax has no words for follow the instruction as `// raw 0x…`, to be combined with it by
//! exclusive or.

mod asm;
mod lexer;
mod print;

#[cfg(test)]
mod tests;

pub use asm::{AsmError, assemble, assemble_insts};
pub use print::{print_inst, print_program};
