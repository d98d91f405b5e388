//! Intrinsics of the evaluator.

use super::{EvalError, Io, Machine, Mask, Space};
use crate::fold::{mask as bit_mask, sext};
use crate::ids::{Local, Value};
use crate::intrinsics::{AtomicOp, Fields, Intrinsic, IntrinsicOp as Op};

/// Largest number of components a local variable may have for all lanes together.
const MAX_LOCAL_SIZE: usize = 1 << 24;

/// Returns the swap operation of an intrinsic: it compares bits unless its operation is the one on
/// floats.
fn swap_of(op: AtomicOp) -> AtomicOp {
    if op == AtomicOp::FcompareExchange { op } else { AtomicOp::CompareExchange }
}

/// Operands of an atomic intrinsic on memory.
struct AtomicAccess {
    space: Space,
    offset: u64,
    op: AtomicOp,
    /// Width; that of the result if `None`.
    bits: Option<u8>,
    data: u64,
    /// The value to compare with, in the `_swap` intrinsics.
    compare: u64,
}

impl AtomicAccess {
    /// Decodes one of the six atomic intrinsics on memory.
    fn of(op: Op, fields: &Fields, args: &[[u64; 4]; 5]) -> AtomicAccess {
        let [first, second, third, fourth] = [0, 1, 2, 3].map(|i| args[i][0]);
        let at = |offset: u64| u64::from((offset as u32).wrapping_add(fields.base));
        let (ssbo, counter) = (Space::Ssbo(first as u32), Space::Counter(fields.base));
        let (swap, no_compare) = (swap_of(fields.atomic), 0);
        let (space, offset, op, data, compare) = match op {
            Op::SsboAtomic => (ssbo, at(second), fields.atomic, third, no_compare),
            Op::SsboAtomicSwap => (ssbo, at(second), swap, fourth, third),
            Op::SharedAtomic => (Space::Shared, at(first), fields.atomic, second, no_compare),
            Op::SharedAtomicSwap => (Space::Shared, at(first), swap, third, second),
            Op::CounterAtomicSwap => {
                (counter, first & 0xffff_ffff, AtomicOp::CompareExchange, third, second)
            }
            _ => (counter, first & 0xffff_ffff, fields.atomic, second, no_compare),
        };
        let bits = matches!(space, Space::Counter(_)).then_some(32);
        AtomicAccess { space, offset, op, bits, data, compare }
    }
}

fn float(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

/// Minimum or maximum of floats: the number where one side is a quiet NaN, a signaling NaN where
/// there is one.
fn float_extreme(op: AtomicOp, old: u64, data: u64) -> u64 {
    let nan = |bits: u64| float(bits).is_nan();
    let signaling = |bits: u64| nan(bits) && bits & 0x0040_0000 == 0;
    let better =
        if op == AtomicOp::Fmin { float(data) < float(old) } else { float(data) > float(old) };
    match (signaling(old), signaling(data)) {
        (true, _) => old,
        (_, true) => data,
        _ if better || nan(old) => data,
        _ => old,
    }
}

/// The new memory value of an atomic.
fn atomic(op: AtomicOp, bits: u8, old: u64, data: u64, compare: u64) -> u64 {
    let (a, b) = (sext(bits, old), sext(bits, data));
    let new = match op {
        AtomicOp::Add => old.wrapping_add(data),
        AtomicOp::Imin => a.min(b) as u64,
        AtomicOp::Umin => old.min(data),
        AtomicOp::Imax => a.max(b) as u64,
        AtomicOp::Umax => old.max(data),
        AtomicOp::And => old & data,
        AtomicOp::Or => old | data,
        AtomicOp::Xor => old ^ data,
        AtomicOp::Exchange => data,
        AtomicOp::CompareExchange if old == compare => data,
        AtomicOp::CompareExchange => old,
        AtomicOp::Fmin | AtomicOp::Fmax => float_extreme(op, old, data),
        AtomicOp::FcompareExchange if float(old) == float(compare) => data,
        AtomicOp::FcompareExchange => old,
    };
    new & bit_mask(bits)
}

impl Machine<'_> {
    pub(super) fn intrinsic(
        &mut self,
        intrinsic: &Intrinsic,
        result: Option<Value>,
        mask: &mut Mask,
    ) -> Result<(), EvalError> {
        match intrinsic.op {
            Op::Discard | Op::DiscardIf | Op::Demote | Op::DemoteIf => {
                self.discard(intrinsic, mask);
                return Ok(());
            }
            Op::Ballot
            | Op::VoteAny
            | Op::VoteAll
            | Op::VoteEq
            | Op::ReadInvocation
            | Op::ReadFirstInvocation
            | Op::QuadBroadcast => {
                return self.subgroup(intrinsic, result, mask);
            }
            Op::Barrier | Op::MemoryBarrier | Op::BeginInterlock | Op::EndInterlock => {
                return Ok(());
            }
            _ => {}
        }
        for lane in (0..self.lanes).filter(|&l| mask[l]) {
            if let Some(data) = self.lane_intrinsic(intrinsic, result, lane)?
                && let Some(result) = result
            {
                self.set(result, lane, data);
            }
        }
        Ok(())
    }

    fn discard(&mut self, intrinsic: &Intrinsic, mask: &mut Mask) {
        let ends = matches!(intrinsic.op, Op::Discard | Op::DiscardIf);
        for (lane, active) in mask.iter_mut().enumerate() {
            let hit = *active && intrinsic.srcs.first().is_none_or(|&c| self.get(c, lane)[0] != 0);
            self.discarded[lane] |= hit;
            *active &= !(hit && ends);
        }
    }

    fn subgroup(
        &mut self,
        intrinsic: &Intrinsic,
        result: Option<Value>,
        mask: &Mask,
    ) -> Result<(), EvalError> {
        let (Some(result), Some(&source)) = (result, intrinsic.srcs.first()) else {
            return Err(EvalError::Malformed("subgroup operation without operand"));
        };
        let active: Vec<usize> = (0..self.lanes).filter(|&l| mask[l]).collect();
        let Some(&first) = active.first() else { return Ok(()) };
        let operand = |lane: usize| self.get(source, lane);
        let all_lanes: Vec<[u64; 4]> = (0..self.lanes).map(operand).collect();
        let truth = |lane: &usize| all_lanes[*lane][0] != 0;
        let uniform = match intrinsic.op {
            Op::Ballot => {
                let bits = active
                    .iter()
                    .filter(|l| **l < 64 && truth(l))
                    .fold(0u64, |bits, &l| bits | 1 << l);
                [bits, 0, 0, 0]
            }
            Op::VoteAny => [active.iter().any(truth).into(), 0, 0, 0],
            Op::VoteAll => [active.iter().all(truth).into(), 0, 0, 0],
            Op::VoteEq => {
                [active.iter().all(|&l| all_lanes[l] == all_lanes[first]).into(), 0, 0, 0]
            }
            _ => all_lanes[first],
        };
        for &lane in &active {
            let data = match (intrinsic.op, intrinsic.srcs.get(1)) {
                (Op::ReadInvocation, Some(&index)) => {
                    let from = usize::try_from(self.get(index, lane)[0]).unwrap_or(usize::MAX);
                    all_lanes.get(from).copied().unwrap_or([0; 4])
                }
                (Op::QuadBroadcast, _) => {
                    let from = lane / 4 * 4 + intrinsic.fields.base as usize % 4;
                    all_lanes.get(from).copied().unwrap_or([0; 4])
                }
                _ => uniform,
            };
            self.set(result, lane, data);
        }
        Ok(())
    }

    /// One lane of an intrinsic that knows nothing of the others.
    fn lane_intrinsic(
        &mut self,
        intrinsic: &Intrinsic,
        result: Option<Value>,
        lane: usize,
    ) -> Result<Option<[u64; 4]>, EvalError> {
        let fields = &*intrinsic.fields;
        let mut args = [[0u64; 4]; 5];
        for (arg, &src) in args.iter_mut().zip(&intrinsic.srcs) {
            *arg = self.get(src, lane);
        }
        let [a, b, c] = [args[0][0] as u32, args[1][0] as u32, args[2][0] as u32];
        let shape = |v: Option<Value>| {
            v.map_or((32, 1), |v| (self.shader.bits(v), self.shader.components(v)))
        };
        let out = shape(result);
        let stored = shape(intrinsic.srcs.first().copied());
        let silent = self.discarded[lane];
        let at = |offset: u32| u64::from(offset.wrapping_add(fields.base));
        let io =
            |offset, vertex| Io { slot: fields.slot, offset, component: fields.component, vertex };
        Ok(match intrinsic.op {
            Op::LoadUbo => Some(self.load(Space::Ubo(a), at(b), out)?),
            Op::LoadSsbo => Some(self.load(Space::Ssbo(a), at(b), out)?),
            Op::LoadShared => Some(self.load(Space::Shared, at(a), out)?),
            Op::LoadScratch => Some(self.load_scratch(lane, at(a), out)),
            Op::StoreSsbo | Op::StoreShared if silent => None,
            Op::StoreSsbo => {
                self.store(Space::Ssbo(b), at(c), args[0], stored, fields.write_mask)?
            }
            Op::StoreShared => {
                self.store(Space::Shared, at(b), args[0], stored, fields.write_mask)?
            }
            Op::StoreScratch => self.store_scratch(lane, at(b), args[0], stored, fields.write_mask),
            Op::SsboAtomic
            | Op::SsboAtomicSwap
            | Op::SharedAtomic
            | Op::SharedAtomicSwap
            | Op::CounterAtomic
            | Op::CounterAtomicSwap => {
                let access = AtomicAccess::of(intrinsic.op, fields, &args);
                let bits = access.bits.unwrap_or(out.0);
                let old = self.services.load(access.space, access.offset, bits / 8)?;
                if !silent {
                    let new = atomic(access.op, bits, old, access.data, access.compare);
                    self.services.store(access.space, access.offset, bits / 8, new)?;
                }
                Some([old, 0, 0, 0])
            }
            Op::CounterRead => Some(self.load(Space::Counter(fields.base), a.into(), out)?),
            Op::SsboSize => Some([self.services.buffer_size(a)?.into(), 0, 0, 0]),
            Op::LoadLocal => Some(self.load_local(lane, fields, a)?),
            Op::StoreLocal => {
                self.store_local(lane, fields, b, args[0])?;
                None
            }
            Op::LoadInput => {
                Some(self.io_load(out.1, io(a, None), |m, io| m.services.load_input(lane, io))?)
            }
            Op::LoadPerVertexInput => {
                Some(self.io_load(out.1, io(b, Some(a)), |m, io| m.services.load_input(lane, io))?)
            }
            Op::LoadInterpolatedInput => {
                let bary = [args[0][0] as u32, args[0][1] as u32];
                Some(
                    self.io_load(out.1, io(b, None), |m, io| {
                        m.services.interpolate(lane, bary, io)
                    })?,
                )
            }
            Op::LoadOutput => {
                Some(self.io_load(out.1, io(a, None), |m, io| m.services.load_output(lane, io))?)
            }
            Op::LoadPerVertexOutput => {
                Some(self.io_load(out.1, io(b, Some(a)), |m, io| m.services.load_output(lane, io))?)
            }
            Op::StoreOutput => self.io_store(lane, args[0], io(b, None), fields.write_mask)?,
            Op::StorePerVertexOutput => {
                self.io_store(lane, args[0], io(c, Some(b)), fields.write_mask)?
            }
            Op::LoadBarycentricAtSample | Op::LoadBarycentricAtOffset => {
                Some(self.services.barycentric(lane, intrinsic.op, args[0], fields.linear)?)
            }
            Op::EmitVertex => self.services.emit_vertex(lane, fields.stream).map(|()| None)?,
            Op::EndPrimitive => self.services.end_primitive(lane, fields.stream).map(|()| None)?,
            Op::HelperInvocation if silent => Some([1, 0, 0, 0]),
            Op::ImageStore | Op::ImageAtomic | Op::ImageAtomicSwap if silent => Some([0; 4]),
            Op::ImageLoad
            | Op::ImageStore
            | Op::ImageAtomic
            | Op::ImageAtomicSwap
            | Op::ImageSize
            | Op::ImageSamples => {
                Some(self.services.image(lane, intrinsic, &args[..intrinsic.srcs.len().min(5)])?)
            }
            op => Some(self.services.system_value(lane, op, fields)?),
        })
    }

    fn load(
        &mut self,
        space: Space,
        offset: u64,
        (bits, components): (u8, u8),
    ) -> Result<[u64; 4], EvalError> {
        let bytes = bits.max(8) / 8;
        let mut data = [0; 4];
        for (i, out) in data.iter_mut().enumerate().take(components.into()) {
            *out = self.services.load(space, offset + i as u64 * u64::from(bytes), bytes)?;
        }
        Ok(data)
    }

    fn store(
        &mut self,
        space: Space,
        offset: u64,
        data: [u64; 4],
        (bits, components): (u8, u8),
        write_mask: u8,
    ) -> Result<Option<[u64; 4]>, EvalError> {
        let bytes = bits.max(8) / 8;
        for (i, value) in data.into_iter().enumerate().take(components.into()) {
            if write_mask >> i & 1 != 0 {
                self.services.store(space, offset + i as u64 * u64::from(bytes), bytes, value)?;
            }
        }
        Ok(None)
    }

    /// Index of a scratch byte; accesses beyond the invocation's part go nowhere.
    fn scratch_byte(&mut self, lane: usize, offset: u64) -> Option<&mut u8> {
        let size = self.shader.info.scratch_size as usize;
        let offset = usize::try_from(offset).ok().filter(|&o| o < size)?;
        self.scratch.get_mut(lane * size + offset)
    }

    fn load_scratch(&mut self, lane: usize, offset: u64, (bits, components): (u8, u8)) -> [u64; 4] {
        let bytes = u64::from(bits.max(8) / 8);
        let mut data = [0; 4];
        for (i, out) in data.iter_mut().enumerate().take(components.into()) {
            for byte in 0..bytes {
                let at = offset + i as u64 * bytes + byte;
                *out |= u64::from(self.scratch_byte(lane, at).map_or(0, |b| *b)) << (8 * byte);
            }
        }
        data
    }

    fn store_scratch(
        &mut self,
        lane: usize,
        offset: u64,
        data: [u64; 4],
        (bits, components): (u8, u8),
        write_mask: u8,
    ) -> Option<[u64; 4]> {
        let bytes = u64::from(bits.max(8) / 8);
        for (i, value) in data.into_iter().enumerate().take(components.into()) {
            for byte in (0..bytes).filter(|_| write_mask >> i & 1 != 0) {
                if let Some(to) = self.scratch_byte(lane, offset + i as u64 * bytes + byte) {
                    *to = (value >> (8 * byte)) as u8;
                }
            }
        }
        None
    }

    /// First component of an element in the local's storage; `None` if the index is out of range.
    fn local_slot(
        &mut self,
        lane: usize,
        fields: &Fields,
        index: u32,
    ) -> Result<Option<(Local, usize)>, EvalError> {
        let local = fields.local.ok_or(EvalError::Malformed("no local"))?;
        let data = self.shader.locals.get(local).ok_or(EvalError::Malformed("no such local"))?;
        let (components, length) = (usize::from(data.components), data.length as usize);
        let size = components.saturating_mul(length).saturating_mul(self.lanes);
        if size > MAX_LOCAL_SIZE {
            return Err(EvalError::Malformed("local variable too large"));
        }
        if self.locals[local].len() != size {
            let garbage =
                (0..size as u64).map(|i| self.garbage(i ^ 0x5555_0000_0000) & bit_mask(data.bits));
            self.locals[local] = garbage.collect();
        }
        let index = index as usize;
        Ok((index < length).then_some((local, (lane * length + index) * components)))
    }

    fn load_local(
        &mut self,
        lane: usize,
        fields: &Fields,
        index: u32,
    ) -> Result<[u64; 4], EvalError> {
        let mut data = [0; 4];
        match self.local_slot(lane, fields, index)? {
            Some((local, start)) => {
                let count = usize::from(self.shader.locals[local].components);
                data[..count].copy_from_slice(&self.locals[local][start..start + count]);
            }
            None => data = [0, 1, 2, 3].map(|i| self.garbage(i)),
        }
        Ok(data)
    }

    fn store_local(
        &mut self,
        lane: usize,
        fields: &Fields,
        index: u32,
        data: [u64; 4],
    ) -> Result<(), EvalError> {
        if let Some((local, start)) = self.local_slot(lane, fields, index)? {
            let count = usize::from(self.shader.locals[local].components);
            for i in (0..count).filter(|i| fields.write_mask >> i & 1 != 0) {
                self.locals[local][start + i] = data[i];
            }
        }
        Ok(())
    }

    fn io_load(
        &mut self,
        components: u8,
        io: Io,
        mut load: impl FnMut(&mut Self, &Io) -> Result<u32, EvalError>,
    ) -> Result<[u64; 4], EvalError> {
        let mut data = [0; 4];
        for (i, out) in data.iter_mut().enumerate().take(components.into()) {
            let io = Io { component: io.component + i as u8, ..io };
            *out = load(self, &io)?.into();
        }
        Ok(data)
    }

    fn io_store(
        &mut self,
        lane: usize,
        data: [u64; 4],
        io: Io,
        write_mask: u8,
    ) -> Result<Option<[u64; 4]>, EvalError> {
        for (i, value) in data.into_iter().enumerate() {
            if write_mask >> i & 1 != 0 {
                let io = Io { component: io.component + i as u8, ..io };
                self.services.store_output(lane, &io, value as u32)?;
            }
        }
        Ok(None)
    }
}
