//! Expressions: accesses, operators, constructors, assignments, calls.

use ir::{IntrinsicOp, Value};
use program::{
    BinaryOp, Direction, Expr, ExprId, ExprKind, Function, FunctionId, Literal, Scalar, Type,
    TypeId, UnaryOp,
};
use vocabulary::SourceLine;

use crate::error::LowerError;
use crate::lowerer::{Binding, Lowerer};
use crate::place::{Base, Place};
use crate::value::Val;

/// Operands of `?:`, `&&` and `||` up to this many nodes are evaluated without a branch when
/// nothing forbids it.
const CHEAP_NODES: u32 = 24;

impl Lowerer<'_, '_> {
    /// Evaluates an expression for its effects.
    pub(crate) fn eval_statement(&mut self, id: ExprId) -> Result<(), LowerError> {
        self.eval(id).map(drop)
    }

    /// Evaluates an expression.
    pub(crate) fn eval(&mut self, id: ExprId) -> Result<Val, LowerError> {
        let shader = self.shader;
        let expr: &Expr = &shader.exprs[id];
        let outer = std::mem::replace(&mut self.builder.exact, expr.precise);
        let outer_line = self.start_line(id);
        let value = self.nested(|this| this.eval_kind(id, expr));
        self.builder.exact = outer;
        // Uses of the value by a statement belong to the line of the expression.
        if !outer_line.is_unknown() {
            self.builder.line = outer_line;
        }
        value
    }

    /// Goes to the source line of an expression. Returns the line before.
    fn start_line(&mut self, id: ExprId) -> SourceLine {
        let line = self.shader.line(self.shader.exprs[id].span);
        let line = if line.is_unknown() { self.builder.line } else { line };
        std::mem::replace(&mut self.builder.line, line)
    }

    /// Binary operators and commas down the left side of an expression.
    fn eval_chain(&mut self, id: ExprId) -> Result<Val, LowerError> {
        let shader = self.shader;
        let (first, chain) = shader.left_chain(id);
        let mut value = self.eval(first)?;
        for id in chain {
            let expr = &shader.exprs[id];
            self.builder.exact = expr.precise;
            self.start_line(id);
            value = match expr.kind {
                ExprKind::Binary(op @ (BinaryOp::LogicalAnd | BinaryOp::LogicalOr), _, b) => {
                    self.short_circuit(op, value.leaf()?, b)?.into()
                }
                ExprKind::Binary(op, a, b) => {
                    let (a_ty, b_ty) = (self.expr_type(a), self.expr_type(b));
                    let b = self.eval(b)?;
                    self.binary(op, a_ty, &value, b_ty, &b)?
                }
                ExprKind::Sequence(_, b) => self.eval(b)?,
                _ => return Err(LowerError::Malformed("a chain of something else than operators")),
            };
        }
        Ok(value)
    }

    fn eval_kind(&mut self, id: ExprId, expr: &Expr) -> Result<Val, LowerError> {
        match &expr.kind {
            ExprKind::Literal(literal) => Ok(self.literal(*literal, expr.ty)?.into()),
            ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::Member { .. }
            | ExprKind::Index { .. }
            | ExprKind::Swizzle { .. } => self.access(id, expr),
            ExprKind::Unary(op, operand) => {
                let value = self.eval(*operand)?;
                let scalar = self.scalar_of(expr.ty)?;
                self.unary(*op, scalar, &value)
            }
            ExprKind::Binary(..) | ExprKind::Sequence(..) => self.eval_chain(id),
            ExprKind::Assign { place, value } => {
                let place = self.place_of(*place)?;
                let value = self.eval(*value)?;
                self.store(&place, &value)?;
                Ok(value)
            }
            ExprKind::CompoundAssign { op, place, value } => {
                let (place_ty, value_ty) = (self.expr_type(*place), self.expr_type(*value));
                let place = self.place_of(*place)?;
                let right = self.eval(*value)?;
                let left = self.load(&place)?;
                let result = self.binary(*op, place_ty, &left, value_ty, &right)?;
                self.store(&place, &result)?;
                Ok(result)
            }
            ExprKind::PreIncrement { place, decrement } => {
                Ok(self.increment(*place, *decrement)?.1)
            }
            ExprKind::PostIncrement { place, decrement } => {
                Ok(self.increment(*place, *decrement)?.0)
            }
            ExprKind::Select { condition, if_true, if_false } => {
                self.select(*condition, *if_true, *if_false)
            }
            ExprKind::Convert(operand)
                if self.types.contains_opaque(expr.ty)
                    || self.types.contains_opaque(self.expr_type(*operand)) =>
            {
                Err(LowerError::Unsupported("conversions of samplers and images"))
            }
            ExprKind::Convert(operand) => {
                let (from, to) =
                    (self.scalar_of(self.expr_type(*operand))?, self.scalar_of(expr.ty)?);
                let value = self.eval(*operand)?;
                value.try_map(&mut |v| self.convert(from, to, v))
            }
            ExprKind::Splat(operand) => {
                let value = self.eval(*operand)?.leaf()?;
                self.splat(expr.ty, value)
            }
            ExprKind::Compose(parts) => self.compose(expr.ty, parts),
            ExprKind::Aggregate(parts) => {
                Ok(Val::List(parts.iter().map(|&p| self.eval(p)).collect::<Result<_, _>>()?))
            }
            ExprKind::DiagonalMatrix(operand) => {
                let value = self.eval(*operand)?.leaf()?;
                self.diagonal_matrix(expr.ty, value)
            }
            ExprKind::ResizeMatrix(operand) => {
                let value = self.eval(*operand)?;
                self.resize_matrix(expr.ty, &value)
            }
            ExprKind::RuntimeLength(array) => self.runtime_length(*array),
            ExprKind::Call { function, arguments } => self.call(*function, arguments),
            ExprKind::CallSubroutine { place, arguments } => {
                self.call_subroutine(*place, arguments, expr.ty)
            }
            ExprKind::Builtin { function, arguments } => self.builtin(*function, arguments),
            ExprKind::Texture(call) => self.texture(call, expr.ty),
            ExprKind::Image(call) => self.image(call, expr.ty),
            ExprKind::Atomic { op, place, operands } => {
                let scalar = self.scalar_of(expr.ty)?;
                let place = self.place_of(*place)?;
                let operands = operands
                    .iter()
                    .map(|&o| self.eval(o)?.leaf())
                    .collect::<Result<Vec<_>, _>>()?;
                Ok(self.atomic(*op, &place, &operands, scalar)?.into())
            }
        }
    }

    /// The place of an l-value.
    pub(crate) fn place_of(&mut self, id: ExprId) -> Result<Place, LowerError> {
        self.place(id)?.ok_or(LowerError::Malformed("assignment to a value"))
    }

    /// Component type of a scalar, vector or matrix.
    pub(crate) fn scalar_of(&self, ty: TypeId) -> Result<Scalar, LowerError> {
        self.types.scalar_of(ty).ok_or(LowerError::Malformed("operand is not numeric"))
    }

    fn literal(&mut self, literal: Literal, ty: TypeId) -> Result<Value, LowerError> {
        let scalar = self.scalar_of(ty)?;
        let bits = scalar.bits() as u8;
        Ok(match literal {
            Literal::Bool(b) => self.builder.bool(b),
            Literal::Int(i) => self.builder.iconst(bits, i),
            Literal::Uint(u) => self.builder.constant(bits, &[u]),
            Literal::Float16(h) => self.builder.constant(16, &[h.into()]),
            Literal::Float(x) => self.builder.constant(32, &[x.to_bits().into()]),
            Literal::Double(x) => self.builder.constant(64, &[x.to_bits()]),
        })
    }

    fn access(&mut self, id: ExprId, expr: &Expr) -> Result<Val, LowerError> {
        if let Some(place) = self.place(id)? {
            return self.load(&place);
        }
        match &expr.kind {
            ExprKind::Swizzle { base, components } => {
                let value = self.eval(*base)?.leaf()?;
                Ok(self.builder.swizzle(value, components.as_slice()).into())
            }
            ExprKind::Member { base, member } => {
                let value = self.eval(*base)?;
                let member = value.list()?.get(*member as usize).cloned();
                member.ok_or(LowerError::Malformed("no such member"))
            }
            ExprKind::Index { base, index } => self.index_value_of(*base, *index, expr.ty),
            _ => Err(LowerError::Malformed("variable is not a place")),
        }
    }

    /// Element of something that is not a variable (a function's result, a constructor).
    fn index_value_of(
        &mut self,
        base: ExprId,
        index: ExprId,
        _: TypeId,
    ) -> Result<Val, LowerError> {
        let base_ty = self.expr_type(base);
        let value = self.eval(base)?;
        let index = self.eval_index(index)?;
        match (&value, index.dynamic) {
            (Val::Leaf(vector), Some(dynamic)) => {
                Ok(self.builder.extract_dynamic(*vector, dynamic).into())
            }
            (Val::Leaf(vector), None) => {
                let last = self.builder.shader.components(*vector) - 1;
                Ok(self.builder.channel(*vector, (index.constant as u8).min(last)).into())
            }
            (Val::List(list), None) => {
                let element = list.get(index.constant as usize).or(list.last()).cloned();
                element.ok_or(LowerError::Malformed("index into an empty array"))
            }
            (Val::List(_), Some(_)) => {
                let storage = self.new_storage(base_ty, "indexed");
                let mut place = Place::new(Base::Variable(storage), base_ty);
                self.store(&place, &value)?;
                self.element_place(&mut place, index)?;
                self.load(&place)
            }
        }
    }

    fn splat(&mut self, ty: TypeId, value: Value) -> Result<Val, LowerError> {
        let (columns, rows) =
            self.types.shape(ty).ok_or(LowerError::Malformed("splat to a non-vector"))?;
        let column = self.builder.swizzle(value, &[0; 4][..rows as usize]);
        Ok(match self.types.get(ty) {
            Type::Matrix { .. } => Val::List(vec![column.into(); columns as usize]),
            _ => column.into(),
        })
    }

    /// Vector or matrix from the components of its parts in order.
    fn compose(&mut self, ty: TypeId, parts: &[ExprId]) -> Result<Val, LowerError> {
        let (columns, rows) =
            self.types.shape(ty).ok_or(LowerError::Malformed("constructor of a non-vector"))?;
        let mut scalars = Vec::new();
        for &part in parts {
            for leaf in self.eval(part)?.leaves() {
                scalars.extend(self.builder.channels(leaf));
            }
        }
        if scalars.len() < usize::from(columns * rows) {
            return Err(LowerError::Malformed("constructor with too few components"));
        }
        let mut column = |c: u8| {
            let first = usize::from(c * rows);
            Val::from(self.builder.vec(&scalars[first..first + usize::from(rows)]))
        };
        Ok(match self.types.get(ty) {
            Type::Matrix { .. } => Val::List((0..columns).map(&mut column).collect()),
            _ => column(0),
        })
    }

    /// Old and new value.
    fn increment(&mut self, place: ExprId, decrement: bool) -> Result<(Val, Val), LowerError> {
        let ty = self.expr_type(place);
        let scalar = self.scalar_of(ty)?;
        let place = self.place_of(place)?;
        let old = self.load(&place)?;
        let one = self.number(scalar, 1.0);
        let op = if decrement { BinaryOp::Sub } else { BinaryOp::Add };
        let new = old.try_map(&mut |v| self.componentwise(op, scalar, v, one))?;
        self.store(&place, &new)?;
        Ok((old, new))
    }

    /// A small number of any component type.
    pub(crate) fn number(&mut self, scalar: Scalar, x: f64) -> Value {
        let bits = scalar.bits() as u8;
        if scalar.is_float() {
            self.builder.fconst(bits, x)
        } else {
            self.builder.iconst(bits, x as i64)
        }
    }

    fn short_circuit(
        &mut self,
        op: BinaryOp,
        first: Value,
        b: ExprId,
    ) -> Result<Value, LowerError> {
        let and = op == BinaryOp::LogicalAnd;
        if self.is_cheap(b) {
            let second = self.eval(b)?.leaf()?;
            return Ok(if and {
                self.builder.iand(first, second)
            } else {
                self.builder.ior(first, second)
            });
        }
        let decided = self.builder.bool(!and);
        if and {
            self.builder.push_if(first);
        } else {
            let more = self.builder.inot(first);
            self.builder.push_if(more);
        }
        let second = self.eval(b)?.leaf()?;
        let ends = self.builder.pop_if();
        Ok(self.builder.if_phi(ends, second, decided))
    }

    fn select(
        &mut self,
        condition: ExprId,
        if_true: ExprId,
        if_false: ExprId,
    ) -> Result<Val, LowerError> {
        let condition = self.eval(condition)?.leaf()?;
        if self.is_cheap(if_true) && self.is_cheap(if_false) {
            let (a, b) = (self.eval(if_true)?, self.eval(if_false)?);
            return self.choose(condition, &a, &b);
        }
        self.builder.push_if(condition);
        let a = self.eval(if_true)?;
        self.builder.push_else();
        let b = self.eval(if_false)?;
        let ends = self.builder.pop_if();
        let mut others = b.leaves().into_iter();
        a.try_map(&mut |a| {
            let b = others.next().ok_or(LowerError::Malformed("operands of ?: differ"))?;
            Ok(self.builder.if_phi(ends, a, b))
        })
    }

    /// Selects between two values of one type.
    pub(crate) fn choose(&mut self, condition: Value, a: &Val, b: &Val) -> Result<Val, LowerError> {
        let mut others = b.leaves().into_iter();
        a.try_map(&mut |a| {
            let b = others.next().ok_or(LowerError::Malformed("operands of a selection differ"))?;
            Ok(self.builder.bcsel(condition, a, b))
        })
    }

    /// Returns true if evaluating an expression that GLSL would skip is harmless and cheap.
    fn is_cheap(&self, id: ExprId) -> bool {
        let mut budget = CHEAP_NODES;
        self.is_cheap_within(id, &mut budget)
    }

    fn is_cheap_within(&self, id: ExprId, budget: &mut u32) -> bool {
        if *budget == 0 {
            return false;
        }
        *budget -= 1;
        let all = |list: &[ExprId], budget: &mut u32| {
            list.iter().all(|&e| self.is_cheap_within(e, budget))
        };
        match &self.shader.exprs[id].kind {
            ExprKind::Literal(_) | ExprKind::Local(_) | ExprKind::Global(_) => true,
            ExprKind::Unary(_, a)
            | ExprKind::Convert(a)
            | ExprKind::Splat(a)
            | ExprKind::DiagonalMatrix(a)
            | ExprKind::ResizeMatrix(a)
            | ExprKind::Swizzle { base: a, .. }
            | ExprKind::Member { base: a, .. } => self.is_cheap_within(*a, budget),
            ExprKind::Binary(_, a, b) => all(&[*a, *b], budget),
            ExprKind::Index { base, index } => all(&[*base, *index], budget),
            ExprKind::Select { condition, if_true, if_false } => {
                all(&[*condition, *if_true, *if_false], budget)
            }
            ExprKind::Compose(parts) | ExprKind::Aggregate(parts) => all(parts, budget),
            _ => false,
        }
    }

    fn runtime_length(&mut self, array: ExprId) -> Result<Val, LowerError> {
        let place = self.place_of(array)?;
        let Base::Memory(memory) = &place.base else {
            return Err(LowerError::Malformed("length of a variable"));
        };
        let (element, _) = self.element_of(place.ty)?;
        let stride = memory.rules.array_stride(self.types, element, memory.order).max(1);
        let block = memory.block();
        let block = block.ok_or(LowerError::Malformed("length of an array outside a block"))?;
        let block = self.index_value(block);
        let size = self.builder.load(IntrinsicOp::SsboSize, &[block], ir::Fields::default(), 32, 1);
        let start = self.index_value(place.index);
        // A buffer too small for the fixed part has no elements.
        let room = self.builder.isub(size, start);
        let stride = self.builder.imm(stride);
        let length = self.builder.udiv(room, stride);
        let zero = self.builder.imm(0);
        let short = self.builder.ult(size, start);
        Ok(self.builder.bcsel(short, zero, length).into())
    }

    fn call(&mut self, id: FunctionId, arguments: &[ExprId]) -> Result<Val, LowerError> {
        if self.procedures.keeps(id) {
            return self.call_procedure(id, arguments);
        }
        let function: &Function = &self.shader.functions[id];
        let mut bindings = Vec::new();
        let mut copies = Vec::new();
        for (parameter, &argument) in function.parameters.iter().zip(arguments) {
            let (from, to) = (self.expr_type(argument), function.locals[parameter.local].ty);
            if parameter.direction == Direction::Opaque {
                bindings.push((parameter.local, Binding::Alias(self.place_of(argument)?)));
                continue;
            }
            let place = if parameter.direction == Direction::In {
                None
            } else {
                Some(self.place_of(argument)?)
            };
            let value = match (&place, parameter.direction) {
                (None, _) => Some(self.eval(argument)?),
                (Some(place), Direction::InOut) => {
                    let value = self.load(place)?;
                    Some(self.adapt(from, to, value)?)
                }
                _ => None,
            };
            let storage = self.new_storage(to, &function.locals[parameter.local].name);
            if let Some(value) = value {
                self.store(&Place::new(Base::Variable(storage), to), &value)?;
            }
            if let Some(place) = place {
                copies.push((storage, to, place, from));
            }
            bindings.push((parameter.local, Binding::Variable(storage)));
        }
        self.push_frame(id)?;
        for (local, binding) in bindings {
            self.frame()?.locals[local] = Some(binding);
        }
        let body = function
            .body
            .as_deref()
            .ok_or(LowerError::Malformed("call of a function without body"))?;
        let exact = std::mem::replace(&mut self.builder.exact, false);
        let line = std::mem::take(&mut self.builder.line);
        self.body(body)?;
        (self.builder.exact, self.builder.line) = (exact, line);
        let result = self.frames.pop().and_then(|frame| frame.result);
        for (storage, ty, place, place_ty) in copies {
            let value = self.load(&Place::new(Base::Variable(storage), ty))?;
            let value = self.adapt(ty, place_ty, value)?;
            self.store(&place, &value)?;
        }
        match result {
            Some(storage) => self.load(&Place::new(Base::Variable(storage), function.result)),
            None => Ok(Val::List(Vec::new())),
        }
    }

    /// Converts between a parameter's and its argument's component types.
    pub(crate) fn adapt(
        &mut self,
        from: TypeId,
        to: TypeId,
        value: Val,
    ) -> Result<Val, LowerError> {
        match (self.types.scalar_of(from), self.types.scalar_of(to)) {
            (Some(a), Some(b)) if a != b => value.try_map(&mut |v| self.convert(a, b, v)),
            _ => Ok(value),
        }
    }

    /// A call through a subroutine uniform: tests its index against every function of its type; the
    /// last needs no test.
    fn call_subroutine(
        &mut self,
        place: ExprId,
        arguments: &[ExprId],
        ty: TypeId,
    ) -> Result<Val, LowerError> {
        let place = self.place_of(place)?;
        let Type::Subroutine(name) = self.types.get(place.ty) else {
            return Err(LowerError::Malformed("subroutine call through another type"));
        };
        let shader = self.shader;
        let with_index = |(id, f): (FunctionId, &Function)| match f.subroutine_index {
            Some(index) => Ok((id, index)),
            None => Err(LowerError::Malformed("subroutine function without an index")),
        };
        let functions = shader
            .functions
            .iter()
            .filter(|(_, f)| f.subroutine_types.contains(name))
            .map(with_index)
            .collect::<Result<Vec<(FunctionId, u32)>, LowerError>>()?;
        let Some((&(last, _), others)) = functions.split_last() else {
            return Err(LowerError::Malformed("subroutine type without functions"));
        };
        let chosen = self.load(&place)?.leaf()?;
        let result = match self.types.get(ty) {
            Type::Void => None,
            _ => Some(Place::new(Base::Variable(self.new_storage(ty, "subroutine_result")), ty)),
        };
        for &(function, index) in others {
            self.check_nesting()?;
            let index = self.builder.imm(index);
            let hit = self.builder.ieq(chosen, index);
            self.builder.push_if(hit);
            self.call_into(function, arguments, result.as_ref())?;
            self.builder.push_else();
        }
        self.call_into(last, arguments, result.as_ref())?;
        others.iter().for_each(|_| self.close_if());
        match result {
            Some(place) => self.load(&place),
            None => Ok(Val::List(Vec::new())),
        }
    }

    fn call_into(
        &mut self,
        function: FunctionId,
        arguments: &[ExprId],
        result: Option<&Place>,
    ) -> Result<(), LowerError> {
        let value = self.call(function, arguments)?;
        match result {
            Some(place) => self.store(place, &value),
            None => Ok(()),
        }
    }

    /// Applies a unary operator.
    fn unary(&mut self, op: UnaryOp, scalar: Scalar, value: &Val) -> Result<Val, LowerError> {
        value.try_map(&mut |v| {
            Ok(match op {
                UnaryOp::LogicalNot | UnaryOp::BitNot => self.builder.inot(v),
                UnaryOp::Negate if scalar.is_float() => self.builder.fneg(v),
                UnaryOp::Negate => self.builder.ineg(v),
            })
        })
    }
}
