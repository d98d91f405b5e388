//! A translation in progress.

use cranelift_codegen::ir::{self, AliasRegion, MemFlags, Value};
use cranelift_frontend::Variable;

use crate::lanes::{Builder, Subnormals};

/// Bytes of a vector register: a dword for each of 64 lanes.
pub(super) const ROW: i32 = 256;

/// Treatment of what differs between hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Treatment {
    pub(crate) subnormals: Subnormals,
    /// True if sums and products take the bits of the first operand that is no number.
    pub(crate) hosts_nans: bool,
}

/// State in registers of the host.
pub(super) struct Variables {
    pub(super) scc: Variable,
    pub(super) conditions_zero: Variable,
    pub(super) left: Variable,
    /// Number of blocks so far.
    pub(super) count: Variable,
}

/// A translation in progress.
pub(super) struct Wave<'a, 'f> {
    pub(super) b: Builder<'a, 'f>,
    /// True if all lanes are active.
    pub(super) full: bool,
    /// True if the host's instructions choose among NaNs as the wave's.
    pub(super) hosts_nans: bool,
    pub(super) variables: Variables,
    pub(super) vectors: Value,
    pub(super) scalars: Value,
    pub(super) frame: Value,
    /// Nonzero if memory owes the wave nothing.
    pub(super) is_idle: Value,
    pub(super) labels: Vec<ir::Block>,
    pub(super) leave: ir::Block,
    pub(super) tracks_conditions: bool,
}

/// Access to vector registers.
pub(super) fn lanes_access() -> MemFlags {
    MemFlags::new().with_notrap().with_alias_region(Some(AliasRegion::Heap))
}

/// Access to scalar registers.
pub(super) fn scalar_access() -> MemFlags {
    MemFlags::new().with_notrap().with_alias_region(Some(AliasRegion::Table))
}

/// Access to the rest of the state.
pub(super) fn frame_access() -> MemFlags {
    MemFlags::trusted().with_alias_region(Some(AliasRegion::Vmctx))
}
