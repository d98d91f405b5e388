//! Scalar memory.

use amd_isa::{Chip, Kind, Opcode, Operand, Register, Scalar};

use crate::error::Reason;
use crate::pending;
use crate::register::LANES;
use crate::resource::Resource;
use crate::run::Step;

impl Step<'_> {
    /// Executes an operation of SMRD or SMEM.
    pub(crate) fn scalar_memory(&mut self) -> Result<(), Reason> {
        use Opcode::*;
        match self.opcode() {
            SDcacheInv | SDcacheWb | SDcacheInvVol | SDcacheWbVol => return Ok(()),
            SMemtime => {
                let Operand::Scalar(Scalar(first)) = self.operand(0) else {
                    return Err(self.not_modeled());
                };
                let time = match self.host.memory().clock() {
                    0 => self.wave.steps,
                    time => time,
                };
                let halves = [(first, time as u32), (first + 1, (time >> 32) as u32)];
                let write = |(at, value)| (Register::Scalar(at), [value; LANES]);
                self.pend(pending::Kind::Scalar, halves.map(write).to_vec(), Vec::new());
                return Ok(());
            }
            SMemrealtime | SAtcProbe => return Err(self.not_modeled()),
            _ => {}
        }
        let offset = self.scalar_offset();
        let count = usize::from(self.slot(0).kind.dwords());
        let Operand::Scalar(Scalar(first)) = self.operand(0) else {
            return Err(self.not_modeled());
        };
        let addresses = self.scalar_addresses(offset, count)?;
        if self.opcode().mnemonic().contains("_store_") {
            for (at, address) in addresses.iter().enumerate() {
                let value = self.wave.scalar[usize::from(first) + at];
                if let Some(address) = address {
                    self.write_dword(*address, value)?;
                }
            }
            self.pend(pending::Kind::Scalar, Vec::new(), Vec::new());
            return Ok(());
        }
        let mut writes = Vec::new();
        for (at, address) in addresses.iter().enumerate() {
            let value = match address {
                Some(address) => self.read_dword(*address)?,
                None => 0,
            };
            writes.push((Register::Scalar(first + at as u8), [value; LANES]));
        }
        self.pend(pending::Kind::Scalar, writes, Vec::new());
        Ok(())
    }

    /// Offset in bytes: constants count dwords on si, bytes on vi; registers hold bytes.
    fn scalar_offset(&self) -> u64 {
        match self.operand(2) {
            Operand::Immediate(value) if self.chip == Chip::Si => u64::from(value) * 4,
            _ => self.scalar_value(2),
        }
    }

    /// Addresses of dwords; none where the buffer ends before.
    fn scalar_addresses(&self, offset: u64, count: usize) -> Result<Vec<Option<u64>>, Reason> {
        let Operand::Scalar(base) = self.operand(1) else { return Err(self.not_modeled()) };
        let offsets = (0..count as u64).map(|index| (offset & !3) + 4 * index);
        if self.slot(1).kind == Kind::Base {
            let start = self.wave.pair(base) & !3;
            return Ok(offsets.map(|offset| Some(start.wrapping_add(offset))).collect());
        }
        let resource = Resource::of(self.wave, base);
        let size = resource.bytes();
        Ok(offsets
            .map(|offset| (offset + 4 <= size).then(|| (resource.base & !3) + offset))
            .collect())
    }

    pub(crate) fn read_dword(&mut self, address: u64) -> Result<u32, Reason> {
        let mut bytes = [0; 4];
        if self.host.memory().read(address, &mut bytes) {
            Ok(u32::from_le_bytes(bytes))
        } else {
            Err(Reason::Memory { address, bytes: 4 })
        }
    }

    pub(crate) fn write_dword(&mut self, address: u64, value: u32) -> Result<(), Reason> {
        if self.host.memory().write(address, &value.to_le_bytes()) {
            Ok(())
        } else {
            Err(Reason::Memory { address, bytes: 4 })
        }
    }
}
