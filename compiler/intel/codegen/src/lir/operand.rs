//! Operands: where a value lives, its type and which elements are taken.

use cranelift_entity::entity_impl;
use intel_isa::{Arf, Type};

/// Bytes per general register.
pub const REG_SIZE: u32 = 32;

/// A virtual register: a run of whole GRFs, see [`Program::vregs`](super::Program).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VReg(u32);
entity_impl!(VReg, "v");

/// Where an operand lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum File {
    /// No operand.
    None,
    /// The null register.
    Null,
    /// A virtual register; the operand's offset counts from its first byte.
    Vgrf(VReg),
    /// A fixed general register; the operand's offset counts from its first byte.
    Grf(u8),
    /// An architecture register.
    Arf(Arf),
    /// An immediate: the type's bit pattern in the low bits.
    Imm(u64),
}

/// Element selection in Align1, in elements of the operand's type. One-element strides are logical:
/// the doubling of ivb's DF regions happens in the encoder only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Region {
    /// Channel c reads element c × stride; 0 is a scalar.
    Stride(u8),
    /// `<vstride;width,hstride>`: channel c reads element (c / width) × vstride + (c mod width) ×
    /// hstride.
    Exact {
        /// Elements from row to row.
        vstride: u8,
        /// Elements per row.
        width: u8,
        /// Elements from column to column.
        hstride: u8,
    },
}

/// Component selection of Align16 operands, two bits per component, first component lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Swizzle(pub u8);

impl Swizzle {
    /// `.xyzw`
    pub const XYZW: Swizzle = Swizzle(0xe4);
    /// `.xxxx`
    pub const XXXX: Swizzle = Swizzle(0x00);

    /// From four components (taken modulo four).
    #[must_use]
    pub fn new(components: [u8; 4]) -> Swizzle {
        Swizzle(components.iter().enumerate().fold(0, |s, (i, c)| s | (c & 3) << (2 * i)))
    }

    /// Component `i` (0–3).
    #[must_use]
    pub fn get(self, i: u8) -> u8 {
        self.0 >> (2 * (i & 3)) & 3
    }

    /// The selection `outer` applied to the result of `self`.
    #[must_use]
    pub fn then(self, outer: Swizzle) -> Swizzle {
        Swizzle::new([0, 1, 2, 3].map(|i| self.get(outer.get(i))))
    }
}

/// All four components.
pub const WRITEMASK_XYZW: u8 = 0xf;

/// A source or destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Operand {
    /// Where it lives.
    pub file: File,
    /// Type of its elements.
    pub ty: Type,
    /// Bytes from the start of the register named by `file`.
    pub offset: u32,
    /// Elements taken (Align1), or for a destination its stride.
    pub region: Region,
    /// Source modifier: negate (after abs).
    pub negate: bool,
    /// Source modifier: absolute value.
    pub abs: bool,
    /// Align16 sources: logical component selection, in components of the operand's own type.
    pub swizzle: Swizzle,
    /// Align16 destinations: components written.
    pub writemask: u8,
}

impl Operand {
    /// An operand of `file` at its first byte with unit stride.
    #[must_use]
    pub fn new(file: File, ty: Type) -> Operand {
        Operand {
            file,
            ty,
            offset: 0,
            region: Region::Stride(1),
            negate: false,
            abs: false,
            swizzle: Swizzle::XYZW,
            writemask: WRITEMASK_XYZW,
        }
    }

    /// No operand.
    #[must_use]
    pub fn none() -> Operand {
        Operand::new(File::None, Type::UD)
    }

    /// The null register of type `ty`.
    #[must_use]
    pub fn null(ty: Type) -> Operand {
        Operand::new(File::Null, ty)
    }

    /// A virtual register.
    #[must_use]
    pub fn vgrf(reg: VReg, ty: Type) -> Operand {
        Operand::new(File::Vgrf(reg), ty)
    }

    /// A fixed register.
    #[must_use]
    pub fn grf(nr: u8, ty: Type) -> Operand {
        Operand::new(File::Grf(nr), ty)
    }

    /// The scalar at byte `byte` of the register file.
    #[must_use]
    pub fn grf_scalar(byte: u32, ty: Type) -> Operand {
        let mut op = Operand::grf((byte / REG_SIZE) as u8, ty).scalar();
        op.offset = byte % REG_SIZE;
        op
    }

    /// An architecture register.
    #[must_use]
    pub fn arf(arf: Arf, ty: Type) -> Operand {
        Operand::new(File::Arf(arf), ty)
    }

    /// Immediate with the given bit pattern.
    #[must_use]
    pub fn imm(bits: u64, ty: Type) -> Operand {
        Operand::new(File::Imm(bits), ty).scalar()
    }

    /// Unsigned 32-bit immediate.
    #[must_use]
    pub fn ud(value: u32) -> Operand {
        Operand::imm(u64::from(value), Type::UD)
    }

    /// Signed 32-bit immediate.
    #[must_use]
    pub fn d(value: i32) -> Operand {
        Operand::imm(u64::from(value as u32), Type::D)
    }

    /// Unsigned 16-bit immediate.
    #[must_use]
    pub fn uw(value: u16) -> Operand {
        Operand::imm(u64::from(value), Type::UW)
    }

    /// Float immediate.
    #[must_use]
    pub fn f(value: f32) -> Operand {
        Operand::imm(u64::from(value.to_bits()), Type::F)
    }

    /// Double immediate.
    #[must_use]
    pub fn df(value: f64) -> Operand {
        Operand::imm(value.to_bits(), Type::DF)
    }

    /// The same operand read as a scalar: its first element for every channel.
    #[must_use]
    pub fn scalar(mut self) -> Operand {
        self.region = Region::Stride(0);
        self
    }

    /// The same operand with another stride.
    #[must_use]
    pub fn strided(mut self, stride: u8) -> Operand {
        self.region = Region::Stride(stride);
        self
    }

    /// The same operand with an exact region.
    #[must_use]
    pub fn with_region(mut self, vstride: u8, width: u8, hstride: u8) -> Operand {
        self.region = Region::Exact { vstride, width, hstride };
        self
    }

    /// The same bits as type `ty`; the region is kept (it counts in elements of the new type).
    #[must_use]
    pub fn retype(mut self, ty: Type) -> Operand {
        self.ty = ty;
        self
    }

    /// The operand `bytes` further on.
    #[must_use]
    pub fn byte_offset(mut self, bytes: u32) -> Operand {
        self.offset += bytes;
        if let File::Grf(nr) = self.file {
            self.file = File::Grf(nr + (self.offset / REG_SIZE) as u8);
            self.offset %= REG_SIZE;
        }
        self
    }

    /// Element part `index` of type `ty` inside each element: the low dwords of doubles are
    /// `subscript(Type::UD, 0)`.
    #[must_use]
    pub fn subscript(self, ty: Type, index: u32) -> Operand {
        let ratio = (self.ty.size() / ty.size()).max(1);
        if let File::Imm(bits) = self.file {
            let shift = index * ty.size() * 8;
            let mask = if ty.size() == 8 { u64::MAX } else { (1 << (ty.size() * 8)) - 1 };
            return Operand::imm(bits.checked_shr(shift).unwrap_or(0) & mask, ty);
        }
        let mut op = self.byte_offset(index * ty.size());
        op.region = match op.region {
            Region::Stride(s) => Region::Stride(s * ratio as u8),
            Region::Exact { vstride, width, hstride } => Region::Exact {
                vstride: vstride * ratio as u8,
                width,
                hstride: hstride * ratio as u8,
            },
        };
        op.ty = ty;
        op
    }

    /// Negated (immediates stay modified operands: fold them with [`Operand::fold_modifiers`]).
    #[must_use]
    #[allow(
        clippy::should_implement_trait,
        reason = "a source modifier among its like, not arithmetic"
    )]
    pub fn neg(mut self) -> Operand {
        self.negate = !self.negate;
        self
    }

    /// Absolute value.
    #[must_use]
    pub fn absolute(mut self) -> Operand {
        self.abs = true;
        self.negate = false;
        self
    }

    /// With the given component selection (Align16).
    #[must_use]
    pub fn swizzled(mut self, swizzle: Swizzle) -> Operand {
        self.swizzle = self.swizzle.then(swizzle);
        self
    }

    /// With the given components written (Align16).
    #[must_use]
    pub fn masked(mut self, writemask: u8) -> Operand {
        self.writemask = writemask;
        self
    }

    /// Without negate and abs.
    #[must_use]
    pub fn unmodified(mut self) -> Operand {
        self.negate = false;
        self.abs = false;
        self
    }

    /// Has a source modifier.
    #[must_use]
    pub fn is_modified(&self) -> bool {
        self.negate || self.abs
    }

    /// Is an immediate.
    #[must_use]
    pub fn is_imm(&self) -> bool {
        matches!(self.file, File::Imm(_))
    }

    /// The immediate's bits.
    #[must_use]
    pub fn imm_bits(&self) -> Option<u64> {
        match self.file {
            File::Imm(bits) => Some(bits),
            _ => None,
        }
    }

    /// Is the null register.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.file == File::Null
    }

    /// Is absent.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.file == File::None
    }

    /// The virtual register, if it is one.
    #[must_use]
    pub fn vreg(&self) -> Option<VReg> {
        match self.file {
            File::Vgrf(v) => Some(v),
            _ => None,
        }
    }

    /// Is a general register, virtual or fixed.
    #[must_use]
    pub fn is_reg(&self) -> bool {
        matches!(self.file, File::Vgrf(_) | File::Grf(_))
    }

    /// Every channel reads the same element.
    #[must_use]
    pub fn is_scalar(&self) -> bool {
        match self.region {
            Region::Stride(s) => s == 0,
            Region::Exact { vstride, hstride, width } => {
                vstride == 0 && (hstride == 0 || width == 1)
            }
        }
    }

    /// Stride in elements when the elements are evenly spaced.
    #[must_use]
    pub fn stride(&self) -> Option<u8> {
        match self.region {
            Region::Stride(s) => Some(s),
            Region::Exact { vstride, width: 1, .. } => Some(vstride),
            Region::Exact { vstride, width, hstride } if vstride == width * hstride => {
                Some(hstride)
            }
            Region::Exact { .. } => None,
        }
    }

    /// Element that channel `channel` reads, counted from the operand's offset.
    #[must_use]
    pub fn element(&self, channel: u32) -> u32 {
        match self.region {
            Region::Stride(s) => channel * u32::from(s),
            Region::Exact { vstride, width, hstride } => {
                let width = u32::from(width.max(1));
                channel / width * u32::from(vstride) + channel % width * u32::from(hstride)
            }
        }
    }

    /// Bytes from the operand's offset to the end of the last element of `exec_size` channels
    /// (Align1).
    #[must_use]
    pub fn extent(&self, exec_size: u32) -> u32 {
        let last = exec_size.max(1) - 1;
        if let Region::Stride(stride) = self.region {
            return (last * u32::from(stride) + 1) * self.ty.size();
        }
        // A row's last element may lie after the last row's, if that is shorter.
        let row_end = match self.region {
            Region::Exact { width, .. } => {
                (last + 1) / u32::from(width.max(1)) * u32::from(width.max(1))
            }
            Region::Stride(_) => 0,
        };
        let end = self.element(last).max(self.element(row_end.saturating_sub(1)));
        end * self.ty.size() + self.ty.size()
    }

    /// The part of the operand that channels from `channel` on use.
    #[must_use]
    pub fn channel_offset(self, channel: u32) -> Operand {
        if self.is_reg() { self.byte_offset(self.element(channel) * self.ty.size()) } else { self }
    }

    /// Absolute byte address of a fixed register operand.
    #[must_use]
    pub fn grf_byte(&self) -> Option<u32> {
        match self.file {
            File::Grf(nr) => Some(u32::from(nr) * REG_SIZE + self.offset),
            _ => None,
        }
    }

    /// An immediate with its modifiers applied to the bits; other operands unchanged.
    #[must_use]
    pub fn fold_modifiers(mut self) -> Operand {
        let File::Imm(bits) = self.file else { return self };
        let size = self.ty.size() * 8;
        let mask = if size == 64 { u64::MAX } else { (1u64 << size) - 1 };
        let sign = 1u64 << (size - 1);
        let mut value = bits & mask;
        match self.ty {
            Type::HF | Type::F | Type::DF => {
                if self.abs {
                    value &= !sign;
                }
                if self.negate {
                    value ^= sign;
                }
            }
            Type::V | Type::UV | Type::VF => return self,
            _ => {
                if self.abs && value & sign != 0 {
                    value = value.wrapping_neg() & mask;
                }
                if self.negate {
                    value = value.wrapping_neg() & mask;
                }
            }
        }
        self.file = File::Imm(value);
        self.unmodified()
    }
}
