//! Comparisons of the vector ALU by the names of their operations.

use std::cmp::Ordering;

use amd_isa::Opcode;
use native::LaneOrders;

/// Type of the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    F16,
    F32,
    F64,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
}

/// The condition that a lane satisfies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// The order of the operands is one of these.
    Order(Orders),
    /// The first operand is in a class that the second one lists.
    Class,
}

/// Results for each order of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Orders {
    pub less: bool,
    pub equal: bool,
    pub greater: bool,
    /// One operand is not a number.
    pub unordered: bool,
}

impl Condition {
    /// The results as the translator to the host's code takes them; `None` for classes.
    pub(crate) fn native(self) -> Option<LaneOrders> {
        let Condition::Order(Orders { less, equal, greater, unordered }) = self else {
            return None;
        };
        Some(LaneOrders { less, equal, greater, unordered })
    }
}

impl Orders {
    /// The result for an order; `None` if one operand is not a number.
    pub(crate) fn of(self, order: Option<Ordering>) -> bool {
        match order {
            Some(Ordering::Less) => self.less,
            Some(Ordering::Equal) => self.equal,
            Some(Ordering::Greater) => self.greater,
            None => self.unordered,
        }
    }
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Comparison {
    pub condition: Condition,
    pub ty: Type,
    /// The result becomes EXEC, too.
    pub sets_exec: bool,
}

impl Comparison {
    /// The comparison of `v_cmp…`; `None` for types that are not modeled and other operations.
    pub(crate) fn of(opcode: Opcode) -> Option<Comparison> {
        let mut parts = opcode.mnemonic().split('_').skip(1);
        let (prefix, condition, ty) = (parts.next()?, parts.next()?, parts.next()?);
        let ty = match ty {
            "f16" => Type::F16,
            "i16" => Type::I16,
            "u16" => Type::U16,
            "f32" => Type::F32,
            "f64" => Type::F64,
            "i32" => Type::I32,
            "u32" => Type::U32,
            "i64" => Type::I64,
            "u64" => Type::U64,
            _ => return None,
        };
        let condition = match condition {
            "class" => Condition::Class,
            other => Condition::Order(orders(other)?),
        };
        Some(Comparison { condition, ty, sets_exec: prefix.ends_with('x') })
    }
}

/// Orders that satisfy a condition.
fn orders(condition: &str) -> Option<Orders> {
    let of = |less, equal, greater, unordered| Orders { less, equal, greater, unordered };
    Some(match condition {
        "f" => of(false, false, false, false),
        "lt" => of(true, false, false, false),
        "eq" => of(false, true, false, false),
        "le" => of(true, true, false, false),
        "gt" => of(false, false, true, false),
        "lg" => of(true, false, true, false),
        "ge" => of(false, true, true, false),
        "o" => of(true, true, true, false),
        "u" => of(false, false, false, true),
        "nge" => of(true, false, false, true),
        "nlg" => of(false, true, false, true),
        "ngt" => of(true, true, false, true),
        "nle" => of(false, false, true, true),
        "ne" | "neq" => of(true, false, true, true),
        "nlt" => of(false, true, true, true),
        "tru" | "t" => of(true, true, true, true),
        _ => return None,
    })
}
