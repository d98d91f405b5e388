//! SSA intermediate representation of one shader stage.
//!
//! # Shape
//! A [`Shader`] is a tree of control-flow nodes (blocks, ifs, loops) over dense tables of
//! [`Value`]s and instructions. Values have a width (1 for booleans, 8, 16, 32, 64 bits) and one to
//! four components; types live in the operations, not in the values. ALU sources carry swizzles,
//! nothing else does; there are no source or result modifiers. Phis stand at merges, loop headers
//! and loop exits, one source per predecessor. Variables that are not in SSA form yet, and arrays
//! indexed at run time, are [`Local`]s.
//!
//! # Reading and writing it
//! * [`Builder`] appends code: every operation of [`AluOp`] is a method;
//!   `push_if`/`push_else`/`pop_if`, `push_loop`/`pop_loop`, `jump` build control flow;
//!   `intrinsic`, `load`, `tex` the rest.
//! * [`Shader::walk`] and [`Shader::block_order`] visit it without recursion, [`Cfg`] gives
//!   predecessors, successors and dominance.
//! * `Display` prints the text form, [`parse()`] reads it.
//! * [`eval::run`] executes a shader on concrete inputs; [`AluOp::evaluate`] one
//!   operation.
//! * [`validate()`] checks every rule and reports all failures.
//! * [`PassManager`] runs the passes.
//!
//! ```
//! let mut shader = ir::parse(
//!     r#"shader vertex "double"
//!     block b0 {
//!       32x1 v0 = const 0x0
//!       32x2 v1 = load_input v0 slot=attribute0 component=0
//!       32x1 v2 = fadd v1.x, v1.x
//!       32x1 v3 = fmul v2, v2
//!       store_output v2, v0 slot=var0 component=0 mask=1 stream=0
//!     }"#,
//! )
//! .map_err(|error| error.to_string())?;
//! assert!(ir::passes::opt_dce(&mut shader));
//! ir::validate(&shader).map_err(|error| error.to_string())?;
//! assert!(!shader.to_string().contains("fmul"));
//! # Ok::<(), String>(())
//! ```
//!
//! # Passes
//! [`passes`] has them all, [`passes::by_name`] finds one. Variables to SSA:
//! `lower_locals_to_select_chain`, `opt_promote_locals`, `lower_locals_to_scratch`. Clean-up, in
//! any order until nothing changes:
//! `opt_copy_propagation opt_dce opt_cse opt_constant_folding opt_algebraic opt_dead_cf
//! opt_peephole_select opt_undef opt_single_break opt_known_conditions opt_nested_ifs
//! opt_nested_selects opt_discard_if opt_loop_unroll`. Lowerings: `lower_int64`, then
//! `lower_doubles`, `lower_float_ops`, `lower_pack`, `lower_bitfield`, `lower_vectors_to_scalar`;
//! last `opt_fuse_ffma`. Only that pass and `opt_algebraic_inexact` change results. An `flrp` that
//! `lower_float_ops` leaves is rounded once by the hardware.
//!
//! # Conventions
//! * Memory offsets are bytes; UBO 0 is the default uniform block. Inputs and outputs are slots of
//!   four 32-bit components; 64-bit interface variables are split and joined with
//!   `pack_64_2x32_split` by the lowering.
//! * `discard` ends the invocation; `demote` lets it go on as a helper.
//! * Shift counts are 32-bit and taken modulo the width; division by zero gives 0; float to integer
//!   saturates.

pub mod builder;
pub mod cfg;
mod compact;
mod compile_error;
pub mod eval;
pub mod fold;
pub mod ids;
pub mod info;
pub mod inst;
pub mod intrinsics;
mod lex;
mod names;
pub mod ops;
pub mod parse;
pub mod pass;
pub mod passes;
pub mod print;
pub mod shader;
pub mod slot;
pub mod validate;
pub mod varying_places;
pub mod varyings;

pub use builder::Builder;
pub use cfg::Cfg;
pub use compile_error::CompileError;
pub use ids::{Block, Inst, Local, Node, Value};
pub use info::{DerivativeGroup, Dim, Interpolation, Location, ShaderInfo, Stage, Varying};
pub use inst::{Alu, InstData, InstKind, Jump, PhiSrc, Src, Tex, TexOp, TexSrcKind};
pub use intrinsics::{AtomicOp, Field, Fields, Intrinsic, IntrinsicOp};
pub use ops::{AluOp, Class, OpInfo, Operand};
pub use parse::{ParseError, parse};
pub use pass::{
    IrUnit, Pass, PassError, PassEvent, PassLog, PassManager, PassOptions, PassRecord, PassRun,
};
pub use passes::IrPass;
pub use shader::{BlockData, LocalData, MAX_NESTING, NodeData, Shader, Step, ValueData};
pub use slot::Slot;
pub use validate::{Failure, ValidationError, validate};

#[cfg(test)]
mod fold_tests;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
