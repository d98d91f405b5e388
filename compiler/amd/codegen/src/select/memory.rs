//! Uniform and storage buffers, atomic counters.

use super::{Selection, Step};
use crate::homes::Home;
use crate::machine::{Arg, EXEC, File, Part, ZERO, bits, constant, int};
use crate::output::Resource;
use amd_isa::{Format, Modifiers, Opcode, Operand};
use ir::{AtomicOp, Intrinsic, IntrinsicOp, Value};

/// Largest constant offset of a buffer access.
const MAX_OFFSET: u32 = 4095;

/// Place in a buffer.
#[derive(Clone, Copy)]
pub(crate) struct BufferAddress {
    pub descriptor: Part,
    /// Offset in bytes of each lane.
    pub lane: Option<Part>,
    /// Offset in bytes of the wave.
    pub wave: Arg,
    /// Constant offset in bytes.
    pub constant: u32,
}

impl Selection<'_> {
    /// Waits until every access to memory is complete.
    pub(crate) fn wait_for_memory(&mut self) {
        // vmcnt(0) lgkmcnt(0)
        let all = Arg::Fixed(Operand::Immediate(0x0070));
        self.e.sopp(Opcode::SWaitcnt, &[all]);
    }

    /// An access to memory, or a wait for them; false if the intrinsic is none.
    pub(crate) fn memory(&mut self, intrinsic: &Intrinsic, result: Option<Value>) -> Step<bool> {
        use IntrinsicOp::*;
        let Some(result) = result else {
            return match intrinsic.op {
                StoreSsbo => self.store_storage(intrinsic).map(|()| true),
                MemoryBarrier => {
                    self.wait_for_memory();
                    Ok(true)
                }
                _ => Ok(false),
            };
        };
        match intrinsic.op {
            LoadUbo => self.load_uniform(intrinsic, result)?,
            LoadSsbo | CounterRead => {
                let (address, _) = self.storage(intrinsic)?;
                self.load_buffer(&address, result, true);
            }
            SsboAtomic | CounterAtomic => {
                let (address, data) = self.storage(intrinsic)?;
                self.atomic(&address, intrinsic.fields.atomic, data, result)?;
            }
            SsboAtomicSwap | CounterAtomicSwap => {
                let (address, data) = self.storage(intrinsic)?;
                let op = match intrinsic.fields.atomic {
                    AtomicOp::FcompareExchange => AtomicOp::FcompareExchange,
                    _ => AtomicOp::CompareExchange,
                };
                self.atomic(&address, op, data, result)?;
            }
            SsboSize => {
                let descriptor = self.buffer(Resource::StorageBlock, intrinsic.srcs[0])?;
                let to = self.result(result);
                self.e.copy(to, descriptor.at(2));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The address of a load or an atomic operation in a storage block or a counter buffer, and the
    /// operands after it.
    fn storage<'i>(&mut self, intrinsic: &'i Intrinsic) -> Step<(BufferAddress, &'i [Value])> {
        use IntrinsicOp::{CounterAtomic, CounterAtomicSwap, CounterRead};
        let (srcs, base) = (&intrinsic.srcs, intrinsic.fields.base);
        if matches!(intrinsic.op, CounterRead | CounterAtomic | CounterAtomicSwap) {
            let descriptor = self.descriptor(Resource::AtomicBuffer(base))?;
            return Ok((self.address(descriptor, srcs[0], 0)?, &srcs[1..]));
        }
        let descriptor = self.buffer(Resource::StorageBlock, srcs[0])?;
        Ok((self.address(descriptor, srcs[1], base)?, &srcs[2..]))
    }

    fn load_uniform(&mut self, intrinsic: &Intrinsic, result: Value) -> Step {
        if self.load_planned(result)? {
            return Ok(());
        }
        let descriptor = self.buffer(Resource::UniformBlock, intrinsic.srcs[0])?;
        let base = intrinsic.fields.base;
        if self.homes[result] != Home::Scalar {
            let address = self.address(descriptor, intrinsic.srcs[1], base)?;
            self.load_buffer(&address, result, false);
            return Ok(());
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
    pub(crate) fn address(
        &mut self,
        descriptor: Part,
        offset: Value,
        base: u32,
    ) -> Step<BufferAddress> {
        let address = BufferAddress { descriptor, lane: None, wave: ZERO, constant: 0 };
        if let Some(offset) = self.constant(offset) {
            return Ok(BufferAddress { constant: offset.wrapping_add(base), ..address });
        }
        let offset = self.dword(offset, 0)?;
        let offset = self.e.in_vector(offset);
        // The sum has to wrap in 32 bits, as that of the instruction does not.
        let lane = self.plus(offset, bits(self.chip(), base));
        Ok(BufferAddress { lane: Some(lane), ..address })
    }

    /// Adds an access to the bytes from `at` on after an address.
    pub(crate) fn buffer_access(
        &mut self,
        opcode: Opcode,
        data: Part,
        address: &BufferAddress,
        at: u32,
        glc: bool,
    ) {
        // The part of the offset that does not fit goes into the lane's.
        let (mut lane, mut offset) = (address.lane, address.constant.wrapping_add(at));
        if offset > MAX_OFFSET {
            let far = bits(self.chip(), offset & !MAX_OFFSET);
            offset &= MAX_OFFSET;
            lane = Some(match lane {
                Some(near) => self.plus(near, far),
                None => self.e.in_vector(far),
            });
        }
        let modifiers = Modifiers { offen: lane.is_some(), offset, glc, ..Modifiers::default() };
        let lane = lane.map_or(Arg::Fixed(amd_isa::Operand::Off), Arg::Part);
        let args = [data.into(), lane, address.descriptor.into(), address.wave];
        self.e.push(Format::Mubuf, opcode, &args, modifiers);
    }

    /// Loads the components of a value from consecutive addresses.
    pub(crate) fn load_buffer(&mut self, address: &BufferAddress, result: Value, coherent: bool) {
        let components = self.shader.components(result);
        if let Some((opcode, _)) = small_access(self.shader.bits(result)) {
            let to = self.e.reg(File::Vector, components);
            let bytes = u32::from(self.shader.bits(result) / 8);
            for c in 0..components {
                self.buffer_access(opcode, to.at(c), address, u32::from(c) * bytes, coherent);
            }
            return self.set_parts(result, to);
        }
        let total = self.dwords_of(result) * components;
        // There is no load of three dwords on si.
        let padded = if total % 4 == 3 { total + 1 } else { total };
        let to = self.e.reg(File::Vector, padded);
        self.load_dwords(address, to, 0, padded, coherent);
        self.set_parts(result, to);
    }

    /// As [`Selection::load_buffer`], dword by dword: those of interleaved memory are not side by
    /// side.
    pub(crate) fn load_each_dword(&mut self, address: &BufferAddress, result: Value) {
        let total = self.dwords_of(result) * self.shader.components(result);
        let to = self.e.reg(File::Vector, total);
        for dword in 0..total {
            self.load_dwords(address, to.at(dword), 4 * u32::from(dword), 1, false);
        }
        self.set_parts(result, to);
    }

    /// Loads consecutive dwords from `at` on after an address.
    pub(crate) fn load_dwords(
        &mut self,
        address: &BufferAddress,
        to: Part,
        at: u32,
        count: u8,
        coherent: bool,
    ) {
        let mut done = 0;
        while done < count {
            let (opcode, dwords) = match count - done {
                1 => (Opcode::BufferLoadDword, 1),
                2 | 3 => (Opcode::BufferLoadDwordx2, 2),
                _ => (Opcode::BufferLoadDwordx4, 4),
            };
            self.buffer_access(opcode, to.at(done), address, at + 4 * u32::from(done), coherent);
            done += dwords;
        }
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

    /// Stores consecutive components of a value, at their places after the address.
    pub(crate) fn store_run(
        &mut self,
        address: &BufferAddress,
        value: Value,
        first: u8,
        count: u8,
    ) -> Step {
        let step = self.dwords_of(value);
        let data = self.gather(value, first, count)?;
        if let Some((_, opcode)) = small_access(self.shader.bits(value)) {
            let bytes = u32::from(self.shader.bits(value) / 8);
            for c in 0..count {
                let at = u32::from(first + c) * bytes;
                self.buffer_access(opcode, data.at(c), address, at, true);
            }
            return Ok(());
        }
        self.store_dwords(address, data, 4 * u32::from(first * step), count * step);
        Ok(())
    }

    /// As [`Selection::store_run`], dword by dword.
    pub(crate) fn store_each_dword(
        &mut self,
        address: &BufferAddress,
        value: Value,
        first: u8,
        count: u8,
    ) -> Step {
        let step = self.dwords_of(value);
        let data = self.gather(value, first, count)?;
        for dword in 0..count * step {
            let at = 4 * u32::from(first * step + dword);
            self.store_dwords(address, data.at(dword), at, 1);
        }
        Ok(())
    }

    /// Stores consecutive dwords of a register from `at` on after an address.
    pub(crate) fn store_dwords(&mut self, address: &BufferAddress, data: Part, at: u32, count: u8) {
        let mut done = 0;
        while done < count {
            // There is no store of three dwords on si.
            let (opcode, dwords) = match count - done {
                1 => (Opcode::BufferStoreDword, 1),
                2 | 3 => (Opcode::BufferStoreDwordx2, 2),
                _ => (Opcode::BufferStoreDwordx4, 4),
            };
            self.buffer_access(opcode, data.at(done), address, at + 4 * u32::from(done), true);
            done += dwords;
        }
    }

    /// An atomic operation; `data` is the operand, or the compared and the new value.
    fn atomic(
        &mut self,
        address: &BufferAddress,
        op: AtomicOp,
        data: &[Value],
        result: Value,
    ) -> Step {
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

/// Load and store of a component of 8 or 16 bits.
fn small_access(bits: u8) -> Option<(Opcode, Opcode)> {
    match bits {
        8 => Some((Opcode::BufferLoadUbyte, Opcode::BufferStoreByte)),
        16 => Some((Opcode::BufferLoadUshort, Opcode::BufferStoreShort)),
        _ => None,
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
