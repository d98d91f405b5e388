//! Operators and built-in functions of `int16_t` and `uint16_t`.
//!
//! Sums and differences wrap. GLSL leaves undefined: products and quotients that overflow,
//! divisions by 0, remainders of negative operands, shifts by 16 and more.

use crate::accept::Accept;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::shared::vectors;
use crate::value::{Component, Scalar, Type};
use crate::value::{integer, wrapped};

const GROUP: &str = "integer";

const SCALARS: [Scalar; 2] = [Scalar::Int16, Scalar::Uint16];

type Evaluate = fn(i64, i64, Scalar) -> Option<i64>;

struct Operator {
    name: &'static str,
    symbol: &'static str,
    left: Pool,
    right: Pool,
    /// Result before it is wrapped to 16 bits.
    evaluate: Evaluate,
}

/// The number, if it fits the type.
fn fitting(n: i64, scalar: Scalar) -> Option<i64> {
    integer(scalar, n).map(|_| n)
}

const OPERATORS: [Operator; 10] = [
    Operator {
        name: "add",
        symbol: "+",
        left: Pool::Any,
        right: Pool::Related,
        evaluate: |a, b, _| Some(a + b),
    },
    Operator {
        name: "sub",
        symbol: "-",
        left: Pool::Any,
        right: Pool::Related,
        evaluate: |a, b, _| Some(a - b),
    },
    Operator {
        name: "mul",
        symbol: "*",
        left: Pool::Any,
        right: Pool::Small,
        evaluate: |a, b, scalar| fitting(a * b, scalar),
    },
    Operator {
        name: "div",
        symbol: "/",
        left: Pool::Any,
        right: Pool::Any,
        evaluate: |a, b, scalar| if b == 0 { None } else { fitting(a / b, scalar) },
    },
    Operator {
        name: "mod",
        symbol: "%",
        left: Pool::Any,
        right: Pool::Any,
        evaluate: |a, b, _| (a >= 0 && b > 0).then(|| a % b),
    },
    Operator {
        name: "and",
        symbol: "&",
        left: Pool::Any,
        right: Pool::Any,
        evaluate: |a, b, _| Some(a & b),
    },
    Operator {
        name: "or",
        symbol: "|",
        left: Pool::Any,
        right: Pool::Any,
        evaluate: |a, b, _| Some(a | b),
    },
    Operator {
        name: "xor",
        symbol: "^",
        left: Pool::Any,
        right: Pool::Related,
        evaluate: |a, b, _| Some(a ^ b),
    },
    Operator {
        name: "shift_left",
        symbol: "<<",
        left: Pool::Any,
        right: Pool::Below(16),
        evaluate: |a, b, _| Some(a << b),
    },
    Operator {
        name: "shift_right",
        symbol: ">>",
        left: Pool::Any,
        right: Pool::Below(16),
        evaluate: |a, b, _| Some(a >> b),
    },
];

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for scalar in SCALARS {
        let [one, two, three, four] = vectors(scalar);
        for operator in &OPERATORS {
            list.extend([one, two, four].map(|ty| binary(operator, ty, ty)));
            list.push(binary(operator, three, one));
            list.push(assignment(operator, three, three));
        }
        for operator in &OPERATORS[8..] {
            let other = if scalar == Scalar::Int16 { Scalar::Uint16 } else { Scalar::Int16 };
            list.push(binary(operator, two, two.with_scalar(other)));
        }
        for operator in &OPERATORS[..3] {
            list.push(scalar_first(operator, two));
        }
        for ty in [one, two, three, four] {
            list.push(unary("neg", "-a", ty, |a| -a));
            list.push(unary("not", "~a", ty, |a| !a));
            list.extend(steps(ty));
            list.extend(extremes(ty));
            list.push(blend(ty));
        }
        list.push(product_sum(four));
    }
    for ty in vectors(Scalar::Int16) {
        // |−32768| does not fit and wraps.
        list.push(unary("abs", "abs(a)", ty, i64::abs));
        list.push(unary("sign", "sign(a)", ty, i64::signum));
    }
    list
}

fn accept(scalar: Scalar, n: i64) -> Option<Accept> {
    Some(Accept::exactly(wrapped(scalar, n as u64)))
}

fn binary(operator: &Operator, left: Type, right: Type) -> Signature {
    let (evaluate, scalar) = (operator.evaluate, left.scalar);
    let arguments = [(left, operator.left), (right, operator.right)];
    let expression = format!("a {} b", operator.symbol);
    Signature::elementwise(GROUP, operator.name, &arguments, left, expression, move |x| {
        accept(scalar, evaluate(x[0].integer(), x[1].integer(), scalar)?)
    })
}

fn scalar_first(operator: &Operator, ty: Type) -> Signature {
    let (evaluate, scalar) = (operator.evaluate, ty.scalar);
    let arguments = [(Type::vector(scalar, 1), operator.left), (ty, operator.right)];
    let expression = format!("a {} b", operator.symbol);
    Signature::elementwise(GROUP, operator.name, &arguments, ty, expression, move |x| {
        accept(scalar, evaluate(x[0].integer(), x[1].integer(), scalar)?)
    })
}

fn assignment(operator: &Operator, left: Type, right: Type) -> Signature {
    let name = format!("{}_assign", operator.name);
    let statements = format!("{} y = a;\ny {}= b;", left.glsl(), operator.symbol);
    let signature = binary(operator, left, right).statements(statements);
    Signature { name, expression: String::from("y"), ..signature }
}

fn unary(name: &str, expression: &str, ty: Type, f: fn(i64) -> i64) -> Signature {
    let scalar = ty.scalar;
    Signature::elementwise(GROUP, name, &[(ty, Pool::Any)], ty, expression, move |x| {
        accept(scalar, f(x[0].integer()))
    })
}

fn steps(ty: Type) -> Vec<Signature> {
    let step = |name: &str, statement: &str, expression: &str, change: fn(i64) -> i64| {
        unary(name, expression, ty, change).statements(format!(
            "{0} y = a;\n{1}",
            ty.glsl(),
            statement.replace("TYPE", &ty.glsl())
        ))
    };
    if ty.components() % 2 == 1 {
        vec![
            step("pre_increment", "", "++y", |a| a + 1),
            step("post_decrement_value", "TYPE z = y--;", "z", |a| a),
        ]
    } else {
        vec![
            step("pre_decrement", "", "--y", |a| a - 1),
            step("post_increment", "y++;", "y", |a| a + 1),
        ]
    }
}

/// `min`, `max` and `clamp`, with scalar limits for vectors too.
fn extremes(ty: Type) -> Vec<Signature> {
    let scalar = ty.scalar;
    let one = Type::vector(scalar, 1);
    let mut list = Vec::new();
    let limits = if ty == one { vec![one] } else { vec![ty, one] };
    for limit in limits {
        let pair = [(ty, Pool::Any), (limit, Pool::Related)];
        let function = |name: &'static str, f: fn(i64, i64) -> i64| {
            Signature::elementwise(GROUP, name, &pair, ty, format!("{name}(a, b)"), move |x| {
                accept(scalar, f(x[0].integer(), x[1].integer()))
            })
        };
        list.push(function("min", i64::min));
        list.push(function("max", i64::max));
        let triple = [(ty, Pool::Any), (limit, Pool::Related), (limit, Pool::Any)];
        list.push(Signature::elementwise(
            GROUP,
            "clamp",
            &triple,
            ty,
            "clamp(a, b, c)",
            move |x| {
                let [x, low, high] = [x[0], x[1], x[2]].map(Component::integer);
                // Undefined for low > high.
                if low > high { None } else { accept(scalar, x.clamp(low, high)) }
            },
        ));
    }
    list
}

fn blend(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Any), (ty.with_scalar(Scalar::Bool), Pool::Plain)];
    Signature::elementwise(GROUP, "mix", &arguments, ty, "mix(a, b, c)", |x| {
        Some(Accept::exactly(if x[2].boolean() { x[1] } else { x[0] }))
    })
}

/// `a * b + c`: a compiler with a multiply-add of wider integers has to cut its result.
fn product_sum(ty: Type) -> Signature {
    let scalar = ty.scalar;
    let arguments = [(ty, Pool::Any), (ty, Pool::Small), (ty, Pool::Any)];
    Signature::elementwise(GROUP, "mul_add", &arguments, ty, "a * b + c", move |x| {
        let product = fitting(x[0].integer() * x[1].integer(), scalar)?;
        accept(scalar, product + x[2].integer())
    })
}
