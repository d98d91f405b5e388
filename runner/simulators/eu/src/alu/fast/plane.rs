//! The plane and line equations and the dot products, summed in double precision.

use intel_isa::Opcode;

use super::formats::{canonical32, flush32};
use super::step::{Job, Step};
use crate::op::Place;
use crate::regs::{REG_SIZE, Registers};

impl Step<'_> {
    /// `N` values of source `index` from byte `offset` on, modified and flushed, as doubles.
    #[inline(always)]
    fn doubles_at<const N: usize>(
        &self,
        registers: &Registers,
        index: usize,
        offset: usize,
    ) -> [f64; N] {
        let access = &self.operands.src[index];
        let keep = if access.abs { 0x7fff_ffff } else { u32::MAX };
        let flip = if access.negate { 0x8000_0000 } else { 0 };
        let mut values = [0.0; N];
        if let Some(bytes) = registers.grf.get(offset..offset + 4 * N) {
            for (value, bytes) in values.iter_mut().zip(bytes.as_chunks::<4>().0) {
                let bits = (u32::from_le_bytes(*bytes) & keep) ^ flip;
                let bits = if self.modes.flush_f { flush32(bits) } else { bits };
                *value = f64::from(f32::from_bits(bits));
            }
        }
        values
    }
}

/// PLN: `p·u + q·v + r`, with p, q, r in dwords 0, 1 and 3 and u, v in pairs of registers.
pub(super) struct Plane;

impl Job for Plane {
    #[inline(always)]
    fn step<const N: usize, const FMA: bool>(step: &Step, registers: &mut Registers) {
        let (Place::Grf(plane), Place::Grf(values)) =
            (&step.op.src[0].place, &step.op.src[1].place)
        else {
            return;
        };
        let [p, q, _, r] = step.doubles_at::<4>(registers, 0, plane.low(0).into());
        let mut results = [0; N];
        for group in 0..N / 8 {
            let start = usize::from(values.low(0)) + (step.first / 8 + group) * 2 * REG_SIZE;
            let u = step.doubles_at::<8>(registers, 1, start);
            let v = step.doubles_at::<8>(registers, 1, start + REG_SIZE);
            for lane in 0..8 {
                let value = p * u[lane] + q * v[lane] + r;
                results[group * 8 + lane] = canonical32(value as f32);
            }
        }
        step.finish(registers, results);
    }
}

/// LINE: `p·u + r`, with p and r in dwords 0 and 3.
pub(super) struct Line;

impl Job for Line {
    #[inline(always)]
    fn step<const N: usize, const FMA: bool>(step: &Step, registers: &mut Registers) {
        let Place::Grf(plane) = &step.op.src[0].place else { return };
        let [p, _, _, r] = step.doubles_at::<4>(registers, 0, plane.low(0).into());
        let u = step.floats::<N>(registers, 1);
        // The second product is that of zeros.
        let results = u.map(|u| canonical32((p * f64::from(u) + 0.0 + r) as f32));
        step.finish(registers, results);
    }
}

/// DP2, DP3, DP4, DPH of each row of four lanes.
pub(super) struct Dot;

impl Job for Dot {
    #[inline(always)]
    fn step<const N: usize, const FMA: bool>(step: &Step, registers: &mut Registers) {
        let a = step.floats::<N>(registers, 0).map(f64::from);
        let b = step.floats::<N>(registers, 1).map(f64::from);
        let products = match step.op.opcode {
            Opcode::Dp2 => 2,
            Opcode::Dp3 | Opcode::Dph => 3,
            _ => 4,
        };
        let mut results = [0; N];
        for row in (0..N).step_by(4) {
            let sum: f64 = (row..row + products).map(|lane| a[lane] * b[lane]).sum();
            let sum = if step.op.opcode == Opcode::Dph { sum + b[row + 3] } else { sum };
            results[row..row + 4].fill(canonical32(sum as f32));
        }
        step.finish(registers, results);
    }
}
