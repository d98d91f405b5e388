//! Many 16-bit values alive at once, partial writes that complete a value inside loops, and 16-bit values beside wider ones: what
//! keeps registers busy when liveness sees whole registers only.
//!
//! The values are sums and differences of small integers, which halves hold exactly.

use super::vectors;
use crate::half::float16::Half;
use crate::half::pool::wrapped;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::value::{Accept, Component, Scalar, Type};

const GROUP: &str = "pressure";

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for scalar in [Scalar::Half, Scalar::Int16, Scalar::Uint16] {
        for ty in vectors(scalar) {
            list.push(many_values(ty, 24));
            list.push(kept_over_loop(ty, 12));
        }
        list.push(many_values(Type::vector(scalar, 1), 64));
        for ty in &vectors(scalar)[1..] {
            list.push(completed_in_loop(*ty));
            list.push(completed_in_branches(*ty));
            list.push(rotated(*ty));
        }
        list.push(mixed_widths(scalar));
    }
    list
}

/// The number as a type wraps it; halves have all that occur here.
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

/// Works by component on small numbers; f gives the number that the type then wraps.
fn small_numbers(
    name: String,
    ty: Type,
    statements: String,
    f: impl Fn(i64, i64) -> i64 + 'static,
) -> Signature {
    let arguments = [(ty, Pool::Small), (ty, Pool::Small)];
    Signature::elementwise(GROUP, name, &arguments, ty, "y", move |x| {
        // A sum that is 0 may have either sign.
        let n = wrap(ty.scalar, f(small(x[0]), small(x[1])));
        (n != 0 || ty.scalar != Scalar::Half).then(|| number(ty.scalar, n))
    })
    .types(ty.glsl())
    .statements(statements)
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
        "{0} y = {0}(0);\nfor (int i = 0; i < 5; i++) {{\n\ty = b - y;\n\tv3 = v3 + y;\n}}\n",
        ty.glsl()
    );
    for i in 0..count {
        statements += &format!("y = v{i} - y;\n");
    }
    small_numbers(String::from("kept_over_loop"), ty, statements, move |a, b| {
        let mut v: Vec<i64> = (0..count as i64).map(|i| a + i * b).collect();
        let mut y = 0;
        for _ in 0..5 {
            y = b - y;
            v[3] += y;
        }
        v.into_iter().fold(y, |y, v| v - y)
    })
}

/// Each turn writes every component by itself: together a full definition, which needs nothing from the turn before.
fn completed_in_loop(ty: Type) -> Signature {
    let t = ty.glsl();
    let parts: String = (0..ty.rows).map(|i| format!("\tt[{i}] = a[{i}] - y[{i}];\n")).collect();
    let statements = format!("{t} y = b;\n{t} t;\nfor (int i = 0; i < 6; i++) {{\n{parts}\ty = t + b;\n}}");
    small_numbers(String::from("completed_in_loop"), ty, statements, |a, b| (0..6).fold(b, |y, _| a - y + b))
}

/// Components written on both ways of a branch, in different orders.
fn completed_in_branches(ty: Type) -> Signature {
    let t = ty.glsl();
    let odd: String = (0..ty.rows).map(|i| format!("\t\tt[{i}] = a[{i}] + y[{i}];\n")).collect();
    let even: String = (0..ty.rows).rev().map(|i| format!("\t\tt[{i}] = b[{i}] - y[{i}];\n")).collect();
    let statements = format!(
        "{t} y = b;\n{t} t;\nfor (int i = 0; i < 5; i++) {{\n\tif ((i & 1) == 1) {{\n{odd}\t}} else {{\n{even}\t}}\n\ty = t + a;\n}}"
    );
    small_numbers(String::from("completed_in_branches"), ty, statements, |a, b| {
        (0..5).fold(b, |y, i| if i % 2 == 1 { a + y + a } else { b - y + a })
    })
}

/// Components that change places in a loop: each write reads what another one had.
fn rotated(ty: Type) -> Signature {
    let swizzle = &"yzwx"[..ty.rows - 1];
    let places = format!("{swizzle}x");
    let statements =
        format!("{} y = a;\nfor (int i = 0; i < {}; i++)\n\ty = y.{places} + b;", ty.glsl(), 2 * ty.rows);
    let turns = 2 * ty.rows as i64;
    let arguments = [(ty, Pool::Small), (Type::vector(ty.scalar, 1), Pool::Small)];
    let scalar = ty.scalar;
    Signature::whole(GROUP, "rotated", &arguments, ty, "y", move |x| {
        let b = small(x[1][0]);
        let component = |&a: &Component| {
            let n = wrap(scalar, small(a) + turns * b);
            (n != 0 || scalar != Scalar::Half).then(|| number(scalar, n))
        };
        x[0].iter().map(component).collect()
    })
    .types(ty.glsl())
    .statements(statements)
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
