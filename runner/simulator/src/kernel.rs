//! Decoding a binary once into resolved instructions.

use std::sync::Arc;

use eu::extent::targets;
use eu::{DevInfo, Extent, Form, Inst, KnownInsts, Opcode};

use crate::decoder::{Decoder, Resolved, Slot};
use crate::error::DecodeError;
use crate::op::Op;
use crate::quirks::Quirks;

/// A decoded kernel: every instruction resolved, every jump checked.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub(crate) devinfo: &'static DevInfo,
    pub(crate) quirks: Quirks,
    pub(crate) code: Vec<Placed>,
    /// Byte offset of each instruction in the binary, ascending.
    pub(crate) offsets: Vec<u32>,
    /// The whole binary, which may hold further kernels.
    bytes: Vec<u8>,
}

/// An instruction in its place.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub resolved: Arc<Resolved>,
    pub jump: Jump,
}

impl Placed {
    pub fn op(&self) -> &Op {
        &self.resolved.op
    }

    pub fn inst(&self) -> &Inst {
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
    /// [`Extent`]), so padding, data and further kernels may follow; see [`Kernel::entry`] for those.
    ///
    /// # Errors
    /// `bytes` are empty or too many, an instruction does not decode, or a jump leads to none.
    pub fn decode(devinfo: &'static DevInfo, bytes: &[u8]) -> Result<Kernel, DecodeError> {
        Decoder::new(devinfo).kernel(&mut KnownInsts::new(devinfo), bytes)
    }

    /// The kernel that starts at byte `offset` of the same binary.
    ///
    /// # Errors
    /// `offset` is no multiple of 8 or past the end; else as [`Kernel::decode`].
    pub fn entry(&self, offset: usize) -> Result<Kernel, DecodeError> {
        let (mut decoder, mut insts) = (Decoder::new(self.devinfo), KnownInsts::new(self.devinfo));
        Kernel::decode_at(&mut decoder, &mut insts, self.bytes.clone(), offset)
    }

    pub(crate) fn decode_at(
        decoder: &mut Decoder,
        insts: &mut KnownInsts,
        bytes: Vec<u8>,
        entry: usize,
    ) -> Result<Kernel, DecodeError> {
        let devinfo = decoder.devinfo();
        if !entry.is_multiple_of(8) || entry >= bytes.len() || bytes.len() > MAX_BYTES {
            return Err(DecodeError::Entry { offset: entry });
        }
        let mut places = Places::with_capacity((bytes.len() - entry) / 16);
        let (mut offset, mut extent) = (entry, Extent::default());
        while let Some(rest) = bytes.get(offset..).filter(|rest| !rest.is_empty()) {
            let slot = decoder
                .resolve(insts, rest)
                .map_err(|error| DecodeError::Instruction { offset, reason: error.to_string() })?;
            places.push(slot, offset);
            let ends = slot.steers && extent.ends_behind(devinfo, &slot.resolved.inst, offset);
            offset += usize::from(slot.len_bytes);
            if ends {
                break;
            }
        }
        Kernel::resolve(devinfo, places, offset, bytes)
    }

    /// Builds a kernel from instructions that stand back to back from byte 0.
    ///
    /// # Errors
    /// A jump leads to no instruction.
    pub fn from_insts(devinfo: &'static DevInfo, insts: Vec<Inst>) -> Result<Kernel, DecodeError> {
        let quirks = Quirks::of(devinfo);
        let mut places = Places::with_capacity(insts.len());
        let mut offset = 0;
        for inst in insts {
            let slot = Slot::new(&quirks, inst);
            places.push(&slot, offset);
            offset += usize::from(slot.len_bytes);
        }
        Kernel::resolve(devinfo, places, offset, Vec::new())
    }

    fn resolve(
        devinfo: &'static DevInfo,
        mut places: Places,
        end: usize,
        bytes: Vec<u8>,
    ) -> Result<Kernel, DecodeError> {
        resolve_jumps(devinfo, &mut places, end as u32)?;
        let Places { code, offsets, .. } = places;
        Ok(Kernel { devinfo, quirks: Quirks::of(devinfo), code, offsets, bytes })
    }

    /// This kernel without specialised implementations: every instruction executes channel by channel. Slow, and the
    /// definition of what the fast ones must do.
    #[must_use]
    pub fn generic(mut self) -> Kernel {
        for placed in &mut self.code {
            Arc::make_mut(&mut placed.resolved).op.fast = None;
        }
        self
    }

    /// How many instructions have a specialised implementation.
    pub fn fast_instructions(&self) -> usize {
        self.code.iter().filter(|placed| placed.op().fast.is_some()).count()
    }

    /// The device the kernel is for.
    pub fn devinfo(&self) -> &'static DevInfo {
        self.devinfo
    }

    /// The decoded instructions, in order.
    pub fn instructions(&self) -> impl ExactSizeIterator<Item = &Inst> {
        self.code.iter().map(Placed::inst)
    }

    /// Index of the instruction that starts at byte `offset`.
    pub(crate) fn index_of(&self, offset: i64) -> Option<u32> {
        let offset = u32::try_from(offset).ok()?;
        self.offsets.binary_search(&offset).ok().map(|index| index as u32)
    }
}

/// A binary larger than this is not a shader.
const MAX_BYTES: usize = 1 << 30;

/// Instructions being placed.
struct Places {
    code: Vec<Placed>,
    /// Byte offset of each.
    offsets: Vec<u32>,
    /// Indices of those that steer.
    steering: Vec<usize>,
}

impl Places {
    fn with_capacity(count: usize) -> Places {
        Places { code: Vec::with_capacity(count), offsets: Vec::with_capacity(count), steering: Vec::new() }
    }

    fn push(&mut self, slot: &Slot, offset: usize) {
        if slot.steers {
            self.steering.push(self.code.len());
        }
        self.offsets.push(offset as u32);
        self.code.push(Placed { resolved: slot.resolved.clone(), jump: Jump::default() });
    }
}

/// Turns distances into instruction indices and marks where waiting channels may resume.
fn resolve_jumps(devinfo: &DevInfo, places: &mut Places, end: u32) -> Result<(), DecodeError> {
    let Places { code, offsets, steering } = places;
    let count = code.len();
    let find = |from: u32, target: i64| -> Result<u32, DecodeError> {
        let known = u32::try_from(target).ok().and_then(|target| {
            // The end of the kernel is a legal target: a jump there is an error only if taken.
            if target == end { Some(count) } else { offsets.binary_search(&target).ok() }
        });
        known.map(|index| index as u32).ok_or(DecodeError::Jump { offset: from as usize, target })
    };
    let mut joins = Vec::new();
    let mut everywhere = false;
    for &index in &*steering {
        let (here, inst) = (offsets[index], code[index].inst());
        let mut jump = Jump::default();
        let [jip, uip] = targets(devinfo, inst, here as usize);
        if let Some((_, jip)) = jip {
            let uip = uip.map_or(jip, |(_, uip)| uip);
            (jump.jip, jump.uip) = (find(here, jip)?, find(here, uip)?);
            let target = code.get(jump.uip as usize).map(|placed| placed.inst().opcode);
            if inst.opcode == Opcode::Break && target == Some(Opcode::While) {
                // UIP names the WHILE; a channel that left the loop resumes after it.
                jump.uip += 1;
            }
        }
        if inst.opcode.is_control_flow() {
            joins.extend([jump.jip, jump.uip, index as u32 + 1]);
        }
        everywhere |= inst.opcode == Opcode::Ret || inst.opcode.form() == Form::Jmpi && !inst.src[0].is_imm();
        code[index].jump = jump;
    }
    for join in joins {
        code.get_mut(join as usize).into_iter().for_each(|placed| placed.jump.join = true);
    }
    if everywhere {
        code.iter_mut().for_each(|placed| placed.jump.join = true);
    }
    Ok(())
}
