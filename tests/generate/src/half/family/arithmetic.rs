//! Operators on halves: `+ − * /` between all shapes for which they work by component, with their assignments, `++`, `--` and unary
//! minus. Sums and products are those of IEEE bit for bit.

use super::{HALF, VECTORS, all_types, halves, some_matrices};
use crate::half::ieee;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::shared::arithmetic::{OPERATORS, Operator, assignment, binary, negation, steps};
use crate::value::Type;

const GROUP: &str = "arithmetic";

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

/// Components of one vector with each other: operands that lie at odd and at even places of a register.
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
    let evaluate = super::of_three(ieee::mul_add);
    Signature::elementwise(GROUP, "mul_add", &arguments, ty, "a * b + c", evaluate)
}
