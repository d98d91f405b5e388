//! Sizes of arrays with an element per vertex (GLSL 4.60 sections 4.3.4, 4.4.1.2 and 4.4.2.1).
//!
//! Inputs of tessellation stages have as many elements as a patch can have vertices. Inputs of
//! geometry shaders and outputs of tessellation control shaders get their size from a layout
//! declaration, including those declared before it. Explicit sizes must match it and each other.

use crate::checker::{Check, Checker};
use glsl_syntax::source::Span;
use program::{ArrayLength, GlobalId, Stage, Storage};

impl Checker<'_> {
    /// Sets the size of an array if it is known, or checks its explicit size.
    pub(crate) fn size_per_vertex(&mut self, id: GlobalId, span: Span) -> Check<()> {
        if !self.is_per_vertex_array(id) {
            return Ok(());
        }
        let global = &self.shader.globals[id];
        let (ty, storage) = (global.ty, global.storage);
        let count = self.vertices_of(storage);
        match (self.types.array_of(ty), count) {
            (Some((element, ArrayLength::Unsized)), Some(count)) => {
                let ty = self.types.array(element, ArrayLength::Fixed(count));
                self.resize(id, ty, span)
            }
            (Some((_, ArrayLength::Fixed(size))), _) => {
                let wanted = count.unwrap_or(*self.per_vertex_sizes.entry(storage).or_insert(size));
                if wanted == size {
                    Ok(())
                } else {
                    self.error(
                        span,
                        format!("an array of {size} elements where there are {wanted} vertices"),
                    )
                }
            }
            // GLSL ES 3.20 section 4.4.1.2.
            (Some((_, ArrayLength::Unsized)), None)
                if self.language.es && storage == Storage::Input =>
            {
                self.error(span, "an input without a size needs an input primitive before it")
            }
            _ => Ok(()),
        }
    }

    /// Sets the sizes of arrays declared before a layout declaration.
    pub(crate) fn size_all_per_vertex(&mut self, span: Span) -> Check<()> {
        let ids: Vec<GlobalId> = self.shader.globals.keys().collect();
        ids.into_iter().try_for_each(|id| self.size_per_vertex(id, span))
    }

    pub(crate) fn is_per_vertex_array(&self, id: GlobalId) -> bool {
        self.shader.globals[id].is_per_vertex_array(self.language.stage, self.types)
    }

    /// Vertices of the primitive or patch that the stage has as input or output, where known.
    fn vertices_of(&self, storage: Storage) -> Option<u32> {
        let layout = &self.shader.layout;
        match (self.language.stage, storage) {
            (Stage::Geometry, Storage::Input) => layout.input_primitive.map(|p| p.vertices()),
            (Stage::TessControl, Storage::Output) => layout.vertices,
            _ => Some(self.language.limit("GL_MAX_PATCH_VERTICES", 32)),
        }
    }
}
