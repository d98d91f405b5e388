//! Algebraic simplification from the table of rules.
//!
//! ```text
//! before:
//!   v1 = fmul v0, 1.0
//! after:
//!   v1 = mov v0
//! ```

use super::algebraic_rules::{Condition, Constant, Pattern, RuleSet, VARIABLES, compiled};
use super::rewrite::rewrite_alu;
use crate::builder::Builder;
use crate::fold::{decode_float, encode_float, mask};
use crate::ids::Value;
use crate::inst::{Alu, Src};
use crate::ops::{AluOp, Class};
use crate::shader::Shader;
use smallvec::{SmallVec, smallvec};
use vocabulary::{InternalError, Phase};

/// Applies the rules of the algebraic table until no instruction matches.
///
/// Every rule keeps the exact result, signed zeros and NaN included (a NaN may change its payload);
/// each is proved bit-size consistent and tested against the evaluator. Bit-field operations are
/// never taken apart and nothing that a lowering removes is made again. Works on vectors; leaves
/// copies and dead code.
pub fn opt_algebraic(shader: &mut Shader) -> bool {
    rewrite_alu(shader, |b, alu, result| simplify(b, compiled(), alu, result))
}

/// Applies the first rule that matches an instruction.
pub(super) fn simplify(
    b: &mut Builder<'_>,
    rules: &RuleSet,
    alu: &Alu,
    result: Value,
) -> Option<Value> {
    let (components, bits) = (b.shader.components(result), b.shader.bits(result));
    let keeps_values = rules.keeps_values;
    for rule in rules.for_op(alu.op) {
        // Conditions may tell operands apart that the pattern does not.
        for &order in orders(alu.op) {
            let mut found = Match { components, bits, keeps_values, bound: [None; VARIABLES] };
            if rule
                .operands()
                .iter()
                .zip(in_order(alu, order))
                .all(|(p, s)| may_match(b.shader, p, s))
                && found.in_order(b.shader, rule.operands(), alu, [0, 1, 2, 3], order)
                && rule.conditions.iter().all(|c| found.holds(b.shader, c))
            {
                let source = build(b, &rule.replace, &found, Class::Uint, bits);
                return Some(
                    b.swizzle(source.value, &source.swizzle[..usize::from(components.min(4))]),
                );
            }
        }
    }
    None
}

/// Orders in which the first two operands of a pattern match the first two sources.
fn orders(op: AluOp) -> &'static [[usize; 2]] {
    if op.info().commutative() { &[[0, 1], [1, 0]] } else { &[[0, 1]] }
}

/// The sources, the first two in this order.
fn in_order(alu: &Alu, order: [usize; 2]) -> impl Iterator<Item = &Src> {
    (0..alu.srcs.len()).map(move |i| &alu.srcs[order.get(i).copied().unwrap_or(i)])
}

/// Returns true if the kind of the source's instruction is the pattern's: a cheap look before the
/// whole match.
fn may_match(shader: &Shader, pattern: &Pattern, source: &Src) -> bool {
    match pattern {
        Pattern::Variable(_) => true,
        Pattern::Op(op, _) => shader.as_alu(source.value).is_some_and(|alu| alu.op == *op),
        _ => shader.as_const(source.value).is_some(),
    }
}

/// Variables bound so far; swizzles are relative to the root's components.
struct Match {
    components: u8,
    /// Width of the root.
    bits: u8,
    /// The rules apply to exact operations, too.
    keeps_values: bool,
    bound: [Option<Src>; VARIABLES],
}

impl Match {
    fn used<'a>(&self, swizzle: &'a [u8; 4]) -> &'a [u8] {
        &swizzle[..usize::from(self.components.min(4))]
    }

    /// Matches an instruction's sources, in the first order that fits; `swizzle` selects the
    /// instruction's components that matter.
    fn instruction(
        &mut self,
        shader: &Shader,
        operands: &[Pattern],
        alu: &Alu,
        swizzle: [u8; 4],
    ) -> bool {
        let before = self.bound;
        orders(alu.op).iter().any(|&order| {
            self.bound = before;
            self.in_order(shader, operands, alu, swizzle, order)
        })
    }

    fn in_order(
        &mut self,
        shader: &Shader,
        operands: &[Pattern],
        alu: &Alu,
        swizzle: [u8; 4],
        order: [usize; 2],
    ) -> bool {
        if !alu.op.info().is_per_component() || alu.srcs.len() != operands.len() {
            return false;
        }
        operands.iter().enumerate().all(|(i, operand)| {
            let source = &alu.srcs[if i < 2 { order[i] } else { i }];
            let composed = swizzle.map(|c| source.swizzle[usize::from(c & 3)]);
            let class = alu.op.info().inputs[i].class;
            self.source(shader, operand, &Src { value: source.value, swizzle: composed }, class)
        })
    }

    fn source(&mut self, shader: &Shader, pattern: &Pattern, source: &Src, class: Class) -> bool {
        match pattern {
            Pattern::Variable(i) => self.bind(*i, source),
            Pattern::AnyConstant(i) => {
                shader.as_const(source.value).is_some() && self.bind(*i, source)
            }
            Pattern::Constant(constant) => {
                let Some(data) = shader.as_const(source.value) else { return false };
                let bits = shader.bits(source.value);
                let want = constant_bits(constant, class, bits);
                want.is_some_and(|w| {
                    self.used(&source.swizzle).iter().all(|&c| data[usize::from(c & 3)] == w)
                })
            }
            Pattern::Op(op, operands) => match shader.as_alu(source.value) {
                Some(alu) if alu.op == *op && (self.keeps_values || !alu.exact) => {
                    self.instruction(shader, operands, alu, source.swizzle)
                }
                _ => false,
            },
            Pattern::Log2(_) | Pattern::MinusOne(_) | Pattern::Ones(_) => false,
        }
    }

    fn bind(&mut self, variable: usize, source: &Src) -> bool {
        match self.bound[variable] {
            None => {
                self.bound[variable] = Some(*source);
                true
            }
            Some(old) => {
                old.value == source.value && self.used(&old.swizzle) == self.used(&source.swizzle)
            }
        }
    }

    /// The bound constant's components.
    fn constant(&self, shader: &Shader, variable: usize) -> Option<SmallVec<[u64; 4]>> {
        let source = self.bound[variable]?;
        let data = shader.as_const(source.value)?;
        Some(self.used(&source.swizzle).iter().map(|&c| data[usize::from(c & 3)]).collect())
    }

    fn bits(&self, shader: &Shader, variable: usize) -> u8 {
        self.bound[variable].map_or(0, |s| shader.bits(s.value))
    }

    fn holds(&self, shader: &Shader, condition: &Condition) -> bool {
        match *condition {
            Condition::Bits(variable, bits) => self.bits(shader, variable) == bits,
            Condition::PowerOfTwo(variable) => self
                .constant(shader, variable)
                .is_some_and(|c| c.iter().all(|v| v.is_power_of_two())),
            Condition::Result(bits) => self.bits == bits,
            _ => self.constants_hold(shader, condition),
        }
    }

    /// Conditions on the components of several constants.
    fn constants_hold(&self, shader: &Shader, condition: &Condition) -> bool {
        let variables: SmallVec<[usize; 3]> = condition.variables();
        let constants: Option<SmallVec<[_; 3]>> =
            variables.iter().map(|&v| self.constant(shader, v)).collect();
        let Some(constants) = constants else { return false };
        let bits = self.bits(shader, variables[0]);
        (0..usize::from(self.components.min(4))).all(|c| {
            let values: SmallVec<[u64; 3]> = constants.iter().map(|values| values[c]).collect();
            condition.of_constants(&values, bits)
        })
    }
}

impl Condition {
    /// The variables whose constants it is about.
    pub(super) fn variables(&self) -> SmallVec<[usize; 3]> {
        match *self {
            Condition::Result(_) => SmallVec::new(),
            Condition::Bits(a, _)
            | Condition::PowerOfTwo(a)
            | Condition::LowMask(a)
            | Condition::UnitInterval(a)
            | Condition::NormalReciprocal(a)
            | Condition::Field(a) => smallvec![a],
            Condition::LowestBit(a, b)
            | Condition::LowestBitAbove(a, b)
            | Condition::LowestBitBelow(a, b)
            | Condition::LowestBitMovable(a, b)
            | Condition::Complement(a, b)
            | Condition::Differ(a, b)
            | Condition::OnesBelow(a, b)
            | Condition::OnesFrom(a, b)
            | Condition::Fits(a, b) => smallvec![a, b],
            Condition::ShiftedComplement(a, b, c) => smallvec![a, b, c],
        }
    }

    /// Returns true if it holds for one component of its constants, in the order of
    /// [`Condition::variables`], the first of this width.
    pub(super) fn of_constants(&self, values: &[u64], bits: u8) -> bool {
        let all = mask(bits);
        let lowest = |v: u64| u64::from(v.trailing_zeros());
        let ones = |v: u64| u64::from(v.count_ones());
        let (width, bits) = (bits, u64::from(bits));
        match (self, values) {
            (Condition::PowerOfTwo(_), [a]) => a.is_power_of_two(),
            (Condition::LowMask(_), [a]) => *a != 0 && *a < all && (a + 1).is_power_of_two(),
            (Condition::Field(_), [a]) => {
                *a != 0 && *a != all && lowest(*a) + ones(*a) == bits - top_zeros(*a, bits)
            }
            (Condition::LowestBit(..), [a, count]) => *a != 0 && lowest(*a) == *count,
            (Condition::LowestBitAbove(..), [a, count]) => *a != 0 && lowest(*a) > *count,
            (Condition::LowestBitBelow(..), [a, count]) => lowest(*a) < *count && *count < bits,
            (Condition::LowestBitMovable(..), [a, count]) => {
                *count < bits && lowest(*a) + count < bits
            }
            (Condition::Complement(..), [a, b]) => *b == !a & all,
            (Condition::Differ(..), [a, b]) => a != b,
            (Condition::ShiftedComplement(..), [a, count, b]) => {
                let shifted = if *count < bits { a << count & all } else { 0 };
                shifted >> count.min(&63) == *a && *b == !shifted & all
            }
            (Condition::OnesBelow(..), [a, count]) => {
                0 < *count && *count < bits && *a == all >> (bits - count)
            }
            (Condition::OnesFrom(..), [a, count]) => {
                0 < *count && *count < bits && *a == all << count & all
            }
            (Condition::UnitInterval(_), [a]) => {
                let value = decode_float(width, *a);
                (0.0..=1.0).contains(&value) && value.is_sign_positive()
            }
            (Condition::NormalReciprocal(_), [a]) => {
                let limit = if width == 16 { 2f64.powi(13) } else { 2f64.powi(125) };
                (limit.recip()..=limit).contains(&decode_float(width, *a).abs())
            }
            (Condition::Fits(..), [a, count]) => *count < bits && ones(*a) + count <= bits,
            _ => true,
        }
    }
}

/// Number of zeros above the highest one of a value of this width.
fn top_zeros(value: u64, bits: u64) -> u64 {
    (u64::from(value.leading_zeros()) + bits).saturating_sub(64)
}

/// The bits of a pattern constant in a class and width; `None` if it cannot stand there.
pub(super) fn constant_bits(constant: &Constant, class: Class, bits: u8) -> Option<u64> {
    Some(match (constant, class) {
        (Constant::Bool(value), _) if bits == 1 => u64::from(*value),
        (Constant::Float(value), _) if bits >= 16 => encode_float(bits, *value),
        (Constant::Int(value), Class::Int | Class::Uint) if bits > 1 => *value as u64 & mask(bits),
        _ => return None,
    })
}

/// Builds a replacement whose width is `bits`; gives a source in terms of the root's components.
fn build(b: &mut Builder<'_>, pattern: &Pattern, found: &Match, class: Class, bits: u8) -> Src {
    match pattern {
        Pattern::Variable(i) | Pattern::AnyConstant(i) => {
            found.bound[*i].unwrap_or_else(|| raise(format!("variable {i} is unbound")))
        }
        Pattern::Constant(constant) => {
            let data = constant_bits(constant, class, bits);
            let data = data.unwrap_or_else(|| {
                raise(format!("{constant:?} is not a {class:?} constant of {bits} bits"))
            });
            Src::splat(b.constant(bits, &[data]), 0)
        }
        Pattern::Log2(i) | Pattern::MinusOne(i) | Pattern::Ones(i) => {
            let data = found.constant(b.shader, *i);
            let data = data.unwrap_or_else(|| raise(format!("variable {i} is not a constant")));
            let data: SmallVec<[u64; 4]> = data.iter().map(|&v| computed(pattern, v)).collect();
            Src::new(b.constant(bits, &data))
        }
        Pattern::Op(op, operands) => {
            let info = op.info();
            let width = operand_width(b.shader, *op, operands, found, bits);
            let srcs: SmallVec<[Src; 4]> = operands
                .iter()
                .zip(info.inputs)
                .map(|(operand, input)| {
                    let bits = if input.bits != 0 { input.bits } else { width };
                    build(b, operand, found, input.class, bits)
                })
                .collect();
            Src::new(b.alu_src(*op, &srcs, found.components))
        }
    }
}

/// Raises the error of a replacement that its rule does not determine.
#[cold]
#[track_caller]
fn raise(message: String) -> ! {
    InternalError::new(Phase::Ir, message).raise()
}

/// Returns the result of a pattern for a constant's component.
pub(super) fn computed(pattern: &Pattern, value: u64) -> u64 {
    match pattern {
        Pattern::Log2(_) => value.trailing_zeros().into(),
        Pattern::MinusOne(_) => value.wrapping_sub(1),
        Pattern::Ones(_) => value.count_ones().into(),
        _ => value,
    }
}

/// Width of an operation's unsized operands in a replacement: the result's if that is unsized, else
/// that of the first operand which knows its own.
fn operand_width(
    shader: &Shader,
    op: AluOp,
    operands: &[Pattern],
    found: &Match,
    result_bits: u8,
) -> u8 {
    let info = op.info();
    if info.output.bits == 0 {
        return result_bits;
    }
    let known = operands.iter().zip(info.inputs).filter(|(_, input)| input.bits == 0);
    known
        .map(|(operand, _)| own_width(shader, operand, found))
        .find(|&w| w != 0)
        .unwrap_or(result_bits)
}

/// Width a pattern has by itself; 0 if it takes any.
fn own_width(shader: &Shader, pattern: &Pattern, found: &Match) -> u8 {
    match pattern {
        Pattern::Variable(i) | Pattern::AnyConstant(i) => found.bits(shader, *i),
        Pattern::Constant(_) | Pattern::Log2(_) | Pattern::MinusOne(_) | Pattern::Ones(_) => 0,
        Pattern::Op(op, operands) => {
            let info = op.info();
            if info.output.bits != 0 {
                return info.output.bits;
            }
            let known = operands.iter().zip(info.inputs).filter(|(_, input)| input.bits == 0);
            known
                .map(|(operand, _)| own_width(shader, operand, found))
                .find(|&w| w != 0)
                .unwrap_or(0)
        }
    }
}
