//! Memory layouts that a module gives offset by offset.

use crate::ids::LayoutId;

/// Layout of a type whose offsets and strides are given (SPIR-V 1.6 section 2.16.2), in bytes. It
/// is kept beside the type, which may have several.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ExplicitLayout {
    /// Bytes between the elements of an array, or the columns (rows when row-major) of a matrix.
    pub stride: u32,
    /// Bytes from the start to the end of the last part.
    pub size: u32,
    /// Of a structure the offset and layout of each member, of an array one part: its element.
    pub parts: Vec<(u32, LayoutId)>,
}
