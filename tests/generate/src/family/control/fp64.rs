//! Control flow by doubles and around doubles, uniform and not.

use super::{
    Lane, broken_loop, chain, continued_loop, lane_branch, lane_break, lane_loop, lanes,
    short_circuit, single_lane,
};
use crate::accept::Accept;
use crate::format::Format;
use crate::ieee;
use crate::number::{add, less, mul, neg, sub};
use crate::operation::Signature;
use crate::pool::Pool;
use crate::shared::first;
use crate::shared::of_two;
use crate::value::{Component, DOUBLE, Scalar, Type, VECTORS, dvec};

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
        broken_loop(Scalar::Double, "0.0lf"),
        continued_loop(Scalar::Double, "0.0lf"),
        short_circuit(Scalar::Double),
        nested_loops(),
        chain(Scalar::Double),
    ]);
    for rows in 1..=4 {
        list.push(lane_branch(Scalar::Double, rows));
        list.push(lane_merge(rows));
        list.push(lane_loop(Scalar::Double, rows));
        list.push(lane_break(Scalar::Double, rows));
        list.push(lane_nested(rows));
        list.push(lane_function(rows));
        list.extend((0..4).map(|lane| single_lane(Scalar::Double, rows, lane)));
    }
    list
}

/// `if (a.x > b.x)`: a difference or a sum.
fn branch(ty: Type) -> Signature {
    let condition = format!("{} > {}", first(ty, "a"), first(ty, "b"));
    Signature::whole(GROUP, "if", &[(ty, Pool::Any), (ty, Pool::Related)], ty, "y", |x| {
        let greater = ieee::less(x[1][0].double(), x[0][0].double());
        let value = |a: f64, b: f64| if greater { ieee::sub(a, b) } else { ieee::add(b, a) };
        Some(
            x[0].iter()
                .zip(&x[1])
                .map(|(a, b)| Accept::of(value(a.double(), b.double())))
                .collect(),
        )
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
            Accept::of(y)
        };
        Some(x[0].iter().map(sum).collect())
    })
    .statements(format!(
        "precise {} y = a;\nfor (double i = 0.0lf; i < b; i += 1.0lf)\n\ty += a;",
        ty.glsl()
    ))
}

/// Multiplies by b; an integer operand is the number of turns.
fn integer_loop(ty: Type) -> Signature {
    let arguments =
        [(ty, Pool::Any), (ty, Pool::Moderate), (Type::vector(Scalar::Int, 1), Pool::Below(7))];
    Signature::whole(GROUP, "loop_integer", &arguments, ty, "y", |x| {
        let power = |a: &Component, b: &Component| {
            let turns = x[2][0].integer();
            Accept::of((0..turns).fold(a.double(), |y, _| ieee::mul(y, b.double())))
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
    let arguments =
        [(ty, Pool::Any), (ty, Pool::Any), (Type::vector(Scalar::Int, 1), Pool::Below(5))];
    Signature::whole(GROUP, "switch", &arguments, ty, "y", |x| {
        let value = |a: f64, b: f64| match x[2][0].integer() {
            0 => ieee::add(a, b),
            1 => ieee::sub(a, b),
            2 => (ieee::mul(a, b)).negated(),
            3 => a.negated(),
            _ => b,
        };
        Some(x[0].iter().zip(&x[1]).map(|(a, b)| Accept::of(value(a.double(), b.double()))).collect())
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
    let value = of_two(|a, b| Some(Accept::of(halved(a, b).0)));
    Signature::elementwise(GROUP, "while", &arguments, DOUBLE, "y", value).statements(HALVING)
}

fn halving_count() -> Signature {
    let arguments = [(DOUBLE, Pool::Any), (DOUBLE, Pool::Moderate)];
    let value = of_two(|a, b| Some(Accept::exactly(Component::Int(halved(a, b).1))));
    let int = Type::vector(Scalar::Int, 1);
    Signature::elementwise(GROUP, "while_count", &arguments, int, "n", value).statements(HALVING)
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
        Some(Accept::of(y))
    };
    Signature::elementwise(GROUP, "nested_loops", &arguments, DOUBLE, "y", of_two(value)).statements(
        "precise double y = 0.0lf;\nfor (double i = 0.0lf; i < b; i++)\n\tfor (double j = i; j >= 0.0lf; j--)\n\t\ty = a - y;",
    )
}

/// A value that some lanes change is used by all afterwards.
fn lane_merge(rows: usize) -> Signature {
    let code = "if (FIRST_V < 1.0lf)\n\tr += w;\nr = r - w;";
    lanes(
        "lane_merge",
        Scalar::Double,
        rows,
        (Pool::Any, Pool::Related),
        code,
        |Lane { v, w, first_v, .. }| {
            let r = if ieee::less(first_v.double(), 1.0) { add(v, w) } else { v };
            sub(r, w)
        },
    )
}

/// A branch by values inside a branch by lanes.
fn lane_nested(rows: usize) -> Signature {
    let code = "if (lane >= 1) {\n\tif (FIRST_V < FIRST_W)\n\t\tr = w - v;\n\telse if (lane == 2)\n\t\tr = -v;\n\tr += w;\n} else {\n\tr = v * w;\n}";
    lanes("lane_nested", Scalar::Double, rows, (Pool::Any, Pool::Related), code, |lane| {
        let Lane { number, v, w, first_v, first_w } = lane;
        if number == 0 {
            return mul(v, w);
        }
        let r = match () {
            () if less(first_v, first_w) => sub(w, v),
            () if number == 2 => neg(v),
            () => v,
        };
        add(r, w)
    })
}

/// Lanes return early from a function.
fn lane_function(rows: usize) -> Signature {
    let own = dvec(rows).glsl();
    let condition = format!("{} >= 0.0lf", first(dvec(rows), "v"));
    let globals = format!(
        "{own} f({own} v, {own} w)\n{{\n\tif ({condition})\n\t\treturn v + w;\n\tv = w - v;\n\treturn v;\n}}\n\n"
    );
    lanes("lane_return", Scalar::Double, rows, (Pool::Any, Pool::Related), "r = f(v, w);", |lane| {
        let above = !less(lane.first_v, Component::Double(0.0)) && !lane.first_v.double().is_nan();
        if above { add(lane.v, lane.w) } else { sub(lane.w, lane.v) }
    })
    .globals(globals)
}
