//! Accesses to the local data share between the stages.

use super::Selection;
use crate::machine::{Arg, Part, bits};
use amd_isa::{Format, Modifiers, Opcode};

/// Largest constant offset of an access.
const MAX_OFFSET: u32 = 65535;

/// Largest offset of instructions with two offsets, in dwords.
const MAX_PAIRED: u32 = 255;

/// Stores dwords at their offsets, two at a time. The address is not negative.
pub(crate) fn write_all_to_share(s: &mut Selection<'_>, address: Part, dwords: &[(u32, Part)]) {
    for pair in dwords.chunks(2) {
        if let [(at, first), (next, second)] = *pair
            && let Some(modifiers) = paired(at, next)
        {
            let args = [address.into(), first.into(), second.into()];
            s.e.push(Format::Ds, Opcode::DsWrite2B32, &args, modifiers);
        } else {
            pair.iter().for_each(|&(at, from)| write_to_share(s, address, at, from));
        }
    }
}

/// Loads consecutive dwords, two at a time. The address is not negative.
pub(crate) fn read_all_from_share(
    s: &mut Selection<'_>,
    address: Part,
    at: u32,
    to: Part,
    count: u8,
) {
    let mut done = 0;
    while done < count {
        let (from, to) = (at + 4 * u32::from(done), to.at(done));
        match paired(from, from + 4).filter(|_| done + 1 < count) {
            Some(modifiers) => {
                let args = [to.into(), address.into()];
                s.e.push(Format::Ds, Opcode::DsRead2B32, &args, modifiers);
                done += 2;
            }
            None => {
                read_from_share(s, address, from, to);
                done += 1;
            }
        }
    }
}

fn paired(first: u32, second: u32) -> Option<Modifiers> {
    let fits = |at: u32| at.is_multiple_of(4) && at / 4 <= MAX_PAIRED;
    let offsets = [(first / 4) as u8, (second / 4) as u8];
    (fits(first) && fits(second)).then(|| Modifiers { offsets, ..Modifiers::default() })
}

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
