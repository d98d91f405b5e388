//! AMD's GCN instruction set: encode, decode, print, assemble and validate.
//!
//! Covers the chips `si` (Southern Islands: Tahiti, gfx600) and `vi` (Volcanic Islands: Polaris 10,
//! gfx803). The crate knows no IR.
//!
//! - [`Chip`] names a chip and holds what differs between the two.
//! - [`Instruction`] is a decoded instruction: plain data.
//! - [`encode`], [`decode`]: dwords, from one table of opcodes and one of bit positions per chip.
//! - [`print_instruction`], [`print_program`], [`assemble`]: text, in the syntax of LLVM's AMDGPU
//!   tools.
//! - [`validate()`]: the hardware's rules, waits and hazards, each with a name.
//!
//! ```
//! use amd_isa::{Chip, assemble, decode, print_instruction};
//! let words = assemble(Chip::Si, "v_bfi_b32 v0, v1, v2, v3").unwrap();
//! assert_eq!(words, [0xd294_0000, 0x040e_0501]);
//! let instruction = decode(Chip::Si, &words).unwrap();
//! assert_eq!(print_instruction(Chip::Si, &instruction), "v_bfi_b32 v0, v1, v2, v3");
//! ```

pub mod access;
pub mod chip;
pub mod encoding;
pub mod field;
pub mod format;
pub mod hazards;
pub mod instruction;
pub mod opcode;
mod opcode_info;
pub mod operand;
pub mod slot;
mod tables;
pub mod text;
pub mod validate;

pub use access::{Access, Register, accesses};
pub use chip::Chip;
pub use encoding::{
    DecodeError, EncodeError, Located, decode, decode_first, decode_meaning, decode_program,
    encode, words_of_bytes,
};
pub use format::Format;
pub use instruction::{Dpp, Instruction, Lanes, Modifiers, Sdwa};
pub use opcode::{Kind, Opcode, Property};
pub use operand::{InlineFloat, Operand, Scalar, Status};
pub use slot::{Place, Row, Slot};
pub use text::{
    AsmError, assemble, assemble_instructions, print_instruction, print_program, program_rows,
};
pub use validate::{
    HardwareStage, ProgramFacts, Violation, rule_names, validate, validate_instruction,
};
