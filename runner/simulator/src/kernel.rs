//! Decoding a binary once into resolved instructions.

use std::sync::Arc;

use eu::extent::targets;
use eu::{DevInfo, Extent, Form, Inst, KnownInsts, Opcode, Starts, Store};

use crate::arena::{Arena, Resolved, Shelf};
use crate::decoder::{Decoder, Slot};
use crate::error::DecodeError;
use crate::op::Op;
use crate::quirks::Quirks;

/// A decoded kernel: every instruction resolved, every jump checked.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub(crate) devinfo: &'static DevInfo,
    pub(crate) quirks: Quirks,
    places: Places,
}

/// An instruction in its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed<'a> {
    pub resolved: &'a Resolved,
    pub jump: Jump,
}

impl<'a> Placed<'a> {
    pub fn op(&self) -> &'a Op {
        &self.resolved.op
    }

    pub fn inst(&self) -> &'a Inst {
        &self.resolved.inst
    }
}

/// Where an instruction leads besides the next one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Jump {
    /// Instruction index of JIP.
    pub jip: u32,
    /// Instruction index of UIP.
    pub uip: u32,
    /// Whether waiting channels may resume here.
    pub join: bool,
}

impl Kernel {
    /// Decodes the kernel at the start of `bytes`. Decoding stops where no instruction and no jump leads on (see
    /// [`Extent`]), so padding, data and further kernels may follow; see [`Kernel::decode_from`] for those.
    ///
    /// # Errors
    /// `bytes` are empty or too many, an instruction does not decode, or a jump leads to none.
    pub fn decode(devinfo: &'static DevInfo, bytes: &[u8]) -> Result<Kernel, DecodeError> {
        Kernel::decode_from(devinfo, bytes, 0)
    }

    /// As [`Kernel::decode`], of the kernel that starts at byte `offset`.
    ///
    /// # Errors
    /// `offset` is no multiple of 8 or past the end; else as [`Kernel::decode`].
    pub fn decode_from(
        devinfo: &'static DevInfo,
        bytes: &[u8],
        offset: usize,
    ) -> Result<Kernel, DecodeError> {
        Kernel::decode_at(&mut Decoder::new(devinfo), &mut KnownInsts::new(devinfo), bytes, offset)
    }

    pub(crate) fn decode_at(
        decoder: &mut Decoder,
        insts: &mut KnownInsts,
        bytes: &[u8],
        entry: usize,
    ) -> Result<Kernel, DecodeError> {
        let devinfo = decoder.devinfo();
        if !entry.is_multiple_of(8) || entry >= bytes.len() || bytes.len() > MAX_BYTES {
            return Err(DecodeError::Entry { offset: entry });
        }
        let mut places = Places::new(entry, (bytes.len() - entry) / 16);
        let (mut offset, mut extent) = (entry, Extent::default());
        while let Some(rest) = bytes.get(offset..).filter(|rest| !rest.is_empty()) {
            let slot = decoder
                .resolve(insts, rest)
                .map_err(|error| DecodeError::Instruction { offset, reason: error.to_string() })?;
            places.push(&slot, offset);
            let inst = slot.shelf.at(slot.place).filter(|_| slot.steers);
            let ends = inst.is_some_and(|known| extent.ends_behind(devinfo, &known.inst, offset));
            offset += slot.len_bytes;
            if ends {
                break;
            }
        }
        Kernel::resolve(devinfo, places, offset)
    }

    /// Builds a kernel from instructions that stand back to back from byte 0.
    ///
    /// # Errors
    /// A jump leads to no instruction.
    pub fn from_insts(devinfo: &'static DevInfo, insts: Vec<Inst>) -> Result<Kernel, DecodeError> {
        let quirks = Quirks::of(devinfo);
        let mut places = Places::new(0, insts.len());
        let (mut shelf, mut offset) = (Shelf::default(), 0);
        for inst in insts {
            let (steers, len_bytes) = (inst.steers(), inst.len_bytes());
            shelf.push(|| Resolved::new(&quirks, inst));
            let place = shelf.len() as u32 - 1;
            places.push(&Slot { shelf: &shelf, place, steers, len_bytes }, offset);
            offset += len_bytes;
        }
        Kernel::resolve(devinfo, places, offset)
    }

    fn resolve(devinfo: &'static DevInfo, mut places: Places, end: usize) -> Result<Kernel, DecodeError> {
        places.resolve_jumps(devinfo, end)?;
        Ok(Kernel { devinfo, quirks: Quirks::of(devinfo), places })
    }

    /// This kernel without specialised implementations: every instruction executes channel by channel. Slow, and the
    /// definition of what the fast ones must do.
    #[must_use]
    pub fn generic(mut self) -> Kernel {
        let places = &mut self.places;
        let (mut shelf, mut arenas) = (Shelf::default(), Vec::new());
        for index in 0..places.code.len() {
            let Some(resolved) = places.resolved(index) else { continue };
            let mut resolved = resolved.clone();
            resolved.op.fast = None;
            shelf.push(|| resolved);
            places.code[index].at = name(&mut arenas, &shelf, shelf.len() as u32 - 1);
        }
        places.arenas = arenas;
        self
    }

    /// How many instructions have a specialised implementation.
    pub fn fast_instructions(&self) -> usize {
        self.resolved().filter(|resolved| resolved.op.fast.is_some()).count()
    }

    /// The device the kernel is for.
    pub fn devinfo(&self) -> &'static DevInfo {
        self.devinfo
    }

    /// The decoded instructions, in order.
    pub fn instructions(&self) -> impl Iterator<Item = &Inst> {
        self.resolved().map(|resolved| &resolved.inst)
    }

    fn resolved(&self) -> impl Iterator<Item = &Resolved> {
        (0..self.places.code.len()).filter_map(|index| self.places.resolved(index))
    }

    /// The instruction with this index.
    #[inline]
    pub(crate) fn placed(&self, index: u32) -> Option<Placed<'_>> {
        let resolved = self.places.resolved(index as usize)?;
        Some(Placed { resolved, jump: self.places.jump(index as usize) })
    }

    /// Byte offset of an instruction in the binary; 0 if there is none.
    pub(crate) fn offset(&self, index: u32) -> u32 {
        self.places.starts.at(index as usize).unwrap_or(0) as u32
    }

    /// Index of the instruction that starts at byte `offset`.
    pub(crate) fn index_of(&self, offset: i64) -> Option<u32> {
        self.places.starts.index_of(offset).map(|index| index as u32)
    }
}

/// A binary larger than this is not a shader.
const MAX_BYTES: usize = 1 << 29;

/// Instructions in order.
#[derive(Clone, Debug)]
struct Places {
    code: Vec<Place>,
    /// Where the resolved instructions are.
    arenas: Vec<Arc<Arena>>,
    /// The first is that of most instructions: none.
    jumps: Vec<Jump>,
    /// Byte offsets in the binary.
    starts: Starts,
    /// Indices of the instructions that steer.
    steering: Vec<usize>,
}

/// Where to find what is known of an instruction.
#[derive(Clone, Copy, Debug)]
struct Place {
    at: ResolvedAt,
    /// Index of its jump.
    jump: u32,
}

/// A resolved instruction's arena and its place there.
#[derive(Clone, Copy, Debug)]
struct ResolvedAt {
    arena: u16,
    place: u16,
}

/// The name of an instruction on a shelf, whose arena comes to `arenas` if it is not there.
fn name(arenas: &mut Vec<Arc<Arena>>, shelf: &Shelf, place: u32) -> ResolvedAt {
    // A shelf that is full is replaced: the arena in use is the last one.
    if !arenas.last().is_some_and(|arena| Arc::ptr_eq(arena, shelf.arena())) {
        arenas.push(shelf.arena().clone());
    }
    ResolvedAt { arena: arenas.len() as u16 - 1, place: place as u16 }
}

impl Places {
    /// Of about `count` instructions from byte `entry` on.
    fn new(entry: usize, count: usize) -> Places {
        Places {
            code: Vec::with_capacity(count),
            arenas: Vec::new(),
            jumps: vec![Jump::default()],
            starts: Starts::new(entry),
            steering: Vec::new(),
        }
    }

    #[inline]
    fn resolved(&self, index: usize) -> Option<&Resolved> {
        let at = self.code.get(index)?.at;
        self.arenas.get(usize::from(at.arena))?.at(at.place.into())
    }

    #[inline]
    fn jump(&self, index: usize) -> Jump {
        match self.code.get(index) {
            Some(&Place { jump, .. }) if jump > 0 => self.jumps[jump as usize],
            _ => Jump::default(),
        }
    }

    fn push(&mut self, slot: &Slot, offset: usize) {
        if slot.steers {
            self.steering.push(self.code.len());
        }
        self.starts.push(offset);
        self.code.push(Place { at: name(&mut self.arenas, slot.shelf, slot.place), jump: 0 });
    }

    /// The jump of the instruction `index`, to be changed.
    fn jump_mut(&mut self, index: usize) -> Option<&mut Jump> {
        let place = self.code.get_mut(index)?;
        if place.jump == 0 {
            place.jump = self.jumps.len() as u32;
            self.jumps.push(Jump::default());
        }
        self.jumps.get_mut(place.jump as usize)
    }

    /// The instruction that starts at byte `target`, where one at byte `from` leads.
    fn find(&self, from: usize, target: i64, end: usize) -> Result<u32, DecodeError> {
        // The end of the kernel is a legal target: a jump there is an error only if taken.
        let known = if target == end as i64 { Some(self.code.len()) } else { self.starts.index_of(target) };
        known.map(|index| index as u32).ok_or(DecodeError::Jump { offset: from, target })
    }

    /// Turns distances into instruction indices and marks where waiting channels may resume.
    fn resolve_jumps(&mut self, devinfo: &DevInfo, end: usize) -> Result<(), DecodeError> {
        let mut joins = Vec::new();
        let mut everywhere = false;
        for index in std::mem::take(&mut self.steering) {
            let here = self.starts.at(index).unwrap_or(0);
            let Some(&Resolved { inst, .. }) = self.resolved(index) else { continue };
            let mut jump = Jump::default();
            let [jip, uip] = targets(devinfo, &inst, here);
            if let Some((_, jip)) = jip {
                let uip = uip.map_or(jip, |(_, uip)| uip);
                (jump.jip, jump.uip) = (self.find(here, jip, end)?, self.find(here, uip, end)?);
                let target = self.resolved(jump.uip as usize).map(|resolved| resolved.inst.opcode);
                if inst.opcode == Opcode::Break && target == Some(Opcode::While) {
                    // UIP names the WHILE; a channel that left the loop resumes after it.
                    jump.uip += 1;
                }
            }
            if inst.opcode.is_control_flow() {
                joins.extend([jump.jip, jump.uip, index as u32 + 1]);
            }
            everywhere |=
                inst.opcode == Opcode::Ret || inst.opcode.form() == Form::Jmpi && !inst.src[0].is_imm();
            self.jump_mut(index).into_iter().for_each(|place| *place = jump);
        }
        let all = if everywhere { 0..self.code.len() } else { 0..0 };
        for join in joins.into_iter().map(|join| join as usize).chain(all) {
            self.jump_mut(join).into_iter().for_each(|jump| jump.join = true);
        }
        Ok(())
    }
}
