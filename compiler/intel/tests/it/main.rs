//! Integration tests of the back end: whole shaders, from IR to machine code.

mod fragment;
mod geometry_stages;
mod random;
