//! Transform feedback (OpenGL 4.6 section 13.3).

use program::Program;

use super::{GlError, Machine};
use raster::pipeline::draw_call::DrawCall;
use raster::pipeline::feedback::Feedback;
use raster::primitive::PrimitiveKind;
use raster::resources::BufferId;

impl Machine {
    /// Starts capturing primitives of a kind of the draws that follow. Raises an error if the
    /// program captures nothing, or into a buffer that is not bound (section 13.3.2).
    pub fn begin_feedback(&mut self, mode: PrimitiveKind, buffers: [Option<BufferId>; 4]) {
        let bound = |buffer: u8| buffers.get(usize::from(buffer)).is_some_and(Option::is_some);
        let captured = self.program().map_or(&[][..], |program| &program.feedback);
        if captured.is_empty() || !captured.iter().all(|varying| bound(varying.buffer)) {
            self.raise(GlError::InvalidOperation);
            return;
        }
        self.feedback = Some(Feedback::new(mode, buffers));
    }

    /// Ends the capture and returns its counts.
    pub fn end_feedback(&mut self) -> Option<Feedback> {
        self.feedback.take()
    }

    /// True if a draw makes primitives that the capture, if there is one, accepts.
    pub(super) fn feedback_accepts(&self, program: &Program, call: &DrawCall) -> bool {
        self.feedback.as_ref().is_none_or(|feedback| feedback.accepts(program, call.mode))
    }
}
