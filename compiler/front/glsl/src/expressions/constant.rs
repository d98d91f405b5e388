//! Constant expressions: their definition, and their value where the language needs a number (array
//! sizes, layout values, case labels). Initializers stay unevaluated.

use crate::checker::{Check, Checker};
use crate::constants::value::{Number, Value};
use crate::constants::vector::Shaped;
use crate::constants::{integer, pack, vector};
use glsl_syntax::ast;
use glsl_syntax::source::Span;
use program::{
    BinaryOp, BuiltinFunction, ExprId, ExprKind, Literal, Scalar, Storage, Type, TypeId, UnaryOp,
};
use std::rc::Rc;
use vocabulary::half;

/// Maximum length of a chain of constant variables.
const MAX_DEPTH: u32 = 500;

impl Checker<'_> {
    /// The initializer of a constant variable.
    fn constant_initializer(&self, kind: &ExprKind) -> Option<ExprId> {
        match *kind {
            ExprKind::Global(id) => {
                let global = &self.shader.globals[id];
                if global.storage == Storage::Const { global.initializer } else { None }
            }
            ExprKind::Local(id) => self.function.as_ref()?.constants.get(&id).copied().flatten(),
            _ => None,
        }
    }

    /// Returns whether an expression is a constant expression (GLSL 4.60 section 4.3.3).
    pub(crate) fn is_constant(&self, id: ExprId) -> bool {
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            let kind = &self.shader.exprs[id].kind;
            let ok = match kind {
                ExprKind::Local(_) | ExprKind::Global(_) => {
                    self.constant_initializer(kind).is_some()
                }
                ExprKind::Literal(_)
                | ExprKind::Unary(..)
                | ExprKind::Binary(..)
                | ExprKind::Select { .. }
                | ExprKind::Convert(_)
                | ExprKind::Splat(_)
                | ExprKind::Compose(_)
                | ExprKind::DiagonalMatrix(_)
                | ExprKind::ResizeMatrix(_)
                | ExprKind::Aggregate(_)
                | ExprKind::Swizzle { .. }
                | ExprKind::Index { .. }
                | ExprKind::Member { .. } => true,
                // GLSL ES 3.00 and GLSL 4.20 exclude the comma operator.
                ExprKind::Sequence(..) => !self.language.at_least(420, 300),
                // Built-in functions came with GLSL 1.20.
                ExprKind::Builtin { function, .. } => {
                    function.is_const() && self.language.at_least(120, 100)
                }
                _ => false,
            };
            if !ok {
                return false;
            }
            kind.for_each_child(|child| stack.push(child));
        }
        true
    }

    /// Checks and evaluates an expression that must be an integer constant.
    pub(crate) fn integer_constant(&mut self, id: ast::ExprId, what: &str) -> Check<i64> {
        let span = self.unit.exprs[id].span;
        let value = self.expression(id)?;
        let ty = self.ty(value);
        let integer = matches!(self.types.get(ty), Type::Scalar(s) if s.is_integer());
        if !integer {
            let name = self.type_name(ty);
            return self.error(span, format!("{what} must be an integer, not {name}"));
        }
        match self.evaluate_integer(value) {
            Some(number) if self.is_constant(value) => Ok(number),
            _ => self.error(span, format!("{what} must be a constant expression")),
        }
    }

    /// The integer value of an expression, if it is constant.
    pub(crate) fn evaluate_integer(&self, id: ExprId) -> Option<i64> {
        match self.evaluate(id, 0)?.first()? {
            Number::Int(value) => i64::try_from(value).ok(),
            _ => None,
        }
    }

    /// The components of a constant integer scalar or vector.
    pub(crate) fn evaluate_integers(&self, id: ExprId) -> Option<Vec<i64>> {
        let value = self.evaluate(id, 0)?;
        let integer = |n: &Number| match n {
            Number::Int(value) => i64::try_from(*value).ok(),
            _ => None,
        };
        value.components()?.iter().map(integer).collect()
    }

    /// The value of a condition that is a constant expression.
    pub(crate) fn evaluate_bool(&self, id: ExprId) -> Option<bool> {
        self.is_constant(id).then(|| self.evaluate(id, 0)?.first().map(Number::bool)).flatten()
    }

    fn evaluate(&self, id: ExprId, depth: u32) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        let expr = &self.shader.exprs[id];
        let one = |n| Some(Value::Components(vec![n]));
        match &expr.kind {
            ExprKind::Literal(literal) => one(match *literal {
                Literal::Bool(b) => Number::Bool(b),
                Literal::Int(i) => Number::Int(i.into()),
                Literal::Uint(u) => Number::Int(u.into()),
                Literal::Float(f) => Number::Float(f64::from(f)),
                Literal::Double(f) => Number::Float(f),
                Literal::Float16(bits) => Number::Float(half::to_f64(bits)),
            }),
            kind @ (ExprKind::Local(_) | ExprKind::Global(_)) => {
                self.evaluate_variable(self.constant_initializer(kind)?, depth)
            }
            ExprKind::Unary(op, a) => {
                let scalar = self.types.scalar_of(expr.ty)?;
                self.map(*a, depth, |n| unary(*op, n).to(scalar))
            }
            ExprKind::Binary(..) | ExprKind::Sequence(..) => self.evaluate_chain(id, depth),
            ExprKind::Select { condition, if_true, if_false } => {
                let chosen = if self.evaluate(*condition, depth + 1)?.first()?.bool() {
                    if_true
                } else {
                    if_false
                };
                self.evaluate(*chosen, depth + 1)
            }
            ExprKind::Convert(a) => {
                let scalar = self.types.scalar_of(expr.ty)?;
                self.map(*a, depth, |n| n.to(scalar))
            }
            ExprKind::Splat(a) => {
                let value = self.evaluate(*a, depth + 1)?.first()?;
                Some(Value::Components(vec![value; usize::from(self.types.components(expr.ty))]))
            }
            ExprKind::DiagonalMatrix(a) => {
                let value = self.evaluate(*a, depth + 1)?.first()?;
                let (columns, rows) = self.types.shape(expr.ty)?;
                Some(Value::Components(matrix(columns, rows, |c, r| (c == r).then_some(value))))
            }
            ExprKind::ResizeMatrix(a) => {
                let value = self.evaluate(*a, depth + 1)?;
                let numbers = value.components()?;
                let (columns, rows) = self.types.shape(expr.ty)?;
                let (known_columns, known_rows) = self.types.shape(self.ty(*a))?;
                let cell = |c: u8, r: u8| {
                    if c < known_columns && r < known_rows {
                        numbers
                            .get(usize::from(c) * usize::from(known_rows) + usize::from(r))
                            .copied()
                    } else {
                        (c == r).then_some(Number::Float(1.0))
                    }
                };
                Some(Value::Components(matrix(columns, rows, cell)))
            }
            ExprKind::Compose(items) => {
                let mut numbers = Vec::new();
                for &item in items {
                    numbers.extend_from_slice(self.evaluate(item, depth + 1)?.components()?);
                }
                numbers.truncate(usize::from(self.types.components(expr.ty)));
                Some(Value::Components(numbers))
            }
            ExprKind::Aggregate(items) => {
                let values: Option<Rc<[Value]>> =
                    items.iter().map(|&i| self.evaluate(i, depth + 1)).collect();
                values.map(Value::Elements)
            }
            ExprKind::Swizzle { base, components } => {
                let value = self.evaluate(*base, depth + 1)?;
                let numbers = value.components()?;
                let picked: Option<Vec<Number>> = components
                    .as_slice()
                    .iter()
                    .map(|&c| numbers.get(usize::from(c)).copied())
                    .collect();
                picked.map(Value::Components)
            }
            ExprKind::Index { base, index } => self.evaluate_index(*base, *index, depth),
            ExprKind::Member { base, member } => match self.evaluate(*base, depth + 1)? {
                Value::Elements(values) => values.get(*member as usize).cloned(),
                Value::Components(_) => None,
            },
            ExprKind::Builtin { function, arguments } => {
                self.evaluate_builtin(*function, arguments, expr.ty, depth)
            }
            _ => None,
        }
    }

    /// Evaluates the initializer of a constant variable when it is declared, so that chains of
    /// constants are not deep.
    pub(crate) fn remember_value(&self, constant: bool, initializer: Option<ExprId>) {
        if let (true, Some(initializer)) = (constant, initializer) {
            self.evaluate_variable(initializer, 0);
        }
    }

    /// The value of a constant variable's initializer. Values are kept: constants that use
    /// constants twice each would otherwise take exponential time.
    fn evaluate_variable(&self, initializer: ExprId, depth: u32) -> Option<Value> {
        if let Some(known) = self.constant_values.borrow().get(&initializer) {
            return known.clone();
        }
        let value = self.evaluate(initializer, depth + 1);
        self.constant_values.borrow_mut().insert(initializer, value.clone());
        value
    }

    /// The components of the value of a global variable's initializer, if it is a constant
    /// expression.
    pub(crate) fn known_value(&self, initializer: ExprId) -> Option<Box<[Literal]>> {
        if !self.is_constant(initializer) {
            return None;
        }
        let mut literals = Vec::new();
        let value = self.evaluate_variable(initializer, 0)?;
        value.for_each(&mut |number| {
            literals.push(match number {
                Number::Bool(b) => Literal::Bool(b),
                Number::Int(i) => Literal::Int(i as i64),
                Number::Float(f) => Literal::Double(f),
            });
        });
        Some(literals.into())
    }

    /// Replaces a constant integer scalar or vector by literals, so that those who need its value
    /// need not compute it; `None` if it is no constant expression.
    pub(crate) fn literals(&mut self, id: ExprId, span: Span) -> Option<ExprId> {
        if !self.is_constant(id) {
            return None;
        }
        let numbers = self.evaluate_integers(id)?;
        let ty = self.ty(id);
        let scalar = self.types.scalar_of(ty)?;
        let items: Vec<ExprId> =
            numbers.iter().map(|&n| self.literal(Literal::Int(n), scalar, span)).collect();
        Some(match items[..] {
            [only] => only,
            _ => self.push(ExprKind::Compose(items), ty, span),
        })
    }

    fn map(&self, id: ExprId, depth: u32, f: impl Fn(Number) -> Number) -> Option<Value> {
        let value = self.evaluate(id, depth + 1)?;
        Some(Value::Components(value.components()?.iter().map(|&n| f(n)).collect()))
    }

    fn evaluate_index(&self, base: ExprId, index: ExprId, depth: u32) -> Option<Value> {
        let index = usize::try_from(self.evaluate(index, depth + 1)?.first()?.int()).ok()?;
        match self.evaluate(base, depth + 1)? {
            Value::Elements(values) => values.get(index).cloned(),
            Value::Components(numbers) => {
                let rows = match *self.types.get(self.ty(base)) {
                    Type::Matrix { rows, .. } => usize::from(rows),
                    _ => 1,
                };
                numbers.get(index * rows..(index + 1) * rows).map(|n| Value::Components(n.to_vec()))
            }
        }
    }

    /// A value with the shape of its expression.
    fn shaped<'v>(&self, id: ExprId, value: &'v Value) -> Option<Shaped<'v>> {
        let (columns, rows) = self.types.shape(self.ty(id))?;
        Some(Shaped { numbers: value.components()?, columns: columns.into(), rows: rows.into() })
    }

    /// Binary operators and commas down the left side of an expression.
    fn evaluate_chain(&self, id: ExprId, depth: u32) -> Option<Value> {
        let (first, chain) = self.shader.left_chain(id);
        let mut value = self.evaluate(first, depth + 1);
        for id in chain {
            let expr = &self.shader.exprs[id];
            value = match expr.kind {
                ExprKind::Binary(op, a, b) => {
                    let right = self.evaluate(b, depth + 1)?;
                    self.evaluate_binary(op, (a, value?), (b, right), expr.ty)
                }
                ExprKind::Sequence(_, b) => self.evaluate(b, depth + 1),
                _ => None,
            };
        }
        value
    }

    fn evaluate_binary(
        &self,
        op: BinaryOp,
        (left, a): (ExprId, Value),
        (right, b): (ExprId, Value),
        ty: TypeId,
    ) -> Option<Value> {
        match op {
            BinaryOp::Equal => return Some(Value::Components(vec![Number::Bool(a == b)])),
            BinaryOp::NotEqual => return Some(Value::Components(vec![Number::Bool(a != b)])),
            _ => {}
        }
        let scalar = self.types.scalar_of(ty)?;
        let (first, second) = (self.shaped(left, &a)?, self.shaped(right, &b)?);
        if let Some(product) = vector::product(op, first, second) {
            return Some(Value::Components(product.iter().map(|n| n.to(scalar)).collect()));
        }
        let (a, b) = (a.components()?, b.components()?);
        let numbers: Option<Vec<Number>> = a
            .iter()
            .zip(b)
            .map(|(&x, &y)| binary(op, x, y, scalar).map(|n| n.to(scalar)))
            .collect();
        numbers.map(Value::Components)
    }

    fn evaluate_builtin(
        &self,
        function: BuiltinFunction,
        arguments: &[ExprId],
        ty: TypeId,
        depth: u32,
    ) -> Option<Value> {
        let scalar = self.types.scalar_of(ty)?;
        let values: Option<Vec<Value>> =
            arguments.iter().map(|&a| self.evaluate(a, depth + 1)).collect();
        let values = values?;
        let shaped: Option<Vec<Shaped<'_>>> =
            arguments.iter().zip(&values).map(|(&a, value)| self.shaped(a, value)).collect();
        if let Some(numbers) = vector::function(function, &shaped?) {
            return Some(Value::Components(numbers.iter().map(|n| n.to(scalar)).collect()));
        }
        let size = usize::from(self.types.components(ty));
        // A scalar beside vectors applies to every component.
        let get = |argument: usize, i: usize| -> Option<Number> {
            let numbers = values.get(argument)?.components()?;
            numbers.get(if numbers.len() == 1 { 0 } else { i }).copied()
        };
        if let Some(numbers) = pack::function(function, values.first()?.components()?) {
            return Some(Value::Components(numbers.iter().map(|n| n.to(scalar)).collect()));
        }
        let source = arguments.first().and_then(|&a| self.types.scalar_of(self.ty(a)))?;
        if let Some(value) = reinterpret(function, values.first()?, source, scalar) {
            return Some(value);
        }
        let numbers: Option<Vec<Number>> = (0..size)
            .map(|i| {
                let x = get(0, i)?;
                let result = match values.len() {
                    1 => function_of_one(function, x, source)?,
                    2 => function_of_two(function, x, get(1, i)?, source)?,
                    3 => function_of_three(
                        function,
                        x,
                        get(1, i)?,
                        get(2, i)?,
                        source == Scalar::Int,
                    )?,
                    4 if function == BuiltinFunction::BitfieldInsert => {
                        let (y, offset, bits) =
                            (get(1, i)?.int(), get(2, i)?.int(), get(3, i)?.int());
                        Number::Int(insert_bits(x.int(), y, offset, bits)?)
                    }
                    _ => return None,
                };
                let result = result.to(scalar);
                // A result too small for a normal float is flushed.
                let tiny =
                    scalar == Scalar::Float && result.float().abs() < f64::from(f32::MIN_POSITIVE);
                Some(match result {
                    Number::Float(f) if tiny => Number::Float(0.0f64.copysign(f)),
                    other => other,
                })
            })
            .collect();
        numbers.map(Value::Components)
    }
}

/// The components of a matrix, column by column; 0 where `cell(column, row)` is `None`.
fn matrix(columns: u8, rows: u8, cell: impl Fn(u8, u8) -> Option<Number>) -> Vec<Number> {
    let places = (0..columns).flat_map(|column| (0..rows).map(move |row| (column, row)));
    places.map(|(column, row)| cell(column, row).unwrap_or(Number::Float(0.0))).collect()
}

fn unary(op: UnaryOp, n: Number) -> Number {
    match (op, n) {
        (UnaryOp::LogicalNot, n) => Number::Bool(!n.bool()),
        (UnaryOp::BitNot, n) => Number::Int(!n.int()),
        (UnaryOp::Negate, Number::Float(f)) => Number::Float(-f),
        (UnaryOp::Negate, n) => Number::Int(n.int().wrapping_neg()),
    }
}

fn binary(op: BinaryOp, a: Number, b: Number, scalar: Scalar) -> Option<Number> {
    use BinaryOp as B;
    if let (Number::Float(x), Number::Float(y)) = (a, b) {
        return Some(match op {
            B::Add => Number::Float(x + y),
            B::Sub => Number::Float(x - y),
            B::Mul => Number::Float(x * y),
            B::Div => Number::Float(x / y),
            B::Less => Number::Bool(x < y),
            B::LessEqual => Number::Bool(x <= y),
            B::Greater => Number::Bool(x > y),
            B::GreaterEqual => Number::Bool(x >= y),
            _ => return None,
        });
    }
    if let (Number::Bool(x), Number::Bool(y)) = (a, b) {
        return Some(Number::Bool(match op {
            B::LogicalAnd => x && y,
            B::LogicalOr => x || y,
            B::LogicalXor => x != y,
            _ => return None,
        }));
    }
    let (x, y) = (a.int(), b.int());
    let shift = u32::try_from(y).ok().filter(|&s| s < scalar.bits());
    Some(match op {
        B::Add => Number::Int(x.wrapping_add(y)),
        B::Sub => Number::Int(x.wrapping_sub(y)),
        B::Mul => Number::Int(x.wrapping_mul(y)),
        B::Div => Number::Int(x.checked_div(y)?),
        B::Mod => Number::Int(x.checked_rem(y)?),
        B::ShiftLeft => Number::Int(x.checked_shl(shift?)?),
        B::ShiftRight => Number::Int(x.checked_shr(shift?)?),
        B::BitAnd => Number::Int(x & y),
        B::BitOr => Number::Int(x | y),
        B::BitXor => Number::Int(x ^ y),
        B::Less => Number::Bool(x < y),
        B::LessEqual => Number::Bool(x <= y),
        B::Greater => Number::Bool(x > y),
        B::GreaterEqual => Number::Bool(x >= y),
        _ => return None,
    })
}

/// The mask of a bit-field; `None` for an undefined one.
fn field_mask(offset: i128, bits: i128) -> Option<u64> {
    ((0..=32).contains(&offset) && (0..=32).contains(&bits) && offset + bits <= 32)
        .then(|| ((1u64 << bits) - 1) << offset)
}

fn insert_bits(base: i128, insert: i128, offset: i128, bits: i128) -> Option<i128> {
    let mask = field_mask(offset, bits)?;
    let (base, insert) = (u64::from(base as u32), u64::from(insert as u32));
    Some(i128::from(base & !mask | (insert << offset) & mask))
}

fn extract_bits(value: i128, offset: i128, bits: i128, signed: bool) -> Option<i128> {
    field_mask(offset, bits)?;
    let field = (u64::from(value as u32) >> offset) & ((1u64 << bits) - 1);
    let extended = if signed && bits > 0 {
        ((field << (64 - bits)) as i64) >> (64 - bits)
    } else {
        field as i64
    };
    Some(extended.into())
}

/// Functions that keep all bits, from components of one type to components of another: casts,
/// `pack…` and `unpack…`.
fn reinterpret(
    function: BuiltinFunction,
    value: &Value,
    source: Scalar,
    result: Scalar,
) -> Option<Value> {
    if !function.is_bit_cast() && !function.is_repacking() {
        return None;
    }
    let (from, to) = (source.bits(), result.bits());
    let mut numbers = Vec::new();
    // One whole at a time: a component of the wider type.
    for group in value.components()?.chunks(to.div_ceil(from) as usize) {
        let whole =
            group.iter().rev().fold(0, |bits, &n| bits << (from % 64) | raw_bits(n, source));
        numbers.extend((0..from.div_ceil(to)).map(|i| from_raw_bits(whole >> (i * to), result)));
    }
    Some(Value::Components(numbers))
}

/// A component's bits in memory.
fn raw_bits(n: Number, scalar: Scalar) -> u64 {
    match scalar {
        Scalar::Float16 => half::from_f64(n.float()).into(),
        Scalar::Float => (n.float() as f32).to_bits().into(),
        Scalar::Double => n.float().to_bits(),
        _ => n.int() as u64 & u64::MAX >> (64 - scalar.bits()),
    }
}

/// The component with the low bits of `bits`.
fn from_raw_bits(bits: u64, scalar: Scalar) -> Number {
    match scalar {
        Scalar::Float16 => Number::Float(half::to_f64(bits as u16)),
        Scalar::Float => Number::Float(f32::from_bits(bits as u32).into()),
        Scalar::Double => Number::Float(f64::from_bits(bits)),
        _ => Number::Int(bits.into()).to(scalar),
    }
}

fn function_of_one(function: BuiltinFunction, x: Number, source: Scalar) -> Option<Number> {
    use BuiltinFunction as F;
    if let Number::Int(i) = x
        && let Some(value) = integer::of_one(function, i, source)
    {
        return Some(Number::Int(value));
    }
    let f = x.float();
    match function {
        F::IsNan => return Some(Number::Bool(f.is_nan())),
        F::IsInf => return Some(Number::Bool(f.is_infinite())),
        _ => {}
    }
    Some(Number::Float(match function {
        F::Abs => f.abs(),
        F::Sign if f == 0.0 => 0.0,
        F::Sign => f.signum(),
        F::Floor => f.floor(),
        F::Ceil => f.ceil(),
        F::Trunc => f.trunc(),
        F::Round => f.round(),
        F::RoundEven => f.round_ties_even(),
        F::Fract => f - f.floor(),
        F::Sqrt => f.sqrt(),
        F::InverseSqrt => 1.0 / f.sqrt(),
        F::Exp => f.exp(),
        F::Exp2 => f.exp2(),
        F::Log => f.ln(),
        F::Log2 => f.log2(),
        F::Sin => f.sin(),
        F::Cos => f.cos(),
        F::Tan => f.tan(),
        F::Asin => f.asin(),
        F::Acos => f.acos(),
        F::Atan => f.atan(),
        F::Sinh => f.sinh(),
        F::Cosh => f.cosh(),
        F::Tanh => f.tanh(),
        F::Asinh => f.asinh(),
        F::Acosh => f.acosh(),
        F::Atanh => f.atanh(),
        F::DFdx | F::DFdy | F::Fwidth | F::DFdxFine | F::DFdyFine | F::FwidthFine => 0.0,
        F::DFdxCoarse | F::DFdyCoarse | F::FwidthCoarse => 0.0,
        F::Radians => f.to_radians(),
        F::Degrees => f.to_degrees(),
        _ => return None,
    }))
}

fn function_of_two(
    function: BuiltinFunction,
    x: Number,
    y: Number,
    source: Scalar,
) -> Option<Number> {
    use BuiltinFunction as F;
    if let (Number::Int(a), Number::Int(b)) = (x, y) {
        return integer::of_two(function, a, b, source).map(Number::Int);
    }
    let (a, b) = (x.float(), y.float());
    Some(Number::Float(match function {
        F::Min => a.min(b),
        F::Max => a.max(b),
        F::Pow => a.powf(b),
        F::Atan => a.atan2(b),
        F::MatrixCompMult => a * b,
        F::Mod => a - b * (a / b).floor(),
        F::Step => f64::from(u8::from(b >= a)),
        F::Ldexp => a * b.exp2(),
        _ => return None,
    }))
}

/// AMD_shader_trinary_minmax: the least, greatest or middle of three values.
fn of_three(function: BuiltinFunction, mut values: [Number; 3]) -> Option<Number> {
    values.sort_by(|a, b| match (a, b) {
        (Number::Int(a), Number::Int(b)) => a.cmp(b),
        _ => a.float().total_cmp(&b.float()),
    });
    let [least, middle, greatest] = values;
    Some(match function {
        BuiltinFunction::Min3 => least,
        BuiltinFunction::Max3 => greatest,
        _ => middle,
    })
}

fn function_of_three(
    function: BuiltinFunction,
    x: Number,
    y: Number,
    z: Number,
    signed: bool,
) -> Option<Number> {
    use BuiltinFunction as F;
    if let (F::Clamp, Number::Int(a), Number::Int(lo), Number::Int(hi)) = (function, x, y, z) {
        return Some(Number::Int(a.max(lo).min(hi)));
    }
    if let F::Min3 | F::Max3 | F::Mid3 = function {
        return of_three(function, [x, y, z]);
    }
    if function == F::BitfieldExtract {
        return extract_bits(x.int(), y.int(), z.int(), signed).map(Number::Int);
    }
    if let (F::Mix, Number::Bool(second)) = (function, z) {
        return Some(if second { y } else { x });
    }
    let (a, b, c) = (x.float(), y.float(), z.float());
    Some(Number::Float(match function {
        F::Clamp => a.max(b).min(c),
        F::Fma => a.mul_add(b, c),
        F::Mix => a * (1.0 - c) + b * c,
        F::Smoothstep => {
            let t = ((c - a) / (b - a)).clamp(0.0, 1.0);
            t * t * (3.0 - 2.0 * t)
        }
        _ => return None,
    }))
}
