//! Intel's execution-unit instruction set: encode, decode, print, assemble and validate.

pub mod build;
pub mod desc;
pub mod devinfo;
pub mod encoding;
pub mod inst;
pub mod opcode;
pub mod operand;
pub mod text;
pub mod types;
pub mod validate;

pub use devinfo::{DevInfo, Gen};
pub use encoding::{
    DecodeError, EncodeError, Located, decode, decode_program, encode, encode_into, encode_program,
};
pub use inst::{
    AccessMode, CondMod, Desc, FlagReg, Inst, MathFn, PredAlign1, PredAlign16, PredControl, Predicate, Send,
    Sfid, ThreadControl,
};
pub use opcode::{Form, Opcode, OpcodeInfo};
pub use operand::{Addressing, Arf, Operand, RegFile, Region, Swizzle, WriteMask};
pub use text::{AsmError, assemble, assemble_insts, print_inst, print_program};
pub use types::Type;
pub use validate::{Violation, validate_inst, validate_program};
