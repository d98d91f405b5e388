//! Derivatives: differences of lanes of a quad.

use crate::machine::{Arg, Part, ZERO};
use crate::select::{Selection, Step};
use amd_isa::{Format, Modifiers, Opcode};
use ir::{Alu, AluOp, DerivativeGroup, Stage, Value};

/// `ds_swizzle_b32` with this bit permutes the lanes of each quad.
const QUAD_PERMUTATION: u32 = 0x8000;

impl Selection<'_> {
    pub(crate) fn derivative(&mut self, alu: &Alu, result: Value) -> Step {
        use AluOp::*;
        // Lanes of the quad that each lane takes the two values from.
        let (from, to) = match alu.op {
            FddxFine => ([0, 0, 2, 2], [1, 1, 3, 3]),
            FddyFine => ([0, 1, 0, 1], [2, 3, 2, 3]),
            // Where the language leaves it open, one derivative serves the quad.
            Fddx | FddxCoarse => ([0; 4], [1; 4]),
            _ => ([0; 4], [2; 4]),
        };
        if !self.has_neighbors() {
            // Invocations without neighbors: every derivative is zero.
            let to = self.result(result);
            self.e.copy(to, ZERO);
            return Ok(());
        }
        let x = self.source(alu, 0)?;
        let (first, second) = (self.quad_permutation(x, from), self.quad_permutation(x, to));
        let to = self.result(result);
        self.e.valu(Opcode::VSubF32, &[to.into()], &[second.into(), first.into()]);
        Ok(())
    }

    /// True if the lanes of a quad are neighbors.
    pub(crate) fn has_neighbors(&self) -> bool {
        let info = &self.shader.info;
        match info.stage {
            Stage::Fragment => true,
            Stage::Compute => info.derivative_group != DerivativeGroup::None,
            _ => false,
        }
    }

    /// The value of another lane of the quad, for each of its lanes.
    pub(crate) fn quad_permutation(&mut self, x: Arg, lanes: [u32; 4]) -> Part {
        let x = self.e.in_vector(x);
        let offset = lanes.iter().rev().fold(0, |bits, lane| bits << 2 | lane) | QUAD_PERMUTATION;
        let to = self.e.vector();
        let modifiers = Modifiers { offset, ..Modifiers::default() };
        self.e.push(Format::Ds, Opcode::DsSwizzleB32, &[to.into(), x.into()], modifiers);
        to
    }
}
