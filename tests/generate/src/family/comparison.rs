//! Comparisons, the vector relational functions, and selections by their results.

use crate::half::Half;
use crate::number::{equal, is_nan, less};
use crate::operation::Signature;
use crate::pool::Pool;
use crate::shared::{
    HALF, SCALARS_16, all_types, boolean, exact, first, half_matrix, matrices, vectors,
};
use crate::value::{BOOL, Component, DOUBLE, Scalar, Type, VECTORS};

const GROUP: &str = "comparison";

/// An operator of comparison and the vector function that belongs to it.
struct Relation {
    operator: &'static str,
    name: &'static str,
    function: &'static str,
    /// From a < b, a = b, a > b.
    evaluate: fn(bool, bool, bool) -> bool,
}

/// All six; equality last.
const RELATIONS: [Relation; 6] = [
    Relation { operator: "<", name: "less", function: "lessThan", evaluate: |less, _, _| less },
    Relation {
        operator: "<=",
        name: "less_equal",
        function: "lessThanEqual",
        evaluate: |less, equal, _| less || equal,
    },
    Relation {
        operator: ">",
        name: "greater",
        function: "greaterThan",
        evaluate: |_, _, greater| greater,
    },
    Relation {
        operator: ">=",
        name: "greater_equal",
        function: "greaterThanEqual",
        evaluate: |_, equal, greater| greater || equal,
    },
    Relation { operator: "==", name: "equal", function: "equal", evaluate: |_, equal, _| equal },
    Relation {
        operator: "!=",
        name: "not_equal",
        function: "notEqual",
        evaluate: |_, equal, _| !equal,
    },
];

impl Relation {
    fn holds(&self, a: Component, b: Component) -> bool {
        (self.evaluate)(less(a, b), equal(a, b), less(b, a))
    }
}

/// `a < b` of scalars.
fn operator(relation: &'static Relation, ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Related)];
    let expression = format!("a {} b", relation.operator);
    Signature::elementwise(GROUP, relation.name, &arguments, BOOL, expression, |x| {
        boolean(relation.holds(x[0], x[1]))
    })
}

/// `lessThan(a, b)` of vectors.
fn function(relation: &'static Relation, ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Related)];
    let expression = format!("{}(a, b)", relation.function);
    let name = format!("{}_function", relation.name);
    Signature::elementwise(GROUP, name, &arguments, ty.with_scalar(Scalar::Bool), expression, |x| {
        boolean(relation.holds(x[0], x[1]))
    })
}

/// The comparison of scalars as a condition of `if`: compilers do not build a boolean for it.
fn branch(relation: &'static Relation, ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Related)];
    let statements =
        format!("int y = 3;\nif (a {} b)\n\ty = 7;\nelse\n\ty = -5;", relation.operator);
    let int = ty.with_scalar(Scalar::Int);
    Signature::elementwise(GROUP, format!("{}_branch", relation.name), &arguments, int, "y", |x| {
        Some(exact(Component::Int(if relation.holds(x[0], x[1]) { 7 } else { -5 })))
    })
    .statements(statements)
}

/// `==` and `!=` of whole values; `second` is where the second operand comes from.
fn aggregate(operator: &str, ty: Type, second: Pool) -> Signature {
    let is_equal = operator == "==";
    let name = if is_equal { "equal" } else { "not_equal" };
    let arguments = [(ty, Pool::Any), (ty, second)];
    Signature::whole(GROUP, name, &arguments, BOOL, format!("a {operator} b"), move |x| {
        let all = x[0].iter().zip(&x[1]).all(|(&a, &b)| equal(a, b));
        Some(vec![exact(Component::Bool(all == is_equal))])
    })
}

/// `c ? a : b` of whole values.
fn choice(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Any), (BOOL, Pool::Plain)];
    Signature::whole(GROUP, "select", &arguments, ty, "c ? a : b", |x| {
        let chosen = if x[2][0].boolean() { &x[0] } else { &x[1] };
        Some(chosen.iter().map(|&value| exact(value)).collect())
    })
}

/// `a.x < b.x ? a : b`.
fn choice_by_comparison(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Related)];
    let expression = format!("{} < {} ? a : b", first(ty, "a"), first(ty, "b"));
    Signature::whole(GROUP, "select_less", &arguments, ty, expression, |x| {
        let chosen = if less(x[0][0], x[1][0]) { &x[0] } else { &x[1] };
        Some(chosen.iter().map(|&value| exact(value)).collect())
    })
}

/// `any(lessThan(a, b))` and `all(equal(a, b))`.
fn reduction(name: &'static str, ty: Type) -> Signature {
    let any = name == "any";
    let arguments = [(ty, Pool::Any), (ty, Pool::CopyOfFirst)];
    let expression = if any { "any(lessThan(a, b))" } else { "all(equal(a, b))" };
    Signature::whole(GROUP, name, &arguments, BOOL, expression, move |x| {
        let mut pairs = x[0].iter().zip(&x[1]);
        let value =
            if any { pairs.any(|(&a, &b)| less(a, b)) } else { pairs.all(|(&a, &b)| equal(a, b)) };
        Some(vec![exact(Component::Bool(value))])
    })
}

/// `not(greaterThanEqual(a, b))`. Not of NaN: a compiler may use the opposite comparison.
fn inverted(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Related)];
    let expression = "not(greaterThanEqual(a, b))";
    let result = ty.with_scalar(Scalar::Bool);
    Signature::elementwise(GROUP, "not_greater_equal", &arguments, result, expression, |x| {
        if is_nan(x[0]) || is_nan(x[1]) { None } else { boolean(less(x[0], x[1])) }
    })
}

/// The double-precision suite.
pub fn fp64() -> Vec<Signature> {
    let mut list = Vec::new();
    for relation in &RELATIONS[..4] {
        list.push(operator(relation, DOUBLE));
    }
    for relation in &RELATIONS {
        list.extend(VECTORS[1..].iter().map(|&ty| function(relation, ty)));
        list.push(branch(relation, DOUBLE));
    }
    for ty in all_types::<f64>() {
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

/// The 16-bit suite: halves and 16-bit integers.
pub fn half() -> Vec<Signature> {
    let mut list = Vec::new();
    for scalar in SCALARS_16 {
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
    for ty in matrices::<Half>() {
        list.push(aggregate("==", ty, Pool::CopyOfFirst));
    }
    list.push(choice(half_matrix(3, 3)));
    list
}
