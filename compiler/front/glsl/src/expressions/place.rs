//! Places: expressions that may be assigned to.

use crate::checker::{Check, Checker};
use crate::state::{Colors, Root};
use glsl_syntax::source::Span;
use program::{BuiltinVariable, ExprId, ExprKind, GlobalId, Stage, Storage, TypeId};

impl Checker<'_> {
    /// The variable of an expression that is a place.
    pub(crate) fn root(&self, mut id: ExprId) -> Option<Root> {
        loop {
            match self.shader.exprs[id].kind {
                ExprKind::Global(global) => return Some(Root::Global(global)),
                ExprKind::Local(local) => return Some(Root::Local(local)),
                ExprKind::Index { base, .. }
                | ExprKind::Member { base, .. }
                | ExprKind::Swizzle { base, .. } => {
                    id = base;
                }
                _ => return None,
            }
        }
    }

    /// Returns whether a type has parts that no variable but a uniform can hold: opaque types, but
    /// for samplers and images that have handles (ARB_bindless_texture section 4.1.7).
    pub(crate) fn contains_fixed_opaque(&self, ty: TypeId) -> bool {
        if !self.types.contains_opaque(ty) {
            return false;
        }
        let inner = self.types.without_arrays(ty);
        match self.types.members(inner) {
            Some(members) => members.iter().any(|member| self.contains_fixed_opaque(member.ty)),
            None => !self.is_handle(inner),
        }
    }

    /// Reports an expression that cannot be written.
    pub(crate) fn check_place(&mut self, id: ExprId, span: Span) -> Check<()> {
        if self.contains_fixed_opaque(self.ty(id)) {
            let name = self.type_name(self.ty(id));
            return self.error(span, format!("a value of type {name} cannot be assigned"));
        }
        let mut at = id;
        loop {
            match &self.shader.exprs[at].kind {
                ExprKind::Swizzle { base, components } => {
                    let parts = components.as_slice();
                    if parts.iter().enumerate().any(|(i, c)| parts[..i].contains(c)) {
                        return self.error(span, "a component is repeated in an assigned swizzle");
                    }
                    at = *base;
                }
                &ExprKind::Index { base, index } => {
                    self.check_output_vertex(base, index, span)?;
                    at = base;
                }
                ExprKind::Member { base, member } => {
                    let members = self.types.members(self.ty(*base)).unwrap_or_default();
                    if let Some(m) = members.get(*member as usize)
                        && m.memory.read_only
                    {
                        let message = format!("`{}` is readonly", m.name);
                        return self.error(span, message);
                    }
                    at = *base;
                }
                ExprKind::Global(global) => return self.check_global_place(*global, span),
                ExprKind::Local(local) => {
                    let Some(function) = self.function.as_mut() else { return Ok(()) };
                    function.written.insert(*local);
                    if function.constants.contains_key(local) {
                        let name = function.locals[*local].name.to_owned();
                        return self
                            .error(span, format!("`{name}` is constant and cannot be assigned"));
                    }
                    return Ok(());
                }
                _ => return self.error(span, "this expression cannot be assigned"),
            }
        }
    }

    /// Checks that an invocation of a tessellation control shader writes only its own vertex, at
    /// `gl_InvocationID` (GLSL 4.60 section 4.3.6).
    fn check_output_vertex(&mut self, base: ExprId, index: ExprId, span: Span) -> Check<()> {
        let ExprKind::Global(id) = self.shader.exprs[base].kind else { return Ok(()) };
        if self.shader.globals[id].storage != Storage::Output || !self.is_per_vertex_array(id) {
            return Ok(());
        }
        let own = matches!(self.shader.exprs[index].kind, ExprKind::Global(id)
            if self.shader.globals[id].builtin == Some(BuiltinVariable::InvocationId));
        if own {
            Ok(())
        } else {
            self.error(span, "an output per vertex can only be written at [gl_InvocationID]")
        }
    }

    fn check_global_place(&mut self, id: GlobalId, span: Span) -> Check<()> {
        let global = &self.shader.globals[id];
        let what = match global.storage {
            Storage::Const => "constant",
            Storage::Uniform => "a uniform",
            Storage::Input => "an input",
            Storage::Buffer if global.memory.read_only => "readonly",
            _ => return self.record_color(id, span),
        };
        let message = format!("`{}` is {what} and cannot be assigned", global.name);
        self.error(span, message)
    }

    /// Checks that a fragment shader writes only one of `gl_FragColor`, `gl_FragData` and
    /// user-defined outputs, even in functions that are never called (GLSL 1.20 section 7.2, GLSL
    /// 1.30 section 7.2).
    fn record_color(&mut self, id: GlobalId, span: Span) -> Check<()> {
        let global = &self.shader.globals[id];
        let written = &mut self.colors_written;
        match global.builtin {
            Some(BuiltinVariable::FragColor) => written.color = true,
            Some(BuiltinVariable::FragData) => written.data = true,
            Some(BuiltinVariable::FragDepth) => {
                written.depth = true;
                return self.check_early_depth(span);
            }
            None if self.language.stage == Stage::Fragment && global.storage == Storage::Output => {
                written.own = true;
            }
            _ => return Ok(()),
        }
        match *written {
            Colors { color: true, data: true, .. } => {
                self.error(span, "the shader writes both gl_FragColor and gl_FragData")
            }
            Colors { own: true, color, data, .. } if color || data => {
                self.error(span, "the shader writes both built-in and user-defined colors")
            }
            _ => Ok(()),
        }
    }

    /// Checks that GLSL ES does not write a depth that is tested before the shader (GLSL ES 3.20,
    /// "Fragment Shader Inputs").
    pub(crate) fn check_early_depth(&mut self, span: Span) -> Check<()> {
        if self.language.es && self.colors_written.depth && self.shader.layout.early_fragment_tests
        {
            return self.error(
                span,
                "with early_fragment_tests, gl_FragDepth cannot be written in GLSL ES",
            );
        }
        Ok(())
    }

    /// Reports an expression that may not be read: `writeonly` memory.
    pub(crate) fn check_readable(&mut self, id: ExprId, span: Span) -> Check<()> {
        let mut at = id;
        loop {
            match &self.shader.exprs[at].kind {
                ExprKind::Swizzle { base, .. } | ExprKind::Index { base, .. } => at = *base,
                ExprKind::Member { base, member } => {
                    let members = self.types.members(self.ty(*base)).unwrap_or_default();
                    if let Some(m) = members.get(*member as usize)
                        && m.memory.write_only
                    {
                        let message = format!("`{}` is writeonly", m.name);
                        return self.error(span, message);
                    }
                    at = *base;
                }
                _ => return Ok(()),
            }
        }
    }
}
