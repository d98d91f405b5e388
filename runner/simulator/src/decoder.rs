//! Instructions resolved before: kernels are made of few different ones.

use eu::{DevInfo, Found, Inst, KnownInsts, Recent};

use crate::arena::{self, Resolved, Shelf};
use crate::error::DecodeError;
use crate::kernel::Kernel;
use crate::quirks::Quirks;

/// Mark of an instruction word that steers.
const STEERS: u8 = 1;
/// Mark of a compacted one.
const COMPACTED: u8 = 2;

fn mark_of(inst: &Inst) -> u8 {
    let mark = |holds, mark| if holds { mark } else { 0 };
    mark(inst.steers(), STEERS) | mark(inst.compacted, COMPACTED)
}

/// A resolved instruction with what placing it asks.
pub(crate) struct Slot<'a> {
    /// The instructions among which it is.
    pub shelf: &'a Shelf,
    /// Its place there.
    pub place: u32,
    pub steers: bool,
    /// 8 or 16.
    pub len_bytes: usize,
}

/// Decodes kernels of one device; those it gave share the instructions that are alike.
#[derive(Debug)]
pub struct Decoder {
    devinfo: &'static DevInfo,
    quirks: Quirks,
    known: Recent<Shelf>,
}

impl Decoder {
    /// Knows no instruction yet.
    pub fn new(devinfo: &'static DevInfo) -> Decoder {
        Decoder { devinfo, quirks: Quirks::of(devinfo), known: Recent::new(arena::CAPACITY) }
    }

    /// The kernel at the start of `bytes`, as [`Kernel::decode`] gives it; what is new is decoded by `insts`.
    ///
    /// # Errors
    /// As [`Kernel::decode`].
    pub fn kernel(&mut self, insts: &mut KnownInsts, bytes: &[u8]) -> Result<Kernel, DecodeError> {
        Kernel::decode_at(self, insts, bytes, 0)
    }

    pub(crate) fn devinfo(&self) -> &'static DevInfo {
        self.devinfo
    }

    /// The instruction at the start of `bytes`.
    pub(crate) fn resolve(
        &mut self,
        insts: &mut KnownInsts,
        bytes: &[u8],
    ) -> Result<Slot<'_>, eu::DecodeError> {
        let quirks = &self.quirks;
        let make = |shelf: &mut Shelf| {
            let (inst, _) = insts.decode(bytes)?;
            shelf.push(|| Resolved::new(quirks, inst));
            Ok(mark_of(&inst))
        };
        let Found { values, place, mark } = self.known.get(eu::word(self.devinfo, bytes)?, make)?;
        let mark = *mark;
        let len_bytes = if mark & COMPACTED != 0 { 8 } else { 16 };
        Ok(Slot { shelf: values, place, steers: mark & STEERS != 0, len_bytes })
    }
}
