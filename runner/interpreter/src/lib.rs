//! Reference execution of the typed program, written against the GLSL specification.
