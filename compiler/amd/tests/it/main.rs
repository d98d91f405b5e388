//! Programs of the back end, executed and compared with the IR's evaluator.

mod bit_fields;
mod geometry;
mod harness;
mod operations;
mod random;
mod spill;
mod stages;
