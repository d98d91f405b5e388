//! Dispatch of ALU operations.

mod bits;
mod booleans;
mod compare;
mod convert;
mod cube;
mod derivative;
mod division;
mod double;
mod float;
mod integer;
mod scalar;

use crate::homes::Home;
use crate::select::{Held, Selection, Step};
use ir::{Alu, AluOp, CompileError, Value};

impl Selection<'_> {
    pub(crate) fn alu(&mut self, alu: &Alu, result: Value) -> Step {
        use AluOp::*;
        self.check_widths(alu, result)?;
        if matches!(alu.op, Mov | Vec2 | Vec3 | Vec4) {
            return self.alias(alu, result);
        }
        if self.shader.components(result) != 1 {
            return Err(CompileError::internal(format!("{} on a vector", alu.op.name())));
        }
        if self.shader.bits(result) == 1 {
            return self.boolean(alu, result);
        }
        match alu.op {
            Bcsel => return self.choose(alu, result),
            Pack64 => return self.pack64(alu, result),
            Unpack64X | Unpack64Y => return self.unpack64(alu, result),
            _ => {}
        }
        if self.homes[result] == Home::Scalar {
            return self.scalar_alu(alu, result);
        }
        let source_bits = alu.srcs.first().map_or(0, |src| self.shader.bits(src.value));
        let is_conversion = self.convert(alu, result)?;
        if is_conversion {
            Ok(())
        } else if source_bits == 64 {
            self.double(alu, result)
        } else if alu.op.info().is_derivative() {
            self.derivative(alu, result)
        } else if self.float(alu, result)?
            || self.integer(alu, result)?
            || self.bits(alu, result)?
        {
            Ok(())
        } else {
            self.unsupported(alu.op.name())
        }
    }

    /// Values of 8 and 16 bits are the low bits of dwords, whose other bits mean nothing. They are
    /// moved and converted; earlier passes compute in 32 bits.
    fn check_widths(&self, alu: &Alu, result: Value) -> Step {
        use AluOp::*;
        let small = |value: Value| matches!(self.shader.bits(value), 8 | 16);
        let takes_small = matches!(
            alu.op,
            Mov | Vec2
                | Vec3
                | Vec4
                | Bcsel
                | B2i8
                | B2i16
                | I2i8
                | I2i16
                | I2i32
                | U2u8
                | U2u16
                | U2u32
                | F2f16
                | F2f16Rtne
                | F2f32
        );
        if takes_small {
            return Ok(());
        }
        if small(result) || alu.srcs.iter().any(|src| small(src.value)) {
            return self.unsupported(&format!("{} with less than 32 bits", alu.op.name()));
        }
        Ok(())
    }

    /// Copies need no instruction: values are not written again.
    fn alias(&mut self, alu: &Alu, result: Value) -> Step {
        let bits = self.shader.bits(result);
        let mut held = Held::new();
        let components = self.shader.components(result);
        for index in 0..components {
            let (value, component) = if alu.op == AluOp::Mov {
                (alu.srcs[0].value, alu.srcs[0].swizzle[usize::from(index)])
            } else {
                Selection::component(alu, usize::from(index))
            };
            held.push(match bits {
                1 => self.mask_of(value, component)?,
                64 => self.wide_part(value, component)?,
                _ => self.dword(value, component)?,
            });
        }
        if bits == 1 && self.homes[result] == Home::VectorBool {
            return self.set_masks(result, held);
        }
        self.set(result, held);
        Ok(())
    }

    /// A component of 64 bits in registers, constants too.
    fn wide_part(&mut self, value: Value, component: u8) -> Step<crate::machine::Arg> {
        let Some(data) = self.shader.as_const(value) else { return self.held(value, component) };
        Ok(self.e.wide_literal(data[usize::from(component & 3)]).into())
    }

    fn pack64(&mut self, alu: &Alu, result: Value) -> Step {
        let (low, high) = (self.source(alu, 0)?, self.source(alu, 1)?);
        let to = self.result(result);
        self.e.copy(to, low);
        self.e.copy(to.at(1), high);
        Ok(())
    }

    fn unpack64(&mut self, alu: &Alu, result: Value) -> Step {
        let (value, component) = Selection::component(alu, 0);
        let (low, high) = self.halves(value, component)?;
        let half = if alu.op == AluOp::Unpack64X { low } else { high };
        self.set(result, Held::from_slice(&[half]));
        Ok(())
    }
}
