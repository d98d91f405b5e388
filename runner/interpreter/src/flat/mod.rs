//! Flat code of expressions: arithmetic on rows of 32-bit components, one row for all lanes.
//!
//! An expression of `float`, `int`, `uint` and `bool` scalars, vectors and matrices becomes a list
//! of steps when it is first evaluated. A step reads rows and writes a new one; swizzles, splats
//! and constructors only name rows. The tree walk evaluates the rest (memory, textures, calls,
//! 64-bit and 16-bit types); its value is copied to rows.
//!
//! Results and marks of undefined components are those of the tree walk, bit for bit.

pub(crate) mod blocks;
mod builtins;
pub(crate) mod code;
pub(crate) mod compile;
pub(crate) mod rows;
mod stack;

pub(crate) use stack::FlatCode;
