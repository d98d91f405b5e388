//! Operators: `+ − * /` between all shapes for which they work by component, with their assignments, `++`, `--` and unary minus.
//! Products of linear algebra are in `matrix`.

use super::{of_one, of_two};
use crate::ieee;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::value::{Accept, DOUBLE, MATRICES, Type, VECTORS, all_types};

const GROUP: &str = "arithmetic";

/// A square one, a high one and a wide one, where all nine would say no more.
const SOME_MATRICES: [Type; 3] = [MATRICES[0], MATRICES[5], MATRICES[7]];

type Binary = fn(f64, f64) -> Option<Accept>;

struct Operator {
    name: &'static str,
    symbol: char,
    evaluate: Binary,
}

const ADD: Operator =
    Operator { name: "add", symbol: '+', evaluate: |a, b| Some(Accept::double(ieee::add(a, b))) };
const SUB: Operator =
    Operator { name: "sub", symbol: '-', evaluate: |a, b| Some(Accept::double(ieee::sub(a, b))) };
const MUL: Operator =
    Operator { name: "mul", symbol: '*', evaluate: |a, b| Some(Accept::double(ieee::mul(a, b))) };
const DIV: Operator = Operator { name: "div", symbol: '/', evaluate: ieee::div };
const OPERATORS: [&Operator; 4] = [&ADD, &SUB, &MUL, &DIV];

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for operator in OPERATORS {
        // A matrix times a matrix is linear algebra.
        let by_component = |ty: &Type| operator.symbol != '*' || !ty.is_matrix();
        list.extend(all_types().filter(by_component).map(|ty| binary(operator, ty, ty, ty)));
        let assigned = VECTORS.into_iter().chain(SOME_MATRICES).filter(by_component);
        list.extend(assigned.map(|ty| assignment(operator, ty, ty)));
        for ty in VECTORS[1..].iter().copied().chain(SOME_MATRICES) {
            list.push(binary(operator, ty, DOUBLE, ty));
            list.push(binary(operator, DOUBLE, ty, ty));
            list.push(assignment(operator, ty, DOUBLE));
        }
    }
    for ty in all_types() {
        list.push(negation(ty));
    }
    for ty in VECTORS.into_iter().chain([MATRICES[5]]) {
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

fn negation(ty: Type) -> Signature {
    Signature::elementwise(
        GROUP,
        "neg",
        &[(ty, Pool::Any)],
        ty,
        "-a",
        of_one(|a| Some(Accept::double(ieee::neg(a)))),
    )
}

/// Pre- and post-increment and -decrement: the value of the expression and the variable afterwards.
fn steps(ty: Type) -> Vec<Signature> {
    let step = |name: &str, statement: &str, expression: &str, change: f64| {
        let statements = format!("{} y = a;\n{}", ty.glsl(), statement.replace("TYPE", &ty.glsl()));
        Signature::elementwise(
            GROUP,
            name,
            &[(ty, Pool::Any)],
            ty,
            expression,
            of_one(move |a| Some(Accept::double(ieee::add(a, change)))),
        )
        .statements(statements)
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
