//! Comparisons of halves and of 16-bit integers, the vector relational functions, and what selects by their results.

use super::{HALF, all_types, matrix_of, vectors};
use crate::operation::Signature;
use crate::pool::Pool;
use crate::shared::comparison::{
    RELATIONS, aggregate, branch, choice, choice_by_comparison, function, inverted, operator, reduction,
};
use crate::value::Scalar;

const SCALARS: [Scalar; 3] = [Scalar::Half, Scalar::Int16, Scalar::Uint16];

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for scalar in SCALARS {
        let [one, two, three, four] = vectors(scalar);
        for relation in &RELATIONS {
            list.push(operator(relation, one));
            list.extend([two, three, four].map(|ty| function(relation, ty)));
        }
        for ty in [two, three] {
            list.push(aggregate("==", ty, Pool::CopyOfFirst));
            list.push(aggregate("!=", ty, Pool::CopyOfFirst));
            list.push(reduction("any", ty));
            list.push(reduction("all", ty));
        }
        for ty in [one, two, three, four] {
            list.push(choice(ty));
            list.push(choice_by_comparison(ty));
        }
        list.push(inverted(four));
    }
    list.extend(RELATIONS.iter().map(|relation| branch(relation, HALF)));
    for ty in all_types().filter(|ty| ty.is_matrix()) {
        list.push(aggregate("==", ty, Pool::CopyOfFirst));
    }
    list.push(choice(matrix_of(3, 3)));
    list
}
