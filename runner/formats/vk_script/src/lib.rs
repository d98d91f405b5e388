//! Scripts of Vulkan tests: text to one model, and the evaluation of what they expect.
//!
//! Two formats become the same [`Script`]:
//!
//! * *AmberScript*, whose first line is `#!amber`;
//! * *VkScript*, VkRunner's format with `[require]`, `[vertex shader]` and `[test]`.
//!
//! The model is plain data. Ids index its vectors and are always in range. An executor needs no
//! text of the script: values are bytes, names are resolved, defaults are filled in.

mod error;
pub mod model;

pub use error::{ParseError, Span};
pub use model::*;
