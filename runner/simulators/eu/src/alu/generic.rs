//! The defining implementation of every arithmetic instruction: one channel at a time, any type,
//! any region.

use intel_isa::{MathFn, Opcode, Type};
use smallvec::SmallVec;

use super::convert::{condition, integer, satisfies, store};
use super::operands::{Live, fetch, put, read_accumulator, write_accumulator};
use super::{Modes, Value, float, format, integer as int, math};
use crate::op::{Exec, Op, Place, PredKind};
use crate::regs::{REG_SIZE, Registers, mask};
use crate::soft_float::{self, Format, Round};

/// Executes `op` on the channels of `enabled` (after execution mask, before predication of SEL).
/// `selected` is the predicate's value per channel.
pub fn execute(
    registers: &mut Registers,
    op: &Op,
    enabled: u32,
    selected: u32,
    live: &Live,
    modes: &Modes,
) {
    let half = op.shape.half;
    for first in (0..op.shape.halves).map(|index| index * half) {
        let range = (crate::op::low_bits(half)) << first;
        let channels = enabled & range & op.dst.enables;
        if channels != 0 {
            execute_half(registers, op, (first, half), channels, selected, live, modes);
        }
    }
}

/// The results of one channel.
struct Outcome {
    channel: usize,
    /// For the destination, and for the conditions unless there is a verdict.
    value: Value,
    /// A comparison's truth.
    verdict: Option<bool>,
    /// The accumulator's new value, where it is not the result.
    acc: Option<i128>,
    /// The second result of INT DIV.
    remainder: Option<i128>,
}

impl Outcome {
    fn plain(channel: usize, value: Value) -> Outcome {
        Outcome { channel, value, verdict: None, acc: None, remainder: None }
    }

    fn judged(channel: usize, value: Value, verdict: bool) -> Outcome {
        Outcome { verdict: Some(verdict), ..Outcome::plain(channel, value) }
    }
}

fn execute_half(
    registers: &mut Registers,
    op: &Op,
    (first, count): (u8, u8),
    channels: u32,
    selected: u32,
    live: &Live,
    modes: &Modes,
) {
    // All sources of a half are read before any of its results is written.
    let mut outcomes: SmallVec<[Outcome; 16]> = SmallVec::new();
    for channel in
        (first..first + count).map(usize::from).filter(|channel| channels >> channel & 1 != 0)
    {
        outcomes.push(channel_outcome(
            registers,
            op,
            channel,
            selected >> channel & 1 != 0,
            live,
            modes,
        ));
    }
    let (mut written, mut truths) = (0u32, 0u32);
    let wide = op.negates_unsigned();
    for outcome in &outcomes {
        let channel = outcome.channel;
        let (bits, value) = store(outcome.value, op.dst.ty, op.saturate, modes);
        let of_result = || condition(op.cond, value, op.dst.ty, op.saturate, wide);
        let truth = outcome.verdict.unwrap_or_else(of_result);
        written |= 1 << channel;
        truths |= u32::from(truth) << channel;
        let exact = match outcome.value {
            Value::Int(value) if !op.dst.ty.is_float() && !op.saturate => value,
            _ => i128::from(bits),
        };
        put(registers, &op.shape, &op.dst, channel, bits, exact);
        if op.acc_write {
            let value = outcome.acc.unwrap_or(exact);
            write_implicit_accumulator(registers, op, channel, value);
        }
        if let Some(remainder) = outcome.remainder {
            write_remainder(registers, op, channel, remainder, modes);
        }
    }
    if op.writes_flag {
        let written = op.scatter(written).rotate_left(op.flag_base.into());
        let truths = op.scatter(truths).rotate_left(op.flag_base.into());
        let flag = &mut registers.flags[usize::from(op.flag_nr)];
        *flag = *flag & !written | truths & written;
    }
}

/// INT DIV with both results: the remainder goes to the register after the quotient's.
fn write_remainder(
    registers: &mut Registers,
    op: &Op,
    channel: usize,
    remainder: i128,
    modes: &Modes,
) {
    let (bits, _) = store(Value::Int(remainder), op.dst.ty, op.saturate, modes);
    if let Place::Grf(lanes) = &op.dst.place {
        let size = op.dst.ty.size() as usize;
        registers.write(usize::from(lanes.low(channel)) + REG_SIZE, size, bits);
    }
}

/// Byte offset of the accumulator element that an implicit access of `channel` uses.
fn implicit_accumulator(op: &Op, channel: usize) -> usize {
    let ty = op.dst.ty;
    let size = (op.exec.bytes() as usize).max(ty.size().min(4) as usize);
    if size == 8 {
        return (channel + usize::from(op.group)) % 8 * 8;
    }
    // `ivb-acc1`: the quarter selects the accumulator even for integers, which have only acc0.
    let integer = matches!(op.exec, Exec::Int { .. });
    let group = if integer && !op.shape.quirks.ivb_acc1 { 0 } else { usize::from(op.group) };
    if integer && size == 2 { (channel + group) % 16 * 2 } else { (channel + group) % 16 * 4 }
}

fn accumulator_type(op: &Op) -> Type {
    match op.exec {
        Exec::Int { bytes: 2, .. } if op.dst.ty.size() <= 2 => Type::W,
        Exec::Int { .. } => Type::D,
        Exec::Df => Type::DF,
        _ => Type::F,
    }
}

fn write_implicit_accumulator(registers: &mut Registers, op: &Op, channel: usize, value: i128) {
    write_accumulator(registers, implicit_accumulator(op, channel), accumulator_type(op), value);
}

fn implicit_accumulator_value(registers: &Registers, op: &Op, channel: usize) -> i128 {
    read_accumulator(registers, implicit_accumulator(op, channel), accumulator_type(op))
}

fn channel_outcome(
    registers: &Registers,
    op: &Op,
    channel: usize,
    selected: bool,
    live: &Live,
    modes: &Modes,
) -> Outcome {
    let plain = |value| Outcome::plain(channel, value);
    if op.garbage >> channel & 1 != 0 {
        let noise = registers.garbage.get(u64::from(live.ip) << 16 | 0x8000 | channel as u64);
        return Outcome::judged(
            channel,
            Value::Raw(noise & mask(op.dst.ty.size() as usize)),
            noise >> 63 != 0,
        );
    }
    let raw = |index: usize| fetch(registers, live, &op.shape, &op.src[index], channel);
    match op.opcode {
        Opcode::Mov | Opcode::Dim if is_raw_move(op) => return plain(Value::Raw(raw(0))),
        Opcode::Mov => return plain(move_value(op, raw(0), registers, channel, modes)),
        Opcode::F32To16 => return plain(float_to_half(op, raw(0), modes)),
        Opcode::F16To32 => return plain(half_to_float(op, raw(0), modes)),
        Opcode::Pln | Opcode::Line => return plain(interpolate(registers, op, channel, modes)),
        Opcode::Dp2 | Opcode::Dp3 | Opcode::Dp4 | Opcode::Dph => {
            return plain(dot_product(registers, op, channel, live, modes));
        }
        Opcode::Math => {
            let sources = [raw(0), raw_or_zero(op, &raw, 1)];
            let both = op.math == Some(MathFn::IntDivMod);
            let remainder = both.then(|| divide(op, sources, MathFn::IntMod));
            return Outcome { remainder, ..plain(math_value(op, sources, modes)) };
        }
        _ => {}
    }
    let mut sources = [0; 3];
    for (index, slot) in sources.iter_mut().enumerate().take(op.sources.into()) {
        *slot = raw(index);
    }
    match op.exec {
        Exec::Int { .. } => integer_outcome(registers, op, channel, sources, selected),
        Exec::Hf => float_outcome(registers, op, channel, soft_float::HF, sources, selected, modes),
        Exec::Df => float_outcome(registers, op, channel, soft_float::DF, sources, selected, modes),
        Exec::F | Exec::Mixed => {
            float_outcome(registers, op, channel, soft_float::F, sources, selected, modes)
        }
    }
}

fn raw_or_zero(op: &Op, raw: &impl Fn(usize) -> u64, index: usize) -> u64 {
    if usize::from(op.sources) > index { raw(index) } else { 0 }
}

/// A MOV that only copies bits: equal types, no modifier, no saturation.
fn is_raw_move(op: &Op) -> bool {
    let accumulator = |place: &Place| matches!(place, Place::Accumulator(_));
    op.opcode == Opcode::Dim
        || op.src[0].ty == op.dst.ty
            && !op.src[0].negate
            && !op.src[0].abs
            && !op.saturate
            && !accumulator(&op.src[0].place)
            && !accumulator(&op.dst.place)
}

/// An integer source with modifiers. They are applied in the width of a signed source, where the
/// least integer is its own negation (Mesa, `fs_visitor::lower_sub_sat`); a negated UD keeps a 33rd
/// bit.
fn integer_source(op: &Op, index: usize, raw: u64) -> i128 {
    let src = &op.src[index];
    let value = integer(src.ty, raw);
    if op.shape.quirks.gen8_logic_not && op.opcode.is_logic() {
        return if src.negate { !value } else { value };
    }
    let value = if src.abs { value.abs() } else { value };
    let value = if src.negate { -value } else { value };
    if src.ty.is_signed_integer() { integer(src.ty, value as u64) } else { value }
}

/// A float source in the execution format with modifiers, flushed.
fn float_source(op: &Op, index: usize, raw: u64, fmt: Format, modes: &Modes) -> u64 {
    let src = &op.src[index];
    let Some(from) = format(src.ty) else { return raw };
    let bits = modes.flush(from, float::modify(from, raw, src.negate, src.abs));
    if from == fmt { bits } else { soft_float::convert(from, fmt, bits, Round::Even) }
}

fn move_value(op: &Op, raw: u64, registers: &Registers, channel: usize, modes: &Modes) -> Value {
    let src = &op.src[0];
    match format(src.ty) {
        Some(fmt) => Value::Float(fmt, float_source(op, 0, raw, fmt, modes)),
        None => {
            // Reading an integer accumulator as such keeps what does not fit its type.
            if let (Place::Accumulator(lanes), Place::Accumulator(_)) = (&src.place, &op.dst.place)
            {
                return Value::Int(read_accumulator(registers, lanes.low(channel).into(), src.ty));
            }
            Value::Int(integer_source(op, 0, raw))
        }
    }
}

/// F32TO16: the half in the low word; in Align16 the high word of the dword becomes zero. Half
/// subnormals are kept.
fn float_to_half(op: &Op, raw: u64, modes: &Modes) -> Value {
    let bits = float_source(op, 0, raw, soft_float::F, modes);
    let bits = if op.saturate { super::convert::saturate_float(soft_float::F, bits) } else { bits };
    Value::Raw(soft_float::convert(soft_float::F, soft_float::HF, bits, modes.round))
}

/// F16TO32: the half in the low word of the source element.
fn half_to_float(op: &Op, raw: u64, modes: &Modes) -> Value {
    let half = float::modify(soft_float::HF, raw & 0xffff, op.src[0].negate, op.src[0].abs);
    Value::Float(
        soft_float::F,
        modes.flush(
            soft_float::F,
            soft_float::convert(soft_float::HF, soft_float::F, half, Round::Even),
        ),
    )
}

/// PLN reads p, q, r from consecutive dwords (r from the fourth) and u, v from register pairs; LINE
/// reads p and q from the first and the fourth dword.
fn interpolate(registers: &Registers, op: &Op, channel: usize, modes: &Modes) -> Value {
    let (Place::Grf(plane), Place::Grf(values)) = (&op.src[0].place, &op.src[1].place) else {
        return Value::Float(soft_float::F, registers.garbage.get(channel as u64) & mask(4));
    };
    let base = usize::from(plane.low(0));
    let modify = |index: usize, bits: u32| {
        let src = &op.src[index];
        float::modify(soft_float::F, bits.into(), src.negate, src.abs)
    };
    let coefficient = |index: usize| modify(0, registers.dword(base + 4 * index));
    if op.opcode == Opcode::Line {
        let u = modify(1, registers.dword(usize::from(values.low(channel))));
        return float::value(
            soft_float::F,
            float::plane([coefficient(0), 0, coefficient(3)], u, 0, modes),
            modes,
        );
    }
    let start = usize::from(values.low(0)) + channel / 8 * 2 * REG_SIZE + channel % 8 * 4;
    let [u, v] = [start, start + REG_SIZE].map(|offset| modify(1, registers.dword(offset)));
    let equation = [coefficient(0), coefficient(1), coefficient(3)];
    float::value(soft_float::F, float::plane(equation, u, v, modes), modes)
}

fn dot_product(
    registers: &Registers,
    op: &Op,
    channel: usize,
    live: &Live,
    modes: &Modes,
) -> Value {
    let fmt = if op.exec == Exec::Hf { soft_float::HF } else { soft_float::F };
    let row = channel & !3;
    let [a, b] = [0, 1].map(|index| -> [u64; 4] {
        std::array::from_fn(|k| {
            let raw = fetch(registers, live, &op.shape, &op.src[index], row + k);
            float_source(op, index, raw, fmt, modes)
        })
    });
    float::value(fmt, float::dot(fmt, a, b, op.opcode, modes), modes)
}

/// INT DIV on the modifier-less sources.
fn divide(op: &Op, raw: [u64; 2], function: MathFn) -> i128 {
    let signed = op.src[0].ty.is_signed_integer();
    let (quotient, remainder) = if signed {
        let (quotient, remainder) = math::divide_signed(raw[0] as i32, raw[1] as i32);
        (i128::from(quotient), i128::from(remainder))
    } else {
        let (quotient, remainder) = math::divide_unsigned(raw[0] as u32, raw[1] as u32);
        (i128::from(quotient), i128::from(remainder))
    };
    if function == MathFn::IntMod { remainder } else { quotient }
}

fn math_value(op: &Op, raw: [u64; 2], modes: &Modes) -> Value {
    let Some(function) = op.math else { return Value::Int(0) };
    if function.is_integer() {
        return Value::Int(divide(op, raw, function));
    }
    let fmt = if op.exec == Exec::Hf { soft_float::HF } else { soft_float::F };
    let a = float_source(op, 0, raw[0], fmt, modes);
    let b = if op.sources > 1 { float_source(op, 1, raw[1], fmt, modes) } else { 0 };
    match float::math(function, fmt, a, b, modes) {
        Some(bits) => float::value(fmt, bits, modes),
        None => Value::Int(0),
    }
}

/// The mask a comparison writes: all ones of the execution type.
fn truth_mask(op: &Op, truth: bool) -> u64 {
    if truth { mask(op.exec.bytes().into()) & mask(op.dst.ty.size() as usize) } else { 0 }
}

fn integer_outcome(
    registers: &Registers,
    op: &Op,
    channel: usize,
    raw: [u64; 3],
    selected: bool,
) -> Outcome {
    let plain = |value| Outcome::plain(channel, value);
    let value = |index: usize| match &op.src[index].place {
        Place::Accumulator(lanes) if op.opcode != Opcode::Sel => {
            let wide = read_accumulator(registers, lanes.low(channel).into(), op.src[index].ty);
            if op.src[index].negate { wide.wrapping_neg() } else { wide }
        }
        _ => integer_source(op, index, raw[index]),
    };
    let (a, b) = (value(0), if op.sources > 1 { value(1) } else { 0 });
    let c = if op.sources > 2 { value(2) } else { 0 };
    match op.opcode {
        Opcode::Cmp | Opcode::Cmpn => {
            let truth = satisfies(op.cond, Some(a.cmp(&b)));
            Outcome::judged(channel, Value::Raw(truth_mask(op, truth)), truth)
        }
        Opcode::Sel if op.cond.is_none() => plain(Value::Int(if selected { a } else { b })),
        Opcode::Sel => plain(Value::Int(if satisfies(op.cond, Some(a.cmp(&b))) { a } else { b })),
        Opcode::Csel => plain(Value::Int(if satisfies(op.cond, Some(c.cmp(&0))) { a } else { b })),
        Opcode::Mach => {
            let acc = int::mach(a, b, implicit_accumulator_value(registers, op, channel));
            Outcome { acc: Some(acc), ..plain(Value::Int(acc >> 32)) }
        }
        Opcode::Mac => plain(Value::Int(
            a.wrapping_mul(b).wrapping_add(implicit_accumulator_value(registers, op, channel)),
        )),
        Opcode::Addc => {
            let (sum, carry) = int::addc(a, b);
            Outcome { acc: Some(carry), ..plain(Value::Int(sum)) }
        }
        Opcode::Subb => {
            let (difference, borrow) = int::subb(a, b);
            Outcome { acc: Some(borrow), ..plain(Value::Int(difference)) }
        }
        _ => plain(match int::evaluate(op, a, b, c) {
            Some(value) => Value::Int(value),
            None => Value::Raw(
                registers.garbage.get(0x6000 + channel as u64) & mask(op.dst.ty.size() as usize),
            ),
        }),
    }
}

fn float_outcome(
    registers: &Registers,
    op: &Op,
    channel: usize,
    fmt: Format,
    raw: [u64; 3],
    selected: bool,
    modes: &Modes,
) -> Outcome {
    let plain = |value| Outcome::plain(channel, value);
    if op.opcode == Opcode::Sel && op.cond.is_none() {
        return plain(predicated_select(op, fmt, raw, selected, modes));
    }
    let mut sources = [0; 3];
    for (index, slot) in sources.iter_mut().enumerate().take(op.sources.into()) {
        *slot = float_source(op, index, raw[index], fmt, modes);
    }
    let [a, b, c] = sources;
    match op.opcode {
        Opcode::Cmp | Opcode::Cmpn => {
            let truth = float::compare(op.opcode, fmt, op.cond, a, b);
            Outcome::judged(channel, Value::Raw(truth_mask(op, truth)), truth)
        }
        Opcode::Sel => plain(Value::Float(fmt, float::select(fmt, op.cond, a, b))),
        Opcode::Csel => {
            let truth = satisfies(op.cond, super::convert::compare_floats(fmt, c, 0));
            plain(Value::Float(fmt, if truth { a } else { b }))
        }
        Opcode::Mac => {
            let acc = implicit_accumulator_value(registers, op, channel) as u64;
            plain(float::value(
                fmt,
                float::add(fmt, float::mul(fmt, a, b, modes), acc, modes),
                modes,
            ))
        }
        Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not => plain(Value::Raw(
            logic_on_bits(op.opcode, raw[0], raw[1]) & mask(op.dst.ty.size() as usize),
        )),
        _ => plain(match float::evaluate(op.opcode, fmt, sources, modes) {
            Some(bits) => float::value(fmt, bits, modes),
            None => Value::Raw(
                registers.garbage.get(0x7000 + channel as u64) & mask(op.dst.ty.size() as usize),
            ),
        }),
    }
}

/// Logic on float-typed operands works on their bits.
fn logic_on_bits(opcode: Opcode, a: u64, b: u64) -> u64 {
    match opcode {
        Opcode::And => a & b,
        Opcode::Or => a | b,
        Opcode::Xor => a ^ b,
        _ => !a,
    }
}

/// SEL by predicate copies bits unless it converts, modifies or saturates.
fn predicated_select(op: &Op, fmt: Format, raw: [u64; 3], selected: bool, modes: &Modes) -> Value {
    let index = usize::from(!selected);
    let src = &op.src[index];
    if src.ty == op.dst.ty && !src.negate && !src.abs && !op.saturate {
        return Value::Raw(raw[index]);
    }
    Value::Float(fmt, float_source(op, index, raw[index], fmt, modes))
}

/// The predicate's value for each channel of `op`.
pub fn predicate(registers: &Registers, op: &Op) -> u32 {
    let Some(pred) = op.pred else { return u32::MAX };
    let [f0, f1] = registers.flags;
    let own = if op.flag_nr == 0 { f0 } else { f1 };
    let bits = match pred.kind {
        PredKind::Normal => own,
        PredKind::AnyV => f0 | f1,
        PredKind::AllV => f0 & f1,
        PredKind::Any(count) => grouped(own, count, |group, _| group != 0),
        PredKind::All(count) => grouped(own, count, |group, all| group == all),
        PredKind::Component(k) => grouped(own, 4, |group, _| group >> k & 1 != 0),
    };
    let bits = op.gather(bits.rotate_right(op.flag_base.into()));
    if pred.inverse { !bits } else { bits }
}

/// Replaces each aligned group of `count` bits by all ones or zeros.
fn grouped(bits: u32, count: u8, test: impl Fn(u32, u32) -> bool) -> u32 {
    let all = crate::op::low_bits(count);
    (0..32).step_by(count.into()).fold(0, |result, start| {
        if test(bits >> start & all, all) { result | all << start } else { result }
    })
}
