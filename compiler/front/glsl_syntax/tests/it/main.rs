//! Integration tests of `glsl_syntax`.

mod filetest;
mod robustness;
