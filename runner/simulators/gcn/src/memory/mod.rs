//! Instructions that access memory.

mod buffer;
mod format;
mod image;
mod scalar_memory;
mod share;
