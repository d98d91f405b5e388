//! Tools over the execution of test cases: random tests, known defects of drivers, reduction of
//! failing tests, bisection over compiler passes, coverage, and tests around shaders of
//! applications.
//!
//! ```
//! use tools::fuzz::{Kind, generate};
//!
//! let test = generate(1, 0, Kind::Fragment);
//! assert!(test.contains("[fragment shader]"));
//! assert_eq!(test, generate(1, 0, Kind::Fragment));
//! ```

pub mod bisect;
pub mod coverage;
pub mod defects;
pub mod fuzz;
pub mod reduce;
pub mod wrap;

mod case;

pub use case::{Case, CaseRunner, RunError};
