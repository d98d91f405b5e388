//! Functions that are steps of flat code are those of values.

use program::Scalar;
use program::builtin_function::{CommonFunction, ExponentialFunction};

use super::arguments::Arguments;
use super::common::{common, exponential};
use crate::flat::code::RowOp;
use crate::flat::rows::tests::{execute, numbers, same};
use crate::flat::rows::{Cells, LANES};
use crate::lanes::Value;

/// Calls a common function of numbers of one type.
fn of_values(f: CommonFunction, values: Vec<Value>, ty: Scalar) -> Value {
    let scalars = vec![Some(ty); values.len()];
    common(f, &Arguments { values, scalars }, Some(ty), 1).expect("arguments of the function")
}

#[test]
fn functions_are_those_of_values() {
    use CommonFunction as C;
    use Scalar::{Float, Int, Uint};
    let table = [
        (RowOp::FloatRound, C::Round, Float, 1),
        (RowOp::FloatSign, C::Sign, Float, 1),
        (RowOp::FloatMod, C::Mod, Float, 2),
        (RowOp::FloatStep, C::Step, Float, 2),
        (RowOp::FloatMin, C::Min, Float, 2),
        (RowOp::FloatMax, C::Max, Float, 2),
        (RowOp::FloatClamp, C::Clamp, Float, 3),
        (RowOp::SignedAbs, C::Abs, Int, 1),
        (RowOp::SignedSign, C::Sign, Int, 1),
        (RowOp::SignedMin, C::Min, Int, 2),
        (RowOp::SignedMax, C::Max, Int, 2),
        (RowOp::SignedClamp, C::Clamp, Int, 3),
        (RowOp::UnsignedMin, C::Min, Uint, 2),
        (RowOp::UnsignedMax, C::Max, Uint, 2),
        (RowOp::UnsignedClamp, C::Clamp, Uint, 3),
    ];
    for (op, function, ty, count) in table {
        compare(op, (ty, count), |values| of_values(function, values, ty));
    }
}

#[test]
fn roots_are_those_of_values() {
    use ExponentialFunction as E;
    let table = [(RowOp::FloatSqrt, E::Sqrt), (RowOp::FloatInverseSqrt, E::InverseSqrt)];
    for (op, function) in table {
        compare(op, (Scalar::Float, 1), |values| {
            let scalars = vec![Some(Scalar::Float); values.len()];
            exponential(function, &Arguments { values, scalars }, 1).expect("a number")
        });
    }
}

/// Compares a step with a function of values, with a number of operands of a type.
fn compare(op: RowOp, (ty, count): (Scalar, usize), function: impl Fn(Vec<Value>) -> Value) {
    use Scalar::{Float, Int};
    for seed in 0..512 {
        // Numbers near each other, too.
        let near = |row: Cells| row.map(|x| x & 0x8000_ffff | 0x4100_0000);
        let change = |row| if seed % 2 == 0 { row } else { near(row) };
        let operands: [Cells; 3] = std::array::from_fn(|i| change(numbers(seed + 1000 * i as u32)));
        let (result, marks) = execute(op, operands);
        let rows = operands
            .iter()
            .take(count)
            .map(|row| Value::of_rows([(row, 0)].into_iter(), LANES, ty == Int));
        let want = function(rows.collect());
        for lane in 0..LANES {
            let of = || operands.map(|row| row[lane]);
            let bits = want.get(0, lane);
            assert!(same(ty, result[lane], bits), "{op:?} {:x?} {bits:x}", of());
            let nan = ty == Float && f32::from_bits(result[lane]).is_nan();
            let marked = marks >> lane & 1 != 0;
            assert!(nan || marked == want.is_undefined(0, lane), "{op:?} {:x?}", of());
        }
    }
}
