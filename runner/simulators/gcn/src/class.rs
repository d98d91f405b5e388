//! Classes of instructions that execute alike, found once when a program is decoded.

use amd_isa::{Format, Opcode, Property};

use crate::arithmetic::comparison::Comparison;
use crate::buffer_form::BufferForm;
use crate::image_form::ImageForm;

/// Class of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Program control.
    Control,
    /// Scalar: EXEC is saved and changed.
    SaveExec,
    /// Scalar: jumps, registers by index and MODE.
    ScalarSpecial,
    /// Scalar: SCC tells if two values compare.
    ScalarCompare(Comparison),
    /// Scalar: SCC tells the value of a bit.
    BitCompare,
    /// Scalar: a result of two sources.
    Scalar,
    /// Scalar memory.
    ScalarMemory,
    /// Vector: a bit per lane tells if two values compare; `None` for types that are not modeled.
    Compare(Option<Comparison>),
    /// Vector: operations that look at other lanes, at registers by index, or at attributes.
    Lanes,
    /// Vector: helpers of division.
    Division,
    /// Vector: sums and differences with carry.
    Carry,
    /// Vector: product of 64 bits with a sum.
    WideProduct,
    /// Vector: each lane computes its result from up to three sources.
    Each,
    /// Data share.
    Share,
    /// Buffers.
    Buffer(BufferForm),
    /// Exports.
    Export,
    /// Images.
    Image(ImageForm),
    /// Flat memory.
    Flat(BufferForm),
}

impl Class {
    /// The class of an operation in a format.
    pub(crate) fn of(format: Format, opcode: Opcode) -> Class {
        match format {
            Format::Sopp => Class::Control,
            Format::Sop1 | Format::Sop2 | Format::Sopc | Format::Sopk => scalar(opcode),
            Format::Smem => Class::ScalarMemory,
            Format::Vop1 | Format::Vop2 | Format::Vopc | Format::Vop3 | Format::Vintrp => {
                vector(opcode)
            }
            Format::Ds => Class::Share,
            Format::Mubuf | Format::Mtbuf => Class::Buffer(BufferForm::of(opcode)),
            Format::Exp => Class::Export,
            Format::Mimg => Class::Image(ImageForm::of(opcode)),
            Format::Flat => Class::Flat(BufferForm::of(opcode)),
        }
    }
}

fn scalar(opcode: Opcode) -> Class {
    use Opcode::*;
    match opcode {
        SGetpcB64 | SSetpcB64 | SSwappcB64 | SMovrelsB32 | SMovrelsB64 | SMovreldB32
        | SMovreldB64 | SGetregB32 | SSetregB32 | SSetregImm32B32 => Class::ScalarSpecial,
        SBitcmp0B32 | SBitcmp1B32 | SBitcmp0B64 | SBitcmp1B64 => Class::BitCompare,
        _ if opcode.has(Property::SavesExec) => Class::SaveExec,
        _ if opcode.mnemonic().starts_with("s_cmp") => {
            Comparison::of(opcode).map_or(Class::Scalar, Class::ScalarCompare)
        }
        _ => Class::Scalar,
    }
}

fn vector(opcode: Opcode) -> Class {
    use Opcode::*;
    match opcode {
        VNop | VClrexcp | VReadfirstlaneB32 | VReadlaneB32 | VWritelaneB32 | VMbcntLoU32B32
        | VMbcntHiU32B32 | VMovrelsB32 | VMovreldB32 | VMovrelsdB32 | VInterpP1F32
        | VInterpP2F32 | VInterpMovF32 => Class::Lanes,
        VDivScaleF32 | VDivFmasF32 | VDivFixupF32 | VDivScaleF64 | VDivFmasF64 | VDivFixupF64 => {
            Class::Division
        }
        VAddI32 | VAddU32 | VSubI32 | VSubU32 | VSubrevI32 | VSubrevU32 | VAddcU32 | VSubbU32
        | VSubbrevU32 => Class::Carry,
        VMadU64U32 | VMadI64I32 => Class::WideProduct,
        _ if opcode.mnemonic().starts_with("v_cmp") => Class::Compare(Comparison::of(opcode)),
        _ => Class::Each,
    }
}
