//! Operations on four lanes.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::immediates::V128Imm;
use cranelift_codegen::ir::types::{F32X4, F64X2, I8X16, I32, I32X4, I64X2};
use cranelift_codegen::ir::{Endianness, InstBuilder, MemFlags, Type, Value};
use cranelift_frontend::FunctionBuilder;

use crate::region::{Operation, Order};

/// The one NaN of results.
const NAN: u32 = 0x7fc0_0000;
const SIGN: u32 = 0x8000_0000;
const MIN_NORMAL: u32 = 0x0080_0000;
const ONE: u32 = 0x3f80_0000;

/// Four dwords.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lanes {
    pub(crate) value: Value,
    /// True if no lane is a subnormal single, and no NaN but the one of results.
    pub(crate) normal: bool,
    pub(crate) canonical: bool,
    /// The dword that is in all lanes, as a scalar, if there is one.
    pub(crate) same: Option<Value>,
}

impl Lanes {
    /// Any dwords.
    pub(crate) fn any(value: Value) -> Lanes {
        Lanes { value, normal: false, canonical: false, same: None }
    }

    /// Dwords of which something is known.
    pub(crate) fn known(value: Value, normal: bool, canonical: bool) -> Lanes {
        Lanes { value, normal, canonical, same: None }
    }
}

/// Treatment of subnormal singles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subnormals {
    /// They are numbers like others.
    Keep,
    /// They are zero as sources and as results.
    Flush,
    /// The same, on a host that takes them for zero as sources.
    FlushResults,
}

/// A builder of instructions on four lanes.
pub(crate) struct Builder<'a, 'f> {
    pub(crate) f: &'a mut FunctionBuilder<'f>,
    pub(crate) subnormals: Subnormals,
}

impl Builder<'_, '_> {
    pub(crate) fn constant(&mut self, dwords: [u32; 4]) -> Value {
        let mut bytes = [0; 16];
        for (to, dword) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(dwords) {
            *to = dword.to_le_bytes();
        }
        let constant = self.f.func.dfg.constants.insert(V128Imm(bytes).into());
        self.f.ins().vconst(I32X4, constant)
    }

    pub(crate) fn splat(&mut self, dword: u32) -> Value {
        self.constant([dword; 4])
    }

    pub(crate) fn cast(&mut self, ty: Type, value: Value) -> Value {
        let little = MemFlags::new().with_endianness(Endianness::Little);
        self.f.ins().bitcast(ty, little, value)
    }

    /// A constant.
    pub(crate) fn dword(&mut self, dword: u32) -> Value {
        self.f.ins().iconst(I32, i64::from(dword))
    }

    /// Two constants of 64 bits.
    pub(crate) fn quadword(&mut self, value: u64) -> Value {
        let (low, high) = (value as u32, (value >> 32) as u32);
        let lanes = self.constant([low, high, low, high]);
        self.cast(I64X2, lanes)
    }

    /// The type of masks for singles or doubles.
    pub(crate) fn dwords_of(&self, ty: Type) -> Type {
        if ty == F64X2 { I64X2 } else { I32X4 }
    }

    fn single(&mut self, value: Value) -> Value {
        self.cast(F32X4, value)
    }

    fn bits(&mut self, value: Value) -> Value {
        self.cast(I32X4, value)
    }

    /// Singles where subnormal ones are zero.
    pub(crate) fn flush(&mut self, value: Value) -> Value {
        let rest = self.splat(!SIGN);
        let least = self.splat(MIN_NORMAL);
        let magnitude = self.f.ins().band(value, rest);
        let tiny = self.f.ins().icmp(IntCC::SignedLessThan, magnitude, least);
        let drop = self.f.ins().band(tiny, rest);
        self.f.ins().band_not(value, drop)
    }

    /// The result of an operation on singles, flushed.
    pub(crate) fn flush_result(&mut self, single: Value) -> Value {
        match self.subnormals {
            Subnormals::Keep => single,
            Subnormals::Flush => {
                let value = self.bits(single);
                let value = self.flush(value);
                self.single(value)
            }
            Subnormals::FlushResults => {
                // A subnormal single is zero as a source of the product.
                let one = self.splat(ONE);
                let one = self.single(one);
                self.f.ins().fmul(single, one)
            }
        }
    }

    /// The one NaN for each NaN.
    fn canonical(&mut self, single: Value) -> Value {
        let unordered = self.f.ins().fcmp(FloatCC::Unordered, single, single);
        let (nan, value) = (self.splat(NAN), self.bits(single));
        self.f.ins().bitselect(unordered, nan, value)
    }

    /// Singles limited to the range from zero to one; what is no number becomes zero.
    pub(crate) fn saturate(&mut self, value: Value) -> Value {
        let single = self.single(value);
        let (zero, one) = (self.splat(0), self.splat(ONE));
        let (zero, one) = (self.single(zero), self.single(one));
        let positive = self.f.ins().fcmp(FloatCC::GreaterThan, single, zero);
        let kept = self.f.ins().band(positive, value);
        let kept = self.single(kept);
        let below = self.f.ins().fcmp(FloatCC::LessThan, kept, one);
        let (kept, one) = (self.bits(kept), self.bits(one));
        self.f.ins().bitselect(below, kept, one)
    }

    /// A function in double precision of singles, rounded.
    pub(crate) fn double<const N: usize>(
        &mut self,
        singles: [Value; N],
        function: impl Fn(&mut Self, [Value; N]) -> Value,
    ) -> Value {
        let low = singles.map(|single| self.f.ins().fvpromote_low(single));
        let high = singles.map(|single| {
            let upper = self.halves(single, single, [8, 8]);
            let upper = self.single(upper);
            self.f.ins().fvpromote_low(upper)
        });
        let [low, high] = [low, high].map(|wide| {
            let wide = function(self, wide);
            self.f.ins().fvdemote(wide)
        });
        let both = self.halves(low, high, [0, 16]);
        self.single(both)
    }

    /// Two halves that begin at bytes of two vectors.
    pub(crate) fn halves(&mut self, first: Value, second: Value, starts: [u8; 2]) -> Value {
        let bytes = std::array::from_fn(|byte| starts[byte / 8] + byte as u8 % 8);
        self.shuffle(first, second, bytes)
    }

    /// Bytes of two vectors.
    pub(crate) fn shuffle(&mut self, first: Value, second: Value, bytes: [u8; 16]) -> Value {
        let [first, second] = [first, second].map(|value| self.cast(I8X16, value));
        let mask = self.f.func.dfg.immediates.push(bytes.as_slice().into());
        let bytes = self.f.ins().shuffle(first, second, mask);
        self.bits(bytes)
    }

    pub(crate) fn ones(&mut self) -> Value {
        let one = self.f.ins().f64const(1.0);
        self.f.ins().splat(F64X2, one)
    }

    /// The results of an operation on sources that are modified; `picked` is the mask of
    /// [`Operation::Pick`], `order` that of comparisons.
    pub(crate) fn apply(
        &mut self,
        operation: Operation,
        sources: [Lanes; 3],
        picked: Option<Value>,
        order: Order,
    ) -> Lanes {
        if operation.reads_singles() {
            // Bits that are kept are flushed here in any case.
            let keeps =
                matches!(operation, Operation::Copy | Operation::Smaller | Operation::Larger);
            let flushes = match self.subnormals {
                Subnormals::Keep => false,
                Subnormals::Flush => true,
                Subnormals::FlushResults => keeps,
            };
            let sources = sources.map(|mut lanes| {
                if flushes && !lanes.normal {
                    lanes.value = self.flush(lanes.value);
                }
                lanes
            });
            self.singles(operation, sources, order)
        } else {
            self.dwords(operation, sources, picked, order)
        }
    }

    /// An operation on singles, which are flushed.
    fn singles(&mut self, operation: Operation, sources: [Lanes; 3], order: Order) -> Lanes {
        use Operation::*;
        let normal = self.subnormals != Subnormals::Keep;
        let [x, y, z] = sources.map(|lanes| self.single(lanes.value));
        let single = match operation {
            Copy => return Lanes::known(sources[0].value, normal, sources[0].canonical),
            Smaller => return self.choose(FloatCC::LessThan, sources),
            Larger => return self.choose(FloatCC::GreaterThanOrEqual, sources),
            ToSigned => return Lanes::any(self.f.ins().fcvt_to_sint_sat(I32X4, x)),
            ToUnsigned => return Lanes::any(self.f.ins().fcvt_to_uint_sat(I32X4, x)),
            CompareSingles => return self.truths(|b| b.compare_singles(order, x, y)),
            Add => self.f.ins().fadd(x, y),
            Multiply => self.f.ins().fmul(x, y),
            MultiplyAdd => self.f.ins().fma(y, z, x),
            Fraction => self.fraction(x),
            RoundDown => self.f.ins().floor(x),
            RoundUp => self.f.ins().ceil(x),
            RoundEven => self.f.ins().nearest(x),
            RoundZero => self.f.ins().trunc(x),
            Interpolate => self.double([x, y, z], |b, [x, y, z]| {
                let one = b.ones();
                let rest = b.f.ins().fsub(one, x);
                let (first, second) = (b.f.ins().fmul(x, y), b.f.ins().fmul(rest, z));
                b.f.ins().fadd(first, second)
            }),
            Inverse => self.double([x], |b, [x]| {
                let one = b.ones();
                b.f.ins().fdiv(one, x)
            }),
            SquareRoot => self.double([x], |b, [x]| b.f.ins().sqrt(x)),
            InverseRoot => self.double([x], |b, [x]| {
                let (one, root) = (b.ones(), b.f.ins().sqrt(x));
                b.f.ins().fdiv(one, root)
            }),
            _ => unreachable!("{operation:?} reads no singles"),
        };
        let stays_normal = matches!(
            operation,
            Fraction | RoundDown | RoundUp | RoundEven | RoundZero | SquareRoot | InverseRoot
        );
        let single = if stays_normal { single } else { self.flush_result(single) };
        let rounds = matches!(operation, RoundDown | RoundUp | RoundEven | RoundZero);
        let value = match sources[0].canonical {
            // Rounding keeps a NaN.
            true if rounds => self.bits(single),
            // A fraction is positive, and the host's NaN differs in its sign at most.
            true if operation == Fraction => {
                let (value, rest) = (self.bits(single), self.splat(!SIGN));
                self.f.ins().band(value, rest)
            }
            _ => self.canonical(single),
        };
        Lanes::known(value, normal, true)
    }

    fn truths(&mut self, mask: impl FnOnce(&mut Self) -> Value) -> Lanes {
        Lanes::known(mask(self), true, false)
    }

    /// The fraction, below one.
    pub(crate) fn fraction(&mut self, x: Value) -> Value {
        let floor = self.f.ins().floor(x);
        let fraction = self.f.ins().fsub(x, floor);
        let below_one = self.splat(ONE - 1);
        let below_one = self.single(below_one);
        // The first if it is less, else the second, which may be no number.
        let less = self.f.ins().fcmp(FloatCC::LessThan, below_one, fraction);
        let less = self.single(less);
        self.f.ins().bitselect(less, below_one, fraction)
    }

    /// The first of two singles where an order holds, or only the second is no number.
    fn choose(&mut self, order: FloatCC, [a, b, _]: [Lanes; 3]) -> Lanes {
        let [x, y] = [a, b].map(|lanes| self.single(lanes.value));
        let first = self.f.ins().fcmp(order, x, y);
        let (is_nan, is_number) = (
            self.f.ins().fcmp(FloatCC::Unordered, y, y),
            self.f.ins().fcmp(FloatCC::Ordered, x, x),
        );
        let only = self.f.ins().band(is_nan, is_number);
        let first = self.f.ins().bor(first, only);
        let chosen = self.f.ins().bitselect(first, a.value, b.value);
        let normal = self.subnormals != Subnormals::Keep;
        Lanes::known(chosen, normal, a.canonical && b.canonical)
    }

    fn compare_singles(&mut self, order: Order, x: Value, y: Value) -> Value {
        let order = match order {
            Order::Equal => FloatCC::Equal,
            Order::NotEqual => FloatCC::NotEqual,
            Order::Greater => FloatCC::GreaterThan,
            Order::GreaterEqual => FloatCC::GreaterThanOrEqual,
            Order::Less => FloatCC::LessThan,
            Order::LessEqual => FloatCC::LessThanOrEqual,
            Order::Unordered => FloatCC::Unordered,
            Order::Never => return self.splat(0),
        };
        self.f.ins().fcmp(order, x, y)
    }

    fn compare_dwords(&mut self, order: Order, is_signed: bool, x: Value, y: Value) -> Value {
        let order = match (order, is_signed) {
            (Order::Equal, _) => IntCC::Equal,
            (Order::NotEqual, _) => IntCC::NotEqual,
            (Order::Greater, true) => IntCC::SignedGreaterThan,
            (Order::GreaterEqual, true) => IntCC::SignedGreaterThanOrEqual,
            (Order::Less, true) => IntCC::SignedLessThan,
            (Order::LessEqual, true) => IntCC::SignedLessThanOrEqual,
            (Order::Greater, false) => IntCC::UnsignedGreaterThan,
            (Order::GreaterEqual, false) => IntCC::UnsignedGreaterThanOrEqual,
            (Order::Less, false) => IntCC::UnsignedLessThan,
            (Order::LessEqual, false) => IntCC::UnsignedLessThanOrEqual,
            (Order::Unordered | Order::Never, _) => return self.splat(0),
        };
        self.f.ins().icmp(order, x, y)
    }

    /// An operation on dwords.
    fn dwords(
        &mut self,
        operation: Operation,
        sources: [Lanes; 3],
        picked: Option<Value>,
        order: Order,
    ) -> Lanes {
        use Operation::*;
        let [x, y, z] = sources.map(|lanes| lanes.value);
        let value = match operation {
            FromSigned | FromUnsigned => {
                let single = match operation {
                    FromSigned => self.f.ins().fcvt_from_sint(F32X4, x),
                    _ => self.f.ins().fcvt_from_uint(F32X4, x),
                };
                return Lanes::known(self.bits(single), true, true);
            }
            Move => return sources[0],
            Pick => {
                let picked = picked.unwrap_or_else(|| self.splat(u32::MAX));
                return self.either(picked, sources[0], sources[1]);
            }
            CompareSigned => return self.truths(|b| b.compare_dwords(order, true, x, y)),
            CompareUnsigned => return self.truths(|b| b.compare_dwords(order, false, x, y)),
            Not => self.f.ins().bnot(x),
            And => self.f.ins().band(x, y),
            Or => self.f.ins().bor(x, y),
            Xor => self.f.ins().bxor(x, y),
            AddDwords => self.f.ins().iadd(x, y),
            MultiplyDwords => self.f.ins().imul(x, y),
            MultiplyLowWord => {
                let low = self.splat(0xffff);
                let low = self.f.ins().band(y, low);
                self.f.ins().imul(x, low)
            }
            MultiplyAddDwords => {
                let product = self.f.ins().imul(y, z);
                self.f.ins().iadd(x, product)
            }
            DivideSigned | DivideUnsigned | RemainderSigned | RemainderUnsigned => {
                self.each_lane(x, y, |b, x, y| b.divide(operation, x, y))
            }
            ShiftLeft | ShiftRight | ShiftRightSigned => self.shift(operation, sources),
            _ => unreachable!("{operation:?} reads singles"),
        };
        Lanes::any(value)
    }

    /// The first lanes where a mask is set, else the second.
    pub(crate) fn either(&mut self, mask: Value, first: Lanes, second: Lanes) -> Lanes {
        let value = self.f.ins().bitselect(mask, first.value, second.value);
        let normal = first.normal && second.normal;
        Lanes::known(value, normal, first.canonical && second.canonical)
    }

    /// A shift; amounts are taken modulo 32.
    fn shift(&mut self, operation: Operation, [x, y, _]: [Lanes; 3]) -> Value {
        let shift = |b: &mut Self, value: Value, amount: Value| match operation {
            Operation::ShiftLeft => b.f.ins().ishl(value, amount),
            Operation::ShiftRight => b.f.ins().ushr(value, amount),
            _ => b.f.ins().sshr(value, amount),
        };
        if let Some(amount) = y.same {
            return shift(self, x.value, amount);
        }
        self.each_lane(x.value, y.value, shift)
    }

    /// The results of a function of each lane of two vectors.
    pub(crate) fn each_lane(
        &mut self,
        x: Value,
        y: Value,
        function: impl Fn(&mut Self, Value, Value) -> Value,
    ) -> Value {
        let mut result = x;
        for lane in 0..4 {
            let [x, y] = [x, y].map(|value| self.f.ins().extractlane(value, lane));
            let value = function(self, x, y);
            result = self.f.ins().insertlane(result, value, lane);
        }
        result
    }

    /// The quotient or remainder of two dwords. Division by zero gives the extreme value of the
    /// dividend's sign and the remainder -1; the least value by -1 is itself.
    fn divide(&mut self, operation: Operation, x: Value, y: Value) -> Value {
        use Operation::{DivideSigned, RemainderSigned, RemainderUnsigned};
        let is_signed = matches!(operation, DivideSigned | RemainderSigned);
        let is_zero = self.f.ins().icmp_imm(IntCC::Equal, y, 0);
        let mut is_special = is_zero;
        if is_signed {
            let least = self.f.ins().icmp_imm(IntCC::Equal, x, i64::from(i32::MIN));
            let by_minus_one = self.f.ins().icmp_imm(IntCC::Equal, y, -1);
            let overflows = self.f.ins().band(least, by_minus_one);
            is_special = self.f.ins().bor(is_zero, overflows);
        }
        let one = self.f.ins().iconst(I32, 1);
        let divisor = self.f.ins().select(is_special, one, y);
        let quotient = match is_signed {
            true => self.f.ins().sdiv(x, divisor),
            false => self.f.ins().udiv(x, divisor),
        };
        let all = self.f.ins().iconst(I32, -1);
        if matches!(operation, RemainderSigned | RemainderUnsigned) {
            let product = self.f.ins().imul(quotient, y);
            let remainder = self.f.ins().isub(x, product);
            return self.f.ins().select(is_zero, all, remainder);
        }
        let mut extreme = all;
        if is_signed {
            // The largest value, or the least.
            let sign = self.f.ins().sshr_imm(x, 31);
            extreme = self.f.ins().bxor_imm(sign, i64::from(i32::MAX));
        }
        self.f.ins().select(is_zero, extreme, quotient)
    }

    /// The result limited to its range, if the step asks for it.
    pub(crate) fn saturated(&mut self, lanes: Lanes) -> Lanes {
        Lanes::known(self.saturate(lanes.value), lanes.normal, true)
    }

    /// The same dword in all lanes.
    pub(crate) fn spread(&mut self, scalar: Value) -> Lanes {
        debug_assert_eq!(self.f.func.dfg.value_type(scalar), I32);
        let value = self.f.ins().splat(I32X4, scalar);
        Lanes { same: Some(scalar), ..Lanes::any(value) }
    }

    /// A mask of the lanes that have a bit, from bit `first` on.
    pub(crate) fn mask(&mut self, bits: Value, first: usize) -> Value {
        let places = self.constant(std::array::from_fn(|lane| 1 << (first + lane)));
        let spread = self.f.ins().splat(I32X4, bits);
        let own = self.f.ins().band(spread, places);
        self.f.ins().icmp(IntCC::Equal, own, places)
    }
}

/// True if a constant is no subnormal single.
pub(crate) fn is_normal(dword: u32) -> bool {
    dword & 0x7f80_0000 != 0 || dword & !SIGN == 0
}
