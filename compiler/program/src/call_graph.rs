//! Call graph: calls between functions, and recursion.

use cranelift_entity::{EntitySet, SecondaryMap};

use crate::expression::{ExprId, ExprKind};
use crate::shader::{FunctionId, Shader};
use crate::types::{Type, TypeTable};

/// A call of a user function, or of one that a subroutine uniform may select.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The called function.
    pub callee: FunctionId,
    /// The call.
    pub expr: ExprId,
}

/// The static calls of a shader's functions, executed or not.
#[derive(Clone, Debug)]
pub struct CallGraph {
    calls: SecondaryMap<FunctionId, Vec<Call>>,
    functions: Vec<FunctionId>,
}

impl CallGraph {
    /// The calls in every function that has a body.
    pub fn new(shader: &Shader, types: &TypeTable) -> CallGraph {
        let selectable = shader.functions_by_subroutine_type();
        let mut calls: SecondaryMap<FunctionId, Vec<Call>> = SecondaryMap::new();
        let mut seen: EntitySet<ExprId> = EntitySet::new();
        for (id, function) in shader.functions.iter() {
            let mut stack = Vec::new();
            for statement in function.body.iter().flatten() {
                statement.for_each_expr(&mut |e| stack.push(e));
            }
            while let Some(expr) = stack.pop() {
                if !seen.insert(expr) {
                    continue;
                }
                let kind = &shader.exprs[expr].kind;
                match *kind {
                    ExprKind::Call { function: callee, .. } => {
                        calls[id].push(Call { callee, expr })
                    }
                    ExprKind::CallSubroutine { place, .. } => {
                        if let Type::Subroutine(ty) = types.get(shader.exprs[place].ty) {
                            let callees = selectable.get(&**ty).into_iter().flatten();
                            calls[id].extend(callees.map(|&callee| Call { callee, expr }));
                        }
                    }
                    _ => {}
                }
                kind.for_each_child(|child| stack.push(child));
            }
        }
        CallGraph { calls, functions: shader.functions.keys().collect() }
    }

    /// The calls that a function makes, in no order.
    pub fn calls(&self, caller: FunctionId) -> &[Call] {
        &self.calls[caller]
    }

    /// Sets of functions each of which can call itself and all others of its set: the strongly
    /// connected components that have a circle, each in the order of declaration (Tarjan's
    /// algorithm, with a stack of its own).
    pub fn circles(&self) -> Vec<Vec<FunctionId>> {
        let mut search = Search::default();
        for &function in &self.functions {
            if search.number[function] == 0 {
                search.run(self, function);
            }
        }
        search.circles.sort_unstable();
        search.circles
    }

    fn calls_itself(&self, function: FunctionId) -> bool {
        self.calls[function].iter().any(|call| call.callee == function)
    }
}

/// State of Tarjan's algorithm.
#[derive(Default)]
struct Search {
    /// When a function was found, from 1; 0: not yet.
    number: SecondaryMap<FunctionId, u32>,
    /// The earliest function still open that a function is known to reach.
    lowest: SecondaryMap<FunctionId, u32>,
    open: Vec<FunctionId>,
    is_open: EntitySet<FunctionId>,
    found: u32,
    circles: Vec<Vec<FunctionId>>,
}

impl Search {
    fn find(&mut self, function: FunctionId) {
        self.found += 1;
        self.number[function] = self.found;
        self.lowest[function] = self.found;
        self.open.push(function);
        self.is_open.insert(function);
    }

    fn run(&mut self, graph: &CallGraph, start: FunctionId) {
        self.find(start);
        // Functions on the way from `start`, each with the number of its calls already followed.
        let mut way = vec![(start, 0)];
        while let Some((function, next)) = way.last_mut() {
            let function = *function;
            if let Some(call) = graph.calls(function).get(*next) {
                *next += 1;
                if self.number[call.callee] == 0 {
                    self.find(call.callee);
                    way.push((call.callee, 0));
                } else if self.is_open.contains(call.callee) {
                    self.lowest[function] = self.lowest[function].min(self.number[call.callee]);
                }
                continue;
            }
            way.pop();
            if let Some(&(caller, _)) = way.last() {
                self.lowest[caller] = self.lowest[caller].min(self.lowest[function]);
            }
            if self.lowest[function] == self.number[function] {
                self.close(graph, function);
            }
        }
    }

    /// Takes the component that was entered at `first` off the open functions.
    fn close(&mut self, graph: &CallGraph, first: FunctionId) {
        let start = self.open.iter().rposition(|&f| f == first).unwrap_or(0);
        let mut component = self.open.split_off(start);
        for &function in &component {
            self.is_open.remove(function);
        }
        if component.len() > 1 || graph.calls_itself(first) {
            component.sort_unstable();
            self.circles.push(component);
        }
    }
}
