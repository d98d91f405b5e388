//! Instructions resolved for execution: what is known before the first step is computed here, once.

use intel_isa::{
    AccessMode, Addressing, Arf, CondMod, Form, Inst, MathFn, Opcode, Operand, PredMode, RegFile,
    Region, Type,
};

use crate::exec_shape::ExecShape;
use crate::quirks::{self, Quirks};
use crate::region::{self, Lanes};
use crate::regs::REG_SIZE;

/// The type an operation computes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exec {
    /// Integers of a width in bytes (2, 4 or 8).
    Int {
        /// Width.
        bytes: u8,
        /// True if a source of that width is signed.
        signed: bool,
    },
    /// Half float.
    Hf,
    /// Single float (also mixed with half).
    F,
    /// Double float.
    Df,
    /// Integers mixed with floats: no such operation, results are garbage.
    Mixed,
}

impl Exec {
    /// Bytes of the execution type.
    pub fn bytes(self) -> u8 {
        match self {
            Exec::Int { bytes, .. } => bytes,
            Exec::Hf => 2,
            Exec::F | Exec::Mixed => 4,
            Exec::Df => 8,
        }
    }

    fn of(sources: &[Operand]) -> Exec {
        let mut floats = 0u32;
        let mut integers = 0u32;
        let mut signed = false;
        for source in sources {
            let size = source.ty.size();
            if source.ty.is_float() {
                floats = floats.max(size);
            } else {
                let size = size.max(2);
                if size > integers {
                    signed = false;
                }
                integers = integers.max(size);
                signed |= size == integers && source.ty.is_signed_integer();
            }
        }
        match (floats, integers) {
            (0, 0) => Exec::Int { bytes: 4, signed: false },
            (0, bytes) => Exec::Int { bytes: bytes as u8, signed },
            (2, 0) => Exec::Hf,
            (8, 0) => Exec::Df,
            (_, 0) => Exec::F,
            _ => Exec::Mixed,
        }
    }
}

/// Where an operand's elements are.
#[derive(Clone, Debug)]
pub enum Place {
    /// Nowhere: reads are garbage, writes are lost.
    Null,
    /// General registers, at absolute byte offsets.
    Grf(Lanes),
    /// General registers through a0, at offsets relative to the addresses.
    Indirect(Box<Indirect>),
    /// Accumulators, at byte offsets (32 per accumulator).
    Accumulator(Lanes),
    /// Another architecture register, at byte offsets from its kind's first register.
    Arf(Arf, Lanes),
    /// An immediate, the same for all channels.
    Imm(u64),
    /// A vector immediate: element `channel % 8`.
    ImmVector(Box<[u64; 8]>),
}

/// Where elements are that a0 leads to.
#[derive(Clone, Debug)]
pub struct Indirect {
    /// Word of a0.
    pub subreg: u8,
    /// Added to each address.
    pub offset: i16,
    /// Index of the address, relative to `subreg`, for a channel's low and high dword.
    pub rows: [[u8; 32]; 2],
    /// Offsets from the address.
    pub lanes: Lanes,
}

/// A resolved source.
#[derive(Clone, Debug)]
pub struct Src {
    /// Where it is.
    pub place: Place,
    /// Its element type (never a vector immediate's).
    pub ty: Type,
    /// Negate, or bitwise NOT for logic instructions from gen8.
    pub negate: bool,
    /// Absolute value.
    pub abs: bool,
}

/// A resolved destination.
#[derive(Clone, Debug)]
pub struct Dst {
    /// Where it is.
    pub place: Place,
    /// Its element type.
    pub ty: Type,
    /// Channels that a writemask lets through.
    pub enables: u32,
    /// `ivb-df-regions`: the element after each channel's own is overwritten with garbage.
    pub odd_garbage: bool,
}

/// Flag bits of a channel's predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredKind {
    /// Its own bit.
    Normal,
    /// Its own bit in f0 or f1.
    AnyV,
    /// Its own bit in f0 and f1.
    AllV,
    /// Any of an aligned group of bits.
    Any(u8),
    /// All of an aligned group of bits.
    All(u8),
    /// One component's bit of each group of four.
    Component(u8),
}

/// A resolved predicate.
#[derive(Clone, Copy, Debug)]
pub struct Pred {
    /// Flag bits.
    pub kind: PredKind,
    /// Inverted.
    pub inverse: bool,
}

/// Part of the machine that executes an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Arithmetic and logic, and the math unit.
    Alu,
    /// Branches.
    Control,
    /// Messages.
    Send,
    /// Waiting for a notification.
    Wait,
    /// Nothing.
    Nop,
    /// A trap.
    Illegal,
    /// Real, but not modeled.
    NotModeled,
}

/// A resolved instruction, apart from its jumps.
#[derive(Clone, Debug)]
pub struct Op {
    /// Part of the machine that executes it.
    pub unit: Unit,
    /// Operation.
    pub opcode: Opcode,
    /// Function of MATH.
    pub math: Option<MathFn>,
    /// Channels, halves.
    pub shape: ExecShape,
    /// Execution type.
    pub exec: Exec,
    /// First channel's bit in the execution mask.
    pub group: u8,
    /// Offset of the second half's enables from the first's.
    pub second_enables: u8,
    /// Ignore the execution mask.
    pub no_mask: bool,
    /// Saturate.
    pub saturate: bool,
    /// Also write the accumulator.
    pub acc_write: bool,
    /// Predicate.
    pub pred: Option<Pred>,
    /// Condition.
    pub cond: Option<CondMod>,
    /// True if the condition writes the flag register.
    pub writes_flag: bool,
    /// f0 or f1.
    pub flag_nr: u8,
    /// Bit of the first channel in that register.
    pub flag_base: u8,
    /// Destination.
    pub dst: Dst,
    /// Sources.
    pub src: [Src; 3],
    /// Number of sources.
    pub sources: u8,
    /// Channels whose result is undefined on this device.
    pub garbage: u32,
    /// A source is the time stamp register.
    pub reads_time: bool,
}

/// The low `count` bits.
pub(crate) fn low_bits(count: u8) -> u32 {
    if count >= 32 { u32::MAX } else { (1 << count) - 1 }
}

impl Op {
    /// Returns true if a source is a UD that is negated as a number: the result has a 33rd bit.
    pub fn negates_unsigned(&self) -> bool {
        let sources = &self.src[..usize::from(self.sources)];
        !self.opcode.is_logic()
            && sources.iter().any(|source| source.negate && source.ty == Type::UD)
    }

    /// Resolves an instruction.
    pub fn resolve(quirks: &Quirks, inst: &Inst) -> Op {
        let sources = inst.used_sources();
        let exec = Exec::of(sources);
        let has_dst = inst.opcode.info().has_dst;
        let any64 = inst.unit_is_alu()
            && (sources.iter().any(|source| source.ty.size() == 8)
                || has_dst && inst.dst.ty.size() == 8)
            && inst.opcode != Opcode::Dim;
        let shape = shape(quirks, inst, any64);
        let group = inst.qtr_control * 8 + if inst.nib_control { 4 } else { 0 };
        let mut op = Op {
            unit: inst.unit(),
            opcode: operation(inst),
            math: inst.math,
            shape,
            exec,
            group,
            second_enables: if shape.halves == 2 || shape.channels == 32 {
                quirks::second_half_enables(quirks, shape.channels / 2, exec.bytes() == 8, any64)
            } else {
                shape.half
            },
            no_mask: inst.no_mask,
            saturate: inst.saturate,
            acc_write: inst.acc_wr_en,
            pred: inst.predicate.map(|predicate| Pred {
                kind: pred_kind(predicate.mode),
                inverse: predicate.inverse,
            }),
            cond: inst.cond_mod,
            writes_flag: inst.cond_mod.is_some() && inst.opcode.cond_mod_writes_flag(),
            flag_nr: inst.flag.nr & 1,
            flag_base: (inst.flag.sub * 16 + group) & 31,
            dst: resolve_destination(&shape, inst),
            src: std::array::from_fn(|index| resolve_source(&shape, &inst.src[index])),
            sources: sources.len() as u8,
            garbage: 0,
            reads_time: sources
                .iter()
                .any(|source| matches!(source.arf(), Some(Arf::Timestamp(_)))),
        };
        op.garbage = undefined_channels(quirks, inst, &op, any64);
        op
    }

    /// Gathers the bits of the execution mask (or, shifted, of a flag register) of this
    /// instruction's channels.
    pub fn gather(&self, bits: u32) -> u32 {
        let count = self.shape.channels;
        let half = count / 2;
        if self.second_enables == self.shape.half || count < 2 || self.second_enables == half {
            return bits & low_bits(count);
        }
        let second = bits >> self.second_enables & low_bits(half);
        bits & low_bits(half) | second << half
    }

    /// The reverse of [`Op::gather`]: where this instruction's channels belong. The second half
    /// wins.
    pub fn scatter(&self, channels: u32) -> u32 {
        let count = self.shape.channels;
        let half = count / 2;
        if self.second_enables == self.shape.half || count < 2 || self.second_enables == half {
            return channels & low_bits(count);
        }
        channels & low_bits(half) | (channels >> half & low_bits(half)) << self.second_enables
    }
}

/// Properties of decoded instructions that only the simulator needs.
trait Classify {
    fn unit(&self) -> Unit;
    fn unit_is_alu(&self) -> bool;
}

impl Classify for Inst {
    fn unit(&self) -> Unit {
        match self.opcode {
            Opcode::Illegal => Unit::Illegal,
            Opcode::Nop | Opcode::Nenop => Unit::Nop,
            Opcode::Wait => Unit::Wait,
            Opcode::Movi | Opcode::Smov | Opcode::Sad2 | Opcode::Sada2 | Opcode::Madm => {
                Unit::NotModeled
            }
            Opcode::Calla | Opcode::Goto => Unit::NotModeled,
            Opcode::Ret => Unit::Control,
            _ => match self.opcode.form() {
                Form::Send | Form::SplitSend => Unit::Send,
                Form::Branch | Form::Call | Form::Jmpi => Unit::Control,
                _ if matches!(self.math, Some(MathFn::Invm | MathFn::Rsqrtm)) => Unit::NotModeled,
                _ => Unit::Alu,
            },
        }
    }

    fn unit_is_alu(&self) -> bool {
        self.unit() == Unit::Alu
    }
}

fn shape(quirks: &Quirks, inst: &Inst, any64: bool) -> ExecShape {
    let align16 = inst.access_mode == AccessMode::Align16;
    let three_source = inst.opcode.form() == Form::ThreeSource;
    let channels = quirks::channels(quirks, inst.exec_size.min(32), any64);
    let pairs = quirks.ivb_df_regions && any64 && !align16;
    let dst_size = inst.dst.ty.size();
    let dst_stride = if align16 { 1 } else { u32::from(inst.dst.region.hstride) };
    let per_channel = dst_stride * if pairs && dst_size < 8 { 2 * dst_size } else { dst_size };
    let last = u32::from(channels).saturating_sub(1) * per_channel + dst_size;
    let spans = u32::from(inst.dst.subnr) + last > REG_SIZE as u32;
    let halves = if inst.unit_is_alu() && spans && channels > 1 { 2 } else { 1 };
    let half = if halves == 2 { channels / 2 } else { channels };
    ExecShape {
        quirks: *quirks,
        channels,
        halves,
        half,
        align16,
        three_source,
        pairs,
        dst_size,
        dst_stride,
    }
}

fn pred_kind(mode: PredMode) -> PredKind {
    match mode {
        PredMode::Normal => PredKind::Normal,
        PredMode::AnyV => PredKind::AnyV,
        PredMode::AllV => PredKind::AllV,
        PredMode::Any2h => PredKind::Any(2),
        PredMode::All2h => PredKind::All(2),
        PredMode::Any4h => PredKind::Any(4),
        PredMode::All4h => PredKind::All(4),
        PredMode::Any8h => PredKind::Any(8),
        PredMode::All8h => PredKind::All(8),
        PredMode::Any16h => PredKind::Any(16),
        PredMode::All16h => PredKind::All(16),
        PredMode::Any32h => PredKind::Any(32),
        PredMode::All32h => PredKind::All(32),
        PredMode::ReplicateX => PredKind::Component(0),
        PredMode::ReplicateY => PredKind::Component(1),
        PredMode::ReplicateZ => PredKind::Component(2),
        PredMode::ReplicateW => PredKind::Component(3),
    }
}

/// Returns the operation that hardware executes. The sign of a signed source fills the result of
/// `shr`: Mesa 22.3 halves signed numbers so, and its CI passes piglit's `fs-subtractSaturate-int`
/// on a Kaby Lake (`iris-kbl-piglit`).
fn operation(inst: &Inst) -> Opcode {
    match inst.opcode {
        Opcode::Shr if element_type(inst.src[0].ty).is_signed_integer() => Opcode::Asr,
        opcode => opcode,
    }
}

/// The element type of an operand: vector immediates expand to words and floats.
fn element_type(ty: Type) -> Type {
    match ty {
        Type::V => Type::W,
        Type::UV => Type::UW,
        Type::VF => Type::F,
        other => other,
    }
}

fn place(shape: &ExecShape, operand: &Operand, is_dst: bool) -> Place {
    let lanes = |base: u32| {
        if is_dst {
            region::destination(shape, operand, base)
        } else {
            region::source(shape, operand, base)
        }
    };
    if let Addressing::Indirect { subreg, offset } = operand.addressing {
        let region = if is_dst { Region::dst(operand.region.hstride) } else { operand.region };
        let rows = region::address_rows(shape, region, operand.ty.size());
        return Place::Indirect(Box::new(Indirect { subreg, offset, rows, lanes: lanes(0) }));
    }
    match operand.file {
        RegFile::Imm => immediate(operand),
        RegFile::Grf => Place::Grf(lanes(operand.byte_offset())),
        RegFile::Arf => {
            let base = u32::from(operand.nr & 0xf) * REG_SIZE as u32 + u32::from(operand.subnr);
            let narrow = u32::from(operand.nr & 0xf) * 4 + u32::from(operand.subnr);
            match operand.arf() {
                None | Some(Arf::Null) => Place::Null,
                Some(Arf::Accumulator(_)) if !is_dst => {
                    let operand = accumulator_source(operand);
                    Place::Accumulator(region::source(shape, &operand, base))
                }
                Some(Arf::Accumulator(_)) => Place::Accumulator(lanes(base)),
                Some(flag @ Arf::Flag(_)) => Place::Arf(flag, lanes(narrow)),
                Some(arf) => Place::Arf(arf, lanes(base)),
            }
        }
    }
}

/// Returns an accumulator as a source: each channel reads its own element, also in a region of one
/// element. Mesa 22.3 reads it as `acc0<0,1,0>` to subtract with saturation, and its CI passes
/// piglit's `vs-subtractSaturate-uint` on a Kaby Lake (`iris-kbl-piglit`).
fn accumulator_source(operand: &Operand) -> Operand {
    let region = if operand.region.is_scalar() { Region::PACKED8 } else { operand.region };
    Operand { region, ..*operand }
}

/// Value of an immediate.
fn immediate(operand: &Operand) -> Place {
    let bits = operand.imm;
    let element: fn(u64, usize) -> u64 = match operand.ty {
        Type::UV => |bits, index| bits >> (4 * index) & 0xf,
        Type::V => |bits, index| {
            let nibble = bits >> (4 * index) & 0xf;
            if nibble & 8 != 0 { (nibble | 0xfff0) & 0xffff } else { nibble }
        },
        Type::VF => |bits, index| restricted_float((bits >> (8 * (index & 3))) as u8).into(),
        // DIM's immediate is typed F and has 64 bits; the destination takes what it needs.
        Type::F => return Place::Imm(bits),
        other => return Place::Imm(bits & crate::regs::mask(other.size() as usize)),
    };
    Place::ImmVector(Box::new(std::array::from_fn(|index| element(bits, index))))
}

/// An 8-bit restricted float (sign, three exponent bits biased by 3, four mantissa bits; 0 and 0x80
/// are zeros).
fn restricted_float(byte: u8) -> u32 {
    let sign = u32::from(byte & 0x80) << 24;
    if byte & 0x7f == 0 {
        return sign;
    }
    let exponent = u32::from(byte >> 4 & 7) + 127 - 3;
    sign | exponent << 23 | u32::from(byte & 0xf) << 19
}

fn resolve_source(shape: &ExecShape, operand: &Operand) -> Src {
    Src {
        place: place(shape, operand, false),
        ty: element_type(operand.ty),
        negate: operand.negate,
        abs: operand.abs,
    }
}

fn resolve_destination(shape: &ExecShape, inst: &Inst) -> Dst {
    let operand = &inst.dst;
    let mut enables = low_bits(shape.channels);
    if shape.align16 {
        let wide = operand.ty.size() == 8;
        let mask = if wide {
            quirks::align16_df_writemask(operand.writemask.0)
        } else {
            operand.writemask.0
        };
        let pairs = shape.quirks.bdw_align16_hf && operand.ty == Type::HF;
        enables = (0..shape.channels).fold(0, |bits, channel| {
            let component = channel % 4;
            let first = quirks::bdw_align16_hf(component);
            let on = if pairs { mask >> first & 3 != 0 } else { mask >> component & 1 != 0 };
            bits | u32::from(on) << channel
        });
    }
    Dst {
        place: place(shape, operand, true),
        ty: element_type(operand.ty),
        enables,
        odd_garbage: shape.pairs && operand.ty.size() < 8,
    }
}

/// Channels from `first` on.
fn channels_from(shape: &ExecShape, first: u8) -> u32 {
    low_bits(shape.channels) & !low_bits(first)
}

/// Channels whose result the hardware leaves undefined: each condition is a named quirk or a rule
/// about existence.
fn undefined_channels(quirks: &Quirks, inst: &Inst, op: &Op, any64: bool) -> u32 {
    if op.unit != Unit::Alu {
        return 0;
    }
    let (shape, all) = (&op.shape, low_bits(op.shape.channels));
    let sources = inst.used_sources();
    let mut undefined = 0;
    if op.exec == Exec::Mixed && inst.opcode != Opcode::Sel {
        undefined |= all;
    }
    if any64 && shape.align16 && quirks.ivb_align16_df_width {
        undefined |= channels_from(shape, 4);
    }
    let wide_df_sel = inst.opcode == Opcode::Sel
        && shape.align16
        && inst.dst.ty == Type::DF
        && shape.channels == 8;
    if quirks.gen7_align16_df_sel && wide_df_sel {
        undefined |= all;
    }
    let dword_product = inst.opcode == Opcode::Mul
        && sources.iter().all(|source| source.ty.is_integer() && source.ty.size() == 4);
    if quirks.no_dword_mul && dword_product && inst.dst.ty.size() < 8 {
        undefined |= all;
    }
    let is_cmp = matches!(inst.opcode, Opcode::Cmp | Opcode::Cmpn);
    if quirks.ivb_cmp16 && is_cmp && inst.dst.file == RegFile::Grf && op.exec.bytes() == 4 {
        undefined |= channels_from(shape, 8);
    }
    if shape.three_source {
        if quirks.ivb_3src_simd8 {
            undefined |= channels_from(shape, if any64 { 4 } else { 8 });
        }
        if quirks.three_src_no_df_rep
            && sources.iter().any(|source| source.rep_ctrl && source.ty.size() == 8)
        {
            undefined |= all;
        }
        let offset_hf =
            |source: &Operand| source.ty == Type::HF && source.subnr != 0 && !source.rep_ctrl;
        if quirks.bdw_hf_mad_offset && inst.opcode == Opcode::Mad && sources.iter().any(offset_hf) {
            undefined |= all;
        }
    }
    if quirks.hsw_bfi_simd8 && matches!(inst.opcode, Opcode::Bfi1 | Opcode::Bfi2) {
        undefined |= channels_from(shape, 8);
    }
    if quirks.chv_64bit_regions && breaks_chv_regions(inst, any64) {
        undefined |= all;
    }
    let narrow_source = sources.iter().any(|source| source.ty.size() < 8);
    if quirks.align16_qword_dst && shape.align16 && inst.dst.ty.size() == 8 && narrow_source {
        undefined |= channels_from(shape, 2);
    }
    if inst.opcode == Opcode::Math && op.exec == Exec::Hf {
        undefined |= if quirks.no_hf_math { all } else { channels_from(shape, 8) };
    }
    let divides = inst.math.is_some_and(|function| function.is_integer());
    if divides {
        undefined |= channels_from(shape, 8);
    }
    let no_df = matches!(
        inst.opcode,
        Opcode::Frc | Opcode::Rndd | Opcode::Rnde | Opcode::Rndu | Opcode::Rndz | Opcode::Lrp
    ) || inst.opcode == Opcode::Math;
    if no_df && op.exec == Exec::Df {
        undefined |= all;
    }
    undefined
}

/// `chv-64bit-regions`: with a 64-bit operand (or a dword product) in Align1, strides and offsets
/// of destination and non-scalar sources must agree and nothing may be indirect.
fn breaks_chv_regions(inst: &Inst, any64: bool) -> bool {
    let dword_product = inst.opcode == Opcode::Mul
        && inst.used_sources().iter().all(|source| source.ty.is_integer() && source.ty.size() == 4);
    if inst.access_mode == AccessMode::Align16 || !(any64 || dword_product) {
        return false;
    }
    let stride = u32::from(inst.dst.region.hstride) * inst.dst.ty.size();
    let bad_source = |source: &Operand| {
        if source.is_imm() {
            return false;
        }
        if source.is_indirect() || source.file == RegFile::Arf && !source.is_null() {
            return true;
        }
        if source.region.is_scalar() || inst.exec_size == 1 {
            return false;
        }
        let region = source.region;
        let linear =
            u32::from(region.vstride) == u32::from(region.width) * u32::from(region.hstride);
        // A region of one element per row strides by its rows.
        let step = if region.width == 1 { region.vstride } else { region.hstride };
        let aligned = inst.dst.is_null() || source.subnr == inst.dst.subnr;
        u32::from(step) * source.ty.size() != stride || !(linear || region.width == 1) || !aligned
    };
    (!inst.dst.is_null() && !stride.is_multiple_of(8) && inst.exec_size > 1)
        || inst.dst.is_indirect()
        || inst.used_sources().iter().any(bad_source)
}
