//! Specialized implementations of the common cases: 32-bit floats and integers and doubles in
//! general registers.
//!
//! Each works on the eight dword lanes (four doubles) of one half at once, in loops that the
//! compiler vectorizes. The result must be the generic implementation's, bit for bit;
//! `tests/fast.rs` compares them on random instructions. Instructions that need another rounding
//! mode, ALT mode, accumulators, a0 or an undefined result stays generic.

use eu::{CondMod, Opcode, Type};

use super::Modes;
use super::convert::satisfies;
use super::soft::{self, Round};
use crate::op::{Op, Place, Src, Unit, low_bits};
use crate::region::{Lanes, OUTSIDE};
use crate::regs::{GRF_BYTES, REG_SIZE, Registers};

/// Dwords of eight lanes.
type Dwords = [u32; 8];
/// Doubles of four lanes.
type Doubles = [f64; 4];

/// Where a half's lanes are.
#[derive(Clone, Copy, Debug)]
enum LaneLayout {
    /// One register's worth of bytes, from here.
    Packed(u16),
    /// One element for all lanes.
    Scalar(u16),
    /// Anywhere, by the offset table.
    Gather,
    /// The operand's constant for all lanes.
    Constant,
}

/// Operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// F sources, F result.
    Float,
    /// F sources, compared.
    FloatCompare,
    /// D or UD sources and result.
    Integer,
    /// D or UD sources, compared.
    IntegerCompare,
    /// F to D or UD, D or UD to F.
    Convert,
    /// Bits of 32-bit types, copied or selected by predicate.
    Copy,
    /// The plane equation.
    Plane,
    /// DF sources, DF result.
    Double,
    /// DF sources, compared.
    DoubleCompare,
    /// Bits of DF, copied or selected by predicate.
    CopyDouble,
}

/// A specialized implementation with its operands laid out.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    kind: Kind,
    src: [[LaneLayout; 2]; 3],
    dst: [LaneLayout; 2],
}

fn is_dword(ty: Type) -> bool {
    matches!(ty, Type::D | Type::UD)
}

/// Picks the implementation, or none.
pub fn select(op: &Op) -> Option<Plan> {
    if op.unit != Unit::Alu || op.garbage != 0 || op.acc_write || op.dst.odd_garbage {
        return None;
    }
    let kind = kind(op)?;
    let wide = op.dst.ty.size() == 8 || kind == Kind::DoubleCompare;
    if op.shape.half > if wide { 4 } else { 8 } {
        return None;
    }
    let sources = op.src.get(..op.sources.into())?;
    let mut src = [[LaneLayout::Gather; 2]; 3];
    for (layouts, source) in src.iter_mut().zip(sources) {
        *layouts = layouts_of(op, source)?;
    }
    let dst = match &op.dst.place {
        Place::Grf(lanes) => lane_layouts(op, lanes, op.dst.ty.size() as usize)?,
        // Only comparisons are worth running for their flags.
        Place::Null => [LaneLayout::Gather; 2],
        _ => return None,
    };
    Some(Plan { kind, src, dst })
}

fn kind(op: &Op) -> Option<Kind> {
    let types = op.src.each_ref().map(|source| source.ty);
    let types = types.get(..op.sources.into())?;
    let all = |ty: Type| types.iter().all(|&source| source == ty);
    let modified = op.src.iter().any(|source| source.negate || source.abs) || op.saturate;
    let same = types.iter().all(|&source| source == op.dst.ty);
    let compare = matches!(op.opcode, Opcode::Cmp);
    if compare {
        let narrow = op.dst.ty.size() == 4;
        return match types {
            [Type::F, Type::F] if narrow => Some(Kind::FloatCompare),
            [a, b] if narrow && is_dword(*a) && is_dword(*b) && !modified => {
                Some(Kind::IntegerCompare)
            }
            [Type::DF, Type::DF] => Some(Kind::DoubleCompare),
            _ => None,
        };
    }
    let integer_condition =
        matches!(op.opcode, Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Mov)
            && is_dword(op.dst.ty);
    let conditional_sel = op.opcode == Opcode::Sel && op.cond.is_some();
    if op.writes_flag && !integer_condition {
        return None;
    }
    match op.opcode {
        Opcode::Mov | Opcode::Sel if same && !modified && !conditional_sel && !op.writes_flag => {
            match op.dst.ty {
                Type::F | Type::D | Type::UD => Some(Kind::Copy),
                Type::DF => Some(Kind::CopyDouble),
                _ => None,
            }
        }
        Opcode::Mov => match types {
            [Type::F] if op.dst.ty == Type::F => Some(Kind::Float),
            [Type::F] if is_dword(op.dst.ty) && !op.writes_flag => Some(Kind::Convert),
            [ty] if is_dword(*ty) && op.dst.ty == Type::F && !modified => Some(Kind::Convert),
            [ty] if is_dword(*ty) && is_dword(op.dst.ty) && !modified => Some(Kind::Integer),
            [Type::DF] if op.dst.ty == Type::DF => Some(Kind::Double),
            _ => None,
        },
        Opcode::Sel if !conditional_sel => None,
        Opcode::Add | Opcode::Mul | Opcode::Mad | Opcode::Sel
            if all(Type::F) && op.dst.ty == Type::F =>
        {
            Some(Kind::Float)
        }
        Opcode::Rndd | Opcode::Rndu | Opcode::Rnde | Opcode::Rndz
            if all(Type::F) && op.dst.ty == Type::F =>
        {
            Some(Kind::Float)
        }
        Opcode::Pln if all(Type::F) && op.dst.ty == Type::F && plane_fits(op) => Some(Kind::Plane),
        Opcode::Add | Opcode::Mul | Opcode::Mad if all(Type::DF) && op.dst.ty == Type::DF => {
            Some(Kind::Double)
        }
        Opcode::And
        | Opcode::Or
        | Opcode::Xor
        | Opcode::Not
        | Opcode::Shl
        | Opcode::Shr
        | Opcode::Asr
            if dwords(types) && is_dword(op.dst.ty) && !modified =>
        {
            Some(Kind::Integer)
        }
        Opcode::Add if dwords(types) && is_dword(op.dst.ty) && !op.saturate && no_abs(op) => {
            Some(Kind::Integer)
        }
        Opcode::Sel if dwords(types) && same && !modified => Some(Kind::Integer),
        _ => None,
    }
}

/// Returns whether the register file holds everything that a plane equation reads.
fn plane_fits(op: &Op) -> bool {
    let (Place::Grf(plane), Place::Grf(values)) = (&op.src[0].place, &op.src[1].place) else {
        return false;
    };
    let registers = usize::from(op.shape.channels).div_ceil(8) * 2;
    usize::from(plane.low(0)) + 16 <= GRF_BYTES
        && usize::from(values.low(0)) + registers * REG_SIZE <= GRF_BYTES
}

fn dwords(types: &[Type]) -> bool {
    types.iter().all(|&ty| is_dword(ty))
}

fn no_abs(op: &Op) -> bool {
    !op.src.iter().any(|source| source.abs)
}

fn layouts_of(op: &Op, source: &Src) -> Option<[LaneLayout; 2]> {
    match &source.place {
        Place::Grf(lanes) => lane_layouts(op, lanes, source.ty.size() as usize),
        Place::Imm(_) => Some([LaneLayout::Constant; 2]),
        _ => None,
    }
}

/// The layouts of both halves; none if a lane is outside the register file.
fn lane_layouts(op: &Op, lanes: &Lanes, size: usize) -> Option<[LaneLayout; 2]> {
    let half = usize::from(op.shape.half);
    let count = usize::from(op.shape.channels);
    for channel in 0..count {
        let (low, high) = (lanes.low(channel), lanes.high(channel));
        if low == OUTSIDE
            || usize::from(low) + size > GRF_BYTES
            || size == 8 && high + 4 > GRF_BYTES
        {
            return None;
        }
    }
    let layout = |first: usize| {
        let start = lanes.low(first);
        let each = |step: usize| {
            lanes.is_whole()
                && (0..half).all(|lane| {
                    usize::from(lanes.low(first + lane)) == usize::from(start) + lane * step
                })
        };
        if first >= count {
            LaneLayout::Gather
        } else if each(0) {
            LaneLayout::Scalar(start)
        } else if each(size) && usize::from(start) + REG_SIZE <= GRF_BYTES {
            LaneLayout::Packed(start)
        } else {
            LaneLayout::Gather
        }
    };
    Some([layout(0), layout(half)])
}

/// Executes `op` on `enabled` channels; `false` if it is left to the generic implementation.
#[inline]
pub fn execute(
    registers: &mut Registers,
    op: &Op,
    enabled: u32,
    selected: u32,
    modes: &Modes,
) -> bool {
    let Some(plan) = &op.fast else { return false };
    let floating =
        !matches!(plan.kind, Kind::Copy | Kind::CopyDouble | Kind::Integer | Kind::IntegerCompare);
    if floating && (modes.round != Round::Even || modes.alt) {
        return false;
    }
    let enabled = enabled & op.dst.enables;
    for index in 0..usize::from(op.shape.halves) {
        let half = Half {
            op,
            plan,
            index,
            first: index * usize::from(op.shape.half),
            lanes: (enabled >> (index * usize::from(op.shape.half))) & low_bits(op.shape.half),
        };
        if half.lanes == 0 {
            continue;
        }
        match plan.kind {
            Kind::Float => half.float(registers, modes),
            Kind::FloatCompare => half.float_compare(registers, modes),
            Kind::Integer => half.integer(registers),
            Kind::IntegerCompare => half.integer_compare(registers),
            Kind::Convert => half.convert(registers, modes),
            Kind::Plane => half.plane(registers, modes),
            Kind::Copy => half.copy(registers, selected),
            Kind::Double => half.double(registers, modes),
            Kind::DoubleCompare => half.double_compare(registers, modes),
            Kind::CopyDouble => half.copy_double(registers, selected),
        }
    }
    true
}

/// One half of an instruction being executed.
struct Half<'a> {
    op: &'a Op,
    plan: &'a Plan,
    index: usize,
    first: usize,
    /// Enabled lanes of this half.
    lanes: u32,
}

#[inline]
fn flush32(bits: u32) -> u32 {
    if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits }
}

#[inline]
fn flush64(value: f64) -> f64 {
    f64::from_bits(soft::DF.flush(value.to_bits()))
}

/// `a · b + c` rounded once: the product is exact in double precision, the sum is rounded to odd
/// there, and the rounding to single then sees everything it needs.
#[inline]
fn fma32(a: f32, b: f32, c: f32) -> f32 {
    let (product, addend) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + addend;
    let virtual_addend = sum - product;
    let error = (product - (sum - virtual_addend)) + (addend - virtual_addend);
    let bits = sum.to_bits();
    let inexact = error.abs() > 0.0;
    let outward = (error > 0.0) == (sum > 0.0);
    let odd = if outward { bits | 1 } else { bits.wrapping_sub(1) | 1 };
    f64::from_bits(if inexact && bits & 1 == 0 { odd } else { bits }) as f32
}

impl Half<'_> {
    /// The dwords of source `index`.
    #[inline]
    fn dwords(&self, registers: &Registers, index: usize) -> Dwords {
        match self.plan.src[index][self.index] {
            LaneLayout::Packed(start) => {
                let start = usize::from(start);
                let mut dwords = [0; 8];
                if let Some(bytes) = registers.grf.get(start..start + REG_SIZE) {
                    for (dword, bytes) in dwords.iter_mut().zip(bytes.as_chunks::<4>().0) {
                        *dword = u32::from_le_bytes(*bytes);
                    }
                }
                dwords
            }
            LaneLayout::Scalar(start) => [registers.dword(start.into()); 8],
            LaneLayout::Constant => [self.constant(index) as u32; 8],
            LaneLayout::Gather => {
                let mut dwords = [0; 8];
                if let Place::Grf(lanes) = &self.op.src[index].place {
                    for (lane, dword) in
                        dwords.iter_mut().enumerate().take(self.op.shape.half.into())
                    {
                        *dword = registers.dword(lanes.low(self.first + lane).into());
                    }
                }
                dwords
            }
        }
    }

    /// The immediate that source `index` is.
    #[inline]
    fn constant(&self, index: usize) -> u64 {
        match self.op.src[index].place {
            Place::Imm(value) => value,
            _ => 0,
        }
    }

    /// Source `index` as floats, modified and flushed.
    #[inline]
    fn floats(&self, registers: &Registers, index: usize, flush: bool) -> [f32; 8] {
        let source = &self.op.src[index];
        let keep = if source.abs { 0x7fff_ffff } else { u32::MAX };
        let flip = if source.negate { 0x8000_0000 } else { 0 };
        let mut dwords = self.dwords(registers, index).map(|bits| (bits & keep) ^ flip);
        if flush {
            dwords = dwords.map(flush32);
        }
        dwords.map(f32::from_bits)
    }

    /// The doubles of source `index`, as they are.
    #[inline]
    fn raw_doubles(&self, registers: &Registers, index: usize) -> [u64; 4] {
        let dword = |offset: usize| u64::from(registers.dword(offset));
        match self.plan.src[index][self.index] {
            LaneLayout::Packed(start) => {
                std::array::from_fn(|lane| registers.read(usize::from(start) + lane * 8, 8))
            }
            LaneLayout::Scalar(start) => [registers.read(start.into(), 8); 4],
            LaneLayout::Constant => [self.constant(index); 4],
            LaneLayout::Gather => {
                let mut values = [0; 4];
                if let Place::Grf(lanes) = &self.op.src[index].place {
                    for (lane, value) in
                        values.iter_mut().enumerate().take(self.op.shape.half.into())
                    {
                        let channel = self.first + lane;
                        *value =
                            dword(lanes.low(channel).into()) | dword(lanes.high(channel)) << 32;
                    }
                }
                values
            }
        }
    }

    #[inline]
    fn doubles(&self, registers: &Registers, index: usize, flush: bool) -> Doubles {
        let source = &self.op.src[index];
        self.raw_doubles(registers, index).map(|bits| {
            let value =
                f64::from_bits(super::float::modify(soft::DF, bits, source.negate, source.abs));
            if flush { flush64(value) } else { value }
        })
    }

    /// Writes dword results.
    #[inline]
    fn store(&self, registers: &mut Registers, results: &Dwords) {
        let Place::Grf(lanes) = &self.op.dst.place else { return };
        if let (LaneLayout::Packed(start), 0xff) = (self.plan.dst[self.index], self.lanes) {
            let start = usize::from(start);
            if let Some(bytes) = registers.grf.get_mut(start..start + REG_SIZE) {
                for (bytes, dword) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(results) {
                    *bytes = dword.to_le_bytes();
                }
            }
            return;
        }
        for (lane, &dword) in results.iter().enumerate() {
            if (self.lanes >> lane) & 1 != 0 {
                registers.write(lanes.low(self.first + lane).into(), 4, dword.into());
            }
        }
    }

    /// Writes double results.
    #[inline]
    fn store_doubles(&self, registers: &mut Registers, results: &[u64; 4]) {
        let Place::Grf(lanes) = &self.op.dst.place else { return };
        for (lane, &bits) in results.iter().enumerate() {
            if (self.lanes >> lane) & 1 != 0 {
                let channel = self.first + lane;
                registers.write(lanes.low(channel).into(), 4, bits);
                registers.write(lanes.high(channel), 4, bits >> 32);
            }
        }
    }

    /// Writes the flag bits of this half's enabled lanes.
    #[inline]
    fn store_flags(&self, registers: &mut Registers, truths: u32) {
        if !self.op.writes_flag {
            return;
        }
        let place =
            |lanes: u32| self.op.scatter(lanes << self.first).rotate_left(self.op.flag_base.into());
        let (written, truths) = (place(self.lanes), place(truths & self.lanes));
        let flag = &mut registers.flags[usize::from(self.op.flag_nr)];
        *flag = (*flag & !written) | truths;
    }

    /// Canonical NaN, flushing, saturation.
    #[inline]
    fn finish(&self, results: [f32; 8], flush: bool) -> Dwords {
        let mut dwords =
            results.map(|x| if x.is_nan() { soft::F.nan() as u32 } else { x.to_bits() });
        if flush {
            dwords = dwords.map(flush32);
        }
        if self.op.saturate {
            dwords = dwords.map(|bits| super::convert::saturate_float(soft::F, bits.into()) as u32);
        }
        dwords
    }

    fn float(&self, registers: &mut Registers, modes: &Modes) {
        let flush = modes.flush_f;
        let a = self.floats(registers, 0, flush);
        let results = match self.op.opcode {
            Opcode::Add => {
                let b = self.floats(registers, 1, flush);
                std::array::from_fn(|lane| a[lane] + b[lane])
            }
            Opcode::Mul => {
                let b = self.floats(registers, 1, flush);
                std::array::from_fn(|lane| a[lane] * b[lane])
            }
            Opcode::Mad => {
                let (b, c) = (self.floats(registers, 1, flush), self.floats(registers, 2, flush));
                std::array::from_fn(|lane| fma32(b[lane], c[lane], a[lane]))
            }
            Opcode::Rndd => a.map(f32::floor),
            Opcode::Rndu => a.map(f32::ceil),
            Opcode::Rnde => a.map(f32::round_ties_even),
            Opcode::Rndz => a.map(f32::trunc),
            Opcode::Sel => {
                let b = self.floats(registers, 1, flush);
                let select = |x: f32, y: f32| {
                    let (x, y) = (x.to_bits().into(), y.to_bits().into());
                    f32::from_bits(super::float::select(soft::F, self.op.cond, x, y) as u32)
                };
                // The chosen bits are kept: a NaN that wins keeps its payload.
                let mut dwords: Dwords =
                    std::array::from_fn(|lane| select(a[lane], b[lane]).to_bits());
                if self.op.saturate {
                    dwords = dwords
                        .map(|bits| super::convert::saturate_float(soft::F, bits.into()) as u32);
                }
                return self.store(registers, &dwords);
            }
            // MOV with modifiers or saturation: a NaN keeps its payload here too.
            _ => {
                let mut dwords = a.map(f32::to_bits);
                if self.op.saturate {
                    dwords = dwords
                        .map(|bits| super::convert::saturate_float(soft::F, bits.into()) as u32);
                }
                return self.store(registers, &dwords);
            }
        };
        let dwords = self.finish(results, flush);
        self.store(registers, &dwords);
    }

    fn float_compare(&self, registers: &mut Registers, modes: &Modes) {
        let (a, b) =
            (self.floats(registers, 0, modes.flush_f), self.floats(registers, 1, modes.flush_f));
        let compare = |f: fn(&f32, &f32) -> bool| {
            (0..8).fold(0u32, |bits, lane| bits | u32::from(f(&a[lane], &b[lane])) << lane)
        };
        self.store_truths(registers, truths_of(self.op.cond, compare));
    }

    /// Writes a comparison's masks and flags.
    fn store_truths(&self, registers: &mut Registers, truths: u32) {
        let dwords =
            std::array::from_fn(|lane| if (truths >> lane) & 1 != 0 { u32::MAX } else { 0 });
        self.store(registers, &dwords);
        self.store_flags(registers, truths);
    }

    fn integer(&self, registers: &mut Registers) {
        let a = self.dwords(registers, 0);
        let b = if self.op.sources > 1 { self.dwords(registers, 1) } else { a };
        let negated = |index: usize| self.op.src[index].negate;
        let signed = self.op.src.first().is_some_and(|source| source.ty == Type::D);
        let results: Dwords = match self.op.opcode {
            Opcode::Add => {
                let term = |x: u32, negate: bool| if negate { x.wrapping_neg() } else { x };
                std::array::from_fn(|lane| {
                    term(a[lane], negated(0)).wrapping_add(term(b[lane], negated(1)))
                })
            }
            Opcode::And => std::array::from_fn(|lane| a[lane] & b[lane]),
            Opcode::Or => std::array::from_fn(|lane| a[lane] | b[lane]),
            Opcode::Xor => std::array::from_fn(|lane| a[lane] ^ b[lane]),
            Opcode::Not => a.map(|x| !x),
            Opcode::Shl => std::array::from_fn(|lane| a[lane] << (b[lane] & 31)),
            Opcode::Shr => std::array::from_fn(|lane| a[lane] >> (b[lane] & 31)),
            // An unsigned source has no sign to shift in.
            Opcode::Asr if signed => {
                std::array::from_fn(|lane| ((a[lane] as i32) >> (b[lane] & 31)) as u32)
            }
            Opcode::Asr => std::array::from_fn(|lane| a[lane] >> (b[lane] & 31)),
            Opcode::Sel => std::array::from_fn(|lane| {
                let ordering = if signed {
                    (a[lane] as i32).cmp(&(b[lane] as i32))
                } else {
                    a[lane].cmp(&b[lane])
                };
                if satisfies(self.op.cond, Some(ordering)) { a[lane] } else { b[lane] }
            }),
            _ => a,
        };
        self.store(registers, &results);
        if self.op.writes_flag {
            self.store_flags(registers, self.zero_comparison(&results));
        }
    }

    /// The condition of a logic result or copy, compared with zero. The value has the type of the
    /// widest source: a mixture of D and UD counts as signed.
    fn zero_comparison(&self, results: &Dwords) -> u32 {
        let used = self.op.src.get(..self.op.sources.into()).unwrap_or(&[]);
        let signed = used.iter().any(|source| source.ty == Type::D);
        let value = |bits: u32| if signed { i64::from(bits as i32) } else { i64::from(bits) };
        (0..8).fold(0, |truths, lane| {
            truths | u32::from(satisfies(self.op.cond, Some(value(results[lane]).cmp(&0)))) << lane
        })
    }

    fn integer_compare(&self, registers: &mut Registers) {
        let (a, b) = (self.dwords(registers, 0), self.dwords(registers, 1));
        let value = |bits: u32, ty: Type| {
            if ty == Type::D { i64::from(bits as i32) } else { i64::from(bits) }
        };
        let (left, right) = (self.op.src[0].ty, self.op.src[1].ty);
        let compare = |f: fn(&i64, &i64) -> bool| {
            (0..8).fold(0u32, |bits, lane| {
                bits | u32::from(f(&value(a[lane], left), &value(b[lane], right))) << lane
            })
        };
        self.store_truths(registers, truths_of(self.op.cond, compare));
    }

    fn convert(&self, registers: &mut Registers, modes: &Modes) {
        let source = self.op.src[0].ty;
        let dwords: Dwords = match (source, self.op.dst.ty) {
            (Type::F, Type::D) => {
                self.floats(registers, 0, modes.flush_f).map(|x| (x as i32) as u32)
            }
            (Type::F, _) => self.floats(registers, 0, modes.flush_f).map(|x| x as u32),
            (Type::D, _) => self.dwords(registers, 0).map(|x| (x as i32 as f32).to_bits()),
            _ => self.dwords(registers, 0).map(|x| (x as f32).to_bits()),
        };
        self.store(registers, &dwords);
    }

    fn plane(&self, registers: &mut Registers, modes: &Modes) {
        let (Place::Grf(plane), Place::Grf(values)) =
            (&self.op.src[0].place, &self.op.src[1].place)
        else {
            return;
        };
        let read = |registers: &Registers, index: usize, offset: usize| {
            let source = &self.op.src[index];
            let bits = super::float::modify(
                soft::F,
                registers.dword(offset).into(),
                source.negate,
                source.abs,
            );
            f64::from(f32::from_bits(modes.flush(soft::F, bits) as u32))
        };
        let base = usize::from(plane.low(0));
        let [p, q, r] = [0, 4, 12].map(|offset| read(registers, 0, base + offset));
        let results: [f32; 8] = std::array::from_fn(|lane| {
            let channel = self.first + lane;
            let start = usize::from(values.low(0)) + channel / 8 * 2 * REG_SIZE + channel % 8 * 4;
            let [u, v] = [start, start + REG_SIZE].map(|offset| read(registers, 1, offset));
            (p * u + q * v + r) as f32
        });
        let dwords = self.finish(results, modes.flush_f);
        self.store(registers, &dwords);
    }

    fn copy(&self, registers: &mut Registers, selected: u32) {
        let a = self.dwords(registers, 0);
        if self.op.opcode == Opcode::Mov {
            return self.store(registers, &a);
        }
        let b = self.dwords(registers, 1);
        let selected = selected >> self.first;
        let chosen =
            std::array::from_fn(|lane| if (selected >> lane) & 1 != 0 { a[lane] } else { b[lane] });
        self.store(registers, &chosen);
    }

    fn double(&self, registers: &mut Registers, modes: &Modes) {
        let flush = modes.flush_df;
        let a = self.doubles(registers, 0, flush);
        let results: Doubles = match self.op.opcode {
            Opcode::Add => {
                let b = self.doubles(registers, 1, flush);
                std::array::from_fn(|lane| a[lane] + b[lane])
            }
            Opcode::Mul => {
                let b = self.doubles(registers, 1, flush);
                std::array::from_fn(|lane| a[lane] * b[lane])
            }
            Opcode::Mad => {
                let (b, c) = (self.doubles(registers, 1, flush), self.doubles(registers, 2, flush));
                std::array::from_fn(|lane| b[lane].mul_add(c[lane], a[lane]))
            }
            _ => {
                let bits = a.map(f64::to_bits);
                let saturated = bits.map(|bits| super::convert::saturate_float(soft::DF, bits));
                return self
                    .store_doubles(registers, if self.op.saturate { &saturated } else { &bits });
            }
        };
        let bits = results.map(|x| {
            let bits = if x.is_nan() { soft::DF.nan() } else { x.to_bits() };
            let bits = if flush { soft::DF.flush(bits) } else { bits };
            if self.op.saturate { super::convert::saturate_float(soft::DF, bits) } else { bits }
        });
        self.store_doubles(registers, &bits);
    }

    fn double_compare(&self, registers: &mut Registers, modes: &Modes) {
        let (a, b) = (
            self.doubles(registers, 0, modes.flush_df),
            self.doubles(registers, 1, modes.flush_df),
        );
        let compare = |f: fn(&f64, &f64) -> bool| {
            (0..4).fold(0u32, |bits, lane| bits | u32::from(f(&a[lane], &b[lane])) << lane)
        };
        let truths = truths_of(self.op.cond, compare);
        if self.op.dst.ty.size() == 8 {
            let masks =
                std::array::from_fn(|lane| if (truths >> lane) & 1 != 0 { u64::MAX } else { 0 });
            self.store_doubles(registers, &masks);
            self.store_flags(registers, truths);
        } else {
            self.store_truths(registers, truths);
        }
    }

    fn copy_double(&self, registers: &mut Registers, selected: u32) {
        let a = self.raw_doubles(registers, 0);
        if self.op.opcode == Opcode::Mov {
            return self.store_doubles(registers, &a);
        }
        let b = self.raw_doubles(registers, 1);
        let selected = selected >> self.first;
        let chosen =
            std::array::from_fn(|lane| if (selected >> lane) & 1 != 0 { a[lane] } else { b[lane] });
        self.store_doubles(registers, &chosen);
    }
}

/// Applies the comparison that a condition names. Only "not equal" holds for unordered operands.
fn truths_of<T: PartialOrd>(
    cond: Option<CondMod>,
    compare: impl Fn(fn(&T, &T) -> bool) -> u32,
) -> u32 {
    match cond {
        Some(CondMod::Z) => compare(|a, b| a == b),
        Some(CondMod::Nz) => compare(|a, b| a != b),
        Some(CondMod::G) => compare(|a, b| a > b),
        Some(CondMod::Ge) => compare(|a, b| a >= b),
        Some(CondMod::L) => compare(|a, b| a < b),
        Some(CondMod::Le) => compare(|a, b| a <= b),
        Some(CondMod::U) => compare(|a, b| a.partial_cmp(b).is_none()),
        None | Some(CondMod::O) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_pcg::{Pcg64Mcg, rand_core::RngCore};

    #[test]
    fn fma32_is_fused() {
        let mut rng = Pcg64Mcg::new(11);
        for _ in 0..300_000 {
            let raw = rng.next_u64();
            let sign = |bit: u32| if raw >> bit & 1 == 0 { 1.0f32 } else { -1.0 };
            // (1 + kε)(1 − kε) half units of the addend: a product just beside a tie, by less than
            // a double resolves.
            let addend = sign(60) * f32::from_bits(0x3f80_0000 | (raw as u32 & 0x7f_ffff));
            let k = f32::EPSILON * ((raw >> 24 & 7) as f32 - 3.0);
            let (factor, other) =
                (1.0 + k, sign(61) * (1.0 - k) * 2f32.powi(-24 - (raw >> 32 & 1) as i32));
            let scale = 2f32.powi((raw >> 40 & 0x7f) as i32 - 64);
            let (a, b, c) = (addend * scale, factor * scale, other);
            assert_eq!(
                fma32(b, c, a).to_bits(),
                b.mul_add(c, a).to_bits(),
                "{b:e} * {c:e} + {a:e}"
            );
            let [x, y, z] = [0; 3].map(|_| f32::from_bits(rng.next_u64() as u32));
            let (ours, host) = (fma32(x, y, z), x.mul_add(y, z));
            assert!(
                ours.to_bits() == host.to_bits() || ours.is_nan() && host.is_nan(),
                "{x:e} * {y:e} + {z:e}"
            );
        }
    }
}
