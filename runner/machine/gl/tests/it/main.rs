//! Integration tests of the GL machine.

mod machine;
mod objects;
mod support;
mod uniforms;
