//! SPIR-V sections (`GL_ARB_gl_spirv`).

use script::{Specialization, Stage};
use vocabulary::Phase;

use super::sections::{Sections, stage_enum};
use super::session::Run;
use crate::assembler::assemble;
use crate::bindings::gl;
use crate::outcome::{Flow, fail, skip};

/// `[vertex shader passthrough]`: location 0 goes to the position, which is member 0 of the
/// built-in block.
pub(super) const PASSTHROUGH: &[u8] = b"\
    OpCapability Shader\n\
    OpMemoryModel Logical GLSL450\n\
    OpEntryPoint Vertex %main \"main\" %block %vertex\n\
    OpDecorate %vertex Location 0\n\
    OpDecorate %per_vertex Block\n\
    OpMemberDecorate %per_vertex 0 BuiltIn Position\n\
    %void = OpTypeVoid\n\
    %function = OpTypeFunction %void\n\
    %float = OpTypeFloat 32\n\
    %vec4 = OpTypeVector %float 4\n\
    %int = OpTypeInt 32 1\n\
    %zero = OpConstant %int 0\n\
    %per_vertex = OpTypeStruct %vec4\n\
    %out_block = OpTypePointer Output %per_vertex\n\
    %out_vec4 = OpTypePointer Output %vec4\n\
    %in_vec4 = OpTypePointer Input %vec4\n\
    %block = OpVariable %out_block Output\n\
    %vertex = OpVariable %in_vec4 Input\n\
    %main = OpFunction %void None %function\n\
    %begin = OpLabel\n\
    %value = OpLoad %vec4 %vertex\n\
    %place = OpAccessChain %out_vec4 %block %zero\n\
    OpStore %place %value\n\
    OpReturn\n\
    OpFunctionEnd\n";

impl Run<'_> {
    /// Assembles and specializes a stage.
    pub(super) fn spirv(&mut self, stage: Stage, text: &[u8], sections: &mut Sections<'_>) -> Flow {
        let facts = self.capabilities.facts();
        script::stage_available(stage, &facts).map_err(skip)?;
        let module = assemble(text).map_err(|reason| fail(Phase::Frontend, reason))?;
        let shader = self.api.create_shader(stage_enum(stage));
        self.objects.shaders.push(shader);
        self.api.spirv_binary(shader, &module);
        let of_stage = sections.constants.iter().filter(|(s, _)| *s == stage);
        let constants: Vec<Specialization> =
            of_stage.flat_map(|(_, constants)| constants.iter().copied()).collect();
        self.api.specialize(shader, &constants);
        if self.api.get_shader(shader, gl::COMPILE_STATUS) == 0 {
            let log = self.api.shader_log(shader);
            let name = stage.abbreviation();
            let reason = format!("Failed to specialize {name}: {}", log.trim_end());
            return Err(fail(Phase::Frontend, reason));
        }
        sections.shaders.push((stage, shader));
        Ok(())
    }
}
