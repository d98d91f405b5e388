//! Targets of layout qualifiers: declarations of a qualifier only, variables, blocks, members (the
//! table of GLSL 4.60 section 4.4).

use crate::checker::{Check, Checker};
use crate::qualifiers::layout::Layout;
use crate::qualifiers::qualifier::{Qualifiers, StorageQualifier};
use glsl_syntax::source::Span;
use program::Stage;
use program::variable::MemoryQualifiers;

/// Kind of a declaration with layout qualifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LayoutTarget {
    /// A variable, or only its type.
    Variable,
    /// The built-in variable `gl_LastFragData`.
    LastFragData,
    /// An interface block.
    Block,
    /// A member of an interface block.
    Member,
}

impl Layout {
    /// A layout qualifier that describes the whole stage.
    fn of_stage(&self) -> Option<&'static str> {
        let numbers = [
            ("max_vertices", self.max_vertices.is_some()),
            ("vertices", self.vertices.is_some()),
            ("invocations", self.invocations.is_some()),
            ("local_size_x", self.local_size.iter().any(Option::is_some)),
            ("local_size_variable", self.local_size_variable),
            ("early_fragment_tests", self.early_fragment_tests),
            ("post_depth_coverage", self.post_depth_coverage),
            ("inner_coverage", self.inner_coverage),
            ("blend_support", self.blend_support),
            ("point_mode", self.point_mode),
        ];
        let words = [
            ("a primitive", self.primitive.is_some()),
            ("a spacing", self.spacing.is_some()),
            ("a vertex order", self.clockwise.is_some()),
            ("an interlock mode", self.interlock.is_some()),
            ("a derivative group", self.derivative_group_quads.is_some()),
        ];
        numbers.into_iter().chain(words).find(|&(_, there)| there).map(|(name, _)| name)
    }

    /// True with a layout of `gl_FragCoord` or `gl_FragDepth`.
    pub(crate) fn is_of_fragment(&self) -> bool {
        let v = &self.variable;
        v.origin_upper_left || v.pixel_center_integer || v.depth.is_some()
    }

    /// Returns whether something is captured by transform feedback.
    pub(crate) fn captures(&self) -> bool {
        let v = &self.variable;
        v.xfb_offset.is_some() || v.xfb_buffer.is_some() || v.xfb_stride.is_some()
    }

    /// A layout qualifier that describes one variable, block or member.
    fn of_variable(&self) -> Option<&'static str> {
        let v = &self.variable;
        let all = [
            ("location", v.location.is_some()),
            ("component", v.component.is_some()),
            ("index", v.index.is_some()),
            ("binding", v.binding.is_some()),
            ("offset", v.offset.is_some()),
            ("align", self.align.is_some()),
            ("xfb_offset", v.xfb_offset.is_some()),
            ("an image format", v.image_format.is_some()),
            ("origin_upper_left", v.origin_upper_left),
            ("pixel_center_integer", v.pixel_center_integer),
            ("a depth layout", v.depth.is_some()),
            ("noncoherent", self.noncoherent),
        ];
        all.into_iter().find(|&(_, there)| there).map(|(name, _)| name)
    }
}

impl Checker<'_> {
    /// Reports layout qualifiers that do not apply to a variable, block or member.
    pub(crate) fn check_layout_target(
        &mut self,
        q: &Qualifiers,
        target: LayoutTarget,
    ) -> Check<()> {
        let layout = &q.layout;
        if let Some(name) = layout.of_stage() {
            return self.error(
                q.span,
                format!("{name} is for a declaration of its own, without a variable"),
            );
        }
        let variable = matches!(target, LayoutTarget::Variable | LayoutTarget::LastFragData);
        let fetched = target == LayoutTarget::LastFragData
            || target == LayoutTarget::Variable && q.storage == Some(StorageQualifier::InOut);
        let memory =
            matches!(q.storage, Some(StorageQualifier::Uniform | StorageQualifier::Buffer));
        let order = layout.order.is_some();
        let message = match target {
            _ if layout.noncoherent && !fetched => {
                "noncoherent is for `inout` variables and gl_LastFragData"
            }
            _ if variable && layout.packing.is_some() => "the packing of memory is for blocks",
            _ if variable && layout.order.is_some() => "row_major and column_major are for blocks",
            _ if variable && layout.align.is_some() => "align is for blocks and their members",
            LayoutTarget::Block if layout.variable.component.is_some() => {
                "component is not for blocks"
            }
            LayoutTarget::Block if layout.variable.offset.is_some() => {
                "offset is not for blocks, but for members"
            }
            _ if target != LayoutTarget::Member
                && layout.captures()
                && q.storage.is_some_and(|word| word != StorageQualifier::Out) =>
            {
                "transform feedback is for outputs"
            }
            _ if layout.captures() && self.language.stage == Stage::Fragment => {
                "transform feedback is not for fragment shaders"
            }
            _ if layout.variable.stream.is_some() && !self.may_have_stream(q) => {
                "`stream` is for outputs of geometry shaders"
            }
            LayoutTarget::Block | LayoutTarget::Member if layout.is_of_fragment() => {
                "this layout qualifier is for gl_FragCoord or gl_FragDepth"
            }
            LayoutTarget::Block if !memory && (layout.packing.is_some() || order) => {
                "packing and matrix order are for uniform and storage blocks"
            }
            LayoutTarget::Block | LayoutTarget::Member
                if layout.variable.image_format.is_some() =>
            {
                "an image format is for images"
            }
            LayoutTarget::Block | LayoutTarget::Member if layout.variable.index.is_some() => {
                "index is for fragment outputs"
            }
            _ => return Ok(()),
        };
        self.error(q.span, message)
    }

    /// True for outputs of geometry shaders, and for members, whose block is checked.
    fn may_have_stream(&self, q: &Qualifiers) -> bool {
        self.language.stage == Stage::Geometry
            && q.storage.is_none_or(|word| word == StorageQualifier::Out)
    }

    /// Reports layout qualifiers that need a variable, in a declaration without one.
    pub(crate) fn check_default_layout(&mut self, q: &Qualifiers, span: Span) -> Check<()> {
        let layout = &q.layout;
        if let Some(name) = layout.of_variable() {
            return self.error(span, format!("{name} needs a variable or a block"));
        }
        let memory_block =
            matches!(q.storage, Some(StorageQualifier::Uniform | StorageQualifier::Buffer));
        let output = q.storage == Some(StorageQualifier::Out);
        if (layout.packing.is_some() || layout.order.is_some()) && !memory_block {
            return self.error(span, "packing and matrix order are for uniform and storage blocks");
        }
        if let Some(name) = layout.of_stage().filter(|_| memory_block) {
            return self.error(span, format!("{name} is for inputs or outputs"));
        }
        let captured = layout.variable.xfb_buffer.is_some() || layout.variable.xfb_stride.is_some();
        if (captured || layout.variable.stream.is_some()) && !output {
            return self.error(span, "transform feedback and streams are for outputs");
        }
        if captured && matches!(self.language.stage, Stage::Fragment | Stage::Compute) {
            return self.error(span, "transform feedback is for stages before the fragment shader");
        }
        if layout.variable.stream.is_some() && self.language.stage != Stage::Geometry {
            return self.error(span, "`stream` is for outputs of geometry shaders");
        }
        if layout.blend_support && !(output && self.language.stage == Stage::Fragment) {
            return self.error(span, "blend equations are for fragment outputs");
        }
        let other = q.interpolation != Default::default()
            || q.memory != MemoryQualifiers::default()
            || q.precision.is_some()
            || q.invariant
            || q.precise
            || q.subroutine.is_some()
            || q.storage == Some(StorageQualifier::InOut)
            || q.constant;
        if other {
            return self.error(span, "these qualifiers need a variable");
        }
        Ok(())
    }
}
