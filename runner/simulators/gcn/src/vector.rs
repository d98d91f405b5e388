//! The vector ALU.

use amd_isa::{Kind, Opcode, Scalar};

use crate::arithmetic::float::{FloatMode, INITIAL_MODE};
use crate::arithmetic::operations::{family, output};
use crate::arithmetic::{integer, nan};
use crate::class::Class;
use crate::error::Reason;
use crate::quirks::Quirks;
use crate::register::LANES;
use crate::rows::{Effect, Input, Plan};
use crate::run::Step;
use crate::state::Wave;

/// Bits of MODE that results depend on.
const MODE_BITS: u32 = 0x1f0;

impl Wave {
    /// True if the wave is in the mode that plans are made for.
    #[inline]
    pub(crate) fn takes_plans(&self) -> bool {
        (self.mode ^ INITIAL_MODE) & MODE_BITS == 0
    }

    /// Executes an instruction on rows.
    #[inline]
    pub(crate) fn rows(&mut self, plan: &Plan, quirks: &Quirks) {
        let scalars = plan.inputs.map(|input| match input {
            Input::Constant(value) => value,
            Input::Scalar(code) => u64::from(self.scalar[usize::from(code & 127)]),
            Input::Pair(code) => self.pair(Scalar(code)),
        });
        let mask = plan.run(scalars, self.exec(), quirks, &mut self.vector);
        if let Effect::Mask { register, sets_exec } = plan.effect {
            self.write_scalar(register, mask as u32);
            self.write_scalar((register + 1) & 127, (mask >> 32) as u32);
            if sets_exec {
                self.set_pair(Scalar::EXEC, mask);
            }
        }
    }
}

impl Step<'_> {
    /// Executes an operation of VOP1, VOP2, VOP3, VOPC or VINTRP.
    pub(crate) fn vector_alu(&mut self) -> Result<(), Reason> {
        match self.facts.class {
            Class::Compare(comparison) => self.vector_compare(comparison),
            Class::Lanes => self.lane_operation(),
            Class::Division => self.division(),
            Class::Carry => {
                self.carry_operation();
                Ok(())
            }
            Class::WideProduct => {
                self.wide_product();
                Ok(())
            }
            _ => self.each_lane(),
        }
    }

    /// Executes an operation that computes each lane alone.
    fn each_lane(&mut self) -> Result<(), Reason> {
        let mode = FloatMode::of(self.wave.mode);
        let exec = self.written_lanes();
        let opcode = self.opcode();
        // Another lane can be a source: all are read before one is written.
        let mut results = [0; LANES];
        let quirks = self.quirks;
        let family = family(opcode, mode, &quirks).ok_or_else(|| self.not_modeled())?;
        let clamps = self.instruction.modifiers.clamp;
        let saturated = |sources| if clamps { integer::saturated(opcode, sources) } else { None };
        for lane in (0..LANES).filter(|lane| exec >> lane & 1 != 0) {
            let mut sources = [0; 3];
            for (source, index) in sources.iter_mut().zip(1..self.row.slots.len()) {
                *source = match self.slot(index).kind {
                    Kind::Mask => self.scalar_value(index) >> lane & 1,
                    _ => self.signed_value(index, lane),
                };
            }
            if matches!(opcode, Opcode::VMacF32 | Opcode::VMacLegacyF32 | Opcode::VMacF16) {
                sources[2] = self.lane_value(0, lane);
            }
            let result = saturated(sources).or_else(|| family(opcode, sources, mode, &quirks));
            let result = result.ok_or_else(|| self.not_modeled())?;
            let result = nan::settled(opcode, sources, mode, result);
            results[lane] = self.output(result, mode);
        }
        self.write_lanes(exec, &results);
        Ok(())
    }

    /// Executes a sum or difference with carry.
    fn carry_operation(&mut self) {
        let opcode = self.opcode();
        let exec = self.written_lanes();
        let carry_in = self.row.slots.len() > 4;
        let incoming = if carry_in { self.scalar_value(4) } else { 0 };
        let mut outgoing = 0_u64;
        let mut results = [0; LANES];
        for lane in (0..LANES).filter(|lane| exec >> lane & 1 != 0) {
            let (x, y) = (self.lane_value(2, lane) as u32, self.lane_value(3, lane) as u32);
            let sum = integer::carry(opcode, x, y, incoming >> lane & 1 != 0);
            let (mut sum, carry) = sum.unwrap_or_default();
            if carry && self.instruction.modifiers.clamp {
                sum = integer::limit(opcode);
            }
            outgoing |= u64::from(carry) << lane;
            results[lane] = u64::from(sum);
        }
        self.write_lanes(exec, &results);
        self.write_scalar(1, outgoing);
    }

    /// Executes a product of 64 bits with a sum.
    fn wide_product(&mut self) {
        let opcode = self.opcode();
        let exec = self.written_lanes();
        let mut outgoing = 0_u64;
        let mut results = [0; LANES];
        for lane in (0..LANES).filter(|lane| exec >> lane & 1 != 0) {
            let (x, y) = (self.lane_value(2, lane) as u32, self.lane_value(3, lane) as u32);
            let (result, carry) = integer::wide_product(opcode, x, y, self.lane_value(4, lane));
            outgoing |= u64::from(carry) << lane;
            results[lane] = result;
        }
        self.write_lanes(exec, &results);
        self.write_scalar(1, outgoing);
    }

    fn write_lanes(&mut self, lanes: u64, results: &[u64; LANES]) {
        for lane in (0..LANES).filter(|lane| lanes >> lane & 1 != 0) {
            self.write_lane(0, lane, results[lane]);
        }
    }

    /// Applies output modifier and clamp.
    fn output(&self, result: u64, mode: FloatMode) -> u64 {
        let modifiers = &self.instruction.modifiers;
        let kind = self.slot(0).kind;
        if !modifiers.clamp && modifiers.omod == 0 || !kind.is_float() {
            return result;
        }
        output(kind, modifiers, result, mode)
    }
}
