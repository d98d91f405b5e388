//! Programs of the back end, executed and compared with the IR's evaluator.

mod harness;
mod operations;
mod random;
