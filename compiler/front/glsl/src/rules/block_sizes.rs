//! Arrays without a size in blocks (GLSL 4.60 sections 4.1.9 and 4.3.7). The last member of a
//! storage block is sized at run time. Any other one needs a constant index, which sizes it.
//!
//! Members of storage blocks with an instance name are left to linking: no sentence says when the
//! error is due, and piglit's linker tests expect that such shaders compile.

use crate::checker::{Check, Checker};
use glsl_syntax::ast;
use program::types::Member;
use program::{ArrayLength, GlobalId, Storage};

impl Checker<'_> {
    /// Remembers the members of a uniform or storage block that lack a size.
    pub(crate) fn note_unsized_members(
        &mut self,
        block: &ast::InterfaceBlock,
        id: GlobalId,
        members: &[Member],
    ) {
        let storage = self.shader.globals[id].storage;
        let has_instance = self.shader.globals[id].block.as_ref().is_some_and(|b| b.has_instance);
        match storage {
            Storage::Uniform => {}
            Storage::Buffer if !has_instance => {}
            _ => return,
        }
        for ((index, member), name) in (0..).zip(members).zip(self.member_names(block)) {
            if matches!(self.types.array_of(member.ty), Some((_, ArrayLength::Unsized))) {
                self.unsized_members.push((id, index, name.span));
            }
        }
    }

    /// Reports members without a size that no constant indexes.
    pub(crate) fn check_unsized_members(&mut self) -> Check<()> {
        let members = std::mem::take(&mut self.unsized_members);
        let sized = &self.indexed_members;
        let Some(&(id, _, span)) = members.iter().find(|m| !sized.contains(&(m.0, m.1))) else {
            return Ok(());
        };
        let name = self.unit.sources.text(span);
        let rule = match self.shader.globals[id].storage {
            Storage::Buffer => "only the last member of a storage block is sized at run time",
            _ => "members of uniform blocks are not sized at run time",
        };
        self.error(span, format!("array member `{name}` needs a size: {rule}"))
    }
}
