//! Redeclarations of built-in variables, and declarations that are qualifiers only.

use crate::checker::{Check, Checker, Reported};
use crate::qualifiers::layout_target::LayoutTarget;
use crate::qualifiers::qualifier::{Qualifiers, StorageQualifier};
use crate::scope::Entity;
use glsl_syntax::ast::{self, Declarator, Name};
use glsl_syntax::source::Span;
use program::shader::LayoutPrimitive;
use program::variable::{LayoutQualifiers, MemoryQualifiers, Packing};
use program::{ArrayLength, BuiltinVariable, GlobalId, Stage, Storage, TypeId};

impl Checker<'_> {
    /// `in vec4 gl_FragCoord;`, `varying vec4 gl_TexCoord[3];` and so on.
    pub(crate) fn redeclare_builtin(
        &mut self,
        qualifiers: &Qualifiers,
        ty: TypeId,
        declarator: Declarator,
    ) -> Check<()> {
        let span = declarator.name.span;
        let text = self.text(declarator.name.symbol);
        let id = match self.builtin_variable(text, span)? {
            Some(id) => id,
            None => {
                return self
                    .error(span, format!("`{text}`: names that start with gl_ are reserved"));
            }
        };
        let target = match self.shader.globals[id].builtin {
            Some(BuiltinVariable::LastFragData) => LayoutTarget::LastFragData,
            _ => LayoutTarget::Variable,
        };
        self.check_layout_target(qualifiers, target)?;
        self.check_redeclarable(id, qualifiers, span)?;
        self.check_one_storage(qualifiers, span)?;
        if target == LayoutTarget::LastFragData {
            self.check_coherence(qualifiers, span)?;
        }
        let old = &self.shader.globals[id];
        let matches = self.same_but_sizes(old.ty, ty);
        if !matches || declarator.init.is_some() {
            return self.error(span, format!("`{text}` is redeclared with another type"));
        }
        let word_fits = match qualifiers.storage {
            None => old.builtin == Some(BuiltinVariable::LastFragData),
            Some(StorageQualifier::In | StorageQualifier::Attribute) => {
                old.storage == Storage::Input
            }
            Some(StorageQualifier::Out) => old.storage == Storage::Output,
            Some(StorageQualifier::Varying) => {
                matches!(old.storage, Storage::Input | Storage::Output)
            }
            Some(StorageQualifier::Uniform) => old.storage == Storage::Uniform,
            Some(StorageQualifier::InOut) => match old.builtin {
                Some(
                    BuiltinVariable::FragDepth
                    | BuiltinVariable::FragStencilRef
                    | BuiltinVariable::SampleMask,
                ) => false,
                builtin => {
                    old.storage == Storage::Output || builtin == Some(BuiltinVariable::LastFragData)
                }
            },
            Some(StorageQualifier::Buffer | StorageQualifier::Shared) => false,
        };
        if !word_fits {
            return self
                .error(span, format!("`{text}` is redeclared with another storage qualifier"));
        }
        let fragment_output =
            self.language.stage == Stage::Fragment && old.storage == Storage::Output;
        if fragment_output && qualifiers.interpolation != Default::default() {
            return self.error(span, "interpolation qualifiers are not for fragment outputs");
        }
        if qualifiers.memory != MemoryQualifiers::default() {
            return self.error(span, "memory qualifiers are for images and storage blocks");
        }
        if old.builtin == Some(BuiltinVariable::FragDepth)
            && qualifiers.layout.variable.depth.is_some()
            && !self.language.at_least(420, 0)
            && !self.language.any_extension(&[
                "ARB_conservative_depth",
                "AMD_conservative_depth",
                "EXT_conservative_depth",
            ])
        {
            return self.error(span, "depth layouts need GLSL 4.20 or ARB_conservative_depth");
        }
        if let Some(builtin) = self.shader.globals[id].builtin {
            self.check_builtin_size(builtin, ty, span)?;
        }
        self.set_xfb_stride(&qualifiers.layout.variable, span)?;
        self.redeclared.insert(id);
        if self.types.array_of(ty).is_some() {
            self.resize(id, ty, span)?;
            self.size_per_vertex(id, span)?;
        }
        if self.shader.globals[id].builtin == Some(BuiltinVariable::FragCoord) {
            self.shader.redeclarations.frag_coord = true;
        }
        self.apply_qualifiers(id, qualifiers);
        Ok(())
    }

    /// Returns whether two types differ only in the sizes of their arrays.
    fn same_but_sizes(&self, a: TypeId, b: TypeId) -> bool {
        match (self.types.array_of(a), self.types.array_of(b)) {
            (Some((a, _)), Some((b, _))) => self.same_but_sizes(a, b),
            _ => a == b,
        }
    }

    /// Maximum elements of a built-in array without a size.
    pub(crate) fn builtin_size_limit(&self, builtin: BuiltinVariable) -> Option<u32> {
        match builtin {
            BuiltinVariable::TexCoord => Some(self.language.limit("GL_MAX_TEXTURE_COORDS", 8)),
            BuiltinVariable::ClipDistance => Some(self.language.limit("GL_MAX_CLIP_DISTANCES", 8)),
            BuiltinVariable::CullDistance => Some(self.language.limit("GL_MAX_CULL_DISTANCES", 8)),
            _ => None,
        }
    }

    pub(crate) fn check_builtin_size(
        &mut self,
        builtin: BuiltinVariable,
        ty: TypeId,
        span: Span,
    ) -> Check<()> {
        let limit = match builtin {
            // An `int` for 32 samples (GLSL 4.60 section 7.1.5).
            BuiltinVariable::SampleMask | BuiltinVariable::SampleMaskIn => {
                Some(self.language.limit("GL_MAX_SAMPLES", 8).div_ceil(32).max(1))
            }
            _ => self.builtin_size_limit(builtin),
        };
        if let (Some(limit), Some((_, ArrayLength::Fixed(n)))) = (limit, self.types.array_of(ty))
            && n > limit
        {
            let name = builtin.name();
            return self.error(span, format!("`{name}` cannot have more than {limit} elements"));
        }
        Ok(())
    }

    /// Checks that a built-in variable may be redeclared with these qualifiers (GLSL 4.60 sections
    /// 4.4.1.3, 4.4.2.4, 7.1 and 4.1.9).
    fn check_redeclarable(
        &mut self,
        id: GlobalId,
        qualifiers: &Qualifiers,
        span: Span,
    ) -> Check<()> {
        use BuiltinVariable as V;
        let old = &self.shader.globals[id];
        let (builtin, name, new) = (old.builtin, old.name.clone(), &qualifiers.layout.variable);
        let again = self.redeclared.contains(&id);
        let coordinates = |l: &LayoutQualifiers| (l.origin_upper_left, l.pixel_center_integer);
        let adds_something = qualifiers.layout.present
            || qualifiers.invariant
            || qualifiers.precise
            || qualifiers.interpolation != Default::default();
        let separate = self.language.at_least(410, 0)
            || self
                .language
                .any_extension(&["ARB_separate_shader_objects", "EXT_separate_shader_objects"]);
        let per_vertex = old.storage == Storage::Output
            && builtin.is_some_and(|b| b.is_per_vertex())
            && self.shader.redeclarations.per_vertex_out.is_some();
        let problem = if coordinates(new) != (false, false) && builtin != Some(V::FragCoord) {
            "has no coordinate conventions"
        } else if new.depth.is_some() && builtin != Some(V::FragDepth) {
            "has no depth layout"
        } else if matches!(builtin, Some(V::FragCoord | V::FragDepth)) && !again && self.used[id] {
            "is redeclared after use"
        } else if again && coordinates(new) != coordinates(&old.layout) {
            "is redeclared with other coordinate conventions"
        } else if again && new.depth.is_some() && new.depth != old.layout.depth {
            "is redeclared with another depth layout"
        } else if matches!(builtin, Some(V::FragColor | V::FragData))
            && qualifiers.storage == Some(StorageQualifier::Out)
        {
            "cannot be redeclared"
        } else if !may_be_redeclared(builtin, adds_something, separate) {
            "cannot be redeclared here"
        } else if per_vertex {
            "is a member of gl_PerVertex, which was redeclared"
        } else if again
            && builtin.is_some_and(|b| self.builtin_size_limit(b).is_some())
            && matches!(self.types.array_of(old.ty), Some((_, ArrayLength::Fixed(_))))
        {
            "already has a size"
        } else {
            return Ok(());
        };
        self.error(span, format!("`{name}` {problem}"))
    }

    /// Adds qualifiers to a variable that exists.
    fn apply_qualifiers(&mut self, id: program::GlobalId, qualifiers: &Qualifiers) {
        let global = &mut self.shader.globals[id];
        global.invariant |= qualifiers.invariant;
        global.precise |= qualifiers.precise;
        global.fetched |= global.storage == Storage::Output
            && qualifiers.storage == Some(StorageQualifier::InOut);
        if qualifiers.interpolation != Default::default() {
            global.interpolation = qualifiers.interpolation;
        }
        let (new, old) = (&qualifiers.layout.variable, &mut global.layout);
        old.depth = new.depth.or(old.depth);
        old.origin_upper_left |= new.origin_upper_left;
        old.pixel_center_integer |= new.pixel_center_integer;
        old.location = new.location.or(old.location);
        old.xfb_buffer = new.xfb_buffer.or(old.xfb_buffer);
        old.xfb_offset = new.xfb_offset.or(old.xfb_offset);
        old.xfb_stride = new.xfb_stride.or(old.xfb_stride);
        old.stream = new.stream.or(old.stream);
        if old.xfb_offset.is_some() {
            old.xfb_buffer = old.xfb_buffer.or(self.defaults.xfb_buffer);
        }
    }

    /// `layout(…) in;`, `invariant a, b;`, `precise c;`.
    pub(crate) fn qualifier_declaration(
        &mut self,
        list: ast::List<ast::QualifierId>,
        names: ast::List<Name>,
    ) -> Check<()> {
        let qualifiers = self.qualifiers(list)?;
        let span = qualifiers.span;
        if names.is_empty() {
            return self.stage_layout(&qualifiers, span);
        }
        let names = self.unit.list(names);
        if let &[name] = names
            && self.is_type_name(name)
        {
            let ty = self.named_type(name.symbol, name.span)?;
            return self.empty_declaration(&qualifiers, ty, name.span);
        }
        names.iter().try_for_each(|&name| self.qualify(&qualifiers, name))
    }

    fn qualify(&mut self, qualifiers: &Qualifiers, name: Name) -> Check<()> {
        let text = self.text(name.symbol);
        let id = match self.scopes.find(name.symbol).cloned() {
            Some(Entity::Global(id)) => Some(id),
            Some(Entity::Local(id)) if qualifiers.precise && !qualifiers.invariant => {
                if let Some(local) = self.function.as_mut().and_then(|f| f.locals.get_mut(id)) {
                    local.precise = true;
                }
                return Ok(());
            }
            Some(Entity::BlockMember(id, _)) => Some(id),
            Some(Entity::Unknown) => return Err(Reported),
            Some(_) => None,
            None => self.builtin_variable(text, name.span)?,
        };
        let Some(id) = id else {
            return self.error(name.span, format!("`{text}` is not a variable"));
        };
        let others = qualifiers.storage.is_some()
            || qualifiers.constant
            || qualifiers.precision.is_some()
            || qualifiers.layout.present
            || qualifiers.interpolation != Default::default()
            || qualifiers.memory != MemoryQualifiers::default();
        if others {
            return self
                .error(name.span, format!("only invariant and precise can be added to `{text}`"));
        }
        let global = &self.shader.globals[id];
        if qualifiers.precise && self.used[id] {
            return self.error(name.span, format!("`{text}` is made precise after use"));
        }
        if qualifiers.precise && !self.scopes.is_global() {
            return self
                .error(name.span, format!("`{text}` is global and cannot be made precise here"));
        }
        if qualifiers.invariant {
            if self.used[id] {
                return self.error(name.span, format!("`{text}` is made invariant after use"));
            }
            let old_input = global.storage == Storage::Input
                && self.language.stage != Stage::Vertex
                && !self.language.at_least(430, 300);
            let built_in_input = global.storage == Storage::Input
                && global.builtin.is_some()
                && self.language.stage != Stage::Vertex;
            if !self.scopes.is_global() {
                return self
                    .error(name.span, "variables can only be made invariant at global scope");
            }
            if global.storage != Storage::Output && !old_input && !built_in_input {
                return self.error(
                    name.span,
                    format!("`{text}` is not an output and cannot be invariant"),
                );
            }
        }
        self.apply_qualifiers(id, qualifiers);
        Ok(())
    }

    /// Layout declarations without a variable.
    fn stage_layout(&mut self, qualifiers: &Qualifiers, span: Span) -> Check<()> {
        let layout = &qualifiers.layout;
        let stage = self.language.stage;
        self.check_default_layout(qualifiers, span)?;
        self.layout_span = span;
        match qualifiers.storage {
            Some(StorageQualifier::Uniform | StorageQualifier::Buffer) => {
                let buffer = qualifiers.storage == Some(StorageQualifier::Buffer);
                if layout.packing == Some(Packing::Std430) && !buffer {
                    return self.error(span, "std430 is for storage blocks");
                }
                let defaults = &mut self.defaults;
                let (packing, order) = if buffer {
                    (&mut defaults.buffer_packing, &mut defaults.buffer_order)
                } else {
                    (&mut defaults.uniform_packing, &mut defaults.uniform_order)
                };
                *packing = layout.packing.unwrap_or(*packing);
                defaults.buffer_packing_declared |= buffer && layout.packing.is_some();
                *order = layout.order.unwrap_or(*order);
                self.shader.layout.handles.merge(layout.handles);
                Ok(())
            }
            Some(StorageQualifier::In) => self.input_layout(layout.clone(), span),
            Some(StorageQualifier::Out) => self.output_layout(layout.clone(), span),
            _ if stage == Stage::Compute && layout.present => {
                self.error(span, "this layout declaration needs `in`")
            }
            _ if layout.present || qualifiers.invariant || qualifiers.precise => {
                self.error(span, "these qualifiers need a variable")
            }
            _ => Ok(()),
        }
    }

    fn set<T: Copy + PartialEq>(
        &mut self,
        into: fn(&mut Self) -> &mut Option<T>,
        new: Option<T>,
        span: Span,
    ) -> Check<()> {
        let slot = into(self);
        match (*slot, new) {
            (Some(a), Some(b)) if a != b => {
                self.error(span, "this contradicts an earlier layout declaration")
            }
            (_, Some(_)) => {
                *slot = new;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn input_layout(&mut self, layout: crate::qualifiers::layout::Layout, span: Span) -> Check<()> {
        use LayoutPrimitive as P;
        let stage = self.language.stage;
        if let Some(primitive) = layout.primitive {
            let fits = match stage {
                Stage::Geometry => {
                    matches!(
                        primitive,
                        P::Points
                            | P::Lines
                            | P::LinesAdjacency
                            | P::Triangles
                            | P::TrianglesAdjacency
                    )
                }
                Stage::TessEval => matches!(primitive, P::Triangles | P::Quads | P::Isolines),
                _ => false,
            };
            if !fits {
                return self.error(span, "this input primitive is not available in this stage");
            }
        }
        let geometry = layout.invocations.is_some();
        let evaluation =
            layout.spacing.is_some() || layout.clockwise.is_some() || layout.point_mode;
        let compute = layout.local_size.iter().any(|s| s.is_some()) || layout.local_size_variable;
        let fragment = layout.early_fragment_tests
            || layout.post_depth_coverage
            || layout.inner_coverage
            || layout.interlock.is_some();
        let wrong = (geometry && stage != Stage::Geometry)
            || (evaluation && stage != Stage::TessEval)
            || (compute && stage != Stage::Compute)
            || (fragment && stage != Stage::Fragment)
            || layout.max_vertices.is_some()
            || layout.vertices.is_some();
        if wrong {
            return self.error(span, "this layout qualifier is not for inputs of this stage");
        }
        let shader = &self.shader.layout;
        self.inner_coverage |= layout.inner_coverage;
        if self.inner_coverage && (shader.post_depth_coverage || layout.post_depth_coverage) {
            return self.error(span, "inner_coverage and post_depth_coverage exclude each other");
        }
        let limit = self.language.limit("GL_MAX_GEOMETRY_SHADER_INVOCATIONS", 32);
        if layout.invocations.is_some_and(|n| n > limit) {
            return self.error(span, format!("at most {limit} invocations are available"));
        }
        let sized = self.shader.layout.input_primitive.is_some();
        self.set(|c| &mut c.shader.layout.input_primitive, layout.primitive, span)?;
        if layout.primitive.is_some() && !sized {
            self.size_all_per_vertex(span)?;
        }
        self.set(|c| &mut c.shader.layout.invocations, layout.invocations, span)?;
        self.set(|c| &mut c.shader.layout.spacing, layout.spacing, span)?;
        self.set(|c| &mut c.shader.layout.clockwise, layout.clockwise, span)?;
        self.set(|c| &mut c.shader.layout.interlock, layout.interlock, span)?;
        self.set(
            |c| &mut c.shader.layout.derivative_group_quads,
            layout.derivative_group_quads,
            span,
        )?;
        if layout.local_size.iter().any(|s| s.is_some()) {
            let size = layout.local_size.map(|s| s.unwrap_or(1));
            let count = size.iter().fold(1, |n: u32, &s| n.saturating_mul(s));
            let name = "GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS";
            if let Some(limit) = self.language.limit_below(name, 1024, count) {
                return self
                    .error(span, format!("at most {limit} invocations fit into a work group"));
            }
            self.set(|c| &mut c.shader.layout.local_size, Some(size), span)?;
        }
        let target = &mut self.shader.layout;
        target.point_mode |= layout.point_mode;
        target.early_fragment_tests |= layout.early_fragment_tests;
        target.post_depth_coverage |= layout.post_depth_coverage;
        target.local_size_variable |= layout.local_size_variable;
        self.check_early_depth(span)
    }

    fn output_layout(
        &mut self,
        layout: crate::qualifiers::layout::Layout,
        span: Span,
    ) -> Check<()> {
        use LayoutPrimitive as P;
        let stage = self.language.stage;
        let primitive_fits = match layout.primitive {
            None => true,
            Some(P::Points | P::LineStrip | P::TriangleStrip) => stage == Stage::Geometry,
            Some(_) => false,
        };
        let wrong = !primitive_fits
            || (layout.max_vertices.is_some() && stage != Stage::Geometry)
            || (layout.vertices.is_some() && stage != Stage::TessControl)
            || (layout.variable.stream.is_some() && stage != Stage::Geometry)
            || layout.invocations.is_some()
            || layout.spacing.is_some()
            || layout.clockwise.is_some()
            || layout.point_mode
            || layout.early_fragment_tests
            || layout.post_depth_coverage
            || layout.inner_coverage
            || layout.interlock.is_some()
            || layout.local_size.iter().any(|s| s.is_some());
        if wrong {
            return self.error(span, "this layout qualifier is not for outputs of this stage");
        }
        let limit = self.language.limit("GL_MAX_GEOMETRY_OUTPUT_VERTICES", 256);
        if layout.max_vertices.is_some_and(|n| n > limit) {
            return self.error(span, format!("at most {limit} output vertices are available"));
        }
        self.set(|c| &mut c.shader.layout.output_primitive, layout.primitive, span)?;
        self.set(|c| &mut c.shader.layout.max_vertices, layout.max_vertices, span)?;
        let sized = self.shader.layout.vertices.is_some();
        self.set(|c| &mut c.shader.layout.vertices, layout.vertices, span)?;
        if let Some(vertices) = layout.vertices.filter(|_| !sized) {
            let limit = self.language.limit("GL_MAX_PATCH_VERTICES", 32);
            if vertices > limit {
                return self.error(span, format!("at most {limit} output vertices are available"));
            }
            self.size_all_per_vertex(span)?;
        }
        self.defaults.stream = layout.variable.stream.or(self.defaults.stream);
        self.defaults.xfb_buffer = layout.variable.xfb_buffer.or(self.defaults.xfb_buffer);
        self.set_xfb_stride(&layout.variable, span)
    }

    /// Layout declarations that contradict each other, whichever comes first.
    pub(crate) fn check_layouts(&mut self) -> Check<()> {
        let layout = &self.shader.layout;
        // Another shader of the stage may set the size.
        let size = layout.local_size.unwrap_or([2; 3]);
        let threads = size.iter().fold(1u64, |product, &n| product.saturating_mul(n.into()));
        if let Some(pragma) = self.all_invariant()
            && self.is_stage(Stage::Fragment)
            && self.language.forbids_invariant_fragment_outputs()
        {
            let message = "this version does not have this pragma in fragment shaders";
            return self.error(pragma, message);
        }
        let message = match layout.derivative_group_quads {
            _ if layout.local_size_variable && layout.local_size.is_some() => {
                "the local size is both fixed and variable"
            }
            Some(true) if !size[0].is_multiple_of(2) || !size[1].is_multiple_of(2) => {
                "quads of invocations need an even local size in x and y"
            }
            Some(false) if !threads.is_multiple_of(4) => {
                "groups of derivatives need a multiple of four invocations"
            }
            _ => return Ok(()),
        };
        self.error(self.layout_span, message)
    }

    /// Sets the layout of the stage that is known only after its last declaration.
    pub(crate) fn finish_layout(&mut self) {
        if self.all_invariant().is_some() {
            let outputs = self.shader.globals.values_mut().filter(|g| g.storage == Storage::Output);
            outputs.for_each(|g| g.invariant = true);
        }
    }
}

/// True for variables that may be redeclared (GLSL 4.60 sections 4.1.9, 4.4.1.3, 4.4.2.4, 7.1 and
/// 7.6; ARB_geometry_shader4), some only to add a qualifier or with ARB_separate_shader_objects.
fn may_be_redeclared(builtin: Option<BuiltinVariable>, qualified: bool, separate: bool) -> bool {
    use BuiltinVariable as V;
    let Some(builtin) = builtin else { return false };
    match builtin {
        V::FragCoord | V::FragDepth | V::LastFragData => true,
        V::ClipDistance | V::CullDistance | V::TexCoord | V::SampleMask | V::SampleMaskIn => true,
        V::FrontColor | V::BackColor | V::FrontSecondaryColor | V::BackSecondaryColor => true,
        V::Color | V::SecondaryColor => true,
        V::Position | V::PointSize | V::ClipVertex | V::FogFragCoord => qualified || separate,
        V::Layer | V::ViewportIndex | V::PrimitiveId => qualified || separate,
        V::FragStencilRef => qualified,
        _ => builtin.is_per_vertex_array(),
    }
}
