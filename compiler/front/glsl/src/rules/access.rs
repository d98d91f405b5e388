//! Reads of `writeonly` memory (GLSL 4.60 section 4.10), found in the complete shader.

use crate::checker::{Check, Checker};
use glsl_syntax::source::Span;
use program::{Direction, ExprId, ExprKind, Storage};
use rustc_hash::FxHashSet;

impl Checker<'_> {
    /// Reports every expression that reads a member of a storage block that is `writeonly`.
    pub(crate) fn check_reads(&mut self) -> Check<()> {
        let write_only = |global: &program::Global| {
            let members =
                self.types.members(self.types.without_arrays(global.ty)).unwrap_or_default();
            global.storage == Storage::Buffer && members.iter().any(|m| m.memory.write_only)
        };
        if !self.shader.globals.values().any(write_only) {
            return Ok(());
        }
        let written = self.places();
        let mut wrong = Vec::new();
        for (id, expr) in self.shader.exprs.iter().filter(|(id, _)| !written.contains(id)) {
            if let ExprKind::Member { base, member } = expr.kind
                && let Some(m) =
                    self.types.members(self.ty(base)).unwrap_or_default().get(member as usize)
                && m.memory.write_only
            {
                wrong.push((id, format!("`{}` is writeonly and cannot be read", m.name)));
            }
        }
        let mut outcome = Ok(());
        for (id, message) in wrong {
            let span = self.unit_span(self.shader.exprs[id].span);
            outcome = self.error(span, message);
        }
        outcome
    }

    /// The source text of a span of the typed program.
    pub(crate) fn unit_span(&self, span: program::Span) -> Span {
        let start =
            self.file_starts.get(usize::from(span.source)).map_or(0, |f| f.start) + span.start;
        Span::new(start, start.saturating_add(span.len.into()))
    }

    /// Expressions that name a variable without reading it: targets of assignments, and operands of
    /// `length()` and of memory functions. Atomic functions and compound assignments report their
    /// reads themselves.
    fn places(&self) -> FxHashSet<ExprId> {
        let mut written = FxHashSet::default();
        for expr in self.shader.exprs.values() {
            match &expr.kind {
                ExprKind::Assign { place, .. }
                | ExprKind::CompoundAssign { place, .. }
                | ExprKind::PreIncrement { place, .. }
                | ExprKind::PostIncrement { place, .. }
                | ExprKind::Atomic { place, .. }
                | ExprKind::RuntimeLength(place) => self.add_place(*place, &mut written),
                ExprKind::Call { function, arguments } => {
                    let parameters = &self.shader.functions[*function].parameters;
                    let out = arguments
                        .iter()
                        .zip(parameters)
                        .filter(|(_, p)| p.direction == Direction::Out);
                    out.for_each(|(&argument, _)| self.add_place(argument, &mut written));
                }
                _ => {}
            }
        }
        written
    }

    fn add_place(&self, mut id: ExprId, written: &mut FxHashSet<ExprId>) {
        loop {
            written.insert(id);
            match self.shader.exprs[id].kind {
                ExprKind::Index { base, .. }
                | ExprKind::Member { base, .. }
                | ExprKind::Swizzle { base, .. } => id = base,
                _ => return,
            }
        }
    }
}
