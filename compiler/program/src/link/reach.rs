//! Static use: what `main` can reach, recursion, undefined functions, side effects.

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntitySet, PrimaryMap, SecondaryMap};

use super::Errors;
use crate::builtin_function::BuiltinFunction;
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
    globals: EntitySet<GlobalId>,
}

impl Reached {
    fn function(&mut self, shader: &Shader, id: FunctionId) {
        if self.functions.contains(id) {
            return;
        }
        self.functions.insert(id);
        self.function_order.push(id);
        let mut roots = Vec::new();
        for statement in shader.functions[id].body.iter().flatten() {
            statement.for_each_expr(&mut |e| roots.push(e));
        }
        self.exprs(shader, roots);
    }

    /// Walks with an explicit stack; functions found are walked after their callers.
    fn exprs(&mut self, shader: &Shader, mut stack: Vec<ExprId>) {
        let mut callees = Vec::new();
        while let Some(id) = stack.pop() {
            if self.exprs.contains(id) {
                continue;
            }
            self.exprs.insert(id);
            let kind = &shader.exprs[id].kind;
            kind.for_each_child(|child| stack.push(child));
            match kind {
                ExprKind::Global(global) if !self.globals.contains(*global) => {
                    self.globals.insert(*global);
                    stack.extend(shader.globals[*global].initializer);
                }
                ExprKind::Call { function, .. } => callees.push(*function),
                _ => {}
            }
        }
        for callee in callees {
            if !self.functions.contains(callee) {
                self.function(shader, callee);
            }
        }
    }

    /// Adds uniforms with initialisers: their values are visible through the API, and to other stages that declare them without one.
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
        loop {
            let before = self.function_order.len();
            for (id, function) in shader.functions.iter() {
                let wanted = function.subroutine_types.iter().any(|name| {
                    shader.globals.iter().any(|(g, global)| {
                        self.globals.contains(g)
                            && matches!(types.get(types.without_arrays(global.ty)), Type::Subroutine(t) if t == name)
                    })
                });
                if wanted {
                    self.function(shader, id);
                }
            }
            if self.function_order.len() == before {
                return;
            }
        }
    }
}

/// Marks active globals, drops unreachable functions, and reports recursion and missing definitions.
pub(super) fn prune(shader: &mut Shader, types: &TypeTable, errors: &mut Errors) {
    check_recursion(shader, errors);
    let Some(entry) = shader.entry.filter(|&id| shader.functions[id].body.is_some()) else {
        errors.push(format!("{} shader has no `main`", shader.stage));
        return;
    };
    let mut reached = Reached::default();
    reached.function(shader, entry);
    reached.subroutines(shader, types);
    reached.initialized_uniforms(shader);
    for (id, global) in shader.globals.iter_mut() {
        // A uniform with an initialiser keeps its value as state, used or not.
        let state =
            global.storage == Storage::Uniform && global.block.is_none() && global.initializer.is_some();
        global.active = state || reached.globals.contains(id);
    }
    for &id in &reached.function_order {
        if shader.functions[id].body.is_some() {
            continue;
        }
        if is_called(shader, &reached, id) {
            errors.push(format!("function `{}` is called but not defined", shader.functions[id].name));
        }
        // Never called: executors need not know.
        shader.functions[id].body = Some(Vec::new());
    }
    keep_functions(shader, &reached);
}

/// Whether a function is called from anywhere but dead branches.
fn is_called(shader: &Shader, reached: &Reached, callee: FunctionId) -> bool {
    shader.exprs.iter().any(|(id, expr)| {
        let calls = matches!(&expr.kind, ExprKind::Call { function, .. } if *function == callee);
        calls && reached.exprs.contains(id) && !shader.dead_calls.contains(&id)
    })
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
fn check_recursion(shader: &Shader, errors: &mut Errors) {
    let mut calls: SecondaryMap<FunctionId, Vec<FunctionId>> = SecondaryMap::new();
    for (id, function) in shader.functions.iter() {
        let mut stack = Vec::new();
        for statement in function.body.iter().flatten() {
            statement.for_each_expr(&mut |e| stack.push(e));
        }
        while let Some(e) = stack.pop() {
            let kind = &shader.exprs[e].kind;
            if let ExprKind::Call { function, .. } = kind {
                calls[id].push(*function);
            }
            kind.for_each_child(|child| stack.push(child));
        }
        calls[id].sort_unstable();
        calls[id].dedup();
    }
    for id in shader.functions.keys() {
        let mut seen: EntitySet<FunctionId> = EntitySet::new();
        let mut stack = calls[id].clone();
        while let Some(callee) = stack.pop() {
            if callee == id {
                errors.push(format!("function `{}` is recursive", shader.functions[id].name));
                break;
            }
            if !seen.contains(callee) {
                seen.insert(callee);
                stack.extend(&calls[callee]);
            }
        }
    }
}

/// Expressions that reachable functions and the initialisers of active globals evaluate.
pub(super) fn reachable_exprs(shader: &Shader) -> Vec<ExprId> {
    let mut reached = Reached::default();
    for id in shader.functions.keys() {
        reached.function(shader, id);
    }
    let initializers = shader.globals.values().filter(|g| g.active).filter_map(|g| g.initializer).collect();
    reached.exprs(shader, initializers);
    shader.exprs.keys().filter(|&id| reached.exprs.contains(id)).collect()
}

/// Whether some of the reachable expressions can write memory that outlives the invocation.
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
            let counter =
                function.name().starts_with("atomicCounter") && *function != BuiltinFunction::AtomicCounter;
            counter || arguments.iter().any(|&a| is_buffer(shader, a) && has_out_parameter(*function))
        }
        _ => false,
    })
}

fn has_out_parameter(function: BuiltinFunction) -> bool {
    use BuiltinFunction as F;
    matches!(function, F::Modf | F::Frexp | F::UaddCarry | F::UsubBorrow | F::UmulExtended | F::ImulExtended)
}

/// The global a place belongs to.
pub(crate) fn root_global(shader: &Shader, mut place: ExprId) -> Option<GlobalId> {
    loop {
        match &shader.exprs[place].kind {
            ExprKind::Global(id) => return Some(*id),
            ExprKind::Index { base, .. } | ExprKind::Member { base, .. } | ExprKind::Swizzle { base, .. } => {
                place = *base
            }
            _ => return None,
        }
    }
}

fn is_buffer(shader: &Shader, place: ExprId) -> bool {
    root_global(shader, place).is_some_and(|id| shader.globals[id].storage == Storage::Buffer)
}
