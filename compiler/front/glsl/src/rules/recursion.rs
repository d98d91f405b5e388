//! Recursion: no function may call itself, directly or not, even in code that is never executed
//! (GLSL 4.60 section 6.1).

use crate::checker::{Check, Checker};
use program::{CallGraph, ExprId, FunctionId};

impl Checker<'_> {
    /// Reports each cycle of functions at its first call. Linking checks cycles through other
    /// shader objects.
    pub(crate) fn check_recursion(&mut self) -> Check<()> {
        let graph = CallGraph::new(&self.shader, self.types);
        let mut outcome = Ok(());
        for circle in graph.circles() {
            let within =
                |caller: FunctionId| graph.calls(caller).iter().map(move |&call| (caller, call));
            let calls = circle
                .iter()
                .copied()
                .flat_map(within)
                .filter(|(_, call)| circle.binary_search(&call.callee).is_ok());
            let first = calls.min_by_key(|(_, call)| self.position(call.expr));
            let Some((caller, call)) = first else { continue };
            let name = |id: FunctionId| &self.shader.functions[id].name;
            let (caller, callee) = (name(caller), name(call.callee));
            let message = match circle.len() {
                1 => format!("function `{callee}` calls itself"),
                _ => format!("function `{caller}` calls `{callee}`, which calls it again"),
            };
            let span = self.unit_span(self.shader.exprs[call.expr].span);
            outcome = self.error(span, message);
        }
        outcome
    }

    fn position(&self, expr: ExprId) -> (u16, u32) {
        let span = self.shader.exprs[expr].span;
        (span.source, span.start)
    }
}
