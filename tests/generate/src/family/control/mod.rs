//! Control flow by floating-point numbers and around them, uniform and not.
//!
//! In the non-uniform tests (`lane_…`) each of four vertices, or of the four pixels of a 2×2 quad,
//! has its own operands: a component of a vector of four or a column of a matrix of four. Each of
//! them is probed, so a result written to the wrong channel shows.

pub mod fp64;
pub mod half;

use crate::number::{add, constant, equal, is_infinite, is_nan, less, mul, neg, sub};
use crate::operation::Signature;
use crate::pool::Pool;
use crate::shared::{exact, first};
use crate::value::{Component, Scalar, Type};

const GROUP: &str = "control";

/// GLSL for a number.
fn literal(scalar: Scalar, digits: &str) -> String {
    format!("{digits}{}", if scalar == Scalar::Double { "lf" } else { "hf" })
}

/// Sums the components up to the first above b; `zero` is GLSL for 0.
pub fn broken_loop(scalar: Scalar, zero: &str) -> Signature {
    component_sum("break", scalar, zero, |parts, b| {
        parts.iter().copied().take_while(|&a| !less(b, a)).collect()
    })
}

/// Sums the components that are not above b; `zero` is GLSL for 0.
pub fn continued_loop(scalar: Scalar, zero: &str) -> Signature {
    component_sum("continue", scalar, zero, |parts, b| {
        parts.iter().copied().filter(|&a| !less(b, a)).collect()
    })
}

/// A loop over components with a jump for those above b; `summed` are the others that count.
fn component_sum(
    jump: &str,
    scalar: Scalar,
    zero: &str,
    summed: fn(&[Component], Component) -> Vec<Component>,
) -> Signature {
    let ty = Type::vector(scalar, 1);
    let arguments = [(Type::vector(scalar, 4), Pool::Any), (ty, Pool::Moderate)];
    Signature::whole(GROUP, jump, &arguments, ty, "y", move |x| {
        let parts = summed(&x[0], x[1][0]);
        Some(vec![exact(parts.into_iter().fold(constant(scalar, 0.0), add))])
    })
    .statements(format!(
        "precise {} y = {zero};\nfor (int i = 0; i < 4; i++) {{\n\tif (a[i] > b)\n\t\t{jump};\n\ty += a[i];\n}}",
        ty.glsl()
    ))
}

/// The right operand of `&&` changes a variable when it is evaluated.
pub fn short_circuit(scalar: Scalar) -> Signature {
    let ty = Type::vector(scalar, 1);
    let [zero, one] = [0.0, 1.0].map(|x| constant(scalar, x));
    Signature::elementwise(
        GROUP,
        "short_circuit",
        &[(ty, Pool::Any), (ty, Pool::Related)],
        ty,
        "y",
        move |x| {
            let (a, b) = (x[0], x[1]);
            let evaluated = less(zero, a);
            let y = if evaluated { add(b, one) } else { b };
            let taken = evaluated && less(y, a);
            Some(exact(if taken { neg(y) } else { y }))
        },
    )
    .statements(format!(
        "precise {} y = b;\nif (a > {} && ++y < a)\n\ty = -y;",
        ty.glsl(),
        literal(scalar, "0.0")
    ))
}

/// `if … else if … else` by classes of values.
pub fn chain(scalar: Scalar) -> Signature {
    let ty = Type::vector(scalar, 1);
    Signature::elementwise(GROUP, "chain", &[(ty, Pool::Any), (ty, Pool::Related)], ty, "y", move |x| {
        let (a, b) = (x[0], x[1]);
        Some(exact(match () {
            () if is_nan(a) => b,
            () if is_infinite(a) => neg(b),
            () if equal(a, b) => constant(scalar, 1.0),
            () if less(a, b) => sub(b, a),
            () => add(a, b),
        }))
    })
    .statements(format!(
        "{} y;\nif (isnan(a))\n\ty = b;\nelse if (isinf(a))\n\ty = -b;\nelse if (a == b)\n\ty = {};\n\
         else if (a < b)\n\ty = b - a;\nelse\n\ty = a + b;",
        ty.glsl(),
        literal(scalar, "1.0")
    ))
}

/// Operands of one lane's result component.
pub struct Lane {
    /// 0 to 3.
    pub number: usize,
    /// This component of the lane's first operand.
    pub v: Component,
    /// This component of its second operand.
    pub w: Component,
    /// The first component of its first operand.
    pub first_v: Component,
    /// The first component of its second operand.
    pub first_w: Component,
}

/// A test in which each lane computes r, of `rows` components, from its own v and w. In `code`,
/// FIRST_V and FIRST_W are placeholders for their first components.
pub fn lanes(
    name: &str,
    scalar: Scalar,
    rows: usize,
    pools: (Pool, Pool),
    code: &str,
    f: impl Fn(Lane) -> Component + 'static,
) -> Signature {
    // Four values: a component each, or a column.
    let ty =
        if rows == 1 { Type::vector(scalar, 4) } else { Type::matrix(4, rows).with_scalar(scalar) };
    let own = Type::vector(scalar, rows);
    let pick = |name: &str| {
        format!("lane == 0 ? {name}[0] : lane == 1 ? {name}[1] : lane == 2 ? {name}[2] : {name}[3]")
    };
    let (globals, others) = other_lanes(ty);
    let statements = format!(
        "{t} v = {};\n{t} w = {};\nprecise {t} r = v;\n{}\n{} y = {others};\n\
         if (lane == 0)\n\ty[0] = r;\nelse if (lane == 1)\n\ty[1] = r;\nelse if (lane == 2)\n\ty[2] = r;\nelse\n\ty[3] = r;",
        pick("a"),
        pick("b"),
        code.replace("FIRST_V", &first(own, "v")).replace("FIRST_W", &first(own, "w")),
        ty.glsl(),
        t = own.glsl(),
    );
    Signature::whole(GROUP, name, &[(ty, pools.0), (ty, pools.1)], ty, "y", move |x| {
        let component = |i: usize| {
            let (number, start) = (i / rows, i / rows * rows);
            let (first_v, first_w) = (x[0][start], x[1][start]);
            exact(f(Lane { number, v: x[0][i], w: x[1][i], first_v, first_w }))
        };
        Some((0..4 * rows).map(component).collect())
    })
    .types(own.glsl())
    .globals(globals)
    .statements(statements)
    .lanes()
}

/// Declarations, and an expression for the elements of the other lanes: the expected values,
/// because only a lane's own element is computed. Halves are expected by their bits.
fn other_lanes(ty: Type) -> (String, String) {
    if ty.expected() == ty {
        return (String::new(), "low".to_string());
    }
    let parts: Vec<String> = (0..ty.components())
        .map(|i| format!("unpackFloat2x16({}).x", ty.component("low", i)))
        .collect();
    let function =
        format!("{0} expected()\n{{\n\treturn {0}({1});\n}}\n\n", ty.glsl(), parts.join(", "));
    (function, "expected()".to_string())
}

/// Lanes go either way by their values.
pub fn lane_branch(scalar: Scalar, rows: usize) -> Signature {
    let code = "if (FIRST_V > FIRST_W)\n\tr = v - w;\nelse\n\tr = v * w;";
    lanes("lane_if", scalar, rows, (Pool::Any, Pool::Related), code, |lane| {
        if less(lane.first_w, lane.first_v) { sub(lane.v, lane.w) } else { mul(lane.v, lane.w) }
    })
}

/// One lane of four takes another way: three red and one green vertex.
pub fn single_lane(scalar: Scalar, rows: usize, number: usize) -> Signature {
    let code = format!("if (lane == {number})\n\tr = v + w;\nelse\n\tr = -w;");
    lanes(&format!("lane_{number}"), scalar, rows, (Pool::Any, Pool::Any), &code, move |lane| {
        if lane.number == number { add(lane.v, lane.w) } else { neg(lane.w) }
    })
}

/// A loop with the lane's number of turns.
pub fn lane_loop(scalar: Scalar, rows: usize) -> Signature {
    let code = "for (int i = 0; i <= lane; i++)\n\tr = w - r;";
    lanes("lane_loop", scalar, rows, (Pool::Any, Pool::Related), code, |lane| {
        (0..=lane.number).fold(lane.v, |r, _| sub(lane.w, r))
    })
}

/// Lanes leave a loop at different turns, by their values.
pub fn lane_break(scalar: Scalar, rows: usize) -> Signature {
    let [half, one, two] = ["0.5", "1.0", "2.0"].map(|digits| literal(scalar, digits));
    let code = format!(
        "{} t = FIRST_W;\nfor (int i = 0; i < 6; i++) {{\n\tif (t > {two})\n\t\tbreak;\n\tt += {one};\n\tr = r * {half};\n}}",
        Type::vector(scalar, 1).glsl()
    );
    let [half, one, two] = [0.5, 1.0, 2.0].map(|x| constant(scalar, x));
    lanes("lane_break", scalar, rows, (Pool::Moderate, Pool::Small), &code, move |lane| {
        let (mut r, mut t) = (lane.v, lane.first_w);
        for _ in 0..6 {
            if less(two, t) {
                break;
            }
            t = add(t, one);
            r = mul(r, half);
        }
        r
    })
}
