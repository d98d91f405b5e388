//! Uniform and storage buffers, atomic counters.

use super::{Selection, Step};
use crate::homes::Home;
use crate::machine::{Arg, EXEC, File, Part, ZERO, bits, constant, int};
use crate::output::Resource;
use gcn::{Format, Modifiers, Opcode};
use ir::{AtomicOp, Intrinsic, IntrinsicOp, Value};

/// Largest constant offset of a buffer access.
const MAX_OFFSET: u32 = 4095;

/// Address of a buffer access: descriptor, offset in a vector register, constant offset.
pub(crate) struct Address {
    pub(crate) descriptor: Part,
    pub(crate) offset: Option<Part>,
    pub(crate) constant: u32,
}

impl Selection<'_> {
    /// An access to memory; false if the intrinsic is none.
    pub(crate) fn memory(&mut self, intrinsic: &Intrinsic, result: Option<Value>) -> Step<bool> {
        use IntrinsicOp::*;
        let srcs = &intrinsic.srcs;
        match (intrinsic.op, result) {
            (LoadUbo, Some(result)) => self.load_uniform(intrinsic, result)?,
            (LoadSsbo, Some(result)) => {
                let descriptor = self.buffer(Resource::StorageBlock, srcs[0])?;
                let address = self.address(descriptor, srcs[1], intrinsic.fields.base)?;
                self.load_buffer(&address, result, true)?;
            }
            (StoreSsbo, _) => self.store_storage(intrinsic)?,
            (SsboAtomic, Some(result)) => {
                let descriptor = self.buffer(Resource::StorageBlock, srcs[0])?;
                let address = self.address(descriptor, srcs[1], intrinsic.fields.base)?;
                self.atomic(&address, intrinsic.fields.atomic, &[srcs[2]], result)?;
            }
            (SsboAtomicSwap, Some(result)) => {
                let descriptor = self.buffer(Resource::StorageBlock, srcs[0])?;
                let address = self.address(descriptor, srcs[1], intrinsic.fields.base)?;
                let op = match intrinsic.fields.atomic {
                    AtomicOp::FcompareExchange => AtomicOp::FcompareExchange,
                    _ => AtomicOp::CompareExchange,
                };
                self.atomic(&address, op, &[srcs[2], srcs[3]], result)?;
            }
            (SsboSize, Some(result)) => {
                let descriptor = self.buffer(Resource::StorageBlock, srcs[0])?;
                let to = self.result(result);
                self.e.copy(to, descriptor.at(2));
            }
            (CounterRead, Some(result)) => {
                let descriptor = self.descriptor(Resource::AtomicBuffer(intrinsic.fields.base))?;
                let address = self.address(descriptor, srcs[0], 0)?;
                self.load_buffer(&address, result, true)?;
            }
            (CounterAtomic, Some(result)) => {
                let descriptor = self.descriptor(Resource::AtomicBuffer(intrinsic.fields.base))?;
                let address = self.address(descriptor, srcs[0], 0)?;
                self.atomic(&address, intrinsic.fields.atomic, &[srcs[1]], result)?;
            }
            (CounterAtomicSwap, Some(result)) => {
                let descriptor = self.descriptor(Resource::AtomicBuffer(intrinsic.fields.base))?;
                let address = self.address(descriptor, srcs[0], 0)?;
                let data = [srcs[1], srcs[2]];
                self.atomic(&address, AtomicOp::CompareExchange, &data, result)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn load_uniform(&mut self, intrinsic: &Intrinsic, result: Value) -> Step {
        let descriptor = self.buffer(Resource::UniformBlock, intrinsic.srcs[0])?;
        let base = intrinsic.fields.base;
        if self.homes[result] != Home::Scalar {
            let address = self.address(descriptor, intrinsic.srcs[1], base)?;
            return self.load_buffer(&address, result, false);
        }
        let offset = match (self.constant(intrinsic.srcs[1]), base) {
            (Some(offset), _) => int(offset.wrapping_add(base) as i32),
            (None, 0) => self.dword(intrinsic.srcs[1], 0)?,
            (None, base) => {
                let offset = self.dword(intrinsic.srcs[1], 0)?;
                let sum = self.e.scalar();
                self.e.sop2(Opcode::SAddU32, sum, offset, int(base as i32));
                sum.into()
            }
        };
        let dwords = self.dwords_of(result) * self.shader.components(result);
        let (opcode, size) = match dwords {
            1 => (Opcode::SBufferLoadDword, 1),
            2 => (Opcode::SBufferLoadDwordx2, 2),
            3 | 4 => (Opcode::SBufferLoadDwordx4, 4),
            _ => (Opcode::SBufferLoadDwordx8, 8),
        };
        let to = self.e.reg(File::Scalar, size);
        self.e.scalar_load(opcode, to, descriptor, offset);
        self.set_parts(result, to);
        Ok(())
    }

    /// The address of an access: constant parts go into the instruction.
    pub(crate) fn address(&mut self, descriptor: Part, offset: Value, base: u32) -> Step<Address> {
        if let Some(offset) = self.constant(offset) {
            let offset = offset.wrapping_add(base);
            if offset <= MAX_OFFSET {
                return Ok(Address { descriptor, offset: None, constant: offset });
            }
            let register = self.e.in_vector(int(offset as i32));
            return Ok(Address { descriptor, offset: Some(register), constant: 0 });
        }
        let offset = self.dword(offset, 0)?;
        let offset = self.e.in_vector(offset);
        // The sum has to wrap in 32 bits, as that of the instruction does not.
        if base == 0 {
            return Ok(Address { descriptor, offset: Some(offset), constant: 0 });
        }
        let sum = self.e.vector();
        self.add(sum, bits(self.chip(), base), offset.into());
        Ok(Address { descriptor, offset: Some(sum), constant: 0 })
    }

    fn buffer_access(&mut self, opcode: Opcode, data: Part, address: &Address, at: u32, glc: bool) {
        let modifiers = Modifiers {
            offen: address.offset.is_some(),
            offset: address.constant + at,
            glc,
            ..Modifiers::default()
        };
        let offset = address.offset.map_or(Arg::Fixed(gcn::Operand::Off), Arg::Part);
        let args = [data.into(), offset, address.descriptor.into(), ZERO];
        self.e.push(Format::Mubuf, opcode, &args, modifiers);
    }

    /// Loads the components of a value from consecutive addresses.
    pub(crate) fn load_buffer(&mut self, address: &Address, result: Value, coherent: bool) -> Step {
        let total = self.dwords_of(result) * self.shader.components(result);
        // There is no load of three dwords on si.
        let size = |left: u8| match left {
            1 => (Opcode::BufferLoadDword, 1),
            2 => (Opcode::BufferLoadDwordx2, 2),
            _ => (Opcode::BufferLoadDwordx4, 4),
        };
        let padded = if total % 4 == 3 { total + 1 } else { total };
        let to = self.e.reg(File::Vector, padded);
        let mut done = 0;
        while done < total {
            let (opcode, dwords) = size(total - done);
            self.buffer_access(opcode, to.at(done), address, 4 * u32::from(done), coherent);
            done += dwords;
        }
        self.set_parts(result, to);
        Ok(())
    }

    fn store_storage(&mut self, intrinsic: &Intrinsic) -> Step {
        let value = intrinsic.srcs[0];
        let descriptor = self.buffer(Resource::StorageBlock, intrinsic.srcs[1])?;
        let address = self.address(descriptor, intrinsic.srcs[2], intrinsic.fields.base)?;
        for (first, count) in runs(intrinsic.fields.write_mask, self.shader.components(value)) {
            let saved = self.only_live();
            self.store_run(&address, value, first, count)?;
            self.all_again(saved);
        }
        Ok(())
    }

    /// Stores consecutive components of a value, at their places behind the address.
    pub(crate) fn store_run(
        &mut self,
        address: &Address,
        value: Value,
        first: u8,
        count: u8,
    ) -> Step {
        let step = self.dwords_of(value);
        let data = self.gather(value, first, count)?;
        let mut done = 0;
        while done < count * step {
            let (opcode, dwords) = match count * step - done {
                1 => (Opcode::BufferStoreDword, 1),
                2 | 3 => (Opcode::BufferStoreDwordx2, 2),
                _ => (Opcode::BufferStoreDwordx4, 4),
            };
            let at = 4 * u32::from(first * step + done);
            self.buffer_access(opcode, data.at(done), address, at, true);
            done += dwords;
        }
        Ok(())
    }

    /// An atomic operation; `data` is the operand, or the compared and the new value.
    fn atomic(&mut self, address: &Address, op: AtomicOp, data: &[Value], result: Value) -> Step {
        let wide = self.shader.bits(result) == 64;
        let Some(opcode) = atomic_opcode(op, wide) else {
            return self.unsupported(&format!("atomic {op:?}"));
        };
        let step = self.dwords_of(result);
        let group = self.e.reg(File::Vector, step * data.len() as u8);
        // The new value comes before the compared one.
        for (index, &value) in data.iter().rev().enumerate() {
            let at = group.at(index as u8 * step);
            if wide {
                let (low, high) = self.halves(value, 0)?;
                self.e.copy(at, low);
                self.e.copy(at.at(1), high);
            } else {
                let dword = self.dword(value, 0)?;
                self.e.copy(at, dword);
            }
        }
        let saved = self.only_live();
        self.buffer_access(opcode, group, address, 0, true);
        self.all_again(saved);
        self.set_parts(result, group);
        Ok(())
    }

    /// Takes lanes that must not change memory out of EXEC; returns the former EXEC.
    pub(crate) fn only_live(&mut self) -> Option<Part> {
        let live = self.live_lanes()?;
        let saved = self.e.mask();
        self.e.sop1(Opcode::SMovB64, saved, EXEC);
        self.e.sop2(Opcode::SAndB64, EXEC, EXEC, live);
        Some(saved)
    }

    /// Ends what [`Selection::only_live`] began.
    pub(crate) fn all_again(&mut self, saved: Option<Part>) {
        if let Some(saved) = saved {
            self.e.sop1(Opcode::SMovB64, EXEC, saved);
        }
    }

    /// The sum of a register and a constant, for addresses.
    pub(crate) fn plus(&mut self, x: Part, value: Arg) -> Part {
        if matches!(value, Arg::Fixed(operand) if constant(operand) == 0) {
            return x;
        }
        let to = self.e.vector();
        self.add(to, value, x.into());
        to
    }
}

/// Runs of consecutive components in a write mask: first and number.
pub(crate) fn runs(mask: u8, components: u8) -> Vec<(u8, u8)> {
    let mut runs: Vec<(u8, u8)> = Vec::new();
    for c in (0..components).filter(|c| mask >> c & 1 != 0) {
        match runs.last_mut() {
            Some((first, count)) if *first + *count == c => *count += 1,
            _ => runs.push((c, 1)),
        }
    }
    runs
}

fn atomic_opcode(op: AtomicOp, wide: bool) -> Option<Opcode> {
    use AtomicOp::*;
    let (narrow, double) = match op {
        Add => (Opcode::BufferAtomicAdd, Opcode::BufferAtomicAddX2),
        Imin => (Opcode::BufferAtomicSmin, Opcode::BufferAtomicSminX2),
        Umin => (Opcode::BufferAtomicUmin, Opcode::BufferAtomicUminX2),
        Imax => (Opcode::BufferAtomicSmax, Opcode::BufferAtomicSmaxX2),
        Umax => (Opcode::BufferAtomicUmax, Opcode::BufferAtomicUmaxX2),
        And => (Opcode::BufferAtomicAnd, Opcode::BufferAtomicAndX2),
        Or => (Opcode::BufferAtomicOr, Opcode::BufferAtomicOrX2),
        Xor => (Opcode::BufferAtomicXor, Opcode::BufferAtomicXorX2),
        Exchange => (Opcode::BufferAtomicSwap, Opcode::BufferAtomicSwapX2),
        CompareExchange => (Opcode::BufferAtomicCmpswap, Opcode::BufferAtomicCmpswapX2),
        _ => return None,
    };
    Some(if wide { double } else { narrow })
}
