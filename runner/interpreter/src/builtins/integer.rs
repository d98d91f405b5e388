//! Integer functions (GLSL 4.60 section 8.8, INTEL_shader_integer_functions2).

use program::builtin_function::IntegerFunction;
use program::{ExprId, Scalar};

use super::arguments::Arguments;
use crate::environment::Error;
use crate::invocation_group::InvocationGroup;
use crate::lanes::Value;
use crate::scalar::wrap;

/// Calls an integer function.
pub(super) fn integer(
    f: IntegerFunction,
    args: &Arguments,
    components: usize,
) -> Result<Value, Error> {
    use IntegerFunction as F;
    Ok(match f {
        F::BitfieldExtract => {
            let ty = args.scalar(0)?;
            let (offset, bits) = (args.widened(1, components)?, args.widened(2, components)?);
            let value =
                args.value(0)?.zip3(&offset, &bits, |x, o, b| extract(ty, x, o as i64, b as i64));
            mark_fields(value, ty, &offset, &bits)
        }
        F::BitfieldInsert => {
            let ty = args.scalar(0)?;
            let (offset, bits) = (args.widened(2, components)?, args.widened(3, components)?);
            let fields = offset.zip(&bits, |o, b| field_mask(o as i64, b as i64));
            let shifted = args.value(1)?.zip(&offset, |x, o| x.checked_shl(o as u32).unwrap_or(0));
            let value = args.value(0)?.zip3(&shifted, &fields, |base, insert, mask| {
                wrap(ty, base & !mask | insert & mask)
            });
            mark_fields(value, ty, &offset, &bits)
        }
        F::BitfieldReverse => {
            let ty = args.scalar(0)?;
            args.value(0)?.map(|x| wrap(ty, u64::from((x as u32).reverse_bits())))
        }
        F::BitCount => args.value(0)?.map(|x| u64::from((x as u32).count_ones())),
        F::FindLsb => args.value(0)?.map(|x| match x as u32 {
            0 => u64::MAX,
            x => u64::from(x.trailing_zeros()),
        }),
        F::FindMsb => {
            let signed = args.scalar(0)?.is_signed_integer();
            args.value(0)?.map(|x| find_msb(x as u32, signed))
        }
        F::CountLeadingZeros => args.value(0)?.map(|x| u64::from((x as u32).leading_zeros())),
        F::CountTrailingZeros => args.value(0)?.map(|x| u64::from((x as u32).trailing_zeros())),
        F::AbsoluteDifference => {
            binary(args, |ty, a, b| wrap(unsigned(ty), (a - b).unsigned_abs() as u64))?
        }
        F::AddSaturate => binary(args, |ty, a, b| saturate(ty, a + b))?,
        F::SubtractSaturate => binary(args, |ty, a, b| saturate(ty, a - b))?,
        F::Average => binary(args, |ty, a, b| wrap(ty, ((a + b) >> 1) as u64))?,
        F::AverageRounded => binary(args, |ty, a, b| wrap(ty, ((a + b + 1) >> 1) as u64))?,
        F::Multiply32x16 => {
            let ty = args.scalar(0)?;
            let half = if ty.is_signed_integer() { Scalar::Int16 } else { Scalar::Uint16 };
            args.value(0)?.zip(args.value(1)?, |a, b| wrap(ty, a.wrapping_mul(wrap(half, b))))
        }
    })
}

fn unsigned(ty: Scalar) -> Scalar {
    match ty {
        Scalar::Int => Scalar::Uint,
        Scalar::Int8 => Scalar::Uint8,
        Scalar::Int16 => Scalar::Uint16,
        Scalar::Int64 => Scalar::Uint64,
        other => other,
    }
}

/// Applies a function to two integer operands, exactly.
fn binary(args: &Arguments, f: impl Fn(Scalar, i128, i128) -> u64) -> Result<Value, Error> {
    let ty = args.scalar(0)?;
    let exact = |x: u64| if ty.is_signed_integer() { i128::from(x as i64) } else { i128::from(x) };
    Ok(args.value(0)?.zip(args.value(1)?, |a, b| f(ty, exact(a), exact(b))))
}

fn saturate(ty: Scalar, x: i128) -> u64 {
    let bits = ty.bits();
    let (low, high) = if ty.is_signed_integer() {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    };
    wrap(ty, x.clamp(low, high) as u64)
}

fn field_mask(offset: i64, bits: i64) -> u64 {
    let ones = if bits >= 32 { 0xffff_ffff } else { (1u64 << bits.max(0)) - 1 };
    ones.checked_shl(offset as u32).unwrap_or(0) & 0xffff_ffff
}

fn extract(ty: Scalar, x: u64, offset: i64, bits: i64) -> u64 {
    if !(0..=32).contains(&offset) || !(1..=32).contains(&bits) || offset + bits > 32 {
        return 0;
    }
    let left = (x as u32) << (32 - offset - bits);
    if ty.is_signed_integer() {
        i64::from(left as i32 >> (32 - bits)) as u64
    } else {
        u64::from(left >> (32 - bits))
    }
}

/// Marks undefined results: of negative offsets or widths, or of a field past bit 31.
fn mark_fields(mut value: Value, _: Scalar, offset: &Value, bits: &Value) -> Value {
    for c in 0..value.components() {
        for lane in 0..value.lanes() {
            let (o, b) = (offset.get(c, lane) as i64, bits.get(c, lane) as i64);
            if o < 0 || b < 0 || o.saturating_add(b) > 32 {
                value.mark_undefined(c, lane);
            }
        }
    }
    value
}

fn find_msb(x: u32, signed: bool) -> u64 {
    let x = if signed && (x as i32) < 0 { !x } else { x };
    if x == 0 { u64::MAX } else { u64::from(31 - x.leading_zeros()) }
}

impl InvocationGroup<'_> {
    /// Evaluates `uaddCarry`.
    pub(super) fn add_with_carry(&mut self, arguments: &[ExprId]) -> Result<Value, Error> {
        let [x, y, out] = arguments else {
            return Err(Error::Malformed("wrong number of arguments"));
        };
        let (x, y) = (self.eval(*x)?, self.eval(*y)?);
        let sum = x.zip(&y, |a, b| (a + b) & 0xffff_ffff);
        self.store_arguments(Scalar::Uint, &[(*out, x.zip(&y, |a, b| (a + b) >> 32))])?;
        Ok(sum)
    }

    /// Evaluates `usubBorrow`.
    pub(super) fn subtract_with_borrow(&mut self, arguments: &[ExprId]) -> Result<Value, Error> {
        let [x, y, out] = arguments else {
            return Err(Error::Malformed("wrong number of arguments"));
        };
        let (x, y) = (self.eval(*x)?, self.eval(*y)?);
        let difference = x.zip(&y, |a, b| a.wrapping_sub(b) & 0xffff_ffff);
        let borrow = x.zip(&y, |a, b| u64::from(a < b));
        self.store_arguments(Scalar::Uint, &[(*out, borrow)])?;
        Ok(difference)
    }

    /// Evaluates `umulExtended` and `imulExtended`.
    pub(super) fn wide_product(
        &mut self,
        ty: Scalar,
        arguments: &[ExprId],
    ) -> Result<Value, Error> {
        let [x, y, high, low] = arguments else {
            return Err(Error::Malformed("wrong number of arguments"));
        };
        let (x, y) = (self.eval(*x)?, self.eval(*y)?);
        let product = x.zip(&y, |a, b| a.wrapping_mul(b));
        let halves = [32, 0].map(|shift| product.map(|p| wrap(ty, p >> shift)));
        let [upper, lower] = halves;
        self.store_arguments(ty, &[(*high, upper), (*low, lower)])?;
        Ok(Value::zero(0, self.lanes))
    }
}
