//! Shared memory of a work group: the local data share.

use super::memory::runs;
use super::share::{read_all_from_share, write_all_to_share};
use super::{Selection, Step};
use crate::machine::{File, Part, bits};
use amd_isa::{Format, Modifiers, Opcode};
use ir::{AtomicOp, Intrinsic, IntrinsicOp, Value};

/// Largest constant address whose value, of at most 64 dwords, fits into the offset.
const MAX_CONSTANT: u32 = 65535 - 256;

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
                let (address, at) = self.shared_address(srcs[0], fields.base)?;
                let dwords = self.dwords_of(result) * self.shader.components(result);
                let to = self.e.reg(File::Vector, dwords);
                if let Some((opcode, _)) = small_access(self.shader.bits(result)) {
                    let bytes = u32::from(self.shader.bits(result) / 8);
                    for c in 0..dwords {
                        let offset = at + u32::from(c) * bytes;
                        let modifiers = Modifiers { offset, ..Modifiers::default() };
                        let args = [to.at(c).into(), address.into()];
                        self.e.push(Format::Ds, opcode, &args, modifiers);
                    }
                    self.set_parts(result, to);
                    return Ok(true);
                }
                // Within a value the base is not negative.
                read_all_from_share(self, address, at, to, dwords);
                self.set_parts(result, to);
            }
            (StoreShared, _) => {
                let (address, at) = self.shared_address(srcs[1], fields.base)?;
                let step = self.dwords_of(srcs[0]);
                let small = small_access(self.shader.bits(srcs[0]));
                let bytes = u32::from(self.shader.bits(srcs[0]) / 8);
                for (first, count) in runs(fields.write_mask, self.shader.components(srcs[0])) {
                    let data = self.gather(srcs[0], first, count)?;
                    if let Some((_, opcode)) = small {
                        for c in 0..count {
                            let offset = at + u32::from(first + c) * bytes;
                            let modifiers = Modifiers { offset, ..Modifiers::default() };
                            let args = [address.into(), data.at(c).into()];
                            self.e.push(Format::Ds, opcode, &args, modifiers);
                        }
                        continue;
                    }
                    let dword = |dword| (at + 4 * u32::from(first * step + dword), data.at(dword));
                    let dwords: Vec<(u32, Part)> = (0..count * step).map(dword).collect();
                    write_all_to_share(self, address, &dwords);
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

    /// The register with an address, and the constant offset in bytes.
    fn shared_address(&mut self, offset: Value, base: u32) -> Step<(Part, u32)> {
        if let Some(offset) = self.constant(offset) {
            let at = offset.wrapping_add(base);
            let (high, low) = if at <= MAX_CONSTANT { (0, at) } else { (at, 0) };
            let address = bits(self.chip(), high);
            return Ok((self.e.shared_vector(address), low));
        }
        let offset = self.dword(offset, 0)?;
        let offset = self.e.in_vector(offset);
        // A constant offset is wrong for a negative base on si, so it is added.
        Ok((self.plus(offset, bits(self.chip(), base)), 0))
    }

    fn shared_atomic(&mut self, intrinsic: &Intrinsic, op: AtomicOp, result: Value) -> Step {
        let wide = self.shader.bits(result) == 64;
        let Some((narrow, double)) = opcodes(op) else {
            return self.unsupported(&format!("shared atomic {op:?}"));
        };
        let opcode = if wide { double } else { narrow };
        let (address, at) = self.shared_address(intrinsic.srcs[0], intrinsic.fields.base)?;
        let to = self.e.reg(File::Vector, self.dwords_of(result));
        let mut args = vec![to.into(), address.into()];
        for &value in &intrinsic.srcs[1..] {
            let data = if wide {
                self.gather(value, 0, 1)?
            } else {
                let dword = self.dword(value, 0)?;
                self.e.in_vector(dword)
            };
            args.push(data.into());
        }
        let modifiers = Modifiers { offset: at, ..Modifiers::default() };
        self.e.push(Format::Ds, opcode, &args, modifiers);
        self.set_parts(result, to);
        Ok(())
    }
}

/// Load and store of a component of 8 or 16 bits.
fn small_access(bits: u8) -> Option<(Opcode, Opcode)> {
    match bits {
        8 => Some((Opcode::DsReadU8, Opcode::DsWriteB8)),
        16 => Some((Opcode::DsReadU16, Opcode::DsWriteB16)),
        _ => None,
    }
}

/// The operation on 32 and on 64 bits.
fn opcodes(op: AtomicOp) -> Option<(Opcode, Opcode)> {
    use AtomicOp::*;
    Some(match op {
        Add => (Opcode::DsAddRtnU32, Opcode::DsAddRtnU64),
        Imin => (Opcode::DsMinRtnI32, Opcode::DsMinRtnI64),
        Umin => (Opcode::DsMinRtnU32, Opcode::DsMinRtnU64),
        Imax => (Opcode::DsMaxRtnI32, Opcode::DsMaxRtnI64),
        Umax => (Opcode::DsMaxRtnU32, Opcode::DsMaxRtnU64),
        And => (Opcode::DsAndRtnB32, Opcode::DsAndRtnB64),
        Or => (Opcode::DsOrRtnB32, Opcode::DsOrRtnB64),
        Xor => (Opcode::DsXorRtnB32, Opcode::DsXorRtnB64),
        Exchange => (Opcode::DsWrxchgRtnB32, Opcode::DsWrxchgRtnB64),
        CompareExchange => (Opcode::DsCmpstRtnB32, Opcode::DsCmpstRtnB64),
        _ => return None,
    })
}
