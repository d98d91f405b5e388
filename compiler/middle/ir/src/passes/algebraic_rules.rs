//! The algebraic rules: a table of patterns in text, their parser, and the compiled form.
//!
//! A pattern is a variable (`a` to `e`), a constant (`0`, `-1`, `1.0`, `true`) or an operation with
//! operands in parentheses. `#a` is a variable that must be constant. In replacements `log2:a` (the
//! number of the lowest one), `minus1:a` and `ones:a` (how many ones) compute from a constant. A
//! float constant is that value in any float width, so `0.0` and `-0.0` differ. Commutative
//! operations match in either order.
//!
//! A rule must give exactly the same value, signed zeros and NaN included. The tests prove for each
//! rule that the bit sizes on both sides agree for all widths, and compare both sides on
//! random values of every width.

use crate::ops::AluOp;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// Extra condition on a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    /// The variable has this width.
    Bits(usize, u8),
    /// Every component of the constant is a power of two.
    PowerOfTwo(usize),
    /// The result has this width.
    Result(u8),
    /// Every component of the constant is ones from bit 0 up to below the highest bit.
    LowMask(usize),
    /// Every component of the constant is one run of ones, not all of them.
    Field(usize),
    /// The lowest one of the first constant is the bit that the second counts, in every
    /// component.
    LowestBit(usize, usize),
    /// The lowest one of the first constant is above the bit that the second counts.
    LowestBitAbove(usize, usize),
    /// The lowest one of the first constant is below the bit that the second counts.
    LowestBitBelow(usize, usize),
    /// The lowest one of the first constant, moved up by the second, is still a bit of the width.
    LowestBitMovable(usize, usize),
    /// The last constant is the complement of the first shifted left by the second; no bit is lost.
    ShiftedComplement(usize, usize, usize),
    /// The constants are complements.
    Complement(usize, usize),
    /// The constants differ in every component.
    Differ(usize, usize),
    /// The first constant is ones below the bit that the second counts.
    OnesBelow(usize, usize),
    /// The first constant is ones from the bit that the second counts up.
    OnesFrom(usize, usize),
    /// A field as wide as the first constant's ones, at the bit that the second counts, ends within
    /// the width.
    Fits(usize, usize),
    /// Every component of the float constant is between 0 and 1.
    UnitInterval(usize),
    /// Neither the float constant nor its reciprocal is zero, subnormal, infinite or NaN, in every
    /// component.
    NormalReciprocal(usize),
}

use Condition::{
    Bits, Complement, Differ, Field, Fits, LowMask, LowestBit, LowestBitAbove, LowestBitBelow,
    LowestBitMovable, OnesBelow, OnesFrom, PowerOfTwo, Result as ResultBits, ShiftedComplement,
    UnitInterval,
};

/// Variables that a rule may have.
pub(super) const VARIABLES: usize = 5;

const A: usize = 0;
const B: usize = 1;
const C: usize = 2;
const D: usize = 3;
const E: usize = 4;

/// Pattern, replacement, conditions.
pub(super) type RuleText = (&'static str, &'static str, &'static [Condition]);

/// The table. Order matters only where several rules match one root: the first wins.
pub(super) const RULES: &[RuleText] = &[
    // Signs.
    ("(fneg (fneg a))", "a", &[]),
    ("(fabs (fneg a))", "(fabs a)", &[]),
    ("(fabs (fabs a))", "(fabs a)", &[]),
    ("(fsub a b)", "(fadd a (fneg b))", &[]),
    ("(fmul (fneg a) (fneg b))", "(fmul a b)", &[]),
    ("(fmul a 1.0)", "a", &[]),
    ("(fmul a -1.0)", "(fneg a)", &[]),
    ("(fdiv a 1.0)", "a", &[]),
    ("(fdiv a -1.0)", "(fneg a)", &[]),
    ("(fdiv 1.0 a)", "(frcp a)", &[]),
    ("(fadd a -0.0)", "a", &[]),
    ("(ffma a 1.0 b)", "(fadd a b)", &[]),
    ("(ffma a -1.0 b)", "(fadd b (fneg a))", &[]),
    ("(ffma a b -0.0)", "(fmul a b)", &[]),
    ("(ineg (ineg a))", "a", &[]),
    ("(iabs (ineg a))", "(iabs a)", &[]),
    ("(iabs (iabs a))", "(iabs a)", &[]),
    // Minimum and maximum.
    ("(fmin a a)", "a", &[]),
    ("(fmax a a)", "a", &[]),
    ("(fsat (fsat a))", "(fsat a)", &[]),
    ("(fmin (fmax a 0.0) 1.0)", "(fsat a)", &[]),
    ("(fmin (fmax a #b) 1.0)", "(fsat (fmax a b))", &[UnitInterval(B)]),
    ("(fsat (b2f32 a))", "(b2f32 a)", &[]),
    ("(imin a a)", "a", &[]),
    ("(imax a a)", "a", &[]),
    ("(umin a a)", "a", &[]),
    ("(umax a a)", "a", &[]),
    ("(umin a 0)", "0", &[]),
    ("(umax a 0)", "a", &[]),
    ("(umin a -1)", "a", &[]),
    ("(umax a -1)", "-1", &[]),
    // Integer identities.
    ("(iadd a 0)", "a", &[]),
    ("(isub a 0)", "a", &[]),
    ("(isub a a)", "0", &[]),
    ("(isub 0 a)", "(ineg a)", &[]),
    ("(isub a b)", "(iadd a (ineg b))", &[]),
    ("(iadd a (ineg a))", "0", &[]),
    ("(iadd (ineg a) (iadd a b))", "b", &[]),
    ("(iadd (iadd a #b) #c)", "(iadd a (iadd b c))", &[]),
    ("(imul a 0)", "0", &[]),
    ("(imul a 1)", "a", &[]),
    ("(imul a -1)", "(ineg a)", &[]),
    ("(imul a #b)", "(ishl a (u2u32 log2:b))", &[PowerOfTwo(B)]),
    ("(udiv a 1)", "a", &[]),
    ("(idiv a 1)", "a", &[]),
    ("(udiv a #b)", "(ushr a (u2u32 log2:b))", &[PowerOfTwo(B)]),
    ("(umod a #b)", "(iand a minus1:b)", &[PowerOfTwo(B)]),
    ("(umul_high a 0)", "0", &[]),
    ("(umul_high a 1)", "0", &[]),
    ("(ishl a 0)", "a", &[]),
    ("(ishr a 0)", "a", &[]),
    ("(ushr a 0)", "a", &[]),
    ("(ishl 0 a)", "0", &[]),
    ("(ushr 0 a)", "0", &[]),
    ("(ishr 0 a)", "0", &[]),
    // Bits. Nothing here may hide a bit-field mask or insert: no rule moves a shift through an
    // `iand`.
    ("(iand a a)", "a", &[]),
    ("(ior a a)", "a", &[]),
    ("(ixor a a)", "0", &[Bits(A, 8)]),
    ("(ixor a a)", "0", &[Bits(A, 16)]),
    ("(ixor a a)", "0", &[Bits(A, 32)]),
    ("(ixor a a)", "0", &[Bits(A, 64)]),
    ("(ixor a a)", "false", &[Bits(A, 1)]),
    ("(iand a 0)", "0", &[]),
    ("(iand a -1)", "a", &[]),
    ("(ior a 0)", "a", &[]),
    ("(ior a -1)", "-1", &[]),
    ("(ixor a 0)", "a", &[]),
    ("(ixor a -1)", "(inot a)", &[]),
    ("(iand a false)", "false", &[]),
    ("(iand a true)", "a", &[]),
    ("(ior a false)", "a", &[]),
    ("(ior a true)", "true", &[]),
    ("(ixor a false)", "a", &[]),
    ("(ixor a true)", "(inot a)", &[]),
    ("(inot (inot a))", "a", &[]),
    ("(iand a (inot a))", "false", &[Bits(A, 1)]),
    ("(ior a (inot a))", "true", &[Bits(A, 1)]),
    ("(iand a (iand a b))", "(iand a b)", &[]),
    ("(ior a (ior a b))", "(ior a b)", &[]),
    ("(iand a (ior a b))", "a", &[]),
    ("(ior a (iand a b))", "a", &[]),
    ("(bfi 0 a b)", "b", &[]),
    ("(ubfe a b 0)", "0", &[]),
    ("(ubfe a 0 #b)", "(iand a (bfm b 0))", &[]),
    ("(ibfe a b 0)", "0", &[]),
    ("(bitfield_reverse (bitfield_reverse a))", "a", &[]),
    // Comparisons. The complement of an ordered float comparison is not an ordered comparison.
    ("(inot (feq a b))", "(fneu a b)", &[]),
    ("(inot (fneu a b))", "(feq a b)", &[]),
    ("(inot (ieq a b))", "(ine a b)", &[]),
    ("(inot (ine a b))", "(ieq a b)", &[]),
    ("(inot (ilt a b))", "(ige a b)", &[]),
    ("(inot (ige a b))", "(ilt a b)", &[]),
    ("(inot (ult a b))", "(uge a b)", &[]),
    ("(inot (uge a b))", "(ult a b)", &[]),
    ("(flt a a)", "false", &[]),
    ("(ieq a a)", "true", &[]),
    ("(ine a a)", "false", &[]),
    ("(ilt a a)", "false", &[]),
    ("(ige a a)", "true", &[]),
    ("(ult a a)", "false", &[]),
    ("(uge a a)", "true", &[]),
    ("(ult a 0)", "false", &[]),
    ("(uge a 0)", "true", &[]),
    ("(ieq a true)", "a", &[]),
    ("(ine a false)", "a", &[]),
    ("(ieq a false)", "(inot a)", &[]),
    ("(ine a true)", "(inot a)", &[]),
    ("(flt (fneg a) (fneg b))", "(flt b a)", &[]),
    ("(fge (fneg a) (fneg b))", "(fge b a)", &[]),
    ("(feq (fneg a) (fneg b))", "(feq a b)", &[]),
    ("(fneu (fneg a) (fneg b))", "(fneu a b)", &[]),
    ("(feq (fneg a) 0.0)", "(feq a 0.0)", &[]),
    ("(fneu (fneg a) 0.0)", "(fneu a 0.0)", &[]),
    ("(feq (fabs a) 0.0)", "(feq a 0.0)", &[]),
    ("(fneu (fabs a) 0.0)", "(fneu a 0.0)", &[]),
    // Booleans to numbers and back.
    ("(f2b a)", "(fneu a 0.0)", &[]),
    ("(i2b a)", "(ine a 0)", &[]),
    ("(fneu (b2f16 a) 0.0)", "a", &[]),
    ("(fneu (b2f32 a) 0.0)", "a", &[]),
    ("(fneu (b2f64 a) 0.0)", "a", &[]),
    ("(feq (b2f32 a) 0.0)", "(inot a)", &[]),
    ("(feq (b2f64 a) 0.0)", "(inot a)", &[]),
    ("(flt 0.0 (b2f32 a))", "a", &[]),
    ("(ine (b2i32 a) 0)", "a", &[]),
    ("(ieq (b2i32 a) 0)", "(inot a)", &[]),
    ("(ieq (b2i32 a) 1)", "a", &[]),
    ("(fmul (b2f32 a) (b2f32 b))", "(b2f32 (iand a b))", &[]),
    ("(fmax (b2f32 a) (b2f32 b))", "(b2f32 (ior a b))", &[]),
    ("(fmin (b2f32 a) (b2f32 b))", "(b2f32 (iand a b))", &[]),
    // Selections.
    ("(bcsel true a b)", "a", &[]),
    ("(bcsel false a b)", "b", &[]),
    ("(bcsel a b b)", "b", &[]),
    ("(bcsel (inot a) b c)", "(bcsel a c b)", &[]),
    ("(bcsel a true false)", "a", &[]),
    ("(bcsel a false true)", "(inot a)", &[]),
    ("(bcsel a true b)", "(ior a b)", &[]),
    ("(bcsel a b false)", "(iand a b)", &[]),
    ("(bcsel a (bcsel a b c) d)", "(bcsel a b d)", &[]),
    ("(bcsel a b (bcsel a c d))", "(bcsel a b d)", &[]),
    ("(bcsel (iand a b) c (bcsel a c d))", "(bcsel a c d)", &[]),
    ("(bcsel (iand a b) c (bcsel a d c))", "(bcsel (iand a (inot b)) d c)", &[]),
    ("(bcsel (ior a b) (bcsel a c d) d)", "(bcsel a c d)", &[]),
    ("(bcsel (ior a b) (bcsel a d c) d)", "(bcsel (iand b (inot a)) c d)", &[]),
    ("(iand (ine a #b) (ieq a #c))", "(ieq a c)", &[Differ(B, C)]),
    ("(iand (ieq a #b) (ieq a #c))", "false", &[Differ(B, C)]),
    ("(ior (ine a #b) (ieq a #c))", "(ine a b)", &[Differ(B, C)]),
    ("(ior (ine a #b) (ine a #c))", "true", &[Differ(B, C)]),
    // Conversions.
    ("(f2f32 (f2f64 a))", "a", &[Bits(A, 32)]),
    ("(f2f16 (f2f32 a))", "a", &[Bits(A, 16)]),
    ("(f2f64 (f2f32 a))", "(f2f64 a)", &[Bits(A, 16)]),
    ("(f2f32 a)", "a", &[Bits(A, 32)]),
    ("(f2f64 a)", "a", &[Bits(A, 64)]),
    ("(f2f16 a)", "a", &[Bits(A, 16)]),
    ("(i2i32 a)", "a", &[Bits(A, 32)]),
    ("(u2u32 a)", "a", &[Bits(A, 32)]),
    ("(i2i64 a)", "a", &[Bits(A, 64)]),
    ("(u2u64 a)", "a", &[Bits(A, 64)]),
    ("(i2i16 a)", "a", &[Bits(A, 16)]),
    ("(u2u16 a)", "a", &[Bits(A, 16)]),
    ("(i2i8 a)", "a", &[Bits(A, 8)]),
    ("(u2u8 a)", "a", &[Bits(A, 8)]),
    ("(i2i32 (i2i64 a))", "a", &[Bits(A, 32)]),
    ("(u2u32 (u2u64 a))", "a", &[Bits(A, 32)]),
    ("(u2u32 (i2i64 a))", "a", &[Bits(A, 32)]),
    ("(i2i32 (u2u64 a))", "a", &[Bits(A, 32)]),
    ("(f2i32 (ftrunc a))", "(f2i32 a)", &[]),
    ("(f2u32 (ftrunc a))", "(f2u32 a)", &[]),
    ("(ftrunc (ftrunc a))", "(ftrunc a)", &[]),
    ("(ffloor (ffloor a))", "(ffloor a)", &[]),
    ("(ffloor (fneg (fceil a)))", "(fneg (fceil a))", &[]),
    // Packing.
    ("(unpack_64_2x32_split_x (pack_64_2x32_split a b))", "a", &[]),
    ("(unpack_64_2x32_split_y (pack_64_2x32_split a b))", "b", &[]),
    ("(pack_64_2x32_split (unpack_64_2x32_split_x a) (unpack_64_2x32_split_y a))", "a", &[]),
    ("(unpack_32_2x16_split_x (pack_32_2x16_split a b))", "a", &[]),
    ("(unpack_32_2x16_split_y (pack_32_2x16_split a b))", "b", &[]),
    ("(pack_32_2x16_split (unpack_32_2x16_split_x a) (unpack_32_2x16_split_y a))", "a", &[]),
    ("(u2u32 (pack_64_2x32_split a b))", "a", &[]),
    ("(i2i32 (pack_64_2x32_split a b))", "a", &[]),
    ("(unpack_64_2x32_split_x (u2u64 a))", "a", &[Bits(A, 32)]),
    ("(unpack_64_2x32_split_x (i2i64 a))", "a", &[Bits(A, 32)]),
    ("(unpack_64_2x32_split_y (u2u64 a))", "0", &[Bits(A, 32)]),
];

/// The bit-field idioms, as GLSL spells them without its functions. Masks, inserts and extracts are
/// recognized apart from each other, and inserts also in the form in which a shift was moved out of
/// the masked value. Constant masks must be one run of ones and its exact complement. `bfi` moves
/// the insert up to the mask's lowest one itself: a shift by that much goes, another is made up
/// for.
pub(super) const BITFIELD_RULES: &[RuleText] = &[
    ("(ishl (iadd (ishl 1 a) -1) b)", "(bfm a b)", &[ResultBits(32)]),
    ("(iadd (ishl 1 a) -1)", "(bfm a 0)", &[ResultBits(32)]),
    ("(inot (ishl -1 a))", "(bfm a 0)", &[ResultBits(32)]),
    ("(ishl (bfm a 0) b)", "(bfm a b)", &[]),
    ("(ior (iand (ishl a b) (bfm c b)) (iand d (inot (bfm c b))))", "(bfi (bfm c b) a d)", &[]),
    ("(ior (ishl (iand a (bfm c 0)) b) (iand d (inot (bfm c b))))", "(bfi (bfm c b) a d)", &[]),
    (
        "(ior (iand (ishl a b) (ishl #c b)) (iand d (inot (ishl #c b))))",
        "(bfi (bfm ones:c b) a d)",
        &[Bits(A, 32), LowMask(C)],
    ),
    (
        "(ior (ishl (iand a #c) b) (iand d (inot (ishl #c b))))",
        "(bfi (bfm ones:c b) a d)",
        &[Bits(A, 32), LowMask(C)],
    ),
    ("(ior (iand a (bfm b 0)) (iand c (inot (bfm b 0))))", "(bfi (bfm b 0) a c)", &[]),
    ("(ixor d (iand (ixor d (ishl a b)) (bfm c b)))", "(bfi (bfm c b) a d)", &[]),
    (
        "(ior (iand (ishl a #b) #c) (iand d #e))",
        "(bfi c a d)",
        &[Bits(A, 32), Field(C), LowestBit(C, B), Complement(C, E)],
    ),
    (
        "(ior (iand (ishl a #b) #c) (iand d #e))",
        "(bfi c (ushr a (iadd log2:c (ineg b))) d)",
        &[Bits(A, 32), Field(C), LowestBitAbove(C, B), Complement(C, E)],
    ),
    (
        "(ior (iand (ishl a #b) #c) (iand d #e))",
        "(bfi c (ishl a (iadd b (ineg log2:c))) d)",
        &[Bits(A, 32), Field(C), LowestBitBelow(C, B), Complement(C, E)],
    ),
    (
        "(ior (iand (ushr a #b) #c) (iand d #e))",
        "(bfi c (ushr a (iadd b log2:c)) d)",
        &[Bits(A, 32), Field(C), LowestBitMovable(C, B), Complement(C, E)],
    ),
    (
        "(ior (ishl (iand a #b) #c) (iand d #e))",
        "(bfi (ishl b c) a d)",
        &[Bits(A, 32), LowMask(B), ShiftedComplement(B, C, E)],
    ),
    ("(ior (ishl a #b) (iand d #e))", "(bfi (inot e) a d)", &[Bits(A, 32), OnesBelow(E, B)]),
    (
        "(ior (ubfe a b #c) (iand d #e))",
        "(bfi (inot e) (ushr a b) d)",
        &[Bits(A, 32), OnesFrom(E, C)],
    ),
    ("(ior (iand a #b) (iand c #d))", "(bfi b a c)", &[Bits(A, 32), LowMask(B), Complement(B, D)]),
    ("(iand (ushr a b) #c)", "(ubfe a b ones:c)", &[Bits(A, 32), LowMask(C)]),
    ("(iand (ishr a #b) #c)", "(ubfe a b ones:c)", &[Bits(A, 32), LowMask(C), Fits(C, B)]),
];

/// A constant in a pattern.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Constant {
    Int(i64),
    Float(f64),
    Bool(bool),
}

/// A parsed pattern.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Pattern {
    Variable(usize),
    AnyConstant(usize),
    Constant(Constant),
    /// Number of the lowest one of a constant: its logarithm if it is a power of two.
    Log2(usize),
    /// A constant minus one.
    MinusOne(usize),
    /// The number of ones of a constant.
    Ones(usize),
    Op(AluOp, Vec<Pattern>),
}

/// A compiled rule.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) search: Pattern,
    pub(super) replace: Pattern,
    pub(super) conditions: &'static [Condition],
}

impl Rule {
    /// The operands of the root.
    pub(super) fn operands(&self) -> &[Pattern] {
        match &self.search {
            Pattern::Op(_, operands) => operands,
            _ => &[],
        }
    }
}

/// Rules by root operation.
pub(super) struct RuleSet {
    /// Every rule gives exactly the same value.
    pub(super) keeps_values: bool,
    by_op: FxHashMap<AluOp, Vec<Rule>>,
}

impl RuleSet {
    pub(super) fn for_op(&self, op: AluOp) -> &[Rule] {
        self.by_op.get(&op).map_or(&[], |v| v)
    }
}

/// The compiled table of simplifications.
pub(super) fn compiled() -> &'static RuleSet {
    static COMPILED: LazyLock<RuleSet> = LazyLock::new(|| compile(RULES, true));
    &COMPILED
}

/// The compiled bit-field idioms.
pub(super) fn compiled_bitfields() -> &'static RuleSet {
    static COMPILED: LazyLock<RuleSet> = LazyLock::new(|| compile(BITFIELD_RULES, true));
    &COMPILED
}

/// Compiles a table. A malformed rule is left out; the tests check that there is none.
pub(super) fn compile(table: &[RuleText], keeps_values: bool) -> RuleSet {
    let mut by_op: FxHashMap<AluOp, Vec<Rule>> = FxHashMap::default();
    for &(search, replace, conditions) in table {
        if let (Some(search), Some(replace)) = (parse(search), parse(replace))
            && let Pattern::Op(op, _) = &search
        {
            by_op.entry(*op).or_default().push(Rule { search, replace, conditions });
        }
    }
    RuleSet { keeps_values, by_op }
}

/// Parses a pattern.
pub(super) fn parse(text: &str) -> Option<Pattern> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let mut tokens = spaced.split_whitespace();
    let pattern = pattern(&mut tokens)?;
    tokens.next().is_none().then_some(pattern)
}

fn variable(text: &str) -> Option<usize> {
    match text.as_bytes() {
        [c @ b'a'..=b'e'] => Some(usize::from(c - b'a')),
        _ => None,
    }
}

fn pattern<'a>(tokens: &mut impl Iterator<Item = &'a str>) -> Option<Pattern> {
    let token = tokens.next()?;
    if token == "(" {
        let op = AluOp::from_name(tokens.next()?)?;
        let mut operands = Vec::new();
        for _ in op.info().inputs {
            operands.push(pattern(tokens)?);
        }
        return (tokens.next()? == ")").then_some(Pattern::Op(op, operands));
    }
    if let Some(i) = variable(token) {
        return Some(Pattern::Variable(i));
    }
    if let Some(name) = token.strip_prefix('#') {
        return variable(name).map(Pattern::AnyConstant);
    }
    if let Some((function, name)) = token.split_once(':') {
        let i = variable(name)?;
        return match function {
            "log2" => Some(Pattern::Log2(i)),
            "minus1" => Some(Pattern::MinusOne(i)),
            "ones" => Some(Pattern::Ones(i)),
            _ => None,
        };
    }
    Some(Pattern::Constant(match token {
        "true" => Constant::Bool(true),
        "false" => Constant::Bool(false),
        number if number.contains('.') => Constant::Float(number.parse().ok()?),
        number => Constant::Int(number.parse().ok()?),
    }))
}
