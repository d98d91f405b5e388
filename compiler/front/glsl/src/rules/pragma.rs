//! `#pragma` directives with an effect (GLSL 4.60 sections 3.3 and 4.8.1).

use crate::checker::{Check, Checker};
use glsl_syntax::ast::DeclKind;
use glsl_syntax::source::Span;

impl Checker<'_> {
    /// The text of a pragma without spaces.
    fn pragma(&self, text: Span) -> String {
        self.unit.sources.text(text).replace(char::is_whitespace, "")
    }

    /// `#pragma STDGL invariant(all)`
    pub(crate) fn all_invariant(&self) -> Option<Span> {
        let mut pragmas = self.unit.pragmas.iter().map(|p| p.text);
        pragmas.find(|&text| self.pragma(text) == "STDGLinvariant(all)")
    }

    /// Checks that `optimize` and `debug` are used only outside of functions.
    pub(crate) fn check_pragmas(&mut self) -> Check<()> {
        let unit = self.unit;
        if unit.pragmas.is_empty() {
            return Ok(());
        }
        let bodies: Vec<Span> = unit
            .list(unit.globals)
            .iter()
            .filter_map(|&decl| match unit.decls[decl].kind {
                DeclKind::Function(id) => {
                    unit.functions[id].body.expand().map(|body| unit.stmts[body].span)
                }
                _ => None,
            })
            .collect();
        let mut outcome = Ok(());
        for text in unit.pragmas.iter().map(|p| p.text) {
            let before = bodies.partition_point(|body| body.start <= text.start);
            let inside = before.checked_sub(1).is_some_and(|i| text.start < bodies[i].end);
            let words = ["optimize(on)", "optimize(off)", "debug(on)", "debug(off)"];
            if inside && words.contains(&self.pragma(text).as_str()) {
                outcome = self.error(text, "this pragma can only be used outside of functions");
            }
        }
        outcome
    }
}
