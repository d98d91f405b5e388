//! Textures, samplers and images.

mod image;
mod query;
mod sampled;
