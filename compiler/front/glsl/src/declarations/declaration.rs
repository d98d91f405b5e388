//! Declarations at global scope, and rules that locals share with them.

use crate::checker::{Check, Checker, Reported};
use crate::qualifiers::layout_target::LayoutTarget;
use crate::qualifiers::qualifier::{Qualifiers, StorageQualifier};
use crate::scope::Entity;
use crate::state::Root;
use glsl_syntax::ast::{self, DeclKind, Declarator, TypeKind};
use glsl_syntax::source::Span;
use program::{ArrayLength, Global, GlobalId, Stage, Storage, Type, TypeId, TypeTable};

impl Checker<'_> {
    pub(crate) fn global_declaration(&mut self, id: ast::DeclId) -> Check<()> {
        let decl = self.unit.decls[id];
        match decl.kind {
            DeclKind::Variables { qualifiers, ty, declarators } => {
                self.global_variables(qualifiers, ty, declarators, decl.span)
            }
            DeclKind::Function(id) => self.function_declaration(id),
            DeclKind::Block(id) => self.block_declaration(id, decl.span),
            DeclKind::Precision(precision, ty) => self.precision_statement(precision, ty),
            DeclKind::Qualifiers(qualifiers, names) => {
                self.qualifier_declaration(qualifiers, names)
            }
            DeclKind::Empty => Ok(()),
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
                    self.storage_of(&qualifiers, span)?;
                    if qualifiers.layout.is_of_fragment() {
                        return self.error(span, "this layout qualifier needs a variable");
                    }
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
    pub(crate) fn qualified_type(
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
    pub(crate) fn each_declarator(
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
    pub(crate) fn empty_declaration(
        &mut self,
        qualifiers: &Qualifiers,
        ty: TypeId,
        span: Span,
    ) -> Check<()> {
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
    pub(crate) fn check_sized(
        &mut self,
        storage: Storage,
        qualifiers: &Qualifiers,
        ty: TypeId,
        span: Span,
    ) -> Check<()> {
        let per_vertex =
            storage.is_per_vertex(self.language.stage) && !qualifiers.interpolation.patch;
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
        global.initial = initializer.and_then(|initializer| self.known_value(initializer));
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
    pub(crate) fn variable_type(&mut self, base: TypeId, declarator: Declarator) -> Check<TypeId> {
        let span = declarator.name.span;
        if declarator.init.is_some() {
            self.open_array_type(base, declarator.dims, span)
        } else {
            self.array_type(base, declarator.dims, span)
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
            return self
                .error(span, format!("the initializer of `{text}` must be a constant expression"));
        }
        Ok(value)
    }

    /// A global with all its qualifiers.
    pub(crate) fn new_global(
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
            fetched: storage == Storage::Output
                && qualifiers.storage == Some(StorageQualifier::InOut),
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
                let initial = self.known_value(value);
                let known = &mut self.shader.globals[id];
                (known.initializer, known.initial) = (Some(value), initial);
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
    pub(crate) fn resize(&mut self, id: GlobalId, ty: TypeId, span: Span) -> Check<()> {
        if let Some((_, ArrayLength::Fixed(n))) = self.types.array_of(ty) {
            self.check_indices_so_far(Root::Global(id), n, span)?;
        }
        self.shader.globals[id].ty = ty;
        Ok(())
    }

    /// An array gets a size larger than every constant index used before (GLSL 4.60 section 4.1.9).
    pub(crate) fn check_indices_so_far(&mut self, array: Root, size: u32, span: Span) -> Check<()> {
        match self.largest_indices.get(&array) {
            Some(&index) if index >= i64::from(size) => {
                self.error(span, format!("the array is already indexed with {index}"))
            }
            _ => Ok(()),
        }
    }

    /// Checks that a global is not both `const` and, for example, an input.
    pub(crate) fn check_one_storage(&mut self, qualifiers: &Qualifiers, span: Span) -> Check<()> {
        if qualifiers.constant && qualifiers.storage.is_some() {
            return self.error(span, "`const` and another storage qualifier");
        }
        Ok(())
    }

    /// Storage of a global with these qualifiers.
    pub(crate) fn storage_of(&mut self, qualifiers: &Qualifiers, span: Span) -> Check<Storage> {
        let stage = self.language.stage;
        self.check_one_storage(qualifiers, span)?;
        let in_out = self.language.at_least(130, 300)
            || self.language.any_extension(&[
                "EXT_gpu_shader4",
                "ARB_geometry_shader4",
                "ARB_explicit_attrib_location",
                "ARB_separate_shader_objects",
                "ARB_fragment_coord_conventions",
            ])
            || matches!(
                stage,
                Stage::Geometry | Stage::TessControl | Stage::TessEval | Stage::Compute
            );
        Ok(match qualifiers.storage {
            None if qualifiers.constant => Storage::Const,
            None => Storage::Private,
            Some(StorageQualifier::Uniform) => Storage::Uniform,
            Some(StorageQualifier::Shared) => Storage::Shared,
            Some(StorageQualifier::Attribute) => Storage::Input,
            Some(StorageQualifier::Varying) if stage == Stage::Fragment => Storage::Input,
            Some(StorageQualifier::Varying) => Storage::Output,
            Some(StorageQualifier::In | StorageQualifier::Out | StorageQualifier::InOut)
                if !in_out =>
            {
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
            Some(StorageQualifier::InOut)
                if stage == Stage::Fragment && self.has_framebuffer_fetch() =>
            {
                self.check_coherence(qualifiers, span)?;
                Storage::Output
            }
            Some(StorageQualifier::InOut) => return self.error(span, "a global cannot be `inout`"),
            Some(StorageQualifier::Buffer) => return self.error(span, "`buffer` is for blocks"),
        })
    }

    fn has_framebuffer_fetch(&self) -> bool {
        self.language.any_extension(&[
            "EXT_shader_framebuffer_fetch",
            "EXT_shader_framebuffer_fetch_non_coherent",
        ])
    }

    /// Without EXT_shader_framebuffer_fetch, fetched outputs must be `noncoherent`.
    pub(crate) fn check_coherence(&mut self, qualifiers: &Qualifiers, span: Span) -> Check<()> {
        if qualifiers.layout.noncoherent || self.language.extension("EXT_shader_framebuffer_fetch")
        {
            return Ok(());
        }
        self.error(span, "an output fetched from the framebuffer must be noncoherent here")
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
        let count = program::layout::opaque_slots(
            self.types,
            global.ty,
            program::layout::OpaqueKind::AtomicCounter,
        );
        *next = offset.saturating_add(count.max(1).saturating_mul(4));
        global.layout.offset = Some(offset);
        if !offset.is_multiple_of(4) {
            return self.error(span, "the offset of an atomic counter must be a multiple of 4");
        }
        let end = *next;
        let bytes = self.counter_bytes.entry(binding).or_default();
        if bytes.iter().any(|other| other.start < end && offset < other.end) {
            let place = format!("offset {offset} of binding {binding}");
            return self.error(span, format!("atomic counters overlap at {place}"));
        }
        bytes.push(offset..end);
        Ok(())
    }
}
