//! SPIR-V sections (`GL_ARB_gl_spirv`).

use script::{Specialization, Stage};
use vocabulary::Phase;

use super::sections::{Sections, stage_enum};
use super::session::Run;
use crate::assembler::assemble;
use crate::bindings::gl;
use crate::outcome::{Flow, fail, skip};

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
