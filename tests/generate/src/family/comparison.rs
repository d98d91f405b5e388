//! Comparisons, the vector relational functions, and what selects by their results.

use super::{boolean, of_two};
use crate::ieee;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::value::{Accept, BOOL, Component, DOUBLE, Scalar, Type, VECTORS, all_types};

const GROUP: &str = "comparison";

struct Relation {
    operator: &'static str,
    name: &'static str,
    function: &'static str,
    evaluate: fn(f64, f64) -> bool,
}

const RELATIONS: [Relation; 6] = [
    Relation { operator: "<", name: "less", function: "lessThan", evaluate: ieee::less },
    Relation {
        operator: "<=",
        name: "less_equal",
        function: "lessThanEqual",
        evaluate: |a, b| ieee::less(a, b) || ieee::equal(a, b),
    },
    Relation { operator: ">", name: "greater", function: "greaterThan", evaluate: |a, b| ieee::less(b, a) },
    Relation {
        operator: ">=",
        name: "greater_equal",
        function: "greaterThanEqual",
        evaluate: |a, b| ieee::less(b, a) || ieee::equal(a, b),
    },
    Relation { operator: "==", name: "equal", function: "equal", evaluate: ieee::equal },
    Relation { operator: "!=", name: "not_equal", function: "notEqual", evaluate: |a, b| !ieee::equal(a, b) },
];

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for relation in &RELATIONS[..4] {
        list.push(scalar(relation));
    }
    for relation in &RELATIONS {
        list.extend(VECTORS[1..].iter().map(|&ty| function(relation, ty)));
        list.push(branch(relation));
    }
    for ty in all_types() {
        list.push(aggregate("==", ty));
        list.push(aggregate("!=", ty));
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

fn bools(ty: Type) -> Type {
    ty.with_scalar(Scalar::Bool)
}

fn scalar(relation: &Relation) -> Signature {
    let evaluate = relation.evaluate;
    let arguments = [(DOUBLE, Pool::Any), (DOUBLE, Pool::Related)];
    let expression = format!("a {} b", relation.operator);
    Signature::elementwise(
        GROUP,
        relation.name,
        &arguments,
        BOOL,
        expression,
        of_two(move |a, b| boolean(evaluate(a, b))),
    )
}

fn function(relation: &Relation, ty: Type) -> Signature {
    let evaluate = relation.evaluate;
    let arguments = [(ty, Pool::Any), (ty, Pool::Related)];
    let expression = format!("{}(a, b)", relation.function);
    let name = format!("{}_function", relation.name);
    Signature::elementwise(
        GROUP,
        name,
        &arguments,
        bools(ty),
        expression,
        of_two(move |a, b| boolean(evaluate(a, b))),
    )
}

/// The comparison as a condition of `if`: compilers do not build a boolean for it.
fn branch(relation: &Relation) -> Signature {
    let evaluate = relation.evaluate;
    let arguments = [(DOUBLE, Pool::Any), (DOUBLE, Pool::Related)];
    let statements = format!("int y = 3;\nif (a {} b)\n\ty = 7;\nelse\n\ty = -5;", relation.operator);
    let number = move |a, b| Some(Accept::exactly(Component::Int(if evaluate(a, b) { 7 } else { -5 })));
    let int = DOUBLE.with_scalar(Scalar::Int);
    Signature::elementwise(GROUP, format!("{}_branch", relation.name), &arguments, int, "y", of_two(number))
        .statements(statements)
}

/// `==` and `!=` of whole values.
fn aggregate(operator: &str, ty: Type) -> Signature {
    let equal = operator == "==";
    let name = if equal { "equal" } else { "not_equal" };
    let arguments = [(ty, Pool::Any), (ty, if ty == DOUBLE { Pool::Related } else { Pool::CopyOfFirst })];
    Signature::whole(GROUP, name, &arguments, BOOL, format!("a {operator} b"), move |x| {
        let all = x[0].iter().zip(&x[1]).all(|(a, b)| ieee::equal(a.double(), b.double()));
        Some(vec![Accept::exactly(Component::Bool(all == equal))])
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
    let condition = if ty == DOUBLE { "a < b" } else { "a.x < b.x" };
    Signature::whole(GROUP, "select_less", &arguments, ty, format!("{condition} ? a : b"), |x| {
        let chosen = if ieee::less(x[0][0].double(), x[1][0].double()) { &x[0] } else { &x[1] };
        Some(chosen.iter().map(|&value| Accept::exactly(value)).collect())
    })
}

/// `any(lessThan(a, b))` and `all(equal(a, b))`.
fn reduction(name: &'static str, ty: Type) -> Signature {
    let any = name == "any";
    let arguments = [(ty, Pool::Any), (ty, Pool::CopyOfFirst)];
    let expression = if any { "any(lessThan(a, b))" } else { "all(equal(a, b))" };
    Signature::whole(GROUP, name, &arguments, BOOL, expression, move |x| {
        let mut pairs = x[0].iter().zip(&x[1]).map(|(a, b)| (a.double(), b.double()));
        let value =
            if any { pairs.any(|(a, b)| ieee::less(a, b)) } else { pairs.all(|(a, b)| ieee::equal(a, b)) };
        Some(vec![Accept::exactly(Component::Bool(value))])
    })
}

/// `not(greaterThanEqual(a, b))`. Not of NaN: a compiler may use the opposite comparison.
fn inverted(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Related)];
    Signature::elementwise(
        GROUP,
        "not_greater_equal",
        &arguments,
        bools(ty),
        "not(greaterThanEqual(a, b))",
        of_two(|a: f64, b: f64| {
            let ordered = !a.is_nan() && !b.is_nan();
            ordered.then(|| Accept::exactly(Component::Bool(ieee::less(a, b))))
        }),
    )
}
