//! Data-port messages: one table of operations, ports and message types.

use super::fields::{Builder, DescError, DescField, View};
use super::message::{
    A64Element, A64Scattered, AtomicOp, BlockSize, DataOp, DataPortMessage, FloatAtomicOp, Message,
    SlotGroup, SurfaceSimd,
};
use crate::devinfo::{DevInfo, GfxVersion};
use crate::inst::Sfid;

/// Operations as the message-type field distinguishes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    BlockRead,
    UnalignedBlockRead,
    DualBlockRead,
    DwordScatteredRead,
    ByteScatteredRead,
    BlockWrite,
    DualBlockWrite,
    DwordScatteredWrite,
    ByteScatteredWrite,
    UntypedRead,
    UntypedAtomic,
    UntypedAtomic4x2,
    UntypedWrite,
    FloatAtomic,
    TypedRead,
    TypedAtomic,
    TypedAtomic4x2,
    TypedWrite,
    MediaBlockRead,
    MediaBlockWrite,
    AtomicCounter,
    AtomicCounter4x2,
    Fence,
    A64ScatteredRead,
    A64ScatteredWrite,
    A64UntypedRead,
    A64UntypedWrite,
    A64Atomic,
    A64FloatAtomic,
    A64BlockRead,
    A64BlockWrite,
}

/// One message type: on these generations these ports call it `code`.
struct Row {
    kind: Kind,
    name: &'static str,
    first: GfxVersion,
    last: GfxVersion,
    ports: &'static [Sfid],
    code: u32,
}

const fn row(
    kind: Kind,
    name: &'static str,
    (first, last): (GfxVersion, GfxVersion),
    ports: &'static [Sfid],
    code: u32,
) -> Row {
    Row { kind, name, first, last, ports, code }
}

const ALL: (GfxVersion, GfxVersion) = (GfxVersion::Gfx7, GfxVersion::Gfx9);
const IVB: (GfxVersion, GfxVersion) = (GfxVersion::Gfx7, GfxVersion::Gfx7);
const TO_BDW: (GfxVersion, GfxVersion) = (GfxVersion::Gfx7, GfxVersion::Gfx8);
const HSW: (GfxVersion, GfxVersion) = (GfxVersion::Gfx75, GfxVersion::Gfx9);
const BDW: (GfxVersion, GfxVersion) = (GfxVersion::Gfx8, GfxVersion::Gfx9);
const SKL: (GfxVersion, GfxVersion) = (GfxVersion::Gfx9, GfxVersion::Gfx9);

/// Ports that read blocks; the first one is the usual.
const READERS: &[Sfid] = &[Sfid::ConstantCache, Sfid::DpSampler, Sfid::DataCache];
const DATA: &[Sfid] = &[Sfid::DataCache];
const DATA1: &[Sfid] = &[Sfid::DataCache1];
const RENDER: &[Sfid] = &[Sfid::RenderCache];
const SAMPLER: &[Sfid] = &[Sfid::DpSampler];

/// All message types, from `brw_eu_defines.h` and the descriptor functions of `brw_eu.h`.
static ROWS: &[Row] = &[
    row(Kind::BlockRead, "OWORD block read", ALL, READERS, 0),
    row(Kind::UnalignedBlockRead, "unaligned OWORD block read", ALL, READERS, 1),
    row(Kind::DualBlockRead, "OWORD dual block read", ALL, READERS, 2),
    row(Kind::DwordScatteredRead, "DWORD scattered read", ALL, READERS, 3),
    row(Kind::ByteScatteredRead, "byte scattered read", HSW, DATA, 4),
    row(Kind::BlockWrite, "OWORD block write", ALL, DATA, 8),
    row(Kind::DualBlockWrite, "OWORD dual block write", ALL, DATA, 10),
    row(Kind::DwordScatteredWrite, "DWORD scattered write", ALL, DATA, 11),
    row(Kind::ByteScatteredWrite, "byte scattered write", HSW, DATA, 12),
    row(Kind::UntypedRead, "untyped surface read", IVB, DATA, 5),
    row(Kind::UntypedAtomic, "untyped atomic", IVB, DATA, 6),
    row(Kind::UntypedWrite, "untyped surface write", IVB, DATA, 13),
    row(Kind::UntypedRead, "untyped surface read", HSW, DATA1, 1),
    row(Kind::UntypedAtomic, "untyped atomic", HSW, DATA1, 2),
    row(Kind::UntypedAtomic4x2, "untyped 4x2 atomic", HSW, DATA1, 3),
    row(Kind::UntypedWrite, "untyped surface write", HSW, DATA1, 9),
    row(Kind::FloatAtomic, "untyped atomic float", SKL, DATA1, 0x1b),
    row(Kind::TypedRead, "typed surface read", IVB, RENDER, 5),
    row(Kind::TypedAtomic, "typed atomic", IVB, RENDER, 6),
    row(Kind::TypedWrite, "typed surface write", IVB, RENDER, 13),
    row(Kind::TypedRead, "typed surface read", HSW, DATA1, 5),
    row(Kind::TypedAtomic, "typed atomic", HSW, DATA1, 6),
    row(Kind::TypedAtomic4x2, "typed 4x2 atomic", HSW, DATA1, 7),
    row(Kind::TypedWrite, "typed surface write", HSW, DATA1, 13),
    row(Kind::MediaBlockRead, "media block read", HSW, DATA1, 4),
    row(Kind::MediaBlockWrite, "media block write", HSW, DATA1, 10),
    row(Kind::MediaBlockRead, "media block read", TO_BDW, RENDER, 4),
    row(Kind::MediaBlockWrite, "media block write", TO_BDW, RENDER, 10),
    row(Kind::MediaBlockRead, "media block read", ALL, SAMPLER, 4),
    row(Kind::AtomicCounter, "atomic counter", HSW, DATA1, 11),
    row(Kind::AtomicCounter4x2, "4x2 atomic counter", HSW, DATA1, 12),
    row(Kind::A64ScatteredRead, "A64 scattered read", BDW, DATA1, 0x10),
    row(Kind::A64UntypedRead, "A64 untyped surface read", BDW, DATA1, 0x11),
    row(Kind::A64Atomic, "A64 untyped atomic", BDW, DATA1, 0x12),
    row(Kind::A64BlockRead, "A64 OWORD block read", BDW, DATA1, 0x14),
    row(Kind::A64BlockWrite, "A64 OWORD block write", BDW, DATA1, 0x15),
    row(Kind::A64UntypedWrite, "A64 untyped surface write", BDW, DATA1, 0x19),
    row(Kind::A64ScatteredWrite, "A64 scattered write", BDW, DATA1, 0x1a),
    row(Kind::A64FloatAtomic, "A64 untyped atomic float", SKL, DATA1, 0x1d),
    row(Kind::Fence, "memory fence", ALL, DATA, 7),
    row(Kind::Fence, "memory fence", ALL, RENDER, 7),
];

fn kind(op: &DataOp) -> Kind {
    match *op {
        DataOp::OwordBlockRead { aligned: true, .. } => Kind::BlockRead,
        DataOp::OwordBlockRead { aligned: false, .. } => Kind::UnalignedBlockRead,
        DataOp::OwordBlockWrite { .. } => Kind::BlockWrite,
        DataOp::OwordDualBlockRead { .. } => Kind::DualBlockRead,
        DataOp::OwordDualBlockWrite { .. } => Kind::DualBlockWrite,
        DataOp::DwordScatteredRead { .. } => Kind::DwordScatteredRead,
        DataOp::DwordScatteredWrite { .. } => Kind::DwordScatteredWrite,
        DataOp::ByteScatteredRead { .. } => Kind::ByteScatteredRead,
        DataOp::ByteScatteredWrite { .. } => Kind::ByteScatteredWrite,
        DataOp::UntypedRead { .. } => Kind::UntypedRead,
        DataOp::UntypedWrite { .. } => Kind::UntypedWrite,
        DataOp::UntypedAtomic { simd: SurfaceSimd::Simd4x2, .. } => Kind::UntypedAtomic4x2,
        DataOp::UntypedAtomic { .. } => Kind::UntypedAtomic,
        DataOp::UntypedFloatAtomic { .. } => Kind::FloatAtomic,
        DataOp::TypedRead { .. } => Kind::TypedRead,
        DataOp::TypedWrite { .. } => Kind::TypedWrite,
        DataOp::TypedAtomic { slots: SlotGroup::Simd4x2, .. } => Kind::TypedAtomic4x2,
        DataOp::TypedAtomic { .. } => Kind::TypedAtomic,
        DataOp::MediaBlockRead { .. } => Kind::MediaBlockRead,
        DataOp::MediaBlockWrite { .. } => Kind::MediaBlockWrite,
        DataOp::AtomicCounter { simd: SurfaceSimd::Simd4x2, .. } => Kind::AtomicCounter4x2,
        DataOp::AtomicCounter { .. } => Kind::AtomicCounter,
        DataOp::Fence { .. } => Kind::Fence,
        DataOp::A64Read { .. } => Kind::A64UntypedRead,
        DataOp::A64Write { .. } => Kind::A64UntypedWrite,
        DataOp::A64ScatteredRead(_) => Kind::A64ScatteredRead,
        DataOp::A64ScatteredWrite(_) => Kind::A64ScatteredWrite,
        DataOp::A64Atomic { .. } => Kind::A64Atomic,
        DataOp::A64FloatAtomic { .. } => Kind::A64FloatAtomic,
        DataOp::A64BlockRead { .. } => Kind::A64BlockRead,
        DataOp::A64BlockWrite { .. } => Kind::A64BlockWrite,
    }
}

/// The port that usually serves `op` on `generation`; `None` if the generation lacks the operation.
pub fn default_port(version: GfxVersion, op: &DataOp) -> Option<Sfid> {
    rows(version).find(|row| row.kind == kind(op)).and_then(|row| row.ports.first().copied())
}

fn rows(version: GfxVersion) -> impl Iterator<Item = &'static Row> {
    ROWS.iter().filter(move |row| version.is_within(row.first, row.last))
}

/// Writes a data-port message.
pub(super) fn put(b: &mut Builder, m: &DataPortMessage) -> Result<(), DescError> {
    let kind = kind(&m.op);
    let row = rows(b.devinfo.version)
        .find(|row| row.kind == kind && row.ports.contains(&m.port))
        .ok_or(DescError::NoSuchMessage { what: "this data-port operation on this port" })?;
    b.set(DescField::BindingTable, u32::from(m.surface))?;
    b.set(DescField::DataPortType, row.code)?;
    match m.op {
        DataOp::OwordBlockRead { size, .. }
        | DataOp::OwordBlockWrite { size }
        | DataOp::A64BlockWrite { size } => b.set(DescField::BlockSize, u32::from(size.code())),
        DataOp::A64BlockRead { size, aligned } => {
            b.set(DescField::BlockSize, u32::from(size.code()))?;
            b.flag(DescField::A64Unaligned, !aligned)
        }
        DataOp::OwordDualBlockRead { four } | DataOp::OwordDualBlockWrite { four } => {
            b.set(DescField::DualBlockSize, if four { DUAL_BLOCK_FOUR } else { 0 })
        }
        DataOp::DwordScatteredRead { simd16 } | DataOp::DwordScatteredWrite { simd16 } => {
            b.set(DescField::DwordScatteredLegacy, 1)?;
            b.flag(DescField::DwordScatteredSimd16, simd16)
        }
        DataOp::ByteScatteredRead { simd16, bytes }
        | DataOp::ByteScatteredWrite { simd16, bytes } => {
            let field = DescField::ByteScatteredSize;
            if !matches!(bytes, 1 | 2 | 4) {
                return Err(DescError::DoesNotFit { field, value: u32::from(bytes) });
            }
            b.set(field, bytes.trailing_zeros())?;
            b.flag(DescField::ByteScatteredSimd16, simd16)
        }
        DataOp::UntypedRead { simd, mask } | DataOp::UntypedWrite { simd, mask } => {
            b.set(DescField::SurfaceMask, u32::from(mask))?;
            b.set(DescField::UntypedSimd, u32::from(simd.code()))
        }
        DataOp::MediaBlockRead { lines } | DataOp::MediaBlockWrite { lines } => {
            b.set(DescField::MediaBlockLines, u32::from(lines))
        }
        DataOp::UntypedAtomic { op, simd, returns }
        | DataOp::AtomicCounter { op, simd, returns } => {
            b.set(DescField::AtomicOp, u32::from(op.code()))?;
            b.flag(DescField::AtomicSimd8, simd == SurfaceSimd::Simd8)?;
            b.flag(DescField::AtomicReturns, returns)
        }
        DataOp::UntypedFloatAtomic { op, simd8, returns } => {
            b.set(DescField::AtomicOp, u32::from(op.code()))?;
            b.flag(DescField::AtomicSimd8, simd8)?;
            b.flag(DescField::AtomicReturns, returns)
        }
        DataOp::TypedRead { slots, mask } | DataOp::TypedWrite { slots, mask } => {
            b.set(DescField::SurfaceMask, u32::from(mask))?;
            let code = slot_group_code(b.devinfo, slots);
            b.set(
                DescField::TypedSlotGroup,
                code.ok_or(DescError::NoSuchMessage { what: "SIMD4x2 typed messages" })?,
            )
        }
        DataOp::TypedAtomic { op, slots, returns } => {
            b.set(DescField::AtomicOp, u32::from(op.code()))?;
            b.flag(DescField::TypedHighSlots, slots == SlotGroup::High)?;
            b.flag(DescField::AtomicReturns, returns)
        }
        DataOp::Fence { commit } => b.flag(DescField::FenceCommit, commit),
        DataOp::A64Read { simd16, mask } | DataOp::A64Write { simd16, mask } => {
            b.set(DescField::SurfaceMask, u32::from(mask))?;
            b.set(DescField::UntypedSimd, u32::from(a64_simd(simd16).code()))
        }
        DataOp::A64ScatteredRead(m) | DataOp::A64ScatteredWrite(m) => {
            let field = DescField::A64Count;
            if !matches!(m.count, 1 | 2 | 4 | 8) {
                return Err(DescError::DoesNotFit { field, value: u32::from(m.count) });
            }
            b.set(field, m.count.trailing_zeros())?;
            b.set(DescField::A64Element, u32::from(m.element.code()))?;
            b.flag(DescField::A64Simd16, m.simd16)
        }
        DataOp::A64Atomic { op, qword, returns } => {
            b.set(DescField::AtomicOp, u32::from(op.code()))?;
            b.flag(DescField::A64Qword, qword)?;
            b.flag(DescField::AtomicReturns, returns)
        }
        DataOp::A64FloatAtomic { op, returns } => {
            b.set(DescField::AtomicOp, u32::from(op.code()))?;
            b.flag(DescField::AtomicReturns, returns)
        }
    }
}

/// The width of untyped messages with 64-bit addresses, which have no SIMD4x2.
fn a64_simd(simd16: bool) -> SurfaceSimd {
    if simd16 { SurfaceSimd::Simd16 } else { SurfaceSimd::Simd8 }
}

/// Code of four owords per block in a dual block message.
const DUAL_BLOCK_FOUR: u32 = 2;

/// Code of a slot group in typed reads and writes; SIMD4x2 comes first where it exists.
fn slot_group_code(devinfo: &DevInfo, slots: SlotGroup) -> Option<u32> {
    match (slots, devinfo.typed_simd4x2) {
        (SlotGroup::Simd4x2, false) => None,
        (SlotGroup::Low, false) => Some(0),
        (SlotGroup::High, false) => Some(1),
        (SlotGroup::Simd4x2, true) => Some(0),
        (SlotGroup::Low, true) => Some(1),
        (SlotGroup::High, true) => Some(2),
    }
}

/// Reads a data-port message.
pub(super) fn get(v: &View, port: Sfid) -> Result<Message, DescError> {
    let code = v.get(DescField::DataPortType);
    let row = rows(v.devinfo.version)
        .find(|row| row.code == code && row.ports.contains(&port))
        .ok_or(DescError::Reserved { field: DescField::DataPortType, code })?;
    let surface = v.get(DescField::BindingTable) as u8;
    Ok(Message::DataPort(DataPortMessage { port, surface, op: get_op(v, row.kind)? }))
}

fn get_op(v: &View, kind: Kind) -> Result<DataOp, DescError> {
    let block = || v.code(DescField::BlockSize, BlockSize::from_code);
    let four = v.get(DescField::DualBlockSize) == DUAL_BLOCK_FOUR;
    let dword16 = v.flag(DescField::DwordScatteredSimd16);
    let byte16 = v.flag(DescField::ByteScatteredSimd16);
    let bytes = 1 << v.get(DescField::ByteScatteredSize);
    let mask = v.get(DescField::SurfaceMask) as u8;
    let untyped = || v.code(DescField::UntypedSimd, SurfaceSimd::from_code);
    let atomic = || v.code(DescField::AtomicOp, AtomicOp::from_code);
    let float_atomic = || v.code(DescField::AtomicOp, FloatAtomicOp::from_code);
    let a64 = || {
        Ok(A64Scattered {
            simd16: v.flag(DescField::A64Simd16),
            element: v.code(DescField::A64Element, A64Element::from_code)?,
            count: 1 << v.get(DescField::A64Count),
        })
    };
    let simd8 = v.flag(DescField::AtomicSimd8);
    let width = if simd8 { SurfaceSimd::Simd8 } else { SurfaceSimd::Simd16 };
    let returns = v.flag(DescField::AtomicReturns);
    let lines = v.get(DescField::MediaBlockLines) as u8;
    let atomic_slots =
        if v.flag(DescField::TypedHighSlots) { SlotGroup::High } else { SlotGroup::Low };
    let slots = || {
        let field = DescField::TypedSlotGroup;
        let code = v.get(field);
        [SlotGroup::Simd4x2, SlotGroup::Low, SlotGroup::High]
            .into_iter()
            .find(|&slots| slot_group_code(v.devinfo, slots) == Some(code))
            .ok_or(DescError::Reserved { field, code })
    };
    Ok(match kind {
        Kind::BlockRead => DataOp::OwordBlockRead { size: block()?, aligned: true },
        Kind::UnalignedBlockRead => DataOp::OwordBlockRead { size: block()?, aligned: false },
        Kind::BlockWrite => DataOp::OwordBlockWrite { size: block()? },
        Kind::DualBlockRead => DataOp::OwordDualBlockRead { four },
        Kind::DualBlockWrite => DataOp::OwordDualBlockWrite { four },
        Kind::DwordScatteredRead => DataOp::DwordScatteredRead { simd16: dword16 },
        Kind::DwordScatteredWrite => DataOp::DwordScatteredWrite { simd16: dword16 },
        Kind::ByteScatteredRead => DataOp::ByteScatteredRead { simd16: byte16, bytes },
        Kind::ByteScatteredWrite => DataOp::ByteScatteredWrite { simd16: byte16, bytes },
        Kind::UntypedRead => DataOp::UntypedRead { simd: untyped()?, mask },
        Kind::UntypedWrite => DataOp::UntypedWrite { simd: untyped()?, mask },
        Kind::UntypedAtomic => DataOp::UntypedAtomic { op: atomic()?, simd: width, returns },
        Kind::AtomicCounter => DataOp::AtomicCounter { op: atomic()?, simd: width, returns },
        Kind::AtomicCounter4x2 => {
            DataOp::AtomicCounter { op: atomic()?, simd: SurfaceSimd::Simd4x2, returns }
        }
        Kind::UntypedAtomic4x2 => {
            DataOp::UntypedAtomic { op: atomic()?, simd: SurfaceSimd::Simd4x2, returns }
        }
        Kind::FloatAtomic => DataOp::UntypedFloatAtomic { op: float_atomic()?, simd8, returns },
        Kind::TypedRead => DataOp::TypedRead { slots: slots()?, mask },
        Kind::TypedWrite => DataOp::TypedWrite { slots: slots()?, mask },
        Kind::TypedAtomic => DataOp::TypedAtomic { op: atomic()?, slots: atomic_slots, returns },
        Kind::TypedAtomic4x2 => {
            DataOp::TypedAtomic { op: atomic()?, slots: SlotGroup::Simd4x2, returns }
        }
        Kind::MediaBlockRead => DataOp::MediaBlockRead { lines },
        Kind::MediaBlockWrite => DataOp::MediaBlockWrite { lines },
        Kind::Fence => DataOp::Fence { commit: v.flag(DescField::FenceCommit) },
        Kind::A64UntypedRead => DataOp::A64Read { simd16: untyped()? == SurfaceSimd::Simd16, mask },
        Kind::A64UntypedWrite => {
            DataOp::A64Write { simd16: untyped()? == SurfaceSimd::Simd16, mask }
        }
        Kind::A64ScatteredRead => DataOp::A64ScatteredRead(a64()?),
        Kind::A64ScatteredWrite => DataOp::A64ScatteredWrite(a64()?),
        Kind::A64Atomic => {
            DataOp::A64Atomic { op: atomic()?, qword: v.flag(DescField::A64Qword), returns }
        }
        Kind::A64FloatAtomic => DataOp::A64FloatAtomic { op: float_atomic()?, returns },
        Kind::A64BlockRead => {
            let aligned = v.get(DescField::A64Unaligned) == 0;
            DataOp::A64BlockRead { size: block()?, aligned }
        }
        Kind::A64BlockWrite => DataOp::A64BlockWrite { size: block()? },
    })
}

fn slots_text(slots: SlotGroup) -> &'static str {
    match slots {
        SlotGroup::Simd4x2 => "SIMD4x2",
        SlotGroup::Low => "low",
        SlotGroup::High => "high",
    }
}

/// A data-port message in words.
pub(super) fn describe(m: &DataPortMessage) -> String {
    let kind = kind(&m.op);
    let name = ROWS.iter().find(|row| row.kind == kind).map_or("", |row| row.name);
    let details = match m.op {
        DataOp::OwordBlockRead { size, .. }
        | DataOp::OwordBlockWrite { size }
        | DataOp::A64BlockRead { size, aligned: true }
        | DataOp::A64BlockWrite { size } => format!("owords = {}", size.text()),
        DataOp::A64BlockRead { size, aligned: false } => {
            format!("unaligned, owords = {}", size.text())
        }
        DataOp::OwordDualBlockRead { four } | DataOp::OwordDualBlockWrite { four } => {
            format!("owords = {}", if four { 4 } else { 1 })
        }
        DataOp::DwordScatteredRead { simd16 } | DataOp::DwordScatteredWrite { simd16 } => {
            format!("SIMD{}", if simd16 { 16 } else { 8 })
        }
        DataOp::ByteScatteredRead { simd16, bytes }
        | DataOp::ByteScatteredWrite { simd16, bytes } => {
            format!("SIMD{}, bytes = {bytes}", if simd16 { 16 } else { 8 })
        }
        DataOp::UntypedRead { simd, mask } | DataOp::UntypedWrite { simd, mask } => {
            format!("SIMD{}, Mask = {mask:#x}", simd.text())
        }
        DataOp::MediaBlockRead { lines } | DataOp::MediaBlockWrite { lines } => {
            format!("lines = {lines}")
        }
        DataOp::UntypedAtomic { op, simd, returns }
        | DataOp::AtomicCounter { op, simd, returns } => {
            format!("SIMD{}, {}{}", simd.text(), op.text(), returns_text(returns))
        }
        DataOp::UntypedFloatAtomic { op, simd8, returns } => {
            format!("SIMD{}, {}{}", if simd8 { 8 } else { 16 }, op.text(), returns_text(returns))
        }
        DataOp::TypedRead { slots, mask } | DataOp::TypedWrite { slots, mask } => {
            format!("{}, Mask = {mask:#x}", slots_text(slots))
        }
        DataOp::TypedAtomic { op, slots, returns } => {
            format!("{}, {}{}", slots_text(slots), op.text(), returns_text(returns))
        }
        DataOp::Fence { commit } => if commit { "commit" } else { "no commit" }.to_owned(),
        DataOp::A64Read { simd16, mask } | DataOp::A64Write { simd16, mask } => {
            format!("SIMD{}, Mask = {mask:#x}", a64_simd(simd16).text())
        }
        DataOp::A64ScatteredRead(m) | DataOp::A64ScatteredWrite(m) => {
            format!("SIMD{}, {} x {}", a64_simd(m.simd16).text(), m.count, m.element.text())
        }
        DataOp::A64Atomic { op, qword, returns } => {
            let size = if qword { "QWORD" } else { "DWORD" };
            format!("SIMD8, {size}, {}{}", op.text(), returns_text(returns))
        }
        DataOp::A64FloatAtomic { op, returns } => {
            format!("SIMD8, {}{}", op.text(), returns_text(returns))
        }
    };
    format!("(DC {name}, Surface = {}, {details})", m.surface)
}

fn returns_text(returns: bool) -> &'static str {
    if returns { ", return" } else { "" }
}
