//! Values of vector registers in a group of four lanes.

use std::collections::BTreeMap;

use cranelift_codegen::ir::types::{F32X4, F64X2, I32X4, I64X2};
use cranelift_codegen::ir::{InstBuilder, Value};

use super::region::LaneSource;
use super::translation::{ROW, Wave, lanes_access};
use crate::lanes::{Subnormals, is_normal};

/// A source that is the same in all groups, or a register.
#[derive(Clone, Copy)]
pub(super) enum Operand {
    Register(u8),
    Constant(u64),
    /// A scalar, and the vector with it in all lanes.
    Same(Value, Value),
    /// A bit per lane of the wave.
    Bits(Value),
    /// The mask that an instruction of the run has computed.
    Own(usize),
}

/// A value of a vector register.
#[derive(Clone, Copy)]
pub(super) struct Held {
    /// The dwords.
    pub(super) bits: Value,
    /// The same as singles for operations that take subnormal ones for zero: in these a lane may
    /// still be subnormal that is zero in the dwords.
    pub(super) single: Option<Value>,
    /// True if no lane of the dwords is a subnormal single.
    pub(super) normal: bool,
}

/// Singles as sources.
#[derive(Clone, Copy)]
pub(super) struct Singles {
    pub(super) value: Value,
    /// The same without subnormal ones, if it costs nothing to know.
    pub(super) normal: Option<Value>,
}

/// Dwords as sources.
#[derive(Clone, Copy)]
pub(super) struct Dwords {
    pub(super) value: Value,
    /// True if none is a subnormal single; modifiers change signs alone.
    pub(super) normal: bool,
    /// The dword in all lanes, if there is one.
    pub(super) same: Option<Value>,
}

/// The registers of a group.
pub(super) struct Group {
    /// Address of the group's lanes of register 0.
    base: Value,
    /// Number of the first lane.
    lane: Value,
    /// Active lanes, if not all are.
    enabled: Option<Value>,
    held: BTreeMap<u8, Held>,
    /// Doubles in pairs of registers, by the first.
    doubles: BTreeMap<u8, [Value; 2]>,
    written: Vec<u8>,
    /// Masks by the instructions that computed them.
    masks: BTreeMap<usize, Value>,
    steps: usize,
}

impl Group {
    pub(super) fn new(base: Value, lane: Value, enabled: Option<Value>) -> Group {
        Group {
            base,
            lane,
            enabled,
            held: BTreeMap::new(),
            doubles: BTreeMap::new(),
            written: Vec::new(),
            masks: BTreeMap::new(),
            steps: 0,
        }
    }

    /// The mask that an instruction has computed.
    pub(super) fn mask(&self, step: usize) -> Value {
        self.masks[&step]
    }

    /// Notes the mask of the current instruction.
    pub(super) fn set_mask(&mut self, mask: Value) {
        self.masks.insert(self.steps, mask);
    }

    /// Goes on to the next instruction.
    pub(super) fn advance(&mut self) {
        self.steps += 1;
    }

    /// Writes a register.
    pub(super) fn write(&mut self, register: u8, held: Held) {
        self.held.insert(register, held);
        self.doubles.remove(&register);
        if register > 0 {
            self.doubles.remove(&(register - 1));
        }
        if !self.written.contains(&register) {
            self.written.push(register);
        }
    }

    /// Notes the doubles in two registers.
    pub(super) fn note_doubles(&mut self, register: u8, values: [Value; 2]) {
        self.doubles.insert(register, values);
    }
}

impl Wave<'_, '_> {
    fn held(&mut self, group: &mut Group, register: u8) -> Held {
        if let Some(held) = group.held.get(&register) {
            return *held;
        }
        let offset = i32::from(register) * ROW;
        let bits = self.b.f.ins().load(I32X4, lanes_access(), group.base, offset);
        let held = Held { bits, single: None, normal: false };
        group.held.insert(register, held);
        held
    }

    /// Stores the results of a group.
    pub(super) fn store_group(&mut self, group: &mut Group) {
        let mask = group.enabled.map(|bits| self.b.mask(bits, 0));
        for register in std::mem::take(&mut group.written) {
            let offset = i32::from(register) * ROW;
            let mut bits = group.held[&register].bits;
            if let Some(mask) = mask {
                let old = self.b.f.ins().load(I32X4, lanes_access(), group.base, offset);
                bits = self.b.f.ins().bitselect(mask, bits, old);
            }
            self.b.f.ins().store(lanes_access(), bits, group.base, offset);
        }
    }

    /// The dwords of a source.
    pub(super) fn dwords(
        &mut self,
        group: &mut Group,
        source: &LaneSource,
        operand: Operand,
    ) -> Dwords {
        let (keep, flip) = (source.keep as u32, source.flip as u32);
        let mut dwords = match operand {
            Operand::Register(register) => {
                let held = self.held(group, register);
                Dwords { value: held.bits, normal: held.normal, same: None }
            }
            Operand::Constant(value) => {
                let dword = value as u32 & keep ^ flip;
                let (value, same) = (self.b.splat(dword), self.b.dword(dword));
                return Dwords { value, normal: is_normal(dword), same: Some(same) };
            }
            Operand::Same(scalar, spread) => {
                let is_plain = keep == u32::MAX && flip == 0;
                Dwords { value: spread, normal: false, same: is_plain.then_some(scalar) }
            }
            Operand::Bits(_) | Operand::Own(_) => {
                let value = self.lane_mask(group, operand);
                Dwords { value, normal: true, same: None }
            }
        };
        dwords.value = self.modified(dwords.value, keep, flip);
        dwords
    }

    fn modified(&mut self, mut value: Value, keep: u32, flip: u32) -> Value {
        if keep != u32::MAX {
            let keep = self.b.splat(keep);
            value = self.b.f.ins().band(value, keep);
        }
        if flip != 0 {
            let flip = self.b.splat(flip);
            value = self.b.f.ins().bxor(value, flip);
        }
        value
    }

    /// The lanes whose bit is set in a mask: all bits of a lane or none.
    pub(super) fn lane_mask(&mut self, group: &Group, operand: Operand) -> Value {
        match operand {
            Operand::Own(step) => group.mask(step),
            Operand::Bits(bits) => {
                let bits = self.b.f.ins().ushr(bits, group.lane);
                let bits = self.b.f.ins().ireduce(cranelift_codegen::ir::types::I32, bits);
                self.b.mask(bits, 0)
            }
            _ => self.b.splat(0),
        }
    }

    /// The singles of a source.
    pub(super) fn singles(
        &mut self,
        group: &mut Group,
        source: &LaneSource,
        operand: Operand,
    ) -> Singles {
        let (keep, flip) = (source.keep as u32, source.flip as u32);
        let flushes = self.b.subnormals == Subnormals::Flush;
        if let Operand::Register(register) = operand {
            let mut held = self.held(group, register);
            let value = match held.single {
                Some(single) => single,
                None => {
                    let flush = flushes && !held.normal;
                    let bits = if flush { self.b.flush(held.bits) } else { held.bits };
                    let single = self.b.cast(F32X4, bits);
                    held.single = Some(single);
                    group.held.insert(register, held);
                    single
                }
            };
            let normal = (held.normal || flushes).then(|| {
                let bits = if held.normal { held.bits } else { self.b.cast(I32X4, value) };
                let bits = self.modified(bits, keep, flip);
                self.b.cast(F32X4, bits)
            });
            let bits = self.b.cast(I32X4, value);
            let bits = self.modified(bits, keep, flip);
            return Singles { value: self.b.cast(F32X4, bits), normal };
        }
        if let Operand::Constant(value) = operand {
            let mut dword = value as u32 & keep ^ flip;
            if !is_normal(dword) {
                dword &= 0x8000_0000;
            }
            let bits = self.b.splat(dword);
            let value = self.b.cast(F32X4, bits);
            return Singles { value, normal: Some(value) };
        }
        let mut bits = self.dwords(group, source, operand).value;
        if flushes {
            bits = self.b.flush(bits);
        }
        let value = self.b.cast(F32X4, bits);
        Singles { value, normal: flushes.then_some(value) }
    }

    /// The doubles of a source: two lanes each.
    pub(super) fn doubles(
        &mut self,
        group: &mut Group,
        source: &LaneSource,
        operand: Operand,
    ) -> [Value; 2] {
        let values = match operand {
            Operand::Register(register) => match group.doubles.get(&register) {
                Some(values) => *values,
                None => {
                    let low = self.held(group, register).bits;
                    let high = self.held(group, register + 1).bits;
                    let values = self.joined(low, high);
                    group.doubles.insert(register, values);
                    values
                }
            },
            Operand::Same(_, spread) => [self.b.cast(F64X2, spread); 2],
            Operand::Constant(value) => {
                let value = self.b.quadword(value & source.keep ^ source.flip);
                return [self.b.cast(F64X2, value); 2];
            }
            Operand::Bits(_) | Operand::Own(_) => {
                let zero = self.b.quadword(0);
                [self.b.cast(F64X2, zero); 2]
            }
        };
        if source.keep == u64::MAX && source.flip == 0 {
            return values;
        }
        values.map(|value| {
            let mut bits = self.b.cast(I64X2, value);
            if source.keep != u64::MAX {
                let keep = self.b.quadword(source.keep);
                bits = self.b.f.ins().band(bits, keep);
            }
            if source.flip != 0 {
                let flip = self.b.quadword(source.flip);
                bits = self.b.f.ins().bxor(bits, flip);
            }
            self.b.cast(F64X2, bits)
        })
    }

    /// Doubles of their low and high dwords.
    fn joined(&mut self, low: Value, high: Value) -> [Value; 2] {
        let places = |first: u8| {
            std::array::from_fn(|byte| {
                let (part, rest) = (byte as u8 / 4, byte as u8 % 4);
                (part % 2) * 16 + first + part / 2 * 4 + rest
            })
        };
        [0, 8].map(|first| {
            let bits = self.b.shuffle(low, high, places(first));
            self.b.cast(F64X2, bits)
        })
    }

    /// One dword of each quadword.
    pub(super) fn halves_of(&mut self, values: [Value; 2], high: bool) -> Value {
        let first = if high { 4 } else { 0 };
        let bytes = std::array::from_fn(|byte| {
            let (part, rest) = (byte as u8 / 4, byte as u8 % 4);
            part * 8 + first + rest
        });
        let [low, other] = values.map(|value| self.b.cast(I32X4, value));
        self.b.shuffle(low, other, bytes)
    }
}
