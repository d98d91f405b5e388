//! Passes after which every instruction can be encoded.

mod legalize_constants;
mod legalize_math;
mod legalize_simd_width;
mod legalize_three_source;
mod legalize_wide_regions;
#[cfg(test)]
mod tests;

pub use legalize_constants::legalize_constants;
pub use legalize_math::legalize_math;
pub use legalize_simd_width::legalize_simd_width;
pub use legalize_three_source::legalize_three_source;
pub use legalize_wide_regions::legalize_wide_regions;
