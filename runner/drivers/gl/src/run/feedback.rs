//! `xfb draw arrays` and its queries.

use script::{DrawArrays, Primitive, QueryObject};
use vocabulary::Phase;

use super::draw::primitive;
use super::session::{Feedback, Run};
use crate::bindings::gl;
use crate::outcome::Flow;

impl Run<'_> {
    /// Captures the vertices of a draw with the rasterizer off.
    pub(super) fn capture(&mut self, draw: &DrawArrays) -> Flow {
        if !self.needs_program() {
            return Ok(());
        }
        if self.feedback.generated == 0 {
            let (generated, written) = (self.api.create_query(), self.api.create_query());
            self.objects.queries.extend([generated, written]);
            self.feedback = Feedback { generated, written };
        }
        self.bind_array_of_core();
        let written = gl::TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN;
        self.api.begin_query(gl::PRIMITIVES_GENERATED, self.feedback.generated);
        self.api.begin_query(written, self.feedback.written);
        self.api.enable(gl::RASTERIZER_DISCARD);
        self.api.begin_transform_feedback(class(draw.primitive));
        self.api.draw_arrays(primitive(draw.primitive), draw.first as i32, draw.count as i32);
        self.api.end_transform_feedback();
        self.api.disable(gl::RASTERIZER_DISCARD);
        self.api.end_query(written);
        self.api.end_query(gl::PRIMITIVES_GENERATED);
        Ok(())
    }

    /// Executes `verify query_object`.
    pub(super) fn verify_count(&mut self, object: QueryObject, count: u32) {
        let query = match object {
            QueryObject::PrimitivesGenerated => self.feedback.generated,
            QueryObject::PrimitivesWritten => self.feedback.written,
        };
        let observed = if query == 0 { 0 } else { self.api.get_query_result(query) };
        if observed != count {
            let text = format!("{object:?}: expected {count}, got {observed}");
            self.fail_line(Phase::Probe, text);
        }
    }
}

/// Returns the kind of primitives that a draw's primitives become.
fn class(primitive: Primitive) -> u32 {
    match primitive {
        Primitive::Points => gl::POINTS,
        Primitive::Lines
        | Primitive::LineLoop
        | Primitive::LineStrip
        | Primitive::LinesAdjacency
        | Primitive::LineStripAdjacency => gl::LINES,
        _ => gl::TRIANGLES,
    }
}
