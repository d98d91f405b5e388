//! Control flow by doubles and around doubles, uniform and not.
//!
//! The non-uniform tests (`lane_…`) give each of four vertices, or of the four pixels of a 2×2 quad, its own operands: a component
//! of a `dvec4` or a column of a matrix of four. Every one of them is looked at, so that a result written to the wrong channel shows.

use super::of_two;
use crate::ieee;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::value::{Accept, Component, DOUBLE, Scalar, Type, VECTORS, dvec};

const GROUP: &str = "control";

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for ty in VECTORS {
        list.push(branch(ty));
        list.push(counted_loop(ty));
        list.push(integer_loop(ty));
        list.push(switch(ty));
    }
    list.extend([
        halving(),
        halving_count(),
        broken_loop(),
        continued_loop(),
        short_circuit(),
        nested_loops(),
        chain(),
    ]);
    for rows in 1..=4 {
        list.push(lane_branch(rows));
        list.push(lane_merge(rows));
        list.push(lane_loop(rows));
        list.push(lane_break(rows));
        list.push(lane_nested(rows));
        list.push(lane_function(rows));
        list.extend((0..4).map(|lane| single_lane(rows, lane)));
    }
    list
}

fn first(ty: Type, name: &str) -> String {
    if ty == DOUBLE { name.to_string() } else { format!("{name}.x") }
}

/// `if (a.x > b.x)`: a difference or a sum.
fn branch(ty: Type) -> Signature {
    let condition = format!("{} > {}", first(ty, "a"), first(ty, "b"));
    Signature::whole(GROUP, "if", &[(ty, Pool::Any), (ty, Pool::Related)], ty, "y", |x| {
        let greater = ieee::less(x[1][0].double(), x[0][0].double());
        let value = |a: f64, b: f64| if greater { ieee::sub(a, b) } else { ieee::add(b, a) };
        Some(x[0].iter().zip(&x[1]).map(|(a, b)| Accept::double(value(a.double(), b.double()))).collect())
    })
    .statements(format!("{} y;\nif ({condition})\n\ty = a - b;\nelse\n\ty = b + a;", ty.glsl()))
}

/// Adds a while a double counts up to b.
fn counted_loop(ty: Type) -> Signature {
    Signature::whole(GROUP, "loop", &[(ty, Pool::Any), (DOUBLE, Pool::Small)], ty, "y", |x| {
        let turns = x[1][0].double();
        let sum = |a: &Component| {
            let mut y = a.double();
            for i in 0..8 {
                if ieee::less(f64::from(i), turns) {
                    y = ieee::add(y, a.double());
                }
            }
            Accept::double(y)
        };
        Some(x[0].iter().map(sum).collect())
    })
    .statements(format!("precise {} y = a;\nfor (double i = 0.0lf; i < b; i += 1.0lf)\n\ty += a;", ty.glsl()))
}

/// Multiplies by b as often as an integer says.
fn integer_loop(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Moderate), (Type::vector(Scalar::Int, 1), Pool::Below(7))];
    Signature::whole(GROUP, "loop_integer", &arguments, ty, "y", |x| {
        let power = |a: &Component, b: &Component| {
            let turns = x[2][0].integer();
            Accept::double((0..turns).fold(a.double(), |y, _| ieee::mul(y, b.double())))
        };
        Some(x[0].iter().zip(&x[1]).map(|(a, b)| power(a, b)).collect())
    })
    .statements(format!(
        "precise {} y = a;\nint i = 0;\ndo {{\n\tif (i == c)\n\t\tbreak;\n\ty *= b;\n\ti++;\n}} while (true);",
        ty.glsl()
    ))
}

/// `switch` over sum, difference, product and fall-through.
fn switch(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Any), (Type::vector(Scalar::Int, 1), Pool::Below(5))];
    Signature::whole(GROUP, "switch", &arguments, ty, "y", |x| {
        let value = |a: f64, b: f64| match x[2][0].integer() {
            0 => ieee::add(a, b),
            1 => ieee::sub(a, b),
            2 => ieee::neg(ieee::mul(a, b)),
            3 => ieee::neg(a),
            _ => b,
        };
        Some(x[0].iter().zip(&x[1]).map(|(a, b)| Accept::double(value(a.double(), b.double()))).collect())
    })
    .statements(format!(
        "precise {} y = a;\nswitch (c) {{\ncase 0:\n\ty += b;\n\tbreak;\ncase 1:\n\ty -= b;\n\tbreak;\n\
         case 2:\n\ty *= b;\ncase 3:\n\ty = -y;\n\tbreak;\ndefault:\n\ty = b;\n}}",
        ty.glsl()
    ))
}

/// Halvings until at most b or 40, and their number.
fn halved(a: f64, b: f64) -> (f64, i32) {
    let (mut y, mut n) = (a, 0);
    while ieee::less(b, y) && n < 40 {
        y = ieee::mul(y, 0.5);
        n += 1;
    }
    (y, n)
}

const HALVING: &str =
    "precise double y = a;\nint n = 0;\nwhile (y > b && n < 40) {\n\ty *= 0.5lf;\n\tn++;\n}";

fn halving() -> Signature {
    let arguments = [(DOUBLE, Pool::Any), (DOUBLE, Pool::Moderate)];
    let value = of_two(|a, b| Some(Accept::double(halved(a, b).0)));
    Signature::elementwise(GROUP, "while", &arguments, DOUBLE, "y", value).statements(HALVING)
}

fn halving_count() -> Signature {
    let arguments = [(DOUBLE, Pool::Any), (DOUBLE, Pool::Moderate)];
    let value = of_two(|a, b| Some(Accept::exactly(Component::Int(halved(a, b).1))));
    let int = Type::vector(Scalar::Int, 1);
    Signature::elementwise(GROUP, "while_count", &arguments, int, "n", value).statements(HALVING)
}

/// Sums the components up to the first above b.
fn broken_loop() -> Signature {
    let arguments = [(dvec(4), Pool::Any), (DOUBLE, Pool::Moderate)];
    Signature::whole(GROUP, "break", &arguments, DOUBLE, "y", |x| {
        let parts = x[0].iter().map(|a| a.double()).take_while(|&a| !ieee::less(x[1][0].double(), a));
        Some(vec![Accept::double(parts.fold(0.0, ieee::add))])
    })
    .statements(
        "precise double y = 0.0lf;\nfor (int i = 0; i < 4; i++) {\n\tif (a[i] > b)\n\t\tbreak;\n\ty += a[i];\n}",
    )
}

/// Sums the components that are not above b.
fn continued_loop() -> Signature {
    let arguments = [(dvec(4), Pool::Any), (DOUBLE, Pool::Moderate)];
    Signature::whole(GROUP, "continue", &arguments, DOUBLE, "y", |x| {
        let parts = x[0].iter().map(|a| a.double()).filter(|&a| !ieee::less(x[1][0].double(), a));
        Some(vec![Accept::double(parts.fold(0.0, ieee::add))])
    })
    .statements(
        "precise double y = 0.0lf;\nfor (int i = 0; i < 4; i++) {\n\tif (a[i] > b)\n\t\tcontinue;\n\ty += a[i];\n}",
    )
}

/// The right operand of `&&` changes a variable when it is evaluated.
fn short_circuit() -> Signature {
    let arguments = [(DOUBLE, Pool::Any), (DOUBLE, Pool::Related)];
    let value = |a: f64, b: f64| {
        let evaluated = ieee::less(0.0, a);
        let y = if evaluated { ieee::add(b, 1.0) } else { b };
        let taken = evaluated && ieee::less(y, a);
        Some(Accept::double(if taken { ieee::neg(y) } else { y }))
    };
    Signature::elementwise(GROUP, "short_circuit", &arguments, DOUBLE, "y", of_two(value))
        .statements("precise double y = b;\nif (a > 0.0lf && ++y < a)\n\ty = -y;")
}

/// Σᵢ Σⱼ a·j with both counters doubles and the outer one bounding the inner one.
fn nested_loops() -> Signature {
    let arguments = [(DOUBLE, Pool::Moderate), (DOUBLE, Pool::Small)];
    let value = |a: f64, b: f64| {
        let mut y = 0.0;
        for i in 0..8 {
            for _ in 0..=i {
                if ieee::less(f64::from(i), b) {
                    y = ieee::sub(a, y);
                }
            }
        }
        Some(Accept::double(y))
    };
    Signature::elementwise(GROUP, "nested_loops", &arguments, DOUBLE, "y", of_two(value)).statements(
        "precise double y = 0.0lf;\nfor (double i = 0.0lf; i < b; i++)\n\tfor (double j = i; j >= 0.0lf; j--)\n\t\ty = a - y;",
    )
}

/// `if … else if … else` by classes of values.
fn chain() -> Signature {
    let arguments = [(DOUBLE, Pool::Any), (DOUBLE, Pool::Related)];
    let value = |a: f64, b: f64| {
        Some(Accept::double(match () {
            () if a.is_nan() => b,
            () if a.is_infinite() => ieee::neg(b),
            () if ieee::equal(a, b) => 1.0,
            () if ieee::less(a, b) => ieee::sub(b, a),
            () => ieee::add(a, b),
        }))
    };
    Signature::elementwise(GROUP, "chain", &arguments, DOUBLE, "y", of_two(value)).statements(
        "double y;\nif (isnan(a))\n\ty = b;\nelse if (isinf(a))\n\ty = -b;\nelse if (a == b)\n\ty = 1.0lf;\n\
         else if (a < b)\n\ty = b - a;\nelse\n\ty = a + b;",
    )
}

/// Four values of `rows` doubles: a component each, or a column.
fn lanes_type(rows: usize) -> Type {
    if rows == 1 { dvec(4) } else { Type::matrix(4, rows) }
}

/// A test in which each lane computes from its own v and w; `f(lane, v, w, first v, first w)` for each component.
fn lanes(
    name: &str,
    rows: usize,
    pools: (Pool, Pool),
    code: &str,
    f: impl Fn(usize, f64, f64, f64, f64) -> f64 + 'static,
) -> Signature {
    let ty = lanes_type(rows);
    let own = dvec(rows).glsl();
    let pick = |name: &str| {
        format!("lane == 0 ? {name}[0] : lane == 1 ? {name}[1] : lane == 2 ? {name}[2] : {name}[3]")
    };
    let statements = format!(
        "{own} v = {};\n{own} w = {};\nprecise {own} r = v;\n{}\n{} y = low;\n\
         if (lane == 0)\n\ty[0] = r;\nelse if (lane == 1)\n\ty[1] = r;\nelse if (lane == 2)\n\ty[2] = r;\nelse\n\ty[3] = r;",
        pick("a"),
        pick("b"),
        code.replace("FIRST_V", &first(dvec(rows), "v")).replace("FIRST_W", &first(dvec(rows), "w")),
        ty.glsl(),
    );
    Signature::whole(GROUP, name, &[(ty, pools.0), (ty, pools.1)], ty, "y", move |x| {
        let component = |i: usize| {
            let lane = i / rows;
            let [v, w, first_v, first_w] =
                [&x[0][i], &x[1][i], &x[0][lane * rows], &x[1][lane * rows]].map(|x| x.double());
            Accept::double(f(lane, v, w, first_v, first_w))
        };
        Some((0..4 * rows).map(component).collect())
    })
    .types(own)
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

/// One lane of four takes another way: three red and one green vertex.
fn single_lane(rows: usize, lane: usize) -> Signature {
    let code = format!("if (lane == {lane})\n\tr = v + w;\nelse\n\tr = -w;");
    lanes(&format!("lane_{lane}"), rows, (Pool::Any, Pool::Any), &code, move |own, v, w, _, _| {
        if own == lane { ieee::add(v, w) } else { ieee::neg(w) }
    })
}

/// A value that some lanes change is used by all afterwards.
fn lane_merge(rows: usize) -> Signature {
    let code = "if (FIRST_V < 1.0lf)\n\tr += w;\nr = r - w;";
    lanes("lane_merge", rows, (Pool::Any, Pool::Related), code, |_, v, w, first_v, _| {
        let r = if ieee::less(first_v, 1.0) { ieee::add(v, w) } else { v };
        ieee::sub(r, w)
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
    let code = "double t = FIRST_W;\nfor (int i = 0; i < 6; i++) {\n\tif (t > 2.0lf)\n\t\tbreak;\n\tt += 1.0lf;\n\tr = r * 0.5lf;\n}";
    lanes("lane_break", rows, (Pool::Moderate, Pool::Small), code, |_, v, _, _, first_w| {
        let (mut r, mut t) = (v, first_w);
        for _ in 0..6 {
            if ieee::less(2.0, t) {
                break;
            }
            t = ieee::add(t, 1.0);
            r = ieee::mul(r, 0.5);
        }
        r
    })
}

/// A branch by values inside a branch by lanes.
fn lane_nested(rows: usize) -> Signature {
    let code = "if (lane >= 1) {\n\tif (FIRST_V < FIRST_W)\n\t\tr = w - v;\n\telse if (lane == 2)\n\t\tr = -v;\n\tr += w;\n} else {\n\tr = v * w;\n}";
    lanes("lane_nested", rows, (Pool::Any, Pool::Related), code, |lane, v, w, first_v, first_w| {
        if lane == 0 {
            return ieee::mul(v, w);
        }
        let r = match () {
            () if ieee::less(first_v, first_w) => ieee::sub(w, v),
            () if lane == 2 => ieee::neg(v),
            () => v,
        };
        ieee::add(r, w)
    })
}

/// Lanes return early from a function.
fn lane_function(rows: usize) -> Signature {
    let own = dvec(rows).glsl();
    let condition = format!("{} >= 0.0lf", first(dvec(rows), "v"));
    let globals = format!(
        "{own} f({own} v, {own} w)\n{{\n\tif ({condition})\n\t\treturn v + w;\n\tv = w - v;\n\treturn v;\n}}\n\n"
    );
    lanes("lane_return", rows, (Pool::Any, Pool::Related), "r = f(v, w);", |_, v, w, first_v, _| {
        let above = ieee::less(0.0, first_v) || ieee::equal(0.0, first_v);
        if above { ieee::add(v, w) } else { ieee::sub(w, v) }
    })
    .globals(globals)
}
