//! The most frequent accesses of scratch space, from registers to memory without a message between.
//!
//! Layouts and rules are those of [`dataport`](super::dataport), which unusual messages and all
//! errors are left to.

use intel_isa::desc::{self, BlockSize, DataOp, DataPortMessage, Lengths, ScratchMessage};
use intel_isa::{Desc, Inst, Opcode, RegFile};

use super::dataport::{self, channels};
use crate::host::{Host, Surface};
use crate::regs::{GRF_COUNT, REG_SIZE, Registers};

/// A message whose parts are in registers.
struct Parts {
    first: usize,
    length: usize,
    second: usize,
    /// Registers of both.
    all: usize,
}

impl Parts {
    /// The parts of an instruction's message; `None` if they are elsewhere.
    fn of(inst: &Inst, length: usize) -> Option<Parts> {
        let place = |source: usize, length: usize| {
            let operand = &inst.src[source];
            let is_inside = usize::from(operand.nr) + length <= GRF_COUNT;
            let is_direct = operand.file == RegFile::Grf && !operand.is_indirect();
            (is_inside && is_direct).then_some(usize::from(operand.nr))
        };
        let (mut second, mut rest) = (0, 0);
        if matches!(inst.opcode, Opcode::Sends | Opcode::Sendsc) {
            let Desc::Imm(bits) = inst.send?.ex_desc else { return None };
            rest = usize::from(desc::ex_mlen(bits));
            second = if rest > 0 { place(1, rest)? } else { 0 };
        }
        Some(Parts { first: place(0, length)?, length, second, all: length + rest })
    }

    /// The register that is number `index` of the message.
    fn at(&self, index: usize) -> usize {
        match index.checked_sub(self.length) {
            None => self.first + index,
            Some(index) => self.second + index,
        }
    }
}

/// An access.
struct Access<'a> {
    registers: &'a mut Registers,
    scratch: &'a mut [u8],
    parts: Parts,
    /// Registers of the response, and the first of them.
    response: usize,
    destination: Option<usize>,
    /// Registers before the offsets or data.
    header: usize,
    enabled: u32,
}

/// Executes a message to scratch space that the host lends; `None` if nothing was done, and the
/// general form is needed. `channels`: those of the instruction.
pub(super) fn execute(
    registers: &mut Registers,
    host: &mut dyn Host,
    inst: &Inst,
    (request, lengths): &(desc::Message, Lengths),
    (enabled, channels): (u32, u8),
) -> Option<()> {
    let is_scratch = match request {
        desc::Message::Scratch(_) => true,
        desc::Message::DataPort(request) => dataport::surface(request) == Surface::Scratch,
        _ => false,
    };
    if !is_scratch || inst.send?.eot {
        return None;
    }
    let parts = Parts::of(inst, lengths.mlen.into())?;
    let response = usize::from(lengths.rlen);
    let first = usize::from(inst.dst.nr);
    // A response that ends with the last register has a quirk.
    let is_inside = inst.dst.file == RegFile::Grf && first + response < GRF_COUNT;
    let access = Access {
        registers,
        scratch: host.scratch()?,
        parts,
        response,
        destination: is_inside.then_some(first),
        header: lengths.header.into(),
        enabled,
    };
    match request {
        desc::Message::Scratch(request) => access.registers(request),
        desc::Message::DataPort(request) => access.port(request, channels),
        _ => None,
    }
}

impl Access<'_> {
    fn port(self, request: &DataPortMessage, channels: u8) -> Option<()> {
        match request.op {
            DataOp::DwordScatteredRead { simd16 } => self.gather(if simd16 { 2 } else { 1 }),
            DataOp::DwordScatteredWrite { simd16 } => self.scatter(if simd16 { 2 } else { 1 }),
            DataOp::OwordBlockRead { size, aligned } => {
                let start = self.global_offset()?.wrapping_mul(if aligned { 16 } else { 1 });
                self.read(start, count_of(size)?)
            }
            DataOp::OwordBlockWrite { size } => {
                let start = self.global_offset()?.wrapping_mul(16);
                let count = count_of(size)?;
                let period = if channels > 8 { 2 } else { 1 };
                let lanes = self.enabled;
                (channels <= 16).then_some(())?;
                self.write(start, count, |index| lanes >> (index % period * 8))
            }
            _ => None,
        }
    }

    /// A message of whole registers at an offset that it names.
    fn registers(self, request: &ScratchMessage) -> Option<()> {
        let (start, count) = (u32::from(request.offset) * 32, usize::from(request.registers));
        let lanes = self.enabled;
        match (request.write, request.dword) {
            (false, _) => self.read(start, count),
            (true, true) => self.write(start, count, |index| lanes >> (index % 2 * 8)),
            (true, false) => self.write(start, count, |_| 0xff),
        }
    }

    /// The header's global offset.
    fn global_offset(&self) -> Option<u32> {
        (self.parts.all > 0).then(|| self.registers.register(self.parts.at(0))[2])
    }

    /// Reads whole registers.
    fn read(self, start: u32, count: usize) -> Option<()> {
        let first = self.destination.filter(|_| self.response == count)?;
        let place = self.scratch.get(start as usize..)?.get(..count * REG_SIZE)?;
        for (number, bytes) in (first..).zip(place.as_chunks::<REG_SIZE>().0) {
            let dwords = bytes.as_chunks::<4>().0.first_chunk::<8>()?;
            self.registers.set_register(number, &dwords.map(u32::from_le_bytes));
        }
        Some(())
    }

    /// Writes registers after the first one of the message, those of their lanes that have a bit.
    fn write(self, start: u32, count: usize, lanes: impl Fn(usize) -> u32) -> Option<()> {
        if self.response != 0 || self.parts.all < 1 + count {
            return None;
        }
        let place = self.scratch.get_mut(start as usize..)?.get_mut(..count * REG_SIZE)?;
        for (index, bytes) in place.as_chunks_mut::<REG_SIZE>().0.iter_mut().enumerate() {
            let register = self.registers.register(self.parts.at(1 + index));
            let dwords = bytes.as_chunks_mut::<4>().0;
            for lane in channels(lanes(index), 8) {
                dwords[lane] = register[lane].to_le_bytes();
            }
        }
        Some(())
    }

    /// The dwords of channels from register `index` of the message on.
    fn plane(&self, index: usize, planes: usize) -> [u32; 16] {
        let mut plane = [0; 16];
        for (half, dwords) in plane.as_chunks_mut::<8>().0.iter_mut().take(planes).enumerate() {
            *dwords = self.registers.register(self.parts.at(index + half));
        }
        plane
    }

    /// First byte of each enabled channel's dword. `None` if a dword is outside of the space.
    fn places(&self, planes: usize) -> Option<[usize; 16]> {
        if self.parts.all < self.header + planes {
            return None;
        }
        let base = if self.header == 0 { 0 } else { self.global_offset()? };
        let offsets = self.plane(self.header, planes);
        let mut places = [0; 16];
        for channel in channels(self.enabled, 8 * planes) {
            places[channel] = base.wrapping_add(offsets[channel].wrapping_mul(4)) as usize;
            self.scratch.get(places[channel]..)?.first_chunk::<4>()?;
        }
        Some(places)
    }

    /// Reads a dword per channel.
    fn gather(self, planes: usize) -> Option<()> {
        let first = self.destination.filter(|_| self.response == planes)?;
        let places = self.places(planes)?;
        for half in 0..planes {
            let mut register = self.registers.register(first + half);
            for lane in channels(self.enabled >> (8 * half), 8) {
                let bytes = self.scratch.get(places[8 * half + lane]..)?.first_chunk()?;
                register[lane] = u32::from_le_bytes(*bytes);
            }
            self.registers.set_register(first + half, &register);
        }
        Some(())
    }

    /// Writes a dword per channel.
    fn scatter(self, planes: usize) -> Option<()> {
        if self.response != 0 || self.parts.all < self.header + 2 * planes {
            return None;
        }
        let places = self.places(planes)?;
        let data = self.plane(self.header + planes, planes);
        for channel in channels(self.enabled, 8 * planes) {
            let bytes = self.scratch.get_mut(places[channel]..)?.first_chunk_mut()?;
            *bytes = data[channel].to_le_bytes();
        }
        Some(())
    }
}

/// Registers of a block; `None` if it is half of one.
fn count_of(size: BlockSize) -> Option<usize> {
    let owords = usize::from(size.owords());
    (owords >= 2).then_some(owords / 2)
}
