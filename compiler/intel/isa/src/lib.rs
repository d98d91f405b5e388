//! Intel's execution-unit instruction set: encode, decode, print, assemble and validate.
//!
//! Covers Gen7 (Ivy Bridge), Gen7.5 (Haswell), Gen8 (Broadwell, Cherryview) and Gen9 (Skylake). The
//! crate knows no IR.
//!
//! - [`DevInfo`] holds what differs between the generations.
//! - [`Inst`] is a decoded instruction: plain data, made by [`build`], [`decode`] or
//!   [`assemble_insts`].
//! - [`encode`], [`decode`]: bytes, compacted ones too, from one table of bit positions per
//!   generation.
//! - [`print_inst`], [`assemble`]: text, in the syntax of Mesa's tools.
//! - [`desc`]: what messages say.
//! - [`validate_program`]: the hardware's restrictions, each a named rule.
//!
//! ```
//! use intel_isa::{DevInfo, assemble, decode, print_inst};
//! let ivb = DevInfo::get("ivb").unwrap();
//! let bytes = assemble(ivb, "mov(8) g10<1>F g2<8,8,1>F { align1 1Q };").unwrap();
//! let (inst, len) = decode(ivb, &bytes).unwrap();
//! assert_eq!((inst.dst.nr, len), (10, 16));
//! assert!(print_inst(ivb, &inst).starts_with("mov(8)"));
//! ```

mod bits;
pub mod build;
pub mod desc;
pub mod devinfo;
pub mod encoding;
pub mod inst;
mod instruction_offsets;
mod listing;
pub mod opcode;
pub mod operand;
mod program_end;
mod quirks;
pub mod text;
mod timing;
pub mod types;
pub mod validate;

pub use devinfo::{DevInfo, DfImmediates, GfxVersion};
pub use encoding::{
    DecodeError, EncodeError, Located, decode, decode_program, encode, encode_into, encode_program,
    raw_encoding,
};
pub use inst::{
    AccessMode, CondMod, Desc, FlagReg, Inst, MathFn, PredMode, Predicate, Send, Sfid,
    ThreadControl,
};
pub use instruction_offsets::InstructionOffsets;
pub use listing::{marked_listing, marked_rows, violating_instruction};
pub use opcode::{Form, Opcode, OpcodeInfo};
pub use operand::{Addressing, Arf, Operand, RegFile, Region, Swizzle, WriteMask};
pub use program_end::{ProgramEnd, jump_targets};
pub use quirks::Quirk;
pub use text::{AsmError, assemble, assemble_insts, print_inst, print_program};
pub use timing::estimate as estimated_cycles;
pub use types::Type;
pub use validate::{ProgramValidator, Violation, validate_inst, validate_program};
