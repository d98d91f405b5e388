//! Tools over the execution of test cases: random tests, reduction of failing tests, bisection over
//! compiler passes, and coverage.

pub mod bisect;
pub mod coverage;
pub mod fuzz;
pub mod reduce;
