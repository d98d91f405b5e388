//! Vertex threads: payload and results.

use gpu_service::Outcome;

use super::stage::{self, UrbStage, slots};
use crate::draw::command::Draw;
use crate::draw::state::stages::VertexStage;
use crate::draw::window::Slots;

impl Draw<'_> {
    /// Executes the vertex shader on vertices, or passes them on if there is none.
    pub(crate) fn shade_vertices(&self, vertices: Vec<Slots>) -> Outcome<Vec<Slots>> {
        let Some(vertex) = self.state.stages.vertex else { return Ok(vertices) };
        self.counts.add_vertices(vertices.len());
        let stage = UrbStage::load(self, &stage::VERTEX, &vertex.program)?;
        // Threads of 8 vertices have a register for each component, others one for two vertices.
        let VertexStage { is_wide, skipped_slots, slots: count, .. } = vertex;
        let per_thread = if is_wide { 8 } else { 2 };
        let mut shaded = Vec::with_capacity(vertices.len());
        for group in vertices.chunks(per_thread) {
            let (mut thread, inputs) = stage.thread();
            stage.set_header(&mut thread, [0, u32::from(!is_wide), 0, 0, 0, 0, 0, 0]);
            if is_wide {
                thread.set_register(1, &[0, 1, 2, 3, 4, 5, 6, 7]);
            }
            for (lane, vertex) in group.iter().enumerate() {
                for (i, slot) in vertex.iter().skip(skipped_slots).take(count).enumerate() {
                    for (component, &value) in slot.iter().enumerate() {
                        if is_wide {
                            thread.set_dword(inputs + 4 * i + component, lane, value);
                        } else {
                            thread.set_dword(inputs + i, 4 * lane + component, value);
                        }
                    }
                }
            }
            let channels = if is_wide { group.len() } else { 4 * group.len() };
            thread.set_dispatch_mask((1 << channels) - 1);
            let done = stage.run(vec![thread], vec![Vec::new(); per_thread])?;
            shaded.extend(done.entries.iter().take(group.len()).map(|entry| slots(entry)));
        }
        Ok(shaded)
    }
}
