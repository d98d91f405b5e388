//! Bits of IEEE 754 binary16 numbers.

/// A half, by its bits. Its arithmetic is that of [`crate::format::Format`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Half(u16);

impl Half {
    /// The half with these bits.
    pub const fn new(bits: u16) -> Half {
        Half(bits)
    }

    /// The bits.
    pub const fn word(self) -> u16 {
        self.0
    }
}
