//! Redeclarations of `gl_PerVertex` (GLSL 4.60 section 7.1).

use crate::checker::{Check, Checker};
use crate::qualifiers::qualifier::Qualifiers;
use glsl_syntax::ast;
use glsl_syntax::source::Span;
use program::types::{Member, StructType};
use program::{BuiltinVariable, Storage, Type, TypeId};

/// Outputs that the redeclared `gl_PerVertex` of AMD_vertex_shader_layer and its like may list.
fn is_per_primitive(builtin: BuiltinVariable) -> bool {
    matches!(builtin, BuiltinVariable::Layer | BuiltinVariable::ViewportIndex)
}

impl Checker<'_> {
    /// `out gl_PerVertex { … };` keeps only the members named; with an instance it is `gl_in` or
    /// `gl_out`.
    pub(crate) fn redeclare_per_vertex(
        &mut self,
        block: &ast::InterfaceBlock,
        storage: Storage,
        span: Span,
    ) -> Check<()> {
        self.check_first_redeclaration(storage, block.name.span)?;
        let unit = self.unit;
        let outer = self.qualifiers(block.qualifiers)?;
        if !matches!(storage, Storage::Input | Storage::Output) {
            return self.error(block.name.span, "gl_PerVertex is a block of inputs or outputs");
        }
        if outer.layout.variable.location.is_some() {
            return self.error(block.name.span, "gl_PerVertex cannot have a location");
        }
        let mut members: Vec<Member> = Vec::new();
        for &id in unit.list(block.members) {
            let member = unit.members[id];
            let qualifiers = self.qualifiers(member.qualifiers)?;
            let base = self.type_spec(member.ty)?;
            for &declarator in unit.list(member.declarators) {
                let declarator = unit.declarators[declarator];
                let text = self.text(declarator.name.symbol);
                let ty = self.array_type(base, declarator.dims, declarator.name.span)?;
                let builtin = BuiltinVariable::from_name(text).filter(|b| {
                    b.is_per_vertex() || is_per_primitive(*b) && block.instance.is_none()
                });
                let Some(builtin) = builtin else {
                    return self.error(
                        declarator.name.span,
                        format!("`{text}` is not a member of gl_PerVertex"),
                    );
                };
                self.check_per_vertex_member(builtin, ty, declarator.name)?;
                let mut result = Member::new(text, ty);
                result.builtin = Some(builtin);
                result.interpolation = qualifiers.interpolation;
                result.xfb_offset = qualifiers.layout.variable.xfb_offset;
                members.push(result);
                if qualifiers.invariant || outer.invariant {
                    self.builtins.invariant.push(builtin);
                }
            }
        }
        if let Some(start) = outer.layout.variable.xfb_offset {
            self.place_captured(&mut members, start);
        }
        match block.instance {
            None if storage.is_per_vertex(self.language.stage) => {
                self.error(block.name.span, "gl_PerVertex must be an array with a name here")
            }
            None => self.keep_per_vertex(storage, &outer, members, span),
            Some(instance) => {
                let text = self.text(instance.symbol);
                let expected = if storage == Storage::Input { "gl_in" } else { "gl_out" };
                if text != expected {
                    return self.error(
                        instance.span,
                        format!("gl_PerVertex must be called `{expected}` here"),
                    );
                }
                let content = StructType { name: "gl_PerVertex".into(), members, scope: 0 };
                let content = self.types.intern(Type::Struct(content));
                let ty = self.array_type(content, block.dims, span)?;
                let is_array =
                    self.types.array_of(ty).is_some_and(|(element, _)| element == content);
                if !is_array {
                    return self.error(
                        instance.span,
                        format!("`{text}` must be an array of one dimension"),
                    );
                }
                let Some(id) = self.builtin_variable(text, instance.span)? else {
                    return self
                        .error(instance.span, format!("`{text}` is not available in this stage"));
                };
                if self.used[id] {
                    return self.error(span, "gl_PerVertex is redeclared after use");
                }
                let names = self.types.members(content).unwrap_or_default();
                let names = names.iter().filter_map(|m| m.builtin).collect();
                self.remember_per_vertex(storage, names);
                self.shader.globals[id].ty = ty;
                self.size_per_vertex(id, span)
            }
        }
    }

    /// Checks that `gl_PerVertex` is redeclared once, before any use or single redeclaration of its
    /// members.
    fn check_first_redeclaration(&mut self, storage: Storage, span: Span) -> Check<()> {
        let redeclarations = &self.shader.redeclarations;
        let again = match storage {
            Storage::Input => redeclarations.per_vertex_in.is_some(),
            _ => redeclarations.per_vertex_out.is_some(),
        };
        if again {
            return self.error(span, "gl_PerVertex is redeclared for the second time");
        }
        let members = self.shader.globals.iter().filter(|(_, global)| {
            global.storage == storage && global.builtin.is_some_and(|b| b.is_per_vertex())
        });
        let touched =
            members.into_iter().find(|(id, _)| self.used[*id] || self.redeclared.contains(id));
        match touched.map(|(_, global)| global.name.clone()) {
            Some(name) => self.error(span, format!("gl_PerVertex is redeclared after `{name}`")),
            None => Ok(()),
        }
    }

    /// Checks that a redeclared member has its usual type, except for the size of an array.
    fn check_per_vertex_member(
        &mut self,
        builtin: BuiltinVariable,
        ty: TypeId,
        name: ast::Name,
    ) -> Check<()> {
        let known = self.per_vertex_member_type(builtin);
        let fits = match (self.types.array_of(known), self.types.array_of(ty)) {
            (Some((a, _)), Some((b, _))) => a == b,
            (None, None) => known == ty || is_per_primitive(builtin),
            _ => false,
        };
        if !fits {
            let text = self.text(name.symbol);
            return self.error(name.span, format!("`{text}` is redeclared with another type"));
        }
        self.check_builtin_size(builtin, ty, name.span)
    }

    fn remember_per_vertex(&mut self, storage: Storage, names: Vec<BuiltinVariable>) {
        match storage {
            Storage::Input => self.shader.redeclarations.per_vertex_in = Some(names),
            _ => self.shader.redeclarations.per_vertex_out = Some(names),
        }
    }

    fn keep_per_vertex(
        &mut self,
        storage: Storage,
        outer: &Qualifiers,
        members: Vec<Member>,
        span: Span,
    ) -> Check<()> {
        let names: Vec<BuiltinVariable> = members.iter().filter_map(|m| m.builtin).collect();
        let xfb_buffer = outer.layout.variable.xfb_buffer.or(self.defaults.xfb_buffer);
        for member in members {
            let Some(id) = self.builtin_variable(&member.name, span)? else {
                return self
                    .error(span, format!("`{}` is not available in this stage", member.name));
            };
            let global = &mut self.shader.globals[id];
            global.layout.xfb_offset = member.xfb_offset.or(global.layout.xfb_offset);
            if global.layout.xfb_offset.is_some() {
                global.layout.xfb_buffer = xfb_buffer;
            }
            if member.interpolation != Default::default() {
                global.interpolation = member.interpolation;
            }
            if self.types.array_of(member.ty).is_some() {
                self.resize(id, member.ty, span)?;
            }
        }
        self.set_xfb_stride(&outer.layout.variable, span)?;
        self.remember_per_vertex(storage, names);
        Ok(())
    }
}
