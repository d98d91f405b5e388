//! Formats of encodings.

/// A format of instruction encodings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Scalar, two sources.
    Sop2,
    /// Scalar, constant of 16 bits.
    Sopk,
    /// Scalar, one source.
    Sop1,
    /// Scalar comparison.
    Sopc,
    /// Program control.
    Sopp,
    /// Scalar memory (SMRD on si).
    Smem,
    /// Vector, one source.
    Vop1,
    /// Vector, two sources.
    Vop2,
    /// Vector comparison.
    Vopc,
    /// Vector, three sources and modifiers.
    Vop3,
    /// Interpolation.
    Vintrp,
    /// Local and global data share.
    Ds,
    /// Buffer.
    Mubuf,
    /// Typed buffer.
    Mtbuf,
    /// Image.
    Mimg,
    /// Flat memory (vi).
    Flat,
    /// Export.
    Exp,
}

impl Format {
    /// Every format, short encodings before VOP3.
    pub const ALL: [Format; 17] = [
        Format::Sop2,
        Format::Sopk,
        Format::Sop1,
        Format::Sopc,
        Format::Sopp,
        Format::Smem,
        Format::Vop1,
        Format::Vop2,
        Format::Vopc,
        Format::Vintrp,
        Format::Vop3,
        Format::Ds,
        Format::Mubuf,
        Format::Mtbuf,
        Format::Mimg,
        Format::Flat,
        Format::Exp,
    ];

    /// True for VOP1, VOP2 and VOPC.
    pub fn is_short_vector(self) -> bool {
        matches!(self, Format::Vop1 | Format::Vop2 | Format::Vopc)
    }

    /// True for operations of the vector ALU.
    pub fn is_vector_alu(self) -> bool {
        self.is_short_vector() || matches!(self, Format::Vop3 | Format::Vintrp)
    }

    /// True for operations of the scalar ALU.
    pub fn is_scalar_alu(self) -> bool {
        matches!(self, Format::Sop2 | Format::Sopk | Format::Sop1 | Format::Sopc)
    }

    /// True for buffers, images and flat memory.
    pub fn is_vector_memory(self) -> bool {
        matches!(self, Format::Mubuf | Format::Mtbuf | Format::Mimg | Format::Flat)
    }
}
