//! Expressions: operators, constructors, assignments, calls.

use program::{
    AtomicOp, BinaryOp, Direction, Expr, ExprId, ExprKind, FunctionId, Literal, LocalId, Scalar,
    Type, TypeId, UnaryOp,
};

use crate::call::CallFrame;
use crate::effects::has_effects;
use crate::environment::{Error, atomic_result};
use crate::invocation_group::InvocationGroup;
use crate::lanes::{Mask, Value};
use crate::place::{Place, PlaceRoot};
use crate::scalar;
use crate::shared_cells::Change;

impl InvocationGroup<'_> {
    /// Evaluates an expression in the active lanes. Components of other lanes have any value.
    pub(crate) fn eval(&mut self, id: ExprId) -> Result<Value, Error> {
        self.nested(|this| match this.flat_value(id)? {
            Some(value) => Ok(value),
            None => this.eval_kind(id),
        })
    }

    fn eval_kind(&mut self, id: ExprId) -> Result<Value, Error> {
        let shader = self.shader;
        let expr: &Expr = &shader.exprs[id];
        match &expr.kind {
            ExprKind::Literal(literal) => Ok(Value::uniform(literal_bits(*literal), self.lanes)),
            ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::Member { .. }
            | ExprKind::Index { .. }
            | ExprKind::Swizzle { .. } => self.eval_access(id, expr),
            ExprKind::Unary(op, operand) => {
                let value = self.eval(*operand)?;
                self.apply_unary(*op, expr.ty, &value)
            }
            ExprKind::Binary(..) | ExprKind::Sequence(..) => self.eval_chain(id),
            ExprKind::Assign { place, value } => {
                let place = self.place(*place)?.ok_or(Error::Malformed("assignment to a value"))?;
                let value = self.eval(*value)?;
                self.store(&place, &value)?;
                Ok(value)
            }
            ExprKind::CompoundAssign { op, place, value } => {
                self.compound_assign(*op, *place, *value, expr.precise)
            }
            ExprKind::PreIncrement { place, decrement } => {
                Ok(self.increment(*place, *decrement, expr.ty)?.1)
            }
            ExprKind::PostIncrement { place, decrement } => {
                Ok(self.increment(*place, *decrement, expr.ty)?.0)
            }
            ExprKind::Select { condition, if_true, if_false } => {
                self.eval_select(*condition, *if_true, *if_false)
            }
            ExprKind::Convert(operand) => self.eval_convert(expr.ty, *operand),
            ExprKind::Splat(operand) => {
                Ok(self.eval(*operand)?.splat(self.layout.component_count(expr.ty)))
            }
            ExprKind::Compose(parts) | ExprKind::Aggregate(parts) => {
                let parts = self.eval_all(parts)?;
                Ok(Value::concat(&parts, self.layout.component_count(expr.ty), self.lanes))
            }
            ExprKind::DiagonalMatrix(operand) => {
                let value = self.eval(*operand)?;
                self.diagonal(expr.ty, &value)
            }
            ExprKind::ResizeMatrix(operand) => self.resize_matrix(expr.ty, *operand),
            ExprKind::RuntimeLength(array) => self.runtime_length_of(*array),
            ExprKind::Call { function, arguments } => self.call(*function, arguments),
            ExprKind::CallSubroutine { place, arguments } => {
                self.call_subroutine(*place, arguments, expr.ty)
            }
            ExprKind::Builtin { function, arguments } => self.builtin(*function, arguments, expr),
            ExprKind::Texture(call) => self.texture(call, expr.ty),
            ExprKind::Image(call) => self.image(call, expr.ty),
            ExprKind::Atomic { op, place, operands } => self.atomic(*op, *place, operands, expr.ty),
        }
    }

    /// Evaluates several expressions from left to right.
    pub(crate) fn eval_all(&mut self, exprs: &[ExprId]) -> Result<Vec<Value>, Error> {
        exprs.iter().map(|&e| self.eval(e)).collect()
    }

    /// Returns the component type of a scalar, vector or matrix type.
    pub(crate) fn scalar_of(&self, ty: TypeId) -> Result<Scalar, Error> {
        self.types.scalar_of(ty).ok_or(Error::Malformed("operand is not numeric"))
    }

    /// A local variable that is not a parameter's alias.
    fn plain_local(&self, id: ExprId) -> Option<&Value> {
        let &ExprKind::Local(local) = &self.shader.exprs[id].kind else { return None };
        let frame = &self.call.frame;
        frame.alias(local).is_none().then(|| frame.local(local))
    }

    fn eval_access(&mut self, id: ExprId, expr: &Expr) -> Result<Value, Error> {
        if let Some(value) = self.plain_local(id) {
            return Ok(value.slice(0, self.layout.component_count(expr.ty)));
        }
        if let ExprKind::Swizzle { base, components } = &expr.kind
            && let Some(value) = self.plain_local(*base)
        {
            return Ok(value.select(components.as_slice()));
        }
        if let Some(place) = self.place(id)? {
            return self.load(&place);
        }
        match &expr.kind {
            ExprKind::Swizzle { base, components } => {
                Ok(self.eval(*base)?.select(components.as_slice()))
            }
            ExprKind::Member { base, member } => {
                let members = self.types.members(self.shader.exprs[*base].ty);
                let before = members
                    .and_then(|m| m.get(..*member as usize))
                    .ok_or(Error::Malformed("no such member"))?;
                let first: usize = before.iter().map(|m| self.layout.component_count(m.ty)).sum();
                Ok(self.eval(*base)?.slice(first, self.layout.component_count(expr.ty)))
            }
            ExprKind::Index { base, index } => self.index_value(*base, *index, expr.ty),
            _ => Err(Error::Malformed("variable is not a place")),
        }
    }

    fn index_value(&mut self, base: ExprId, index: ExprId, ty: TypeId) -> Result<Value, Error> {
        let value = self.eval(base)?;
        let indices = self.eval(index)?;
        let size = self.layout.component_count(ty).max(1);
        let length = value.components() / size;
        let mut result = Value::zero(size, self.lanes);
        for lane in 0..self.lanes {
            let i = usize::try_from(indices.get(0, lane)).unwrap_or(usize::MAX);
            for c in 0..size {
                if i < length {
                    result.copy_component(c, lane, &value, i * size + c);
                }
                if i >= length || indices.is_undefined(0, lane) {
                    result.mark_undefined(c, lane);
                }
            }
        }
        Ok(result)
    }

    fn apply_unary(&self, op: UnaryOp, ty: TypeId, value: &Value) -> Result<Value, Error> {
        let scalar = self.scalar_of(ty)?;
        let f = scalar::unary(op, scalar)
            .ok_or(Error::Malformed("operator is undefined for this type"))?;
        Ok(value.map(|x| scalar::wrap(scalar, f(x))))
    }

    /// Evaluates the binary operators and commas down the left side of an expression.
    fn eval_chain(&mut self, id: ExprId) -> Result<Value, Error> {
        let shader = self.shader;
        let (first, chain) = shader.left_chain(id);
        let mut value = self.eval(first)?;
        for id in chain {
            value = match shader.exprs[id].kind {
                ExprKind::Binary(op @ (BinaryOp::LogicalAnd | BinaryOp::LogicalOr), _, b) => {
                    self.short_circuit(op, &value, b)?
                }
                ExprKind::Binary(op, a, b) => {
                    let right = self.eval(b)?;
                    let types = (shader.exprs[a].ty, shader.exprs[b].ty);
                    let result = self.apply_binary(op, types.0, &value, types.1, &right)?;
                    self.mark_open_nans(shader.exprs[id].ty, shader.exprs[id].precise, result)
                }
                ExprKind::Sequence(_, b) => self.eval(b)?,
                _ => return Err(Error::Malformed("operator chain with another expression")),
            };
        }
        Ok(value)
    }

    /// Marks NaN as undefined unless the value is `precise`: it need not be generated, so that a
    /// compiler may simplify `x - x` or `x * 0.0` (GLSL 4.60 section 4.7.1).
    pub(crate) fn mark_open_nans(&self, ty: TypeId, precise: bool, mut value: Value) -> Value {
        let Some(scalar) = self.types.scalar_of(ty).filter(|s| s.is_float() && !precise) else {
            return value;
        };
        for c in 0..value.components() {
            for lane in self.active.iter() {
                if scalar::to_f64(scalar, value.get(c, lane)).is_nan() {
                    value.mark_undefined(c, lane);
                }
            }
        }
        value
    }

    fn apply_binary(
        &mut self,
        op: BinaryOp,
        a_ty: TypeId,
        a: &Value,
        b_ty: TypeId,
        b: &Value,
    ) -> Result<Value, Error> {
        match op {
            BinaryOp::Equal => Ok(self.equal(a_ty, a, b)),
            BinaryOp::NotEqual => Ok(self.equal(a_ty, a, b).map(|x| x ^ 1)),
            BinaryOp::MatrixTimesMatrix
            | BinaryOp::MatrixTimesVector
            | BinaryOp::VectorTimesMatrix => self.matrix_product(op, a_ty, a, b_ty, b),
            _ => {
                let scalar = self.scalar_of(a_ty)?;
                self.componentwise(op, scalar, a, b)
            }
        }
    }

    /// Applies a component-wise operator.
    pub(crate) fn componentwise(
        &self,
        op: BinaryOp,
        scalar: Scalar,
        a: &Value,
        b: &Value,
    ) -> Result<Value, Error> {
        if let Some(value) = scalar::zip(op, scalar, a, b) {
            return Ok(value);
        }
        let f = scalar::binary(op, scalar)
            .ok_or(Error::Malformed("operator is undefined for this type"))?;
        let comparison = matches!(
            op,
            BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual
        );
        let result = if comparison { Scalar::Bool } else { scalar };
        let mut value = a.zip(b, |x, y| scalar::wrap(result, f(x, y)));
        if matches!(op, BinaryOp::Div | BinaryOp::Mod | BinaryOp::ShiftLeft | BinaryOp::ShiftRight)
        {
            for c in 0..value.components() {
                for lane in self.active.iter() {
                    if scalar::binary_is_undefined(op, scalar, a.get(c, lane), b.get(c, lane)) {
                        value.mark_undefined(c, lane);
                    }
                }
            }
        }
        Ok(value)
    }

    fn equal(&self, ty: TypeId, a: &Value, b: &Value) -> Value {
        let mut scalars = Vec::new();
        crate::scalar_layout::scalars(self.types, ty, &mut scalars);
        Value::reduce(&[a, b], 1, |operands, out| {
            let same =
                |(c, &scalar): (usize, &Scalar)| match scalar::binary(BinaryOp::Equal, scalar) {
                    Some(f) => f(operands[0][c], operands[1][c]) != 0,
                    None => false,
                };
            out[0] = scalar::of_bool(scalars.iter().enumerate().all(same));
        })
    }

    /// Multiplies matrices. Each component is a sum of products in order, every operation rounded
    /// by itself. For `float16_t` only the sum is rounded, as in the geometric functions.
    fn matrix_product(
        &self,
        op: BinaryOp,
        a_ty: TypeId,
        a: &Value,
        b_ty: TypeId,
        b: &Value,
    ) -> Result<Value, Error> {
        let scalar = self.scalar_of(a_ty)?;
        let shape = |ty| self.types.shape(ty).ok_or(Error::Malformed("operand is not a matrix"));
        let ((a_columns, a_rows), (b_columns, b_rows)) = (shape(a_ty)?, shape(b_ty)?);
        let (rows, inner, columns) = match op {
            BinaryOp::VectorTimesMatrix => (1, a_rows, b_columns),
            BinaryOp::MatrixTimesVector => (a_rows, a_columns, 1),
            _ => (a_rows, a_columns, b_columns),
        };
        let (rows, inner, columns) = (rows as usize, inner as usize, columns as usize);
        let (mul, add) = products(scalar)?;
        let a_stride = if op == BinaryOp::VectorTimesMatrix { 1 } else { a_rows as usize };
        let b_stride = b_rows as usize;
        Ok(Value::reduce(&[a, b], rows * columns, |operands, out| {
            for (c, r) in (0..columns).flat_map(|c| (0..rows).map(move |r| (c, r))) {
                let factors =
                    |k: usize| (operands[0][k * a_stride + r], operands[1][c * b_stride + k]);
                let term = |k: usize| mul(factors(k).0, factors(k).1);
                let exact = |k: usize| scalar::f16_of(factors(k).0) * scalar::f16_of(factors(k).1);
                out[c * rows + r] = match scalar {
                    Scalar::Float16 => scalar::of_f16((0..inner).map(exact).sum()),
                    _ => (1..inner).fold(term(0), |sum, k| add(sum, term(k))),
                };
            }
        }))
    }

    fn short_circuit(&mut self, op: BinaryOp, first: &Value, b: ExprId) -> Result<Value, Error> {
        let truth = first.truth(&self.active);
        let falsity = self.active.minus(&truth);
        let (more, decided) =
            if op == BinaryOp::LogicalAnd { (truth, falsity) } else { (falsity, truth) };
        let second = self.eval_under(&more, b)?;
        let mut value = merge(&decided, first, second.as_ref().unwrap_or(first));
        self.mark_undefined_choice(first, &[b], &mut value);
        Ok(value)
    }

    /// Marks the result of a selection as undefined where the condition was undefined. If an
    /// operand has side effects, later control flow is undefined too.
    fn mark_undefined_choice(&mut self, choice: &Value, operands: &[ExprId], value: &mut Value) {
        if choice.all_defined() {
            return;
        }
        let effects = operands.iter().any(|&id| has_effects(self.shader, id));
        for lane in self.active.iter().filter(|&lane| choice.is_undefined(0, lane)) {
            (0..value.components()).for_each(|c| value.mark_undefined(c, lane));
            if effects {
                self.undefined.control_flow.set(lane, true);
            }
        }
    }

    /// Evaluates under a narrower mask; `None` when that is empty.
    fn eval_under(&mut self, mask: &Mask, id: ExprId) -> Result<Option<Value>, Error> {
        if !mask.any() {
            return Ok(None);
        }
        let outer = std::mem::replace(&mut self.active, mask.clone());
        let value = self.eval(id);
        // A call may have discarded lanes.
        let lost = mask.minus(&self.active);
        self.active = outer.minus(&lost);
        value.map(Some)
    }

    fn eval_select(
        &mut self,
        condition: ExprId,
        if_true: ExprId,
        if_false: ExprId,
    ) -> Result<Value, Error> {
        let condition = self.eval(condition)?;
        let truth = condition.truth(&self.active);
        let falsity = self.active.minus(&truth);
        let a = self.eval_under(&truth, if_true)?;
        let b = self.eval_under(&falsity, if_false)?;
        let mut value = match (a, b) {
            (Some(a), Some(b)) => merge(&truth, &a, &b),
            (Some(value), None) | (None, Some(value)) => value,
            (None, None) => {
                Value::zero(self.layout.component_count(self.shader.exprs[if_true].ty), self.lanes)
            }
        };
        self.mark_undefined_choice(&condition, &[if_true, if_false], &mut value);
        Ok(value)
    }

    fn compound_assign(
        &mut self,
        op: BinaryOp,
        place: ExprId,
        value: ExprId,
        precise: bool,
    ) -> Result<Value, Error> {
        let (place_ty, value_ty) = (self.shader.exprs[place].ty, self.shader.exprs[value].ty);
        let place = self.place(place)?.ok_or(Error::Malformed("assignment to a value"))?;
        let right = self.eval(value)?;
        let left = self.load(&place)?;
        let result = self.apply_binary(op, place_ty, &left, value_ty, &right)?;
        let result = self.mark_open_nans(place_ty, precise, result);
        self.store(&place, &result)?;
        Ok(result)
    }

    /// Increments or decrements a place; returns its old and new value.
    fn increment(
        &mut self,
        place: ExprId,
        decrement: bool,
        ty: TypeId,
    ) -> Result<(Value, Value), Error> {
        let scalar = self.scalar_of(ty)?;
        let place = self.place(place)?.ok_or(Error::Malformed("increment of a value"))?;
        let old = self.load(&place)?;
        let one = if scalar.is_float() { scalar::from_f64(scalar, 1.0) } else { 1 };
        let ones = Value::uniform(one, self.lanes).splat(old.components());
        let op = if decrement { BinaryOp::Sub } else { BinaryOp::Add };
        let new = self.componentwise(op, scalar, &old, &ones)?;
        self.store(&place, &new)?;
        Ok((old, new))
    }

    fn eval_convert(&mut self, ty: TypeId, operand: ExprId) -> Result<Value, Error> {
        let from = self.shader.exprs[operand].ty;
        if self.types.contains_opaque(from) || self.types.contains_opaque(ty) {
            return Err(Error::Unsupported("conversions of samplers and images"));
        }
        let (from, to) = (self.scalar_of(from)?, self.scalar_of(ty)?);
        let value = self.eval(operand)?;
        Ok(self.convert(from, to, &value))
    }

    /// Converts every component.
    pub(crate) fn convert(&self, from: Scalar, to: Scalar, value: &Value) -> Value {
        let mut result = value.map(|x| scalar::convert(from, to, x).0);
        if from.is_float() && to.is_integer() {
            for c in 0..value.components() {
                for lane in self.active.iter() {
                    if scalar::convert(from, to, value.get(c, lane)).1 {
                        result.mark_undefined(c, lane);
                    }
                }
            }
        }
        result
    }

    fn diagonal(&self, ty: TypeId, value: &Value) -> Result<Value, Error> {
        let (columns, rows) =
            self.types.shape(ty).ok_or(Error::Malformed("diagonal of a non-matrix"))?;
        let mut result = Value::zero((columns * rows) as usize, self.lanes);
        for i in 0..columns.min(rows) as usize {
            (0..self.lanes)
                .for_each(|lane| result.copy_component(i * rows as usize + i, lane, value, 0));
        }
        Ok(result)
    }

    fn resize_matrix(&mut self, ty: TypeId, operand: ExprId) -> Result<Value, Error> {
        let shape = |ty| self.types.shape(ty).ok_or(Error::Malformed("matrix from a non-matrix"));
        let (to, from) = (shape(ty)?, shape(self.shader.exprs[operand].ty)?);
        let one = scalar::from_f64(self.scalar_of(ty)?, 1.0);
        let value = self.eval(operand)?;
        let mut result = self.diagonal(ty, &Value::uniform(one, self.lanes))?;
        for c in 0..to.0.min(from.0) as usize {
            for r in 0..to.1.min(from.1) as usize {
                for lane in 0..self.lanes {
                    result.copy_component(
                        c * to.1 as usize + r,
                        lane,
                        &value,
                        c * from.1 as usize + r,
                    );
                }
            }
        }
        Ok(result)
    }

    fn runtime_length_of(&mut self, array: ExprId) -> Result<Value, Error> {
        let place = self.place(array)?.ok_or(Error::Malformed("length of a value"))?;
        let (element, _) =
            self.types.array_of(place.ty).ok_or(Error::Malformed("length of a non-array"))?;
        let mut value = Value::zero(1, self.lanes);
        for lane in 0..self.lanes {
            let length = self.runtime_length(&place, lane, element);
            value.set(0, lane, u64::from(length));
        }
        Ok(value)
    }

    /// Returns the type of a local of the function being executed.
    pub(crate) fn current_local_type(&self, local: LocalId) -> Result<TypeId, Error> {
        let function = self.call.function.ok_or(Error::Malformed("local outside a function"))?;
        let local = self.shader.functions[function].locals.get(local);
        local.map(|l| l.ty).ok_or(Error::Malformed("no such local"))
    }

    fn call(&mut self, id: FunctionId, arguments: &[ExprId]) -> Result<Value, Error> {
        let function = &self.shader.functions[id];
        let mut frame = CallFrame::default();
        let mut copies: Vec<(LocalId, Place, TypeId, TypeId)> = Vec::new();
        for (parameter, &argument) in function.parameters.iter().zip(arguments) {
            let argument_ty = self.shader.exprs[argument].ty;
            let parameter_ty = function.locals[parameter.local].ty;
            match parameter.direction {
                Direction::In => {
                    let value = self.eval(argument)?;
                    frame.define(parameter.local, value);
                }
                Direction::Opaque => {
                    let place = self
                        .place(argument)?
                        .ok_or(Error::Malformed("opaque argument is not a variable"))?;
                    // A place in the caller's frame means another one in the callee's.
                    if matches!(place.root, PlaceRoot::Local(_)) {
                        frame.define(parameter.local, self.load(&place)?);
                    } else {
                        frame.set_alias(parameter.local, place);
                    }
                }
                Direction::Out | Direction::InOut => {
                    let place =
                        self.place(argument)?.ok_or(Error::Malformed("out argument is a value"))?;
                    let value = if parameter.direction == Direction::InOut {
                        let value = self.load(&place)?;
                        self.adapt(argument_ty, parameter_ty, value)
                    } else {
                        Value::undefined(self.layout.component_count(parameter_ty), self.lanes)
                    };
                    frame.define(parameter.local, value);
                    copies.push((parameter.local, place, parameter_ty, argument_ty));
                }
            }
        }
        let result_ty = function.result;
        let (frame, result) = self.call_body(id, frame)?;
        for (local, place, from, to) in copies {
            let value = self.adapt(from, to, frame.local(local).clone());
            self.store(&place, &value)?;
        }
        Ok(result
            .unwrap_or_else(|| Value::zero(self.layout.component_count(result_ty), self.lanes)))
    }

    /// Converts between the types of a parameter and its argument where they differ.
    fn adapt(&self, from: TypeId, to: TypeId, value: Value) -> Value {
        match (self.types.scalar_of(from), self.types.scalar_of(to)) {
            (Some(a), Some(b)) if a != b => self.convert(a, b, &value),
            _ => value,
        }
    }

    fn call_subroutine(
        &mut self,
        place: ExprId,
        arguments: &[ExprId],
        ty: TypeId,
    ) -> Result<Value, Error> {
        let place = self.place(place)?.ok_or(Error::Malformed("subroutine is not a variable"))?;
        let indices = self.load(&place)?;
        let outer = self.active.clone();
        let mut result = Value::undefined(self.layout.component_count(ty), self.lanes);
        let mut remaining = outer.clone();
        // Lanes that chose the same function run together.
        loop {
            let Some(leader) = remaining.iter().next() else { break };
            let chosen = indices.get(0, leader);
            let mut together = Mask::none(self.lanes);
            for lane in remaining.iter().filter(|&lane| indices.get(0, lane) == chosen) {
                together.set(lane, true);
            }
            remaining = remaining.minus(&together);
            self.active = together.clone();
            let function = self.subroutine(place.ty, chosen as u32)?;
            let value = self.call(function, arguments)?;
            result = merge(&together, &value, &result);
        }
        self.active = outer;
        Ok(result)
    }

    /// Returns the function with a subroutine index that implements a subroutine type.
    fn subroutine(&self, ty: TypeId, index: u32) -> Result<FunctionId, Error> {
        let Type::Subroutine(name) = self.types.get(ty) else {
            return Err(Error::Malformed("subroutine call through another type"));
        };
        let mut functions =
            self.shader.functions.iter().filter(|(_, f)| f.subroutine_types.contains(name));
        let found = functions.find(|(_, f)| f.subroutine_index == Some(index));
        found.map(|(id, _)| id).ok_or(Error::Malformed("no such subroutine"))
    }

    fn atomic(
        &mut self,
        op: AtomicOp,
        place: ExprId,
        operands: &[ExprId],
        ty: TypeId,
    ) -> Result<Value, Error> {
        let place = self.place(place)?.ok_or(Error::Malformed("atomic on a value"))?;
        let operands = self.eval_all(operands)?;
        self.atomic_on(op, &place, &operands, self.scalar_of(ty)?)
    }

    /// Reads, modifies and writes one component for every active lane in turn; returns the old
    /// values.
    pub(crate) fn atomic_on(
        &mut self,
        op: AtomicOp,
        place: &Place,
        operands: &[Value],
        ty: Scalar,
    ) -> Result<Value, Error> {
        if place.root != PlaceRoot::Memory {
            return Err(Error::Malformed("atomic on a plain variable"));
        }
        let mut result = Value::undefined(1, self.lanes);
        for lane in self.active.clone().iter() {
            let (Some(space), false) = (place.space(lane), place.outside.contains(lane)) else {
                continue;
            };
            let at = place.offsets[lane]
                + place.swizzle.as_ref().map_or(0, |s| u32::from(s[0]) * ty.bytes());
            let Some(old) = self.environment.load(space, at, ty.bytes()) else { continue };
            let old = scalar::wrap(ty, old);
            let values: Vec<u64> = operands.iter().map(|v| v.get(0, lane)).collect();
            let undefined = operands.iter().any(|v| v.is_undefined(0, lane));
            let change = match op {
                AtomicOp::Exchange => Change::Replace { undefined },
                _ => Change::Combine { undefined },
            };
            let old_undefined = self.modify_shared((space, at, ty.bytes()), lane, change);
            if self.writes(lane) {
                if place.undefined.contains(lane) || undefined && old_undefined.is_none() {
                    self.undefined.writes.set(lane, true);
                }
                self.environment.store(space, at, ty.bytes(), atomic_result(op, ty, old, &values));
            }
            result.set(0, lane, old);
            if old_undefined == Some(true) {
                result.mark_undefined(0, lane);
            }
        }
        Ok(result)
    }
}

/// Returns multiplication and addition of a floating-point type.
pub(crate) fn products(
    scalar: Scalar,
) -> Result<(scalar::BinaryFunction, scalar::BinaryFunction), Error> {
    match (scalar::binary(BinaryOp::Mul, scalar), scalar::binary(BinaryOp::Add, scalar)) {
        (Some(mul), Some(add)) => Ok((mul, add)),
        _ => Err(Error::Malformed("operand of a product is not numeric")),
    }
}

/// Returns the lanes of `mask` from one value, the others from another.
pub(crate) fn merge(mask: &Mask, inside: &Value, outside: &Value) -> Value {
    let mut result = outside.clone();
    for c in 0..result.components() {
        result.copy_lanes(c, mask, inside, c);
    }
    result
}

fn literal_bits(literal: Literal) -> u64 {
    match literal {
        Literal::Bool(b) => scalar::of_bool(b),
        Literal::Int(i) => i as u64,
        Literal::Uint(u) => u,
        Literal::Float16(bits) => u64::from(bits),
        Literal::Float(x) => u64::from(x.to_bits()),
        Literal::Double(x) => x.to_bits(),
    }
}
