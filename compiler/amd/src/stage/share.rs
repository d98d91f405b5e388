//! Accesses to the local data share between the stages.

use crate::machine::{Arg, Part, bits};
use crate::select::Selection;
use gcn::{Format, Modifiers, Opcode};

/// Largest constant offset of an access.
const MAX_OFFSET: u32 = 65535;

/// Stores a dword. The address is not negative.
pub(crate) fn write_to_share(s: &mut Selection<'_>, address: Part, at: u32, from: Part) {
    let (address, modifiers) = place(s, address, at);
    s.e.push(Format::Ds, Opcode::DsWriteB32, &[address, from.into()], modifiers);
}

/// Loads a dword. The address is not negative.
pub(crate) fn read_from_share(s: &mut Selection<'_>, address: Part, at: u32, to: Part) {
    let (address, modifiers) = place(s, address, at);
    s.e.push(Format::Ds, Opcode::DsReadB32, &[to.into(), address], modifiers);
}

fn place(s: &mut Selection<'_>, address: Part, at: u32) -> (Arg, Modifiers) {
    if at <= MAX_OFFSET {
        return (address.into(), Modifiers { offset: at, ..Modifiers::default() });
    }
    let far = bits(s.chip(), at);
    (s.plus(address, far).into(), Modifiers::default())
}
