//! Programs of the back end, executed and compared with the IR's evaluator.

mod bit_field_table;
mod bit_fields;
mod code;
mod geometry;
mod harness;
mod lines;
mod operations;
mod passes;
mod random;
mod spill;
mod stages;
