//! Instructions resolved before: kernels are made of few different ones.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::BuildHasherDefault;
use std::sync::Arc;

use eu::{DevInfo, Inst, KnownInsts};
use rustc_hash::FxHasher;

use crate::error::DecodeError;
use crate::kernel::Kernel;
use crate::op::Op;
use crate::quirks::Quirks;

/// Most instructions that are remembered: some ten megabytes.
const CAPACITY: usize = 1 << 13;

/// An instruction and what executing it takes; all that does not depend on where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Resolved {
    pub inst: Inst,
    pub op: Op,
}

impl Resolved {
    pub fn new(quirks: &Quirks, inst: Inst) -> Arc<Resolved> {
        Arc::new(Resolved { inst, op: Op::resolve(quirks, &inst) })
    }
}

/// Decodes kernels of one device; those it gave share the instructions that are alike.
#[derive(Debug)]
pub struct Decoder {
    devinfo: &'static DevInfo,
    quirks: Quirks,
    /// By their bytes.
    known: HashMap<u128, Arc<Resolved>, BuildHasherDefault<FxHasher>>,
}

impl Decoder {
    /// Knows no instruction yet.
    pub fn new(devinfo: &'static DevInfo) -> Decoder {
        Decoder { devinfo, quirks: Quirks::of(devinfo), known: HashMap::default() }
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
    pub(crate) fn resolve(
        &mut self,
        insts: &mut KnownInsts,
        bytes: &[u8],
    ) -> Result<Arc<Resolved>, eu::DecodeError> {
        if self.known.len() >= CAPACITY {
            self.known.clear();
        }
        match self.known.entry(eu::word(self.devinfo, bytes)?) {
            Entry::Occupied(entry) => Ok(entry.get().clone()),
            Entry::Vacant(entry) => {
                let (inst, _) = insts.decode(bytes)?;
                Ok(entry.insert(Resolved::new(&self.quirks, inst)).clone())
            }
        }
    }
}
