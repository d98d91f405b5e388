//! The most frequent instructions of hot kernels: whole registers of dwords.
//!
//! A [`Quick`] is a plan with everything resolved that a plan looks at in each execution: sources
//! are registers, single elements or constants spread over all lanes, channels are bits in the
//! order of lanes. It is made only for kernels that have executed many instructions, and it is
//! compact: one after the other in the order of the kernel.

mod call;
mod instruction;
mod jobs;
mod native;
mod runner;
mod select;

pub(crate) use instruction::{Predicate, Quick, Subnormals};
