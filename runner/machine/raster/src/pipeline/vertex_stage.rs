//! Shader stages of one draw, and the vertex stage.

use std::collections::HashMap;
use std::sync::Arc;

use program::{BuiltinVariable, Program, Stage, StageKey, Storage};
use smallvec::SmallVec;

use super::draw_call::{DrawCall, DrawParameters};
use super::primitives::ShadedVertices;
use super::vertex_cache::VertexCache;
use super::vertex_data::FetchAttributes;
use crate::device::{
    Batch, Device, DeviceError, DrawState, MAX_LANES, ProgramId, SoaTable, Steps, VertexBatch,
    first_lanes,
};
use crate::resources::Bindings;

/// Inputs of a vertex: four words for each attribute slot.
type VertexWords = SmallVec<[u32; 16]>;

/// Runs the stages of one draw.
pub struct Pipeline<'a> {
    /// Device that executes the shaders.
    pub device: &'a mut dyn Device,
    /// The program.
    pub program: &'a Arc<Program>,
    /// Its number.
    pub id: ProgramId,
    /// Draw-time state of its stages.
    pub key: &'a StageKey,
    /// Parameters of the draw command.
    pub parameters: DrawParameters<'a>,
    /// Objects bound to the program.
    pub bindings: Bindings,
    /// Steps so far.
    pub steps: Steps,
}

impl Pipeline<'_> {
    /// Prepares every stage of a draw on the device.
    ///
    /// # Errors
    /// Fails if the device fails.
    pub fn prepare(&mut self) -> Result<(), DeviceError> {
        let state = DrawState { program: self.program, program_id: self.id, key: self.key };
        self.program
            .stages
            .iter()
            .try_for_each(|stage| self.device.prepare(stage.shader.stage, &state))
    }

    /// Executes a batch of a stage.
    ///
    /// # Errors
    /// Fails if the device fails.
    pub fn shade(&mut self, stage: Stage, batch: &mut Batch) -> Result<(), DeviceError> {
        let state = DrawState { program: self.program, program_id: self.id, key: self.key };
        self.steps += self.device.shade(stage, &state, batch, &mut self.bindings)?;
        Ok(())
    }

    /// Runs the vertex stage for all instances. The second result maps (instance, vertex) in draw
    /// order to a shaded vertex. With a cache, vertices with equal inputs are shaded once, and
    /// cached batches are not shaded again.
    ///
    /// # Errors
    /// Fails if the device fails, and without a vertex stage.
    pub fn vertices(
        &mut self,
        fetch: &dyn FetchAttributes,
        call: &DrawCall,
        mut cache: Option<&mut VertexCache>,
    ) -> Result<(ShadedVertices, Vec<u32>), DeviceError> {
        let stage = self
            .program
            .stage(Stage::Vertex)
            .ok_or(DeviceError::Unsupported("a draw without vertex stage".into()))?;
        let reads = VertexReads::new(self.program);
        let stride = stage.outputs.len() * 4;
        let mut shaded = ShadedVertices { stride, words: Vec::new() };
        let mut order = Vec::new();
        let mut shaded_by_key: HashMap<VertexWords, u32> = HashMap::new();
        let mut pending: Vec<(VertexWords, u32, u32)> = Vec::new();
        let mut next = 0u32;
        let first_instance = self.parameters.first_instance;
        for instance in (0..call.instances).map(|i| first_instance.wrapping_add(i)) {
            for index in call.first..call.first.saturating_add(call.count) {
                let vertex = self.parameters.vertex(index);
                let inputs: VertexWords = (0..fetch.slots())
                    .flat_map(|slot| fetch.slot(slot, vertex, instance))
                    .collect();
                let mut key = inputs.clone();
                key.extend([
                    if reads.vertex { vertex } else { 0 },
                    if reads.instance { instance } else { 0 },
                ]);
                if cache.is_some()
                    && let Some(&index) = shaded_by_key.get(&key)
                {
                    order.push(index);
                    continue;
                }
                shaded_by_key.insert(key, next);
                order.push(next);
                next += 1;
                pending.push((inputs, vertex, instance));
                if pending.len() == MAX_LANES {
                    self.vertex_batch(&mut pending, &mut shaded, cache.as_deref_mut())?;
                }
            }
        }
        self.vertex_batch(&mut pending, &mut shaded, cache)?;
        Ok((shaded, order))
    }

    fn vertex_batch(
        &mut self,
        pending: &mut Vec<(VertexWords, u32, u32)>,
        shaded: &mut ShadedVertices,
        cache: Option<&mut VertexCache>,
    ) -> Result<(), DeviceError> {
        if pending.is_empty() {
            return Ok(());
        }
        let lanes = pending.len();
        let mut inputs = SoaTable::new(pending[0].0.len(), lanes);
        for (lane, (values, ..)) in pending.iter().enumerate() {
            values.iter().enumerate().for_each(|(row, &value)| inputs.set(row, lane, value));
        }
        let batch = VertexBatch {
            lanes,
            mask: first_lanes(lanes),
            inputs,
            vertex_id: pending.iter().map(|p| p.1).collect(),
            instance_id: pending.iter().map(|p| p.2).collect(),
            base_vertex: self.parameters.base_vertex,
            base_instance: self.parameters.base_instance,
            draw_id: self.parameters.draw_id,
            outputs: SoaTable::new(shaded.stride, lanes),
        };
        pending.clear();
        let outputs = self.vertex_outputs(batch, cache)?;
        (0..lanes).for_each(|lane| shaded.words.extend(outputs.lane(lane)));
        Ok(())
    }

    /// Shades a batch or returns its outputs from the cache.
    fn vertex_outputs(
        &mut self,
        batch: VertexBatch,
        cache: Option<&mut VertexCache>,
    ) -> Result<SoaTable, DeviceError> {
        if let Some(outputs) =
            cache.as_ref().and_then(|cache| cache.find(self.id, self.key, &batch))
        {
            return Ok(outputs.clone());
        }
        let mut batch = Batch::Vertex(batch);
        self.shade(Stage::Vertex, &mut batch)?;
        let Batch::Vertex(batch) = batch else {
            return Err(DeviceError::Execution(
                "the device changed the kind of a vertex batch".into(),
            ));
        };
        if let (Some(cache), Some(stage)) = (cache, self.program.stage(Stage::Vertex)) {
            cache.store(self.id, self.key, stage, &batch);
        }
        Ok(batch.outputs)
    }
}

/// System values by which vertices differ.
struct VertexReads {
    vertex: bool,
    instance: bool,
}

impl VertexReads {
    fn new(program: &Program) -> VertexReads {
        let globals =
            program.stage(Stage::Vertex).into_iter().flat_map(|s| s.shader.globals.values());
        let inputs = globals.filter(|g| g.active && g.storage == Storage::Input);
        let mut reads = VertexReads { vertex: false, instance: false };
        for builtin in inputs.filter_map(|g| g.builtin) {
            reads.vertex |= builtin == BuiltinVariable::VertexId;
            reads.instance |= builtin == BuiltinVariable::InstanceId;
        }
        reads
    }
}
