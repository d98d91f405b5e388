//! Choice of the functions that become procedures.

use cranelift_entity::{EntitySet, SecondaryMap};
use program::{CallGraph, FunctionId, Shader, Statement, TypeTable};

/// Maximum number of expressions of a stage with every call inlined, unless an option sets another
/// limit. Beyond it, functions become procedures.
const INLINE_LIMIT: u64 = 50_000;
/// A program may also grow by this factor.
const GROWTH: u64 = 4;
/// Functions become procedures beyond one of these numbers of expressions, tried in order.
const BOUNDS: [u64; 4] = [256, 64, 16, 0];
/// About what a call of a procedure costs, in expressions.
const CALL: u64 = 8;

/// Returns the functions to keep as procedures: none while a stage with all calls inlined has at
/// most `limit` expressions. A limit of 0 makes every called function a procedure.
pub(super) fn choose(
    shader: &Shader,
    types: &TypeTable,
    limit: Option<u32>,
) -> EntitySet<FunctionId> {
    let Some(entry) = shader.entry.filter(|_| shader.functions.len() > 1) else {
        return EntitySet::new();
    };
    let sizes = Sizes::new(shader, types, entry);
    if limit == Some(0) {
        let mut kept = EntitySet::new();
        kept.extend(shader.functions.keys().filter(|&f| f != entry));
        return kept;
    }
    let own: u64 = sizes.order.iter().map(|&f| sizes.own[f]).sum();
    let limit = limit.map_or(INLINE_LIMIT.max(GROWTH * own), u64::from);
    if sizes.inlined(u64::MAX).1 <= limit {
        return EntitySet::new();
    }
    let mut kept = EntitySet::new();
    for bound in BOUNDS {
        let total;
        (kept, total) = sizes.inlined(bound);
        if total <= limit {
            break;
        }
    }
    kept
}

/// Numbers of expressions and calls.
struct Sizes {
    entry: FunctionId,
    /// Every function after those that it calls.
    order: Vec<FunctionId>,
    /// Expressions of a function itself.
    own: SecondaryMap<FunctionId, u64>,
    graph: CallGraph,
    /// Calls of a function in the whole shader.
    callers: SecondaryMap<FunctionId, u32>,
}

impl Sizes {
    fn new(shader: &Shader, types: &TypeTable, entry: FunctionId) -> Sizes {
        let graph = CallGraph::new(shader, types);
        let mut own: SecondaryMap<FunctionId, u64> = SecondaryMap::new();
        let mut callers: SecondaryMap<FunctionId, u32> = SecondaryMap::new();
        for (id, function) in shader.functions.iter() {
            own[id] = expressions(shader, function.body.iter().flatten());
            graph.calls(id).iter().for_each(|call| callers[call.callee] += 1);
        }
        let order = callees_first(shader, &graph);
        Sizes { entry, order, own, graph, callers }
    }

    /// Inlines calls of functions that have one call, or that have at most `bound` expressions and
    /// call no procedure: copies of a call would multiply states. Returns the other functions, and
    /// the number of expressions of the whole.
    fn inlined(&self, bound: u64) -> (EntitySet<FunctionId>, u64) {
        let mut kept = EntitySet::new();
        // Functions that call a procedure, once calls are inlined.
        let mut calls_kept: EntitySet<FunctionId> = EntitySet::new();
        let mut sizes: SecondaryMap<FunctionId, u64> = SecondaryMap::new();
        let mut total = 0u64;
        for &function in &self.order {
            let mut size = self.own[function];
            for call in self.graph.calls(function) {
                let is_kept = kept.contains(call.callee);
                size = size.saturating_add(if is_kept { CALL } else { sizes[call.callee] });
                if is_kept || calls_kept.contains(call.callee) {
                    calls_kept.insert(function);
                }
            }
            sizes[function] = size;
            if function == self.entry {
                total = total.saturating_add(size);
            } else if self.callers[function] > 1 && (size > bound || calls_kept.contains(function))
            {
                kept.insert(function);
                total = total.saturating_add(size);
            }
        }
        (kept, total)
    }
}

/// The number of expressions in statements.
fn expressions<'a>(shader: &Shader, statements: impl Iterator<Item = &'a Statement>) -> u64 {
    let mut stack = Vec::new();
    statements.for_each(|s| s.for_each_expr(&mut |e| stack.push(e)));
    let mut count = 1;
    while let Some(expr) = stack.pop() {
        count += 1;
        shader.exprs[expr].kind.for_each_child(|child| stack.push(child));
    }
    count
}

/// Orders functions so that callees come before callers; linking has refused recursion.
fn callees_first(shader: &Shader, graph: &CallGraph) -> Vec<FunctionId> {
    let mut order = Vec::new();
    let mut seen: EntitySet<FunctionId> = EntitySet::new();
    for start in shader.functions.keys() {
        if !seen.insert(start) {
            continue;
        }
        // Functions on the way from `start`, each with the number of its calls already followed.
        let mut way = vec![(start, 0)];
        while let Some((function, next)) = way.last_mut() {
            let function = *function;
            if let Some(call) = graph.calls(function).get(*next) {
                *next += 1;
                if seen.insert(call.callee) {
                    way.push((call.callee, 0));
                }
                continue;
            }
            order.push(function);
            way.pop();
        }
    }
    order
}
