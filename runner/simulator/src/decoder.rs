//! Instructions resolved before: kernels are made of few different ones.

use std::sync::Arc;

use eu::{DevInfo, Inst, KnownInsts, Recent};

use crate::error::DecodeError;
use crate::kernel::Kernel;
use crate::op::Op;
use crate::quirks::Quirks;

/// Most instructions of one generation that are remembered: two megabytes.
const CAPACITY: usize = 1 << 11;

/// An instruction and what executing it takes; all that does not depend on where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Resolved {
    pub inst: Inst,
    pub op: Op,
}

impl Resolved {
    fn new(quirks: &Quirks, inst: Inst) -> Arc<Resolved> {
        Arc::new(Resolved { inst, op: Op::resolve(quirks, &inst) })
    }
}

/// A resolved instruction with what placing it asks.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub resolved: Arc<Resolved>,
    pub steers: bool,
    /// 8 or 16.
    pub len_bytes: u8,
}

impl Slot {
    pub fn new(quirks: &Quirks, inst: Inst) -> Slot {
        let (steers, len_bytes) = (inst.steers(), inst.len_bytes() as u8);
        Slot { resolved: Resolved::new(quirks, inst), steers, len_bytes }
    }
}

/// Decodes kernels of one device; those it gave share the instructions that are alike.
#[derive(Debug)]
pub struct Decoder {
    devinfo: &'static DevInfo,
    quirks: Quirks,
    known: Recent<Slot>,
}

impl Decoder {
    /// Knows no instruction yet.
    pub fn new(devinfo: &'static DevInfo) -> Decoder {
        Decoder { devinfo, quirks: Quirks::of(devinfo), known: Recent::new(CAPACITY) }
    }

    /// The kernel at the start of `bytes`, as [`Kernel::decode`] gives it; what is new is decoded by `insts`.
    ///
    /// # Errors
    /// As [`Kernel::decode`].
    pub fn kernel(&mut self, insts: &mut KnownInsts, bytes: &[u8]) -> Result<Kernel, DecodeError> {
        Kernel::decode_at(self, insts, bytes.to_vec(), 0)
    }

    pub(crate) fn devinfo(&self) -> &'static DevInfo {
        self.devinfo
    }

    /// The instruction at the start of `bytes`.
    pub(crate) fn resolve(&mut self, insts: &mut KnownInsts, bytes: &[u8]) -> Result<&Slot, eu::DecodeError> {
        let quirks = &self.quirks;
        let make = || insts.decode(bytes).map(|(inst, _)| Slot::new(quirks, inst));
        self.known.get(eu::word(self.devinfo, bytes)?, make).map(|slot| &*slot)
    }
}
