//! URB: output registers, SIMD8 write and read messages. Shared by the stages of the geometry
//! pipeline.
//!
//! A SIMD8 write has a register of handles, optionally one of offsets per channel in owords and one
//! of channel masks, then up to eight registers of data: dword n of every channel's entry from the
//! message's offset on. Layout: `brw_lower_logical_sends.cpp` of Mesa.

use super::target::{Components, Scalar, ScalarSelection};
use crate::error::CompileError;
use crate::lir::{CondMod, File, MessageKind, Op, Operand, REG_SIZE, Type};
use crate::output::{Varying, VueMap};
use crate::sends;
use crate::stages::slot_access::{Outputs, SlotOffset};
use crate::stages::vue;
use intel_isa::desc::{self, Lengths, UrbMessage, UrbOp};
use ir::{Intrinsic, Value};
use std::ops::Range;

/// Slots that one message carries: eight registers of data.
const SLOTS_PER_WRITE: usize = 2;
/// Last register before the payload that outputs may be copied from: the handles.
const OUTPUT_HANDLES: u8 = 1;
/// Largest offset that fits the descriptor, in owords.
const MAX_OFFSET: u32 = 0x7ff;

/// Output vertices of a stage: their layout, and the registers that hold the current one.
pub(crate) struct VertexOutputs {
    /// Layout of an output vertex.
    pub map: VueMap,
    /// A register per dword of the entry, once written.
    registers: Vec<Option<Operand>>,
    /// The register of the thread's payload that is a dword's only value.
    copied: Vec<Option<u8>>,
    /// Handles of the output entries (UD).
    handles: Operand,
}

/// A SIMD8 URB write.
pub(super) struct UrbWrite<'a> {
    /// Handles of the entries (UD).
    pub handles: Operand,
    /// Offset of the data in the entry; a slot has 16 bytes.
    pub offset: SlotOffset,
    /// Dwords written: bit 16 + n for data register n (UD per channel).
    pub masks: Option<Operand>,
    /// Data registers (UD); absent ones stay undefined.
    pub data: &'a [Option<Operand>],
    /// Ends the thread.
    pub eot: bool,
}

impl VertexOutputs {
    /// Vertices of which nothing is written yet; `handles` is the register of the entries' handles.
    pub(super) fn new(map: VueMap, handles: u8) -> VertexOutputs {
        let registers = vec![None; map.slots.len() * 4];
        let copied = vec![None; map.slots.len() * 4];
        let handles = Operand::grf(handles, Type::UD);
        VertexOutputs { map, registers, copied, handles }
    }

    /// Writes the current vertex from `base` of the entry on: the slots that have a value. A header
    /// (point size, layer, viewport) that the shader does not write keeps its contents;
    /// fixed-function state then keeps its fields from being used.
    pub(super) fn write(
        &self,
        isel: &mut ScalarSelection<'_>,
        base: SlotOffset,
        eot: bool,
    ) -> Result<(), CompileError> {
        let mut registers = self.registers.clone();
        let header = self.map.slots.first() == Some(&Varying::Header);
        if header
            && let Some(fields) = registers.get_mut(..4).filter(|f| f.iter().any(Option::is_some))
        {
            fields.iter_mut().for_each(|d| *d = d.or(Some(Operand::ud(0))));
        }
        let written: Vec<bool> =
            registers.chunks(4).map(|slot| slot.iter().any(Option::is_some)).collect();
        let mut runs = if eot {
            let has_split_send = isel.model.devinfo().has_split_send;
            let dwords: Vec<Dword> = registers
                .iter()
                .zip(&self.copied)
                .map(|(r, copied)| Dword::new(*r, *copied))
                .collect();
            let of_run = |run: &Range<usize>| {
                let dwords = &dwords[run.start * 4..run.end * 4];
                if has_split_send { copies(dwords) } else { copies_with_header(dwords) }
            };
            runs_with_least_copies(&written, of_run)
        } else {
            slot_runs(&written)
        };
        if runs.is_empty() && eot {
            // The thread must end with a message: write an undefined position.
            runs.push(1..2);
        }
        let count = runs.len();
        for (index, run) in runs.into_iter().enumerate() {
            let data = &registers[run.start * 4..run.end * 4];
            let offset = base.advance(run.start as u32);
            let eot = eot && index + 1 == count;
            let handles = self.handles;
            isel.emit_urb_write(UrbWrite { handles, offset, masks: None, data, eot })?;
        }
        Ok(())
    }
}

impl Outputs<Scalar> for VertexOutputs {
    /// Stores a value to output registers.
    fn store(
        &mut self,
        isel: &mut ScalarSelection<'_>,
        intrinsic: &Intrinsic,
    ) -> Result<(), CompileError> {
        let fields = &intrinsic.fields;
        let offset = intrinsic.srcs.get(1).and_then(|&o| isel.constant(o));
        let slot = offset
            .and_then(|o| u8::try_from(o).ok())
            .and_then(|o| fields.slot.advance(o))
            .ok_or_else(|| {
            CompileError::internal("outputs with a variable index must be lowered")
        })?;
        let value: Value = *intrinsic
            .srcs
            .first()
            .ok_or_else(|| CompileError::internal("store without a value"))?;
        let Some((varying, first)) = vue::place(slot)? else { return Ok(()) };
        let Some(slot) = self.map.slot(varying) else { return Ok(()) };
        for c in 0..isel.shader.components(value) {
            let dword = first + fields.component + c;
            if fields.write_mask >> c & 1 == 0 || dword > 3 {
                continue;
            }
            let from = isel.get(value, c, Type::UD);
            let width = u32::from(isel.program.width);
            let index = slot * 4 + usize::from(dword);
            let place = match self.registers.get(index).copied().flatten() {
                Some(place) => {
                    self.copied[index] = None;
                    place
                }
                None => {
                    let place = isel.program.vreg_for(Type::UD, width);
                    self.registers[index] = Some(place);
                    self.copied[index] = match from.file {
                        File::Grf(nr) if from.offset == 0 && from.stride() == Some(1) => Some(nr),
                        _ => None,
                    };
                    place
                }
            };
            isel.builder().mov(place, from);
        }
        Ok(())
    }

    fn end_thread(&mut self, isel: &mut ScalarSelection<'_>) -> Result<(), CompileError> {
        self.write(isel, SlotOffset::default(), true)
    }

    fn into_map(self) -> VueMap {
        self.map
    }
}

/// Copies that a message's data take: in a part of a payload of its own, and in a payload at the
/// top of the register file, where messages that end the thread have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Copies {
    anywhere: u32,
    at_top: u32,
}

/// Contents of a dword of an output vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dword {
    Undefined,
    Computed,
    /// A register of the thread's payload.
    Copied(u8),
}

impl Dword {
    fn new(register: Option<Operand>, copied: Option<u8>) -> Dword {
        match (register, copied) {
            (None, _) => Dword::Undefined,
            (Some(_), None) => Dword::Computed,
            (Some(_), Some(nr)) => Dword::Copied(nr),
        }
    }
}

/// Returns the copies of a message's data. None are needed where the registers that are copied
/// neighbor each other as the dwords do.
fn copies(data: &[Dword]) -> Copies {
    let at_top = data.iter().filter(|dword| matches!(dword, Dword::Copied(_))).count() as u32;
    Copies { anywhere: if place(data).is_some() { 0 } else { at_top }, at_top }
}

/// Returns the copies of a message's header and data where they must neighbor each other: the
/// handles before registers of the thread's payload, or in a payload of their own, which all
/// messages share. The last of these counts the header.
fn copies_with_header(data: &[Dword]) -> Copies {
    let Copies { at_top, .. } = copies(data);
    let anywhere = place(data).map_or(at_top, |first| u32::from(first > OUTPUT_HANDLES + 1));
    Copies { anywhere, at_top: at_top + 1 }
}

/// Returns the register that the first dword is in if all dwords are where the message needs them.
fn place(data: &[Dword]) -> Option<u8> {
    // Registers in which the first dword would be.
    let mut bases: Vec<Option<u8>> = Vec::new();
    for (i, dword) in data.iter().enumerate() {
        match dword {
            Dword::Undefined => {}
            Dword::Computed => bases.push(None),
            Dword::Copied(nr) => bases.push(nr.checked_sub(i as u8)),
        }
    }
    let first = (*bases.first()?).filter(|&base| base > OUTPUT_HANDLES)?;
    bases.iter().all(|base| *base == Some(first)).then_some(first)
}

impl ScalarSelection<'_> {
    /// Emits one URB write.
    pub(super) fn emit_urb_write(&mut self, write: UrbWrite<'_>) -> Result<(), CompileError> {
        let offset = self.reachable(write.offset);
        let extra = u32::from(offset.per_lane.is_some()) + u32::from(write.masks.is_some());
        let mlen = 1 + extra + write.data.len() as u32;
        let payload = Operand::vgrf(self.program.vreg(mlen), Type::UD);
        let model = self.model;
        let mut b = self.builder();
        b.remark = "URB write";
        b.all_channels(8).mov(payload, write.handles);
        let mut at = payload.byte_offset(REG_SIZE);
        for part in offset.per_lane.iter().chain(&write.masks) {
            b.mov(at, *part);
            at = at.byte_offset(REG_SIZE);
        }
        for part in write.data {
            if let Some(part) = part {
                b.mov(at, *part);
            }
            at = at.byte_offset(REG_SIZE);
        }
        let message = desc::Message::Urb(UrbMessage {
            op: UrbOp::Simd8Write,
            offset: offset.constant as u16,
            interleave: false,
            per_slot_offset: offset.per_lane.is_some(),
            complete: false,
            channel_mask: write.masks.is_some(),
        });
        let lengths = Lengths::new(mlen as u8, 0).with_header();
        let mut message = sends::typed(model, &message, lengths, MessageKind::UrbWrite)?;
        message.eot = write.eot;
        let send = b.emit(Op::Send, Operand::null(Type::UD), &[payload]);
        send.message = Some(message);
        Ok(())
    }

    /// Reads `count` dwords of each channel's entry from `offset` on. Returns a register for each.
    pub(super) fn emit_urb_read(
        &mut self,
        handles: Operand,
        offset: SlotOffset,
        count: u32,
    ) -> Result<Components, CompileError> {
        let SlotOffset { constant, per_lane } = self.reachable(offset);
        let message = desc::Message::Urb(UrbMessage {
            op: UrbOp::Simd8Read,
            offset: constant as u16,
            interleave: false,
            per_slot_offset: per_lane.is_some(),
            complete: false,
            channel_mask: false,
        });
        let mlen = 1 + u32::from(per_lane.is_some());
        let lengths = Lengths::new(mlen as u8, count as u8).with_header();
        let message = sends::typed(self.model, &message, lengths, MessageKind::UrbRead)?;
        // A register of handles is a payload by itself.
        let whole = per_lane.is_none()
            && handles.stride() == Some(1)
            && handles.offset.is_multiple_of(REG_SIZE);
        let payload =
            if whole { handles } else { Operand::vgrf(self.program.vreg(mlen), Type::UD) };
        let mut b = self.builder();
        let data = b.temp_array(Type::UD, count);
        if !whole {
            b.mov(payload, handles);
        }
        if let Some(per_lane) = per_lane {
            b.mov(payload.byte_offset(REG_SIZE), per_lane);
        }
        b.emit(Op::Send, data, &[payload]).message = Some(message);
        Ok((0..count).map(|c| data.byte_offset(c * REG_SIZE)).collect())
    }

    /// Returns the handles of vertex `vertex` of `count`; `handle` returns those of a known one.
    pub(super) fn vertex_handles(
        &mut self,
        count: u32,
        vertex: Value,
        handle: impl Fn(u32) -> Operand,
    ) -> Operand {
        if let Some(vertex) = self.constant(vertex) {
            return handle(vertex.min(count - 1));
        }
        let vertex = self.get(vertex, 0, Type::UD);
        let mut b = self.builder();
        let chosen = b.temp(Type::UD);
        b.mov(chosen, handle(0));
        for v in 1..count {
            b.cmp(Operand::null(Type::UD), vertex, Operand::ud(v), CondMod::Z);
            b.mov(chosen, handle(v)).predicate(false);
        }
        chosen
    }

    /// Lets the last URB write end the thread if no instruction with an effect follows it.
    pub(super) fn end_with_last_write(&mut self) -> bool {
        let insts = &mut self.program.insts;
        let Some(last) = insts.iter().rposition(|i| i.has_side_effects()) else { return false };
        let Some(message) =
            insts[last].message.as_mut().filter(|m| m.kind == MessageKind::UrbWrite)
        else {
            return false;
        };
        message.eot = true;
        insts.truncate(last + 1);
        true
    }

    /// Returns an offset whose constant fits the descriptor; the part per channel has no limit.
    fn reachable(&mut self, offset: SlotOffset) -> SlotOffset {
        let SlotOffset { constant, per_lane } = offset;
        if constant <= MAX_OFFSET {
            return offset;
        }
        let mut b = self.builder();
        let far = b.temp(Type::UD);
        match per_lane {
            Some(more) => b.emit(Op::Add, far, &[more, Operand::ud(constant)]),
            None => b.mov(far, Operand::ud(constant)),
        };
        SlotOffset { constant: 0, per_lane: Some(far) }
    }
}

/// The slots that have a value, in groups of neighbors that one message carries.
fn slot_runs(written: &[bool]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for slot in (0..written.len()).filter(|&slot| written[slot]) {
        match runs.last_mut() {
            Some(run) if run.end == slot && run.len() < SLOTS_PER_WRITE => run.end += 1,
            _ => runs.push(slot..slot + 1),
        }
    }
    runs
}

/// Messages and copies of groups of slots, the groups, and the one that comes last.
type Groups = (u32, Vec<Range<usize>>, Option<Range<usize>>);

/// Returns the slots that have a value, in groups of neighbors that one message carries, in the
/// order of the messages: the groups for which messages and copies are fewest. The last message
/// ends the thread.
fn runs_with_least_copies(
    written: &[bool],
    copies: impl Fn(&Range<usize>) -> Copies,
) -> Vec<Range<usize>> {
    let slots: Vec<usize> = (0..written.len()).filter(|&slot| written[slot]).collect();
    // The best groups of the first slots, without and with the one that comes last.
    let mut best: Vec<[Option<Groups>; 2]> = vec![[Some((0, Vec::new(), None)), None]];
    for n in 1..=slots.len() {
        let mut found: [Option<Groups>; 2] = [None, None];
        for length in 1..=SLOTS_PER_WRITE.min(n) {
            let run = slots[n - length]..slots[n - 1] + 1;
            if run.len() != length {
                continue;
            }
            let Copies { anywhere, at_top } = copies(&run);
            for (has_last, is_last) in [(0, false), (1, false), (0, true)] {
                let Some((cost, runs, last)) = &best[n - length][has_last] else { continue };
                let cost = cost + 1 + if is_last { at_top } else { anywhere };
                let place = &mut found[usize::from(is_last).max(has_last)];
                if place.as_ref().is_none_or(|(least, ..)| cost < *least) {
                    let (mut runs, mut last) = (runs.clone(), last.clone());
                    if is_last {
                        last = Some(run.clone())
                    } else {
                        runs.push(run.clone())
                    }
                    *place = Some((cost, runs, last));
                }
            }
        }
        best.push(found);
    }
    match best.pop() {
        Some([_, Some((_, mut runs, last))]) => {
            runs.extend(last);
            runs
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Dword, copies, runs_with_least_copies, slot_runs};

    #[test]
    fn copied_registers_are_written_from_their_place() {
        let least = |written: &[bool], dwords: &[Dword]| {
            let of = |run: &std::ops::Range<usize>| copies(&dwords[run.start * 4..run.end * 4]);
            runs_with_least_copies(written, of)
        };
        let neighbors: Vec<Dword> = (0..4).map(|c| Dword::Copied(8 + c)).collect();
        let computed = vec![Dword::Computed; 4];
        let both = [neighbors.clone(), computed.clone()].concat();
        assert_eq!(least(&[true, true], &both), [0..1, 1..2]);
        assert_eq!(least(&[true, true], &[computed.clone(), neighbors].concat()), [1..2, 0..1]);
        let no_copies = least(&[true, true], &[computed.clone(), computed].concat());
        assert_eq!((no_copies.len(), no_copies[0].clone()), (1, 0..2));
    }

    #[test]
    fn neighboring_registers_need_no_copies() {
        use Dword::{Computed, Copied, Undefined};
        let count = |data: &[Dword]| copies(data).anywhere;
        assert_eq!(count(&[Copied(2), Copied(3), Undefined]), 0);
        assert_eq!(count(&[Copied(2), Copied(4)]), 2);
        assert_eq!(count(&[Copied(2), Computed]), 1);
        assert_eq!(count(&[Undefined, Copied(2)]), 1);
        assert_eq!(copies(&[Copied(2), Copied(3)]).at_top, 2);
    }

    #[test]
    fn messages_carry_two_neighboring_slots() {
        assert_eq!(slot_runs(&[true, true, true]), [0..2, 2..3]);
        assert_eq!(slot_runs(&[false, true, false, true, true]), [1..2, 3..5]);
        assert!(slot_runs(&[false, false]).is_empty());
    }
}
