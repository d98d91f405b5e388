//! Operations of a wave as a subgroup: votes and ballots.

use super::{Held, Selection, Step};
use crate::machine::{EXEC, File, Part, ZERO, int};
use amd_isa::{Format, Modifiers, Opcode};
use ir::{Intrinsic, IntrinsicOp, Value};

/// Lanes of a wave.
const LANES: i32 = 64;

impl Selection<'_> {
    /// An operation of a subgroup; false if the intrinsic is none.
    pub(crate) fn subgroup(&mut self, intrinsic: &Intrinsic, result: Option<Value>) -> Step<bool> {
        use IntrinsicOp::*;
        let Some(result) = result else { return Ok(false) };
        match intrinsic.op {
            Ballot => {
                let mask = self.mask_of(intrinsic.srcs[0], 0)?;
                let to = self.scalar_pair();
                self.e.sop2(Opcode::SAndB64, to, mask, EXEC);
                self.set_parts(result, to);
            }
            VoteAny | VoteAll => {
                let mask = self.mask_of(intrinsic.srcs[0], 0)?;
                let scratch = self.e.mask();
                let to = self.e.mask();
                let (opcode, yes, no) = match intrinsic.op {
                    VoteAny => (Opcode::SAndB64, int(-1), ZERO),
                    _ => (Opcode::SAndn2B64, ZERO, int(-1)),
                };
                match intrinsic.op {
                    VoteAny => self.e.sop2(opcode, scratch, mask, EXEC),
                    _ => self.e.sop2(opcode, scratch, EXEC, mask),
                }
                self.e.sop2(Opcode::SCselectB64, to, yes, no);
                self.set_masks(result, Held::from_slice(&[to.into()]))?;
            }
            VoteEq => {
                let mask = self.mask_of(intrinsic.srcs[0], 0)?;
                let scratch = self.e.mask();
                let (yes, no, to) = (self.e.mask(), self.e.mask(), self.e.mask());
                self.e.sop2(Opcode::SAndB64, scratch, mask, EXEC);
                self.e.sop2(Opcode::SCselectB64, yes, int(-1), ZERO);
                self.e.sop2(Opcode::SAndn2B64, scratch, EXEC, mask);
                self.e.sop2(Opcode::SCselectB64, no, int(-1), ZERO);
                self.e.sop2(Opcode::SNandB64, to, yes, no);
                self.set_masks(result, Held::from_slice(&[to.into()]))?;
            }
            ReadFirstInvocation | ReadInvocation => self.read_lane(intrinsic, result)?,
            QuadBroadcast => self.quad_broadcast(intrinsic, result)?,
            Clock => {
                let to = self.result_in(result, File::Scalar);
                self.e.push(Format::Smem, Opcode::SMemtime, &[to.into()], Modifiers::default());
            }
            SubgroupSize => {
                let to = self.result(result);
                self.e.copy(to, int(LANES));
            }
            SubgroupInvocation => {
                let to = self.lane_number();
                self.set_parts(result, to);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The value of one lane: the first active one, or the one with a number that all lanes share.
    fn read_lane(&mut self, intrinsic: &Intrinsic, result: Value) -> Step {
        let value = intrinsic.srcs[0];
        let number = match intrinsic.srcs.get(1) {
            Some(&number) => {
                let number = self.dword(number, 0)?;
                Some(self.e.in_scalar(number))
            }
            None => None,
        };
        let mut dwords = Held::new();
        for c in 0..self.shader.components(value) {
            if self.dwords_of(value) == 2 {
                let (low, high) = self.halves(value, c)?;
                dwords.extend([low, high]);
            } else {
                dwords.push(self.dword(value, c)?);
            }
        }
        let to = self.result(result);
        for (index, dword) in (0..).zip(dwords) {
            let Some(number) = number.filter(|_| self.e.is_vector(dword)) else {
                let first = self.e.in_scalar(dword);
                self.e.copy(to.at(index), first);
                continue;
            };
            let lane = self.e.scalar();
            self.e.read_lane(lane, dword, number);
            self.e.copy(to.at(index), lane);
        }
        Ok(())
    }

    /// The value of one lane of each quad.
    fn quad_broadcast(&mut self, intrinsic: &Intrinsic, result: Value) -> Step {
        let value = intrinsic.srcs[0];
        let lanes = [intrinsic.fields.base & 3; 4];
        let step = self.dwords_of(value);
        let data = self.gather(value, 0, self.shader.components(value))?;
        let to = self.result_in(result, File::Vector);
        for dword in 0..step * self.shader.components(value) {
            let moved = self.quad_permutation(data.at(dword).into(), lanes);
            self.e.copy(to.at(dword), moved);
        }
        Ok(())
    }

    /// The number of each lane.
    pub(crate) fn lane_number(&mut self) -> Part {
        let low = self.e.valu1(Opcode::VMbcntLoU32B32, &[int(-1).into(), ZERO.into()]);
        self.e.valu1(Opcode::VMbcntHiU32B32, &[int(-1).into(), low.into()])
    }
}
