//! Types as written: names, array dimensions, structure definitions.

use crate::checker::{Check, Checker, Reported};
use crate::qualifiers::layout::Layout;
use crate::scope::Entity;
use crate::type_names;
use glsl_syntax::ast::{self, Dim, List, TypeKind};
use glsl_syntax::intern::Symbol;
use glsl_syntax::source::Span;
use program::types::{Member, StructType};
use program::variable::MemoryQualifiers;
use program::{ArrayLength, Type, TypeId, TypeTable};
use rustc_hash::FxHashSet;

/// Maximum dimensions of an array.
const MAX_DIMENSIONS: usize = 32;

/// Maximum elements of an array, all dimensions multiplied.
const MAX_ELEMENTS: u64 = 1 << 26;

/// Maximum members of a structure, those of its members' structures included.
const MAX_LEAVES: u32 = 1 << 14;

/// Maximum nesting of structures.
const MAX_NESTING: u32 = 64;

impl Checker<'_> {
    /// The type a specifier names or defines, its own dimensions included; inner ones may lack a
    /// size.
    pub(crate) fn type_spec(&mut self, id: ast::TypeSpecId) -> Check<TypeId> {
        let spec = self.unit.types[id];
        if !spec.dims.is_empty() && !self.language.has_array_values() {
            return self.error(spec.span, "this version has no array types");
        }
        self.written_type(id)
    }

    /// The type of a specifier where every version has array types: of a parameter without a name.
    pub(crate) fn written_type(&mut self, id: ast::TypeSpecId) -> Check<TypeId> {
        let spec = self.unit.types[id];
        let base = match spec.kind {
            TypeKind::Name(name) => self.named_type(name, spec.span)?,
            TypeKind::Struct(id) => self.define_struct(id)?,
        };
        self.open_array_type(base, spec.dims, spec.span)
    }

    /// The type of a name, in scope or built in.
    pub(crate) fn named_type(&mut self, name: Symbol, span: Span) -> Check<TypeId> {
        match self.scopes.find(name) {
            Some(Entity::Type(ty)) => return Ok(*ty),
            Some(Entity::SubroutineType) => {
                let text = self.text(name);
                return Ok(self.types.intern(Type::Subroutine(text.into())));
            }
            Some(Entity::Unknown) => return Err(Reported),
            Some(_) => {
                let text = self.text(name);
                return self.error(span, format!("`{text}` is not a type"));
            }
            None => {}
        }
        match self.builtin_type(name) {
            Some((ty, true)) => Ok(ty),
            Some((_, false)) => {
                let text = self.text(name);
                self.error(span, format!("type `{text}` is not available in this version"))
            }
            None => {
                let text = self.text(name);
                match self.builtin_structure(text) {
                    Some(ty) => Ok(ty),
                    None => self.error(span, format!("`{text}` is not a type")),
                }
            }
        }
    }

    /// Returns whether a name means a type here.
    pub(crate) fn is_type_name(&mut self, name: ast::Name) -> bool {
        match self.scopes.find(name.symbol) {
            Some(entity) => matches!(entity, Entity::Type(_)),
            None => self.builtin_type(name.symbol).is_some(),
        }
    }

    /// A built-in type and whether it may be used here.
    pub(crate) fn builtin_type(&mut self, name: Symbol) -> Option<(TypeId, bool)> {
        let found = match self.type_names.get(&name) {
            Some(found) => *found,
            None => {
                let found =
                    type_names::find(self.text(name)).map(|(ty, a)| (self.types.intern(ty), a));
                self.type_names.insert(name, found);
                found
            }
        };
        found.map(|(ty, availability)| (ty, availability.holds(&self.language)))
    }

    /// `base` with dimensions, outermost first, of which only the outermost may be without a size.
    pub(crate) fn array_type(
        &mut self,
        base: TypeId,
        dims: List<Dim>,
        span: Span,
    ) -> Check<TypeId> {
        let ty = self.open_array_type(base, dims, span)?;
        self.check_inner_sizes(ty, span)?;
        Ok(ty)
    }

    /// Arrays within an array have sizes.
    pub(crate) fn check_inner_sizes(&mut self, ty: TypeId, span: Span) -> Check<()> {
        let mut at = self.types.array_of(ty).map(|(element, _)| element);
        while let Some((element, length)) = at.and_then(|ty| self.types.array_of(ty)) {
            if length == ArrayLength::Unsized {
                return self.error(span, "only the outermost dimension can be without a size");
            }
            at = Some(element);
        }
        Ok(())
    }

    /// `base` with dimensions, outermost first. Missing sizes come from the initializer of a
    /// variable or the arguments of a constructor (GLSL 4.60 section 4.1.9).
    pub(crate) fn open_array_type(
        &mut self,
        base: TypeId,
        dims: List<Dim>,
        span: Span,
    ) -> Check<TypeId> {
        let mut ty = base;
        if dims.len() > MAX_DIMENSIONS {
            return self.error(span, format!("an array has at most {MAX_DIMENSIONS} dimensions"));
        }
        for &dim in self.unit.list(dims).iter().rev() {
            if ty == TypeTable::VOID {
                return self.error(span, "arrays of void do not exist");
            }
            if self.types.array_of(ty).is_some() && !self.language.has_arrays_of_arrays() {
                return self.error(span, "arrays of arrays need GLSL 4.30 or ES 3.10");
            }
            let length = match dim.expand() {
                None => ArrayLength::Unsized,
                Some(size) => {
                    let number = self.integer_constant(size, "an array size")?;
                    match u32::try_from(number) {
                        Ok(n) if n > 0 && n < 1 << 28 => ArrayLength::Fixed(n),
                        _ => {
                            let span = self.unit.exprs[size].span;
                            return self
                                .error(span, format!("array size {number} is out of range"));
                        }
                    }
                }
            };
            ty = self.types.array(ty, length);
        }
        self.check_size(ty, span)?;
        Ok(ty)
    }

    /// Limits the number of array elements and the nesting of a type: an unrealistic shader must
    /// not exhaust the memory or the stack of later phases.
    fn check_size(&mut self, ty: TypeId, span: Span) -> Check<()> {
        let (mut at, mut elements, mut depth) = (ty, 1u64, 0);
        while let Type::Array { element, length } = *self.types.get(at) {
            if let ArrayLength::Fixed(n) = length {
                elements = elements.saturating_mul(u64::from(n));
            }
            (at, depth) = (element, depth + 1);
        }
        if elements > MAX_ELEMENTS || depth > MAX_DIMENSIONS {
            return self.error(span, format!("this array has more than {MAX_ELEMENTS} elements"));
        }
        Ok(())
    }

    /// Number of leaves and nesting depth of a type, arrays counted once.
    fn weight(&self, ty: TypeId) -> (u32, u32) {
        let inner = self.types.without_arrays(ty);
        self.struct_weights.get(&inner).copied().unwrap_or((1, 0))
    }

    /// Limits structures within structures and remembers the new one's weight.
    pub(crate) fn check_weight(&mut self, members: &[Member], ty: TypeId, span: Span) -> Check<()> {
        let (leaves, depth) = members
            .iter()
            .map(|m| self.weight(m.ty))
            .fold((0u32, 0), |(sum, deepest), (l, d)| (sum.saturating_add(l), deepest.max(d + 1)));
        if leaves > MAX_LEAVES || depth > MAX_NESTING {
            return self.error(span, "this structure is nested too deeply or has too many members");
        }
        self.struct_weights.insert(ty, (leaves, depth));
        Ok(())
    }

    fn define_struct(&mut self, id: ast::StructId) -> Check<TypeId> {
        let definition = self.unit.structs[id];
        let outcome = self.struct_type(definition);
        if let (Err(_), Some(name)) = (&outcome, definition.name) {
            self.declare_unknown(name);
        }
        outcome
    }

    fn struct_type(&mut self, definition: ast::Struct) -> Check<TypeId> {
        let unit = self.unit;
        let name = definition.name.map_or("", |n| self.text(n.symbol));
        let mut members: Vec<Member> = Vec::new();
        let mut names = FxHashSet::default();
        let mut precisions = Vec::new();
        for &member in unit.list(definition.members) {
            let member = unit.members[member];
            let qualifiers = self.qualifiers(member.qualifiers)?;
            // With ARB_bindless_texture, images may be members.
            let bindless = self.language.has_handles();
            let is_layout = |layout: &Layout| {
                layout.present && !(bindless && layout.variable.image_format.is_some())
            };
            let interface = qualifiers.storage.is_some()
                || qualifiers.constant
                || is_layout(&qualifiers.layout)
                || qualifiers.invariant
                || qualifiers.precise
                || qualifiers.subroutine.is_some()
                || qualifiers.memory != MemoryQualifiers::default() && !bindless
                || qualifiers.interpolation != Default::default();
            if interface {
                return self
                    .error(qualifiers.span, "these qualifiers do not apply to structure members");
            }
            let embedded = matches!(unit.types[member.ty].kind, TypeKind::Struct(_));
            if embedded && self.language.at_least(120, 100) {
                return self.error(member.span, "structures cannot be defined inside structures");
            }
            let base = self.type_spec(member.ty)?;
            for &declarator in unit.list(member.declarators) {
                let declarator = unit.declarators[declarator];
                let text = self.text(declarator.name.symbol);
                let ty = self.array_type(base, declarator.dims, declarator.name.span)?;
                if ty == TypeTable::VOID {
                    return self
                        .error(declarator.name.span, format!("member `{text}` cannot be void"));
                }
                self.check_no_subroutine(ty, declarator.name.span)?;
                match *self.types.get(self.types.without_arrays(ty)) {
                    Type::AtomicCounter => {
                        return self.error(
                            declarator.name.span,
                            "structures have no atomic counters as members",
                        );
                    }
                    Type::Image(image) if bindless => {
                        self.check_image_format(image, &qualifiers, declarator.name.span)?;
                    }
                    _ if qualifiers.layout.present => {
                        return self.error(qualifiers.span, "an image format is for images");
                    }
                    _ => {}
                }
                let image = matches!(self.types.get(self.types.without_arrays(ty)), Type::Image(_));
                if image && self.language.es {
                    return self.error(
                        declarator.name.span,
                        format!("structures of GLSL ES have no images as members: `{text}`"),
                    );
                }
                if let Some((_, ArrayLength::Unsized)) = self.types.array_of(ty) {
                    return self.error(
                        declarator.name.span,
                        format!("array member `{text}` needs a size"),
                    );
                }
                if !names.insert(declarator.name.symbol) {
                    return self
                        .error(declarator.name.span, format!("member `{text}` is declared twice"));
                }
                self.check_new_name(declarator.name)?;
                self.check_precision(ty, &qualifiers, declarator.name.span)?;
                members.push(Member::new(text, ty));
                precisions.append(&mut self.precisions_of(ty, &qualifiers));
            }
        }
        if members.is_empty() {
            return self.error(definition.span, "a structure needs members");
        }
        let scope = self.struct_scopes.entry(name.into()).or_insert(0);
        let ty = Type::Struct(StructType { name: name.into(), members, scope: *scope });
        *scope += 1;
        let ty = self.types.intern(ty);
        let members = self.types.members(ty).unwrap_or_default().to_vec();
        self.check_weight(&members, ty, definition.span)?;
        if self.language.es {
            self.struct_precisions.insert(ty, precisions);
        }
        if let Some(name) = definition.name {
            self.check_new_name(name)?;
            self.check_not_function(name)?;
            let function = self.scopes.is_global() && self.scopes.has_functions(name.symbol);
            if function || self.scopes.find_here(name.symbol).is_some() {
                let text = self.text(name.symbol);
                return self
                    .error(name.span, format!("`{text}` is already declared in this scope"));
            }
            self.check_no_block_name(name)?;
            self.scopes.declare(name.symbol, Entity::Type(ty));
        }
        Ok(ty)
    }

    /// Returns whether a type is an array or has one in a structure.
    pub(crate) fn contains_array(&self, ty: TypeId) -> bool {
        self.types.array_of(ty).is_some()
            || self
                .types
                .members(ty)
                .is_some_and(|list| list.iter().any(|m| self.contains_array(m.ty)))
    }

    /// Reports names that a shader may not declare.
    pub(crate) fn check_new_name(&mut self, name: ast::Name) -> Check<()> {
        let text = self.text(name.symbol);
        if text.starts_with("gl_") {
            return self
                .error(name.span, format!("`{text}`: names that start with gl_ are reserved"));
        }
        self.check_no_type(name)
    }

    /// Reports names of types, and those that are reserved for types.
    pub(crate) fn check_no_type(&mut self, name: ast::Name) -> Check<()> {
        let text = self.text(name.symbol);
        match type_names::find(text) {
            Some((_, a)) if a.holds(&self.language) => {
                self.error(name.span, format!("`{text}` is a type and cannot be declared"))
            }
            Some((_, a)) if a.is_reserved(&self.language) => {
                self.error(name.span, format!("`{text}` is reserved"))
            }
            _ => Ok(()),
        }
    }
}
