//! Execution modes: layout declarations of the stage.

use program::Stage;
use program::shader::{Interlock, LayoutPrimitive, Spacing};
use rspirv::spirv::{BuiltIn, Decoration, ExecutionMode as M, Op};

use super::state::ShaderBuilder;
use crate::entry::Api;
use crate::error::Error;
use crate::module::Instruction;

impl ShaderBuilder<'_> {
    /// Applies the execution modes of a function.
    pub(crate) fn modes(&mut self, function: u32) -> Result<(), Error> {
        let module = self.module;
        let of_function = |i: &&Instruction| {
            matches!(i.op, Op::ExecutionMode | Op::ExecutionModeId) && i.id_at(0) == Some(function)
        };
        for mode in module.globals().iter().filter(of_function) {
            self.mode(mode)?;
        }
        self.local_size_constant()
    }

    fn mode(&mut self, instruction: &Instruction) -> Result<(), Error> {
        let mode = instruction.literal_at(1).and_then(M::from_u32);
        let literal = |index| instruction.literal_at(index);
        let layout = &mut self.shader.layout;
        let is_geometry = self.stage == Stage::Geometry;
        let primitive = |layout: &mut program::shader::StageLayout, input, output| {
            let place = if is_geometry && output {
                &mut layout.output_primitive
            } else {
                &mut layout.input_primitive
            };
            *place = Some(input);
        };
        use LayoutPrimitive as P;
        match mode.unwrap_or(M::Xfb) {
            M::Invocations => layout.invocations = literal(2),
            M::SpacingEqual => layout.spacing = Some(Spacing::Equal),
            M::SpacingFractionalEven => layout.spacing = Some(Spacing::FractionalEven),
            M::SpacingFractionalOdd => layout.spacing = Some(Spacing::FractionalOdd),
            // The domain's origin is the upper left corner in Vulkan, so that triangles are turned.
            M::VertexOrderCw => layout.clockwise = Some(self.api == Api::OpenGl),
            M::VertexOrderCcw => layout.clockwise = Some(self.api == Api::Vulkan),
            M::PointMode => layout.point_mode = true,
            M::EarlyFragmentTests => layout.early_fragment_tests = true,
            M::PostDepthCoverage => layout.post_depth_coverage = true,
            M::InputPoints => primitive(layout, P::Points, false),
            M::InputLines => primitive(layout, P::Lines, false),
            M::InputLinesAdjacency => primitive(layout, P::LinesAdjacency, false),
            M::Triangles => primitive(layout, P::Triangles, false),
            M::InputTrianglesAdjacency => primitive(layout, P::TrianglesAdjacency, false),
            M::Quads => primitive(layout, P::Quads, false),
            M::Isolines => primitive(layout, P::Isolines, false),
            M::OutputPoints => primitive(layout, P::Points, true),
            M::OutputLineStrip => primitive(layout, P::LineStrip, true),
            M::OutputTriangleStrip => primitive(layout, P::TriangleStrip, true),
            M::OutputVertices if is_geometry => layout.max_vertices = literal(2),
            M::OutputVertices => layout.vertices = literal(2),
            M::LocalSize => {
                layout.local_size =
                    Some([literal(2), literal(3), literal(4)].map(|n| n.unwrap_or(1)));
            }
            M::LocalSizeId => {
                let mut size = [1; 3];
                for (place, index) in size.iter_mut().zip(2..) {
                    let id = self.id(instruction, index)?;
                    *place = self.integer_constant(instruction, id)? as u32;
                }
                self.shader.layout.local_size = Some(size);
            }
            M::DerivativeGroupQuadsKHR => layout.derivative_group_quads = Some(true),
            M::DerivativeGroupLinearKHR => layout.derivative_group_quads = Some(false),
            M::PixelInterlockOrderedEXT => layout.interlock = Some(Interlock::PixelOrdered),
            M::PixelInterlockUnorderedEXT => layout.interlock = Some(Interlock::PixelUnordered),
            M::SampleInterlockOrderedEXT => layout.interlock = Some(Interlock::SampleOrdered),
            M::SampleInterlockUnorderedEXT => layout.interlock = Some(Interlock::SampleUnordered),
            M::Xfb
            | M::OriginUpperLeft
            | M::OriginLowerLeft
            | M::PixelCenterInteger
            | M::DepthReplacing
            | M::DepthGreater
            | M::DepthLess
            | M::DepthUnchanged
            | M::RoundingModeRTE
            | M::MaximallyReconvergesKHR
            | M::SubgroupUniformControlFlowKHR => {}
            // Denormal floats of 32 bits are flushed, the others are not.
            M::DenormPreserve if literal(2) != Some(32) => {}
            M::DenormFlushToZero if literal(2) == Some(32) => {}
            M::SignedZeroInfNanPreserve => self.preserved.extend(literal(2)),
            _ => return Err(self.unsupported(instruction, format!("execution mode {mode:?} is"))),
        }
        Ok(())
    }

    /// A constant that is decorated `WorkgroupSize` goes before `LocalSize` (SPIR-V 1.6 section
    /// 3.21).
    fn local_size_constant(&mut self) -> Result<(), Error> {
        let module = self.module;
        let is_size = |i: &&Instruction| {
            i.id != 0
                && i.op != Op::Variable
                && module.literal(i.id, Decoration::BuiltIn) == Some(BuiltIn::WorkgroupSize as u32)
        };
        let Some(constant) = module.globals().iter().find(is_size) else {
            return Ok(());
        };
        if self.stage == Stage::Compute {
            let mut size = [1; 3];
            for (place, id) in size.iter_mut().zip(constant.ids_from(0)) {
                *place = self.integer_constant(constant, id)? as u32;
            }
            self.shader.layout.local_size = Some(size);
        }
        Ok(())
    }

    /// True if the entry point has a mode.
    pub(crate) fn has_mode(&self, wanted: M) -> bool {
        let module = self.module;
        module
            .globals()
            .iter()
            .filter(|i| i.op == Op::ExecutionMode && i.id_at(0) == Some(self.entry))
            .any(|i| i.literal_at(1) == Some(wanted as u32))
    }
}
