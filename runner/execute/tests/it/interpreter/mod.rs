//! The reference interpreter against the GLSL 4.60 specification, from source text.
//!
//! Most cases run a second time on the lowered code with the IR's evaluator: two independent
//! implementations that must both give what the specification says. Expected values are literals,
//! computed by hand or to more digits than any of our own code.

mod harness;

mod builtins;
mod control_flow;
mod conversions;
mod functions;
mod integers;
mod memory;
mod operators;
mod shared;
mod sixteen_bit;
mod undefined;
mod values;
