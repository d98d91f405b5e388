//! Descriptors of buffers.

use amd_isa::Scalar;

use crate::state::Wave;

/// Descriptor of a buffer (V#): four dwords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resource {
    /// Address in bytes, 48 bits.
    pub base: u64,
    /// Distance of records in bytes; 0 for raw buffers.
    pub stride: u32,
    /// True if addresses are swizzled.
    pub swizzle: bool,
    /// Number of records; of bytes if the stride is 0, or as [`Quirks`](crate::Quirks) say.
    pub records: u32,
    /// Source of each channel: 0 zero, 1 one, 4 to 7 a channel of the data.
    pub select: [u8; 4],
    /// Format of numbers.
    pub number_format: u8,
    /// Format of data.
    pub data_format: u8,
    /// Size of a swizzled element in bytes.
    pub element_bytes: u32,
    /// Number of records that are interleaved.
    pub index_stride: u32,
    /// True if the lane is added to the index.
    pub add_lane: bool,
    /// Type of the descriptor: 0 for buffers.
    pub kind: u8,
}

impl Resource {
    /// Decodes four dwords.
    pub fn decode(words: [u32; 4]) -> Resource {
        let [w0, w1, w2, w3] = words;
        let select = |index: u32| (w3 >> (3 * index) & 7) as u8;
        Resource {
            base: u64::from(w0) | u64::from(w1 & 0xffff) << 32,
            stride: w1 >> 16 & 0x3fff,
            swizzle: w1 >> 31 != 0,
            records: w2,
            select: [select(0), select(1), select(2), select(3)],
            number_format: (w3 >> 12 & 7) as u8,
            data_format: (w3 >> 15 & 15) as u8,
            element_bytes: 2 << (w3 >> 19 & 3),
            index_stride: 8 << (w3 >> 21 & 3),
            add_lane: w3 >> 23 & 1 != 0,
            kind: (w3 >> 30) as u8,
        }
    }

    /// The descriptor in four scalar registers.
    pub(crate) fn of(wave: &Wave, first: Scalar) -> Resource {
        let at = usize::from(first.0);
        let word = |index: usize| wave.scalar[(at + index) & 127];
        Resource::decode([word(0), word(1), word(2), word(3)])
    }

    /// Size in bytes.
    pub fn bytes(&self) -> u64 {
        u64::from(self.records) * u64::from(self.stride.max(1))
    }

    /// Offset from the base of an access.
    pub fn offset(&self, index: u64, offset: u64) -> u64 {
        let stride = u64::from(self.stride);
        if !self.swizzle {
            return index * stride + offset;
        }
        // Both are powers of two.
        let (element, group) = (u64::from(self.element_bytes), u64::from(self.index_stride));
        let (in_element, in_group) = (offset & (element - 1), index & (group - 1));
        let record = (index >> group.trailing_zeros()) * stride;
        in_element + element * in_group + group * (record + (offset - in_element))
    }
}
