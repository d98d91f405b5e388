//! Hand-made programs and a device made of closures.

#![allow(dead_code, reason = "the benchmark uses a part of the module")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use program::resource::{Attribute, Placement, StageMask, Uniform, Varying};
use program::types::MatrixOrder;
use program::variable::InterpolationMode;
use program::{
    Api, BuiltinVariable, Capabilities, CapabilityTable, FragmentOutput, Global, GlobalId,
    Interpolation, LinkedStage, Program, Scalar, Shader, Slot, Stage, Storage, TypeId, TypeTable,
};
use raster::device::{Batch, Device, DeviceError, DrawState, FragmentBatch, Steps, VertexBatch};
use raster::shader_io::ShaderIo;

/// Builds a linked program by hand.
pub(crate) struct ProgramBuilder {
    pub program: Program,
}

fn stage(stage: Stage) -> LinkedStage {
    LinkedStage {
        shader: Shader::new(stage, 450, false),
        inputs: Vec::new(),
        outputs: Vec::new(),
        exact: false,
        half_precision: false,
        order_dependent: false,
        clip_distances: 0,
        cull_distances: 0,
        input_clip_distances: 0,
        side_effects: false,
        shared_size: 0,
    }
}

impl ProgramBuilder {
    /// Creates a vertex and a fragment stage; `gl_Position` is output slot 0, one color output at
    /// location 0.
    pub(crate) fn new() -> ProgramBuilder {
        let program = Program {
            types: TypeTable::default(),
            stages: vec![stage(Stage::Vertex), stage(Stage::Fragment)],
            attributes: Vec::new(),
            uniforms: Vec::new(),
            uniform_blocks: Vec::new(),
            storage_blocks: Vec::new(),
            buffer_variables: Vec::new(),
            subroutine_uniforms: Vec::new(),
            default_block_size: 0,
            samplers: Vec::new(),
            images: Vec::new(),
            atomic_buffers: Vec::new(),
            feedback: Vec::new(),
            feedback_strides: [0; 4],
            mismatch: None,
        };
        let mut builder = ProgramBuilder { program };
        builder.output(Slot::Position);
        builder.fragment_output(FragmentOutput::Color { location: 0, index: 0 });
        builder
    }

    pub(crate) fn global(
        &mut self,
        stage: usize,
        name: &str,
        ty: TypeId,
        storage: Storage,
    ) -> GlobalId {
        let global = Global { active: true, ..Global::new(name, ty, storage) };
        self.program.stages[stage].shader.globals.push(global)
    }

    pub(crate) fn builtin_input(&mut self, stage: usize, builtin: BuiltinVariable) {
        let ty = self.program.types.scalar(Scalar::Int);
        let id = self.global(stage, builtin.name(), ty, Storage::Input);
        let global = &mut self.program.stages[stage].shader.globals[id];
        global.builtin = Some(builtin);
        global.placement = Placement::System;
    }

    pub(crate) fn fragment_output(&mut self, output: FragmentOutput) {
        let ty = self.program.types.vector(Scalar::Float, 4);
        let id = self.global(1, "color", ty, Storage::Output);
        self.program.stages[1].shader.globals[id].placement =
            Placement::FragmentOutput { output, component: 0 };
    }

    /// Adds an attribute of a scalar or vector type; returns its first slot.
    pub(crate) fn attribute(
        &mut self,
        name: &str,
        location: u32,
        scalar: Scalar,
        size: u8,
    ) -> usize {
        let ty = self.program.types.vector(scalar, size);
        let global = self.global(0, name, ty, Storage::Input);
        let slot = self.program.attributes.len();
        let attribute = Attribute { global, location, conventional: None, ty, upper: false };
        self.program.attributes.push(attribute.clone());
        if scalar.bits() == 64 && size > 2 {
            self.program.attributes.push(Attribute { upper: true, ..attribute });
        }
        slot
    }

    /// Adds a vertex output; returns its slot index.
    pub(crate) fn output(&mut self, slot: Slot) -> usize {
        self.program.stages[0].outputs.push(Varying {
            slot,
            mask: 0xf,
            interpolation: Interpolation::default(),
            integer: false,
        });
        self.program.stages[0].outputs.len() - 1
    }

    /// Adds a fragment input; returns its slot index.
    pub(crate) fn input(&mut self, slot: Slot, mode: InterpolationMode) -> usize {
        let interpolation = Interpolation { mode, ..Interpolation::default() };
        self.program.stages[1].inputs.push(Varying {
            slot,
            mask: 0xf,
            interpolation,
            integer: false,
        });
        self.program.stages[1].inputs.len() - 1
    }

    /// Adds a varying from vertex to fragment stage; returns its output and input slots.
    pub(crate) fn varying(&mut self, slot: Slot, mode: InterpolationMode) -> (usize, usize) {
        (self.output(slot), self.input(slot, mode))
    }

    /// A default-block uniform that both stages use.
    pub(crate) fn uniform(
        &mut self,
        name: &str,
        ty: TypeId,
        array: Option<u32>,
        location: u32,
        layout: [u32; 3],
    ) {
        for stage in 0..2 {
            self.global(stage, name, ty, Storage::Uniform);
        }
        let [offset, array_stride, matrix_stride] = layout;
        self.program.uniforms.push(Uniform {
            name: name.into(),
            ty,
            array,
            location: Some(location),
            block: Some(0),
            offset,
            array_stride,
            matrix_stride,
            order: MatrixOrder::ColumnMajor,
            opaque: None,
            builtin: None,
            atomic_binding: None,
            stages: StageMask::default(),
        });
    }

    pub(crate) fn build(self) -> Arc<Program> {
        Arc::new(self.program)
    }
}

pub(crate) fn capabilities(api: Api) -> Arc<Capabilities> {
    Arc::new(Capabilities::from(CapabilityTable {
        generation: "test".into(),
        api,
        gl_version: 45,
        glsl_version: 450,
        extensions: BTreeSet::from(["GL_ARB_framebuffer_object".to_string()]),
        limits: BTreeMap::new(),
    }))
}

type VertexStage = Box<dyn FnMut(&mut VertexBatch, &mut dyn ShaderIo)>;
type FragmentStage = Box<dyn FnMut(&mut FragmentBatch, &mut dyn ShaderIo)>;

/// Runs closures and counts lanes.
pub(crate) struct Mock {
    pub vertex: VertexStage,
    pub fragment: FragmentStage,
    pub vertices: usize,
    pub quads: usize,
    pub prepared: Vec<Stage>,
}

impl Mock {
    pub(crate) fn new(
        vertex: impl FnMut(&mut VertexBatch, &mut dyn ShaderIo) + 'static,
        fragment: impl FnMut(&mut FragmentBatch, &mut dyn ShaderIo) + 'static,
    ) -> Mock {
        Mock {
            vertex: Box::new(vertex),
            fragment: Box::new(fragment),
            vertices: 0,
            quads: 0,
            prepared: Vec::new(),
        }
    }
}

impl Device for Mock {
    fn prepare(&mut self, stage: Stage, _state: &DrawState<'_>) -> Result<(), DeviceError> {
        self.prepared.push(stage);
        Ok(())
    }

    fn shade(
        &mut self,
        _stage: Stage,
        _state: &DrawState<'_>,
        batch: &mut Batch,
        io: &mut dyn ShaderIo,
    ) -> Result<Steps, DeviceError> {
        match batch {
            Batch::Vertex(batch) => {
                self.vertices += batch.lanes;
                (self.vertex)(batch, io);
                Ok(Steps(batch.lanes as u64))
            }
            Batch::Fragment(batch) => {
                self.quads += batch.quads.len();
                (self.fragment)(batch, io);
                Ok(Steps(batch.quads.len() as u64))
            }
            _ => Err(DeviceError::Unsupported("stage".into())),
        }
    }
}

/// Copies attribute slot i to output slot i.
pub(crate) fn pass_through(batch: &mut VertexBatch, _: &mut dyn ShaderIo) {
    for row in 0..batch.inputs.rows().min(batch.outputs.rows()) {
        for lane in 0..batch.lanes {
            batch.outputs.set(row, lane, batch.inputs.get(row, lane));
        }
    }
}

/// Sets the color of every lane.
pub(crate) fn paint(
    batch: &mut FragmentBatch,
    mut color: impl FnMut(&FragmentBatch, usize) -> [f32; 4],
) {
    for lane in 0..batch.quads.len() * 4 {
        let value = color(batch, lane);
        for (c, v) in value.iter().enumerate() {
            batch.outputs.color.set(c, lane, v.to_bits());
        }
    }
}

/// Returns the pixel center of a lane.
pub(crate) fn center(batch: &FragmentBatch, lane: usize) -> (f64, f64) {
    let quad = &batch.quads[lane / 4];
    (f64::from(quad.x + (lane & 1) as i32) + 0.5, f64::from(quad.y + (lane >> 1 & 1) as i32) + 0.5)
}

/// Interpolates one component of input slot 0 smoothly.
pub(crate) fn smooth(batch: &FragmentBatch, lane: usize, component: usize) -> f32 {
    let (x, y) = center(batch, lane);
    let primitive = &batch.primitives[batch.quads[lane / 4].primitive as usize];
    let weights = primitive.barycentric_perspective(x, y);
    let values = primitive.values[component].map(|v| f64::from(f32::from_bits(v)));
    (0..3).map(|i| weights[i] * values[i]).sum::<f64>() as f32
}
