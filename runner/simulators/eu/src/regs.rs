//! The register files of one thread.

use std::ops::{Deref, DerefMut, Range};

use crate::soft_float::Round;

/// Number of general registers.
pub const GRF_COUNT: usize = 128;
/// Bytes of a general register.
pub const REG_SIZE: usize = 32;
/// Bytes of the general register file.
pub const GRF_BYTES: usize = GRF_COUNT * REG_SIZE;
/// Channels an accumulator register holds at most (16-bit types).
pub const ACC_LANES: usize = 16;

/// `cr0.0`: ALT (non-IEEE) floating-point mode.
pub const CR0_ALT: u32 = 1;
/// `cr0.0`: keep DF subnormals.
pub const CR0_DF_DENORM: u32 = 1 << 6;
/// `cr0.0`: keep F subnormals.
pub const CR0_F_DENORM: u32 = 1 << 7;
/// `cr0.0`: keep HF subnormals (gen8+).
pub const CR0_HF_DENORM: u32 = 1 << 10;

/// A small mixing generator: everything the program never wrote reads as its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Garbage(pub u64);

impl Garbage {
    /// The garbage value number `index`.
    pub fn get(self, index: u64) -> u64 {
        let mut z = (self.0 ^ index.rotate_left(32))
            .wrapping_add(index.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// Bytes of the general registers, where a register does not cross lines of the host's cache.
///
/// Remembers which registers hold no subnormal single, so that frequent instructions need not
/// flush their sources. A change of bytes without a note makes that unknown.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct GeneralRegisters {
    bytes: [u8; GRF_BYTES],
    /// A bit per register: set only if none of its dwords is a subnormal single.
    normal: u128,
}

impl GeneralRegisters {
    /// True if none of the registers, a bit each, holds a subnormal single: looks at those of which
    /// it is unknown.
    #[inline(always)]
    pub(crate) fn are_normal(&mut self, registers: u128) -> bool {
        let unknown = registers & !self.normal;
        unknown == 0 || self.look_at(unknown)
    }

    /// Looks for subnormal singles in registers; true if there are none.
    #[inline(never)]
    fn look_at(&mut self, registers: u128) -> bool {
        let mut rest = registers;
        while rest != 0 {
            let number = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let dwords = self.bytes[number * REG_SIZE..][..REG_SIZE].as_chunks::<4>().0;
            let subnormal = |bytes: &[u8; 4]| {
                let bits = u32::from_le_bytes(*bytes);
                (bits & 0x7f80_0000 == 0) & (bits & 0x007f_ffff != 0)
            };
            if dwords.iter().fold(false, |any, bytes| any | subnormal(bytes)) {
                return false;
            }
            self.normal |= 1 << number;
        }
        true
    }

    /// Notes what writes to [`GeneralRegisters::silent_mut`] did.
    #[inline(always)]
    pub(crate) fn note(&mut self, effect: Effect) {
        self.normal = self.normal & !effect.spoiled | effect.normal;
    }

    /// Bytes to change by someone who [notes](GeneralRegisters::note) the effect.
    #[inline(always)]
    pub(crate) fn silent_mut(&mut self, range: Range<usize>) -> Option<&mut [u8]> {
        self.bytes.get_mut(range)
    }

    /// Bytes, and registers that are known to hold no subnormal single, for someone who keeps that
    /// true.
    #[inline(always)]
    pub(crate) fn parts(&mut self) -> (&mut [u8; GRF_BYTES], &mut u128) {
        (&mut self.bytes, &mut self.normal)
    }

    /// Bytes to change: whether the registers that they are in hold subnormal singles is unknown
    /// then.
    #[inline(always)]
    pub(crate) fn bytes_mut(&mut self, range: Range<usize>) -> Option<&mut [u8]> {
        self.normal &= !registers_of(range.start, range.len());
        self.bytes.get_mut(range)
    }
}

/// Effect of writes on the knowledge about subnormal singles: a bit per register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Effect {
    /// Registers that may hold some afterwards.
    pub(crate) spoiled: u128,
    /// Registers that hold none afterwards.
    pub(crate) normal: u128,
}

impl Effect {
    /// Nothing is known of registers.
    pub(crate) fn unknown(registers: u128) -> Effect {
        Effect { spoiled: registers, normal: 0 }
    }

    /// The effect of these writes and then of others.
    pub(crate) fn then(self, later: Effect) -> Effect {
        Effect {
            spoiled: self.spoiled | later.spoiled,
            normal: self.normal & !later.spoiled | later.normal,
        }
    }
}

/// The registers that some bytes are in, a bit each.
#[inline(always)]
pub(crate) fn registers_of(offset: usize, bytes: usize) -> u128 {
    let (first, last) = (offset / REG_SIZE, (offset + bytes.max(1) - 1) / REG_SIZE);
    if last >= GRF_COUNT {
        return u128::MAX;
    }
    (u128::MAX << first) & (u128::MAX >> (GRF_COUNT - 1 - last))
}

impl PartialEq for GeneralRegisters {
    fn eq(&self, other: &GeneralRegisters) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for GeneralRegisters {}

impl Deref for GeneralRegisters {
    type Target = [u8; GRF_BYTES];

    #[inline(always)]
    fn deref(&self) -> &[u8; GRF_BYTES] {
        &self.bytes
    }
}

impl DerefMut for GeneralRegisters {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u8; GRF_BYTES] {
        self.normal = 0;
        &mut self.bytes
    }
}

/// General and architecture registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers {
    /// General registers, 128 × 32 bytes.
    pub grf: Box<GeneralRegisters>,
    /// f0 and f1.
    pub flags: [u32; 2],
    /// a0: eight (before gen8) or sixteen words.
    pub address: [u16; 16],
    /// acc0 and acc1: a value per channel with the unit's extra precision — an integer in full, a
    /// float as its bits.
    pub acc: [[i128; ACC_LANES]; 2],
    /// cr0, four dwords.
    pub control: [u32; 4],
    /// sr0, four dwords.
    pub state: [u32; 4],
    /// tdr0, eight words.
    pub dependency: [u16; 8],
    /// n0, three dwords.
    pub notification: [u32; 4],
    /// Values of unwritten and nonexistent registers.
    pub garbage: Garbage,
}

impl Registers {
    /// Registers as a thread finds them: garbage, but control, state and notification registers
    /// cleared.
    pub fn new(seed: u64) -> Registers {
        let garbage = Garbage(seed);
        let mut grf = Box::new(GeneralRegisters { bytes: [0; GRF_BYTES], normal: 0 });
        for (index, bytes) in grf.chunks_exact_mut(8).enumerate() {
            bytes.copy_from_slice(&garbage.get(index as u64).to_le_bytes());
        }
        let lane = |index: usize| i128::from(garbage.get(0x1200 + index as u64) as u32);
        Registers {
            grf,
            flags: std::array::from_fn(|index| garbage.get(0x1000 + index as u64) as u32),
            address: std::array::from_fn(|index| garbage.get(0x1100 + index as u64) as u16),
            acc: std::array::from_fn(|acc| {
                std::array::from_fn(|index| lane(acc * ACC_LANES + index))
            }),
            control: [0; 4],
            state: [0; 4],
            dependency: [0; 8],
            notification: [0; 4],
            garbage,
        }
    }

    /// Takes over everything, keeping the allocation.
    pub fn copy_from(&mut self, other: &Registers) {
        let Registers {
            grf,
            flags,
            address,
            acc,
            control,
            state,
            dependency,
            notification,
            garbage,
        } = other;
        self.grf.copy_from_slice(&grf[..]);
        (self.flags, self.address, self.acc) = (*flags, *address, *acc);
        (self.control, self.state) = (*control, *state);
        (self.dependency, self.notification, self.garbage) = (*dependency, *notification, *garbage);
    }

    /// True if subnormal singles become zeros.
    #[inline(always)]
    pub(crate) fn flushes(&self) -> bool {
        self.control[0] & CR0_F_DENORM == 0
    }

    /// The rounding mode in cr0.
    pub fn round(&self) -> Round {
        match self.control[0] >> 4 & 3 {
            0 => Round::Even,
            1 => Round::Up,
            2 => Round::Down,
            _ => Round::Zero,
        }
    }

    /// The dword at byte `offset` of the general registers; garbage past the end.
    pub fn dword(&self, offset: usize) -> u32 {
        match self.grf.get(offset..offset + 4) {
            Some(bytes) => bytes.try_into().map_or(0, u32::from_le_bytes),
            None => self.garbage.get(offset as u64) as u32,
        }
    }

    /// `size` (1, 2, 4 or 8) bytes at `offset`, zero-extended; garbage past the end.
    pub fn read(&self, offset: usize, size: usize) -> u64 {
        let Some(bytes) = self.grf.get(offset..offset + size) else {
            return self.garbage.get(offset as u64) & mask(size);
        };
        let mut value = [0; 8];
        for (to, from) in value.iter_mut().zip(bytes) {
            *to = *from;
        }
        u64::from_le_bytes(value)
    }

    /// Writes the low `size` bytes of `value` at `offset`; past the end the write is lost.
    pub fn write(&mut self, offset: usize, size: usize, value: u64) {
        if let Some(bytes) = self.grf.bytes_mut(offset..offset + size) {
            for (to, from) in bytes.iter_mut().zip(value.to_le_bytes()) {
                *to = from;
            }
        }
    }

    /// Register `nr` as eight dwords.
    #[inline]
    pub fn register(&self, nr: usize) -> [u32; 8] {
        let start = nr * REG_SIZE;
        let bytes = self.grf.get(start..start + REG_SIZE);
        match bytes.and_then(|bytes| bytes.as_chunks::<4>().0.first_chunk::<8>()) {
            Some(dwords) => dwords.map(u32::from_le_bytes),
            None => std::array::from_fn(|lane| self.dword(start + lane * 4)),
        }
    }

    /// Sets register `nr` from eight dwords; past the end the write is lost.
    #[inline]
    pub fn set_register(&mut self, nr: usize, dwords: &[u32; 8]) {
        let start = nr * REG_SIZE;
        if let Some(bytes) = self.grf.bytes_mut(start..start + REG_SIZE) {
            for (to, from) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(dwords) {
                *to = from.to_le_bytes();
            }
        }
    }
}

/// A mask of `size` bytes.
pub fn mask(size: usize) -> u64 {
    if size >= 8 { u64::MAX } else { (1 << (size * 8)) - 1 }
}
