//! Operators: `+ − * /` between all shapes for which they work by component, with their
//! assignments, `++`, `--` and unary minus. Products of linear algebra are in `matrix`.

use crate::accept::Accept;
use crate::half::Half;
use crate::ieee;
use crate::number;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::shared::{HALF, HALF_VECTORS, all_types, exact, half_matrix, halves, of_three};
use crate::value::{Component, DOUBLE, MATRICES, Type, VECTORS};

const GROUP: &str = "arithmetic";

/// A binary operator that works by component.
struct Operator {
    /// Name in file names.
    name: &'static str,
    /// Name or symbol in GLSL.
    symbol: char,
    /// Accepted results.
    evaluate: fn(Component, Component) -> Option<Accept>,
}

/// Addition, subtraction, multiplication and division.
const OPERATORS: [Operator; 4] = [
    Operator { name: "add", symbol: '+', evaluate: |a, b| Some(exact(number::add(a, b))) },
    Operator { name: "sub", symbol: '-', evaluate: |a, b| Some(exact(number::sub(a, b))) },
    Operator { name: "mul", symbol: '*', evaluate: |a, b| Some(exact(number::mul(a, b))) },
    Operator { name: "div", symbol: '/', evaluate: number::div },
];

/// `a + b`.
fn binary(operator: &Operator, left: Type, right: Type, result: Type) -> Signature {
    let evaluate = operator.evaluate;
    let expression = format!("a {} b", operator.symbol);
    let arguments = [(left, Pool::Any), (right, Pool::Related)];
    Signature::elementwise(GROUP, operator.name, &arguments, result, expression, move |x| {
        evaluate(x[0], x[1])
    })
}

/// `y += b`.
fn assignment(operator: &Operator, left: Type, right: Type) -> Signature {
    let evaluate = operator.evaluate;
    let arguments = [(left, Pool::Any), (right, Pool::Related)];
    let name = format!("{}_assign", operator.name);
    Signature::elementwise(GROUP, name, &arguments, left, "y", move |x| evaluate(x[0], x[1]))
        .statements(format!("{} y = a;\ny {}= b;", left.glsl(), operator.symbol))
}

/// `-a`.
fn negation(ty: Type) -> Signature {
    let evaluate = |x: &[Component]| Some(exact(number::neg(x[0])));
    Signature::elementwise(GROUP, "neg", &[(ty, Pool::Any)], ty, "-a", evaluate)
}

/// Pre- and post-increment and -decrement: the value of the expression and the variable afterwards.
fn steps(ty: Type) -> Vec<Signature> {
    let step = |name: &str, statement: &str, expression: &str, change: f64| {
        let t = ty.glsl();
        let change = number::constant(ty.scalar, change);
        Signature::elementwise(GROUP, name, &[(ty, Pool::Any)], ty, expression, move |x| {
            Some(exact(number::add(x[0], change)))
        })
        .statements(format!("{t} y = a;\n{}", statement.replace("TYPE", &t)))
    };
    // A post-increment's value is a − 0, hence exactly a: −0 + −0 = −0.
    vec![
        step("pre_increment", "", "++y", 1.0),
        step("pre_decrement", "", "--y", -1.0),
        step("post_increment", "y++;", "y", 1.0),
        step("post_decrement", "y--;", "y", -1.0),
        step("post_increment_value", "TYPE z = y++;", "z", -0.0),
        step("post_decrement_value", "TYPE z = y--;", "z", -0.0),
    ]
}

/// A square, a high and a wide matrix, where all nine would test no more.
const SOME_MATRICES: [Type; 3] = [MATRICES[0], MATRICES[5], MATRICES[7]];

/// The double-precision suite.
pub fn fp64() -> Vec<Signature> {
    let mut list = Vec::new();
    for operator in &OPERATORS {
        // A matrix times a matrix is linear algebra.
        let by_component = |ty: &Type| operator.symbol != '*' || !ty.is_matrix();
        list.extend(all_types::<f64>().filter(by_component).map(|ty| binary(operator, ty, ty, ty)));
        let assigned = VECTORS.into_iter().chain(SOME_MATRICES).filter(by_component);
        list.extend(assigned.map(|ty| assignment(operator, ty, ty)));
        for ty in VECTORS[1..].iter().copied().chain(SOME_MATRICES) {
            list.push(binary(operator, ty, DOUBLE, ty));
            list.push(binary(operator, DOUBLE, ty, ty));
            list.push(assignment(operator, ty, DOUBLE));
        }
    }
    for ty in all_types::<f64>() {
        list.push(negation(ty));
    }
    for ty in VECTORS.into_iter().chain([MATRICES[5]]) {
        list.extend(steps(ty));
    }
    list
}

/// The 16-bit suite.
pub fn half() -> Vec<Signature> {
    let mut list = Vec::new();
    for operator in &OPERATORS {
        // A matrix times a matrix is linear algebra.
        let by_component = |ty: &Type| operator.symbol != '*' || !ty.is_matrix();
        list.extend(
            all_types::<Half>().filter(by_component).map(|ty| binary(operator, ty, ty, ty)),
        );
        list.extend(HALF_VECTORS.map(|ty| assignment(operator, ty, ty)));
        for ty in [halves(3), half_matrix(3, 4)] {
            list.push(binary(operator, ty, HALF, ty));
            list.push(binary(operator, HALF, ty, ty));
            list.push(assignment(operator, ty, HALF));
        }
        list.push(chained(operator));
    }
    list.extend(all_types::<Half>().map(negation));
    list.push(product_sum());
    for ty in [HALF, halves(3)] {
        list.extend(steps(ty));
    }
    list
}

/// Components of one vector with each other: operands in odd and in even places of a register.
fn chained(operator: &Operator) -> Signature {
    let evaluate = operator.evaluate;
    let expression = format!("f16vec2(a.x {0} a.w, a.z {0} a.y)", operator.symbol);
    let name = format!("{}_components", operator.name);
    Signature::whole(GROUP, name, &[(halves(4), Pool::Any)], halves(2), expression, move |x| {
        let component = |i: usize, j: usize| evaluate(x[0][i], x[0][j]);
        Some(vec![component(0, 3)?, component(2, 1)?])
    })
}

/// `a * b + c`, which may be fused.
fn product_sum() -> Signature {
    let ty = halves(4);
    let arguments = [(ty, Pool::Any), (ty, Pool::Any), (ty, Pool::Related)];
    let evaluate = of_three(ieee::mul_add::<Half>);
    Signature::elementwise(GROUP, "mul_add", &arguments, ty, "a * b + c", evaluate)
}
