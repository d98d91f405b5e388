//! Specialized implementations of the common cases: whole registers at once.
//!
//! [`select`] looks at an instruction once and picks an implementation, a job, with its operands
//! laid out. A job works on arrays of 8 or 16 lanes (doubles: 4 or 8) in loops that the compiler
//! turns into vector instructions; it is compiled for each [`Machine`]. The result must be the
//! generic implementation's, bit for bit; `tests/it/fast.rs` compares them on random instructions.
//! Instructions that need another rounding mode, ALT mode, accumulators, a0 or an undefined result
//! stay generic.
//!
//! An instruction has one step per half. Both halves are one step where the second does not read
//! what the first writes.

mod access;
mod condition;
mod double;
mod float;
mod formats;
mod integer;
mod machine;
mod plan;
mod plane;
mod quick;
mod select;
mod step;
mod whole;

pub use machine::Machine;
pub use plan::{Plan, execute};
pub(crate) use quick::{Predicate, Quick, Subnormals};
pub use select::select;
