//! Instructions that access memory.

mod buffer;
mod flat;
mod format;
mod image;
mod scalar_memory;
mod share;
