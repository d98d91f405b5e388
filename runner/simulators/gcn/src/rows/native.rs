//! Instructions on rows as the translator takes them.

use amd_isa::{Kind, Opcode};
use native::{LaneOperation, LanePlace, LaneSource, LaneType, VectorStep};

use super::call::{Operands, Place, RowSource};
use super::plan::{Effect, Input, Plan};
use crate::arithmetic::comparison::{Comparison, Type};
use crate::class::Class;

/// The operation of an opcode, and the order in which it takes the sources.
fn operation(opcode: Opcode) -> Option<(LaneOperation, [usize; 3])> {
    use LaneOperation::*;
    use Opcode::*;
    let operation = match opcode {
        VAddF32 => Add,
        VSubF32 | VSubrevF32 => Subtract,
        VMulF32 => Multiply,
        VMulLegacyF32 => MultiplyLegacy,
        VMacF32 | VMadF32 | VMadakF32 | VMadmkF32 => MultiplyAdd,
        VMacLegacyF32 | VMadLegacyF32 => MultiplyAddLegacy,
        VFmaF32 => Fuse,
        VMinF32 => Minimum,
        VMaxF32 => Maximum,
        VMinLegacyF32 => MinimumLegacy,
        VMaxLegacyF32 => MaximumLegacy,
        VMin3F32 => Minimum3,
        VMax3F32 => Maximum3,
        VMed3F32 => Median,
        VFractF32 => Fraction,
        VTruncF32 => Truncate,
        VCeilF32 => RoundUp,
        VFloorF32 => RoundDown,
        VRndneF32 => RoundEven,
        VRcpF32 | VRcpIflagF32 => Inverse,
        VSqrtF32 => SquareRoot,
        VRsqF32 => InverseRoot,
        VCvtI32F32 => ToSigned,
        VCvtU32F32 => ToUnsigned,
        VCvtFlrI32F32 => FloorToSigned,
        VCvtF32I32 => FromSigned,
        VCvtF32U32 => FromUnsigned,
        VCvtF32Ubyte0 => FromByte(0),
        VCvtF32Ubyte1 => FromByte(1),
        VCvtF32Ubyte2 => FromByte(2),
        VCvtF32Ubyte3 => FromByte(3),
        VCvtF64F32 => ToDouble,
        VCvtF64I32 => DoubleFromSigned,
        VCvtF64U32 => DoubleFromUnsigned,
        VCvtF32F64 => FromDouble,
        VMovB32 => Move,
        VCndmaskB32 => Pick,
        VNotB32 => Not,
        VAndB32 => And,
        VOrB32 => Or,
        VXorB32 => Xor,
        VLshlB32 | VLshlrevB32 => ShiftLeft,
        VLshrB32 | VLshrrevB32 => ShiftRight,
        VAshrI32 | VAshrrevI32 => ShiftRightSigned,
        VMinI32 => MinimumSigned,
        VMaxI32 => MaximumSigned,
        VMinU32 => MinimumUnsigned,
        VMaxU32 => MaximumUnsigned,
        VMulLoU32 | VMulLoI32 => MultiplyLow,
        VMulHiU32 => MultiplyHigh,
        VMulHiI32 => MultiplyHighSigned,
        VMulU32U24 => Multiply24,
        VMulI32I24 => MultiplySigned24,
        VMadU32U24 => MultiplyAdd24,
        VMadI32I24 => MultiplyAddSigned24,
        VBfiB32 => BitInsert,
        VBfeU32 => BitField,
        VBfeI32 => BitFieldSigned,
        VAlignbitB32 => AlignBits,
        VAddI32 | VAddU32 | VAddcU32 => AddCarry,
        VSubI32 | VSubU32 | VSubbU32 | VSubrevI32 | VSubrevU32 | VSubbrevU32 => SubtractBorrow,
        VAddF64 => AddDouble,
        VMulF64 => MultiplyDouble,
        VFmaF64 => FuseDouble,
        VMinF64 => MinimumDouble,
        VMaxF64 => MaximumDouble,
        VTruncF64 => TruncateDouble,
        VCeilF64 => RoundUpDouble,
        VFloorF64 => RoundDownDouble,
        VRndneF64 => RoundEvenDouble,
        VRcpF64 => InverseDouble,
        VSqrtF64 => SquareRootDouble,
        VRsqF64 => InverseRootDouble,
        _ => return None,
    };
    let is_reversed = matches!(
        opcode,
        VSubrevF32
            | VLshlrevB32
            | VLshrrevB32
            | VAshrrevI32
            | VSubrevI32
            | VSubrevU32
            | VSubbrevU32
    );
    Some((operation, if is_reversed { [1, 0, 2] } else { [0, 1, 2] }))
}

/// The operation of a comparison.
fn comparison(comparison: Comparison) -> Option<LaneOperation> {
    let ty = match comparison.ty {
        Type::F32 => LaneType::Single,
        Type::F64 => LaneType::Double,
        Type::I32 => LaneType::Signed,
        Type::U32 => LaneType::Unsigned,
        _ => return None,
    };
    Some(LaneOperation::Compare(ty, comparison.condition.native()?))
}

fn source(source: &RowSource, input: Input) -> Option<LaneSource> {
    let place = match (source.place, input) {
        (Place::Absent, _) => return Some(LaneSource::NONE),
        (Place::Register(number), _) => LanePlace::Register(number),
        (Place::Same, Input::Constant(value)) => LanePlace::Constant(value),
        (Place::Same, Input::Scalar(code) | Input::Pair(code)) => LanePlace::Scalar(code),
        (Place::Mask, Input::Pair(code)) => LanePlace::Mask(code),
        (Place::Mask, _) => return None,
    };
    Some(LaneSource { place, wide: source.wide, keep: source.keep, flip: source.flip })
}

/// Bits of the factor of a result, if it has one, and whether it is limited to 0 to 1; `None` if
/// there is no translation.
fn output(operands: &Operands) -> Option<(Option<u32>, bool)> {
    let Some(modifiers) = operands.output else { return Some((None, false)) };
    let factor = [None, Some(2.0_f32), Some(4.0), Some(0.5)][usize::from(modifiers.omod & 3)];
    let is_single = operands.kind == Kind::F32;
    is_single.then_some((factor.map(f32::to_bits), modifiers.clamp))
}

impl Plan {
    /// The instruction as the translator takes it; `None` if it has no translation.
    pub(crate) fn native(&self, class: Class) -> Option<VectorStep> {
        let operands = &self.operands;
        let (operation, order) = match class {
            Class::Compare(Some(own)) => (comparison(own)?, [0, 1, 2]),
            _ => operation(operands.opcode)?,
        };
        let mut sources = [LaneSource::NONE; 3];
        for (to, index) in sources.iter_mut().zip(order) {
            *to = source(&operands.sources[index], self.inputs[index])?;
        }
        let (factor, clamp) = output(operands)?;
        let (mask, sets_exec) = match self.effect {
            Effect::Rows => (None, false),
            Effect::Mask { register, sets_exec } => (Some(register), sets_exec),
        };
        let destination = operands.destination;
        Some(VectorStep { operation, sources, destination, mask, sets_exec, factor, clamp })
    }
}
