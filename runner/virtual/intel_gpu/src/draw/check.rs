//! State that is refused because it is not modeled: nothing is skipped in silence.

use gpu_service::{CommandError, Outcome, not_modeled};
use packets::Field;

use super::command::Draw;

impl Draw<'_> {
    /// Refuses state that is not modeled yet.
    pub(super) fn check(&self) -> Outcome<()> {
        let fields = self.fields;
        let refuse = |field: Field, command: &str, what: &str| {
            let is_used = field.flag(self.context.packet(command));
            if is_used { not_modeled(what) } else { Ok::<(), CommandError>(()) }
        };
        let (ps, raster) = (fields.ps, fields.raster);
        let (ps_name, raster_name) = ("3DSTATE_PS", "3DSTATE_RASTER");
        refuse(raster.is_conservative, raster_name, "conservative rasterization")?;
        refuse(raster.forced_samples, raster_name, "forced sample counts")?;
        refuse(fields.cut_index.is_packed, "3DSTATE_VF", "packed components of vertices")?;
        refuse(ps.rounding, ps_name, "rounding modes of kernels")?;
        refuse(fields.te.mode, "3DSTATE_TE", "software tessellation")?;
        let depth = "3DSTATE_DEPTH_BUFFER";
        refuse(fields.depth_buffer.is_tiled_resource, depth, "tiled resources")?;
        let clip = &self.state.clip;
        // Everything is clipped, or everything is rejected.
        if clip.is_enabled && clip.mode != 0 && !clip.rejects_all() {
            return not_modeled(format!("clip mode {}", clip.mode));
        }
        // A depth range of which one side clips has no counterpart in OpenGL.
        let words = self.context.packet(raster_name);
        if raster.clips_far.exists()
            && raster.clips_near.flag(words) != raster.clips_far.flag(words)
        {
            return not_modeled("clipping to one side of the depth range");
        }
        Ok(())
    }
}
