//! Draws: rectangles, arrays, elements.

use script::{DrawArrays, DrawElements, DrawRect, Primitive};

use super::session::{Linked, Rectangles, Run};
use crate::api::{AttributeSource, Conversion};
use crate::bindings::gl;
use crate::outcome::Flow;

/// Bytes of a float.
const FLOAT: usize = size_of::<f32>();
/// Floats of a rectangle's positions, which texture coordinates follow in the buffer.
const POSITIONS: usize = 16;

impl Run<'_> {
    pub(super) fn draw_rect(&mut self, draw: &DrawRect) -> Flow {
        if draw.instances.is_some() {
            self.needs(31, &["GL_ARB_draw_instanced"])?;
        }
        if !self.needs_program() {
            return Ok(());
        }
        // The instanced form without `ortho` selects no subroutines.
        if draw.instances.is_none() && (!draw.patch || draw.ortho) {
            self.apply_subroutines();
        }
        if draw.patch {
            self.api.patch_parameteri(gl::PATCH_VERTICES, 4);
        }
        let mode = if draw.patch { gl::PATCHES } else { gl::TRIANGLE_STRIP };
        let generic = self.draws_generic_attributes() && (draw.instances.is_none() || draw.ortho);
        self.draw_rectangle(draw, mode, generic);
        if draw.patch {
            self.api.patch_parameteri(gl::PATCH_VERTICES, self.patch_vertices as i32);
        }
        Ok(())
    }

    /// Returns true if rectangles go to generic attributes instead of fixed-function ones.
    fn draws_generic_attributes(&self) -> bool {
        if self.is_es() || self.is_core() {
            return true;
        }
        let program = match &self.linked {
            Linked::Program(program) => *program,
            Linked::Pipeline { programs, .. } => {
                let vertex = programs.iter().find(|(stage, _)| *stage == script::Stage::Vertex);
                vertex.map_or(0, |&(_, program)| program)
            }
            _ => 0,
        };
        program != 0 && self.api.attribute_location(program, "piglit_vertex") != -1
    }

    fn draw_rectangle(&mut self, draw: &DrawRect, mode: u32, generic: bool) {
        let floats = vertices(draw, self.window);
        let bytes: Vec<u8> = floats.iter().flat_map(|v| v.to_ne_bytes()).collect();
        let Rectangles { buffer, array } = self.rectangles();
        let bound = self.api.get_integer(gl::ARRAY_BUFFER_BINDING) as u32;
        self.api.bind_buffer(gl::ARRAY_BUFFER, buffer);
        self.api.buffer_data(gl::ARRAY_BUFFER, &bytes, gl::STREAM_DRAW);
        if generic {
            if let Some(array) = array {
                self.api.bind_vertex_array(array);
            }
            self.generic_rectangle(draw, mode);
            if array.is_some() {
                self.api.bind_vertex_array(self.vertex_array);
            }
        } else {
            self.fixed_rectangle(draw, mode);
        }
        self.api.bind_buffer(gl::ARRAY_BUFFER, bound);
    }

    fn generic_rectangle(&self, draw: &DrawRect, mode: u32) {
        let source = |index, components, first: usize| AttributeSource {
            index,
            components,
            kind: gl::FLOAT,
            stride: components * FLOAT as i32,
            offset: first * FLOAT,
            conversion: Conversion::Float,
        };
        self.api.attribute_pointer(&source(0, 4, 0));
        self.api.enable_vertex_attrib_array(0);
        if draw.texture.is_some() {
            self.api.attribute_pointer(&source(1, 2, POSITIONS));
            self.api.enable_vertex_attrib_array(1);
        }
        self.draw_strip(draw, mode);
        self.api.disable_vertex_attrib_array(0);
        if draw.texture.is_some() {
            self.api.disable_vertex_attrib_array(1);
        }
    }

    fn fixed_rectangle(&self, draw: &DrawRect, mode: u32) {
        self.api.fixed_pointer(gl::VERTEX_ARRAY, 4, 4 * FLOAT as i32, 0);
        self.api.enable_client_state(gl::VERTEX_ARRAY);
        if draw.texture.is_some() {
            let (stride, offset) = (2 * FLOAT as i32, POSITIONS * FLOAT);
            self.api.fixed_pointer(gl::TEXTURE_COORD_ARRAY, 2, stride, offset);
            self.api.enable_client_state(gl::TEXTURE_COORD_ARRAY);
        }
        self.draw_strip(draw, mode);
        self.api.disable_client_state(gl::VERTEX_ARRAY);
        if draw.texture.is_some() {
            self.api.disable_client_state(gl::TEXTURE_COORD_ARRAY);
        }
    }

    fn draw_strip(&self, draw: &DrawRect, mode: u32) {
        match draw.instances {
            // The form with `ortho` draws at least once.
            Some(count) if count > 1 || !draw.ortho => {
                self.api.draw_arrays_instanced(mode, 0, 4, count);
            }
            _ => self.api.draw_arrays(mode, 0, 4),
        }
    }

    /// Returns the objects of rectangles, which are created with the first one.
    fn rectangles(&mut self) -> Rectangles {
        if self.rectangles.buffer == 0 {
            let buffer = self.api.create_buffer();
            self.objects.buffers.push(buffer);
            let array = self.has_vertex_arrays().then(|| self.api.create_vertex_array());
            self.objects.vertex_arrays.extend(array);
            self.rectangles = Rectangles { buffer, array };
        }
        self.rectangles
    }

    pub(super) fn draw_arrays(&mut self, draw: &DrawArrays) -> Flow {
        if draw.capture {
            return self.capture(draw);
        }
        if draw.base_instance.is_some() {
            self.needs(42, &["GL_ARB_base_instance"])?;
        }
        // The instanced form checks for a program, but ignores the result.
        let instanced = draw.instances.is_some();
        let ready = if instanced { self.linked.is_linked() } else { self.needs_program() };
        if !ready {
            return Ok(());
        }
        self.bind_array_of_core();
        let (mode, first, count) =
            (primitive(draw.primitive), draw.first as i32, draw.count as i32);
        match (draw.instances, draw.base_instance) {
            (None, _) => self.api.draw_arrays(mode, first, count),
            (Some(n), None) => self.api.draw_arrays_instanced(mode, first, count, n),
            (Some(n), Some(base)) => {
                self.api.draw_arrays_instanced_base_instance(mode, first, count, n, base);
            }
        }
        Ok(())
    }

    pub(super) fn multi_draw(&mut self, draws: &[DrawArrays]) -> Flow {
        if self.needs_program()
            && let Some(first) = draws.first()
        {
            self.bind_array_of_core();
            let firsts: Vec<i32> = draws.iter().map(|draw| draw.first as i32).collect();
            let counts: Vec<i32> = draws.iter().map(|draw| draw.count as i32).collect();
            self.api.multi_draw_arrays(primitive(first.primitive), &firsts, &counts);
        }
        Ok(())
    }

    pub(super) fn draw_elements(&mut self, draw: &DrawElements) -> Flow {
        if draw.base_vertex > 0 {
            self.needs(32, &["GL_ARB_draw_elements_base_vertex"])?;
        }
        if self.needs_program() {
            self.bind_array_of_core();
            self.bind_elements();
            let (mode, count) = (primitive(draw.primitive), draw.count as i32);
            self.api.draw_elements(mode, count, draw.base_vertex as i32);
        }
        Ok(())
    }
}

/// Returns four positions of four components, and four texture coordinates of two.
fn vertices(draw: &DrawRect, (width, height): (u32, u32)) -> Vec<f32> {
    let [mut x, mut y, mut w, mut h] = draw.rect;
    if draw.ortho {
        let (width, height) = (width as f32, height as f32);
        (x, y) = (-1.0 + 2.0 * (x / width), -1.0 + 2.0 * (y / height));
        (w, h) = (2.0 * (w / width), 2.0 * (h / height));
    }
    let corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)];
    let corner = |start: f32, size: f32, at: f32| if at == 0.0 { start } else { start + size };
    let positions = corners.iter().flat_map(|&(a, b)| [corner(x, w, a), corner(y, h, b), 0.0, 1.0]);
    let [s, t, tw, th] = draw.texture.unwrap_or_default();
    let texture = corners.iter().flat_map(|&(a, b)| [corner(s, tw, a), corner(t, th, b)]);
    positions.chain(texture).collect()
}

/// Returns the enum of a primitive.
pub(super) fn primitive(primitive: Primitive) -> u32 {
    match primitive {
        Primitive::Points => gl::POINTS,
        Primitive::Lines => gl::LINES,
        Primitive::LineLoop => gl::LINE_LOOP,
        Primitive::LineStrip => gl::LINE_STRIP,
        Primitive::Triangles => gl::TRIANGLES,
        Primitive::TriangleStrip => gl::TRIANGLE_STRIP,
        Primitive::TriangleFan => gl::TRIANGLE_FAN,
        Primitive::Quads => gl::QUADS,
        Primitive::QuadStrip => gl::QUAD_STRIP,
        Primitive::Polygon => gl::POLYGON,
        Primitive::LinesAdjacency => gl::LINES_ADJACENCY,
        Primitive::LineStripAdjacency => gl::LINE_STRIP_ADJACENCY,
        Primitive::TrianglesAdjacency => gl::TRIANGLES_ADJACENCY,
        Primitive::TriangleStripAdjacency => gl::TRIANGLE_STRIP_ADJACENCY,
        Primitive::Patches => gl::PATCHES,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles() {
        let draw = DrawRect {
            rect: [0.0, 125.0, 250.0, 125.0],
            texture: None,
            ortho: true,
            patch: false,
            instances: None,
        };
        let floats = vertices(&draw, (250, 250));
        assert_eq!(floats[..8], [-1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0]);
        assert_eq!(floats[8..16], [-1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0]);
        assert_eq!(floats.len(), POSITIONS + 8);
    }
}
