//! Construction of expressions.

use program::{
    BinaryOp, BuiltinFunction, Expr, ExprId, ExprKind, Literal, LocalId, Scalar, Span, SwizzleMask,
    TypeId, UnaryOp,
};

use super::state::ShaderBuilder;

impl ShaderBuilder<'_> {
    pub(crate) fn push(&mut self, kind: ExprKind, ty: TypeId) -> ExprId {
        self.shader.exprs.push(Expr { kind, ty, precise: false, span: Span::default() })
    }

    pub(crate) fn ty(&self, value: ExprId) -> TypeId {
        self.shader.exprs[value].ty
    }

    /// Component type and number of components of a scalar or vector.
    pub(crate) fn shape(&self, ty: TypeId) -> (Scalar, u8) {
        (self.types.scalar_of(ty).unwrap_or(Scalar::Uint), self.types.components(ty))
    }

    /// The type with other components.
    pub(crate) fn with_scalar(&mut self, ty: TypeId, scalar: Scalar) -> TypeId {
        match self.types.shape(ty) {
            Some((1, size)) => self.types.vector(scalar, size),
            Some((columns, rows)) => self.types.matrix(scalar, columns, rows),
            None => ty,
        }
    }

    /// The value with components of another type: converted, or the same bits in an integer of
    /// other signedness.
    pub(crate) fn cast(&mut self, value: ExprId, scalar: Scalar) -> ExprId {
        let ty = self.ty(value);
        match self.types.scalar_of(ty) {
            Some(own) if own != scalar => {
                let ty = self.with_scalar(ty, scalar);
                self.push(ExprKind::Convert(value), ty)
            }
            _ => value,
        }
    }

    /// The value as one of a type of the same shape.
    pub(crate) fn cast_to(&mut self, value: ExprId, ty: TypeId) -> ExprId {
        match self.types.scalar_of(ty) {
            Some(scalar) => self.cast(value, scalar),
            None => value,
        }
    }

    /// A literal of a scalar type from its bits.
    pub(crate) fn scalar(&mut self, scalar: Scalar, bits: u64) -> ExprId {
        let literal = literal(scalar, bits);
        let ty = self.types.scalar(scalar);
        self.push(ExprKind::Literal(literal), ty)
    }

    /// A number of a scalar, or of each component of a vector.
    pub(crate) fn number(&mut self, ty: TypeId, value: i32) -> ExprId {
        let (scalar, _) = self.shape(ty);
        let literal = match scalar {
            Scalar::Float16 => Literal::Float16(match value {
                0 => 0,
                1 => 0x3c00,
                _ => 0xbc00,
            }),
            Scalar::Float => Literal::Float(value as f32),
            Scalar::Double => Literal::Double(value.into()),
            Scalar::Bool => Literal::Bool(value != 0),
            s if s.is_signed_integer() => Literal::Int(value.into()),
            _ => Literal::Uint(value as u64),
        };
        let scalar_type = self.types.scalar(scalar);
        let one = self.push(ExprKind::Literal(literal), scalar_type);
        self.splat(one, ty)
    }

    pub(crate) fn int(&mut self, value: i32) -> ExprId {
        self.scalar(Scalar::Int, value as u32 as u64)
    }

    pub(crate) fn bool(&mut self, value: bool) -> ExprId {
        self.scalar(Scalar::Bool, value.into())
    }

    /// A scalar in every component of a vector or matrix type.
    pub(crate) fn splat(&mut self, value: ExprId, ty: TypeId) -> ExprId {
        if self.types.components(ty) <= 1 {
            return value;
        }
        self.push(ExprKind::Splat(value), ty)
    }

    pub(crate) fn local(&mut self, local: LocalId) -> ExprId {
        let ty = self.body.locals[local].ty;
        self.push(ExprKind::Local(local), ty)
    }

    pub(crate) fn unary(&mut self, op: UnaryOp, value: ExprId) -> ExprId {
        let ty = self.ty(value);
        self.push(ExprKind::Unary(op, value), ty)
    }

    /// Component by component, with a result of the left operand's type.
    pub(crate) fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let ty = self.ty(a);
        self.push(ExprKind::Binary(op, a, b), ty)
    }

    pub(crate) fn builtin(
        &mut self,
        function: BuiltinFunction,
        arguments: Vec<ExprId>,
        ty: TypeId,
    ) -> ExprId {
        self.push(ExprKind::Builtin { function, arguments }, ty)
    }

    /// The components of a vector with some indices; of a scalar as if it were one.
    pub(crate) fn swizzle(&mut self, base: ExprId, components: &[u8]) -> ExprId {
        let (scalar, size) = self.shape(self.ty(base));
        let is_whole = components.len() == usize::from(size)
            && components.iter().enumerate().all(|(at, &c)| usize::from(c) == at);
        if is_whole {
            return base;
        }
        let ty = self.types.vector(scalar, components.len() as u8);
        self.push(ExprKind::Swizzle { base, components: SwizzleMask::new(components) }, ty)
    }

    pub(crate) fn assign(&mut self, place: ExprId, value: ExprId) -> ExprId {
        let ty = self.ty(place);
        self.push(ExprKind::Assign { place, value }, ty)
    }

    /// `condition ? a : b` by component, without branches.
    pub(crate) fn choose(&mut self, condition: ExprId, a: ExprId, b: ExprId) -> ExprId {
        let ty = self.ty(a);
        if self.types.shape(ty).is_none_or(|(columns, _)| columns > 1) {
            let kind = ExprKind::Select { condition, if_true: a, if_false: b };
            return self.push(kind, ty);
        }
        let mask = self.with_scalar(ty, Scalar::Bool);
        let condition = if self.types.components(self.ty(condition)) > 1 {
            condition
        } else {
            self.splat(condition, mask)
        };
        self.builtin(BuiltinFunction::Mix, vec![b, a, condition], ty)
    }

    /// A copy of an expression that is a place or reads one.
    pub(crate) fn copy(&mut self, id: ExprId) -> ExprId {
        let mut copy = self.shader.exprs[id].clone();
        copy.kind.for_each_child_mut(|child| *child = self.copy(*child));
        self.shader.exprs.push(copy)
    }
}

/// The literal of a scalar type with some bits.
pub(crate) fn literal(scalar: Scalar, bits: u64) -> Literal {
    match scalar {
        Scalar::Bool => Literal::Bool(bits != 0),
        Scalar::Int8 => Literal::Int((bits as u8 as i8).into()),
        Scalar::Uint8 => Literal::Uint((bits as u8).into()),
        Scalar::Int16 => Literal::Int((bits as u16 as i16).into()),
        Scalar::Int => Literal::Int((bits as u32 as i32).into()),
        Scalar::Int64 => Literal::Int(bits as i64),
        Scalar::Uint16 => Literal::Uint((bits as u16).into()),
        Scalar::Uint => Literal::Uint((bits as u32).into()),
        Scalar::Uint64 => Literal::Uint(bits),
        Scalar::Float16 => Literal::Float16(bits as u16),
        Scalar::Float => Literal::Float(f32::from_bits(bits as u32)),
        Scalar::Double => Literal::Double(f64::from_bits(bits)),
    }
}
