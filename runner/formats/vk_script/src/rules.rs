//! Programs whose rules a script follows.

/// Programs that run VkScript, where they differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rules {
    /// VkRunner: `==` of floats is exact, the default tolerance is 0.01, arrays are padded by the
    /// layout.
    VkRunner,
    /// Amber: `==` of floats allows a relative error of 10^-8, the default tolerance of colors is
    /// 0.002, arrays of numbers are contiguous, sizes of buffers are numbers of elements.
    Amber,
}
