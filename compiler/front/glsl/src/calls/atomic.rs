//! `atomic*` functions on buffer and shared variables.

use crate::calls::construct::Argument;
use crate::checker::{Check, Checker};
use crate::state::Root;
use glsl_syntax::source::Span;
use program::{AtomicOp, ExprId, ExprKind, Scalar, Storage, Type};

fn operation(name: &str) -> Option<AtomicOp> {
    Some(match name {
        "atomicAdd" => AtomicOp::Add,
        "atomicMin" => AtomicOp::Min,
        "atomicMax" => AtomicOp::Max,
        "atomicAnd" => AtomicOp::And,
        "atomicOr" => AtomicOp::Or,
        "atomicXor" => AtomicOp::Xor,
        "atomicExchange" => AtomicOp::Exchange,
        "atomicCompSwap" => AtomicOp::CompareSwap,
        _ => return None,
    })
}

impl Checker<'_> {
    /// Returns whether this version has an atomic memory function of this name.
    pub(crate) fn is_atomic_function(&self, name: &str) -> bool {
        operation(name).is_some() && self.has_atomic_memory()
    }

    fn has_atomic_memory(&self) -> bool {
        self.language.at_least(430, 310)
            || self
                .language
                .any_extension(&["ARB_shader_storage_buffer_object", "ARB_compute_shader"])
    }

    /// An atomic memory function; `None` for other names.
    pub(crate) fn atomic_call(
        &mut self,
        name: &str,
        arguments: &[Argument],
        span: Span,
    ) -> Check<Option<ExprId>> {
        let Some(op) = operation(name) else { return Ok(None) };
        if !self.has_atomic_memory() {
            return self.error(span, format!("`{name}` is not available in this version"));
        }
        let count = if op == AtomicOp::CompareSwap { 3 } else { 2 };
        let Some((place, operands)) = arguments.split_first().filter(|_| arguments.len() == count)
        else {
            return self.no_overload(name, arguments, span);
        };
        let ty = self.ty(place.value);
        let allowed = match *self.types.get(ty) {
            Type::Scalar(Scalar::Int | Scalar::Uint) => true,
            Type::Scalar(Scalar::Int64 | Scalar::Uint64) => {
                self.language.extension("NV_shader_atomic_int64")
            }
            Type::Scalar(Scalar::Float) => match op {
                AtomicOp::Add => self.language.extension("NV_shader_atomic_float"),
                AtomicOp::Exchange => self
                    .language
                    .any_extension(&["NV_shader_atomic_float", "INTEL_shader_atomic_float_minmax"]),
                AtomicOp::Min | AtomicOp::Max | AtomicOp::CompareSwap => {
                    self.language.extension("INTEL_shader_atomic_float_minmax")
                }
                _ => false,
            },
            _ => false,
        };
        if !allowed {
            return self.no_overload(name, arguments, span);
        }
        let memory = match self.root(place.value) {
            Some(Root::Global(id)) => {
                matches!(self.shader.globals[id].storage, Storage::Buffer | Storage::Shared)
            }
            _ => false,
        };
        if !memory {
            return self.error(place.span, "an atomic function needs a buffer or shared variable");
        }
        self.check_place(place.value, place.span)?;
        let mut values = Vec::with_capacity(operands.len());
        for operand in operands {
            values.push(self.coerce(operand.value, ty, operand.span, "atomic operand")?);
        }
        let kind = ExprKind::Atomic { op, place: place.value, operands: values };
        Ok(Some(self.push(kind, ty, span)))
    }
}
