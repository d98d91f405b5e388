//! Comparisons of halves and of 16-bit integers, the vector relational functions, and what selects by their results.

use super::{HALF, all_types, boolean, vectors};
use crate::half::ieee;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::value::{Accept, BOOL, Component, Scalar, Type};

const GROUP: &str = "comparison";

const SCALARS: [Scalar; 3] = [Scalar::Half, Scalar::Int16, Scalar::Uint16];

struct Relation {
    operator: &'static str,
    name: &'static str,
    function: &'static str,
    /// From a < b, a = b, a > b.
    evaluate: fn(bool, bool, bool) -> bool,
}

const RELATIONS: [Relation; 6] = [
    Relation { operator: "<", name: "less", function: "lessThan", evaluate: |less, _, _| less },
    Relation {
        operator: "<=",
        name: "less_equal",
        function: "lessThanEqual",
        evaluate: |less, equal, _| less || equal,
    },
    Relation { operator: ">", name: "greater", function: "greaterThan", evaluate: |_, _, greater| greater },
    Relation {
        operator: ">=",
        name: "greater_equal",
        function: "greaterThanEqual",
        evaluate: |_, equal, greater| greater || equal,
    },
    Relation { operator: "==", name: "equal", function: "equal", evaluate: |_, equal, _| equal },
    Relation { operator: "!=", name: "not_equal", function: "notEqual", evaluate: |_, equal, _| !equal },
];

fn less(a: Component, b: Component) -> bool {
    match (a, b) {
        (Component::Half(a), Component::Half(b)) => ieee::less(a, b),
        _ => a.integer() < b.integer(),
    }
}

fn equal(a: Component, b: Component) -> bool {
    match (a, b) {
        (Component::Half(a), Component::Half(b)) => ieee::equal(a, b),
        _ => a.integer() == b.integer(),
    }
}

impl Relation {
    fn holds(&self, a: Component, b: Component) -> bool {
        (self.evaluate)(less(a, b), equal(a, b), less(b, a))
    }
}

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
            list.push(aggregate("==", ty));
            list.push(aggregate("!=", ty));
            list.push(reduction("any", ty));
            list.push(reduction("all", ty));
        }
        for ty in [one, two, three, four] {
            list.push(choice(ty));
            list.push(choice_by_comparison(ty));
        }
        list.push(inverted(four));
    }
    list.extend(RELATIONS.iter().map(branch));
    for ty in all_types().filter(|ty| ty.is_matrix()) {
        list.push(aggregate("==", ty));
    }
    list.push(choice(super::matrix_of(3, 3)));
    list
}

fn operator(relation: &'static Relation, ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Related)];
    let expression = format!("a {} b", relation.operator);
    Signature::elementwise(GROUP, relation.name, &arguments, BOOL, expression, |x| {
        boolean(relation.holds(x[0], x[1]))
    })
}

fn function(relation: &'static Relation, ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Related)];
    let expression = format!("{}(a, b)", relation.function);
    let name = format!("{}_function", relation.name);
    Signature::elementwise(GROUP, name, &arguments, ty.with_scalar(Scalar::Bool), expression, |x| {
        boolean(relation.holds(x[0], x[1]))
    })
}

/// The comparison as a condition of `if`: compilers do not build a boolean for it.
fn branch(relation: &'static Relation) -> Signature {
    let arguments = [(HALF, Pool::Any), (HALF, Pool::Related)];
    let statements = format!("int y = 3;\nif (a {} b)\n\ty = 7;\nelse\n\ty = -5;", relation.operator);
    let int = HALF.with_scalar(Scalar::Int);
    Signature::elementwise(GROUP, format!("{}_branch", relation.name), &arguments, int, "y", |x| {
        Some(Accept::exactly(Component::Int(if relation.holds(x[0], x[1]) { 7 } else { -5 })))
    })
    .statements(statements)
}

/// `==` and `!=` of whole values.
fn aggregate(operator: &str, ty: Type) -> Signature {
    let is_equal = operator == "==";
    let name = if is_equal { "equal" } else { "not_equal" };
    let arguments = [(ty, Pool::Any), (ty, Pool::CopyOfFirst)];
    Signature::whole(GROUP, name, &arguments, BOOL, format!("a {operator} b"), move |x| {
        let all = x[0].iter().zip(&x[1]).all(|(&a, &b)| equal(a, b));
        Some(vec![Accept::exactly(Component::Bool(all == is_equal))])
    })
}

/// `c ? a : b` of whole values.
fn choice(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Any), (BOOL, Pool::Plain)];
    Signature::whole(GROUP, "select", &arguments, ty, "c ? a : b", |x| {
        let chosen = if x[2][0].boolean() { &x[0] } else { &x[1] };
        Some(chosen.iter().map(|&value| Accept::exactly(value)).collect())
    })
}

/// `a.x < b.x ? a : b`.
fn choice_by_comparison(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Related)];
    let condition = if ty.components() == 1 { "a < b" } else { "a.x < b.x" };
    Signature::whole(GROUP, "select_less", &arguments, ty, format!("{condition} ? a : b"), |x| {
        let chosen = if less(x[0][0], x[1][0]) { &x[0] } else { &x[1] };
        Some(chosen.iter().map(|&value| Accept::exactly(value)).collect())
    })
}

/// `any(lessThan(a, b))` and `all(equal(a, b))`.
fn reduction(name: &'static str, ty: Type) -> Signature {
    let any = name == "any";
    let arguments = [(ty, Pool::Any), (ty, Pool::CopyOfFirst)];
    let expression = if any { "any(lessThan(a, b))" } else { "all(equal(a, b))" };
    Signature::whole(GROUP, name, &arguments, BOOL, expression, move |x| {
        let mut pairs = x[0].iter().zip(&x[1]);
        let value = if any { pairs.any(|(&a, &b)| less(a, b)) } else { pairs.all(|(&a, &b)| equal(a, b)) };
        Some(vec![Accept::exactly(Component::Bool(value))])
    })
}

/// `not(greaterThanEqual(a, b))`. Not of NaN: a compiler may use the opposite comparison.
fn inverted(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Related)];
    let expression = "not(greaterThanEqual(a, b))";
    let result = ty.with_scalar(Scalar::Bool);
    Signature::elementwise(GROUP, "not_greater_equal", &arguments, result, expression, |x| {
        let is_nan = |x: Component| matches!(x, Component::Half(x) if x.is_nan());
        if is_nan(x[0]) || is_nan(x[1]) { None } else { boolean(less(x[0], x[1])) }
    })
}
