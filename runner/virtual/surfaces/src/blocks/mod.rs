//! Compressed formats: blocks of texels that are decoded together.

mod astc;
mod bits;
mod bptc;
mod etc;
mod format;
mod fxt1;
mod partitions;
mod s3tc;
mod sequence;

pub use format::Blocks;

#[cfg(test)]
mod tests;
