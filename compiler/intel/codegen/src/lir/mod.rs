//! Back-end IR: instructions of the execution unit on virtual registers, shared by both back ends.
//!
//! A program is a flat list of instructions with structured control-flow markers (`If … Else …
//! Endif`, `Do … While`); [`cfg`] derives basic blocks from it. Execution sizes and regions are
//! logical: doubled DF sizes, 32-bit DF regions and physical swizzles appear in the encoder only.

mod analyses;
pub mod build;
pub mod cfg;
mod inst;
mod op;
mod operand;
mod parse;
mod print;
mod program;
mod rows;
mod validate;

pub use inst::{Inst, Message, MessageKind};
pub use intel_isa::{Arf, CondMod, PredMode, Predicate, Type};
pub use op::{Op, OpInfo};
pub use operand::{File, Operand, REG_SIZE, Region, Swizzle, VReg, WRITEMASK_XYZW};
pub use parse::{ParseError, parse};
pub use program::{Analysis, Program, VRegData};
pub use rows::{RowStep, Rows, acts_on_dwords};
pub use validate::Failures;
