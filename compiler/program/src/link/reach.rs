//! Static use: what `main` can reach, recursion, undefined functions, side effects.

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntitySet, PrimaryMap, SecondaryMap};

use rustc_hash::FxHashSet;

use super::errors::Errors;
use crate::builtin_function::{AtomicCounterFunction, BuiltinFamily};
use crate::call_graph::CallGraph;
use crate::expression::{ExprId, ExprKind, ImageOp};
use crate::shader::{FunctionId, Shader};
use crate::types::{Type, TypeTable};
use crate::variable::{GlobalId, Storage};

/// Expressions, functions and globals found by a walk.
#[derive(Default)]
struct Reached {
    exprs: EntitySet<ExprId>,
    functions: EntitySet<FunctionId>,
    function_order: Vec<FunctionId>,
    /// How many of these were walked.
    walked: usize,
    globals: EntitySet<GlobalId>,
}

impl Reached {
    fn function(&mut self, shader: &Shader, id: FunctionId) {
        self.find(id);
        self.walk_found(shader);
    }

    fn find(&mut self, id: FunctionId) {
        if self.functions.insert(id) {
            self.function_order.push(id);
        }
    }

    /// Walks the functions found and not walked yet, and those that they call.
    fn walk_found(&mut self, shader: &Shader) {
        while let Some(&id) = self.function_order.get(self.walked) {
            self.walked += 1;
            let mut roots = Vec::new();
            for statement in shader.functions[id].body.iter().flatten() {
                statement.for_each_expr(&mut |e| roots.push(e));
            }
            self.walk_exprs(shader, roots);
        }
    }

    fn exprs(&mut self, shader: &Shader, roots: Vec<ExprId>) {
        self.walk_exprs(shader, roots);
        self.walk_found(shader);
    }

    /// Walks with an explicit stack; functions found are walked after their callers.
    fn walk_exprs(&mut self, shader: &Shader, mut stack: Vec<ExprId>) {
        while let Some(id) = stack.pop() {
            if !self.exprs.insert(id) {
                continue;
            }
            let kind = &shader.exprs[id].kind;
            kind.for_each_child(|child| stack.push(child));
            match kind {
                ExprKind::Global(global) if !self.globals.contains(*global) => {
                    self.globals.insert(*global);
                    stack.extend(shader.globals[*global].initializer);
                }
                ExprKind::Call { function, .. } => self.find(*function),
                _ => {}
            }
        }
    }

    /// Adds uniforms with initializers: their values are visible through the API, and to other
    /// stages that declare them without one.
    fn initialized_uniforms(&mut self, shader: &Shader) {
        for (id, global) in shader.globals.iter() {
            if global.storage == Storage::Uniform && global.initializer.is_some() {
                self.globals.insert(id);
                self.exprs(shader, global.initializer.into_iter().collect());
            }
        }
    }

    /// Adds the functions that a reached subroutine uniform may select.
    fn subroutines(&mut self, shader: &Shader, types: &TypeTable) {
        let subroutine = |ty| match types.get(types.without_arrays(ty)) {
            Type::Subroutine(name) => Some(name),
            _ => None,
        };
        let mut functions = shader.functions_by_subroutine_type();
        let mut uniforms: Vec<(GlobalId, &str)> =
            shader.globals.iter().filter_map(|(id, g)| Some((id, &**subroutine(g.ty)?))).collect();
        loop {
            let (reached, others) = uniforms.iter().partition(|(id, _)| self.globals.contains(*id));
            uniforms = others;
            let reached: Vec<(GlobalId, &str)> = reached;
            if reached.is_empty() {
                return;
            }
            let selected = reached.iter().filter_map(|(_, ty)| functions.remove(ty)).flatten();
            selected.for_each(|id| self.find(id));
            self.walk_found(shader);
        }
    }
}

/// Marks active globals, drops unreachable functions, and reports recursion and missing
/// definitions.
pub(super) fn prune(shader: &mut Shader, types: &TypeTable, errors: &mut Errors) {
    check_recursion(shader, types, errors);
    let Some(entry) = shader.entry.filter(|&id| shader.functions[id].body.is_some()) else {
        errors.push(format!("{} shader has no `main`", shader.stage));
        return;
    };
    let mut reached = Reached::default();
    reached.function(shader, entry);
    reached.subroutines(shader, types);
    reached.initialized_uniforms(shader);
    for (id, global) in shader.globals.iter_mut() {
        // A uniform with an initializer keeps its value as state, used or not.
        let state = global.storage == Storage::Uniform
            && global.block.is_none()
            && global.initializer.is_some();
        // An initializer writes an output.
        let output = global.storage == Storage::Output && global.initializer.is_some();
        global.active = state || output || reached.globals.contains(id);
    }
    let called = called(shader, &reached);
    for &id in &reached.function_order {
        if shader.functions[id].body.is_some() {
            continue;
        }
        if called.contains(id) {
            errors.push(format!(
                "function `{}` is called but not defined",
                shader.functions[id].name
            ));
        }
        // Never called: executors need not know.
        shader.functions[id].body = Some(Vec::new());
    }
    keep_functions(shader, &reached);
}

/// The functions that are called from anywhere but dead branches.
fn called(shader: &Shader, reached: &Reached) -> EntitySet<FunctionId> {
    let dead: FxHashSet<ExprId> = shader.dead_calls.iter().copied().collect();
    let mut called = EntitySet::new();
    for (id, expr) in shader.exprs.iter() {
        if let ExprKind::Call { function, .. } = expr.kind
            && reached.exprs.contains(id)
            && !dead.contains(&id)
        {
            called.insert(function);
        }
    }
    called
}

fn keep_functions(shader: &mut Shader, reached: &Reached) {
    let mut map: SecondaryMap<FunctionId, PackedOption<FunctionId>> = SecondaryMap::new();
    let mut kept: PrimaryMap<FunctionId, _> = PrimaryMap::new();
    for (id, function) in std::mem::take(&mut shader.functions) {
        if reached.functions.contains(id) {
            map[id] = kept.push(function).into();
        }
    }
    shader.functions = kept;
    shader.entry = shader.entry.and_then(|id| map[id].expand());
    let entry = shader.entry.unwrap_or(FunctionId::from_u32(0));
    for expr in shader.exprs.values_mut() {
        if let ExprKind::Call { function, .. } = &mut expr.kind {
            // Calls that nothing reaches point anywhere valid.
            *function = map[*function].expand().unwrap_or(entry);
        }
    }
}

/// Reports each function that can call itself, reachable or not (GLSL 4.60 section 6.1).
fn check_recursion(shader: &Shader, types: &TypeTable, errors: &mut Errors) {
    for function in CallGraph::new(shader, types).circles().into_iter().flatten() {
        errors.push(format!("function `{}` is recursive", shader.functions[function].name));
    }
}

/// Expressions that reachable functions and the initializers of active globals evaluate.
pub(super) fn reachable_exprs(shader: &Shader) -> Vec<ExprId> {
    let mut reached = Reached::default();
    for id in shader.functions.keys() {
        reached.function(shader, id);
    }
    let initializers =
        shader.globals.values().filter(|g| g.active).filter_map(|g| g.initializer).collect();
    reached.exprs(shader, initializers);
    shader.exprs.keys().filter(|&id| reached.exprs.contains(id)).collect()
}

/// Returns true if some of the reachable expressions can write memory that outlives the invocation.
pub(super) fn has_side_effects(shader: &Shader, reached: &[ExprId]) -> bool {
    reached.iter().any(|&id| match &shader.exprs[id].kind {
        ExprKind::Assign { place, .. }
        | ExprKind::CompoundAssign { place, .. }
        | ExprKind::PreIncrement { place, .. }
        | ExprKind::PostIncrement { place, .. } => is_buffer(shader, *place),
        ExprKind::Atomic { place, .. } => is_buffer(shader, *place),
        ExprKind::Image(call) => matches!(call.op, ImageOp::Store | ImageOp::Atomic(_)),
        ExprKind::Call { arguments, .. } => arguments.iter().any(|&a| is_buffer(shader, a)),
        ExprKind::Builtin { function, arguments } => {
            let family = function.family();
            let writes_argument = matches!(family, BuiltinFamily::OutParameter(_));
            matches!(family, BuiltinFamily::AtomicCounter(f) if f != AtomicCounterFunction::AtomicCounter)
                || writes_argument && arguments.iter().any(|&a| is_buffer(shader, a))
        }
        _ => false,
    })
}

/// The global a place belongs to.
pub(crate) fn root_global(shader: &Shader, mut place: ExprId) -> Option<GlobalId> {
    loop {
        match &shader.exprs[place].kind {
            ExprKind::Global(id) => return Some(*id),
            ExprKind::Index { base, .. }
            | ExprKind::Member { base, .. }
            | ExprKind::Swizzle { base, .. } => place = *base,
            _ => return None,
        }
    }
}

fn is_buffer(shader: &Shader, place: ExprId) -> bool {
    root_global(shader, place).is_some_and(|id| shader.globals[id].storage == Storage::Buffer)
}
