//! Declarations at global scope, and rules that locals share with them.

use super::checker::{Check, Checker, Reported};
use super::layout_target::LayoutTarget;
use super::qualifier::{Qualifiers, StorageQualifier};
use super::scope::Entity;
use super::state::Root;
use crate::ast::{self, DeclKind, Declarator, Precision, TypeKind};
use crate::source::Span;
use program::types::Dim as TextureDim;
use program::variable::{InterpolationMode, LayoutQualifiers, MemoryQualifiers, Precision as LinkPrecision};
use program::{ArrayLength, Global, GlobalId, Scalar, Stage, Storage, Type, TypeId, TypeTable};

impl Checker<'_> {
    pub(super) fn global_declaration(&mut self, id: ast::DeclId) -> Check<()> {
        let decl = self.unit.decls[id];
        match decl.kind {
            DeclKind::Variables { qualifiers, ty, declarators } => {
                self.global_variables(qualifiers, ty, declarators, decl.span)
            }
            DeclKind::Function(id) => self.function_declaration(id),
            DeclKind::Block(id) => self.block_declaration(id, decl.span),
            DeclKind::Precision(precision, ty) => self.precision_statement(precision, ty),
            DeclKind::Qualifiers(qualifiers, names) => self.qualifier_declaration(qualifiers, names),
            DeclKind::Empty => Ok(()),
        }
    }

    pub(super) fn precision_statement(&mut self, precision: Precision, ty: ast::TypeSpecId) -> Check<()> {
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
                return self
                    .error(span, "a default precision can be set for float, int and opaque types only");
            }
        }
        Ok(())
    }

    /// Precision qualifiers are for numbers and opaque types; in ES a `float` or an opaque type
    /// without default precision needs one (ES 3.20 section 4.7.4).
    pub(super) fn check_precision(&mut self, ty: TypeId, qualifiers: &Qualifiers, span: Span) -> Check<()> {
        let innermost = self.types.without_arrays(ty);
        let without = matches!(self.types.get(innermost), Type::Struct(_))
            || self.types.scalar_of(innermost) == Some(Scalar::Bool);
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
    pub(super) fn precisions_of(&self, ty: TypeId, qualifiers: &Qualifiers) -> Vec<LinkPrecision> {
        let inner = self.types.without_arrays(ty);
        match self.struct_precisions.get(&inner) {
            _ if !self.language.es => Vec::new(),
            Some(members) => members.clone(),
            None => vec![self.precision_of(inner, qualifiers)],
        }
    }

    /// The precision that a type without arrays has with these qualifiers, in ES.
    pub(super) fn precision_of(&self, inner: TypeId, qualifiers: &Qualifiers) -> LinkPrecision {
        let high_by_default = self.language.stage != Stage::Fragment;
        let integer = if high_by_default { Precision::High } else { Precision::Medium };
        let declared = qualifiers.precision.or_else(|| match self.types.scalar_of(inner) {
            Some(Scalar::Float) if high_by_default => self.defaults.float_precision.or(Some(Precision::High)),
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

    fn global_variables(
        &mut self,
        qualifiers: ast::List<ast::QualifierId>,
        ty: ast::TypeSpecId,
        declarators: ast::List<ast::DeclaratorId>,
        span: Span,
    ) -> Check<()> {
        let unit = self.unit;
        let (qualifiers, base) = self.qualified_type(qualifiers, ty, declarators)?;
        if declarators.is_empty() {
            return match unit.types[ty].kind {
                TypeKind::Struct(_) => {
                    self.check_precision(base, &qualifiers, span)?;
                    self.check_layout_target(&qualifiers, LayoutTarget::Variable)
                }
                TypeKind::Name(_) => self.empty_declaration(&qualifiers, base, span),
            };
        }
        self.each_declarator(declarators, |checker, declarator| {
            checker.global_variable(&qualifiers, base, declarator)
        })
    }

    /// Qualifiers and type of a declaration; if they are wrong, so are all its names.
    pub(super) fn qualified_type(
        &mut self,
        qualifiers: ast::List<ast::QualifierId>,
        ty: ast::TypeSpecId,
        declarators: ast::List<ast::DeclaratorId>,
    ) -> Check<(Qualifiers, TypeId)> {
        let qualifiers = self.qualifiers(qualifiers);
        let base = self.type_spec(ty);
        match (qualifiers, base) {
            (Ok(qualifiers), Ok(base)) => Ok((qualifiers, base)),
            _ => self.each_declarator(declarators, |_, _| Err(Reported)).and(Err(Reported)),
        }
    }

    /// Declares every name of a declaration; names with an error are declared as unknown.
    pub(super) fn each_declarator(
        &mut self,
        declarators: ast::List<ast::DeclaratorId>,
        mut declare: impl FnMut(&mut Self, Declarator) -> Check<()>,
    ) -> Check<()> {
        let unit = self.unit;
        let mut outcome = Ok(());
        for &id in unit.list(declarators) {
            let declarator = unit.declarators[id];
            if declare(self, declarator).is_err() {
                self.declare_unknown(declarator.name);
                outcome = Err(Reported);
            }
        }
        outcome
    }

    /// A declaration without a name: it must be valid (GLSL 4.60 section 4.11), and may set the
    /// offset of the next atomic counter of a binding (section 4.4.6.1).
    pub(super) fn empty_declaration(&mut self, qualifiers: &Qualifiers, ty: TypeId, span: Span) -> Check<()> {
        self.check_inner_sizes(ty, span)?;
        let storage = self.storage_of(qualifiers, span)?;
        self.check_interface(storage, qualifiers, ty, span)?;
        self.check_sized(storage, qualifiers, ty, span)?;
        if *self.types.get(ty) != Type::AtomicCounter {
            return Ok(());
        }
        let layout = &qualifiers.layout.variable;
        match (layout.binding, layout.offset) {
            (Some(binding), Some(offset)) => {
                self.counter_offsets.insert(binding, offset);
                Ok(())
            }
            (None, Some(_)) => self.error(span, "the offset of atomic counters needs a binding"),
            _ => Ok(()),
        }
    }

    /// GLSL ES: only arrays with an element per vertex can be without a size after their
    /// initializer (GLSL ES 3.20 section 4.1.9, GLSL ES 1.00 section 4.1.9).
    pub(super) fn check_sized(
        &mut self,
        storage: Storage,
        qualifiers: &Qualifiers,
        ty: TypeId,
        span: Span,
    ) -> Check<()> {
        let per_vertex = storage.is_per_vertex(self.language.stage) && !qualifiers.interpolation.patch;
        match self.types.array_of(ty) {
            Some((_, ArrayLength::Unsized)) if self.language.es && !per_vertex => {
                self.error(span, "an array needs a size in GLSL ES")
            }
            _ => Ok(()),
        }
    }

    fn global_variable(
        &mut self,
        qualifiers: &Qualifiers,
        base: TypeId,
        declarator: Declarator,
    ) -> Check<()> {
        let name = declarator.name;
        let span = name.span;
        let text = self.text(name.symbol);
        let ty = self.variable_type(base, declarator)?;
        if ty == TypeTable::VOID {
            return self.error(span, format!("`{text}` cannot be void"));
        }
        if text.starts_with("gl_") {
            return self.redeclare_builtin(qualifiers, ty, declarator);
        }
        self.check_new_name(name)?;
        self.check_not_function(name)?;
        self.check_no_block_name(name)?;
        self.check_precision(ty, qualifiers, span)?;
        let storage = self.storage_of(qualifiers, span)?;
        self.check_subroutine_variable(storage, qualifiers, ty, span)?;
        self.check_interface(storage, qualifiers, ty, span)?;
        if let Some(known) = self.scopes.find_here(name.symbol).cloned() {
            return self.redeclare(known, storage, ty, qualifiers, declarator);
        }
        let mut global = self.new_global(text, ty, storage, qualifiers, span);
        self.check_captured(ty, global.layout.xfb_offset, span)?;
        self.set_xfb_stride(&global.layout, span)?;
        if matches!(self.types.get(self.types.without_arrays(ty)), Type::AtomicCounter) {
            self.place_counter(&mut global, span)?;
        }
        let initializer = match declarator.init.expand() {
            Some(init) => Some(self.global_initializer(&mut global, qualifiers, init, span)?),
            None => None,
        };
        if qualifiers.constant && initializer.is_none() && storage == Storage::Const {
            return self.error(span, format!("constant `{text}` needs an initializer"));
        }
        global.initializer = initializer;
        self.remember_value(storage == Storage::Const, initializer);
        self.check_sized(storage, qualifiers, global.ty, span)?;
        let id = self.shader.globals.push(global);
        self.size_per_vertex(id, span)?;
        self.shader.precisions[id] = self.precisions_of(ty, qualifiers);
        self.scopes.declare(name.symbol, Entity::Global(id));
        Ok(())
    }

    /// `subroutine uniform T a;` and arrays of a written size (GLSL 4.60 section 6.1.2).
    fn check_subroutine_variable(
        &mut self,
        storage: Storage,
        qualifiers: &Qualifiers,
        ty: TypeId,
        span: Span,
    ) -> Check<()> {
        let Some(types) = qualifiers.subroutine else { return self.check_no_subroutine(ty, span) };
        let unsized_array = matches!(self.types.array_of(ty), Some((_, ArrayLength::Unsized)));
        let message = if storage != Storage::Uniform {
            "a subroutine variable must be uniform"
        } else if !types.is_empty() || self.subroutine_of(self.types.without_arrays(ty)).is_none() {
            "a subroutine uniform needs one subroutine type, in the place of a type"
        } else if unsized_array {
            "an array of subroutine uniforms needs a size"
        } else {
            return Ok(());
        };
        self.error(span, message)
    }

    /// The type of a declared variable, without the sizes from its initializer.
    pub(super) fn variable_type(&mut self, base: TypeId, declarator: Declarator) -> Check<TypeId> {
        let span = declarator.name.span;
        match declarator.init.is_some() {
            true => self.open_array_type(base, declarator.dims, span),
            false => self.array_type(base, declarator.dims, span),
        }
    }

    fn global_initializer(
        &mut self,
        global: &mut Global,
        qualifiers: &Qualifiers,
        init: ast::ExprId,
        span: Span,
    ) -> Check<program::ExprId> {
        let text = global.name.clone();
        let allowed = match global.storage {
            Storage::Const | Storage::Private => true,
            Storage::Uniform => self.language.at_least(120, 0) && qualifiers.subroutine.is_none(),
            _ => false,
        };
        if !allowed || self.types.contains_opaque(global.ty) {
            return self.error(span, format!("`{text}` cannot have an initializer"));
        }
        if self.types.array_of(global.ty).is_some() && !self.language.has_array_values() {
            return self.error(span, "arrays cannot be initialized in this version");
        }
        let value = self.initializer(init, global.ty)?;
        if self.types.array_of(global.ty).is_some() {
            global.ty = self.ty(value);
        }
        let must_be_constant = global.storage != Storage::Private || self.language.es;
        if must_be_constant && !self.is_constant(value) {
            let span = self.unit.exprs[init].span;
            return self.error(span, format!("the initializer of `{text}` must be a constant expression"));
        }
        Ok(value)
    }

    /// A global with all its qualifiers.
    pub(super) fn new_global(
        &self,
        name: &str,
        ty: TypeId,
        storage: Storage,
        qualifiers: &Qualifiers,
        span: Span,
    ) -> Global {
        let mut layout = qualifiers.layout.variable;
        if storage == Storage::Output {
            if self.language.stage == Stage::Geometry {
                layout.stream = layout.stream.or(self.defaults.stream);
            }
            if layout.xfb_offset.is_some() {
                layout.xfb_buffer = layout.xfb_buffer.or(self.defaults.xfb_buffer);
            }
        }
        Global {
            interpolation: qualifiers.interpolation,
            layout,
            memory: qualifiers.memory,
            invariant: qualifiers.invariant,
            precise: qualifiers.precise,
            fetched: storage == Storage::Output && qualifiers.storage == Some(StorageQualifier::InOut),
            span: self.span(span),
            ..Global::new(name, ty, storage)
        }
    }

    /// The same name again in global scope: an unsized array may get its size, in brackets or from
    /// a value.
    fn redeclare(
        &mut self,
        known: Entity,
        storage: Storage,
        ty: TypeId,
        qualifiers: &Qualifiers,
        declarator: Declarator,
    ) -> Check<()> {
        let name = declarator.name;
        let text = self.text(name.symbol);
        if let Entity::Global(id) = known {
            let mut ty = ty;
            if let Some(init) = declarator.init.expand()
                && self.types.array_of(ty).is_some()
            {
                let mut global = self.new_global(text, ty, storage, qualifiers, name.span);
                let value = self.global_initializer(&mut global, qualifiers, init, name.span)?;
                self.shader.globals[id].initializer = Some(value);
                ty = global.ty;
            }
            let Global { ty: old, storage: old_storage, .. } = self.shader.globals[id];
            let (a, b) = (self.types.array_of(old), self.types.array_of(ty));
            if let (Some((x, ArrayLength::Unsized)), Some((y, _))) = (a, b)
                && x == y
                && old_storage == storage
            {
                self.resize(id, ty, name.span)?;
                return self.size_per_vertex(id, name.span);
            }
        }
        self.error(name.span, format!("`{text}` is already declared in this scope"))
    }

    /// Sets the size of an unsized global array; constant indices used so far must fit.
    pub(super) fn resize(&mut self, id: GlobalId, ty: TypeId, span: Span) -> Check<()> {
        if let Some((_, ArrayLength::Fixed(n))) = self.types.array_of(ty) {
            self.check_indices_so_far(Root::Global(id), n, span)?;
        }
        self.shader.globals[id].ty = ty;
        Ok(())
    }

    /// An array gets a size larger than every constant index used before (GLSL 4.60 section 4.1.9).
    pub(super) fn check_indices_so_far(&mut self, array: Root, size: u32, span: Span) -> Check<()> {
        match self.largest_indices.get(&array) {
            Some(&index) if index >= i64::from(size) => {
                self.error(span, format!("the array is already indexed with {index}"))
            }
            _ => Ok(()),
        }
    }

    /// Storage of a global with these qualifiers.
    pub(super) fn storage_of(&mut self, qualifiers: &Qualifiers, span: Span) -> Check<Storage> {
        let stage = self.language.stage;
        if qualifiers.constant && qualifiers.storage.is_some() {
            return self.error(span, "`const` and another storage qualifier");
        }
        let in_out = self.language.at_least(130, 300)
            || self.language.any_extension(&[
                "EXT_gpu_shader4",
                "ARB_geometry_shader4",
                "ARB_explicit_attrib_location",
                "ARB_separate_shader_objects",
                "ARB_fragment_coord_conventions",
            ])
            || matches!(stage, Stage::Geometry | Stage::TessControl | Stage::TessEval | Stage::Compute);
        Ok(match qualifiers.storage {
            None if qualifiers.constant => Storage::Const,
            None => Storage::Private,
            Some(StorageQualifier::Uniform) => Storage::Uniform,
            Some(StorageQualifier::Shared) => Storage::Shared,
            Some(StorageQualifier::Attribute) => Storage::Input,
            Some(StorageQualifier::Varying) if stage == Stage::Fragment => Storage::Input,
            Some(StorageQualifier::Varying) => Storage::Output,
            Some(StorageQualifier::In | StorageQualifier::Out | StorageQualifier::InOut) if !in_out => {
                return self.error(span, "`in` and `out` variables need GLSL 1.30 or ES 3.00");
            }
            Some(StorageQualifier::In) if stage == Stage::Compute => {
                return self.error(span, "compute shaders have no user-defined inputs");
            }
            Some(StorageQualifier::Out) if stage == Stage::Compute => {
                return self.error(span, "compute shaders have no outputs");
            }
            Some(StorageQualifier::In) => Storage::Input,
            Some(StorageQualifier::Out) => Storage::Output,
            Some(StorageQualifier::InOut) if stage == Stage::Fragment && self.has_framebuffer_fetch() => {
                self.check_coherence(qualifiers, span)?;
                Storage::Output
            }
            Some(StorageQualifier::InOut) => return self.error(span, "a global cannot be `inout`"),
            Some(StorageQualifier::Buffer) => return self.error(span, "`buffer` is for blocks"),
        })
    }

    fn has_framebuffer_fetch(&self) -> bool {
        self.language
            .any_extension(&["EXT_shader_framebuffer_fetch", "EXT_shader_framebuffer_fetch_non_coherent"])
    }

    /// Without EXT_shader_framebuffer_fetch, fetched outputs must be `noncoherent`.
    pub(super) fn check_coherence(&mut self, qualifiers: &Qualifiers, span: Span) -> Check<()> {
        if qualifiers.layout.noncoherent || self.language.extension("EXT_shader_framebuffer_fetch") {
            return Ok(());
        }
        self.error(span, "an output fetched from the framebuffer must be noncoherent here")
    }

    /// Rules about types and qualifiers of interface variables.
    fn check_interface(
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
        if opaque && storage != Storage::Uniform {
            let bindless = self.language.extension("ARB_bindless_texture")
                && !matches!(self.types.get(inner), Type::AtomicCounter | Type::Subroutine(_));
            if !bindless {
                return self.error(span, "a variable of opaque type must be uniform");
            }
        }
        if !interface && qualifiers.interpolation != Default::default() {
            return self.error(span, "interpolation qualifiers are for inputs and outputs");
        }
        if qualifiers.invariant && storage != Storage::Output {
            let old_input =
                storage == Storage::Input && stage != Stage::Vertex && !self.language.at_least(430, 300);
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
        let layout = &qualifiers.layout.variable;
        if layout.origin_upper_left || layout.pixel_center_integer || layout.depth.is_some() {
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
            (Stage::Fragment, Storage::Output) => self.check_fragment_output(qualifiers, ty, span)?,
            _ => {}
        }
        let patch_allowed = matches!(
            (stage, storage),
            (Stage::TessControl, Storage::Output) | (Stage::TessEval, Storage::Input)
        );
        if qualifiers.interpolation.patch && !patch_allowed {
            return self.error(span, "`patch` is for tessellation control outputs and evaluation inputs");
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
        let older =
            matches!(qualifiers.storage, Some(StorageQualifier::Attribute | StorageQualifier::Varying));
        if qualifiers.interpolation.patch && qualifiers.interpolation.mode != InterpolationMode::Default {
            return self.error(span, "`patch` takes no interpolation qualifier");
        }
        if older && !self.language.has_integers() && scalar.is_none_or(|s| !s.is_float()) {
            return self.error(span, "attributes and varyings must be float, vectors or matrices of it");
        }
        if matches!(self.types.get(inner), Type::Struct(_)) && !self.language.at_least(150, 300) {
            return self.error(span, "structures as inputs and outputs need GLSL 1.50 or ES 3.00");
        }
        let per_vertex = storage.is_per_vertex(stage);
        if per_vertex && !qualifiers.interpolation.patch && self.types.array_of(ty).is_none() {
            return self.error(span, "an input or output with one value per vertex must be an array");
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
        if stage == Stage::Fragment && storage == Storage::Input && self.must_be_flat(inner) && !flat {
            let name = self.type_name(inner);
            return self.error(span, format!("a fragment input of type {name} must be flat"));
        }
        // GLSL ES 3.00 section 4.3.6.
        if self.language.es
            && stage == Stage::Vertex
            && storage == Storage::Output
            && self.must_be_flat(inner)
            && !flat
        {
            let name = self.type_name(inner);
            return self.error(span, format!("a vertex output of type {name} must be flat in ES"));
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

    /// Returns whether a type has integers or doubles, which cannot be interpolated.
    pub(super) fn must_be_flat(&self, ty: TypeId) -> bool {
        let inner = self.types.without_arrays(ty);
        match self.types.members(inner) {
            Some(members) => members.iter().any(|m| self.must_be_flat(m.ty)),
            None => self.types.scalar_of(inner).is_some_and(|s| s.is_integer() || s == Scalar::Double),
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
            return self.error(span, "vertex inputs of doubles need GLSL 4.10 or ARB_vertex_attrib_64bit");
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
    fn check_fragment_output(&mut self, qualifiers: &Qualifiers, ty: TypeId, span: Span) -> Check<()> {
        let inner = self.types.without_arrays(ty);
        let is_structured = matches!(self.types.get(inner), Type::Struct(_) | Type::Matrix { .. });
        if is_structured || self.types.scalar_of(inner) == Some(Scalar::Double) {
            let name = self.type_name(inner);
            return self.error(span, format!("a fragment output cannot be of type {name}"));
        }
        if qualifiers.interpolation != Default::default() {
            return self.error(span, "interpolation qualifiers are not for fragment outputs");
        }
        Ok(())
    }

    /// A binding and those after it of an array must be below the limit.
    pub(super) fn check_binding(&mut self, binding: u32, count: u32, limit: u32, span: Span) -> Check<()> {
        if binding.saturating_add(count) > limit {
            return self.error(span, format!("binding {binding} is out of range: {limit} are available"));
        }
        Ok(())
    }

    /// The limit of bindings of an opaque type.
    fn check_opaque_binding(&mut self, layout: &LayoutQualifiers, ty: TypeId, span: Span) -> Check<()> {
        let Some(binding) = layout.binding else { return Ok(()) };
        let inner = self.types.without_arrays(ty);
        let count = program::layout::block_instances(self.types, ty);
        let (name, default, count) = match self.types.get(inner) {
            Type::Sampler(_) => ("GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS", 96, count),
            Type::Image(_) => ("GL_MAX_IMAGE_UNITS", 8, count),
            _ => ("GL_MAX_ATOMIC_COUNTER_BUFFER_BINDINGS", 16, 1),
        };
        let limit = self.language.limit(name, default);
        self.check_binding(binding, count, limit, span)
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
        let older =
            matches!(qualifiers.storage, Some(StorageQualifier::Attribute | StorageQualifier::Varying));
        let language = &self.language;
        let interface = matches!(storage, Storage::Input | Storage::Output);
        let inner = self.types.without_arrays(ty);
        let opaque_binding =
            matches!(self.types.get(inner), Type::Sampler(_) | Type::Image(_) | Type::AtomicCounter);
        let message = match storage {
            _ if layout.binding.is_some() && !(storage == Storage::Uniform && opaque_binding) => {
                "`binding` is for opaque uniforms and blocks"
            }
            _ if layout.offset.is_some() && !matches!(self.types.get(inner), Type::AtomicCounter) => {
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
            _ if layout.index.is_some() && layout.location.is_none() => "`index` needs a `location`",
            _ if layout.component.is_some() && layout.location.is_none() => "`component` needs a `location`",
            _ if layout.component.is_some() && !interface => "`component` is for inputs and outputs",
            _ if layout.location.is_some() && !interface && storage != Storage::Uniform => {
                "`location` is for inputs, outputs and uniforms"
            }
            Storage::Uniform
                if layout.location.is_some()
                    && !language.at_least(430, 310)
                    && !language
                        .any_extension(&["ARB_explicit_uniform_location", "ARB_shader_subroutine"]) =>
            {
                "`location` of uniforms needs GLSL 4.30, ES 3.10 or ARB_explicit_uniform_location"
            }
            Storage::Uniform
                if layout.location.is_some() && matches!(self.types.get(inner), Type::AtomicCounter) =>
            {
                "atomic counters have no location"
            }
            Storage::Input | Storage::Output if layout.location.is_some() => {
                let outer_end = (language.stage, storage) == (Stage::Vertex, Storage::Input)
                    || (language.stage, storage) == (Stage::Fragment, Storage::Output);
                let explicit = ["ARB_explicit_attrib_location", "ARB_separate_shader_objects"];
                let allowed = match outer_end {
                    true => language.at_least(330, 300) || language.any_extension(&explicit),
                    false => {
                        language.at_least(410, 310)
                            || language.any_extension(&[
                                "ARB_separate_shader_objects",
                                "EXT_separate_shader_objects",
                            ])
                    }
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
    fn check_component(&mut self, layout: &LayoutQualifiers, ty: TypeId, span: Span) -> Check<()> {
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

    /// Offsets of atomic counters follow each other (GLSL 4.60 section 4.4.6.1).
    fn place_counter(&mut self, global: &mut Global, span: Span) -> Check<()> {
        let Some(binding) = global.layout.binding else {
            return self.error(span, "an atomic counter needs a binding");
        };
        if matches!(self.types.array_of(global.ty), Some((_, ArrayLength::Unsized))) {
            return self.error(span, "an array of atomic counters needs a size");
        }
        let next = self.counter_offsets.entry(binding).or_insert(0);
        let offset = global.layout.offset.unwrap_or(*next);
        let count =
            program::layout::opaque_slots(self.types, global.ty, program::layout::OpaqueKind::AtomicCounter);
        *next = offset.saturating_add(count.max(1).saturating_mul(4));
        global.layout.offset = Some(offset);
        if !offset.is_multiple_of(4) {
            return self.error(span, "the offset of an atomic counter must be a multiple of 4");
        }
        Ok(())
    }
}
