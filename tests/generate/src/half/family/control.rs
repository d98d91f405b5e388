//! Control flow on 16-bit values: branches, loops with 16-bit counters, and four vertices or pixels that go different ways.

use super::{HALF, halves, matrix_of, of_two, vectors};
use crate::half::float16::Half;
use crate::half::ieee;
use crate::half::pool::wrapped;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::value::{Accept, Component, Scalar, Type};

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
    list.push(broken_loop());
    list.push(continued_loop());
    list.push(short_circuit());
    list.push(chain());
    for rows in [1, 2, 3] {
        list.push(lane_branch(rows));
        list.extend([0, 3].map(|lane| single_lane(rows, lane)));
        list.push(lane_loop(rows));
        list.push(lane_break(rows));
        list.push(lane_partial(rows));
    }
    list
}

fn half(x: f64) -> Half {
    Half::from_double(x)
}

fn first(ty: Type, name: &str) -> String {
    if ty.components() == 1 { name.to_string() } else { format!("{name}.x") }
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
            Accept::half(if less { ieee::add(a, b) } else { ieee::sub(a, b) })
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
        let above = ieee::less(Half::ONE, x[0][0].half());
        let value = |(a, b): (&Component, &Component)| {
            let (a, b) = (a.half(), b.half());
            Accept::half(ieee::add(if above { ieee::mul(a, b) } else { a }, b))
        };
        Some(x[0].iter().zip(&x[1]).map(value).collect())
    })
    .types(ty.glsl())
    .statements(statements)
}

/// y = a · y + b, each rounded, as often as an integer says.
fn counted_loop(ty: Type) -> Signature {
    let int = Type::vector(Scalar::Int, 1);
    let arguments = [(ty, Pool::Unit), (ty, Pool::Moderate), (int, Pool::Below(7))];
    Signature::elementwise(GROUP, "loop", &arguments, ty, "y", |x| {
        let (a, b) = (x[0].half(), x[1].half());
        let turn = |y: Half, _| ieee::add(ieee::mul(a, y), b);
        Some(Accept::half((0..x[2].integer()).fold(b, turn)))
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
        Some(Accept::half(y))
    };
    Signature::elementwise(GROUP, "half_counter", &arguments, HALF, "y", of_two(value)).statements(
        "precise float16_t y = a;\nfor (float16_t i = float16_t(-8.0); i < b; i += float16_t(1.5))\n\ty = i - y;",
    )
}

/// Sums the components up to the first above b.
fn broken_loop() -> Signature {
    let arguments = [(halves(4), Pool::Any), (HALF, Pool::Moderate)];
    Signature::whole(GROUP, "break", &arguments, HALF, "y", |x| {
        let parts = x[0].iter().map(|a| a.half()).take_while(|&a| !ieee::less(x[1][0].half(), a));
        Some(vec![Accept::half(parts.fold(Half::ZERO, ieee::add))])
    })
    .statements(
        "precise float16_t y = float16_t(0.0);\nfor (int i = 0; i < 4; i++) {\n\tif (a[i] > b)\n\t\tbreak;\n\ty += a[i];\n}",
    )
}

/// Sums the components that are not above b.
fn continued_loop() -> Signature {
    let arguments = [(halves(4), Pool::Any), (HALF, Pool::Moderate)];
    Signature::whole(GROUP, "continue", &arguments, HALF, "y", |x| {
        let parts = x[0].iter().map(|a| a.half()).filter(|&a| !ieee::less(x[1][0].half(), a));
        Some(vec![Accept::half(parts.fold(Half::ZERO, ieee::add))])
    })
    .statements(
        "precise float16_t y = float16_t(0.0);\nfor (int i = 0; i < 4; i++) {\n\tif (a[i] > b)\n\t\tcontinue;\n\ty += a[i];\n}",
    )
}

/// The right operand of `&&` changes a variable when it is evaluated.
fn short_circuit() -> Signature {
    let arguments = [(HALF, Pool::Any), (HALF, Pool::Related)];
    let value = |a: Half, b: Half| {
        let evaluated = ieee::less(Half::ZERO, a);
        let y = if evaluated { ieee::add(b, Half::ONE) } else { b };
        let taken = evaluated && ieee::less(y, a);
        Some(Accept::half(if taken { y.negated() } else { y }))
    };
    Signature::elementwise(GROUP, "short_circuit", &arguments, HALF, "y", of_two(value))
        .statements("precise float16_t y = b;\nif (a > 0.0hf && ++y < a)\n\ty = -y;")
}

/// `if … else if … else` by classes of values.
fn chain() -> Signature {
    let arguments = [(HALF, Pool::Any), (HALF, Pool::Related)];
    let value = |a: Half, b: Half| {
        Some(Accept::half(match () {
            () if a.is_nan() => b,
            () if a.is_infinite() => b.negated(),
            () if ieee::equal(a, b) => Half::ONE,
            () if ieee::less(a, b) => ieee::sub(b, a),
            () => ieee::add(a, b),
        }))
    };
    Signature::elementwise(GROUP, "chain", &arguments, HALF, "y", of_two(value)).statements(
        "float16_t y;\nif (isnan(a))\n\ty = b;\nelse if (isinf(a))\n\ty = -b;\nelse if (a == b)\n\ty = 1.0hf;\n\
         else if (a < b)\n\ty = b - a;\nelse\n\ty = a + b;",
    )
}

/// Four values of `rows` halves: a component each, or a column.
fn lanes_type(rows: usize) -> Type {
    if rows == 1 { halves(4) } else { matrix_of(4, rows) }
}

/// A test in which each lane computes r from its own v and w; `f(lane, v, w, first v, first w)` for each component.
fn lanes(
    name: &str,
    rows: usize,
    pools: (Pool, Pool),
    code: &str,
    f: impl Fn(usize, Half, Half, Half, Half) -> Half + 'static,
) -> Signature {
    let ty = lanes_type(rows);
    let own = halves(rows).glsl();
    let pick = |name: &str| {
        format!("lane == 0 ? {name}[0] : lane == 1 ? {name}[1] : lane == 2 ? {name}[2] : {name}[3]")
    };
    // What other lanes have is read from the operand: an element is theirs only after they computed it.
    let statements = format!(
        "{own} v = {};\n{own} w = {};\nprecise {own} r = v;\n{}\n{} y = expected();\n\
         if (lane == 0)\n\ty[0] = r;\nelse if (lane == 1)\n\ty[1] = r;\nelse if (lane == 2)\n\ty[2] = r;\nelse\n\ty[3] = r;",
        pick("a"),
        pick("b"),
        code.replace("FIRST_V", &first(halves(rows), "v")).replace("FIRST_W", &first(halves(rows), "w")),
        ty.glsl(),
    );
    let columns = if rows == 1 { 1 } else { 4 };
    let parts: Vec<String> = (0..4 * rows)
        .map(|i| {
            let place = if columns == 1 { format!("[{i}]") } else { format!("[{}][{}]", i / rows, i % rows) };
            format!("unpackFloat2x16(low{place}).x")
        })
        .collect();
    let globals = format!("{0} expected()\n{{\n\treturn {0}({1});\n}}\n\n", ty.glsl(), parts.join(", "));
    Signature::whole(GROUP, name, &[(ty, pools.0), (ty, pools.1)], ty, "y", move |x| {
        let component = |i: usize| {
            let lane = i / rows;
            let [v, w, first_v, first_w] =
                [&x[0][i], &x[1][i], &x[0][lane * rows], &x[1][lane * rows]].map(|x| x.half());
            Accept::half(f(lane, v, w, first_v, first_w))
        };
        Some((0..4 * rows).map(component).collect())
    })
    .types(own)
    .globals(globals)
    .statements(statements)
    .lanes()
}

/// Lanes go either way by their values.
fn lane_branch(rows: usize) -> Signature {
    let code = "if (FIRST_V > FIRST_W)\n\tr = v - w;\nelse\n\tr = v * w;";
    lanes("lane_if", rows, (Pool::Any, Pool::Related), code, |_, v, w, first_v, first_w| {
        if ieee::less(first_w, first_v) { ieee::sub(v, w) } else { ieee::mul(v, w) }
    })
}

/// One lane of four takes another way.
fn single_lane(rows: usize, lane: usize) -> Signature {
    let code = format!("if (lane == {lane})\n\tr = v + w;\nelse\n\tr = -w;");
    lanes(&format!("lane_{lane}"), rows, (Pool::Any, Pool::Any), &code, move |own, v, w, _, _| {
        if own == lane { ieee::add(v, w) } else { w.negated() }
    })
}

/// As many turns as the lane's number says.
fn lane_loop(rows: usize) -> Signature {
    let code = "for (int i = 0; i <= lane; i++)\n\tr = w - r;";
    lanes("lane_loop", rows, (Pool::Any, Pool::Related), code, |lane, v, w, _, _| {
        (0..=lane).fold(v, |r, _| ieee::sub(w, r))
    })
}

/// Lanes leave a loop when their value says so.
fn lane_break(rows: usize) -> Signature {
    let code = "float16_t t = FIRST_W;\nfor (int i = 0; i < 6; i++) {\n\tif (t > 2.0hf)\n\t\tbreak;\n\tt += 1.0hf;\n\tr = r * 0.5hf;\n}";
    lanes("lane_break", rows, (Pool::Moderate, Pool::Small), code, |_, v, _, _, first_w| {
        let (mut r, mut t) = (v, first_w);
        for _ in 0..6 {
            if ieee::less(half(2.0), t) {
                break;
            }
            t = ieee::add(t, Half::ONE);
            r = ieee::mul(r, half(0.5));
        }
        r
    })
}

/// A value written in parts in a loop whose lanes leave at different times: each part is complete only with the others.
fn lane_partial(rows: usize) -> Signature {
    let own = halves(rows).glsl();
    let writes: String = match rows {
        1 => String::from("\tt = w - r;\n"),
        _ => (0..rows).map(|i| format!("\tt[{i}] = w[{i}] - r[{i}];\n")).collect(),
    };
    let code = format!("for (int i = 0; i <= lane; i++) {{\n\tprecise {own} t;\n{writes}\tr = t + v;\n}}");
    lanes("lane_partial", rows, (Pool::Moderate, Pool::Moderate), &code, |lane, v, w, _, _| {
        (0..=lane).fold(v, |r, _| ieee::add(ieee::sub(w, r), v))
    })
}
