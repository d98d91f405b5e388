//! Several shader objects of one stage become one shader: globals and functions are matched by
//! name.

use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;

use super::errors::Errors;
use super::layouts;
use super::matching::{Arrays, same, unify};
use crate::builtin_variable::BuiltinVariable;
use crate::expression::{ExprId, ExprKind};
use crate::shader::{Function, FunctionId, Shader};
use crate::span::{SourceText, Span};
use crate::stage::Stage;
use crate::types::{TypeId, TypeTable};
use crate::variable::{Global, GlobalId, Storage};

/// Merges at least one shader of one stage.
pub(super) fn merge(shaders: Vec<Shader>, types: &mut TypeTable, errors: &mut Errors) -> Shader {
    let stage = shaders.first().map_or(Stage::Vertex, |s| s.stage);
    let version = shaders.iter().map(|s| s.version).max().unwrap_or(110);
    let mut result = Shader::new(stage, version, shaders.iter().any(|s| s.es));
    let single = shaders.len() == 1;
    let mut globals: FxHashMap<String, GlobalId> = FxHashMap::default();
    let mut functions: FxHashMap<(Box<str>, Vec<TypeId>), FunctionId> = FxHashMap::default();
    for (unit, shader) in shaders.into_iter().enumerate() {
        if single {
            return shader;
        }
        Merge {
            result: &mut result,
            types,
            errors,
            globals: &mut globals,
            functions: &mut functions,
        }
        .append(shader, unit);
    }
    result
}

struct Merge<'a> {
    result: &'a mut Shader,
    types: &'a mut TypeTable,
    errors: &'a mut Errors,
    globals: &'a mut FxHashMap<String, GlobalId>,
    functions: &'a mut FxHashMap<(Box<str>, Vec<TypeId>), FunctionId>,
}

impl Merge<'_> {
    fn append(&mut self, shader: Shader, unit: usize) {
        self.redeclarations(&shader);
        let first_source = self.result.sources.len() as u16;
        let move_span = |span: &mut Span| span.source = span.source.saturating_add(first_source);
        let sources = shader.sources.iter().cloned();
        self.result.sources.extend(sources.map(|text| SourceText { unit, ..text }));
        self.result.conversions = self.result.conversions.or(shader.conversions);
        self.result.free_outputs |= shader.free_outputs;
        let first_expr = self.result.exprs.len() as u32;
        let shift = |id: ExprId| ExprId::from_u32(id.as_u32() + first_expr);
        let mut globals: SecondaryMap<GlobalId, GlobalId> =
            SecondaryMap::with_default(GlobalId::from_u32(0));
        for (id, global) in shader.globals.iter() {
            let mut global = global.clone();
            global.initializer = global.initializer.map(shift);
            move_span(&mut global.span);
            globals[id] = self.global(global, &shader);
        }
        let mut functions: SecondaryMap<FunctionId, FunctionId> =
            SecondaryMap::with_default(FunctionId::from_u32(0));
        for (id, function) in shader.functions.iter() {
            let mut function = function.clone();
            move_span(&mut function.span);
            for statement in function.body.iter_mut().flatten() {
                statement.for_each_expr_mut(&mut |e| *e = shift(*e));
            }
            functions[id] = self.function(function);
        }
        self.result.dead_calls.extend(shader.dead_calls.iter().map(|&id| shift(id)));
        if let Some(entry) = shader.entry {
            self.result.entry = Some(functions[entry]);
        }
        for mut expr in shader.exprs.into_iter().map(|(_, e)| e) {
            expr.kind.for_each_child_mut(|child| *child = shift(*child));
            match &mut expr.kind {
                ExprKind::Global(id) => *id = globals[*id],
                ExprKind::Call { function, .. } => *function = functions[*function],
                _ => {}
            }
            move_span(&mut expr.span);
            self.result.exprs.push(expr);
        }
        layouts::merge(&mut self.result.layout, &shader.layout, self.result.stage, self.errors);
    }

    /// Shader objects of a stage must redeclare `gl_PerVertex` alike when they use it (GLSL 4.10
    /// section 7.1).
    fn redeclarations(&mut self, shader: &Shader) {
        let (old, new) = (&self.result.redeclarations, &shader.redeclarations);
        for (a, b, storage) in [
            (&old.per_vertex_in, &new.per_vertex_in, Storage::Input),
            (&old.per_vertex_out, &new.per_vertex_out, Storage::Output),
        ] {
            let differ = match (a, b) {
                (Some(a), Some(b)) => a != b,
                (Some(_), None) => uses_per_vertex(shader, storage),
                (None, Some(_)) => uses_per_vertex(self.result, storage),
                (None, None) => false,
            };
            if differ {
                self.errors.push("gl_PerVertex is redeclared differently in shaders of one stage");
            }
        }
        let uses_coordinate =
            |s: &Shader| s.globals.values().any(|g| g.builtin == Some(BuiltinVariable::FragCoord));
        let coordinate = match (old.frag_coord, new.frag_coord) {
            (true, false) => uses_coordinate(shader),
            (false, true) => uses_coordinate(self.result),
            _ => false,
        };
        if coordinate {
            self.errors.push("gl_FragCoord is redeclared in only some of the shaders that use it");
        }
        let target = &mut self.result.redeclarations;
        target.per_vertex_in = target.per_vertex_in.take().or(new.per_vertex_in.clone());
        target.per_vertex_out = target.per_vertex_out.take().or(new.per_vertex_out.clone());
        target.frag_coord |= new.frag_coord;
    }

    fn global(&mut self, global: Global, from: &Shader) -> GlobalId {
        let key = global_key(&global);
        let Some(&id) = self.globals.get(&key) else {
            let id = self.result.globals.push(global);
            self.globals.insert(key, id);
            return id;
        };
        self.unify_global(id, global, from);
        id
    }

    fn unify_global(&mut self, id: GlobalId, new: Global, from: &Shader) {
        let name = new.block.as_ref().map_or(&new.name, |b| &b.name).clone();
        let old = &self.result.globals[id];
        if old.storage != new.storage {
            self.errors.push(format!("`{name}` is declared with different storage qualifiers"));
            return;
        }
        let Some(ty) = unify(self.types, old.ty, new.ty) else {
            let (a, b) = (self.types.name(old.ty), self.types.name(new.ty));
            let what = if new.block.is_some() { "block " } else { "" };
            self.errors
                .push(format!("{what}`{name}` is declared with mismatching types {a} and {b}"));
            return;
        };
        if let (Some(a), Some(b)) = (&old.block, &new.block) {
            if a.packing != b.packing || a.order != b.order {
                self.errors.push(format!("block `{name}` is declared with different layouts"));
            }
            if a.has_instance != b.has_instance {
                self.errors.push(format!("block `{name}` has an instance name in one shader only"));
            }
        }
        if old.interpolation != new.interpolation && new.builtin.is_none() {
            self.errors
                .push(format!("`{name}` is declared with different interpolation qualifiers"));
        }
        if old.invariant != new.invariant
            && new.builtin.is_none()
            && new.storage != Storage::Private
        {
            self.errors.push(format!("`{name}` is invariant in one shader only"));
        }
        self.unify_layout(id, &new, &name);
        let old = &self.result.globals[id];
        if let (Some(a), Some(b)) = (old.initializer, new.initializer) {
            // The new shader's expressions are not appended yet: compare in its own arena.
            let first = self.result.exprs.len() as u32;
            let b = ExprId::from_u32(b.as_u32() - first);
            let same = match (&old.initial, &new.initial) {
                (Some(a), Some(b)) => a == b,
                _ => same_initializer(self.result, a, from, b),
            };
            if !same {
                self.errors.push(format!("`{name}` has different initializers"));
            }
        }
        let old = &mut self.result.globals[id];
        old.ty = ty;
        if old.initializer.is_none() {
            (old.initializer, old.initial) = (new.initializer, new.initial);
        }
        old.invariant |= new.invariant;
        old.precise |= new.precise;
        old.interpolation = if old.interpolation == Default::default() {
            new.interpolation
        } else {
            old.interpolation
        };
    }

    fn unify_layout(&mut self, id: GlobalId, new: &Global, name: &str) {
        let old = &mut self.result.globals[id].layout;
        let mut conflict = |what: &str, a: &mut Option<u32>, b: Option<u32>| {
            if let (Some(x), Some(y)) = (*a, b)
                && x != y
            {
                self.errors
                    .push(format!("`{name}` is declared with different {what}s: {x} and {y}"));
            }
            *a = a.or(b);
        };
        conflict("location", &mut old.location, new.layout.location);
        conflict("component", &mut old.component, new.layout.component);
        conflict("index", &mut old.index, new.layout.index);
        conflict("binding", &mut old.binding, new.layout.binding);
        conflict("offset", &mut old.offset, new.layout.offset);
        conflict("stream", &mut old.stream, new.layout.stream);
        conflict("xfb_buffer", &mut old.xfb_buffer, new.layout.xfb_buffer);
        conflict("xfb_offset", &mut old.xfb_offset, new.layout.xfb_offset);
        conflict("xfb_stride", &mut old.xfb_stride, new.layout.xfb_stride);
        if new.builtin.is_some() && old.depth != new.layout.depth {
            self.errors.push(format!("`{name}` is declared with different depth layouts"));
        }
        if new.builtin.is_some()
            && self.result.stage == Stage::Fragment
            && (old.origin_upper_left, old.pixel_center_integer)
                != (new.layout.origin_upper_left, new.layout.pixel_center_integer)
        {
            self.errors.push(format!("`{name}` is redeclared with different layouts"));
        }
        let old = &mut self.result.globals[id].layout;
        old.depth = old.depth.or(new.layout.depth);
        old.image_format = old.image_format.or(new.layout.image_format);
        old.origin_upper_left |= new.layout.origin_upper_left;
        old.pixel_center_integer |= new.layout.pixel_center_integer;
    }

    fn function(&mut self, function: Function) -> FunctionId {
        let key = function_key(&function);
        let Some(&id) = self.functions.get(&key) else {
            let id = self.result.functions.push(function);
            self.functions.insert(key, id);
            return id;
        };
        let old = &self.result.functions[id];
        if !same(self.types, old.result, function.result, Arrays::Exact) {
            self.errors.push(format!(
                "function `{}` is declared with different return types",
                function.name
            ));
        }
        match (&old.body, &function.body) {
            (Some(_), Some(_)) => {
                self.errors.push(format!("function `{}` is defined more than once", function.name));
            }
            (None, Some(_)) => self.result.functions[id] = function,
            _ => {}
        }
        id
    }
}

/// Returns true if a shader mentions members of `gl_PerVertex` on one side.
pub(super) fn uses_per_vertex(shader: &Shader, storage: Storage) -> bool {
    shader.globals.values().any(|g| {
        g.storage == storage
            && g.builtin.is_some_and(|b| {
                (b.is_per_vertex()
                    && storage == Storage::Output
                    && shader.stage != Stage::TessControl)
                    || matches!(b, BuiltinVariable::PerVertexIn | BuiltinVariable::PerVertexOut)
            })
    })
}

/// Returns true if two initializers are the same text, operand by operand.
pub(super) fn same_initializer(a: &Shader, x: ExprId, b: &Shader, y: ExprId) -> bool {
    let mut open = vec![(x, y)];
    while let Some((x, y)) = open.pop() {
        let (Some(ex), Some(ey)) = (a.exprs.get(x), b.exprs.get(y)) else { return false };
        let mut operands = (Vec::new(), Vec::new());
        let (mut kx, mut ky) = (ex.kind.clone(), ey.kind.clone());
        kx.for_each_child_mut(|id| operands.0.push(std::mem::replace(id, ExprId::from_u32(0))));
        ky.for_each_child_mut(|id| operands.1.push(std::mem::replace(id, ExprId::from_u32(0))));
        if let (ExprKind::Global(gx), ExprKind::Global(gy)) = (&kx, &ky) {
            let (gx, gy) = (&a.globals[*gx], &b.globals[*gy]);
            match (gx.initializer, gy.initializer) {
                (Some(x), Some(y)) if gx.name == gy.name => open.push((x, y)),
                _ => return false,
            }
        } else if kx != ky || ex.ty != ey.ty || operands.0.len() != operands.1.len() {
            return false;
        } else {
            open.extend(operands.0.into_iter().zip(operands.1));
        }
    }
    true
}

/// Returns the properties that identify a function.
pub(super) fn function_key(function: &Function) -> (Box<str>, Vec<TypeId>) {
    let parameters = function.parameters.iter().map(|p| function.locals[p.local].ty).collect();
    (function.name.clone(), parameters)
}

/// The name under which a global is matched: blocks by block name, in a space of their own per
/// storage.
pub(super) fn global_key(global: &Global) -> String {
    match &global.block {
        Some(block) => format!("{:?} block {}", global.storage, block.name),
        None => global.name.to_string(),
    }
}
