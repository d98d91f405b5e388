//! Flat code from expressions.

use program::{
    ArrayLength, BinaryOp, Expr, ExprId, ExprKind, Literal, Placement, Scalar, Shader, Type,
    TypeId, TypeTable, UnaryOp,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::code::{Indexed, Row, RowOp, Rows, Step, Tape, Variable};
use crate::effects::has_effects;
use crate::scalar;
use crate::scalar_layout::ScalarLayout;
use crate::shared_storage::is_shared_output;

/// Maximum number of rows of a tape. Larger expressions are evaluated in parts.
const MAX_ROWS: usize = 1024;

/// Returns the flat code of an expression; `None` where the tree walk does all of its work.
pub(crate) fn compile(
    types: &TypeTable,
    shader: &Shader,
    layout: &ScalarLayout,
    id: ExprId,
) -> Option<Tape> {
    let scalar = narrow(types, shader.exprs[id].ty)?;
    let mut compiler = Compiler::new(types, shader, layout);
    let result = compiler.root(id)?;
    let works = |step: &Step| !matches!(step, Step::Load { .. } | Step::Evaluate { .. });
    compiler.steps.iter().any(works).then_some(Tape {
        steps: compiler.steps,
        rows: compiler.rows,
        result,
        scalar,
    })
}

/// The component type of scalars, vectors and matrices of 32-bit components.
pub(crate) fn narrow(types: &TypeTable, ty: TypeId) -> Option<Scalar> {
    let scalar = match *types.get(ty) {
        Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => scalar,
        _ => return None,
    };
    let narrow = matches!(scalar, Scalar::Float | Scalar::Int | Scalar::Uint | Scalar::Bool);
    narrow.then_some(scalar)
}

/// Variable, and its components that an expression denotes, in order.
type StaticPlace = (Variable, SmallVec<[u32; 16]>);

pub(crate) struct Compiler<'a> {
    pub(crate) types: &'a TypeTable,
    pub(crate) shader: &'a Shader,
    pub(crate) layout: &'a ScalarLayout,
    pub(crate) steps: Vec<Step>,
    pub(crate) rows: usize,
    /// Rows that hold components of variables.
    pub(crate) loads: FxHashMap<(Variable, u32), Row>,
    /// Rows that hold constants.
    pub(crate) constants: FxHashMap<u32, Row>,
    /// The operation being compiled contributes to a `precise` value.
    pub(crate) precise: bool,
}

impl<'a> Compiler<'a> {
    pub(crate) fn new(
        types: &'a TypeTable,
        shader: &'a Shader,
        layout: &'a ScalarLayout,
    ) -> Compiler<'a> {
        Compiler {
            types,
            shader,
            layout,
            steps: Vec::new(),
            rows: 0,
            loads: FxHashMap::default(),
            constants: FxHashMap::default(),
            precise: false,
        }
    }
}

impl Compiler<'_> {
    /// Compiles a whole expression, which may assign a variable.
    pub(crate) fn root(&mut self, id: ExprId) -> Option<Rows> {
        let expr = self.expr(id);
        match expr.kind {
            ExprKind::Assign { place, value } => {
                let Some(target) = self.written_place(place) else {
                    let target = self.indexed(place)?;
                    let rows = self.value(value)?;
                    self.scatter(place, target, &rows)?;
                    return Some(rows);
                };
                let rows = self.value(value)?;
                self.store(place, &target, &rows)?;
                Some(rows)
            }
            ExprKind::CompoundAssign { op, place, value } => {
                let types = (self.expr(place).ty, self.expr(value).ty);
                let Some(target) = self.written_place(place) else {
                    let target = self.indexed(place)?;
                    let right = self.value(value)?;
                    let left = self.gather(target.clone())?;
                    self.precise = self.expr(id).precise;
                    let rows = self.binary(op, types.0, &left, types.1, &right)?;
                    self.scatter(place, target, &rows)?;
                    return Some(rows);
                };
                let right = self.value(value)?;
                let left = self.load(&target)?;
                self.precise = self.expr(id).precise;
                let rows = self.binary(op, types.0, &left, types.1, &right)?;
                self.store(place, &target, &rows)?;
                Some(rows)
            }
            ExprKind::PreIncrement { place, decrement } => {
                Some(self.increment(place, decrement)?.1)
            }
            ExprKind::PostIncrement { place, decrement } => {
                Some(self.increment(place, decrement)?.0)
            }
            _ => self.covered(id),
        }
    }

    pub(crate) fn expr(&self, id: ExprId) -> &Expr {
        &self.shader.exprs[id]
    }

    pub(crate) fn row(&mut self, count: usize) -> Option<Row> {
        let first = self.rows;
        self.rows += count;
        (self.rows <= MAX_ROWS).then_some(first as Row)
    }

    pub(crate) fn emit(&mut self, op: RowOp, operands: &[Row]) -> Option<Row> {
        let to = self.row(1)?;
        let first = operands.first().copied().unwrap_or(to);
        let operand = |i: usize| operands.get(i).copied().unwrap_or(first);
        let operands = [operand(0), operand(1), operand(2)];
        let open = is_arithmetic(op) && !self.precise;
        self.steps.push(Step::Row { op, to, operands, open });
        Some(to)
    }

    pub(crate) fn each(&mut self, op: RowOp, a: &[Row]) -> Option<Rows> {
        a.iter().map(|&a| self.emit(op, &[a])).collect()
    }

    /// Combines two values of the same size.
    pub(crate) fn pairs(&mut self, op: RowOp, a: &[Row], b: &[Row]) -> Option<Rows> {
        if a.len() != b.len() {
            return None;
        }
        a.iter().zip(b).map(|(&a, &b)| self.emit(op, &[a, b])).collect()
    }

    fn constant(&mut self, bits: u32) -> Option<Row> {
        if let Some(&row) = self.constants.get(&bits) {
            return Some(row);
        }
        let row = self.row(1)?;
        let op = RowOp::Constant(bits);
        self.steps.push(Step::Row { op, to: row, operands: [row; 3], open: false });
        self.constants.insert(bits, row);
        Some(row)
    }

    /// Compiles an operand: in steps, or as a value of the tree walk.
    pub(crate) fn value(&mut self, id: ExprId) -> Option<Rows> {
        narrow(self.types, self.expr(id).ty)?;
        let start = self.steps.len();
        if let Some(rows) = self.covered(id) {
            return Some(rows);
        }
        // Rows of the steps that are dropped here have no values.
        self.steps.truncate(start);
        self.loads.clear();
        self.constants.clear();
        let count = self.layout.component_count(self.expr(id).ty);
        let to = self.row(count)?;
        self.steps.push(Step::Evaluate { to, count: count as u16, expr: id });
        if has_effects(self.shader, id) {
            self.loads.clear();
        }
        Some((to..to + count as Row).collect())
    }

    /// Compiles an expression without side effects of its own into steps.
    fn covered(&mut self, id: ExprId) -> Option<Rows> {
        let shader = self.shader;
        let expr = &shader.exprs[id];
        let count = self.layout.component_count(expr.ty);
        match &expr.kind {
            ExprKind::Literal(literal) => {
                let bits = match *literal {
                    Literal::Bool(b) => u32::from(b),
                    Literal::Int(i) => i as u32,
                    Literal::Uint(u) => u as u32,
                    Literal::Float(x) => x.to_bits(),
                    Literal::Float16(_) | Literal::Double(_) => return None,
                };
                narrow(self.types, expr.ty)?;
                Some(smallvec::smallvec![self.constant(bits)?])
            }
            ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::Member { .. }
            | ExprKind::Index { .. }
            | ExprKind::Swizzle { .. } => self.access(id),
            ExprKind::Unary(op, operand) => {
                let scalar = narrow(self.types, expr.ty)?;
                let rows = self.value(*operand)?;
                let op = match (op, scalar) {
                    (UnaryOp::LogicalNot, Scalar::Bool) => RowOp::Not,
                    (UnaryOp::Negate, Scalar::Float) => RowOp::FloatNegate,
                    (UnaryOp::Negate, Scalar::Int | Scalar::Uint) => RowOp::Negate,
                    (UnaryOp::BitNot, Scalar::Int | Scalar::Uint) => RowOp::BitNot,
                    _ => return None,
                };
                self.each(op, &rows)
            }
            ExprKind::Binary(..) | ExprKind::Sequence(..) => self.chain(id),
            ExprKind::Select { condition, if_true, if_false } => {
                let condition = *self.value(*condition)?.first()?;
                let a = self.choice(*if_true)?;
                let b = self.choice(*if_false)?;
                if a.len() != b.len() {
                    return None;
                }
                let choose = |(&a, &b)| self.emit(RowOp::Choose, &[condition, a, b]);
                a.iter().zip(&b).map(choose).collect()
            }
            ExprKind::Convert(operand) => {
                let from = narrow(self.types, self.expr(*operand).ty)?;
                let to = narrow(self.types, expr.ty)?;
                let rows = self.value(*operand)?;
                self.convert(from, to, rows)
            }
            ExprKind::Splat(operand) => {
                let row = *self.value(*operand)?.first()?;
                Some(smallvec::smallvec![row; count])
            }
            ExprKind::Compose(parts) => {
                narrow(self.types, expr.ty)?;
                let mut rows = Rows::new();
                for &part in parts {
                    rows.extend(self.value(part)?);
                }
                rows.truncate(count);
                (rows.len() == count).then_some(rows)
            }
            ExprKind::DiagonalMatrix(operand) => {
                let (columns, height) = self.types.shape(expr.ty)?;
                narrow(self.types, expr.ty)?;
                let diagonal = *self.value(*operand)?.first()?;
                let zero = self.constant(0)?;
                let cell = |c, r| if c == r { diagonal } else { zero };
                Some((0..columns).flat_map(|c| (0..height).map(move |r| cell(c, r))).collect())
            }
            ExprKind::Builtin { function, arguments } => self.builtin(*function, arguments, expr),
            _ => None,
        }
    }

    /// Compiles an operand that is evaluated in some lanes only: it must be harmless in the others.
    fn choice(&mut self, id: ExprId) -> Option<Rows> {
        let start = self.steps.len();
        let rows = self.value(id)?;
        let harmless = |step: &Step| match step {
            Step::Evaluate { expr, .. } => is_access(self.shader, *expr),
            _ => true,
        };
        self.steps.get(start..)?.iter().all(harmless).then_some(rows)
    }

    /// Variables, and constant parts of variables and values.
    fn access(&mut self, id: ExprId) -> Option<Rows> {
        narrow(self.types, self.expr(id).ty)?;
        if let Some(place) = self.place(id) {
            return self.load(&place);
        }
        match &self.expr(id).kind {
            ExprKind::Swizzle { base, components } => {
                let (base, components) = (*base, *components);
                let rows = self.value(base)?;
                components.as_slice().iter().map(|&c| rows.get(c as usize).copied()).collect()
            }
            ExprKind::Index { .. } => {
                let from = self.indexed(id)?;
                self.gather(from)
            }
            _ => None,
        }
    }

    /// The elements that an index with a variable value chooses from, and the index.
    fn indexed(&mut self, id: ExprId) -> Option<Indexed> {
        narrow(self.types, self.expr(id).ty)?;
        let ExprKind::Index { base, index } = self.expr(id).kind else { return None };
        let (variable, components) = self.place(base)?;
        let length = self.length(base)?;
        let count = self.layout.component_count(self.expr(id).ty);
        let first = *components.first()?;
        if !components.iter().copied().eq(first..first + (length * count) as u32) {
            return None;
        }
        let scalar = narrow(self.types, self.expr(index).ty)?;
        let signed = match scalar {
            Scalar::Int => true,
            Scalar::Uint => false,
            _ => return None,
        };
        let index = *self.value(index)?.first()?;
        Some(Indexed { variable, first, count: count as u16, length: length as u32, index, signed })
    }

    fn gather(&mut self, from: Indexed) -> Option<Rows> {
        let to = self.row(from.count.into())?;
        let rows = (to..to + from.count).collect();
        self.steps.push(Step::Gather { to, from });
        Some(rows)
    }

    fn scatter(&mut self, place: ExprId, to: Indexed, rows: &[Row]) -> Option<()> {
        let signed = narrow(self.types, self.expr(place).ty)? == Scalar::Int;
        if rows.len() != usize::from(to.count) {
            return None;
        }
        self.loads.retain(|(variable, _), _| *variable != to.variable);
        let (uniform, rows) = (self.is_uniform(place), Rows::from_slice(rows));
        self.steps.push(Step::Scatter { to, rows, signed, uniform });
        Some(())
    }

    /// The number of elements of a value that can be indexed.
    fn length(&self, id: ExprId) -> Option<usize> {
        Some(match *self.types.get(self.expr(id).ty) {
            Type::Array { length: ArrayLength::Fixed(n), .. } => n as usize,
            Type::Matrix { columns, .. } => columns as usize,
            Type::Vector { size, .. } => size as usize,
            _ => return None,
        })
    }

    /// The components of a variable that an expression denotes in all lanes alike.
    fn place(&self, id: ExprId) -> Option<StaticPlace> {
        let expr = self.expr(id);
        let count = self.layout.component_count(expr.ty);
        let all = || (0..count as u32).collect();
        match &expr.kind {
            // Opaque parameters, which stand for other places, have other types.
            ExprKind::Local(id) if !self.types.contains_opaque(expr.ty) => {
                (count <= MAX_ROWS).then(|| (Variable::Local(*id), all()))
            }
            ExprKind::Global(id) => {
                let placement = self.shader.globals[*id].placement;
                let in_memory = matches!(
                    placement,
                    Placement::Uniform { .. }
                        | Placement::UniformBlock { .. }
                        | Placement::StorageBlock { .. }
                        | Placement::Shared { .. }
                        | Placement::AtomicCounter { .. }
                        | Placement::Subroutine { .. }
                );
                let is_plain = !in_memory && !is_shared_output(self.shader, *id);
                (is_plain && count <= MAX_ROWS).then(|| (Variable::Global(*id), all()))
            }
            ExprKind::Member { base, member } => {
                let (variable, components) = self.place(*base)?;
                let members = self.types.members(self.expr(*base).ty)?;
                let before = members.get(..*member as usize)?;
                let first = before.iter().map(|m| self.layout.component_count(m.ty)).sum();
                part(variable, &components, first, count)
            }
            ExprKind::Index { base, index } => {
                let index = match self.expr(*index).kind {
                    ExprKind::Literal(Literal::Int(i)) => usize::try_from(i).ok()?,
                    ExprKind::Literal(Literal::Uint(u)) => usize::try_from(u).ok()?,
                    _ => return None,
                };
                let length = self.length(*base)?;
                let (variable, components) = self.place(*base)?;
                (index < length).then(|| part(variable, &components, index * count, count))?
            }
            ExprKind::Swizzle { base, components } => {
                let (variable, all) = self.place(*base)?;
                let chosen = components.as_slice().iter().map(|&c| all.get(c as usize).copied());
                Some((variable, chosen.collect::<Option<_>>()?))
            }
            _ => None,
        }
    }

    /// As [`Compiler::place`], for writing.
    fn written_place(&self, id: ExprId) -> Option<StaticPlace> {
        narrow(self.types, self.expr(id).ty)?;
        self.place(id)
    }

    fn load(&mut self, (variable, components): &StaticPlace) -> Option<Rows> {
        let mut rows = Rows::new();
        for &component in components {
            let key = (*variable, component);
            let row = match self.loads.get(&key) {
                Some(&row) => row,
                None => {
                    let to = self.load_component(*variable, component)?;
                    self.loads.insert(key, to);
                    to
                }
            };
            rows.push(row);
        }
        Some(rows)
    }

    /// Reads a component; those that follow the last one read share its step.
    fn load_component(&mut self, variable: Variable, component: u32) -> Option<Row> {
        let to = self.row(1)?;
        if let Some(Step::Load { to: first, variable: v, component: c, count }) =
            self.steps.last_mut()
            && *v == variable
            && *c + u32::from(*count) == component
            && *first + *count == to
        {
            *count += 1;
            return Some(to);
        }
        self.steps.push(Step::Load { to, variable, component, count: 1 });
        Some(to)
    }

    fn store(&mut self, place: ExprId, target: &StaticPlace, rows: &[Row]) -> Option<()> {
        let signed = narrow(self.types, self.expr(place).ty)? == Scalar::Int;
        let &(variable, ref components) = target;
        if components.len() != rows.len() {
            return None;
        }
        let uniform = self.is_uniform(place);
        let components: SmallVec<_> =
            components.iter().copied().zip(rows.iter().copied()).collect();
        for &(component, row) in &components {
            self.loads.insert((variable, component), row);
        }
        self.steps.push(Step::Store { variable, components, signed, uniform });
        Some(())
    }

    /// True if all components of the variable that a place is part of have the same type.
    fn is_uniform(&self, mut place: ExprId) -> bool {
        while let ExprKind::Member { base, .. }
        | ExprKind::Index { base, .. }
        | ExprKind::Swizzle { base, .. } = self.expr(place).kind
        {
            place = base;
        }
        narrow(self.types, self.types.without_arrays(self.expr(place).ty)).is_some()
    }

    /// Increments or decrements a variable; returns its old and new value.
    fn increment(&mut self, place: ExprId, decrement: bool) -> Option<(Rows, Rows)> {
        let ty = self.expr(place).ty;
        let target = self.written_place(place)?;
        let old = self.load(&target)?;
        let one = match narrow(self.types, ty)? {
            Scalar::Float => scalar::from_f64(Scalar::Float, 1.0) as u32,
            _ => 1,
        };
        let ones: Rows = smallvec::smallvec![self.constant(one)?; old.len()];
        let op = if decrement { BinaryOp::Sub } else { BinaryOp::Add };
        let new = self.binary(op, ty, &old, ty, &ones)?;
        self.store(place, &target, &new)?;
        Some((old, new))
    }

    /// Binary operators and commas down the left side of an expression.
    fn chain(&mut self, id: ExprId) -> Option<Rows> {
        let shader = self.shader;
        let (first, chain) = shader.left_chain(id);
        let mut rows = self.value(first)?;
        for id in chain {
            rows = match shader.exprs[id].kind {
                ExprKind::Binary(op @ (BinaryOp::LogicalAnd | BinaryOp::LogicalOr), _, b) => {
                    let right = self.choice(b)?;
                    let and = op == BinaryOp::LogicalAnd;
                    let op = if and { RowOp::LogicalAnd } else { RowOp::LogicalOr };
                    self.pairs(op, &rows, &right)?
                }
                ExprKind::Binary(op, a, b) => {
                    let right = self.value(b)?;
                    self.precise = shader.exprs[id].precise;
                    self.binary(op, shader.exprs[a].ty, &rows, shader.exprs[b].ty, &right)?
                }
                ExprKind::Sequence(_, b) => self.value(b)?,
                _ => return None,
            };
        }
        Some(rows)
    }

    pub(crate) fn binary(
        &mut self,
        op: BinaryOp,
        a_ty: TypeId,
        a: &[Row],
        b_ty: TypeId,
        b: &[Row],
    ) -> Option<Rows> {
        use BinaryOp as B;
        let scalar = narrow(self.types, a_ty)?;
        let float = scalar == Scalar::Float;
        match op {
            B::Equal | B::NotEqual => return self.equality(op, float, a, b),
            B::MatrixTimesMatrix | B::MatrixTimesVector | B::VectorTimesMatrix => {
                return self.matrix_product(op, a_ty, a, b_ty, b);
            }
            _ => {}
        }
        let (a, b) = if matches!(op, B::Greater | B::GreaterEqual) { (b, a) } else { (a, b) };
        let op = match (scalar, op) {
            (Scalar::Float, B::Add) => RowOp::FloatAdd,
            (Scalar::Float, B::Sub) => RowOp::FloatSub,
            (Scalar::Float, B::Mul) => RowOp::FloatMul,
            (Scalar::Float, B::Div) => RowOp::FloatDiv,
            (Scalar::Float, B::Less | B::Greater) => RowOp::FloatLess,
            (Scalar::Float, B::LessEqual | B::GreaterEqual) => RowOp::FloatLessEqual,
            (Scalar::Int, B::Less | B::Greater) => RowOp::SignedLess,
            (Scalar::Int, B::LessEqual | B::GreaterEqual) => RowOp::SignedLessEqual,
            (Scalar::Uint, B::Less | B::Greater) => RowOp::UnsignedLess,
            (Scalar::Uint, B::LessEqual | B::GreaterEqual) => RowOp::UnsignedLessEqual,
            (Scalar::Int | Scalar::Uint, B::Add) => RowOp::Add,
            (Scalar::Int | Scalar::Uint, B::Sub) => RowOp::Sub,
            (Scalar::Int | Scalar::Uint, B::Mul) => RowOp::Mul,
            (Scalar::Int, B::Div) => RowOp::SignedDiv,
            (Scalar::Uint, B::Div) => RowOp::UnsignedDiv,
            (Scalar::Int, B::Mod) => RowOp::SignedMod,
            (Scalar::Uint, B::Mod) => RowOp::UnsignedMod,
            (Scalar::Int | Scalar::Uint, B::BitAnd) => RowOp::BitAnd,
            (Scalar::Int | Scalar::Uint, B::BitOr) => RowOp::BitOr,
            (Scalar::Int | Scalar::Uint, B::BitXor) => RowOp::BitXor,
            (Scalar::Bool, B::LogicalXor) => RowOp::BitXor,
            (Scalar::Int | Scalar::Uint, B::ShiftLeft) => RowOp::ShiftLeft,
            (Scalar::Int, B::ShiftRight) => RowOp::ShiftRightSigned,
            (Scalar::Uint, B::ShiftRight) => RowOp::ShiftRightUnsigned,
            _ => return None,
        };
        self.pairs(op, a, b)
    }

    /// Compares whole values: one `bool`, undefined where any component is.
    fn equality(&mut self, op: BinaryOp, float: bool, a: &[Row], b: &[Row]) -> Option<Rows> {
        let equal = if float { RowOp::FloatEqual } else { RowOp::Equal };
        let rows = self.pairs(equal, a, b)?;
        let mut all = *rows.first()?;
        for &row in rows.iter().skip(1) {
            all = self.emit(RowOp::BitAnd, &[all, row])?;
        }
        if op == BinaryOp::NotEqual {
            all = self.emit(RowOp::Not, &[all])?;
        }
        Some(smallvec::smallvec![all])
    }

    /// Sums of products in order, undefined where any component of an operand is.
    fn matrix_product(
        &mut self,
        op: BinaryOp,
        a_ty: TypeId,
        a: &[Row],
        b_ty: TypeId,
        b: &[Row],
    ) -> Option<Rows> {
        let ((a_columns, a_rows), (b_columns, b_rows)) =
            (self.types.shape(a_ty)?, self.types.shape(b_ty)?);
        let (height, inner, columns) = match op {
            BinaryOp::VectorTimesMatrix => (1, a_rows, b_columns),
            BinaryOp::MatrixTimesVector => (a_rows, a_columns, 1),
            _ => (a_rows, a_columns, b_columns),
        };
        let (height, inner) = (height as usize, inner as usize);
        let a_stride = if op == BinaryOp::VectorTimesMatrix { 1 } else { a_rows as usize };
        let mut result = Rows::new();
        for (c, r) in (0..columns as usize).flat_map(|c| (0..height).map(move |r| (c, r))) {
            let mut sum = None;
            for k in 0..inner {
                let factors = [*a.get(k * a_stride + r)?, *b.get(c * b_rows as usize + k)?];
                let term = self.emit(RowOp::FloatMul, &factors)?;
                sum = Some(match sum {
                    Some(sum) => self.emit(RowOp::FloatAdd, &[sum, term])?,
                    None => term,
                });
            }
            result.push(sum?);
        }
        let operands: Rows = a.iter().chain(b).copied().collect();
        let mut all = *operands.first()?;
        for pair in operands.chunks(2) {
            all = self.emit(RowOp::Mark, &[all, pair[0], *pair.last()?])?;
        }
        result.iter().map(|&row| self.emit(RowOp::Mark, &[row, all])).collect()
    }

    fn convert(&mut self, from: Scalar, to: Scalar, rows: Rows) -> Option<Rows> {
        use Scalar::{Bool, Float, Int, Uint};
        let op = match (from, to) {
            (Int | Uint, Int | Uint) | (Float, Float) | (Bool, Bool | Int | Uint) => {
                return Some(rows);
            }
            (Int, Float) => RowOp::SignedToFloat,
            (Uint, Float) => RowOp::UnsignedToFloat,
            (Bool, Float) => RowOp::BoolToFloat,
            (Float, Int) => RowOp::FloatToSigned,
            (Float, Uint) => RowOp::FloatToUnsigned,
            (Float, Bool) => RowOp::FloatToBool,
            (Int | Uint, Bool) => RowOp::IntegerToBool,
            _ => return None,
        };
        self.each(op, &rows)
    }
}

/// A range of a place's components.
fn part(variable: Variable, components: &[u32], first: usize, count: usize) -> Option<StaticPlace> {
    Some((variable, SmallVec::from_slice(components.get(first..first + count)?)))
}

/// True if an operation rounds a number, so that it may generate NaN.
fn is_arithmetic(op: RowOp) -> bool {
    use RowOp as R;
    matches!(
        op,
        R::FloatAdd
            | R::FloatSub
            | R::FloatMul
            | R::FloatDiv
            | R::FloatFract
            | R::FloatMix
            | R::FloatMod
            | R::FloatSqrt
            | R::FloatInverseSqrt
    )
}

/// True if an expression only reads variables and memory.
fn is_access(shader: &Shader, root: ExprId) -> bool {
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        let kind = &shader.exprs[id].kind;
        match kind {
            ExprKind::Literal(_)
            | ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::Member { .. }
            | ExprKind::Index { .. }
            | ExprKind::Swizzle { .. } => kind.for_each_child(|child| open.push(child)),
            _ => return false,
        }
    }
    true
}
