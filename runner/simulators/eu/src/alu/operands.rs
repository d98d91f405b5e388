//! Reading source elements and writing destination elements, wherever they are.

use intel_isa::{Arf, Type};

use crate::exec_shape::ExecShape;
use crate::op::{Dst, Indirect, Place, Src};
use crate::quirks;
use crate::regs::{ACC_LANES, REG_SIZE, Registers, mask};

/// State that instructions can read but that lives outside the register files.
#[derive(Clone, Copy, Debug, Default)]
pub struct Live {
    /// Byte offset of the current instruction.
    pub ip: u32,
    /// The execution mask.
    pub channels: u32,
    /// The time stamp.
    pub time: u64,
}

/// Accumulator and lane at a byte offset.
fn accumulator_lane(offset: usize, size: usize) -> (usize, usize) {
    ((offset / REG_SIZE) & 1, (offset % REG_SIZE / size.max(1)) % ACC_LANES)
}

/// The raw bits of one element of a source.
pub fn fetch(
    registers: &Registers,
    live: &Live,
    shape: &ExecShape,
    src: &Src,
    channel: usize,
) -> u64 {
    let size = src.ty.size() as usize;
    match &src.place {
        Place::Null => registers.garbage.get(0x2000 + channel as u64) & mask(size),
        Place::Imm(element) => *element,
        Place::ImmVector(elements) => elements[channel & 7],
        Place::Grf(lanes) => {
            let low = usize::from(lanes.low(channel));
            match size {
                8 => {
                    u64::from(registers.dword(low))
                        | u64::from(registers.dword(lanes.high(channel))) << 32
                }
                _ => registers.read(low, size),
            }
        }
        Place::Indirect(indirect) => {
            let Indirect { subreg, offset, rows, lanes } = &**indirect;
            let base = |row: u8| address(registers, shape, *subreg, row, *offset);
            let low = base(rows[0][channel & 31]) + usize::from(lanes.low(channel));
            if size == 8 {
                let high = base(rows[1][channel & 31]) + lanes.high(channel);
                return u64::from(registers.dword(low)) | u64::from(registers.dword(high)) << 32;
            }
            registers.read(low, size)
        }
        Place::Accumulator(lanes) => {
            read_accumulator(registers, lanes.low(channel).into(), src.ty) as u64 & mask(size)
        }
        Place::Arf(arf, lanes) => {
            let offset = usize::from(lanes.low(channel));
            read_arf(registers, live, *arf, offset, size, channel)
        }
    }
}

/// An address through a0. Words that this device's a0 lacks give an address outside the file.
fn address(registers: &Registers, shape: &ExecShape, subreg: u8, row: u8, offset: i16) -> usize {
    let index = usize::from(subreg) + usize::from(row);
    match registers.address.get(index) {
        Some(&word) if index < usize::from(shape.quirks.address_words) => {
            quirks::indirect_address(&shape.quirks, word, offset) as usize
        }
        _ => usize::from(u16::MAX),
    }
}

/// The value of an accumulator element with the extra precision integers have there. Integers have
/// no acc1.
pub fn read_accumulator(registers: &Registers, offset: usize, ty: Type) -> i128 {
    let (nr, lane) = accumulator_lane(offset, ty.size() as usize);
    if nr == 1 && ty.is_integer() {
        return i128::from(registers.garbage.get(0x3000 + lane as u64) as u32);
    }
    registers.acc[nr][lane]
}

/// Writes an accumulator element; an integer write to acc1 is lost.
pub fn write_accumulator(registers: &mut Registers, offset: usize, ty: Type, value: i128) {
    let (nr, lane) = accumulator_lane(offset, ty.size() as usize);
    if nr == 0 || !ty.is_integer() {
        registers.acc[nr][lane] = value;
    }
}

fn read_arf(
    registers: &Registers,
    live: &Live,
    arf: Arf,
    offset: usize,
    size: usize,
    channel: usize,
) -> u64 {
    let mut image = [0u8; 64];
    let fill = |image: &mut [u8; 64], words: &[u32]| {
        for (bytes, word) in image.chunks_exact_mut(4).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
    };
    match arf {
        Arf::Flag(_) => fill(&mut image, &registers.flags),
        Arf::Address(_) => {
            for (bytes, word) in image.chunks_exact_mut(2).zip(&registers.address) {
                bytes.copy_from_slice(&word.to_le_bytes());
            }
        }
        Arf::Control(_) => fill(&mut image, &registers.control),
        Arf::State(_) => fill(&mut image, &registers.state),
        Arf::Notification(_) => fill(&mut image, &registers.notification),
        Arf::Mask(_) => fill(&mut image, &[live.channels]),
        Arf::Ip => fill(&mut image, &[live.ip]),
        Arf::Timestamp(_) => fill(&mut image, &[live.time as u32, (live.time >> 32) as u32, 0, 0]),
        Arf::Tdr(_) => {
            for (bytes, word) in image.chunks_exact_mut(2).zip(&registers.dependency) {
                bytes.copy_from_slice(&word.to_le_bytes());
            }
        }
        _ => return registers.garbage.get(0x4000 + channel as u64) & mask(size),
    }
    let mut value = [0u8; 8];
    let bytes = image.get(offset..offset + size).unwrap_or(&[]);
    for (to, from) in value.iter_mut().zip(bytes) {
        *to = *from;
    }
    u64::from_le_bytes(value)
}

/// Writes one element of the destination; `value` is what an accumulator keeps beyond `bits`.
pub fn put(
    registers: &mut Registers,
    shape: &ExecShape,
    dst: &Dst,
    channel: usize,
    bits: u64,
    value: i128,
) {
    let size = dst.ty.size() as usize;
    match &dst.place {
        Place::Null | Place::Imm(_) | Place::ImmVector(_) => {}
        Place::Grf(lanes) => {
            let low = usize::from(lanes.low(channel));
            write_element(registers, dst, (low, lanes.high(channel)), size, bits, channel);
        }
        Place::Indirect(indirect) => {
            let Indirect { subreg, offset, rows, lanes } = &**indirect;
            let base = address(registers, shape, *subreg, rows[0][channel & 31], *offset);
            let low = base + usize::from(lanes.low(channel));
            let high = base + lanes.high(channel);
            write_element(registers, dst, (low, high), size, bits, channel);
        }
        Place::Accumulator(lanes) => {
            write_accumulator(registers, lanes.low(channel).into(), dst.ty, value)
        }
        Place::Arf(arf, lanes) => write_arf(registers, *arf, lanes.low(channel).into(), size, bits),
    }
}

fn write_element(
    registers: &mut Registers,
    dst: &Dst,
    at: (usize, usize),
    size: usize,
    bits: u64,
    channel: usize,
) {
    let (low, high) = at;
    if size < 8 {
        registers.write(low, size, bits);
        if dst.odd_garbage {
            // The second of the pair of 32-bit channels that a DF channel is.
            let odd = registers.garbage.get(0x5000 + channel as u64);
            registers.write(high, size, odd);
        }
        return;
    }
    registers.write(low, 4, bits);
    registers.write(high, 4, bits >> 32);
}

fn write_arf(registers: &mut Registers, arf: Arf, offset: usize, size: usize, bits: u64) {
    let dwords: &mut [u32] = match arf {
        Arf::Flag(_) => &mut registers.flags,
        Arf::Control(_) => &mut registers.control,
        Arf::State(_) => &mut registers.state,
        Arf::Notification(_) => &mut registers.notification,
        Arf::Address(_) => return write_words(&mut registers.address, offset, size, bits),
        Arf::Tdr(_) => return write_words(&mut registers.dependency, offset, size, bits),
        _ => return,
    };
    for byte in 0..size {
        if let Some(dword) = dwords.get_mut((offset + byte) / 4) {
            let shift = (offset + byte) % 4 * 8;
            *dword = *dword & !(0xff << shift) | ((bits >> (8 * byte)) as u32 & 0xff) << shift;
        }
    }
}

fn write_words(words: &mut [u16], offset: usize, size: usize, bits: u64) {
    for byte in 0..size {
        if let Some(word) = words.get_mut((offset + byte) / 2) {
            let shift = (offset + byte) % 2 * 8;
            *word = *word & !(0xff << shift) | ((bits >> (8 * byte)) as u16 & 0xff) << shift;
        }
    }
}
