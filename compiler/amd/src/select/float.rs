//! Arithmetic of singles.

use super::{Selection, SignedArg, Step};
use crate::machine::{Arg, Part, ZERO, bits};
use gcn::{Modifiers, Opcode};
use ir::{Alu, AluOp, Value};

/// 1/(2π): sine and cosine count turns.
const TURNS_PER_RADIAN: f32 = 0.159_154_94;
/// 2^127: a normal single times this is above 1.
const HUGE: u32 = 0x7f00_0000;
/// All bits but the sign.
pub(super) const MAGNITUDE: u32 = 0x7fff_ffff;
/// The sign.
pub(super) const SIGN: u32 = 0x8000_0000;

/// Clamps the result to 0 to 1.
pub(super) fn clamp() -> Modifiers {
    Modifiers { clamp: true, ..Modifiers::default() }
}

impl Selection<'_> {
    /// An operation on singles; false if it is none.
    pub(crate) fn float(&mut self, alu: &Alu, result: Value) -> Step<bool> {
        if let Some(opcode) = simple(alu.op) {
            let mut sources = Vec::new();
            for index in 0..alu.srcs.len() {
                sources.push(self.float_source(alu, index)?);
            }
            let to = self.result(result);
            self.e.valu(opcode, &[to.into()], &sources);
            return Ok(true);
        }
        self.composed(alu, result)
    }

    /// A source of an operation on singles, with the signs of the operations that make it.
    pub(crate) fn float_source(&mut self, alu: &Alu, index: usize) -> Step<SignedArg> {
        let (mut value, mut component) = Selection::component(alu, index);
        let (mut neg, mut abs) = (false, false);
        // Signs are bit operations; the operation flushes denormals as it would without them.
        while let Some(sign) = self.maker(value) {
            match sign.op {
                AluOp::Fneg => neg ^= !abs,
                AluOp::Fabs => abs = true,
                _ => break,
            }
            (value, component) = Selection::component(sign, 0);
        }
        let bits = self.shader.bits(value);
        let arg =
            if bits == 64 { self.wide(value, component)? } else { self.dword(value, component)? };
        Ok(SignedArg { arg, neg, abs })
    }

    fn composed(&mut self, alu: &Alu, result: Value) -> Step<bool> {
        use AluOp::*;
        match alu.op {
            Fneg | Fabs => {
                let x = self.source(alu, 0)?;
                let (opcode, mask) = match alu.op {
                    Fneg => (Opcode::VXorB32, SIGN),
                    _ => (Opcode::VAndB32, MAGNITUDE),
                };
                let to = self.result(result);
                let mask = bits(self.chip(), mask);
                self.e.valu(opcode, &[to.into()], &[mask.into(), x.into()]);
            }
            Fsat => {
                let x = self.float_source(alu, 0)?;
                let to = self.result(result);
                self.e.valu_with(Opcode::VMaxF32, &[to.into()], &[x, x], clamp());
            }
            Fsign => self.sign(alu, result)?,
            Fdiv => {
                let (a, b) = (self.float_source(alu, 0)?, self.float_source(alu, 1)?);
                let reciprocal = self.e.valu1(Opcode::VRcpF32, &[b]);
                let to = self.result(result);
                self.e.valu(Opcode::VMulF32, &[to.into()], &[a, reciprocal.into()]);
            }
            Ffract => {
                let x = self.float_source(alu, 0)?;
                let whole = self.e.valu1(Opcode::VFloorF32, &[x]);
                let to = self.result(result);
                self.e.valu(Opcode::VSubF32, &[to.into()], &[x, whole.into()]);
            }
            Fsin | Fcos => {
                let x = self.float_source(alu, 0)?;
                let factor = bits(self.chip(), TURNS_PER_RADIAN.to_bits());
                let turns = self.e.valu1(Opcode::VMulF32, &[factor.into(), x]);
                let turn = self.e.valu1(Opcode::VFractF32, &[turns.into()]);
                let opcode = if alu.op == Fsin { Opcode::VSinF32 } else { Opcode::VCosF32 };
                let to = self.result(result);
                self.e.valu(opcode, &[to.into()], &[turn.into()]);
            }
            Fpow => {
                let (a, b) = (self.float_source(alu, 0)?, self.float_source(alu, 1)?);
                let log = self.e.valu1(Opcode::VLogF32, &[a]);
                // 0 times infinity is 0 here: a^0 is 1 for every a.
                let product = self.e.valu1(Opcode::VMulLegacyF32, &[b, log.into()]);
                let to = self.result(result);
                self.e.valu(Opcode::VExpF32, &[to.into()], &[product.into()]);
            }
            Flrp => {
                let [a, b, t] = [
                    self.float_source(alu, 0)?,
                    self.float_source(alu, 1)?,
                    self.float_source(alu, 2)?,
                ];
                let one = Arg::Fixed(gcn::Operand::Float(gcn::InlineFloat::One));
                let rest = self.e.valu1(Opcode::VSubF32, &[one.into(), t]);
                let left = self.e.valu1(Opcode::VMulF32, &[a, rest.into()]);
                let to = self.result(result);
                self.e.valu(Opcode::VMadF32, &[to.into()], &[b, t, left.into()]);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The magnitude times 2^127, clamped, is 1 for all but zeros, denormals and NaN; the sign is
    /// that of the operand.
    fn sign(&mut self, alu: &Alu, result: Value) -> Step {
        let x = self.source(alu, 0)?;
        let size = self.e.vector();
        let huge = bits(self.chip(), HUGE);
        let magnitude = SignedArg::from(x).magnitude();
        self.e.valu_with(Opcode::VMulF32, &[size.into()], &[huge.into(), magnitude], clamp());
        let signed = self.copy_sign(size, x);
        // A NaN has no sign.
        let number = self.e.compare(Opcode::VCmpOF32, x, x);
        let to = self.result(result);
        self.e.select(to, number.into(), signed, ZERO);
        Ok(())
    }

    /// The magnitude of the first with the sign of the second.
    fn copy_sign(&mut self, size: Part, sign: Arg) -> Part {
        let mask = bits(self.chip(), MAGNITUDE);
        self.e.valu1(Opcode::VBfiB32, &[mask.into(), size.into(), sign.into()])
    }
}

/// Operations that are one instruction.
fn simple(op: AluOp) -> Option<Opcode> {
    use AluOp::*;
    Some(match op {
        Fadd => Opcode::VAddF32,
        Fsub => Opcode::VSubF32,
        Fmul => Opcode::VMulF32,
        Ffma => Opcode::VFmaF32,
        Fmin => Opcode::VMinF32,
        Fmax => Opcode::VMaxF32,
        Frcp => Opcode::VRcpF32,
        Frsq => Opcode::VRsqF32,
        Fsqrt => Opcode::VSqrtF32,
        Fexp2 => Opcode::VExpF32,
        Flog2 => Opcode::VLogF32,
        Ffloor => Opcode::VFloorF32,
        Fceil => Opcode::VCeilF32,
        Ftrunc => Opcode::VTruncF32,
        FroundEven => Opcode::VRndneF32,
        _ => return None,
    })
}
