//! Vector constants: immediates, packed floats, registers.

use super::target::Vec4Selection;
use crate::isel::values::register_bits;
use crate::lir::{Operand, Swizzle, Type};

impl Vec4Selection<'_> {
    /// Returns a constant vector: an immediate if all components are equal, else a register.
    pub(super) fn vector_constant(&mut self, bits: u8, values: [u64; 4], ty: Type) -> Operand {
        let values = values.map(|value| register_bits(bits, value));
        if bits == 64 {
            return self.fp64_constant(values).retype(ty);
        }
        if values.iter().all(|v| *v == values[0]) {
            return Operand::imm(values[0], ty);
        }
        if let Some(&register) = self.target.constants.get(&(4, values)) {
            return register.retype(ty);
        }
        let register = self.temp(Type::UD);
        self.load_constants(register, &values);
        self.target.constants.insert((4, values), register);
        register.retype(ty)
    }

    /// Moves 32-bit constants to the components of `dst` that its writemask enables: one move of
    /// packed floats if all have such a form, else one move per distinct value.
    pub(super) fn load_constants(&mut self, dst: Operand, values: &[u64; 4]) {
        let wanted = dst.writemask;
        let enabled = |c: usize| wanted >> c & 1 != 0;
        let distinct =
            (0..4).filter(|&c| enabled(c) && !(0..c).any(|d| enabled(d) && values[d] == values[c]));
        if distinct.clone().count() > 1
            && let Some(packed) = packed_floats(values, wanted)
        {
            self.mov(dst.retype(Type::F), Operand::imm(u64::from(packed), Type::VF));
            return;
        }
        for c in distinct.collect::<Vec<_>>() {
            let same =
                (c..4).filter(|&d| enabled(d) && values[d] == values[c]).fold(0, |m, d| m | 1 << d);
            self.mov(dst.retype(Type::UD).masked(same), Operand::imm(values[c], Type::UD));
        }
    }

    /// Returns 64-bit constants, packed into one register that both vertices read.
    pub(super) fn fp64_constant(&mut self, values: [u64; 4]) -> Operand {
        let mut distinct: Vec<u64> = Vec::new();
        let pick = values.map(|v| match distinct.iter().position(|d| *d == v) {
            Some(index) => index as u8,
            None => {
                distinct.push(v);
                (distinct.len() - 1) as u8
            }
        });
        let mut key = [0; 4];
        for (slot, value) in key.iter_mut().zip(&distinct) {
            *slot = *value;
        }
        let key = (8 + distinct.len() as u32, key);
        let register = match self.target.constants.get(&key) {
            Some(&register) => register,
            None => {
                let register = Operand::vgrf(self.program.vreg(1), Type::DF).scalar();
                for (index, value) in distinct.iter().enumerate() {
                    self.load_fp64_constant(register.byte_offset(8 * index as u32), *value);
                }
                self.target.constants.insert(key, register);
                register
            }
        };
        register.swizzled(Swizzle::new(pick))
    }
}

/// The four restricted 8-bit floats (sign, three exponent bits biased by 3, four mantissa bits)
/// that expand to those 32-bit floats of `values` that the mask `wanted` selects.
fn packed_floats(values: &[u64; 4], wanted: u8) -> Option<u32> {
    let mut packed = 0;
    for (c, value) in values.iter().enumerate() {
        if wanted >> c & 1 != 0 {
            packed |= u32::from(restricted_float(*value as u32)?) << (8 * c);
        }
    }
    Some(packed)
}

fn restricted_float(bits: u32) -> Option<u8> {
    let sign = (bits >> 24 & 0x80) as u8;
    if bits & 0x7fff_ffff == 0 {
        return Some(sign);
    }
    let exponent = (bits >> 23 & 0xff) as i32 - 127 + 3;
    let mantissa = bits & 0x7f_ffff;
    // Exponent field and mantissa both zero would be the number zero.
    if !(0..=7).contains(&exponent) || mantissa & 0x7_ffff != 0 || (exponent == 0 && mantissa == 0)
    {
        return None;
    }
    Some(sign | (exponent as u8) << 4 | (mantissa >> 19) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restricted_floats() {
        // Values of the PRM's restricted float format: 1.0 is exponent 3, mantissa 0.
        for (value, want) in [
            (0.0, Some(0x00)),
            (-0.0, Some(0x80)),
            (1.0, Some(0x30)),
            (-2.0, Some(0xc0)),
            (0.5, Some(0x20)),
            (31.0, Some(0x7f)),
            (32.0, None),
            (0.125, None),
            (0.1328125, Some(0x01)),
            (0.1, None),
        ] {
            assert_eq!(restricted_float(f32::to_bits(value)), want, "{value}");
        }
        let bits = |v: f32| u64::from(v.to_bits());
        assert_eq!(
            packed_floats(&[bits(1.0), bits(0.0), bits(0.1), bits(2.0)], 0b1011),
            Some(0x4000_0030)
        );
    }
}
