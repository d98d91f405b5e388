//! Accesses to the rings, buffers and the local data share between the stages.

use crate::machine::{Arg, Part, bits};
use crate::select::Selection;
use gcn::{Format, Modifiers, Opcode, Operand};

/// Largest constant offset of a buffer access.
const MAX_BUFFER_OFFSET: u32 = 4095;
/// Largest constant offset of an access to the local data share.
const MAX_SHARE_OFFSET: u32 = 65535;

/// Place in a buffer without the constant offset.
#[derive(Clone, Copy)]
pub(crate) struct Access {
    /// Descriptor.
    pub descriptor: Part,
    /// Offset in bytes of each lane.
    pub address: Option<Part>,
    /// Offset in bytes of the wave.
    pub offset: Arg,
}

/// Loads one, two or four dwords.
pub(crate) fn load_from_buffer(
    s: &mut Selection<'_>,
    access: &Access,
    at: u32,
    to: Part,
    dwords: u8,
) {
    let opcode = match dwords {
        1 => Opcode::BufferLoadDword,
        2 => Opcode::BufferLoadDwordx2,
        _ => Opcode::BufferLoadDwordx4,
    };
    buffer(s, opcode, access, at, to);
}

/// Stores one, two or four dwords.
pub(crate) fn store_to_buffer(
    s: &mut Selection<'_>,
    access: &Access,
    at: u32,
    from: Part,
    dwords: u8,
) {
    let opcode = match dwords {
        1 => Opcode::BufferStoreDword,
        2 => Opcode::BufferStoreDwordx2,
        _ => Opcode::BufferStoreDwordx4,
    };
    buffer(s, opcode, access, at, from);
}

fn buffer(s: &mut Selection<'_>, opcode: Opcode, access: &Access, at: u32, data: Part) {
    // The part of the offset that does not fit goes into the lane's address.
    let (mut address, mut offset) = (access.address, at);
    if at > MAX_BUFFER_OFFSET {
        let far = bits(s.chip(), at & !MAX_BUFFER_OFFSET);
        offset = at & MAX_BUFFER_OFFSET;
        address = Some(match address {
            Some(near) => s.plus(near, far),
            None => s.e.in_vector(far),
        });
    }
    let modifiers =
        Modifiers { offen: address.is_some(), offset, glc: true, ..Modifiers::default() };
    let lane = address.map_or(Arg::Fixed(Operand::Off), Arg::Part);
    let args = [data.into(), lane, access.descriptor.into(), access.offset];
    s.e.push(Format::Mubuf, opcode, &args, modifiers);
}

/// Stores a dword in the local data share. The address is not negative.
pub(crate) fn write_to_share(s: &mut Selection<'_>, address: Part, at: u32, from: Part) {
    let (address, offset) = share_address(s, address, at);
    let modifiers = Modifiers { offset, ..Modifiers::default() };
    s.e.push(Format::Ds, Opcode::DsWriteB32, &[address.into(), from.into()], modifiers);
}

/// Loads a dword from the local data share. The address is not negative.
pub(crate) fn read_from_share(s: &mut Selection<'_>, address: Part, at: u32, to: Part) {
    let (address, offset) = share_address(s, address, at);
    let modifiers = Modifiers { offset, ..Modifiers::default() };
    s.e.push(Format::Ds, Opcode::DsReadB32, &[to.into(), address.into()], modifiers);
}

fn share_address(s: &mut Selection<'_>, address: Part, at: u32) -> (Part, u32) {
    if at <= MAX_SHARE_OFFSET {
        return (address, at);
    }
    let far = bits(s.chip(), at);
    (s.plus(address, far), 0)
}
