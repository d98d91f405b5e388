//! Numbers of opcodes as the chips' tables write them.

use crate::format::Format;
use crate::opcode::Opcode;

/// The numbers of a chip, as written.
pub(super) struct Numbers {
    /// Formats with their numbers and opcodes.
    pub formats: &'static [(Format, &'static [(u16, Opcode)])],
    /// Opcodes of VOP1, VOP2 and VOPC that VOP3 lacks.
    pub unpromoted: &'static [Opcode],
}

/// Declares the numbers of a chip.
macro_rules! numbers {
    ($($format:ident { $($number:literal $opcode:ident,)* })* ; unpromoted { $($rest:ident,)* }) => {
        Numbers {
            formats: &[$(
                (crate::format::Format::$format, &[$(
                    ($number, crate::opcode::Opcode::$opcode),
                )*]),
            )*],
            unpromoted: &[$(crate::opcode::Opcode::$rest,)*],
        }
    };
}
pub(super) use numbers;
