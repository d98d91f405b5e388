//! Register pressure of 16-bit values: many values live at once, partial writes that complete a
//! value inside loops, 16-bit values beside wider ones, which occupy registers when liveness sees
//! whole registers only; and operands read once before many values live, which occupy registers
//! when the payload stays live to the end.
//!
//! The values are sums, differences and products of small integers, which halves hold exactly. An
//! operand is the number of turns of each loop, so that none is unrolled.

use crate::accept::Accept;
use crate::format::Format;
use crate::half::Half;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::shared::{SCALARS_16, half_matrix, vectors};
use crate::value::wrapped;
use crate::value::{Component, Scalar, Type};

const GROUP: &str = "pressure";

/// Number of turns of a loop.
const TURNS: (Type, Pool) = (Type::vector(Scalar::Int, 1), Pool::Below(8));

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for scalar in SCALARS_16 {
        for ty in vectors(scalar) {
            list.push(many_values(ty, 24));
            list.push(kept_over_loop(ty, 12));
        }
        list.push(many_values(Type::vector(scalar, 1), 64));
        for ty in &vectors(scalar)[1..] {
            list.push(completed_in_loop(*ty));
            list.push(completed_in_branches(*ty));
            list.push(rotated(*ty));
            list.push(short_lived(*ty, 40));
            list.push(converted_in_loop(*ty, 24));
        }
        list.push(mixed_widths(scalar));
    }
    list.push(operands_read_first(half_matrix(4, 4), 5));
    list.push(operands_read_first(half_matrix(3, 3), 6));
    list.push(operands_read_first(half_matrix(2, 4), 5));
    list
}

/// The integer, if halves hold it exactly.
fn held(n: i64) -> Option<i64> {
    (n.abs() <= 2048).then_some(n)
}

/// The number as a type wraps it; halves hold all that occur here.
fn wrap(scalar: Scalar, n: i64) -> i64 {
    match scalar {
        Scalar::Half => n,
        _ => wrapped(scalar, n as u64).integer(),
    }
}

fn number(scalar: Scalar, n: i64) -> Accept {
    Accept::exactly(match scalar {
        Scalar::Half => Component::Half(Half::from_double(n as f64)),
        _ => wrapped(scalar, n as u64),
    })
}

/// A small integer that a component holds.
fn small(x: Component) -> i64 {
    match x {
        Component::Half(x) => x.value() as i64,
        other => other.integer(),
    }
}

/// `a + i·b` for i below `count`, all computed before the first is used.
fn definitions(ty: Type, count: usize) -> String {
    let t = ty.glsl();
    (0..count).map(|i| format!("{t} v{i} = a + {t}({i}) * b;\n")).collect()
}

/// Accepted value for an exact result.
fn result(scalar: Scalar, n: i64) -> Option<Accept> {
    let n = wrap(scalar, n);
    // A sum that is 0 may have either sign.
    (n != 0 || scalar != Scalar::Half).then(|| number(scalar, n))
}

/// An operation by component on small numbers; f returns the number that the type then wraps.
fn small_numbers(
    name: String,
    ty: Type,
    statements: String,
    f: impl Fn(i64, i64) -> i64 + 'static,
) -> Signature {
    let arguments = [(ty, Pool::Small), (ty, Pool::Small)];
    Signature::elementwise(GROUP, name, &arguments, ty, "y", move |x| {
        result(ty.scalar, f(small(x[0]), small(x[1])))
    })
    .types(ty.glsl())
    .statements(statements)
}

/// The same around a loop of `c` turns, each of which computes the next `y` from the last. The
/// first `y` is `b`.
fn loop_of_small_numbers(
    name: &str,
    ty: Type,
    turn: &str,
    f: impl Fn(i64, i64, i64, i64) -> Option<i64> + 'static,
) -> Signature {
    let arguments = [(ty, Pool::Small), (ty, Pool::Small), TURNS];
    Signature::elementwise(GROUP, name, &arguments, ty, "y", move |x| {
        let (a, b) = (small(x[0]), small(x[1]));
        result(ty.scalar, (0..x[2].integer()).try_fold(b, |y, i| f(a, b, y, i))?)
    })
    .types(ty.glsl())
    .statements(format!("{} y = b;\nfor (int i = 0; i < c; i++) {{\n{turn}}}", ty.glsl()))
}

/// Values that are used twice, first to last and then again, so that all of them live together.
fn many_values(ty: Type, count: usize) -> Signature {
    let mut statements = definitions(ty, count);
    statements += &format!("{0} y = {0}(0);\n", ty.glsl());
    for i in (0..count).chain(0..count).map(|i| i * 7 % count) {
        statements += &format!("y = v{i} - y;\n");
    }
    small_numbers(format!("values_{count}"), ty, statements, move |a, b| {
        let order = (0..count).chain(0..count).map(|i| (i * 7 % count) as i64);
        order.fold(0, |y, i| a + i * b - y)
    })
}

/// Values computed before a loop and used after it; the loop changes one of them.
fn kept_over_loop(ty: Type, count: usize) -> Signature {
    let mut statements = definitions(ty, count);
    statements += &format!(
        "{0} y = {0}(0);\nfor (int i = 0; i < c; i++) {{\n\ty = b - y;\n\tv3 = v3 + y;\n}}\n",
        ty.glsl()
    );
    for i in 0..count {
        statements += &format!("y = v{i} - y;\n");
    }
    let arguments = [(ty, Pool::Small), (ty, Pool::Small), TURNS];
    Signature::elementwise(GROUP, "kept_over_loop", &arguments, ty, "y", move |x| {
        let (a, b) = (small(x[0]), small(x[1]));
        let mut v: Vec<i64> = (0..count as i64).map(|i| a + i * b).collect();
        let mut y = 0;
        for _ in 0..x[2].integer() {
            y = b - y;
            v[3] += y;
        }
        result(ty.scalar, v.into_iter().fold(y, |y, v| v - y))
    })
    .types(ty.glsl())
    .statements(statements)
}

/// Each turn writes every component by itself: together a full definition, which needs nothing from
/// the turn before.
fn completed_in_loop(ty: Type) -> Signature {
    let parts: String = (0..ty.rows).map(|i| format!("\tt[{i}] = a[{i}] - y[{i}];\n")).collect();
    let turn = format!("\t{} t;\n{parts}\ty = t + b;\n", ty.glsl());
    loop_of_small_numbers("completed_in_loop", ty, &turn, |a, b, y, _| held(a - y + b))
}

/// Components written on both ways of a branch, in different orders.
fn completed_in_branches(ty: Type) -> Signature {
    let odd: String = (0..ty.rows).map(|i| format!("\t\tt[{i}] = a[{i}] + y[{i}];\n")).collect();
    let even: String =
        (0..ty.rows).rev().map(|i| format!("\t\tt[{i}] = b[{i}] - y[{i}];\n")).collect();
    let turn = format!(
        "\t{} t;\n\tif ((i & 1) == 1) {{\n{odd}\t}} else {{\n{even}\t}}\n\ty = t + a;\n",
        ty.glsl()
    );
    loop_of_small_numbers("completed_in_branches", ty, &turn, |a, b, y, i| {
        held(if i % 2 == 1 { a + y + a } else { b - y + a })
    })
}

/// A chain of values in each turn of a loop, each dead as soon as the next one is there.
fn short_lived(ty: Type, count: i64) -> Signature {
    let t = ty.glsl();
    let operand = |i: i64| if i % 2 == 0 { "a" } else { "b" };
    let mut turn = format!("\t{t} v0 = a - y;\n");
    for i in 1..count {
        turn += &format!("\t{t} v{i} = {} - v{};\n", operand(i), i - 1);
    }
    turn += &format!("\ty = b - v{};\n", count - 1);
    loop_of_small_numbers("short_lived", ty, &turn, move |a, b, y, _| {
        let last = (0..count).try_fold(y, |v, i| held(if i % 2 == 0 { a } else { b } - v))?;
        held(b - last)
    })
}

/// Each turn of a loop makes many 16-bit values out of 32-bit ones: conversions write with a
/// stride, for any width of the kernel.
fn converted_in_loop(ty: Type, count: i64) -> Signature {
    let (t, wide) = (ty.glsl(), Type { scalar: Scalar::Float, ..ty }.glsl());
    let steps = (0..count).map(|k| format!("\ty = {t}({wide}(a) * float(i + {k})) - y;\n"));
    let turn: String = steps.collect();
    loop_of_small_numbers("converted_in_loop", ty, &turn, move |a, _, y, i| {
        (0..count).try_fold(y, |y, k| held(held(a * (i + k))? - y))
    })
}

/// Components that change places in a loop: each write reads the old value of another one.
fn rotated(ty: Type) -> Signature {
    let swizzle = &"yzwx"[..ty.rows - 1];
    let statements =
        format!("{} y = a;\nfor (int i = 0; i < c; i++)\n\ty = y.{swizzle}x + b;", ty.glsl());
    let arguments = [(ty, Pool::Small), (Type::vector(ty.scalar, 1), Pool::Small), TURNS];
    let scalar = ty.scalar;
    Signature::whole(GROUP, "rotated", &arguments, ty, "y", move |x| {
        let (b, turns) = (small(x[1][0]), x[2][0].integer());
        let mut a = x[0].clone();
        a.rotate_left(turns as usize % ty.rows);
        a.into_iter().map(|a| result(scalar, small(a) + turns * b)).collect()
    })
    .types(ty.glsl())
    .statements(statements)
}

/// Operands that fill registers of the payload, are added up at the start and not read again; then
/// multiples of the sum that live together.
fn operands_read_first(ty: Type, count: i64) -> Signature {
    const OPERANDS: usize = 6;
    let t = ty.glsl();
    let mut statements = format!("{t} s = a + b + c + d + e + f;\n{t} y = s;\n");
    for i in 0..count {
        statements += &format!("{t} v{i} = s * float16_t({});\n", i + 2);
    }
    for i in (0..count).chain((0..count).rev()) {
        statements += &format!("y = v{i} - y;\n");
    }
    Signature::elementwise(
        GROUP,
        "operands_read_first",
        &[(ty, Pool::Small); OPERANDS],
        ty,
        "y",
        move |x| {
            let sum: i64 = x.iter().map(|&x| small(x)).sum();
            let order = (0..count).chain((0..count).rev());
            result(
                ty.scalar,
                order.into_iter().try_fold(sum, |y, i| held(held(sum * (i + 2))? - y))?,
            )
        },
    )
    .types(t)
    .statements(statements)
    .varyings()
}

/// 16-bit values among 32-bit and 64-bit ones that live as long.
fn mixed_widths(scalar: Scalar) -> Signature {
    let ty = Type::vector(scalar, 2);
    let t = ty.glsl();
    let mut statements = String::new();
    for i in 0..8 {
        statements += &format!(
            "{t} v{i} = a + {t}({i}) * b;\nvec2 f{i} = vec2(v{i}) * 2.0;\ndvec2 d{i} = dvec2(f{i}) + 1.0lf;\n"
        );
    }
    statements += &format!("{t} y = {t}(0);\n");
    for i in 0..8 {
        statements += &format!("y = v{i} - y + {t}(vec2(d{i}) - f{i});\n");
    }
    small_numbers(String::from("mixed_widths"), ty, statements, |a, b| {
        // The difference of both wider values is 1.
        (0..8).fold(0, |y, i| a + i * b - y + 1)
    })
}
