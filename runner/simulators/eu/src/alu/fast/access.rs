//! Operands as whole registers: how the lanes of a step lie in the register file, and their reading
//! and writing.

use intel_isa::Type;

use crate::op::{Op, Place};
use crate::region::Lanes;
use crate::regs::{GRF_BYTES, Registers};

/// Arrangement of the lanes of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LaneLayout {
    /// Consecutive elements.
    Packed,
    /// 16-bit elements in the low halves of consecutive dwords.
    Strided,
    /// One element for all lanes.
    Scalar,
    /// Rows of four dwords, each permuted the same way.
    Swizzled,
    /// A constant for all lanes.
    Constant,
    /// A vector immediate.
    Vector,
    /// Anywhere, by the offsets of the operand.
    Listed,
    /// No place: a result that only conditions see.
    Nowhere,
}

/// An operand of an implementation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) layout: LaneLayout,
    pub(super) ty: Type,
    pub(super) negate: bool,
    pub(super) abs: bool,
    /// Dwords that the lanes of a row read, and the distance of rows (0 or 4).
    swizzle: [u8; 4],
    pitch: u8,
    /// Byte offset of the first lane of each step.
    pub(super) base: [u16; 2],
    pub(super) constant: u64,
}

/// Division of an instruction into steps of lanes that execute at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    /// Steps, 1 or 2.
    pub(super) count: u8,
    /// Channels of a step.
    pub(super) channels: u8,
    /// Lanes of the arrays: 4, 8 or 16.
    pub(super) lanes: u8,
}

impl Access {
    pub(super) const NOWHERE: Access = Access {
        layout: LaneLayout::Nowhere,
        ty: Type::UD,
        negate: false,
        abs: false,
        swizzle: [0; 4],
        pitch: 0,
        base: [0; 2],
        constant: 0,
    };

    /// Source `index` of `op`; none if a lane is outside the register file or in another one.
    pub(super) fn source(op: &Op, index: usize, steps: Steps) -> Option<Access> {
        let source = &op.src[index];
        let access =
            Access { ty: source.ty, negate: source.negate, abs: source.abs, ..Access::NOWHERE };
        match &source.place {
            Place::Grf(lanes) => access.general(op, lanes, steps),
            Place::Imm(constant) => {
                Some(Access { layout: LaneLayout::Constant, constant: *constant, ..access })
            }
            Place::ImmVector(_) => Some(Access { layout: LaneLayout::Vector, ..access }),
            _ => None,
        }
    }

    /// The destination of `op`.
    pub(super) fn destination(op: &Op, steps: Steps) -> Option<Access> {
        let access = Access { ty: op.dst.ty, ..Access::NOWHERE };
        match &op.dst.place {
            Place::Grf(lanes) => access.general(op, lanes, steps),
            Place::Null => Some(access),
            _ => None,
        }
    }

    fn general(self, op: &Op, lanes: &Lanes, steps: Steps) -> Option<Access> {
        let size = self.ty.size() as usize;
        let (count, width) = (usize::from(op.shape.channels), usize::from(steps.channels));
        let is_inside = |channel: usize| {
            let (low, high) = (usize::from(lanes.low(channel)), lanes.high(channel));
            low + size <= GRF_BYTES && (size < 8 || high + 4 <= GRF_BYTES)
        };
        let second = if steps.count == 2 { lanes.low(width) } else { 0 };
        let found = Access { base: [lanes.low(0), second], ..self };
        let Lanes::Steps { step, .. } = *lanes else {
            let inside = (0..count).all(is_inside);
            let listed = Access { layout: LaneLayout::Listed, ..found };
            return inside.then(|| found.swizzled(lanes, steps).unwrap_or(listed));
        };
        // Offsets grow within a step: the last lane is the farthest.
        if ![width - 1, count - 1].into_iter().all(is_inside) {
            return None;
        }
        let step = if width == 1 { 0 } else { usize::from(step) };
        let lanes = usize::from(steps.lanes);
        let layout = if step == 0 {
            LaneLayout::Scalar
        } else if step == size && found.fits(steps, lanes * size) {
            LaneLayout::Packed
        } else if size == 2 && step == 4 && found.fits(steps, lanes * 4) {
            LaneLayout::Strided
        } else {
            LaneLayout::Listed
        };
        Some(Access { layout, ..found })
    }

    /// Returns whether the register file holds `bytes` from the base of every step on.
    fn fits(&self, steps: Steps, bytes: usize) -> bool {
        let mut bases = self.base.iter().take(steps.count.into());
        bases.all(|&start| usize::from(start) + bytes <= GRF_BYTES)
    }

    /// A permutation within rows of four dwords, if that is all.
    fn swizzled(self, lanes: &Lanes, steps: Steps) -> Option<Access> {
        let width = usize::from(steps.channels);
        if self.ty.size() != 4 || !width.is_multiple_of(4) || !lanes.is_whole() {
            return None;
        }
        let at = |lane: usize| usize::from(lanes.low(lane));
        let row = |step: usize, lane: usize| (0..4).map(move |k| at(step * width + lane + k));
        let start = row(0, 0).min()? & !15;
        let offsets: [usize; 4] = std::array::from_fn(|k| at(k).wrapping_sub(start) / 4);
        if offsets.iter().any(|&offset| offset > 3) {
            return None;
        }
        let pitch = if width > 4 { row(0, 4).min()?.checked_sub(row(0, 0).min()?)? } else { 0 };
        if pitch != 0 && pitch != 16 {
            return None;
        }
        let mut base = [start as u16, 0];
        if steps.count == 2 {
            base[1] = (row(1, 0).min()? & !15) as u16;
        }
        let same = (0..usize::from(steps.count)).all(|step| {
            (0..width).all(|lane| {
                at(step * width + lane)
                    == usize::from(base[step]) + lane / 4 * pitch + offsets[lane % 4] * 4
            })
        });
        let (swizzle, pitch) = (offsets.map(|offset| offset as u8), (pitch / 4) as u8);
        let found = Access { layout: LaneLayout::Swizzled, swizzle, pitch, base, ..self };
        (same && found.fits(steps, usize::from(steps.lanes) * 4)).then_some(found)
    }

    /// Bytes that a step's lanes touch, from its base.
    fn extent(&self, steps: Steps) -> usize {
        let lanes = usize::from(steps.channels);
        match self.layout {
            LaneLayout::Packed => lanes * self.ty.size() as usize,
            LaneLayout::Strided => lanes * 4,
            LaneLayout::Scalar => self.ty.size() as usize,
            LaneLayout::Swizzled => lanes.div_ceil(4) * 16,
            _ => 0,
        }
    }

    /// This access with both steps at once, if they are consecutive.
    pub(super) fn merged(&self, steps: Steps) -> Option<Access> {
        let bytes = self.extent(steps) as u16;
        let follows = match self.layout {
            LaneLayout::Packed | LaneLayout::Strided => self.base[1] == self.base[0] + bytes,
            LaneLayout::Scalar => self.base[1] == self.base[0],
            LaneLayout::Swizzled => {
                self.pitch == 4 && self.base[1] == self.base[0] + bytes
                    || self.pitch == 0
                        && self.base[1] == self.base[0]
                        && usize::from(self.base[0]) + 64 <= GRF_BYTES
            }
            LaneLayout::Constant | LaneLayout::Vector | LaneLayout::Nowhere => true,
            LaneLayout::Listed => false,
        };
        follows.then_some(*self)
    }

    /// Returns whether the second step reads of this source what the first step writes.
    pub(super) fn sees_first_step_of(&self, dst: &Access, steps: Steps) -> bool {
        if matches!(self.layout, LaneLayout::Constant | LaneLayout::Vector)
            || dst.layout == LaneLayout::Nowhere
        {
            return false;
        }
        let (read, written) = (usize::from(self.base[1]), usize::from(dst.base[0]));
        read < written + dst.extent(steps) && written < read + self.extent(steps)
    }

    /// The elements of a step, zero-extended.
    #[inline(always)]
    pub(super) fn read<const N: usize>(
        &self,
        registers: &Registers,
        op: &Op,
        index: usize,
        step: usize,
        first: usize,
    ) -> [u32; N] {
        let start = usize::from(self.base[step]);
        match self.layout {
            LaneLayout::Packed if self.ty.size() == 4 => dwords(registers, start),
            LaneLayout::Packed if self.ty.size() == 2 => words(registers, start),
            LaneLayout::Strided => {
                let mut values = dwords::<N>(registers, start);
                for value in &mut values {
                    *value &= 0xffff;
                }
                values
            }
            LaneLayout::Scalar => [element(registers, start, self.ty.size()); N],
            LaneLayout::Constant => [self.constant as u32; N],
            LaneLayout::Swizzled => self.permuted(registers, start),
            _ => self.listed(registers, op, index, first),
        }
    }

    #[inline(always)]
    fn permuted<const N: usize>(&self, registers: &Registers, start: usize) -> [u32; N] {
        let window = dwords::<N>(registers, start);
        let pitch = usize::from(self.pitch);
        std::array::from_fn(|lane| {
            window[(lane / 4 * pitch + usize::from(self.swizzle[lane % 4])) % N]
        })
    }

    /// Elements that lie anywhere.
    #[inline(never)]
    fn listed<const N: usize>(
        &self,
        registers: &Registers,
        op: &Op,
        index: usize,
        first: usize,
    ) -> [u32; N] {
        let mut values = [0; N];
        let channels = first..usize::from(op.shape.channels);
        match &op.src[index].place {
            Place::Grf(lanes) => {
                for (value, channel) in values.iter_mut().zip(channels) {
                    *value = element(registers, lanes.low(channel).into(), self.ty.size());
                }
            }
            Place::ImmVector(elements) => {
                for (value, channel) in values.iter_mut().zip(channels) {
                    *value = elements[channel & 7] as u32;
                }
            }
            _ => {}
        }
        values
    }

    /// The 64-bit elements of a step.
    #[inline(always)]
    pub(super) fn read_wide<const N: usize>(
        &self,
        registers: &Registers,
        op: &Op,
        index: usize,
        step: usize,
        first: usize,
    ) -> [u64; N] {
        let start = usize::from(self.base[step]);
        let mut values = [0; N];
        match self.layout {
            LaneLayout::Packed => {
                if let Some(bytes) = registers.grf.get(start..start + 8 * N) {
                    for (value, bytes) in values.iter_mut().zip(bytes.as_chunks::<8>().0) {
                        *value = u64::from_le_bytes(*bytes);
                    }
                }
            }
            LaneLayout::Scalar => values = [registers.read(start, 8); N],
            LaneLayout::Constant => values = [self.constant; N],
            _ => {
                if let Place::Grf(lanes) = &op.src[index].place {
                    let channels = first..usize::from(op.shape.channels);
                    for (value, channel) in values.iter_mut().zip(channels) {
                        *value = u64::from(registers.dword(lanes.low(channel).into()))
                            | u64::from(registers.dword(lanes.high(channel))) << 32;
                    }
                }
            }
        }
        values
    }

    /// Writes the low bits of `values` to the enabled lanes of a step.
    #[inline(always)]
    pub(super) fn write<const N: usize>(
        &self,
        registers: &mut Registers,
        op: &Op,
        (step, first): (usize, usize),
        enabled: u32,
        values: &[u32; N],
    ) {
        let start = usize::from(self.base[step]);
        match self.layout {
            LaneLayout::Nowhere => {}
            LaneLayout::Packed if self.ty.size() == 4 => {
                let Some(bytes) = registers.grf.bytes_mut(start..start + 4 * N) else { return };
                let slots = bytes.as_chunks_mut::<4>().0;
                if enabled == full::<N>() {
                    for (slot, value) in slots.iter_mut().zip(values) {
                        *slot = value.to_le_bytes();
                    }
                    return;
                }
                for (lane, (slot, value)) in slots.iter_mut().zip(values).enumerate() {
                    let keep = u32::from(enabled & 1 << lane != 0).wrapping_sub(1);
                    let old = u32::from_le_bytes(*slot);
                    *slot = (old & keep | value & !keep).to_le_bytes();
                }
            }
            _ => self.scatter(registers, op, (start, first), enabled, values),
        }
    }

    /// Writes elements that are not consecutive dwords.
    #[inline(never)]
    fn scatter<const N: usize>(
        &self,
        registers: &mut Registers,
        op: &Op,
        (start, first): (usize, usize),
        enabled: u32,
        values: &[u32; N],
    ) {
        if self.layout == LaneLayout::Packed && self.ty.size() == 2 {
            let Some(bytes) = registers.grf.bytes_mut(start..start + 2 * N) else { return };
            let slots = bytes.as_chunks_mut::<2>().0;
            for (lane, (slot, value)) in slots.iter_mut().zip(values).enumerate() {
                let keep = u16::from(enabled & 1 << lane != 0).wrapping_sub(1);
                let old = u16::from_le_bytes(*slot);
                *slot = (old & keep | *value as u16 & !keep).to_le_bytes();
            }
            return;
        }
        let Place::Grf(lanes) = &op.dst.place else { return };
        let mut rest = enabled;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let offset = lanes.low(first + lane).into();
            registers.write(offset, self.ty.size() as usize, values[lane % N].into());
        }
    }

    /// Writes 64-bit results.
    #[inline(always)]
    pub(super) fn write_wide<const N: usize>(
        &self,
        registers: &mut Registers,
        op: &Op,
        (step, first): (usize, usize),
        enabled: u32,
        values: &[u64; N],
    ) {
        let start = usize::from(self.base[step]);
        if self.layout == LaneLayout::Packed {
            let Some(bytes) = registers.grf.bytes_mut(start..start + 8 * N) else { return };
            let slots = bytes.as_chunks_mut::<8>().0;
            for (lane, (slot, value)) in slots.iter_mut().zip(values).enumerate() {
                let keep = u64::from(enabled & 1 << lane != 0).wrapping_sub(1);
                let old = u64::from_le_bytes(*slot);
                *slot = (old & keep | value & !keep).to_le_bytes();
            }
            return;
        }
        let Place::Grf(lanes) = &op.dst.place else { return };
        for (lane, &value) in values.iter().enumerate() {
            if enabled & 1 << lane != 0 {
                registers.write(lanes.low(first + lane).into(), 4, value);
                registers.write(lanes.high(first + lane), 4, value >> 32);
            }
        }
    }
}

/// All `N` lanes.
#[inline(always)]
pub(super) fn full<const N: usize>() -> u32 {
    u32::MAX >> (32 - N)
}

#[inline(always)]
fn dwords<const N: usize>(registers: &Registers, start: usize) -> [u32; N] {
    let mut values = [0; N];
    if let Some(bytes) = registers.grf.get(start..start + 4 * N) {
        for (value, bytes) in values.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *value = u32::from_le_bytes(*bytes);
        }
    }
    values
}

#[inline(always)]
fn words<const N: usize>(registers: &Registers, start: usize) -> [u32; N] {
    let mut values = [0; N];
    if let Some(bytes) = registers.grf.get(start..start + 2 * N) {
        for (value, bytes) in values.iter_mut().zip(bytes.as_chunks::<2>().0) {
            *value = u16::from_le_bytes(*bytes).into();
        }
    }
    values
}

#[inline(always)]
fn element(registers: &Registers, offset: usize, size: u32) -> u32 {
    match size {
        4 => registers.dword(offset),
        size => registers.read(offset, size as usize) as u32,
    }
}
