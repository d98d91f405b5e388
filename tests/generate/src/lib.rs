//! Writes the project's own test suites. Every expected value comes from exact arithmetic on fractions of big integers or from
//! rules that the GLSL specification or IEEE 754 state outright, never from the machine's floating-point unit and never from
//! this project's compiler, simulator or interpreter.

pub mod bounded;
pub mod cases;
pub mod family;
pub mod half;
pub mod ieee;
pub mod layout;
pub mod memory;
pub mod number;
pub mod operation;
pub mod pool;
pub mod random;
pub mod real;
pub mod script;
pub mod shader;
pub mod shared;
pub mod storage;
pub mod suite;
pub mod value;
