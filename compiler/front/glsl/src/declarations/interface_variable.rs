//! Rules for interface variables: inputs, outputs, uniforms and their layout qualifiers.

use crate::checker::{Check, Checker};
use crate::qualifiers::layout_target::LayoutTarget;
use crate::qualifiers::qualifier::{Qualifiers, StorageQualifier};
use glsl_syntax::source::Span;
use program::shader::HandleDefaults;
use program::variable::{InterpolationMode, LayoutQualifiers, MemoryQualifiers};
use program::{Scalar, Stage, Storage, Type, TypeId};

impl Checker<'_> {
    /// Rules about types and qualifiers of interface variables.
    pub(crate) fn check_interface(
        &mut self,
        storage: Storage,
        qualifiers: &Qualifiers,
        ty: TypeId,
        span: Span,
    ) -> Check<()> {
        let stage = self.language.stage;
        let interface = matches!(storage, Storage::Input | Storage::Output);
        let inner = self.types.without_arrays(ty);
        let opaque = self.types.contains_opaque(ty);
        if opaque && storage != Storage::Uniform && self.contains_fixed_opaque(ty) {
            return self.error(span, "a variable of opaque type must be uniform");
        }
        let handles = qualifiers.layout.handles;
        if handles != HandleDefaults::default() && !(opaque && storage == Storage::Uniform) {
            return self.error(span, "bindless and bound are for uniforms of samplers or images");
        }
        if !interface && qualifiers.interpolation != Default::default() {
            return self.error(span, "interpolation qualifiers are for inputs and outputs");
        }
        if qualifiers.invariant && storage != Storage::Output {
            let old_input = storage == Storage::Input
                && stage != Stage::Vertex
                && !self.language.at_least(430, 300);
            if !old_input {
                return self.error(span, "only outputs can be invariant");
            }
        }
        let is_image = matches!(self.types.get(inner), Type::Image(_));
        if qualifiers.memory != MemoryQualifiers::default() && !is_image {
            return self.error(span, "memory qualifiers are for images and storage blocks");
        }
        if qualifiers.layout.variable.image_format.is_some() && !is_image {
            return self.error(span, "an image format is for images");
        }
        self.check_layout_target(qualifiers, LayoutTarget::Variable)?;
        if qualifiers.layout.is_of_fragment() {
            return self.error(span, "this layout qualifier is for gl_FragCoord or gl_FragDepth");
        }
        if let Type::Image(image) = *self.types.get(inner) {
            self.check_image_format(image, qualifiers, span)?;
        }
        self.check_layout_targets(storage, qualifiers, ty, span)?;
        self.check_opaque_binding(&qualifiers.layout.variable, ty, span)?;
        if !interface {
            return Ok(());
        }
        self.check_varying(storage, qualifiers, ty, span)?;
        match (stage, storage) {
            (Stage::Vertex, Storage::Input) => self.check_attribute(qualifiers, ty, span)?,
            (Stage::Fragment, Storage::Output) => {
                self.check_fragment_output(qualifiers, ty, span)?
            }
            _ => {}
        }
        self.check_patch(storage, qualifiers, span)
    }

    /// Checks that `patch` is on an output of a tessellation control shader or an input of an
    /// evaluation shader (GLSL 4.60 sections 4.3.4 and 4.3.6).
    pub(crate) fn check_patch(
        &mut self,
        storage: Storage,
        qualifiers: &Qualifiers,
        span: Span,
    ) -> Check<()> {
        let allowed = matches!(
            (self.language.stage, storage),
            (Stage::TessControl, Storage::Output) | (Stage::TessEval, Storage::Input)
        );
        if qualifiers.interpolation.patch && !allowed {
            return self
                .error(span, "`patch` is for tessellation control outputs and evaluation inputs");
        }
        Ok(())
    }

    /// Rules for inputs and outputs of every stage.
    fn check_varying(
        &mut self,
        storage: Storage,
        qualifiers: &Qualifiers,
        ty: TypeId,
        span: Span,
    ) -> Check<()> {
        let stage = self.language.stage;
        let inner = self.types.without_arrays(ty);
        let scalar = self.types.scalar_of(inner);
        if self.contains_bool(inner) {
            return self.error(span, "inputs and outputs cannot be bool");
        }
        let older = matches!(
            qualifiers.storage,
            Some(StorageQualifier::Attribute | StorageQualifier::Varying)
        );
        if qualifiers.interpolation.patch
            && qualifiers.interpolation.mode != InterpolationMode::Default
        {
            return self.error(span, "`patch` takes no interpolation qualifier");
        }
        if older && !self.language.has_integers() && scalar.is_none_or(|s| !s.is_float()) {
            return self
                .error(span, "attributes and varyings must be float, vectors or matrices of it");
        }
        if matches!(self.types.get(inner), Type::Struct(_)) && !self.language.at_least(150, 300) {
            return self.error(span, "structures as inputs and outputs need GLSL 1.50 or ES 3.00");
        }
        let per_vertex = storage.is_per_vertex(stage);
        if per_vertex && !qualifiers.interpolation.patch && self.types.array_of(ty).is_none() {
            return self
                .error(span, "an input or output with one value per vertex must be an array");
        }
        let attribute = (stage, storage) == (Stage::Vertex, Storage::Input);
        if self.language.es && !attribute {
            let own = match self.types.array_of(ty) {
                Some((element, _)) if per_vertex && !qualifiers.interpolation.patch => element,
                _ => ty,
            };
            self.check_es_varying(own, span)?;
        }
        let flat = qualifiers.interpolation.mode == InterpolationMode::Flat;
        if stage == Stage::Fragment
            && storage == Storage::Input
            && self.must_be_flat(inner)
            && !flat
        {
            let name = self.type_name(inner);
            return self.error(span, format!("a fragment input of type {name} must be flat"));
        }
        // GLSL ES 3.00 section 4.3.6; from GLSL ES 3.10 on there may be stages between.
        if self.language.es
            && !self.language.at_least(0, 310)
            && stage == Stage::Vertex
            && storage == Storage::Output
            && self.must_be_flat(inner)
            && !flat
        {
            let name = self.type_name(inner);
            return self
                .error(span, format!("a vertex output of type {name} must be flat in ES 3.00"));
        }
        Ok(())
    }

    /// Values passed between stages in ES nest no deeper than arrays of numbers and structures of
    /// these (ES 3.20 sections 4.3.4 and 4.3.6).
    fn check_es_varying(&mut self, ty: TypeId, span: Span) -> Check<()> {
        let flat = |ty| self.types.array_of(ty).is_none() && self.types.members(ty).is_none();
        let allowed = match (self.types.array_of(ty), self.types.members(ty)) {
            (Some((element, _)), _) => flat(element),
            (None, Some(members)) => members.iter().all(|m| flat(m.ty)),
            (None, None) => true,
        };
        if allowed {
            return Ok(());
        }
        let name = self.type_name(ty);
        self.error(span, format!("inputs and outputs cannot be of type {name} in ES"))
    }

    /// Returns whether a type has integers, doubles or handles, which cannot be interpolated.
    pub(crate) fn must_be_flat(&self, ty: TypeId) -> bool {
        let inner = self.types.without_arrays(ty);
        match self.types.members(inner) {
            Some(members) => members.iter().any(|m| self.must_be_flat(m.ty)),
            None => {
                let is_whole = |s: Scalar| s.is_integer() || s == Scalar::Double;
                self.types.scalar_of(inner).is_some_and(is_whole) || self.is_handle(inner)
            }
        }
    }

    /// Rules for vertex shader inputs.
    fn check_attribute(&mut self, qualifiers: &Qualifiers, ty: TypeId, span: Span) -> Check<()> {
        let inner = self.types.without_arrays(ty);
        if matches!(self.types.get(inner), Type::Struct(_)) {
            return self.error(span, "a vertex input cannot be a structure");
        }
        let double = self.types.scalar_of(inner) == Some(Scalar::Double);
        let wide_inputs = ["ARB_vertex_attrib_64bit", "EXT_vertex_attrib_64bit"];
        if double && !self.language.at_least(410, 0) && !self.language.any_extension(&wide_inputs) {
            return self
                .error(span, "vertex inputs of doubles need GLSL 4.10 or ARB_vertex_attrib_64bit");
        }
        if qualifiers.interpolation != Default::default() {
            return self.error(span, "interpolation qualifiers are not for vertex inputs");
        }
        if self.types.array_of(ty).is_some() && !self.language.at_least(150, 0) {
            return self.error(span, "a vertex input cannot be an array in this version");
        }
        Ok(())
    }

    /// Rules for fragment shader outputs.
    fn check_fragment_output(
        &mut self,
        qualifiers: &Qualifiers,
        ty: TypeId,
        span: Span,
    ) -> Check<()> {
        let inner = self.types.without_arrays(ty);
        let is_structured = matches!(self.types.get(inner), Type::Struct(_) | Type::Matrix { .. });
        if is_structured
            || self.is_handle(inner)
            || self.types.scalar_of(inner) == Some(Scalar::Double)
        {
            let name = self.type_name(inner);
            return self.error(span, format!("a fragment output cannot be of type {name}"));
        }
        if qualifiers.interpolation != Default::default() {
            return self.error(span, "interpolation qualifiers are not for fragment outputs");
        }
        Ok(())
    }

    /// A binding and those after it of an array must be below the limit.
    pub(crate) fn check_binding(
        &mut self,
        binding: u32,
        count: u32,
        (limit, default): (&str, u32),
        span: Span,
    ) -> Check<()> {
        let end = binding.saturating_add(count);
        if let Some(limit) = self.language.limit_below(limit, default, end) {
            return self
                .error(span, format!("binding {binding} is out of range: {limit} are available"));
        }
        Ok(())
    }

    /// The limit of bindings of an opaque type.
    fn check_opaque_binding(
        &mut self,
        layout: &LayoutQualifiers,
        ty: TypeId,
        span: Span,
    ) -> Check<()> {
        let Some(binding) = layout.binding else { return Ok(()) };
        let inner = self.types.without_arrays(ty);
        let count = program::layout::block_instances(self.types, ty);
        let (name, default, count) = match self.types.get(inner) {
            Type::Sampler(_) => ("GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS", 96, count),
            Type::Image(_) => ("GL_MAX_IMAGE_UNITS", 8, count),
            _ => ("GL_MAX_ATOMIC_COUNTER_BUFFER_BINDINGS", 16, 1),
        };
        self.check_binding(binding, count, (name, default), span)
    }

    /// Layout qualifiers on variables that cannot have them.
    fn check_layout_targets(
        &mut self,
        storage: Storage,
        qualifiers: &Qualifiers,
        ty: TypeId,
        span: Span,
    ) -> Check<()> {
        let layout = &qualifiers.layout.variable;
        let older = matches!(
            qualifiers.storage,
            Some(StorageQualifier::Attribute | StorageQualifier::Varying)
        );
        let language = &self.language;
        let interface = matches!(storage, Storage::Input | Storage::Output);
        let inner = self.types.without_arrays(ty);
        let opaque_binding = matches!(
            self.types.get(inner),
            Type::Sampler(_) | Type::Image(_) | Type::AtomicCounter
        );
        let message = match storage {
            _ if layout.binding.is_some() && !(storage == Storage::Uniform && opaque_binding) => {
                "`binding` is for opaque uniforms and blocks"
            }
            _ if layout.offset.is_some()
                && !matches!(self.types.get(inner), Type::AtomicCounter) =>
            {
                "`offset` is for atomic counters and members of blocks"
            }
            _ if layout.index.is_some()
                && !(storage == Storage::Output && language.stage == Stage::Fragment) =>
            {
                "`index` is for fragment outputs"
            }
            Storage::Input if layout.location.is_some() && older => {
                "`location` needs `in` instead of `attribute`"
            }
            _ if layout.index.is_some_and(|i| i > 1) => "`index` must be 0 or 1",
            _ if layout.index.is_some() && layout.location.is_none() => {
                "`index` needs a `location`"
            }
            _ if layout.component.is_some() && layout.location.is_none() => {
                "`component` needs a `location`"
            }
            _ if layout.component.is_some() && !interface => {
                "`component` is for inputs and outputs"
            }
            _ if layout.location.is_some() && !interface && storage != Storage::Uniform => {
                "`location` is for inputs, outputs and uniforms"
            }
            Storage::Uniform
                if layout.location.is_some()
                    && !language.at_least(430, 310)
                    && !language.any_extension(&[
                        "ARB_explicit_uniform_location",
                        "ARB_shader_subroutine",
                    ]) =>
            {
                "`location` of uniforms needs GLSL 4.30, ES 3.10 or ARB_explicit_uniform_location"
            }
            Storage::Uniform
                if layout.location.is_some()
                    && matches!(self.types.get(inner), Type::AtomicCounter) =>
            {
                "atomic counters have no location"
            }
            Storage::Input | Storage::Output if layout.location.is_some() => {
                let outer_end = (language.stage, storage) == (Stage::Vertex, Storage::Input)
                    || (language.stage, storage) == (Stage::Fragment, Storage::Output);
                let explicit = ["ARB_explicit_attrib_location", "ARB_separate_shader_objects"];
                let separate = ["ARB_separate_shader_objects", "EXT_separate_shader_objects"];
                let allowed = if outer_end {
                    language.at_least(330, 300) || language.any_extension(&explicit)
                } else {
                    language.at_least(410, 310) || language.any_extension(&separate)
                };
                if allowed {
                    return self.check_component(layout, ty, span);
                } else {
                    "`location` is not available here"
                }
            }
            _ => return Ok(()),
        };
        self.error(span, message)
    }

    /// `component` must leave room for the variable in its location.
    pub(crate) fn check_component(
        &mut self,
        layout: &LayoutQualifiers,
        ty: TypeId,
        span: Span,
    ) -> Check<()> {
        let Some(component) = layout.component else { return Ok(()) };
        let inner = self.types.without_arrays(ty);
        let message = match *self.types.get(inner) {
            Type::Scalar(s) | Type::Vector { scalar: s, .. } => {
                let words = u32::from(self.types.components(inner)) * (s.bits() / 32).max(1);
                let wide = s.bits() == 64;
                if wide && component % 2 == 1 {
                    "a 64-bit variable cannot start at an odd component"
                } else if component + words > 4 {
                    "the variable does not fit after `component`"
                } else {
                    return Ok(());
                }
            }
            _ => "`component` is for scalars and vectors",
        };
        self.error(span, message)
    }
}
