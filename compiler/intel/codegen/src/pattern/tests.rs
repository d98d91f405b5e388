//! Patterns against enumerations of bytes.

use super::*;
use crate::lir::{File, Type};
use cranelift_entity::EntityRef;
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{RngCore, SeedableRng};

fn pick<T: Copy>(rng: &mut Pcg64, from: &[T]) -> T {
    from[(rng.next_u32() as usize) % from.len()]
}

fn one_in(rng: &mut Pcg64, n: u32) -> bool {
    rng.next_u32().is_multiple_of(n)
}

#[test]
fn periodic_masks() {
    assert_eq!(periodic_mask(8, 4, 4, 0), u32::MAX);
    assert_eq!(periodic_mask(8, 4, 2, 0), 0x3333_3333);
    assert_eq!(periodic_mask(8, 4, 1, 2), 0x4444_4444);
    assert_eq!(periodic_mask(1, 0, 8, 16), 0x00ff_0000);
    assert_eq!(periodic_mask(4, 8, 8, 0), u32::MAX);
    assert_eq!(periodic_mask(3, 4, 2, 0), 0x0000_0333);
    assert_eq!(periodic_mask(0, 4, 4, 0), 0);
    assert_eq!(periodic_mask(16, 2, 2, 0), u32::MAX);
}

/// Bytes of register `reg` among elements that start at these bytes.
fn bytes_of(starts: impl IntoIterator<Item = u32>, size: u32, reg: u32) -> u32 {
    let bytes = starts.into_iter().flat_map(|start| start..start + size);
    bytes.filter(|byte| byte / 32 == reg).fold(0, |mask, byte| mask | 1 << (byte % 32))
}

/// Bytes that the channels of an Align1 operand cover, one after the other.
fn align1_bytes(op: &Operand, channels: u32, reg: u32) -> u32 {
    let element = |c: u32| match op.region {
        Region::Stride(stride) => c * u32::from(stride),
        Region::Exact { vstride, width, hstride } => {
            c / u32::from(width) * u32::from(vstride) + c % u32::from(width) * u32::from(hstride)
        }
    };
    let size = op.ty.size();
    bytes_of((0..channels).map(|c| op.offset % 32 + element(c) * size), size, reg)
}

/// Bytes of these components of an Align16 operand's rows.
fn align16_bytes(op: &Operand, channels: u32, components: impl Fn(u32) -> bool, reg: u32) -> u32 {
    let size = op.ty.size();
    let places = (0..channels).filter(|place| components(place % 4));
    bytes_of(places.map(|place| op.offset % 32 + place * size), size, reg)
}

/// The expected pattern.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Expected {
    Exactly(u32),
    /// Nothing is known of it: all bytes may be read, none is surely written.
    Unknown,
}

use Expected::{Exactly, Unknown};

/// True if each register after the first one looks like it.
fn repeats(op: &Operand) -> bool {
    let Region::Stride(stride) = op.region else { return true };
    let step = op.ty.size() * u32::from(stride);
    step != 0 && 32 % step == 0 && op.offset % 32 < step
}

fn expected_write(inst: &Inst, reg: u32) -> Expected {
    if !inst.dst.is_reg() {
        return Exactly(0);
    }
    if inst.predicate.is_some() && inst.op != Op::Sel {
        return Unknown;
    }
    let channels = u32::from(inst.exec_size);
    if let Some(message) = &inst.message {
        return Exactly(if reg < u32::from(message.rlen) { u32::MAX } else { 0 });
    }
    if inst.align16 {
        return Exactly(align16_bytes(
            &inst.dst,
            channels,
            |c| inst.dst.writemask >> c & 1 != 0,
            reg,
        ));
    }
    let covered = align1_bytes(&inst.dst, channels, reg);
    if covered != 0 && reg > 0 && !repeats(&inst.dst) { Unknown } else { Exactly(covered) }
}

fn expected_read(inst: &Inst, index: usize, reg: u32) -> Expected {
    let src = &inst.src[index];
    let channels = u32::from(inst.exec_size);
    if !src.is_reg() {
        return Exactly(0);
    }
    if let Some(message) = &inst.message {
        let (n, header) = (channels / 8, u32::from(message.header));
        return match message.kind {
            _ if reg >= u32::from(message.mlen) => Exactly(0),
            MessageKind::ByteScatteredWrite { element }
                if (n + header..2 * n + header).contains(&reg) =>
            {
                Exactly(bytes_of((0..8).map(|i| 32 * reg + 4 * i), element.into(), reg))
            }
            _ => Exactly(u32::MAX),
        };
    }
    if inst.op == Op::Pln {
        return match index {
            0 => Exactly(bytes_of([src.offset % 32], 16, reg)),
            _ if reg < channels / 4 => Unknown,
            _ => Exactly(0),
        };
    }
    if inst.align16 {
        let written = |c: u32| match inst.op {
            Op::Dp4 | Op::Dph => true,
            Op::Dp3 => c < 3,
            Op::Dp2 => c < 2,
            _ => inst.dst.writemask >> c & 1 != 0,
        };
        let read = |c: u32| (0..4).any(|i| written(i) && u32::from(src.swizzle.get(i as u8)) == c);
        let rows = if src.is_scalar() { 4 } else { channels };
        return Exactly(align16_bytes(src, rows, read, reg));
    }
    let last = (0..18).rev().find(|&reg| align1_bytes(src, channels, reg) != 0).unwrap_or(0);
    if reg > 0 && reg <= last && !repeats(src) {
        Unknown
    } else {
        Exactly(align1_bytes(src, channels, reg))
    }
}

const TYPES: [Type; 10] =
    [Type::UB, Type::B, Type::W, Type::UW, Type::HF, Type::F, Type::UD, Type::D, Type::DF, Type::Q];
const ALU: [Op; 24] = [
    Op::Mov,
    Op::Not,
    Op::Frc,
    Op::Rndd,
    Op::Cbit,
    Op::MathInv,
    Op::MathSqrt,
    Op::Sel,
    Op::And,
    Op::Shl,
    Op::Cmp,
    Op::Add,
    Op::Mul,
    Op::Mach,
    Op::Addc,
    Op::MathPow,
    Op::MathIntDivQuotient,
    Op::Bfi1,
    Op::Csel,
    Op::Bfe,
    Op::Bfi2,
    Op::Mad,
    Op::Lrp,
    Op::F32to16,
];
const DOTS: [Op; 4] = [Op::Dp2, Op::Dp3, Op::Dp4, Op::Dph];

fn vgrf(rng: &mut Pcg64, ty: Type, grid: u32) -> Operand {
    let mut op = Operand::vgrf(crate::lir::VReg::new((rng.next_u32() % 4) as usize), ty);
    op.offset = rng.next_u32() % 96 / grid * grid;
    op
}

fn destination(rng: &mut Pcg64) -> Operand {
    let ty = pick(rng, &TYPES);
    match rng.next_u32() % 12 {
        0 => Operand::null(ty),
        _ => vgrf(rng, ty, ty.size()).strided(pick(rng, &[1, 1, 2, 4, 8])),
    }
}

/// A source of an Align1 instruction.
fn source(rng: &mut Pcg64) -> Operand {
    let ty = pick(rng, &TYPES);
    let op = vgrf(rng, ty, ty.size());
    match rng.next_u32() % 8 {
        0 => Operand::imm(rng.next_u32().into(), ty),
        1 | 2 => op.scalar(),
        3 => {
            let width = pick(rng, &[1, 2, 4]);
            let hstride = if width == 1 { 0 } else { pick(rng, &[0, 1, 2]) };
            op.with_region(pick(rng, &[0, 1, 2, 4]), width, hstride)
        }
        _ => op.strided(pick(rng, &[1, 1, 2, 4])),
    }
}

/// Predicates, groups and masks of channels.
fn enable(rng: &mut Pcg64, inst: &mut Inst) {
    inst.no_mask = one_in(rng, 2);
    inst.group = pick(rng, &[0, 8]);
    if one_in(rng, 5) || inst.op == Op::Sel {
        inst.predicate(one_in(rng, 2));
    }
}

fn align1(rng: &mut Pcg64) -> Inst {
    let op = pick(rng, &ALU);
    let sources: Vec<Operand> = (0..op.info().sources).map(|_| source(rng)).collect();
    Inst::new(op, pick(rng, &[1, 2, 4, 8, 16]), destination(rng), &sources)
}

fn align16(rng: &mut Pcg64) -> Inst {
    let ops = if one_in(rng, 4) { &DOTS[..] } else { &ALU };
    let op = pick(rng, ops);
    let types = [Type::F, Type::UD, Type::D, Type::DF];
    let ty = pick(rng, &types);
    let dst = vgrf(rng, ty, 16).masked(1 + (rng.next_u32() % 15) as u8);
    let sources: Vec<Operand> = (0..op.info().sources)
        .map(|_| {
            let swizzle = crate::lir::Swizzle(rng.next_u32() as u8);
            let ty = pick(rng, &types);
            let src = vgrf(rng, ty, 16).swizzled(swizzle);
            if one_in(rng, 4) { src.scalar() } else { src }
        })
        .collect();
    let mut inst = Inst::new(op, pick(rng, &[4, 8]), dst, &sources);
    inst.align16 = true;
    inst
}

fn message(rng: &mut Pcg64) -> Inst {
    let dst = if one_in(rng, 4) { Operand::null(Type::UD) } else { vgrf(rng, Type::UD, 32) };
    let payload = vgrf(rng, Type::UD, 32);
    let mut inst =
        Inst::new(pick(rng, &[Op::Send, Op::Sendc]), pick(rng, &[8, 16]), dst, &[payload]);
    let element = pick(rng, &[1, 2, 4]);
    let kinds = [
        MessageKind::ByteScatteredWrite { element },
        MessageKind::Sample,
        MessageKind::UrbWrite,
        MessageKind::Memory,
    ];
    inst.message = Some(crate::lir::Message {
        sfid: intel_isa::Sfid::DataCache,
        control: 0,
        mlen: 1 + (rng.next_u32() % 15) as u8,
        ex_mlen: 0,
        rlen: (rng.next_u32() % 9) as u8,
        header: one_in(rng, 2),
        eot: false,
        kind: pick(rng, &kinds),
    });
    inst
}

fn plane(rng: &mut Pcg64) -> Inst {
    let coefficients = vgrf(rng, Type::F, 16).scalar();
    let place = vgrf(rng, Type::F, 32);
    Inst::new(Op::Pln, pick(rng, &[8, 16]), destination(rng), &[coefficients, place])
}

/// Every kind of instruction: patterns are what an enumeration of bytes gives; where a period does
/// not repeat per register, and for predicated writes, they claim nothing.
#[test]
fn patterns_are_exact_or_on_the_safe_side() {
    let mut rng = Pcg64::seed_from_u64(1);
    let mut exact = [0u32; 4];
    for round in 0..240_000 {
        let kind = round % 4;
        let mut inst = [align1, align16, message, plane][kind](&mut rng);
        enable(&mut rng, &mut inst);
        let mut walked = 0;
        for_each_write(&inst, |reg, mask| {
            assert_eq!((walked, mask), (reg, dst_write_pattern(&inst, reg)), "{inst}: writes");
            walked += 1;
        });
        assert_eq!(walked, regs_written(&inst), "{inst}: writes");
        for index in 0..inst.src.len() {
            let mut walked = 0;
            for_each_read(&inst, index, |reg, mask| {
                assert_eq!(
                    (walked, mask),
                    (reg, src_read_pattern(&inst, index, reg)),
                    "{inst}: source {index}"
                );
                walked += 1;
            });
            assert_eq!(walked, regs_read(&inst, index), "{inst}: source {index}");
        }
        for reg in 0..18 {
            let got = dst_write_pattern(&inst, reg);
            match expected_write(&inst, reg) {
                Exactly(want) => assert_eq!(got, want, "{inst}: writes of register {reg}"),
                Unknown => assert_eq!(got, 0, "{inst}: writes of register {reg}"),
            }
            exact[kind] += u32::from(got != 0);
            for index in 0..inst.src.len() {
                let got = src_read_pattern(&inst, index, reg);
                match expected_read(&inst, index, reg) {
                    Exactly(want) => {
                        assert_eq!(got, want, "{inst}: source {index}, register {reg}")
                    }
                    Unknown => assert_eq!(got, u32::MAX, "{inst}: source {index}, register {reg}"),
                }
                exact[kind] += u32::from(!matches!(got, 0 | u32::MAX));
            }
        }
    }
    assert!(exact.iter().all(|&n| n >= 50_000), "{exact:?}");
}

#[test]
fn predicated_writes_define_nothing_except_sel() {
    let dst = Operand::vgrf(crate::lir::VReg::new(0), Type::F);
    let mut inst = Inst::new(Op::Mov, 8, dst, &[Operand::f(1.0)]);
    assert_eq!(dst_write_pattern(&inst, 0), u32::MAX);
    inst.predicate(false);
    assert_eq!(dst_write_pattern(&inst, 0), 0);
    inst.op = Op::Sel;
    inst.src.push(Operand::f(2.0));
    assert_eq!(dst_write_pattern(&inst, 0), u32::MAX);
    assert_eq!(dst_write_pattern(&inst, 1), 0);
}

#[test]
fn byte_scattered_data_reads_one_element_per_dword() {
    let payload = Operand::vgrf(crate::lir::VReg::new(0), Type::UD);
    let mut inst = Inst::new(Op::Send, 16, Operand::new(File::Null, Type::UD), &[payload]);
    inst.message = Some(crate::lir::Message {
        sfid: intel_isa::Sfid::DataCache,
        control: 0,
        mlen: 4,
        ex_mlen: 0,
        rlen: 0,
        header: false,
        eot: false,
        kind: MessageKind::ByteScatteredWrite { element: 2 },
    });
    assert_eq!(src_read_pattern(&inst, 0, 0), u32::MAX);
    assert_eq!(src_read_pattern(&inst, 0, 1), u32::MAX);
    assert_eq!(src_read_pattern(&inst, 0, 2), 0x3333_3333);
    assert_eq!(src_read_pattern(&inst, 0, 3), 0x3333_3333);
    assert_eq!(src_read_pattern(&inst, 0, 4), 0);
}

#[test]
fn align16_masks_follow_writemask_and_swizzle() {
    let dst = Operand::vgrf(crate::lir::VReg::new(0), Type::F).masked(0b0011);
    let src = Operand::vgrf(crate::lir::VReg::new(1), Type::F)
        .swizzled(crate::lir::Swizzle::new([3, 2, 0, 0]));
    let mut inst = Inst::new(Op::Mov, 8, dst, &[src]);
    inst.align16 = true;
    assert_eq!(dst_write_pattern(&inst, 0), 0x00ff_00ff);
    assert_eq!(src_read_pattern(&inst, 0, 0), 0xff00_ff00);
}
