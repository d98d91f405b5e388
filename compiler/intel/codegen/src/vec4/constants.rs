//! Vector constants: immediates, packed floats, registers.

use super::target::Vec4Selection;
use crate::isel::values::register_bits;
use crate::lir::{Operand, Swizzle, Type};
use crate::restricted_float::packed_floats;

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
