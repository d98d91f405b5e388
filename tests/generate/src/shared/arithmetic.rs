//! Operators of floating-point numbers: `+ − * /`, their assignments, `++`, `--` and unary minus.

use super::exact;
use crate::number;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::value::{Accept, Component, Type};

const GROUP: &str = "arithmetic";

/// A binary operator that works by component.
pub struct Operator {
    /// As in file names.
    pub name: &'static str,
    /// As in GLSL.
    pub symbol: char,
    /// What is accepted.
    pub evaluate: fn(Component, Component) -> Option<Accept>,
}

/// Addition, subtraction, multiplication and division.
pub const OPERATORS: [Operator; 4] = [
    Operator { name: "add", symbol: '+', evaluate: |a, b| Some(exact(number::add(a, b))) },
    Operator { name: "sub", symbol: '-', evaluate: |a, b| Some(exact(number::sub(a, b))) },
    Operator { name: "mul", symbol: '*', evaluate: |a, b| Some(exact(number::mul(a, b))) },
    Operator { name: "div", symbol: '/', evaluate: number::div },
];

/// `a + b`.
pub fn binary(operator: &Operator, left: Type, right: Type, result: Type) -> Signature {
    let evaluate = operator.evaluate;
    let expression = format!("a {} b", operator.symbol);
    let arguments = [(left, Pool::Any), (right, Pool::Related)];
    Signature::elementwise(GROUP, operator.name, &arguments, result, expression, move |x| {
        evaluate(x[0], x[1])
    })
}

/// `y += b`.
pub fn assignment(operator: &Operator, left: Type, right: Type) -> Signature {
    let evaluate = operator.evaluate;
    let arguments = [(left, Pool::Any), (right, Pool::Related)];
    let name = format!("{}_assign", operator.name);
    Signature::elementwise(GROUP, name, &arguments, left, "y", move |x| evaluate(x[0], x[1]))
        .statements(format!("{} y = a;\ny {}= b;", left.glsl(), operator.symbol))
}

/// `-a`.
pub fn negation(ty: Type) -> Signature {
    let evaluate = |x: &[Component]| Some(exact(number::neg(x[0])));
    Signature::elementwise(GROUP, "neg", &[(ty, Pool::Any)], ty, "-a", evaluate)
}

/// Pre- and post-increment and -decrement: the value of the expression and the variable afterwards.
pub fn steps(ty: Type) -> Vec<Signature> {
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
