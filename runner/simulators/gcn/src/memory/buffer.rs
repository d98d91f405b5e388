//! Buffers: MUBUF and MTBUF.

use amd_isa::{Format, Opcode, Operand, Register};

use super::format;
use crate::buffer_form::{BufferForm, Unit};
use crate::error::Reason;
use crate::pending;
use crate::register::LANES;
use crate::resource::Resource;
use crate::run::Step;

/// Dwords of a lane's data, at most.
const MOST: usize = 5;

/// Access of one lane.
#[derive(Clone, Copy)]
pub(super) struct Access {
    /// Address of the first byte.
    pub(super) address: u64,
    /// Bytes from there to the end of what the range check allows; negative if out of range.
    pub(super) room: i64,
}

/// The lanes of a mask.
fn active(mask: u64) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |lane| mask >> lane & 1 != 0)
}

impl Step<'_> {
    /// Executes an operation on a buffer.
    pub(crate) fn buffer(&mut self, form: BufferForm) -> Result<(), Reason> {
        use Opcode::*;
        let BufferForm { unit, stores, formatted, is_atomic, packs, .. } = form;
        if matches!(self.opcode(), BufferWbinvl1 | BufferWbinvl1Sc | BufferWbinvl1Vol) {
            return Ok(());
        }
        let modifiers = self.instruction.modifiers;
        if modifiers.lds || modifiers.tfe || packs || self.row.slots.len() < 4 {
            return Err(self.not_modeled());
        }
        let Operand::Scalar(first) = self.operand(2) else { return Err(self.not_modeled()) };
        let mut resource = Resource::of(self.wave, first);
        if resource.kind != 0 {
            return Err(Reason::Descriptor(format!("type {} is not a buffer", resource.kind)));
        }
        if self.row.format == Format::Mtbuf {
            (resource.data_format, resource.number_format) = (modifiers.dfmt, modifiers.nfmt);
        }
        let exec = self.wave.exec();
        let count = self.data_dwords().min(MOST);
        let mut loaded = vec![[0; LANES]; count];
        let scalar = self.scalar_value(3);
        let mut accesses = [Access { address: 0, room: -1 }; LANES];
        for lane in active(exec) {
            accesses[lane] = self.lane_access(&resource, scalar, lane);
        }
        let lanes = match is_atomic || formatted {
            true => exec,
            false => self.plain_lanes(&accesses, (unit, stores), &mut loaded),
        };
        for lane in active(lanes) {
            let access = accesses[lane];
            let mut data = self.lane_data(lane, count);
            let data = &mut data[..count];
            if !is_atomic && !formatted {
                self.plain(&access, data, unit, stores)?;
                for (register, value) in loaded.iter_mut().zip(data) {
                    register[lane] = *value;
                }
                continue;
            }
            let result = match is_atomic {
                true => self.atomic(&access, data)?,
                false => self.formatted(&resource, &access, data, stores)?,
            };
            for (register, value) in loaded.iter_mut().zip(result) {
                register[lane] = value;
            }
        }
        self.finish_access(form, loaded);
        Ok(())
    }

    fn data_dwords(&self) -> usize {
        usize::from(self.slot(0).dwords(&self.instruction.modifiers, self.opcode()))
    }

    fn lane_data(&self, lane: usize, count: usize) -> [u32; MOST] {
        let mut data = [0; MOST];
        if let Operand::Vector(first) = self.operand(0) {
            for (index, value) in data[..count].iter_mut().enumerate() {
                *value = self.wave.vector[usize::from(first) + index][lane];
            }
        }
        data
    }

    /// Records the registers that are written and read later.
    pub(super) fn finish_access(&mut self, form: BufferForm, loaded: Vec<[u32; LANES]>) {
        let Operand::Vector(first) = self.operand(0) else { return };
        let registers = (0..loaded.len()).map(|index| Register::Vector(first + index as u8));
        let BufferForm { stores, is_atomic, compares, .. } = form;
        let returns = !stores && (!is_atomic || self.instruction.modifiers.glc);
        let returned = if compares { loaded.len() / 2 } else { loaded.len() };
        let writes = registers.clone().zip(loaded).take(returned);
        let writes = if returns { writes.collect() } else { Vec::new() };
        if (stores || is_atomic) && self.quirks.store_data_held {
            self.pend(pending::Kind::Export(3), Vec::new(), registers.collect());
        }
        self.pend(pending::Kind::Vector, writes, Vec::new());
    }

    /// Address and range of a lane's access.
    fn lane_access(&self, resource: &Resource, scalar: u64, lane: usize) -> Access {
        let modifiers = &self.instruction.modifiers;
        let register = |index: u8| match self.operand(1) {
            Operand::Vector(first) => u64::from(self.wave.vector[usize::from(first + index)][lane]),
            _ => 0,
        };
        if modifiers.addr64 {
            let address = register(0) | register(1) << 32;
            let offset = u64::from(modifiers.offset) + scalar;
            let address = resource.base.wrapping_add(address).wrapping_add(offset);
            return Access { address, room: i64::MAX };
        }
        let mut index = if modifiers.idxen { register(0) } else { 0 };
        let mut offset = u64::from(modifiers.offset);
        if modifiers.offen {
            offset += register(u8::from(modifiers.idxen));
        }
        if resource.add_lane {
            index += lane as u64;
        }
        let ignores_scalar =
            self.quirks.soffset_clamp && (modifiers.idxen || modifiers.offen) && scalar != 0;
        let records = i64::from(resource.records);
        let in_bytes = self.quirks.records_in_bytes && !resource.swizzle;
        let room = if resource.stride == 0 || in_bytes {
            let scalar = if ignores_scalar { 0 } else { scalar as i64 };
            records - scalar - (index * u64::from(resource.stride) + offset) as i64
        } else if index as i64 >= records {
            -1
        } else if modifiers.idxen || resource.add_lane {
            if resource.swizzle && resource.add_lane {
                i64::MAX
            } else {
                i64::from(resource.stride) - offset as i64
            }
        } else {
            i64::MAX
        };
        let address = resource.base + scalar + resource.offset(index, offset);
        Access { address, room }
    }

    /// Loads or stores of the active lanes that access plain memory; returns the other ones.
    fn plain_lanes(
        &mut self,
        accesses: &[Access; LANES],
        (unit, stores): (Unit, bool),
        loaded: &mut [[u32; LANES]],
    ) -> u64 {
        let exec = self.wave.exec();
        let Some(first) = active(exec).next() else { return 0 };
        let Operand::Vector(register) = self.operand(0) else { return exec };
        let Some((start, memory)) = self.host.memory().plain(accesses[first].address) else {
            return exec;
        };
        let mut others = 0;
        for lane in active(exec) {
            let Access { address, room } = accesses[lane];
            let offset = (address & !(unit.bytes as u64 - 1)).wrapping_sub(start);
            let size = 4 * loaded.len().saturating_sub(1) + unit.bytes;
            let end = offset.checked_add(size as u64).filter(|_| room >= size as i64);
            let range = end.map(|end| offset as usize..end as usize);
            let Some(place) = range.and_then(|range| memory.get_mut(range)) else {
                others |= 1 << lane;
                continue;
            };
            let registers = loaded.iter_mut().zip(usize::from(register)..);
            for (place, (loaded, number)) in place.chunks_mut(4).zip(registers) {
                if stores {
                    let value = self.wave.vector[number][lane].to_le_bytes();
                    place.copy_from_slice(&value[..place.len()]);
                } else {
                    let mut value = [0; 4];
                    value[..place.len()].copy_from_slice(place);
                    loaded[lane] = unit.extended(u32::from_le_bytes(value));
                }
            }
        }
        others
    }

    /// Loads or stores of bytes, words and dwords: units of the operation. The data are those that
    /// are stored, and then those that are loaded.
    pub(super) fn plain(
        &mut self,
        access: &Access,
        data: &mut [u32],
        unit: Unit,
        stores: bool,
    ) -> Result<(), Reason> {
        let Unit { bytes, .. } = unit;
        let address = access.address & !(bytes as u64 - 1);
        for (index, value) in data.iter_mut().enumerate() {
            let at = address.wrapping_add(4 * index as u64);
            let inside = access.room >= (4 * index + bytes) as i64;
            *value = match (inside, stores) {
                (false, _) => 0,
                (true, true) => {
                    self.write_bytes(at, &value.to_le_bytes()[..bytes])?;
                    0
                }
                (true, false) => unit.extended(self.read_bytes(at, bytes)? as u32),
            };
        }
        Ok(())
    }

    /// Loads or stores with conversion.
    fn formatted(
        &mut self,
        resource: &Resource,
        access: &Access,
        data: &[u32],
        stores: bool,
    ) -> Result<Vec<u32>, Reason> {
        let widths = format::channel_bits(resource.data_format);
        let bytes = widths.iter().sum::<u32>() as usize / 8;
        let unknown = || {
            let Resource { data_format, number_format, .. } = resource;
            Reason::Descriptor(format!("format {data_format} with numbers {number_format}"))
        };
        let is_packed_float = matches!(resource.data_format, 6 | 7) && resource.number_format == 7;
        let is_unknown = matches!(resource.data_format, 6..=8) && !is_packed_float;
        if widths.is_empty() || is_unknown {
            return Err(unknown());
        }
        if access.room < bytes as i64 {
            return Ok(vec![0; data.len()]);
        }
        let positions = widths.iter().scan(0, |at, width| {
            let position = *at;
            *at += width;
            Some((position, *width))
        });
        if stores {
            let mut bits = 0_u128;
            for (channel, (position, width)) in positions.enumerate() {
                let value = data.get(channel).copied().unwrap_or(0);
                let value =
                    format::store(value, width, resource.number_format).ok_or_else(unknown)?;
                bits |= u128::from(value) << position;
            }
            self.write_bytes(access.address, &bits.to_le_bytes()[..bytes])?;
            return Ok(vec![0; data.len()]);
        }
        let bits = self.read_bytes(access.address, bytes)?;
        let mut channels = Vec::new();
        for (position, width) in positions {
            let mask = if width == 32 { u32::MAX } else { (1 << width) - 1 };
            let value = (bits >> position) as u32 & mask;
            channels.push(format::load(value, width, resource.number_format).ok_or_else(unknown)?);
        }
        let integer = matches!(resource.number_format, 4 | 5);
        let one = if integer { 1 } else { 1.0_f32.to_bits() };
        let missing = |channel: usize| if channel == 3 { one } else { 0 };
        let select = resource.select.iter().map(|select| match select {
            1 => one,
            4..=7 => {
                let channel = usize::from(*select) - 4;
                channels.get(channel).copied().unwrap_or(missing(channel))
            }
            _ => 0,
        });
        Ok(select.take(data.len()).collect())
    }

    /// Exchanges a value in memory; returns the old one.
    pub(super) fn atomic(&mut self, access: &Access, data: &[u32]) -> Result<Vec<u32>, Reason> {
        let name = self.opcode().mnemonic();
        let wide = name.ends_with("_x2");
        let bytes = if wide { 8 } else { 4 };
        if access.room < bytes as i64 {
            return Ok(vec![0; data.len()]);
        }
        let value = |index: usize| {
            let at = |index: usize| u64::from(data.get(index).copied().unwrap_or(0));
            if wide { at(2 * index) | at(2 * index + 1) << 32 } else { at(index) }
        };
        let (_, operation) = name.split_once("_atomic_").ok_or_else(|| self.not_modeled())?;
        let operation = operation.trim_end_matches("_x2");
        let old = self.read_bytes(access.address, bytes)? as u64;
        let new = crate::arithmetic::integer::atomic(operation, wide, old, value(0), value(1))
            .ok_or_else(|| self.not_modeled())?;
        self.write_bytes(access.address, &new.to_le_bytes()[..bytes])?;
        let mut result = vec![old as u32];
        if wide {
            result.push((old >> 32) as u32);
        }
        Ok(result)
    }

    fn read_bytes(&mut self, address: u64, count: usize) -> Result<u128, Reason> {
        let mut bytes = [0; 16];
        if self.host.memory().read(address, &mut bytes[..count]) {
            Ok(u128::from_le_bytes(bytes))
        } else {
            Err(Reason::Memory { address, bytes: count })
        }
    }

    fn write_bytes(&mut self, address: u64, bytes: &[u8]) -> Result<(), Reason> {
        if self.host.memory().write(address, bytes) {
            Ok(())
        } else {
            Err(Reason::Memory { address, bytes: bytes.len() })
        }
    }
}
