//! Decoder of kernels with a cache of decoded instructions.

use eu::{CachedInstruction, DevInfo, Inst, InstructionCache, ValidationCache};

use crate::decoded::{self, DecodedInstruction, DecodedInstructionWriter};
use crate::error::DecodeError;
use crate::kernel::Kernel;
use crate::quirks::Quirks;

/// Tag bit of an instruction that steers.
const STEERS: u8 = 1;
/// Tag bit of a compacted instruction.
const COMPACTED: u8 = 2;

fn tag(inst: &Inst) -> u8 {
    let bit = |holds, bit| if holds { bit } else { 0 };
    bit(inst.steers(), STEERS) | bit(inst.compacted, COMPACTED)
}

/// A decoded instruction in its storage.
pub(crate) struct DecodedEntry<'a> {
    /// Storage of the instruction.
    pub writer: &'a DecodedInstructionWriter,
    /// Index in the storage.
    pub index: u32,
    /// True if the instruction steers (see [`Inst::steers`]).
    pub steers: bool,
    /// 8 or 16.
    pub len_bytes: usize,
}

/// Decodes kernels of one device; equal instructions of its kernels share storage.
#[derive(Debug)]
pub struct Decoder {
    devinfo: &'static DevInfo,
    quirks: Quirks,
    cache: InstructionCache<DecodedInstructionWriter>,
}

impl Decoder {
    /// A decoder with an empty cache.
    pub fn new(devinfo: &'static DevInfo) -> Decoder {
        Decoder { devinfo, quirks: Quirks::of(devinfo), cache: InstructionCache::new(decoded::CAPACITY) }
    }

    /// The kernel at the start of `bytes`, as [`Kernel::decode`]. `insts` decodes the instructions missing here.
    ///
    /// # Errors
    /// As [`Kernel::decode`].
    pub fn kernel(&mut self, insts: &mut ValidationCache, bytes: &[u8]) -> Result<Kernel, DecodeError> {
        Kernel::decode_at(self, insts, bytes, 0)
    }

    pub(crate) fn devinfo(&self) -> &'static DevInfo {
        self.devinfo
    }

    /// The instruction at the start of `bytes`.
    pub(crate) fn decode(
        &mut self,
        insts: &mut ValidationCache,
        bytes: &[u8],
    ) -> Result<DecodedEntry<'_>, eu::DecodeError> {
        let quirks = &self.quirks;
        let make = |writer: &mut DecodedInstructionWriter| {
            let (inst, _) = insts.decode(bytes)?;
            writer.push(|| DecodedInstruction::new(quirks, inst));
            Ok(tag(&inst))
        };
        let encoding = eu::raw_encoding(self.devinfo, bytes)?;
        let CachedInstruction { storage, index, tag } = self.cache.get(encoding, make)?;
        let tag = *tag;
        let len_bytes = if tag & COMPACTED != 0 { 8 } else { 16 };
        Ok(DecodedEntry { writer: storage, index, steers: tag & STEERS != 0, len_bytes })
    }
}
