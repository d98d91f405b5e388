//! The algebraic rules that may change a result within the bounds of GLSL 4.60 section 4.7.1: they
//! round less often, assume that neither infinities nor NaN occur, or ignore the sign of zero.
//!
//! The patterns are those of [`super::algebraic_rules`].

use super::algebraic_rules::{Condition, RuleSet, RuleText, compile};
use std::sync::LazyLock;

use Condition::{NormalReciprocal, Result as ResultBits, UnitInterval};

const B: usize = 1;

/// The table. Order matters only where several rules match one root: the first wins.
pub(super) const INEXACT_RULES: &[RuleText] = &[
    // Zeros.
    ("(fmul a 0.0)", "0.0", &[]),
    ("(fmul a -0.0)", "0.0", &[]),
    ("(fadd a 0.0)", "a", &[]),
    ("(fadd a (fneg a))", "0.0", &[]),
    ("(fadd a (fneg (fadd a b)))", "(fneg b)", &[]),
    ("(fadd a (fadd b (fneg a)))", "b", &[]),
    ("(ffma a 0.0 b)", "b", &[]),
    ("(ffma a b 0.0)", "(fmul a b)", &[]),
    // Division.
    ("(fdiv a #b)", "(fmul a (frcp b))", &[NormalReciprocal(B)]),
    ("(fdiv a (fsqrt b))", "(fmul a (frsq b))", &[]),
    ("(fdiv a b)", "(fmul a (frcp b))", &[ResultBits(32)]),
    ("(frcp (fsqrt a))", "(frsq a)", &[]),
    ("(frcp (frcp a))", "a", &[]),
    ("(frcp (fexp2 a))", "(fexp2 (fneg a))", &[]),
    // Interpolation.
    ("(flrp a b 0.0)", "a", &[]),
    ("(flrp a b 1.0)", "b", &[]),
    ("(flrp a a b)", "a", &[]),
    ("(flrp 0.0 a b)", "(fmul a b)", &[]),
    ("(flrp a 0.0 b)", "(fadd a (fneg (fmul a b)))", &[]),
    ("(flrp a b (b2f32 c))", "(bcsel c b a)", &[]),
    ("(fadd (fmul a (fadd 1.0 (fneg c))) (fmul b c))", "(flrp a b c)", &[ResultBits(32)]),
    ("(fadd a (fmul b (fadd c (fneg a))))", "(flrp a c b)", &[ResultBits(32)]),
    // Powers, exponentials, logarithms.
    ("(fpow a 1.0)", "a", &[]),
    ("(fpow a 2.0)", "(fmul a a)", &[]),
    ("(fpow a 3.0)", "(fmul (fmul a a) a)", &[]),
    ("(fpow a 4.0)", "(fmul (fmul a a) (fmul a a))", &[]),
    ("(fpow 2.0 a)", "(fexp2 a)", &[]),
    ("(fexp2 (flog2 a))", "a", &[]),
    ("(flog2 (fexp2 a))", "a", &[]),
    // Constants move together.
    ("(fadd (fadd a #b) #c)", "(fadd a (fadd b c))", &[]),
    ("(fmul (fmul a #b) #c)", "(fmul a (fmul b c))", &[]),
    ("(fmul (fneg a) #b)", "(fmul a (fneg b))", &[]),
    // A common factor.
    ("(fadd (fmul a #b) (fmul a #c))", "(fmul a (fadd b c))", &[]),
    ("(fadd (fmul a #b) (fmul c #b))", "(fmul (fadd a c) b)", &[]),
    // A result in the interval from 0 to 1.
    ("(fmax (fmin a 1.0) 0.0)", "(fsat a)", &[]),
    ("(fmax (fmin a 1.0) #b)", "(fsat (fmax a b))", &[UnitInterval(B)]),
];

/// The compiled table.
pub(super) fn compiled_inexact() -> &'static RuleSet {
    static COMPILED: LazyLock<RuleSet> = LazyLock::new(|| compile(INEXACT_RULES, false));
    &COMPILED
}
