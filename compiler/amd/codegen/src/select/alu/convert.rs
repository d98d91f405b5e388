//! Conversions.

use crate::machine::{Arg, ZERO, int};
use crate::select::{Selection, SignedArg, Step};
use amd_isa::{InlineFloat, Opcode, Operand};
use ir::{Alu, AluOp, Value};

/// High dword of 1.0 as a double.
const DOUBLE_ONE: u32 = 0x3ff0_0000;

impl Selection<'_> {
    /// A conversion; false if it is none.
    pub(crate) fn convert(&mut self, alu: &Alu, result: Value) -> Step<bool> {
        use AluOp::*;
        let (from, to) = (self.shader.bits(alu.srcs[0].value), self.shader.bits(result));
        let from_wide = from == 64;
        let one = Arg::Fixed(Operand::Float(InlineFloat::One));
        let opcode = match alu.op {
            B2f32 => return self.boolean_to(alu, result, [one, ZERO]).map(|()| true),
            B2i8 | B2i16 | B2i32 => {
                return self.boolean_to(alu, result, [int(1), ZERO]).map(|()| true);
            }
            B2i64 => return self.boolean_to(alu, result, [int(1), ZERO]).map(|()| true),
            B2f64 => {
                let high = crate::machine::bits(self.chip(), DOUBLE_ONE);
                return self.boolean_to(alu, result, [ZERO, high]).map(|()| true);
            }
            I2i8 | I2i16 | I2i32 | U2u8 | U2u16 | U2u32 if is_wider(from, to) => {
                let opcode = match alu.op {
                    I2i8 | I2i16 | I2i32 => Opcode::VBfeI32,
                    _ => Opcode::VBfeU32,
                };
                let x = self.source(alu, 0)?;
                let to = self.result(result);
                self.e.valu(
                    opcode,
                    &[to.into()],
                    &[x.into(), ZERO.into(), int(from.into()).into()],
                );
                return Ok(true);
            }
            I2i64 | U2u64 if !from_wide => return self.widen(alu, result).map(|()| true),
            I2i8 | I2i16 | I2i32 | U2u8 | U2u16 | U2u32 => {
                let (value, component) = Selection::component(alu, 0);
                let (low, _) = if from_wide {
                    self.halves(value, component)?
                } else {
                    (self.source(alu, 0)?, ZERO)
                };
                self.set(result, crate::select::Held::from_slice(&[low]));
                return Ok(true);
            }
            PackHalf => return self.pack_half(alu, result).map(|()| true),
            UnpackHalfY => {
                let x = self.source(alu, 0)?;
                let high = self.e.valu1(Opcode::VLshrrevB32, &[int(16).into(), x.into()]);
                let to = self.result(result);
                self.e.valu(Opcode::VCvtF32F16, &[to.into()], &[high.into()]);
                return Ok(true);
            }
            UnpackHalfX => Opcode::VCvtF32F16,
            F2f32 if from_wide => Opcode::VCvtF32F64,
            F2f32 if from == 16 => Opcode::VCvtF32F16,
            F2f16 | F2f16Rtne if from == 32 => Opcode::VCvtF16F32,
            F2f64 if !from_wide => Opcode::VCvtF64F32,
            F2i32 if from_wide => Opcode::VCvtI32F64,
            F2u32 if from_wide => Opcode::VCvtU32F64,
            F2i32 => Opcode::VCvtI32F32,
            F2u32 => Opcode::VCvtU32F32,
            I2f32 if !from_wide => Opcode::VCvtF32I32,
            U2f32 if !from_wide => Opcode::VCvtF32U32,
            I2f64 if !from_wide => Opcode::VCvtF64I32,
            U2f64 if !from_wide => Opcode::VCvtF64U32,
            _ => return Ok(false),
        };
        let floats =
            matches!(alu.op, F2f16 | F2f16Rtne | F2f32 | F2f64 | F2i32 | F2u32) && from != 16;
        let source: SignedArg =
            if floats { self.float_source(alu, 0)? } else { self.source(alu, 0)?.into() };
        let to = self.result(result);
        self.e.valu(opcode, &[to.into()], &[source]);
        Ok(true)
    }

    fn widen(&mut self, alu: &Alu, result: Value) -> Step {
        let x = self.source(alu, 0)?;
        let to = self.result(result);
        self.e.copy(to, x);
        if alu.op == AluOp::U2u64 {
            self.e.copy(to.at(1), ZERO);
        } else {
            let sources = [int(31).into(), x.into()];
            self.e.valu(Opcode::VAshrrevI32, &[to.at(1).into()], &sources);
        }
        Ok(())
    }

    fn pack_half(&mut self, alu: &Alu, result: Value) -> Step {
        let (low, high) = (self.float_source(alu, 0)?, self.float_source(alu, 1)?);
        let low = self.e.valu1(Opcode::VCvtF16F32, &[low]);
        let high = self.e.valu1(Opcode::VCvtF16F32, &[high]);
        let high = self.e.valu1(Opcode::VLshlrevB32, &[int(16).into(), high.into()]);
        let to = self.result(result);
        self.e.valu(Opcode::VOrB32, &[to.into()], &[low.into(), high.into()]);
        Ok(())
    }
}

/// True for conversions to more bits from less than 32.
fn is_wider(from: u8, to: u8) -> bool {
    matches!(from, 8 | 16) && to > from
}
