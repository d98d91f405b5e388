//! Vector instructions on four lanes.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F32X4, F64X2, I32X4};
use cranelift_codegen::ir::{InstBuilder, Value};

use super::group::{Dwords, Group, Held, Operand, Singles};
use super::region::{LaneOperation, LaneOrders, LanePlace, LaneType, VectorStep};
use super::scalar::{self, field};
use super::translation::Wave;
use crate::lanes::Subnormals;

/// An instruction of a run.
pub(super) struct RunStep {
    pub(super) step: VectorStep,
    pub(super) operands: [Operand; 3],
}

impl RunStep {
    /// True if the instruction writes a vector register.
    pub(super) fn writes_vector(&self, number: u8) -> bool {
        let count = 1 + u8::from(self.step.operation.is_wide());
        self.step
            .destination
            .is_some_and(|first| (first..=first.saturating_add(count - 1)).contains(&number))
    }
}

/// A result.
enum Outcome {
    /// Singles that may be subnormal, and quiet if they are no numbers.
    Computed(Value),
    /// Singles that are not subnormal.
    Normal(Value),
    /// Singles that are one of the sources.
    Chosen(Value),
    /// Dwords, and whether none is a subnormal single.
    Dwords(Value, bool),
    /// Doubles.
    Doubles([Value; 2]),
    /// The mask of the instruction alone.
    Mask,
}

impl Outcome {
    /// Singles that are one of the sources, if they were normal among normal ones.
    fn of(chosen: Singles) -> Outcome {
        chosen.normal.map_or(Outcome::Chosen(chosen.value), Outcome::Normal)
    }
}

impl Wave<'_, '_> {
    /// Executes an instruction on the lanes of a group.
    pub(super) fn execute(&mut self, group: &mut Group, own: &RunStep) {
        let step = &own.step;
        let outcome = self.outcome(group, own);
        if let Some(register) = step.destination {
            self.keep(group, step, register, outcome);
        }
        group.advance();
    }

    /// Writes a result.
    fn keep(&mut self, group: &mut Group, step: &VectorStep, register: u8, outcome: Outcome) {
        let outcome = self.modify(step, outcome);
        let of = |bits, normal| Held { bits, single: None, normal };
        let held = match outcome {
            Outcome::Mask => return,
            Outcome::Dwords(bits, normal) => of(bits, normal),
            Outcome::Normal(single) => {
                let bits = self.b.cast(I32X4, single);
                Held { bits, single: Some(single), normal: true }
            }
            Outcome::Computed(single) => {
                let flushed = self.b.flush_result(single);
                let lazy = self.b.subnormals == Subnormals::FlushResults;
                let bits = self.b.cast(I32X4, flushed);
                Held { bits, single: Some(if lazy { single } else { flushed }), normal: true }
            }
            Outcome::Chosen(single) => {
                let bits = self.b.cast(I32X4, single);
                let bits = self.b.flush(bits);
                Held { bits, single: Some(single), normal: true }
            }
            Outcome::Doubles(values) => {
                let [low, high] = [false, true].map(|high| self.halves_of(values, high));
                group.write(register, of(low, false));
                group.write(register + 1, of(high, false));
                group.note_doubles(register, values);
                return;
            }
        };
        group.write(register, held);
    }

    /// Applies the factor and the limits of a step to singles.
    fn modify(&mut self, step: &VectorStep, outcome: Outcome) -> Outcome {
        if step.factor.is_none() && !step.clamp {
            return outcome;
        }
        let mut single = match outcome {
            Outcome::Computed(single) => match self.b.subnormals {
                Subnormals::Flush => self.b.flush_result(single),
                _ => single,
            },
            Outcome::Normal(single) => single,
            Outcome::Chosen(single) => {
                let bits = self.b.cast(I32X4, single);
                let bits = self.b.flush(bits);
                self.b.cast(F32X4, bits)
            }
            Outcome::Dwords(bits, _) => {
                let bits = self.b.flush(bits);
                self.b.cast(F32X4, bits)
            }
            outcome @ (Outcome::Doubles(_) | Outcome::Mask) => return outcome,
        };
        if let Some(factor) = step.factor {
            let factor = self.b.splat(factor);
            let factor = self.b.cast(F32X4, factor);
            let product = self.b.f.ins().fmul(single, factor);
            let product = self.first_nan(product, &[single]);
            let bits = self.b.cast(I32X4, product);
            // Zero loses its sign, a subnormal product keeps it.
            let rest = self.b.splat(0x7fff_ffff);
            let zero = self.b.splat(0);
            let magnitude = self.b.f.ins().band(bits, rest);
            let is_zero = self.b.f.ins().icmp(IntCC::Equal, magnitude, zero);
            let bits = self.b.f.ins().band_not(bits, is_zero);
            single = self.b.cast(F32X4, bits);
        }
        if step.clamp {
            let mut bits = self.b.cast(I32X4, single);
            if self.b.subnormals == Subnormals::Flush {
                bits = self.b.flush(bits);
            }
            let bits = self.b.saturate(bits);
            return Outcome::Normal(self.b.cast(F32X4, bits));
        }
        Outcome::Computed(single)
    }

    fn outcome(&mut self, group: &mut Group, own: &RunStep) -> Outcome {
        use LaneOperation::*;
        match own.step.operation {
            Compare(ty, orders) => {
                let mask = self.compare(group, own, ty, orders);
                group.set_mask(mask);
                Outcome::Mask
            }
            AddCarry | SubtractBorrow => self.sum_with_carry(group, own),
            operation if operation.is_wide() || operation.reads_doubles() => {
                self.of_doubles(group, own)
            }
            Add | Subtract | Multiply | MultiplyLegacy | MultiplyAdd | MultiplyAddLegacy | Fuse
            | Minimum | Maximum | MinimumLegacy | MaximumLegacy | Minimum3 | Maximum3 | Median
            | Fraction | Truncate | RoundUp | RoundDown | RoundEven | Inverse | SquareRoot
            | InverseRoot | ToSigned | ToUnsigned | FloorToSigned => self.of_singles(group, own),
            _ => self.of_dwords(group, own),
        }
    }

    /// Operations on singles.
    fn of_singles(&mut self, group: &mut Group, own: &RunStep) -> Outcome {
        use LaneOperation::*;
        use Outcome::{Computed, Normal};
        let operation = own.step.operation;
        let sources = self.sources(group, own);
        let [a, b, c] = sources.map(|source| source.value);
        match operation {
            Add | Subtract => {
                let sum = match operation {
                    Add => self.b.f.ins().fadd(a, b),
                    _ => self.b.f.ins().fsub(a, b),
                };
                Computed(self.first_nan(sum, &[a, b]))
            }
            Multiply => Computed(self.product(a, b)),
            MultiplyLegacy => Computed(self.legacy_product(a, b)),
            MultiplyAdd | MultiplyAddLegacy => {
                let product = match operation {
                    MultiplyAdd => self.product(a, b),
                    _ => self.legacy_product(a, b),
                };
                let product = match self.b.subnormals {
                    // The sum takes a subnormal product for zero.
                    Subnormals::FlushResults => product,
                    _ => self.b.flush_result(product),
                };
                let sum = self.b.f.ins().fadd(product, c);
                Computed(self.first_nan(sum, &[product, c]))
            }
            Fuse => {
                let sum = self.b.f.ins().fma(a, b, c);
                Computed(self.choose_nan(sum, &[a, b, c]))
            }
            Minimum | Maximum => {
                Outcome::of(self.extreme(operation == Minimum, sources[0], sources[1]))
            }
            Minimum3 | Maximum3 => {
                let least = operation == Minimum3;
                let first = self.extreme(least, sources[0], sources[1]);
                Outcome::of(self.extreme(least, first, sources[2]))
            }
            Median => self.median(sources),
            MinimumLegacy | MaximumLegacy => {
                let order = match operation {
                    MinimumLegacy => FloatCC::LessThan,
                    _ => FloatCC::GreaterThanOrEqual,
                };
                let first = self.b.f.ins().fcmp(order, a, b);
                let [x, y] = [a, b].map(|value| self.b.cast(I32X4, value));
                let bits = self.b.f.ins().bitselect(first, x, y);
                Outcome::Chosen(self.b.cast(F32X4, bits))
            }
            Fraction => {
                let fraction = self.b.fraction(a);
                Normal(self.first_nan(fraction, &[a]))
            }
            Truncate | RoundUp | RoundDown | RoundEven => {
                let value = self.rounded(operation, a);
                Normal(self.first_nan(value, &[a]))
            }
            Inverse => {
                let one = self.b.splat(0x3f80_0000);
                let one = self.b.cast(F32X4, one);
                let quotient = self.b.f.ins().fdiv(one, a);
                Computed(self.first_nan(quotient, &[a]))
            }
            SquareRoot => {
                let root = self.b.f.ins().sqrt(a);
                Normal(self.first_nan(root, &[a]))
            }
            InverseRoot => {
                let root = self.b.double([a], |b, [x]| {
                    let (one, root) = (b.ones(), b.f.ins().sqrt(x));
                    b.f.ins().fdiv(one, root)
                });
                Normal(self.first_nan(root, &[a]))
            }
            ToSigned => Outcome::Dwords(self.b.f.ins().fcvt_to_sint_sat(I32X4, a), false),
            FloorToSigned => {
                let floor = self.b.f.ins().floor(a);
                Outcome::Dwords(self.b.f.ins().fcvt_to_sint_sat(I32X4, floor), false)
            }
            _ => Outcome::Dwords(self.b.f.ins().fcvt_to_uint_sat(I32X4, a), false),
        }
    }

    fn rounded(&mut self, operation: LaneOperation, value: Value) -> Value {
        use LaneOperation::{
            RoundDown, RoundDownDouble, RoundUp, RoundUpDouble, Truncate, TruncateDouble,
        };
        match operation {
            Truncate | TruncateDouble => self.b.f.ins().trunc(value),
            RoundUp | RoundUpDouble => self.b.f.ins().ceil(value),
            RoundDown | RoundDownDouble => self.b.f.ins().floor(value),
            _ => self.b.f.ins().nearest(value),
        }
    }

    /// The singles of the sources that an operation has.
    fn sources(&mut self, group: &mut Group, own: &RunStep) -> [Singles; 3] {
        std::array::from_fn(|index| {
            // A source that the operation does not have is another one.
            let index = if index < own.step.operation.sources() { index } else { 0 };
            self.singles(group, &own.step.sources[index], own.operands[index])
        })
    }

    fn product(&mut self, a: Value, b: Value) -> Value {
        let product = self.b.f.ins().fmul(a, b);
        self.first_nan(product, &[a, b])
    }

    /// A product, or zero if a source is zero.
    fn legacy_product(&mut self, a: Value, b: Value) -> Value {
        let product = self.product(a, b);
        let zero = self.b.splat(0);
        let zero = self.b.cast(F32X4, zero);
        let [x, y] = [a, b].map(|value| self.b.f.ins().fcmp(FloatCC::Equal, value, zero));
        let is_zero = self.b.f.ins().bor(x, y);
        let bits = self.b.cast(I32X4, product);
        let bits = self.b.f.ins().band_not(bits, is_zero);
        self.b.cast(F32X4, bits)
    }

    /// The lesser or greater of two.
    fn extreme(&mut self, least: bool, a: Singles, b: Singles) -> Singles {
        if let (Some(a), Some(b)) = (a.normal, b.normal) {
            let value = self.extreme_of(least, a, b);
            return Singles { value, normal: Some(value) };
        }
        Singles { value: self.extreme_of(least, a.value, b.value), normal: None }
    }

    /// The lesser or greater of two singles or doubles; a number rather than a NaN; -0 is below
    /// +0.
    fn extreme_of(&mut self, least: bool, a: Value, b: Value) -> Value {
        let order = if least { FloatCC::LessThan } else { FloatCC::GreaterThan };
        let ty = self.b.f.func.dfg.value_type(a);
        let dwords = self.b.dwords_of(ty);
        let first = self.b.f.ins().fcmp(order, a, b);
        let equal = self.b.f.ins().fcmp(FloatCC::Equal, a, b);
        let no_number = self.b.f.ins().fcmp(FloatCC::Unordered, b, b);
        let number = self.b.f.ins().fcmp(FloatCC::Ordered, a, a);
        let [x, y] = [a, b].map(|value| self.b.cast(dwords, value));
        // Equal operands differ in the sign of zero at most.
        let both = match least {
            true => self.b.f.ins().bor(x, y),
            false => self.b.f.ins().band(x, y),
        };
        let only = self.b.f.ins().band(no_number, number);
        let first = self.b.f.ins().bor(first, only);
        let chosen = self.b.f.ins().bitselect(first, x, y);
        let chosen = self.b.f.ins().bitselect(equal, both, chosen);
        self.b.cast(ty, chosen)
    }

    /// The middle of three; the smallest if one is not a number.
    fn median(&mut self, [a, b, c]: [Singles; 3]) -> Outcome {
        let all = (a.normal, b.normal, c.normal);
        let is_normal = matches!(all, (Some(_), Some(_), Some(_)));
        let [a, b, c] = [a, b, c].map(|source| match source.normal {
            Some(value) if is_normal => value,
            _ => source.value,
        });
        let (low, high) = (self.extreme_of(true, a, b), self.extreme_of(false, a, b));
        let middle = self.extreme_of(true, high, c);
        let middle = self.extreme_of(false, low, middle);
        let least = self.extreme_of(true, low, c);
        let first = self.b.f.ins().fcmp(FloatCC::Unordered, a, b);
        let last = self.b.f.ins().fcmp(FloatCC::Unordered, c, c);
        let unordered = self.b.f.ins().bor(first, last);
        let [middle, least] = [middle, least].map(|value| self.b.cast(I32X4, value));
        let bits = self.b.f.ins().bitselect(unordered, least, middle);
        let value = self.b.cast(F32X4, bits);
        if is_normal { Outcome::Normal(value) } else { Outcome::Chosen(value) }
    }

    /// A mask of the lanes where a comparison holds.
    fn compare(
        &mut self,
        group: &mut Group,
        own: &RunStep,
        ty: LaneType,
        orders: LaneOrders,
    ) -> Value {
        let [first, second, _] = &own.step.sources;
        match ty {
            LaneType::Single => {
                let a = self.singles(group, first, own.operands[0]).value;
                let b = self.singles(group, second, own.operands[1]).value;
                self.ordered(orders, a, b)
            }
            LaneType::Double => {
                let a = self.doubles(group, first, own.operands[0]);
                let b = self.doubles(group, second, own.operands[1]);
                let masks = [0, 1].map(|half| self.ordered(orders, a[half], b[half]));
                self.halves_of(masks, false)
            }
            LaneType::Signed | LaneType::Unsigned => {
                let a = self.dwords(group, first, own.operands[0]).value;
                let b = self.dwords(group, second, own.operands[1]).value;
                match (orders.less, orders.equal, orders.greater) {
                    (false, false, false) => self.b.splat(0),
                    (true, true, true) => self.b.splat(u32::MAX),
                    _ => {
                        let is_signed = ty == LaneType::Signed;
                        scalar::compare(self.b.f, is_signed, orders, a, b)
                    }
                }
            }
        }
    }

    /// A mask of the singles or doubles that have one of some orders.
    fn ordered(&mut self, orders: LaneOrders, a: Value, b: Value) -> Value {
        let LaneOrders { less, equal, greater, unordered } = orders;
        let code = match (less, equal, greater, unordered) {
            (true, false, true, false) => {
                let equal =
                    LaneOrders { less: false, equal: true, greater: false, unordered: true };
                let mask = self.ordered(equal, a, b);
                return self.b.f.ins().bnot(mask);
            }
            (false, true, false, true) => {
                let equal = self.b.f.ins().fcmp(FloatCC::Equal, a, b);
                let unordered = self.b.f.ins().fcmp(FloatCC::Unordered, a, b);
                return self.b.f.ins().bor(equal, unordered);
            }
            (false, false, false, false) => return self.same_mask(a, 0),
            (true, true, true, true) => return self.same_mask(a, u32::MAX),
            (true, false, false, false) => FloatCC::LessThan,
            (false, true, false, false) => FloatCC::Equal,
            (true, true, false, false) => FloatCC::LessThanOrEqual,
            (false, false, true, false) => FloatCC::GreaterThan,
            (false, true, true, false) => FloatCC::GreaterThanOrEqual,
            (true, true, true, false) => FloatCC::Ordered,
            (false, false, false, true) => FloatCC::Unordered,
            (true, false, false, true) => FloatCC::UnorderedOrLessThan,
            (true, true, false, true) => FloatCC::UnorderedOrLessThanOrEqual,
            (false, false, true, true) => FloatCC::UnorderedOrGreaterThan,
            (true, false, true, true) => FloatCC::NotEqual,
            (false, true, true, true) => FloatCC::UnorderedOrGreaterThanOrEqual,
        };
        self.b.f.ins().fcmp(code, a, b)
    }

    /// A mask of all lanes or none, as a comparison of `like` has it.
    fn same_mask(&mut self, like: Value, dword: u32) -> Value {
        let ty = self.b.f.func.dfg.value_type(like);
        let mask = self.b.splat(dword);
        let ty = self.b.dwords_of(ty);
        self.b.cast(ty, mask)
    }

    /// A sum or difference with carries.
    fn sum_with_carry(&mut self, group: &mut Group, own: &RunStep) -> Outcome {
        let [first, second, third] = &own.step.sources;
        let a = self.dwords(group, first, own.operands[0]).value;
        let b = self.dwords(group, second, own.operands[1]).value;
        let adds = own.step.operation == LaneOperation::AddCarry;
        let below = IntCC::UnsignedLessThan;
        let (mut result, mut carry);
        if adds {
            result = self.b.f.ins().iadd(a, b);
            carry = self.b.f.ins().icmp(below, result, a);
        } else {
            result = self.b.f.ins().isub(a, b);
            carry = self.b.f.ins().icmp(below, a, b);
        }
        if let LanePlace::Mask(_) = third.place {
            // All bits of a lane are one less than nothing.
            let mask = self.lane_mask(group, own.operands[2]);
            let before = result;
            let more = if adds {
                result = self.b.f.ins().isub(before, mask);
                self.b.f.ins().icmp(below, result, before)
            } else {
                result = self.b.f.ins().iadd(before, mask);
                self.b.f.ins().icmp(below, before, result)
            };
            carry = self.b.f.ins().bor(carry, more);
        }
        group.set_mask(carry);
        Outcome::Dwords(result, false)
    }

    /// Operations on dwords.
    fn of_dwords(&mut self, group: &mut Group, own: &RunStep) -> Outcome {
        use LaneOperation::*;
        let operation = own.step.operation;
        let none = Operand::Constant(0);
        let mut sources = [self.dwords(group, &own.step.sources[0], own.operands[0]); 3];
        for index in 1..operation.sources() {
            let is_mask = matches!(own.operands[index], Operand::Bits(_) | Operand::Own(_));
            let operand = if is_mask && operation != Pick { none } else { own.operands[index] };
            sources[index] = self.dwords(group, &own.step.sources[index], operand);
        }
        let constant = |index: usize| match own.operands[index] {
            Operand::Constant(value) => value as u32 & 31,
            _ => 0,
        };
        let [x, y, z] = sources.map(|source| source.value);
        let f = &mut *self.b.f;
        let value = match operation {
            Move => return Outcome::Dwords(x, sources[0].normal),
            Pick => {
                let value = f.ins().bitselect(z, y, x);
                return Outcome::Dwords(value, sources[0].normal && sources[1].normal);
            }
            FromSigned => return self.singles_from(x),
            FromUnsigned => {
                let single = f.ins().fcvt_from_uint(F32X4, x);
                return Outcome::Normal(single);
            }
            FromByte(byte) => {
                let shifted = f.ins().ushr_imm(x, i64::from(byte & 3) * 8);
                let low = self.b.splat(0xff);
                let byte = self.b.f.ins().band(shifted, low);
                return self.singles_from(byte);
            }
            Not => f.ins().bnot(x),
            And => f.ins().band(x, y),
            Or => f.ins().bor(x, y),
            Xor => f.ins().bxor(x, y),
            MinimumSigned => f.ins().smin(x, y),
            MaximumSigned => f.ins().smax(x, y),
            MinimumUnsigned => f.ins().umin(x, y),
            MaximumUnsigned => f.ins().umax(x, y),
            MultiplyLow => f.ins().imul(x, y),
            MultiplyHigh => self.b.each_lane(x, y, |b, x, y| b.f.ins().umulhi(x, y)),
            MultiplyHighSigned => self.b.each_lane(x, y, |b, x, y| b.f.ins().smulhi(x, y)),
            BitInsert => f.ins().bitselect(x, y, z),
            BitField | BitFieldSigned => {
                field(f, x, 32, operation == BitFieldSigned, constant(1), constant(2))
            }
            AlignBits => match constant(2) {
                0 => y,
                amount => {
                    let low = f.ins().ushr_imm(y, i64::from(amount));
                    let high = f.ins().ishl_imm(x, i64::from(32 - amount));
                    f.ins().bor(low, high)
                }
            },
            ShiftLeft | ShiftRight | ShiftRightSigned => self.shift(operation, sources),
            Multiply24 | MultiplyAdd24 | MultiplySigned24 | MultiplyAddSigned24 => {
                let is_signed = matches!(operation, MultiplySigned24 | MultiplyAddSigned24);
                let [x, y] = [x, y].map(|value| self.low24(is_signed, value));
                let product = self.b.f.ins().imul(x, y);
                match operation {
                    MultiplyAdd24 | MultiplyAddSigned24 => self.b.f.ins().iadd(product, z),
                    _ => product,
                }
            }
            _ => unreachable!("{operation:?} is no operation on dwords"),
        };
        Outcome::Dwords(value, false)
    }

    fn singles_from(&mut self, value: Value) -> Outcome {
        Outcome::Normal(self.b.f.ins().fcvt_from_sint(F32X4, value))
    }

    fn low24(&mut self, is_signed: bool, value: Value) -> Value {
        if !is_signed {
            let low = self.b.splat(0xff_ffff);
            return self.b.f.ins().band(value, low);
        }
        let high = self.b.f.ins().ishl_imm(value, 8);
        self.b.f.ins().sshr_imm(high, 8)
    }

    fn shift(&mut self, operation: LaneOperation, [x, y, _]: [Dwords; 3]) -> Value {
        let shift = |b: &mut crate::lanes::Builder, value, amount| match operation {
            LaneOperation::ShiftLeft => b.f.ins().ishl(value, amount),
            LaneOperation::ShiftRight => b.f.ins().ushr(value, amount),
            _ => b.f.ins().sshr(value, amount),
        };
        match y.same {
            Some(amount) => shift(&mut self.b, x.value, amount),
            None => self.b.each_lane(x.value, y.value, shift),
        }
    }

    /// Operations with a double as source or result.
    fn of_doubles(&mut self, group: &mut Group, own: &RunStep) -> Outcome {
        use LaneOperation::*;
        let operation = own.step.operation;
        match operation {
            ToDouble => {
                let single = self.singles(group, &own.step.sources[0], own.operands[0]).value;
                let upper = self.b.halves(single, single, [8, 8]);
                let upper = self.b.cast(F32X4, upper);
                return Outcome::Doubles([single, upper].map(|v| self.b.f.ins().fvpromote_low(v)));
            }
            DoubleFromSigned | DoubleFromUnsigned => {
                let dwords = self.dwords(group, &own.step.sources[0], own.operands[0]).value;
                return self.doubles_from(operation, dwords);
            }
            _ => {}
        }
        let first = self.doubles(group, &own.step.sources[0], own.operands[0]);
        let mut sources = [first; 3];
        for index in 1..operation.sources() {
            sources[index] = self.doubles(group, &own.step.sources[index], own.operands[index]);
        }
        if operation == FromDouble {
            let [low, high] = first.map(|value| self.b.f.ins().fvdemote(value));
            let both = self.b.halves(low, high, [0, 16]);
            return Outcome::Computed(self.b.cast(F32X4, both));
        }
        Outcome::Doubles([0, 1].map(|half| {
            let [a, b, c] = sources.map(|source| source[half]);
            self.double(operation, a, b, c)
        }))
    }

    fn double(&mut self, operation: LaneOperation, a: Value, b: Value, c: Value) -> Value {
        use LaneOperation::*;
        match operation {
            AddDouble => {
                let sum = self.b.f.ins().fadd(a, b);
                self.first_nan(sum, &[a, b])
            }
            MultiplyDouble => self.product(a, b),
            FuseDouble => {
                let sum = self.b.f.ins().fma(a, b, c);
                self.choose_nan(sum, &[a, b, c])
            }
            MinimumDouble | MaximumDouble => self.extreme_of(operation == MinimumDouble, a, b),
            InverseDouble | InverseRootDouble => {
                let root = match operation {
                    InverseDouble => a,
                    _ => self.b.f.ins().sqrt(a),
                };
                let one = self.b.ones();
                let quotient = self.b.f.ins().fdiv(one, root);
                self.first_nan(quotient, &[a])
            }
            SquareRootDouble => {
                let root = self.b.f.ins().sqrt(a);
                self.first_nan(root, &[a])
            }
            _ => {
                let value = self.rounded(operation, a);
                self.first_nan(value, &[a])
            }
        }
    }

    fn doubles_from(&mut self, operation: LaneOperation, dwords: Value) -> Outcome {
        let is_signed = operation == LaneOperation::DoubleFromSigned;
        let mut value = dwords;
        if !is_signed {
            let sign = self.b.splat(0x8000_0000);
            value = self.b.f.ins().bxor(value, sign);
        }
        let upper = self.b.halves(value, value, [8, 8]);
        let doubles = [value, upper].map(|value| {
            let wide = self.b.f.ins().swiden_low(value);
            self.b.f.ins().fcvt_from_sint(F64X2, wide)
        });
        if is_signed {
            return Outcome::Doubles(doubles);
        }
        let offset = self.b.f.ins().f64const(2_147_483_648.0);
        let offset = self.b.f.ins().splat(F64X2, offset);
        Outcome::Doubles(doubles.map(|value| self.b.f.ins().fadd(value, offset)))
    }

    /// A result of which a NaN is that of the first operand that is one.
    fn first_nan(&mut self, result: Value, operands: &[Value]) -> Value {
        // The instructions of the host do so.
        if self.hosts_nans { result } else { self.choose_nan(result, operands) }
    }

    /// The same with explicit instructions.
    fn choose_nan(&mut self, result: Value, operands: &[Value]) -> Value {
        let ty = self.b.f.func.dfg.value_type(result);
        let is_double = ty == F64X2;
        let dwords = self.b.dwords_of(ty);
        let (quiet, default) = match is_double {
            true => (self.b.quadword(1 << 51), self.b.quadword(0xfff8 << 48)),
            false => (self.b.splat(1 << 22), self.b.splat(0xffc0_0000)),
        };
        let mut nan = default;
        for operand in operands.iter().rev() {
            let is_nan = self.b.f.ins().fcmp(FloatCC::Unordered, *operand, *operand);
            let bits = self.b.cast(dwords, *operand);
            let bits = self.b.f.ins().bor(bits, quiet);
            nan = self.b.f.ins().bitselect(is_nan, bits, nan);
        }
        let is_nan = self.b.f.ins().fcmp(FloatCC::Unordered, result, result);
        let bits = self.b.cast(dwords, result);
        let bits = self.b.f.ins().bitselect(is_nan, nan, bits);
        self.b.cast(ty, bits)
    }
}
