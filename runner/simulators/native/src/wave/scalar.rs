//! Scalar instructions.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{InstBuilder, Type, Value};
use cranelift_frontend::FunctionBuilder;

use super::region::{
    CONDITIONS, EXEC, LaneOrders, LaneType, SaveOperation, ScalarOperation, ScalarSource,
    ScalarStep,
};
use super::translation::{ROW, Wave, lanes_access, scalar_access};

/// Effect on the condition code.
enum Effect {
    Keep,
    NonZero,
    Set(Value),
}

/// The integer order of two values in some cases: a truth.
pub(super) fn compare(
    f: &mut FunctionBuilder,
    is_signed: bool,
    orders: LaneOrders,
    a: Value,
    b: Value,
) -> Value {
    let order = match (orders.less, orders.equal, orders.greater) {
        (false, false, false) => return f.ins().iconst(cranelift_codegen::ir::types::I8, 0),
        (true, true, true) => return f.ins().iconst(cranelift_codegen::ir::types::I8, 1),
        (true, false, true) => IntCC::NotEqual,
        (false, true, false) => IntCC::Equal,
        (true, false, false) if is_signed => IntCC::SignedLessThan,
        (true, true, false) if is_signed => IntCC::SignedLessThanOrEqual,
        (false, false, true) if is_signed => IntCC::SignedGreaterThan,
        (false, true, true) if is_signed => IntCC::SignedGreaterThanOrEqual,
        (true, false, false) => IntCC::UnsignedLessThan,
        (true, true, false) => IntCC::UnsignedLessThanOrEqual,
        (false, false, true) => IntCC::UnsignedGreaterThan,
        (false, true, true) => IntCC::UnsignedGreaterThanOrEqual,
    };
    f.ins().icmp(order, a, b)
}

fn extreme(f: &mut FunctionBuilder, order: IntCC, a: Value, b: Value) -> (Value, Effect) {
    let first = f.ins().icmp(order, a, b);
    (f.ins().select(first, a, b), Effect::Set(first))
}

/// A field of values of some bits; offset and width are below them.
pub(super) fn field(
    f: &mut FunctionBuilder,
    value: Value,
    bits: u32,
    is_signed: bool,
    offset: u32,
    width: u32,
) -> Value {
    if width == 0 {
        return f.ins().bxor(value, value);
    }
    let (left, right) = match offset + width < bits {
        true => (bits - offset - width, bits - width),
        false => (0, offset),
    };
    let value = f.ins().ishl_imm(value, i64::from(left));
    match is_signed {
        true => f.ins().sshr_imm(value, i64::from(right)),
        false => f.ins().ushr_imm(value, i64::from(right)),
    }
}

impl Wave<'_, '_> {
    /// A scalar register, or two.
    pub(super) fn load_scalar(&mut self, ty: Type, register: u8) -> Value {
        let offset = i32::from(register) * 4;
        self.b.f.ins().load(ty, scalar_access(), self.scalars, offset)
    }

    /// Writes a scalar register, or two, and what follows from it.
    pub(super) fn store_scalar(&mut self, register: u8, value: Value) {
        let offset = i32::from(register) * 4;
        self.b.f.ins().store(scalar_access(), value, self.scalars, offset);
        if register & !1 != CONDITIONS {
            return;
        }
        let conditions = self.load_scalar(I64, CONDITIONS);
        let zero = self.b.f.ins().icmp_imm(IntCC::Equal, conditions, 0);
        let zero = self.b.f.ins().uextend(I32, zero);
        self.b.f.def_var(self.variables.conditions_zero, zero);
    }

    fn scalar_source(&mut self, ty: Type, source: ScalarSource) -> Value {
        match source {
            ScalarSource::Register(register) => self.load_scalar(ty, register),
            ScalarSource::Dword(register) => {
                let dword = self.load_scalar(I32, register);
                if ty == I64 { self.b.f.ins().uextend(I64, dword) } else { dword }
            }
            ScalarSource::Constant(value) if ty == I64 => {
                self.b.f.ins().iconst(I64, value.cast_signed())
            }
            ScalarSource::Constant(value) => self.b.f.ins().iconst(I32, i64::from(value as u32)),
        }
    }

    /// The condition code as a truth.
    fn is_set(&mut self) -> Value {
        let scc = self.b.f.use_var(self.variables.scc);
        self.b.f.ins().icmp_imm(IntCC::NotEqual, scc, 0)
    }

    fn set(&mut self, truth: Value) {
        let truth = self.b.f.ins().uextend(I32, truth);
        self.b.f.def_var(self.variables.scc, truth);
    }

    fn set_if_not_zero(&mut self, value: Value) {
        let truth = self.b.f.ins().icmp_imm(IntCC::NotEqual, value, 0);
        self.set(truth);
    }

    /// Executes a scalar instruction.
    pub(super) fn scalar(&mut self, step: &ScalarStep) {
        use ScalarOperation::*;
        let ty = if step.wide { I64 } else { I32 };
        match step.operation {
            Nothing | Wait => return,
            FirstLane | ReadLane => return self.read_lane(step),
            WriteLane(number) => return self.write_lane(step, number),
            SaveExec(operation) => return self.save_exec(step, operation),
            _ => {}
        }
        let [a, b] = step.sources.map(|source| self.scalar_source(ty, source));
        match step.operation {
            Compare(ty, orders) => {
                let truth = compare(self.b.f, ty == LaneType::Signed, orders, a, b);
                return self.set(truth);
            }
            TestBit(value) => {
                let bit = self.b.f.ins().ushr(a, b);
                let bit = self.b.f.ins().band_imm(bit, 1);
                let truth = self.b.f.ins().icmp_imm(IntCC::Equal, bit, i64::from(value));
                return self.set(truth);
            }
            _ => {}
        }
        let (result, effect) = self.result(step, a, b);
        if let Some(register) = step.destination {
            self.store_scalar(register, result);
        }
        match effect {
            Effect::Keep => {}
            Effect::NonZero => self.set_if_not_zero(result),
            Effect::Set(truth) => self.set(truth),
        }
    }

    fn result(&mut self, step: &ScalarStep, a: Value, b: Value) -> (Value, Effect) {
        use Effect::{Keep, NonZero, Set};
        use ScalarOperation::*;
        let negate = |wave: &mut Self, value| wave.b.f.ins().bnot(value);
        let f = &mut *self.b.f;
        match step.operation {
            Move => (a, Keep),
            Multiply => (f.ins().imul(a, b), Keep),
            Select => {
                let set = self.is_set();
                (self.b.f.ins().select(set, a, b), Keep)
            }
            Not => (f.ins().bnot(a), NonZero),
            And => (f.ins().band(a, b), NonZero),
            Or => (f.ins().bor(a, b), NonZero),
            Xor => (f.ins().bxor(a, b), NonZero),
            AndNot => (f.ins().band_not(a, b), NonZero),
            OrNot => (f.ins().bor_not(a, b), NonZero),
            Nand => {
                let value = f.ins().band(a, b);
                (negate(self, value), NonZero)
            }
            Nor => {
                let value = f.ins().bor(a, b);
                (negate(self, value), NonZero)
            }
            Xnor => {
                let value = f.ins().bxor(a, b);
                (negate(self, value), NonZero)
            }
            ShiftLeft => (f.ins().ishl(a, b), NonZero),
            ShiftRight => (f.ins().ushr(a, b), NonZero),
            ShiftRightSigned => (f.ins().sshr(a, b), NonZero),
            BitField | BitFieldSigned => (self.scalar_field(step, a), NonZero),
            AddUnsigned => {
                let sum = f.ins().iadd(a, b);
                let carry = f.ins().icmp(IntCC::UnsignedLessThan, sum, a);
                (sum, Set(carry))
            }
            SubtractUnsigned => {
                let difference = f.ins().isub(a, b);
                let borrow = f.ins().icmp(IntCC::UnsignedLessThan, a, b);
                (difference, Set(borrow))
            }
            AddSigned => {
                let sum = f.ins().iadd(a, b);
                // Both sources have another sign than the sum.
                let (x, y) = (f.ins().bxor(a, sum), f.ins().bxor(b, sum));
                let both = f.ins().band(x, y);
                (sum, Set(f.ins().icmp_imm(IntCC::SignedLessThan, both, 0)))
            }
            SubtractSigned => {
                let difference = f.ins().isub(a, b);
                let (x, y) = (f.ins().bxor(a, b), f.ins().bxor(a, difference));
                let both = f.ins().band(x, y);
                (difference, Set(f.ins().icmp_imm(IntCC::SignedLessThan, both, 0)))
            }
            AddCarry | SubtractBorrow => self.with_carry(step.operation, a, b),
            MinimumSigned => extreme(f, IntCC::SignedLessThan, a, b),
            MinimumUnsigned => extreme(f, IntCC::UnsignedLessThan, a, b),
            MaximumSigned => extreme(f, IntCC::SignedGreaterThan, a, b),
            MaximumUnsigned => extreme(f, IntCC::UnsignedGreaterThan, a, b),
            Compare(..) | TestBit(_) | SaveExec(_) | FirstLane | ReadLane | WriteLane(_)
            | Nothing | Wait => (a, Keep),
        }
    }

    /// A sum or difference of dwords with the condition code, in 64 bits.
    fn with_carry(&mut self, operation: ScalarOperation, a: Value, b: Value) -> (Value, Effect) {
        let scc = self.b.f.use_var(self.variables.scc);
        let f = &mut *self.b.f;
        let [a, b, scc] = [a, b, scc].map(|value| f.ins().uextend(I64, value));
        let wide = match operation {
            ScalarOperation::AddCarry => {
                let sum = f.ins().iadd(a, b);
                f.ins().iadd(sum, scc)
            }
            _ => {
                let difference = f.ins().isub(a, b);
                f.ins().isub(difference, scc)
            }
        };
        let result = f.ins().ireduce(I32, wide);
        let high = f.ins().ushr_imm(wide, 32);
        let carry = f.ins().icmp_imm(IntCC::NotEqual, high, 0);
        (result, Effect::Set(carry))
    }

    /// A field of bits whose offset and width are a constant.
    fn scalar_field(&mut self, step: &ScalarStep, value: Value) -> Value {
        let selector = match step.sources[1] {
            ScalarSource::Constant(selector) => selector as u32,
            ScalarSource::Register(_) | ScalarSource::Dword(_) => 0,
        };
        let bits = if step.wide { 64 } else { 32 };
        let (offset, width) = (selector & (bits - 1), selector >> 16 & 0x7f);
        let is_signed = step.operation == ScalarOperation::BitFieldSigned;
        field(self.b.f, value, bits, is_signed, offset, width)
    }

    fn save_exec(&mut self, step: &ScalarStep, operation: SaveOperation) {
        let source = self.scalar_source(I64, step.sources[0]);
        let exec = self.load_scalar(I64, EXEC);
        let f = &mut *self.b.f;
        let result = match operation {
            SaveOperation::And => f.ins().band(source, exec),
            SaveOperation::Or => f.ins().bor(source, exec),
            SaveOperation::Xor => f.ins().bxor(source, exec),
            SaveOperation::AndNot => f.ins().band_not(source, exec),
        };
        if let Some(register) = step.destination {
            self.store_scalar(register, exec);
        }
        self.store_scalar(EXEC, result);
        self.set_if_not_zero(result);
    }

    /// Address of a lane of vector register 0.
    fn lane(&mut self, lane: Value) -> Value {
        let f = &mut *self.b.f;
        let lane = f.ins().band_imm(lane, 63);
        let byte = f.ins().ishl_imm(lane, 2);
        f.ins().iadd(self.vectors, byte)
    }

    fn read_lane(&mut self, step: &ScalarStep) {
        let (ScalarSource::Register(number), Some(register)) = (step.sources[0], step.destination)
        else {
            return;
        };
        let lane = if step.operation == ScalarOperation::FirstLane {
            // Without active lanes the count is 64: lane 0.
            let exec = self.load_scalar(I64, EXEC);
            self.b.f.ins().ctz(exec)
        } else {
            let lane = self.scalar_source(I32, step.sources[1]);
            self.b.f.ins().uextend(I64, lane)
        };
        let place = self.lane(lane);
        let offset = i32::from(number) * ROW;
        let value = self.b.f.ins().load(I32, lanes_access(), place, offset);
        self.store_scalar(register, value);
    }

    fn write_lane(&mut self, step: &ScalarStep, number: u8) {
        let [value, lane] = step.sources.map(|source| self.scalar_source(I32, source));
        let lane = self.b.f.ins().uextend(I64, lane);
        let place = self.lane(lane);
        let offset = i32::from(number) * ROW;
        self.b.f.ins().store(lanes_access(), value, place, offset);
    }
}
