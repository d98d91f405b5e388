//! Atomic operations: what they do to a value, and messages with surfaces.

use intel_isa::desc::{AtomicOp as Code, FloatAtomicOp, SlotGroup};

use super::payload::{Message, Response, respond_plane, words_of};
use super::surface::{Pixels, surface_mask, vertices};
use crate::error::Reason;
use crate::host::{AtomicOp, Host, Surface};

/// Operation of an atomic.
#[derive(Clone, Copy)]
pub(super) enum Change {
    Integer(Code),
    Float(FloatAtomicOp),
}

impl Change {
    /// How many operands it takes.
    pub(super) fn operands(self) -> usize {
        match self {
            Change::Integer(Code::Inc | Code::Dec | Code::PreDec) => 0,
            Change::Integer(Code::CmpWr) | Change::Float(FloatAtomicOp::FcmpWr) => 2,
            _ => 1,
        }
    }

    /// The host's name for it; the others are done by reading and exchanging.
    fn at_host(self) -> Option<AtomicOp> {
        let Change::Integer(code) = self else { return None };
        Some(match code {
            Code::And => AtomicOp::And,
            Code::Or => AtomicOp::Or,
            Code::Xor => AtomicOp::Xor,
            Code::Mov => AtomicOp::Mov,
            Code::Inc => AtomicOp::Inc,
            Code::Dec => AtomicOp::Dec,
            Code::Add => AtomicOp::Add,
            Code::Sub => AtomicOp::Sub,
            Code::RevSub => return None,
            Code::Imax => AtomicOp::IMax,
            Code::Imin => AtomicOp::IMin,
            Code::Umax => AtomicOp::UMax,
            Code::Umin => AtomicOp::UMin,
            Code::CmpWr => AtomicOp::CmpWr,
            Code::PreDec => AtomicOp::PreDec,
        })
    }

    /// The new value of `old`, `bytes` long, and what the message returns: the old one, or PREDEC's
    /// new one.
    pub(super) fn apply(self, old: u64, operands: [u64; 2], bytes: usize) -> (u64, u64) {
        match self {
            Change::Integer(code) => {
                let new = apply_integer(code, old, operands, 64 - bytes as u32 * 8);
                (new, if code == Code::PreDec { new } else { old })
            }
            Change::Float(op) => {
                (apply_float(op, old as u32, operands.map(|bits| bits as u32)).into(), old)
            }
        }
    }
}

/// `spare` upper bits of the values are not theirs.
fn apply_integer(code: Code, old: u64, [a, b]: [u64; 2], spare: u32) -> u64 {
    let signed = |value: u64| (value << spare) as i64;
    let new = match code {
        Code::And => old & a,
        Code::Or => old | a,
        Code::Xor => old ^ a,
        Code::Mov => a,
        Code::Inc => old.wrapping_add(1),
        Code::Dec | Code::PreDec => old.wrapping_sub(1),
        Code::Add => old.wrapping_add(a),
        Code::Sub => old.wrapping_sub(a),
        Code::RevSub => a.wrapping_sub(old),
        Code::Imax if signed(a) > signed(old) => a,
        Code::Imin if signed(a) < signed(old) => a,
        Code::Imax | Code::Imin => old,
        Code::Umax => old.max(a),
        Code::Umin => old.min(a),
        Code::CmpWr if old == a => b,
        Code::CmpWr => old,
    };
    new << spare >> spare
}

/// A NaN in memory gives way, one in an operand changes nothing. Minimum and maximum pass over a
/// quiet NaN but not over a signaling one, the memory's first (the hardware's rules as
/// `INTEL_shader_atomic_float_minmax`'s tests quote them).
fn apply_float(op: FloatAtomicOp, old: u32, [a, b]: [u32; 2]) -> u32 {
    let (value, operand) = (f32::from_bits(old), f32::from_bits(a));
    let signaling = |bits: u32| f32::from_bits(bits).is_nan() && bits & 0x0040_0000 == 0;
    match op {
        FloatAtomicOp::FcmpWr => {
            if operand == value {
                b
            } else {
                old
            }
        }
        _ if signaling(old) => old,
        _ if signaling(a) || value.is_nan() => a,
        FloatAtomicOp::Fmax if operand > value => a,
        FloatAtomicOp::Fmin if operand < value => a,
        _ => old,
    }
}

/// Performs `change` on a dword of `surface`; what it returns.
fn change_dword(
    host: &mut dyn Host,
    surface: Surface,
    offset: u32,
    change: Change,
    operands: [u32; 2],
) -> Result<u32, Reason> {
    if let Some(op) = change.at_host() {
        return Ok(host.atomic(surface, offset, op, operands)?);
    }
    // The host serves one message at a time.
    let mut bytes = [0; 4];
    host.read(surface, offset, &mut bytes)?;
    let (new, _) = change.apply(u32::from_le_bytes(bytes).into(), operands.map(u64::from), 4);
    Ok(host.atomic(surface, offset, AtomicOp::Mov, [new as u32, 0])?)
}

/// Operands of pixel or vertex `index`: planes of channels, or in SIMD4x2 x and y of one register.
fn operands_at(
    message: &Message,
    first: usize,
    (count, operands): (usize, usize),
    index: usize,
) -> Result<[u32; 2], Reason> {
    let mut values = [0; 2];
    for (operand, value) in values.iter_mut().enumerate().take(operands) {
        *value = match count {
            2 => message.register(first)?[index * 4 + operand],
            _ => message.register(first + operand * (count / 8) + index / 8)?[index % 8],
        };
    }
    Ok(values)
}

/// The response with `results` of `count` channels or (2) vertices, whose x they are.
fn respond(message: &Message, results: &[u32; 16], count: usize, mask: u32) -> Response {
    let mut response = Vec::new();
    if count == 2 {
        response.push(([results[0], 0, 0, 0, results[1], 0, 0, 0], words_of(message.enabled)));
    } else {
        respond_plane(&mut response, results, count, mask);
    }
    response
}

/// An atomic on dwords of a surface: of `count` channels, or (2) of two vertices.
pub(super) fn untyped(
    message: &Message,
    surface: Surface,
    change: Change,
    (count, returns): (usize, bool),
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let first = usize::from(message.header);
    let channels = surface_mask(message, 0)?;
    let (mask, data) =
        if count == 2 { (vertices(channels), first + 1) } else { (channels, first + count / 8) };
    let mut results = [0; 16];
    for index in (0..count).filter(|index| mask >> index & 1 != 0) {
        let offset = match count {
            2 => message.register(first)?[index * 4],
            _ => message.register(first + index / 8)?[index % 8],
        };
        let operands = operands_at(message, data, (count, change.operands()), index)?;
        results[index] = change_dword(host, surface, offset, change, operands)?;
    }
    Ok(if returns { respond(message, &results, count, mask) } else { Vec::new() })
}

/// An atomic on texels.
pub(super) fn typed(
    message: &Message,
    entry: u8,
    change: Change,
    (slots, returns): (SlotGroup, bool),
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    let count = if slots == SlotGroup::Simd4x2 { 2 } else { 8 };
    let pixels = Pixels::of(message, slots, change.operands())?;
    let mut results = [0; 16];
    for (index, coordinates) in pixels.enabled() {
        let mut operands = operands_at(message, pixels.first, (count, change.operands()), index)?;
        let op = match change.at_host() {
            Some(op) => op,
            None => {
                let [old, ..] = host.typed_read(entry, coordinates)?;
                operands[0] = change.apply(old.into(), operands.map(u64::from), 4).0 as u32;
                AtomicOp::Mov
            }
        };
        results[index] = host.typed_atomic(entry, coordinates, op, operands)?;
    }
    Ok(if returns { respond(message, &results, count, pixels.mask) } else { Vec::new() })
}
