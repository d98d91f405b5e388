//! Control flow on 16-bit values: branches, loops with 16-bit counters, and four vertices or pixels
//! that go different ways.

use super::{
    broken_loop, chain, continued_loop, lane_branch, lane_break, lane_loop, lanes, short_circuit,
    single_lane,
};
use crate::accept::Accept;
use crate::format::Format;
use crate::half::Half;
use crate::ieee;
use crate::number::{add, sub};
use crate::operation::Signature;
use crate::pool::Pool;
use crate::shared::first;
use crate::shared::{HALF, halves, of_two, vectors};
use crate::value::wrapped;
use crate::value::{Component, Scalar, Type};

const GROUP: &str = "control";

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for ty in vectors(Scalar::Half) {
        list.push(branch(ty));
        list.push(merged(ty));
        list.push(counted_loop(ty));
    }
    for scalar in [Scalar::Int16, Scalar::Uint16] {
        list.push(counter(scalar));
        list.push(wrapping_counter(scalar));
        list.push(switch(scalar));
    }
    list.push(half_counter());
    list.push(broken_loop(Scalar::Half, "float16_t(0.0)"));
    list.push(continued_loop(Scalar::Half, "float16_t(0.0)"));
    list.push(short_circuit(Scalar::Half));
    list.push(chain(Scalar::Half));
    for rows in [1, 2, 3] {
        list.push(lane_branch(Scalar::Half, rows));
        list.extend([0, 3].map(|lane| single_lane(Scalar::Half, rows, lane)));
        list.push(lane_loop(Scalar::Half, rows));
        list.push(lane_break(Scalar::Half, rows));
        list.push(lane_partial(rows));
    }
    list
}

fn half(x: f64) -> Half {
    Half::from_double(x)
}

/// `if` and `else` by values.
fn branch(ty: Type) -> Signature {
    let statements = format!(
        "precise {} y;\nif ({} < {})\n\ty = a + b;\nelse\n\ty = a - b;",
        ty.glsl(),
        first(ty, "a"),
        first(ty, "b")
    );
    Signature::whole(GROUP, "if", &[(ty, Pool::Any), (ty, Pool::Related)], ty, "y", |x| {
        let less = ieee::less(x[0][0].half(), x[1][0].half());
        let value = |(a, b): (&Component, &Component)| {
            let (a, b) = (a.half(), b.half());
            Accept::of(if less { ieee::add(a, b) } else { ieee::sub(a, b) })
        };
        Some(x[0].iter().zip(&x[1]).map(value).collect())
    })
    .types(ty.glsl())
    .statements(statements)
}

/// A value that one of two ways changes is used after both.
fn merged(ty: Type) -> Signature {
    let statements = format!(
        "precise {0} y = a;\nif ({1} > float16_t(1.0))\n\ty = y * b;\ny = y + b;",
        ty.glsl(),
        first(ty, "a")
    );
    Signature::whole(GROUP, "merge", &[(ty, Pool::Any), (ty, Pool::Moderate)], ty, "y", |x| {
        let above = ieee::less(Half::one(), x[0][0].half());
        let value = |(a, b): (&Component, &Component)| {
            let (a, b) = (a.half(), b.half());
            Accept::of(ieee::add(if above { ieee::mul(a, b) } else { a }, b))
        };
        Some(x[0].iter().zip(&x[1]).map(value).collect())
    })
    .types(ty.glsl())
    .statements(statements)
}

/// y = a · y + b, each rounded; an integer operand is the number of turns.
fn counted_loop(ty: Type) -> Signature {
    let int = Type::vector(Scalar::Int, 1);
    let arguments = [(ty, Pool::Unit), (ty, Pool::Moderate), (int, Pool::Below(7))];
    Signature::elementwise(GROUP, "loop", &arguments, ty, "y", |x| {
        let (a, b) = (x[0].half(), x[1].half());
        let turn = |y: Half, _| ieee::add(ieee::mul(a, y), b);
        Some(Accept::of((0..x[2].integer()).fold(b, turn)))
    })
    .types(ty.glsl())
    .statements(format!(
        "precise {} y = b;\nfor (int i = 0; i < c; i++) {{\n\tprecise {0} product = a * y;\n\ty = product + b;\n}}",
        ty.glsl()
    ))
}

/// A loop whose counter has 16 bits: Σ of 1, 2, … c, which wraps.
fn counter(scalar: Scalar) -> Signature {
    let ty = Type::vector(scalar, 1);
    let t = ty.glsl();
    let arguments = [(ty, Pool::Any), (ty, Pool::Below(9))];
    Signature::elementwise(GROUP, "counter", &arguments, ty, "y", move |x| {
        let sum: i64 = (1..=x[1].integer()).sum();
        Some(Accept::exactly(wrapped(scalar, (x[0].integer() + sum) as u64)))
    })
    .types(t.clone())
    .statements(format!("{t} y = a;\nfor ({t} i = {t}(1); i <= b; i++)\n\ty += i;"))
}

/// A counter that goes past the end of its type: turns until it is below b again.
fn wrapping_counter(scalar: Scalar) -> Signature {
    let ty = Type::vector(scalar, 1);
    let t = ty.glsl();
    let (last, smallest) = if scalar == Scalar::Int16 { (32767, -32768) } else { (65535, 0) };
    let int = ty.with_scalar(Scalar::Int);
    Signature::elementwise(GROUP, "wrapping_counter", &[(ty, Pool::Below(9))], int, "turns", move |x| {
        let distance = x[0].integer();
        // From last − distance up to the smallest value.
        Some(Accept::exactly(Component::Int(distance as i32 + 1)))
    })
    .types(t.clone())
    .statements(format!(
        "int turns = 0;\n{t} y = {t}({last}) - a;\nwhile (y != {t}({smallest}) && turns < 20) {{\n\ty++;\n\tturns++;\n}}"
    ))
}

fn switch(scalar: Scalar) -> Signature {
    let ty = Type::vector(scalar, 1);
    let t = ty.glsl();
    let int = ty.with_scalar(Scalar::Int);
    Signature::elementwise(GROUP, "switch", &[(ty, Pool::Below(6))], int, "y", move |x| {
        let y = match x[0].integer() {
            0 => 10,
            1 => 6,
            2 | 3 => 5,
            _ => -1,
        };
        Some(Accept::exactly(Component::Int(y)))
    })
    .types(t)
    .statements(
        "int y = 0;\nswitch (int(a)) {\ncase 0:\n\ty = 10;\n\tbreak;\ncase 1:\n\ty = 1;\ncase 2:\ncase 3:\n\ty += 5;\n\tbreak;\ndefault:\n\ty = -1;\n}",
    )
}

/// Both counter and bound are halves.
fn half_counter() -> Signature {
    let arguments = [(HALF, Pool::Moderate), (HALF, Pool::Small)];
    let value = |a: Half, b: Half| {
        let (mut y, mut i) = (a, half(-8.0));
        while ieee::less(i, b) {
            y = ieee::sub(i, y);
            i = ieee::add(i, half(1.5));
        }
        Some(Accept::of(y))
    };
    Signature::elementwise(GROUP, "half_counter", &arguments, HALF, "y", of_two(value)).statements(
        "precise float16_t y = a;\nfor (float16_t i = float16_t(-8.0); i < b; i += float16_t(1.5))\n\ty = i - y;",
    )
}

/// A value written in parts in a loop whose lanes leave at different times: each part is complete
/// only with the others.
fn lane_partial(rows: usize) -> Signature {
    let own = halves(rows).glsl();
    let writes: String = match rows {
        1 => String::from("\tt = w - r;\n"),
        _ => (0..rows).map(|i| format!("\tt[{i}] = w[{i}] - r[{i}];\n")).collect(),
    };
    let code =
        format!("for (int i = 0; i <= lane; i++) {{\n\tprecise {own} t;\n{writes}\tr = t + v;\n}}");
    lanes("lane_partial", Scalar::Half, rows, (Pool::Moderate, Pool::Moderate), &code, |lane| {
        (0..=lane.number).fold(lane.v, |r, _| add(sub(lane.w, r), lane.v))
    })
}
