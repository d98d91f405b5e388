//! Shaders of OpenGL's past as GLSL text: ARB assembly programs and fixed-function stages.
//!
//! Both become compatibility-profile GLSL, so that types, linking and execution follow the rules of
//! the front end and are defined once.
//!
//! ```
//! use legacy::arb::{ProgramTarget, translate};
//!
//! let text = "!!ARBvp1.0\nMOV result.position, vertex.position;\nEND";
//! let glsl = translate(text, ProgramTarget::Vertex)?;
//! assert!(glsl.contains("r0.xyzw = (gl_Vertex).xyzw;"));
//! assert!(legacy::fixed::VERTEX.contains("ftransform()"));
//! # Ok::<(), legacy::arb::Error>(())
//! ```

#![forbid(unsafe_code)]

pub mod arb;
pub mod fixed;
