//! Operators: `+ − * /` between all shapes for which they work by component, with their assignments, `++`, `--` and unary minus.
//! Products of linear algebra are in `matrix`.

use crate::operation::Signature;
use crate::shared::arithmetic::{OPERATORS, assignment, binary, negation, steps};
use crate::value::{DOUBLE, MATRICES, Type, VECTORS, all_types};

/// A square one, a high one and a wide one, where all nine would say no more.
const SOME_MATRICES: [Type; 3] = [MATRICES[0], MATRICES[5], MATRICES[7]];

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for operator in &OPERATORS {
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
