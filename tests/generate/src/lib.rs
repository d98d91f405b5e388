//! Generator of the project's own test suites, `tests/fp64` and `tests/half`.
//!
//! A test computes one operation over one choice of types in one stage. A *family* lists the
//! operations ([`family`]), a *pool* the operands ([`pool`]), exact arithmetic the accepted results
//! ([`ieee`], [`bounded`]), and [`shader`] writes the file. Code that both suites share is generic
//! over the floating-point format ([`format::Format`]).
//!
//! Every expected value comes from exact arithmetic on fractions of big integers or from rules that
//! the GLSL specification or IEEE 754 state, never from the machine's floating-point unit and never
//! from this project's compiler, simulator or interpreter.
//!
//! ```
//! use generate::format::Format;
//! use generate::half::Half;
//! use generate::ieee;
//!
//! // 1 + 2⁻¹¹ is halfway between two halves and rounds to the even one.
//! let [one, tie] = [1.0, 2f64.powi(-11)].map(Half::from_double);
//! assert_eq!(ieee::add(one, tie), one);
//! assert_eq!(ieee::add(1.0, 2f64.powi(-11)), 1.00048828125);
//!
//! // Suites are files: paths and texts.
//! let file = generate::suite::fp64().next().expect("the suite has files");
//! assert!(file.path.ends_with(".shader_test") && file.text.starts_with("[require]"));
//! ```

#![forbid(unsafe_code)]

pub mod accept;
pub mod bounded;
pub mod case;
pub mod cases;
pub mod expected;
pub mod family;
pub mod format;
pub mod functions;
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
pub mod stage;
pub mod storage;
pub mod suite;
pub mod value;
