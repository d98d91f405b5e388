//! Operators on halves: `+ − * /` between all shapes for which they work by component, with their assignments, `++`, `--` and unary
//! minus. Sums and products are those of IEEE bit for bit.

use super::{HALF, VECTORS, all_types, halves, of_one, of_two, some_matrices};
use crate::half::float16::Half;
use crate::half::ieee;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::value::{Accept, Type};

const GROUP: &str = "arithmetic";

struct Operator {
    name: &'static str,
    symbol: char,
    evaluate: fn(Half, Half) -> Option<Accept>,
}

const OPERATORS: [Operator; 4] = [
    Operator { name: "add", symbol: '+', evaluate: |a, b| Some(Accept::half(ieee::add(a, b))) },
    Operator { name: "sub", symbol: '-', evaluate: |a, b| Some(Accept::half(ieee::sub(a, b))) },
    Operator { name: "mul", symbol: '*', evaluate: |a, b| Some(Accept::half(ieee::mul(a, b))) },
    Operator { name: "div", symbol: '/', evaluate: ieee::div },
];

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for operator in &OPERATORS {
        // A matrix times a matrix is linear algebra.
        let by_component = |ty: &Type| operator.symbol != '*' || !ty.is_matrix();
        list.extend(all_types().filter(by_component).map(|ty| binary(operator, ty, ty, ty)));
        list.extend(VECTORS.map(|ty| assignment(operator, ty, ty)));
        for ty in [halves(3), some_matrices()[1]] {
            list.push(binary(operator, ty, HALF, ty));
            list.push(binary(operator, HALF, ty, ty));
            list.push(assignment(operator, ty, HALF));
        }
        list.push(chained(operator));
    }
    list.extend(all_types().map(negation));
    list.push(product_sum());
    for ty in [HALF, halves(3)] {
        list.extend(steps(ty));
    }
    list
}

fn binary(operator: &Operator, left: Type, right: Type, result: Type) -> Signature {
    let expression = format!("a {} b", operator.symbol);
    let arguments = [(left, Pool::Any), (right, Pool::Related)];
    Signature::elementwise(GROUP, operator.name, &arguments, result, expression, of_two(operator.evaluate))
}

fn assignment(operator: &Operator, left: Type, right: Type) -> Signature {
    let arguments = [(left, Pool::Any), (right, Pool::Related)];
    let name = format!("{}_assign", operator.name);
    Signature::elementwise(GROUP, name, &arguments, left, "y", of_two(operator.evaluate)).statements(format!(
        "{} y = a;\ny {}= b;",
        left.glsl(),
        operator.symbol
    ))
}

/// Components of one vector with each other: operands that lie at odd and at even places of a register.
fn chained(operator: &Operator) -> Signature {
    let evaluate = operator.evaluate;
    let expression = format!("f16vec2(a.x {0} a.w, a.z {0} a.y)", operator.symbol);
    let name = format!("{}_components", operator.name);
    Signature::whole(GROUP, name, &[(halves(4), Pool::Any)], halves(2), expression, move |x| {
        let component = |i: usize, j: usize| evaluate(x[0][i].half(), x[0][j].half());
        Some(vec![component(0, 3)?, component(2, 1)?])
    })
}

fn negation(ty: Type) -> Signature {
    let evaluate = of_one(|a: Half| Some(Accept::half(a.negated())));
    Signature::elementwise(GROUP, "neg", &[(ty, Pool::Any)], ty, "-a", evaluate)
}

/// `a * b + c`, which may be fused.
fn product_sum() -> Signature {
    let ty = halves(4);
    let arguments = [(ty, Pool::Any), (ty, Pool::Any), (ty, Pool::Related)];
    let evaluate = super::of_three(ieee::mul_add);
    Signature::elementwise(GROUP, "mul_add", &arguments, ty, "a * b + c", evaluate)
}

/// Pre- and post-increment and -decrement: the value of the expression and the variable afterwards.
fn steps(ty: Type) -> Vec<Signature> {
    let step = |name: &str, statement: &str, expression: &str, change: f64| {
        let t = ty.glsl();
        let change = Half::from_double(change);
        let evaluate = of_one(move |a| Some(Accept::half(ieee::add(a, change))));
        Signature::elementwise(GROUP, name, &[(ty, Pool::Any)], ty, expression, evaluate)
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
