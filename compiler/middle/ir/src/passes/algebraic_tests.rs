//! Proof of bit-size consistency and value preservation of every algebraic rule.

use super::algebraic_rules::{
    BITFIELD_RULES, Condition, Constant, Pattern, RULES, RuleText, VARIABLES, parse,
};
use super::inexact_rules::INEXACT_RULES;
use super::opt_algebraic::{computed, constant_bits};
use super::{opt_algebraic, opt_algebraic_inexact, opt_copy_propagation};
use crate::fold::FoldCtx;
use crate::testing::numbers::Rng;
use crate::*;

/// A width during unification: known, or the representative of a class of equal unknowns.
#[derive(Clone, Copy, Debug, PartialEq)]
enum BitWidth {
    Known(u8),
    Unknown(usize),
}

/// Unifies the widths of a rule's nodes.
#[derive(Default)]
struct Solver {
    parents: Vec<Option<BitWidth>>,
    variables: [Option<BitWidth>; VARIABLES],
}

impl Solver {
    fn fresh(&mut self) -> BitWidth {
        self.parents.push(None);
        BitWidth::Unknown(self.parents.len() - 1)
    }

    fn find(&self, mut width: BitWidth) -> BitWidth {
        while let BitWidth::Unknown(i) = width {
            match self.parents[i] {
                Some(next) => width = next,
                None => break,
            }
        }
        width
    }

    fn unify(&mut self, a: BitWidth, b: BitWidth) -> Result<(), String> {
        match (self.find(a), self.find(b)) {
            (a, b) if a == b => Ok(()),
            (BitWidth::Unknown(i), other) | (other, BitWidth::Unknown(i)) => {
                self.parents[i] = Some(other);
                Ok(())
            }
            (BitWidth::Known(a), BitWidth::Known(b)) => Err(format!("{a} bits meet {b} bits")),
        }
    }

    /// Returns the width of a pattern and unifies on the way. `expected` classes keep booleans and
    /// numbers apart.
    fn width(&mut self, pattern: &Pattern) -> Result<BitWidth, String> {
        match pattern {
            Pattern::Variable(i) | Pattern::AnyConstant(i) => {
                if let Some(width) = self.variables[*i] {
                    return Ok(width);
                }
                let fresh = self.fresh();
                self.variables[*i] = Some(fresh);
                Ok(fresh)
            }
            Pattern::Constant(Constant::Bool(_)) => Ok(BitWidth::Known(1)),
            Pattern::Constant(_) => Ok(self.fresh()),
            Pattern::Log2(i) | Pattern::MinusOne(i) | Pattern::Ones(i) => {
                self.variables[*i].ok_or("unbound constant".into())
            }
            Pattern::Op(op, operands) => {
                let common = if op.info().is_unsized() { self.fresh() } else { BitWidth::Known(0) };
                let rule = |o: &Operand| if o.bits == 0 { common } else { BitWidth::Known(o.bits) };
                for (operand, input) in operands.iter().zip(op.info().inputs) {
                    let width = self.width(operand)?;
                    self.unify(width, rule(input))?;
                }
                Ok(rule(&op.info().output))
            }
        }
    }
}

/// Checks one rule; gives the widths of the root's unknown that the values are tried in.
fn prove((search, replace, conditions): &RuleText) -> Result<(), String> {
    let search = parse(search).ok_or("the pattern does not parse")?;
    let replace = parse(replace).ok_or("the replacement does not parse")?;
    if !matches!(search, Pattern::Op(..)) {
        return Err("the root must be an operation".into());
    }
    let mut solver = Solver::default();
    let left = solver.width(&search)?;
    for condition in *conditions {
        match *condition {
            Condition::Bits(i, bits) => {
                let variable = solver.variables[i].ok_or("condition on an unbound variable")?;
                solver.unify(variable, BitWidth::Known(bits))?;
            }
            Condition::Result(bits) => solver.unify(left, BitWidth::Known(bits))?,
            _ => {}
        }
    }
    let bound = solver.variables;
    let unknowns_before = solver.parents.len();
    // Widths that the pattern alone determines; the replacement may not narrow them further.
    let determined: Vec<BitWidth> =
        (0..unknowns_before).map(|i| solver.find(BitWidth::Unknown(i))).collect();
    let right = solver.width(&replace)?;
    solver.unify(left, right)?;
    for (i, (before, now)) in bound.iter().zip(solver.variables).enumerate() {
        if before.is_none() && now.is_some() {
            return Err(format!("variable {i} only in the replacement"));
        }
    }
    for (i, &before) in determined.iter().enumerate() {
        let now = solver.find(BitWidth::Unknown(i));
        let narrowed = matches!((before, now), (BitWidth::Unknown(_), BitWidth::Known(_)));
        let joined =
            (0..i).any(|j| determined[j] != before && solver.find(BitWidth::Unknown(j)) == now);
        if narrowed || (joined && matches!(now, BitWidth::Unknown(_))) {
            return Err(
                "the replacement only works for some widths that the pattern matches".into()
            );
        }
    }
    for i in unknowns_before..solver.parents.len() {
        match solver.find(BitWidth::Unknown(i)) {
            BitWidth::Known(_) => {}
            BitWidth::Unknown(root) if root < unknowns_before => {}
            // Two unknowns of the pattern may have been joined through a new one.
            root if determined.iter().any(|&d| solver.find(d) == root) => {}
            _ => return Err("a width in the replacement is not determined".into()),
        }
    }
    Ok(())
}

#[test]
fn every_rule_is_bit_size_consistent() {
    let broken: Vec<String> = RULES
        .iter()
        .chain(BITFIELD_RULES)
        .chain(INEXACT_RULES)
        .filter_map(|rule| prove(rule).err().map(|e| format!("{} -> {}: {e}", rule.0, rule.1)))
        .collect();
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn the_proof_finds_mistakes() {
    assert!(prove(&("(iadd a 0)", "a", &[])).is_ok());
    for bad in [
        ("(f2f32 (f2f64 a))", "a"),
        ("(inot (feq a b))", "(feq a c)"),
        ("(i2b a)", "a"),
        ("(ine (b2i32 a) 0)", "(b2i32 a)"),
        ("(iadd a 0)", "(unpack_64_2x32_split_x a)"),
        ("(iadd a 0", "a"),
        ("(b2f32 a)", "(bcsel a 1.0 (f2f64 0.0))"),
        ("(bcsel a (ieq b b) (ieq c c))", "(ieq b c)"),
    ] {
        assert!(prove(&(bad.0, bad.1, &[])).is_err(), "{bad:?}");
    }
}

/// Operations that lowerings remove and none of the rules may make.
const LOWERED: &[AluOp] = &[
    AluOp::Flrp,
    AluOp::Fdiv,
    AluOp::Fmod,
    AluOp::Frem,
    AluOp::Ffract,
    AluOp::Fsub,
    AluOp::Fpow,
    AluOp::Fldexp,
    AluOp::Imod,
    AluOp::BitfieldInsert,
    AluOp::UbitfieldExtract,
    AluOp::IbitfieldExtract,
];

fn ops_of(pattern: &Pattern, out: &mut Vec<AluOp>) {
    if let Pattern::Op(op, operands) = pattern {
        out.push(*op);
        operands.iter().for_each(|o| ops_of(o, out));
    }
}

#[test]
fn no_rule_recreates_what_was_lowered_or_needs_a_double_operation_the_hardware_lacks() {
    for (search, replace, _) in RULES.iter().chain(BITFIELD_RULES) {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        ops_of(&parse(search).unwrap(), &mut before);
        ops_of(&parse(replace).unwrap(), &mut after);
        for op in after {
            assert!(!LOWERED.contains(&op) || before.contains(&op), "{search} -> {replace}");
            // No step may make an exotic operation out of basic ones; `frcp` comes from `fdiv`
            // only.
            let exotic = matches!(
                op,
                AluOp::Fsqrt | AluOp::Frsq | AluOp::Ffloor | AluOp::Fceil | AluOp::Ftrunc
            );
            assert!(!exotic || before.contains(&op), "{search} -> {replace}");
        }
    }
}

struct Values {
    bits: [u8; VARIABLES],
    data: [u64; VARIABLES],
}

/// Evaluates a pattern whose result should have `bits`; widths of inner operations follow from
/// their operands.
fn value(pattern: &Pattern, class: Class, bits: u8, values: &Values) -> Option<(u64, u8)> {
    match pattern {
        Pattern::Variable(i) | Pattern::AnyConstant(i) => Some((values.data[*i], values.bits[*i])),
        Pattern::Constant(c) => constant_bits(c, class, bits).map(|v| (v, bits)),
        Pattern::Log2(i) | Pattern::MinusOne(i) | Pattern::Ones(i) => {
            Some((computed(pattern, values.data[*i]), values.bits[*i]))
        }
        Pattern::Op(op, operands) => {
            let info = op.info();
            let known = |(operand, input): (&Pattern, &Operand)| match operand {
                _ if input.bits != 0 => None,
                Pattern::Constant(_) => None,
                other => value(other, input.class, 0, values).map(|v| v.1),
            };
            let inner = operands.iter().zip(info.inputs).find_map(known).unwrap_or(bits);
            let mut sources = Vec::new();
            for (operand, input) in operands.iter().zip(info.inputs) {
                let width = if input.bits == 0 { inner } else { input.bits };
                let (data, got) = value(operand, input.class, width, values)?;
                assert_eq!(got, width, "{pattern:?}");
                sources.push([data; 4]);
            }
            let out = if info.output.bits == 0 { inner } else { info.output.bits };
            let ctx_bits =
                info.inputs.iter().position(|i| i.bits == 0).map_or(info.inputs[0].bits, |_| inner);
            let ctx = FoldCtx { bits: ctx_bits, flush_f32: false };
            op.evaluate(ctx, &sources, out, 1).map(|v| (v[0], out))
        }
    }
}

/// Classes of the variables, from the operands they stand in.
fn classes(pattern: &Pattern, class: Class, out: &mut [Option<Class>; VARIABLES]) {
    match pattern {
        Pattern::Variable(i) | Pattern::AnyConstant(i)
            if out[*i].is_none() || class == Class::Float =>
        {
            out[*i] = Some(class);
        }
        Pattern::Op(op, operands) => {
            operands
                .iter()
                .zip(op.info().inputs)
                .for_each(|(o, input)| classes(o, input.class, out));
        }
        _ => {}
    }
}

/// Assignments of widths to variables that the pattern allows.
fn assignments(rule: &RuleText, search: &Pattern) -> Vec<[u8; VARIABLES]> {
    let mut result = Vec::new();
    let widths = [1u8, 8, 16, 32, 64];
    for code in 0..5usize.pow(VARIABLES as u32) {
        let bits: [u8; VARIABLES] =
            std::array::from_fn(|i| widths[code / 5usize.pow(i as u32) % 5]);
        let mut solver = Solver::default();
        let Ok(width) = solver.width(search) else { continue };
        let fits = (0..VARIABLES).all(|i| match solver.variables[i] {
            None => bits[i] == 32,
            Some(v) => solver.unify(v, BitWidth::Known(bits[i])).is_ok(),
        });
        let conditions = rule.2.iter().all(|c| match *c {
            Condition::Bits(i, b) => bits[i] == b,
            Condition::Result(b) => solver.unify(width, BitWidth::Known(b)).is_ok(),
            _ => true,
        });
        if fits && conditions && widths_allowed(search, &bits).is_some() {
            result.push(bits);
        }
    }
    result
}

/// The widths are possible for the classes of all operations; gives the pattern's own width (0:
/// any).
fn widths_allowed(pattern: &Pattern, bits: &[u8; VARIABLES]) -> Option<u8> {
    match pattern {
        Pattern::Variable(i)
        | Pattern::AnyConstant(i)
        | Pattern::Log2(i)
        | Pattern::MinusOne(i)
        | Pattern::Ones(i) => Some(bits[*i]),
        Pattern::Constant(Constant::Bool(_)) => Some(1),
        Pattern::Constant(_) => Some(0),
        Pattern::Op(op, operands) => {
            let info = op.info();
            let mut common = 0;
            for (operand, input) in operands.iter().zip(info.inputs) {
                let width = widths_allowed(operand, bits)?;
                if input.bits != 0 || width == 0 {
                    continue;
                }
                let ok = match input.class {
                    Class::Float => matches!(width, 16 | 32 | 64),
                    _ => width != 1 || info.allows_bool(),
                };
                if !ok || (common != 0 && common != width) {
                    return None;
                }
                common = width;
            }
            // A number constant cannot stand among booleans.
            let number =
                |o: &Pattern| matches!(o, Pattern::Constant(Constant::Int(_) | Constant::Float(_)));
            if common == 1 && operands.iter().any(number) {
                return None;
            }
            Some(if info.output.bits == 0 { common } else { info.output.bits })
        }
    }
}

#[test]
fn every_rule_preserves_values() {
    let mut rng = Rng::new(11);
    for rule in RULES.iter().chain(BITFIELD_RULES) {
        let (search, replace) = (parse(rule.0).unwrap(), parse(rule.1).unwrap());
        let Pattern::Op(root, _) = &search else { unreachable!() };
        let mut kinds = [None; VARIABLES];
        classes(&search, Class::Int, &mut kinds);
        let float_result = root.info().output.class == Class::Float
            || (matches!(root, AluOp::Bcsel) && kinds[1] == Some(Class::Float));
        let widths = assignments(rule, &search);
        assert!(!widths.is_empty(), "{rule:?} matches no widths");
        let mut tried = 0;
        for bits in widths {
            for _ in 0..800 {
                let mut values = Values { bits, data: [0; VARIABLES] };
                for i in 0..VARIABLES {
                    values.data[i] = match kinds[i] {
                        Some(Class::Float) => rng.float(bits[i]),
                        _ => rng.int(bits[i]),
                    };
                }
                for condition in rule.2 {
                    make_hold(condition, &mut values, &mut rng);
                }
                let holds = |c: &Condition| {
                    let variables = c.variables();
                    let constants: Vec<u64> = variables.iter().map(|&v| values.data[v]).collect();
                    variables.is_empty() || c.of_constants(&constants, values.bits[variables[0]])
                };
                if !rule.2.iter().all(holds) {
                    continue;
                }
                tried += 1;
                let Some((want, width)) = value(&search, Class::Uint, 32, &values) else {
                    continue;
                };
                let got = value(&replace, root.info().output.class, width, &values);
                let Some((got, got_width)) = got else {
                    panic!("{rule:?}: replacement does not evaluate")
                };
                assert_eq!(width, got_width, "{rule:?}");
                let nan = |v| float_result && crate::fold::decode_float(width, v).is_nan();
                assert!(
                    want == got || (nan(want) && nan(got)),
                    "{rule:?} at {bits:?}: {:x?} gives {got:#x}, {want:#x} expected",
                    values.data
                );
            }
        }
        assert!(tried >= 100, "{rule:?}: only {tried} cases");
    }
}

/// Singles of moderate size give almost the same values: each rule saves or adds a few roundings.
#[test]
fn inexact_rules_stay_close() {
    const LIMIT: f64 = 1.0 / 65_536.0;
    let mut rng = Rng::new(13);
    for rule in INEXACT_RULES {
        let (search, replace) = (parse(rule.0).unwrap(), parse(rule.1).unwrap());
        let mut kinds = [None; VARIABLES];
        classes(&search, Class::Int, &mut kinds);
        for _ in 0..1000 {
            let mut values = Values { bits: [32; VARIABLES], data: [0; VARIABLES] };
            for (i, kind) in kinds.iter().enumerate() {
                let number = (50 + rng.below(350)) as f64 / 100.0;
                match kind {
                    Some(Class::Float) => {
                        values.data[i] = crate::fold::encode_float(32, number);
                    }
                    Some(_) => (values.bits[i], values.data[i]) = (1, rng.below(2) as u64),
                    None => {}
                }
            }
            for condition in rule.2 {
                make_hold(condition, &mut values, &mut rng);
            }
            let result = |pattern| {
                let (data, bits) = value(pattern, Class::Float, 32, &values).expect("a value");
                assert_eq!(bits, 32, "{rule:?}");
                crate::fold::decode_float(32, data)
            };
            let (want, got) = (result(&search), result(&replace));
            assert!((want - got).abs() <= LIMIT * want.abs().max(1.0), "{rule:?}: {want} {got}");
        }
    }
}

/// `precise` keeps the root and every operation of a pattern.
#[test]
fn inexact_rules_leave_exact_operations() {
    let text = |outer: &str, inner: &str| {
        format!(
            "shader vertex\nblock b0 {{\n  32x1 v0 = const 0\n  32x1 v1 = load_input v0 slot=var0 \
             component=0\n  32x1 v2 = const 0x40000000\n  32x1 v3 = fmul{inner} v1, v2\n  \
             32x1 v4 = fmul{outer} v3, v2\n  store_output v4, v0 slot=var0 component=0 mask=1 stream=0\n}}"
        )
    };
    for (outer, inner, changes) in [("", "", true), ("!", "", false), ("", "!", false)] {
        let mut shader = crate::parse(&text(outer, inner)).expect("a shader");
        assert_eq!(opt_algebraic_inexact(&mut shader), changes, "{outer} {inner}");
    }
}

/// Sets the constants of a condition to random values for which it holds, as far as other
/// conditions on them allow.
fn make_hold(condition: &Condition, values: &mut Values, rng: &mut Rng) {
    let width = |i: usize| usize::from(values.bits[i]);
    let all = |i: usize| crate::fold::mask(values.bits[i]);
    let data = &mut values.data;
    match *condition {
        Condition::PowerOfTwo(i) => data[i] = 1 << rng.below(width(i)),
        Condition::LowMask(i) => data[i] = (1 << (1 + rng.below(width(i) - 1))) - 1,
        Condition::Field(i) => {
            let ones = 1 + rng.below(width(i) - 1);
            data[i] = ((1 << ones) - 1) << rng.below(width(i) - ones + 1);
        }
        Condition::LowestBit(a, b) => data[b] = data[a].trailing_zeros().into(),
        Condition::LowestBitAbove(a, b)
        | Condition::LowestBitBelow(a, b)
        | Condition::LowestBitMovable(a, b)
        | Condition::Fits(a, b) => data[b] = rng.below(width(a)) as u64,
        Condition::Complement(a, b) => data[b] = !data[a] & all(a),
        Condition::Differ(a, b) => data[b] = (data[a] ^ 1) & all(a),
        Condition::OnesBelow(a, b) => {
            data[b] = 1 + rng.below(width(a) - 1) as u64;
            data[a] = (1 << data[b]) - 1;
        }
        Condition::OnesFrom(a, b) => {
            data[b] = 1 + rng.below(width(a) - 1) as u64;
            data[a] = all(a) << data[b] & all(a);
        }
        Condition::ShiftedComplement(a, b, c) => {
            data[b] = rng.below(width(a)) as u64;
            data[a] = (data[a] | 1) & (all(a) >> data[b]);
            data[c] = !(data[a] << data[b]) & all(a);
        }
        Condition::UnitInterval(i) => {
            let value = rng.below(1001) as f64 / 1000.0;
            data[i] = crate::fold::encode_float(values.bits[i], value);
        }
        Condition::NormalReciprocal(i) => {
            let value = (1 + rng.below(1000)) as f64 / 100.0;
            data[i] = crate::fold::encode_float(values.bits[i], value);
        }
        Condition::Bits(..) | Condition::Result(_) => {}
    }
}

#[test]
fn rules_match_through_swizzles_and_in_either_order() {
    let text = "shader vertex
block b0 {
  32x1 v0 = const 0
  32x4 v1 = load_input v0 slot=attribute0 component=0
  32x4 v2 = fneg v1.wzyx
  32x2 v3 = fneg v2.zw
  32x1 v4 = const 0x1
  32x2 v5 = imul v4.xx, v3
  store_output v5, v0 slot=var0 component=0 mask=3 stream=0
}
";
    let mut shader = parse_shader(text);
    while opt_algebraic(&mut shader) | opt_copy_propagation(&mut shader) {}
    super::opt_dce(&mut shader);
    let out = shader.to_string();
    assert!(!out.contains("fneg") && !out.contains("imul"), "{out}");
    assert!(out.contains("mov v1.yx"), "{out}");
}

fn parse_shader(text: &str) -> Shader {
    let shader = crate::parse(text).unwrap();
    validate(&shader).unwrap();
    shader
}
