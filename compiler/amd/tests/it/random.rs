//! Random shaders with control flow.
