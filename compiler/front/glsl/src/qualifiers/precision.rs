//! Precision qualifiers and default precisions.

use crate::checker::{Check, Checker};
use crate::qualifiers::qualifier::Qualifiers;
use glsl_syntax::ast::{self, Precision};
use glsl_syntax::source::Span;
use program::types::Dim as TextureDim;
use program::variable::Precision as LinkPrecision;
use program::{Scalar, Stage, Type, TypeId};

impl Checker<'_> {
    pub(crate) fn precision_statement(
        &mut self,
        precision: Precision,
        ty: ast::TypeSpecId,
    ) -> Check<()> {
        let span = self.unit.types[ty].span;
        if !self.language.at_least(130, 100) {
            return self.error(span, "precision statements need GLSL 1.30");
        }
        let ty = self.type_spec(ty)?;
        match self.types.get(ty) {
            Type::Scalar(Scalar::Float) => self.defaults.float_precision = Some(precision),
            Type::Scalar(Scalar::Int) => self.defaults.int_precision = Some(precision),
            Type::AtomicCounter if precision != Precision::High => {
                return self.error(span, "atomic counters are highp");
            }
            Type::Sampler(_) | Type::Image(_) | Type::AtomicCounter => {
                self.defaults.set_opaque(ty, precision);
            }
            _ => {
                return self.error(
                    span,
                    "a default precision can be set for float, int and opaque types only",
                );
            }
        }
        Ok(())
    }

    /// Precision qualifiers are for numbers and opaque types; in ES a `float` or an opaque type
    /// without default precision needs one (ES 3.20 section 4.7.4).
    pub(crate) fn check_precision(
        &mut self,
        ty: TypeId,
        qualifiers: &Qualifiers,
        span: Span,
    ) -> Check<()> {
        let innermost = self.types.without_arrays(ty);
        let without = matches!(self.types.get(innermost), Type::Struct(_) | Type::Void)
            || matches!(self.types.scalar_of(innermost), Some(Scalar::Bool | Scalar::Double));
        let counter = *self.types.get(innermost) == Type::AtomicCounter;
        if counter && qualifiers.precision.is_some_and(|p| p != Precision::High) {
            return self.error(span, "atomic counters are highp");
        }
        if qualifiers.precision.is_some() && without {
            let name = self.type_name(innermost);
            return self.error(span, format!("type {name} has no precision"));
        }
        if !self.language.es || qualifiers.precision.is_some() {
            return Ok(());
        }
        let missing = match self.types.get(innermost) {
            Type::Scalar(Scalar::Float)
            | Type::Vector { scalar: Scalar::Float, .. }
            | Type::Matrix { scalar: Scalar::Float, .. } => {
                self.language.stage == Stage::Fragment && self.defaults.float_precision.is_none()
            }
            Type::Sampler(s) => {
                let has_default = s.result == Scalar::Float
                    && !s.array
                    && !s.shadow
                    && matches!(s.dim, TextureDim::D2 | TextureDim::Cube | TextureDim::External);
                !has_default && self.opaque_precision(innermost).is_none()
            }
            Type::Image(_) => self.opaque_precision(innermost).is_none(),
            _ => false,
        };
        if missing {
            let name = self.type_name(innermost);
            return self.error(span, format!("no default precision for type {name}"));
        }
        Ok(())
    }

    fn opaque_precision(&self, ty: TypeId) -> Option<Precision> {
        self.defaults.opaque_precision.iter().rev().find(|(t, _)| *t == ty).map(|&(_, p)| p)
    }

    /// The precisions of a declared variable's or member's leaves, for linking; none outside ES.
    pub(crate) fn precisions_of(&self, ty: TypeId, qualifiers: &Qualifiers) -> Vec<LinkPrecision> {
        let inner = self.types.without_arrays(ty);
        match self.struct_precisions.get(&inner) {
            _ if !self.language.es => Vec::new(),
            Some(members) => members.clone(),
            None => vec![self.precision_of(inner, qualifiers)],
        }
    }

    /// The precision that a type without arrays has with these qualifiers, in ES.
    pub(crate) fn precision_of(&self, inner: TypeId, qualifiers: &Qualifiers) -> LinkPrecision {
        let high_by_default = self.language.stage != Stage::Fragment;
        let integer = if high_by_default { Precision::High } else { Precision::Medium };
        let declared = qualifiers.precision.or_else(|| match self.types.scalar_of(inner) {
            Some(Scalar::Float) if high_by_default => {
                self.defaults.float_precision.or(Some(Precision::High))
            }
            Some(Scalar::Float) => self.defaults.float_precision,
            Some(Scalar::Int | Scalar::Uint) => self.defaults.int_precision.or(Some(integer)),
            Some(_) => None,
            None if matches!(self.types.get(inner), Type::Sampler(_)) => {
                self.opaque_precision(inner).or(Some(Precision::Low))
            }
            None => self.opaque_precision(inner),
        });
        match declared {
            None => LinkPrecision::None,
            Some(Precision::Low) => LinkPrecision::Low,
            Some(Precision::Medium) => LinkPrecision::Medium,
            Some(Precision::High) => LinkPrecision::High,
        }
    }
}
