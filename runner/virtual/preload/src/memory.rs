//! Access to the arguments of requests, which are addresses in this process.

/// Numbers of the C interface: any bit pattern is valid and there is no padding.
///
/// # Safety
/// Implement it only for such types.
pub(crate) unsafe trait Plain: Copy {}

// SAFETY: all bit patterns of integers are valid.
unsafe impl Plain for u8 {}
// SAFETY: as above.
unsafe impl Plain for u16 {}
// SAFETY: as above.
unsafe impl Plain for u32 {}
// SAFETY: as above.
unsafe impl Plain for u64 {}

/// The argument of a request: an address that the driver gave with the request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Argument(u64);

impl Argument {
    /// Wraps an address.
    ///
    /// # Safety
    /// It points to memory of this process that nothing else uses during the request, and of the
    /// extent that the request's interface defines. This holds for addresses in it, too.
    pub(crate) unsafe fn new(address: u64) -> Argument {
        Argument(address)
    }

    /// True for the null pointer.
    pub(crate) fn is_null(self) -> bool {
        self.0 == 0
    }

    /// Reads a number at an offset in bytes.
    pub(crate) fn get<T: Plain>(self, offset: u64) -> T {
        // SAFETY: `new` demands valid memory; the type has no invalid values.
        unsafe { std::ptr::read_unaligned((self.0 + offset) as *const T) }
    }

    /// Writes a number at an offset in bytes.
    pub(crate) fn set<T: Plain>(self, offset: u64, value: T) {
        // SAFETY: `new` demands valid memory that nothing else uses.
        unsafe { std::ptr::write_unaligned((self.0 + offset) as *mut T, value) }
    }

    /// The structure that a pointer at an offset points to.
    pub(crate) fn follow(self, offset: u64) -> Argument {
        Argument(self.get::<u64>(offset))
    }

    /// Element of an array of structures.
    pub(crate) fn element(self, index: u64, size: u64) -> Argument {
        Argument(self.0 + index * size)
    }
}

#[cfg(test)]
mod tests {
    use super::Argument;

    #[test]
    fn numbers_at_offsets() {
        let mut bytes = [0_u8; 16];
        // SAFETY: the array outlives the argument and has the extent of the accesses.
        let argument = unsafe { Argument::new(bytes.as_mut_ptr() as u64) };
        argument.set(4, 0x0102_0304_u32);
        argument.element(1, 8).set(0, 7_u64);
        assert_eq!(argument.get::<u8>(4), 4);
        assert_eq!(argument.get::<u64>(8), 7);
        assert!(!argument.is_null());
        assert_eq!(bytes[7], 1);
    }
}
