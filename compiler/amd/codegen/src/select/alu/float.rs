//! Arithmetic of singles.

use crate::machine::{Arg, Part, ZERO, bits};
use crate::select::{Selection, SignedArg, Step};
use amd_isa::{Modifiers, Opcode};
use ir::{Alu, AluOp, Value};
use smallvec::SmallVec;

/// 1/(2π): sine and cosine count turns.
const TURNS_PER_RADIAN: f32 = 0.159_154_94;
/// 2^127: a normal single times this is above 1.
const HUGE: u32 = 0x7f00_0000;
/// All bits but the sign.
pub(in crate::select) const MAGNITUDE: u32 = 0x7fff_ffff;
/// The sign.
pub(in crate::select) const SIGN: u32 = 0x8000_0000;

/// Clamps the result to 0 to 1.
pub(in crate::select) fn clamp() -> Modifiers {
    Modifiers { clamp: true, ..Modifiers::default() }
}

impl Selection<'_> {
    /// An operation on singles; false if it is none.
    pub(crate) fn float(&mut self, alu: &Alu, result: Value) -> Step<bool> {
        if self.one_instruction(alu, result, Modifiers::default())? {
            return Ok(true);
        }
        self.composed(alu, result)
    }

    /// Operations that are one instruction, with modifiers of its result; false for others.
    fn one_instruction(&mut self, alu: &Alu, result: Value, modifiers: Modifiers) -> Step<bool> {
        let nested = if modifiers == Modifiers::default() { self.float_nested(alu)? } else { None };
        let (opcode, sources) = if let Some(product) = self.multiply_add(alu)? {
            product
        } else if let Some(nested) = nested {
            nested
        } else if let Some(opcode) = simple(alu.op) {
            let mut sources: SmallVec<[SignedArg; 3]> = SmallVec::new();
            for index in 0..alu.srcs.len() {
                sources.push(self.float_source(alu, index)?);
            }
            (opcode, sources)
        } else {
            return Ok(false);
        };
        let to = self.result(result);
        self.e.valu_with(opcode, &[to.into()], &sources, modifiers);
        Ok(true)
    }

    /// A sum with a product that nothing else uses. The product is rounded, so that the result is
    /// that of two instructions.
    fn multiply_add(&mut self, alu: &Alu) -> Step<Option<(Opcode, SmallVec<[SignedArg; 3]>)>> {
        if !matches!(alu.op, AluOp::Fadd | AluOp::Fsub) {
            return Ok(None);
        }
        for index in [0, 1] {
            let (mut value, _) = Selection::component(alu, index);
            let mut negated = alu.op == AluOp::Fsub && index == 1;
            while let Some(sign) = self.maker(value).filter(|made| made.op == AluOp::Fneg) {
                if self.uses[value] > 1 {
                    break;
                }
                negated ^= true;
                (value, _) = Selection::component(sign, 0);
            }
            let product = self.maker(value).filter(|made| made.op == AluOp::Fmul);
            let Some(product) = product.filter(|_| self.uses[value] == 1) else { continue };
            let mut first = self.float_source(product, 0)?;
            let second = self.float_source(product, 1)?;
            let mut sum = self.float_source(alu, 1 - index)?;
            if negated {
                first = first.negated();
            }
            if alu.op == AluOp::Fsub && index == 0 {
                sum = sum.negated();
            }
            return Ok(Some((Opcode::VMadF32, SmallVec::from_slice(&[first, second, sum]))));
        }
        Ok(None)
    }

    /// A minimum or maximum of three values; the median of a value and two constants.
    fn float_nested(&mut self, alu: &Alu) -> Step<Option<(Opcode, SmallVec<[SignedArg; 3]>)>> {
        let (opcode, opposite) = match alu.op {
            AluOp::Fmin => (Opcode::VMin3F32, AluOp::Fmax),
            AluOp::Fmax => (Opcode::VMax3F32, AluOp::Fmin),
            _ => return Ok(None),
        };
        for index in [0, 1] {
            let (value, _) = Selection::component(alu, index);
            let (other, _) = Selection::component(alu, 1 - index);
            let inner = self.maker(value).filter(|_| self.uses[value] == 1);
            let Some(inner) = inner else { continue };
            if inner.op == alu.op {
                let sources = [
                    self.float_source(inner, 0)?,
                    self.float_source(inner, 1)?,
                    self.float_source(alu, 1 - index)?,
                ];
                return Ok(Some((opcode, SmallVec::from_slice(&sources))));
            }
            let bound = |value: Value| self.constant(value).map(f32::from_bits);
            let Some(outer) = bound(other).filter(|_| inner.op == opposite) else { continue };
            for at in [0, 1] {
                let (limit, _) = Selection::component(inner, at);
                let Some(limit) = bound(limit) else { continue };
                let chip = self.chip();
                let literal = |value: f32| {
                    matches!(bits(chip, value.to_bits()), Arg::Fixed(amd_isa::Operand::Literal(_)))
                };
                // The instruction has no place for literals.
                if literal(limit) && literal(outer) {
                    continue;
                }
                // The median of NaN is the lower constant, as is the minimum of the maximum; not so
                // the maximum of the minimum.
                if alu.op == AluOp::Fmin && limit <= outer {
                    let sources = [
                        self.float_source(inner, 1 - at)?,
                        self.float_source(inner, at)?,
                        self.float_source(alu, 1 - index)?,
                    ];
                    return Ok(Some((Opcode::VMed3F32, SmallVec::from_slice(&sources))));
                }
            }
        }
        Ok(None)
    }

    /// The sources of an operation of two sources whose operand is the same operation, which
    /// nothing else uses.
    pub(crate) fn nested(&mut self, alu: &Alu) -> Step<Option<[SignedArg; 3]>> {
        for index in [0, 1] {
            let (value, _) = Selection::component(alu, index);
            let inner = self.maker(value).filter(|made| made.op == alu.op);
            if let Some(inner) = inner.filter(|_| self.uses[value] == 1) {
                let sources =
                    [self.source(inner, 0)?, self.source(inner, 1)?, self.source(alu, 1 - index)?];
                return Ok(Some(sources.map(SignedArg::from)));
            }
        }
        Ok(None)
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
                let (value, _) = Selection::component(alu, 0);
                let made = self.maker(value).filter(|_| self.uses[value] == 1);
                if let Some(made) = made
                    && self.shader.bits(made.srcs[0].value) == 32
                    && self.one_instruction(made, result, clamp())?
                {
                    return Ok(true);
                }
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
                let one = Arg::Fixed(amd_isa::Operand::Float(amd_isa::InlineFloat::One));
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
