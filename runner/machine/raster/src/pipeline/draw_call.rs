//! Arguments of draw commands.

use crate::assemble::PrimitiveMode;

/// A draw of consecutive vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawCall {
    /// Primitive type.
    pub mode: PrimitiveMode,
    /// First vertex.
    pub first: u32,
    /// Number of vertices.
    pub count: u32,
    /// Number of instances.
    pub instances: u32,
}

/// Parameters of draw commands beyond `glDrawArrays`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DrawParameters<'a> {
    /// The element array: the draw's vertices are these elements plus the base vertex, 0 beyond its
    /// end.
    pub elements: Option<&'a [u32]>,
    /// `gl_BaseVertex`.
    pub base_vertex: u32,
    /// `gl_BaseInstance`.
    pub base_instance: u32,
    /// `gl_DrawID`.
    pub draw_id: u32,
    /// Number of the first instance, which `gl_InstanceID` begins with: 0 in OpenGL.
    pub first_instance: u32,
}

impl DrawParameters<'_> {
    /// Returns the vertex at an index of the draw, which is its `gl_VertexID`.
    pub fn vertex(&self, index: u32) -> u32 {
        let Some(elements) = self.elements else { return index };
        let element = elements.get(index as usize).copied().unwrap_or(0);
        element.wrapping_add(self.base_vertex)
    }
}
