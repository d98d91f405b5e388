//! The local data share, and exchange between lanes.

use amd_isa::{Opcode, Operand, Register};

use crate::arithmetic::integer;
use crate::error::Reason;
use crate::pending;
use crate::register::LANES;
use crate::run::Step;

impl Step<'_> {
    /// Executes an operation of DS.
    pub(crate) fn data_share(&mut self) -> Result<(), Reason> {
        if self.instruction.modifiers.gds {
            return Err(self.not_modeled());
        }
        let name = self.opcode().mnemonic();
        if self.opcode() == Opcode::DsNop {
            return Ok(());
        }
        let returns = !self.opcode().info().destinations.is_empty();
        let counts = matches!(self.opcode(), Opcode::DsAppend | Opcode::DsConsume);
        if !counts && self.row.slots.len() <= usize::from(returns) || name.contains("_src2_") {
            return Err(self.not_modeled());
        }
        let count = if returns { usize::from(self.slot(0).kind.dwords()) } else { 0 };
        let mut results = vec![[0; LANES]; count];
        let exec = self.wave.exec();
        let lanes = (0..LANES).filter(|lane| exec >> lane & 1 != 0);
        match self.opcode() {
            Opcode::DsSwizzleB32 => {
                for lane in lanes {
                    results[0][lane] = self.swizzled(lane);
                }
            }
            Opcode::DsAppend | Opcode::DsConsume => results[0] = self.counted(exec),
            Opcode::DsBpermuteB32 => {
                for lane in lanes {
                    let from = (self.lane_value(1, lane) as usize
                        + self.instruction.modifiers.offset as usize)
                        >> 2
                        & 63;
                    let active = exec >> from & 1 != 0;
                    results[0][lane] = if active { self.lane_value(2, from) as u32 } else { 0 };
                }
            }
            _ => {
                for lane in lanes {
                    let values = self.share_lane(name, usize::from(returns), lane, count)?;
                    for (register, value) in results.iter_mut().zip(values) {
                        register[lane] = value;
                    }
                }
            }
        }
        let writes = match self.operand(0) {
            Operand::Vector(first) if returns => results
                .into_iter()
                .enumerate()
                .map(|(index, values)| (Register::Vector(first + index as u8), values))
                .collect(),
            _ => Vec::new(),
        };
        self.pend(pending::Kind::Share, writes, Vec::new());
        Ok(())
    }

    /// Adds the number of active lanes to a value of the share, or subtracts it. Returns the old
    /// value for all lanes.
    fn counted(&mut self, exec: u64) -> [u32; LANES] {
        let address = self.share_address(0, self.instruction.modifiers.offset, 4);
        let old = self.share_read(address, 4)[0];
        let new = match self.opcode() {
            Opcode::DsAppend => old.wrapping_add(exec.count_ones()),
            _ => old.wrapping_sub(exec.count_ones()),
        };
        self.share_write(address, &[new], 4);
        [old; LANES]
    }

    /// Value of another lane: a permutation of quads, or a mask of lane numbers within 32.
    fn swizzled(&self, lane: usize) -> u32 {
        let pattern = self.instruction.modifiers.offset as usize;
        let from = if pattern & 0x8000 != 0 {
            lane & !3 | pattern >> (2 * (lane & 3)) & 3
        } else {
            let (and, or, xor) = (pattern & 31, pattern >> 5 & 31, pattern >> 10 & 31);
            lane & 32 | (lane & and | or) ^ xor
        };
        let active = self.wave.exec() >> from & 1 != 0;
        if active { self.lane_value(1, from) as u32 } else { 0 }
    }

    /// Executes an access of one lane; returns the dwords of the destination.
    fn share_lane(
        &mut self,
        name: &str,
        first: usize,
        lane: usize,
        count: usize,
    ) -> Result<Vec<u32>, Reason> {
        let base = self.lane_value(first, lane) as u32;
        let data = |step: &Self, index: usize| {
            let at = first + 1 + index;
            if at < step.row.slots.len() { step.share_data(at, lane) } else { Vec::new() }
        };
        let (data0, data1) = (data(self, 0), data(self, 1));
        let modifiers = self.instruction.modifiers;
        let wide = name.ends_with("64");
        let bytes = if wide { 8 } else { 4 };
        if self.opcode().has_two_offsets() {
            let unit = bytes as u32 * if name.contains("st64") { 64 } else { 1 };
            let mut result = Vec::new();
            for (offset, data) in modifiers.offsets.iter().zip([data0, data1]) {
                let address = self.share_address(base, u32::from(*offset) * unit, bytes);
                result.extend(self.share_read(address, bytes));
                if !data.is_empty() {
                    self.share_write(address, &data, bytes);
                }
            }
            return Ok(result);
        }
        let size = match name {
            _ if name.ends_with("_b8")
                || name.ends_with("8") && name.contains("read") && !name.ends_with("128") =>
            {
                1
            }
            _ if name.ends_with("16") => 2,
            _ if name.ends_with("_b96") => 12,
            _ if name.ends_with("_b128") => 16,
            _ => bytes,
        };
        let address = self.share_address(base, modifiers.offset, size);
        if name.starts_with("ds_read_") {
            let mut values = self.share_read(address, size);
            values.resize(count, 0);
            if name.ends_with("_i8") {
                values[0] = values[0] as u8 as i8 as u32;
            } else if name.ends_with("_i16") {
                values[0] = values[0] as u16 as i16 as u32;
            }
            return Ok(values);
        }
        if name.starts_with("ds_write_b") {
            self.share_write(address, &data0, size);
            return Ok(Vec::new());
        }
        let join = |words: &[u32]| {
            let at = |index: usize| u64::from(words.get(index).copied().unwrap_or(0));
            at(0) | at(1) << 32
        };
        let old_words = self.share_read(address, bytes);
        let old = join(&old_words);
        let operation = share_operation(name).ok_or_else(|| self.not_modeled())?;
        let new = integer::atomic(operation, wide, old, join(&data0), join(&data1))
            .ok_or_else(|| self.not_modeled())?;
        self.share_write(address, &[new as u32, (new >> 32) as u32], bytes);
        Ok(old_words)
    }

    /// Dwords of a data operand.
    fn share_data(&self, index: usize, lane: usize) -> Vec<u32> {
        let Operand::Vector(first) = self.operand(index) else { return Vec::new() };
        let count = usize::from(self.slot(index).kind.dwords());
        (0..count).map(|at| self.wave.vector[usize::from(first) + at][lane]).collect()
    }

    /// Address of an access; none if it is out of range of the share or of the clamp in M0.
    fn share_address(&self, base: u32, offset: u32, bytes: usize) -> Option<usize> {
        if self.quirks.ds_negative_base && (base as i32) < 0 && offset != 0 {
            return None;
        }
        let address = base.wrapping_add(offset) as usize;
        let end = address.checked_add(bytes)?;
        let inside = end <= self.wave.local.len() && end as u64 <= u64::from(self.wave.m0());
        inside.then_some(address & !(bytes.min(4) - 1))
    }

    fn share_read(&self, address: Option<usize>, bytes: usize) -> Vec<u32> {
        let mut words = vec![0; bytes.div_ceil(4)];
        if let Some(address) = address {
            for (at, byte) in self.wave.local[address..address + bytes].iter().enumerate() {
                words[at / 4] |= u32::from(*byte) << (8 * (at % 4));
            }
        }
        words
    }

    fn share_write(&mut self, address: Option<usize>, words: &[u32], bytes: usize) {
        let Some(address) = address else { return };
        let all = words.iter().flat_map(|word| word.to_le_bytes());
        for (target, byte) in self.wave.local[address..address + bytes].iter_mut().zip(all) {
            *target = byte;
        }
    }
}

/// Name of the operation of an atomic: `ds_add_rtn_u32` adds.
fn share_operation(name: &str) -> Option<&'static str> {
    let name = name.strip_prefix("ds_")?;
    let (operation, kind) = name.split_once('_')?;
    let kind = kind.trim_start_matches("rtn_");
    Some(match (operation, kind.as_bytes().first()?) {
        ("add", b'u') => "add",
        ("sub", _) => "sub",
        ("rsub", _) => "rsub",
        ("inc", _) => "inc",
        ("dec", _) => "dec",
        ("min", b'i') => "smin",
        ("min", b'u') => "umin",
        ("max", b'i') => "smax",
        ("max", b'u') => "umax",
        ("and", _) => "and",
        ("or", _) => "or",
        ("xor", _) => "xor",
        ("mskor", _) => "mskor",
        ("wrxchg", _) => "swap",
        // The first value is compared, the second is new.
        ("cmpst", b'b') => "cmpst",
        _ => return None,
    })
}
