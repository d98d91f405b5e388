//! Tessellation: control threads, the fixed-function tessellator, evaluation threads.

use gpu_service::{Outcome, not_modeled, vertex_count};
use raster::assemble::{Primitive, PrimitiveMode};
use raster::tessellate::{Domain, EdgeSpacing, Mesh, TessellationParameters, tessellate};
use smallvec::SmallVec;

use super::assembled::Assembled;
use super::stage::{self, UrbStage, dwords, slots};
use crate::draw::command::Draw;
use crate::draw::state::stages::{EvaluationStage, Tessellation};
use crate::draw::window::Slots;

/// First register of a control thread's input handles, eight to a register.
const INPUT_HANDLES: usize = 1;
/// Maximum number of input vertices with handles in a control thread.
const MAX_INPUT_VERTICES: usize = 32;

impl Draw<'_> {
    /// Tessellates patches.
    pub(crate) fn tessellate(
        &self,
        tessellation: &Tessellation,
        patches: &Assembled,
    ) -> Outcome<Assembled> {
        let Some(control) = tessellation.control else {
            return not_modeled("tessellation without control shaders");
        };
        if control.shares_threads {
            return not_modeled("control threads of several patches");
        }
        let threads = control.threads;
        let control = UrbStage::load(self, &stage::CONTROL, &control.program)?;
        let evaluation = tessellation.evaluation;
        let stage = UrbStage::load(self, &stage::EVALUATION, &evaluation.program)?;
        let mut result = Assembled::new(mode_of(tessellation.topology));
        for patch in &patches.primitives {
            let entry = self.control(&control, threads, patches, patch)?;
            let mesh = tessellate(&parameters(tessellation, &entry)?);
            self.counts.add_patch(mesh.points.len());
            let first = vertex_count(result.vertices.len())?;
            vertex_count(result.vertices.len() + mesh.points.len())?;
            result.vertices.extend(self.evaluate(&stage, &evaluation, &entry, patch.id, &mesh)?);
            for indices in mesh.indices.chunks_exact(mesh.size.max(1)) {
                let vertices: SmallVec<[u32; 6]> =
                    indices.iter().map(|index| first + index).collect();
                let provoking = result.provoking(vertices.len(), self);
                result.primitives.push(Primitive {
                    vertices,
                    provoking,
                    edges: 0b111,
                    id: patch.id,
                });
            }
        }
        Ok(result)
    }

    /// Executes the control shader on a patch and returns the patch's entry.
    fn control(
        &self,
        stage: &UrbStage<'_>,
        threads: u32,
        patches: &Assembled,
        patch: &Primitive,
    ) -> Outcome<Vec<u32>> {
        let inputs = patch.vertices.iter().map(|&i| dwords(&patches.vertices[i as usize]));
        let entries: Vec<Vec<u32>> = std::iter::once(Vec::new()).chain(inputs).collect();
        let low = self.devinfo.tcs_thread_number_bit;
        let threads = (0..threads).map(|number| {
            let (mut thread, _) = stage.thread();
            stage.set_header(&mut thread, [0, patch.id, number << low, 0, 0, 0, 0, 0]);
            for vertex in 0..MAX_INPUT_VERTICES {
                let handle = if vertex < patch.vertices.len() { 1 + vertex } else { 1 };
                let handle = u32::try_from(handle).unwrap_or(1);
                thread.set_dword(INPUT_HANDLES + vertex / 8, vertex % 8, handle);
            }
            thread.set_dispatch_mask(0xff);
            thread
        });
        let mut done = stage.run(threads.collect(), entries)?;
        Ok(std::mem::take(&mut done.entries[0]))
    }

    /// Executes the evaluation shader on the points of a patch.
    fn evaluate(
        &self,
        stage: &UrbStage<'_>,
        state: &EvaluationStage,
        patch: &[u32],
        id: u32,
        mesh: &Mesh,
    ) -> Outcome<Vec<Slots>> {
        let is_wide = match state.mode {
            0 => false,
            1 => true,
            mode => return not_modeled(format!("evaluation threads of mode {mode}")),
        };
        let per_thread: u32 = if is_wide { 8 } else { 2 };
        let mut shaded = Vec::with_capacity(mesh.points.len());
        for group in mesh.points.chunks(per_thread as usize) {
            let (mut thread, inputs) = stage.thread();
            let at = |lane: usize, c: usize| {
                group.get(lane).map_or(0, |point: &[f32; 3]| point[c].to_bits())
            };
            if is_wide {
                stage.set_header(&mut thread, [per_thread, id, 0, 0, 0, 0, 0, 0]);
                for c in 0..3 {
                    thread.set_register(1 + c, &std::array::from_fn(|lane| at(lane, c)));
                }
                thread.set_register(4, &[0, 1, 2, 3, 4, 5, 6, 7]);
            } else {
                stage.set_header(&mut thread, [0, 1, 0, 0, 0, 0, 0, 0]);
                let [a, b] = [0, 1].map(|lane| [at(lane, 0), at(lane, 1), at(lane, 2)]);
                thread.set_register(1, &[a[0], a[1], a[2], per_thread, b[0], b[1], b[2], id]);
            }
            for register in 0..state.registers {
                let value = |i: usize| {
                    patch.get(state.skipped_dwords + 8 * register + i).copied().unwrap_or(0)
                };
                thread.set_register(inputs + register, &std::array::from_fn(value));
            }
            let channels = if is_wide { group.len() } else { 4 * group.len() };
            thread.set_dispatch_mask((1 << channels) - 1);
            let mut entries = vec![Vec::new(); per_thread as usize];
            entries.push(patch.to_vec());
            let done = stage.run(vec![thread], entries)?;
            shaded.extend(done.entries.iter().take(group.len()).map(|entry| slots(entry)));
        }
        Ok(shaded)
    }
}

/// Parameters of the tessellator for a patch.
fn parameters(state: &Tessellation, entry: &[u32]) -> Outcome<TessellationParameters> {
    let level = |at: usize| f32::from_bits(entry.get(at).copied().unwrap_or(0));
    let (domain, outer, inner) = match state.domain {
        0 => (Domain::Quads, [7, 6, 5, 4].map(level), [3, 2].map(level)),
        1 => (Domain::Triangles, [7, 6, 5, 4].map(level), [4, 4].map(level)),
        2 => (Domain::Isolines, [6, 7, 5, 4].map(level), [3, 2].map(level)),
        domain => return not_modeled(format!("tessellation domain {domain}")),
    };
    let spacing = match state.partitioning {
        0 => EdgeSpacing::Equal,
        1 => EdgeSpacing::FractionalOdd,
        2 => EdgeSpacing::FractionalEven,
        other => return not_modeled(format!("tessellation partitioning {other}")),
    };
    Ok(TessellationParameters {
        domain,
        spacing,
        // In the domain, the hardware's orders have the opposite names.
        clockwise: state.topology == 3,
        point_mode: state.topology == 0,
        outer,
        inner,
    })
}

/// Mode of the primitives of a tessellated topology.
fn mode_of(topology: u64) -> PrimitiveMode {
    match topology {
        0 => PrimitiveMode::Points,
        1 => PrimitiveMode::Lines,
        _ => PrimitiveMode::Triangles,
    }
}
