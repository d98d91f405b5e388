//! Legalizing passes: afterwards every instruction can be encoded.

mod legalize_64bit_regions;
mod legalize_constants;
mod legalize_math;
mod legalize_simd_width;
mod legalize_three_source;
mod legalize_vec4_operands;
mod lower_df_swizzle;
mod lower_df_writemask;
mod lower_simd_width;
mod split_long_branches;
mod splitting;
mod swizzle_class;
#[cfg(test)]
mod vec4_tests;

pub(crate) use legalize_64bit_regions::legalize_64bit_regions;
pub(crate) use legalize_constants::legalize_constants;
pub(crate) use legalize_math::legalize_math;
pub(crate) use legalize_simd_width::legalize_simd_width;
pub(crate) use legalize_three_source::legalize_three_source;
pub(crate) use legalize_vec4_operands::legalize_vec4_operands;
pub(crate) use lower_df_swizzle::lower_df_swizzle;
pub(crate) use lower_df_writemask::lower_df_writemask;
pub(crate) use lower_simd_width::lower_simd_width;
pub(crate) use split_long_branches::split_long_branches;
