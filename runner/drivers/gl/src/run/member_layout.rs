//! Layout of a member of a uniform block.

use script::Uniform;

/// Place of a value in its buffer.
#[derive(Clone, Copy, Default)]
pub(super) struct MemberLayout {
    pub(super) offset: i32,
    pub(super) stride: i32,
    pub(super) row_major: bool,
}

impl MemberLayout {
    /// Returns the bytes of a value with their offsets.
    pub(super) fn pieces(
        self,
        uniform: &Uniform<'_>,
        scalars: &[Vec<u8>],
    ) -> Vec<(usize, Vec<u8>)> {
        let offset = usize::try_from(self.offset).unwrap_or(0);
        let (columns, rows) = (usize::from(uniform.ty.columns), usize::from(uniform.ty.rows));
        if columns == 1 {
            return vec![(offset, scalars.concat())];
        }
        let stride = usize::try_from(self.stride).unwrap_or(0);
        let place = |(index, bytes): (usize, &Vec<u8>)| {
            let (column, row) = (index / rows, index % rows);
            let (major, minor) = if self.row_major { (row, column) } else { (column, row) };
            (offset + major * stride + minor * bytes.len(), bytes.clone())
        };
        scalars.iter().enumerate().map(place).collect()
    }
}
