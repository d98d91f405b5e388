//! Shared memory of a work group: the local data share.

use super::memory::runs;
use super::{Selection, Step};
use crate::machine::{File, Part, bits};
use gcn::{Format, Modifiers, Opcode};
use ir::{AtomicOp, Intrinsic, IntrinsicOp, Value};

impl Selection<'_> {
    /// An access to shared memory; false if the intrinsic is none.
    pub(crate) fn shared_memory(
        &mut self,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Step<bool> {
        use IntrinsicOp::*;
        let (srcs, fields) = (&intrinsic.srcs, &intrinsic.fields);
        match (intrinsic.op, result) {
            (LoadShared, Some(result)) => {
                let address = self.shared_address(srcs[0], fields.base)?;
                let dwords = self.dwords_of(result) * self.shader.components(result);
                let to = self.e.reg(File::Vector, dwords);
                for dword in 0..dwords {
                    // Constant offsets are wrong for negative bases on si, so they are added.
                    let at = self.plus(address, bits(self.chip(), 4 * u32::from(dword)));
                    let args = [to.at(dword).into(), at.into()];
                    self.e.push(Format::Ds, Opcode::DsReadB32, &args, Modifiers::default());
                }
                self.set_parts(result, to);
            }
            (StoreShared, _) => {
                let address = self.shared_address(srcs[1], fields.base)?;
                let step = self.dwords_of(srcs[0]);
                for (first, count) in runs(fields.write_mask, self.shader.components(srcs[0])) {
                    let data = self.gather(srcs[0], first, count)?;
                    for dword in 0..count * step {
                        let offset = 4 * u32::from(first * step + dword);
                        let at = self.plus(address, bits(self.chip(), offset));
                        let args = [at.into(), data.at(dword).into()];
                        self.e.push(Format::Ds, Opcode::DsWriteB32, &args, Modifiers::default());
                    }
                }
            }
            (SharedAtomic | SharedAtomicSwap, Some(result)) => {
                let op = match intrinsic.op {
                    SharedAtomic => fields.atomic,
                    _ => AtomicOp::CompareExchange,
                };
                self.shared_atomic(intrinsic, op, result)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn shared_address(&mut self, offset: Value, base: u32) -> Step<Part> {
        let offset = self.dword(offset, 0)?;
        let offset = self.e.in_vector(offset);
        Ok(self.plus(offset, bits(self.chip(), base)))
    }

    fn shared_atomic(&mut self, intrinsic: &Intrinsic, op: AtomicOp, result: Value) -> Step {
        let wide = self.shader.bits(result) == 64;
        let Some(opcode) = opcode(op).filter(|_| !wide) else {
            return self
                .unsupported(&format!("shared atomic {op:?} of {} bits", 32 << u8::from(wide)));
        };
        let address = self.shared_address(intrinsic.srcs[0], intrinsic.fields.base)?;
        let to = self.e.vector();
        let mut args = vec![to.into(), address.into()];
        for &value in &intrinsic.srcs[1..] {
            let data = self.dword(value, 0)?;
            args.push(self.e.in_vector(data).into());
        }
        self.e.push(Format::Ds, opcode, &args, Modifiers::default());
        self.set_parts(result, to);
        Ok(())
    }
}

fn opcode(op: AtomicOp) -> Option<Opcode> {
    use AtomicOp::*;
    Some(match op {
        Add => Opcode::DsAddRtnU32,
        Imin => Opcode::DsMinRtnI32,
        Umin => Opcode::DsMinRtnU32,
        Imax => Opcode::DsMaxRtnI32,
        Umax => Opcode::DsMaxRtnU32,
        And => Opcode::DsAndRtnB32,
        Or => Opcode::DsOrRtnB32,
        Xor => Opcode::DsXorRtnB32,
        Exchange => Opcode::DsWrxchgRtnB32,
        CompareExchange => Opcode::DsCmpstRtnB32,
        _ => return None,
    })
}
