//! Comparisons of doubles, the vector relational functions, and what selects by their results.

use crate::operation::Signature;
use crate::pool::Pool;
use crate::shared::comparison::{
    RELATIONS, aggregate, branch, choice, choice_by_comparison, function, inverted, operator, reduction,
};
use crate::value::{DOUBLE, VECTORS, all_types};

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for relation in &RELATIONS[..4] {
        list.push(operator(relation, DOUBLE));
    }
    for relation in &RELATIONS {
        list.extend(VECTORS[1..].iter().map(|&ty| function(relation, ty)));
        list.push(branch(relation, DOUBLE));
    }
    for ty in all_types() {
        let second = if ty == DOUBLE { Pool::Related } else { Pool::CopyOfFirst };
        list.push(aggregate("==", ty, second));
        list.push(aggregate("!=", ty, second));
        list.push(choice(ty));
    }
    for ty in &VECTORS[1..] {
        list.push(reduction("any", *ty));
        list.push(reduction("all", *ty));
        list.push(inverted(*ty));
        list.push(choice_by_comparison(*ty));
    }
    list.push(choice_by_comparison(DOUBLE));
    list
}
