//! Exactness: whether a shader's results are determined bit for bit: only correctly rounded
//! operations contribute to them.
//!
//! The answer is conservative: a shader with one inexact operation anywhere is not exact. `a*b+c`
//! may be fused by a compiler unless `precise`, so a shader with both a multiplication and an
//! addition of one floating-point type that are not `precise` is not exact either.

use crate::builtin_function::{BuiltinFamily, BuiltinFunction};
use crate::builtin_variable::BuiltinVariable;
use crate::expression::{BinaryOp, Expr, ExprId, ExprKind, ImageOp, TextureOp};
use crate::resource::{Placement, Slot};
use crate::shader::Shader;
use crate::stage::Stage;
use crate::types::{Scalar, TypeId, TypeTable};
use crate::variable::{Global, InterpolationMode, Storage};
use rustc_hash::FxHashSet;

/// Operations of one floating-point type that may fuse.
#[derive(Clone, Copy, Default)]
struct Fusible {
    multiplies: bool,
    adds: bool,
}

/// Returns true if all operations that are reached are correctly rounded, or exact by nature.
pub fn is_exact(shader: &Shader, types: &TypeTable, reached: &[ExprId]) -> bool {
    let mut fusible = [Fusible::default(); 3];
    for &id in reached {
        let expr = &shader.exprs[id];
        if !operation_is_exact(shader, types, expr) {
            return false;
        }
        if let Some((scalar, adds)) = contraction_candidate(types, expr).filter(|_| !expr.precise) {
            let entry = &mut fusible[scalar];
            if adds { entry.adds = true } else { entry.multiplies = true }
        }
    }
    fusible.iter().all(|f| !(f.multiplies && f.adds))
}

/// Returns true if an expression that is reached has components of type `float16_t`.
pub fn has_half_precision(shader: &Shader, types: &TypeTable, reached: &[ExprId]) -> bool {
    reached.iter().any(|&id| types.scalar_of(shader.exprs[id].ty) == Some(Scalar::Float16))
}

/// Returns true if results may depend on the order of invocations: the shader uses the value that
/// an atomic function returns, which is that of the invocations before it (GLSL 4.60 section 8.10).
pub fn depends_on_order(shader: &Shader, reached: &[ExprId]) -> bool {
    let mut dropped = FxHashSet::default();
    let mut drop_value = |id| {
        dropped.insert(id);
    };
    for body in shader.functions.values().filter_map(|function| function.body.as_ref()) {
        body.iter().for_each(|statement| statement.for_each_dropped_value(&mut drop_value));
    }
    reached.iter().any(|id| is_atomic(&shader.exprs[*id].kind) && !dropped.contains(id))
}

fn is_atomic(kind: &ExprKind) -> bool {
    match kind {
        ExprKind::Builtin { function, .. } => {
            matches!(function.family(), BuiltinFamily::AtomicCounter(_))
                && *function != BuiltinFunction::AtomicCounter
        }
        ExprKind::Image(call) => matches!(call.op, ImageOp::Atomic(_)),
        ExprKind::Atomic { .. } => true,
        _ => false,
    }
}

fn float_index(types: &TypeTable, ty: TypeId) -> Option<usize> {
    match types.scalar_of(ty)? {
        Scalar::Float16 => Some(0),
        Scalar::Float => Some(1),
        Scalar::Double => Some(2),
        _ => None,
    }
}

/// The floating-point type of an addition (true) or multiplication (false).
fn contraction_candidate(types: &TypeTable, expr: &Expr) -> Option<(usize, bool)> {
    let adds = match &expr.kind {
        ExprKind::Binary(op, ..) | ExprKind::CompoundAssign { op, .. } => match op {
            BinaryOp::Add | BinaryOp::Sub => true,
            BinaryOp::Mul => false,
            _ => return None,
        },
        ExprKind::PreIncrement { .. } | ExprKind::PostIncrement { .. } => true,
        ExprKind::Builtin {
            function: BuiltinFunction::MatrixCompMult | BuiltinFunction::OuterProduct,
            ..
        } => false,
        _ => return None,
    };
    float_index(types, expr.ty).map(|index| (index, adds))
}

fn operation_is_exact(shader: &Shader, types: &TypeTable, expr: &Expr) -> bool {
    let float = float_index(types, expr.ty).is_some();
    match &expr.kind {
        ExprKind::Binary(op, ..) | ExprKind::CompoundAssign { op, .. } => match op {
            BinaryOp::Div | BinaryOp::Mod => !float,
            BinaryOp::MatrixTimesMatrix
            | BinaryOp::MatrixTimesVector
            | BinaryOp::VectorTimesMatrix => false,
            _ => true,
        },
        ExprKind::Global(id) => global_is_exact(shader, types, &shader.globals[*id]),
        ExprKind::Builtin { function, arguments } => {
            builtin_is_exact(shader, types, *function, arguments)
        }
        ExprKind::Texture(call) => call.op != TextureOp::Sample && call.op != TextureOp::QueryLod,
        _ => true,
    }
}

/// Interpolated values are exact only when flat.
fn global_is_exact(shader: &Shader, types: &TypeTable, global: &Global) -> bool {
    use BuiltinVariable as V;
    if global.storage != Storage::Input {
        return true;
    }
    match shader.stage {
        Stage::Fragment => {
            let whole = types
                .scalar_of(types.without_arrays(global.ty))
                .is_some_and(|s| !s.is_float() || s == Scalar::Double);
            let varying = matches!(global.placement, Placement::Varying { .. })
                && global.placement != Placement::Varying { slot: Slot::Layer, component: 0 };
            let flat = global.interpolation.mode == InterpolationMode::Flat || whole;
            !matches!(global.builtin, Some(V::FragCoord | V::PointCoord | V::SamplePosition))
                && (flat || !varying)
        }
        Stage::TessEval => global.builtin != Some(V::TessCoord),
        _ => true,
    }
}

/// Functions whose result the specification fixes bit for bit, for operands of any type.
fn builtin_is_exact(
    shader: &Shader,
    types: &TypeTable,
    function: BuiltinFunction,
    arguments: &[ExprId],
) -> bool {
    use BuiltinFunction as F;
    let boolean_selector = arguments
        .get(2)
        .is_some_and(|&a| types.scalar_of(shader.exprs[a].ty) == Some(Scalar::Bool));
    match function {
        F::Mix => boolean_selector,
        function => function.is_exact(),
    }
}
